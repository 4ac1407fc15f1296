//! The one walk over a plan, shared by gather, assignment and reductions.
//!
//! The outer dimensions are walked in row-major order, the last of them (a **lane**) in a plain loop, the others counted by an [`Odometer`].
//! [`run`] chooses between two walks, once a call; plans in constants make the choice at compile time.
//!
//! - [`packed`]: tuples of 1 to 3 coordinates (4 with `std`) without gaps, each of which moves one element or one row, and the flat tensor without gaps along
//!   the lane. This is what most tensors hold, and slices are walked without a check for each step.
//! - [`lanes`]: everything else.
//!
//! Addresses are computed modulo 2^bits: the plan has proven that the sums lie inside the slices, though a partial sum with a negative
//! stride may not. Every access goes through `get` all the same, so that a mistake here could move a wrong element, never panic.

use crate::error::Error;
use crate::index::{Bounds, Index, resolve};
#[cfg(not(feature = "std"))]
use crate::plan::Start;
use crate::plan::{Coordinate, Dim, Plan};

/// What moves between table and flat tensor: one element, or rows of `n` neighbours.
pub(crate) trait Mover {
    /// Moves one row.
    fn row(&mut self, table: usize, flat: usize, n: usize);

    /// Moves the elements of one dimension, a stride after the other.
    fn strided_row(&mut self, table: usize, flat: usize, dim: &Dim);

    /// Moves one element for each tuple, between its address in the table and neighbours of the flat tensor. `None`: stopped at a tuple without an
    /// address.
    fn elements<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        tuples: &[[I; K]],
        addresses: Addresses<K, PROVEN>,
    ) -> Option<()>;

    /// The same for rows of `n` elements. Without a method of its own, a mover takes each row for one element.
    #[inline(always)]
    fn rows<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        _n: usize,
        tuples: &[[I; K]],
        addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        self.elements(flat, tuples, addresses)
    }

    /// The same for rows of `n` blocks of `B` elements. Addresses count blocks, from the first place of the table.
    #[cfg(not(feature = "std"))]
    fn blocks<I: Index, const K: usize, const PROVEN: bool, const B: usize>(
        &mut self,
        start: &Start,
        n: usize,
        tuples: &[[I; K]],
        addresses: Addresses<K, PROVEN>,
    ) -> Option<()>;

    /// A chance to ask for lanes to come, which read and move so many indices and elements; the last outer dimension leads from one to the next.
    #[inline(always)]
    fn ask_lane<I: Index>(
        &mut self,
        _indices: &[I],
        _lane: &Position,
        _outer: &Dim,
        _reads: usize,
        _moves: usize,
    ) {
    }

    /// Moves what has been put off, in rows of `n` elements.
    #[inline(always)]
    fn finish(&mut self, _n: usize) {}
}

/// An address outside every slice: what [`Bounds::Skip`] makes of an entry. Nothing moves there.
const NOWHERE: usize = usize::MAX;

/// Moves everything that the plan describes. `false`: an index is out of bounds under `Bounds::Error`; what comes before it has been moved.
///
/// `PROVEN`: [`check`] has been there, so that under `Bounds::Error` there is nothing left to compare.
#[inline(always)]
pub(crate) fn run<I: Index, const PROVEN: bool>(
    plan: &Plan,
    indices: &[I],
    mover: impl Mover,
) -> bool {
    if plan.empty {
        return true;
    }
    let dims = split_lane(plan.outer());
    let n = plan.packed_row;
    match (plan.packed_tuple, n) {
        // Loops of their own for single elements: plans in memory save a quarter of the fixed cost, and 1.5 instructions an element.
        (1, 1) => packed::<I, 1, PROVEN>(plan, dims, indices, 1, mover),
        (1, 1..) => packed::<I, 1, PROVEN>(plan, dims, indices, n, mover),
        (2, 1..) => packed::<I, 2, PROVEN>(plan, dims, indices, n, mover),
        (3, 1..) => packed::<I, 3, PROVEN>(plan, dims, indices, n, mover),
        #[cfg(feature = "std")]
        (4, 1..) => packed::<I, 4, PROVEN>(plan, dims, indices, n, mover),
        _ => lanes(plan, indices, Nest { inner: plan.inner(), mover }),
    }
}

/// Whether all indices are in bounds, under `Bounds::Error`.
#[inline(always)]
pub(crate) fn check<I: Index>(plan: &Plan, indices: &[I]) -> bool {
    check_by(plan, indices, Nothing)
}

/// The same with a mover that checks lanes in its own way.
#[inline(always)]
pub(crate) fn check_by<I: Index>(plan: &Plan, indices: &[I], mover: impl Mover) -> bool {
    if plan.empty {
        return true;
    }
    let dims = split_lane(plan.outer());
    match plan.packed_tuple {
        1 => packed::<I, 1, false>(plan, dims, indices, 1, mover),
        2 => packed::<I, 2, false>(plan, dims, indices, 1, mover),
        3 => packed::<I, 3, false>(plan, dims, indices, 1, mover),
        #[cfg(feature = "std")]
        4 => packed::<I, 4, false>(plan, dims, indices, 1, mover),
        _ => lanes(plan, indices, Nothing),
    }
}

/// Calls `visit` for each entry of the indices, in row-major order, with the address of its first element and its cell. Entries out of bounds are
/// left out; under `Bounds::Error` the indices have been checked.
pub(crate) fn entries<I: Index>(plan: &Plan, indices: &[I], visit: impl FnMut(Position)) {
    if !plan.empty {
        lanes(plan, indices, Each(visit));
    }
}

/// Packed tuples of `K` coordinates, which move packed rows of `n` elements.
#[inline(always)]
pub(crate) fn packed<I: Index, const K: usize, const PROVEN: bool>(
    plan: &Plan,
    (lane, outer): (&Dim, &[Dim]),
    indices: &[I],
    n: usize,
    mut mover: impl Mover,
) -> bool {
    let length = lane.size.wrapping_mul(K);
    let coordinates = plan.coordinate_array::<K>();
    let mut start = Position::first(plan);
    let mut odometer = Odometer::new();
    loop {
        let Some(tuples) = indices.get(start.indices..start.indices.wrapping_add(length)) else {
            return false;
        };
        let tuples = tuples.as_chunks::<K>().0;
        let addresses = Addresses::<K, PROVEN> {
            coordinates,
            bounds: plan.bounds,
            first: start.table,
            step: lane.table,
        };
        if let Some(last) = outer.last() {
            mover.ask_lane(indices, &start, last, length, lane.size.wrapping_mul(n));
        }
        let moved = if n == 1 {
            mover.elements(start.flat, tuples, addresses)
        } else {
            mover.rows(start.flat, n, tuples, addresses)
        };
        if moved.is_none() || outer.is_empty() || !odometer.step(outer, &mut start) {
            mover.finish(n);
            return moved.is_some();
        }
    }
}

/// Resolves the tuples of a lane to addresses of the table.
#[derive(Clone)]
pub(crate) struct Addresses<const K: usize, const PROVEN: bool> {
    pub coordinates: [Coordinate; K],
    pub bounds: Bounds,
    pub first: usize,
    pub step: isize,
}

impl<const K: usize, const PROVEN: bool> Addresses<K, PROVEN> {
    /// Whether all coordinates are in bounds. No axis of a packed plan is too long for this to be exact.
    #[inline(always)]
    fn check<I: Index>(&self, tuple: &[I; K]) -> bool {
        tuple
            .iter()
            .zip(&self.coordinates)
            .all(|(index, coordinate)| index.is_inside(coordinate.size))
    }

    /// The address of the next tuple. `None`: it is out of bounds under `Bounds::Error`.
    #[inline(always)]
    pub(crate) fn next<I: Index>(&mut self, tuple: &[I; K]) -> Option<usize> {
        let mut address = self.first;
        self.first = self.first.wrapping_add_signed(self.step);
        for (index, coordinate) in tuple.iter().zip(&self.coordinates) {
            let position = if PROVEN && matches!(self.bounds, Bounds::Error) {
                Some(index.proven_position(coordinate.size))
            } else {
                resolve(*index, coordinate.size, self.bounds)
            };
            match position {
                Some(position) => {
                    address = address.wrapping_add(position.wrapping_mul(coordinate.table as usize))
                }
                None if matches!(self.bounds, Bounds::Error) => return None,
                None => return Some(NOWHERE),
            }
        }
        Some(address)
    }
}

/// Calls `visit` for each entry, in row-major order. `false`: stopped at one that is out of bounds, because the policy is `Bounds::Error`.
#[inline(always)]
pub(crate) fn lanes<I: Index>(plan: &Plan, indices: &[I], mut visitor: impl Visitor) -> bool {
    let (lane, outer) = split_lane(plan.outer());
    let mut start = Position::first(plan);
    let mut odometer = Odometer::new();
    loop {
        let mut at = start;
        for _ in 0..lane.size {
            match locate(plan, indices, at) {
                Some(found) => visitor.visit(found),
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

/// What is done at each entry of the indices.
pub(crate) trait Visitor {
    fn visit(&mut self, at: Position);
}

/// Moves what the entry stands for.
pub(crate) struct Nest<'a, M> {
    pub inner: &'a [Dim],
    pub mover: M,
}

impl<M: Mover> Visitor for Nest<'_, M> {
    #[inline(always)]
    fn visit(&mut self, at: Position) {
        nest(self.inner, at, &mut self.mover);
    }
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

/// Does nothing: what is left of a walk is the check of the indices.
pub(crate) struct Nothing;

impl Visitor for Nothing {
    fn visit(&mut self, _: Position) {}
}

impl Mover for Nothing {
    fn row(&mut self, _: usize, _: usize, _: usize) {}

    fn strided_row(&mut self, _: usize, _: usize, _: &Dim) {}

    #[inline(always)]
    fn elements<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        _: usize,
        tuples: &[[I; K]],
        addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        for tuple in tuples {
            if !addresses.check(tuple) {
                return None;
            }
        }
        Some(())
    }

    #[cfg(not(feature = "std"))]
    #[inline(always)]
    fn blocks<I: Index, const K: usize, const PROVEN: bool, const B: usize>(
        &mut self,
        start: &Start,
        _: usize,
        tuples: &[[I; K]],
        addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        self.elements(start.flat, tuples, addresses)
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
                return Some(Error::IndexOutOfBounds {
                    entry,
                    coordinate,
                    value: index.wide().value(),
                    size: *size,
                });
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
pub(crate) fn split_lane(dims: &[Dim]) -> (&Dim, &[Dim]) {
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
    fn step(&mut self, dim: &Dim) {
        self.table = self.table.wrapping_add_signed(dim.table);
        self.indices = self.indices.wrapping_add_signed(dim.indices);
        self.flat = self.flat.wrapping_add_signed(dim.flat);
        self.cell = self.cell.wrapping_add(dim.cell);
    }

    /// Goes back to the start of a dimension that has been walked to its end.
    fn rewind(&mut self, dim: &Dim) {
        self.table = self.table.wrapping_sub(dim.size.wrapping_mul(dim.table as usize));
        self.indices = self.indices.wrapping_sub(dim.size.wrapping_mul(dim.indices as usize));
        self.flat = self.flat.wrapping_sub(dim.size.wrapping_mul(dim.flat as usize));
        self.cell = self.cell.wrapping_sub(dim.size.wrapping_mul(dim.cell));
    }
}

/// Counts through dimensions in row-major order. One number holds all counts: a division for each carry is less than the memory for eight of them.
pub(crate) struct Odometer {
    steps: usize,
}

impl Odometer {
    pub(crate) fn new() -> Odometer {
        Odometer { steps: 0 }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::plan::Direction::Gather;
    use crate::plan::tests::{nd, packed as layout};

    /// What a walk asks of its mover.
    #[derive(Debug, PartialEq)]
    enum Asked {
        Row,
        Elements(usize),
        Rows(usize),
    }

    /// Notes what it is asked.
    struct Noted<'a>(&'a mut Option<Asked>);

    impl Mover for Noted<'_> {
        fn row(&mut self, _: usize, _: usize, _: usize) {
            *self.0 = Some(Asked::Row);
        }

        fn strided_row(&mut self, _: usize, _: usize, _: &Dim) {
            *self.0 = Some(Asked::Row);
        }

        fn elements<I: Index, const K: usize, const PROVEN: bool>(
            &mut self,
            _: usize,
            _: &[[I; K]],
            _: Addresses<K, PROVEN>,
        ) -> Option<()> {
            *self.0 = Some(Asked::Elements(K));
            Some(())
        }

        fn rows<I: Index, const K: usize, const PROVEN: bool>(
            &mut self,
            _: usize,
            _: usize,
            _: &[[I; K]],
            _: Addresses<K, PROVEN>,
        ) -> Option<()> {
            *self.0 = Some(Asked::Rows(K));
            Some(())
        }

        #[cfg(not(feature = "std"))]
        fn blocks<I: Index, const K: usize, const PROVEN: bool, const B: usize>(
            &mut self,
            _: &Start,
            _: usize,
            _: &[[I; K]],
            _: Addresses<K, PROVEN>,
        ) -> Option<()> {
            None
        }
    }

    #[test]
    fn short_tuples_have_loops_of_their_own() {
        const LONGEST_TUPLE: usize = if cfg!(feature = "std") { 4 } else { 3 };
        for k in 1..=5 {
            for row in [1, 6] {
                let table = [3, 3, 3, 3, 3].get(..k).unwrap_or(&[]).iter().chain([&row]).copied();
                let mut sizes = [0; 6];
                sizes.iter_mut().zip(table).for_each(|(to, size)| *to = size);
                let table = Layout::packed(sizes.get(..=k).unwrap_or(&[]));
                let plan = nd(Gather, &table, &layout([7, k]), &layout([7, row]), 0);
                let ([mut moved, mut checked], indices) = ([None, None], [0_u8; 35]);
                assert!(run::<u8, true>(&plan, &indices, Noted(&mut moved)));
                let expected = match row {
                    _ if k > LONGEST_TUPLE => Asked::Row,
                    1 => Asked::Elements(k),
                    _ => Asked::Rows(k),
                };
                assert_eq!(moved, Some(expected), "{k} coordinates, rows of {row}");
                assert!(check_by(&plan, &indices, Noted(&mut checked)));
                assert_eq!(
                    checked,
                    (k <= LONGEST_TUPLE).then_some(Asked::Elements(k)),
                    "{k} coordinates, rows of {row}"
                );
            }
        }
    }
}
