//! Blocks come as the walk says.

use strew_simd::{Machine, Path};

use super::{
    Case, DIRECTIONS, Large, Pair, Random, Recorder, by_written, orders, route, sorted, way,
};
use crate::engine::movers::Way;
use crate::engine::prove::check_all;
use crate::engine::route::{Order, Route};
use crate::engine::traverse::{
    Kept, base_of_kept, check, check_wide, keep, one_block, traverse, traverse_kept, traverse_wide,
};
use crate::engine::{in_order, tuning};
use crate::error::Direction::{Gather, Scatter};
use crate::index::Bounds;
use crate::layout::Layout;
use crate::plan::Plan;
use crate::plan::tests::{axis, elements, nd, packed};
use crate::walk::{Odometer, Position, first_out_of_bounds};

/// What a traversal has moved is what the walk moves, or the start of it.
fn assert_moved(case: &Case, inside: bool, order: Order, moved: &[Pair], what: &str) {
    let what = format!("{what}: {:?} {:?}", case.plan, case.indices);
    assert_eq!(inside, !case.has_bad_index(), "{what}");
    let expected = case.moves();
    if case.plan.pieces().is_empty() && !matches!(order, Order::Across { .. }) {
        let expected = if inside { &expected } else { expected.get(..moved.len()).unwrap() };
        assert_eq!(moved, expected, "{what}");
    } else if inside {
        let direction = case.direction;
        assert_eq!(by_written(direction, moved), by_written(direction, &expected), "{what}");
    } else {
        let expected = sorted(&expected);
        assert!(moved.iter().all(|pair| expected.binary_search(pair).is_ok()), "{what}");
    }
}

/// The plan of the indices leads to each place once that the plan leads to.
#[test]
fn a_check_walks_each_place_of_the_indices_once() {
    let places = |plan: &Plan| {
        let (mut at, mut odometer) = (Position::first(plan), Odometer::new());
        let mut places = vec![at.indices];
        while !plan.outer().is_empty() && odometer.step(plan.outer(), &mut at) {
            places.push(at.indices);
        }
        places
    };
    let assert_same = |plan: &Plan| {
        let (mut found, mut expected) = (places(plan.of_indices(16, &mut None)), places(plan));
        found.sort_unstable();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(found, expected, "{plan:?}");
    };
    let found = |sizes: [usize; 3], strides: [isize; 3], offset: usize| {
        let indices = Layout::strided(sizes, strides).with_offset(offset);
        let plan = elements(Gather, &packed([9, 9, 30]), &indices, &packed(sizes), 1);
        assert_same(&plan);
        Vec::from_iter(
            plan.of_indices(16, &mut None).outer().iter().map(|dim| (dim.size, dim.indices)),
        )
    };
    assert_eq!(found([4, 3, 2], [6, 2, 1], 0), [(24, 1)]);
    assert_eq!(found([4, 3, 2], [1, 4, 12], 0), [(24, 1)]);
    assert_eq!(found([4, 3, 2], [-6, 2, -1], 19), [(24, 1)]);
    assert_eq!(found([4, 3, 2], [3, 0, 20], 5), [(2, 20), (4, 3)]);
    assert_eq!(found([4, 3, 2], [0, 0, 0], 7), []);
    // The one dimension is as it was.
    assert_eq!(found([1, 1, 4], [9, 5, -1], 3), [(4, -1)]);
    assert_eq!(found([1, 1, 4], [9, 5, 0], 3), []);
    // A lane of 9 stays one, unless what is shorter merges, or has 16.
    assert_eq!(found([1, 3, 9], [0, 1, 8], 0), [(3, 1), (9, 8)]);
    assert_eq!(found([2, 3, 9], [1, 80, 4], 0), [(3, 80), (2, 1), (9, 4)]);
    assert_eq!(found([1, 3, 9], [0, 1, 3], 0), [(27, 1)]);
    assert_eq!(found([1, 15, 30], [0, 1, 40], 0), [(15, 1), (30, 40)]);
    assert_eq!(found([1, 16, 30], [0, 1, 40], 0), [(30, 40), (16, 1)]);
    // Tuples, also in batches.
    let pairs = Layout::strided([5, 7, 2], [1, 10, 5]);
    assert_same(&nd(Gather, &packed([9, 9]), &pairs, &packed([5, 7]), 0));
    assert_same(&nd(Gather, &packed([5, 9, 9]), &pairs, &packed([5, 7]), 1));
}

/// What is prefetched is what comes.
fn assert_next_comes(recorder: &Recorder) {
    for pair in recorder.blocks.windows(2) {
        let [(_, table, next), (addresses, next_table, _)] = pair else { return };
        // One group of several knows all that come after it.
        let comes = next.starts_with(addresses) || addresses.starts_with(next);
        assert!(next.is_empty() || comes && next_table == table);
    }
}

fn traverses(case: &Case, way: &Way) {
    let Case { plan, indices, .. } = case;
    let mut recorder = Recorder::of(plan);
    let inside = traverse(plan, way, &indices.as_slice(), &mut recorder);
    assert_moved(case, inside, way.order, &recorder.moved, &format!("{way:?}"));
    // Each index comes next once.
    let once = size_of::<i64>() * plan.reads();
    assert!(!plan.pieces().is_empty() || recorder.prefetched <= once, "{way:?} {plan:?}");
    let longest = recorder.blocks.iter().map(|(addresses, ..)| addresses.len()).max();
    // Pieces of some entries have blocks of their own.
    let each_entry = matches!(way.order, Order::EachEntry) || way.runs;
    let most = if each_entry { tuning::BLOCK } else { way.block };
    assert!(longest.is_none_or(|longest| longest <= most));
    if plan.pieces().is_empty() {
        assert_next_comes(&recorder);
    }
}

/// Some ways to traverse a plan.
fn check_case(random: &mut Random, case: &Case) {
    let Case { plan, indices, .. } = case;
    let resolver = indices.as_slice();
    let paths: Vec<Path> = Path::available().into_iter().flatten().collect();
    for (distance, segment) in [(0, 0), (random.pick(&[1, 5, 64]), 0), (0, 40)] {
        let (block, path) = (random.pick(&[64, 100, 1024]), random.pick(&paths));
        let order = random.pick(&orders(case.direction, plan));
        let runs = random.rarely(2);
        let way = Way { distance, segment, block, order, runs, ..Way::of(path, 1) };
        traverses(case, &way);
        traverses(case, &Way { block: 64, ..way });
    }
    let mut recorder = Recorder::of(plan);
    let inside = traverse_wide(plan, &resolver, &mut recorder);
    assert_moved(case, inside, Order::Entries, &recorder.moved, "wide");

    let path = Path::detect();
    if plan.is_one_block() && plan.pieces().is_empty() && !plan.empty {
        let mut recorder = Recorder::of(plan);
        let inside = one_block(plan, path, &resolver, &mut recorder);
        assert_moved(case, inside, Order::Entries, &recorder.moved, "one block");
        assert!(inside || recorder.moved.is_empty());
    }
    assert_eq!(check(plan, path, &resolver), inside, "{plan:?} {indices:?}");
    assert_eq!(check_wide(plan, &resolver), inside);
    assert_eq!(check_all(plan, &resolver), inside);
    if matches!(plan.bounds, Bounds::Error) {
        assert_eq!(first_out_of_bounds(plan, resolver).is_none(), inside);
    }

    let (mut all, base) = (vec![u32::MAX; plan.entries()], base_of_kept(plan));
    assert_eq!(keep(plan, path, &resolver, base, &mut all), inside);
    if inside {
        let (order, runs) = (random.pick(&orders(case.direction, plan)), random.rarely(2));
        let way = Way { order, runs, ..way(0) };
        let mut recorder = Recorder::of(plan);
        traverse_kept(plan, &way, Kept { addresses: &all, base }, &mut recorder);
        assert_moved(case, true, way.order, &recorder.moved, "kept");
    }
}

/// [`check_case`], and once more with a bad index.
fn check_with_bad_index(random: &mut Random, mut case: Case) {
    // Blocks take pieces that rise.
    case.plan = case.plan.with_rising_pieces();
    check_case(random, &case);
    case.plan.set_bounds(Bounds::Error);
    case.fill(random);
    case.spoil(random);
    check_case(random, &case);
}

fn check_cases(seed: usize, number: usize, large: Large) {
    let mut random = Random::of(seed);
    for _ in 0..number {
        let direction = random.pick(&DIRECTIONS);
        let case = Case::random(&mut random, direction, large);
        check_with_bad_index(&mut random, case);
    }
}

#[test]
fn blocks_of_small_plans() {
    check_cases(10, 400, Large::No);
}

#[test]
fn blocks_of_long_lanes() {
    check_cases(11, 60, Large::Lane(200));
    check_cases(12, 15, Large::Lane(2500));
}

/// Blocks that begin with runs go entry by entry, and others do not. So do kept addresses.
#[test]
fn runs_go_entry_by_entry() {
    let table = Layout::strided([9, 6], [1, 9]);
    let plan = axis(Scatter, &table, &packed([400]), &packed([400, 6]), 0);
    // What moves one after the other: the entry and the piece of each.
    let moves = |indices: &[i64], order| {
        let way = Way { order, runs: true, ..way(0) };
        let mut recorder = Recorder::of(&plan);
        assert!(traverse(&plan, &way, &indices, &mut recorder));
        let (mut all, mut kept) = ([0; 400], Recorder::of(&plan));
        let base = base_of_kept(&plan);
        assert!(keep(&plan, Path::detect(), &indices, base, &mut all));
        traverse_kept(&plan, &way, Kept { addresses: &all, base }, &mut kept);
        let flat = |recorder: &Recorder| Vec::from_iter(recorder.moved.iter().map(|(_, at)| *at));
        assert_eq!(flat(&recorder), flat(&kept));
        let place = |at: usize| indices[at / 6] as usize + at % 6 * 9;
        assert!(recorder.moved.iter().all(|(table, at)| *table == place(*at)));
        flat(&recorder)
    };
    let by_entry = Vec::from_iter(0..2400);
    let by_piece = Vec::from_iter((0..6).flat_map(|piece| (0..400).map(move |n| n * 6 + piece)));
    let [runs, others] = [30, 1].map(|run| Vec::from_iter((0..400).map(|n| n / run * 5 % 9)));
    for order in [Order::Entries, Order::Pieces { dimensions: 1 }] {
        assert_eq!(moves(&runs, order), by_entry);
        assert_eq!(moves(&others, order), by_piece);
    }
}

#[test]
fn short_lanes_along_every_axis() {
    let mut random = Random::of(15);
    for number in 0..120 {
        let direction = DIRECTIONS[number % 2];
        let case = Case::of_short_lanes(&mut random, direction, number / 2 % 3);
        check_with_bad_index(&mut random, case);
    }
}

#[test]
fn short_groups() {
    let (mut random, mut groups, mut bundles) = (Random::of(48), 0, 0);
    for number in 0..300 {
        let direction = DIRECTIONS[number % 2];
        let case = Case::of_groups(&mut random, direction);
        for order in orders(direction, &case.plan) {
            if let Order::Across { entries } = order {
                groups += usize::from(entries == case.plan.group());
                bundles += usize::from(entries > case.plan.group());
            }
        }
        check_with_bad_index(&mut random, case);
    }
    assert!(groups > 30 && bundles > 12, "{groups} {bundles}");
}

/// A chunk that cuts a dimension before the bundles has other bundles, whose entries may meet.
#[test]
fn chunks_that_cut_bundles_keep_their_order() {
    let mut random = Random::of(49);
    let flat = Layout::strided([4, 2, 3, 3, 5], [30, 1, 2, 120, 6]);
    let (table, indices) = (packed([4, 2, 3, 2]), packed([4, 2, 3, 3, 5, 1]));
    let mut plan = nd(Scatter, &table, &indices, &flat, 3);
    // No constructor makes this order, in which dimensions of the indices are apart.
    let [b, p, q, i, j] = *plan.dims.first_chunk().unwrap();
    plan.dims[..5].copy_from_slice(&[i, b, j, p, q]);
    let order = Route::of(&plan, &route::set(4), &Machine::ZEN_5).order;
    assert_eq!(order, Order::Across { entries: 6 });
    let order_of = |plan| Route::of(&plan, &route::set(4), &Machine::ZEN_5).order;
    assert!(plan.chunks(1, 2).map(order_of).all(|order| order == Order::Entries));
    for plan in [plan].into_iter().chain(plan.chunks(1, 2)) {
        let mut case = Case { direction: Scatter, plan, indices: Vec::new() };
        case.fill(&mut random);
        let (mut recorder, indices) = (Recorder::of(&plan), case.indices.as_slice());
        assert!(traverse(&plan, &Way { order, ..way(0) }, &indices, &mut recorder));
        assert_moved(&case, true, order, &recorder.moved, "chunk");
    }
}

/// Runs of several dimensions, and of one that is longer than a block, forwards and backwards.
#[test]
fn runs_of_pieces() {
    let mut random = Random::of(14);
    for [a, b] in [[3, 1250], [1, 2500], [40, 25], [7, 3]] {
        for [one, other] in [[1, 1], [1, -1], [-1, 1], [-1, -1]] {
            for direction in DIRECTIONS {
                let (n, m) = (a as isize, b as isize);
                let table = Layout::strided([5, a, b], [n * m, 1, n]);
                let back = [(one < 0, (a - 1) * b), (other < 0, b - 1)];
                let start = back.iter().filter(|(back, _)| *back).map(|(_, start)| start).sum();
                let strides = [n * m, one * m, other];
                let flat = Layout::from_parts(&[4, a, b], &strides, start).unwrap();
                let plan = axis(direction, &table, &packed([4]), &flat, 0).with_rising_pieces();
                let mut case = Case { direction, plan, indices: Vec::new() };
                case.fill(&mut random);
                check_case(&mut random, &case);
            }
        }
    }
}

/// As a call orders them: pieces first where there are few entries.
#[test]
fn ordered_plans() {
    let mut random = Random::of(13);
    let mut within_lanes = 0;
    for number in 0..2000 {
        let direction = random.pick(&DIRECTIONS);
        let large = if number % 2 == 0 { Large::No } else { Large::Lane(200) };
        let mut case = Case::random(&mut random, direction, large);
        let Some(plan) = in_order(&case.plan, &route::of(direction), &Machine::ZEN_5) else {
            continue;
        };
        within_lanes += usize::from(case.plan.outer == 2 && plan.outer > 2);
        let expected = by_written(direction, &case.moves());
        // What moves has been made for the plan as it was.
        let mut recorder = Recorder::of(&case.plan);
        let indices = case.indices.as_slice();
        let inside = traverse(&plan, &Way { block: 256, ..way(0) }, &indices, &mut recorder);
        assert!(inside && by_written(direction, &recorder.moved) == expected, "{plan:?}");
        let (mut all, base) = (vec![u32::MAX; plan.entries()], base_of_kept(&plan));
        assert!(keep(&plan, Path::detect(), &indices, base, &mut all));
        let mut recorder = Recorder::of(&case.plan);
        traverse_kept(&plan, &way(0), Kept { addresses: &all, base }, &mut recorder);
        assert!(by_written(direction, &recorder.moved) == expected, "{plan:?}");
        // Nothing moves by a bad index.
        case.plan.set_bounds(Bounds::Error);
        case.fill(&mut random);
        case.spoil(&mut random);
        let plan = in_order(&case.plan, &route::of(direction), &Machine::ZEN_5).unwrap();
        let all: Vec<Pair> =
            case.walk().into_iter().filter_map(|entry| entry.moves).flatten().collect();
        let (mut recorder, expected) = (Recorder::of(&case.plan), sorted(&all));
        let way = Way { block: 64, ..way(0) };
        assert!(!traverse(&plan, &way, &case.indices.as_slice(), &mut recorder));
        let moved = &recorder.moved;
        assert!(moved.iter().all(|pair| expected.binary_search(pair).is_ok()), "{plan:?}");
    }
    assert!(within_lanes > 10, "{within_lanes}");
}
