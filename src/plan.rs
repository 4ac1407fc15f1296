//! The one normal form that all operators are brought to.
//!
//! ```text
//! table[ t(s) + sum_k resolve(indices[i(s), k], size_k) * stride_k ]
//!     <->  flat[ f(s) ]
//! t, i, f affine in s
//! ```
//!
//! The coordinates `s` are split in two. **Outer** dimensions select an entry of the indices (a
//! single index, or a tuple of them); **inner** dimensions say which elements move for one entry,
//! and no index depends on them. `axis`, `elements` and `nd` differ in where a dimension goes and
//! in which of its strides are 0:
//!
//! | operator | outer dimensions | inner dimensions | tuple |
//! |---|---|---|---|
//! | `axis` | of the indices (table stride 0) | of the table before and after the axis | the axis |
//! | `elements` | all (table stride 0 on the axis) | none | the axis |
//! | `nd` | batch, then of the tuples (table stride 0) | of the table after them | first axes |
//! | `sequence` | of the positions (and the written ones, if circular) | all others | the axis |
//! | `axes`, `lists` | of the tuples (table stride 0) | of the table, without the axes | the axes |
//!
//! Dimensions of size 1 vanish, neighbours that can be walked with one stride merge, and outer
//! dimensions at the end along which the indices are broadcast become inner ones. Outer dimensions
//! have the row-major order of the indices, and so duplicates meet in the promised order: whoever
//! walks them in another moves only those whose coordinates lead to different places. Inner
//! dimensions always lead to different elements of a table without overlap: their order is free.

#[cfg(feature = "std")]
use core::mem::swap;

use crate::error::{Direction, Error, Operand, tri};
use crate::get::{get, get_mut};
use crate::index::{Bounds, Negative, resolve};
use crate::indices::sealed::Places;
use crate::layout::{Layout, MAX_RANK, SCALAR};
use crate::shape::{
    axes_first, axis_sizes, bag_sizes, elements_sizes, lists_sizes, nd_sizes, same_sizes,
    sequence_fits,
};

/// What happens to a sequence that reaches past the end of its axis: see
/// [`Scatter::sequence`](crate::Scatter::sequence).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sequence {
    /// A position at which it does not fit is out of bounds.
    #[default]
    Linear,
    /// It goes on at the start of the axis.
    Circular,
}

/// One dimension of the iteration space: its size, and its stride in each tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Dim {
    pub size: usize,
    pub table: isize,
    pub indices: isize,
    pub flat: isize,
    /// The stride in the indexed space: see [`Plan::cells`].
    pub cell: usize,
}

/// One coordinate of a tuple: the size and the table stride of the dimension that it indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Coordinate {
    pub size: usize,
    pub table: isize,
    /// The stride in the indexed space: see [`Plan::cells`].
    pub cell: usize,
}

/// A proven operator: every address that its walk visits lies in slices of the three lengths, as
/// long as the indices resolve.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Plan {
    pub dims: [Dim; MAX_RANK],
    pub outer: usize,
    pub rank: usize,
    pub coordinates: [Coordinate; MAX_RANK],
    pub tuple: usize,
    /// The distance between the coordinates of a tuple in the indices.
    pub tuple_stride: isize,
    /// The positions of the first elements.
    pub start: Start,
    /// The slice lengths that the layouts need.
    pub lengths: Lengths,
    /// The number of entries of the indices that one step of the outer dimensions stands for: more
    /// than one where a broadcast dimension of the indices has become an inner one.
    pub entry_weight: usize,
    /// The number of places that the indices choose from: the product of the sizes of batch
    /// dimensions and coordinates.
    pub cells: usize,
    /// Whether there is nothing to move: see [`Plan::set_bounds`].
    pub empty: bool,
    pub bounds: Bounds,
    pub negative: Negative,
    /// The number of neighbouring positions, modulo the size of the axis, that each index stands
    /// for: more than 1 for circular sequences, whose places in the indices are multiplied by it
    /// (see [`Plan::position`]).
    pub ring: usize,
    /// The dimensions that are walked the other way, a bit each: see [`Plan::entry`].
    pub turned: u8,
    /// The number of coordinates of a tuple, if one entry follows the other without a gap along the
    /// last outer dimension, and no axis is longer than [`LONGEST`](crate::index::LONGEST);
    /// otherwise 0.
    #[cfg(not(feature = "std"))]
    pub packed_tuple: usize,
    /// The number of elements that one entry moves, if they are neighbours and the flat tensor has
    /// no gap along the last outer dimension; otherwise 0.
    #[cfg(not(feature = "std"))]
    pub packed_row: usize,
    /// Whether all addresses and positions fit 31 bits.
    #[cfg(feature = "std")]
    pub addresses_fit: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Start {
    pub table: usize,
    pub indices: usize,
    pub flat: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lengths {
    pub table: usize,
    pub indices: usize,
    pub flat: usize,
}

/// The constructors, on [`Plan::NOTHING`] (in place, since a plan is large to copy): what each
/// tensor must look like, and where its dimensions go.
impl Plan {
    pub(crate) const fn axis(
        &mut self,
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        axis: usize,
        direction: Direction,
    ) -> Result<(), Error> {
        let mut sizes = SCALAR;
        tri!(axis_sizes(&mut sizes, table, indices, axis, direction));
        tri!(same_sizes(&sizes, flat, direction.flat()));
        self.along_axis(table, indices, flat, axis);
        self.prove(table, indices, flat, direction)
    }

    /// [`axis`](Plan::axis) with a packed flat tensor, which `SCALAR` becomes; and so with the
    /// others.
    pub(crate) const fn axis_packed(
        &mut self,
        flat: &mut Layout,
        table: &Layout,
        indices: &Layout,
        axis: usize,
        direction: Direction,
    ) -> Result<(), Error> {
        tri!(axis_sizes(flat, table, indices, axis, direction));
        flat.pack();
        self.along_axis(table, indices, flat, axis);
        self.prove(table, indices, flat, direction)
    }

    /// The dimensions of `axis`, whose sizes fit.
    #[inline]
    const fn along_axis(&mut self, table: &Layout, indices: &Layout, flat: &Layout, axis: usize) {
        let mut d = 0;
        while d < indices.rank() {
            self.push(indices.size(d), 0, indices.stride(d), flat.stride(axis + d));
            d += 1;
        }
        self.end_outer();
        d = 0;
        while d < axis {
            self.push(table.size(d), table.stride(d), 0, flat.stride(d));
            d += 1;
        }
        d = axis + 1;
        while d < table.rank() {
            self.push(table.size(d), table.stride(d), 0, flat.stride(d - 1 + indices.rank()));
            d += 1;
        }
        self.tuple_of(table, axis, 1, 0);
    }

    pub(crate) const fn elements(
        &mut self,
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        axis: usize,
        direction: Direction,
    ) -> Result<(), Error> {
        let mut sizes = SCALAR;
        tri!(elements_sizes(&mut sizes, table, indices, axis, direction));
        tri!(same_sizes(&sizes, flat, direction.flat()));
        self.by_elements(table, indices, flat, axis);
        self.prove(table, indices, flat, direction)
    }

    pub(crate) const fn elements_packed(
        &mut self,
        flat: &mut Layout,
        table: &Layout,
        indices: &Layout,
        axis: usize,
        direction: Direction,
    ) -> Result<(), Error> {
        tri!(elements_sizes(flat, table, indices, axis, direction));
        flat.pack();
        self.by_elements(table, indices, flat, axis);
        self.prove(table, indices, flat, direction)
    }

    /// The dimensions of `elements`, whose sizes fit.
    #[inline]
    const fn by_elements(&mut self, table: &Layout, indices: &Layout, flat: &Layout, axis: usize) {
        let mut d = 0;
        while d < table.rank() {
            let along_table = if d == axis { 0 } else { table.stride(d) };
            self.push(indices.size(d), along_table, indices.stride(d), flat.stride(d));
            d += 1;
        }
        self.end_outer();
        self.tuple_of(table, axis, 1, 0);
    }

    pub(crate) const fn nd(
        &mut self,
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        batch_dims: usize,
        direction: Direction,
    ) -> Result<(), Error> {
        let mut sizes = SCALAR;
        tri!(nd_sizes(&mut sizes, table, indices, batch_dims, direction));
        tri!(same_sizes(&sizes, flat, direction.flat()));
        self.by_tuples(table, indices, flat, batch_dims);
        self.prove(table, indices, flat, direction)
    }

    pub(crate) const fn nd_packed(
        &mut self,
        flat: &mut Layout,
        table: &Layout,
        indices: &Layout,
        batch_dims: usize,
        direction: Direction,
    ) -> Result<(), Error> {
        tri!(nd_sizes(flat, table, indices, batch_dims, direction));
        flat.pack();
        self.by_tuples(table, indices, flat, batch_dims);
        self.prove(table, indices, flat, direction)
    }

    pub(crate) const fn axes(
        &mut self,
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        axes: &[usize],
        direction: Direction,
    ) -> Result<(), Error> {
        let permuted = tri!(axes_first(table, indices, axes, direction));
        let mut sizes = SCALAR;
        tri!(nd_sizes(&mut sizes, &permuted, indices, 0, direction));
        tri!(same_sizes(&sizes, flat, direction.flat()));
        self.by_tuples(&permuted, indices, flat, 0);
        self.prove(table, indices, flat, direction)
    }

    pub(crate) const fn axes_packed(
        &mut self,
        flat: &mut Layout,
        table: &Layout,
        indices: &Layout,
        axes: &[usize],
        direction: Direction,
    ) -> Result<(), Error> {
        let permuted = tri!(axes_first(table, indices, axes, direction));
        tri!(nd_sizes(flat, &permuted, indices, 0, direction));
        flat.pack();
        self.by_tuples(&permuted, indices, flat, 0);
        self.prove(table, indices, flat, direction)
    }

    /// `axes` for tuples of the sizes `common` that are read as if they were packed: the place of a
    /// coordinate is the number of the tuple times their length, and its own.
    pub(crate) const fn lists(
        &mut self,
        table: &Layout,
        common: &Layout,
        flat: &Layout,
        axes: &[usize],
        direction: Direction,
    ) -> Result<(), Error> {
        let tuple = axes.len();
        let permuted = tri!(axes_first(table, &Layout::packed(&[tuple]), axes, direction));
        let mut sizes = SCALAR;
        tri!(lists_sizes(&mut sizes, &permuted, common, tuple, direction));
        tri!(same_sizes(&sizes, flat, direction.flat()));
        let Some(entries) = common.elements() else {
            return Err(Error::SizesOverflow { operand: Operand::Indices });
        };
        let (mut along, mut d) = (entries, 0);
        while d < common.rank() {
            // Of no entries no place matters.
            along = match along.checked_div(common.size(d)) {
                Some(along) => along,
                None => 0,
            };
            self.push(common.size(d), 0, along.wrapping_mul(tuple) as isize, flat.stride(d));
            d += 1;
        }
        self.end_outer();
        d = tuple;
        while d < permuted.rank() {
            let flat = flat.stride(d - tuple + common.rank());
            self.push(permuted.size(d), permuted.stride(d), 0, flat);
            d += 1;
        }
        self.tuple_of(&permuted, 0, tuple, 1);
        self.prove(table, &Layout::packed(&[entries, tuple]), flat, direction)
    }

    /// The dimensions of `nd`, whose sizes fit.
    const fn by_tuples(
        &mut self,
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        batch_dims: usize,
    ) {
        let last = indices.rank() - 1;
        let tuple = indices.size(last);
        let mut d = 0;
        while d < last {
            let along_table = if d < batch_dims { table.stride(d) } else { 0 };
            self.push(indices.size(d), along_table, indices.stride(d), flat.stride(d));
            d += 1;
        }
        self.end_outer();
        d = batch_dims + tuple;
        while d < table.rank() {
            self.push(
                table.size(d),
                table.stride(d),
                0,
                flat.stride(d - batch_dims - tuple + last),
            );
            d += 1;
        }
        self.tuple_of(table, batch_dims, tuple, indices.stride(last));
    }

    /// The tuple is the place of the whole sequence among those at which it fits, and its own
    /// dimension an inner one. Of a circular sequence each place is an entry, and `positions` looks
    /// as if it held an index for each: see [`Plan::ring`].
    pub(crate) const fn sequence(
        &mut self,
        table: &Layout,
        positions: &Layout,
        flat: &Layout,
        axis: usize,
        sequence: Sequence,
        direction: Direction,
    ) -> Result<(), Error> {
        tri!(sequence_fits(table, positions, flat, axis, direction));
        let written = flat.size(axis);
        let ring = matches!(sequence, Sequence::Circular) && written > 1;
        // Places beyond this do not fit `isize` when they are multiplied.
        let most = if ring { isize::MAX as usize / written } else { usize::MAX };
        if tri!(positions.extent_of(Operand::Indices)) > most {
            return Err(Error::SizesOverflow { operand: Operand::Indices });
        }
        let each = if ring { written } else { 1 };
        let mut d = 0;
        while d < positions.rank() {
            let along = positions.stride(d).wrapping_mul(each as isize);
            self.push(table.size(d), table.stride(d), along, flat.stride(d));
            d += 1;
        }
        if ring {
            self.push(written, 0, 1, flat.stride(axis));
        }
        self.end_outer();
        while d < table.rank() {
            if d != axis {
                self.push(table.size(d), table.stride(d), 0, flat.stride(d));
            } else if !ring {
                self.push(written, table.stride(d), 0, flat.stride(d));
            }
            d += 1;
        }
        self.tuple_of(table, axis, 1, 0);
        if let ([coordinate, ..], Sequence::Linear) = (&mut self.coordinates, sequence) {
            // There is a place for each start at which the sequence fits.
            coordinate.size = coordinate.size.wrapping_sub(written).wrapping_add(1);
        }
        self.ring = each;
        tri!(self.prove(table, positions, flat, direction));
        self.start.indices = self.start.indices.wrapping_mul(each);
        match sequence {
            Sequence::Linear => self.negative = Negative::OutOfBounds,
            Sequence::Circular => self.set_bounds(Bounds::Wrap),
        }
        Ok(())
    }

    /// The plan of a [`Bag`](crate::Bag). An entry does not say where it goes: the output strides
    /// of the outer dimension are 0, and `flat` counts from the start of a bag.
    pub(crate) const fn bag(
        &mut self,
        table: &Layout,
        indices: &Layout,
        output: &Layout,
    ) -> Result<(), Error> {
        if table.rank() == 0 {
            return Err(Error::RankMismatch { operand: Operand::Input, expected: 1, found: 0 });
        }
        if indices.rank() != 1 {
            return Err(Error::RankMismatch {
                operand: Operand::Indices,
                expected: 1,
                found: indices.rank(),
            });
        }
        tri!(same_sizes(&tri!(bag_sizes(table, output)), output, Operand::Output));
        self.push(indices.size(0), 0, indices.stride(0), 0);
        self.end_outer();
        let mut d = 1;
        while d < table.rank() {
            self.push(table.size(d), table.stride(d), 0, output.stride(d));
            d += 1;
        }
        self.tuple_of(table, 0, 1, 0);
        self.prove(table, indices, output, Direction::Gather)
    }

    /// The plan of `output = input`, for tensors of the same sizes: no indices, all dimensions
    /// inner.
    pub(crate) const fn copy(input: &Layout, output: &Layout) -> Result<Plan, Error> {
        tri!(same_sizes(output, input, Operand::Input));
        let mut plan = Plan::NOTHING;
        // In the order of the output in memory, so that dimensions merge.
        let (mut pushed, mut count) = (0_u32, 0);
        while count < input.rank() {
            let (mut next, mut d) = (input.rank(), 0);
            while d < input.rank() {
                let longest = next == input.rank()
                    || output.stride(d).unsigned_abs() > output.stride(next).unsigned_abs();
                if pushed >> d & 1 == 0 && longest {
                    next = d;
                }
                d += 1;
            }
            plan.push(input.size(next), input.stride(next), 0, output.stride(next));
            pushed |= 1 << next;
            count += 1;
        }
        tri!(plan.prove(input, &SCALAR, output, Direction::Gather));
        Ok(plan)
    }

    /// The plan of a [`copy`](Plan::copy) of `length` elements without gaps, in the same order.
    #[cfg(feature = "std")]
    pub(crate) const fn whole(length: usize) -> Plan {
        let mut plan = Plan::NOTHING;
        plan.push(length, 1, 0, 1);
        plan.lengths = Lengths { table: length, indices: 0, flat: length };
        plan.find_addresses_fit();
        plan.set_bounds(Bounds::Error);
        plan
    }

    /// The same plan, which reads one update for all.
    #[cfg(feature = "std")]
    pub(crate) fn with_one_update(&self) -> Plan {
        let mut plan = *self;
        plan.dims.iter_mut().for_each(|dim| dim.flat = 0);
        (plan.start.flat, plan.lengths.flat) = (0, 1);
        plan
    }
}

/// The steps of construction: outer dimensions, [`end_outer`](Plan::end_outer), inner dimensions,
/// tuple, proof.
impl Plan {
    pub(crate) const NOTHING: Plan = Plan {
        dims: [Dim { size: 1, table: 0, indices: 0, flat: 0, cell: 0 }; MAX_RANK],
        outer: 0,
        rank: 0,
        coordinates: [Coordinate { size: 1, table: 0, cell: 0 }; MAX_RANK],
        tuple: 0,
        tuple_stride: 0,
        start: Start { table: 0, indices: 0, flat: 0 },
        lengths: Lengths { table: 0, indices: 0, flat: 0 },
        entry_weight: 1,
        cells: 1,
        empty: true,
        bounds: Bounds::Error,
        negative: Negative::FromEnd,
        ring: 1,
        turned: 0,
        #[cfg(not(feature = "std"))]
        packed_tuple: 0,
        #[cfg(not(feature = "std"))]
        packed_row: 0,
        #[cfg(feature = "std")]
        addresses_fit: false,
    };

    /// Adds a dimension at the inner end. It merges with the one before it when a step of that is
    /// `size` steps of the new one, in all tensors.
    pub(crate) const fn push(&mut self, size: usize, table: isize, indices: isize, flat: isize) {
        if size == 1 {
            return;
        }
        let dim = Dim { size, table, indices, flat, cell: 0 };
        if self.rank > self.outer
            && let Some(last) = get_mut(&mut self.dims, self.rank - 1)
            && last.is_steps_of(&dim)
        {
            // An overflow means that the tensors are refused, or that another size is 0 and nothing
            // is walked.
            *last = Dim { size: last.size.saturating_mul(size), ..dim };
            return;
        }
        if let Some(end) = get_mut(&mut self.dims, self.rank) {
            *end = dim;
            self.rank += 1;
        }
    }

    /// Makes all dimensions so far outer ones, but for those at the end along which the indices do
    /// not change while the table does.
    const fn end_outer(&mut self) {
        self.outer = self.rank;
        while self.outer > 0
            && let Some(last) = get(&self.dims, self.outer - 1)
            && last.indices == 0
            && last.table != 0
        {
            self.outer -= 1;
            self.entry_weight = self.entry_weight.saturating_mul(last.size);
        }
    }

    /// Sets the coordinates of a tuple, and numbers the places of the indexed space: coordinates
    /// run fastest, then the dimensions that indices and table share. There are no more of them
    /// than elements of the table; a product that overflows belongs to a table without any.
    const fn tuple_of(&mut self, table: &Layout, first: usize, size: usize, stride: isize) {
        (self.tuple, self.tuple_stride) = (size, stride);
        let mut c = size;
        while c > 0 {
            c -= 1;
            let size = table.size(first + c);
            if let Some(coordinate) = get_mut(&mut self.coordinates, c) {
                *coordinate = Coordinate { size, table: table.stride(first + c), cell: self.cells };
            }
            self.cells = self.cells.saturating_mul(size);
        }
        let mut d = self.outer;
        while d > 0 {
            d -= 1;
            if let Some(dim) = get_mut(&mut self.dims, d)
                && dim.table != 0
            {
                dim.cell = self.cells;
                self.cells = self.cells.saturating_mul(dim.size);
            }
        }
    }

    /// Proves all addresses, and that the written tensor does not overlap itself.
    const fn prove(
        &mut self,
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        direction: Direction,
    ) -> Result<(), Error> {
        self.start =
            Start { table: table.offset(), indices: indices.offset(), flat: flat.offset() };
        self.lengths = Lengths {
            table: tri!(table.extent_of(direction.table())),
            indices: tri!(indices.extent_of(Operand::Indices)),
            flat: tri!(flat.extent_of(direction.flat())),
        };
        tri!(match direction {
            Direction::Gather => flat.without_overlap(Operand::Output),
            Direction::Scatter => table.without_overlap(Operand::Data),
        });
        if self.lengths.flat == 0 || self.lengths.table == 0 {
            self.cells = 0;
        }
        self.turn_inner();
        #[cfg(not(feature = "std"))]
        self.find_packed();
        #[cfg(feature = "std")]
        self.end_with_rows();
        #[cfg(feature = "std")]
        self.find_addresses_fit();
        self.set_bounds(Bounds::Error);
        Ok(())
    }

    /// Walks inner dimensions the other way if they lead backwards in both tensors: their order is
    /// free, and so neighbours that are reversed in both are rows.
    const fn turn_inner(&mut self) {
        let mut d = self.outer;
        while d < self.rank
            && let Some(dim) = get_mut(&mut self.dims, d)
        {
            if dim.table < 0 && dim.flat < 0 {
                self.turned |= 1 << d;
                let last = dim.size.wrapping_sub(1);
                self.start.table =
                    self.start.table.wrapping_add(last.wrapping_mul(dim.table as usize));
                self.start.flat =
                    self.start.flat.wrapping_add(last.wrapping_mul(dim.flat as usize));
                (dim.table, dim.flat) = (dim.table.wrapping_neg(), dim.flat.wrapping_neg());
            }
            d += 1;
        }
    }

    /// Sorts inner dimensions from the longest steps to the shortest if neighbours in both tensors
    /// lie along one that is not the last, as in column-major tensors: their order is free, and so
    /// these become rows, with which others can merge. Firmware saves the code.
    #[cfg(feature = "std")]
    const fn end_with_rows(&mut self) {
        let (first, end) = (self.outer, self.rank);
        let mut row = first;
        while let Some(dim) = get(&self.dims, row)
            && !dim.is_row()
        {
            row += 1;
        }
        // An entry of the indices is found by the order of its dimensions.
        if row + 1 >= end || self.entry_weight > 1 {
            return;
        }
        let dims = self.dims;
        self.rank = first;
        self.push_by_steps(&dims, first, end);
    }

    /// Adds dimensions, from the longest steps to the shortest.
    #[cfg(feature = "std")]
    const fn push_by_steps(&mut self, dims: &[Dim; MAX_RANK], first: usize, end: usize) {
        let mut pushed = 0_u32;
        while pushed.count_ones() as usize + first < end {
            let (mut next, mut longest, mut d) = (first, 0, first);
            while d < end
                && let Some(dim) = get(dims, d)
            {
                let step = dim.longest_step();
                // A dimension without elements may have no step.
                if pushed >> d & 1 == 0 && step >= longest {
                    (next, longest) = (d, step);
                }
                d += 1;
            }
            pushed |= 1 << next;
            if let Some(dim) = get(dims, next) {
                self.push(dim.size, dim.table, dim.indices, dim.flat);
            }
        }
    }

    /// The plan of the indices alone, by their strides, broadcast ones once: what a check of all of
    /// them walks. (Lists and rings have the places of their tuples and positions.)
    ///
    /// One lane with a step is as it was. It stays the innermost dimension if fewer than `short`
    /// entries have the shortest stride, and it has more: short lanes take long to start.
    #[cfg(feature = "std")]
    pub(crate) fn of_indices<'a>(&'a self, short: usize, room: &'a mut Option<Plan>) -> &'a Plan {
        if let [] | [Dim { indices: ..=-1 | 1.., .. }] = self.outer() {
            return self;
        }
        let (mut plan, mut dims) = (*self, self.dims);
        (plan.outer, plan.rank) = (0, 0);
        for dim in dims.iter_mut().take(self.outer) {
            // Entries may share their indices. Without entries there is nothing to look at.
            let size = if dim.indices == 0 { dim.size.min(1) } else { dim.size };
            let (last, step) = (dim.size.wrapping_sub(1), dim.indices.unsigned_abs());
            if dim.indices < 0 {
                plan.start.indices = plan.start.indices.wrapping_sub(last.wrapping_mul(step));
            }
            *dim = Dim { size, table: 0, indices: step as isize, flat: 0, cell: 0 };
        }
        plan.push_by_steps(&dims, 0, self.outer);
        plan.outer = plan.rank;
        if let Some(lane) = dims.get(self.outer.wrapping_sub(1))
            && let Some([others @ .., last]) = plan.dims.get_mut(..plan.rank)
            && last.size < lane.size.min(short)
            && let Some(same) = others.iter_mut().find(|dim| *dim == lane)
        {
            swap(same, last);
        }
        room.insert(plan)
    }

    /// Looks for tuples and rows without gaps, once for all walks.
    #[cfg(not(feature = "std"))]
    const fn find_packed(&mut self) {
        let row = match (self.rank - self.outer, get(&self.dims, self.outer)) {
            (0, _) => 1,
            (1, Some(row)) if row.is_row() => row.size,
            _ => 0,
        };
        let lane = if self.outer > 0 { get(&self.dims, self.outer - 1) } else { None };
        let (entry, flat) = match lane {
            Some(lane) => (lane.indices as usize, lane.flat as usize),
            None => (self.tuple, row),
        };
        let mut packed =
            self.ring == 1 && entry == self.tuple && (self.tuple_stride == 1 || self.tuple <= 1);
        let mut c = 0;
        while c < self.tuple
            && let Some(coordinate) = get(&self.coordinates, c)
        {
            packed = packed && coordinate.size <= crate::index::LONGEST;
            c += 1;
        }
        self.packed_tuple = if packed { self.tuple } else { 0 };
        self.packed_row = if flat == row { row } else { 0 };
    }

    /// Whether the addresses and the numbers of all [cells](Plan::cells) fit 31 bits.
    #[cfg(feature = "std")]
    pub(crate) fn cells_fit(&self) -> bool {
        self.addresses_fit && i32::try_from(self.cells).is_ok()
    }

    /// Looks whether all addresses and positions fit 31 bits.
    #[cfg(feature = "std")]
    const fn find_addresses_fit(&mut self) {
        const LENGTH: usize = i32::MAX as usize;
        let mut fit = self.lengths.table <= LENGTH;
        let mut c = 0;
        while c < self.tuple
            && let Some(coordinate) = get(&self.coordinates, c)
        {
            fit = fit && coordinate.size <= LENGTH;
            c += 1;
        }
        self.addresses_fit = fit;
    }

    /// Fails if the flat tensor overlaps itself. The error counts the dimensions of the plan.
    pub(crate) const fn flat_without_overlap(&self) -> Result<(), Error> {
        let mut flat = SCALAR;
        let mut d = 0;
        while d < self.rank
            && let Some(dim) = get(&self.dims, d)
        {
            flat.push(dim.size, dim.flat);
            d += 1;
        }
        if self.lengths.flat == 0 { Ok(()) } else { flat.without_overlap(Operand::Output) }
    }

    /// Sets the policy. Nothing moves where the flat tensor has no elements: its indices are
    /// checked all the same, if there are any. Where the table has none but is indexed all the
    /// same, an axis has size 0: that is an error for `Bounds::Error`, the other policies leave all
    /// entries out.
    pub(crate) const fn set_bounds(&mut self, bounds: Bounds) {
        self.bounds = bounds;
        self.empty =
            self.lengths.flat == 0 || (self.lengths.table == 0 && !matches!(bounds, Bounds::Error));
    }
}

/// What the walk needs.
impl Plan {
    /// Whether indices can be out of bounds although nothing moves: an entry stands for no element.
    #[cold]
    pub(crate) fn checks_empty(&self) -> bool {
        self.empty && self.lengths.indices > 0 && matches!(self.bounds, Bounds::Error)
    }

    /// The dimensions that select an entry of the indices.
    #[inline]
    pub(crate) fn outer(&self) -> &[Dim] {
        self.dims.get(..self.outer).unwrap_or(&[])
    }

    /// The dimensions that one entry moves.
    #[inline]
    pub(crate) fn inner(&self) -> &[Dim] {
        self.dims.get(self.outer..self.rank).unwrap_or(&[])
    }

    /// The plan of all places that the indices choose from: it has no indices, and its entries are
    /// the [cells](Plan::cells).
    pub(crate) fn of_places(&self) -> Plan {
        let mut plan = *self;
        let batches = self.outer().iter().filter(|dim| dim.cell > 0);
        let batches = batches.map(|dim| Dim { indices: 0, flat: 0, ..*dim });
        let axes = self.coordinates().iter().map(|axis| {
            let Coordinate { size, table, cell } = *axis;
            Dim { size, table, indices: 0, flat: 0, cell }
        });
        let inner = self.inner().iter().copied();
        plan.outer = batches.clone().count().wrapping_add(axes.len());
        plan.rank = plan.outer.wrapping_add(inner.len());
        let dims = batches.chain(axes).chain(inner);
        plan.dims.iter_mut().zip(dims).for_each(|(to, dim)| *to = dim);
        plan.tuple = 0;
        plan.ring = 1;
        plan
    }

    /// The number of entries of the indices.
    #[inline]
    pub(crate) fn entries(&self) -> usize {
        self.outer().iter().fold(1, |entries, dim| entries.saturating_mul(dim.size))
    }

    #[inline]
    pub(crate) fn coordinates(&self) -> &[Coordinate] {
        self.coordinates.get(..self.tuple).unwrap_or(&[])
    }

    /// The position that the index at a place stands for, on an axis of `size`. `None`: it has
    /// none, or lies outside the slice.
    #[inline(always)]
    pub(crate) fn position<S: Places>(
        &self,
        indices: S,
        place: usize,
        size: usize,
    ) -> Option<usize> {
        if self.ring == 1 {
            return resolve(indices.get(place)?, size, self.bounds, self.negative);
        }
        self.position_on_ring(indices, place, size)
    }

    /// The rare half of [`position`](Plan::position), compiled once for each index type.
    #[cold]
    #[inline(never)]
    fn position_on_ring<S: Places>(&self, indices: S, place: usize, size: usize) -> Option<usize> {
        let (place, step) = (place.checked_div(self.ring)?, place.checked_rem(self.ring)?);
        let first = resolve(indices.get(place)?, size, self.bounds, self.negative)?;
        let left = size.wrapping_sub(first);
        Some(if step < left { first.wrapping_add(step) } else { step.wrapping_sub(left) })
    }

    /// The entry of the indices that moves element `number` of a step of the outer dimensions.
    /// Dimensions of the indices that have become inner ones come before the others.
    pub(crate) fn entry(&self, step: usize, number: usize) -> usize {
        let step = step.checked_div(self.ring).unwrap_or(step);
        if self.entry_weight == 1 {
            return step;
        }
        let (mut left, mut scale, mut place) = (number, 1_usize, 0_usize);
        for (d, dim) in self.inner().iter().enumerate().rev() {
            let coordinate = left.checked_rem(dim.size).unwrap_or(0);
            left = left.checked_div(dim.size).unwrap_or(0);
            let turned = self.turned >> (self.outer + d) & 1 != 0;
            let last = dim.size.wrapping_sub(1);
            let coordinate = if turned { last.wrapping_sub(coordinate) } else { coordinate };
            place = place.wrapping_add(coordinate.wrapping_mul(scale));
            scale = scale.wrapping_mul(dim.size);
        }
        let each = scale.checked_div(self.entry_weight).unwrap_or(1);
        let within = place.checked_div(each).unwrap_or(0);
        step.wrapping_mul(self.entry_weight).wrapping_add(within)
    }

    /// Whether every byte, signed or not, has a place on every axis.
    #[inline(always)]
    pub(crate) fn takes_every_byte(&self) -> bool {
        matches!(self.negative, Negative::FromEnd)
            && self.coordinates().iter().all(|axis| axis.size > usize::from(u8::MAX))
    }
}

/// What is used of it.
impl core::fmt::Debug for Plan {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Plan")
            .field("outer", &self.outer())
            .field("inner", &self.inner())
            .field("coordinates", &self.coordinates())
            .field("tuple_stride", &self.tuple_stride)
            .field("start", &self.start)
            .field("lengths", &self.lengths)
            .field("bounds", &self.bounds)
            .field("negative", &self.negative)
            .field("ring", &self.ring)
            .finish_non_exhaustive()
    }
}

impl Dim {
    /// Whether its elements are neighbours, in table and flat tensor.
    #[inline(always)]
    pub(crate) const fn is_row(self) -> bool {
        self.table == 1 && self.flat == 1
    }

    /// The longest of its steps in the three tensors.
    #[cfg(feature = "std")]
    const fn longest_step(&self) -> usize {
        let (table, flat) = (self.table.unsigned_abs(), self.flat.unsigned_abs());
        let (longer, indices) = (if table > flat { table } else { flat }, self.indices);
        if longer > indices.unsigned_abs() { longer } else { indices.unsigned_abs() }
    }

    /// Whether one step of this dimension is, in all tensors, as long as all of `inner`.
    const fn is_steps_of(&self, inner: &Dim) -> bool {
        is_steps(self.table, inner.table, inner.size)
            && is_steps(self.indices, inner.indices, inner.size)
            && is_steps(self.flat, inner.flat, inner.size)
    }
}

/// Whether `outer` is `size` steps of `inner`. (A size that is no `isize` never merges; nothing of
/// it can be walked but broadcasts.)
const fn is_steps(outer: isize, inner: isize, size: usize) -> bool {
    if size > isize::MAX as usize {
        return false;
    }
    match inner.checked_mul(size as isize) {
        Some(steps) => steps == outer,
        None => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::Direction::{Gather, Scatter};
    use super::*;

    fn made(make: impl FnOnce(&mut Plan) -> Result<(), Error>) -> Plan {
        let mut plan = Plan::NOTHING;
        make(&mut plan).unwrap();
        plan
    }

    pub(crate) fn axis(
        direction: Direction,
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        axis: usize,
    ) -> Plan {
        made(|plan| plan.axis(table, indices, flat, axis, direction))
    }

    pub(crate) fn elements(
        direction: Direction,
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        axis: usize,
    ) -> Plan {
        made(|plan| plan.elements(table, indices, flat, axis, direction))
    }

    pub(crate) fn nd(
        direction: Direction,
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        batch_dims: usize,
    ) -> Plan {
        made(|plan| plan.nd(table, indices, flat, batch_dims, direction))
    }

    pub(crate) fn packed<const N: usize>(sizes: [usize; N]) -> Layout {
        Layout::packed(&sizes)
    }

    pub(crate) fn sizes(dims: &[Dim]) -> impl Iterator<Item = usize> {
        dims.iter().map(|dim| dim.size)
    }

    /// So they are as fast.
    #[test]
    fn axes_have_the_plan_of_tuples_into_a_permuted_layout() {
        let (table, pairs, flat) = (packed([2, 3, 4, 5]), packed([7, 2]), packed([7, 3, 5]));
        let permuted = Layout::strided([4, 2, 3, 5], [5, 60, 20, 1]);
        for direction in [Gather, Scatter] {
            let axes = made(|plan| plan.axes(&table, &pairs, &flat, &[2, 0], direction));
            assert_eq!(axes, nd(direction, &permuted, &pairs, &flat, 0));
        }
    }

    #[test]
    fn neighbours_merge() {
        let (table, indices, flat) = (packed([10, 2, 3]), packed([4, 5]), packed([4, 5, 2, 3]));
        for plan in
            [axis(Gather, &table, &indices, &flat, 0), axis(Scatter, &table, &indices, &flat, 0)]
        {
            assert!(sizes(plan.outer()).eq([20]) && sizes(plan.inner()).eq([6]), "{plan:?}");
        }
        // The indices lead from one to the other: nothing merges.
        let plan = axis(Gather, &packed([2, 10, 3]), &packed([4]), &packed([2, 4, 3]), 1);
        assert!(sizes(plan.outer()).eq([4]) && sizes(plan.inner()).eq([2, 3]), "{plan:?}");
    }

    #[test]
    fn dimensions_that_the_indices_are_broadcast_along_go_inwards() {
        let (table, output) = (packed([8, 6]), packed([4, 6]));
        let plan = elements(Gather, &table, &Layout::strided([4, 6], [1, 0]), &output, 0);
        assert!(sizes(plan.outer()).eq([4]) && sizes(plan.inner()).eq([6]), "{plan:?}");
        assert_eq!(plan.entry_weight, 6);
        // Not where the table does not change: that would be one move in place of six.
        let plan = elements(Gather, &table, &Layout::strided([8, 6], [1, 0]), &table, 1);
        assert!(sizes(plan.outer()).eq([8, 6]) && plan.inner().is_empty(), "{plan:?}");
    }

    #[cfg(feature = "std")]
    #[test]
    fn tensors_that_are_column_major_have_rows() {
        let found = |table: &Layout, output: &Layout| {
            let plan = axis(Gather, table, &packed([9]), output, 0);
            Vec::from_iter(plan.inner().iter().map(|dim| (dim.size, dim.table, dim.flat)))
        };
        // An entry is a block of [5, 4, 3], the last dimension the longest step.
        let table = Layout::strided([7, 5, 4, 3], [60, 1, 5, 20]);
        let output = Layout::strided([9, 5, 4, 3], [60, 1, 5, 20]);
        assert_eq!(found(&table, &output), [(60, 1, 1)]);
        let gaps = Layout::strided([9, 5, 4, 3], [90, 1, 6, 30]);
        assert_eq!(found(&table, &gaps), [(3, 20, 30), (4, 5, 6), (5, 1, 1)]);
        // One tensor is copied along a dimension, or is in another order.
        let one = Layout::strided([7, 5, 4, 3], [5, 1, 0, 0]);
        assert_eq!(found(&one, &output), [(12, 0, 5), (5, 1, 1)]);
        let order = Layout::strided([9, 5, 4, 3], [60, 1, 15, 5]);
        assert_eq!(found(&table, &order), [(3, 20, 5), (4, 5, 15), (5, 1, 1)]);
        // No rows: the order is that of the sizes.
        assert_eq!(found(&table, &packed([9, 5, 4, 3])), [(5, 1, 12), (4, 5, 3), (3, 20, 1)]);
        // Nothing moves: dimensions without steps end as well.
        let (table, none) = (Layout::strided([7, 5, 0], [5, 1, 0]), [5, 1, 0]);
        assert_eq!(found(&table, &Layout::strided([9, 5, 0], none)), [(5, 1, 1), (0, 0, 0)]);
        // Where the indices are broadcast, the order says which entry moves an element.
        let (table, flat) = (Layout::strided([9, 5, 2], [10, 1, 5]), [10, 1, 5]);
        let flat = Layout::strided([9, 5, 2], flat);
        let plan = elements(Gather, &table, &Layout::strided([9, 5, 2], [1, 0, 0]), &flat, 0);
        assert!(sizes(plan.inner()).eq([5, 2]), "{plan:?}");
    }

    #[cfg(not(feature = "std"))]
    #[test]
    fn tuples_and_rows_without_gaps_are_found() {
        let found = |plan: Plan| (plan.packed_tuple, plan.packed_row);
        // Where neighbours merge, and where nothing does.
        let (table, indices, flat) = (packed([10, 2, 3]), packed([4, 5]), packed([4, 5, 2, 3]));
        assert_eq!(found(axis(Gather, &table, &indices, &flat, 0)), (1, 6));
        assert_eq!(found(axis(Scatter, &table, &indices, &flat, 0)), (1, 6));
        let (table, indices, flat) = (packed([2, 10, 3]), packed([4]), packed([2, 4, 3]));
        assert_eq!(found(axis(Gather, &table, &indices, &flat, 1)), (1, 0));
        // Indices that are broadcast along the row.
        let (table, indices, flat) =
            (packed([8, 6]), Layout::strided([4, 6], [1, 0]), packed([4, 6]));
        assert_eq!(found(elements(Gather, &table, &indices, &flat, 0)), (1, 6));
        let by_tuples = |table: &Layout, indices: &Layout, output: &Layout| {
            found(nd(Gather, table, indices, output, 0))
        };
        let (pair, triple, pairs) = (packed([5, 4]), packed([5, 4, 3]), packed([7, 2]));
        assert_eq!(by_tuples(&pair, &pairs, &packed([7])), (2, 1));
        assert_eq!(by_tuples(&triple, &pairs, &packed([7, 3])), (2, 3));
        assert_eq!(by_tuples(&pair, &packed([2]), &packed([])), (2, 1));
        assert_eq!(by_tuples(&triple, &packed([2]), &packed([3])), (2, 3));
        // A gap after each tuple, after each coordinate, after each row, in the rows.
        assert_eq!(by_tuples(&pair, &Layout::strided([7, 2], [3, 1]), &packed([7])), (0, 1));
        assert_eq!(by_tuples(&pair, &Layout::strided([7, 2], [2, 2]), &packed([7])), (0, 1));
        assert_eq!(by_tuples(&triple, &pairs, &Layout::strided([7, 3], [4, 1])), (2, 0));
        assert_eq!(
            by_tuples(&triple, &pairs, &Layout::strided([7, 3], [3, -1]).with_offset(2)),
            (2, 0)
        );
        // An axis on which positions are not decided by one comparison.
        let longest = crate::index::LONGEST;
        let endless = |size| {
            found(axis(Gather, &Layout::strided([size], [0]), &packed([7]), &packed([7]), 0))
        };
        assert_eq!((endless(longest), endless(longest + 1)), ((1, 1), (0, 1)));
    }

    #[cfg(feature = "std")]
    #[test]
    fn long_tables_and_axes_have_wide_addresses() {
        let fit =
            |table: &Layout| axis(Gather, table, &packed([128]), &packed([128]), 0).addresses_fit;
        let (longest, too_long) = (i32::MAX as usize, i32::MAX as usize + 1);
        assert_eq!([longest, too_long].map(|size| fit(&packed([size]))), [true, false]);
        let broadcast = |size| Layout::strided([size], [0]);
        assert_eq!([longest, too_long].map(|size| fit(&broadcast(size))), [true, false]);
    }
}
