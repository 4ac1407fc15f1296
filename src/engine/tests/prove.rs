//! Prove: a scatter leaves no trace, whatever the proof, and calls nothing before all is proven.

use std::cell::Cell;

use strew_simd::Path;

use super::{Case, Large, Random, by_written, has_tiles, orders, route};
use crate::engine::changed::{Before, Reduced};
use crate::engine::resolver::Resolver;
use crate::engine::route::{Alone, Proof, Route, Split};
use crate::engine::traverse::base_of_kept;
use crate::engine::{changed, copy, gathered, prepared, prove, tuning};
use crate::error::Direction;
use crate::index::Bounds;
use crate::layout::Layout;
use crate::plan::Plan;
use crate::plan::tests::{axis, elements, packed};
use crate::reduction::{Add, Assign, Reduction};

const ALONE: Split = Split::Serial(Alone::OneThread);

fn table(plan: &Plan) -> Vec<u32> {
    (0..plan.lengths.table as u32).map(|n| n * 7 + 1).collect()
}

fn flat(plan: &Plan) -> Vec<u32> {
    (0..plan.lengths.flat as u32).map(|n| n * 1009 + 5).collect()
}

fn order(current: u32, update: u32) -> u32 {
    current.wrapping_mul(31).wrapping_add(update)
}

/// Whether all indices are in bounds, and the data then.
fn scattered<R: Reduction<u32>>(
    case: &Case,
    route: &Route,
    reduction: &R,
    before: Option<(&Plan, &[u32])>,
) -> (bool, Vec<u32>) {
    let (plan, mut data, updates) = (&case.plan, table(&case.plan), flat(&case.plan));
    let way = prepared(plan, route, Path::detect());
    let reduction = &Reduced(reduction);
    let mut job = changed(plan, way.path, reduction, &mut data, &updates);
    job.way = way;
    job.before = before.map(|(plan, input)| Before { plan, input, copy: copy::<u32> });
    let resolver: &dyn Resolver = &case.indices.as_slice();
    let inside = prove::run(plan, route, &way, resolver, &mut job);
    (inside, data)
}

/// What the walk makes of the data, from some start.
fn walked(case: &Case, mut data: Vec<u32>, change: impl Fn(u32, u32) -> u32) -> Vec<u32> {
    let updates = flat(&case.plan);
    case.moves().iter().for_each(|(to, from)| data[*to] = change(data[*to], updates[*from]));
    data
}

fn scatter_routes(plan: &Plan) -> Vec<Route> {
    let orders = orders(Direction::Scatter, plan).into_iter();
    let mut routes = vec![route(Proof::Scan, ALONE), route(Proof::Copy, ALONE)];
    for (order, block) in orders.flat_map(|order| [(order, 64), (order, 1024)]) {
        for proof in [Proof::Keep, Proof::Scan] {
            let mut route = route(proof, ALONE);
            (route.order, route.block) = (order, block);
            routes.push(route);
        }
    }
    if plan.is_one_block() {
        routes.push(route(Proof::Blocks, ALONE));
    }
    if plan.pieces().is_empty() {
        let mut spread = route(Proof::Copy, ALONE);
        spread.copies = tuning::COPIES;
        routes.push(spread);
    }
    routes
}

fn check(case: &Case) {
    let Case { plan, indices, .. } = case;
    let bad = case.has_bad_index();
    for route in scatter_routes(plan) {
        let what = format!("{route:?} {plan:?} {indices:?}");
        let expected = |change: fn(u32, u32) -> u32| match bad {
            true => (false, table(plan)),
            false => (true, walked(case, table(plan), change)),
        };
        assert_eq!(scattered(case, &route, &Assign, None), expected(|_, to| to), "{what}");
        assert_eq!(scattered(case, &route, &Add, None), expected(u32::wrapping_add), "{what}");
        let calls = Cell::new(0);
        let count = |current: u32, update: u32| {
            calls.set(calls.get() + 1);
            order(current, update)
        };
        assert_eq!(scattered(case, &route, &count, None), expected(order), "{what}");
        // `Proof::Copy` is not for what may not be called.
        if route.proof != Proof::Copy {
            assert_eq!(calls.get(), if bad { 0 } else { case.moves().len() }, "{what}");
        }
        // From a copy of another tensor, which one block is not proven before.
        if route.proof != Proof::Blocks {
            let whole = packed([plan.lengths.table]);
            let copy = Plan::copy(&whole, &whole).unwrap();
            let input: Vec<u32> = table(plan).iter().map(|n| n * 3).collect();
            let found = scattered(case, &route, &order, Some((&copy, &input)));
            let expected = match bad {
                true => (false, table(plan)),
                false => (true, walked(case, input, order)),
            };
            assert_eq!(found, expected, "{what}");
        }
    }
}

#[test]
fn scatters_leave_no_trace() {
    let mut random = Random::of(30);
    for n in 0..200 {
        let large = if n % 10 == 0 { Large::Lane(2000) } else { Large::No };
        let mut case = Case::random(&mut random, Direction::Scatter, large);
        case.plan = case.plan.with_rising_pieces();
        if case.plan.pieces().is_empty() || !matches!(case.plan.bounds, Bounds::Skip) {
            check(&case);
        }
        case.plan.set_bounds(Bounds::Error);
        case.fill(&mut random);
        check(&case);
        case.spoil(&mut random);
        check(&case);
    }
}

#[test]
fn tiles_leave_no_trace() {
    let mut random = Random::of(31);
    for _ in 0..100 {
        let [before, rows, places, lane] = [3, 30, 30, 60].map(|most| 1 + random.below(most));
        let layout = packed([before, places, lane]);
        let flat = packed([before, rows, lane]);
        let plan = elements(Direction::Scatter, &layout, &flat, &flat, 1);
        if !has_tiles(&plan) {
            continue;
        }
        let mut case = Case { direction: Direction::Scatter, plan, indices: Vec::new() };
        for spoils in [false, true] {
            case.fill(&mut random);
            if spoils {
                case.spoil(&mut random);
            }
            let mut route = route(Proof::Scan, ALONE);
            route.tile = Some(1 + random.below(lane));
            let expected = match spoils {
                true => (false, table(&case.plan)),
                false => (true, walked(&case, table(&case.plan), order)),
            };
            let found = scattered(&case, &route, &order, None);
            assert_eq!(found, expected, "{route:?} {plan:?}");
        }
    }
}

/// A gather moves nothing by a bad index, nor by what comes after it.
#[test]
fn gathers() {
    let mut random = Random::of(32);
    for n in 0..200 {
        let large = if n % 10 == 0 { Large::Lane(2000) } else { Large::No };
        let mut case = Case::random(&mut random, Direction::Gather, large);
        case.plan = case.plan.with_rising_pieces();
        case.plan.set_bounds(Bounds::Error);
        for spoils in [false, true] {
            case.fill(&mut random);
            if spoils {
                case.spoil(&mut random);
            }
            for route in [Proof::Blocks, Proof::Scan, Proof::Keep].map(|proof| route(proof, ALONE))
            {
                let plan = &case.plan;
                let (input, before) = (table(plan), flat(plan));
                let (mut output, way) = (before.clone(), prepared(plan, &route, Path::detect()));
                let mut job = gathered(plan, way.path, &input, &mut output);
                let resolver: &dyn Resolver = &case.indices.as_slice();
                let inside = prove::run(plan, &route, &way, resolver, &mut job);
                assert_eq!(inside, !spoils);
                let mut expected = before.clone();
                for (from, to) in by_written(Direction::Gather, &case.moves()) {
                    expected[to] = input[from];
                }
                if inside {
                    assert_eq!(output, expected, "{plan:?}");
                } else {
                    let found = output.iter().zip(before.iter().zip(&expected));
                    let allowed = route.proof == Proof::Blocks;
                    assert!(found.into_iter().all(|(found, (before, expected))| {
                        found == before || (allowed && found == expected)
                    }));
                }
            }
        }
    }
}

/// The copy is committed if all indices are in bounds.
#[test]
fn a_copy_changes_for_the_data() {
    let plan = axis(Direction::Scatter, &packed([5]), &packed([5000]), &packed([5000]), 0);
    let mut case = Case { direction: Direction::Scatter, plan, indices: vec![3; 5000] };
    let calls = Cell::new(0);
    let count = |_: u32, update: u32| {
        calls.set(calls.get() + 1);
        update
    };
    let copies = route(Proof::Copy, ALONE);
    let (inside, data) = scattered(&case, &copies, &count, None);
    assert!(inside && calls.get() == 5000 && data[3] == 4999 * 1009 + 5);
    // Blocks before the bad one have changed the copy, not the data.
    case.indices[4999] = 5;
    calls.set(0);
    assert_eq!(scattered(&case, &copies, &count, None), (false, table(&plan)));
    assert!(calls.get() > 0 && calls.get() < 5000);
}

#[test]
fn kept_addresses_count_from_the_start() {
    let base = |table: &Layout| {
        let plan = axis(Direction::Scatter, table, &packed([7]), &packed([7]), 0);
        (base_of_kept(&plan), plan.rises())
    };
    assert_eq!(base(&packed([9]).with_offset(5)), (5, true));
    assert_eq!(base(&Layout::strided([9], [-2]).with_offset(20)), (0, false));
    // An axis of one place leads nowhere.
    assert_eq!(base(&Layout::strided([1], [-2]).with_offset(20)), (20, true));
    let back = Layout::strided([4, 9], [-9, 1]).with_offset(27);
    let ids = packed([4, 5]);
    let plan = elements(Direction::Scatter, &back, &ids, &ids, 1);
    assert!(!plan.rises() && base_of_kept(&plan) == 0);
}
