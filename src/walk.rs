//! The one walk over a plan, shared by gather, assignment and reductions.
//!
//! The outer dimensions are walked in row-major order, the last of them (a **lane**) in a plain loop, the others counted by an [`Odometer`].
//! [`run`] chooses between two walks, once a call; plans in constants make the choice at compile time.
//!
//! - [`packed`]: tuples of 1 to 3 coordinates without gaps, each of which moves one element or one row, and the flat tensor without gaps along
//!   the lane. This is what most tensors hold. On a Cortex-M4 it takes a third of the instructions of the other.
//! - [`general`]: everything else.
//!
//! Addresses are computed modulo 2^bits: the plan has proven that the sums lie inside the slices, though a partial sum with a negative
//! stride may not. Every access goes through `get` all the same, so that a mistake here could move a wrong element, never panic.

use crate::error::Error;
use crate::index::{Bounds, Index, resolve};
use crate::plan::{Coordinate, Dim, Plan};

/// What moves between table and flat tensor: one element, or rows of `n` neighbours.
pub(crate) trait Mover {
    /// Moves one element.
    fn element(&mut self, table: usize, flat: usize);

    /// Moves one row.
    fn row(&mut self, table: usize, flat: usize, n: usize);

    /// Moves one element for each tuple, between its address in the table and neighbours of the flat tensor. `None`: stopped at a tuple without an
    /// address.
    fn elements<Tuple>(&mut self, flat: usize, tuples: &[Tuple], address: impl FnMut(&Tuple) -> Option<usize>) -> Option<()>;

    /// The same for rows of `n` elements.
    fn rows<Tuple>(&mut self, flat: usize, n: usize, tuples: &[Tuple], address: impl FnMut(&Tuple) -> Option<usize>) -> Option<()>;
}

/// An address outside every slice: what [`Bounds::Skip`] makes of an entry. Nothing moves there.
const NOWHERE: usize = usize::MAX;

/// Moves everything that the plan describes. `false`: an index is out of bounds under `Bounds::Error`; what comes before it has been moved.
#[inline(always)]
pub(crate) fn run<I: Index>(plan: &Plan, indices: &[I], mover: impl Mover) -> bool {
    if plan.moves_nothing() {
        return true;
    }
    match (plan.packed_tuple(), plan.packed_row()) {
        (1, Some(n)) => packed::<I, 1>(plan, indices, n, mover),
        (2, Some(n)) => packed::<I, 2>(plan, indices, n, mover),
        (3, Some(n)) => packed::<I, 3>(plan, indices, n, mover),
        _ => general(plan, indices, mover),
    }
}

/// Whether all indices are in bounds, under `Bounds::Error`.
#[inline(always)]
pub(crate) fn check<I: Index>(plan: &Plan, indices: &[I]) -> bool {
    if plan.moves_nothing() {
        return true;
    }
    match plan.packed_tuple() {
        1 => packed::<I, 1>(plan, indices, 1, Nothing),
        2 => packed::<I, 2>(plan, indices, 1, Nothing),
        3 => packed::<I, 3>(plan, indices, 1, Nothing),
        _ => lanes(plan, indices, |_| {}),
    }
}

/// Calls `visit` for each entry of the indices, in row-major order, with the address of its first element and its cell. Entries out of bounds are
/// left out; under `Bounds::Error` the indices have been checked.
pub(crate) fn entries<I: Index>(plan: &Plan, indices: &[I], visit: impl FnMut(Position)) {
    if !plan.moves_nothing() {
        lanes(plan, indices, visit);
    }
}

/// Packed tuples of `K` coordinates, which move packed rows of `n` elements.
fn packed<I: Index, const K: usize>(plan: &Plan, indices: &[I], n: usize, mut mover: impl Mover) -> bool {
    const NO_COORDINATE: Coordinate = Coordinate { size: 0, table: 0, cell: 0 };
    let coordinates: [Coordinate; K] = plan.coordinates().first_chunk().copied().unwrap_or([NO_COORDINATE; K]);
    let bounds = plan.bounds;
    let (lane, outer) = split_lane(plan.outer());
    let (length, step) = (lane.size.wrapping_mul(K), lane.table);
    let mut start = Position::first(plan);
    let mut odometer = Odometer::new();
    loop {
        let tuples = indices.get(start.indices..start.indices.wrapping_add(length)).unwrap_or(&[]);
        let tuples = tuples.as_chunks::<K>().0;
        let mut first = start.table;
        let address = |tuple: &[I; K]| {
            let mut address = first;
            first = first.wrapping_add_signed(step);
            for (index, coordinate) in tuple.iter().zip(&coordinates) {
                match resolve(*index, coordinate.size, bounds) {
                    Some(position) => address = address.wrapping_add(position.wrapping_mul(coordinate.table as usize)),
                    None if matches!(bounds, Bounds::Error) => return None,
                    None => return Some(NOWHERE),
                }
            }
            Some(address)
        };
        let moved = if n == 1 { mover.elements(start.flat, tuples, address) } else { mover.rows(start.flat, n, tuples, address) };
        if moved.is_none() || outer.is_empty() || !odometer.step(outer, &mut start) {
            return moved.is_some();
        }
    }
}

/// Any tuples, and any inner dimensions.
fn general<I: Index>(plan: &Plan, indices: &[I], mut mover: impl Mover) -> bool {
    let inner = plan.inner();
    lanes(plan, indices, |at| nest(inner, at, &mut mover))
}

/// Calls `visit` for each entry, in row-major order. `false`: stopped at one that is out of bounds, because the policy is `Bounds::Error`.
#[inline(always)]
fn lanes<I: Index>(plan: &Plan, indices: &[I], mut visit: impl FnMut(Position)) -> bool {
    let (lane, outer) = split_lane(plan.outer());
    let mut start = Position::first(plan);
    let mut odometer = Odometer::new();
    loop {
        let mut at = start;
        for _ in 0..lane.size {
            match locate(plan, indices, at) {
                Some(found) => visit(found),
                None if matches!(plan.bounds, Bounds::Error) => return false,
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
fn locate<I: Index>(plan: &Plan, indices: &[I], mut at: Position) -> Option<Position> {
    let mut index = at.indices;
    for coordinate in plan.coordinates() {
        let position = resolve(*indices.get(index)?, coordinate.size, plan.bounds)?;
        at.table = at.table.wrapping_add(position.wrapping_mul(coordinate.table as usize));
        at.cell = at.cell.wrapping_add(position.wrapping_mul(coordinate.cell));
        index = index.wrapping_add_signed(plan.tuple_stride);
    }
    Some(at)
}

/// Moves what one entry stands for: all coordinates of the inner dimensions, from the address `at`.
pub(crate) fn nest(inner: &[Dim], mut at: Position, mover: &mut impl Mover) {
    let (lane, outer) = split_lane(inner);
    let mut odometer = Odometer::new();
    loop {
        if lane.table == 1 && lane.flat == 1 {
            mover.row(at.table, at.flat, lane.size);
        } else {
            let (mut table, mut flat) = (at.table, at.flat);
            for _ in 0..lane.size {
                mover.element(table, flat);
                table = table.wrapping_add_signed(lane.table);
                flat = flat.wrapping_add_signed(lane.flat);
            }
        }
        if outer.is_empty() || !odometer.step(outer, &mut at) {
            return;
        }
    }
}

/// Moves nothing: what is left of a walk is the check of the indices.
struct Nothing;

impl Mover for Nothing {
    fn element(&mut self, _: usize, _: usize) {}

    fn row(&mut self, _: usize, _: usize, _: usize) {}

    #[inline(always)]
    fn elements<Tuple>(&mut self, _: usize, tuples: &[Tuple], mut address: impl FnMut(&Tuple) -> Option<usize>) -> Option<()> {
        tuples.iter().try_for_each(|tuple| address(tuple).map(drop))
    }

    #[inline(always)]
    fn rows<Tuple>(&mut self, flat: usize, _: usize, tuples: &[Tuple], address: impl FnMut(&Tuple) -> Option<usize>) -> Option<()> {
        self.elements(flat, tuples, address)
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
