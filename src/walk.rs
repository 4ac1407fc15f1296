//! The walk over a plan, entry by entry: what is the same with and without `std`. Rare operators
//! take it as it is.
//!
//! Outer dimensions are walked in row-major order, the last of them (a **lane**) in a plain loop,
//! the others counted by an [`Odometer`].
//!
//! Addresses are computed modulo 2^bits: the plan has proven that the sums lie inside the slices,
//! though a partial sum with a negative stride may not. Every access goes through `get` all the
//! same, so that a mistake here could move a wrong element, never panic.

#[cfg(feature = "std")]
use strew_simd::Block;

use crate::error::Error;
use crate::index::sealed::Value;
use crate::index::{Bounds, resolve};
use crate::indices::sealed::Places;
use crate::plan::{Coordinate, Dim, Plan};

/// What moves between table and flat tensor, for one entry of the indices.
pub(crate) trait Mover {
    /// Moves a row of `n` neighbours.
    fn row(&mut self, table: usize, flat: usize, n: usize);

    /// Moves the elements of one dimension, a stride after the other.
    fn strided_row(&mut self, table: usize, flat: usize, dim: &Dim);
}

/// The entries of a call, whose indices have been proven: with the address of the first element of
/// each, and its cell. Those out of bounds are left out.
pub(crate) trait Entries {
    /// The first one, in row-major order, that passes the test. Others may be tested after it.
    fn find(&mut self, test: impl FnMut(Position) -> bool) -> Option<Position>;

    /// Visits all of them, in row-major order.
    #[inline(always)]
    fn each(&mut self, mut visit: impl FnMut(Position)) {
        self.find(|at| {
            visit(at);
            false
        });
    }

    /// Visits blocks of at most `most` entries, in order: where their cells count from, their
    /// cells, and where they lead.
    #[cfg(feature = "std")]
    fn blocks(&mut self, most: usize, visit: impl FnMut(usize, &[u32], &Block<'_>));

    /// Visits all places that the entries of this plan lead to, some of them more than once, and
    /// others, in any order.
    #[inline(always)]
    fn places(&mut self, plan: &Plan, visit: impl FnMut(Position)) {
        // There may be fewer places than entries.
        if plan.cells < plan.entries() {
            entries::<&[u8]>(&plan.of_places(), &[], visit);
        } else {
            self.each(visit);
        }
    }
}

/// Entries that are walked as they are.
#[cfg(not(feature = "std"))]
pub(crate) struct Walked<'a, S> {
    pub plan: &'a Plan,
    pub indices: S,
}

#[cfg(not(feature = "std"))]
impl<S: Places> Entries for Walked<'_, S> {
    #[inline(always)]
    fn find(&mut self, mut test: impl FnMut(Position) -> bool) -> Option<Position> {
        let mut found = None;
        entries(self.plan, self.indices, |at| {
            if test(at) && found.is_none() {
                found = Some(at);
            }
        });
        found
    }

    #[inline(always)]
    fn each(&mut self, visit: impl FnMut(Position)) {
        entries(self.plan, self.indices, visit);
    }

    #[inline(always)]
    fn places(&mut self, plan: &Plan, visit: impl FnMut(Position)) {
        let places;
        let every = if plan.cells < plan.entries() {
            places = plan.of_places();
            &places
        } else {
            plan
        };
        entries(every, self.indices, visit);
    }
}

/// Calls `visit` for each entry of the indices, in row-major order, with the address of its first
/// element and its cell. Entries out of bounds are left out; under `Bounds::Error` the indices have
/// been checked.
pub(crate) fn entries<S: Places>(plan: &Plan, indices: S, visit: impl FnMut(Position)) {
    if !plan.empty {
        lanes(plan, indices, Each(visit));
    }
}

/// Visits each entry, in row-major order. `false`: stopped at one that is out of bounds, because
/// the policy is `Bounds::Error`.
#[inline(always)]
pub(crate) fn lanes<S: Places>(plan: &Plan, indices: S, mut visitor: impl Visitor) -> bool {
    let (lane, outer) = split_lane(plan.outer());
    let mut start = Position::first(plan);
    let mut odometer = Odometer::new();
    loop {
        let mut at = start;
        for _ in 0..lane.size {
            match locate(plan, indices, at) {
                Some(found) => visitor.visit(found),
                None if fails(plan, indices, at.indices) => return false,
                None => {}
            }
            at.step(lane);
            at.entry = at.entry.wrapping_add(1);
        }
        start.entry = at.entry;
        if outer.is_empty() || !odometer.step(outer, &mut start) {
            return true;
        }
    }
}

/// Where the tuple at `at` leads. `None`: out of bounds.
#[inline(always)]
pub(crate) fn locate<S: Places>(plan: &Plan, indices: S, mut at: Position) -> Option<Position> {
    let mut index = at.indices;
    for coordinate in plan.coordinates() {
        let position = plan.position(indices, index, coordinate.size)?;
        at.table = at.table.wrapping_add(position.wrapping_mul(coordinate.table as usize));
        at.cell = at.cell.wrapping_add(position.wrapping_mul(coordinate.cell));
        index = index.wrapping_add_signed(plan.tuple_stride);
    }
    Some(at)
}

/// Whether an entry that leads nowhere is an error: it counts, and the policy is `Bounds::Error`.
#[inline(always)]
pub(crate) fn fails<S: Places>(plan: &Plan, indices: S, place: usize) -> bool {
    matches!(plan.bounds, Bounds::Error) && counts(plan, indices, place)
}

/// Whether the entry at a place counts: all of its indices do.
#[inline(always)]
pub(crate) fn counts<S: Places>(plan: &Plan, indices: S, place: usize) -> bool {
    if !S::NULLABLE {
        return true;
    }
    let mut place = place.checked_div(plan.ring).unwrap_or(place);
    plan.coordinates().iter().all(|_| {
        let counts = indices.counts(place);
        place = place.wrapping_add_signed(plan.tuple_stride);
        counts
    })
}

/// What is done at each entry of the indices.
pub(crate) trait Visitor {
    fn visit(&mut self, at: Position);
}

/// Calls a function.
struct Each<F>(F);

impl<F: FnMut(Position)> Visitor for Each<F> {
    #[inline(always)]
    fn visit(&mut self, at: Position) {
        self.0(at);
    }
}

/// Moves what one entry stands for: all coordinates of the inner dimensions, from the address `at`.
#[inline(always)]
pub(crate) fn nest(inner: &[Dim], mut at: Position, mover: &mut impl Mover) {
    if inner.is_empty() {
        return mover.row(at.table, at.flat, 1);
    }
    let (lane, outer) = split_lane(inner);
    let mut odometer = Odometer::new();
    loop {
        if lane.is_row() {
            mover.row(at.table, at.flat, lane.size);
        } else {
            mover.strided_row(at.table, at.flat, lane);
        }
        if outer.is_empty() || !odometer.step(outer, &mut at) {
            return;
        }
    }
}

/// The error for the first entry that is out of bounds, found by a second, slow look at the
/// indices.
#[cold]
#[inline(never)]
pub(crate) fn first_out_of_bounds<S: Places>(plan: &Plan, indices: S) -> Option<Error> {
    let outer = plan.outer();
    if outer.iter().any(|dim| dim.size == 0) {
        return None;
    }
    // Of entries that share their indices, the first one.
    let own = outer.iter().filter(|dim| dim.indices != 0);
    let count = own.fold(1_usize, |count, dim| count.saturating_mul(dim.size));
    for number in 0..count {
        let (mut rest, mut first) = (number, plan.start.indices);
        let (mut step, mut weight) = (0_usize, 1_usize);
        for dim in outer.iter().rev() {
            if dim.indices != 0 {
                let coordinate = rest.checked_rem(dim.size).unwrap_or(0);
                rest = rest.checked_div(dim.size).unwrap_or(0);
                first = first.wrapping_add(coordinate.wrapping_mul(dim.indices as usize));
                step = step.wrapping_add(coordinate.wrapping_mul(weight));
            }
            weight = weight.wrapping_mul(dim.size);
        }
        let mut position = first;
        for (coordinate, Coordinate { size, .. }) in plan.coordinates().iter().enumerate() {
            let place = position.checked_div(plan.ring).unwrap_or(position);
            if let Some(index) = indices.get(place)
                && resolve(index, *size, Bounds::Error, plan.negative).is_none()
                && counts(plan, indices, first)
            {
                // The positions of a ring are one entry.
                let entry = step.checked_div(plan.ring).unwrap_or(step);
                let entry = entry.wrapping_mul(plan.entry_weight);
                return Some(Error::IndexOutOfBounds {
                    entry,
                    coordinate,
                    value: S::Index::wide(index).value(),
                    size: *size,
                });
            }
            position = position.wrapping_add_signed(plan.tuple_stride);
        }
    }
    None
}

/// The last dimension, and those before it.
#[inline]
pub(crate) fn split_lane(dims: &[Dim]) -> (&Dim, &[Dim]) {
    dims.split_last().unwrap_or((&SINGLE, &[]))
}

/// A dimension of one step.
pub(crate) const SINGLE: Dim = Dim { size: 1, table: 0, indices: 0, flat: 0, cell: 0 };

/// Where the walk stands in each tensor, and in the indexed space.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    pub table: usize,
    pub indices: usize,
    pub flat: usize,
    pub cell: usize,
    /// The number of steps that the outer dimensions have taken.
    pub entry: usize,
}

impl Position {
    pub(crate) fn first(plan: &Plan) -> Position {
        Position {
            table: plan.start.table,
            indices: plan.start.indices,
            flat: plan.start.flat,
            cell: 0,
            entry: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn step(&mut self, dim: &Dim) {
        self.table = self.table.wrapping_add_signed(dim.table);
        self.indices = self.indices.wrapping_add_signed(dim.indices);
        self.flat = self.flat.wrapping_add_signed(dim.flat);
        self.cell = self.cell.wrapping_add(dim.cell);
    }

    /// The same, with the places of a part of what moves added.
    #[inline(always)]
    pub(crate) fn plus(self, part: &Position) -> Position {
        let table = self.table.wrapping_add(part.table);
        Position { table, flat: self.flat.wrapping_add(part.flat), ..self }
    }

    /// Goes back to the start of a dimension that has been walked to its end.
    fn rewind(&mut self, dim: &Dim) {
        self.table = self.table.wrapping_sub(dim.size.wrapping_mul(dim.table as usize));
        self.indices = self.indices.wrapping_sub(dim.size.wrapping_mul(dim.indices as usize));
        self.flat = self.flat.wrapping_sub(dim.size.wrapping_mul(dim.flat as usize));
        self.cell = self.cell.wrapping_sub(dim.size.wrapping_mul(dim.cell));
    }
}

/// Counts through dimensions in row-major order. One number holds all counts: a division for each
/// carry is less than the memory for eight of them.
pub(crate) struct Odometer {
    steps: usize,
}

impl Odometer {
    pub(crate) fn new() -> Odometer {
        Odometer { steps: 0 }
    }

    /// After a number of steps.
    #[cfg(feature = "std")]
    pub(crate) fn after(steps: usize) -> Odometer {
        Odometer { steps }
    }

    /// Steps to the next coordinates; `false` after the last. Called once a lane.
    #[inline]
    pub(crate) fn step(&mut self, dims: &[Dim], at: &mut Position) -> bool {
        self.steps = self.steps.wrapping_add(1);
        if let [dim] = dims {
            at.step(dim);
            return self.steps < dim.size;
        }
        let mut count = self.steps;
        for dim in dims.iter().rev() {
            at.step(dim);
            let Some(carry) = count.checked_div(dim.size) else { return false };
            if count != carry.wrapping_mul(dim.size) {
                return true;
            }
            at.rewind(dim);
            count = carry;
        }
        false
    }
}
