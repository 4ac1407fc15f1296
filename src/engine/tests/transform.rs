//! Transform: plans made of plans move what they should.

use super::{
    Case, DIRECTIONS, Entry, Large, Pair, Random, by_written, permuted, places, sorted, tuples,
    walk,
};
use crate::engine::tuning::{self, BLOCK};
use crate::error::Direction::{Gather, Scatter};
use crate::index::Bounds;
use crate::layout::Layout;
use crate::plan::Plan;
use crate::plan::tests::{axis, elements, nd, packed};
use crate::walk::Position;

fn random_cases(seed: usize, number: usize, mut check: impl FnMut(&mut Random, &Case)) {
    let mut random = Random::of(seed);
    for _ in 0..number {
        let direction = random.pick(&DIRECTIONS);
        let mut case = Case::random(&mut random, direction, Large::No);
        check(&mut random, &case);
        case.plan.set_bounds(Bounds::Error);
        case.fill(&mut random);
        check(&mut random, &case);
    }
}

fn moves(plan: &Plan, indices: &[i64]) -> Vec<Pair> {
    walk(plan, indices).into_iter().filter_map(|Entry { moves }| moves).flatten().collect()
}

#[test]
fn pieces_come_first() {
    random_cases(40, 600, |_, case| {
        let (plan, first) = (&case.plan, case.plan.with_pieces_first());
        let pieces = plan.pieces().len();
        assert_eq!(first.outer, plan.outer + pieces);
        assert_eq!((first.pieces().len(), first.row()), (0, plan.row()), "{plan:?}");
        assert_eq!(first.moved_elements(), plan.moved_elements());
        // All entries of a lane by a piece, then those by the next.
        let row = plan.row();
        let (expected, found) = (case.moves(), moves(&first, &case.indices));
        if !matches!(plan.bounds, Bounds::Skip) {
            let each: Vec<&[Pair]> = expected.chunks(row).collect();
            let number = places(plan.pieces()).len();
            let lane = plan.outer().last().map_or(1, |lane| lane.size) * number;
            let mut expected: Vec<Pair> = Vec::new();
            for lane in each.chunks(lane) {
                let piece = |n: usize| lane.iter().skip(n).step_by(number).copied().flatten();
                expected.extend((0..number).flat_map(piece));
            }
            assert_eq!(found, expected, "{plan:?}");
        }
        let direction = case.direction;
        assert_eq!(by_written(direction, &found), by_written(direction, &expected), "{plan:?}");
    });
}

#[test]
fn pieces_rise() {
    random_cases(41, 600, |_, case| {
        let (plan, rising) = (&case.plan, case.plan.with_rising_pieces());
        assert!(rising.pieces().iter().all(|dim| dim.table >= 0));
        assert_eq!((rising.outer(), rising.row()), (plan.outer(), plan.row()));
        let (expected, found) = (case.moves(), moves(&rising, &case.indices));
        assert_eq!(sorted(&found), sorted(&expected), "{plan:?}");
        let direction = case.direction;
        assert_eq!(by_written(direction, &found), by_written(direction, &expected), "{plan:?}");
        if plan.pieces().iter().all(|dim| dim.table >= 0) {
            assert!(rising == *plan);
        }
    });
}

#[test]
fn the_longest_piece_is_the_last() {
    let (mut random, mut turned) = (Random::of(47), 0);
    for _ in 0..1000 {
        let direction = random.pick(&DIRECTIONS);
        let [a, b, c] = [(); 3].map(|()| random.pick(&[1, 2, 3, 7, 8, 28, 60]));
        let (table, flat) = (permuted(&mut random, [3, a, b, c]), [5, a, b, c]);
        let flat = permuted(&mut random, flat);
        let plan = axis(direction, &table, &packed([5]), &flat, 0);
        let mut case = Case { direction, plan, indices: Vec::new() };
        case.fill(&mut random);
        let Some(plan) = case.plan.with_long_piece_last() else { continue };
        turned += 1;
        let lengths = |plan: &Plan| Vec::from_iter(plan.pieces().iter().map(|dim| dim.size));
        let (pieces, before) = (lengths(&plan), lengths(&case.plan));
        assert_eq!(pieces.last(), pieces.iter().max());
        assert!(before.last() < Some(&tuning::SHORT_PIECE));
        assert!(before.last().unwrap() * tuning::LONG_PIECE <= *pieces.last().unwrap());
        // Others keep their order, so that the ones that share lines stay next to each other.
        let rest = &pieces[..pieces.len() - 1];
        assert!(before.len() < 3 || before.ends_with(&rest[1..]) || before.starts_with(rest));
        // What moves was made for rows of the plan as it was.
        assert_eq!((plan.outer, plan.row()), (case.plan.outer, case.plan.row()), "{plan:?}");
        let (expected, found) = (case.moves(), moves(&plan, &case.indices));
        assert_eq!(by_written(direction, &found), by_written(direction, &expected), "{plan:?}");
    }
    assert!(turned > 100, "{turned}");
    // Of an entry of [61, 2], transposed in the table, 61 elements are a lane.
    let table = Layout::strided([1, 61, 2], [122, 1, 61]);
    let plan = |flat| axis(Scatter, &table, &packed([69]), &Layout::strided([69, 61, 2], flat), 0);
    let turned = plan([183, 3, 1]).with_long_piece_last().unwrap();
    assert_eq!(turned.pieces().last().unwrap().size, 61);
    // Not where all of them are one.
    assert_eq!(plan([122, 2, 1]).with_long_piece_last(), None);
    // Not what would be rows, which a plan leaves in between for indices that are broadcast.
    let table = Layout::strided([9, 61, 2], [122, 1, 61]);
    let flat = Layout::strided([9, 61, 2], [122, 1, 61]);
    let plan = elements(Scatter, &table, &Layout::strided([9, 61, 2], [1, 0, 0]), &flat, 0);
    assert_eq!((plan.row(), plan.inner()[0].is_row()), (1, true));
    assert_eq!(plan.with_long_piece_last(), None);
}

#[test]
fn one_update_becomes_a_row() {
    let of = |table: Layout, updates: [isize; 2]| {
        let updates = Layout::strided([4, 7], updates).with_offset(5);
        axis(Scatter, &table, &packed([4]), &updates, 0).with_row_of_one(4)
    };
    let row = of(packed([10, 7]), [0, 0]).unwrap();
    assert_eq!((row.row(), row.lengths.flat, row.start.flat), (7, 7, 0));
    assert!(row.outer().iter().all(|dim| dim.flat == 0));
    // Rows that go back are walked the other way.
    let back = of(Layout::strided([10, 7], [7, -1]).with_offset(6), [0, 0]).unwrap();
    assert_eq!((back.row(), back.start.table), (7, 0));
    // An update for each entry, for each column, columns with gaps.
    assert!(of(packed([10, 7]), [1, 0]).is_none() && of(packed([10, 7]), [0, 1]).is_none());
    assert!(of(Layout::strided([10, 7], [14, 2]), [0, 0]).is_none());
    let single = axis(Scatter, &packed([10]), &packed([4]), &Layout::strided([4], [0]), 0);
    assert!(single.with_row_of_one(4).is_none());
    // Long rows, a single row, no rows.
    let of = |count, width, element| {
        let updates = Layout::strided([count, width], [0, 0]);
        let plan = axis(Scatter, &packed([10, width]), &packed([count]), &updates, 0);
        plan.with_row_of_one(element).is_some()
    };
    assert_eq!([of(2, 1 << 14, 4), of(2, 1 << 14, 5), of(1, 8, 4)], [true, false, false]);
    let (table, updates) = (packed([0, 8]), Layout::strided([4, 8], [0, 0]));
    let mut none = axis(Scatter, &table, &packed([4]), &updates, 0);
    none.set_bounds(Bounds::Skip);
    assert!(none.empty && none.with_row_of_one(4).is_none());
    let mut found = 0;
    random_cases(42, 1000, |_, case| {
        let mut plan = case.plan;
        plan.dims.iter_mut().for_each(|dim| dim.flat = 0);
        if let Some(row) = plan.with_row_of_one(4) {
            let tables = |plan: &Plan| {
                let moves = moves(plan, &case.indices).into_iter();
                sorted(&moves.map(|(table, _)| (table, 0)).collect::<Vec<_>>())
            };
            assert_eq!(tables(&row), tables(&plan), "{plan:?}");
            found += 1;
        }
    });
    assert!(found > 100, "{found}");
}

#[test]
fn splits_and_chunks_are_all_of_a_plan() {
    random_cases(42, 100, |random, case| {
        let plan = &case.plan;
        for dim in 0..plan.rank {
            let size = plan.dims[dim].size;
            for steps in 1..size {
                let (first, second) = plan.split(dim, steps).unwrap();
                assert_eq!((first.dims[dim].size, second.dims[dim].size), (steps, size - steps));
                let both = [moves(&first, &case.indices), moves(&second, &case.indices)].concat();
                assert_eq!(sorted(&both), sorted(&case.moves()), "{plan:?} {dim} {steps}");
                if dim == 0 {
                    assert_eq!(both, case.moves(), "{plan:?}");
                }
            }
            assert!(plan.split(dim, size).is_none() && plan.split(dim, size + 1).is_none());
            let number = 1 + random.below(9);
            let chunks: Vec<Plan> = plan.chunks(dim, number).collect();
            assert_eq!(chunks.len(), number.min(size));
            let sizes = chunks.iter().map(|chunk| chunk.dims[dim].size);
            let (least, most) = (sizes.clone().min().unwrap(), sizes.max().unwrap());
            assert!(least >= 1 && most - least <= 1, "{number} of {size}: {least} to {most}");
            let all: Vec<Pair> =
                chunks.iter().flat_map(|chunk| moves(chunk, &case.indices)).collect();
            assert_eq!(sorted(&all), sorted(&case.moves()), "{plan:?} {dim} {number}");
        }
        assert!(plan.split(8, 1).is_none());
        // Along no dimension there is one chunk.
        assert!(plan.chunks(8, 1).eq([*plan]));
    });
}

#[test]
fn tiles_move_their_columns() {
    let mut random = Random::of(43);
    for _ in 0..200 {
        let direction = random.pick(&DIRECTIONS);
        let [before, rows, size, columns] = [3, 6, 6, 12].map(|most| 1 + random.below(most));
        let (pitch, lane) = (columns + random.below(3), 1 + random.below(columns));
        let table = Layout::strided(
            [before, size, columns],
            [(pitch * size) as isize + 1, pitch as isize, 1],
        );
        let table = table.with_offset(random.below(5));
        let indices =
            Layout::strided([before, rows, lane], [(rows * 20) as isize, random.pick(&[20, 0]), 1]);
        let plan = elements(direction, &table, &indices, &packed([before, rows, lane]), 1);
        let ([rest @ .., along, inner], []) = (plan.outer(), plan.inner()) else { continue };
        if (along.table, inner.table, inner.size) != (0, 1, lane) {
            continue;
        }
        let mut case = Case { direction, plan, indices: Vec::new() };
        case.plan.set_bounds(random.pick(&super::POLICIES));
        case.fill(&mut random);
        let width = 1 + random.below(lane);
        let mut all = Vec::new();
        for [to_table, to_indices, to_flat] in places(rest) {
            let mut at = Position::first(&plan);
            at.table += to_table as usize;
            at.indices += to_indices as usize;
            at.flat += to_flat as usize;
            for column in (0..lane).step_by(width) {
                let width = width.min(lane - column);
                let tile = case.plan.on_tile(&at, column, width);
                assert_eq!((tile.start.table, tile.lengths.table), (0, size * width));
                assert_eq!((tile.outer, tile.rank, tile.dims[1].size), (2, 2, width));
                // A place of the copy, as one of the table.
                let place =
                    |place: usize| at.table + place / width * pitch + column + place % width;
                let moved = moves(&tile, &case.indices);
                all.extend(moved.into_iter().map(|(table, flat)| (place(table), flat)));
            }
        }
        let found = by_written(direction, &all);
        assert_eq!(found, by_written(direction, &case.moves()), "{plan:?}");
    }
}

/// Rows that a scatter writes start at multiples of the pitch, and fit between.
#[test]
fn rows_start_at_multiples_of_the_pitch() {
    random_cases(45, 600, |_, case| {
        let (plan, row) = (&case.plan, case.plan.row());
        let Some(pitch) = plan.pitch() else { return };
        assert!(pitch >= row);
        let first = plan.start.table % pitch;
        for moves in case.moves().chunks(row) {
            assert_eq!(moves[0].0 % pitch, first, "{plan:?}");
        }
    });
    let pitch = |table: &Layout, indices: &Layout, updates: &Layout| {
        axis(Scatter, table, indices, updates, 0).pitch()
    };
    let (ids, updates) = (packed([70]), packed([70, 33]));
    assert_eq!(pitch(&packed([9, 33]), &ids, &updates), Some(33));
    let back = Layout::strided([9, 33], [-40, 1]).with_offset(320);
    assert_eq!(pitch(&back, &ids, &updates), Some(40));
    assert_eq!(pitch(&packed([9]), &ids, &ids), Some(1));
    assert_eq!(pitch(&Layout::strided([9], [4]), &ids, &ids), Some(4));
    let columns = Layout::strided([9, 33], [1, 9]);
    assert_eq!(pitch(&columns, &ids, &updates), Some(1));
    let batches = |stride: isize, row: isize| {
        let table = Layout::strided([3, 300, 20], [stride, row, 1]);
        nd(Scatter, &table, &packed([3, 50, 1]), &packed([3, 50, 20]), 1).pitch()
    };
    assert_eq!([batches(6030, 20), batches(9030, 30)], [None, Some(30)]);
}

#[test]
fn sizes_are_those_of_the_walk() {
    random_cases(46, 400, |_, case| {
        let plan = &case.plan;
        let tuples = tuples(plan);
        assert_eq!(plan.entries(), tuples.len());
        assert_eq!(plan.reads(), tuples.iter().map(|(places, _)| places.len()).sum::<usize>());
        assert_eq!(plan.moved_elements(), tuples.len() * places(plan.inner()).len());
        assert_eq!(plan.is_one_block(), plan.outer <= 2 && tuples.len() <= BLOCK);
        assert_eq!(places(plan.pieces()).len() * plan.row(), places(plan.inner()).len());
        // Nothing lies before the start where the table rises.
        if plan.rises() {
            let lowest = places(plan.pieces()).iter().map(|[table, ..]| *table).min().unwrap();
            let start = plan.start.table as isize + lowest;
            assert!(case.moves().iter().all(|(table, _)| *table as isize >= start), "{plan:?}");
        }
    });
}

#[test]
fn one_block() {
    let of = |count| axis(Gather, &packed([9]), &packed([count]), &packed([count]), 0);
    assert_eq!([1, 1024, 1025].map(|count| of(count).is_one_block()), [true, true, false]);
    let of = |sizes: [usize; 3]| {
        let strides = [1000, sizes[2] as isize + 100, 1];
        let plan = axis(Gather, &packed([9]), &Layout::strided(sizes, strides), &packed(sizes), 0);
        (plan.outer, plan.is_one_block())
    };
    assert_eq!(of([1, 4, 256]), (2, true));
    assert_eq!(of([1, 5, 256]), (2, false));
    assert_eq!(of([2, 2, 2]), (3, false));
}

#[test]
fn groups_are_few_entries_of_three_dimensions() {
    let plan = |sizes: [usize; 3]| {
        let flat = Layout::strided(sizes, [9000, 1, sizes[1] as isize]);
        elements(Gather, &packed([sizes[0], sizes[1], 9]), &packed(sizes), &flat, 2)
    };
    let groups = |sizes| plan(sizes).has_groups();
    assert_eq!(
        [[5, 2, 3], [5, 7, 73], [5, 2, 256], [5, 4, 600]].map(groups),
        [true, true, false, false]
    );
    assert!(!groups([1, 2, 3]));
}

#[test]
fn distinct_entries_have_indices_of_their_own() {
    let of = |strides, flat: [usize; 2]| {
        let indices = Layout::strided(flat, strides).with_offset(40);
        let plan = axis(Gather, &packed([9]), &indices, &packed(flat), 0);
        (plan.entries(), plan.distinct_entries())
    };
    assert_eq!(of([0, 1], [4, 7]), (28, 7));
    assert_eq!(of([1, 0], [4, 7]), (28, 4));
    assert_eq!(of([7, 1], [4, 7]), (28, 28));
    assert_eq!(of([0, 0], [4, 7]), (28, 1));
    assert_eq!(of([-8, -1], [4, 7]), (28, 28));
}

#[test]
fn the_footprint_is_that_of_the_longest_axis() {
    let plan = nd(Gather, &packed([5, 4, 3]), &packed([7, 2]), &packed([7, 3]), 0);
    assert_eq!(plan.footprint(), 60);
    let table = Layout::strided([5, 4], [1, -5]).with_offset(15);
    assert_eq!(nd(Gather, &table, &packed([7, 2]), &packed([7]), 0).footprint(), 20);
    assert_eq!(Plan::copy(&packed([7]), &packed([7])).unwrap().footprint(), 0);
}

#[test]
fn nothing_goes_back_where_a_plan_rises() {
    let of = |strides, offset, along| {
        let table = Layout::strided([4, 5], strides).with_offset(offset);
        let ids = packed([4, 5]);
        elements(Gather, &table, &ids, &ids, along).rises()
    };
    assert_eq!([of([5, 1], 0, 0), of([-5, 1], 15, 0), of([5, -1], 4, 0)], [true, false, false]);
    assert_eq!([of([5, 1], 0, 1), of([-5, 1], 15, 1), of([5, -1], 4, 1)], [true, false, false]);
}

#[test]
fn segments_are_short_and_mostly_read() {
    let of = |table: &Layout, lane, least, longest| {
        let indices = Layout::packed(&[table.size(0), lane]);
        elements(Gather, table, &indices, &indices, 1).segment(least, longest)
    };
    let table = packed([8, 100]);
    assert_eq!([64, 63].map(|lane| of(&table, lane, 64, 4096)), [Some(100), None]);
    assert_eq!([100, 99].map(|longest| of(&table, 70, 64, longest)), [Some(100), None]);
    assert_eq!([100, 99].map(|lane| of(&packed([8, 400]), lane, 64, 4096)), [Some(400), None]);
    // Strides; lanes that all lead into one segment; pairs; rows.
    assert_eq!(of(&Layout::strided([8, 100], [200, 2]), 90, 64, 4096), None);
    let lanes = Layout::strided([8, 90], [91, 1]);
    let plan = axis(Gather, &packed([100]), &lanes, &packed([8, 90]), 0);
    assert_eq!(plan.segment(64, 4096), None);
    let ids = packed([8, 90, 2]);
    let plan = nd(Gather, &packed([8, 100, 1]), &ids, &packed([8, 90]), 1);
    assert_eq!(plan.segment(64, 4096), None);
    let across = packed([100, 8]);
    assert_eq!(elements(Gather, &across, &across, &across, 0).segment(1, 4096), None);
}

#[test]
fn rows_are_at_the_end() {
    let of = |table: &Layout, flat: &Layout| {
        let plan = axis(Gather, table, &packed([5]), flat, 1);
        (plan.pieces().len(), plan.row())
    };
    let (table, flat) = (packed([4, 9, 3]), packed([4, 5, 3]));
    assert_eq!(of(&table, &flat), (1, 3));
    assert_eq!(of(&packed([4, 9]), &packed([4, 5])), (1, 1));
    assert_eq!(of(&packed([1, 9, 3]), &packed([1, 5, 3])), (0, 3));
    // What is no row in one of the two.
    assert_eq!(of(&table, &Layout::strided([4, 5, 3], [15, 3, -1]).with_offset(2)), (2, 1));
    assert_eq!(of(&Layout::strided([4, 9, 3], [54, 6, 2]), &flat), (2, 1));
}
