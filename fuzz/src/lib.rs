//! What the fuzz targets share: the cases, the oracles and the comparisons of the tests, with the
//! bytes of a fuzzer as choices.
//!
//! `cargo fuzz fmt TARGET FILE` prints the case of an input: for all targets but those of the
//! kernels, `indices`, `moves` and `columns`, as a literal for a test.

#[path = "../../tests/common/mod.rs"]
pub mod common;
#[path = "../../simd/tests/common/mod.rs"]
pub mod kernels;
mod settings;
mod text;

use std::fmt;
use std::slice;
use std::sync::LazyLock;

use arbitrary::{Arbitrary, Result, Unstructured};
use common::case::{Case, with_indices};
use common::check::{self, GATHERS, REDUCTIONS, SCATTERS};
use common::dml::{self, Description};
use common::generate::{self, Choose, Direction, KINDS, Kind};
use common::{
    adjoint, arrays, bags, bytes, coalesce, lists, masks, nullable, path, quant, ranges, threads,
};
use kernels::{Check, addresses, columns::Split, moves};
use rayon::ThreadPool;
pub use settings::start;
use strew_simd::{Machine, Path};
use text::Text;

/// The input of a target.
pub trait Input: for<'a> Arbitrary<'a> {
    /// What the target does with it.
    fn run(&self);
}

/// `inputs!(NAME: Type = |choose| case, |case| what the target does)`: a case that is made by
/// choices.
macro_rules! inputs {
    ($($(#[$doc:meta])* $name:ident: $case:ty = $make:expr, $run:expr;)*) => {$(
        $(#[$doc])*
        pub struct $name(pub $case);

        impl<'a> Arbitrary<'a> for $name {
            #[inline]
            fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<$name> {
                let make: fn(Choose<'_>) -> $case = $make;
                let mut rest = bytes.bytes(bytes.len())?.iter();
                Ok($name(make(&mut |n| number(n, &mut rest))))
            }
        }

        impl Input for $name {
            #[inline] // Compiled into the target, as the checks are.
            fn run(&self) {
                let run: fn(&$case) = $run;
                run(&self.0);
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

/// A choice below `n`, by as many bytes as it needs, the highest first. When they have run out, the
/// simplest one.
fn number(n: usize, bytes: &mut slice::Iter<'_, u8>) -> usize {
    let (mut number, mut most) = (0_usize, n - 1);
    while most > 0 {
        let Some(byte) = bytes.next() else { break };
        number = number << 8 | usize::from(*byte);
        most >>= 8;
    }
    number % n
}

inputs! {
    /// `gather`: every gather on every path against the oracle: any strides, policies, types, and
    /// hostile indices.
    GatherCase: Case = |choose| of_any_kind(Direction::Gather, choose), |case| {
        path::force_every();
        check::check_gather_part(case, case.seed % GATHERS);
    };
    /// `scatter`: the same for every scatter; one that fails leaves no trace.
    ScatterCase: Case = |choose| of_any_kind(Direction::Scatter, choose), |case| {
        path::force_every();
        check::check_scatter_part(case, case.seed % SCATTERS);
    };
    /// `reductions`: every reduction of eight types on every path against the oracle.
    ReductionCase: Case = |choose| of_any_kind(Direction::Scatter, choose), |case| {
        path::force_every();
        check::check_any_reduction(case, case.seed % REDUCTIONS);
    };
    /// `threads`: the same with several threads, on one path.
    ThreadsCase: Routed = Routed::new, |routed| {
        one_path(routed.case.seed / 8);
        routed.check();
    };
    /// `route`: every call on every path, as it would be on any machine, with one thread or more:
    /// the engine itself checks that the route is legal.
    RouteCase: Routed = Routed::new, |routed| {
        path::force_every();
        routed.check();
        routed.check_serial();
        routed.explain();
    };
    /// `ndarray`: operators on views of any strides.
    ArraysCase: (Direction, Case) = any_case, |(direction, case)| {
        path::force_every();
        match direction {
            Direction::Gather => arrays::check_gather(case),
            Direction::Scatter => arrays::check_scatter(case),
        }
    };
    /// `bags`: bags by one of the pools, which have each width, on one path, against the oracle.
    BagCase: bags::Case = |choose| bags::case(choose), |case| {
        one_path(case.seed / bags::POOLS);
        bags::check_part(case, case.seed % bags::POOLS);
    };
    /// `operators`: masks, adjoints, where extremes come from, indices that do not count or
    /// lie in lists, calls on bytes, unique indices and what is read, each on one path, against the
    /// oracle.
    OtherCase: Other = Other::new, Other::check;
    /// `quant`: blocks of any bytes, and gathers with scales of their own of any sizes, on every
    /// path, against the formulas.
    QuantCase: quant::Case = |choose| quant::case(choose), |case| {
        path::force_every();
        case.check();
    };
    /// `layouts`: a description in which anything may be wrong: no panic, and what is accepted
    /// demands slices of the right lengths.
    HostileCase: Case = |choose| generate::hostile_case(choose), check::check_hostile;
    /// `serde`: layouts as they come in from files, where anything may be wrong.
    TextCase: Text = Text::new, Text::check;
    /// `dml`: an operator as DirectML describes it, or a descriptor in which anything may be wrong.
    DmlCase: Dml = Dml::new, |dml| {
        path::force_every();
        match dml {
            Dml::Valid(description) => description.iter().for_each(dml::check_description),
            Dml::Hostile(description) => {
                description.iter().for_each(dml::check_hostile_description);
            }
        }
    };
    /// `indices`: indices to resolve, or addresses to shift or to choose from, on every path,
    /// against exact arithmetic.
    Addresses: Box<dyn Check> = |choose| addresses::any(choose), |case| _ = case.check();
    /// `moves`: copies and sums by any addresses, on every path, against plain loops.
    Moves: moves::Case = |choose| moves::Case::any(choose), |case| _ = case.check();
    /// `columns`: columns that are split from each other, against plain loops.
    Columns: Split = |choose| Split::new(choose), |case| _ = case.check();
}

/// Every call goes by this one of the paths of the machine.
fn one_path(number: u64) {
    let paths: Vec<Path> = kernels::paths().collect();
    Path::force(Some(paths[number as usize % paths.len()]));
}

/// A case that can be planned, with any indices: a small one, unless the input chooses another.
fn valid(direction: Direction, choose: Choose<'_>) -> Case {
    let (size, kind) = (choose(8), KINDS[choose(3)]);
    match size {
        7 => generate::long_case(direction, kind, choose),
        6 => generate::case(direction, kind, choose),
        5 => generate::case_within(80, direction, kind, choose),
        _ => generate::case_within(24, direction, kind, choose),
    }
}

/// The same by tuples along any axes as well, and scatters of sequences: choices that come last, so
/// that seeds without them mean what they did.
fn of_any_kind(direction: Direction, choose: Choose<'_>) -> Case {
    let case = valid(direction, choose);
    let case = generate::along_axes(case, choose);
    match (direction, choose(8)) {
        (Direction::Scatter, 7) => generate::long_case(direction, Kind::Sequence, choose),
        (Direction::Scatter, 6) => generate::case_within(80, direction, Kind::Sequence, choose),
        _ => case,
    }
}

/// Tuples along any axes.
fn of_axes(direction: Direction, choose: Choose<'_>) -> Case {
    match choose(4) {
        3 => generate::long_case(direction, Kind::Axes, choose),
        _ => generate::case_within(80, direction, Kind::Axes, choose),
    }
}

/// One of the operators that arrays have.
fn any_case(choose: Choose<'_>) -> (Direction, Case) {
    let direction = [Direction::Gather, Direction::Scatter][choose(2)];
    (direction, valid(direction, choose))
}

/// A call on some machine, with threads.
#[derive(Debug)]
pub struct Routed {
    pub direction: Direction,
    pub machine: Machine,
    /// The number of threads, by its place in [`POOLS`].
    pub pool: usize,
    pub case: Case,
}

static POOLS: LazyLock<[ThreadPool; 4]> = LazyLock::new(|| [2, 3, 7, 1].map(threads::pool));

impl Routed {
    fn new(choose: Choose<'_>) -> Routed {
        let machine = machine(choose);
        let pool = choose(4);
        let direction = [Direction::Gather, Direction::Scatter][choose(2)];
        let case = of_any_kind(direction, choose);
        Routed { direction, machine, pool, case }
    }

    /// With threads.
    #[inline]
    fn check(&self) {
        Machine::force(Some(self.machine));
        let part = self.case.seed as usize;
        threads::check_part(self.direction, &self.case, part, &POOLS[self.pool]);
    }

    /// Without threads.
    #[inline]
    fn check_serial(&self) {
        match self.direction {
            Direction::Gather => check::check_gather_part(&self.case, self.case.seed % GATHERS),
            Direction::Scatter => check::check_scatter_part(&self.case, self.case.seed % SCATTERS),
        }
    }

    #[inline]
    fn explain(&self) {
        let threads = POOLS[self.pool].current_num_threads();
        let text = match self.direction {
            Direction::Gather => self.case.gather().map(|gather| match self.case.seed % 2 {
                0 => gather.explain::<u8, u8>(threads),
                _ => gather.explain::<f64, i64>(threads),
            }),
            Direction::Scatter => self.case.scatter().map(|scatter| match self.case.seed % 2 {
                0 => scatter.explain::<u8, u8, strew::Assign>(threads),
                _ => scatter.explain::<f64, i64, strew::Add>(threads),
            }),
        };
        let text = text.expect("the case is valid").to_string();
        assert!(text == "nothing moves" || text.starts_with("check: "), "{text}\n{self:?}");
    }
}

/// One that there is, or one with caches of any sizes.
fn machine(choose: Choose<'_>) -> Machine {
    match choose(8) {
        0 => Machine::ZEN_5,
        1 => Machine::EMERALD_RAPIDS,
        2 => Machine::PORTABLE,
        _ => {
            let mut size = || 1 << choose(18) >> 2;
            let (l1, l2, l3) = (size(), size(), size());
            let (prefetches, streams_elements) = (choose(4) > 0, choose(2) == 1);
            Machine { l1, l2, l3, prefetches, streams_elements }
        }
    }
}

/// What comes to the target `operators`.
#[derive(Debug)]
pub enum Other {
    Masks(masks::Case),
    Gather(Case),
    Scatter(Case),
    Winners(Case),
    /// Of this number of indices, all but one count.
    Nullable(Case, u64),
    Lists(Case),
    Bytes(Case),
    Coalesce(Case),
    Ranges(Case),
}

impl Other {
    fn new(choose: Choose<'_>) -> Other {
        let number = choose(12);
        let mut of = |direction| of_any_kind(direction, choose);
        match number {
            0 => Other::Masks(masks::case(choose)),
            1 => Other::Gather(of(Direction::Gather)),
            2 => Other::Scatter(generate::written_both_ways(of(Direction::Scatter), choose)),
            3 => Other::Winners(of(Direction::Scatter)),
            4 => Other::Nullable(of(Direction::Gather), [2, 3, 20][choose(3)]),
            5 => Other::Nullable(of(Direction::Scatter), [2, 3, 20][choose(3)]),
            6 => Other::Lists(of_axes(Direction::Gather, choose)),
            7 => Other::Lists(of_axes(Direction::Scatter, choose)),
            8 => Other::Bytes(of(Direction::Gather)),
            9 => Other::Bytes(of(Direction::Scatter)),
            10 => Other::Coalesce(of(Direction::Gather)),
            _ => Other::Ranges(of(Direction::Gather)),
        }
    }

    #[inline]
    fn check(&self) {
        let seed = match self {
            Other::Masks(case) => case.seed,
            Other::Gather(case)
            | Other::Scatter(case)
            | Other::Winners(case)
            | Other::Nullable(case, _)
            | Other::Lists(case)
            | Other::Bytes(case)
            | Other::Coalesce(case)
            | Other::Ranges(case) => case.seed,
        };
        one_path(seed);
        match self {
            Other::Masks(case) => match seed / 8 % 4 {
                0 => masks::check::<f32>(case),
                1 => masks::check::<u8>(case),
                2 => masks::check::<f64>(case),
                _ => masks::check::<i16>(case),
            },
            Other::Gather(case) => adjoint::check_gather(case),
            Other::Scatter(case) => adjoint::check_scatter(case),
            Other::Winners(case) => {
                with_indices!(case, indices => adjoint::check_winners(case, indices));
            }
            Other::Nullable(case, one_of) => nullable::check(case, *one_of),
            Other::Lists(case) => lists::check(case),
            Other::Bytes(case) => bytes::check(case),
            Other::Coalesce(case) => coalesce::check(case),
            Other::Ranges(case) => ranges::check(case),
        }
    }
}

/// What comes to the target `dml`.
#[derive(Debug)]
pub enum Dml {
    Valid(Option<Description>),
    Hostile(Option<Description>),
}

impl Dml {
    fn new(choose: Choose<'_>) -> Dml {
        match choose(2) {
            0 => Dml::Valid(dml::description(choose)),
            _ => Dml::Hostile(dml::hostile_description(choose)),
        }
    }
}

#[cfg(test)]
mod tests;
