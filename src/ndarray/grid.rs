//! Moves elements of a view with gaps where they are: what it takes depends on what moves, not on
//! the view.
//!
//! Axes of the view that can be walked with one stride are made one. A position is the coordinates
//! along those that are left, side by side in the bits of a number: a plan whose strides are powers
//! of two, or multiples of them, adds them up as it adds addresses.

use std::iter;
use std::ops::Range;

use ::ndarray::{
    ArrayBase, ArrayView1, ArrayViewMut1, Axis, Data, DataMut, Ix1, Ix2, Ix4, IxDyn, RawData,
    Slice, ViewRepr, Zip,
};

use super::view::{Source, Target, View, of_few_axes, of_four_axes, reserve};
use crate::coalesce::coalesce;
use crate::element::Element;
use crate::engine::tuning;
use crate::error::{Direction, Error, Operand};
use crate::index::{Bounds, Index, Negative};
use crate::layout::{Layout, MAX_RANK, SCALAR};
use crate::movers::Combine;
use crate::plan::{Dim, Plan};
use crate::reduction::{Assign, Reduction};
use crate::run;
use crate::scatter::Scatter;
use crate::walk::{self, Entries as _, Mover, Position};

/// A view, and where its coordinates are in a position.
pub(super) struct Grid<S: RawData> {
    view: Axes<S>,
    /// Those of the last axis are the last ones.
    bits: [Bits; MAX_RANK],
}

enum Axes<S: RawData> {
    /// Most: of this number of axes, an element is found in 1 ns, where many are found together.
    Two(ArrayBase<S, Ix2>),
    /// Nearly all others: of a number of axes that the compiler knows, it takes 2 ns.
    Four(ArrayBase<S, Ix4>),
    More(ArrayBase<S, IxDyn>),
}

/// Where the coordinate of an axis is. Of no axis, it is 0.
#[derive(Clone, Copy, Default)]
struct Bits {
    shift: u32,
    mask: usize,
    /// The stride of the axis in a packed copy.
    stride: usize,
}

impl Bits {
    #[inline(always)]
    fn of(&self, position: usize) -> usize {
        position.wrapping_shr(self.shift) & self.mask
    }
}

/// A grid that is read, and one that is written.
pub(super) type Read<'a, T> = Grid<ViewRepr<&'a T>>;
pub(super) type Write<'a, T> = Grid<ViewRepr<&'a mut T>>;

/// An entry in a grid takes as long as a copy of this many elements of a view. Record: single
/// elements that are gathered on Zen 4, a copy of 3 to 6.
pub(super) const ENTRY: usize = 6;

/// The same for an entry whose place is [copied](Grid::on_places), after all have been sorted.
pub(super) const SORTED_ENTRY: usize = 128;

impl<'a, T: Copy> Read<'a, T> {
    /// The table, if a copy of it would be more than the `most` elements. The layout becomes that
    /// of its positions.
    pub(super) fn of(
        table: &'a Source<'_, T>,
        most: Option<usize>,
        layout: &mut Layout,
    ) -> Option<Self> {
        match &table.view {
            View::Gaps(view) => Grid::new(view.view(), most, layout),
            _ => None,
        }
    }

    /// Copies rows of `n` from these positions, one after the other.
    pub(super) fn take(&self, positions: &[usize], n: usize, output: &mut [T]) {
        let mut take = Take { table: self, output, map: |element| element };
        if n == 1 {
            return take.singles(positions.iter().copied().zip(0..));
        }
        let rows = positions.iter().zip((0..).step_by(n));
        rows.for_each(|(position, flat)| take.row(*position, flat, n));
    }

    /// `output[flat] = map(table[position])`
    pub(super) fn gather<U, I: Index>(
        &self,
        plan: &Plan,
        indices: &[I],
        output: &mut [U],
        map: impl Fn(T) -> U,
    ) -> Result<(), Error> {
        each(plan, indices, &mut Take { table: self, output, map })
    }
}

impl<'a, T: Element> Write<'a, T> {
    /// As [`Read::of`].
    pub(super) fn of(
        table: &'a mut Target<'_, T>,
        most: Option<usize>,
        layout: &mut Layout,
    ) -> Option<Self> {
        match table {
            Target::Gaps(view) => Grid::new(view.view_mut(), most, layout),
            _ => None,
        }
    }

    /// Combines the rows of `n` at these positions with the updates, one after the other.
    pub(super) fn change(
        &mut self,
        reduction: &impl Reduction<T>,
        positions: &[usize],
        n: usize,
        updates: &[T],
    ) {
        let mut change = Change { table: self, reduction, updates };
        if n == 1 {
            return change.singles(positions.iter().copied().zip(0..));
        }
        let rows = positions.iter().zip((0..).step_by(n));
        rows.for_each(|(position, flat)| change.row(*position, flat, n));
    }

    /// `table[position] = reduction(table[position], updates[flat])`
    pub(super) fn scatter<I: Index, R: Reduction<T>>(
        &mut self,
        plan: &Plan,
        reduction: &R,
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        each(plan, indices, &mut Change { table: self, reduction, updates })
    }

    /// Runs on a copy, and writes it back. For each place that entries lead to, it has the elements
    /// that an entry moves there, once. The indices that `run` gets are the numbers of the places.
    pub(super) fn on_places<I: Index>(
        &mut self,
        plan: &Plan,
        indices: &[I],
        run: impl FnOnce(&Scatter, &mut [T], &[usize]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        run::check(plan, indices)?;
        if plan.empty {
            return Ok(());
        }
        let entries = plan.entries();
        let [mut places, mut unique, mut numbers, mut order] = [(); 4].map(|()| Vec::new());
        for words in [&mut places, &mut unique, &mut numbers, &mut order] {
            *words = reserve(entries, Operand::Data)?;
            // Of entries that are left out, there is no place.
            words.resize(entries, usize::MAX);
        }
        run::with_entries(plan, indices, true, |entries| {
            entries.each(|at| {
                places.get_mut(at.entry).into_iter().for_each(|place| *place = at.table);
            });
            Ok(())
        })?;
        let count = coalesce(&places, &mut unique, &mut numbers, &mut order)?;
        unique.truncate(count);
        unique.pop_if(|place| *place == usize::MAX);

        let (mut table, mut entries, mut flat) = (SCALAR, SCALAR, SCALAR);
        table.push(unique.len(), 0);
        for dim in plan.outer() {
            entries.push(dim.size, 0);
            flat.push(dim.size, dim.flat);
        }
        for dim in plan.inner() {
            table.push(dim.size, 0);
            flat.push(dim.size, dim.flat);
        }
        table.pack();
        entries.pack();
        let (flat, each) = (flat.with_offset(plan.start.flat), table.stride(0).unsigned_abs());
        let mut scatter = Scatter { plan: Plan::NOTHING, data: table };
        scatter.plan.axis(&table, &entries, &flat, 0, Direction::Scatter)?;
        scatter.plan.set_bounds(Bounds::Skip);
        scatter.plan.negative = Negative::OutOfBounds;

        let mut inner: heapless::Vec<Dim, MAX_RANK> = plan.inner().iter().copied().collect();
        let strides = table.strides().iter().skip(1);
        inner.iter_mut().zip(strides).for_each(|(dim, stride)| dim.flat = *stride);
        let starts = || unique.iter().zip((0..).step_by(each.max(1)));
        let at = |(table, flat): (&usize, usize)| Position {
            table: *table,
            flat,
            ..Position::default()
        };
        let Some(any) = unique.first().and_then(|place| self.element(*place)) else {
            return Ok(());
        };
        let length = unique.len().saturating_mul(each);
        let mut copy = reserve(length, Operand::Data)?;
        copy.resize(length, any);
        let mut take = Take { table: self, output: &mut copy, map: |element| element };
        starts().for_each(|start| walk::nest(&inner, at(start), &mut take));
        run(&scatter, &mut copy, &numbers)?;
        let mut put = Change { table: self, reduction: &Assign, updates: &copy };
        starts().for_each(|start| walk::nest(&inner, at(start), &mut put));
        Ok(())
    }
}

/// Moves single elements as well, whose positions in the table and in the flat tensor are given.
trait Singles: Mover {
    fn singles(&mut self, at: impl Iterator<Item = (usize, usize)>);
}

/// Entries of single elements that are found before these are moved, in one loop.
///
/// Record: f32 and i32 on Zen 4, 10,000 of 250 rows 0.55x, 1,000 to 100,000 of every third element
/// 0.25x to 0.6x.
const SOME: usize = if cfg!(fuzzing) { 8 } else { 128 };

/// Where the elements of a dimension are.
#[inline(always)]
fn steps(position: usize, flat: usize, dim: &Dim) -> impl Iterator<Item = (usize, usize)> {
    let step = |at: &(usize, usize)| {
        let (position, flat) = *at;
        Some((position.wrapping_add_signed(dim.table), flat.wrapping_add_signed(dim.flat)))
    };
    iter::successors(Some((position, flat)), step).take(dim.size)
}

/// Moves what all entries stand for, if all indices are in bounds.
fn each<I: Index>(plan: &Plan, indices: &[I], mover: &mut impl Singles) -> Result<(), Error> {
    // All entries of a piece, and then of the next, if these do not share lines of memory.
    let far = |dim: &Dim| dim.table.unsigned_abs() >= tuning::PIECES_OF_LINE;
    let pieces = plan.pieces();
    let ordered = !pieces.is_empty() && pieces.iter().all(far);
    let ordered = ordered.then(|| plan.with_pieces_first());
    let plan = ordered.as_ref().unwrap_or(plan);
    if plan.inner().is_empty() {
        let mut some = heapless::Vec::<_, SOME>::new();
        let result = run::checked_entries(plan, indices, |table, flat| {
            if some.push((table, flat)).is_err() {
                mover.singles(some.iter().copied());
                some.clear();
                let _ = some.push((table, flat));
            }
        });
        mover.singles(some.iter().copied());
        return result;
    }
    run::checked_entries(plan, indices, |table, flat| {
        walk::nest(plan.inner(), Position { table, flat, ..Position::default() }, mover);
    })
}

impl<S: RawData> Grid<S> {
    /// For a view, and the layout of a packed copy with the same axes, which becomes that of
    /// positions. `None`: the copy would be no more than the `most` elements, or
    /// there are more elements than there are bits for.
    pub(super) fn new(
        view: ArrayBase<S, IxDyn>,
        most: Option<usize>,
        layout: &mut Layout,
    ) -> Option<Grid<S>> {
        if most >= Some(view.len()) {
            return None;
        }
        let view = of_few_axes(view);
        let view = match view.ndim() {
            0..=4 => match of_four_axes(view).ok()? {
                view if matches!(view.dim(), (1, 1, _, _)) => {
                    Axes::Two(view.index_axis_move(Axis(0), 0).index_axis_move(Axis(0), 0))
                }
                view => Axes::Four(view),
            },
            _ => Axes::More(view),
        };
        let sizes = match &view {
            Axes::Two(view) => view.shape(),
            Axes::Four(view) => view.shape(),
            Axes::More(view) => view.shape(),
        };
        let mut bits = [Bits::default(); MAX_RANK];
        let (mut shift, mut stride) = (0_u32, 1_usize);
        for (bits, size) in bits.iter_mut().rev().zip(sizes.iter().rev()) {
            if *size > 1 {
                // There are bits for the size, not only for the last coordinate: so no step is one
                // of the next axis, and no dimension of a plan is more than one axis.
                let width = usize::BITS.wrapping_sub(size.leading_zeros());
                let mask = 1_usize.wrapping_shl(width).wrapping_sub(1);
                *bits = Bits { shift, mask, stride };
                stride = stride.wrapping_mul(*size);
                shift = shift.wrapping_add(width);
            }
        }
        if shift > usize::BITS {
            return None;
        }
        let mut positions = SCALAR;
        for (size, stride) in layout.sizes().iter().zip(layout.strides()) {
            let packed = stride.unsigned_abs();
            let axis = bits.iter().find(|axis| axis.stride > 0 && axis.stride <= packed);
            let steps = axis.and_then(|axis| Some((packed.checked_div(axis.stride)?, axis.shift)));
            let stride = steps.map_or(0, |(steps, shift)| steps.wrapping_shl(shift));
            positions.push(*size, stride.cast_signed());
        }
        *layout = positions;
        Some(Grid { view, bits })
    }

    /// Where `n` neighbours are in the lane along the last axis.
    #[inline(always)]
    fn range(&self, position: usize, n: usize) -> Range<usize> {
        let [first] = self.coordinates(position);
        first..first.wrapping_add(n)
    }

    /// The coordinates along the last axes.
    #[inline(always)]
    fn coordinates<const N: usize>(&self, position: usize) -> [usize; N] {
        self.last_bits().map(|axis| axis.of(position))
    }

    /// Where the coordinates along the last axes are.
    #[inline(always)]
    fn last_bits<const N: usize>(&self) -> [Bits; N] {
        self.bits.last_chunk().copied().unwrap_or([Bits::default(); N])
    }
}

impl<S: Data<Elem: Copy>> Grid<S> {
    #[inline(always)]
    fn element(&self, position: usize) -> Option<S::Elem> {
        match &self.view {
            Axes::Two(view) => view.get(self.coordinates::<2>(position)).copied(),
            Axes::Four(view) => view.get(self.coordinates::<4>(position)).copied(),
            Axes::More(view) => {
                let view = last_four(view.view(), &self.bits, position)?;
                view.get(self.coordinates::<4>(position)).copied()
            }
        }
    }

    /// The lane along the last axis that a position is in.
    #[inline(always)]
    fn lane(&self, position: usize) -> Option<ArrayView1<'_, S::Elem>> {
        let view = match &self.view {
            Axes::Two(view) => {
                let [first, _] = self.coordinates(position);
                return Some(view.view().index_axis_move(Axis(0), first));
            }
            Axes::Four(view) => view.view(),
            Axes::More(view) => last_four(view.view(), &self.bits, position)?,
        };
        Some(lane(view, self.coordinates(position)))
    }
}

impl<S: DataMut<Elem: Copy>> Grid<S> {
    #[inline(always)]
    fn set(&mut self, position: usize, new: impl FnOnce(S::Elem) -> S::Elem) {
        let (two, at) = (self.coordinates::<2>(position), self.coordinates::<4>(position));
        let mut four;
        let element = match &mut self.view {
            Axes::Two(view) => view.get_mut(two),
            Axes::Four(view) => view.get_mut(at),
            Axes::More(view) => {
                four = last_four(view.view_mut(), &self.bits, position);
                four.as_mut().and_then(|view| view.get_mut(at))
            }
        };
        if let Some(element) = element {
            *element = new(*element);
        }
    }

    #[inline(always)]
    fn lane_mut(&mut self, position: usize) -> Option<ArrayViewMut1<'_, S::Elem>> {
        let at = self.coordinates(position);
        let view = match &mut self.view {
            Axes::Two(view) => {
                let [_, _, first, _] = at;
                return Some(view.view_mut().index_axis_move(Axis(0), first));
            }
            Axes::Four(view) => view.view_mut(),
            Axes::More(view) => last_four(view.view_mut(), &self.bits, position)?,
        };
        Some(lane(view, at))
    }
}

/// The last four axes, at the coordinates of a position along the others.
#[cold]
fn last_four<S: RawData>(
    mut view: ArrayBase<S, IxDyn>,
    bits: &[Bits; MAX_RANK],
    position: usize,
) -> Option<ArrayBase<S, Ix4>> {
    let [others @ .., _, _, _, _] = bits;
    for axis in others.iter().filter(|axis| axis.stride > 0) {
        view = view.index_axis_move(Axis(0), axis.of(position));
    }
    view.into_dimensionality().ok()
}

/// The plan has proven that the coordinates lie in the view.
#[inline(always)]
fn lane<S: RawData>(
    view: ArrayBase<S, Ix4>,
    [first, second, third, _]: [usize; 4],
) -> ArrayBase<S, Ix1> {
    let view = view.index_axis_move(Axis(0), first).index_axis_move(Axis(0), second);
    view.index_axis_move(Axis(0), third)
}

/// Some neighbours of a lane with gaps.
#[inline(always)]
fn part<S: RawData>(mut lane: ArrayBase<S, Ix1>, range: Range<usize>) -> ArrayBase<S, Ix1> {
    lane.slice_axis_inplace(Axis(0), Slice::from(range));
    lane
}

/// `output[flat] = map(table[position])`
struct Take<'a, S: RawData, U, F> {
    table: &'a Grid<S>,
    output: &'a mut [U],
    map: F,
}

impl<S: Data<Elem: Copy>, U, F: Fn(S::Elem) -> U> Mover for Take<'_, S, U, F> {
    #[inline(always)]
    fn row(&mut self, position: usize, flat: usize, n: usize) {
        let Some(output) = self.output.get_mut(flat..flat.wrapping_add(n)) else { return };
        if let [to] = output {
            if let Some(from) = self.table.element(position) {
                *to = (self.map)(from);
            }
        } else if let Some(lane) = self.table.lane(position) {
            let range = self.table.range(position, n);
            match lane.to_slice() {
                Some(from) => {
                    let pairs = from.get(range).unwrap_or_default().iter().zip(output);
                    pairs.for_each(|(from, to)| *to = (self.map)(*from));
                }
                None => {
                    let output = ArrayViewMut1::from(output);
                    let pairs = Zip::from(output).and(part(lane, range));
                    pairs.for_each(|to, from| *to = (self.map)(*from));
                }
            }
        }
    }

    #[inline(always)]
    fn strided_row(&mut self, position: usize, flat: usize, dim: &Dim) {
        self.singles(steps(position, flat, dim));
    }
}

impl<S: Data<Elem: Copy>, U, F: Fn(S::Elem) -> U> Singles for Take<'_, S, U, F> {
    #[inline(always)]
    fn singles(&mut self, at: impl Iterator<Item = (usize, usize)>) {
        let Axes::Two(view) = &self.table.view else {
            return at.for_each(|(position, flat)| self.row(position, flat, 1));
        };
        let [first, last] = self.table.last_bits();
        at.for_each(|(position, flat)| {
            let from = view.get([first.of(position), last.of(position)]);
            if let (Some(to), Some(from)) = (self.output.get_mut(flat), from) {
                *to = (self.map)(*from);
            }
        });
    }
}

/// `table[position] = reduction(table[position], updates[flat])`
struct Change<'a, S: RawData, R> {
    table: &'a mut Grid<S>,
    reduction: &'a R,
    updates: &'a [S::Elem],
}

impl<S: DataMut<Elem: Element>, R: Reduction<S::Elem>> Mover for Change<'_, S, R> {
    #[inline(always)]
    fn row(&mut self, position: usize, flat: usize, n: usize) {
        let Some(updates) = self.updates.get(flat..flat.wrapping_add(n)) else { return };
        let reduction = self.reduction;
        if let [update] = updates {
            self.table.set(position, |current| reduction.combine(current, *update));
            return;
        }
        let range = self.table.range(position, n);
        if let Some(mut lane) = self.table.lane_mut(position) {
            match lane.as_slice_mut() {
                Some(lane) => {
                    let data = lane.get_mut(range).unwrap_or_default();
                    Combine { reduction, data, updates }.combine_with(0, updates);
                }
                None => Zip::from(part(lane, range)).and(updates).for_each(|current, update| {
                    *current = reduction.combine(*current, *update);
                }),
            }
        }
    }

    #[inline(always)]
    fn strided_row(&mut self, position: usize, flat: usize, dim: &Dim) {
        self.singles(steps(position, flat, dim));
    }
}

impl<S: DataMut<Elem: Element>, R: Reduction<S::Elem>> Singles for Change<'_, S, R> {
    #[inline(always)]
    fn singles(&mut self, at: impl Iterator<Item = (usize, usize)>) {
        let [first, last] = self.table.last_bits();
        let Axes::Two(view) = &mut self.table.view else {
            return at.for_each(|(position, flat)| self.row(position, flat, 1));
        };
        at.for_each(|(position, flat)| {
            let to = view.get_mut([first.of(position), last.of(position)]);
            if let (Some(to), Some(update)) = (to, self.updates.get(flat)) {
                *to = self.reduction.combine(*to, *update);
            }
        });
    }
}
