//! Operators whose indices are proven.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::average::Average;
use crate::element::Element;
use crate::error::Error;
use crate::gather::Gather;
use crate::index::Index;
use crate::indices::Indices;
use crate::map::{Call, Mapped};
use crate::ranges::Ranges;
use crate::reduction::{Add, Assign, Extreme, Reduction};
use crate::run::{self, Proven};
use crate::scatter::{Scatter, mapped};
use crate::{cells, duplicates};

/// Indices that a [`Gather`](crate::Gather) or a [`Scatter`](crate::Scatter) has found in bounds
/// (or that its policy accepts as they are).
///
/// Made by `check`; runs any number of times, on as many tables as one likes, and no index can fail
/// any more.
///
/// ```
/// use strew::{Gather, Layout};
///
/// // The same rows of two tables.
/// let table = Layout::contiguous([3]);
/// let two = Layout::contiguous([2]);
/// let gather = Gather::axis(&table, &two, &two, 0)?;
/// let rows = gather.check(&[2, 0])?;
/// let (mut names, mut ages) = (['?'; 2], [0; 2]);
/// rows.run(&['a', 'b', 'c'], &mut names)?;
/// rows.run(&[1, 2, 3], &mut ages)?;
/// assert_eq!((names, ages), (['c', 'a'], [3, 1]));
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a, Operator, I, S = &'a [I]> {
    pub(crate) operator: &'a Operator,
    pub(crate) indices: S,
    pub(crate) index: PhantomData<I>,
}

impl Gather {
    /// Proves all indices, so that running cannot fail for their sake, with as many inputs as one
    /// likes.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`] for the indices, [`Error::IndexOutOfBounds`] for the first bad one.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let three = Layout::contiguous([3]);
    /// let gather = Gather::axis(&three, &three, &three, 0)?;
    /// let checked = gather.check(&[2_u16, 0, 1])?;
    /// let (mut sizes, mut ages) = ([0; 3], [0; 3]);
    /// checked.run(&[4, 5, 6], &mut sizes)?;
    /// checked.run(&[33, 44, 55], &mut ages)?;
    /// assert_eq!((sizes, ages), ([6, 4, 5], [55, 33, 44]));
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn check<'a, I: Index>(
        &'a self,
        indices: &'a [I],
    ) -> Result<Checked<'a, Gather, I>, Error> {
        run::check(&self.plan, indices)?;
        Ok(Checked { operator: self, indices, index: PhantomData })
    }
}

impl Scatter {
    /// Proves all indices, so that running cannot fail for their sake, with as many tables as one
    /// likes.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`] for the indices, [`Error::IndexOutOfBounds`] for the first bad one.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// // The same slots of a key cache and a value cache.
    /// let four = Layout::contiguous([4]);
    /// let two = Layout::contiguous([2]);
    /// let scatter = Scatter::axis(&four, &two, &two, 0)?;
    /// let slots = scatter.check(&[3, 1])?;
    /// let (mut keys, mut values) = ([0; 4], [0.0; 4]);
    /// slots.run(&mut keys, &[7, 8])?;
    /// slots.run(&mut values, &[0.7, 0.8])?;
    /// assert_eq!((keys, values), ([0, 8, 0, 7], [0.0, 0.8, 0.0, 0.7]));
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn check<'a, I: Index>(
        &'a self,
        indices: &'a [I],
    ) -> Result<Checked<'a, Scatter, I>, Error> {
        run::check(&self.plan, indices)?;
        Ok(Checked { operator: self, indices, index: PhantomData })
    }

    /// Proves the indices as [`check`](Scatter::check) does, and that no two entries address the
    /// same place.
    ///
    /// DirectML calls duplicates invalid; here they are well defined, and this is how to find out.
    /// `flags` is scratch of [`flags_len`](Scatter::flags_len) words; what it holds before and
    /// after means nothing. Entries that [`Bounds::Skip`](crate::Bounds::Skip) leaves out are no
    /// duplicates.
    ///
    /// # Errors
    /// Those of [`check`](Scatter::check), [`Error::ScratchTooShort`], and
    /// [`Error::DuplicateIndex`], which names the first entry that meets an earlier one, and the
    /// first that it meets.
    ///
    /// ```
    /// use strew::{Error, Layout, Scatter};
    ///
    /// let four = Layout::contiguous([4]);
    /// let scatter = Scatter::axis(&four, &four, &four, 0)?;
    /// let mut flags = [0; 1];
    /// assert!(scatter.check_unique(&[0, 1, 2, -1], &mut flags).is_ok());
    /// let error = scatter.check_unique(&[0, 3, 2, -1], &mut flags).unwrap_err();
    /// assert_eq!(error, Error::DuplicateIndex { first: 1, second: 3 });
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "unique_indices")]
    #[doc(alias = "duplicates")]
    pub fn check_unique<'a, I: Index>(
        &'a self,
        indices: &'a [I],
        flags: &mut [u32],
    ) -> Result<Checked<'a, Scatter, I>, Error> {
        duplicates::check(&self.plan, indices, flags)?;
        Ok(Checked { operator: self, indices, index: PhantomData })
    }
}

impl<I: Index, S: Indices<Index = I>> Checked<'_, Gather, I, S> {
    /// Gathers, as [`Gather::run`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]: the output is as it was.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = [0; 2];
    /// gather.check(&[1, -1])?.run(&[10, 20, 30], &mut output)?;
    /// assert_eq!(output, [20, 30]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn run<T: Element>(&self, input: &[T], output: &mut [T]) -> Result<(), Error> {
        self.proven().gather(input, output)
    }

    /// Gathers, as [`Gather::run_uninit`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::PolicyNotSupported`], and
    /// [`Error::IndexOutOfBounds`] on an axis of size 0; nothing is written.
    ///
    /// ```
    /// use std::mem::MaybeUninit;
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = [MaybeUninit::uninit(); 2];
    /// gather.check(&[2, 0])?.run_uninit(&[10, 20, 30], &mut output)?;
    /// // SAFETY: the call was successful, and the layout has both places.
    /// assert_eq!(output.map(|place| unsafe { place.assume_init() }), [30, 10]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn run_uninit<T: Element>(
        &self,
        input: &[T],
        output: &mut [MaybeUninit<T>],
    ) -> Result<(), Error> {
        self.proven().gather_uninit(input, output)
    }

    /// Gathers, as [`Gather::par_run_uninit`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::PolicyNotSupported`], and
    /// [`Error::IndexOutOfBounds`] on an axis of size 0; nothing is written.
    ///
    /// ```
    /// use std::mem::MaybeUninit;
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = [MaybeUninit::uninit(); 2];
    /// gather.check(&[2, 0])?.par_run_uninit(&[10, 20, 30], &mut output)?;
    /// // SAFETY: the call was successful, and the layout has both places.
    /// assert_eq!(output.map(|place| unsafe { place.assume_init() }), [30, 10]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run_uninit<T: Element>(
        &self,
        input: &[T],
        output: &mut [MaybeUninit<T>],
    ) -> Result<(), Error> {
        run::par_gather_uninit(&self.operator.plan, input, self.indices, true, output)
    }

    /// Gathers, as [`Gather::collect`] does.
    ///
    /// # Errors
    /// Those of [`Gather::collect`].
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// assert_eq!(gather.check(&[1, -1])?.collect(&[10, 20, 30])?, [20, 30]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "std")]
    #[inline]
    pub fn collect<T: Element>(&self, input: &[T]) -> Result<Vec<T>, Error> {
        let mut output = Vec::new();
        self.collect_into(input, &mut output).map(|()| output)
    }

    /// Gathers, as [`Gather::collect_into`] does.
    ///
    /// # Errors
    /// Those of [`collect`](Checked::collect). The vector has what it had.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// // The same rows of two tables, one after the other.
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let rows = gather.check(&[1, -1])?;
    /// let mut output = rows.collect(&[10, 20, 30])?;
    /// rows.collect_into(&[1, 2, 3], &mut output)?;
    /// assert_eq!(output, [20, 30, 2, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "std")]
    #[inline]
    pub fn collect_into<T: Element>(&self, input: &[T], output: &mut Vec<T>) -> Result<(), Error> {
        run::append(&self.operator.plan, input, self.indices, true, output)
    }

    /// Gathers, as [`Gather::par_run`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]: the output is as it was.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = [0; 2];
    /// gather.check(&[1, -1])?.par_run(&[10, 20, 30], &mut output)?;
    /// assert_eq!(output, [20, 30]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run<T: Element>(&self, input: &[T], output: &mut [T]) -> Result<(), Error> {
        run::par_gather(&self.operator.plan, input, self.indices, true, output)
    }

    /// Gathers from a table of another type, as [`Gather::run_map`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]: the output is as it was.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = [0.0_f32; 2];
    /// gather.check(&[1, -1])?.run_map(&[1_i8, -2, 3], &mut output, f32::from)?;
    /// assert_eq!(output, [-2.0, 3.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn run_map<T: Element, U: Element>(
        &self,
        input: &[T],
        output: &mut [U],
        map: impl Fn(T) -> U,
    ) -> Result<(), Error> {
        self.proven().read(Mapped { input, map: Call(&map) }, output)
    }

    /// Gathers from a table of another type, as [`Gather::par_run_map`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]: the output is as it was.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = [0.0_f32; 2];
    /// gather.check(&[1, -1])?.par_run_map(
    ///     &[1_i8, -2, 3],
    ///     &mut output,
    ///     f32::from,
    /// )?;
    /// assert_eq!(output, [-2.0, 3.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run_map<T: Element, U: Element>(
        &self,
        input: &[T],
        output: &mut [U],
        map: impl Fn(T) -> U + Sync,
    ) -> Result<(), Error> {
        let source = Mapped { input, map: Call(&map) };
        run::par_read(&self.operator.plan, source, self.indices, true, output)
    }

    /// The parts of the table that a run will read, in bytes from the start of a slice of `T`: in
    /// the order of the entries, and of their rows; those that follow each other, or lie in the one
    /// before, are one.
    ///
    /// Whoever has the table in a mapped file can have the parts read ahead (`madvise`), all at
    /// once, where a run would wait for one after the other: `examples/mapped.rs`. No memory is
    /// allocated.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// // Rows of 3 elements of 4 bytes.
    /// let table = Layout::contiguous([10, 3]);
    /// let ids = Layout::contiguous([4]);
    /// let gather = Gather::axis(&table, &ids, &Layout::contiguous([4, 3]), 0)?;
    /// let checked = gather.check(&[7, 2, 3, -1])?;
    /// assert!(checked.ranges::<f32>().eq([84..96, 24..48, 108..120]));
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn ranges<T: Element>(&self) -> Ranges<'_, I, S> {
        Ranges::of(&self.operator.plan, self.indices, size_of::<T>())
    }

    #[inline(always)]
    fn proven(&self) -> Proven<'_, S> {
        Proven { plan: &self.operator.plan, indices: self.indices }
    }
}

impl<I: Index, S: Indices<Index = I>> Checked<'_, Scatter, I, S> {
    /// Assigns in place, as [`Scatter::run`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [0; 2];
    /// scatter.check(&[1, 0, 1])?.run(&mut data, &[1, 2, 3])?;
    /// assert_eq!(data, [2, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn run<T: Element>(&self, data: &mut [T], updates: &[T]) -> Result<(), Error> {
        self.reduce(Assign, data, updates)
    }

    /// Combines in place, as [`Scatter::reduce`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [10, 20];
    /// scatter.check(&[1, 0, 1])?.reduce(Add, &mut data, &[1, 2, 3])?;
    /// assert_eq!(data, [12, 24]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn reduce<T: Element, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        updates: &[T],
    ) -> Result<(), Error> {
        self.proven().scatter(&reduction, data, updates)
    }

    /// Assigns in place, as [`Scatter::par_run`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [0; 2];
    /// scatter.check(&[1, 0, 1])?.par_run(&mut data, &[1, 2, 3])?;
    /// assert_eq!(data, [2, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run<T: Element>(&self, data: &mut [T], updates: &[T]) -> Result<(), Error> {
        self.par_reduce(Assign, data, updates)
    }

    /// Combines in place, as [`Scatter::par_reduce`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [10, 20];
    /// scatter.check(&[1, 0, 1])?.par_reduce(Add, &mut data, &[1, 2, 3])?;
    /// assert_eq!(data, [12, 24]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_reduce<T: Element, R: Reduction<T> + Sync>(
        &self,
        reduction: R,
        data: &mut [T],
        updates: &[T],
    ) -> Result<(), Error> {
        let plan = &self.operator.plan;
        run::par_scatter(plan, &reduction, data, self.indices, true, updates)
    }

    /// Assigns updates of another type, as [`Scatter::run_map`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [0.0_f32; 2];
    /// scatter.check(&[1, 0, 1])?.run_map(&mut data, &[1_i8, 2, -3], f32::from)?;
    /// assert_eq!(data, [2.0, -3.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn run_map<T: Element, U: Element>(
        &self,
        data: &mut [T],
        updates: &[U],
        map: impl Fn(U) -> T,
    ) -> Result<(), Error> {
        self.reduce_map(Assign, data, updates, map)
    }

    /// Combines with updates of another type, as [`Scatter::reduce_map`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut sums = [0_u64; 2];
    /// scatter.check(&[1, 0, 1])?.reduce_map(
    ///     Add,
    ///     &mut sums,
    ///     &[200_u8, 2, 100],
    ///     u64::from,
    /// )?;
    /// assert_eq!(sums, [2, 300]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn reduce_map<T: Element, U: Element, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        updates: &[U],
        map: impl Fn(U) -> T,
    ) -> Result<(), Error> {
        self.proven().change(mapped(&reduction, &map), data, updates)
    }

    /// Assigns updates of another type, as [`Scatter::par_run_map`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [0.0_f32; 2];
    /// scatter.check(&[1, 0, 1])?.par_run_map(
    ///     &mut data,
    ///     &[1_i8, 2, -3],
    ///     f32::from,
    /// )?;
    /// assert_eq!(data, [2.0, -3.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run_map<T: Element, U: Element>(
        &self,
        data: &mut [T],
        updates: &[U],
        map: impl Fn(U) -> T + Sync,
    ) -> Result<(), Error> {
        self.par_reduce_map(Assign, data, updates, map)
    }

    /// Combines with updates of another type, as [`Scatter::par_reduce_map`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut sums = [0_u64; 2];
    /// scatter.check(&[1, 0, 1])?.par_reduce_map(
    ///     Add,
    ///     &mut sums,
    ///     &[200_u8, 2, 100],
    ///     u64::from,
    /// )?;
    /// assert_eq!(sums, [2, 300]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_reduce_map<T: Element, U: Element, R: Reduction<T> + Sync>(
        &self,
        reduction: R,
        data: &mut [T],
        updates: &[U],
        map: impl Fn(U) -> T + Sync,
    ) -> Result<(), Error> {
        let change = mapped(&reduction, &map);
        run::par_change(&self.operator.plan, change, data, self.indices, true, updates)
    }

    /// `output = input`, then the assignment, as [`Scatter::run_into`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The output is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut output = [0; 2];
    /// scatter.check(&[1, 1, 1])?.run_into(&[7, 8], &[1, 2, 3], &mut output)?;
    /// assert_eq!(output, [7, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn run_into<T: Element>(
        &self,
        input: &[T],
        updates: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        self.reduce_into(Assign, input, updates, output)
    }

    /// `output = input`, then the reduction, as [`Scatter::reduce_into`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The output is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut output = [0; 2];
    /// scatter.check(&[1, 0, 1])?.reduce_into(
    ///     Add,
    ///     &[10, 20],
    ///     &[1, 2, 3],
    ///     &mut output,
    /// )?;
    /// assert_eq!(output, [12, 24]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce_into<T: Element, R: Reduction<T>>(
        &self,
        reduction: R,
        input: &[T],
        updates: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        self.proven().scatter_into(&reduction, self.operator.into(input), updates, output)
    }

    /// Combines in place without the values that are there, as [`Scatter::reduce_excluding_self`]
    /// does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::ScratchTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [100, 100];
    /// scatter.check(&[1, 1, 1])?.reduce_excluding_self(
    ///     Add,
    ///     &mut data,
    ///     &[1, 2, 3],
    ///     &mut [0; 1],
    /// )?;
    /// assert_eq!(data, [100, 6]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce_excluding_self<T: Element, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        updates: &[T],
        flags: &mut [u32],
    ) -> Result<(), Error> {
        let plan = &self.operator.plan;
        cells::reduce_excluding_self(plan, self.indices, true, &reduction, data, updates, flags)
    }

    /// Combines without the values that are there, in several calls, as
    /// [`Scatter::continue_excluding_self`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::ScratchTooShort`]. Data and flags are as they were.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let (mut data, mut flags) = ([100, 100], [0; 1]);
    /// let checked = scatter.check(&[1, 1, 1])?;
    /// checked.continue_excluding_self(Add, &mut data, &[1, 2, 3], &mut flags)?;
    /// checked.continue_excluding_self(Add, &mut data, &[1, 2, 3], &mut flags)?;
    /// assert_eq!(data, [100, 12]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn continue_excluding_self<T: Element, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        updates: &[T],
        flags: &mut [u32],
    ) -> Result<(), Error> {
        let plan = &self.operator.plan;
        run::with_entries(plan, self.indices, true, |entries| {
            cells::excluding_self(plan, entries, &reduction, data, updates, flags, false)
        })
    }

    /// Finds extremes and the entries that they come from, as [`Scatter::reduce_arg`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. Data and winners are as they were.
    ///
    /// ```
    /// use strew::{Layout, Min, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let (mut data, mut winners) = ([4.0, 4.0], [0; 2]);
    /// scatter.check(&[1, 1, 1])?.reduce_arg(
    ///     Min,
    ///     &mut data,
    ///     &mut winners,
    ///     &[3.0, 2.0, 2.0],
    /// )?;
    /// assert_eq!((data, winners), ([4.0, 2.0], [0, 1]));
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce_arg<T: Element, R: Extreme + Reduction<T>>(
        &self,
        extreme: R,
        data: &mut [T],
        winners: &mut [usize],
        updates: &[T],
    ) -> Result<(), Error> {
        run::with_entries(&self.operator.plan, self.indices, true, |entries| {
            cells::reduce_arg(&self.operator.plan, entries, &extreme, data, winners, updates)
        })
    }

    /// Sets places to the mean of the value that is there and all updates, as [`Scatter::mean`]
    /// does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::ScratchTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [2.0, 5.0];
    /// scatter.check(&[0, 0, 0])?.mean(&mut data, &[3.0, 5.0, 10.0], &mut [0; 2])?;
    /// assert_eq!(data, [5.0, 5.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn mean<T: Average>(
        &self,
        data: &mut [T],
        updates: &[T],
        scratch: &mut [u32],
    ) -> Result<(), Error>
    where
        Add: Reduction<T>,
    {
        self.average(1, data, updates, scratch)
    }

    /// Sets places to the mean of all updates, as [`Scatter::mean_excluding_self`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::ScratchTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let two = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [2.0, 5.0];
    /// scatter.check(&[0, 0, 0])?.mean_excluding_self(
    ///     &mut data,
    ///     &[3.0, 5.0, 10.0],
    ///     &mut [0; 2],
    /// )?;
    /// assert_eq!(data, [6.0, 5.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn mean_excluding_self<T: Average>(
        &self,
        data: &mut [T],
        updates: &[T],
        scratch: &mut [u32],
    ) -> Result<(), Error>
    where
        Add: Reduction<T>,
    {
        self.average(0, data, updates, scratch)
    }

    /// The value that is there counts `already` times.
    fn average<T: Average>(
        &self,
        already: u64,
        data: &mut [T],
        updates: &[T],
        scratch: &mut [u32],
    ) -> Result<(), Error>
    where
        Add: Reduction<T>,
    {
        let plan = &self.operator.plan;
        cells::average(plan, self.indices, true, already, data, updates, scratch)
    }

    #[inline(always)]
    fn proven(&self) -> Proven<'_, S> {
        Proven { plan: &self.operator.plan, indices: self.indices }
    }
}
