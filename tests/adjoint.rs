//! The arrow turned round, and where extremes come from, on random cases of all operators.
#![cfg(feature = "half")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use common::adjoint;
use common::case::{Case, with_indices};
use common::generate::{self, Direction, KINDS, Kind};
use common::values::noise;
use strew::{Error, Layout, Max, Operand, Scatter};

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

#[test]
fn pairs() {
    common::path::force();
    random(Direction::Gather, 1200, adjoint::check_gather);
    random(Direction::Scatter, 1200, adjoint::check_scatter);
}

#[test]
fn updates_that_overlap_have_no_gather() {
    common::path::force();
    let (bins, three) = (Layout::contiguous([2]), Layout::contiguous([3]));
    let scatter = Scatter::axis(&bins, &three, &Layout::strided([3], [0]), 0).unwrap();
    let (operand, dimension) = (Operand::Output, 0);
    let error = Error::OverlappingOutput { operand, dimension, expected: 1, found: 0 };
    assert_eq!(scatter.adjoint(), Err(error));
}

#[test]
fn winners() {
    common::path::force();
    random(Direction::Scatter, 1500, |case| {
        with_indices!(case, indices => adjoint::check_winners(case, indices));
    });
}

#[test]
fn floats_that_are_not_ordered() {
    common::path::force();
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
