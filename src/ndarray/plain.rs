//! Calls of few entries run in plain loops: to make layouts and a plan takes longer than such a
//! call. Elements of views that are not in row-major order are found where they are.

use std::mem;

use ::ndarray::{ArrayRef, ArrayView, Dimension, MathCell};

use super::grid::{Grid, coordinates};
use super::view::of_four_axes;
use super::{Fixed, Kind, Operator};
use crate::element::Element;
use crate::error::Direction;
use crate::index::{Bounds, Index, Negative, resolve};
use crate::layout::MAX_RANK;
use crate::plan::Dim;
use crate::reduction::{Call, Reduction, combine_one};
use crate::walk::{Odometer, Position, SINGLE};

/// Indices: gathers of at most this many run here.
///
/// Record: f32 by i64 on Zen 4, gathered, set, added and `Max`: 1 to 16 single elements 0.23x to
/// 0.37x; 128 of them 0.52x to 0.72x; 159 gathered, half of them from the end, 0.55x.
const FEW: usize = if cfg!(fuzzing) { 8 } else { 256 };

/// [`FEW`] for scatters to tables in row-major order, which look at all indices first. Record: as
/// at [`FEW`], 186 elements added 1.1x.
const FEW_IN_ORDER: usize = if cfg!(fuzzing) { 6 } else { 128 };

/// Elements that such a call moves, at most, if a tensor is not in row-major order, and no rows of
/// [`ROW`] are gathered.
///
/// Record: as at [`FEW`], of views with gaps: 126 elements added 0.77x, 140 gathered 0.73x, 156
/// added 0.85x; 157 to 256 are unmeasured. The places of elements come first where the flat tensor
/// has gaps, so that it is written or read in order, without a copy: on a Xeon, 18 gathered 0.78x,
/// 114 added 0.58x.
const FEW_OUT_OF_ORDER: usize = if cfg!(fuzzing) { 6 } else { 256 };

/// Rows that such a call moves, at most, if they have more elements than one.
///
/// Record: as at [`FEW`], 64 rows of 4 f32 0.47x to 0.75x.
const FEW_ROWS: usize = if cfg!(fuzzing) { 8 } else { 64 };

/// Bytes that such a call moves, at most.
///
/// Record: as at [`FEW`]: 16 rows of 32 f32 0.4x to 0.6x; 64 rows of 16 f32 0.57x to 0.65x, but
/// `Max` of these 1.14x, and of 64 rows of 32 f32 1.34x.
const BYTES: usize = if cfg!(fuzzing) { 64 } else { 4 << 10 };

/// [`BYTES`] for gathered rows, which are copied alike here and by a plan. Record: 1 to 64 rows of
/// 20 to 512 f32 on Zen 5: 0.5x to 0.9x without gaps, from 6 to 50 KiB, 0.35x to 0.75x with gaps.
const ROW_BYTES: usize = if cfg!(fuzzing) { 128 } else { 64 << 10 };

/// Elements of rows of a view with gaps, at least, that a gather copies as rows. Record: as at
/// [`ROW_BYTES`], of 8 0.65x to 1.05x.
const ROW: usize = if cfg!(fuzzing) { 2 } else { 8 };

/// What such a call does.
pub(super) struct Plain<'a, I> {
    /// The indices, in row-major order.
    indices: &'a [I],
    table: &'a [usize],
    /// The axes of the table that entries go through, before their last dimension. Of `elements`,
    /// the sizes are those of the indices, which may be smaller.
    outer: &'a [usize],
    /// The entries of the last dimension, which has an axis of `elements` alone.
    count: usize,
    elements: bool,
    /// Whether all coordinates along `outer` share their indices.
    shared: bool,
    /// The axes that a tuple chooses from: the number of the first, and their sizes.
    first: usize,
    axes: &'a [usize],
    row: usize,
    /// The elements that move.
    moved: usize,
    negative: Negative,
}

impl Operator {
    /// The call, on elements of `element` bytes, with room for indices that are not in row-major
    /// order. `None`: it is no such call, or fails.
    #[inline(always)]
    pub(super) fn plain<'a, I: Index, E: Dimension>(
        self,
        direction: Direction,
        element: usize,
        table: &'a [usize],
        indices: &'a ArrayRef<I, E>,
        flat: &[usize],
        room: &'a mut Few<I>,
    ) -> Option<Plain<'a, I>> {
        if indices.len() > FEW || !matches!(self.bounds, Bounds::Error) {
            return None;
        }
        let in_order = match indices.as_slice() {
            Some(indices) => indices,
            None => {
                of_four_axes(indices.view())?.iter().for_each(|index| _ = room.push(*index));
                room
            }
        };
        self.plain_of(direction, element, table, indices.shape(), in_order, flat)
    }

    fn plain_of<'a, I: Index>(
        self,
        direction: Direction,
        element: usize,
        table: &'a [usize],
        shape: &'a [usize],
        indices: &'a [I],
        flat: &[usize],
    ) -> Option<Plain<'a, I>> {
        let fits = table.len().max(shape.len()).max(flat.len()) <= MAX_RANK;
        if !fits || indices.is_empty() {
            return None;
        }
        let product = |sizes: &[usize]| sizes.iter().product::<usize>();
        // The first of the axes, how many these are, and the dimensions of the entries.
        let (first, tuple, (own, entries)) = match self.kind.of(table.len()) {
            Fixed::Axis(axis) => (axis, 1, (&[][..], shape)),
            Fixed::Elements(axis) => {
                (axis, 1, shape.split_at_checked(shape.len().checked_sub(1)?)?)
            }
            Fixed::Nd(batch_dims) => {
                let (tuple, tuples) = shape.split_last()?;
                (batch_dims, *tuple, tuples.split_at_checked(batch_dims)?)
            }
        };
        let (before, rest) = table.split_at_checked(first)?;
        let (axes, row) = rest.split_at_checked(tuple)?;
        let elements = matches!(self.kind, Kind::Elements(_));
        let (outer, row) = if elements { (own, &[][..]) } else { (before, row) };
        let (flat_outer, flat) = flat.split_at_checked(outer.len())?;
        let (flat_entries, flat_row) = flat.split_at_checked(entries.len())?;
        let equal = same(flat_outer, outer) && same(flat_entries, entries) && same(flat_row, row);
        let inside = if elements {
            // Elements may be fewer than those of the table, off the axis.
            let pairs = || shape.iter().zip(table).enumerate();
            shape.len() == table.len()
                && pairs().all(|(dim, (size, all))| dim == first || size <= all)
        } else {
            own.is_empty() || same(own, before)
        };
        if !equal || !inside || axes.is_empty() {
            return None;
        }
        let (row, count) = (product(row), product(entries));
        let rows = product(outer) * count;
        let moved = rows * row;
        let bytes = moved.saturating_mul(element);
        let copied = row > 1 && matches!(direction, Direction::Gather);
        let most = if copied { ROW_BYTES } else { BYTES };
        let few = moved > 0 && (row == 1 || rows <= FEW_ROWS) && bytes <= most;
        let shared = matches!(self.kind, Kind::Axis(_));
        let negative = self.negative;
        if !few {
            return None;
        }
        Some(Plain {
            indices,
            table,
            outer,
            count,
            elements,
            shared,
            first,
            axes,
            row,
            moved,
            negative,
        })
    }
}

/// Whether these sizes are equal: a call to compare so few bytes takes longer.
#[inline(always)]
fn same(sizes: &[usize], others: &[usize]) -> bool {
    sizes.len() == others.len() && sizes.iter().zip(others).all(|(size, other)| size == other)
}

/// Indices that are not in row-major order.
pub(super) type Few<I> = heapless::Vec<I, FEW>;

/// The loops over entries and the elements of each, in a table: dimensions of more than one step,
/// and neighbours as one that one stride walks.
struct Loops<'t> {
    /// The strides of the table.
    strides: &'t [isize],
    outer: Dims,
    /// The innermost loop over entries.
    lane: Dim,
    inner: Dims,
}

type Dims = heapless::Vec<Dim, MAX_RANK>;

/// The strides of elements in row-major order.
#[inline(always)]
fn packed(sizes: &[usize]) -> [isize; MAX_RANK] {
    let (mut strides, mut step) = ([1; MAX_RANK], 1_isize);
    for (stride, size) in strides.iter_mut().zip(sizes).rev() {
        *stride = step;
        step = step.wrapping_mul(size.cast_signed());
    }
    strides
}

/// Adds a loop inside the last one, or makes the two one. `indices` is 0 for a loop that goes back
/// to the same indices, else 1.
#[inline(always)]
fn add(outer: &mut Dims, last: &mut Dim, size: usize, table: isize, indices: isize) {
    let dim = Dim { size, table, indices, ..SINGLE };
    if size == 1 {
        return;
    }
    if last.size == 1 {
        *last = dim;
    } else if last.indices == indices && last.table == table.wrapping_mul(size.cast_signed()) {
        *last = Dim { size: last.size.wrapping_mul(size), ..dim };
    } else {
        _ = outer.push(mem::replace(last, dim));
    }
}

impl<'t> Loops<'t> {
    #[inline(always)]
    fn new(strides: &'t [isize]) -> Loops<'t> {
        Loops { strides, outer: Dims::new(), lane: SINGLE, inner: Dims::new() }
    }

    /// The strides of the axes that a tuple chooses from.
    #[inline(always)]
    fn of_axes(&self, first: usize) -> &'t [isize] {
        self.strides.get(first..).unwrap_or_default()
    }

    /// Whether all entries are single elements of one place but for what indices add.
    #[inline(always)]
    fn is_lane(&self) -> bool {
        self.outer.is_empty() && self.inner.is_empty() && self.lane.table == 0
    }

    /// The elements of an entry, if they are neighbours.
    fn row(&self) -> Option<usize> {
        match self.inner[..] {
            [row] if row.table == 1 => Some(row.size),
            _ => None,
        }
    }
}

impl<I: Index> Plain<'_, I> {
    /// `output[flat] = input[place]`. `false`: it has not run to its end, since an index is out of
    /// bounds, or it takes a plan.
    #[inline(always)]
    pub(super) fn gather<T: Element, D: Dimension, F: Dimension>(
        &self,
        input: &ArrayRef<T, D>,
        output: &mut ArrayRef<T, F>,
    ) -> bool {
        if let Some(output) = output.as_slice_mut() {
            if let Some(input) = input.as_slice() {
                return self.gather_in(input, &packed(self.table), output);
            }
            // Transposed.
            if self.moved <= FEW_OUT_OF_ORDER
                && let Some(slice) = input.view().reversed_axes().to_slice()
            {
                return self.gather_in(slice, input.strides(), output);
            }
            if self.row >= ROW
                && input.strides().last() == Some(&1)
                && let Some(inside) = self.gather_rows(input.view(), output)
            {
                return inside;
            }
        }
        self.with_views(input.view(), output.cell_view(), |from, to| to.set(*from))
    }

    /// Calls `change` for all elements that move, in order, in tensors of any layout. `false`: it
    /// stopped at an index that is out of bounds, or it takes a plan.
    #[inline(never)]
    fn with_views<E, O, D: Dimension, F: Dimension>(
        &self,
        table: ArrayView<'_, E, D>,
        flat: ArrayView<'_, O, F>,
        change: impl Fn(&E, &O),
    ) -> bool {
        if self.moved > FEW_OUT_OF_ORDER {
            return false;
        }
        let Some((grid, strides)) = Grid::of_few(table) else { return false };
        let loops = &mut Loops::new(&strides);
        self.fill(loops);
        let grid = match (flat.to_slice(), grid) {
            (Some(flat), Grid::One(table)) => {
                return self.elements(loops, |place, at| {
                    if let (Some(element), Some(other)) = (table.get(place), flat.get(at)) {
                        change(element, other);
                    }
                });
            }
            (Some(flat), Grid::Two(table, bits)) => {
                return self.elements(loops, |place, at| {
                    let element = table.get(coordinates(&bits, place));
                    if let (Some(element), Some(other)) = (element, flat.get(at)) {
                        change(element, other);
                    }
                });
            }
            (_, grid) => grid,
        };
        let Some(flat) = of_four_axes(flat) else { return false };
        let mut places = heapless::Vec::new();
        if !self.places(loops, &mut places) {
            return false;
        }
        let others = flat.iter().enumerate();
        grid.singles(others.filter_map(|(at, other)| Some((*places.get(at)?, other))), change);
        true
    }

    /// `output[flat] = input[place]` for rows whose elements are neighbours in a view with gaps.
    /// `None`: they are not. `false`: an index is out of bounds.
    #[inline(never)]
    fn gather_rows<T: Element, D: Dimension>(
        &self,
        input: ArrayView<'_, T, D>,
        output: &mut [T],
    ) -> Option<bool> {
        let (grid, strides) = Grid::of_few(input)?;
        let loops = &mut Loops::new(&strides);
        self.fill(loops);
        let n = loops.row().filter(|_| grid.has_slices())?;
        Some(self.each(loops, n, |place, flat| {
            let to = output.get_mut(flat..).and_then(|to| to.get_mut(..n));
            let from = grid.row(place, n).and_then(|row| row.to_slice());
            if let (Some(to), Some(from)) = (to, from) {
                to.copy_from_slice(from);
            }
        }))
    }

    /// Finds the places of all elements, which are no more than [`FEW`]. `false`: an index is out
    /// of bounds.
    #[inline(never)]
    fn places(&self, loops: &Loops<'_>, places: &mut Few<usize>) -> bool {
        if let Some(n) = loops.row() {
            return self.each(loops, n, |place, _| places.extend(place..place.wrapping_add(n)));
        }
        self.elements(loops, |place, _| _ = places.push(place))
    }

    /// No part of its caller: loops are faster where the compiler knows that slices do not overlap.
    #[inline(never)]
    fn gather_in<T: Element>(&self, input: &[T], strides: &[isize], output: &mut [T]) -> bool {
        let loops = &mut Loops::new(strides);
        self.fill(loops);
        if let Some(n) = loops.row() {
            return self.each(loops, n, |place, flat| {
                let to = output.get_mut(flat..).and_then(|to| to.get_mut(..n));
                let from = input.get(place..).and_then(|from| from.get(..n));
                if let (Some(to), Some(from)) = (to, from) {
                    to.copy_from_slice(from);
                }
            });
        }
        if let (true, [size], [1, ..]) = (loops.is_lane(), self.axes, loops.of_axes(self.first))
            && let Some(input) = input.get(..*size)
        {
            // The most common calls. Record: 28 and 63 gathered 0.8x.
            return self.indices.iter().zip(output).all(|(index, to)| {
                let place = resolve(*index, *size, Bounds::Error, self.negative);
                let from = place.and_then(|place| input.get(place));
                from.map(|from| *to = *from).is_some()
            });
        }
        self.elements(loops, |place, flat| {
            if let (Some(to), Some(from)) = (output.get_mut(flat), input.get(place)) {
                *to = *from;
            }
        })
    }

    /// `data[place] = reduction(data[place], updates[flat])`. `false`: an index is out of bounds,
    /// or it takes a plan; the data is as it was.
    #[inline(always)]
    pub(super) fn scatter<T: Element, R: Reduction<T>, D: Dimension, F: Dimension>(
        &self,
        reduction: &R,
        data: &mut ArrayRef<T, D>,
        updates: &ArrayRef<T, F>,
    ) -> bool {
        let most = if data.is_standard_layout() { FEW_IN_ORDER } else { FEW_OUT_OF_ORDER };
        if self.indices.len() > most || !self.all_inside() {
            return false;
        }
        if let Some(updates) = updates.as_slice() {
            if let Some(data) = data.as_slice_mut() {
                let strides = &packed(self.table);
                return reduction.call(Scattered { plain: self, data, strides, updates });
            }
            let mut strides = [0; MAX_RANK];
            strides.iter_mut().zip(data.strides()).for_each(|(to, stride)| *to = *stride);
            // Transposed.
            if self.moved <= FEW_OUT_OF_ORDER
                && let Some(data) = data.view_mut().reversed_axes().into_slice()
            {
                return reduction.call(Scattered { plain: self, data, strides: &strides, updates });
            }
        }
        let combine = |to: &MathCell<T>, from: &T| to.set(reduction.combine(to.get(), *from));
        self.with_views(data.cell_view(), updates.view(), combine)
    }

    /// Fills loops that are new.
    #[inline(never)]
    fn fill(&self, Loops { strides, outer, lane, inner, .. }: &mut Loops<'_>) {
        let mut last = SINGLE;
        let own = isize::from(!self.shared);
        let step = |dim: usize| match strides.get(dim) {
            Some(stride) if dim != self.first => *stride,
            _ => 0,
        };
        for (dim, size) in self.outer.iter().enumerate() {
            add(outer, &mut last, *size, step(dim), own);
        }
        let along = if self.elements { step(self.outer.len()) } else { 0 };
        add(outer, &mut last, self.count, along, 1);
        if last.indices == 1 {
            *lane = last;
        } else if last.size > 1 {
            _ = outer.push(last);
        }
        if self.row > 1 {
            let (mut last, axes) = (SINGLE, self.first + self.axes.len());
            for (size, stride) in self.table.iter().zip(*strides).skip(axes) {
                add(inner, &mut last, *size, *stride, 0);
            }
            _ = inner.push(last);
        }
    }

    /// Whether all indices are on their axes. Single ones have no branch each, so that many are
    /// looked at together.
    fn all_inside(&self) -> bool {
        let inside = |index: &I, size: &usize| I::is_inside(*index, *size, self.negative);
        if let [size] = self.axes {
            return self.indices.iter().fold(true, |all, index| all & inside(index, size));
        }
        let mut tuples = self.indices.chunks_exact(self.axes.len());
        tuples.all(|tuple| tuple.iter().zip(self.axes).all(|(index, size)| inside(index, size)))
    }

    /// Visits the places of all elements, as [`each`](Plain::each) those of rows.
    #[inline(always)]
    fn elements(&self, loops: &Loops<'_>, mut visit: impl FnMut(usize, usize)) -> bool {
        if self.row == 1 {
            return self.each(loops, 1, visit);
        }
        self.each(loops, self.row, |place, flat| {
            let mut at = Position { table: place, flat, ..Position::default() };
            let mut odometer = Odometer::new();
            for flat in (flat..).take(self.row) {
                visit(at.table, flat);
                odometer.step(&loops.inner, &mut at);
            }
        })
    }

    /// Visits the places of all rows in a table and in the flat tensor, in order.
    ///
    /// The length of a row is known to the compiler where it is 1. `false`: it stopped at an index
    /// that is out of bounds.
    #[inline(always)]
    fn each(&self, loops: &Loops<'_>, row: usize, mut visit: impl FnMut(usize, usize)) -> bool {
        let Plain { indices, axes, negative, .. } = *self;
        let Loops { ref outer, lane, .. } = *loops;
        let steps = loops.of_axes(self.first);
        let find = |index: &I, size: usize, stride: isize| {
            let cell = resolve(*index, size, Bounds::Error, negative)?;
            Some(cell.wrapping_mul(stride.cast_unsigned()))
        };
        let mut at = Position::default();
        let (mut odometer, mut flat, mut rest) = (Odometer::new(), 0_usize, indices);
        loop {
            let length = lane.size.wrapping_mul(axes.len());
            let (indices, others) = rest.split_at_checked(length).unwrap_or_default();
            rest = if self.shared { rest } else { others };
            let mut start = at.table;
            let mut next = |step: Option<usize>| {
                let Some(step) = step else { return false };
                visit(start.wrapping_add(step), flat);
                start = start.wrapping_add_signed(lane.table);
                flat = flat.wrapping_add(row);
                true
            };
            let inside = if let ([size], [stride, ..]) = (axes, steps) {
                indices.iter().all(|index| next(find(index, *size, *stride)))
            } else {
                indices.chunks_exact(axes.len()).all(|tuple| {
                    let mut axes = tuple.iter().zip(axes.iter().zip(steps));
                    next(axes.try_fold(0_usize, |place, (index, (size, stride))| {
                        Some(place.wrapping_add(find(index, *size, *stride)?))
                    }))
                })
            };
            if !inside || !odometer.step(outer, &mut at) {
                return inside;
            }
        }
    }
}

/// A scatter whose indices are all in bounds, for a reduction of any type.
struct Scattered<'a, I, T> {
    plain: &'a Plain<'a, I>,
    data: &'a mut [T],
    strides: &'a [isize],
    updates: &'a [T],
}

impl<I: Index, T: Element> Call<T> for Scattered<'_, I, T> {
    type Output = bool;

    fn with<R: Reduction<T>>(self, reduction: &R) -> bool {
        let Scattered { plain, data, strides, updates } = self;
        let loops = &mut Loops::new(strides);
        plain.fill(loops);
        if let Some(n) = loops.row() {
            return plain.each(loops, n, |place, flat| {
                let data = data.get_mut(place..).and_then(|data| data.get_mut(..n));
                let updates = updates.get(flat..).and_then(|updates| updates.get(..n));
                if let (Some(data), Some(updates)) = (data, updates) {
                    combine_one(reduction, data, updates);
                }
            });
        }
        if let (true, [size], [1, ..]) = (loops.is_lane(), plain.axes, loops.of_axes(plain.first))
            && let Some(data) = data.get_mut(..*size)
        {
            combine_lane(plain.indices, reduction, data, updates);
            return true;
        }
        plain.elements(loops, |place, flat| {
            if let (Some(to), Some(update)) = (data.get_mut(place), updates.get(flat)) {
                *to = reduction.combine(*to, *update);
            }
        })
    }
}

/// The most common calls: single elements along one axis, which `data` has whole. No part of its
/// caller, so that what the loop uses stays in registers.
#[inline(never)]
fn combine_lane<I: Index, T: Element, R: Reduction<T>>(
    indices: &[I],
    reduction: &R,
    data: &mut [T],
    updates: &[T],
) {
    let size = data.len();
    for (index, update) in indices.iter().zip(updates) {
        if let Some(to) = data.get_mut(I::proven_position(*index, size)) {
            *to = reduction.combine(*to, *update);
        }
    }
}
