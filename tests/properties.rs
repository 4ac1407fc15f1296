//! Crate and oracle on random cases, and what random descriptions may never do. `PROPTEST_CASES`
//! sets the number of cases, which is 1,000.
#![cfg(feature = "half")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use std::collections::BTreeSet;

use common::case::{Case, Tensor};
use common::check::{
    check_gather, check_hostile, check_reductions, check_scatter, check_shapes, check_slice_lengths,
};
use common::dml::{self, check_description, check_hostile_description};
use common::generate::{self, Direction, KINDS, Kind};
use common::map;
use common::oracle::coordinates;
use half::{bf16, f16};
use proptest::prelude::*;
use strew::{Bounds, Error, Layout};

/// One case for `weight` of the number of cases: what takes longer.
fn config(weight: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { config.cases } else { 1_000 };
    ProptestConfig { cases: cases.div_ceil(weight), failure_persistence: None, ..config }
}

/// What a generator chooses from, again and again; it shrinks towards zeros, the simplest choices.
fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 100..400)
}

fn replay<T>(choices: &[u16], generate: impl FnOnce(generate::Choose) -> T) -> T {
    let mut left = choices.iter().cycle();
    generate(&mut |n| usize::from(*left.next().unwrap_or(&0)) % n)
}

fn cases(direction: Direction, kind: Kind) -> impl Strategy<Value = Case> {
    choices()
        .prop_map(move |choices| replay(&choices, |choose| generate::case(direction, kind, choose)))
}

fn any_case(direction: Direction) -> impl Strategy<Value = Case> {
    choices().prop_map(move |choices| {
        replay(&choices, |choose| {
            let kind = KINDS[choose(4)];
            generate::case(direction, kind, choose)
        })
    })
}

/// A case with long lanes.
fn long_cases(direction: Direction) -> impl Strategy<Value = Case> {
    choices().prop_map(move |choices| {
        replay(&choices, |choose| {
            let kind = KINDS[choose(4)];
            generate::long_case(direction, kind, choose)
        })
    })
}

fn long_sequence_cases() -> impl Strategy<Value = Case> {
    choices().prop_map(|choices| {
        replay(&choices, |choose| generate::long_case(Direction::Scatter, Kind::Sequence, choose))
    })
}

/// `properties!(weight; name: strategy => check)`
macro_rules! properties {
    ($weight:literal; $($name:ident: $strategy:expr => $check:expr;)*) => {$(
        #[test]
        fn $name() {
            common::path::force();
            let check = $check;
            proptest!(config($weight), |(case in $strategy)| check(&case));
        }
    )*};
}

properties!(1;
    gather_axis: cases(Direction::Gather, Kind::Axis) => check_gather;
    gather_elements: cases(Direction::Gather, Kind::Elements) => check_gather;
    gather_nd: cases(Direction::Gather, Kind::Nd) => check_gather;
    gather_axes: cases(Direction::Gather, Kind::Axes) => check_gather;
    scatter_axis: cases(Direction::Scatter, Kind::Axis) => check_scatter;
    scatter_elements: cases(Direction::Scatter, Kind::Elements) => check_scatter;
    scatter_nd: cases(Direction::Scatter, Kind::Nd) => check_scatter;
    scatter_axes: cases(Direction::Scatter, Kind::Axes) => check_scatter;
    scatter_sequence: cases(Direction::Scatter, Kind::Sequence) => check_scatter;

    mapped_gathers: any_case(Direction::Gather) => map::check_gather;
    mapped_scatters: any_case(Direction::Scatter) => map::check_scatter;

    reductions_of_u8: any_case(Direction::Scatter) => check_reductions::<u8>;
    reductions_of_i16: any_case(Direction::Scatter) => check_reductions::<i16>;
    reductions_of_i64: any_case(Direction::Scatter) => check_reductions::<i64>;
    reductions_of_bool: any_case(Direction::Scatter) => check_reductions::<bool>;
    reductions_of_f16: any_case(Direction::Scatter) => check_reductions::<f16>;
    reductions_of_bf16: any_case(Direction::Scatter) => check_reductions::<bf16>;
    reductions_of_f32: any_case(Direction::Scatter) => check_reductions::<f32>;
    reductions_of_f64: any_case(Direction::Scatter) => check_reductions::<f64>;

    slices_of_a_gather: any_case(Direction::Gather) =>
        |case: &Case| check_slice_lengths(case, Direction::Gather);
    slices_of_a_scatter: any_case(Direction::Scatter) =>
        |case: &Case| check_slice_lengths(case, Direction::Scatter);
    shapes: any_case(Direction::Gather) => check_shapes;
    hostile_descriptions: hostile_cases() => check_hostile;
    accepted_outputs_do_not_overlap: small_tensors() => check_overlap;

    dml: descriptions(dml::description) =>
        |description: &Option<_>| description.iter().for_each(check_description);
    hostile_dml: descriptions(dml::hostile_description) =>
        |description: &Option<_>| description.iter().for_each(check_hostile_description);
);

properties!(10;
    long_gathers: long_cases(Direction::Gather) => check_gather;
    long_scatters: long_cases(Direction::Scatter) => check_scatter;
    long_mapped_gathers: long_cases(Direction::Gather) => map::check_gather;
    long_mapped_scatters: long_cases(Direction::Scatter) => map::check_scatter;
    long_sequences: long_sequence_cases() => check_scatter;
    long_reductions_of_u8: long_cases(Direction::Scatter) => check_reductions::<u8>;
    long_reductions_of_i64: long_cases(Direction::Scatter) => check_reductions::<i64>;
    long_reductions_of_f32: long_cases(Direction::Scatter) => check_reductions::<f32>;
);

/// A description of which anything may be wrong.
fn hostile_cases() -> impl Strategy<Value = Case> {
    choices().prop_map(|choices| replay(&choices, |choose| generate::hostile_case(choose)))
}

fn descriptions(
    make: fn(generate::Choose) -> Option<dml::Description>,
) -> impl Strategy<Value = Option<dml::Description>> {
    choices().prop_map(move |choices| replay(&choices, make))
}

/// Small tensors of any strides, which overlap or not.
fn small_tensors() -> impl Strategy<Value = Tensor> {
    let strides = prop::sample::select(vec![
        0, 1, 1, 1, 2, 3, 3, 4, 5, 6, 8, 9, 12, 16, 20, 24, 27, 36, 48, 60, -1, -3, -4, -7, -20,
        -60,
    ]);
    let dims = prop::collection::vec((0_usize..5, strides), 0..6);
    dims.prop_map(|dims| {
        let (sizes, strides) = dims.into_iter().unzip();
        Tensor { sizes, strides, offset: 1_000, len: 2_000 }
    })
}

/// What is accepted as an output has a different address for every coordinate; what is refused
/// interleaves at least.
fn check_overlap(output: &Tensor) {
    let layout = output.layout().unwrap();
    let indices = Layout::from_sizes(&[]).unwrap();
    let input = Layout::from_sizes(&[&[1], &output.sizes[..]].concat()).unwrap();
    let gather = strew::Gather::axis(&input, &indices, &layout, 0);
    let addresses: Vec<usize> =
        coordinates(&output.sizes).iter().map(|c| output.address(c)).collect();
    let distinct = addresses.iter().collect::<BTreeSet<_>>().len() == addresses.len();
    match gather.map(|gather| gather.bounds(Bounds::Error)) {
        Ok(_) => assert!(distinct, "accepted, though it overlaps: {output:?}"),
        // The test is stricter than it must be, but only where dimensions interleave.
        Err(Error::OverlappingOutput { .. }) => {
            assert!(!distinct || interleaves(output), "refused: {output:?}")
        }
        Err(error) => panic!("{error:?}: {output:?}"),
    }
}

/// Whether some dimension's stride does not step over all that the dimensions with smaller strides
/// reach.
fn interleaves(output: &Tensor) -> bool {
    let mut dims: Vec<_> = output
        .sizes
        .iter()
        .zip(&output.strides)
        .filter(|&(&size, _)| size > 1)
        .map(|(&n, s)| (s.unsigned_abs(), n))
        .collect();
    dims.sort_unstable();
    let reached = |dims: &[(usize, usize)]| {
        dims.iter().map(|(stride, size)| stride * (size - 1)).sum::<usize>()
    };
    (0..dims.len()).any(|d| dims[d].0 <= reached(&dims[..d]))
}
