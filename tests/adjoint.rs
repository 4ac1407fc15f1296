//! The arrow turned round, and where extremes come from, on random cases of all operators.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use common::case::{Case, with_indices};
use common::generate::{self, Direction, KINDS, Kind};
use common::oracle::{self, Target};
use common::values::noise;
use strew::{Add, Bounds, Error, Gather, Index, Layout, Max, Min, Operand, Scatter};

/// Cases of every operator that has no sequences, or of sequences too.
fn random(direction: Direction, number: u64, check: impl Fn(&Case)) {
    common::path::force();
    for seed in 0..number {
        let mut numbers = noise(seed, 0);
        let mut choose = |n: usize| numbers.next().unwrap() as usize % n;
        let kinds = [KINDS[0], KINDS[1], KINDS[2], KINDS[3], Kind::Sequence];
        let kind = kinds[choose(if direction == Direction::Scatter { 5 } else { 4 })];
        let make = if seed % 8 == 0 { generate::long_case } else { generate::case };
        let mut case = make(direction, kind, &mut choose);
        // Half of the tensors that are read may be written too, as an adjoint does.
        if choose(2) == 1 {
            case = generate::written_both_ways(case, &mut choose);
        }
        check(&case);
    }
}

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

#[test]
fn pairs() {
    random(Direction::Gather, 1200, |case| {
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
    });
    random(Direction::Scatter, 1200, |case| {
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
    });
}

#[test]
fn updates_that_overlap_have_no_gather() {
    let (bins, three) = (Layout::contiguous([2]), Layout::contiguous([3]));
    let scatter = Scatter::axis(&bins, &three, &Layout::strided([3], [0]), 0).unwrap();
    let (operand, dimension) = (Operand::Output, 0);
    let error = Error::OverlappingOutput { operand, dimension, expected: 1, found: 0 };
    assert_eq!(scatter.adjoint(), Err(error));
}

/// The first of the largest (or smallest) wins, over what is there.
fn check_winners<I: Index>(case: &Case, indices: &[I]) {
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

#[test]
fn winners() {
    random(Direction::Scatter, 1500, |case| {
        with_indices!(case, indices => check_winners(case, indices));
    });
}

#[test]
fn floats_that_are_not_ordered() {
    let (one, four) = (Layout::contiguous([1]), Layout::contiguous([4]));
    let scatter = Scatter::axis(&one, &four, &four, 0).unwrap();
    let run = |updates: [f32; 4], start: f32| {
        let (mut data, mut winners) = ([start], [9]);
        scatter.reduce_arg(Max, &mut data, &mut winners, &[0; 4], &updates).unwrap();
        (data[0], winners[0])
    };
    // A NaN is what stays, as under `Max`; of two zeros the positive one is larger.
    let (nan, from) = run([1.0, f32::NAN, 2.0, f32::NAN], 0.0);
    assert!(nan.is_nan() && from == 1);
    let (zero, from) = run([-0.0, 0.0, 0.0, -0.0], -0.0);
    assert_eq!((zero.to_bits(), from), (0, 1));
    assert_eq!(run([f32::NEG_INFINITY; 4], f32::NEG_INFINITY), (f32::NEG_INFINITY, 9));
}
