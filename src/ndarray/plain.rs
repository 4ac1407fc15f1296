//! Calls of few entries run in plain loops: to make layouts and a plan takes longer than such a
//! call. Elements of views that are not in row-major order are found where they are.

use ::ndarray::{ArrayRef, ArrayView, Dimension, MathCell};

use super::grid::Grid;
use super::view::{fast, whole};
use super::{Fixed, Kind, Operator};
use crate::element::Element;
use crate::error::Operand;
use crate::index::{Bounds, Index, Negative, resolve};
use crate::layout::{Layout, MAX_RANK, SCALAR};
use crate::plan::Dim;
use crate::reduction::{Call, Reduction};
use crate::walk::{Odometer, Position, SINGLE};

/// Indices: gathers of at most this many run here.
///
/// Record: f32 by i64 on Zen 4, gathered, set, added and `Max`, 1 to 16 singles 0.23x to 0.37x, 128
/// 0.52x to 0.72x; 159 gathered, half of them from the end, 0.55x.
const FEW: usize = if cfg!(fuzzing) { 8 } else { 256 };

/// The same for scatters, which look at all indices first, and for elements that are found one by
/// one. Record: as at [`FEW`], 186 added 1.1x.
const FEW_OTHERS: usize = if cfg!(fuzzing) { 6 } else { 128 };

/// Rows that such a call moves, at most, if they have more elements than one.
///
/// Record: as at [`FEW`], 64 rows of 4 0.47x to 0.75x.
const FEW_ROWS: usize = if cfg!(fuzzing) { 8 } else { 64 };

/// Bytes that such a call moves, at most.
///
/// Record: as at [`FEW`], 16 rows of 32 0.4x to 0.6x, 64 of 16 0.57x to 0.65x, but `Max` 1.14x,
/// of 32 1.34x.
const BYTES: usize = if cfg!(fuzzing) { 64 } else { 4 << 10 };

/// Elements of such a call that are found before they move, one by one.
const PLACES: usize = if cfg!(fuzzing) { 16 } else { 256 };

/// What such a call does: all entries of a lane, and then those of the next.
pub(super) struct Plain<'a, I> {
    /// The axes of the table that lanes go through. Of `elements`, the sizes are those of the
    /// indices, which may be smaller.
    outer: &'a [usize],
    lanes: usize,
    /// The indices of a lane, and of all where lanes do not share them.
    indices: &'a [I],
    count: usize,
    /// The axes that a tuple chooses from: the number of the first, and their sizes.
    first: usize,
    axes: &'a [usize],
    row: usize,
    /// How an entry of a lane follows the one before: along the last axis of the table, or not.
    along: bool,
    /// Whether lanes go through all of the axes before those that a tuple chooses from.
    in_order: bool,
    table: &'a [usize],
    negative: Negative,
}

impl Operator {
    /// The call, on elements of `element` bytes, with room for indices that are not in row-major
    /// order. `None`: it is no such call, or fails.
    #[inline(always)]
    pub(super) fn plain<'a, I: Index, E: Dimension>(
        self,
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
                fast(indices.view())?.iter().for_each(|index| _ = room.push(*index));
                room
            }
        };
        self.plain_of(element, table, indices.shape(), in_order, flat)
    }

    fn plain_of<'a, I: Index>(
        self,
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
        let same = flat_outer == outer && flat_entries == entries && flat_row == row;
        let inside = if elements {
            // Elements may be fewer than those of the table, off the axis.
            let pairs = || shape.iter().zip(table).enumerate();
            shape.len() == table.len()
                && pairs().all(|(dim, (size, all))| dim == first || size <= all)
        } else {
            own.is_empty() || own == before
        };
        if !same || !inside || axes.is_empty() {
            return None;
        }
        let (lanes, row, count) = (product(outer), product(row), product(entries) * tuple);
        let rows = lanes * product(entries);
        let bytes = (rows * row).saturating_mul(element);
        let few = rows * row > 0 && (row == 1 || rows <= FEW_ROWS) && bytes <= BYTES;
        if !few {
            return None;
        }
        let along = elements && first + 1 < table.len();
        let in_order = !elements || outer == before;
        let negative = self.negative;
        Some(Plain {
            outer,
            lanes,
            indices,
            count,
            first,
            axes,
            row,
            along,
            in_order,
            table,
            negative,
        })
    }
}

/// Indices that are not in row-major order.
pub(super) type Few<I> = heapless::Vec<I, FEW>;

/// Where the elements are that a call moves.
type Places = heapless::Vec<usize, PLACES>;

/// A table that is not in row-major order.
enum Table<'a, E> {
    /// In another order, without gaps.
    Slice(&'a [E]),
    Grid(Grid<'a, E>),
}

impl<E> Table<'_, E> {
    /// Visits the elements at these places, in order.
    #[inline(always)]
    fn each(&self, places: &Places, mut visit: impl FnMut(&E)) {
        match self {
            Table::Slice(slice) => {
                places.iter().for_each(|place| slice.get(*place).into_iter().for_each(&mut visit));
            }
            Table::Grid(grid) => {
                let places = places.iter().map(|place| (*place, 0));
                grid.each(
                    places,
                    1,
                    #[inline(always)]
                    move |element, _| visit(element),
                );
            }
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
        if self.in_order
            && let (Some(input), Some(output)) = (input.as_slice(), output.as_slice_mut())
        {
            return self.gather_in_order(input, output);
        }
        self.indices.len() <= FEW_OTHERS && self.gather_one_by_one(input, output).is_some()
    }

    /// No part of its caller: loops are faster where the compiler knows that slices do not overlap.
    #[inline(never)]
    fn gather_in_order<T: Element>(&self, input: &[T], output: &mut [T]) -> bool {
        let n = self.row;
        if n == 1 {
            return self.each(1, |place, flat| {
                if let (Some(to), Some(from)) = (output.get_mut(flat), input.get(place)) {
                    *to = *from;
                }
            });
        }
        self.each(n, |place, flat| {
            let to = output.get_mut(flat..).and_then(|to| to.get_mut(..n));
            let from = input.get(place..).and_then(|from| from.get(..n));
            if let (Some(to), Some(from)) = (to, from) {
                to.copy_from_slice(from);
            }
        })
    }

    #[inline(never)]
    fn gather_one_by_one<T: Element, D: Dimension, F: Dimension>(
        &self,
        input: &ArrayRef<T, D>,
        output: &mut ArrayRef<T, F>,
    ) -> Option<()> {
        let mut places = Places::new();
        let table = self.find_in(input.view(), &mut places)?;
        if let Some(output) = output.as_slice_mut() {
            let mut to = output.iter_mut();
            table.each(&places, move |from| to.next().into_iter().for_each(|to| *to = *from));
        } else {
            let output = fast(output.cell_view())?;
            let mut to = output.iter();
            table.each(&places, move |from| to.next().into_iter().for_each(|to| to.set(*from)));
        }
        Some(())
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
        if self.indices.len() > FEW_OTHERS {
            return false;
        }
        if self.in_order
            && let (Some(data), Some(updates)) = (data.as_slice_mut(), updates.as_slice())
        {
            return self.scatter_in_order(reduction, data, updates);
        }
        self.scatter_one_by_one(reduction, data, updates).is_some()
    }

    /// As [`gather_in_order`](Plain::gather_in_order), no part of its caller.
    #[inline(never)]
    fn scatter_in_order<T: Element, R: Reduction<T>>(
        &self,
        reduction: &R,
        data: &mut [T],
        updates: &[T],
    ) -> bool {
        self.all_inside() && reduction.call(Scattered { plain: self, data, updates })
    }

    #[inline(never)]
    fn scatter_one_by_one<T: Element, R: Reduction<T>, D: Dimension, F: Dimension>(
        &self,
        reduction: &R,
        data: &mut ArrayRef<T, D>,
        updates: &ArrayRef<T, F>,
    ) -> Option<()> {
        let mut places = Places::new();
        let table = self.find_in(data.cell_view(), &mut places)?;
        let combine = |to: &MathCell<T>, update: &T| to.set(reduction.combine(to.get(), *update));
        if let Some(updates) = updates.as_slice() {
            let mut updates = updates.iter();
            table.each(&places, move |to| {
                updates.next().into_iter().for_each(|from| combine(to, from))
            });
        } else {
            let updates = fast(updates.view())?;
            let mut updates = updates.iter();
            table.each(&places, move |to| {
                updates.next().into_iter().for_each(|from| combine(to, from))
            });
        }
        Some(())
    }

    /// Finds all elements in a table that is not in row-major order.
    fn find_in<'t, E, D: Dimension>(
        &self,
        table: ArrayView<'t, E, D>,
        places: &mut Places,
    ) -> Option<Table<'t, E>> {
        if self.elements() > PLACES {
            return None;
        }
        let mut layout = SCALAR;
        whole(table.shape(), table.strides(), Operand::Layout, &mut layout).ok()?;
        let table = if let Some(slice) = table.to_slice_memory_order() {
            Table::Slice(slice)
        } else {
            layout = Layout::packed(self.table);
            Table::Grid(Grid::new(Some(table.into_dyn()), None, &mut layout)?)
        };
        self.find(&layout, places)?;
        Some(table)
    }

    /// The number of elements that move.
    fn elements(&self) -> usize {
        let rows = self.lanes.wrapping_mul(self.count).checked_div(self.axes.len());
        rows.unwrap_or(0).wrapping_mul(self.row)
    }

    /// Finds where all elements are in a table of this layout, in order. `None`: an index is out of
    /// bounds.
    fn find(&self, table: &Layout, places: &mut Places) -> Option<()> {
        let Plain { outer, lanes, indices, count, first, axes, row, negative, .. } = *self;
        // The axes of the table: those that lanes go through, those that a tuple chooses from, and
        // those of a row.
        let mut dims = [SINGLE; MAX_RANK];
        let own = outer.iter().chain(self.table.get(outer.len()..)?);
        for (dim, (size, stride)) in dims.iter_mut().zip(own.zip(table.strides())) {
            *dim = Dim { size: *size, table: *stride, ..SINGLE };
        }
        dims.get_mut(first).into_iter().for_each(|dim| dim.table = 0);
        let inner = if row == 1 { &[][..] } else { dims.get(first + axes.len()..table.rank())? };
        let dims = dims.get(..outer.len())?;
        let strides = table.strides().get(first..)?;
        let along = table.strides().last().filter(|_| self.along).map_or(0, |step| *step);
        let find = |index: &I, size: usize, stride: isize| {
            let step = resolve(*index, size, Bounds::Error, negative)?;
            Some(step.wrapping_mul(stride.cast_unsigned()))
        };
        let shared = indices.len() == count;
        let mut rest = indices;
        let first = Position { table: table.offset(), ..Position::default() };
        let (mut odometer, mut at) = (Odometer::new(), first);
        for _ in 0..lanes {
            let (indices, others) = rest.split_at_checked(count)?;
            rest = if shared { rest } else { others };
            let mut start = at.table;
            let mut next = |place: usize| {
                let table = start.wrapping_add(place);
                start = start.wrapping_add_signed(along);
                if row == 1 {
                    return places.push(table).ok();
                }
                let (mut at, mut odometer) = (Position { table, ..first }, Odometer::new());
                (0..row).try_for_each(|_| {
                    places.push(at.table).ok()?;
                    odometer.step(inner, &mut at);
                    Some(())
                })
            };
            if let ([size], [stride, ..]) = (axes, strides) {
                indices.iter().try_for_each(|index| next(find(index, *size, *stride)?))?;
            } else {
                for tuple in indices.chunks_exact(axes.len()) {
                    let mut axes = tuple.iter().zip(axes.iter().zip(strides));
                    next(axes.try_fold(0_usize, |place, (index, (size, stride))| {
                        Some(place.wrapping_add(find(index, *size, *stride)?))
                    })?)?;
                }
            }
            odometer.step(dims, &mut at);
        }
        Some(())
    }

    /// Whether all indices are on their axes. Single ones have no branch each, so that many are
    /// looked at together.
    fn all_inside(&self) -> bool {
        let inside = |index: &I, size: &usize| {
            resolve(*index, *size, Bounds::Error, self.negative).is_some()
        };
        if let [size] = self.axes {
            return self.indices.iter().fold(true, |all, index| all & inside(index, size));
        }
        let mut tuples = self.indices.chunks_exact(self.axes.len());
        tuples.all(|tuple| tuple.iter().zip(self.axes).all(|(index, size)| inside(index, size)))
    }

    /// Visits the places of all rows in the table and in the flat tensor, in order. The length of a
    /// row is known to the compiler where it is 1. `false`: it stopped at an index that is out of
    /// bounds.
    #[inline(always)]
    fn each(&self, row: usize, mut visit: impl FnMut(usize, usize)) -> bool {
        let Plain { lanes, indices, count, axes, negative, .. } = *self;
        let part = axes.iter().fold(row, |part, size| part.wrapping_mul(*size));
        let shared = indices.len() == count;
        let (mut table, mut flat, mut rest) = (0_usize, 0_usize, indices);
        let find = |index: &I, size: usize| resolve(*index, size, Bounds::Error, negative);
        for _ in 0..lanes {
            let (indices, others) = rest.split_at_checked(count).unwrap_or_default();
            rest = if shared { rest } else { others };
            let mut next = |cell: Option<usize>| {
                let Some(cell) = cell else { return false };
                visit(table.wrapping_add(cell.wrapping_mul(row)), flat);
                flat = flat.wrapping_add(row);
                true
            };
            let inside = if let [size] = axes {
                indices.iter().all(|index| next(find(index, *size)))
            } else {
                let mut tuples =
                    indices.chunks_exact(axes.len()).map(|tuple| tuple.iter().zip(axes));
                tuples.all(|mut tuple| {
                    next(tuple.try_fold(0_usize, |cell, (index, size)| {
                        Some(cell.wrapping_mul(*size).wrapping_add(find(index, *size)?))
                    }))
                })
            };
            if !inside {
                return false;
            }
            table = table.wrapping_add(part);
        }
        true
    }
}

/// A scatter whose indices are all in bounds, for a reduction of any type.
struct Scattered<'a, I, T> {
    plain: &'a Plain<'a, I>,
    data: &'a mut [T],
    updates: &'a [T],
}

impl<I: Index, T: Element> Call<T> for Scattered<'_, I, T> {
    type Output = bool;

    fn with<R: Reduction<T>>(self, reduction: &R) -> bool {
        let Scattered { plain, data, updates } = self;
        let n = plain.row;
        if n == 1 {
            return plain.each(1, |place, flat| {
                if let (Some(to), Some(update)) = (data.get_mut(place), updates.get(flat)) {
                    *to = reduction.combine(*to, *update);
                }
            });
        }
        plain.each(n, |place, flat| {
            let data = data.get_mut(place..).and_then(|data| data.get_mut(..n));
            let updates = updates.get(flat..).and_then(|updates| updates.get(..n));
            if let (Some(data), Some(updates)) = (data, updates) {
                reduction.combine_row(data, updates);
            }
        })
    }
}
