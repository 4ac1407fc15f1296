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
//! [`Operator`] has `axis`, `elements` and `nd`, and [`Pooled`] has bags. Masks, `lists`, `axes`
//! and `sequence` take no arrays, but slices of them, and layouts by [`layout`]:
//!
//! ```
//! use ndarray::array;
//! use strew::mask::{self, Mask};
//! use strew::ndarray::layout;
//!
//! let mut data = array![[1, 9], [8, 2]];
//! let mask = data.mapv(|value| value > 5);
//! let values = mask.as_slice_memory_order().unwrap();
//! let of_mask = layout(&mask, values)?;
//! let mask = Mask::bools(values, &of_mask);
//!
//! let of_data = layout(&data, data.as_slice_memory_order().unwrap())?;
//! let slice = data.as_slice_memory_order_mut().unwrap();
//! mask::fill(mask, 0, slice, &of_data)?;
//! assert_eq!(data, array![[1, 0], [0, 2]]);
//! # Ok::<(), strew::Error>(())
//! ```
//!
//! - **Broadcast.** Updates are broadcast to the shape that the operator wants, as NumPy does, and
//!   so is a table of `elements` off the axis. Indices are not: along axis 1 of a table of 5 rows,
//!   indices of shape `[1, 3]` read row 0 alone. For all rows, pass
//!   `&indices.broadcast((5, 3)).unwrap()`. Updates that cannot be broadcast are an error:
//!   [`Error::RankMismatch`] if they have more dimensions than the operator wants, else
//!   [`Error::SizeMismatch`], whose dimension is one of those that it wants.
//! - **Axes** may count from the end: `-1` is the last one.
//! - **Version.** The arrays are those of `ndarray` 0.17.
//!
//! # When a table is copied
//!
//! A call takes time and memory for what moves, however large the table is, with few exceptions.
//!
//! - **Without gaps**, in any order and direction, such as `a.t()`: the view is used in place. So
//!   is one that repeats elements (`broadcast`).
//! - **With gaps**, or of windows that overlap: safe code cannot have a slice of such a view. The
//!   elements that move are found where they are, by the thread that calls. These are copied:
//!   - indices;
//!   - outputs and updates of up to 16 KiB (256 KiB if entries move single elements). Of larger
//!     ones, 16 KiB are copied at a time, or more if one entry has more; but rows of 256 elements
//!     or more are not copied;
//!   - a small table. That is one with no more elements than move, or with at most 4 elements for
//!     each entry of the indices (2 if the table is written; 128 in means and reductions without
//!     the values that are there). Where rows of 8 neighbours or more move, but for these means and
//!     reductions, it is one with at most 16 elements for each row (2 if it is written), and one
//!     more for every 8 that move. An element that lies in several windows is copied for each of
//!     them. If the table is written, the copy is written back at the end;
//!   - the updates of means and of reductions without the values that are there, and of their
//!     larger tables the places that the indices name.
//! - **[`Pooled`]** copies all of a table with gaps.
//! - **[`layout`]** avoids all copies where the array that the view is a part of is at hand.
//!
//! Three calls take memory for tables without gaps: a mean takes a word (`u32`) for each place and
//! the words of its sums; a reduction without the values that are there, and `check_unique`, take a
//! bit for each place.

mod axis;
mod bag;
mod grid;
mod plain;
mod scatter;
mod view;

use ::ndarray::{ArrayD, ArrayRef, ArrayViewD, Dimension, MathCell};
use strew_simd::Block;

pub use self::axis::AxisNumber;
use self::axis::Number;
pub use self::bag::Pooled;
use self::grid::{Cost, From, Grid, To};
use self::view::{ROW, Source, Target, filled, first, reserve, whole};
use crate::element::Element;
use crate::engine;
use crate::engine::movers::{Mover as _, Way};
use crate::error::{Direction, Error, Operand};
use crate::gather::Gather;
use crate::index::{Bounds, Index, Negative};
use crate::layout::{Layout, SCALAR};
use crate::map::{Call, Mapped};
use crate::plan::Plan;
use crate::scatter::Scatter;
use crate::shape::{aligned, axis_sizes, elements_sizes, nd_sizes};

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
/// let table = Array2::from_shape_fn((4, 6), |(row, col)| 10 * row + col);
/// let memory = table.as_slice_memory_order().unwrap();
/// // Every other column, without a copy.
/// let columns = layout(&table.slice(s![.., 1..;2]), memory)?;
/// let mut row = Array1::zeros(3);
/// let one = Layout::contiguous([]);
/// let gather = Gather::axis(&columns, &one, &Layout::contiguous([3]), 0)?;
/// gather.run(memory, &[2], row.as_slice_mut().unwrap())?;
/// assert_eq!(row.to_vec(), [21, 23, 25]);
/// # Ok::<(), strew::Error>(())
/// ```
pub fn layout<T, D: Dimension>(view: &ArrayRef<T, D>, slice: &[T]) -> Result<Layout, Error> {
    // What lies before the slice wraps, and so lies far behind its end.
    let bytes = view.as_ptr().addr().wrapping_sub(slice.as_ptr().addr());
    let offset = match size_of::<T>() {
        0 => first(view.shape(), view.strides()),
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

/// An operator on arrays, and its policy for indices out of bounds.
///
/// Arrays, views of any strides and shared arrays are all passed as `&array`, or `&mut array` where
/// they are written.
///
/// ```
/// use ndarray::array;
/// use strew::ndarray::Operator;
///
/// let output = Operator::axis(0)
///     .gather(&array![[1, 2], [3, 4], [5, 6]], &array![2, 0])?;
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
    Axis(Number),
    Elements(Number),
    Nd(usize),
}

/// A [`Kind`] for tensors of one rank.
#[derive(Clone, Copy)]
enum Fixed {
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
    #[doc(alias = "take")]
    #[doc(alias = "index_select")]
    #[doc(alias = "index_add")]
    #[must_use]
    pub fn axis(axis: impl AxisNumber) -> Operator {
        let kind = Kind::Axis(axis.number());
        Operator { kind, bounds: Bounds::Error, negative: Negative::FromEnd }
    }

    /// [`Gather::elements`] and [`Scatter::elements`]: one index for every element.
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let output = Operator::elements(1)
    ///     .gather(&array![[1, 2], [3, 4]], &array![[1], [0]])?;
    /// assert_eq!(output, array![[2], [3]].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "take_along_axis")]
    #[doc(alias = "put_along_axis")]
    #[must_use]
    pub fn elements(axis: impl AxisNumber) -> Operator {
        let kind = Kind::Elements(axis.number());
        Operator { kind, bounds: Bounds::Error, negative: Negative::FromEnd }
    }

    /// [`Gather::nd`] and [`Scatter::nd`]: tuples of coordinates.
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let output = Operator::nd(0)
    ///     .gather(&array![[1, 2], [3, 4]], &array![[1, 0], [0, 1]])?;
    /// assert_eq!(output, array![3, 2].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "gather_nd")]
    #[doc(alias = "scatter_nd")]
    #[must_use]
    pub const fn nd(batch_dims: usize) -> Operator {
        Operator { kind: Kind::Nd(batch_dims), bounds: Bounds::Error, negative: Negative::FromEnd }
    }

    /// The same operator with another policy for indices out of bounds; [`Bounds::Error`] if none
    /// is set.
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
    /// let padded = Operator::axis(0)
    ///     .bounds(strew::Bounds::Skip)
    ///     .negative(Negative::OutOfBounds);
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
    /// let best = Operator::elements(1)
    ///     .gather(&array![[1, 9, 3], [4, 5, 6]], &array![[1], [2]])?;
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
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let table = array![[1_i8, 2], [3, 4]];
    /// let rows = Operator::axis(0).gather_map(
    ///     &table,
    ///     &array![1, 0, 1],
    ///     f32::from,
    /// )?;
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
        self.gather_map_into(input, indices, &mut output, map)?;
        Ok(output)
    }

    /// Gathers from a table of another type into an existing array, as
    /// [`gather_into`](Operator::gather_into) and [`Gather::run_map`] do.
    ///
    /// # Errors
    /// Those of [`gather_into`](Operator::gather_into).
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let mut output = array![0.0, 0.0];
    /// Operator::axis(0).gather_map_into(
    ///     &array![1_i8, 2],
    ///     &array![1, 0],
    ///     &mut output,
    ///     f32::from,
    /// )?;
    /// assert_eq!(output, array![2.0, 1.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn gather_map_into<
        T: Element,
        U: Element,
        I: Index,
        D: Dimension,
        E: Dimension,
        F: Dimension,
    >(
        self,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        output: &mut ArrayRef<U, F>,
        map: impl Fn(T) -> U,
    ) -> Result<(), Error> {
        let kernel = |input: &[T], output: &mut [U], block: &Block<'_>, way: &Way| {
            let source = Mapped { input, map: Call(&map) };
            engine::map::Read { source, output, way: *way }.block(block);
        };
        self.read(
            input,
            indices,
            output,
            |from: &T| map(*from),
            &kernel,
            |gather, input, indices, output| gather.run_map(input, indices, output, &map),
        )
    }

    /// [`gather`](Operator::gather) with the threads of the rayon pool that it is called in.
    ///
    /// # Errors
    /// Those of [`gather`](Operator::gather).
    ///
    /// ```
    /// use ndarray::{Array1, Array2};
    /// use strew::ndarray::Operator;
    ///
    /// let table = Array2::from_shape_fn((1000, 64), |(row, _)| row);
    /// let rows = Operator::axis(0)
    ///     .par_gather(&table, &Array1::from_elem(5000, 7))?;
    /// assert_eq!(rows, Array2::from_elem((5000, 64), 7).into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_gather<T, I: Index, D: Dimension, E: Dimension>(
        self,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
    ) -> Result<ArrayD<T>, Error>
    where
        T: Element + Default + Send + Sync,
    {
        let mut output = self.output(input, indices)?;
        self.par_gather_into(input, indices, &mut output)?;
        Ok(output)
    }

    /// [`gather_into`](Operator::gather_into) with threads, as
    /// [`par_gather`](Operator::par_gather).
    ///
    /// # Errors
    /// Those of [`gather_into`](Operator::gather_into).
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let mut output = array![0, 0];
    /// Operator::axis(0).par_gather_into(
    ///     &array![1, 2],
    ///     &array![1, 0],
    ///     &mut output,
    /// )?;
    /// assert_eq!(output, array![2, 1]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_gather_into<T, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        output: &mut ArrayRef<T, F>,
    ) -> Result<(), Error>
    where
        T: Element + Send + Sync,
    {
        self.read(input, indices, output, |from| *from, &grid::gathered, Gather::par_run)
    }

    /// Proves all indices, for a table of this shape.
    ///
    /// # Errors
    /// Those of the constructor; [`Error::IndexOutOfBounds`] for the first bad index.
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let rows = Operator::axis(0);
    /// assert!(rows.check(&[3, 2], &array![2, 0]).is_ok());
    /// assert!(rows.check(&[3, 2], &array![2, 3]).is_err());
    /// ```
    pub fn check<I: Index, E: Dimension>(
        self,
        table: &[usize],
        indices: &ArrayRef<I, E>,
    ) -> Result<(), Error> {
        let mut layout = SCALAR;
        let indices = Source::new(indices, Operand::Indices, &mut layout)?;
        let scatter = self.scatter_of(table, &layout)?;
        scatter.check(&indices.elements()?).map(|_| ())
    }

    /// Proves all indices, for a table of this shape, and that no two entries address the same
    /// place.
    ///
    /// # Errors
    /// Those of [`check`](Operator::check), and [`Error::DuplicateIndex`].
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::{Error, ndarray::Operator};
    ///
    /// let duplicate = Operator::axis(0).check_unique(&[3, 2], &array![2, 0, -1]);
    /// assert_eq!(duplicate, Err(Error::DuplicateIndex { first: 0, second: 2 }));
    /// ```
    pub fn check_unique<I: Index, E: Dimension>(
        self,
        table: &[usize],
        indices: &ArrayRef<I, E>,
    ) -> Result<(), Error> {
        let mut layout = SCALAR;
        let indices = Source::new(indices, Operand::Indices, &mut layout)?;
        let scatter = self.scatter_of(table, &layout)?;
        let mut flags = reserve(scatter.flags_len(), Operand::Data)?;
        flags.resize(scatter.flags_len(), 0);
        scatter.check_unique(&indices.elements()?, &mut flags).map(|_| ())
    }

    /// A scatter to a packed table of these sizes.
    fn scatter_of(self, table: &[usize], indices: &Layout) -> Result<Scatter, Error> {
        let mut scatter = Scatter { plan: Plan::NOTHING, data: Layout::from_sizes(table)? };
        let mut flat = SCALAR;
        self.sizes(&mut flat, &scatter.data, indices)?;
        flat.pack();
        self.plan(&mut scatter.plan, &scatter.data, indices, &flat, Direction::Scatter)?;
        Ok(scatter)
    }

    /// Pushes the sizes of what is gathered, or of the updates, to `flat`, which is `SCALAR`.
    fn sizes(self, flat: &mut Layout, table: &Layout, indices: &Layout) -> Result<(), Error> {
        let direction = Direction::Gather;
        match self.kind.of(table.rank()) {
            Fixed::Axis(axis) => axis_sizes(flat, table, indices, axis, direction),
            Fixed::Elements(axis) => elements_sizes(flat, table, indices, axis, direction),
            Fixed::Nd(batch_dims) => nd_sizes(flat, table, indices, batch_dims, direction),
        }
    }

    /// The most elements of a table that are copied, for a call with these indices that moves
    /// `moved`, in rows of this many elements if it does: those for which a copy takes no longer.
    fn most_copied(
        self,
        indices: &Layout,
        moved: &Layout,
        row: Option<usize>,
        cost: &Cost,
    ) -> Option<usize> {
        let moved = moved.elements()?;
        if let (Some(n), Some(each)) = (row, cost.row) {
            let rows = moved.checked_div(n).unwrap_or(0);
            return Some(rows.saturating_mul(each).saturating_add(moved / grid::ROW_COPIED));
        }
        let coordinates = match self.kind {
            Kind::Nd(_) => indices.sizes().last().copied().unwrap_or(1),
            Kind::Axis(_) | Kind::Elements(_) => 1,
        };
        let entries = indices.elements()?.checked_div(coordinates).unwrap_or(0);
        Some(moved.max(entries.saturating_mul(cost.entry)))
    }

    /// The elements of the rows that entries move, if these are neighbours along the last axes of
    /// both tensors: of a table with gaps, and of a flat tensor as in
    /// [`moves_rows`](Operator::moves_rows).
    fn row_of_neighbours<T>(
        self,
        view: Option<ArrayViewD<'_, T>>,
        [table, indices, flat]: [&Layout; 3],
        rank: usize,
    ) -> Option<usize> {
        let neighbours = |strides: &[isize]| strides.last() == Some(&1);
        let all = neighbours(view?.strides())
            && neighbours(table.strides())
            && neighbours(flat.strides())
            && self.moves_rows(table, indices, flat, rank);
        flat.sizes().last().copied().filter(|_| all)
    }

    /// Whether an entry moves a row: at least [`ROW`] neighbours in the memory of a flat tensor,
    /// which has `rank` dimensions once it is broadcast.
    fn moves_rows(self, table: &Layout, indices: &Layout, flat: &Layout, rank: usize) -> bool {
        let entries = match self.kind.of(table.rank()) {
            Fixed::Axis(axis) => axis..axis.saturating_add(indices.rank()),
            Fixed::Elements(_) => 0..rank,
            Fixed::Nd(_) => 0..indices.rank().saturating_sub(1),
        };
        let own = flat.sizes().iter().zip(flat.strides());
        (rank.saturating_sub(flat.rank())..).zip(own).any(|(dim, (size, stride))| {
            stride.unsigned_abs() == 1 && *size >= ROW && !entries.contains(&dim)
        })
    }

    /// Makes `plan`, which is `Plan::NOTHING`, that of the operator: in place, as the constructors
    /// of plans do.
    fn plan(
        self,
        plan: &mut Plan,
        table: &Layout,
        indices: &Layout,
        flat: &Layout,
        direction: Direction,
    ) -> Result<(), Error> {
        match self.kind.of(table.rank()) {
            Fixed::Axis(axis) => plan.axis(table, indices, flat, axis, direction),
            Fixed::Elements(axis) => plan.elements(table, indices, flat, axis, direction),
            Fixed::Nd(batch_dims) => plan.nd(table, indices, flat, batch_dims, direction),
        }?;
        plan.set_bounds(self.bounds);
        plan.negative = self.negative;
        Ok(())
    }

    /// Broadcasts a table as far as the indices of `elements` do: off the axis, from a size of 1.
    fn broadcast_table(self, table: &mut Layout, indices: &Layout) {
        if let Fixed::Elements(axis) = self.kind.of(table.rank()) {
            let mut wide = SCALAR;
            for (dim, size) in table.sizes().iter().enumerate() {
                let keeps = dim == axis || *size != 1 || dim >= indices.rank();
                wide.push(if keeps { *size } else { indices.size(dim) }, 0);
            }
            broadcast(table, wide.sizes());
        }
    }

    /// A new array for what is gathered.
    fn output<T, U: Clone + Default, I, D: Dimension, E: Dimension>(
        self,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
    ) -> Result<ArrayD<U>, Error> {
        let (mut table, mut entries, mut flat) = (SCALAR, SCALAR, SCALAR);
        whole(input.shape(), input.strides(), Operand::Input, &mut table)?;
        whole(indices.shape(), indices.strides(), Operand::Indices, &mut entries)?;
        self.broadcast_table(&mut table, &entries);
        self.sizes(&mut flat, &table, &entries)?;
        filled(flat.sizes(), U::default())
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
    /// skip.gather_into(
    ///     &array![[1, 2], [3, 4]],
    ///     &array![1, 7],
    ///     &mut rows.slice_mut(s![1.., ..]),
    /// )?;
    /// assert_eq!(rows, array![[-1, -1], [3, 4], [-1, -1]]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn gather_into<T: Element, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        output: &mut ArrayRef<T, F>,
    ) -> Result<(), Error> {
        let (bytes, shape) = (size_of::<T>(), input.shape());
        let mut room = heapless::Vec::new();
        let plain = self.plain(Direction::Gather, bytes, shape, indices, output.shape(), &mut room);
        if let Some(plain) = &plain
            && plain.gather(input, output)
        {
            return Ok(());
        }
        self.read(input, indices, output, |from| *from, &grid::gathered, Gather::run)
    }

    /// Gathers by `run` from slices; otherwise by [`grid::run`].
    fn read<T: Element, U: Element, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        output: &mut ArrayRef<U, F>,
        map: impl Fn(&T) -> U,
        kernel: &grid::Kernel<'_, T, U>,
        run: impl FnOnce(&Gather, &[T], &[I], &mut [U]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut gather = Gather { plan: Plan::NOTHING, input: SCALAR };
        let (mut entries, mut flat) = (SCALAR, SCALAR);
        let input = Source::new(input, Operand::Input, &mut gather.input)?;
        let indices = Source::new(indices, Operand::Indices, &mut entries)?;
        let output = Target::new(output, Operand::Output, &mut flat)?;
        let layouts = [&gather.input, &entries, &flat];
        let row = self.row_of_neighbours(input.gaps(), layouts, flat.rank());
        let most = self.most_copied(&entries, &flat, row, &grid::READ);
        let table = Grid::new(input.gaps(), most, &mut gather.input);
        let to = output.gaps().and_then(|view| {
            let rows = self.moves_rows(&gather.input, &entries, &flat, flat.rank());
            Grid::new(Some(view), grid::most_packed::<U>(rows), &mut flat)
        });
        self.broadcast_table(&mut gather.input, &entries);
        self.plan(&mut gather.plan, &gather.input, &entries, &flat, Direction::Gather)?;
        let indices = indices.elements()?;
        let elements;
        let table = match &table {
            Some(grid) => From::Grid(grid),
            None => {
                elements = input.elements()?;
                From::Slice(&elements)
            }
        };
        let with_gaps = |output: To<'_, '_, U>| {
            let change = |to: &MathCell<U>, from: &T| to.set(map(from));
            grid::run::<true, _, _, _>(&gather.plan, &indices, &table, output, change, kernel)
        };
        match to {
            Some(to) => with_gaps(To::Grid(&to)),
            // Under other rules, indices may lead nowhere: on an axis of size 0, all do.
            None => {
                output.write(Operand::Output, self.bounds == Bounds::Error, |output| match table {
                    From::Slice(input) => run(&gather, input, &indices, output),
                    From::Grid(_) => with_gaps(To::Slice(output)),
                })
            }
        }
    }
}

impl Kind {
    fn of(self, rank: usize) -> Fixed {
        match self {
            Kind::Axis(axis) => Fixed::Axis(axis.of(rank)),
            Kind::Elements(axis) => Fixed::Elements(axis.of(rank)),
            Kind::Nd(batch_dims) => Fixed::Nd(batch_dims),
        }
    }
}

/// Gives a view these sizes, as NumPy broadcasts it, but for those that it cannot have. It stays as
/// it is if it has more dimensions, or nobody could count the elements.
fn broadcast(view: &mut Layout, sizes: &[usize]) {
    let mut counted = sizes.iter().filter(|size| **size > 0);
    let count = counted.try_fold(1_usize, |count, size| count.checked_mul(*size));
    if view.sizes() == sizes
        || view.rank() > sizes.len()
        || count.is_none_or(|count| count > isize::MAX.cast_unsigned())
    {
        return;
    }
    let mut wide = SCALAR.with_offset(view.offset());
    for (dimension, size) in sizes.iter().enumerate() {
        match aligned(view, sizes.len(), dimension) {
            (1, _) => wide.push(*size, 0),
            (own, stride) => wide.push(own, stride),
        }
    }
    *view = wide;
}
