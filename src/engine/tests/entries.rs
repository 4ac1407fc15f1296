//! Entries lead where they do one by one, whatever is kept.

use strew_simd::NOWHERE;

use super::{Case, Large, Random};
use crate::engine::entries::{Entries, Room};
use crate::engine::tuning::FEW_PLACES;
use crate::error::Direction;
use crate::index::Bounds;
use crate::walk::{self, Entries as _};

fn check_case(case: &Case) {
    let Case { plan, indices, .. } = case;
    let (indices, mut room) = (indices.as_slice(), Room::new());
    let found = Entries::of(plan, &indices, false, &mut room);
    assert_eq!(found.is_some(), !case.has_bad_index(), "{plan:?} {indices:?}");
    let Some(mut entries) = found else { return };
    let mut expected = Vec::new();
    walk::entries(plan, indices, |at| expected.push((at.table, at.flat, at.cell, at.entry)));
    for again in [false, false, true] {
        entries.kept &= !again || plan.entries() <= FEW_PLACES;
        let mut visited = Vec::new();
        entries.each(|at| visited.push((at.table, at.flat, at.cell, at.entry)));
        assert_eq!(visited, expected, "{plan:?} {indices:?}");
        let middle = expected.get(expected.len() / 2);
        let found = entries.find(|at| middle.is_some_and(|middle| at.entry >= middle.3));
        assert_eq!(found.map(|at| at.entry), middle.map(|at| at.3), "{plan:?} {indices:?}");
        for most in [1, 7, 256] {
            let mut places = expected.iter().map(|(table, flat, cell, _)| (*table, *flat, *cell));
            entries.blocks(most, |start, cells, block| {
                assert!(cells.len() <= most && cells.len() == block.addresses.len(), "{plan:?}");
                let mut cells = cells.iter();
                for (lane, addresses) in block.lanes() {
                    for (n, (address, cell)) in addresses.iter().zip(cells.by_ref()).enumerate() {
                        if *cell != NOWHERE {
                            let flat = lane.wrapping_add(n.wrapping_mul(block.entry_step as usize));
                            let at =
                                (block.table + *address as usize, flat, start + *cell as usize);
                            assert_eq!(Some(at), places.next(), "{plan:?} {indices:?}");
                        }
                    }
                }
            });
            assert_eq!(places.next(), None, "{plan:?} {indices:?}");
        }
    }
}

#[test]
fn short_lanes_along_every_axis() {
    let mut random = Random::of(21);
    for number in 0..60 {
        check_case(&Case::of_short_lanes(&mut random, Direction::Scatter, number % 3));
    }
}

#[test]
fn entries_lead_where_they_do_one_by_one() {
    let mut random = Random::of(20);
    for (number, large) in [(600, Large::No), (60, Large::Lane(200)), (20, Large::Lane(2500))] {
        for _ in 0..number {
            let mut case = Case::random(&mut random, Direction::Scatter, large);
            check_case(&case);
            case.plan.set_bounds(Bounds::Error);
            case.fill(&mut random);
            check_case(&case);
            case.plan.addresses_fit = false;
            check_case(&case);
            case.spoil(&mut random);
            check_case(&case);
            case.plan.addresses_fit = true;
            check_case(&case);
        }
    }
}
