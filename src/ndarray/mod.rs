//! Gather and scatter on the arrays and views of the crate `ndarray`, in one call: the feature
//! `ndarray`.
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
//! let mut columns = sums.slice_mut(s![.., ..;-2]);
//! let updates = array![[1, 2, 3], [4, 5, 6]];
//! Operator::axis(1).reduce(Add, &mut columns, &array![0, 1, 0], &updates)?;
//! assert_eq!(sums, array![[0, 2, 0, 4], [0, 5, 0, 10]]);
//! # Ok::<(), strew::Error>(())
//! ```
//!
//! A view whose elements lie together in memory, in any order and direction, is used in place, and
//! so is one that repeats elements (`broadcast`). Safe code cannot have a slice of a view with
//! gaps, or of windows that overlap. Such a table is copied first, one element for each coordinate,
//! and written back at the end if it is written, but only if it has at most as many elements as
//! move, and 16 for each entry of the indices. In a larger one, the elements that move are found
//! where they are, entry by entry. Indices, updates and outputs are as large as what moves, and are
//! copied. So a call takes time and memory for what moves, however large the table is. [`layout`]
//! avoids all copies where the array that the view is a part of is at hand. It also leads to what
//! [`Operator`] does not have: means, checks, threads.
//!
//! The arrays are those of `ndarray` 0.17.

mod parts;
mod view;

use ::ndarray::{ArrayD, ArrayRef, Dimension, IxDyn};

use self::view::{Source, Target, first, fits, reserve};
use crate::element::Element;
use crate::error::{Error, Operand};
use crate::gather::Gather;
use crate::index::{Bounds, Index, Negative};
use crate::layout::Layout;
use crate::reduction::{Assign, Reduction};
use crate::scatter::Scatter;
use crate::shape;

/// The layout of a view in a slice that it is a part of.
///
/// # Errors
/// [`Error::RankTooLarge`]; [`Error::SliceTooShort`], [`Error::OffsetTooSmall`] or
/// [`Error::SizesOverflow`] if the view is no part of the slice.
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
/// let gather = Gather::axis(&columns, &Layout::contiguous([]), &Layout::contiguous([3]), 0)?;
/// gather.run(memory, &[2], row.as_slice_mut().unwrap())?;
/// assert_eq!(row.to_vec(), [21, 23, 25]);
/// # Ok::<(), strew::Error>(())
/// ```
pub fn layout<T, D: Dimension>(view: &ArrayRef<T, D>, slice: &[T]) -> Result<Layout, Error> {
    // What lies before the slice wraps, and so lies far behind its end.
    let bytes = view.as_ptr().addr().wrapping_sub(slice.as_ptr().addr());
    let offset = match size_of::<T>() {
        0 => first(view),
        size if bytes.is_multiple_of(size) => bytes / size,
        // The view starts between two elements of the slice.
        _ => usize::MAX,
    };
    let layout = Layout::from_parts(view.shape(), view.strides(), offset)?;
    match layout.extent()? {
        extent if extent <= slice.len() => Ok(layout),
        extent => Err(Error::SliceTooShort {
            operand: Operand::Layout,
            expected: extent,
            found: slice.len(),
        }),
    }
}

/// An operator on arrays, and its rule for indices out of bounds.
///
/// Arrays, views of any strides and shared arrays are all passed as `&array`, or `&mut array` where
/// they are written.
///
/// ```
/// use ndarray::array;
/// use strew::ndarray::Operator;
///
/// let output = Operator::axis(0).gather(&array![[1, 2], [3, 4], [5, 6]], &array![2, 0])?;
/// assert_eq!(output, array![[5, 6], [1, 2]].into_dyn());
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operator {
    kind: Kind,
    bounds: Bounds,
    negative: Negative,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Axis(usize),
    Elements(usize),
    Nd(usize),
}

impl Operator {
    /// [`Gather::axis`] and [`Scatter::axis`]: whole slices along one axis.
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let output = Operator::axis(1).gather(&array![[1, 2], [3, 4]], &array![1])?;
    /// assert_eq!(output, array![[2], [4]].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn axis(axis: usize) -> Operator {
        Operator { kind: Kind::Axis(axis), bounds: Bounds::Error, negative: Negative::FromEnd }
    }

    /// [`Gather::elements`] and [`Scatter::elements`]: one index for every element.
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let output = Operator::elements(1).gather(&array![[1, 2], [3, 4]], &array![[1], [0]])?;
    /// assert_eq!(output, array![[2], [3]].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn elements(axis: usize) -> Operator {
        Operator { kind: Kind::Elements(axis), bounds: Bounds::Error, negative: Negative::FromEnd }
    }

    /// [`Gather::nd`] and [`Scatter::nd`]: tuples of coordinates.
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let output = Operator::nd(0).gather(&array![[1, 2], [3, 4]], &array![[1, 0], [0, 1]])?;
    /// assert_eq!(output, array![3, 2].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn nd(batch_dims: usize) -> Operator {
        Operator { kind: Kind::Nd(batch_dims), bounds: Bounds::Error, negative: Negative::FromEnd }
    }

    /// The same operator with another rule for indices out of bounds; [`Bounds::Error`] if none is
    /// set.
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let ring = Operator::axis(0).bounds(strew::Bounds::Wrap);
    /// let output = ring.gather(&array![1, 2, 3], &array![3, 7])?;
    /// assert_eq!(output, array![1, 2].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn bounds(self, bounds: Bounds) -> Operator {
        Operator { bounds, ..self }
    }

    /// The same operator with another meaning of indices below 0; [`Negative::FromEnd`] if none is
    /// set.
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::Negative;
    /// use strew::ndarray::Operator;
    ///
    /// let padded = Operator::axis(0).bounds(strew::Bounds::Skip).negative(Negative::OutOfBounds);
    /// let mut rows = array![0, 0, 0];
    /// padded.gather_into(&array![10, 20], &array![1, -1, 0], &mut rows)?;
    /// assert_eq!(rows, array![20, 0, 10]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn negative(self, negative: Negative) -> Operator {
        Operator { negative, ..self }
    }

    /// Gathers into a new array, of dynamic rank (`into_dimensionality` makes it static). What
    /// [`Bounds::Skip`] leaves out is `T::default()`.
    ///
    /// # Errors
    /// Those of the constructor and of [`Gather::run`]; [`Error::SizesOverflow`] if there is no
    /// memory for the output or a copy.
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
        let mut output = self.output(input, indices)?;
        self.gather_into(input, indices, &mut output)?;
        Ok(output)
    }

    /// Gathers from a table of another type into a new array, as
    /// [`gather`](Operator::gather) and [`Gather::run_map`] do. What [`Bounds::Skip`] leaves out is
    /// `U::default()`.
    ///
    /// # Errors
    /// Those of [`gather`](Operator::gather).
    ///
    /// ```
    /// use half::f16;
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let table = array![[1.0, 2.0], [3.0, 4.0]].mapv(f16::from_f32);
    /// let rows = Operator::axis(0).gather_map(&table, &array![1, 0, 1], f16::to_f32)?;
    /// assert_eq!(rows, array![[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn gather_map<T: Element, U: Element + Default, I: Index, D: Dimension, E: Dimension>(
        self,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        map: impl Fn(T) -> U,
    ) -> Result<ArrayD<U>, Error> {
        let mut output = self.output(input, indices)?;
        self.read(input, indices, &mut output, &map, |gather, input, indices, output| {
            gather.run_map(input, indices, output, &map)
        })?;
        Ok(output)
    }

    /// A new array for what is gathered.
    fn output<T, U: Clone + Default, I, D: Dimension, E: Dimension>(
        self,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
    ) -> Result<ArrayD<U>, Error> {
        fits(input, Operand::Input)?;
        fits(indices, Operand::Indices)?;
        let sizes = match self.kind {
            Kind::Axis(axis) => shape::axis(input.shape(), indices.shape(), axis),
            Kind::Elements(axis) => shape::elements(input.shape(), indices.shape(), axis),
            Kind::Nd(batch_dims) => shape::nd(input.shape(), indices.shape(), batch_dims),
        }?;
        let overflow = Error::SizesOverflow { operand: Operand::Output };
        let length = Layout::from_sizes(&sizes)?.elements().ok_or(overflow)?;
        let mut elements = reserve(length, Operand::Output)?;
        elements.resize(length, U::default());
        ArrayD::from_shape_vec(IxDyn(&sizes), elements).map_err(|_| overflow)
    }

    /// Gathers into an existing array.
    ///
    /// # Errors
    /// Those of the constructor and of [`Gather::run`]; [`Error::SizesOverflow`] if there is no
    /// memory for a copy. Entries that come before a bad index may be in the output already.
    ///
    /// ```
    /// use ndarray::{array, Array2, s};
    /// use strew::{Bounds, ndarray::Operator};
    ///
    /// // Into the last two rows; what is no row of the table stays -1.
    /// let mut rows = Array2::from_elem((3, 2), -1);
    /// let skip = Operator::axis(0).bounds(Bounds::Skip);
    /// skip.gather_into(&array![[1, 2], [3, 4]], &array![1, 7], &mut rows.slice_mut(s![1.., ..]))?;
    /// assert_eq!(rows, array![[-1, -1], [3, 4], [-1, -1]]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn gather_into<T: Element, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        output: &mut ArrayRef<T, F>,
    ) -> Result<(), Error> {
        let same = |element| element;
        self.read(input, indices, output, same, |gather, input, indices, output| {
            gather.run(input, indices, output)
        })
    }

    fn read<T: Element, U: Element, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        output: &mut ArrayRef<U, F>,
        map: impl Fn(T) -> U,
        run: impl FnOnce(&Gather, &[T], &[I], &mut [U]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (input, indices) =
            (Source::new(input, Operand::Input)?, Source::new(indices, Operand::Indices)?);
        let (output, flat) = Target::new(output, Operand::Output)?;
        let (t, i, f) = (&input.layout, &indices.layout, &flat);
        let gather = match self.kind {
            Kind::Axis(axis) => Gather::axis(t, i, f, axis),
            Kind::Elements(axis) => Gather::elements(t, i, f, axis),
            Kind::Nd(batch_dims) => Gather::nd(t, i, f, batch_dims),
        }?
        .bounds(self.bounds)
        .negative(self.negative);
        let indices = indices.elements()?;
        if input.in_place().is_none() && parts::are_few(&gather.plan, input.once.len()) {
            return output.write(Operand::Output, |output| {
                parts::gather(&gather.plan, &input.once, &indices, output, map)
            });
        }
        let input = input.elements()?;
        output.write(Operand::Output, |output| run(&gather, &input, &indices, output))
    }

    /// Assigns in place; the last update of a place stays.
    ///
    /// # Errors
    /// Those of the constructor and of [`Scatter::run`]; [`Error::SizesOverflow`] if there is no
    /// memory for a copy. The data is as it was.
    ///
    /// ```
    /// use ndarray::{array, Array2, aview0};
    /// use strew::ndarray::Operator;
    ///
    /// let mut board = Array2::zeros((2, 3));
    /// let seven = aview0(&7);
    /// let updates = seven.broadcast(2).unwrap();
    /// Operator::nd(0).scatter(&mut board, &array![[0, 1], [1, -1]], &updates)?;
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
    /// Those of the constructor and of [`Scatter::reduce`]; [`Error::SizesOverflow`] if there is no
    /// memory for a copy. The data is as it was.
    ///
    /// ```
    /// use ndarray::{array, Array1};
    /// use strew::{Max, ndarray::Operator};
    ///
    /// let mut highest = Array1::from_elem(2, f32::NEG_INFINITY);
    /// Operator::axis(0).reduce(Max, &mut highest, &array![1, 0, 1], &array![1.0, 2.0, 3.0])?;
    /// assert_eq!(highest, array![2.0, 3.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce<
        T: Element,
        I: Index,
        R: Reduction<T>,
        D: Dimension,
        E: Dimension,
        F: Dimension,
    >(
        self,
        reduction: R,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
    ) -> Result<(), Error> {
        let (indices, updates) =
            (Source::new(indices, Operand::Indices)?, Source::new(updates, Operand::Updates)?);
        let (data, table) = Target::new(data, Operand::Data)?;
        let (t, i, f) = (&table, &indices.layout, &updates.layout);
        let scatter = match self.kind {
            Kind::Axis(axis) => Scatter::axis(t, i, f, axis),
            Kind::Elements(axis) => Scatter::elements(t, i, f, axis),
            Kind::Nd(batch_dims) => Scatter::nd(t, i, f, batch_dims),
        }?
        .bounds(self.bounds)
        .negative(self.negative);
        let (indices, updates) = (indices.elements()?, updates.elements()?);
        match data {
            Target::Gaps(mut data) if parts::are_few(&scatter.plan, data.len()) => {
                parts::scatter(&scatter.plan, &reduction, &mut data, &indices, &updates)
            }
            data => data
                .write(Operand::Data, |data| scatter.reduce(reduction, data, &indices, &updates)),
        }
    }
}
