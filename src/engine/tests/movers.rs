//! Movers: every size of element, on every path, at all distances, with non-temporal stores; and
//! calls whose addresses do not fit 32 bits.

use std::fmt::Debug;

use strew_simd::Path;

use super::{Case, DIRECTIONS, Large, POLICIES, Random};
use crate::element::Element;
use crate::engine::changed::{By, Reduced};
use crate::engine::movers::{Job, Way};
use crate::engine::resolver::Resolver;
use crate::engine::traverse::traverse;
use crate::engine::{changed, gather, gathered, scatter};
use crate::error::Direction;
use crate::index::Bounds;
use crate::plan::tests::{axis, packed};
use crate::reduction::Assign;

/// Moves a case once, with some way.
fn check<T: Element + PartialEq + Debug>(case: &Case, way: Way, value: fn(usize) -> T) {
    let Case { direction, plan, indices } = case;
    let table: Vec<T> = (0..plan.lengths.table).map(value).collect();
    let flat: Vec<T> = (0..plan.lengths.flat).map(|n| value(n + 100_003)).collect();
    let resolver: &dyn Resolver = &indices.as_slice();
    let run = |job: &mut dyn Job| {
        job.prepare(way);
        let mut inside = true;
        job.session(&mut |mover| inside = traverse(plan, &way, resolver, mover));
        assert!(inside);
    };
    let (mut found, mut expected) = match direction {
        Direction::Gather => (flat.clone(), flat.clone()),
        Direction::Scatter => (table.clone(), table.clone()),
    };
    match direction {
        Direction::Gather => {
            run(&mut gathered(plan, way.path, &table, &mut found));
            case.moves().iter().for_each(|(from, to)| expected[*to] = table[*from]);
        }
        Direction::Scatter => {
            run(&mut changed(plan, way.path, &Reduced(&Assign), &mut found, &flat));
            case.moves().iter().for_each(|(to, from)| expected[*to] = flat[*from]);
        }
    }
    assert!(found == expected, "{way:?} {plan:?} {} bytes", size_of::<T>());
    if matches!(direction, Direction::Scatter) {
        let mut found = table.clone();
        run(&mut changed(plan, way.path, &By(|_: T, update: T| update), &mut found, &flat));
        assert!(found == expected, "{way:?} {plan:?} {} bytes", size_of::<T>());
    }
}

fn check_all_sizes(random: &mut Random, case: &Case) {
    for path in Path::available().into_iter().flatten() {
        let distance = random.pick(&[0, 1, 8, 64]);
        let way = Way { distance, streams: random.rarely(2), ..Way::of(path, case.plan.row()) };
        check(case, way, |n| n as u8);
        check(case, way, |n| n as u16);
        check(case, way, |n| n as u32);
        check(case, way, |n| n as u64 * 0x1_0000_0001);
        check(case, way, |n| (n as u128) << 70 | n as u128);
        check(case, way, |n| [n as u8, (n >> 8) as u8, 7]);
    }
}

#[test]
fn every_size_of_element_moves() {
    let mut random = Random::of(50);
    for n in 0..60 {
        let large = if n % 4 == 0 { Large::Lane(1500) } else { Large::No };
        let direction = random.pick(&DIRECTIONS);
        let mut case = Case::random(&mut random, direction, large);
        case.plan = case.plan.with_rising_pieces();
        check_all_sizes(&mut random, &case);
    }
}

/// Rows of all lengths, and single elements, from any place on.
#[test]
fn every_length_of_row_moves() {
    let mut random = Random::of(51);
    for width in [1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 64, 100] {
        for direction in DIRECTIONS {
            let (count, start) = (1 + random.below(200), random.below(9));
            let table = packed([50, width]).with_offset(random.below(3));
            let flat = packed([count, width]).with_offset(start);
            let plan = axis(direction, &table, &packed([count]), &flat, 0);
            let mut case = Case { direction, plan, indices: Vec::new() };
            for bounds in POLICIES {
                case.plan.set_bounds(bounds);
                case.fill(&mut random);
                check_all_sizes(&mut random, &case);
            }
        }
    }
}

/// A table of which all elements lie at one place.
#[cfg(target_pointer_width = "64")]
#[test]
fn addresses_beyond_32_bits() {
    use crate::engine::prove::check_all;
    use crate::layout::Layout;

    let size = 1 << 31;
    let table = Layout::strided([size, 3], [0, 1]);
    let plan = axis(Direction::Gather, &table, &packed([20]), &packed([20, 3]), 0);
    assert!(!plan.addresses_fit);
    let mut indices: Vec<i64> = (0..20).map(|n| n * 100_000_007 - (1 << 30)).collect();
    let mut output = [0; 60];
    assert!(gather(&plan, indices.as_slice(), false, &[5, 6, 7], &mut output));
    assert!(output.chunks(3).all(|row| row == [5, 6, 7]));
    indices[7] = size as i64;
    output.fill(0);
    assert!(!gather(&plan, indices.as_slice(), false, &[5, 6, 7], &mut output));
    assert!(output == [0; 60] && !check_all(&plan, &indices.as_slice()));
}

/// Tables that say that they are long.
#[test]
fn wide_addresses() {
    let mut random = Random::of(52);
    for _ in 0..300 {
        let direction = random.pick(&DIRECTIONS);
        let mut case = Case::random(&mut random, direction, Large::No);
        case.plan.addresses_fit = false;
        for spoils in [false, true] {
            if spoils {
                case.plan.set_bounds(Bounds::Error);
                case.fill(&mut random);
                case.spoil(&mut random);
            }
            let Case { plan, indices, .. } = &case;
            let table: Vec<u32> = (0..plan.lengths.table as u32).collect();
            let flat: Vec<u32> = (0..plan.lengths.flat as u32).map(|n| n + 1000).collect();
            let (mut written, mut expected) = match direction {
                Direction::Gather => (flat.clone(), flat.clone()),
                Direction::Scatter => (table.clone(), table.clone()),
            };
            // A gather may stop at a bad index, a scatter does not start.
            let stops = spoils && direction == Direction::Gather;
            let moves = if spoils && !stops { Vec::new() } else { case.moves() };
            let before = written.clone();
            let inside = match direction {
                Direction::Gather => gather(plan, indices.as_slice(), false, &table, &mut written),
                Direction::Scatter => {
                    let assign = &Reduced(&Assign);
                    scatter(plan, indices.as_slice(), false, assign, None, &mut written, &flat)
                }
            };
            for (to_table, to_flat) in moves {
                match direction {
                    Direction::Gather => expected[to_flat] = table[to_table],
                    Direction::Scatter => expected[to_table] = flat[to_flat],
                }
            }
            let each = written.iter().zip(&expected).zip(&before);
            let some = each.into_iter().all(|((now, all), none)| now == all || now == none);
            let as_said = if stops { some } else { written == expected };
            assert!(inside != spoils && as_said, "{plan:?} {indices:?}");
        }
    }
}
