//! The arrow turned round, and where extremes come from, against the oracle.

use strew::{Add, Bounds, Error, Gather, Index, Max, Min, Operand, Scatter};

use super::case::{Case, with_indices};
use super::oracle::{self, Target};
use super::values::noise;

fn integers(len: usize, seed: u64) -> Vec<i64> {
    noise(seed, 3).take(len).map(|n| (n % 19) as i64 - 9).collect()
}

fn product(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `<gather(x), y> = <x, scatter(y)>`, exactly. What is outside a layout is 0.
fn check_pair<I: Index>(case: &Case, gather: &Gather, scatter: &Scatter, indices: &[I]) {
    let moves = oracle::moves(case);
    let (x, y) = (integers(case.table.len, case.seed), integers(case.flat.len, !case.seed));
    let (mut gathered, mut scattered) = (vec![0; y.len()], vec![0; x.len()]);
    let result = oracle::first_out_of_bounds(&moves);
    let found = scatter.reduce(Add, &mut scattered, indices, &y);
    assert_eq!(found, result, "{case:?}");
    assert_eq!(gather.run(&x, indices, &mut gathered), result, "{case:?}");
    if result.is_ok() {
        assert_eq!(product(&gathered, &y), product(&x, &scattered), "{case:?}");
    }
}

/// A gather, and the scatter that goes the other way.
#[inline]
pub fn check_gather(case: &Case) {
    let gather = case.gather().unwrap();
    let overlaps = match (case.bounds, case.scatter()) {
        (Bounds::Clamp, _) => Err(Error::NoAdjoint),
        (_, Ok(scatter)) => Ok(scatter),
        (_, Err(error)) => Err(error),
    };
    assert_eq!(gather.adjoint(), overlaps, "{case:?}");
    let Ok(scatter) = gather.adjoint() else { return };
    with_indices!(case, indices => check_pair(case, &gather, &scatter, indices));
    assert_eq!(scatter.adjoint(), Ok(gather), "{case:?}");
}

/// A scatter, and the gather that goes the other way, if the updates do not overlap.
#[inline]
pub fn check_scatter(case: &Case) {
    let scatter = case.scatter().unwrap();
    match scatter.adjoint() {
        Err(error) if case.bounds == Bounds::Clamp => assert_eq!(error, Error::NoAdjoint),
        Err(Error::OverlappingOutput { operand, .. }) => assert_eq!(operand, Operand::Output),
        Err(error) => panic!("{error:?}: {case:?}"),
        Ok(gather) => {
            with_indices!(case, indices => check_pair(case, &gather, &scatter, indices));
            assert_eq!(gather.adjoint(), Ok(scatter), "{case:?}");
        }
    }
}

/// The first of the largest (or smallest) wins, over what is there.
pub fn check_winners<I: Index>(case: &Case, indices: &[I]) {
    let (moves, scatter) = (oracle::moves(case), case.scatter().unwrap());
    let result = oracle::first_out_of_bounds(&moves);
    let before = integers(case.table.len, case.seed);
    let updates = integers(case.flat.len, !case.seed);
    let kept: Vec<usize> = (1000..).take(before.len()).collect();
    for largest in [true, false] {
        let (mut expected, mut winners) = (before.clone(), kept.clone());
        for entry in moves.iter().filter(|_| result.is_ok()) {
            let Target::At(place) = entry.table else { continue };
            let update = updates[entry.flat];
            let better = if largest { update > expected[place] } else { update < expected[place] };
            if better {
                (expected[place], winners[place]) = (update, entry.entry);
            }
        }
        let (mut data, mut found) = (before.clone(), kept.clone());
        let outcome = if largest {
            scatter.reduce_arg(Max, &mut data, &mut found, indices, &updates)
        } else {
            scatter.reduce_arg(Min, &mut data, &mut found, indices, &updates)
        };
        assert_eq!((outcome, &data, &found), (result, &expected, &winners), "{case:?}");
    }
    let needed = scatter.reduce(Max, &mut before.clone(), indices, &updates);
    if needed.is_ok() && before.len() > 2 && !case.table.sizes.contains(&0) {
        let (mut data, short) = (before.clone(), 0);
        let found =
            scatter.reduce_arg(Max, &mut data, &mut kept.clone()[..short], indices, &updates);
        let is_short = |error: &Error| {
            matches!(error, Error::SliceTooShort { operand: Operand::Winners, found: 0, .. })
        };
        assert!(found.as_ref().is_err_and(is_short) && data == before, "{found:?} {case:?}");
    }
}
