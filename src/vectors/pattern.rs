//! One lane of indices for many pieces of the table: gathers and scatters along an axis that others come before, the last one above all.
//!
//! The lane is resolved once, to offsets that hold for each piece.

use strew_simd::{Instructions, NOWHERE, Op};

use crate::index::{Bounds, Index, resolve};
use crate::plan::Plan;
use crate::vectors::movers::BlockMover;
use crate::walk::{Odometer, Position};

/// The entries of a lane, at most: their offsets stay in the first cache.
const ENTRIES: usize = 4096;

/// An index is out of bounds under `Bounds::Error`.
pub(crate) struct OutOfBounds;

/// The offsets of a lane in each piece of the table, for a plan [in flat order](Plan::in_flat_order). `None`: there are no such pieces.
pub(crate) fn offsets<I: Index>(plan: &Plan, indices: &[I]) -> Option<Result<Vec<u32>, OutOfBounds>> {
    let ([pieces @ .., lane], [axis]) = (plan.outer(), plan.coordinates()) else { return None };
    let stride = usize::try_from(axis.table).ok()?;
    let suits = (plan.packed_tuple, plan.packed_row) == (1, 1)
        && !pieces.is_empty()
        && pieces.iter().all(|piece| piece.indices == 0)
        && lane.table == 0
        && lane.size <= ENTRIES;
    if plan.empty || !suits {
        return None;
    }
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
