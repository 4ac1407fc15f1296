//! What the fuzz targets share: the cases, the oracles and the comparisons of the tests, with the
//! bytes of a fuzzer as choices.
//!
//! `cargo fuzz fmt TARGET FILE` prints the case of an input: for all targets but those of the
//! kernels, `indices`, `moves` and `columns`, as a literal for a test.

#[path = "../../tests/common/mod.rs"]
pub mod common;
#[path = "../../simd/tests/common/mod.rs"]
pub mod kernels;

use std::fmt;

use arbitrary::{Arbitrary, Result, Unstructured};
use common::case::Case;
use common::dml::{self, Description};
use common::generate::{self, Choose, Direction, KINDS};
use kernels::{Check, addresses, columns::Split, moves, paths};
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
    /// One of the two.
    AnyCase: (Direction, Case) = |choose| {
        let direction = [Direction::Gather, Direction::Scatter][choose(2)];
        (direction, valid(direction, choose))
    };
    /// A description in which anything may be wrong.
    HostileCase: Case = |choose| generate::hostile_case(choose);
    /// An operator as DirectML describes it.
    DmlCase: Option<Description> = |choose| dml::description(choose);
    /// A DirectML descriptor in which anything may be wrong.
    HostileDmlCase: Option<Description> = |choose| dml::hostile_description(choose);
    /// Indices to resolve, or addresses to shift or to choose from.
    Addresses: Box<dyn Check> = |choose| addresses::any(choose);
    /// A call of a kernel that moves or combines.
    Moves: moves::Case = |choose| moves::Case::any(choose);
    /// Columns that are split.
    Columns: Split = |choose| Split::new(choose);
}

fn valid(direction: Direction, choose: Choose<'_>) -> Case {
    let make = [generate::case, generate::long_case][choose(2)];
    let case = make(direction, KINDS[choose(3)], choose);
    generate::along_axes(case, choose)
}

/// Forces one of them, and leaves other choices.
pub fn force(choices: u64) -> u64 {
    let paths: Vec<Path> = paths().collect();
    let number = paths.len() as u64;
    Path::force(Some(paths[(choices % number) as usize]));
    choices / number
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use common::{case::Operator, oracle};
    use strew::{Bounds, Error};

    use super::*;

    /// The cases of a target's seeds.
    fn seeds<T: for<'a> Arbitrary<'a>>(target: &str) -> Vec<T> {
        let files =
            fs::read_dir(format!("{}/seeds/{target}", env!("CARGO_MANIFEST_DIR"))).expect("seeds");
        files
            .map(|file| {
                T::arbitrary_take_rest(Unstructured::new(&fs::read(file.unwrap().path()).unwrap()))
                    .unwrap()
            })
            .collect()
    }

    /// Every policy, type of index, operator and path; long lanes; indices out of bounds after some
    /// that are not.
    fn reach_what_matters(target: &str, cases: &[&Case]) {
        let values = |key: &dyn Fn(&Case) -> usize| {
            cases.iter().map(|case| key(case)).collect::<BTreeSet<_>>().len()
        };
        assert_eq!(values(&|case| case.bounds as usize), 4, "policies of {target}");
        assert_eq!(values(&|case| case.index as usize), 10, "types of indices of {target}");
        let kinds = values(&|case| match case.operator {
            Operator::Axis(_) => 0,
            Operator::Elements(_) => 1,
            Operator::Nd(_) | Operator::Axes { .. } => 2,
            Operator::Sequence { .. } => 3,
        });
        assert_eq!(kinds, 3, "operators of {target}");
        let paths = paths().count();
        assert_eq!(values(&|case| case.seed as usize % paths), paths, "paths of {target}");
        // So many elements move in vectors, in lanes that fill blocks.
        let long = |case: &&&Case| {
            [64, 128, 192].iter().any(|n| case.indices.sizes.contains(n))
                && case.flat.sizes.iter().product::<usize>() >= 128
        };
        assert!(cases.iter().filter(long).count() >= 4, "whole blocks of {target}");
        let bad = |case: &&&Case| match oracle::first_out_of_bounds(&oracle::moves(case)) {
            Err(Error::IndexOutOfBounds { entry, .. }) => entry > 0 && case.bounds == Bounds::Error,
            _ => false,
        };
        assert!(cases.iter().filter(bad).count() >= 4, "bad indices of {target}");
    }

    #[test]
    fn seeds_reach_what_matters() {
        let gathers: Vec<GatherCase> = seeds("gather");
        reach_what_matters("gather", &gathers.iter().map(|input| &input.0).collect::<Vec<_>>());
        for target in ["scatter", "reductions"] {
            let scatters: Vec<ScatterCase> = seeds(target);
            reach_what_matters(target, &scatters.iter().map(|input| &input.0).collect::<Vec<_>>());
        }
        let cases: Vec<AnyCase> = seeds("threads");
        for direction in [Direction::Gather, Direction::Scatter] {
            let of = cases.iter().filter(|input| input.0.0 == direction).map(|input| &input.0.1);
            reach_what_matters("threads", &of.collect::<Vec<_>>());
        }
        let calls: Vec<Moves> = seeds("moves");
        for kernel in moves::KERNELS {
            let of = calls.iter().filter(|call| call.0.kernel == kernel && call.0.check());
            assert!(of.count() >= 4, "{kernel:?} of moves");
        }
        let splits: Vec<Columns> = seeds("columns");
        assert!(splits.iter().filter(|split| split.0.check()).count() >= 4, "columns");
        let addresses: Vec<Addresses> = seeds("indices");
        for kind in ["Resolve", "Shift", "Chosen"] {
            let of = addresses.iter().filter(|case| format!("{case:?}").starts_with(kind));
            assert!(of.filter(|case| case.0.check()).count() >= 4, "{kind} of indices");
        }
    }
}
