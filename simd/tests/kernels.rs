//! Every kernel on every path of this machine, against one naive oracle each. Built without
//! optimisation the loops are no vectors: `.ci/paths` runs this with it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, missing_docs)]

mod common;

use std::mem::MaybeUninit;

use common::addresses::{Chosen, Resolve, Shift, Value};
use common::columns::Split;
use common::moves::{Case, Kernel, SIZES};
use common::{Check, Choose, FAR, paths};
use strew_simd::{
    Axes, Axis, Block, Columns, Elements, Index, Listed, Machine, Move, NOWHERE, Outside, Path,
    Place, Rows, Tuples, bits, combine, compress, positions, prefetch_columns,
};

/// The one list: a test each, and the public functions that it is a test of.
macro_rules! tests {
    ($($test:ident: $($function:literal)*;)*) => {
        const TESTED: &[&str] = &[$($($function),*),*];
        $(
            #[test]
            fn $test() {
                tests::$test();
            }
        )*
    };
}
tests! {
    resolve_signed: "resolve::RESOLVE";
    resolve_unsigned: "resolve::RESOLVE";
    resolve_planes: "resolve::RESOLVE";
    resolve_last: "resolve::RESOLVE";
    resolve_remainders: "resolve::RESOLVE";
    shift: "resolve::shift" "resolve::spread" "resolve::repeats";
    choose: "choose::choose";
    elements_gather: "elements::new" "moves::gather" "moves::streaming" "block::all"
        "block::is_run" "elements::gather_elements";
    elements_scatter: "moves::scatter" "moves::scatter_listed" "combine::set";
    rows_gather: "rows::new" "moves::gather" "moves::streaming";
    appended: "append::append" "place::of" "place::copy";
    rows_scatter: "moves::scatter";
    rows_scatter_listed: "moves::scatter_listed";
    rows_at_every_place_in_a_line: "moves::streaming";
    rows_in_runs: "block::has_runs" "moves::streaming" "moves::scatter" "moves::scatter_listed";
    combine_elements: "combine::elements" "combine::by" "combine::elements_by"
        "combine::elements_or" "combine::listed";
    combine_rows: "combine::rows" "combine::rows_by" "combine::listed" "combine::listed_by"
        "block::lanes";
    convert_gather: "convert::gather";
    combine_mapped: "combine::elements" "combine::rows" "combine::listed";
    halves: "halves::of" "halves::widen" "halves::narrow" "halves::widen_two" "halves::narrow_one";
    type_ids: "halves::type_id";
    columns: "columns::new" "columns::split_at" "columns::row";
    lanes_ahead: "block::with_lanes_ahead" "block::lanes_follow";
    prefetch: "prefetch::prefetch" "prefetch::prefetch_row" "prefetch::prefetch_decoded_row"
        "prefetch::prefetch_row_early" "prefetch::prefetch_columns";
    loops: "path::compiled" "path::narrow";
    path: "path::detect" "path::available" "path::force" "path::name" "path::streams_elements";
    machine: "machine::detect" "machine::force";
    masks: "mask::bits" "mask::compress" "mask::positions";
}

#[test]
fn no_kernel_is_forgotten() {
    macro_rules! sources {
        ($($module:ident)*) => {
            [$((
                stringify!($module),
                include_str!(concat!("../src/", stringify!($module), ".rs")),
            )),*]
        };
    }
    let sources = sources!(
        append block choose columns combine convert elements halves machine mask moves path place
        portable prefetch resolve rows
    );
    // The modules that have something public.
    let public = include_str!("../src/lib.rs").lines().filter_map(|line| {
        let rest = line.strip_prefix("pub use ").or(line.strip_prefix("pub mod "))?;
        rest.split([':', ';']).next()
    });
    let mut public: Vec<_> = public.collect();
    public.sort_unstable();
    assert_eq!(public, sources.map(|(module, _)| module));

    let mut untested = vec![];
    for (module, source) in sources {
        let mut in_trait = false;
        for line in source.lines() {
            // Traits that are public have public functions, and constants.
            in_trait = (in_trait || line.starts_with("pub trait ")) && line != "}";
            let line = line.trim_start();
            let item = if in_trait { Some(line) } else { line.strip_prefix("pub ") };
            let item = item.map(|item| item.strip_prefix("const fn ").unwrap_or(item));
            let item = item.and_then(|item| {
                let constant = item.strip_prefix("const ").filter(|_| in_trait);
                item.strip_prefix("fn ").or(constant)
            });
            let name = item.and_then(|item| item.split(['(', '<', ':']).next());
            untested.extend(name.map(|name| format!("{module}::{name}")));
        }
    }
    assert!(untested.len() > 20, "{untested:?}");
    untested.retain(|name| !TESTED.contains(&name.as_str()));
    assert_eq!(untested, [""; 0]);
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// Checks cases that are made by choices. Enough of them have something to do.
fn check<C: Check>(count: usize, mut make: impl FnMut(usize, Choose) -> C) {
    let mut random = Random(count as u64);
    let all = (0..count).map(|number| make(number, &mut |n| random.below(n)).check());
    let did = all.filter(|did| *did).count();
    assert!(did > count / 2, "{did} of {count} cases have something to do");
}

/// The rows of up to 300 bytes, and some that are longer: the bytes of an element, and how many.
fn shapes() -> Vec<(usize, usize)> {
    let rows = |element: usize| {
        let longer = [320, 321, 384, 511, 512, 576, 1024, 2048, 4096, 4097, 5000];
        let longer = longer.map(|bytes: usize| bytes.div_ceil(element));
        (1..=300 / element).chain(longer).map(move |n| (element, n))
    };
    SIZES.into_iter().flat_map(rows).collect()
}

/// `of_each` cases of rows of each shape.
fn check_rows(kernel: Kernel, of_each: usize) {
    let shapes = shapes();
    check(of_each * shapes.len(), |number, choose| {
        let (element, n) = shapes[number % shapes.len()];
        Case::new(kernel, element, Some(n), choose)
    });
    // Rows of no elements, and of more than there are: nothing is to be done.
    let mut random = Random(1);
    for number in 0..200 {
        let n = [0, usize::MAX, usize::MAX / 3][number % 3];
        let (element, choose) = (SIZES[number % SIZES.len()], &mut |n| random.below(n));
        assert!(!Case::new(kernel, element, Some(n), choose).check());
    }
}

mod tests {
    use super::*;

    fn resolve<I: Value>() {
        check(500, |_, choose| Resolve::<I>::new(choose));
    }

    /// The contract, for more and fewer bits, elements and places than there are of the others.
    fn masked<const N: usize>(random: &mut Random)
    where
        [u8; N]: bytemuck::NoUninit,
    {
        let length = [0, 1, 15, 16, 17, 63, 64, 65, 200, 1024][random.below(10)];
        let from: Vec<[u8; N]> = (0..length)
            .map(|n| core::array::from_fn(|byte| (n * 7 + byte * 13 + 1) as u8))
            .collect();
        let words: Vec<u64> = (0..(length.div_ceil(64) + random.below(3)).saturating_sub(1).max(1))
            .map(|_| match random.below(4) {
                0 => 0,
                1 => u64::MAX,
                _ => random.below(usize::MAX) as u64,
            })
            .collect();
        let bit = |n: usize| words.get(n / 64).is_some_and(|word| word >> (n % 64) & 1 != 0);
        let chosen: Vec<usize> = (0..64 * words.len()).filter(|n| bit(*n)).collect();
        let elements: Vec<[u8; N]> = chosen.iter().filter_map(|n| from.get(*n)).copied().collect();
        let room = elements.len().saturating_sub(random.below(4)) + random.below(3);
        for path in paths() {
            let mut found = vec![[0; N]; room];
            let count = compress(path, &words, &from, &mut found);
            let mut expected = elements.clone();
            expected.resize(room, [0; N]);
            assert!(found == expected, "{} {N} {words:?} {room}", path.name());
            assert!(count >= elements.len().min(room), "{}", path.name());

            let values: Vec<bool> = (0..length).map(bit).collect();
            let mut found = vec![7; words.len()];
            if let Some(set) = bits(path, &values, &mut found) {
                let whole = found.len().min(length / 64);
                let expected: u32 = found[..whole].iter().map(|word| word.count_ones()).sum();
                assert_eq!(set, expected as usize, "{}", path.name());
                assert_eq!(found[..whole], words[..whole], "{}", path.name());
                assert!(found[whole..].iter().all(|word| *word == 7), "{}", path.name());
            } else {
                assert!(["portable", "neon"].contains(&path.name()), "{}", path.name());
            }

            let (first, room) = (random.below(usize::MAX) as u32, random.below(chosen.len() + 3));
            let mut found = vec![7; room];
            positions(path, &words, &mut found, |n| first.wrapping_add(n));
            let mut expected: Vec<u32> =
                chosen.iter().map(|n| first.wrapping_add(*n as u32)).collect();
            expected.resize(room, 7);
            assert_eq!(found, expected, "{}", path.name());
        }
    }

    /// A caller's loop is what it is on every path.
    pub fn loops() {
        let values: Vec<u32> = (0..100).collect();
        for path in paths() {
            let sum = path.compiled(
                #[inline(always)]
                || values.iter().sum::<u32>(),
            );
            assert_eq!(sum, 4950, "{}", path.name());
            assert_eq!(path.narrow(|| values.len()), 100);
        }
    }

    pub fn masks() {
        let mut random = Random(5);
        for _ in 0..300 {
            masked::<1>(&mut random);
            masked::<2>(&mut random);
            masked::<3>(&mut random);
            masked::<4>(&mut random);
            masked::<8>(&mut random);
            masked::<16>(&mut random);
        }
    }

    pub fn resolve_signed() {
        resolve::<i8>();
        resolve::<i16>();
        resolve::<i32>();
        resolve::<i64>();
        resolve::<isize>();
    }

    pub fn resolve_unsigned() {
        resolve::<u8>();
        resolve::<u16>();
        resolve::<u32>();
        resolve::<u64>();
        resolve::<usize>();
    }

    /// More tuples, a coordinate after the other, than are read together.
    pub fn resolve_planes() {
        for (from_end, count) in [true, false]
            .into_iter()
            .flat_map(|from_end| [1, 127, 128, 129, 300, 1024].map(|count| (from_end, count)))
        {
            let axes = [(1000, 7), (50, 1), (3, 9000)].map(|(size, stride)| Axis {
                size,
                from_end: if from_end { size } else { 0 },
                stride,
            });
            // The runs of coordinates lie 5 indices apart.
            let place = |n: usize, k: usize| 2 + n + k * (count + 5);
            let index = |n: usize, k: usize| (n * (k + 3)) as i32 % axes[k].size as i32;
            let mut indices = vec![0; place(count, axes.len())];
            let all = || (0..count).flat_map(|n| (0..axes.len()).map(move |k| (n, k)));
            all().for_each(|(n, k)| indices[place(n, k)] = index(n, k));
            let address = |n| (0..axes.len()).map(|k| index(n, k) as u32 * axes[k].stride).sum();
            let tuples = Tuples { start: 2, step: 1, length: count, ..Tuples::default() };
            let step = (count + 5) as isize;
            let axes = Axes { all: &axes, step, first: 0, outside: Outside::Nowhere };
            for path in paths() {
                // By indices of 32 bits and of 64.
                let resolve = |indices: &[i32]| {
                    let (mut found, mut of_wide) = (vec![7; count], vec![7; count]);
                    let inside = i32::RESOLVE(path, indices, &tuples, &axes, &mut found);
                    let wide: Vec<i64> = indices.iter().map(|index| i64::from(*index)).collect();
                    assert_eq!(i64::RESOLVE(path, &wide, &tuples, &axes, &mut of_wide), inside);
                    assert!(found == of_wide || !inside, "{}", path.name());
                    (inside, found)
                };
                let mut expected: Vec<u32> = (0..count).map(address).collect();
                let mut nowhere = expected.clone();
                nowhere[count - 1] = NOWHERE;
                assert_eq!(resolve(&indices), (true, expected.clone()), "{}", path.name());
                // From the end, which is the same place if it counts; and nowhere.
                let (last, size) = (place(count - 1, 1), axes.all[1].size as i32);
                let mut changed = indices.clone();
                changed[last] -= size;
                if !from_end {
                    expected.clone_from(&nowhere);
                }
                assert_eq!(resolve(&changed), (from_end, expected.clone()), "{}", path.name());
                changed[last] = size;
                assert_eq!(resolve(&changed), (false, nowhere), "{}", path.name());
                changed.truncate(place(count - 1, 2));
                assert!(!resolve(&changed).0, "{}", path.name());
            }
        }
    }

    /// Where an index leads, by the words of the contract.
    fn led(index: i64, axis: &Axis, outside: Outside) -> Option<u32> {
        let (size, end) = (i64::from(axis.size), i64::from(axis.from_end));
        let position = match outside {
            Outside::Wrap if (-1 << 32..1 << 32).contains(&index) => index.rem_euclid(size),
            _ if index < 0 => index.saturating_add(end),
            _ => index,
        };
        let inside = (0..size).contains(&position) || outside == Outside::Clamp;
        inside.then(|| position.clamp(0, size - 1) as u32 * axis.stride)
    }

    /// Tuples side by side, of which the last one alone has an index that may be unlike all others.
    pub fn resolve_last() {
        let all = [(1000, 7), (50, 1), (3, 9000), (9, 3)];
        let lasts = |size: i64| {
            let far = [(1 << 32) - 1, 1 << 32, -1 << 32, (-1 << 32) - 1, i64::MIN];
            [-1, -size, -size - 1, size - 1, size, 2 * size].into_iter().chain(far)
        };
        let policies = [
            (true, Outside::Nowhere),
            (false, Outside::Nowhere),
            (true, Outside::Clamp),
            (true, Outside::Wrap),
        ];
        let cases = (1..=all.len()).flat_map(|tuple| [1, 9, 65, 1000].map(|count| (tuple, count)));
        for ((tuple, count), (ends, outside)) in cases.flat_map(|c| policies.map(|p| (c, p))) {
            let axes: Vec<Axis> = all[..tuple]
                .iter()
                .map(|&(size, stride)| Axis { size, from_end: if ends { size } else { 0 }, stride })
                .collect();
            for last in lasts(i64::from(axes[tuple - 1].size)) {
                let mut indices: Vec<i64> = (0..count * tuple)
                    .map(|n| (n * 5) as i64 % i64::from(axes[n % tuple].size))
                    .collect();
                *indices.last_mut().unwrap() = last;
                let lead = |indices: &[i64]| {
                    let mut pairs = indices.iter().zip(&axes);
                    pairs.try_fold(5, |sum, (index, axis)| Some(sum + led(*index, axis, outside)?))
                };
                let expected: Vec<u32> =
                    indices.chunks(tuple).map(|tuple| lead(tuple).unwrap_or(NOWHERE)).collect();
                let tuples = Tuples { step: tuple as isize, length: count, ..Tuples::default() };
                let axes = Axes { all: &axes, step: 1, first: 5, outside };
                let inside = !expected.contains(&NOWHERE);
                let narrow: Option<Vec<i32>> =
                    indices.iter().map(|index| i32::try_from(*index).ok()).collect();
                for path in paths() {
                    let mut found = vec![7; count];
                    let all = i64::RESOLVE(path, &indices, &tuples, &axes, &mut found);
                    assert!(found == expected, "{} {tuple} {count} {last}", path.name());
                    assert_eq!(all, inside);
                    let Some(narrow) = &narrow else { continue };
                    let all = i32::RESOLVE(path, narrow, &tuples, &axes, &mut found);
                    assert!(found == expected, "{} {tuple} {count} {last}", path.name());
                    assert_eq!(all, inside);
                }
            }
        }
    }

    /// Remainders by sizes at which a quotient is hardest, of indices around their multiples.
    pub fn resolve_remainders() {
        let most = i32::MAX as u32;
        let sizes = [1, 2, 3, 7, 641, 65_535, 65_537, most / 2 + 1, most - 1, most];
        for size in sizes {
            let all = [Axis { size, from_end: 0, stride: 1 }];
            let axes = Axes { all: &all, step: 1, first: 0, outside: Outside::Wrap };
            let step = i64::from(size);
            let multiples = [0, 1, 2, (1 << 31) / step, (1 << 32) / step].map(|n| n * step);
            let around = multiples.into_iter().flat_map(|n| [n - 2, n - 1, n, n + 1]);
            let narrow = around.flat_map(|n| [n, -n]).filter(|n| *n >> 32 == 0 || *n >> 32 == -1);
            // Not on the axis, so that the loop for what is on it takes none.
            let indices: Vec<i64> = [-1].into_iter().chain(narrow).collect();
            let expected: Vec<u32> =
                indices.iter().map(|index| index.rem_euclid(step) as u32).collect();
            let tuples = Tuples { step: 1, length: indices.len(), ..Tuples::default() };
            for path in paths() {
                let mut found = vec![7; indices.len()];
                assert!(i64::RESOLVE(path, &indices, &tuples, &axes, &mut found));
                assert_eq!(found, expected, "{} {size}", path.name());
            }
        }
    }

    pub fn shift() {
        check(300, |_, choose| Shift::new(choose));
    }

    pub fn choose() {
        check(1000, |_, choose| Chosen::new(choose));
    }

    pub fn elements_gather() {
        check(4000, |n, choose| Case::new(Kernel::Gather, SIZES[n % SIZES.len()], None, choose));
        assert!(Elements::<4>::new(&[1_u64; 3], &mut [2; 3]).is_none());
        assert!(Elements::<4>::new(&[1_u16; 3], &mut [2; 3]).is_none());
        assert!(Elements::<4>::new(&[1_f32; 3], &mut [2.0; 3]).is_some());
    }

    pub fn elements_scatter() {
        for kernel in [Kernel::Scatter, Kernel::ScatterListed] {
            check(1000, |n, choose| Case::new(kernel, SIZES[n % SIZES.len()], None, choose));
        }
    }

    pub fn rows_gather() {
        check_rows(Kernel::Gather, 5);
        // Elements of no bytes.
        let (block, distance) = (Block { addresses: &[0; 9], ..Block::default() }, 0);
        Rows::new(&[(); 3], &mut [(); 3], 2).gather(Path::detect(), &block, distance);
    }

    /// Cases of which all entries lie inside and follow each other are some of many.
    pub fn appended() {
        let mut random = super::Random(9);
        let shapes = shapes();
        let did = (0..4000).filter(|number| {
            let (element, n) = shapes[random.below(shapes.len())];
            let row = (number % 3 > 0 || !SIZES[..5].contains(&element)).then_some(n);
            Case::new(Kernel::Gather, element, row, &mut |n| random.below(n)).check_append()
        });
        assert!(did.count() > 400);
        let (mut places, mut values) = ([MaybeUninit::uninit(); 2], [3, 4]);
        Place::copy(&[1, 2], &mut places);
        // SAFETY: both have been written.
        assert_eq!(places.map(|place| unsafe { place.assume_init() }), [1, 2]);
        Place::copy(&[1, 2], &mut values[..1]);
        assert_eq!(values, [3, 4]);
        Place::copy(&[1, 2], &mut values);
        assert_eq!((values, i32::of(5)), ([1, 2], 5));
    }

    pub fn rows_scatter() {
        check_rows(Kernel::Scatter, 3);
    }

    pub fn rows_scatter_listed() {
        check_rows(Kernel::ScatterListed, 2);
    }

    /// Rows around the least that go line by line, and whole lines.
    pub fn rows_at_every_place_in_a_line() {
        let bytes = [192, 255, 256, 319, 320, 321, 384, 512, 2000];
        for kernel in [Kernel::Gather, Kernel::Scatter] {
            check(64 * bytes.len(), |number, choose| {
                let mut case = Case::new(kernel, 1, Some(bytes[number / 64]), choose);
                case.offset = Some(number % 64);
                case
            });
        }
    }

    /// Of the rows of a run, which are written with non-temporal stores, the last one stays. If it
    /// lies outside, the one before it does.
    pub fn rows_in_runs() {
        const N: usize = 70;
        for (length, run) in [(130, 1), (130, 50), (64, 64), (65, 8), (300, 17), (8, 4)] {
            let addresses: Vec<u32> = (0..length)
                .map(|at| if at % 23 == 22 { NOWHERE } else { (at / run * 7 % 9 * N) as u32 })
                .collect();
            let flats: Vec<u32> = (0..length).map(|at| (at * N) as u32).collect();
            // The last row is cut off.
            let updates: Vec<u32> = (1..(length * N) as u32).collect();
            let mut expected = [0; 9 * N];
            let inside = addresses.iter().take(length - 1).enumerate();
            for (at, address) in inside.filter(|(_, address)| **address != NOWHERE) {
                let to = *address as usize;
                expected[to..to + N].copy_from_slice(&updates[at * N..][..N]);
            }
            let entry_step = N as isize;
            let block = Block { addresses: &addresses, length, entry_step, ..Block::default() };
            assert_eq!(Block::has_runs(&addresses), length >= 64 && run > 8);
            for path in paths() {
                for distance in [0, 8] {
                    let [mut found, mut listed] = [[0; 9 * N]; 2];
                    Rows::new(&updates, &mut found, N)
                        .streaming(|rows| rows.scatter(path, &block, distance));
                    let list = Listed { places: &addresses, flats: &flats, distance };
                    Rows::new(&updates, &mut listed, N)
                        .streaming(|rows| rows.scatter_listed(path, list));
                    assert!(found == expected && listed == expected, "{length} {run}");
                }
            }
        }
    }

    pub fn combine_elements() {
        for kernel in [Kernel::Combine, Kernel::CombineListed] {
            check(1000, |n, choose| Case::new(kernel, SIZES[n % SIZES.len()], None, choose));
        }
    }

    pub fn combine_rows() {
        check_rows(Kernel::Combine, 1);
        check_rows(Kernel::CombineListed, 1);
    }

    /// Every `f16` and back, and what lies between two of them.
    pub fn halves() {
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        for halves in paths().filter_map(strew_simd::Halves::of) {
            // Each is an `f32`, of which the exponent and the fraction are these.
            let value = |bits: u16| {
                let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
                let magnitude = match exponent {
                    0 => fraction * 2_f32.powi(-24),
                    31 if fraction > 0.0 => f32::NAN,
                    31 => f32::INFINITY,
                    _ => (1024.0 + fraction) * 2_f32.powi(exponent - 25),
                };
                if bits >> 15 == 0 { magnitude } else { -magnitude }
            };
            for bits in 0..=u16::MAX {
                let expected = value(bits);
                let [eight, two] = [halves.widen([bits; 8])[3], halves.widen_two([0, bits])[1]];
                assert_eq!(eight.to_bits(), two.to_bits());
                assert_eq!(halves.widen_two([bits, 0])[0].to_bits(), two.to_bits());
                assert!(two == expected || two.is_nan() && expected.is_nan(), "{bits:#06x}");
                assert_eq!(two.is_sign_negative(), bits >> 15 == 1);
                // A NaN becomes quiet.
                let same = if two.is_nan() { bits | 0x200 } else { bits };
                assert_eq!(halves.narrow_one(two), same, "{bits:#06x}");
                assert_eq!(halves.narrow([two; 8]), [same; 8]);
                let next = value(bits.wrapping_add(1));
                if next.is_finite() && two.is_finite() {
                    let even = if bits & 1 == 0 { bits } else { bits + 1 };
                    assert_eq!(halves.narrow_one((two + next) / 2.0), even, "{bits:#06x}");
                    assert_eq!(halves.narrow([two * 0.75 + next * 0.25; 8]), [bits; 8]);
                }
            }
        }
    }

    /// A block of addresses and two tensors of different types, and anything may be wrong.
    struct Convert {
        addresses: Vec<u32>,
        next: Vec<u32>,
        length: usize,
        base: usize,
        start: usize,
        lane_step: isize,
        entry_step: isize,
        n: usize,
        distance: usize,
        wide: Vec<i64>,
        narrow: Vec<u8>,
    }

    impl Convert {
        fn new(number: usize) -> Convert {
            let mut random = super::Random(number as u64);
            let mut below = |n: usize| random.below(n);
            let [table, flat] = [below(60), below(60)];
            let length = 1 + below(9);
            let mut address = |_| match below(9) {
                0 => strew_simd::NOWHERE,
                1 => u32::MAX - 1 - below(70) as u32,
                _ => below(64) as u32,
            };
            let addresses = (0..length * 3).map(&mut address).collect();
            let next = (0..5).map(&mut address).collect();
            let far = |place: usize, choice: usize| match choice {
                choice @ 0..6 => FAR[choice],
                _ => place,
            };
            let (base, start) = (far(below(4), below(30)), far(below(6), below(30)));
            let step = |choice: usize| [1, 0, -1, 5, 40, isize::MIN, isize::MAX][choice];
            Convert {
                addresses,
                next,
                length,
                base,
                start,
                lane_step: step(below(7)),
                entry_step: step(below(7)),
                n: [1, 1, 2, 5, 0, 61, usize::MAX][below(7)],
                distance: below(4),
                wide: (0..table as i64).collect(),
                narrow: (0..flat as u8).map(|n| n.wrapping_mul(7)).collect(),
            }
        }

        fn block(&self) -> Block<'_> {
            Block {
                addresses: &self.addresses,
                length: self.length,
                table: self.base,
                flat: self.start,
                lane_step: self.lane_step,
                entry_step: self.entry_step,
                next: &self.next,
                ..Block::default()
            }
            .with_lanes_ahead(self.distance)
        }

        /// The place of each entry in the table and in the flat tensor.
        fn entries(&self) -> impl Iterator<Item = (usize, usize)> {
            self.addresses.iter().enumerate().map(|(at, address)| {
                let go = |count: usize, step: isize| count.wrapping_mul(step as usize);
                let lanes = go(at / self.length, self.lane_step);
                let flat = self.start.wrapping_add(lanes);
                let flat = flat.wrapping_add(go(at % self.length, self.entry_step));
                let nowhere = *address == strew_simd::NOWHERE;
                let place = self.base.wrapping_add(*address as usize);
                (if nowhere { usize::MAX } else { place }, flat)
            })
        }
    }

    /// The places of a row of a slice, if it lies there.
    fn row(place: usize, n: usize, length: usize) -> Option<std::ops::Range<usize>> {
        Some(place..place.checked_add(n).filter(|end| *end <= length)?)
    }

    pub fn convert_gather() {
        for number in 0..4000 {
            let case = Convert::new(number);
            let mut expected = case.narrow.clone();
            for (place, flat) in case.entries() {
                let n = case.n;
                let rows = row(place, n, case.wide.len()).zip(row(flat, n, case.narrow.len()));
                let Some((from, to)) = rows else { continue };
                for (from, to) in from.zip(to) {
                    expected[to] = case.wide[from] as u8 ^ 0x55;
                }
            }
            for path in paths() {
                let mut found = case.narrow.clone();
                let ahead = std::cell::Cell::new(0);
                let read = |place: usize, to: &mut [u8]| {
                    let from = row(place, to.len(), case.wide.len());
                    for (from, to) in from.into_iter().flatten().zip(to) {
                        *to = case.wide[from] as u8 ^ 0x55;
                    }
                };
                path.narrow(|| {
                    strew_simd::convert::gather(
                        &mut found,
                        &case.block(),
                        case.n,
                        case.distance,
                        read,
                        |_| ahead.set(ahead.get() + 1),
                    );
                });
                assert_eq!(found, expected, "{number}, {}", path.name());
                assert!(case.distance > 0 || ahead.get() == 0);
            }
        }
    }

    pub fn combine_mapped() {
        let change = |current: i64, update: u8| current.wrapping_mul(31) + i64::from(update);
        for number in 0..4000 {
            let case = Convert::new(number);
            let apply = |data: &mut [i64], place: usize, flat: usize| {
                let n = case.n;
                let rows = row(place, n, data.len()).zip(row(flat, n, case.narrow.len()));
                for (to, from) in rows.into_iter().flat_map(|(to, from)| to.zip(from)) {
                    data[to] = change(data[to], case.narrow[from]);
                }
            };
            let (mut expected, mut listed) = (case.wide.clone(), case.wide.clone());
            // A base outside leads nowhere, nor does an address that wraps around.
            let inside = case.entries().filter(|(place, _)| *place >= case.base);
            let inside = inside.filter(|_| case.base <= case.wide.len());
            inside.for_each(|(place, flat)| apply(&mut expected, place, flat));
            let places: Vec<u32> = case.entries().map(|(place, _)| place as u32).collect();
            let flats: Vec<u32> = case.entries().map(|(_, flat)| flat as u32).collect();
            for (place, flat) in places.iter().zip(&flats) {
                apply(&mut listed, *place as usize, *flat as usize);
            }
            for path in paths() {
                let (Convert { n, distance, narrow, .. }, mut found) = (&case, case.wide.clone());
                let block = case.block();
                let (n, distance) = (*n, *distance);
                if n == 1 {
                    let change = combine::by(change);
                    combine::elements::<_, _, true>(&mut found, narrow, &block, distance, change);
                } else {
                    combine::rows(path, &mut found, narrow, &block, n, distance, change);
                }
                assert_eq!(found, expected, "{number}, {}", path.name());
                let mut found = case.wide.clone();
                let list = Listed { places: &places, flats: &flats, distance };
                combine::listed(path, &mut found, narrow, list, n, change);
                assert_eq!(found, listed, "{number}, {}, listed", path.name());
            }
        }
    }

    /// Each function has an id of its own; lifetimes change none.
    pub fn type_ids() {
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        {
            use core::any::TypeId;
            use strew_simd::type_id;

            fn of<F: 'static>(_: F) -> [TypeId; 2] {
                [TypeId::of::<F>(), TypeId::of::<&F>()]
            }
            let known = of(f32::ceil);
            let local = 1.0_f32;
            assert_eq!([type_id(&f32::ceil), type_id(&&f32::ceil)], known);
            assert_eq!(type_id(&&local), TypeId::of::<&'static f32>());
            let pointer: fn(f32) -> f32 = f32::ceil;
            let others = [
                type_id(&f32::floor),
                type_id(&|x: f32| x.ceil()),
                type_id(&|x: f32| x.ceil() + local),
                type_id(&pointer),
                type_id(&&pointer),
                type_id(&local),
            ];
            assert!(others.iter().all(|other| !known.contains(other)));
        }
    }

    pub fn columns() {
        check(2000, |_, choose| Split::new(choose));
        // Of 10 columns, 2 for one thread and 5 for another, which stream to them.
        let mut table: Vec<u32> = (0..37).collect();
        let (left, right) = Columns::new(&mut table, 4, 10, 7).unwrap().split_at(2);
        std::thread::scope(|scope| {
            for mut columns in [left, right] {
                scope.spawn(move || {
                    for row in 0..4 {
                        let row = columns.row(row);
                        let (addresses, distance) = (vec![5; row.len()], 0);
                        let block = Block { addresses: &addresses, ..Block::default() };
                        let block = Block { length: row.len(), entry_step: 1, ..block };
                        let from = [100; 6];
                        Elements::<4>::new(&from, row)
                            .unwrap()
                            .streaming(|to| to.gather(Path::detect(), &block, distance));
                    }
                });
            }
        });
        let expected = (0..37).map(|place| if place % 10 < 7 { 100 } else { place });
        assert!(table.into_iter().eq(expected));
    }

    pub fn lanes_ahead() {
        let ahead = |length, lane_step, entry_step, apart| {
            let block =
                Block { addresses: &[0; 12], length, lane_step, entry_step, ..Block::default() };
            block.with_lanes_ahead(apart).lane_ahead
        };
        assert_eq!([4, 5, usize::MAX].map(|apart| ahead(3, 5, 1, apart)), [40, 0, 0]);
        assert_eq!([4, 5].map(|apart| ahead(3, -5, 1, apart)), [-40, 0]);
        // Lanes that follow each other, one lane, entries that lie apart, lanes of one.
        assert_eq!([ahead(3, 3, 1, 0), ahead(12, 40, 1, 0), ahead(3, 40, 2, 0)], [0; 3]);
        assert_eq!(ahead(1, 40, 7, 0), 320);
        assert_eq!(ahead(1, isize::MIN, 7, 0), 0);
    }

    pub fn prefetch() {
        let table = [0_u64; 100];
        for address in [0, 99, 100, 1 << 31, u32::MAX] {
            strew_simd::prefetch(&table, address);
            strew_simd::prefetch(&table[..0], address);
            strew_simd::prefetch_row(&table, address as usize, 300);
            strew_simd::prefetch_row_early(&table, address as usize, 3000);
            strew_simd::prefetch_decoded_row(&table, address as usize, 300);
            strew_simd::prefetch_decoded_row(&table, address as usize, 3000);
            prefetch_columns::<_, 1>(&table, address as usize);
            prefetch_columns::<_, 1000>(&table, usize::MAX - address as usize);
        }
        assert_eq!(table, [0; 100]);
    }

    pub fn path() {
        let paths: Vec<Path> = paths().collect();
        let names: Vec<_> = paths.iter().map(|path| path.name()).collect();
        let all = if cfg!(target_arch = "aarch64") {
            &["portable", "neon"][..]
        } else {
            &["portable", "avx2", "avx512", "avx512-gather"]
        };
        assert_eq!(names, all[..names.len()]);
        for path in &paths {
            Path::force(Some(*path));
            assert_eq!(Path::detect().name(), path.name());
            for size in 0..=16 {
                let gathers = path.name() == "avx512-gather" && (size == 4 || size == 8);
                assert_eq!(path.streams_elements(size), gathers, "{}, {size} bytes", path.name());
            }
        }
        Path::force(None);
        #[cfg(target_arch = "x86_64")]
        let by_instruction = match (
            std::is_x86_feature_detected!("avx512fp16"),
            std::is_x86_feature_detected!("sse4a"),
        ) {
            (true, false) => "avx512-gather",
            _ => "avx512",
        };
        #[cfg(not(target_arch = "x86_64"))]
        let by_instruction = "";
        let best =
            names.iter().rfind(|name| !name.starts_with("avx512") || **name == by_instruction);
        assert_eq!(Some(&Path::detect().name()), best);
    }

    pub fn machine() {
        let known = [Machine::ZEN_5, Machine::EMERALD_RAPIDS, Machine::PORTABLE];
        for machine in [Machine::detect()].iter().chain(&known) {
            let Machine { l1, l2, l3, .. } = *machine;
            assert!(4 << 10 <= l1 && l1 <= l2 && l2 >> 30 == 0, "{machine:?}");
            assert!(l3 == 0 || l2 <= l3 && l3 >> 30 < 8, "{machine:?}");
        }
        let this = Machine::detect();
        assert_eq!(this.prefetches, strew_simd::PREFETCHES);
        let other = Machine { l1: this.l1 + 1, ..Machine::PORTABLE };
        Machine::force(Some(other));
        let forced = Machine::detect();
        Machine::force(None);
        assert_eq!(forced, other);
        assert_eq!(Machine::detect().l1, this.l1);
    }
}

/// Pages of memory between two that end the process when they are touched: what gather instructions
/// read is seen by no other tool that knows AVX-512, nor what non-temporal stores write.
#[cfg(unix)]
struct Pages {
    start: *mut u8,
    size: usize,
}

#[cfg(unix)]
impl Pages {
    fn new(least: usize) -> Pages {
        // SAFETY: it takes and returns numbers.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let size = least.next_multiple_of(page);
        let (any, flags) = (std::ptr::null_mut(), libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: a new mapping, which lies where nothing else is.
        let start = unsafe { libc::mmap(any, size + 2 * page, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        let start = start.cast::<u8>().wrapping_add(page);
        // SAFETY: all but the first and the last of the pages that have just been mapped.
        let done =
            unsafe { libc::mprotect(start.cast(), size, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(done, 0);
        Pages { start, size }
    }

    /// A copy of a slice, at the start of the pages or at their end.
    fn place(&mut self, slice: &[u8], at_end: bool) -> &mut [u8] {
        // SAFETY: the pages can be read and written, hold zeros or what was written, and are this
        // value's own.
        let all = unsafe { std::slice::from_raw_parts_mut(self.start, self.size) };
        let place = if at_end { self.size - slice.len() } else { 0 };
        let place = &mut all[place..][..slice.len()];
        place.copy_from_slice(slice);
        place
    }
}

#[cfg(unix)]
#[test]
fn nothing_next_to_a_slice_is_touched() {
    use common::{LONGEST, bytes};

    let (mut from_pages, mut to_pages) = (Pages::new(LONGEST), Pages::new(LONGEST));
    let mut random = Random(7);
    for number in 0..3000 {
        let choose = &mut |n| random.below(n);
        let case = match number % 3 {
            0 => Case::new(Kernel::Gather, SIZES[number % 5], None, choose),
            _ => Case::any(choose),
        };
        let (from_length, to_length) = case.lengths();
        let (from, to) = (bytes(from_length, 0), bytes(to_length, 1));
        let mut expected = to.to_vec();
        case.expect(from, &mut expected);
        let from = from_pages.place(from, number & 4 == 0);
        for path in paths() {
            for streams in case.stores() {
                let found = to_pages.place(to, number & 8 == 0);
                case.run(path, *streams, from, found);
                assert!(*found == *expected, "{}, streaming {streams}: {case:?}", path.name());
            }
        }
    }
}
