//! One lane of indices for many pieces of the table: gathers and scatters along an axis that others come before, the last one above all.
//!
//! The lane is resolved once, to offsets that hold for each piece.

use strew_simd::{Instructions, NOWHERE, Op};

use crate::index::{Bounds, Index, resolve};
use crate::plan::Plan;
use crate::vectors::movers::BlockMover;
use crate::walk::{Odometer, Position};

/// The entries of a lane, at most: their offsets stay in the first cache.
const LONGEST: usize = 4096;

/// An index is out of bounds under `Bounds::Error`.
pub(crate) struct OutOfBounds;

/// Whether there are pieces of the table into which the same lane leads, for a plan [in flat order](Plan::in_flat_order).
pub(crate) fn suits(plan: &Plan) -> bool {
    let ([pieces @ .., lane], [axis]) = (plan.outer(), plan.coordinates()) else { return false };
    (plan.packed_tuple, plan.packed_row) == (1, 1)
        && !plan.empty
        && !pieces.is_empty()
        && pieces.iter().all(|piece| piece.indices == 0)
        && lane.table == 0
        && lane.size <= LONGEST
        && axis.table >= 0
}

/// The offsets of a lane in each piece of the table. `None`: there are [no such pieces](suits).
pub(crate) fn offsets<I: Index>(
    plan: &Plan,
    indices: &[I],
) -> Option<Result<Vec<u32>, OutOfBounds>> {
    let ([.., lane], [axis]) = (plan.outer(), plan.coordinates()) else { return None };
    if !suits(plan) {
        return None;
    }
    let stride = axis.table as usize;
    let lane = indices.get(plan.start.indices..plan.start.indices.wrapping_add(lane.size))?;
    let offset = |index: &I| match resolve(*index, axis.size, plan.bounds) {
        Some(position) => Ok(position.wrapping_mul(stride) as u32),
        None if matches!(plan.bounds, Bounds::Error) => Err(OutOfBounds),
        None => Ok(NOWHERE),
    };
    Some(lane.iter().map(offset).collect())
}

/// Moves all pieces.
pub(crate) struct Pieces<'a, M> {
    pub plan: &'a Plan,
    pub offsets: &'a [u32],
    pub mover: M,
}

impl<M: BlockMover> Op for Pieces<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run(mut self, instructions: impl Instructions) {
        let pieces = self.plan.outer().split_last().map_or(&[][..], |(_, pieces)| pieces);
        let (mut at, mut odometer) = (Position::first(self.plan), Odometer::new());
        loop {
            self.mover.pattern(instructions, at.table, self.offsets, at.flat);
            if !odometer.step(pieces, &mut at) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::plan::Direction::Gather;
    use crate::plan::tests::{axis, elements, packed};

    const IDS: [i8; 4] = [2, -1, 0, 5];

    /// The offsets; an empty list for an index out of bounds.
    fn found(plan: &Plan, bounds: Bounds, indices: &[i8]) -> Option<Vec<u32>> {
        let mut plan = *plan;
        plan.set_bounds(bounds);
        offsets(&plan, indices).map(|offsets| offsets.unwrap_or_default())
    }

    fn in_order(plan: Plan) -> Plan {
        plan.in_flat_order().unwrap_or(plan)
    }

    #[test]
    fn one_lane_leads_into_every_piece() {
        let last = in_order(axis(Gather, &packed([40, 6]), &packed([4]), &packed([40, 4]), 1));
        assert_eq!(found(&last, Bounds::Error, &IDS), Some(vec![2, 5, 0, 5]));
        assert_eq!(found(&last, Bounds::Error, &[2, 6, 0, 5]), Some(vec![]));
        assert_eq!(found(&last, Bounds::Skip, &[2, 6, 0, 5]), Some(vec![2, NOWHERE, 0, 5]));
        assert_eq!(found(&last, Bounds::Clamp, &[2, 6, 0, 5]), Some(vec![2, 5, 0, 5]));
        assert_eq!(found(&last, Bounds::Error, &[2, 6, 0]), None);
        let padded = in_order(axis(
            Gather,
            &Layout::strided([40, 6], [20, 3]),
            &packed([4]),
            &packed([40, 4]),
            1,
        ));
        assert_eq!(found(&padded, Bounds::Error, &IDS), Some(vec![6, 15, 0, 15]));
    }

    #[test]
    fn others_have_no_pattern() {
        let (four, table) = (packed([4]), packed([40, 6]));
        let none = |plan: Plan| {
            assert_eq!(found(&in_order(plan), Bounds::Error, &[0; 10_000]), None, "{plan:?}")
        };
        none(axis(Gather, &packed([6]), &four, &four, 0));
        none(axis(Gather, &packed([40, 6, 3]), &four, &packed([40, 4, 3]), 1));
        none(axis(
            Gather,
            &Layout::strided([40, 6], [6, -1]).with_offset(5),
            &four,
            &packed([40, 4]),
            1,
        ));
        none(axis(Gather, &table, &Layout::strided([4], [2]), &packed([40, 4]), 1));
        none(axis(Gather, &packed([0, 6]), &four, &packed([0, 4]), 1));
        // Indices of their own for each piece, or for some; a lane that leads on by itself.
        none(elements(Gather, &table, &packed([40, 4]), &packed([40, 4]), 1));
        none(elements(
            Gather,
            &packed([5, 8, 6]),
            &Layout::strided([5, 8, 4], [0, 4, 1]),
            &packed([5, 8, 4]),
            2,
        ));
        none(elements(
            Gather,
            &packed([40, 8, 6]),
            &Layout::strided([40, 4, 6], [0, 6, 1]),
            &packed([40, 4, 6]),
            1,
        ));
        none(elements(
            Gather,
            &packed([5, 1, 70]),
            &Layout::strided([5, 1, 70], [0, 0, 1]),
            &packed([5, 1, 70]),
            1,
        ));
        let lane = |count: usize| {
            found(
                &in_order(axis(Gather, &table, &packed([count]), &packed([40, count]), 1)),
                Bounds::Error,
                &[0; 5000],
            )
        };
        assert_eq!(
            [4096, 4097].map(|count| lane(count).map(|offsets| offsets.len())),
            [Some(4096), None]
        );
    }
}
