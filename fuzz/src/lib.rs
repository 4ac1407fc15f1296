//! What the fuzz targets share: the cases, the oracle and the comparison of the property tests, with the bytes of a fuzzer as choices.
//!
//! `cargo fuzz fmt TARGET FILE` prints the case of an input as a literal for a test.

#[path = "../../tests/common/mod.rs"]
pub mod common;
pub mod kernels;

use std::fmt;

use arbitrary::{Arbitrary, Result, Unstructured};
use common::case::Case;
use common::dml::{self, Description};
use common::generate::{self, Choose, Direction, KINDS};
use strew_simd::Path;

/// `inputs!(Name: Type = |choose| case)`: a case that is made by choices.
macro_rules! inputs {
    ($($(#[$doc:meta])* $name:ident: $case:ty = $make:expr;)*) => {$(
        $(#[$doc])*
        pub struct $name(pub $case);

        impl<'a> Arbitrary<'a> for $name {
            fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<$name> {
                let make: fn(Choose<'_>) -> $case = $make;
                // When the bytes have run out, the simplest choice.
                Ok($name(make(&mut |n| bytes.int_in_range(0..=n - 1).unwrap_or(0))))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}
inputs! {
    /// A gather that can be planned, with any indices.
    GatherCase: Case = |choose| valid(Direction::Gather, choose);
    /// A scatter that can be planned, with any indices.
    ScatterCase: Case = |choose| valid(Direction::Scatter, choose);
    /// A description in which anything may be wrong.
    HostileCase: Case = |choose| generate::hostile_case(choose);
    /// An operator as DirectML describes it.
    DmlCase: Option<Description> = |choose| dml::description(choose);
    /// A DirectML descriptor in which anything may be wrong.
    HostileDmlCase: Option<Description> = |choose| dml::hostile_description(choose);
}

fn valid(direction: Direction, choose: Choose<'_>) -> Case {
    let make = [generate::case, generate::long_case][choose(2)];
    make(direction, KINDS[choose(3)], choose)
}

/// The paths that this machine has.
pub fn paths() -> Vec<Path> {
    Path::available().into_iter().flatten().collect()
}

/// Forces one of them, and leaves other choices.
pub fn force(choices: u64) -> u64 {
    let paths = paths();
    let number = paths.len() as u64;
    Path::force(Some(paths[(choices % number) as usize]));
    choices / number
}
