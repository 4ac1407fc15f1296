//! Every kernel on every path of this machine, against one naive oracle each. Built without optimisation the loops are no vectors: `.ci/paths` runs
//! this with it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, missing_docs)]

use std::fmt::Debug;

use bytemuck::NoUninit;
use strew_simd::{
    Axis, BLOCK, Choice, Chosen, ColumnMoves, Columns, Index, Instructions, Lane, Moves, NOWHERE,
    Op, Path, Rows,
};

/// The one list of kernels: a test each, which runs it on every path.
macro_rules! kernels {
    ($($kernel:ident)*) => {
        const KERNELS: &[&str] = &[$(stringify!($kernel)),*];
        $(
            #[test]
            fn $kernel() {
                Path::available().into_iter().flatten().for_each(kernels::$kernel);
            }
        )*
    };
}
kernels!(choose choose_below iter is_empty split_at moves_from combine check resolve skip clamp positions advance element row gather gather_at gather_rows streaming scatter scatter_at scatter_rows scatter_chosen prefetch prefetch_block prefetch_row prefetch_row_early prefetch_row_to prefetch_row_from prefetch_from);

#[test]
fn no_kernel_is_forgotten() {
    let sources = [
        include_str!("../src/chosen.rs"),
        include_str!("../src/columns.rs"),
        include_str!("../src/combine.rs"),
        include_str!("../src/lane.rs"),
        include_str!("../src/moves.rs"),
        include_str!("../src/prefetch.rs"),
    ];
    let public = sources
        .into_iter()
        .flat_map(str::lines)
        .filter(|line| line.trim_start().starts_with("pub "));
    let functions = public
        .filter_map(|line| line.split_once("fn "))
        .map(|(_, rest)| rest.split(['(', '<']).next().unwrap());
    let untested: Vec<_> = functions
        .filter(|name| !["new", "third_cache_is_near"].contains(name) && !KERNELS.contains(name))
        .collect();
    assert_eq!(untested, [""; 0]);
}

#[test]
fn paths() {
    let paths: Vec<Path> = Path::available().into_iter().flatten().collect();
    let names: Vec<_> = paths.iter().map(|path| path.name()).collect();
    let all = if cfg!(target_arch = "aarch64") {
        &["portable", "neon"][..]
    } else {
        &["portable", "avx2", "avx512", "avx512-mixed", "avx512-gather"]
    };
    assert_eq!(names, all[..names.len()]);
    for path in &paths {
        assert_eq!(path.dispatch(Run(|| 7)), 7);
        Path::force(Some(*path));
        assert_eq!(Path::detect().name(), path.name());
    }
    Path::force(None);
    #[cfg(target_arch = "x86_64")]
    let by_instruction =
        match (std::is_x86_feature_detected!("sse4a"), std::is_x86_feature_detected!("avx512fp16"))
        {
            (true, _) => "avx512-mixed",
            (false, true) => "avx512-gather",
            (false, false) => "avx512",
        };
    #[cfg(not(target_arch = "x86_64"))]
    let by_instruction = "";
    let best = names.iter().rfind(|name| !name.starts_with("avx512") || **name == by_instruction);
    assert_eq!(Some(&Path::detect().name()), best);
}

#[test]
fn moves_refuse_elements_of_another_size() {
    assert!(Moves::<4>::new(&[1_u64; 3], &mut [2; 3]).is_none());
    assert!(Moves::<4>::new(&[1_u16; 3], &mut [2; 3]).is_none());
    assert!(Moves::<4>::new(&[1_f32; 3], &mut [2.0; 3]).is_some());
    assert!(Moves::<0>::new(&[(); 3], &mut [(); 3]).is_some());
}

/// Compiles a closure for a path.
struct Run<F>(F);

impl<F: FnOnce() -> R, R> Op for Run<F> {
    type Output = R;
    #[inline(always)]
    fn run(self, _: impl Instructions) -> R {
        (self.0)()
    }
}

/// Elements are written together, or not.
struct Gather<'a, const N: usize>(Moves<'a, N>, usize, &'a [u32; BLOCK], bool);

impl<const N: usize> Op for Gather<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run(mut self, instructions: impl Instructions) {
        match self.3 {
            true => self.0.gather::<8>(instructions, self.1, self.2),
            false => self.0.gather::<1>(instructions, self.1, self.2),
        }
    }
}

struct GatherAt<'a, const N: usize>(Moves<'a, N>, usize, usize, &'a [u32]);

impl<const N: usize> Op for GatherAt<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run(mut self, instructions: impl Instructions) {
        self.0.gather_at(instructions, self.1, self.2, self.3);
    }
}

struct Scatter<'a, 'b, const N: usize>(
    &'a mut Moves<'b, N>,
    &'a [u32; BLOCK],
    usize,
    Option<&'a [u32; BLOCK]>,
);

impl<const N: usize> Op for Scatter<'_, '_, N> {
    type Output = ();
    #[inline(always)]
    fn run(self, instructions: impl Instructions) {
        self.0.scatter(instructions, self.1, self.2, self.3);
    }
}

struct ScatterAt<'a, 'b, const N: usize>(&'a mut Moves<'b, N>, usize, &'a [u32], usize);

impl<const N: usize> Op for ScatterAt<'_, '_, N> {
    type Output = ();
    #[inline(always)]
    fn run(self, instructions: impl Instructions) {
        self.0.scatter_at(instructions, self.1, self.2, self.3);
    }
}

struct GatherRows<'a, const N: usize>(Moves<'a, N>, usize, &'a [u32; BLOCK], Rows<'a>);

impl<const N: usize> Op for GatherRows<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run(mut self, instructions: impl Instructions) {
        self.0.gather_rows(instructions, self.1, self.2, self.3);
    }
}

struct ScatterRows<'a, const N: usize>(Moves<'a, N>, &'a [u32; BLOCK], usize, Rows<'a>);

impl<const N: usize> Op for ScatterRows<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run(mut self, instructions: impl Instructions) {
        self.0.scatter_rows(instructions, self.1, self.2, self.3);
    }
}

struct ScatterChosen<'a, const N: usize>(
    Moves<'a, N>,
    (&'a Chosen, usize),
    (&'a Chosen, usize),
    usize,
);

impl<const N: usize> Op for ScatterChosen<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run(mut self, instructions: impl Instructions) {
        self.0.scatter_chosen(instructions, self.1, self.2, self.3);
    }
}

struct Below<'a>(&'a [u32; BLOCK], u32);

impl Op for Below<'_> {
    type Output = Chosen;
    #[inline(always)]
    fn run(self, instructions: impl Instructions) -> Chosen {
        // What has been chosen before is forgotten.
        let mut chosen = Chosen::default();
        chosen.choose_below(instructions, &[0; BLOCK], 1);
        chosen.choose_below(instructions, self.0, self.1);
        chosen
    }
}

struct Choose<'a>(Choice, &'a [u32; BLOCK], [&'a mut [u32; BLOCK]; 2]);

impl Op for Choose<'_> {
    type Output = usize;
    #[inline(always)]
    fn run(self, instructions: impl Instructions) -> usize {
        let [chosen, numbers] = self.2;
        self.0.choose(instructions, self.1, chosen, numbers)
    }
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

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

const SIZES: [u32; 9] = [1, 2, 3, 127, 128, 255, 256, 70_000, i32::MAX as u32];
const STRIDES: [u32; 8] = [0, 1, 3, 0x8000_0001, 0x0001_0001, u32::MAX, u32::MAX - 9, 1 << 31];
const STEPS: [u32; 6] = [0, 1, 64, u32::MAX, 3_u32.wrapping_neg(), 0x7FFF_FFFF];
const FIRSTS: [u32; 4] = [0, 17, u32::MAX - 3, 1 << 31];

/// Values at which an index of some type changes what it means on an axis of this size: its ends, the ends of types, and what is on the axis when cut to
/// fewer bits.
fn telling(size: u32) -> Vec<i128> {
    let size = i128::from(size);
    let around =
        [0, size, -size].into_iter().chain((7..=64).flat_map(|bits| [1 << bits, -(1 << bits)]));
    around
        .flat_map(|end| [end - size - 1, end - size, end - 1, end, end + 1, end + size - 1])
        .collect()
}

/// `-size <= index < size`
fn on_axis(axis: &Axis, index: i128) -> bool {
    (-i128::from(axis.size)..axis.size.into()).contains(&index)
}

/// `first + n * step + sum_k position(index_k) * stride_k`, modulo 2^32.
fn address<const K: usize>(
    axes: &[Axis; K],
    first: u32,
    step: u32,
    n: usize,
    tuple: [i128; K],
) -> u32 {
    let position =
        |axis: &Axis, index: i128| if index < 0 { index + i128::from(axis.size) } else { index };
    let offset: i128 = axes
        .iter()
        .zip(tuple)
        .map(|(axis, index)| position(axis, index) * i128::from(axis.stride))
        .sum();
    (i128::from(first) + n as i128 * i128::from(step) + offset).rem_euclid(1 << 32) as u32
}

fn all_on_axes<const K: usize>(axes: &[Axis; K], tuples: &[[i128; K]]) -> bool {
    tuples.iter().all(|tuple| axes.iter().zip(tuple).all(|(axis, index)| on_axis(axis, *index)))
}

/// An index type, and tuples of `K`.
trait Value: Index + Copy + Default + Debug + TryFrom<i128> {}
impl<I: Index + Copy + Default + Debug + TryFrom<i128>> Value for I {}

/// Axes, and for each the values of the type `I` that tell, those that are on it first, and the number of these.
fn axes<I: Value, const K: usize>(random: &mut Random) -> ([Axis; K], [(Vec<i128>, usize); K]) {
    let axes = [(); K].map(|()| Axis { size: random.of(&SIZES), stride: random.of(&STRIDES) });
    let values = axes.map(|axis| {
        let fits = telling(axis.size).into_iter().filter(|value| I::try_from(*value).is_ok());
        let (mut good, bad): (Vec<_>, Vec<_>) = fits.partition(|value| on_axis(&axis, *value));
        let inside = good.len();
        good.extend(bad);
        (good, inside)
    });
    (axes, values)
}

/// Tuples of which those at `bad` may have any coordinates, exact and in the type `I`.
fn tuples<I: Value, const K: usize, const N: usize>(
    values: &[(Vec<i128>, usize); K],
    random: &mut Random,
    bad: impl Fn(usize) -> bool,
) -> ([[i128; K]; N], [[I; K]; N]) {
    let exact = std::array::from_fn(|n| {
        std::array::from_fn(|k| {
            let (values, inside) = &values[k];
            values[random.below(if bad(n) { values.len() } else { *inside })]
        })
    });
    (exact, exact.map(|tuple| tuple.map(|index| I::try_from(index).ok().unwrap())))
}

/// Calls `test` for each index type, and tuples of 1 to 4.
macro_rules! for_all_tuples {
    ($test:ident($($argument:expr),*)) => {
        for_all_tuples!(@ $test ($($argument),*) u8 u16 u32 u64 usize i8 i16 i32 i64 isize)
    };
    (@ $test:ident $arguments:tt $($index:ident)*) => {$(
        for_all_tuples!(@@ $test $arguments $index 1 2 3 4);
    )*};
    (@@ $test:ident $arguments:tt $index:ident $($k:literal)*) => {$(
        $test::<$index, $k> $arguments;
    )*};
}

/// Calls `test` for each size of element.
macro_rules! for_all_sizes {
    ($test:ident($($argument:expr),*)) => {
        for_all_sizes!(@ $test ($($argument),*) 1 2 3 4 8 12 16)
    };
    (@ $test:ident $arguments:tt $($n:literal)*) => {$( $test::<$n> $arguments; )*};
}

/// A slice inside a larger one, whose start is `misaligned` bytes after an address that is a multiple of 64. All else is there to stay as it is.
struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    fn new(length: usize, element: usize, misaligned: usize, seed: u8) -> Buffer {
        let length = length * element;
        let bytes: Vec<u8> = (0..length + 256).map(|n| ((n * 37 + n / 251) as u8) ^ seed).collect();
        Buffer { start: 64 + bytes.as_ptr().align_offset(64) + misaligned, bytes, length }
    }

    fn elements<const N: usize>(&self) -> &[[u8; N]] {
        self.bytes[self.start..][..self.length].as_chunks().0
    }

    fn elements_mut<const N: usize>(&mut self) -> &mut [[u8; N]] {
        self.bytes[self.start..][..self.length].as_chunks_mut().0
    }

    /// `kernel` does to this what `oracle` does to a copy.
    fn compare<const N: usize>(
        &mut self,
        what: impl Debug,
        oracle: impl FnOnce(&mut [[u8; N]]),
        kernel: impl FnOnce(&mut [[u8; N]]),
    ) {
        let mut expected = Buffer { bytes: self.bytes.clone(), ..*self };
        oracle(expected.elements_mut());
        kernel(self.elements_mut());
        assert!(self.bytes == expected.bytes, "elements of {N} bytes: {what:?}");
    }
}

/// Pages of memory between two that end the process when they are touched: what gather instructions read is seen by no other tool that knows AVX-512.
#[cfg(unix)]
struct Pages {
    start: *mut u8,
    size: usize,
}

#[cfg(unix)]
impl Pages {
    fn new(pages: usize) -> Pages {
        // SAFETY: it asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let size = pages * page;
        // SAFETY: a new mapping, which lies where nothing else is.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size + 2 * page,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANON,
                -1,
                0,
            )
        };
        assert_ne!(start, libc::MAP_FAILED);
        let start = start.cast::<u8>().wrapping_add(page);
        // SAFETY: all but the first and the last of the pages that have just been mapped.
        assert_eq!(
            unsafe { libc::mprotect(start.cast(), size, libc::PROT_READ | libc::PROT_WRITE) },
            0
        );
        Pages { start, size }
    }

    /// So many elements at its start, or at its end.
    fn elements<const N: usize>(&mut self, length: usize, at_end: bool) -> &mut [[u8; N]] {
        let bytes = length * N;
        assert!(bytes <= self.size);
        // SAFETY: the pages can be read and written, has been filled with zeros, and is this value's own.
        let all = unsafe { std::slice::from_raw_parts_mut(self.start, self.size) };
        all[if at_end { self.size - bytes } else { 0 }..][..bytes].as_chunks_mut().0
    }
}

#[cfg(unix)]
#[test]
fn nothing_next_to_a_slice_is_touched() {
    fn test<const N: usize>(path: Path)
    where
        [u8; N]: NoUninit,
    {
        let (mut from, mut to, mut random) = (Pages::new(1), Pages::new(1), Random(1));
        for (length, ends, bad) in (0..=256)
            .flat_map(|length| (0..4).flat_map(move |ends| [0, 9].map(|bad| (length, ends, bad))))
        {
            let from: &[[u8; N]] = from.elements(length, ends & 1 != 0);
            let to = to.elements(length, ends & 2 != 0);
            let addresses = addresses(length, &mut random, |n| bad > 0 && n % bad == length % bad);
            let offsets = &addresses[..length % (BLOCK + 1)];
            for start in starts(length) {
                for together in [false, true] {
                    path.dispatch(Gather(
                        Moves::<N>::new(from, to).unwrap(),
                        start,
                        &addresses,
                        together,
                    ));
                }
                path.dispatch(GatherAt(Moves::<N>::new(from, to).unwrap(), start, 0, offsets));
                for length in [1, 3] {
                    let rows = Rows { length, ahead: Some(&addresses) };
                    path.dispatch(GatherRows(
                        Moves::<N>::new(from, to).unwrap(),
                        start,
                        &addresses,
                        rows,
                    ));
                    path.dispatch(ScatterRows(
                        Moves::<N>::new(from, to).unwrap(),
                        &addresses,
                        start,
                        rows,
                    ));
                }
                let mut moves = Moves::<N>::new(from, to).unwrap();
                path.dispatch(Scatter(&mut moves, &addresses, start, None));
                path.dispatch(Scatter(&mut moves, &addresses, start, Some(&addresses)));
                path.dispatch(ScatterAt(&mut moves, 0, offsets, start));
                path.dispatch(Run(|| {
                    moves.element(start, length.wrapping_sub(1));
                    moves.element(length.wrapping_sub(1), start);
                    moves.row(start, start, length.saturating_sub(start));
                }));
            }
        }
    }
    for path in Path::available().into_iter().flatten() {
        for_all_sizes!(test(path));
    }
}

/// AddressSanitizer does not see writes past the caches.
#[cfg(unix)]
#[test]
fn nothing_next_to_a_slice_is_streamed_to() {
    fn test<const N: usize>(path: Path)
    where
        [u8; N]: NoUninit,
    {
        let (mut from, mut to, mut random) = (Pages::new(8), Pages::new(8), Random(1));
        for (length, at_end) in [1, 15, 16, 64, 1000]
            .into_iter()
            .flat_map(|length| [false, true].map(|end| (length, end)))
        {
            let addresses = addresses(length, &mut random, |_| false);
            for place in [0, 1, 2] {
                let (table, flat): (&[[u8; N]], _) =
                    (from.elements(length, at_end), to.elements(BLOCK + place, at_end));
                Moves::<N>::new(table, flat)
                    .unwrap()
                    .streaming(|moves| path.dispatch(Gather(moves, place, &addresses, false)));
            }
        }
        for (bytes, at_end) in [64, 127, 192, 256, 319, 320, 321, 384, 512]
            .into_iter()
            .flat_map(|bytes| [false, true].map(|end| (bytes, end)))
        {
            let length = bytes / N;
            let rows = Rows { length, ahead: None };
            for count in [length, 3 * length, 3 * length + 1, 7 * length + 2] {
                let addresses = addresses(count + 1 - length, &mut random, |n| n % 3 == 1);
                let (table, flat): (&[[u8; N]], _) =
                    (from.elements(count, at_end), to.elements(BLOCK * length, at_end));
                Moves::<N>::new(table, flat)
                    .unwrap()
                    .streaming(|moves| path.dispatch(GatherRows(moves, 0, &addresses, rows)));
                let inside = addresses
                    .map(|address| if address as usize > count - length { 0 } else { address });
                Moves::<N>::new(table, flat)
                    .unwrap()
                    .streaming(|moves| path.dispatch(GatherRows(moves, 0, &inside, rows)));

                let (flat, table): (&[[u8; N]], _) =
                    (from.elements(BLOCK * length, at_end), to.elements(count, at_end));
                Moves::<N>::new(flat, table)
                    .unwrap()
                    .streaming(|moves| path.dispatch(ScatterRows(moves, &addresses, 0, rows)));
                let chosen = path.dispatch(Below(&addresses, u32::MAX));
                let both = (&chosen, 0);
                Moves::<N>::new(flat, table)
                    .unwrap()
                    .streaming(|moves| path.dispatch(ScatterChosen(moves, both, both, length)));
            }
        }
    }
    for path in Path::available().into_iter().flatten() {
        for_all_sizes!(test(path));
    }
}

/// Lengths of tables: few, those around vectors, and some that are long.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=70).chain([127, 128, 129, 1_000, 9_000])
}

/// Addresses of a table, its ends among them often; those at `bad` outside.
fn addresses(length: usize, random: &mut Random, bad: impl Fn(usize) -> bool) -> [u32; BLOCK] {
    let length = length as u32;
    let outside = [
        length,
        length + 1,
        i32::MAX as u32,
        1 << 31,
        (1 << 31) + length,
        u32::MAX - 1,
        NOWHERE,
        length + 64,
    ];
    std::array::from_fn(|n| match random.below(4) {
        _ if bad(n) || length == 0 => random.of(&outside),
        0 => random.of(&[0, length - 1]),
        _ => random.below(length as usize) as u32,
    })
}

/// Positions of a block in a slice of this length, those where it does not fit among them.
fn starts(length: usize) -> [usize; 8] {
    let last = length.wrapping_sub(BLOCK);
    [0, 1, last.wrapping_sub(1), last, last.wrapping_add(1), length, length + 1, usize::MAX]
}

/// Calls `test` with a table of every length, another of 64 to 143, how far they are misaligned, and addresses of the first; and with every pair of
/// misalignments.
fn for_all_blocks(
    element: usize,
    mut test: impl FnMut(&mut Buffer, &mut Buffer, usize, &[u32; BLOCK]),
) {
    let mut random = Random(1);
    for length in lengths() {
        for place in 0..BLOCK {
            let (mut table, mut flat) = (
                Buffer::new(length, element, place, 0),
                Buffer::new(BLOCK + place % 7, element, length % 64, 99),
            );
            let position = starts(BLOCK + place % 7)[random.below(8)];
            test(&mut table, &mut flat, position, &addresses(length, &mut random, |n| n == place));
            test(
                &mut table,
                &mut flat,
                0,
                &addresses(length, &mut random, |n| (n ^ place) % 5 == 0),
            );
        }
    }
    for (one, other) in (0..64).flat_map(|one| (0..64).map(move |other| (one, other))) {
        let (mut table, mut flat) =
            (Buffer::new(70, element, one, 0), Buffer::new(70, element, other, 99));
        test(&mut table, &mut flat, one % 7, &addresses(70, &mut random, |_| false));
    }
}

/// Calls `test` with a table, a flat tensor, a position in it, addresses of the table, and rows: of all lengths that have loops of their own, and of others. The table holds
/// none, one or a few of them, the flat tensor a block or less.
fn for_all_rows(
    element: usize,
    mut test: impl FnMut(&mut Buffer, &mut Buffer, usize, &[u32; BLOCK], Rows),
) {
    let mut random = Random(1);
    let lines = [1, 2, 3, 4, 5, 8, 16].map(|lines| lines * 64 / element);
    let lengths =
        (1..=33).chain(lines).chain(lines.map(|length| length + 1)).chain([4096 / element + 1]);
    for (length, case) in lengths.flat_map(|length| (0..20).map(move |case| (length, case))) {
        let table = [0, 1, 2, 5][case % 4] * length + random.below(length);
        let flat = (BLOCK * length + random.below(10)).saturating_sub(random.below(3));
        let position = random.of(&[0, 0, 0, 1, 5, flat, usize::MAX]);
        let addresses = addresses((table + 1).saturating_sub(length), &mut random, |n| {
            case % 5 > 0 && (n * 7) % (case % 5 * 16) == 0
        });
        // Rows apart from each other, as in most tables.
        let addresses = addresses
            .map(|address| if case % 3 > 0 { address - address % length as u32 } else { address });
        let mut misaligned = || random.of(&[0, 0, 1, 16, 64 - element % 64, 63]);
        let (mut table, mut flat) = (
            Buffer::new(table, element, misaligned(), 0),
            Buffer::new(flat, element, misaligned(), 99),
        );
        let ahead = Some(&addresses).filter(|_| case % 2 == 0);
        test(&mut table, &mut flat, position, &addresses, Rows { length, ahead });
    }
    let (mut table, mut flat) = (Buffer::new(70, element, 0, 0), Buffer::new(70, element, 0, 99));
    for length in [0, usize::MAX / 2, usize::MAX] {
        test(&mut table, &mut flat, 0, &[1; BLOCK], Rows { length, ahead: None });
    }
}

mod kernels {
    use super::*;

    pub fn check(path: Path) {
        fn test<I: Value, const K: usize>(path: Path) {
            let mut random = Random(K as u64);
            for place in 0..70 {
                let (axes, values) = axes::<I, K>(&mut random);
                let (exact, tuples) = tuples::<I, K, 70>(&values, &mut random, |n| n == place);
                let lane = Lane::new(axes, 5, 7);
                for length in 0..=70 {
                    let inside = path.dispatch(Run(|| lane.check(&tuples[..length])));
                    assert_eq!(
                        inside,
                        all_on_axes(&axes, &exact[..length]),
                        "{} {lane:?} {:?}",
                        path.name(),
                        &tuples[..length]
                    );
                }
            }
            let empty = Lane::new([Axis { size: 0, stride: 1 }; K], 0, 1);
            assert!(path.dispatch(Run(|| empty.check::<I>(&[]))));
            assert!(!path.dispatch(Run(|| empty.check(&[[I::default(); K]; 70]))));
        }
        for_all_tuples!(test(path));
    }

    /// Blocks with no bad tuple, with one at each place, and with many; what `resolve` makes of each, and what `clamp` does unless an axis is empty.
    fn blocks<I: Value, const K: usize>(
        mut test: impl FnMut(Lane<K>, &[[I; K]; BLOCK], (bool, [u32; BLOCK]), Option<[u32; BLOCK]>),
    ) {
        let mut random = Random(K as u64);
        for round in 0..3 * BLOCK {
            let (mut axes, mut values) = axes::<I, K>(&mut random);
            if round == 3 * BLOCK - 1 {
                // Nothing is on an empty axis.
                (axes[K - 1].size, values[K - 1].1) = (0, values[K - 1].0.len());
            }
            let (first, step) = (random.of(&FIRSTS), random.of(&STEPS));
            let (exact, tuples) =
                tuples::<I, K, BLOCK>(&values, &mut random, |n| n == round || round > 2 * BLOCK);
            let resolved = std::array::from_fn(|n| match all_on_axes(&axes, &exact[n..=n]) {
                true => address(&axes, first, step, n, exact[n]),
                false => NOWHERE,
            });
            let nearest = std::array::from_fn(|n| {
                let nearest = std::array::from_fn(|k| {
                    exact[n][k].min(i128::from(axes[k].size) - 1).max(-i128::from(axes[k].size))
                });
                address(&axes, first, step, n, nearest)
            });
            let nearest = axes.iter().all(|axis| axis.size > 0).then_some(nearest);
            test(
                Lane::new(axes, first, step),
                &tuples,
                (all_on_axes(&axes, &exact), resolved),
                nearest,
            );
        }
    }

    pub fn positions(path: Path) {
        fn test<I: Value, const K: usize>(path: Path) {
            let mut random = Random(K as u64);
            for bad in 0..BLOCK {
                let (mut axes, values) = axes::<I, K>(&mut random);
                let (exact, tuples) = tuples::<I, K, BLOCK>(&values, &mut random, |n| n == bad);
                axes.iter_mut().for_each(|axis| axis.size = axis.size.min(1 << 16));
                for length in 0..=BLOCK {
                    let mut found = [[7; K]; BLOCK];
                    let inside = path.dispatch(Run(|| {
                        lane(axes).positions(&tuples[..length], &mut found[..length])
                    }));
                    assert_eq!(
                        inside,
                        all_on_axes(&axes, &exact[..length]),
                        "{} {axes:?} {:?}",
                        path.name(),
                        &tuples[..length]
                    );
                    for (n, (found, exact)) in found.iter().zip(exact).enumerate() {
                        for ((found, index), axis) in found.iter().zip(exact).zip(axes) {
                            let position =
                                if index < 0 { index + i128::from(axis.size) } else { index };
                            let on_axis = (0..i128::from(axis.size)).contains(&position);
                            assert!(if n < length {
                                !on_axis || i128::from(*found) == position
                            } else {
                                *found == 7
                            });
                        }
                    }
                }
            }
        }
        fn lane<const K: usize>(axes: [Axis; K]) -> Lane<K> {
            Lane::new(axes, 5, 7)
        }
        for_all_tuples!(test(path));
    }

    pub fn resolve(path: Path) {
        fn test<I: Value, const K: usize>(path: Path) {
            blocks::<I, K>(|lane, tuples, expected, _| {
                let mut found = [0xABCD; BLOCK];
                let inside = path.dispatch(Run(|| lane.resolve(tuples, &mut found)));
                let places =
                    std::array::from_fn(
                        |n| if expected.1[n] == NOWHERE { NOWHERE } else { found[n] },
                    );
                assert_eq!((inside, places), expected, "{} {lane:?} {tuples:?}", path.name());
            });
        }
        for_all_tuples!(test(path));
    }

    pub fn skip(path: Path) {
        fn test<I: Value, const K: usize>(path: Path) {
            blocks::<I, K>(|lane, tuples, (_, expected), _| {
                let mut found = [0xABCD; BLOCK];
                path.dispatch(Run(|| lane.skip(tuples, &mut found)));
                assert_eq!(found, expected, "{} {lane:?} {tuples:?}", path.name());
            });
        }
        for_all_tuples!(test(path));
    }

    pub fn clamp(path: Path) {
        fn test<I: Value, const K: usize>(path: Path) {
            blocks::<I, K>(|lane, tuples, _, expected| {
                let mut found = [0xABCD; BLOCK];
                path.dispatch(Run(|| lane.clamp(tuples, &mut found)));
                // The addresses mean nothing where an axis is empty.
                assert_eq!(found, expected.unwrap_or(found), "{} {lane:?} {tuples:?}", path.name());
            });
        }
        for_all_tuples!(test(path));
    }

    pub fn advance(path: Path) {
        for (first, step, n) in FIRSTS
            .iter()
            .flat_map(|first| STEPS.map(|step| [0, 1, 64, u32::MAX].map(|n| (*first, step, n))))
            .flatten()
        {
            let axes = [Axis { size: 9, stride: 2 }];
            let (mut lane, mut found) = (Lane::new(axes, first, step), [0; BLOCK]);
            let inside = path.dispatch(Run(|| {
                lane.advance(n);
                lane.resolve(&[[-2_i64]; BLOCK], &mut found)
            }));
            assert_eq!(
                (inside, found),
                (
                    true,
                    std::array::from_fn(|later| address(
                        &axes,
                        first,
                        step,
                        (n as usize).wrapping_add(later),
                        [7]
                    ))
                )
            );
        }
    }

    pub fn choose_below(path: Path) {
        let mut random = Random(3);
        for end in lengths().map(|end| end as u32).chain([i32::MAX as u32]) {
            for place in 0..=BLOCK {
                // One outside, none, and many; what is outside is inside by a sign.
                for bad in [place, BLOCK + 1, place.wrapping_neg()] {
                    let addresses = addresses(end as usize, &mut random, |n| {
                        n == bad || bad > 2 * BLOCK && (n ^ place) % 3 > 0
                    });
                    let expected: Vec<_> = addresses
                        .iter()
                        .zip(0..)
                        .filter(|(address, _)| **address < end)
                        .map(|(a, n)| (*a, n))
                        .collect();
                    let found: Vec<(u32, usize)> =
                        path.dispatch(Below(&addresses, end)).iter().collect();
                    assert_eq!(found, expected, "{} {end} {addresses:?}", path.name());
                }
            }
        }
    }

    pub fn choose(path: Path) {
        let mut random = Random(4);
        for (start, first) in [(0, 0), (5, 100), (60, u32::MAX - 9), (u32::MAX - 2, 7)] {
            for length in lengths().map(|length| length as u32).chain([i32::MAX as u32]) {
                let near = addresses(length as usize, &mut random, |n| n % 3 == 0);
                let addresses = near.map(|address| address.wrapping_add(start));
                let number = |n: usize| first.wrapping_add(n as u32);
                let all = addresses
                    .iter()
                    .enumerate()
                    .map(|(n, address)| (address.wrapping_sub(start), number(n)));
                let expected: Vec<_> = all.filter(|(place, _)| *place < length).collect();
                let (mut chosen, mut numbers) = ([0; BLOCK], [0; BLOCK]);
                let choice = Choice { start, length, first };
                let count = path.dispatch(Choose(choice, &addresses, [&mut chosen, &mut numbers]));
                let found: Vec<_> = chosen.into_iter().zip(numbers).take(count).collect();
                assert_eq!(found, expected, "{} {choice:?} {addresses:?}", path.name());
            }
        }
    }

    pub fn is_empty(path: Path) {
        for (end, empty) in [(7, true), (8, false)] {
            assert_eq!(path.dispatch(Below(&[7; BLOCK], end)).is_empty(), empty, "{}", path.name());
        }
    }

    /// [`choose_below`] reads all that has been chosen.
    pub fn iter(path: Path) {
        let chosen = path.dispatch(Below(&[7; BLOCK], 7));
        assert_eq!(chosen.iter().count(), 0, "{}", path.name());
        let chosen = path.dispatch(Below(&[7; BLOCK], 8));
        assert!(chosen.iter().eq((0..BLOCK).map(|n| (7, n))), "{}", path.name());
    }

    pub fn element(path: Path) {
        fn test<const N: usize>(path: Path)
        where
            [u8; N]: NoUninit,
        {
            let (from, mut to) = (Buffer::new(9, N, 3, 0), Buffer::new(5, N, 1, 99));
            for (t, f) in [(0, 8), (4, 0), (4, 9), (5, 8), (5, 9), (usize::MAX, 0), (0, usize::MAX)]
            {
                let oracle = |to: &mut [[u8; N]]| {
                    if t < 5 && f < 9 {
                        to[t] = from.elements()[f]
                    }
                };
                to.compare((t, f), oracle, |to| {
                    let mut moves = Moves::<N>::new(from.elements::<N>(), to).unwrap();
                    path.dispatch(Run(|| moves.element(t, f)));
                });
            }
        }
        for_all_sizes!(test(path));
    }

    pub fn row(path: Path) {
        fn test<const N: usize>(path: Path)
        where
            [u8; N]: NoUninit,
        {
            for (n, misaligned) in
                (0..=70).flat_map(|n| (0..64).map(move |misaligned| (n, misaligned)))
            {
                let (from, mut to) =
                    (Buffer::new(n + 3, N, misaligned, 0), Buffer::new(n + 5, N, n % 64, 99));
                for (t, f) in [
                    (0, 0),
                    (5, 3),
                    (2, 1),
                    (6, 0),
                    (0, 4),
                    (n + 5, 0),
                    (n + 6, 0),
                    (0, n + 4),
                    (usize::MAX, 0),
                    (1, usize::MAX),
                ] {
                    let oracle = |to: &mut [[u8; N]]| {
                        if t <= 5 && f <= 3 {
                            (0..n).for_each(|n| to[t + n] = from.elements()[f + n]);
                        }
                    };
                    to.compare((n, misaligned, t, f), oracle, |to| {
                        let mut moves = Moves::<N>::new(from.elements::<N>(), to).unwrap();
                        path.dispatch(Run(|| moves.row(t, f, n)));
                        moves.row(t, f, usize::MAX - n);
                    });
                }
            }
        }
        for_all_sizes!(test(path));
    }

    pub fn gather(path: Path) {
        fn test<const N: usize>(path: Path)
        where
            [u8; N]: NoUninit,
        {
            for (together, streams) in [(false, false), (true, false), (false, true), (true, true)]
            {
                for_all_blocks(N, |from, to, t, f| {
                    let oracle = |to: &mut [[u8; N]]| {
                        let Some(to) = to.get_mut(t..).and_then(|to| to.get_mut(..BLOCK)) else {
                            return;
                        };
                        for (to, address) in to.iter_mut().zip(f) {
                            *to = *from.elements().get(*address as usize).unwrap_or(to);
                        }
                    };
                    to.compare((path, from.length, t, f, together, streams), oracle, |to| {
                        let moves = Moves::<N>::new(from.elements::<N>(), to).unwrap();
                        let gather = |moves: Moves<N>| path.dispatch(Gather(moves, t, f, together));
                        if streams { moves.streaming(gather) } else { gather(moves) }
                    });
                });
            }
        }
        for_all_sizes!(test(path));
    }

    pub fn scatter(path: Path) {
        fn test<const N: usize>(path: Path)
        where
            [u8; N]: NoUninit,
        {
            for asks in [false, true] {
                for_all_blocks(N, |to, from, f, t| {
                    let oracle = |to: &mut [[u8; N]]| {
                        let Some(from) =
                            from.elements().get(f..).and_then(|from| from.get(..BLOCK))
                        else {
                            return;
                        };
                        for (from, address) in from.iter().zip(t) {
                            *to.get_mut(*address as usize).unwrap_or(&mut [0; N]) = *from;
                        }
                    };
                    to.compare((path, to.length, t, f, asks), oracle, |to| {
                        let mut moves = Moves::<N>::new(from.elements::<N>(), to).unwrap();
                        path.dispatch(Scatter(&mut moves, t, f, asks.then_some(t)));
                    });
                });
            }
        }
        for_all_sizes!(test(path));
    }

    pub fn gather_rows(path: Path) {
        for_all_sizes!(rows_gathered_by(path, |path, moves, t, f, rows| path
            .dispatch(GatherRows(moves, t, f, rows))));
    }

    pub fn streaming(path: Path) {
        for_all_sizes!(rows_gathered_by(path, |path, moves, t, f, rows| {
            moves.streaming(|moves| path.dispatch(GatherRows(moves, t, f, rows)));
        }));
        for_all_sizes!(rows_scattered_by(path, |path, moves, t, f, rows| {
            moves.streaming(|moves| path.dispatch(ScatterRows(moves, t, f, rows)));
        }));
    }

    /// Rows around the least that go line by line, at every place in a line.
    #[test]
    fn streaming_from_every_place_in_a_line() {
        let mut random = Random(5);
        for (length, misaligned) in [255, 256, 319, 320, 321, 384]
            .into_iter()
            .flat_map(|length| (0..64).map(move |n| (length, n)))
        {
            let (table, mut to) =
                (Buffer::new(3 * length, 1, 5, 0), Buffer::new(BLOCK * length, 1, misaligned, 99));
            let addresses = addresses(2 * length + 1, &mut random, |_| false);
            for path in Path::available().into_iter().flatten() {
                let gathered = |to: &mut [[u8; 1]]| {
                    for (to, address) in to.chunks_mut(length).zip(addresses) {
                        to.copy_from_slice(&table.elements()[address as usize..][..length]);
                    }
                };
                to.compare((path, length, misaligned), gathered, |to| {
                    let rows = Rows { length, ahead: None };
                    Moves::<1>::new(table.elements::<1>(), to)
                        .unwrap()
                        .streaming(|moves| path.dispatch(GatherRows(moves, 0, &addresses, rows)));
                });
            }
        }
    }

    fn rows_gathered_by<const N: usize>(
        path: Path,
        gather: impl Fn(Path, Moves<N>, usize, &[u32; BLOCK], Rows),
    ) where
        [u8; N]: NoUninit,
    {
        for_all_rows(N, |from, to, t, f, rows| {
            let length = rows.length;
            let oracle = |to: &mut [[u8; N]]| {
                let Some(to) =
                    length.checked_mul(BLOCK).and_then(|all| to.get_mut(t..)?.get_mut(..all))
                else {
                    return;
                };
                for (to, address) in to.chunks_mut(length.max(1)).zip(f) {
                    let row = from
                        .elements()
                        .get(*address as usize..)
                        .and_then(|from| from.get(..length));
                    row.into_iter().for_each(|row| to.copy_from_slice(row));
                }
            };
            to.compare((path, from.length, t, f, rows), oracle, |to| {
                gather(path, Moves::new(from.elements::<N>(), to).unwrap(), t, f, rows);
            });
        });
    }

    pub fn scatter_rows(path: Path) {
        for_all_sizes!(rows_scattered_by(path, |path, moves, t, f, rows| path
            .dispatch(ScatterRows(moves, t, f, rows))));
    }

    fn rows_scattered_by<const N: usize>(
        path: Path,
        scatter: impl Fn(Path, Moves<N>, &[u32; BLOCK], usize, Rows),
    ) where
        [u8; N]: NoUninit,
    {
        for_all_rows(N, |to, from, f, t, rows| {
            let length = rows.length;
            let oracle = |to: &mut [[u8; N]]| {
                let Some(from) = length
                    .checked_mul(BLOCK)
                    .and_then(|all| from.elements::<N>().get(f..)?.get(..all))
                else {
                    return;
                };
                for (from, address) in from.chunks(length.max(1)).zip(t) {
                    let row = to.get_mut(*address as usize..).and_then(|to| to.get_mut(..length));
                    row.into_iter().for_each(|row| row.copy_from_slice(from));
                }
            };
            to.compare((path, to.length, t, f, rows), oracle, |to| {
                scatter(path, Moves::new(from.elements::<N>(), to).unwrap(), t, f, rows);
            });
        });
    }

    pub fn scatter_chosen(path: Path) {
        fn test<const N: usize>(path: Path)
        where
            [u8; N]: NoUninit,
        {
            for_all_rows(N, |to, from, f, t, rows| {
                for (streams, end) in [false, true]
                    .into_iter()
                    .flat_map(|streams| [u32::MAX, 2].map(|end| (streams, end)))
                {
                    let (chosen, length) = (path.dispatch(Below(t, end)), rows.length);
                    // What is asked for is another block, somewhere else.
                    let next = path.dispatch(Below(&t.map(|address| address / 2), end / 2));
                    let oracle = |to: &mut [[u8; N]]| {
                        for (n, address) in
                            t.iter().enumerate().filter(|(_, address)| **address < end)
                        {
                            let place =
                                n.checked_mul(length).and_then(|place| place.checked_add(f));
                            let from = place
                                .and_then(|place| from.elements::<N>().get(place..)?.get(..length));
                            let row =
                                to.get_mut(*address as usize..).and_then(|to| to.get_mut(..length));
                            row.zip(from)
                                .into_iter()
                                .for_each(|(row, from)| row.copy_from_slice(from));
                        }
                    };
                    to.compare((path, to.length, t, f, rows, end, streams), oracle, |to| {
                        let moves = Moves::<N>::new(from.elements::<N>(), to).unwrap();
                        let run = |moves: Moves<N>| {
                            path.dispatch(ScatterChosen(
                                moves,
                                (&chosen, f),
                                (&next, f / 2 + 1),
                                length,
                            ))
                        };
                        if streams { moves.streaming(run) } else { run(moves) }
                    });
                }
            });
        }
        for_all_sizes!(test(path));
    }

    /// Places to count offsets from, and numbers of them.
    fn bases(case: &mut usize) -> (usize, usize) {
        *case += 1;
        ([0, 3, 0, 70, usize::MAX][*case % 5], *case % (BLOCK + 1))
    }

    pub fn gather_at(path: Path) {
        fn test<const N: usize>(path: Path)
        where
            [u8; N]: NoUninit,
        {
            let mut case = 0;
            for_all_blocks(N, |from, to, t, f| {
                let (base, count) = bases(&mut case);
                let oracle = |to: &mut [[u8; N]]| {
                    let Some(to) = to.get_mut(t..).and_then(|to| to.get_mut(..count)) else {
                        return;
                    };
                    for (to, offset) in to.iter_mut().zip(f) {
                        *to = *base
                            .checked_add(*offset as usize)
                            .and_then(|f| from.elements().get(f))
                            .unwrap_or(to);
                    }
                };
                let kernel = |to: &mut [[u8; N]]| {
                    path.dispatch(GatherAt(
                        Moves::<N>::new(from.elements::<N>(), to).unwrap(),
                        t,
                        base,
                        &f[..count],
                    ));
                };
                to.compare((path, from.length, t, base, f), oracle, kernel);
            });
        }
        for_all_sizes!(test(path));
    }

    pub fn scatter_at(path: Path) {
        fn test<const N: usize>(path: Path)
        where
            [u8; N]: NoUninit,
        {
            let mut case = 0;
            for_all_blocks(N, |to, from, f, t| {
                let (base, count) = bases(&mut case);
                let oracle = |to: &mut [[u8; N]]| {
                    for (from, offset) in
                        from.elements::<N>().get(f..).unwrap_or_default().iter().zip(&t[..count])
                    {
                        *base
                            .checked_add(*offset as usize)
                            .and_then(|t| to.get_mut(t))
                            .unwrap_or(&mut [0; N]) = *from;
                    }
                };
                to.compare((path, to.length, t, base, f), oracle, |to| {
                    let mut moves = Moves::<N>::new(from.elements::<N>(), to).unwrap();
                    path.dispatch(ScatterAt(&mut moves, base, &t[..count], f));
                });
            });
        }
        for_all_sizes!(test(path));
    }

    /// Rows of 10 elements, and those of them that lie in all of 7 columns, split up.
    pub fn split_at(_: Path) {
        let mut table: Vec<u32> = (0..37).collect();
        let (mut left, rest) = Columns::new(&mut table, 4, 10, 7).unwrap().split_at(2);
        let (mut middle, mut none) = rest.split_at(usize::MAX);
        assert_eq!([0, 3].map(|row| left.row(row).to_vec()), [vec![0, 1], vec![30, 31]]);
        assert_eq!(middle.row(3), [32, 33, 34, 35, 36]);
        assert!(
            [4, usize::MAX].iter().all(|row| left.row(*row).is_empty())
                && (0..5).all(|row| none.row(row).is_empty())
        );
        std::thread::scope(|scope| {
            for columns in [&mut left, &mut middle] {
                scope.spawn(|| (0..4).for_each(|row| columns.row(row).fill(100)));
            }
        });
        assert!(
            table
                .iter()
                .enumerate()
                .all(|(place, value)| *value == if place % 10 < 7 { 100 } else { place as u32 })
        );
        let refused =
            [(4, 10, 8), (5, 10, 7), (0, 10, 7), (4, 6, 7), (2, usize::MAX, 7), (usize::MAX, 2, 2)];
        assert!(
            refused
                .iter()
                .all(|(rows, pitch, width)| Columns::new(&mut table, *rows, *pitch, *width)
                    .is_none())
        );
    }

    pub fn moves_from(path: Path) {
        fn test<const N: usize>(path: Path)
        where
            [u8; N]: NoUninit,
        {
            let from: Vec<[u8; N]> = (0..200_u8).map(|n| [n; N]).collect();
            let addresses: [u32; BLOCK] = core::array::from_fn(|n| (n as u32 * 77) % 203);
            for streams in [false, true] {
                let mut to = vec![[255; N]; 3 * 100];
                let move_rows = |mut moves: ColumnMoves<N>| {
                    for row in [0, 2, 3] {
                        path.dispatch(Gather(moves.row(row), 0, &addresses, false));
                        moves.row(row).element(BLOCK + row, row);
                    }
                };
                let (_, columns) = Columns::new(&mut to, 3, 100, 90).unwrap().split_at(10);
                let moves = columns.moves_from::<N>(&from).unwrap();
                if streams {
                    moves.streaming(move_rows)
                } else {
                    move_rows(moves)
                }
                for (place, found) in to.iter().enumerate() {
                    let (row, column) = (place / 100, (place % 100).wrapping_sub(10));
                    let address = match addresses.get(column) {
                        Some(address) => *address as usize,
                        None if column == BLOCK + row => row,
                        None => 255,
                    };
                    let moved = row != 1 && address < from.len();
                    assert_eq!(
                        *found,
                        [if moved { address as u8 } else { 255 }; N],
                        "{place} {streams}"
                    );
                }
            }
            let mut other = [[0_u64; 3]; 9];
            assert!(Columns::new(&mut other, 3, 3, 3).unwrap().moves_from::<N>(&[]).is_none());
        }
        for_all_sizes!(test(path));
    }

    pub fn combine(path: Path) {
        fn test<const N: usize>(path: Path)
        where
            [u8; N]: NoUninit,
        {
            let sum = |a: [u8; N], b: [u8; N]| {
                core::array::from_fn(|n| a[n].wrapping_mul(3).wrapping_add(b[n]))
            };
            let mut case = 0;
            for_all_blocks(N, |to, from, f, t| {
                let (_, count) = bases(&mut case);
                let from = from.elements::<N>().get(f..).unwrap_or_default();
                let oracle = |to: &mut [[u8; N]]| {
                    for (from, address) in from.iter().zip(&t[..count]) {
                        to.get_mut(*address as usize)
                            .into_iter()
                            .for_each(|to| *to = sum(*to, *from));
                    }
                };
                to.compare((path, to.length, t, count), oracle, |to| {
                    path.dispatch(Run(|| strew_simd::combine(to, &t[..count], from, sum)))
                });
            });
        }
        for_all_sizes!(test(path));
    }

    /// What is asked for may lie anywhere, and stays as it is.
    fn asks(path: Path, ask: impl Fn(&Moves<4>, &[[u8; 4]], u32, usize)) {
        let (from, mut to) = (Buffer::new(100, 4, 0, 0), Buffer::new(100, 4, 0, 99));
        for (address, n) in [0, 99, 100, 1 << 31, u32::MAX]
            .iter()
            .flat_map(|address| [0, 1, 100, usize::MAX].map(|n| (*address, n)))
        {
            let kernel = |to: &mut [[u8; 4]]| {
                let moves = Moves::new(from.elements::<4>(), to).unwrap();
                path.dispatch(Run(|| ask(&moves, from.elements(), address, n)));
            };
            to.compare((address, n), |_| {}, kernel);
        }
    }

    pub fn prefetch(path: Path) {
        asks(path, |_, table, address, _| strew_simd::prefetch(table, address));
    }

    pub fn prefetch_block(path: Path) {
        asks(path, |_, table, address, _| {
            if let Some(block) = table.first_chunk::<BLOCK>() {
                strew_simd::prefetch_block(block, address);
            }
        });
    }

    pub fn prefetch_row(path: Path) {
        asks(path, |_, table, address, n| strew_simd::prefetch_row(table, address, n));
    }

    pub fn prefetch_row_early(path: Path) {
        asks(path, |_, table, address, n| strew_simd::prefetch_row_early(table, address, n));
    }

    pub fn prefetch_row_to(path: Path) {
        asks(path, |moves, _, address, n| moves.prefetch_row_to(address, n));
    }

    pub fn prefetch_row_from(path: Path) {
        asks(path, |moves, _, address, n| moves.prefetch_row_from(address, n));
    }

    pub fn prefetch_from(path: Path) {
        asks(path, |moves, _, address, _| moves.prefetch_from(&[address; BLOCK]));
    }
}
