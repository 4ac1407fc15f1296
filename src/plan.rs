//! The one normal form that all operators are brought to.
//!
//! ```text
//! table[ t(s) + sum_k resolve(indices[i(s), k], size_k) * stride_k ]   <->   flat[ f(s) ]        t, i, f affine in s
//! ```
//!
//! The coordinates `s` are split in two. **Outer** dimensions select an entry of the indices (a single index or a tuple of `k`);
//! **inner** dimensions say which elements move for one entry, and no index depends on them. `axis`, `elements` and `nd` differ in
//! where a dimension goes and in which of its strides are 0:
//!
//! | operator | outer | inner | tuple |
//! |---|---|---|---|
//! | `axis` | dimensions of the indices (table stride 0) | table dimensions before and after the axis | the axis |
//! | `elements` | all dimensions (table stride 0 on the axis) | none | the axis |
//! | `nd` | batch dimensions, then those of the tuples (table stride 0) | table dimensions after the tuple | `k` dimensions |
//!
//! Dimensions of size 1 vanish, neighbours that can be walked with one stride merge, and outer dimensions at the end along which the
//! indices are broadcast become inner ones. Outer dimensions keep their order, which is the row-major order of the indices, and so
//! duplicates meet in the promised order. Inner dimensions always lead to different elements of a table without overlap: their order is free.

use crate::error::{Error, Operand, tri};
use crate::index::Bounds;
use crate::layout::{Layout, MAX_RANK, SCALAR};

/// One dimension of the iteration space: its size, and its stride in each tensor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dim {
    pub size: usize,
    pub table: isize,
    pub indices: isize,
    pub flat: isize,
    /// The stride in the indexed space: see [`Plan::cells`].
    pub cell: usize,
}

/// One coordinate of a tuple: the size and the table stride of the dimension that it indexes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coordinate {
    pub size: usize,
    pub table: isize,
    /// The stride in the indexed space: see [`Plan::cells`].
    pub cell: usize,
}

const NO_DIM: Dim = Dim { size: 1, table: 0, indices: 0, flat: 0, cell: 0 };
const NO_COORDINATE: Coordinate = Coordinate { size: 1, table: 0, cell: 0 };

/// A proven operator: every address that its walk visits lies in slices of the three lengths, as long as the indices resolve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    dims: [Dim; MAX_RANK],
    outer: usize,
    rank: usize,
    coordinates: [Coordinate; MAX_RANK],
    tuple: usize,
    /// The distance between the coordinates of a tuple in the indices.
    pub tuple_stride: isize,
    /// The positions of the first elements.
    pub start: Start,
    /// The slice lengths that the layouts need.
    pub lengths: Lengths,
    /// The number of entries of the indices that one step of the outer dimensions stands for: more than one where a broadcast
    /// dimension of the indices has become an inner one.
    pub entry_weight: usize,
    /// The number of places that the indices choose from: the product of the sizes of batch dimensions and coordinates.
    pub cells: usize,
    /// Whether there is nothing to move.
    pub empty: bool,
    pub bounds: Bounds,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub table: usize,
    pub indices: usize,
    pub flat: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths {
    pub table: usize,
    pub indices: usize,
    pub flat: usize,
}

/// Which of table and flat tensor is written, and what errors call them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Gather,
    Scatter,
}

impl Direction {
    pub(crate) const fn table(self) -> Operand {
        match self {
            Direction::Gather => Operand::Input,
            Direction::Scatter => Operand::Output,
        }
    }

    pub(crate) const fn flat(self) -> Operand {
        match self {
            Direction::Gather => Operand::Output,
            Direction::Scatter => Operand::Updates,
        }
    }
}

/// The three constructors: what each tensor must look like, and where its dimensions go.
impl Plan {
    pub(crate) const fn axis(table: &Layout, indices: &Layout, flat: &Layout, axis: usize, direction: Direction) -> Result<Plan, Error> {
        tri!(same_sizes(&tri!(axis_sizes(table, indices, axis, direction)), flat, direction.flat()));
        let (mut outer, mut inner) = (Dims::NONE, Dims::NONE);
        let mut d = 0;
        while d < axis {
            inner = inner.push(Dim { size: table.size(d), table: table.stride(d), indices: 0, flat: flat.stride(d), cell: 0 });
            d += 1;
        }
        d = 0;
        while d < indices.rank() {
            outer = outer.push(Dim { size: indices.size(d), table: 0, indices: indices.stride(d), flat: flat.stride(axis + d), cell: 0 });
            d += 1;
        }
        d = axis + 1;
        while d < table.rank() {
            let flat = flat.stride(d - 1 + indices.rank());
            inner = inner.push(Dim { size: table.size(d), table: table.stride(d), indices: 0, flat, cell: 0 });
            d += 1;
        }
        Plan::new(table, indices, flat, outer, inner, Tuple { first: axis, size: 1, stride: 0 }, direction)
    }

    pub(crate) const fn elements(
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        axis: usize,
        direction: Direction,
    ) -> Result<Plan, Error> {
        tri!(same_sizes(&tri!(elements_sizes(table, indices, axis, direction)), flat, direction.flat()));
        let mut outer = Dims::NONE;
        let mut d = 0;
        while d < table.rank() {
            let along_table = if d == axis { 0 } else { table.stride(d) };
            outer =
                outer.push(Dim { size: indices.size(d), table: along_table, indices: indices.stride(d), flat: flat.stride(d), cell: 0 });
            d += 1;
        }
        Plan::new(table, indices, flat, outer, Dims::NONE, Tuple { first: axis, size: 1, stride: 0 }, direction)
    }

    pub(crate) const fn nd(
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        batch_dims: usize,
        direction: Direction,
    ) -> Result<Plan, Error> {
        tri!(same_sizes(&tri!(nd_sizes(table, indices, batch_dims, direction)), flat, direction.flat()));
        let last = indices.rank() - 1;
        let tuple = Tuple { first: batch_dims, size: indices.size(last), stride: indices.stride(last) };
        let (mut outer, mut inner) = (Dims::NONE, Dims::NONE);
        let mut d = 0;
        while d < last {
            let along_table = if d < batch_dims { table.stride(d) } else { 0 };
            outer =
                outer.push(Dim { size: indices.size(d), table: along_table, indices: indices.stride(d), flat: flat.stride(d), cell: 0 });
            d += 1;
        }
        d = batch_dims + tuple.size;
        while d < table.rank() {
            let flat = flat.stride(d - batch_dims - tuple.size + last);
            inner = inner.push(Dim { size: table.size(d), table: table.stride(d), indices: 0, flat, cell: 0 });
            d += 1;
        }
        Plan::new(table, indices, flat, outer, inner, tuple, direction)
    }

    /// The plan of `output = input`, for tensors of the same sizes: no indices, all dimensions inner.
    pub(crate) const fn copy(input: &Layout, output: &Layout) -> Result<Plan, Error> {
        tri!(same_sizes(input, output, Operand::Output));
        let mut inner = Dims::NONE;
        let mut d = 0;
        while d < input.rank() {
            inner = inner.push(Dim { size: input.size(d), table: input.stride(d), indices: 0, flat: output.stride(d), cell: 0 });
            d += 1;
        }
        Plan::new(input, &SCALAR, output, Dims::NONE, inner, Tuple { first: 0, size: 0, stride: 0 }, Direction::Gather)
    }

    const fn new(
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        outer: Dims,
        inner: Dims,
        tuple: Tuple,
        direction: Direction,
    ) -> Result<Plan, Error> {
        let lengths = Lengths {
            table: tri!(table.extent(direction.table())),
            indices: tri!(indices.extent(Operand::Indices)),
            flat: tri!(flat.extent(direction.flat())),
        };
        match direction {
            Direction::Gather => tri!(flat.without_overlap(Operand::Output)),
            Direction::Scatter => tri!(table.without_overlap(Operand::Output)),
        }
        let (outer, broadcast, entry_weight) = outer.split_broadcast();
        let inner = broadcast.append(inner);
        let mut plan = Plan {
            dims: outer.append_unmerged(&inner).dims,
            outer: outer.len,
            rank: outer.len + inner.len,
            coordinates: [NO_COORDINATE; MAX_RANK],
            tuple: tuple.size,
            tuple_stride: tuple.stride,
            start: Start { table: table.offset(), indices: indices.offset(), flat: flat.offset() },
            lengths,
            entry_weight,
            cells: 1,
            empty: lengths.flat == 0,
            bounds: Bounds::Error,
        };
        plan.number_cells(table, tuple);
        Ok(plan)
    }

    /// Fills in the coordinates, and numbers the places of the indexed space: coordinates run fastest, then the dimensions that index and table
    /// share. The number of cells is no larger than the table, whose size is known not to overflow.
    const fn number_cells(&mut self, table: &Layout, tuple: Tuple) {
        let mut c = tuple.size;
        while c > 0 {
            c -= 1;
            let size = table.size(tuple.first + c);
            if c < MAX_RANK {
                self.coordinates[c] = Coordinate { size, table: table.stride(tuple.first + c), cell: self.cells };
            }
            self.cells = self.cells.saturating_mul(size);
        }
        let mut d = self.outer;
        while d > 0 {
            d -= 1;
            if d < MAX_RANK && self.dims[d].table != 0 {
                self.dims[d].cell = self.cells;
                self.cells = self.cells.saturating_mul(self.dims[d].size);
            }
        }
    }
}

/// What the walk asks for.
impl Plan {
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

    #[inline]
    pub(crate) fn coordinates(&self) -> &[Coordinate] {
        self.coordinates.get(..self.tuple).unwrap_or(&[])
    }
}

/// The dimensions of the table that the tuples index, and how the tuples lie in the indices.
#[derive(Clone, Copy)]
struct Tuple {
    first: usize,
    size: usize,
    stride: isize,
}

/// A list of dimensions in which neighbours merge as they are added.
#[derive(Clone, Copy)]
struct Dims {
    dims: [Dim; MAX_RANK],
    len: usize,
}

impl Dims {
    const NONE: Dims = Dims { dims: [NO_DIM; MAX_RANK], len: 0 };

    /// Adds an inner neighbour. It merges with the last dimension when a step of that one is `size` steps of the new one, in all tensors.
    const fn push(mut self, dim: Dim) -> Dims {
        if dim.size == 1 {
            return self;
        }
        if self.len > 0 && self.len <= MAX_RANK {
            let last = &mut self.dims[self.len - 1];
            if is_steps(last.table, dim.table, dim.size)
                && is_steps(last.indices, dim.indices, dim.size)
                && is_steps(last.flat, dim.flat, dim.size)
            {
                // An overflow means that the tensor is refused, or that there is nothing to walk because another size is 0.
                *last = Dim { size: last.size.saturating_mul(dim.size), ..dim };
                return self;
            }
        }
        self.append_one(dim)
    }

    const fn append_one(mut self, dim: Dim) -> Dims {
        if self.len < MAX_RANK {
            self.dims[self.len] = dim;
            self.len += 1;
        }
        self
    }

    /// Takes the last dimensions off along which the indices do not change but the table does.
    const fn split_broadcast(self) -> (Dims, Dims, usize) {
        let mut kept = self.len;
        let mut entries = 1_usize;
        while kept > 0 && kept <= MAX_RANK && self.dims[kept - 1].indices == 0 && self.dims[kept - 1].table != 0 {
            kept -= 1;
            entries = entries.saturating_mul(self.dims[kept].size);
        }
        let mut outer = Dims::NONE;
        let mut broadcast = Dims::NONE;
        let mut d = 0;
        while d < self.len && d < MAX_RANK {
            if d < kept {
                outer = outer.append_one(self.dims[d]);
            } else {
                broadcast = broadcast.append_one(self.dims[d]);
            }
            d += 1;
        }
        (outer, broadcast, entries)
    }

    const fn append(mut self, more: Dims) -> Dims {
        let mut d = 0;
        while d < more.len && d < MAX_RANK {
            self = self.push(more.dims[d]);
            d += 1;
        }
        self
    }

    const fn append_unmerged(mut self, more: &Dims) -> Dims {
        let mut d = 0;
        while d < more.len && d < MAX_RANK {
            self = self.append_one(more.dims[d]);
            d += 1;
        }
        self
    }
}

/// Whether `outer` is `size` steps of `inner`.
const fn is_steps(outer: isize, inner: isize, size: usize) -> bool {
    if size > isize::MAX as usize {
        return outer == 0 && inner == 0;
    }
    match inner.checked_mul(size as isize) {
        Some(steps) => steps == outer,
        None => false,
    }
}

// ---------------------------------------------------------------------------------------------------------------------------------
// Shapes: the sizes of the flat tensor, from those of table and indices.

/// `table[..axis] ++ indices ++ table[axis+1..]`
pub(crate) const fn axis_sizes(table: &Layout, indices: &Layout, axis: usize, direction: Direction) -> Result<Layout, Error> {
    if axis >= table.rank() {
        return Err(Error::AxisOutOfRange { operand: direction.table(), expected: table.rank(), found: axis });
    }
    let rank = table.rank() - 1 + indices.rank();
    if rank > MAX_RANK {
        return Err(Error::RankTooLarge { operand: direction.flat(), expected: MAX_RANK, found: rank });
    }
    let flat = push_sizes(SCALAR, table, 0, axis);
    let flat = push_sizes(flat, indices, 0, indices.rank());
    Ok(push_sizes(flat, table, axis + 1, table.rank()))
}

/// `indices`, which must not exceed the table off the axis.
pub(crate) const fn elements_sizes(table: &Layout, indices: &Layout, axis: usize, direction: Direction) -> Result<Layout, Error> {
    if axis >= table.rank() {
        return Err(Error::AxisOutOfRange { operand: direction.table(), expected: table.rank(), found: axis });
    }
    tri!(same_rank(table, indices, Operand::Indices));
    let mut dimension = 0;
    while dimension < table.rank() {
        let (expected, found) = (table.size(dimension), indices.size(dimension));
        if dimension != axis && found > expected {
            return Err(Error::SizeMismatch { operand: Operand::Indices, dimension, expected, found });
        }
        dimension += 1;
    }
    Ok(push_sizes(SCALAR, indices, 0, indices.rank()))
}

/// `indices[..q-1] ++ table[batch_dims+k..]`, where `k = indices[q-1]`
pub(crate) const fn nd_sizes(table: &Layout, indices: &Layout, batch_dims: usize, direction: Direction) -> Result<Layout, Error> {
    if indices.rank() == 0 {
        return Err(Error::RankMismatch { operand: Operand::Indices, expected: 1, found: 0 });
    }
    let last = indices.rank() - 1;
    if batch_dims > last {
        return Err(Error::BatchDimsOutOfRange { operand: Operand::Indices, expected: last, found: batch_dims });
    }
    // Every tuple has at least one coordinate.
    if batch_dims >= table.rank() {
        return Err(Error::BatchDimsOutOfRange { operand: direction.table(), expected: table.rank().saturating_sub(1), found: batch_dims });
    }
    let (tuple, most) = (indices.size(last), table.rank() - batch_dims);
    if tuple < 1 || tuple > most {
        return Err(Error::TupleSizeOutOfRange { expected: most, found: tuple });
    }
    let mut dimension = 0;
    while dimension < batch_dims {
        let (expected, found) = (table.size(dimension), indices.size(dimension));
        if expected != found {
            return Err(Error::SizeMismatch { operand: Operand::Indices, dimension, expected, found });
        }
        dimension += 1;
    }
    let rank = last + table.rank() - batch_dims - tuple;
    if rank > MAX_RANK {
        return Err(Error::RankTooLarge { operand: direction.flat(), expected: MAX_RANK, found: rank });
    }
    Ok(push_sizes(push_sizes(SCALAR, indices, 0, last), table, batch_dims + tuple, table.rank()))
}

/// Adds the sizes of dimensions `first..end`. Strides do not matter here.
const fn push_sizes(mut sizes: Layout, from: &Layout, first: usize, end: usize) -> Layout {
    let mut d = first;
    while d < end {
        sizes = sizes.push(from.size(d), 0);
        d += 1;
    }
    sizes
}

const fn same_rank(expected: &Layout, found: &Layout, operand: Operand) -> Result<(), Error> {
    if found.rank() != expected.rank() {
        return Err(Error::RankMismatch { operand, expected: expected.rank(), found: found.rank() });
    }
    Ok(())
}

pub(crate) const fn same_sizes(expected: &Layout, found: &Layout, operand: Operand) -> Result<(), Error> {
    tri!(same_rank(expected, found, operand));
    let mut dimension = 0;
    while dimension < expected.rank() {
        let (expected, found) = (expected.size(dimension), found.size(dimension));
        if expected != found {
            return Err(Error::SizeMismatch { operand, dimension, expected, found });
        }
        dimension += 1;
    }
    Ok(())
}
