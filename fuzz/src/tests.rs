//! The seeds of each target, run one by one, and what they reach.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Mutex;

use strew::{Bounds, Error};

use super::common::{case::Operator, oracle};
use super::*;

/// What a target does with the bytes of an input.
type Run = fn(&[u8]);

/// All targets.
const TARGETS: [(&str, Run); 15] = [
    ("bags", run::<BagCase>),
    ("columns", run::<Columns>),
    ("dml", run::<DmlCase>),
    ("gather", run::<GatherCase>),
    ("indices", run::<Addresses>),
    ("layouts", run::<HostileCase>),
    ("moves", run::<Moves>),
    ("ndarray", run::<ArraysCase>),
    ("operators", run::<OtherCase>),
    ("quant", run::<QuantCase>),
    ("reductions", run::<ReductionCase>),
    ("route", run::<RouteCase>),
    ("scatter", run::<ScatterCase>),
    ("serde", run::<TextCase>),
    ("threads", run::<ThreadsCase>),
];

fn run<T: Input>(bytes: &[u8]) {
    if let Ok(input) = T::arbitrary_take_rest(Unstructured::new(bytes)) {
        input.run();
    }
}

/// The seeds of a target.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let directory = format!("{}/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let files = fs::read_dir(directory).expect("there are seeds of each target");
    files.map(|file| fs::read(file.unwrap().path()).unwrap()).collect()
}

fn inputs<T: Input>(target: &str) -> Vec<T> {
    let input = |bytes: Vec<u8>| T::arbitrary_take_rest(Unstructured::new(&bytes)).unwrap();
    seeds(target).into_iter().map(input).collect()
}

/// Who forces a machine.
static FORCES: Mutex<()> = Mutex::new(());

#[test]
fn all_seeds_pass() {
    let _alone = FORCES.lock();
    for (target, run) in TARGETS {
        let seeds = seeds(target);
        assert!(seeds.len() >= 8, "{} seeds of {target}", seeds.len());
        seeds.iter().for_each(|seed| run(seed));
    }
}

/// Every policy, sign and type of index, and a number of operators; long lanes; indices out of
/// bounds after some that are not.
fn reach_what_matters(target: &str, operators: usize, cases: &[&Case]) {
    let values = |key: &dyn Fn(&Case) -> usize| {
        cases.iter().map(|case| key(case)).collect::<BTreeSet<_>>().len()
    };
    assert_eq!(values(&|case| case.bounds as usize), 4, "policies of {target}");
    assert_eq!(values(&|case| case.negative as usize), 2, "signs of {target}");
    assert_eq!(values(&|case| case.index as usize), 10, "types of indices of {target}");
    let kinds = values(&|case| match case.operator {
        Operator::Axis(_) => 0,
        Operator::Elements(_) => 1,
        Operator::Nd(_) => 2,
        Operator::Axes { .. } => 3,
        Operator::Sequence { .. } => 4,
    });
    assert_eq!(kinds, operators, "operators of {target}");
    // 128 elements or more move in vectors, in lanes that fill blocks.
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

fn cases<'a>(inputs: impl IntoIterator<Item = (Direction, &'a Case)>) -> [Vec<&'a Case>; 2] {
    let mut cases = [vec![], vec![]];
    inputs.into_iter().for_each(|(direction, case)| cases[direction as usize].push(case));
    cases
}

/// Sums of threads that have tables of their own, and of entries that are spread over copies.
fn reach_copies<'a>(target: &str, calls: impl Iterator<Item = &'a Routed>) {
    let _alone = FORCES.lock();
    let explain = |routed: &Routed| {
        Machine::force(Some(routed.machine));
        let threads = POOLS[routed.pool].current_num_threads();
        let explain = routed.case.scatter().unwrap().explain::<i64, i64, strew::Add>(threads);
        explain.to_string()
    };
    let sums = calls.filter(|routed| routed.direction == Direction::Scatter);
    let texts: Vec<String> = sums.filter(|sum| sum.case.seed % 5 == 3).map(explain).collect();
    Machine::force(None);
    for way in ["tables, merged", "spread over"] {
        assert!(texts.iter().filter(|text| text.contains(way)).count() >= 2, "{way} of {target}");
    }
}

#[test]
fn seeds_reach_what_matters() {
    let others: Vec<OtherCase> = inputs("operators");
    for kind in [
        "Masks", "Gather", "Scatter", "Winners", "Nullable", "Lists", "Bytes", "Coalesce", "Ranges",
    ] {
        let of = others.iter().filter(|case| format!("{case:?}").starts_with(kind));
        assert!(of.count() >= 2, "{kind} of operators");
    }
    let bags: Vec<BagCase> = inputs("bags");
    let reach = |what: &str, reaches: fn(&[usize]) -> bool| {
        let reaching = bags.iter().filter(|bag| reaches(bag.0.lengths()));
        assert!(reaching.count() >= 2, "bags of {what}");
    };
    reach("one entry", |lengths| lengths.contains(&1) && lengths.iter().all(|n| *n < 2));
    reach("several entries", |lengths| lengths.iter().any(|n| *n > 16));
    reach("no entry", |lengths| lengths.contains(&0));
    let pools: BTreeSet<u64> = bags.iter().map(|bag| bag.0.seed % common::bags::POOLS).collect();
    assert_eq!(pools.len(), common::bags::POOLS as usize, "pools of bags");
    let gathers: Vec<GatherCase> = inputs("gather");
    reach_what_matters("gather", 4, &gathers.iter().map(|input| &input.0).collect::<Vec<_>>());
    let scatters: Vec<ScatterCase> = inputs("scatter");
    reach_what_matters("scatter", 5, &scatters.iter().map(|input| &input.0).collect::<Vec<_>>());
    let reductions: Vec<ReductionCase> = inputs("reductions");
    reach_what_matters(
        "reductions",
        5,
        &reductions.iter().map(|input| &input.0).collect::<Vec<_>>(),
    );
    let threads: Vec<ThreadsCase> = inputs("threads");
    let routes: Vec<RouteCase> = inputs("route");
    let arrays: Vec<ArraysCase> = inputs("ndarray");
    // Sequences are for scatters alone, and for arrays there are three operators.
    for (target, operators, cases) in [
        ("threads", [4, 5], cases(threads.iter().map(|input| (input.0.direction, &input.0.case)))),
        ("route", [4, 5], cases(routes.iter().map(|input| (input.0.direction, &input.0.case)))),
        ("ndarray", [3, 3], cases(arrays.iter().map(|input| (input.0.0, &input.0.1)))),
    ] {
        for (cases, operators) in cases.iter().zip(operators) {
            reach_what_matters(target, operators, cases);
        }
    }
    reach_copies("threads", threads.iter().map(|input| &input.0));
    reach_copies("route", routes.iter().map(|input| &input.0));
    let tables: Vec<QuantCase> = inputs("quant");
    let number =
        |start: &str| tables.iter().filter(|case| format!("{case:?}").starts_with(start)).count();
    for format in 0..17 {
        assert!(number(&format!("Blocks {{ format: {format},")) >= 1, "format {format} of quant");
    }
    let packings = ["U8 { bits: 2 }", "U8 { bits: 4 }", "U8 { bits: 8 }", "Int4", "Uint4"];
    let floats = ["F8E4M3FN", "F8E4M3FNUZ", "F8E5M2", "F8E5M2FNUZ", "F4E2M1"];
    for packing in packings.into_iter().chain(floats) {
        let start = format!("Gather(Quantised {{ packing: {packing},");
        assert!(number(&start) >= 2, "{packing} of quant");
    }
    let texts: Vec<TextCase> = inputs("serde");
    assert!(texts.iter().filter(|text| text.0.read().is_some()).count() >= 4, "plans of serde");
    let calls: Vec<Moves> = inputs("moves");
    for kernel in moves::KERNELS {
        let of = calls.iter().filter(|call| call.0.kernel == kernel && call.0.check());
        assert!(of.count() >= 4, "{kernel:?} of moves");
    }
    let splits: Vec<Columns> = inputs("columns");
    assert!(splits.iter().filter(|split| split.0.check()).count() >= 4, "columns");
    let addresses: Vec<Addresses> = inputs("indices");
    for kind in ["Resolve", "Shift", "Chosen"] {
        let of = addresses.iter().filter(|case| format!("{case:?}").starts_with(kind));
        assert!(of.filter(|case| case.0.check()).count() >= 4, "{kind} of indices");
    }
}
