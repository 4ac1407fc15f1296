//! Calls of few entries run in plain loops: to make layouts and a plan takes longer than such a
//! call. Elements of views that are not in row-major order are found where they are.

use std::mem;

use ::ndarray::{ArrayRef, ArrayView, Dimension, MathCell};

use super::grid::{Grid, coordinates, packed};
use super::view::of_four_axes;
use super::{Fixed, Kind, Operator};
use crate::element::Element;
use crate::error::Direction;
use crate::index::{Bounds, Index, Negative, resolve};
use crate::layout::MAX_RANK;
use crate::plan::Dim;
use crate::reduction::{Call, Reduction, combine_one};
use crate::walk::{Odometer, Position, SINGLE};

/// Indices: calls of at most this many run here.
///
/// Record: f32 by i64 on Zen 4, gathered, set, added and `Max`: 1 to 16 single elements 0.23x to
/// 0.37x; 128 of them 0.52x to 0.72x. Set, added and `Max` of f32, f64 and i32: 160 and 192 of them
/// 0.41x to 0.8x, 256 of them 0.5x to 1.0x; 128 pairs 0.55x to 1.3x. More would gain no more: 384
/// gathered 0.58x to 1.2x, scattered 0.6x to 1.6x.
const FEW: usize = if cfg!(fuzzing) { 8 } else { 256 };

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

    /// Calls `change` for all elements that move, in order, in tensors of any layout. `false`: an
    /// index is out of bounds, or it takes a plan; nothing has changed.
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
        self.with_steps(loops, |steps| {
            match (flat.to_slice(), grid) {
                (Some(flat), Grid::One(table)) => self.elements(loops, steps, |place, at| {
                    if let (Some(element), Some(other)) = (table.get(place), flat.get(at)) {
                        change(element, other);
                    }
                }),
                (Some(flat), Grid::Two(table, bits)) => self.elements(loops, steps, |place, at| {
                    let element = table.get(coordinates(&bits, place));
                    if let (Some(element), Some(other)) = (element, flat.get(at)) {
                        change(element, other);
                    }
                }),
                (_, grid) => {
                    let Some(flat) = of_four_axes(flat) else { return false };
                    let mut places = heapless::Vec::new();
                    self.places(loops, steps, &mut places);
                    let others = flat.iter().enumerate();
                    let pairs = others.filter_map(|(at, other)| Some((*places.get(at)?, other)));
                    grid.singles(pairs, change);
                }
            }
            true
        })
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
        Some(self.with_steps(loops, |steps| {
            self.each(loops, steps, n, |place, flat| {
                let to = output.get_mut(flat..).and_then(|to| to.get_mut(..n));
                let from = grid.row(place, n).and_then(|row| row.to_slice());
                if let (Some(to), Some(from)) = (to, from) {
                    to.copy_from_slice(from);
                }
            });
            true
        }))
    }

    /// Finds the places of all elements, which are no more than [`FEW`].
    #[inline(never)]
    fn places(&self, loops: &Loops<'_>, steps: &[usize], places: &mut Few<usize>) {
        if let Some(n) = loops.row() {
            let row = |place: usize| place..place.wrapping_add(n);
            return self.each(loops, steps, n, |place, _| places.extend(row(place)));
        }
        self.elements(loops, steps, |place, _| _ = places.push(place));
    }

    /// No part of its caller: loops are faster where the compiler knows that slices do not overlap.
    #[inline(never)]
    fn gather_in<T: Element>(&self, input: &[T], strides: &[isize], output: &mut [T]) -> bool {
        let loops = &mut Loops::new(strides);
        self.fill(loops);
        let lane = loops.lane.table;
        if let Some(size) = self.single_axis(loops)
            && let Some(input) = input.get(..size)
        {
            // The most common calls. Record: 28 and 63 gathered 0.8x.
            return self.indices.iter().zip(output).all(|(index, to)| {
                let place = resolve(*index, size, Bounds::Error, self.negative);
                let from = place.and_then(|place| input.get(place));
                from.map(|from| *to = *from).is_some()
            });
        }
        if let (1, &[size], &[stride, ..]) = (self.row, self.axes, loops.of_axes(self.first)) {
            // An element moves as soon as its index is resolved. Record: as at [`FEW`], in lanes of
            // 3 to 32 f32 by i64; all indices first takes 1.0x to 1.3x.
            return self.lanes(loops, self.indices, |indices, mut place, before| {
                let output = output.get_mut(before..).unwrap_or_default();
                output.iter_mut().zip(indices).all(|(to, index)| {
                    let position = resolve(*index, size, Bounds::Error, self.negative);
                    let Some(position) = position else { return false };
                    let step = position.wrapping_mul(stride.cast_unsigned());
                    if let Some(from) = input.get(place.wrapping_add(step)) {
                        *to = *from;
                    }
                    place = place.wrapping_add_signed(lane);
                    true
                })
            });
        }
        self.with_steps(loops, |steps| {
            if let Some(n) = loops.row() {
                self.each(loops, steps, n, |place, flat| {
                    let to = output.get_mut(flat..).and_then(|to| to.get_mut(..n));
                    let from = input.get(place..).and_then(|from| from.get(..n));
                    if let (Some(to), Some(from)) = (to, from) {
                        to.copy_from_slice(from);
                    }
                });
            } else {
                self.elements(loops, steps, |place, flat| {
                    if let (Some(to), Some(from)) = (output.get_mut(flat), input.get(place)) {
                        *to = *from;
                    }
                });
            }
            true
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

    /// The size of the axis, if entries are single elements whose indices are their places.
    #[inline(always)]
    fn single_axis(&self, loops: &Loops<'_>) -> Option<usize> {
        let alone = loops.outer.is_empty() && loops.inner.is_empty() && loops.lane.table == 0;
        match (self.axes, loops.of_axes(self.first)) {
            (&[size], [1, ..]) if alone => Some(size),
            _ => None,
        }
    }

    /// Finds what the indices of each entry add to its place, and runs with that. `false`: an index
    /// is out of bounds, and `run` is not called; or `run` gives it.
    #[inline(always)]
    fn with_steps(&self, loops: &Loops<'_>, run: impl FnOnce(&[usize]) -> bool) -> bool {
        let entries = self.indices.len() / self.axes.len().max(1);
        // What a call does not need takes time to clear.
        let room: &mut [usize] = match entries {
            0..=16 => &mut [0; 16],
            17..=64 => &mut [0; 64],
            _ => &mut [0; FEW],
        };
        let Some(steps) = room.get_mut(..entries) else { return false };
        self.find(loops.of_axes(self.first), steps) && run(steps)
    }

    /// Adds to the step of each entry, which is 0 before, what its indices add to its place, one
    /// axis after the other. `false`: one is out of bounds.
    #[inline(never)]
    fn find(&self, strides: &[isize], steps: &mut [usize]) -> bool {
        let Plain { indices, axes, negative, .. } = *self;
        let add = |step: &mut usize, index: &I, size: usize, stride: isize| {
            let position = resolve(*index, size, Bounds::Error, negative);
            let Some(position) = position else { return false };
            *step = step.wrapping_add(position.wrapping_mul(stride.cast_unsigned()));
            true
        };
        if let (&[size], &[stride, ..]) = (axes, strides) {
            let mut entries = steps.iter_mut().zip(indices);
            return entries.all(|(step, index)| add(step, index, size, stride));
        }
        axes.iter().zip(strides).enumerate().all(|(axis, (size, stride))| {
            let mut tuples = steps.iter_mut().zip(indices.chunks_exact(axes.len()));
            tuples.all(|(step, tuple)| {
                tuple.get(axis).is_some_and(|index| add(step, index, *size, *stride))
            })
        })
    }

    /// Visits the places of all elements, as [`each`](Plain::each) those of rows.
    #[inline(always)]
    fn elements(&self, loops: &Loops<'_>, steps: &[usize], mut visit: impl FnMut(usize, usize)) {
        if self.row == 1 {
            return self.each(loops, steps, 1, visit);
        }
        self.each(loops, steps, self.row, |place, flat| {
            let mut at = Position { table: place, flat, ..Position::default() };
            let mut odometer = Odometer::new();
            for flat in (flat..).take(self.row) {
                visit(at.table, flat);
                odometer.step(&loops.inner, &mut at);
            }
        });
    }

    /// Visits the places of all rows in a table and in the flat tensor, in order.
    ///
    /// The length of a row is known to the compiler where it is 1.
    #[inline(always)]
    fn each(
        &self,
        loops: &Loops<'_>,
        steps: &[usize],
        row: usize,
        mut visit: impl FnMut(usize, usize),
    ) {
        self.lanes(loops, steps, |steps, mut place, before| {
            let mut flat = before.wrapping_mul(row);
            for step in steps {
                visit(place.wrapping_add(*step), flat);
                place = place.wrapping_add_signed(loops.lane.table);
                flat = flat.wrapping_add(row);
            }
            true
        });
    }

    /// Calls `visit` for each lane, in order, until it gives `false`: with what belongs to the lane
    /// of `entries`, the place of its first entry without what indices add, and how many entries
    /// come before it.
    #[inline(always)]
    fn lanes<E>(
        &self,
        loops: &Loops<'_>,
        mut entries: &[E],
        mut visit: impl FnMut(&[E], usize, usize) -> bool,
    ) -> bool {
        let (mut at, mut odometer) = (Position::default(), Odometer::new());
        let (size, mut before) = (loops.lane.size, 0_usize);
        loop {
            let (lane, others) = entries.split_at_checked(size).unwrap_or_default();
            entries = if self.shared { entries } else { others };
            if !visit(lane, at.table, before) {
                return false;
            }
            before = before.wrapping_add(size);
            if !odometer.step(&loops.outer, &mut at) {
                return true;
            }
        }
    }
}

/// A scatter, for a reduction of any type. `false`: an index is out of bounds, and the data is as
/// it was.
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
        if let Some(size) = plain.single_axis(loops)
            && let Some(data) = data.get_mut(..size)
        {
            return combine_lane(plain, reduction, data, updates);
        }
        plain.with_steps(loops, |steps| {
            if let Some(n) = loops.row() {
                plain.each(loops, steps, n, |place, flat| {
                    let data = data.get_mut(place..).and_then(|data| data.get_mut(..n));
                    let updates = updates.get(flat..).and_then(|updates| updates.get(..n));
                    if let (Some(data), Some(updates)) = (data, updates) {
                        combine_one(reduction, data, updates);
                    }
                });
            } else {
                plain.elements(loops, steps, |place, flat| {
                    if let (Some(to), Some(update)) = (data.get_mut(place), updates.get(flat)) {
                        *to = reduction.combine(*to, *update);
                    }
                });
            }
            true
        })
    }
}

/// The most common calls: single elements along one axis, which `data` has whole. `false`: an index
/// is out of bounds, and the data is as it was. The loop that looks at indices has no branch for
/// each, so that many are looked at together. No part of its caller, so that what the loops use
/// stays in registers.
#[inline(never)]
fn combine_lane<I: Index, T: Element, R: Reduction<T>>(
    plain: &Plain<'_, I>,
    reduction: &R,
    data: &mut [T],
    updates: &[T],
) -> bool {
    let Plain { indices, negative, .. } = *plain;
    let size = data.len();
    let inside = |all: bool, index: &I| all & I::is_inside(*index, size, negative);
    if !indices.iter().fold(true, inside) {
        return false;
    }
    for (index, update) in indices.iter().zip(updates) {
        if let Some(to) = data.get_mut(I::proven_position(*index, size)) {
            *to = reduction.combine(*to, *update);
        }
    }
    true
}
