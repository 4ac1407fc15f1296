//! Split: whatever threads share, and how, the bits are those of one thread.

use std::iter;

use strew_simd::Path;

use super::{Case, DIRECTIONS, Large, Random, has_tiles, orders, route};
use crate::element::Element;
use crate::engine::changed::Reduced;
use crate::engine::resolver::Resolver;
use crate::engine::route::{Alone, Order, Proof, Route, Split};
use crate::engine::{changed, gathered, prepared, split, tuning};
use crate::error::Direction;
use crate::index::Bounds;
use crate::layout::Layout;
use crate::plan::Plan;
use crate::plan::tests::{axis, elements, nd, packed};
use crate::reduction::{Add, Assign, Max, Mul, Reduction, Sub};
use crate::{Gather, Scatter};

const THREADS: [usize; 4] = [1, 2, 3, 7];

fn pools() -> Vec<rayon::ThreadPool> {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    THREADS.map(pool).into_iter().collect()
}

fn stride_of(direction: Direction) -> fn(&crate::plan::Dim) -> isize {
    match direction {
        Direction::Gather => |dim| dim.flat,
        Direction::Scatter => |dim| dim.table,
    }
}

/// Whether each step of a dimension writes after all that the step before it can write.
fn steps_are_apart(plan: &Plan, direction: Direction, dim: usize) -> bool {
    let (stride, dims) = (stride_of(direction), &plan.dims[..plan.rank]);
    let others = dims.iter().enumerate().filter(|(other, _)| *other != dim);
    let mut reaches: Vec<isize> =
        others.map(|(_, other)| (other.size as isize - 1) * stride(other)).collect();
    if matches!(direction, Direction::Scatter) {
        let reach = |axis: &crate::plan::Coordinate| (axis.size as isize - 1) * axis.table;
        reaches.extend(plan.coordinates().iter().map(reach));
    }
    reaches.iter().all(|reach| *reach >= 0) && stride(&dims[dim]) > reaches.iter().sum()
}

/// All that a route may say of a plan.
fn routes(random: &mut Random, case: &Case) -> Vec<Route> {
    let Case { plan, direction, .. } = case;
    let proven = !matches!(plan.bounds, Bounds::Error);
    let scatters = matches!(direction, Direction::Scatter);
    let mut routes = Vec::new();
    let mut add = |proof, split, order, tile| {
        let proof = if proven && !matches!(proof, Proof::Keep) { Proof::Unneeded } else { proof };
        let mut route = route(proof, split);
        (route.order, route.tile) = (order, tile);
        routes.push(route);
    };
    for dim in (0..plan.rank).filter(|dim| steps_are_apart(plan, *direction, *dim)) {
        let split = Split::Chunks { dim, number: 1 + random.below(9) };
        add(Proof::Scan, split, Order::Entries, None);
        if dim == 0 && !scatters {
            add(Proof::Blocks, split, Order::Entries, None);
        }
        if dim >= plan.outer {
            orders(*direction, plan)
                .into_iter()
                .for_each(|order| add(Proof::Keep, split, order, None));
        }
    }
    if has_tiles(plan) {
        let tile = Some(1 + random.below(20));
        let number = 1 + random.below(9);
        if scatters {
            add(Proof::Scan, Split::Tiles { number }, Order::Entries, tile);
        }
        for dim in (0..plan.rank - 2).filter(|dim| steps_are_apart(plan, *direction, *dim)) {
            add(Proof::Scan, Split::Chunks { dim, number }, Order::Entries, tile);
        }
        add(Proof::Scan, Split::Serial(Alone::OneThread), Order::Entries, tile);
    }
    let alone = Split::Serial(Alone::StaysInCache);
    add(Proof::Scan, alone, Order::Entries, None);
    orders(*direction, plan).into_iter().for_each(|order| add(Proof::Keep, alone, order, None));
    if let (Some(pitch), true) = (plan.pitch(), scatters) {
        let split = Split::Parts { pitch, number: 1 + random.below(9) };
        for proof in [Proof::Scan, Proof::Keep] {
            add(proof, split, Order::Entries, None);
        }
        orders(*direction, plan).into_iter().for_each(|order| add(Proof::Keep, split, order, None));
    }
    if scatters && plan.pieces().is_empty() && plan.outer > 0 {
        let split = Split::Tables { number: 1 + random.below(5) };
        for copies in [1, tuning::COPIES] {
            let mut route = route(Proof::Copy, split);
            route.copies = copies;
            routes.push(route);
        }
    }
    routes
}

fn scattered<R: Reduction<u32> + Sync>(
    case: &Case,
    route: &Route,
    reduction: &R,
    data: &[u32],
    updates: &[u32],
) -> (bool, Vec<u32>) {
    let (plan, mut data) = (&case.plan, data.to_vec());
    let way = prepared(plan, route, Path::detect());
    let reduction = &Reduced(reduction);
    let mut job = changed(plan, way.path, reduction, &mut data, updates);
    job.way = way;
    let resolver: &dyn Resolver = &case.indices.as_slice();
    let inside = split::run(plan, Direction::Scatter, route, &way, resolver, &mut job);
    (inside, data)
}

fn gathered_by<T: Element>(
    case: &Case,
    route: &Route,
    input: &[T],
    output: &[T],
) -> (bool, Vec<T>) {
    let (plan, mut output) = (&case.plan, output.to_vec());
    let way = prepared(plan, route, Path::detect());
    let mut job = gathered(plan, way.path, input, &mut output);
    let resolver: &dyn Resolver = &case.indices.as_slice();
    let inside = split::run(plan, Direction::Gather, route, &way, resolver, &mut job);
    (inside, output)
}

fn order(current: u32, update: u32) -> u32 {
    current.wrapping_mul(31).wrapping_add(update)
}

/// What the walk makes of the data.
fn expected(case: &Case, data: &[u32], updates: &[u32], change: fn(u32, u32) -> u32) -> Vec<u32> {
    let mut data = data.to_vec();
    if !case.has_bad_index() {
        case.moves().iter().for_each(|(to, from)| data[*to] = change(data[*to], updates[*from]));
    }
    data
}

/// All routes of a case, with some number of threads.
fn check(random: &mut Random, pools: &[rayon::ThreadPool], case: &Case) {
    let Case { direction, plan, .. } = case;
    let table: Vec<u32> = (0..plan.lengths.table as u32).map(|n| n * 7 + 1).collect();
    let flat: Vec<u32> = (0..plan.lengths.flat as u32).map(|n| n * 1009 + 5).collect();
    let (bad, moves) = (case.has_bad_index(), case.moves());
    for route in routes(random, case) {
        let pool = &pools[random.below(pools.len())];
        let what = || format!("{route:?} {plan:?} {:?}", case.indices);
        match direction {
            Direction::Gather => {
                let (inside, found) = pool.install(|| gathered_by(case, &route, &table, &flat));
                assert_eq!(inside, !bad, "{}", what());
                let mut expected = flat.clone();
                moves.iter().for_each(|(from, to)| expected[*to] = table[*from]);
                if inside {
                    assert!(found == expected, "{}", what());
                } else {
                    // What comes before the bad index, or nothing.
                    let may_be = found.iter().zip(flat.iter().zip(&expected));
                    assert!(
                        may_be.into_iter().all(|(found, (a, b))| found == a || found == b),
                        "{}",
                        what()
                    );
                }
            }
            Direction::Scatter => {
                let all = [
                    pool.install(|| scattered(case, &route, &order, &table, &flat)),
                    pool.install(|| scattered(case, &route, &Assign, &table, &flat)),
                    pool.install(|| scattered(case, &route, &Add, &table, &flat)),
                    pool.install(|| scattered(case, &route, &Sub, &table, &flat)),
                    pool.install(|| scattered(case, &route, &Mul, &table, &flat)),
                    pool.install(|| scattered(case, &route, &Max, &table, &flat)),
                ];
                let changes: [fn(u32, u32) -> u32; 6] = [
                    order,
                    |_, update| update,
                    u32::wrapping_add,
                    u32::wrapping_sub,
                    u32::wrapping_mul,
                    u32::max,
                ];
                for ((inside, found), change) in iter::zip(all, changes) {
                    assert_eq!(inside, !bad, "{}", what());
                    assert!(found == expected(case, &table, &flat, change), "{}", what());
                }
            }
        }
    }
}

#[test]
fn any_split_gives_the_bits_of_one_thread() {
    let (mut random, pools) = (Random::of(20), pools());
    for n in 0..200 {
        let large = if n % 4 == 0 { Large::Lane(300) } else { Large::No };
        let direction = random.pick(&DIRECTIONS);
        let mut case = match n % 4 {
            3 => Case::of_groups(&mut random, direction),
            _ => Case::random(&mut random, direction, large),
        };
        case.plan = case.plan.with_rising_pieces();
        check(&mut random, &pools, &case);
        case.plan.set_bounds(Bounds::Error);
        case.fill(&mut random);
        check(&mut random, &pools, &case);
        case.spoil(&mut random);
        check(&mut random, &pools, &case);
    }
}

/// Tables whose columns go by tiles.
#[test]
fn tiles_give_the_bits_of_one_thread() {
    let (mut random, pools) = (Random::of(21), pools());
    for _ in 0..40 {
        let direction = random.pick(&DIRECTIONS);
        let [before, rows, columns] = [3, 40, 90].map(|most| 1 + random.below(most));
        let places = 1 + random.below(40);
        let lane = 1 + random.below(columns);
        let table = Layout::strided(
            [before, places, columns],
            [(places * (columns + 3)) as isize, columns as isize + 3, 1],
        );
        let flat = packed([before, rows, lane]);
        let plan = elements(direction, &table, &flat, &flat, 1);
        let mut case = Case { direction, plan, indices: Vec::new() };
        case.plan.set_bounds(random.pick(&super::POLICIES));
        case.fill(&mut random);
        check(&mut random, &pools, &case);
        case.plan.set_bounds(Bounds::Error);
        case.fill(&mut random);
        check(&mut random, &pools, &case);
        case.spoil(&mut random);
        check(&mut random, &pools, &case);
    }
}

/// What a route itself says: chunks of what is apart, also where a row is all there is.
#[test]
fn chunks_that_a_route_finds_are_apart() {
    let (mut random, mut chunks) = (Random::of(22), 0);
    for _ in 0..1500 {
        let direction = random.pick(&DIRECTIONS);
        let case = Case::random(&mut random, direction, Large::No);
        let plan = case.plan.with_rising_pieces();
        let call = super::route::gather(1 << 21);
        let call = crate::engine::route::Call { direction, threads: 4, ..call };
        let route = Route::of(&plan, &call, &strew_simd::Machine::PORTABLE);
        if let Split::Chunks { dim, number } = route.split {
            chunks += 1;
            assert!(number > 1 && number <= plan.dims[dim].size);
            assert!(steps_are_apart(&plan, direction, dim), "{route:?} {plan:?}");
        } else if route.tile.is_none() {
            let apart =
                |dim: &usize| plan.dims[*dim].size > 1 && steps_are_apart(&plan, direction, *dim);
            assert_eq!((0..plan.rank).find(apart), None, "{route:?} {plan:?}");
        }
    }
    assert!(chunks > 200);
}

/// One long row: its elements are divided.
#[test]
fn one_row_is_shared() {
    let pool = &pools()[2];
    let width = 3_000_017;
    let (table, one, row) = (packed([4, width]), packed([1]), packed([width]));
    let input: Vec<u8> = (0..4 * width).map(|n| (n * 7 % 251) as u8).collect();
    let gather = Gather::nd(&table, &one, &row, 0).unwrap();
    let mut output = vec![0; width];
    pool.install(|| gather.par_run(&input, &[2], &mut output)).unwrap();
    assert!(output == input[2 * width..3 * width]);
    // All updates go to one row.
    let (data, ids) = (packed([1, width]), packed([40]));
    let scatter = Scatter::axis(&data, &ids, &Layout::strided([40, width], [0, 1]), 0).unwrap();
    let (mut sums, updates_row) = (vec![1; width], &input[..width]);
    pool.install(|| scatter.par_reduce(Add, &mut sums, &[0_u32; 40], updates_row)).unwrap();
    let sum = |update: &u8| update.wrapping_mul(40).wrapping_add(1);
    assert!(sums.iter().eq(&updates_row.iter().map(sum).collect::<Vec<_>>()));
}

/// Chunks of a gather take turns: nothing moves by a bad index, nor by those after it.
#[test]
fn nothing_is_gathered_after_a_bad_index() {
    for (threads, pool) in iter::zip(THREADS, pools()) {
        for bad in [0, 1, 20_000, 99_999, 100_000, 149_999] {
            let count = 150_000;
            let plan =
                axis(Direction::Gather, &packed([1000]), &packed([count]), &packed([count]), 0);
            let indices = (0..count).map(|n| if n == bad { 1000 } else { n as i64 % 1000 });
            let case = Case { direction: Direction::Gather, plan, indices: indices.collect() };
            let split = Split::Chunks { dim: 0, number: 4 * threads };
            let route = route(Proof::Blocks, split);
            let input = vec![1_u32; 1000];
            let (inside, output) =
                pool.install(|| gathered_by(&case, &route, &input, &vec![0; count]));
            assert!(!inside && output[bad..].iter().all(|element| *element == 0), "{bad}");
        }
    }
}

/// Parts are cut between rows.
#[test]
fn rows_of_parts_are_whole() {
    let (mut random, pools) = (Random::of(23), pools());
    for rows in [1, 2, 7, 100] {
        for width in [1, 2, 33, 64] {
            let count = 1 + random.below(300);
            let table = Layout::strided([rows, width], [width as isize + 5, 1]).with_offset(9);
            let plan =
                nd(Direction::Scatter, &table, &packed([count, 1]), &packed([count, width]), 0);
            let mut case = Case { direction: Direction::Scatter, plan, indices: Vec::new() };
            case.fill(&mut random);
            for _ in 0..4 {
                check(&mut random, &pools, &case);
            }
        }
    }
}

/// A panic in a reduction reaches the caller.
#[test]
fn a_panic_reaches_the_caller() {
    let plan = axis(Direction::Scatter, &packed([100]), &packed([500]), &packed([500]), 0);
    let mut case = Case { direction: Direction::Scatter, plan, indices: Vec::new() };
    case.fill(&mut Random::of(24));
    let route = route(Proof::Scan, Split::Parts { pitch: 1, number: 3 });
    let panics = |_: u32, _: u32| -> u32 { panic!("as asked for") };
    let pool = &pools()[2];
    let run = || pool.install(|| scattered(&case, &route, &panics, &[0; 100], &[0; 500]));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
}
