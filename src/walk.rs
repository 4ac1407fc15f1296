//! The one walk over a plan, shared by gather, assignment and reductions.
//!
//! [`lanes`] goes over the outer dimensions in row-major order; [`Tuples`] resolves the entries of the indices along the last of them; [`nest`]
//! goes over the inner dimensions of one entry. The last dimension is always a plain loop, the others are counted by an [`Odometer`].
//!
//! [`run`] chooses, once a call, the loop for the tuples and the shape of what moves. Plans in constants make the choice at compile time.
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
///
/// Packed tuples of 1 to 3 coordinates, which is what most tensors hold, have loops of their own: on a Cortex-M4 they take a third of the
/// instructions of the general one.
#[inline(always)]
pub(crate) fn run<I: Index>(plan: &Plan, indices: &[I], mover: impl Mover) -> bool {
    if plan.empty {
        return true;
    }
    match (plan.inner(), plan.packed_tuple()) {
        ([], 1) => elements(plan, Packed::<I, 1>::new(plan, indices), mover),
        ([], 2) => elements(plan, Packed::<I, 2>::new(plan, indices), mover),
        ([], 3) => elements(plan, Packed::<I, 3>::new(plan, indices), mover),
        ([], _) => elements(plan, Strided { plan, indices }, mover),
        ([row], 1) => rows(plan, Packed::<I, 1>::new(plan, indices), row, mover),
        ([row], 2) => rows(plan, Packed::<I, 2>::new(plan, indices), row, mover),
        ([row], _) => rows(plan, Strided { plan, indices }, row, mover),
        (inner, _) => nests(plan, Strided { plan, indices }, inner, mover),
    }
}

/// Whether all indices are in bounds, under `Bounds::Error`.
#[inline(always)]
pub(crate) fn check<I: Index>(plan: &Plan, indices: &[I]) -> bool {
    if plan.empty {
        return true;
    }
    match plan.packed_tuple() {
        1 => lanes(plan, Packed::<I, 1>::new(plan, indices), |_| {}),
        2 => lanes(plan, Packed::<I, 2>::new(plan, indices), |_| {}),
        3 => lanes(plan, Packed::<I, 3>::new(plan, indices), |_| {}),
        _ => lanes(plan, Strided { plan, indices }, |_| {}),
    }
}

/// Calls `visit` for each entry of the indices, in row-major order, with the address of its first element and its cell. Entries out of bounds are
/// left out; under `Bounds::Error` the indices have been checked.
pub(crate) fn entries<I: Index>(plan: &Plan, indices: &[I], visit: impl FnMut(Position)) {
    if !plan.empty {
        lanes(plan, Strided { plan, indices }, visit);
    }
}

/// Each entry moves one element.
fn elements(plan: &Plan, tuples: impl Tuples, mut mover: impl Mover) -> bool {
    lanes(plan, tuples, |at| mover.element(at.table, at.flat))
}

/// Each entry moves one row.
fn rows(plan: &Plan, tuples: impl Tuples, row: &Dim, mut mover: impl Mover) -> bool {
    let dim = *row;
    if dim.table == 1 && dim.flat == 1 {
        lanes(plan, tuples, |at| mover.row(at.table, at.flat, dim.size))
    } else {
        lanes(plan, tuples, |at| strided_row(&dim, at, &mut mover))
    }
}

/// Each entry moves several dimensions of elements.
fn nests(plan: &Plan, tuples: impl Tuples, inner: &[Dim], mut mover: impl Mover) -> bool {
    lanes(plan, tuples, |at| nest(inner, at, &mut mover))
}

/// The indices of a plan, read lane by lane.
trait Tuples {
    /// Calls `each` with every entry of a lane that starts at `at`: the address that it resolves to, relative to that of the lane, or `None` if it is
    /// out of bounds. Stops when `each` returns `false`, and returns that.
    fn lane(&self, at: usize, lane: &Dim, each: impl FnMut(Option<Offset>) -> bool) -> bool;
}

/// Where a tuple leads, relative to the coordinates 0.
#[derive(Clone, Copy)]
struct Offset {
    table: usize,
    cell: usize,
}

impl Offset {
    const NONE: Offset = Offset { table: 0, cell: 0 };

    /// Goes along one coordinate.
    #[inline(always)]
    fn along<I: Index>(self, index: I, coordinate: &Coordinate, bounds: Bounds) -> Option<Offset> {
        let position = resolve(index, coordinate.size, bounds)?;
        Some(Offset {
            table: self.table.wrapping_add(position.wrapping_mul(coordinate.table as usize)),
            cell: self.cell.wrapping_add(position.wrapping_mul(coordinate.cell)),
        })
    }
}

/// Tuples of `K` coordinates, one after the other.
struct Packed<'a, I, const K: usize> {
    indices: &'a [I],
    coordinates: [Coordinate; K],
    bounds: Bounds,
}

impl<'a, I, const K: usize> Packed<'a, I, K> {
    #[inline(always)]
    fn new(plan: &Plan, indices: &'a [I]) -> Self {
        const NO_COORDINATE: Coordinate = Coordinate { size: 0, table: 0, cell: 0 };
        let coordinates = plan.coordinates().first_chunk().copied().unwrap_or([NO_COORDINATE; K]);
        Packed { indices, coordinates, bounds: plan.bounds }
    }
}

impl<I: Index, const K: usize> Tuples for Packed<'_, I, K> {
    #[inline(always)]
    fn lane(&self, at: usize, lane: &Dim, mut each: impl FnMut(Option<Offset>) -> bool) -> bool {
        let tuples = self.indices.get(at..at.wrapping_add(lane.size.wrapping_mul(K))).unwrap_or(&[]);
        for tuple in tuples.as_chunks::<K>().0 {
            let coordinates = tuple.iter().zip(&self.coordinates);
            let offset = coordinates.fold(Some(Offset::NONE), |offset, (index, coordinate)| offset?.along(*index, coordinate, self.bounds));
            if !each(offset) {
                return false;
            }
        }
        true
    }
}

/// Any number of coordinates, anywhere.
struct Strided<'a, I> {
    plan: &'a Plan,
    indices: &'a [I],
}

impl<I: Index> Tuples for Strided<'_, I> {
    #[inline(always)]
    fn lane(&self, mut at: usize, lane: &Dim, mut each: impl FnMut(Option<Offset>) -> bool) -> bool {
        for _ in 0..lane.size {
            let mut position = at;
            let mut offset = Some(Offset::NONE);
            for coordinate in self.plan.coordinates() {
                let index = self.indices.get(position).copied();
                offset = offset.and_then(|offset| offset.along(index?, coordinate, self.plan.bounds));
                position = position.wrapping_add_signed(self.plan.tuple_stride);
            }
            if !each(offset) {
                return false;
            }
            at = at.wrapping_add_signed(lane.indices);
        }
        true
    }
}

/// Calls `visit` for each entry, in row-major order. `false`: stopped at one that is out of bounds, because the policy is `Bounds::Error`.
#[inline(always)]
fn lanes(plan: &Plan, tuples: impl Tuples, mut visit: impl FnMut(Position)) -> bool {
    let strict = matches!(plan.bounds, Bounds::Error);
    let (lane, outer) = split_lane(plan.outer());
    let lane = *lane;
    let mut start = Position::first(plan);
    let mut odometer = Odometer::new();
    loop {
        let mut at = start;
        let finished = tuples.lane(start.indices, &lane, |offset| {
            match offset {
                Some(Offset { table, cell }) => {
                    visit(Position { table: at.table.wrapping_add(table), cell: at.cell.wrapping_add(cell), ..at });
                }
                None if strict => return false,
                None => {}
            }
            at.step(&lane);
            at.entry = at.entry.wrapping_add(1);
            true
        });
        start.entry = at.entry;
        if !finished || outer.is_empty() {
            return finished;
        }
        if !odometer.step(outer, &mut start) {
            return true;
        }
    }
}

/// Moves what one entry stands for: all coordinates of the inner dimensions, from the address `at`.
pub(crate) fn nest(inner: &[Dim], mut at: Position, mover: &mut impl Mover) {
    let (lane, outer) = split_lane(inner);
    let mut odometer = Odometer::new();
    loop {
        if lane.table == 1 && lane.flat == 1 {
            mover.row(at.table, at.flat, lane.size);
        } else {
            strided_row(lane, at, mover);
        }
        if outer.is_empty() || !odometer.step(outer, &mut at) {
            return;
        }
    }
}

#[inline(always)]
fn strided_row(dim: &Dim, mut at: Position, mover: &mut impl Mover) {
    for _ in 0..dim.size {
        mover.element(at.table, at.flat);
        at.step(dim);
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
