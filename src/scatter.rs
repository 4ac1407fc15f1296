//! Scatter: `data[.. indices ..] (op)= updates[s]`.

use crate::average::Average;
use crate::cells;
use crate::element::Element;
#[cfg(feature = "std")]
use crate::engine::Explain;
use crate::error::{Direction, Error, made, tri};
use crate::index::{Bounds, Index, Negative};
use crate::layout::{Layout, SCALAR};
use crate::plan::{Plan, Sequence};
use crate::reduction::{Add, Assign, Extreme, Reduction};
use crate::run;

/// A scatter whose shapes are proven: it writes `updates`, in order, to the elements of `data` that
/// `indices` choose.
///
/// No write is seen before all indices are proven: whatever the error, `data` is as it was. Updates
/// are applied in row-major order of the indices, so that the last of several assignments to one
/// place stays, and sums of floats are reproducible to the bit. Indices and updates may have any
/// strides; the data may have any that do not make it overlap itself. Elements of the data slice
/// outside its layout are not touched.
///
/// ```
/// use strew::{Add, Layout, Scatter};
///
/// // A histogram: every update is the same 1, a tensor with stride 0.
/// let data = Layout::contiguous([4]);
/// let samples = Layout::contiguous([5]);
/// let scatter =
///     Scatter::axis(&data, &samples, &Layout::strided([5], [0]), 0)?;
/// let mut bins = [0_u32; 4];
/// scatter.reduce(Add, &mut bins, &[3_u8, 1, 3, 0, 3], &[1])?;
/// assert_eq!(bins, [1, 1, 0, 3]);
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scatter {
    pub(crate) plan: Plan,
    /// For calls that copy an input to the output (as `run_from`), the adjoint, and `ndarray`.
    pub(crate) data: Layout,
}

impl Scatter {
    /// What constructors start from.
    const NEW: Scatter = Scatter { plan: Plan::NOTHING, data: SCALAR };

    /// `data[p.., indices[i..], s..] (op)= updates[p.., i.., s..]`, where `p` are the `axis`
    /// dimensions before the axis and `s` those after it.
    ///
    /// The shapes are `updates = data[..axis] ++ indices ++ data[axis+1..]`
    /// ([`shape::axis`](crate::shape::axis)): data and updates are as the input and output of
    /// [`Gather::axis`](crate::Gather::axis).
    ///
    /// This is PyTorch `index_copy` and `index_add`, OpenVINO `ScatterUpdate`, JAX `.at[indices]`.
    ///
    /// For an axis of -1, see [`Layout::axis`].
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`], [`Error::RankTooLarge`], [`Error::RankMismatch`],
    /// [`Error::SizeMismatch`], [`Error::SizesOverflow`], [`Error::OffsetTooSmall`],
    /// [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// // Writes two rows of a 3 x 2 table.
    /// let table = Layout::contiguous([3, 2]);
    /// let ids = Layout::contiguous([2]);
    /// let scatter = Scatter::axis(&table, &ids, &Layout::contiguous([2, 2]), 0)?;
    /// let mut data = [0; 6];
    /// scatter.run(&mut data, &[2, 0], &[1, 2, 3, 4])?;
    /// assert_eq!(data, [3, 4, 0, 0, 1, 2]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "put")]
    #[doc(alias = "index_copy")]
    #[doc(alias = "index_add")]
    #[doc(alias = "index_reduce")]
    #[doc(alias = "index_fill")]
    #[doc(alias = "segment_sum")]
    #[doc(alias = "unsorted_segment_sum")]
    #[doc(alias = "ScatterUpdate")]
    #[doc(alias = "set_rows")]
    #[doc(alias = "reshape_and_cache")]
    pub const fn axis(
        data: &Layout,
        indices: &Layout,
        updates: &Layout,
        axis: usize,
    ) -> Result<Scatter, Error> {
        made!(scatter = Scatter::NEW, {
            scatter.data = *data;
            scatter.plan.axis(data, indices, updates, axis, Direction::Scatter)
        })
    }

    /// [`axis`](Scatter::axis) for packed updates, whose layout comes with the plan: their sizes
    /// need not be known.
    ///
    /// # Errors
    /// Those of [`axis`](Scatter::axis), but for those of the updates' sizes.
    ///
    /// ```
    /// use strew::{Scatter, Layout};
    ///
    /// let table = Layout::contiguous([3, 2]);
    /// let ids = Layout::contiguous([4]);
    /// let (scatter, updates) = Scatter::axis_packed(&table, &ids, 0)?;
    /// assert_eq!(updates.sizes(), [4, 2]);
    /// let mut data = [0; 6];
    /// scatter.run(&mut data, &[2, 0, 1, 2], &[1, 2, 3, 4, 5, 6, 7, 8])?;
    /// assert_eq!(data, [3, 4, 5, 6, 7, 8]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn axis_packed(
        data: &Layout,
        indices: &Layout,
        axis: usize,
    ) -> Result<(Scatter, Layout), Error> {
        made!((scatter, updates) = (Scatter::NEW, SCALAR), {
            scatter.data = *data;
            scatter.plan.axis_packed(updates, data, indices, axis, Direction::Scatter)
        })
    }

    /// `data[c with c[axis] := indices[c]] (op)= updates[c]`
    ///
    /// The shapes are `updates = indices`, with `indices[d] <= data[d]` for `d != axis`
    /// ([`shape::elements`](crate::shape::elements)).
    ///
    /// This is ONNX `ScatterElements`, DirectML `SCATTER` (`SCATTER_ELEMENTS`), PyTorch `scatter`
    /// and `scatter_reduce`, NumPy `put_along_axis`. Off the axis, indices lead to the first
    /// positions, as in PyTorch. NumPy broadcasts indices of size 1; this does not: give them the
    /// full size and a stride of 0.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`], [`Error::RankMismatch`], [`Error::SizeMismatch`],
    /// [`Error::SizesOverflow`], [`Error::OffsetTooSmall`], [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// // One-hot rows.
    /// let data = Layout::contiguous([2, 3]);
    /// let classes = Layout::contiguous([2, 1]);
    /// let ones = Layout::strided([2, 1], [0, 0]);
    /// let scatter = Scatter::elements(&data, &classes, &ones, 1)?;
    /// let mut one_hot = [0; 6];
    /// scatter.run(&mut one_hot, &[2, 1], &[1])?;
    /// assert_eq!(one_hot, [0, 0, 1, 0, 1, 0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "put_along_axis")]
    #[doc(alias = "scatter_add")]
    #[doc(alias = "scatter_reduce")]
    #[doc(alias = "one_hot")]
    #[doc(alias = "ScatterElements")]
    #[doc(alias = "DML_OPERATOR_SCATTER")]
    #[doc(alias = "DML_OPERATOR_SCATTER_ELEMENTS")]
    pub const fn elements(
        data: &Layout,
        indices: &Layout,
        updates: &Layout,
        axis: usize,
    ) -> Result<Scatter, Error> {
        made!(scatter = Scatter::NEW, {
            scatter.data = *data;
            scatter.plan.elements(data, indices, updates, axis, Direction::Scatter)
        })
    }

    /// [`elements`](Scatter::elements) for packed updates, whose layout comes with the plan.
    ///
    /// # Errors
    /// Those of [`elements`](Scatter::elements), but for those of the updates' sizes.
    ///
    /// ```
    /// use strew::{Scatter, Layout};
    ///
    /// let table = Layout::contiguous([2, 3]);
    /// let best = Layout::contiguous([2, 1]);
    /// let (scatter, updates) = Scatter::elements_packed(&table, &best, 1)?;
    /// assert_eq!(updates.sizes(), [2, 1]);
    /// assert_eq!(scatter.updates_len(), 2);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn elements_packed(
        data: &Layout,
        indices: &Layout,
        axis: usize,
    ) -> Result<(Scatter, Layout), Error> {
        made!((scatter, updates) = (Scatter::NEW, SCALAR), {
            scatter.data = *data;
            scatter.plan.elements_packed(updates, data, indices, axis, Direction::Scatter)
        })
    }

    /// `data[B.., indices[B.., i.., 0..k].., s..] (op)= updates[B.., i.., s..]`, where `B` are the
    /// batch dimensions and `k` is the last size of the indices.
    ///
    /// The shapes are `updates = indices[..q-1] ++ data[batch_dims+k..]`, where `q` is the rank of
    /// the indices, with `data[..batch_dims] = indices[..batch_dims]`, `k >= 1`,
    /// `batch_dims + k <= rank(data)` and `batch_dims < rank(indices)`
    /// ([`shape::nd`](crate::shape::nd)). Tuples of one coordinate have their dimension of size 1
    /// as well: indices are `[n, 1]`, not `[n]`.
    ///
    /// This is ONNX `ScatterND`, DirectML `SCATTER_ND`, TensorFlow `tensor_scatter_nd_update`;
    /// batch dimensions are the counterpart of `GATHER_ND1`.
    ///
    /// # Errors
    /// [`Error::RankMismatch`], [`Error::BatchDimsOutOfRange`], [`Error::TupleSizeOutOfRange`],
    /// [`Error::RankTooLarge`], [`Error::SizeMismatch`], [`Error::SizesOverflow`],
    /// [`Error::OffsetTooSmall`], [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let table = Layout::contiguous([2, 2]);
    /// let pairs = Layout::contiguous([2, 2]);
    /// let scatter = Scatter::nd(&table, &pairs, &Layout::contiguous([2]), 0)?;
    /// let mut data = [0; 4];
    /// scatter.run(&mut data, &[0, 1, /**/ 1, 0], &[7, 8])?;
    /// assert_eq!(data, [0, 7, 8, 0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "scatter_nd")]
    #[doc(alias = "tensor_scatter_nd_update")]
    #[doc(alias = "tensor_scatter_nd_add")]
    #[doc(alias = "histogram2d")]
    #[doc(alias = "ScatterND")]
    #[doc(alias = "DML_OPERATOR_SCATTER_ND")]
    pub const fn nd(
        data: &Layout,
        indices: &Layout,
        updates: &Layout,
        batch_dims: usize,
    ) -> Result<Scatter, Error> {
        made!(scatter = Scatter::NEW, {
            scatter.data = *data;
            scatter.plan.nd(data, indices, updates, batch_dims, Direction::Scatter)
        })
    }

    /// [`nd`](Scatter::nd) for packed updates, whose layout comes with the plan.
    ///
    /// # Errors
    /// Those of [`nd`](Scatter::nd), but for those of the updates' sizes.
    ///
    /// ```
    /// use strew::{Scatter, Layout};
    ///
    /// let table = Layout::contiguous([2, 2, 5]);
    /// let pairs = Layout::contiguous([3, 2]);
    /// let (scatter, updates) = Scatter::nd_packed(&table, &pairs, 0)?;
    /// assert_eq!(updates.sizes(), [3, 5]);
    /// assert_eq!(scatter.updates_len(), 15);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn nd_packed(
        data: &Layout,
        indices: &Layout,
        batch_dims: usize,
    ) -> Result<(Scatter, Layout), Error> {
        made!((scatter, updates) = (Scatter::NEW, SCALAR), {
            scatter.data = *data;
            scatter.plan.nd_packed(updates, data, indices, batch_dims, Direction::Scatter)
        })
    }

    /// `data[c] (op)= updates[i.., s..]`, where coordinate `axes[m]` of `c` is `indices[i.., m]`,
    /// and `s` are the other coordinates of `c`, in their order: [`nd`](Scatter::nd) on any
    /// different axes, in any order.
    ///
    /// The shapes are `updates = indices[..q-1] ++ the other sizes of the data`, where `q` is the
    /// rank of the indices, and `indices[q-1]` the number of axes
    /// ([`shape::axes`](crate::shape::axes)).
    ///
    /// This is NumPy's `a[i, :, j] = u`, with `i` and `j` side by side in the last dimension of the
    /// indices; [`Gather::axes`](crate::Gather::axes) says where NumPy differs.
    ///
    /// # Errors
    /// [`Error::RankMismatch`], [`Error::TupleSizeOutOfRange`], [`Error::AxisOutOfRange`],
    /// [`Error::RepeatedAxis`], [`Error::RankTooLarge`], [`Error::SizeMismatch`],
    /// [`Error::SizesOverflow`], [`Error::OffsetTooSmall`], [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// // Column 1 of image 0, with the coordinates in the order (column, image).
    /// let data = Layout::contiguous([2, 3, 2]);
    /// let pairs = Layout::contiguous([1, 2]);
    /// let updates = Layout::contiguous([1, 3]);
    /// let scatter = Scatter::axes(&data, &pairs, &updates, &[2, 0])?;
    /// let mut data = [0; 12];
    /// scatter.run(&mut data, &[1, 0], &[7, 8, 9])?;
    /// assert_eq!(data, [0, 7, 0, 8, 0, 9, 0, 0, 0, 0, 0, 0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "fancy_indexing")]
    #[doc(alias = "vindex")]
    pub const fn axes(
        data: &Layout,
        indices: &Layout,
        updates: &Layout,
        axes: &[usize],
    ) -> Result<Scatter, Error> {
        made!(scatter = Scatter::NEW, {
            scatter.data = *data;
            scatter.plan.axes(data, indices, updates, axes, Direction::Scatter)
        })
    }

    /// [`axes`](Scatter::axes) for packed updates, whose layout comes with the plan.
    ///
    /// # Errors
    /// Those of [`axes`](Scatter::axes), but for those of the updates' sizes.
    ///
    /// ```
    /// use strew::{Scatter, Layout};
    ///
    /// let input = Layout::contiguous([2, 3, 2]);
    /// let pairs = Layout::contiguous([4, 2]);
    /// let (scatter, updates) = Scatter::axes_packed(&input, &pairs, &[0, 2])?;
    /// assert_eq!(updates.sizes(), [4, 3]);
    /// assert_eq!(scatter.updates_len(), 12);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn axes_packed(
        data: &Layout,
        indices: &Layout,
        axes: &[usize],
    ) -> Result<(Scatter, Layout), Error> {
        made!((scatter, updates) = (Scatter::NEW, SCALAR), {
            scatter.data = *data;
            scatter.plan.axes_packed(updates, data, indices, axes, Direction::Scatter)
        })
    }

    /// `data[b.., p.., positions[b..] + n, s..] (op)= updates[b.., p.., n, s..]`, where the sum is
    /// a coordinate along the axis, modulo its size if the sequence is circular.
    ///
    /// The shapes are `updates = data` but for the axis, along which the updates may be shorter,
    /// and `positions = data[..r]`, with `r <= axis`: a position for each batch, and for each head
    /// if one likes, or one for all, in a layout of rank 0. ONNX has `r = 1`; where it leaves the
    /// positions out, they are `&[0]` with `Layout::strided([batches], [0])`.
    ///
    /// - [`Sequence::Linear`]: a position at which not all of the sequence fits is out of bounds,
    ///   and so is one below 0, as under [`Negative::OutOfBounds`]. Errors count the places at
    ///   which it fits: `data[axis] - updates[axis] + 1`. [`Bounds::Clamp`] moves the sequence as a
    ///   whole to where it fits, as XLA's `DynamicUpdateSlice` does. JAX's does so too, but by
    ///   default it first adds the size of the axis to starts below 0. [`Bounds::Skip`] leaves it
    ///   out.
    /// - [`Sequence::Circular`]: positions are taken modulo the size, as by [`Bounds::Wrap`], and
    ///   the sequence goes on at the start of the axis. Another policy decides about the positions,
    ///   never about what comes after them.
    ///
    /// This is ONNX `TensorScatter`.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`], [`Error::BatchDimsOutOfRange`] for positions of a rank above the
    /// axis, [`Error::RankMismatch`], [`Error::SizeMismatch`], [`Error::SizesOverflow`],
    /// [`Error::OffsetTooSmall`], [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Layout, Scatter, Sequence};
    ///
    /// // Two tokens for each of two caches of four places. The tokens of the
    /// // second one go on at its start.
    /// let cache = Layout::contiguous([2, 4]);
    /// let starts = Layout::contiguous([2]);
    /// let tokens = Layout::contiguous([2, 2]);
    /// let mode = Sequence::Circular;
    /// let scatter = Scatter::sequence(&cache, &starts, &tokens, 1, mode)?;
    /// let mut data = [0; 8];
    /// scatter.run(&mut data, &[1, 3], &[1, 2, /**/ 3, 4])?;
    /// assert_eq!(data, [0, 1, 2, 0, /**/ 4, 0, 0, 3]);
    /// let mode = Sequence::Linear;
    /// let scatter = Scatter::sequence(&cache, &starts, &tokens, 1, mode)?;
    /// assert!(scatter.run(&mut data, &[1, 3], &[1, 2, /**/ 3, 4]).is_err());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "TensorScatter")]
    #[doc(alias = "dynamic_update_slice")]
    #[doc(alias = "kv_cache")]
    pub const fn sequence(
        data: &Layout,
        positions: &Layout,
        updates: &Layout,
        axis: usize,
        sequence: Sequence,
    ) -> Result<Scatter, Error> {
        let mut scatter = Scatter { plan: Plan::NOTHING, data: *data };
        let direction = Direction::Scatter;
        tri!(scatter.plan.sequence(data, positions, updates, axis, sequence, direction));
        Ok(scatter)
    }

    /// The length that the slice of the data must have at least: where its layout ends.
    ///
    /// ```
    /// use strew::{Scatter, Layout};
    ///
    /// let table = Layout::contiguous([3, 2]);
    /// let ids = Layout::strided([4], [2]);
    /// let (scatter, _) = Scatter::axis_packed(&table, &ids, 0)?;
    /// let lengths =
    ///     [scatter.data_len(), scatter.indices_len(), scatter.updates_len()];
    /// assert_eq!(lengths, [6, 7, 8]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn data_len(&self) -> usize {
        self.plan.lengths.table
    }

    /// The length that the slice of the indices must have at least: where its layout ends.
    #[must_use]
    pub const fn indices_len(&self) -> usize {
        self.plan.lengths.indices
    }

    /// The length that the slice of the updates must have at least: where its layout ends.
    #[must_use]
    pub const fn updates_len(&self) -> usize {
        self.plan.lengths.flat
    }

    /// The same scatter with another policy for indices out of bounds; [`Bounds::Error`] if none is
    /// set, but for a [`sequence`](Scatter::sequence), which says its own.
    ///
    /// ```
    /// use strew::{Bounds, Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [0; 2];
    /// scatter.bounds(Bounds::Skip).run(&mut data, &[1, 7, 0], &[1, 2, 3])?;
    /// assert_eq!(data, [3, 1]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn bounds(mut self, bounds: Bounds) -> Scatter {
        self.plan.set_bounds(bounds);
        self
    }

    /// The same scatter with another meaning of indices below 0; [`Negative::FromEnd`] if none is
    /// set, but for a [`sequence`](Scatter::sequence), which says its own.
    ///
    /// ```
    /// use strew::{Add, Bounds, Layout, Negative, Scatter};
    ///
    /// // A histogram in which everything outside is left out, on both sides.
    /// let bins = Layout::contiguous([3]);
    /// let four = Layout::contiguous([4]);
    /// let scatter = Scatter::axis(&bins, &four, &Layout::strided([4], [0]), 0)?;
    /// let scatter = scatter.bounds(Bounds::Skip).negative(Negative::OutOfBounds);
    /// let mut counts = [0; 3];
    /// scatter.reduce(Add, &mut counts, &[0, -1, 2, 3], &[1])?;
    /// assert_eq!(counts, [1, 0, 1]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn negative(mut self, negative: Negative) -> Scatter {
        self.plan.negative = negative;
        self
    }

    /// Assigns in place; the last update of a place stays.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Error, Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [0; 2];
    /// scatter.run(&mut data, &[1, 0, 1], &[1, 2, 3])?;
    /// assert_eq!(data, [2, 3]);
    /// // It is all or nothing.
    /// let error = scatter.run(&mut data, &[0, 0, 2], &[7, 8, 9]);
    /// let bad = Error::IndexOutOfBounds {
    ///     entry: 2,
    ///     coordinate: 0,
    ///     value: 2,
    ///     size: 2,
    /// };
    /// assert_eq!(error, Err(bad));
    /// assert_eq!(data, [2, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    // Without std a constant plan must fold into the loops, and with std callers share them:
    // tests/firmware/FIGURES.md has the figures.
    #[doc(alias = "index_put")]
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn run<T: Element, I: Index>(
        &self,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        self.reduce(Assign, data, indices, updates)
    }

    /// Assigns in place as [`run`](Scatter::run) does, by functions that all plans share: this is
    /// for plans in memory on microcontrollers, as
    /// [`Gather::run_shared`](crate::Gather::run_shared) is.
    ///
    /// # Errors
    /// Those of [`run`](Scatter::run).
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let three = Layout::contiguous([3]);
    /// let one = Layout::contiguous([1]);
    /// let scatter = Scatter::axis(&three, &one, &one, 0)?;
    /// let mut data = [1, 2, 3];
    /// scatter.run_shared(&mut data, &[-1], &[9])?;
    /// assert_eq!(data, [1, 2, 9]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(never))]
    pub fn run_shared<T: Element, I: Index>(
        &self,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        run::scatter_shared(&self.plan, Assign, data, indices, updates)
    }

    /// Combines in place as [`reduce`](Scatter::reduce) does, by functions that all plans share:
    /// see [`run_shared`](Scatter::run_shared).
    ///
    /// # Errors
    /// Those of [`reduce`](Scatter::reduce).
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let three = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let scatter = Scatter::axis(&three, &two, &two, 0)?;
    /// let mut data = [1, 2, 3];
    /// scatter.reduce_shared(Add, &mut data, &[0, 0], &[10, 20])?;
    /// assert_eq!(data, [31, 2, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(never))]
    pub fn reduce_shared<T: Element, I: Index, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        run::scatter_shared(&self.plan, reduction, data, indices, updates)
    }

    /// Combines in place, in row-major order of the indices.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Max, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [1.0, 1.0];
    /// scatter.reduce(Max, &mut data, &[0, 0, 1], &[3.0, 2.0, -1.0])?;
    /// assert_eq!(data, [3.0, 1.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    // Without std a constant plan must fold into the loops, and with std callers share them:
    // tests/firmware/FIGURES.md has the figures.
    #[doc(alias = "add_at")]
    #[doc(alias = "bincount")]
    #[doc(alias = "histogram")]
    #[doc(alias = "index_add")]
    #[doc(alias = "scatter_add")]
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn reduce<T: Element, I: Index, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        run::scatter(&self.plan, &reduction, data, indices, updates)
    }

    /// Assigns in place as [`run`](Scatter::run) does, to the bit, with the threads of the rayon
    /// pool that it is called in. Small calls run on the caller's thread.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [0; 2];
    /// scatter.par_run(&mut data, &[1, 0, 1], &[1, 2, 3])?;
    /// assert_eq!(data, [2, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run<T: Element, I: Index>(
        &self,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        self.par_reduce(Assign, data, indices, updates)
    }

    /// Combines in place as [`reduce`](Scatter::reduce) does, to the bit, with the threads of the
    /// rayon pool that it is called in: each place gets its updates from one thread, in order.
    /// Where no order changes the result (integers, `bool`), each thread may have a table of its
    /// own, and these are merged. Small calls, and those that cannot be divided so, run on the
    /// caller's thread.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let n = 20_000;
    /// let table = Layout::contiguous([1000, 64]);
    /// let many = Layout::contiguous([n]);
    /// let scatter =
    ///     Scatter::axis(&table, &many, &Layout::contiguous([n, 64]), 0)?;
    /// let ids: Vec<u32> = (0..n as u32).map(|i| i % 1000).collect();
    /// let (mut sums, rows) = (vec![0_u32; 64_000], vec![1; 64 * n]);
    /// scatter.par_reduce(Add, &mut sums, &ids, &rows)?;
    /// assert_eq!(sums, vec![20; 64_000]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_reduce<T: Element, I: Index, R: Reduction<T> + Sync>(
        &self,
        reduction: R,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        run::par_scatter(&self.plan, &reduction, data, indices, false, updates)
    }

    /// Assigns updates of another type: `data[.. indices ..] = map(updates[..])`. The last update
    /// of a place stays.
    ///
    /// It is the counterpart of [`Gather::run_map`](crate::Gather::run_map), whose rules hold for
    /// `map` here. `map` is called for no update before all indices are proven.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// // A value of a quantised cache is written from a float.
    /// let cache = Layout::contiguous([4]);
    /// let slots = Layout::contiguous([1]);
    /// let scatter = Scatter::axis(&cache, &slots, &slots, 0)?;
    /// let mut values = [0_i8; 4];
    /// scatter.run_map(&mut values, &[2], &[0.5], |value: f32| {
    ///     (value * 128.0) as i8
    /// })?;
    /// assert_eq!(values, [0, 0, 64, 0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    // As for `run`.
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn run_map<T: Element, U: Element, I: Index>(
        &self,
        data: &mut [T],
        indices: &[I],
        updates: &[U],
        map: impl Fn(U) -> T,
    ) -> Result<(), Error> {
        self.reduce_map(Assign, data, indices, updates, map)
    }

    /// Combines with updates of another type, in row-major order of the indices:
    /// `data[.. indices ..] = reduction(data[.. indices ..], map(updates[..]))`.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// // Sums of u8 in u32: 4096 ones are 4096, where u8 would wrap to 0.
    /// let one = Layout::contiguous([1]);
    /// let many = Layout::contiguous([4096]);
    /// let scatter = Scatter::axis(&one, &many, &many, 0)?;
    /// let mut sum = [0];
    /// scatter.reduce_map(
    ///     Add,
    ///     &mut sum,
    ///     &[0; 4096],
    ///     &[1_u8; 4096],
    ///     u32::from,
    /// )?;
    /// assert_eq!(sum, [4096]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    // As for `reduce`.
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn reduce_map<T: Element, U: Element, I: Index, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        indices: &[I],
        updates: &[U],
        map: impl Fn(U) -> T,
    ) -> Result<(), Error> {
        run::change(&self.plan, mapped(&reduction, &map), data, indices, updates)
    }

    /// Assigns as [`run_map`](Scatter::run_map) does, to the bit, with the threads of the rayon
    /// pool that it is called in. Small calls run on the caller's thread.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [0.0_f32; 2];
    /// scatter.par_run_map(&mut data, &[1, 0, 1], &[1_i8, 2, -3], f32::from)?;
    /// assert_eq!(data, [2.0, -3.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run_map<T: Element, U: Element, I: Index>(
        &self,
        data: &mut [T],
        indices: &[I],
        updates: &[U],
        map: impl Fn(U) -> T + Sync,
    ) -> Result<(), Error> {
        self.par_reduce_map(Assign, data, indices, updates, map)
    }

    /// Combines as [`reduce_map`](Scatter::reduce_map) does, to the bit, with the threads of the
    /// rayon pool that it is called in: each place gets its updates from one thread, in order.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut sums = [0_u64; 2];
    /// scatter.par_reduce_map(
    ///     Add,
    ///     &mut sums,
    ///     &[1, 0, 1],
    ///     &[200_u8, 2, 100],
    ///     u64::from,
    /// )?;
    /// assert_eq!(sums, [2, 300]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_reduce_map<T: Element, U: Element, I: Index, R: Reduction<T> + Sync>(
        &self,
        reduction: R,
        data: &mut [T],
        indices: &[I],
        updates: &[U],
        map: impl Fn(U) -> T + Sync,
    ) -> Result<(), Error> {
        run::par_change(&self.plan, mapped(&reduction, &map), data, indices, false, updates)
    }

    /// `output = input`, then the assignment as by [`run`](Scatter::run); input and output have the
    /// layout of the data.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. The output is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let three = Layout::contiguous([3]);
    /// let one = Layout::contiguous([1]);
    /// let scatter = Scatter::axis(&three, &one, &one, 0)?;
    /// let mut output = [0; 3];
    /// scatter.run_into(&[1, 2, 3], &[-1], &[9], &mut output)?;
    /// assert_eq!(output, [1, 2, 9]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn run_into<T: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        updates: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        self.reduce_into(Assign, input, indices, updates, output)
    }

    /// `output = input`, then the reduction as by [`reduce`](Scatter::reduce); input and output
    /// have the layout of the data.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. The output is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut output = [0; 2];
    /// scatter.reduce_into(Add, &[10, 20], &[1, 0, 1], &[1, 2, 3], &mut output)?;
    /// assert_eq!(output, [12, 24]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce_into<T: Element, I: Index, R: Reduction<T>>(
        &self,
        reduction: R,
        input: &[T],
        indices: &[I],
        updates: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        run::scatter_into(&self.plan, &reduction, self.into(input), indices, updates, output)
    }

    /// [`run_into`](Scatter::run_into) from an input with a layout of its own: a view that is
    /// transposed, broadcast or padded needs no copy before the call. The output has the layout of
    /// the data.
    ///
    /// # Errors
    /// Those of [`run_into`](Scatter::run_into), and [`Error::RankMismatch`],
    /// [`Error::SizeMismatch`], [`Error::SizesOverflow`] and [`Error::OffsetTooSmall`] for the
    /// layout of the input. The output is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// // Row 1 of the transpose of a 3 x 2 matrix is set.
    /// let data = Layout::contiguous([2, 3]);
    /// let one = Layout::contiguous([1]);
    /// let (scatter, _) = Scatter::axis_packed(&data, &one, 0)?;
    /// let (transposed, mut output) =
    ///     (Layout::strided([2, 3], [1, 2]), [0; 6]);
    /// scatter.run_from(
    ///     &transposed,
    ///     &[1, 2, 3, 4, 5, 6],
    ///     &[1],
    ///     &[7, 8, 9],
    ///     &mut output,
    /// )?;
    /// assert_eq!(output, [1, 3, 5, 7, 8, 9]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn run_from<T: Element, I: Index>(
        &self,
        layout: &Layout,
        input: &[T],
        indices: &[I],
        updates: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        self.reduce_from(Assign, layout, input, indices, updates, output)
    }

    /// [`reduce_into`](Scatter::reduce_into) from an input with a layout of its own, as
    /// [`run_from`](Scatter::run_from).
    ///
    /// # Errors
    /// Those of [`run_from`](Scatter::run_from). The output is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// // Counts start from 1 everywhere: one 1, with a stride of 0.
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let (scatter, _) = Scatter::axis_packed(&two, &three, 0)?;
    /// let (ones, mut output) = (Layout::strided([2], [0]), [0; 2]);
    /// scatter.reduce_from(Add, &ones, &[1], &[1, 0, 1], &[1, 1, 1], &mut output)?;
    /// assert_eq!(output, [2, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce_from<T: Element, I: Index, R: Reduction<T>>(
        &self,
        reduction: R,
        layout: &Layout,
        input: &[T],
        indices: &[I],
        updates: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        let into = run::Into { input, layout, output: &self.data };
        run::scatter_into(&self.plan, &reduction, into, indices, updates, output)
    }

    /// Combines in place without the values that are there: a place that is hit starts from its
    /// first update, and the others keep their value (`include_self=False` in PyTorch,
    /// `use_init_val=false` in OpenVINO).
    ///
    /// `flags` is scratch of [`flags_len`](Scatter::flags_len) words; what it holds before and
    /// after means nothing.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`], [`Error::ScratchTooShort`]. The data
    /// is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [100, 100];
    /// let flags = &mut [0; 1];
    /// scatter.reduce_excluding_self(Add, &mut data, &[1; 3], &[1, 2, 3], flags)?;
    /// assert_eq!(data, [100, 6]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "include_self")]
    pub fn reduce_excluding_self<T: Element, I: Index, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
        flags: &mut [u32],
    ) -> Result<(), Error> {
        cells::reduce_excluding_self(&self.plan, indices, false, &reduction, data, updates, flags)
    }

    /// [`reduce_excluding_self`](Scatter::reduce_excluding_self) in several calls: a place that an
    /// earlier call has hit starts from what that left there. (For example, a graph has one call
    /// for each type of its edges.)
    ///
    /// `flags` are [`flags_len`](Scatter::flags_len) words that the caller keeps from call to call.
    /// They are 0 before the first call. Each call sets the bit of every place that it hits. Plans
    /// on the same data share them if their indices choose from the same places.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`], [`Error::ScratchTooShort`]. Data and
    /// flags are as they were.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let three = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let scatter = Scatter::axis(&three, &two, &two, 0)?;
    /// let (mut data, mut flags) = ([100; 3], [0; 1]);
    /// scatter.continue_excluding_self(
    ///     Add,
    ///     &mut data,
    ///     &[0, 1],
    ///     &[1, 2],
    ///     &mut flags,
    /// )?;
    /// scatter.continue_excluding_self(
    ///     Add,
    ///     &mut data,
    ///     &[1, 1],
    ///     &[3, 4],
    ///     &mut flags,
    /// )?;
    /// assert_eq!(data, [1, 9, 100]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn continue_excluding_self<T: Element, I: Index, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
        flags: &mut [u32],
    ) -> Result<(), Error> {
        run::with_entries(&self.plan, indices, false, |entries| {
            cells::excluding_self(&self.plan, entries, &reduction, data, updates, flags, false)
        })
    }

    /// `data[c] = max(data[c], updates[e, s..])`, and `winners[c] = e` if that changes `data[c]`,
    /// for each entry `e` in turn. `c` are the coordinates that `updates[e, s..]` leads to.
    /// [`Min`](crate::Min) takes the smallest.
    ///
    /// `winners` are `usize`, laid out as the data. Entries count in row-major order of the
    /// indices, whole tuples for tuples. Of several updates that are as large, the first one wins;
    /// a place that stays as it is keeps its winner, whatever it was.
    ///
    /// These are torch_scatter's `scatter_max` and `scatter_min`; the winners are what a gradient
    /// needs. Its winners count along the axis. So do these with `axis` and indices of rank 1. With
    /// `elements` they count all of the indices: along the last axis, take them modulo the size of
    /// the indices along it.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. Data and winners are as they were.
    ///
    /// ```
    /// use strew::{Layout, Max, Scatter};
    ///
    /// const NONE: usize = usize::MAX;
    /// let two = Layout::contiguous([2]);
    /// let four = Layout::contiguous([4]);
    /// let scatter = Scatter::axis(&two, &four, &four, 0)?;
    /// let (mut data, mut winners) = ([0, 9], [NONE; 2]);
    /// scatter.reduce_arg(
    ///     Max,
    ///     &mut data,
    ///     &mut winners,
    ///     &[0, 1, 0, 0],
    ///     &[3, 5, 7, 7],
    /// )?;
    /// assert_eq!((data, winners), ([7, 9], [2, NONE]));
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "scatter_max")]
    #[doc(alias = "scatter_min")]
    #[doc(alias = "argmax")]
    #[doc(alias = "argmin")]
    pub fn reduce_arg<T: Element, I: Index, R: Extreme + Reduction<T>>(
        &self,
        extreme: R,
        data: &mut [T],
        winners: &mut [usize],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        run::with_entries(&self.plan, indices, false, |entries| {
            cells::reduce_arg(&self.plan, entries, &extreme, data, winners, updates)
        })
    }

    /// Sets every place that is hit to the mean of the value that is there and all updates: to
    /// their sum in row-major order of the indices, divided by the number of updates plus one.
    /// Integers are summed exactly. Floats round at each addition: `f16` and `bf16` in `f32`,
    /// others in themselves (see [`Average`]). The quotient is rounded to the type of the elements,
    /// that of integers down.
    ///
    /// `scratch` has [`mean_len`](Scatter::mean_len) words; what it holds before and after means
    /// nothing. Counts saturate at `u32::MAX`.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`], [`Error::ScratchTooShort`]. The data
    /// is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let (mut with, mut without) = ([2.0, 5.0], [2.0, 5.0]);
    /// let updates = [3.0, 5.0, 10.0];
    /// scatter.mean(&mut with, &[0; 3], &updates, &mut [0; 2])?;
    /// scatter.mean_excluding_self(&mut without, &[0; 3], &updates, &mut [0; 2])?;
    /// assert_eq!((with, without), ([5.0, 5.0], [6.0, 5.0]));
    ///
    /// let mut bytes = [0_u8; 2];
    /// let mut scratch = vec![0; scatter.mean_len::<u8>()];
    /// scatter.mean_excluding_self(
    ///     &mut bytes,
    ///     &[0; 3],
    ///     &[200, 100, 150],
    ///     &mut scratch,
    /// )?;
    /// assert_eq!(bytes, [150, 0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "scatter_mean")]
    #[doc(alias = "segment_mean")]
    pub fn mean<T: Average, I: Index>(
        &self,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
        scratch: &mut [u32],
    ) -> Result<(), Error>
    where
        Add: Reduction<T>,
    {
        cells::average(&self.plan, indices, false, 1, data, updates, scratch)
    }

    /// Sets every place that is hit to the mean of all its updates: this is [`mean`](Scatter::mean)
    /// without the value that is there.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`], [`Error::ScratchTooShort`]. The data
    /// is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut means = [0.0; 2];
    /// let updates = [1.0, 2.0, 4.0];
    /// scatter.mean_excluding_self(&mut means, &[1, 0, 1], &updates, &mut [0; 2])?;
    /// assert_eq!(means, [2.0, 2.5]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn mean_excluding_self<T: Average, I: Index>(
        &self,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
        scratch: &mut [u32],
    ) -> Result<(), Error>
    where
        Add: Reduction<T>,
    {
        cells::average(&self.plan, indices, false, 0, data, updates, scratch)
    }

    /// The number of words that [`mean`](Scatter::mean) needs: a count for each place that the
    /// indices choose from, and a sum for each element of the slice up to
    /// [`data_len`](Scatter::data_len), unless elements hold their sums themselves (`f32` and
    /// `f64`, see [`Average`]).
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// assert_eq!(scatter.mean_len::<f32>(), 2);
    /// assert_eq!(scatter.mean_len::<u8>(), 2 + 2 * 2);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn mean_len<T: Average>(&self) -> usize {
        cells::mean_len::<T>(&self.plan)
    }

    /// The number of words that [`check_unique`](Scatter::check_unique) and
    /// [`reduce_excluding_self`](Scatter::reduce_excluding_self) need: one bit for each place that
    /// the indices choose from.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// assert_eq!(scatter.flags_len(), 1);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn flags_len(&self) -> usize {
        cells::flags_len(&self.plan)
    }

    /// What a scatter to a copy of the input starts from.
    pub(crate) fn into<'a, T>(&'a self, input: &'a [T]) -> run::Into<'a, T> {
        run::Into { input, layout: &self.data, output: &self.data }
    }

    /// Says in one line what [`reduce`](Scatter::reduce) does for these types on this machine; if
    /// `threads` is more than 1, what `par_reduce` does in a pool of this number: how indices are
    /// checked, threads, prefetches and stores. It is for people: the text may change with any
    /// release. The guide [has its words](crate::guide::speed).
    ///
    /// Of an [`Operation`](crate::Operation) it says what a closure does: ask with the reduction
    /// that it stands for, such as [`Add`](crate::Add).
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let bins = Layout::contiguous([1000]);
    /// let many = Layout::contiguous([100_000]);
    /// let ones = Layout::strided([100_000], [0]);
    /// let scatter = Scatter::axis(&bins, &many, &ones, 0)?;
    /// let text = scatter.explain::<u32, i64, Add>(1).to_string();
    /// assert!(
    ///     text.starts_with("check: on a copy of the data"),
    ///     "{text}"
    /// );
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub fn explain<T: Element, I: Index, R: Reduction<T>>(&self, threads: usize) -> Explain {
        Explain::scatter::<T, I, R>(&self.plan, threads)
    }
}

/// What a reduction makes of an update of another type.
#[inline(always)]
pub(crate) fn mapped<T, U, R: Reduction<T>>(
    reduction: &R,
    map: &impl Fn(U) -> T,
) -> impl Fn(T, U) -> T + Copy {
    #[inline(always)]
    |current, update| reduction.combine(current, (*map)(update))
}
