//! Moves between types, compared with what the oracle makes of tensors that have been mapped first.

use std::cell::Cell;

use strew::{Add, Index};

use super::case::Case;
use super::check::with_wide_indices;
use super::oracle;
use super::values::samples;

#[inline]
pub fn check_gather(case: &Case) {
    with_wide_indices(case, |indices| gather(case, indices), |indices| gather(case, indices));
}

fn widened(value: u8) -> [i16; 3] {
    let value = i16::from(value);
    [value, -value, value * 7]
}

fn gather<I: Index>(case: &Case, indices: &[I]) {
    let plan = case.gather().expect("the case is valid");
    let moves = oracle::moves(case);
    let result = oracle::first_out_of_bounds(&moves);
    let input = samples::<u8>(case.table.len, case.seed, 0);
    let mapped: Vec<[i16; 3]> = input.iter().copied().map(widened).collect();
    let before: Vec<[i16; 3]> =
        samples::<i16>(case.flat.len, case.seed, 1).into_iter().map(|n| [n; 3]).collect();
    let (mut expected, mut output) = (before.clone(), before.clone());
    oracle::gather(&moves, &mapped, &mut expected);
    assert_eq!(plan.run_map(&input, indices, &mut output, widened), result, "{case:?}");
    let old = if result.is_ok() { &expected } else { &before };
    let mut places = output.iter().zip(&expected).zip(old);
    assert!(places.all(|((found, new), old)| found == new || found == old), "{case:?}");
    let Ok(checked) = plan.check(indices) else { return };
    let mut output = before;
    assert_eq!(checked.run_map(&input, &mut output, widened), Ok(()), "{case:?}");
    assert_eq!(output, expected, "{case:?}");
}

#[inline]
pub fn check_scatter(case: &Case) {
    with_wide_indices(case, |indices| scatter(case, indices), |indices| scatter(case, indices));
}

fn scatter<I: Index>(case: &Case, indices: &[I]) {
    let plan = case.scatter().expect("the case is valid");
    let moves = oracle::moves(case);
    let result = oracle::first_out_of_bounds(&moves);
    let before = samples::<i64>(case.table.len, case.seed, 0);
    let updates = samples::<u8>(case.flat.len, case.seed, 1);
    let map = |update: u8| i64::from(update) * 3 - 5;
    let order = |current: i64, update: i64| current.wrapping_mul(31).wrapping_add(update);
    let mapped: Vec<i64> = updates.iter().copied().map(map).collect();
    let expected = |change: &dyn Fn(i64, i64) -> i64| {
        let mut data = before.clone();
        oracle::scatter(&moves, &mut data, &mapped, true, change);
        data
    };
    let (set, added, ordered) =
        (expected(&|_, new| new), expected(&i64::wrapping_add), expected(&order));
    let calls = Cell::new(0);
    let map = |update: u8| {
        calls.set(calls.get() + 1);
        map(update)
    };

    let mut data = before.clone();
    assert_eq!(plan.run_map(&mut data, indices, &updates, map), result, "{case:?}");
    assert_eq!(data, set, "run_map\n{case:?}");
    let mut data = before.clone();
    assert_eq!(plan.reduce_map(Add, &mut data, indices, &updates, map), result, "{case:?}");
    assert_eq!(data, added, "reduce_map by Add\n{case:?}");
    let mut data = before.clone();
    assert_eq!(plan.reduce_map(order, &mut data, indices, &updates, map), result, "{case:?}");
    assert_eq!(data, ordered, "reduce_map\n{case:?}");
    assert!(result.is_ok() || calls.get() == 0, "mapped before all indices were proven\n{case:?}");

    let Ok(checked) = plan.check(indices) else { return };
    let mut data = before.clone();
    assert_eq!(checked.run_map(&mut data, &updates, map), Ok(()), "{case:?}");
    assert_eq!(data, set, "checked run_map\n{case:?}");
    let mut data = before.clone();
    assert_eq!(checked.reduce_map(order, &mut data, &updates, map), Ok(()), "{case:?}");
    assert_eq!(data, ordered, "checked reduce_map\n{case:?}");
}
