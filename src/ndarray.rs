//! Gather and scatter on the arrays and views of the crate `ndarray`, in one call: the feature `ndarray`.
//!
//! ```
//! use ndarray::{array, s};
//! use strew::Add;
//! use strew::ndarray::Operator;
//!
//! let table = array![[1, 2], [3, 4], [5, 6]];
//! let rows = Operator::axis(0).gather(&table, &array![2, 0])?;
//! assert_eq!(rows, array![[5, 6], [1, 2]].into_dyn());
//!
//! // Views of any strides: every other column, backwards.
//! let mut sums = ndarray::Array2::zeros((2, 4));
//! Operator::axis(1).reduce(Add, &mut sums.slice_mut(s![.., ..;-2]), &array![0, 1, 0], &array![[1, 2, 3], [4, 5, 6]])?;
//! assert_eq!(sums, array![[0, 2, 0, 4], [0, 5, 0, 10]]);
//! # Ok::<(), strew::Error>(())
//! ```
//!
//! A view whose elements lie together in memory, in whatever order and direction, is worked on where it is, and so is one that repeats elements
//! (`broadcast`). A view with gaps is copied first (what is written, back at the end): safe code cannot have a slice of it. [`layout`] avoids that copy,
//! where the array that the view is a part of is at hand.

use std::borrow::Cow;

use ::ndarray::{ArrayD, ArrayRef, Axis, Dimension, IxDyn};

use crate::element::Element;
use crate::error::{Error, Operand};
use crate::gather::Gather;
use crate::index::{Bounds, Index};
use crate::layout::{Layout, MAX_RANK};
use crate::reduction::{Assign, Reduction};
use crate::scatter::Scatter;
use crate::shape;

/// The layout of a view in a slice that it is a part of.
///
/// # Errors
/// [`Error::RankTooLarge`], [`Error::SizesOverflow`], and [`Error::SliceTooShort`] if the view is no part of the slice.
///
/// ```
/// use ndarray::{Array1, Array2, s};
/// use strew::{Gather, Layout, ndarray::layout};
///
/// let table = Array2::from_shape_fn((4, 6), |(row, column)| 10 * row + column);
/// let memory = table.as_slice_memory_order().unwrap();
/// // Every other column, without a copy.
/// let columns = layout(&table.slice(s![.., 1..;2]), memory)?;
/// let mut row = Array1::zeros(3);
/// Gather::axis(&columns, &Layout::contiguous([]), &Layout::contiguous([3]), 0)?.run(memory, &[2], row.as_slice_mut().unwrap())?;
/// assert_eq!(row.to_vec(), [21, 23, 25]);
/// # Ok::<(), strew::Error>(())
/// ```
pub fn layout<T, D: Dimension>(view: &ArrayRef<T, D>, slice: &[T]) -> Result<Layout, Error> {
    // What lies before the slice is far behind its end, as well.
    let bytes = view.as_ptr().addr().wrapping_sub(slice.as_ptr().addr());
    let layout = Layout::from_parts(view.shape(), view.strides(), bytes.checked_div(size_of::<T>()).unwrap_or(0))?;
    match layout.extent()? {
        extent if extent <= slice.len() => Ok(layout),
        extent => Err(Error::SliceTooShort { operand: Operand::Layout, expected: extent, found: slice.len() }),
    }
}

/// An operator on arrays, and its rule for indices out of bounds.
///
/// Arrays, views of any strides and shared arrays are all passed as `&array`, or `&mut array` where they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operator {
    kind: Kind,
    bounds: Bounds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Axis(usize),
    Elements(usize),
    Nd(usize),
}

impl Operator {
    /// [`Gather::axis`] and [`Scatter::axis`]: whole slices along one axis.
    #[must_use]
    pub const fn axis(axis: usize) -> Operator {
        Operator { kind: Kind::Axis(axis), bounds: Bounds::Error }
    }

    /// [`Gather::elements`] and [`Scatter::elements`]: one index for every element.
    #[must_use]
    pub const fn elements(axis: usize) -> Operator {
        Operator { kind: Kind::Elements(axis), bounds: Bounds::Error }
    }

    /// [`Gather::nd`] and [`Scatter::nd`]: tuples of coordinates.
    #[must_use]
    pub const fn nd(batch_dims: usize) -> Operator {
        Operator { kind: Kind::Nd(batch_dims), bounds: Bounds::Error }
    }

    /// The same operator with another rule for indices out of bounds; [`Bounds::Error`] if none is set.
    #[must_use]
    pub const fn bounds(self, bounds: Bounds) -> Operator {
        Operator { bounds, ..self }
    }

    /// Gathers into a new array.
    ///
    /// # Errors
    /// Those of the constructor and of [`Gather::run`]; [`Error::SizesOverflow`] if there is no memory for the output.
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// // The value at each row's best column.
    /// let best = Operator::elements(1).gather(&array![[1, 9, 3], [4, 5, 6]], &array![[1], [2]])?;
    /// assert_eq!(best, array![[9], [6]].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn gather<T: Element + Default, I: Index, D: Dimension, E: Dimension>(
        self,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
    ) -> Result<ArrayD<T>, Error> {
        let sizes = match self.kind {
            Kind::Axis(axis) => shape::axis(input.shape(), indices.shape(), axis),
            Kind::Elements(axis) => shape::elements(input.shape(), indices.shape(), axis),
            Kind::Nd(batch_dims) => shape::nd(input.shape(), indices.shape(), batch_dims),
        }?;
        let overflow = Error::SizesOverflow { operand: Operand::Output };
        let length = Layout::from_sizes(&sizes)?.elements().ok_or(overflow)?;
        let mut elements = Vec::new();
        elements.try_reserve_exact(length).map_err(|_| overflow)?;
        elements.resize(length, T::default());
        let mut output = ArrayD::from_shape_vec(IxDyn(&sizes), elements).map_err(|_| overflow)?;
        self.gather_into(input, indices, &mut output)?;
        Ok(output)
    }

    /// Gathers into an array that is there.
    ///
    /// # Errors
    /// Those of the constructor and of [`Gather::run`].
    pub fn gather_into<T: Element, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        output: &mut ArrayRef<T, F>,
    ) -> Result<(), Error> {
        let (input, indices) = (Read::new(input, Operand::Input)?, Read::new(indices, Operand::Indices)?);
        write(output, Operand::Output, |layout, output| {
            let plan = match self.kind {
                Kind::Axis(axis) => Gather::axis(&input.layout, &indices.layout, layout, axis),
                Kind::Elements(axis) => Gather::elements(&input.layout, &indices.layout, layout, axis),
                Kind::Nd(batch_dims) => Gather::nd(&input.layout, &indices.layout, layout, batch_dims),
            };
            plan?.bounds(self.bounds).run(&input.slice, &indices.slice, output)
        })
    }

    /// Assigns in place; the last update of a place stays.
    ///
    /// # Errors
    /// Those of the constructor and of [`Scatter::run`]. The data is as it was.
    ///
    /// ```
    /// use ndarray::{array, Array2, aview0};
    /// use strew::ndarray::Operator;
    ///
    /// let mut board = Array2::zeros((2, 3));
    /// let updates = aview0(&7);
    /// Operator::nd(0).scatter(&mut board, &array![[0, 1], [1, -1]], &updates.broadcast(2).unwrap())?;
    /// assert_eq!(board, array![[0, 7, 0], [0, 0, 7]]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn scatter<T: Element, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
    ) -> Result<(), Error> {
        self.reduce(Assign, data, indices, updates)
    }

    /// Combines in place, in row-major order of the indices.
    ///
    /// # Errors
    /// Those of the constructor and of [`Scatter::reduce`]. The data is as it was.
    pub fn reduce<T: Element, I: Index, R: Reduction<T>, D: Dimension, E: Dimension, F: Dimension>(
        self,
        reduction: R,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
    ) -> Result<(), Error> {
        let (indices, updates) = (Read::new(indices, Operand::Indices)?, Read::new(updates, Operand::Updates)?);
        write(data, Operand::Data, |layout, data| {
            let plan = match self.kind {
                Kind::Axis(axis) => Scatter::axis(layout, &indices.layout, &updates.layout, axis),
                Kind::Elements(axis) => Scatter::elements(layout, &indices.layout, &updates.layout, axis),
                Kind::Nd(batch_dims) => Scatter::nd(layout, &indices.layout, &updates.layout, batch_dims),
            };
            plan?.bounds(self.bounds).reduce(reduction, data, &indices.slice, &updates.slice)
        })
    }
}

/// A view that is read: its layout in a slice.
struct Read<'a, T: Clone> {
    slice: Cow<'a, [T]>,
    layout: Layout,
}

impl<'a, T: Clone> Read<'a, T> {
    fn new<D: Dimension>(view: &'a ArrayRef<T, D>, operand: Operand) -> Result<Self, Error> {
        fits(view, operand)?;
        // Of elements that are repeated, one is enough.
        let mut once = view.view();
        for (dim, (size, stride)) in view.shape().iter().zip(view.strides()).enumerate() {
            if *size > 1 && *stride == 0 {
                once.collapse_axis(Axis(dim), 0);
            }
        }
        if let Some(slice) = once.to_slice_memory_order() {
            return Ok(Read { slice: Cow::Borrowed(slice), layout: layout(view, slice)? });
        }
        let packed = Layout::from_sizes(once.shape())?;
        let stride = |(stride, size): (&isize, &usize)| if *size == 1 { 0 } else { *stride };
        let strides: Vec<isize> = packed.strides().iter().zip(once.shape()).map(stride).collect();
        Ok(Read { slice: once.iter().cloned().collect(), layout: Layout::from_parts(view.shape(), &strides, 0)? })
    }
}

/// Has `run` write a view, with its layout in a slice.
fn write<T: Clone, D: Dimension>(
    view: &mut ArrayRef<T, D>,
    operand: Operand,
    run: impl FnOnce(&Layout, &mut [T]) -> Result<(), Error>,
) -> Result<(), Error> {
    fits(view, operand)?;
    let layout = view.as_slice_memory_order().map(|slice| layout(view, slice)).transpose()?;
    if let Some(layout) = layout
        && let Some(slice) = view.as_slice_memory_order_mut()
    {
        return run(&layout, slice);
    }
    let mut copy: Vec<T> = view.iter().cloned().collect();
    run(&Layout::from_sizes(view.shape())?, &mut copy)?;
    for (element, new) in view.iter_mut().zip(copy) {
        *element = new;
    }
    Ok(())
}

fn fits<T, D: Dimension>(view: &ArrayRef<T, D>, operand: Operand) -> Result<(), Error> {
    match view.ndim() {
        rank if rank > MAX_RANK => Err(Error::RankTooLarge { operand, expected: MAX_RANK, found: rank }),
        _ => Ok(()),
    }
}
