//! Few entries move as the walk says.

use strew_simd::NOWHERE;

use super::{Case, Large, POLICIES, Random};
use crate::engine::changed::{Reduced, Reducer as _};
use crate::engine::few::Few;
use crate::engine::tuning::{
    FEW, FEW_A_GROUP, FEW_APART, FEW_BY_KERNEL, FEW_ELEMENTS, FEW_IN_GROUPS, FEW_OTHERS, FEW_ROWS,
};
use crate::error::Direction;
use crate::index::{Bounds, Negative};
use crate::layout::Layout;
use crate::plan::Plan;
use crate::plan::tests::{axis, elements, nd, packed};
use crate::reduction::Sub;

/// Moves by few, and by the walk.
fn check(plan: &Plan, indices: &[i64], direction: Direction) {
    let few = Few::of(plan, direction).unwrap();
    let mut tables = vec![NOWHERE; plan.entries()];
    check_tables(few, &mut tables, plan, indices, direction);
}

/// Under a policy, with indices inside and with some outside.
fn check_policy(random: &mut Random, direction: Direction, mut plan: Plan, bounds: Bounds) {
    plan.set_bounds(bounds);
    let mut case = Case { direction, plan, indices: Vec::new() };
    case.fill(random);
    check(&plan, &case.indices, direction);
    case.spoil(random);
    check(&plan, &case.indices, direction);
}

fn check_tables(
    few: Few<'_>,
    tables: &mut [u32],
    plan: &Plan,
    indices: &[i64],
    direction: Direction,
) {
    let case = Case { direction, plan: *plan, indices: indices.to_vec() };
    let inside = few.resolve::<_, false>(indices, tables);
    assert_eq!(inside, !case.has_bad_index(), "{plan:?} {indices:?}");
    let table: Vec<u32> = (0..plan.lengths.table as u32).map(|n| n * 7 + 1).collect();
    let flat: Vec<u32> = (0..plan.lengths.flat as u32).map(|n| n * 1000 + 5).collect();
    match direction {
        Direction::Gather => {
            let (mut found, mut expected) = (flat.clone(), flat.clone());
            case.moves().iter().for_each(|(from, to)| expected[*to] = table[*from]);
            assert_eq!(few.run_gather(indices, &table, &mut found), inside);
            // An error leaves what comes before it, or nothing.
            let each = found.iter().zip(&expected).zip(&flat);
            let some = each.into_iter().all(|((now, all), none)| now == all || now == none);
            assert!(if inside { found == expected } else { some }, "{plan:?} {indices:?}");
            let mut found = flat;
            few.gather(tables, &table, &mut found);
            assert!(!inside || found == expected, "{plan:?} {indices:?}");
        }
        Direction::Scatter if !inside => {}
        Direction::Scatter => {
            let order = |current: u32, update: u32| current.wrapping_mul(31).wrapping_add(update);
            let (mut found, mut expected) = (table.clone(), table.clone());
            Reduced(&order).few(&few, tables, &mut found, &flat);
            case.moves()
                .iter()
                .for_each(|(to, from)| expected[*to] = order(expected[*to], flat[*from]));
            assert_eq!(found, expected, "{plan:?} {indices:?}");
            let (mut found, mut expected) = (table.clone(), table);
            Reduced(&Sub).few(&few, tables, &mut found, &flat);
            let sub = |(to, from): &(usize, usize)| {
                expected[*to] = expected[*to].wrapping_sub(flat[*from])
            };
            case.moves().iter().for_each(sub);
            assert_eq!(found, expected, "{plan:?} {indices:?}");
        }
    }
}

/// All numbers of entries and coordinates; elements and rows; strides; policies; bad indices.
#[test]
fn few_move_as_the_walk_says() {
    let mut random = Random::of(1);
    for (count, tuple) in
        (1..=FEW_OTHERS).flat_map(|count| (1..=5).map(move |tuple| (count, tuple)))
    {
        for width in [1, 2, 5, 40] {
            let (mut sizes, mut strides, mut start) = (vec![3; tuple], vec![], 0);
            sizes[0] = 4;
            sizes.push(width);
            let mut stride = width + random.below(2);
            strides.insert(0, 1_isize);
            for size in sizes[..tuple].iter().rev() {
                let back = random.rarely(3);
                strides.insert(0, if back { -(stride as isize) } else { stride as isize });
                start += if back { (size - 1) * stride } else { 0 };
                stride *= size;
            }
            let table = Layout::from_parts(&sizes, &strides, start).unwrap();
            let indices = random.pick(&[
                packed([count, tuple]),
                Layout::strided([count, tuple], [1, count as isize]),
                Layout::strided([count, tuple], [tuple as isize + 1, -1]).with_offset(tuple),
            ]);
            let flat = random.pick(&[
                packed([count, width]),
                Layout::strided([count, width], [-(width as isize) - 1, 1])
                    .with_offset((count - 1) * (width + 1)),
            ]);
            for (direction, bounds) in
                super::DIRECTIONS.into_iter().flat_map(|to| POLICIES.map(|bounds| (to, bounds)))
            {
                let plan = nd(direction, &table, &indices, &flat, 0);
                check_policy(&mut random, direction, plan, bounds);
            }
        }
    }
}

/// Kernels resolve more indices: those of lanes with gaps, of tuples, of columns, backwards too.
#[test]
fn kernels_resolve_many_indices() {
    let mut random = Random::of(4);
    let counts = [FEW_BY_KERNEL - 1, FEW_BY_KERNEL, FEW_BY_KERNEL + 1, FEW - 1, FEW];
    for (direction, count) in
        super::DIRECTIONS.into_iter().flat_map(|to| counts.map(|count| (to, count)))
    {
        let (one, lane) = (packed([count]), count / 2);
        let back = Layout::from_parts(&[300], &[-2], 600).unwrap();
        let gaps = Layout::strided([2, lane], [lane as isize + 3, 1]);
        let both_back = Layout::from_parts(&[20, 30], &[-31, -1], 640).unwrap();
        let pairs = [packed([lane, 2]), Layout::strided([lane, 2], [1, lane as isize + 1])];
        let mut plans = vec![
            axis(direction, &back, &one, &one, 0),
            elements(direction, &packed([2, 300]), &gaps, &packed([2, lane]), 1),
            elements(direction, &packed([300, lane]), &gaps, &gaps, 0),
        ];
        plans.extend(pairs.map(|pairs| nd(direction, &both_back, &pairs, &packed([lane]), 0)));
        let columns = [packed([3, count]), Layout::strided([3, count], [1, 3])];
        plans.extend(columns.map(|flat| axis(direction, &packed([3, 300]), &one, &flat, 1)));
        for (plan, bounds) in plans.iter().flat_map(|plan| POLICIES.map(|bounds| (*plan, bounds))) {
            check_policy(&mut random, direction, plan, bounds);
        }
    }
}

/// Without coordinates: a copy of one row.
#[test]
fn no_coordinate_is_one_row() {
    let plan = Plan::copy(&packed([7]), &packed([7]).with_offset(2)).unwrap();
    let few = Few::of(&plan, Direction::Gather).unwrap();
    let mut output = [0; 9];
    let mut tables = [NOWHERE];
    assert!(few.resolve::<&[u8], false>(&[], &mut tables));
    few.gather(&tables, &[1, 2, 3, 4, 5, 6, 7], &mut output);
    assert_eq!(output, [0, 0, 1, 2, 3, 4, 5, 6, 7]);
}

/// Any number of dimensions of entries, pieces, lanes with places of their own in the table.
#[test]
fn random_plans() {
    let (mut random, mut count, mut more) = (Random::of(2), 0, 0);
    while count < 400 || more < 40 {
        let direction = random.pick(&super::DIRECTIONS);
        let mut case = Case::random(&mut random, direction, Large::No);
        if Few::of(&case.plan, direction).is_none() {
            continue;
        }
        count += 1;
        more += usize::from(case.plan.entries() > FEW);
        check(&case.plan, &case.indices, direction);
        case.spoil(&mut random);
        check(&case.plan, &case.indices, direction);
    }
}

/// Lanes that follow each other in the indices and in the flat tensor, and lead to places of their
/// own in the table: of single elements and of rows, by one index and by pairs.
#[test]
fn lanes_on_a_line() {
    let mut random = Random::of(3);
    for (rows, columns, width) in (1..=4)
        .flat_map(|rows| (1..=4).map(move |columns| (rows, columns)))
        .flat_map(|(rows, columns)| [1, 3].map(|width| (rows, columns, width)))
    {
        let (one, pairs) = (packed([rows, columns, 1]), packed([rows, columns, 2]));
        let (entries, flat) = (packed([rows, columns]), packed([rows, columns, width]));
        for (direction, bounds) in
            super::DIRECTIONS.into_iter().flat_map(|to| POLICIES.map(|bounds| (to, bounds)))
        {
            let by_one = nd(direction, &packed([rows, 5, width]), &one, &flat, 1);
            let by_two = nd(direction, &packed([rows, 5, 3, width]), &pairs, &flat, 1);
            let columns_of = elements(direction, &packed([9, columns]), &entries, &entries, 0);
            for plan in [by_one, by_two, columns_of] {
                check_policy(&mut random, direction, plan, bounds);
            }
        }
    }
}

/// Sums of single `f16` take long without kernels, but not those of `f32`, or rows.
#[cfg(feature = "half")]
#[test]
fn fewer_halves_are_few() {
    use half::f16;

    use crate::engine::few_of;
    use crate::reduction::{Add, Reduction};

    let short = |count, row| {
        let (data, indices, updates) = (packed([9, row]), packed([count]), packed([count, row]));
        let plan = axis(Direction::Scatter, &data, &indices, &updates, 0);
        let (halves, floats) =
            (<Add as Reduction<f16>>::KIND.is_slow(), <Add as Reduction<f32>>::KIND.is_slow());
        [halves, floats].map(|slow| few_of(&plan, || slow).is_some())
    };
    assert_eq!(short(FEW_OTHERS, 1), [true, true]);
    assert_eq!(short(FEW_OTHERS + 1, 1), [false, true]);
    assert_eq!(short(FEW_OTHERS, 9), [true, true]);
}

/// An index below 0 leads nowhere where it does not count from the end, on the longest axis too.
#[test]
fn the_longest_axis() {
    let axis_of = |size| {
        let table = Layout::strided([size], [0]);
        axis(Direction::Gather, &table, &packed([2]), &packed([2]), 0)
    };
    assert!(Few::of(&axis_of(i32::MAX as usize + 1), Direction::Gather).is_none());
    let mut plan = axis_of(i32::MAX as usize);
    for bounds in POLICIES {
        plan.set_bounds(bounds);
        for (negative, found) in [(Negative::FromEnd, [7, 7]), (Negative::OutOfBounds, [1, 7])] {
            plan.negative = negative;
            let (few, mut output) = (Few::of(&plan, Direction::Gather).unwrap(), [1; 2]);
            let inside = few.run_gather([-2_i64, 3].as_slice(), &[7], &mut output);
            let out = negative == Negative::OutOfBounds;
            assert_eq!(inside, !(out && bounds == Bounds::Error), "{bounds:?} {negative:?}");
            let moves = matches!(bounds, Bounds::Clamp | Bounds::Wrap);
            let expected = if inside && (moves || !out) { [7, 7] } else { found };
            assert_eq!(output, if inside { expected } else { [1; 2] }, "{bounds:?} {negative:?}");
        }
    }
}

#[test]
fn what_is_more_is_not_few() {
    let is_few = |plan: &Plan| Few::of(plan, Direction::Gather).is_some();
    let of = |count, row| {
        let (table, indices, flat) = (packed([9, row]), packed([count]), packed([count, row]));
        axis(Direction::Gather, &table, &indices, &flat, 0)
    };
    let is_few_of_scatters = |plan: &Plan| Few::of(plan, Direction::Scatter).is_some();
    assert_eq!(
        [1, FEW_IN_GROUPS, FEW_IN_GROUPS + 1].map(|count| is_few_of_scatters(&of(count, 1))),
        [true, true, false]
    );
    // Scattered lanes with gaps between their updates.
    let lanes = |lane| {
        let updates = Layout::strided([2, lane], [lane as isize + 1, 1]);
        axis(Direction::Scatter, &packed([9]), &packed([2, lane]), &updates, 0)
    };
    assert_eq!([FEW / 2, FEW / 2 + 1].map(|lane| is_few_of_scatters(&lanes(lane))), [true, false]);
    assert_eq!([1, FEW, FEW + 1].map(|count| is_few(&of(count, 1))), [true, true, false]);
    assert_eq!([1, FEW_OTHERS, FEW_OTHERS + 1].map(|n| is_few(&of(n, 4))), [true, true, false]);
    // Columns, and one update for all of them.
    let columns = |n: usize, strides| {
        let updates = Layout::strided([2, n], strides);
        let plan = axis(Direction::Scatter, &packed([2, 9]), &packed([n]), &updates, 1);
        Few::of(&plan, Direction::Scatter).is_some()
    };
    let most = FEW_IN_GROUPS;
    assert_eq!([most, most + 1].map(|n| columns(n, [n as isize, 1])), [true, false]);
    assert_eq!([most / 2, most / 2 + 1].map(|n| columns(n, [0, 0])), [true, false]);
    // Lanes of rows with gaps between them.
    let apart = |lane| {
        let entries = Layout::strided([2, lane], [lane as isize + 1, 1]);
        axis(Direction::Gather, &packed([9, 2]), &entries, &packed([2, lane, 2]), 0)
    };
    let most = FEW_APART / 2;
    assert_eq!([1, most, most + 1].map(|n| is_few(&apart(n))), [true, true, false]);
    // What they move; nothing.
    let pieces = |n| axis(Direction::Gather, &packed([n, 9]), &packed([2]), &packed([n, 2]), 1);
    assert_eq!(
        [1, FEW_ELEMENTS / 2, FEW_ELEMENTS].map(|n| is_few(&pieces(n))),
        [true, true, false]
    );
    let rows = |n| axis(Direction::Gather, &packed([n, 9, 2]), &packed([2]), &packed([n, 2, 2]), 1);
    assert_eq!([1, FEW_ROWS / 2, FEW_ROWS].map(|n| is_few(&rows(n))), [true, true, false]);
    assert!(!is_few(&of(0, 1)));
    // Spans with gaps between them, and without.
    let spans = |sizes: [usize; 3], gap| {
        let [_, b, c] = sizes;
        let entries = Layout::strided(sizes, [b * (c + gap) + gap, c + gap, 1].map(|n| n as isize));
        elements(Direction::Gather, &packed([sizes[0], 9, c]), &entries, &entries, 1)
    };
    let columns = FEW_A_GROUP / 4;
    assert_eq!([0, 1].map(|more| is_few(&spans([2, 4, columns + more], 1))), [true, false]);
    // Kernels walk lanes together that start a step apart.
    let entries = Layout::strided([FEW / 4 + 1, 2, 2], [6, 3, 1]);
    let follow = elements(Direction::Gather, &packed([FEW, 9, 2]), &entries, &entries, 1);
    assert!(!is_few(&follow));
    let most = FEW_IN_GROUPS / 4;
    assert_eq!([0, 1].map(|more| is_few(&spans([most + more, 2, 2], 1))), [true, false]);
    assert!(!is_few(&spans([FEW / 16 + 1, 4, 4], 0)));
}
