//! Indices in slices of their own, against the oracle, which has them in tuples.

use strew::{Add, Gather, Index, Layout, Scatter};

use super::case::{Case, Operator, with_indices};
use super::check::with_wide_indices;
use super::oracle;
use super::values::samples;

/// A case of tuples of up to 4 coordinates along any axes: each coordinate becomes a list. Pairs
/// are of every index type: not every length is compiled for each.
#[inline]
pub fn check(case: &Case) {
    match case.tuple_len() {
        1 => check_wide::<1>(case),
        2 => with_indices!(case, indices => check_as::<_, 2>(case, indices)),
        3 => check_wide::<3>(case),
        4 => check_wide::<4>(case),
        _ => {}
    }
}

fn check_wide<const K: usize>(case: &Case) {
    with_wide_indices(case, |all| check_as::<_, K>(case, all), |all| check_as::<_, K>(case, all));
}

fn check_as<I: Index, const K: usize>(case: &Case, indices: &[I]) {
    let Operator::Axes { axes, .. } = case.operator else { return };
    let axes: [usize; K] = core::array::from_fn(|k| axes[k]);
    let lists: [Layout; K] = core::array::from_fn(|k| list(case, k));
    let (lists, slices) = (lists.each_ref(), [indices; K]);
    let (table, flat) = (case.table.layout().unwrap(), case.flat.layout().unwrap());
    let moves = oracle::moves(case);
    let result = oracle::first_out_of_bounds(&moves);
    let (input, updates) =
        (samples::<i64>(case.table.len, case.seed, 1), samples::<i64>(case.flat.len, case.seed, 2));

    // The output of a gather must not overlap, nor the data of a scatter.
    if let Ok(gather) = Gather::lists(&table, lists, &flat, axes) {
        let gather = gather.bounds(case.bounds).negative(case.negative);
        let mut expected = updates.clone();
        oracle::gather(&moves, &input, &mut expected);
        let mut output = updates.clone();
        assert_eq!(gather.run(&input, slices, &mut output), result, "{case:?}");
        let old = if result.is_ok() { &expected } else { &updates };
        let mut places = output.iter().zip(&expected).zip(old);
        assert!(places.all(|((found, new), old)| found == new || found == old), "{case:?}");
        let checked = gather.check(slices);
        assert_eq!(checked.as_ref().map(drop).map_err(|error| *error), result, "{case:?}");
        if let Ok(checked) = checked {
            let mut output = updates.clone();
            assert_eq!(checked.run(&input, &mut output), Ok(()), "{case:?}");
            assert_eq!(output, expected, "{case:?}");
        }
    }
    if let Ok(scatter) = Scatter::lists(&table, lists, &flat, axes) {
        let scatter = scatter.bounds(case.bounds).negative(case.negative);
        let (mut set, mut added) = (input.clone(), input.clone());
        oracle::scatter(&moves, &mut set, &updates, true, |_, new| new);
        oracle::scatter(&moves, &mut added, &updates, true, i64::wrapping_add);
        let mut data = input.clone();
        assert_eq!(scatter.run(&mut data, slices, &updates), result, "{case:?}");
        assert_eq!(data, set, "{case:?}");
        let mut data = input.clone();
        assert_eq!(scatter.reduce(Add, &mut data, slices, &updates), result, "{case:?}");
        assert_eq!(data, added, "{case:?}");
    }
}

/// Coordinate `k` of all tuples. Where the indices have a stride of 0, every other list has a size
/// of 1, and is broadcast.
fn list(case: &Case, k: usize) -> Layout {
    let (mut sizes, mut strides) = (case.indices.sizes.clone(), case.indices.strides.clone());
    sizes.pop();
    strides.pop();
    for (size, stride) in sizes.iter_mut().zip(&strides) {
        if *stride == 0 && *size > 0 && k % 2 == 1 {
            *size = 1;
        }
    }
    let distance = case.tuple_step().wrapping_mul(k as isize);
    Layout::from_parts(&sizes, &strides, case.indices.offset.wrapping_add_signed(distance)).unwrap()
}
