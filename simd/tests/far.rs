//! Tables of more elements than the signed addresses of gather instructions reach. Their pages are never written, so they take no memory.
#![cfg(target_pointer_width = "64")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use strew_simd::{BLOCK, Instructions, Moves, Op, Path};

struct Gather<'a, const TOGETHER: usize>(Moves<'a, 4>, &'a [u32; BLOCK]);

impl<const TOGETHER: usize> Op for Gather<'_, TOGETHER> {
    type Output = ();
    #[inline(always)]
    fn run(mut self, instructions: impl Instructions) {
        self.0.gather::<TOGETHER>(instructions, 0, self.1);
    }
}

#[test]
fn addresses_of_32_bits() {
    const LENGTH: usize = (1 << 31) + 100;
    if Vec::<u32>::new().try_reserve_exact(LENGTH).is_err() {
        eprintln!("left out: this machine has no 8 GiB of addresses");
        return;
    }
    let mut table = vec![0_u32; LENGTH];
    for (number, place) in [0, (1 << 31) - 1, 1 << 31, LENGTH - 1].into_iter().enumerate() {
        table[place] = number as u32 + 1;
    }
    for path in Path::available().into_iter().flatten() {
        for (address, expected) in [
            (0, 1),
            (i32::MAX as u32, 2),
            (1 << 31, 3),
            (LENGTH as u32 - 1, 4),
            (LENGTH as u32, 9),
            (u32::MAX, 9),
        ] {
            let mut output = [9_u32; BLOCK];
            path.dispatch(Gather::<1>(Moves::new(&table, &mut output).unwrap(), &[address; BLOCK]));
            assert_eq!(output, [expected; BLOCK], "{} {address}", path.name());
            output.fill(9);
            path.dispatch(Gather::<8>(Moves::new(&table, &mut output).unwrap(), &[address; BLOCK]));
            assert_eq!(output, [expected; BLOCK], "{} {address}, together", path.name());
        }
    }
}
