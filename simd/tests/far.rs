//! Tables of more elements than the signed addresses of gather instructions reach. Few of their
//! pages are written, so they take no memory.
#![cfg(target_pointer_width = "64")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use strew_simd::{Block, Elements, Listed, Move, Path, Rows, combine};

const LENGTH: usize = (1 << 31) + 100;

/// Addresses, and whether they lie in the table.
const ADDRESSES: [(u32, bool); 6] = [
    (0, true),
    (i32::MAX as u32, true),
    (1 << 31, true),
    (LENGTH as u32 - 1, true),
    (LENGTH as u32, false),
    (u32::MAX, false),
];

/// Copies and sums of a vector of entries, and of a few more.
const ENTRIES: usize = 40;

#[test]
fn addresses_of_32_bits() {
    if Vec::<u32>::new().try_reserve_exact(LENGTH).is_err() {
        eprintln!("left out: this machine has no 8 GiB of addresses");
        return;
    }
    let mut table = vec![0_u32; LENGTH];
    for (number, (address, inside)) in (1..).zip(ADDRESSES) {
        if inside {
            table[address as usize] = number;
        }
    }
    for path in Path::available().into_iter().flatten() {
        for (number, (address, inside)) in (1..).zip(ADDRESSES) {
            for distance in [0, 16] {
                for base in [0, address as usize] {
                    gather(path, &table, base, address, if inside { number } else { 9 }, distance);
                }
                change(path, &mut table, address, inside, distance);
            }
        }
    }
}

/// Blocks that lead to one place only, as an address or as the base that addresses count from.
fn gather(path: Path, table: &[u32], base: usize, address: u32, expected: u32, distance: usize) {
    let case = format!("{}, {address} from {base}, {distance}", path.name());
    let addresses = [address.wrapping_sub(base as u32); ENTRIES];
    let block = Block { addresses: &addresses, length: ENTRIES, table: base, ..Block::default() };
    let block = Block { entry_step: 1, ..block };
    let mut output = [9; ENTRIES];
    Elements::<4>::new(table, &mut output).unwrap().gather(path, &block, distance);
    assert_eq!(output, [expected; ENTRIES], "{case}");
    let mut output = [9; ENTRIES];
    Elements::<4>::new(table, &mut output)
        .unwrap()
        .streaming(|elements| elements.gather(path, &block, distance));
    assert_eq!(output, [expected; ENTRIES], "streaming, {case}");
    let mut output = [9; ENTRIES];
    Rows::new(table, &mut output, 1).gather(path, &block, distance);
    assert_eq!(output, [expected; ENTRIES], "rows, {case}");
}

/// What is changed at a place, and back again.
fn change(path: Path, table: &mut [u32], address: u32, inside: bool, distance: usize) {
    let case = format!("{}, {address}, {distance:?}", path.name());
    let addresses = [address; ENTRIES];
    let block = Block { addresses: &addresses, length: ENTRIES, ..Block::default() };
    let block = Block { entry_step: 1, ..block };
    let listed = Listed { places: &addresses, flats: &[0; ENTRIES], distance };
    let found = |table: &[u32]| table.get(address as usize).copied();
    let (before, ones) = (found(table), [1; ENTRIES]);
    assert_eq!(before.is_some(), inside, "{case}");

    let add = combine::by(u32::wrapping_add);
    combine::elements::<_, _, true>(table, &ones, &block, distance, add);
    combine::rows(path, table, &ones, &block, 1, distance, u32::wrapping_add);
    combine::listed(path, table, &ones, listed, 1, u32::wrapping_add);
    let sum = before.map(|value| value + 3 * ENTRIES as u32);
    assert_eq!(found(table), sum, "sums, {case}");

    let written = |value: u32| before.map(|_| value);
    Elements::<4>::new(&[7; ENTRIES], table).unwrap().scatter(path, &block, distance);
    assert_eq!(found(table), written(7), "{case}");
    Elements::<4>::new(&[8; 1], table).unwrap().scatter_listed(path, listed);
    assert_eq!(found(table), written(8), "listed, {case}");
    Rows::new(&[5; ENTRIES], table, 1).scatter(path, &block, distance);
    assert_eq!(found(table), written(5), "rows, {case}");
    let back = [before.unwrap_or_default(); ENTRIES];
    Rows::new(&back, table, 1).scatter_listed(path, listed);
    assert_eq!(found(table), before, "listed rows, {case}");
}
