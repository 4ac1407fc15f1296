//! Gather: `output[s] = input[.. indices ..]`.

use core::mem::MaybeUninit;

use crate::element::Element;
#[cfg(feature = "std")]
use crate::engine::Explain;
use crate::error::{Direction, Error, made};
use crate::index::{Bounds, Index, Negative};
use crate::layout::{Layout, SCALAR};
use crate::map::{Call, Mapped};
use crate::plan::Plan;
use crate::run;

/// A gather whose shapes are proven: it reads the elements of `input` that `indices` choose, and
/// writes them to `output` in order.
///
/// A plan is a plain value: it can be made at compile time (see [`plan!`](crate::plan)), kept, and
/// run any number of times. Input and indices may have any strides; the output may have any that do
/// not make it overlap itself. Elements of the output slice outside its layout are not touched.
///
/// ```
/// use strew::{Gather, Layout};
///
/// // Rows 2 and 0 of a 3 x 2 table.
/// let table = Layout::contiguous([3, 2]);
/// let ids = Layout::contiguous([2]);
/// let gather = Gather::axis(&table, &ids, &Layout::contiguous([2, 2]), 0)?;
/// let mut rows = [0.0; 4];
/// gather.run(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 0], &mut rows)?;
/// assert_eq!(rows, [5.0, 6.0, 1.0, 2.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gather {
    pub(crate) plan: Plan,
    /// Only [`adjoint`](Gather::adjoint) needs it.
    pub(crate) input: Layout,
}

impl Gather {
    /// What constructors start from.
    const NEW: Gather = Gather { plan: Plan::NOTHING, input: SCALAR };

    /// `output[p.., i.., s..] = input[p.., indices[i..], s..]`, where `p` are the `axis` dimensions
    /// before the axis and `s` those after it.
    ///
    /// The shapes are `output = input[..axis] ++ indices ++ input[axis+1..]`
    /// ([`shape::axis`](crate::shape::axis)). Indices of rank 0 remove the axis.
    ///
    /// This is ONNX `Gather`, DirectML `GATHER`, NumPy `take`, PyTorch `index_select` and
    /// `embedding`.
    ///
    /// For an axis of -1, see [`Layout::axis`].
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`], [`Error::RankTooLarge`], [`Error::RankMismatch`],
    /// [`Error::SizeMismatch`], [`Error::SizesOverflow`], [`Error::OffsetTooSmall`],
    /// [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// // Columns 2, 0 and the last of a 2 x 3 table.
    /// let table = Layout::contiguous([2, 3]);
    /// let gather = Gather::axis(&table, &Layout::contiguous([3]), &table, 1)?;
    /// let mut output = [0; 6];
    /// gather.run(&[1, 2, 3, 4, 5, 6], &[2, 0, -1], &mut output)?;
    /// assert_eq!(output, [3, 1, 3, 6, 4, 6]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "take")]
    #[doc(alias = "index_select")]
    #[doc(alias = "embedding")]
    #[doc(alias = "embedding_lookup")]
    #[doc(alias = "get_rows")]
    #[doc(alias = "DML_OPERATOR_GATHER")]
    pub const fn axis(
        input: &Layout,
        indices: &Layout,
        output: &Layout,
        axis: usize,
    ) -> Result<Gather, Error> {
        made!(gather = Gather::NEW, {
            gather.input = *input;
            gather.plan.axis(input, indices, output, axis, Direction::Gather)
        })
    }

    /// [`axis`](Gather::axis) for a packed output, whose layout comes with the plan: its sizes
    /// need not be known.
    ///
    /// # Errors
    /// Those of [`axis`](Gather::axis), but for those of the output's sizes.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3, 2]);
    /// let ids = Layout::contiguous([4]);
    /// let (gather, rows) = Gather::axis_packed(&table, &ids, 0)?;
    /// assert_eq!(rows.sizes(), [4, 2]);
    /// let mut output = vec![0; gather.output_len()];
    /// gather.run(&[1, 2, 3, 4, 5, 6], &[2, 0, 1, 2], &mut output)?;
    /// assert_eq!(output, [5, 6, 1, 2, 3, 4, 5, 6]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn axis_packed(
        input: &Layout,
        indices: &Layout,
        axis: usize,
    ) -> Result<(Gather, Layout), Error> {
        made!((gather, output) = (Gather::NEW, SCALAR), {
            gather.input = *input;
            gather.plan.axis_packed(output, input, indices, axis, Direction::Gather)
        })
    }

    /// `output[c] = input[c with c[axis] := indices[c]]`
    ///
    /// The shapes are `output = indices`, with `indices[d] <= input[d]` for `d != axis`
    /// ([`shape::elements`](crate::shape::elements)).
    ///
    /// This is ONNX `GatherElements`, DirectML `GATHER_ELEMENTS`, PyTorch `gather`, NumPy
    /// `take_along_axis`. The output has the shape of the indices, as in PyTorch: off the axis they
    /// choose from the first positions. Along axis 1 of a table of 5 rows, indices of shape
    /// `[1, 3]` read row 0 alone, and there is no error. NumPy broadcasts them to all rows: for
    /// that, use `Layout::strided([5, 3], [0, 1])`.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`], [`Error::RankMismatch`], [`Error::SizeMismatch`],
    /// [`Error::SizesOverflow`], [`Error::OffsetTooSmall`], [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// // The value at each row's best column.
    /// let table = Layout::contiguous([2, 3]);
    /// let best = Layout::contiguous([2, 1]);
    /// let gather = Gather::elements(&table, &best, &best, 1)?;
    /// let mut output = [0; 2];
    /// gather.run(&[1, 9, 3, 4, 5, 6], &[1_u8, 2], &mut output)?;
    /// assert_eq!(output, [9, 6]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "take_along_axis")]
    #[doc(alias = "take_along_dim")]
    #[doc(alias = "GatherElements")]
    #[doc(alias = "DML_OPERATOR_GATHER_ELEMENTS")]
    pub const fn elements(
        input: &Layout,
        indices: &Layout,
        output: &Layout,
        axis: usize,
    ) -> Result<Gather, Error> {
        made!(gather = Gather::NEW, {
            gather.input = *input;
            gather.plan.elements(input, indices, output, axis, Direction::Gather)
        })
    }

    /// [`elements`](Gather::elements) for a packed output, whose layout comes with the plan.
    ///
    /// # Errors
    /// Those of [`elements`](Gather::elements), but for those of the output's sizes.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([2, 3]);
    /// let best = Layout::contiguous([2, 1]);
    /// let (gather, values) = Gather::elements_packed(&table, &best, 1)?;
    /// assert_eq!(values.sizes(), [2, 1]);
    /// assert_eq!(gather.output_len(), 2);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn elements_packed(
        input: &Layout,
        indices: &Layout,
        axis: usize,
    ) -> Result<(Gather, Layout), Error> {
        made!((gather, output) = (Gather::NEW, SCALAR), {
            gather.input = *input;
            gather.plan.elements_packed(output, input, indices, axis, Direction::Gather)
        })
    }

    /// `output[B.., i.., s..] = input[B.., indices[B.., i.., 0..k].., s..]`, where `B` are the
    /// batch dimensions and `k` is the last size of the indices.
    ///
    /// The shapes are `output = indices[..q-1] ++ input[batch_dims+k..]`, where `q` is the rank of
    /// the indices, with `input[..batch_dims] = indices[..batch_dims]`, `k >= 1`,
    /// `batch_dims + k <= rank(input)` and `batch_dims < rank(indices)`
    /// ([`shape::nd`](crate::shape::nd)). Tuples of one coordinate have their dimension of size 1
    /// as well: indices are `[n, 1]`, not `[n]`.
    ///
    /// This is ONNX `GatherND`, DirectML `GATHER_ND` and `GATHER_ND1`, TensorFlow `gather_nd`.
    ///
    /// # Errors
    /// [`Error::RankMismatch`], [`Error::BatchDimsOutOfRange`], [`Error::TupleSizeOutOfRange`],
    /// [`Error::RankTooLarge`], [`Error::SizeMismatch`], [`Error::SizesOverflow`],
    /// [`Error::OffsetTooSmall`], [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([2, 2]);
    /// let pairs = Layout::contiguous([3, 2]);
    /// let gather = Gather::nd(&table, &pairs, &Layout::contiguous([3]), 0)?;
    /// let mut output = [0; 3];
    /// gather.run(
    ///     &[10, 11, 20, 21],
    ///     &[0, 1, /**/ 1, 0, /**/ -1, -1],
    ///     &mut output,
    /// )?;
    /// assert_eq!(output, [11, 20, 21]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "gather_nd")]
    #[doc(alias = "GatherND")]
    #[doc(alias = "DML_OPERATOR_GATHER_ND")]
    #[doc(alias = "DML_OPERATOR_GATHER_ND1")]
    pub const fn nd(
        input: &Layout,
        indices: &Layout,
        output: &Layout,
        batch_dims: usize,
    ) -> Result<Gather, Error> {
        made!(gather = Gather::NEW, {
            gather.input = *input;
            gather.plan.nd(input, indices, output, batch_dims, Direction::Gather)
        })
    }

    /// [`nd`](Gather::nd) for a packed output, whose layout comes with the plan.
    ///
    /// # Errors
    /// Those of [`nd`](Gather::nd), but for those of the output's sizes.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([2, 2, 5]);
    /// let pairs = Layout::contiguous([3, 2]);
    /// let (gather, rows) = Gather::nd_packed(&table, &pairs, 0)?;
    /// assert_eq!(rows.sizes(), [3, 5]);
    /// assert_eq!(gather.output_len(), 15);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn nd_packed(
        input: &Layout,
        indices: &Layout,
        batch_dims: usize,
    ) -> Result<(Gather, Layout), Error> {
        made!((gather, output) = (Gather::NEW, SCALAR), {
            gather.input = *input;
            gather.plan.nd_packed(output, input, indices, batch_dims, Direction::Gather)
        })
    }

    /// `output[i.., s..] = input[c]`, where coordinate `axes[m]` of `c` is `indices[i.., m]`, and
    /// `s` are the other coordinates of `c`, in their order: [`nd`](Gather::nd) on any different
    /// axes, in any order.
    ///
    /// The shapes are `output = indices[..q-1] ++ the other sizes of the input`, where `q` is the
    /// rank of the indices, and `indices[q-1]` the number of axes
    /// ([`shape::axes`](crate::shape::axes)).
    ///
    /// This is NumPy's `a[i, :, j]`, with `i` and `j` side by side in the last dimension of the
    /// indices. NumPy puts the dimensions of the indices first only if a slice separates the axes:
    /// of `a[:, i, j]` it puts them where the axes were. For that, permute the layout of the
    /// output.
    ///
    /// # Errors
    /// [`Error::RankMismatch`], [`Error::TupleSizeOutOfRange`], [`Error::AxisOutOfRange`],
    /// [`Error::RepeatedAxis`], [`Error::RankTooLarge`], [`Error::SizeMismatch`],
    /// [`Error::SizesOverflow`], [`Error::OffsetTooSmall`], [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// // a[i, :, j] of a 2 x 3 x 2 tensor, for (i, j) = (1, 0) and (0, 1).
    /// let input = Layout::contiguous([2, 3, 2]);
    /// let pairs = Layout::contiguous([2, 2]);
    /// let output = Layout::contiguous([2, 3]);
    /// let gather = Gather::axes(&input, &pairs, &output, &[0, 2])?;
    /// let mut output = [0; 6];
    /// let input: [i32; 12] = std::array::from_fn(|n| n as i32);
    /// gather.run(&input, &[1, 0, /**/ 0, 1], &mut output)?;
    /// assert_eq!(output, [6, 8, 10, 1, 3, 5]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "fancy_indexing")]
    #[doc(alias = "vindex")]
    pub const fn axes(
        input: &Layout,
        indices: &Layout,
        output: &Layout,
        axes: &[usize],
    ) -> Result<Gather, Error> {
        made!(gather = Gather::NEW, {
            gather.input = *input;
            gather.plan.axes(input, indices, output, axes, Direction::Gather)
        })
    }

    /// [`axes`](Gather::axes) for a packed output, whose layout comes with the plan.
    ///
    /// # Errors
    /// Those of [`axes`](Gather::axes), but for those of the output's sizes.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let input = Layout::contiguous([2, 3, 2]);
    /// let pairs = Layout::contiguous([4, 2]);
    /// let (gather, rows) = Gather::axes_packed(&input, &pairs, &[0, 2])?;
    /// assert_eq!(rows.sizes(), [4, 3]);
    /// assert_eq!(gather.output_len(), 12);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn axes_packed(
        input: &Layout,
        indices: &Layout,
        axes: &[usize],
    ) -> Result<(Gather, Layout), Error> {
        made!((gather, output) = (Gather::NEW, SCALAR), {
            gather.input = *input;
            gather.plan.axes_packed(output, input, indices, axes, Direction::Gather)
        })
    }

    /// The length that the slice of the input must have at least: where its layout ends.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3, 2]);
    /// let ids = Layout::strided([4], [2]);
    /// let (gather, _) = Gather::axis_packed(&table, &ids, 0)?;
    /// let lengths =
    ///     [gather.input_len(), gather.indices_len(), gather.output_len()];
    /// assert_eq!(lengths, [6, 7, 8]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn input_len(&self) -> usize {
        self.plan.lengths.table
    }

    /// The length that the slice of the indices must have at least: where its layout ends.
    #[must_use]
    pub const fn indices_len(&self) -> usize {
        self.plan.lengths.indices
    }

    /// The length that the slice of the output must have at least: where its layout ends.
    ///
    /// A plan does not keep the sizes of its output, since it merges dimensions that can be walked
    /// with one stride. [`axis_packed`](Gather::axis_packed) and its like return them with the
    /// plan, as a layout. [`shape`](crate::shape) computes them without a plan.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3, 2]);
    /// let ids = Layout::contiguous([4]);
    /// let (gather, output) = Gather::axis_packed(&table, &ids, 0)?;
    /// assert_eq!((gather.output_len(), output.sizes()), (8, &[4, 2][..]));
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "output_sizes")]
    #[doc(alias = "output_shape")]
    #[must_use]
    pub const fn output_len(&self) -> usize {
        self.plan.lengths.flat
    }

    /// The same gather with another policy for indices out of bounds; [`Bounds::Error`] if none is
    /// set.
    ///
    /// ```
    /// use strew::{Bounds, Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = [0; 2];
    /// gather.bounds(Bounds::Clamp).run(&[10, 20, 30], &[1, 7], &mut output)?;
    /// assert_eq!(output, [20, 30]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn bounds(mut self, bounds: Bounds) -> Gather {
        self.plan.set_bounds(bounds);
        self
    }

    /// The same gather with another meaning of indices below 0; [`Negative::FromEnd`] if none is
    /// set.
    ///
    /// ```
    /// use strew::{Gather, Layout, Negative};
    ///
    /// let table = Layout::contiguous([3]);
    /// let one = Layout::contiguous([1]);
    /// let gather = Gather::axis(&table, &one, &one, 0)?;
    /// assert!(gather.run(&[10, 20, 30], &[-1], &mut [0]).is_ok());
    /// let gather = gather.negative(Negative::OutOfBounds);
    /// assert!(gather.run(&[10, 20, 30], &[-1], &mut [0]).is_err());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn negative(mut self, negative: Negative) -> Gather {
        self.plan.negative = negative;
        self
    }

    /// Gathers. Each index is proven before it is used.
    ///
    /// # Errors
    /// - [`Error::SliceTooShort`]: the output is as it was.
    /// - [`Error::IndexOutOfBounds`]: it names the first bad index. Entries before it in row-major
    ///   order may be in the output already; neither it nor those after it are. To make the call
    ///   all or nothing, [`check`](Gather::check) first.
    ///
    /// ```
    /// use strew::{Error, Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = [0; 2];
    /// gather.run(&[10, 20, 30], &[1, -1], &mut output)?;
    /// assert_eq!(output, [20, 30]);
    /// let error = gather.run(&[10, 20, 30], &[1, 3], &mut output);
    /// let bad = Error::IndexOutOfBounds {
    ///     entry: 1,
    ///     coordinate: 0,
    ///     value: 3,
    ///     size: 3,
    /// };
    /// assert_eq!(error, Err(bad));
    /// # Ok::<(), strew::Error>(())
    /// ```
    // Without std a constant plan must fold into the loops, and with std callers share them:
    // tests/firmware/FIGURES.md has the figures.
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn run<T: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut [T],
    ) -> Result<(), Error> {
        run::gather(&self.plan, input, indices, output)
    }

    /// Gathers as [`run`](Gather::run) does, to memory that nobody has to clear. Once it returns
    /// `Ok`, every element of the output's layout has a value.
    ///
    /// With `std`, [`collect`](Gather::collect) does so without unsafe code.
    ///
    /// # Errors
    /// Those of [`run`](Gather::run), and [`Error::PolicyNotSupported`] for [`Bounds::Skip`]. On an
    /// axis of size 0 an index is out of bounds under any policy, if the output has elements. After
    /// an error it is not known which places have a value.
    ///
    /// ```
    /// use std::mem::MaybeUninit;
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3, 2]);
    /// let ids = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &ids, &Layout::contiguous([2, 2]), 0)?;
    /// let mut rows = [MaybeUninit::uninit(); 4];
    /// gather.run_uninit(&[1, 2, 3, 4, 5, 6], &[2, 0], &mut rows)?;
    /// // SAFETY: the call was successful, and the layout has all 4 places.
    /// assert_eq!(rows.map(|place| unsafe { place.assume_init() }), [5, 6, 1, 2]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    // As for `run`.
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn run_uninit<T: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut [MaybeUninit<T>],
    ) -> Result<(), Error> {
        run::gather_uninit(&self.plan, input, indices, output)
    }

    /// Gathers as [`run_uninit`](Gather::run_uninit) does, with the threads of the rayon pool that
    /// it is called in.
    ///
    /// # Errors
    /// Those of [`run_uninit`](Gather::run_uninit).
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([1000, 64]);
    /// let ids = Layout::contiguous([20_000]);
    /// let (gather, _) = Gather::axis_packed(&table, &ids, 0)?;
    /// let mut rows = Vec::with_capacity(gather.output_len());
    /// let spare = rows.spare_capacity_mut();
    /// gather.par_run_uninit(&[1.0_f32; 64_000], &[7; 20_000], spare)?;
    /// // SAFETY: the call was successful, and the layout has all these places.
    /// unsafe { rows.set_len(gather.output_len()) };
    /// assert_eq!(rows, [1.0; 20_000 * 64]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run_uninit<T: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut [MaybeUninit<T>],
    ) -> Result<(), Error> {
        run::par_gather_uninit(&self.plan, input, indices, false, output)
    }

    /// Gathers as [`run`](Gather::run) does, to a new vector. As long as elements come in the order
    /// of the vector, each is written once. From the first one that does not, the rest is filled
    /// with some value, and written over. Few single elements are always filled first.
    ///
    /// # Errors
    /// Those of [`run_uninit`](Gather::run_uninit), [`Error::OutputNotPacked`] for an output whose
    /// layout has an offset or gaps (its dimensions may have any order), and
    /// [`Error::SizesOverflow`] where there is no memory for it.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3, 2]);
    /// let ids = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &ids, &Layout::contiguous([2, 2]), 0)?;
    /// assert_eq!(gather.collect(&[1, 2, 3, 4, 5, 6], &[2, 0])?, [5, 6, 1, 2]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "std")]
    #[inline]
    pub fn collect<T: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
    ) -> Result<Vec<T>, Error> {
        let mut output = Vec::new();
        self.collect_into(input, indices, &mut output).map(|()| output)
    }

    /// Gathers as [`collect`](Gather::collect) does, to the end of a vector.
    ///
    /// # Errors
    /// Those of [`collect`](Gather::collect). The vector has what it had.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = vec![7];
    /// gather.collect_into(&[10, 20, 30], &[1, -1], &mut output)?;
    /// assert_eq!(output, [7, 20, 30]);
    /// assert!(gather.collect_into(&[10, 20, 30], &[1, 3], &mut output).is_err());
    /// assert_eq!(output, [7, 20, 30]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "std")]
    #[inline]
    pub fn collect_into<T: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut Vec<T>,
    ) -> Result<(), Error> {
        run::append(&self.plan, input, indices, false, output)
    }

    /// Gathers as [`run`](Gather::run) does, by functions that all plans share: this is for plans
    /// in memory on microcontrollers.
    ///
    /// With `std` the two are the same. Without it, `run` is compiled into its caller, which suits
    /// plans in constants. A plan in a `static`, behind a reference or made at run time is better
    /// off here: all plans of one type of element and index take 3.4 KB (at opt-level s, on a
    /// Cortex-M4F), however many calls there are. Loops exist for indices without gaps, for
    /// elements and rows without gaps, under the default policies. What is rarer is walked
    /// entry by entry: see [the guide](crate::guide::flash).
    ///
    /// # Errors
    /// Those of [`run`](Gather::run).
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3, 2]);
    /// let ids = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &ids, &Layout::contiguous([2, 2]), 0)?;
    /// let mut rows = [0; 4];
    /// gather.run_shared(&[1, 2, 3, 4, 5, 6], &[2, 0], &mut rows)?;
    /// assert_eq!(rows, [5, 6, 1, 2]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn run_shared<T: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut [T],
    ) -> Result<(), Error> {
        run::gather_shared(&self.plan, input, indices, output)
    }

    /// Gathers as [`run`](Gather::run) does, to the bit, with the threads of the rayon pool that it
    /// is called in. Small calls run on the caller's thread.
    ///
    /// # Errors
    /// Those of [`run`](Gather::run). The output may then have less than with one thread. Nothing
    /// is written for the bad index, nor for those after it.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([1000, 64]);
    /// let ids = Layout::contiguous([5000]);
    /// let gather =
    ///     Gather::axis(&table, &ids, &Layout::contiguous([5000, 64]), 0)?;
    /// let (input, indices) = (vec![1.0; 64_000], vec![-1; 5000]);
    /// let mut rows = vec![0.0; 320_000];
    /// gather.par_run(&input, &indices, &mut rows)?;
    /// assert_eq!(rows, vec![1.0; 320_000]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run<T: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut [T],
    ) -> Result<(), Error> {
        run::par_gather(&self.plan, input, indices, false, output)
    }

    /// Gathers from a table of another type: `output[..] = map(input[.. indices ..])`.
    ///
    /// Each layout counts elements of its own operand: a quantised block of
    /// [`quant`](crate::quant) is one element of the input, and `[f32; 32]` one of the output. What
    /// `map` gives for one element must not depend on another, nor on the order of calls; `map` is
    /// called for no index out of bounds. With `simd` the loop around it is compiled for the
    /// vectors of the machine, and so is `map`, if it is inlined. The functions `f16::to_f32` and
    /// `quant::f16_to_f32`, passed by their names, are replaced by instructions where x86 has such.
    /// There is no `collect` for a map: make the output by `vec![0.0; gather.output_len()]`.
    ///
    /// # Errors
    /// Those of [`run`](Gather::run). After one, the output is as `run` leaves it.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// // Rows of an i8 table as f32.
    /// let table = Layout::contiguous([3, 2]);
    /// let ids = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &ids, &Layout::contiguous([2, 2]), 0)?;
    /// let mut rows = [0.0_f32; 4];
    /// gather.run_map(
    ///     &[1_i8, 2, 3, 4, 5, 6],
    ///     &[2, 0],
    ///     &mut rows,
    ///     f32::from,
    /// )?;
    /// assert_eq!(rows, [5.0, 6.0, 1.0, 2.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    // As for `run`.
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn run_map<T: Element, U: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut [U],
        map: impl Fn(T) -> U,
    ) -> Result<(), Error> {
        run::read(&self.plan, Mapped { input, map: Call(&map) }, indices, output)
    }

    /// Gathers as [`run_map`](Gather::run_map) does, to the bit, with the threads of the rayon pool
    /// that it is called in. Small calls run on the caller's thread.
    ///
    /// # Errors
    /// Those of [`par_run`](Gather::par_run).
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let ids = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &ids, &ids, 0)?;
    /// let mut output = [0.0_f32; 2];
    /// gather.par_run_map(&[1_i8, -2, 3], &[1, -1], &mut output, f32::from)?;
    /// assert_eq!(output, [-2.0, 3.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run_map<T: Element, U: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut [U],
        map: impl Fn(T) -> U + Sync,
    ) -> Result<(), Error> {
        run::par_read(&self.plan, Mapped { input, map: Call(&map) }, indices, false, output)
    }

    /// Says in one line what [`run`](Gather::run) does for these types on this machine; if
    /// `threads` is more than 1, what `par_run` does in a pool of this number: how indices are
    /// checked, threads, prefetches and stores. It is for people: the text may change with any
    /// release. The guide [has its words](crate::guide::speed).
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([100_000, 64]);
    /// let ids = Layout::contiguous([5000]);
    /// let gather =
    ///     Gather::axis(&table, &ids, &Layout::contiguous([5000, 64]), 0)?;
    /// let text = gather.explain::<f32, i64>(1).to_string();
    /// assert!(text.starts_with("check: block by block; threads: one"), "{text}");
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub fn explain<T: Element, I: Index>(&self, threads: usize) -> Explain {
        Explain::gather::<T, I>(&self.plan, threads)
    }
}
