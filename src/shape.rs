//! Shapes of results, for callers who size a buffer.
//!
//! Each function returns the sizes of the **output of a gather**, or of the **updates of a
//! scatter** with the same table. (The result of a scatter has the sizes of its data.)
//!
//! ```
//! use strew::shape;
//!
//! assert_eq!(shape::axis(&[256, 32], &[5], 0)?, [5, 32]);
//! assert_eq!(shape::elements(&[256, 32], &[7, 32], 0)?, [7, 32]);
//! assert_eq!(shape::nd(&[256, 32, 8], &[5, 2], 0)?, [5, 8]);
//! # Ok::<(), strew::Error>(())
//! ```

use crate::error::{Direction, Error, Operand, tri};
use crate::get::{get, get_mut};
use crate::layout::{Layout, MAX_RANK, SCALAR};

/// The sizes of a tensor of any supported rank, as a [`heapless::Vec`], which derefs to a slice.
///
/// ```
/// let shape: strew::shape::Shape = strew::shape::axis(&[256, 32], &[5], 0)?;
/// let mut rows = vec![0_u8; shape.iter().product()];
/// # assert_eq!(rows.len(), 160);
/// # Ok::<(), strew::Error>(())
/// ```
pub type Shape = heapless::Vec<usize, MAX_RANK>;

/// `table[..axis] ++ indices ++ table[axis+1..]`: the output of
/// [`Gather::axis`](crate::Gather::axis), the updates of [`Scatter::axis`](crate::Scatter::axis).
///
/// # Errors
/// [`Error::RankTooLarge`] for an argument or the result, [`Error::AxisOutOfRange`].
///
/// ```
/// assert_eq!(strew::shape::axis(&[2, 3, 4], &[], 1)?, [2, 4]);
/// # Ok::<(), strew::Error>(())
/// ```
pub fn axis(table: &[usize], indices: &[usize], axis: usize) -> Result<Shape, Error> {
    let (table, indices) = (Layout::from_sizes(table)?, Layout::from_sizes(indices)?);
    shape(|flat| axis_sizes(flat, &table, &indices, axis, Direction::Gather))
}

/// `indices`: the output of [`Gather::elements`](crate::Gather::elements), the updates of
/// [`Scatter::elements`](crate::Scatter::elements).
///
/// # Errors
/// [`Error::RankTooLarge`], [`Error::AxisOutOfRange`], [`Error::RankMismatch`], and
/// [`Error::SizeMismatch`] when the indices exceed the table off the axis.
///
/// ```
/// assert_eq!(strew::shape::elements(&[2, 3], &[1, 9], 1)?, [1, 9]);
/// # Ok::<(), strew::Error>(())
/// ```
pub fn elements(table: &[usize], indices: &[usize], axis: usize) -> Result<Shape, Error> {
    let (table, indices) = (Layout::from_sizes(table)?, Layout::from_sizes(indices)?);
    shape(|flat| elements_sizes(flat, &table, &indices, axis, Direction::Gather))
}

/// `indices[..q-1] ++ table[batch_dims+k..]`, where `k = indices[q-1]`: the output of
/// [`Gather::nd`](crate::Gather::nd), the updates of [`Scatter::nd`](crate::Scatter::nd).
///
/// # Errors
/// [`Error::RankTooLarge`] for an argument or the result, [`Error::RankMismatch`] for rank 0,
/// [`Error::BatchDimsOutOfRange`], [`Error::TupleSizeOutOfRange`], and [`Error::SizeMismatch`] for
/// batch dimensions that differ.
///
/// ```
/// assert_eq!(strew::shape::nd(&[2, 3, 4, 5], &[2, 7, 1], 1)?, [2, 7, 4, 5]);
/// # Ok::<(), strew::Error>(())
/// ```
pub fn nd(table: &[usize], indices: &[usize], batch_dims: usize) -> Result<Shape, Error> {
    let (table, indices) = (Layout::from_sizes(table)?, Layout::from_sizes(indices)?);
    shape(|flat| nd_sizes(flat, &table, &indices, batch_dims, Direction::Gather))
}

/// `indices[..q-1] ++ the other dimensions of the table, in their order`: the output of
/// [`Gather::axes`](crate::Gather::axes), the updates of [`Scatter::axes`](crate::Scatter::axes).
///
/// # Errors
/// [`Error::RankTooLarge`] for an argument or the result, [`Error::RankMismatch`] for rank 0,
/// [`Error::TupleSizeOutOfRange`] for no axes or more than the table has,
/// [`Error::SizeMismatch`] when the tuples have more or fewer coordinates than there are axes,
/// [`Error::AxisOutOfRange`], and [`Error::RepeatedAxis`].
///
/// ```
/// assert_eq!(strew::shape::axes(&[2, 3, 4, 5], &[7, 2], &[3, 1])?, [7, 2, 4]);
/// # Ok::<(), strew::Error>(())
/// ```
pub fn axes(table: &[usize], indices: &[usize], axes: &[usize]) -> Result<Shape, Error> {
    let (table, indices) = (Layout::from_sizes(table)?, Layout::from_sizes(indices)?);
    let permuted = axes_first(&table, &indices, axes, Direction::Gather)?;
    shape(|flat| nd_sizes(flat, &permuted, &indices, 0, Direction::Gather))
}

/// `the lists' common sizes ++ the other dimensions of the table, in their order`: the output of
/// [`Gather::lists`](crate::Gather::lists), the updates of
/// [`Scatter::lists`](crate::Scatter::lists), with the sizes of each list.
///
/// # Errors
/// Those of [`axes`], and [`Error::SizeMismatch`] for lists that do not fit each other.
///
/// ```
/// assert_eq!(
///     strew::shape::lists(&[2, 3, 4, 5], [&[7, 1], &[6]], [3, 1])?,
///     [7, 6, 2, 4]
/// );
/// # Ok::<(), strew::Error>(())
/// ```
pub fn lists<const K: usize>(
    table: &[usize],
    lists: [&[usize]; K],
    axes: [usize; K],
) -> Result<Shape, Error> {
    let (table, mut layouts) = (Layout::from_sizes(table)?, [SCALAR; K]);
    for (layout, sizes) in layouts.iter_mut().zip(lists) {
        *layout = Layout::from_sizes(sizes)?;
    }
    let common = broadcast(&layouts.each_ref())?;
    let permuted = axes_first(&table, &Layout::packed(&[K]), &axes, Direction::Gather)?;
    shape(|flat| lists_sizes(flat, &permuted, &common, K, Direction::Gather))
}

fn shape(sizes: impl FnOnce(&mut Layout) -> Result<(), Error>) -> Result<Shape, Error> {
    let (mut flat, mut shape) = (SCALAR, Shape::new());
    sizes(&mut flat)?;
    for size in flat.sizes() {
        // There is room: a layout has no more sizes than a shape.
        let _ = shape.push(*size);
    }
    Ok(shape)
}

/// `table[..axis] ++ indices ++ table[axis+1..]`. The sizes are added to `flat`, which has none:
/// copies of layouts that have just been written take longer than the rest. And so with the others.
pub(crate) const fn axis_sizes(
    flat: &mut Layout,
    table: &Layout,
    indices: &Layout,
    axis: usize,
    direction: Direction,
) -> Result<(), Error> {
    if axis >= table.rank() {
        return Err(Error::AxisOutOfRange {
            operand: direction.table(),
            expected: table.rank(),
            found: axis,
        });
    }
    let rank = table.rank() - 1 + indices.rank();
    if rank > MAX_RANK {
        return Err(Error::RankTooLarge {
            operand: direction.flat(),
            expected: MAX_RANK,
            found: rank,
        });
    }
    push_sizes(flat, table, 0, axis);
    push_sizes(flat, indices, 0, indices.rank());
    push_sizes(flat, table, axis + 1, table.rank());
    Ok(())
}

/// `indices`, which must not exceed the table off the axis.
pub(crate) const fn elements_sizes(
    flat: &mut Layout,
    table: &Layout,
    indices: &Layout,
    axis: usize,
    direction: Direction,
) -> Result<(), Error> {
    if axis >= table.rank() {
        return Err(Error::AxisOutOfRange {
            operand: direction.table(),
            expected: table.rank(),
            found: axis,
        });
    }
    tri!(same_rank(table, indices, Operand::Indices));
    let mut dimension = 0;
    while dimension < table.rank() {
        let (expected, found) = (table.size(dimension), indices.size(dimension));
        if dimension != axis && found > expected {
            return Err(Error::SizeMismatch {
                operand: Operand::Indices,
                dimension,
                expected,
                found,
            });
        }
        dimension += 1;
    }
    push_sizes(flat, indices, 0, indices.rank());
    Ok(())
}

/// `indices[..q-1] ++ table[batch_dims+k..]`, where `k = indices[q-1]`
pub(crate) const fn nd_sizes(
    flat: &mut Layout,
    table: &Layout,
    indices: &Layout,
    batch_dims: usize,
    direction: Direction,
) -> Result<(), Error> {
    if indices.rank() == 0 {
        return Err(Error::RankMismatch { operand: Operand::Indices, expected: 1, found: 0 });
    }
    if table.rank() == 0 {
        return Err(Error::RankMismatch { operand: direction.table(), expected: 1, found: 0 });
    }
    let last = indices.rank() - 1;
    if batch_dims > last {
        return Err(Error::BatchDimsOutOfRange {
            operand: Operand::Indices,
            expected: last,
            found: batch_dims,
        });
    }
    // Every tuple has at least one coordinate.
    if batch_dims >= table.rank() {
        return Err(Error::BatchDimsOutOfRange {
            operand: direction.table(),
            expected: table.rank() - 1,
            found: batch_dims,
        });
    }
    let (tuple, most) = (indices.size(last), table.rank() - batch_dims);
    if tuple < 1 || tuple > most {
        return Err(Error::TupleSizeOutOfRange { expected: most, found: tuple });
    }
    let mut dimension = 0;
    while dimension < batch_dims {
        let (expected, found) = (table.size(dimension), indices.size(dimension));
        if expected != found {
            return Err(Error::SizeMismatch {
                operand: Operand::Indices,
                dimension,
                expected,
                found,
            });
        }
        dimension += 1;
    }
    let rank = last + table.rank() - batch_dims - tuple;
    if rank > MAX_RANK {
        return Err(Error::RankTooLarge {
            operand: direction.flat(),
            expected: MAX_RANK,
            found: rank,
        });
    }
    push_sizes(flat, indices, 0, last);
    push_sizes(flat, table, batch_dims + tuple, table.rank());
    Ok(())
}

/// The table with the axes first, in the order of the tuple, and then its other dimensions. The
/// axes must be different, and as many as the tuples have coordinates.
pub(crate) const fn axes_first(
    table: &Layout,
    indices: &Layout,
    axes: &[usize],
    direction: Direction,
) -> Result<Layout, Error> {
    if indices.rank() == 0 {
        return Err(Error::RankMismatch { operand: Operand::Indices, expected: 1, found: 0 });
    }
    if table.rank() == 0 {
        return Err(Error::RankMismatch { operand: direction.table(), expected: 1, found: 0 });
    }
    let dimension = indices.rank() - 1;
    if axes.is_empty() || axes.len() > table.rank() {
        return Err(Error::TupleSizeOutOfRange { expected: table.rank(), found: axes.len() });
    }
    if indices.size(dimension) != axes.len() {
        return Err(Error::SizeMismatch {
            operand: Operand::Indices,
            dimension,
            expected: axes.len(),
            found: indices.size(dimension),
        });
    }
    let mut permuted = SCALAR.with_offset(table.offset());
    let mut place = [None; MAX_RANK];
    let (mut rest, mut second) = (axes, 0);
    while let [axis, more @ ..] = rest {
        match get_mut(&mut place, *axis) {
            Some(Some(first)) => {
                return Err(Error::RepeatedAxis { axis: *axis, first: *first, second });
            }
            Some(place) if *axis < table.rank() => *place = Some(second),
            _ => {
                return Err(Error::AxisOutOfRange {
                    operand: direction.table(),
                    expected: table.rank(),
                    found: *axis,
                });
            }
        }
        permuted.push(table.size(*axis), table.stride(*axis));
        (rest, second) = (more, second + 1);
    }
    let mut d = 0;
    while d < table.rank() {
        if let Some(None) = get(&place, d) {
            permuted.push(table.size(d), table.stride(d));
        }
        d += 1;
    }
    Ok(permuted)
}

/// The sizes that lists have in common.
pub(crate) const fn broadcast(lists: &[&Layout]) -> Result<Layout, Error> {
    let (mut rank, mut rest) = (0, lists);
    while let [list, more @ ..] = rest {
        rank = if list.rank() > rank { list.rank() } else { rank };
        rest = more;
    }
    let (mut common, mut dimension) = (SCALAR, 0);
    while dimension < rank {
        let mut expected = 1;
        rest = lists;
        while let [list, more @ ..] = rest {
            let found = aligned(list, rank, dimension).0;
            if expected == 1 {
                expected = found;
            } else if found != 1 && found != expected {
                let operand = Operand::Indices;
                return Err(Error::SizeMismatch { operand, dimension, expected, found });
            }
            rest = more;
        }
        common.push(expected, 0);
        dimension += 1;
    }
    Ok(common)
}

/// The size and the stride of a list along a dimension of `rank`: its own dimensions are the last.
pub(crate) const fn aligned(list: &Layout, rank: usize, dimension: usize) -> (usize, isize) {
    match (dimension + list.rank()).checked_sub(rank) {
        Some(own) if list.size(own) == 1 => (1, 0),
        Some(own) => (list.size(own), list.stride(own)),
        None => (1, 0),
    }
}

/// `common ++ table[tuple..]`, for a table with the axes of a tuple first.
pub(crate) const fn lists_sizes(
    flat: &mut Layout,
    table: &Layout,
    common: &Layout,
    tuple: usize,
    direction: Direction,
) -> Result<(), Error> {
    let found = common.rank() + table.rank() - tuple;
    if found > MAX_RANK {
        let operand = direction.flat();
        return Err(Error::RankTooLarge { operand, expected: MAX_RANK, found });
    }
    push_sizes(flat, common, 0, common.rank());
    push_sizes(flat, table, tuple, table.rank());
    Ok(())
}

/// `output[..1] ++ table[1..]`, for a table with a dimension at least.
pub(crate) const fn bag_sizes(table: &Layout, output: &Layout) -> Result<Layout, Error> {
    tri!(same_rank(table, output, Operand::Output));
    let mut sizes = SCALAR;
    push_sizes(&mut sizes, output, 0, 1);
    push_sizes(&mut sizes, table, 1, table.rank());
    Ok(sizes)
}

/// Adds the sizes of dimensions `first..end`. Strides do not matter here.
const fn push_sizes(sizes: &mut Layout, from: &Layout, first: usize, end: usize) {
    let mut d = first;
    while d < end {
        sizes.push(from.size(d), 0);
        d += 1;
    }
}

/// `positions = table[..r]` with `r <= axis`, and `flat = table` but for the axis, along which it
/// may be shorter.
pub(crate) const fn sequence_fits(
    table: &Layout,
    positions: &Layout,
    flat: &Layout,
    axis: usize,
    direction: Direction,
) -> Result<(), Error> {
    if axis >= table.rank() {
        return Err(Error::AxisOutOfRange {
            operand: direction.table(),
            expected: table.rank(),
            found: axis,
        });
    }
    if positions.rank() > axis {
        return Err(Error::BatchDimsOutOfRange {
            operand: Operand::Indices,
            expected: axis,
            found: positions.rank(),
        });
    }
    tri!(same_rank(table, flat, direction.flat()));
    let mut dimension = 0;
    while dimension < table.rank() {
        let (expected, found) = (table.size(dimension), flat.size(dimension));
        if found > expected || (found < expected && dimension != axis) {
            let operand = direction.flat();
            return Err(Error::SizeMismatch { operand, dimension, expected, found });
        }
        let found = positions.size(dimension);
        if dimension < positions.rank() && found != expected {
            let operand = Operand::Indices;
            return Err(Error::SizeMismatch { operand, dimension, expected, found });
        }
        dimension += 1;
    }
    Ok(())
}

const fn same_rank(expected: &Layout, found: &Layout, operand: Operand) -> Result<(), Error> {
    if found.rank() != expected.rank() {
        return Err(Error::RankMismatch {
            operand,
            expected: expected.rank(),
            found: found.rank(),
        });
    }
    Ok(())
}

pub(crate) const fn same_sizes(
    expected: &Layout,
    found: &Layout,
    operand: Operand,
) -> Result<(), Error> {
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
