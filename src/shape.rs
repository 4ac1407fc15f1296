//! Shapes of results, for callers who size a buffer.
//!
//! Each function returns the sizes of the tensor that lies in iteration order: the **output of a gather**, and the **updates of a scatter**
//! with the same table. (The result of a scatter has the sizes of its data.)
//!
//! ```
//! use strew::shape;
//!
//! assert_eq!(shape::axis(&[256, 32], &[5], 0)?, [5, 32]);
//! assert_eq!(shape::elements(&[256, 32], &[7, 32], 0)?, [7, 32]);
//! assert_eq!(shape::nd(&[256, 32, 8], &[5, 2], 0)?, [5, 8]);
//! # Ok::<(), strew::Error>(())
//! ```

use crate::error::Error;
use crate::layout::{Layout, MAX_RANK};
use crate::plan::{Direction, axis_sizes, elements_sizes, nd_sizes};

/// The sizes of a tensor of any supported rank.
pub type Shape = heapless::Vec<usize, MAX_RANK>;

/// `table[..axis] ++ indices ++ table[axis+1..]`: the output of [`Gather::axis`](crate::Gather::axis), the updates of
/// [`Scatter::axis`](crate::Scatter::axis).
///
/// # Errors
/// [`Error::RankTooLarge`] for an argument or the result, [`Error::AxisOutOfRange`].
///
/// ```
/// assert_eq!(strew::shape::axis(&[2, 3, 4], &[], 1)?, [2, 4]);
/// # Ok::<(), strew::Error>(())
/// ```
pub fn axis(table: &[usize], indices: &[usize], axis: usize) -> Result<Shape, Error> {
    shape(axis_sizes(&Layout::from_sizes(table)?, &Layout::from_sizes(indices)?, axis, Direction::Gather))
}

/// `indices`: the output of [`Gather::elements`](crate::Gather::elements), the updates of [`Scatter::elements`](crate::Scatter::elements).
///
/// # Errors
/// [`Error::RankTooLarge`], [`Error::AxisOutOfRange`], [`Error::RankMismatch`], and [`Error::SizeMismatch`] when the indices exceed the table off
/// the axis.
///
/// ```
/// assert_eq!(strew::shape::elements(&[2, 3], &[1, 9], 1)?, [1, 9]);
/// # Ok::<(), strew::Error>(())
/// ```
pub fn elements(table: &[usize], indices: &[usize], axis: usize) -> Result<Shape, Error> {
    shape(elements_sizes(&Layout::from_sizes(table)?, &Layout::from_sizes(indices)?, axis, Direction::Gather))
}

/// `indices[..q-1] ++ table[batch_dims+k..]`, where `k = indices[q-1]`: the output of [`Gather::nd`](crate::Gather::nd), the updates of
/// [`Scatter::nd`](crate::Scatter::nd).
///
/// # Errors
/// [`Error::RankTooLarge`] for an argument or the result, [`Error::RankMismatch`] for rank 0, [`Error::BatchDimsOutOfRange`],
/// [`Error::TupleSizeOutOfRange`], and [`Error::SizeMismatch`] for batch dimensions that differ.
///
/// ```
/// assert_eq!(strew::shape::nd(&[2, 3, 4, 5], &[2, 7, 1], 1)?, [2, 7, 4, 5]);
/// # Ok::<(), strew::Error>(())
/// ```
pub fn nd(table: &[usize], indices: &[usize], batch_dims: usize) -> Result<Shape, Error> {
    shape(nd_sizes(&Layout::from_sizes(table)?, &Layout::from_sizes(indices)?, batch_dims, Direction::Gather))
}

fn shape(sizes: Result<Layout, Error>) -> Result<Shape, Error> {
    let mut shape = Shape::new();
    for size in sizes?.sizes() {
        // There is room: a layout has no more sizes than a shape.
        let _ = shape.push(*size);
    }
    Ok(shape)
}
