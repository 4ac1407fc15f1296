//! Runs crate and oracle on a case, and compares every byte.

use std::mem::MaybeUninit;

use half::{bf16, f16};
use strew::{
    Add, And, Assign, Average, Bounds, Error, Gather, Index, Layout, Max, Min, Mul, Operand, Or,
    Reduction, Scatter, Sub, Xor, shape,
};

use super::case::{Case, IndexType, Operator, Tensor, places, with_indices};
use super::generate::Direction;
use super::oracle::{self, Move};
use super::path;
use super::values::{Nan, Pixel, Sample, same, samples};

/// Elements that calls write, with others around them that no call may touch; or, in every other
/// case, with none, for AddressSanitizer.
pub struct Written<'a, T> {
    case: &'a Case,
    nan: Nan,
    elements: Vec<T>,
    edge: Vec<T>,
}

impl<'a, T: Sample> Written<'a, T> {
    pub fn new(case: &'a Case, len: usize, nan: Nan) -> Written<'a, T> {
        let around =
            if (case.seed / 256).is_multiple_of(2) { 0 } else { 64_usize.div_ceil(size_of::<T>()) };
        let edge = vec![T::sample(0xA5A5_A5A5_A5A5); around];
        Written { case, nan, elements: vec![T::sample(2); around + len + around], edge }
    }

    /// Starts as `before`. The call must return `result`, and leave each element as one of
    /// `expected` has it.
    pub fn call(
        &mut self,
        what: &str,
        result: Result<(), Error>,
        tensors: [&[T]; 3],
        run: impl FnOnce(&mut [T]) -> Result<(), Error>,
    ) {
        let mut run = Some(run);
        self.call_by(what, result, tensors, &mut |slice| run.take().expect("one call")(slice));
    }

    /// [`call`](Written::call), compiled once for each type, and not for each call.
    fn call_by(
        &mut self,
        what: &str,
        result: Result<(), Error>,
        [before, expected, or]: [&[T]; 3],
        run: &mut dyn FnMut(&mut [T]) -> Result<(), Error>,
    ) {
        let (around, len) = (self.edge.len(), before.len());
        let (start, rest) = self.elements.split_at_mut(around);
        let (slice, end) = rest.split_at_mut(len);
        start.copy_from_slice(&self.edge);
        slice.copy_from_slice(before);
        end.copy_from_slice(&self.edge);
        let found = run(slice);
        assert_eq!(found, result, "{what}, {}\n{:?}", path::name(), self.case);
        let same = |found: &[T], expected: &[T]| {
            bytemuck::cast_slice::<T, u8>(found) == bytemuck::cast_slice::<T, u8>(expected)
        };
        let outside = same(start, &self.edge) && same(end, &self.edge);
        assert!(outside, "{what}, {}: outside\n{:?}", path::name(), self.case);
        if !same(slice, expected) {
            self.compare(what, &self.elements[around..][..len], expected, or);
        }
    }

    /// Fails with the case and the first element that differs.
    #[cold]
    fn compare(&self, what: &str, found: &[T], expected: &[T], or: &[T]) {
        for (position, (&found, (&expected, &or))) in
            found.iter().zip(expected.iter().zip(or)).enumerate()
        {
            assert!(
                same(found, expected, self.nan) || same(found, or, self.nan),
                "{what}, {}: [{position}] is {found:?}, should be {expected:?}\n{:?}",
                path::name(),
                self.case
            );
        }
        assert_eq!(found.len(), expected.len());
    }
}

/// The number of parts of [`check_gather`].
pub const GATHERS: u64 = 6;

/// A gather by indices of every type, and with every kind of element: each is compiled by itself,
/// so that not every pair of them is.
#[inline]
pub fn check_gather(case: &Case) {
    (0..GATHERS).for_each(|part| check_gather_part(case, part));
}

#[inline]
pub fn check_gather_part(case: &Case, part: u64) {
    let check = match part {
        0 => {
            for case in [Some(case.clone()), case.as_rows()].iter().flatten() {
                let moves = oracle::moves(case);
                with_indices!(case, indices => gather_of::<i64, _>(case, &moves, indices));
            }
            return;
        }
        1 => gather_of::<u8, i64>,
        2 => gather_of::<f16, i64>,
        3 => gather_of::<f32, i64>,
        4 => gather_of::<Pixel, i64>,
        _ => gather_of::<[u8; 3], i64>,
    };
    let case = &case.with_index(IndexType::I64);
    check(case, &oracle::moves(case), &case.indices_as());
}

/// Calls with signed indices as `i64`, or unsigned ones as `u64`: the two types hold them all.
pub fn with_wide_indices(case: &Case, signed: impl FnOnce(&[i64]), unsigned: impl FnOnce(&[u64])) {
    if case.index.min() < 0 { signed(&case.indices_as()) } else { unsigned(&case.indices_as()) }
}

pub fn gather_of<T: Sample, I: Index>(case: &Case, moves: &[Move], indices: &[I]) {
    let gather = case.gather().expect("the case is valid");
    let (input, before) =
        (samples::<T>(case.table.len, case.seed, 0), samples::<T>(case.flat.len, case.seed, 1));
    let mut expected = before.clone();
    oracle::gather(moves, &input, &mut expected);
    let result = oracle::first_out_of_bounds(moves);
    // What comes before a bad entry may have been gathered or not; the rest is as it was, in
    // `expected` too.
    let tensors = [&before, &expected, if result.is_ok() { &expected } else { &before }];
    let tensors = tensors.map(Vec::as_slice);
    let mut output = Written::new(case, before.len(), Nan::Exact);
    path::each(|is_first| {
        output.call("run", result, tensors, |output| gather.run(&input, indices, output));
        if is_first {
            output.call("run_shared", result, tensors, |output| {
                gather.run_shared(&input, indices, output)
            });
            if let Some(rows) = case.rows() {
                output.call("rows", result, tensors, |output| rows.gather(&input, indices, output));
            }
        }
        whole(case, (&gather, &input, indices), &result, [&before, &expected], is_first);
        let checked = gather.check(indices);
        assert_eq!(checked.map(|_| ()), result, "check, {}\n{case:?}", path::name());
        let Ok(checked) = checked else { return };
        for _ in 0..1 + u8::from(is_first) {
            output.call("checked", result, tensors, |output| checked.run(&input, output));
        }
    });
}

fn equal<T: Sample>(found: &[T], expected: &[T]) -> bool {
    bytemuck::cast_slice::<T, u8>(found) == bytemuck::cast_slice::<T, u8>(expected)
}

/// Calls that write every place of their output: what they say where they cannot, and what they
/// leave.
fn whole<T: Sample, I: Index>(
    case: &Case,
    (gather, input, indices): (&Gather, &[T], &[I]),
    result: &Result<(), Error>,
    [before, expected]: [&[T]; 2],
    is_first: bool,
) {
    let elements: usize = case.flat.sizes.iter().product();
    let result = match result {
        _ if case.bounds == Bounds::Skip => Err(Error::PolicyNotSupported { found: Bounds::Skip }),
        Ok(()) if elements > 0 && case.table.sizes.contains(&0) => {
            gather.bounds(Bounds::Error).check(indices).map(|_| ())
        }
        result => *result,
    };
    let mut places: Vec<_> = before.iter().map(|value| MaybeUninit::new(*value)).collect();
    let found = gather.run_uninit(input, indices, &mut places);
    assert_eq!(found, result, "run_uninit, {}\n{case:?}", path::name());
    // SAFETY: each has had a value from the start.
    let places: Vec<T> = places.into_iter().map(|place| unsafe { place.assume_init() }).collect();
    if result.is_ok() {
        assert!(equal(&places, expected), "run_uninit, {}\n{case:?}", path::name());
    }
    #[cfg(feature = "std")]
    collected(case, (gather, input, indices), result, expected, is_first);
    #[cfg(not(feature = "std"))]
    let _ = is_first;
}

/// The same of calls that make their output.
#[cfg(feature = "std")]
fn collected<T: Sample, I: Index>(
    case: &Case,
    (gather, input, indices): (&Gather, &[T], &[I]),
    result: Result<(), Error>,
    expected: &[T],
    is_first: bool,
) {
    let Tensor { sizes, strides, offset, .. } = &case.flat;
    let elements: usize = sizes.iter().product();
    let forwards = |(size, stride): (&usize, &isize)| (size - 1) * stride.max(&0).unsigned_abs();
    let extent = match elements {
        0 => 0,
        _ => offset + sizes.iter().zip(strides).map(forwards).sum::<usize>() + 1,
    };
    let packed = extent == elements;
    let before = [T::sample(3); 2];
    for checked in [false, true] {
        if checked && !is_first {
            continue;
        }
        let mut found = before.to_vec();
        let outcome = match gather.check(indices) {
            Ok(proven) if checked => proven.collect_into(input, &mut found),
            _ => gather.collect_into(input, indices, &mut found),
        };
        let (start, end) = found.split_at(2);
        assert!(equal(start, &before), "collect, {}\n{case:?}", path::name());
        match result {
            Ok(()) if !packed => {
                let (expected, found) = (elements, extent);
                assert_eq!(outcome, Err(Error::OutputNotPacked { expected, found }), "{case:?}");
            }
            Err(error) if packed => assert_eq!(outcome, Err(error), "collect\n{case:?}"),
            Err(_) => assert!(outcome.is_err(), "collect\n{case:?}"),
            Ok(()) => {
                assert_eq!(outcome, Ok(()), "collect, {}\n{case:?}", path::name());
                assert!(equal(end, &expected[..extent]), "collect, {}\n{case:?}", path::name());
            }
        }
        if outcome.is_err() {
            assert!(end.is_empty(), "collect\n{case:?}");
        }
    }
}

/// The number of parts of [`check_scatter`].
pub const SCATTERS: u64 = 8;

/// A scatter: assignment by indices of every type, and with every kind of element; a function that
/// tells every order of updates; duplicates.
#[inline]
pub fn check_scatter(case: &Case) {
    (0..SCATTERS).for_each(|part| check_scatter_part(case, part));
}

#[inline]
pub fn check_scatter_part(case: &Case, part: u64) {
    if part < 2 {
        let moves = &oracle::moves(case);
        return match part {
            0 => with_indices!(case, indices => assign(case, moves, indices, samples::<i64>)),
            _ => with_indices!(case, indices => unique(case, moves, indices)),
        };
    }
    // A reduction of the crate's own may run on a copy; bytes may need no look.
    let add = u8::wrapping_add;
    if part == 2 {
        let case = &case.with_index(IndexType::U8);
        let (moves, indices) = (oracle::moves(case), case.indices_as::<u8>());
        return reduce(case, &moves, &indices, Add, add, Nan::Exact);
    }
    let case = &case.with_index(IndexType::I64);
    let (moves, indices) = (&oracle::moves(case), &case.indices_as::<i64>());
    let order = |current: i64, update: i64| current.wrapping_mul(31).wrapping_add(update);
    match part {
        3 => {
            reduce(case, moves, indices, order, order, Nan::Exact);
            if let Some(case) = &case.as_rows() {
                let (moves, indices) = (oracle::moves(case), case.indices_as::<i64>());
                reduce(case, &moves, &indices, order, order, Nan::Exact);
                assign(case, &moves, &indices, samples::<f32>);
            }
        }
        4 => reduce(case, moves, indices, Assign, |_, update: f32| update, Nan::Exact),
        5 => assign(case, moves, indices, samples::<u8>),
        6 => assign(case, moves, indices, samples::<Pixel>),
        _ => assign(case, moves, indices, samples::<[u8; 3]>),
    }
}

/// `run`, `run_into`, `check` and their kin. (`samples` says of which elements.)
pub fn assign<T: Sample, I: Index>(
    case: &Case,
    moves: &[Move],
    indices: &[I],
    samples: fn(usize, u64, u64) -> Vec<T>,
) {
    let scatter = case.scatter().expect("the case is valid");
    let [input, before] = [0, 2].map(|stream| samples(case.table.len, case.seed, stream));
    let updates = samples(case.flat.len, case.seed, 1);
    let result = oracle::first_out_of_bounds(moves);
    let mut expected = input.clone();
    oracle::scatter(moves, &mut expected, &updates, true, |_, update| update);
    let expected_into = into_layout(case, &result, &expected, &before);
    let in_place = [&input[..], &expected, &expected];
    let into = [&before[..], &expected_into, &expected_into];
    let (reversed, elements) = reversed(case, &input);

    let mut data = Written::new(case, input.len(), Nan::Exact);
    path::each(|is_first| {
        data.call("run", result, in_place, |data| scatter.run(data, indices, &updates));
        if is_first {
            data.call("run_shared", result, in_place, |data| {
                scatter.run_shared(data, indices, &updates)
            });
            if let Some(rows) = case.rows() {
                data.call("rows", result, in_place, |data| rows.scatter(data, indices, &updates));
            }
        }
        data.call("run_into", result, into, |output| {
            scatter.run_into(&input, indices, &updates, output)
        });
        data.call("run_from", result, into, |output| {
            scatter.run_from(&reversed, &elements, indices, &updates, output)
        });
        let checked = scatter.check(indices);
        assert_eq!(checked.map(|_| ()), result, "check, {}\n{case:?}", path::name());
        let Ok(checked) = checked else { return };
        for _ in 0..1 + u8::from(is_first) {
            data.call("checked run", result, in_place, |data| checked.run(data, &updates));
            data.call("checked run_into", result, into, |output| {
                checked.run_into(&input, &updates, output)
            });
        }
    });
}

/// The table in another layout: its dimensions lie in the other order, and backwards.
fn reversed<T: Sample>(case: &Case, table: &[T]) -> (Layout, Vec<T>) {
    let sizes = &case.table.sizes;
    let count: usize = sizes.iter().product();
    let (mut strides, mut next) = (vec![], -1_isize);
    for size in sizes {
        strides.push(next);
        next *= (*size).max(1) as isize;
    }
    let offset = count.saturating_sub(1);
    let mut elements = vec![T::sample(3); count];
    oracle::each(sizes, |c| {
        let steps = c.iter().zip(&strides).map(|(c, stride)| *c as isize * stride);
        elements[offset.wrapping_add_signed(steps.sum())] = table[case.table.address(c)];
    });
    (Layout::from_parts(sizes, &strides, offset).unwrap(), elements)
}

/// What a functional scatter leaves: the elements of the data's layout changed, all others and
/// everything after an error as before.
fn into_layout<T: Copy>(
    case: &Case,
    result: &Result<(), Error>,
    in_place: &[T],
    before: &[T],
) -> Vec<T> {
    let mut output = before.to_vec();
    if result.is_ok() {
        oracle::each(&case.table.sizes, |c| {
            let place = case.table.address(c);
            output[place] = in_place[place];
        });
    }
    output
}

/// One reduction through every entry point, compared with the plain function that it should be.
pub fn reduce<T: Sample, I: Index, R: Reduction<T> + Copy>(
    case: &Case,
    moves: &[Move],
    indices: &[I],
    reduction: R,
    combine: impl Fn(T, T) -> T,
    nan: Nan,
) {
    let scatter = case.scatter().expect("the case is valid");
    let [input, before] = [0, 2].map(|stream| samples::<T>(case.table.len, case.seed, stream));
    let updates = samples::<T>(case.flat.len, case.seed, 1);
    let result = oracle::first_out_of_bounds(moves);
    let (mut including, mut excluding) = (input.clone(), input.clone());
    oracle::scatter(moves, &mut including, &updates, true, &combine);
    oracle::scatter(moves, &mut excluding, &updates, false, &combine);
    let mut twice = excluding.clone();
    oracle::scatter(moves, &mut twice, &updates, true, &combine);
    let expected_into = into_layout(case, &result, &including, &before);
    let in_place = [&input[..], &including, &including];
    let excluding = [&input[..], &excluding, &excluding];
    let into = [&before[..], &expected_into, &expected_into];
    let mut flags = vec![u32::MAX; scatter.flags_len()];

    let mut data = Written::new(case, input.len(), nan);
    data.call("reduce_excluding_self", result, excluding, |data| {
        scatter.reduce_excluding_self(reduction, data, indices, &updates, &mut flags)
    });
    // The second call goes on where the first one ended.
    let mut kept = vec![0; scatter.flags_len()];
    data.call("continue_excluding_self", result, [&input, &twice, &twice], |data| {
        let mut run =
            || scatter.continue_excluding_self(reduction, data, indices, &updates, &mut kept);
        let first = run();
        assert_eq!(first, run(), "continue_excluding_self\n{case:?}");
        first
    });
    path::each(|is_first| {
        data.call("reduce", result, in_place, |data| {
            scatter.reduce(reduction, data, indices, &updates)
        });
        if is_first {
            data.call("reduce_shared", result, in_place, |data| {
                scatter.reduce_shared(reduction, data, indices, &updates)
            });
            if let Some(rows) = case.rows() {
                data.call("rows", result, in_place, |data| {
                    rows.reduce(reduction, data, indices, &updates)
                });
            }
        }
        data.call("reduce_into", result, into, |output| {
            scatter.reduce_into(reduction, &input, indices, &updates, output)
        });
        let Ok(checked) = scatter.check(indices) else { return };
        for _ in 0..1 + u8::from(is_first) {
            data.call("checked reduce", result, in_place, |data| {
                checked.reduce(reduction, data, &updates)
            });
            data.call("checked reduce_into", result, into, |output| {
                checked.reduce_into(reduction, &input, &updates, output)
            });
        }
        if is_first {
            data.call("checked reduce_excluding_self", result, excluding, |data| {
                checked.reduce_excluding_self(reduction, data, &updates, &mut flags)
            });
        }
    });
}

/// Sums are held in `W`.
fn mean<T: Sample + Average, W: Copy, I: Index>(
    case: &Case,
    moves: &[Move],
    indices: &[I],
    widen: impl Fn(T) -> W,
    add: impl Fn(W, W) -> W,
    divide: impl Fn(W, u64) -> T,
) where
    Add: Reduction<T>,
{
    let scatter = case.scatter().expect("the case is valid");
    let (input, updates) =
        (samples::<T>(case.table.len, case.seed, 0), samples::<T>(case.flat.len, case.seed, 1));
    let result = oracle::first_out_of_bounds(moves);
    let wide: Vec<W> = updates.iter().map(|value| widen(*value)).collect();
    let mut scratch = vec![u32::MAX; scatter.mean_len::<T>()];
    let mut data = Written::new(case, input.len(), Nan::Any);
    for include_self in [true, false] {
        let mut expected = input.clone();
        let mut sums: Vec<W> = input.iter().map(|value| widen(*value)).collect();
        let hits = oracle::scatter(moves, &mut sums, &wide, include_self, &add);
        for (place, hits) in hits.into_iter().enumerate().filter(|(_, hits)| *hits > 0) {
            expected[place] = divide(sums[place], hits + u64::from(include_self));
        }
        let tensors = [&input[..], &expected, &expected];
        for _ in 0..2 {
            data.call("mean", result, tensors, |data| {
                if include_self {
                    scatter.mean(data, indices, &updates, &mut scratch)
                } else {
                    scatter.mean_excluding_self(data, indices, &updates, &mut scratch)
                }
            });
        }
        let Ok(checked) = scatter.check(indices) else { continue };
        data.call("checked mean", result, tensors, |data| {
            if include_self {
                checked.mean(data, &updates, &mut scratch)
            } else {
                checked.mean_excluding_self(data, &updates, &mut scratch)
            }
        });
    }
}

fn unique<I: Index>(case: &Case, moves: &[Move], indices: &[I]) {
    let scatter = case.scatter().expect("the case is valid");
    let mut flags = vec![u32::MAX; scatter.flags_len()];
    let expected = oracle::first_out_of_bounds(moves).and_then(|()| oracle::first_duplicate(moves));
    assert_eq!(
        scatter.check_unique(indices, &mut flags).map(|_| ()),
        expected,
        "check_unique\n{case:?}"
    );
    if let (Some(short), true) =
        (scatter.flags_len().checked_sub(1), oracle::first_out_of_bounds(moves).is_ok())
    {
        let expected = Error::ScratchTooShort { expected: short + 1, found: short };
        assert_eq!(
            scatter.check_unique(indices, &mut flags[..short]).map(|_| ()),
            Err(expected),
            "check_unique\n{case:?}"
        );
    }
}

/// A type with all reductions that it has.
pub trait Reductions: Sample {
    /// The number of reductions.
    const NUMBER: u64;

    fn check_part<I: Index>(case: &Case, moves: &[Move], indices: &[I], part: u64);
}

/// Checks them by indices of one type: [`check_scatter`] reduces by those of all.
pub fn check_reductions<T: Reductions>(case: &Case) {
    (0..T::NUMBER).for_each(|part| check_reductions_part::<T>(case, part));
}

/// Checks one of them.
pub fn check_reductions_part<T: Reductions>(case: &Case, part: u64) {
    let case = &case.with_index(IndexType::I64);
    T::check_part(case, &oracle::moves(case), &case.indices_as::<i64>(), part % T::NUMBER);
}

/// The number of parts of [`check_any_reduction`].
pub const REDUCTIONS: u64 = 54;

/// Checks one reduction of one type.
#[inline]
pub fn check_any_reduction(case: &Case, part: u64) {
    let check = [
        check_reductions_part::<u8>,
        check_reductions_part::<i16>,
        check_reductions_part::<i64>,
        check_reductions_part::<bool>,
        check_reductions_part::<f16>,
        check_reductions_part::<bf16>,
        check_reductions_part::<f32>,
        check_reductions_part::<f64>,
    ];
    let numbers = [u8::NUMBER, i16::NUMBER, i64::NUMBER, bool::NUMBER];
    let numbers = numbers.into_iter().chain([f16::NUMBER; 4]);
    let mut part = part;
    for (check, number) in check.into_iter().zip(numbers) {
        if part < number {
            return check(case, part);
        }
        part -= number;
    }
}

/// Integers, computed exactly and cut to their width.
macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Reductions for $t {
            const NUMBER: u64 = 9;

            fn check_part<I: Index>(case: &Case, moves: &[Move], indices: &[I], part: u64) {
                let add = |a: $t, b: $t| (a as i128 + b as i128) as $t;
                let sub = |a: $t, b: $t| (a as i128 - b as i128) as $t;
                let mul = |a: $t, b: $t| (a as i128 * b as i128) as $t;
                let min = |a: $t, b: $t| if a < b { a } else { b };
                let max = |a: $t, b: $t| if a > b { a } else { b };
                let and = |a: $t, b: $t| !(!a | !b);
                let or = |a: $t, b: $t| !(!a & !b);
                let xor = |a: $t, b: $t| (a & !b) | (!a & b);
                match part {
                    0 => reduce(case, moves, indices, Add, add, Nan::Exact),
                    1 => reduce(case, moves, indices, Sub, sub, Nan::Exact),
                    2 => reduce(case, moves, indices, Mul, mul, Nan::Exact),
                    3 => reduce(case, moves, indices, Min, min, Nan::Exact),
                    4 => reduce(case, moves, indices, Max, max, Nan::Exact),
                    5 => reduce(case, moves, indices, And, and, Nan::Exact),
                    6 => reduce(case, moves, indices, Or, or, Nan::Exact),
                    7 => reduce(case, moves, indices, Xor, xor, Nan::Exact),
                    _ => mean(
                        case,
                        moves,
                        indices,
                        |value: $t| value as i128,
                        |a, b| a + b,
                        |sum, count| {
                            let count = count as i128;
                            ((sum - sum.rem_euclid(count)) / count) as $t // Rounded down.
                        },
                    ),
                }
            }
        }
    )*};
}
integers!(u8 i16 i64);

impl Reductions for bool {
    const NUMBER: u64 = 3;

    fn check_part<I: Index>(case: &Case, moves: &[Move], indices: &[I], part: u64) {
        match part {
            0 => reduce(case, moves, indices, And, |a: bool, b: bool| a && b, Nan::Exact),
            1 => reduce(case, moves, indices, Or, |a: bool, b: bool| a || b, Nan::Exact),
            _ => reduce(case, moves, indices, Xor, |a: bool, b: bool| a != b, Nan::Exact),
        }
    }
}

/// Floats, computed in `$wide` and rounded once.
macro_rules! floats {
    ($($t:ident in $wide:ident: $widen:expr, $round:expr;)*) => {$(
        impl Reductions for $t {
            const NUMBER: u64 = 6;

            fn check_part<I: Index>(case: &Case, moves: &[Move], indices: &[I], part: u64) {
                let (widen, round): (fn($t) -> $wide, fn($wide) -> $t) = ($widen, $round);
                let add = |a: $t, b: $t| round(widen(a) + widen(b));
                let sub = |a: $t, b: $t| round(widen(a) - widen(b));
                let mul = |a: $t, b: $t| round(widen(a) * widen(b));
                let divide =
                    |sum: $wide, count: u64| round((f64::from(sum) / count as f64) as $wide);
                let extreme = |a: $t, b: $t, take_b: fn($wide, $wide) -> bool| {
                    match (widen(a), widen(b)) {
                        (x, _) if x.is_nan() => a,
                        (_, y) if y.is_nan() => b,
                        (x, y) => if take_b(x, y) { b } else { a },
                    }
                };
                // Where two numbers are equal and their bits are not, they are the two zeros.
                let min = |a, b| extreme(a, b, |x, y| y < x || (y == x && y.is_sign_negative()));
                let max = |a, b| extreme(a, b, |x, y| y > x || (y == x && y.is_sign_positive()));
                match part {
                    0 => reduce(case, moves, indices, Add, add, Nan::Any),
                    1 => reduce(case, moves, indices, Sub, sub, Nan::Any),
                    2 => reduce(case, moves, indices, Mul, mul, Nan::Any),
                    3 => reduce(case, moves, indices, Min, min, Nan::Exact),
                    4 => reduce(case, moves, indices, Max, max, Nan::Exact),
                    _ => mean(case, moves, indices, widen, |a, b| a + b, divide),
                }
            }
        }
    )*};
}
floats!(
    f16 in f32: f16::to_f32, f16::from_f32;
    bf16 in f32: bf16::to_f32, bf16::from_f32;
    f32 in f32: |x| x, |x| x;
    f64 in f64: |x| x, |x| x;
);

/// Slices that end with the last element of their layout are accepted; one element less is refused,
/// whichever operand lacks it.
#[inline]
pub fn check_slice_lengths(case: &Case, direction: Direction) {
    let case = &Case { bounds: Bounds::Wrap, ..case.clone() };
    let operands = match direction {
        Direction::Gather => [Operand::Input, Operand::Indices, Operand::Output],
        Direction::Scatter => [Operand::Data, Operand::Indices, Operand::Updates],
    };
    let needs = [&case.table, &case.indices, &case.flat].map(|tensor| {
        places(&tensor.sizes, &tensor.strides, tensor.offset)
            .into_iter()
            .max()
            .map_or(0, |last| last + 1)
    });
    let run = |[table, indices, flat]: [usize; 3]| {
        let values: Vec<i8> = case.values[..indices].iter().map(|&value| value as i8).collect();
        let (mut table, mut flat) = (vec![1_u8; table], vec![2_u8; flat]);
        let result = match direction {
            Direction::Gather => case.gather()?.run(&table, &values, &mut flat),
            Direction::Scatter => case.scatter()?.run(&mut table, &values, &flat),
        };
        let is_as_before =
            table.iter().all(|element| *element == 1) && flat.iter().all(|element| *element == 2);
        assert!(result.is_ok() || is_as_before, "{case:?}");
        result
    };
    assert_eq!(run(needs), Ok(()), "{case:?}");
    for (position, operand) in
        operands.into_iter().enumerate().filter(|&(position, _)| needs[position] > 0)
    {
        let mut short = needs;
        short[position] -= 1;
        let expected =
            Error::SliceTooShort { operand, expected: needs[position], found: short[position] };
        assert_eq!(run(short), Err(expected), "{case:?}");
    }
}

/// The shape functions return the sizes that the constructors demand.
#[inline]
pub fn check_shapes(case: &Case) {
    let (table, indices) = (&case.table.sizes, &case.indices.sizes);
    let found = match case.operator {
        Operator::Axis(axis) => shape::axis(table, indices, axis),
        Operator::Elements(axis) => shape::elements(table, indices, axis),
        Operator::Nd(batch_dims) => shape::nd(table, indices, batch_dims),
        Operator::Axes { axes, count } => shape::axes(table, indices, &axes[..count]),
        Operator::Sequence { .. } => return,
    };
    assert_eq!(found.unwrap(), case.flat.sizes[..], "{case:?}");
    check_packed(case);
}

/// A plan that sizes its flat tensor is that of the packed one, and knows all lengths.
#[inline]
fn check_packed(case: &Case) {
    let flat = Layout::from_sizes(&case.flat.sizes).unwrap();
    let (table, indices) = (case.table.layout().unwrap(), case.indices.layout().unwrap());
    macro_rules! check {
        ($plan:ident, $lengths:expr) => {
            let (sized, given) = match case.operator {
                Operator::Axis(axis) => (
                    $plan::axis_packed(&table, &indices, axis),
                    $plan::axis(&table, &indices, &flat, axis),
                ),
                Operator::Elements(axis) => (
                    $plan::elements_packed(&table, &indices, axis),
                    $plan::elements(&table, &indices, &flat, axis),
                ),
                Operator::Nd(batch_dims) => (
                    $plan::nd_packed(&table, &indices, batch_dims),
                    $plan::nd(&table, &indices, &flat, batch_dims),
                ),
                Operator::Axes { axes, count } => (
                    $plan::axes_packed(&table, &indices, &axes[..count]),
                    $plan::axes(&table, &indices, &flat, &axes[..count]),
                ),
                Operator::Sequence { .. } => return,
            };
            assert_eq!(sized, given.map(|plan| (plan, flat)), "{case:?}");
            if let Ok(plan) = given {
                let lengths = [table, indices, flat].map(|layout| layout.extent().unwrap());
                assert_eq!($lengths(plan), lengths, "{case:?}");
            }
        };
    }
    check!(Gather, |plan: Gather| [plan.input_len(), plan.indices_len(), plan.output_len()]);
    check!(Scatter, |plan: Scatter| [plan.data_len(), plan.indices_len(), plan.updates_len()]);
}

/// A constructor never panics. If it makes a plan all the same, the plan demands slices of the
/// lengths that exact arithmetic demands, and runs on these.
#[inline]
pub fn check_hostile(case: &Case) {
    const LONGEST: usize = 1 << 12;
    let length = |tensor: &Tensor| -> i128 {
        if tensor.sizes.contains(&0) {
            return 0;
        }
        // Hostile sizes and strides exceed even 128 bits; such a plan is not made.
        let reach =
            |(&size, &stride): (&usize, &isize)| (size as i128 - 1) * (stride as i128).max(0);
        tensor
            .sizes
            .iter()
            .zip(&tensor.strides)
            .map(reach)
            .fold(tensor.offset as i128 + 1, i128::saturating_add)
    };
    let needs = [&case.table, &case.indices, &case.flat].map(length);
    let gather = case.gather().map(|gather| gather.run::<u8, i64>(&[], &[], &mut []));
    let scatter = case.scatter().map(|scatter| scatter.run::<u8, i64>(&mut [], &[], &[]));
    for (run, names) in [
        (gather, [Operand::Input, Operand::Indices, Operand::Output]),
        (scatter, [Operand::Data, Operand::Indices, Operand::Updates]),
    ] {
        match run {
            // The plan was refused.
            Err(_) => {}
            Ok(Ok(())) => assert_eq!(needs, [0; 3], "{case:?}"),
            Ok(Err(Error::SliceTooShort { operand, expected, found: 0 })) => {
                let position = names.iter().position(|&name| name == operand).unwrap();
                assert_eq!(expected as i128, needs[position], "{operand:?}\n{case:?}");
            }
            Ok(Err(error)) => panic!("{error:?}\n{case:?}"),
        }
    }
    if gather.is_ok() || scatter.is_ok() {
        check_shapes(case);
    }
    // Broadcast tensors may take long.
    let products = [&case.table, &case.indices, &case.flat]
        .map(|tensor| tensor.sizes.iter().fold(1, |all: usize, size| all.saturating_mul(*size)));
    if needs.iter().any(|need| *need > LONGEST as i128)
        || products.iter().any(|product| *product > LONGEST)
    {
        return;
    }
    let [table, indices, flat] = needs.map(|need| need as usize);
    let values = case.values.iter().copied().chain(std::iter::repeat(0)).take(indices);
    let values: Vec<i64> =
        values.map(|value| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64).collect();
    let results = [
        case.gather().map(|gather| gather.run(&vec![0_u8; table], &values, &mut vec![0; flat])),
        case.scatter().map(|scatter| scatter.run(&mut vec![0_u8; table], &values, &vec![0; flat])),
    ];
    for result in results.into_iter().flatten() {
        assert!(
            matches!(result, Ok(()) | Err(Error::IndexOutOfBounds { .. })),
            "{result:?}\n{case:?}"
        );
    }
}
