//! Indices that do not count, against the oracle.

use std::collections::BTreeSet;

use strew::{Add, Bounds, Index, Nullable};

use super::case::{Case, with_indices};
use super::oracle::{self, Move, Target};
use super::values::{noise, samples};

/// All but one of some indices count. Of a table without places there is nothing to tell.
#[inline]
pub fn check(case: &Case, one_of: u64) {
    if case.table.sizes.contains(&0) {
        return;
    }
    let valid = noise(case.seed, 5).take(case.values.len()).map(|n| n % one_of > 0);
    let valid: Vec<bool> = valid.collect();
    with_indices!(case, indices => check_as(case, indices, &valid));
}

/// The bits of bools, after some others.
pub fn bits(bools: &[bool], offset: usize) -> Vec<u8> {
    let all: Vec<bool> = (0..offset).map(|n| n % 2 == 0).chain(bools.iter().copied()).collect();
    let byte = |eight: &[bool]| {
        eight.iter().enumerate().fold(0, |byte, (n, bit)| byte | u8::from(*bit) << n)
    };
    all.chunks(8).map(byte).collect()
}

/// The moves of a case without those of entries of which an index does not count.
fn moves(case: &Case, valid: &[bool]) -> Vec<Move> {
    // An entry leads outside in the case that has an index outside where one does not count.
    const NULL: i128 = i128::MAX;
    let mut null = case.clone();
    (null.bounds, null.negative) = (Bounds::Error, strew::Negative::FromEnd);
    null.values
        .iter_mut()
        .zip(valid)
        .for_each(|(value, valid)| *value = if *valid { 0 } else { NULL });
    let outside = |m: &Move| matches!(m.table, Target::OutOfBounds { .. });
    let left_out: BTreeSet<usize> =
        oracle::moves(&null).iter().filter(|m| outside(m)).map(|m| m.entry).collect();
    let mut moves = oracle::moves(case);
    moves
        .iter_mut()
        .filter(|m| left_out.contains(&m.entry))
        .for_each(|m| m.table = Target::LeftOut);
    moves
}

fn check_as<I: Index>(case: &Case, indices: &[I], valid: &[bool]) {
    let (moves, bytes) = (moves(case, valid), bits(valid, 3));
    let both = [Nullable::bools(indices, valid), Nullable::bits(indices, &bytes, 3)];
    let result = oracle::first_out_of_bounds(&moves);
    let (table, flat) =
        (samples::<i64>(case.table.len, case.seed, 1), samples::<i64>(case.flat.len, case.seed, 2));
    for nullable in both {
        if let Some(gather) = case.any_gather() {
            let (mut output, mut expected) = (flat.clone(), flat.clone());
            match gather.check_nullable(nullable) {
                Ok(checked) => checked.run(&table, &mut output).unwrap(),
                Err(error) => assert_eq!(Err(error), result, "{case:?} {valid:?}"),
            }
            if result.is_ok() {
                oracle::gather(&moves, &table, &mut expected);
            }
            assert_eq!(output, expected, "{case:?} {valid:?}");
        }
        if let Ok(scatter) = case.scatter() {
            let (mut data, mut expected) = (table.clone(), table.clone());
            match scatter.check_nullable(nullable) {
                Ok(checked) => {
                    #[cfg(feature = "rayon")]
                    {
                        checked.par_reduce(Add, &mut data, &flat).unwrap();
                        data.clone_from(&table);
                    }
                    checked.reduce(Add, &mut data, &flat).unwrap();
                }
                Err(error) => assert_eq!(Err(error), result, "{case:?} {valid:?}"),
            }
            oracle::scatter(&moves, &mut expected, &flat, true, i64::wrapping_add);
            assert_eq!(data, expected, "{case:?} {valid:?}");
        }
    }
}
