//! Calls that `properties` does not have, on random cases: indices in lists, types that are known
//! at run time, unique indices, and what is read.
#![cfg(feature = "half")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use common::case::Case;
use common::generate::{self, Direction, KINDS, Kind};
use common::values::noise;
use common::{bytes, coalesce, lists, ranges};

/// Runs a check on cases of one of these kinds. `PROPTEST_CASES` says how many; without it 1,000.
fn random(directions: &[Direction], kinds: &[Kind], check: fn(&Case)) {
    common::path::force();
    let cases = std::env::var("PROPTEST_CASES").map_or(1000, |cases| cases.parse().unwrap());
    for seed in 0..cases {
        let mut numbers = noise(seed, 0);
        let mut choose = |n: usize| numbers.next().unwrap() as usize % n;
        let direction = directions[choose(directions.len())];
        let make = if seed % 8 == 0 { generate::long_case } else { generate::case };
        check(&make(direction, kinds[choose(kinds.len())], &mut choose));
    }
}

const BOTH: [Direction; 2] = [Direction::Gather, Direction::Scatter];

#[test]
fn lists_are_tuples() {
    random(&BOTH, &[Kind::Axes], lists::check);
}

#[test]
fn bytes_are_elements() {
    random(&BOTH, &KINDS, bytes::check);
}

#[test]
fn unique_indices_lead_where_all_do() {
    random(&[Direction::Gather], &KINDS, coalesce::check);
}

#[test]
fn ranges_hold_what_is_read() {
    random(&[Direction::Gather], &KINDS, ranges::check);
}
