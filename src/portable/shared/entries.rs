//! One entry of a plan in memory after the other, whatever the plan.

use core::sync::atomic::{Ordering, compiler_fence};

use crate::error::Error;
use crate::index::{Bounds, Index};
use crate::plan::{Dim, Plan, Start};
use crate::walk::{Mover, SINGLE, split_lane};

/// One entry after the other.
#[inline(always)]
pub(super) fn entries<I: Index>(
    plan: &Plan,
    indices: &[I],
    mover: &mut impl Mover,
) -> Result<(), Error> {
    if plan.empty && !plan.checks_empty() {
        return Ok(());
    }
    let lane = lane(plan);
    let (inner_lane, inner) = split_lane(plan.inner());
    let nest = Nest { lane: inner_lane, outer: inner };
    // The number of dimensions around the lanes; -1 if the plan has no lanes. It is found once, so
    // that no loop keeps what tells it.
    let outer = plan.outer.wrapping_sub(1);
    let (mut start, mut entry) = (Walk::from(plan.start), 0_usize);
    loop {
        let mut at = start.at;
        for _ in 0..lane.size {
            match address(plan, indices, at.table, at.indices) {
                Ok(table) => nest.entry(mover, table, at.flat),
                Err(coordinate) if matches!(plan.bounds, Bounds::Error) => {
                    return Err(out_of_bounds(plan, indices, at.indices, entry, coordinate));
                }
                Err(_) => {}
            }
            walk(&mut at, lane, 1);
            entry = entry.wrapping_add(1);
        }
        if outer.cast_signed() < 1 || !start.step(plan, outer) {
            return Ok(());
        }
    }
}

/// The place in the table of the entry at a place of the indices; or its first coordinate that has
/// none.
#[inline(never)]
fn address<I: Index>(
    plan: &Plan,
    indices: &[I],
    mut table: usize,
    mut place: usize,
) -> Result<usize, usize> {
    for (coordinate, axis) in plan.coordinates().iter().enumerate() {
        let position = plan.position(indices, place, axis.size).ok_or(coordinate)?;
        table = table.wrapping_add(position.wrapping_mul(axis.table as usize));
        place = place.wrapping_add_signed(plan.tuple_stride);
    }
    Ok(table)
}

/// What moves for one entry: a lane for each step of the dimensions around it.
struct Nest<'a> {
    lane: &'a Dim,
    outer: &'a [Dim],
}

impl Nest<'_> {
    #[inline(never)]
    fn entry<M: Mover>(&self, mover: &mut M, table: usize, flat: usize) {
        let mut walk = Walk::from(Start { table, indices: 0, flat });
        loop {
            let (lane, at) = (self.lane, &walk.at);
            if lane.is_row() {
                mover.row(at.table, at.flat, lane.size);
            } else {
                mover.strided_row(at.table, at.flat, lane);
            }
            if self.outer.is_empty() || !walk.carry(self.outer) {
                return;
            }
        }
    }
}

/// Goes `steps` steps along a dimension, modulo 2^bits.
#[inline(always)]
fn walk(at: &mut Start, dim: &Dim, steps: usize) {
    at.table = at.table.wrapping_add(steps.wrapping_mul(dim.table as usize));
    at.indices = at.indices.wrapping_add(steps.wrapping_mul(dim.indices as usize));
    at.flat = at.flat.wrapping_add(steps.wrapping_mul(dim.flat as usize));
}

/// Where a walk stands, and how many steps lie behind it.
pub(super) struct Walk {
    pub at: Start,
    steps: usize,
}

impl Walk {
    /// The steps of a walk with one group. They are in memory, so that no loop keeps what told it.
    const ONLY: usize = usize::MAX;

    #[inline(always)]
    pub(super) fn from(at: Start) -> Walk {
        Walk { at, steps: 0 }
    }

    /// The number of entries in the first group: a lane whose entries start at the same place of
    /// the table, or else one entry.
    #[inline(always)]
    pub(super) fn group(&mut self, plan: &Plan) -> usize {
        let lane = lane(plan);
        if lane.table != 0 {
            return 1;
        }
        if plan.outer <= 1 {
            self.steps = Walk::ONLY;
        }
        lane.size
    }

    /// Goes to the next group. The number of its entries, or `None` after the last one.
    #[inline(always)]
    pub(super) fn next_group(&mut self, plan: &Plan) -> Option<usize> {
        // It tells the number again, so that no loop keeps it.
        #[inline(never)]
        fn next(walk: &mut Walk, plan: &Plan) -> usize {
            let lane = lane(plan);
            let (size, outer) = if lane.table == 0 {
                (lane.size, plan.outer.wrapping_sub(1))
            } else {
                (1, plan.outer)
            };
            if walk.step(plan, outer) { size } else { 0 }
        }
        match self.steps {
            Walk::ONLY => None,
            _ => Some(next(self, plan)).filter(|size| *size > 0),
        }
    }

    /// Goes one step on in the first `outer` dimensions of a plan; `false` after the last one. One
    /// dimension takes less stack than several.
    #[inline(never)]
    pub(super) fn step(&mut self, plan: &Plan, outer: usize) -> bool {
        if outer != 1 {
            return self.carry(plan.dims.get(..outer).unwrap_or(&[]));
        }
        let [dim, ..] = &plan.dims;
        // One after the other: together they take more registers, and so more stack.
        let go = |place: &mut usize, by: isize| {
            *place = place.wrapping_add_signed(by);
            compiler_fence(Ordering::SeqCst);
        };
        go(&mut self.at.table, dim.table);
        go(&mut self.at.indices, dim.indices);
        go(&mut self.at.flat, dim.flat);
        self.steps = self.steps.wrapping_add(1);
        self.steps < dim.size
    }

    /// Goes to the next coordinates of dimensions in row-major order; `false` after the last ones.
    #[inline(never)]
    fn carry(&mut self, dims: &[Dim]) -> bool {
        self.steps = self.steps.wrapping_add(1);
        let mut count = self.steps;
        for dim in dims.iter().rev() {
            let Some(carry) = count.checked_div(dim.size) else { return false };
            let goes_on = count != carry.wrapping_mul(dim.size);
            // Back to the start of a dimension that ends.
            walk(&mut self.at, dim, if goes_on { 1 } else { 1_usize.wrapping_sub(dim.size) });
            if goes_on {
                return true;
            }
            count = carry;
        }
        false
    }
}

/// The error for a coordinate of an entry that has no place in the table.
#[cold]
#[inline(never)]
fn out_of_bounds<I: Index>(
    plan: &Plan,
    indices: &[I],
    first: usize,
    entry: usize,
    coordinate: usize,
) -> Error {
    let place = first.wrapping_add(coordinate.wrapping_mul(plan.tuple_stride as usize));
    let index = indices.get(place.checked_div(plan.ring).unwrap_or(place));
    let entry = entry.checked_div(plan.ring).unwrap_or(entry);
    Error::IndexOutOfBounds {
        entry: entry.wrapping_mul(plan.entry_weight),
        coordinate,
        value: index.map_or(0, |index| index.value()),
        size: plan.coordinates().get(coordinate).map_or(0, |axis| axis.size),
    }
}

/// The last outer dimension.
#[inline(always)]
pub(super) fn lane(plan: &Plan) -> &Dim {
    plan.dims.get(plan.outer.wrapping_sub(1)).unwrap_or(&SINGLE)
}
