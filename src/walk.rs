//! The one walk over a plan, shared by gather, assignment and reductions.
//!
//! [`entries`] goes over the outer dimensions in row-major order and resolves each entry of the indices; [`rows`] goes over the inner
//! dimensions of one entry. In both, the last dimension is a plain loop and the others are counted by an [`Odometer`].
//!
//! Addresses are computed modulo 2^bits: the plan has proven that the sums lie inside the slices, though a partial sum with a negative
//! stride may not. Every access goes through `get` all the same, so that a mistake here could move a wrong element, never panic.

use crate::error::Error;
use crate::index::{Bounds, Index, resolve};
use crate::plan::{Coordinate, Dim, Plan};

/// What moves: one element, or a row of `n` neighbours, between table and flat tensor.
pub(crate) trait Mover {
    fn element(&mut self, table: usize, flat: usize);
    fn row(&mut self, table: usize, flat: usize, n: usize);
}

/// Moves everything that the plan describes. `false`: an index is out of bounds under `Bounds::Error`; what comes before it has been moved.
#[inline]
pub(crate) fn run<I: Index>(plan: &Plan, indices: &[I], mover: &mut impl Mover) -> bool {
    match plan.inner() {
        [] => entries(plan, indices, |at| mover.element(at.table, at.flat)),
        [row] if row.table == 1 && row.flat == 1 => entries(plan, indices, |at| mover.row(at.table, at.flat, row.size)),
        inner => entries(plan, indices, |at| rows(inner, at, mover)),
    }
}

/// Calls `visit` for each entry of the indices, in row-major order, with the address of its first element and its cell; entries out of bounds
/// are left out. `false`: stopped at one, because the policy is `Bounds::Error`.
#[inline(always)]
pub(crate) fn entries<I: Index>(plan: &Plan, indices: &[I], visit: impl FnMut(Position)) -> bool {
    if plan.empty {
        return true;
    }
    let bounds = plan.bounds;
    match plan.coordinates() {
        [coordinate] => lanes(plan, visit, |at| locate(at, indices.get(at.indices).copied(), coordinate, bounds)),
        coordinates => lanes(plan, visit, |mut at| {
            for coordinate in coordinates {
                at = locate(at, indices.get(at.indices).copied(), coordinate, bounds)?;
                at.indices = at.indices.wrapping_add_signed(plan.tuple_stride);
            }
            Some(at)
        }),
    }
}

/// Moves `at` along the table by one resolved coordinate.
#[inline(always)]
fn locate<I: Index>(mut at: Position, index: Option<I>, coordinate: &Coordinate, bounds: Bounds) -> Option<Position> {
    let position = resolve(index?, coordinate.size, bounds)?;
    at.table = at.table.wrapping_add(position.wrapping_mul(coordinate.table as usize));
    at.cell = at.cell.wrapping_add(position.wrapping_mul(coordinate.cell));
    Some(at)
}

#[inline(always)]
fn lanes(plan: &Plan, mut visit: impl FnMut(Position), locate: impl Fn(Position) -> Option<Position>) -> bool {
    let strict = matches!(plan.bounds, Bounds::Error);
    let (lane, outer) = split_lane(plan.outer());
    let mut start = Position::first(plan);
    let mut odometer = Odometer::new();
    loop {
        let mut at = start;
        for _ in 0..lane.size {
            match locate(at) {
                Some(found) => visit(found),
                None if strict => return false,
                None => {}
            }
            at.step(lane);
            at.entry = at.entry.wrapping_add(1);
        }
        start.entry = at.entry;
        if !odometer.step(outer, &mut start) {
            return true;
        }
    }
}

/// Moves what one entry stands for: all coordinates of the inner dimensions, from the address `at`.
#[inline(always)]
pub(crate) fn rows(inner: &[Dim], at: Position, mover: &mut impl Mover) {
    let (lane, outer) = split_lane(inner);
    let mut start = at;
    let mut odometer = Odometer::new();
    loop {
        if lane.table == 1 && lane.flat == 1 {
            mover.row(start.table, start.flat, lane.size);
        } else {
            let mut at = start;
            for _ in 0..lane.size {
                mover.element(at.table, at.flat);
                at.step(lane);
            }
        }
        if !odometer.step(outer, &mut start) {
            return;
        }
    }
}

/// The error for the first entry that is out of bounds, found by a second, slow look at the indices.
#[cold]
#[inline(never)]
pub(crate) fn first_out_of_bounds<I: Index>(plan: &Plan, indices: &[I]) -> Option<Error> {
    let mut at = Position::first(plan);
    let mut odometer = Odometer::new();
    let mut step = 0_usize;
    loop {
        let mut position = at.indices;
        for (coordinate, Coordinate { size, .. }) in plan.coordinates().iter().enumerate() {
            if let Some(&index) = indices.get(position)
                && resolve(index, *size, Bounds::Error).is_none()
            {
                let entry = step.wrapping_mul(plan.entry_weight);
                return Some(Error::IndexOutOfBounds { entry, coordinate, value: index.wide().value(), size: *size });
            }
            position = position.wrapping_add_signed(plan.tuple_stride);
        }
        if !odometer.step(plan.outer(), &mut at) {
            return None;
        }
        step = step.wrapping_add(1);
    }
}

/// The last dimension, and those before it.
#[inline]
fn split_lane(dims: &[Dim]) -> (&Dim, &[Dim]) {
    const SINGLE: Dim = Dim { size: 1, table: 0, indices: 0, flat: 0, cell: 0 };
    dims.split_last().unwrap_or((&SINGLE, &[]))
}

/// Where the walk stands in each tensor, and in the indexed space.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    pub table: usize,
    pub indices: usize,
    pub flat: usize,
    pub cell: usize,
    /// The number of steps that the outer dimensions have taken.
    pub entry: usize,
}

impl Position {
    fn first(plan: &Plan) -> Position {
        Position { table: plan.start.table, indices: plan.start.indices, flat: plan.start.flat, cell: 0, entry: 0 }
    }

    #[inline(always)]
    fn step(&mut self, dim: &Dim) {
        self.table = self.table.wrapping_add_signed(dim.table);
        self.indices = self.indices.wrapping_add_signed(dim.indices);
        self.flat = self.flat.wrapping_add_signed(dim.flat);
        self.cell = self.cell.wrapping_add(dim.cell);
    }

    /// Takes `steps` steps back.
    fn rewind(&mut self, dim: &Dim, steps: usize) {
        self.table = self.table.wrapping_sub(steps.wrapping_mul(dim.table as usize));
        self.indices = self.indices.wrapping_sub(steps.wrapping_mul(dim.indices as usize));
        self.flat = self.flat.wrapping_sub(steps.wrapping_mul(dim.flat as usize));
        self.cell = self.cell.wrapping_sub(steps.wrapping_mul(dim.cell));
    }
}

/// Counts through dimensions in row-major order.
struct Odometer {
    counts: [usize; crate::MAX_RANK],
}

impl Odometer {
    fn new() -> Odometer {
        Odometer { counts: [0; crate::MAX_RANK] }
    }

    /// Steps to the next coordinates; `false` after the last. Compiled once, and called once a lane.
    fn step(&mut self, dims: &[Dim], at: &mut Position) -> bool {
        for (d, dim) in dims.iter().enumerate().rev() {
            let Some(count) = self.counts.get_mut(d) else { return false };
            *count = count.wrapping_add(1);
            if *count < dim.size {
                at.step(dim);
                return true;
            }
            *count = 0;
            at.rewind(dim, dim.size.wrapping_sub(1));
        }
        false
    }
}
