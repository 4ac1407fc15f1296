//! Runs crate and oracle on a case, and compares every byte.

use half::{bf16, f16};
use strew::{
    Add, And, Assign, Average, Bounds, Error, Gather, Index, Max, Min, Mul, Operand, Or, Reduction,
    Sub, Xor, shape,
};

use super::case::{Case, IndexType, Operator, Tensor, places, with_indices};
use super::generate::Direction;
use super::oracle::{self, Move};
use super::values::{Nan, Pixel, Sample, same, samples};

/// Fails with the case and the first element that differs.
fn assert_same<T: Sample>(case: &Case, what: &str, found: &[T], expected: &[T], nan: Nan) {
    if bytemuck::cast_slice::<T, u8>(found) == bytemuck::cast_slice::<T, u8>(expected) {
        return;
    }
    for (position, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            same(found, expected, nan),
            "{what}: [{position}] is {found:?}, should be {expected:?}\n{case:?}"
        );
    }
    assert_eq!(found.len(), expected.len());
}

/// The number of parts of [`check_gather`].
pub const GATHERS: u64 = 6;

/// A gather with the indices in their own type, and with every kind of element.
pub fn check_gather(case: &Case) {
    (0..GATHERS).for_each(|part| check_gather_part(case, part));
}

pub fn check_gather_part(case: &Case, part: u64) {
    macro_rules! wide {
        ($signed:ty, $unsigned:ty) => {
            with_wide_indices(
                case,
                |indices| gather_of::<$signed, _>(case, &oracle::moves(case), indices),
                |indices| gather_of::<$unsigned, _>(case, &oracle::moves(case), indices),
            )
        };
    }
    match part {
        0 => {
            with_indices!(case, indices => gather_of::<i64, _>(case, &oracle::moves(case), indices))
        }
        1 => wide!(u8, u8),
        2 => wide!(Pixel, f16),
        3 => wide!([u8; 3], f64),
        4 => wide!(f32, bool),
        _ => wide!(bf16, i16),
    }
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

    for (name, run) in
        [("run", Gather::run as fn(&_, &_, &_, &mut _) -> _), ("run_shared", Gather::run_shared)]
    {
        let mut output = before.clone();
        assert_eq!(run(&gather, &input, indices, &mut output), result, "{name}\n{case:?}");
        if result.is_ok() {
            assert_same(case, name, &output, &expected, Nan::Exact);
            continue;
        }
        // What comes before the bad entry may have been gathered or not; the rest is as it was, in
        // `expected` too.
        for position in 0..output.len() {
            let (found, old, new) = (output[position], before[position], expected[position]);
            assert!(
                same(found, old, Nan::Exact) || same(found, new, Nan::Exact),
                "after an error: [{position}] is {found:?}\n{case:?}"
            );
        }
    }

    let checked = gather.check(indices);
    assert_eq!(checked.map(|_| ()), result, "check\n{case:?}");
    let Ok(checked) = checked else { return };
    for _ in 0..2 {
        let mut output = before.clone();
        assert_eq!(checked.run(&input, &mut output), Ok(()), "checked\n{case:?}");
        assert_same(case, "checked", &output, &expected, Nan::Exact);
    }
}

/// The number of parts of [`check_scatter`].
pub const SCATTERS: u64 = 6;

/// A scatter with the indices in their own type: assignment, a function that tells every order of
/// updates, and duplicates; and other elements.
pub fn check_scatter(case: &Case) {
    (0..SCATTERS).for_each(|part| check_scatter_part(case, part));
}

pub fn check_scatter_part(case: &Case, part: u64) {
    let moves = oracle::moves(case);
    let order = |current: i64, update: i64| current.wrapping_mul(31).wrapping_add(update);
    macro_rules! wide {
        ($signed:ty, $unsigned:ty) => {
            with_wide_indices(
                case,
                |indices| assign(case, &moves, indices, samples::<$signed>),
                |indices| assign(case, &moves, indices, samples::<$unsigned>),
            )
        };
    }
    match part {
        0 => with_indices!(case, indices => assign(case, &moves, indices, samples::<Pixel>)),
        1 => {
            with_indices!(case, indices => reduce(case, &moves, indices, order, order, Nan::Exact))
        }
        2 => with_indices!(case, indices => unique(case, &moves, indices)),
        // A reduction of the crate's own, which may run on a copy.
        3 => {
            let add = u8::wrapping_add;
            with_indices!(case, indices => reduce(case, &moves, indices, Add, add, Nan::Exact))
        }
        4 => wide!([u8; 3], f32),
        _ => wide!(bool, u8),
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

    let mut data = input.clone();
    assert_eq!(scatter.run(&mut data, indices, &updates), result, "run\n{case:?}");
    assert_same(case, "run", &data, &expected, Nan::Exact);

    let mut data = input.clone();
    assert_eq!(scatter.run_shared(&mut data, indices, &updates), result, "run_shared\n{case:?}");
    assert_same(case, "run_shared", &data, &expected, Nan::Exact);

    let mut output = before.clone();
    assert_eq!(
        scatter.run_into(&input, indices, &updates, &mut output),
        result,
        "run_into\n{case:?}"
    );
    assert_same(case, "run_into", &output, &expected_into, Nan::Exact);

    let checked = scatter.check(indices);
    assert_eq!(checked.map(|_| ()), result, "check\n{case:?}");
    let Ok(checked) = checked else { return };
    for _ in 0..2 {
        let (mut data, mut output) = (input.clone(), before.clone());
        assert_eq!(checked.run(&mut data, &updates), Ok(()), "checked run\n{case:?}");
        assert_same(case, "checked run", &data, &expected, Nan::Exact);
        assert_eq!(
            checked.run_into(&input, &updates, &mut output),
            Ok(()),
            "checked run_into\n{case:?}"
        );
        assert_same(case, "checked run_into", &output, &expected_into, Nan::Exact);
    }
    reduce(case, moves, indices, Assign, |_, update: T| update, Nan::Exact);
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
        for place in places(&case.table.sizes, &case.table.strides, case.table.offset) {
            output[place] = in_place[place];
        }
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
    let expected_into = into_layout(case, &result, &including, &before);
    let mut flags = vec![u32::MAX; scatter.flags_len()];

    let mut data = input.clone();
    assert_eq!(scatter.reduce(reduction, &mut data, indices, &updates), result, "reduce\n{case:?}");
    assert_same(case, "reduce", &data, &including, nan);

    let mut data = input.clone();
    assert_eq!(
        scatter.reduce_shared(reduction, &mut data, indices, &updates),
        result,
        "reduce_shared\n{case:?}"
    );
    assert_same(case, "reduce_shared", &data, &including, nan);

    let mut output = before.clone();
    assert_eq!(
        scatter.reduce_into(reduction, &input, indices, &updates, &mut output),
        result,
        "reduce_into\n{case:?}"
    );
    assert_same(case, "reduce_into", &output, &expected_into, nan);

    let mut data = input.clone();
    let found = scatter.reduce_excluding_self(reduction, &mut data, indices, &updates, &mut flags);
    assert_eq!(found, result, "reduce_excluding_self\n{case:?}");
    assert_same(case, "reduce_excluding_self", &data, &excluding, nan);

    let Ok(checked) = scatter.check(indices) else { return };
    for _ in 0..2 {
        let (mut data, mut output) = (input.clone(), before.clone());
        assert_eq!(
            checked.reduce(reduction, &mut data, &updates),
            Ok(()),
            "checked reduce\n{case:?}"
        );
        assert_same(case, "checked reduce", &data, &including, nan);
        assert_eq!(
            checked.reduce_into(reduction, &input, &updates, &mut output),
            Ok(()),
            "checked reduce_into\n{case:?}"
        );
        assert_same(case, "checked reduce_into", &output, &expected_into, nan);
        let mut data = input.clone();
        assert_eq!(
            checked.reduce_excluding_self(reduction, &mut data, &updates, &mut flags),
            Ok(()),
            "checked excluding\n{case:?}"
        );
        assert_same(case, "checked reduce_excluding_self", &data, &excluding, nan);
    }
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
    for include_self in [true, false] {
        let mut expected = input.clone();
        let mut sums: Vec<W> = input.iter().map(|value| widen(*value)).collect();
        let wide: Vec<W> = updates.iter().map(|value| widen(*value)).collect();
        for (place, hits) in oracle::scatter(moves, &mut sums, &wide, include_self, &add) {
            expected[place] = divide(sums[place], hits + u64::from(include_self));
        }
        let mut scratch = vec![u32::MAX; scatter.mean_len::<T>()];
        for _ in 0..2 {
            let mut data = input.clone();
            let found = if include_self {
                scatter.mean(&mut data, indices, &updates, &mut scratch)
            } else {
                scatter.mean_excluding_self(&mut data, indices, &updates, &mut scratch)
            };
            assert_eq!(found, result, "mean\n{case:?}");
            assert_same(case, "mean", &data, &expected, Nan::Any);
        }
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
pub fn check_shapes(case: &Case) {
    let (table, indices) = (&case.table.sizes, &case.indices.sizes);
    let found = match case.operator {
        Operator::Axis(axis) => shape::axis(table, indices, axis),
        Operator::Elements(axis) => shape::elements(table, indices, axis),
        Operator::Nd(batch_dims) => shape::nd(table, indices, batch_dims),
    };
    assert_eq!(found.unwrap(), case.flat.sizes[..], "{case:?}");
}

/// A constructor never panics. If it makes a plan all the same, the plan demands slices of the
/// lengths that exact arithmetic demands, and runs on these.
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
