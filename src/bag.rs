//! Bag: `output[b] = reduce over the entries e of bag b of table[indices[e]]`.

// Not a closure: its type would name those of the function around it, that of the offsets too. Then
// the loops would be compiled for each.
use core::convert::identity;
use core::marker::PhantomData;

use bytemuck::Zeroable;
#[cfg(feature = "std")]
use strew_simd::{Machine, Path};

use crate::bag_plan::{BagPlan, NO_PADDING};
use crate::element::Element;
use crate::error::{Error, Operand, tri};
use crate::fused::{Fused, InPlace, Lookup, Part};
use crate::index::{Bounds, Index, Negative};
use crate::indices::Indices;
use crate::indices::sealed::Places;
use crate::layout::Layout;
use crate::plan::Plan;
use crate::pool::Pool;
use crate::proof::fits;
use crate::run;
use crate::segments::Bags;
#[cfg(feature = "std")]
use crate::window::{Ahead, RowPlaces};

/// Gathers rows and reduces those of each bag, without writing the rows down.
///
/// `output[b, s..] = reduce over e in bag b of weights[e] * table[indices[e], s..]`, in the order
/// of `e`, where [`Bags`] says which entries `e` of the indices belong to bag `b`, and [`Pool`]
/// what is done: [`Add`](crate::Add), [`Mean`](crate::Mean), [`Max`](crate::Max),
/// [`Min`](crate::Min), a closure, and weights ([`Weighted`](crate::Weighted)). The bits are those
/// of a [`Gather`](crate::Gather), then of a reduction that starts from the first row of each bag.
///
/// An empty bag gives 0 (see [`Empty`]). Entries of the [padding](Bag::padding) index, and those
/// that [`Bounds::Skip`] leaves out, are not counted: a bag of nothing else is empty.
///
/// This is PyTorch's `embedding_bag`, TensorFlow's `embedding_lookup_sparse` and FBGEMM's
/// `EmbeddingSpMDM`.
///
/// ```
/// use strew::{Add, Bag, Bags, Layout};
///
/// // Rows 2 and 0 of a 3 x 2 table are one bag, row 1 is the other.
/// let table = Layout::contiguous([3, 2]);
/// let ids = Layout::contiguous([3]);
/// let bag = Bag::new(&table, &ids, &Layout::contiguous([2, 2]))?;
/// let mut sums = [0; 4];
/// bag.run(
///     Add,
///     &[1, 2, 3, 4, 5, 6],
///     &[2, 0, 1],
///     Bags::Offsets(&[0, 2, 3]),
///     &mut sums,
/// )?;
/// assert_eq!(sums, [6, 8, 3, 4]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "embedding_bag")]
#[doc(alias = "embedding_lookup_sparse")]
#[doc(alias = "EmbeddingSpMDM")]
#[doc(alias = "EmbeddingBag")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bag {
    pub(crate) plan: BagPlan,
}

/// What the output of a bag without entries is.
///
/// ```
/// use strew::{Add, Bag, Bags, Empty, Layout};
///
/// let table = Layout::contiguous([2]);
/// let ids = Layout::contiguous([1]);
/// let bag = Bag::new(&table, &ids, &Layout::contiguous([2]))?;
/// let sums = |bag: Bag| {
///     let mut sums = [7, 7];
///     bag.run(Add, &[1, 2], &[1], Bags::Lengths(&[0, 1]), &mut sums)
///         .map(|()| sums)
/// };
/// assert_eq!(sums(bag)?, [0, 2]);
/// assert_eq!(sums(bag.empty(Empty::Keep))?, [7, 2]);
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Empty {
    /// All bits are 0, whatever the reduction.
    #[default]
    Zero,
    /// The output stays as it is.
    Keep,
}

impl Bag {
    /// The shapes are `table: [rows, s..]`, `indices: [n]`, `output: [bags, s..]`, of any strides;
    /// the output must not overlap itself. For bags along another axis, permute the layouts.
    ///
    /// # Errors
    /// [`Error::RankMismatch`], [`Error::SizeMismatch`], [`Error::SizesOverflow`],
    /// [`Error::OffsetTooSmall`], [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Bag, Layout, plan};
    ///
    /// const TABLE: Layout = Layout::contiguous([256, 32]);
    /// const IDS: Layout = Layout::contiguous([20]);
    /// const SUMS: Layout = Layout::contiguous([4, 32]);
    /// const BAG: Bag = plan!(Bag::new(&TABLE, &IDS, &SUMS)).padding(0);
    /// # let _ = BAG;
    /// ```
    #[inline]
    pub const fn new(table: &Layout, indices: &Layout, output: &Layout) -> Result<Bag, Error> {
        let mut bag = Bag {
            plan: BagPlan {
                plan: Plan::NOTHING,
                entries: indices.size(0),
                bags: output.size(0),
                stride: output.stride(0),
                padding: NO_PADDING,
                keep: false,
            },
        };
        tri!(bag.plan.plan.bag(table, indices, output));
        Ok(bag)
    }

    /// The same bag with another policy for indices out of bounds; [`Bounds::Error`] if none is
    /// set.
    ///
    /// ```
    /// use strew::{Add, Bag, Bags, Bounds, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let ids = Layout::contiguous([2]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([1]))?
    ///     .bounds(Bounds::Clamp);
    /// let mut sum = [0];
    /// bag.run(Add, &[10, 20, 30], &[1, 7], Bags::Starts(&[0]), &mut sum)?;
    /// assert_eq!(sum, [50]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn bounds(mut self, bounds: Bounds) -> Bag {
        self.plan.plan.set_bounds(bounds);
        self
    }

    /// The same bag with another meaning of indices below 0; [`Negative::FromEnd`] if none is set.
    ///
    /// ```
    /// use strew::{Add, Bag, Bags, Bounds, Layout, Negative};
    ///
    /// let table = Layout::contiguous([3]);
    /// let ids = Layout::contiguous([2]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([1]))?
    ///     .bounds(Bounds::Skip);
    /// let (mut last, mut none) = ([0], [0]);
    /// bag.run(Add, &[10, 20, 30], &[1, -1], Bags::Starts(&[0]), &mut last)?;
    /// let pruned = bag.negative(Negative::OutOfBounds);
    /// pruned.run(Add, &[10, 20, 30], &[1, -1], Bags::Starts(&[0]), &mut none)?;
    /// assert_eq!((last, none), ([50], [20]));
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn negative(mut self, negative: Negative) -> Bag {
        self.plan.plan.negative = negative;
        self
    }

    /// The same bag without the entries that lead to this row: they are left out and not counted
    /// (PyTorch's `padding_idx`).
    ///
    /// ```
    /// use strew::{Bag, Bags, Layout, Mean};
    ///
    /// let table = Layout::contiguous([3]);
    /// let ids = Layout::contiguous([3]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([1]))?.padding(0);
    /// let mut mean = [0.0];
    /// bag.run(Mean, &[9.0, 1.0, 2.0], &[1, 0, 2], Bags::Starts(&[0]), &mut mean)?;
    /// assert_eq!(mean, [1.5]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn padding(mut self, row: usize) -> Bag {
        self.plan.padding = row;
        self
    }

    /// The same bag with another rule for bags without entries; [`Empty::Zero`] if none is set.
    ///
    /// ```
    /// use strew::{Bag, Bags, Empty, Layout, Max};
    ///
    /// let one = Layout::contiguous([1]);
    /// let bag = Bag::new(&one, &one, &one)?.empty(Empty::Keep);
    /// let mut most = [7];
    /// bag.run(Max, &[9], &[0], Bags::Lengths(&[0]), &mut most)?;
    /// assert_eq!(most, [7]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn empty(mut self, empty: Empty) -> Bag {
        self.plan.keep = matches!(empty, Empty::Keep);
        self
    }

    /// Reduces the rows of each bag. All offsets, and the indices that are in bags, are checked
    /// before anything is written.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::OffsetOutOfRange`], [`Error::IndexOutOfBounds`] for the
    /// first bad one. The output is as it was.
    ///
    /// ```
    /// use strew::{Bag, Bags, Error, Layout, Max};
    ///
    /// let table = Layout::contiguous([3, 2]);
    /// let ids = Layout::contiguous([3]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([2, 2]))?;
    /// let (rows, mut most) = ([1, 6, 3, 4, 5, 2], [0; 4]);
    /// bag.run(Max, &rows, &[0, 2, 1], Bags::Starts(&[0, 2]), &mut most)?;
    /// assert_eq!(most, [5, 6, 3, 4]);
    ///
    /// let error =
    ///     bag.run(Max, &rows, &[0, 2, 1], Bags::Starts(&[0, 4]), &mut most);
    /// let bad = Error::OffsetOutOfRange {
    ///     entry: 1,
    ///     value: 4,
    ///     minimum: 0,
    ///     maximum: 3,
    /// };
    /// assert_eq!(error, Err(bad));
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn run<T: Element + Zeroable, I: Index, O: Index, P: Pool<T>>(
        &self,
        pool: P,
        table: &[T],
        indices: &[I],
        bags: Bags<'_, O>,
        output: &mut [T],
    ) -> Result<(), Error> {
        self.run_map(pool, table, indices, bags, output, identity)
    }

    /// [`run`](Bag::run) for a table of another type: `map` is called for each element that is
    /// read, before weights and reduction.
    ///
    /// Layouts count elements of each tensor's own type. Rows that are stored in blocks have a
    /// block as element of the table, and an array as element of the output.
    ///
    /// # Errors
    /// Those of [`run`](Bag::run).
    ///
    /// ```
    /// use strew::{Bag, Bags, Layout, Mean};
    ///
    /// // 4 values of one byte and a scale, as one element.
    /// #[repr(C)]
    /// #[derive(Clone, Copy, bytemuck::NoUninit)]
    /// struct Block {
    ///     scale: f32,
    ///     values: [i8; 4],
    /// }
    ///
    /// let table = Layout::contiguous([2, 1]);
    /// let ids = Layout::contiguous([2]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([1, 1]))?;
    /// let blocks = [
    ///     Block { scale: 0.5, values: [1, 2, 3, 4] },
    ///     Block { scale: 2.0, values: [0, 1, 0, -1] },
    /// ];
    /// let mut means = [[0.0; 4]];
    /// bag.run_map(
    ///     Mean,
    ///     &blocks,
    ///     &[1, 0],
    ///     Bags::Starts(&[0]),
    ///     &mut means,
    ///     |block: Block| {
    ///         block.values.map(|value| block.scale * f32::from(value))
    ///     },
    /// )?;
    /// assert_eq!(means, [[0.25, 1.5, 0.75, 0.0]]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn run_map<T: Element, U: Element + Zeroable, I: Index, O: Index, P: Pool<U>>(
        &self,
        pool: P,
        table: &[T],
        indices: &[I],
        bags: Bags<'_, O>,
        output: &mut [U],
        map: impl Fn(T) -> U,
    ) -> Result<(), Error> {
        fits(Operand::Indices, self.plan.plan.lengths.indices, indices.len())?;
        self.fits(&pool, table, output)?;
        self.check(indices, bags)?.reduce(&pool, table, output, &map);
        Ok(())
    }

    /// Reduces as [`run`](Bag::run) does, to the bit, with the threads of the rayon pool that it is
    /// called in, which share the bags. Small calls run on the caller's thread, and those whose
    /// bags interleave in the output.
    ///
    /// # Errors
    /// Those of [`run`](Bag::run). The output is as it was.
    ///
    /// ```
    /// use strew::{Add, Bag, Bags, Layout};
    ///
    /// let table = Layout::contiguous([1000, 64]);
    /// let ids = Layout::contiguous([20_000]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([1000, 64]))?;
    /// let table = vec![1.0; 64_000];
    /// let ids = vec![-1; 20_000];
    /// let lengths = vec![20; 1000];
    /// let mut sums = vec![0.0; 64_000];
    /// bag.par_run(Add, &table, &ids, Bags::Lengths(&lengths), &mut sums)?;
    /// assert_eq!(sums, vec![20.0; 64_000]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run<T, I: Index, O: Index, P: Pool<T> + Sync>(
        &self,
        pool: P,
        table: &[T],
        indices: &[I],
        bags: Bags<'_, O>,
        output: &mut [T],
    ) -> Result<(), Error>
    where
        T: Element + Zeroable,
    {
        self.par_run_map(pool, table, indices, bags, output, identity)
    }

    /// [`run_map`](Bag::run_map) with threads, as [`par_run`](Bag::par_run).
    ///
    /// # Errors
    /// Those of [`run`](Bag::run). The output is as it was.
    ///
    /// ```
    /// use strew::{Add, Bag, Bags, Layout};
    ///
    /// let table = Layout::contiguous([1000, 64]);
    /// let ids = Layout::contiguous([20_000]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([1, 64]))?;
    /// let (table, ids) = (vec![1_u8; 64_000], vec![7; 20_000]);
    /// let mut sums = vec![0; 64];
    /// bag.par_run_map(
    ///     Add,
    ///     &table,
    ///     &ids,
    ///     Bags::Starts(&[0]),
    ///     &mut sums,
    ///     u32::from,
    /// )?;
    /// assert_eq!(sums, vec![20_000; 64]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run_map<T, U, I: Index, O: Index, P: Pool<U> + Sync>(
        &self,
        pool: P,
        table: &[T],
        indices: &[I],
        bags: Bags<'_, O>,
        output: &mut [U],
        map: impl Fn(T) -> U + Sync,
    ) -> Result<(), Error>
    where
        T: Element,
        U: Element + Zeroable + Send,
    {
        fits(Operand::Indices, self.plan.plan.lengths.indices, indices.len())?;
        self.fits(&pool, table, output)?;
        self.check(indices, bags)?.par_reduce(&pool, table, output, &map);
        Ok(())
    }

    /// Proves all offsets, and all indices that are in bags, so that running cannot fail for their
    /// sake, with as many tables as one likes.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`] for indices and offsets, [`Error::OffsetOutOfRange`],
    /// [`Error::IndexOutOfBounds`].
    ///
    /// ```
    /// use strew::{Add, Bag, Bags, Layout, Mean};
    ///
    /// let table = Layout::contiguous([3]);
    /// let ids = Layout::contiguous([3]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([2]))?;
    /// let checked = bag.check(&[2, 0, 1], Bags::Starts(&[0, 2]))?;
    /// let (mut sums, mut means) = ([0; 2], [0.0; 2]);
    /// checked.run(Add, &[10, 20, 30], &mut sums)?;
    /// checked.run(Mean, &[1.0, 2.0, 3.0], &mut means)?;
    /// assert_eq!((sums, means), ([40, 20], [2.0, 2.0]));
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn check<'a, I: Index, O: Index>(
        &'a self,
        indices: &'a [I],
        bags: Bags<'a, O>,
    ) -> Result<CheckedBag<'a, I, O>, Error> {
        self.checked(indices, bags)
    }

    #[inline(always)]
    pub(crate) fn checked<'a, S: Indices, O: Index>(
        &'a self,
        indices: S,
        bags: Bags<'a, O>,
    ) -> Result<CheckedBag<'a, S::Index, O, S>, Error> {
        let BagPlan { plan, entries, bags: number, .. } = &self.plan;
        indices.fit(plan.lengths.indices)?;
        let used = bags.prove(*number, *entries)?;
        if used.len() == *entries {
            run::check(plan, indices)?;
        } else if !used.is_empty() {
            let part = self.plan.part(&used);
            run::check(&part, indices).map_err(|error| match error {
                Error::IndexOutOfBounds { entry, coordinate, value, size } => {
                    let entry = entry.wrapping_add(used.start);
                    Error::IndexOutOfBounds { entry, coordinate, value, size }
                }
                error => error,
            })?;
        }
        let used = (used.start, used.end);
        Ok(CheckedBag { bag: self, indices, index: PhantomData, bags, used })
    }

    /// Fails if a slice but for indices and offsets is too short.
    #[inline(always)]
    fn fits<T, U>(&self, pool: &impl Pool<U>, table: &[T], output: &[U]) -> Result<(), Error> {
        fits(Operand::Input, self.plan.plan.lengths.table, table.len())?;
        fits(Operand::Output, self.plan.plan.lengths.flat, output.len())?;
        match pool.weights() {
            Some(found) => fits(Operand::Weights, self.plan.entries, found),
            None => Ok(()),
        }
    }
}

/// Indices and offsets that a [`Bag`] has found in bounds (or that its policy accepts as they are).
///
/// Made by [`check`](Bag::check); runs any number of times, on as many tables as one likes.
///
/// ```
/// use strew::{Bag, Bags, Layout, Max, Min};
///
/// let table = Layout::contiguous([3]);
/// let ids = Layout::contiguous([2]);
/// let bag = Bag::new(&table, &ids, &Layout::contiguous([1]))?;
/// let pair = bag.check(&[2, 0], Bags::Starts(&[0]))?;
/// let (mut most, mut least) = ([0], [0]);
/// pair.run(Max, &[1, 2, 3], &mut most)?;
/// pair.run(Min, &[1, 2, 3], &mut least)?;
/// assert_eq!((most, least), ([3], [1]));
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CheckedBag<'a, I, O, S = &'a [I]> {
    bag: &'a Bag,
    indices: S,
    index: PhantomData<I>,
    bags: Bags<'a, O>,
    /// The first entry of the first bag, and the end of the last.
    used: (usize, usize),
}

impl<I: Index, O: Index, S: Indices<Index = I>> CheckedBag<'_, I, O, S> {
    /// Reduces the rows of each bag, as [`Bag::run`].
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]: the output is as it was.
    ///
    /// ```
    /// use strew::{Add, Bag, Bags, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let ids = Layout::contiguous([2]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([1]))?;
    /// let mut sum = [0];
    /// bag.check(&[2, 0], Bags::Starts(&[0]))?.run(Add, &[1, 2, 3], &mut sum)?;
    /// assert_eq!(sum, [4]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn run<T: Element + Zeroable, P: Pool<T>>(
        &self,
        pool: P,
        table: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        self.run_map(pool, table, output, identity)
    }

    /// [`run`](CheckedBag::run) for a table of another type, as [`Bag::run_map`].
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]: the output is as it was.
    ///
    /// ```
    /// use strew::{Add, Bag, Bags, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let ids = Layout::contiguous([2]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([1]))?;
    /// let mut sum = [0_u32];
    /// let checked = bag.check(&[2, 0], Bags::Starts(&[0]))?;
    /// checked.run_map(Add, &[200_u8, 2, 100], &mut sum, u32::from)?;
    /// assert_eq!(sum, [300]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn run_map<T: Element, U: Element + Zeroable, P: Pool<U>>(
        &self,
        pool: P,
        table: &[T],
        output: &mut [U],
        map: impl Fn(T) -> U,
    ) -> Result<(), Error> {
        self.bag.fits(&pool, table, output)?;
        self.reduce(&pool, table, output, &map);
        Ok(())
    }

    /// [`run`](CheckedBag::run) with threads, as [`Bag::par_run`].
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]: the output is as it was.
    ///
    /// ```
    /// use strew::{Add, Bag, Bags, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let ids = Layout::contiguous([2]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([1]))?;
    /// let mut sum = [0];
    /// bag.check(&[2, 0], Bags::Starts(&[0]))?.par_run(Add, &[1, 2, 3], &mut sum)?;
    /// assert_eq!(sum, [4]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run<T, P: Pool<T> + Sync>(
        &self,
        pool: P,
        table: &[T],
        output: &mut [T],
    ) -> Result<(), Error>
    where
        T: Element + Zeroable,
    {
        self.par_run_map(pool, table, output, identity)
    }

    /// [`run_map`](CheckedBag::run_map) with threads, as [`Bag::par_run`].
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]: the output is as it was.
    ///
    /// ```
    /// use strew::{Add, Bag, Bags, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let ids = Layout::contiguous([2]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([1]))?;
    /// let mut sum = [0_u32];
    /// let checked = bag.check(&[2, 0], Bags::Starts(&[0]))?;
    /// checked.par_run_map(Add, &[200_u8, 2, 100], &mut sum, u32::from)?;
    /// assert_eq!(sum, [300]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run_map<T, U, P: Pool<U> + Sync>(
        &self,
        pool: P,
        table: &[T],
        output: &mut [U],
        map: impl Fn(T) -> U + Sync,
    ) -> Result<(), Error>
    where
        T: Element,
        U: Element + Zeroable + Send,
    {
        self.bag.fits(&pool, table, output)?;
        self.par_reduce(&pool, table, output, &map);
        Ok(())
    }

    /// Reduces the rows of all bags, in slices that are long enough.
    #[inline(always)]
    fn reduce<T: Element, U: Element + Zeroable, P: Pool<U>, M: Fn(T) -> U>(
        &self,
        pool: &P,
        table: &[T],
        output: &mut [U],
        map: &M,
    ) {
        if self.bag.plan.plan.lengths.flat > 0 {
            let part = Part { bags: 0..self.bag.plan.bags, before: self.used.0, output, base: 0 };
            run_part(&self.fused(pool, table, map), part);
        }
    }

    /// `reduce` with threads.
    #[cfg(feature = "rayon")]
    fn par_reduce<T, U, P, M>(&self, pool: &P, table: &[T], output: &mut [U], map: &M)
    where
        T: Element,
        U: Element + Zeroable + Send,
        P: Pool<U> + Sync,
        M: Fn(T) -> U + Sync,
    {
        let BagPlan { plan, bags, .. } = &self.bag.plan;
        let row = plan.inner().iter().fold(size_of::<T>(), |row, dim| row.saturating_mul(dim.size));
        let (fused, used) = (self.fused(pool, table, map), self.used.1.wrapping_sub(self.used.0));
        if plan.lengths.flat > 0 && row.saturating_mul(used) >= PARALLEL {
            // A part is a sixteenth of what a thread would have, and no less than is worth it.
            let parts = rayon::current_num_threads().saturating_mul(16).max(1);
            let most = (bags / parts)
                .max(bags.checked_div(row.saturating_mul(used) / PART).unwrap_or(*bags))
                .max(1);
            if let Some(below) = self.bag.plan.below_bags() {
                let part = Part { bags: 0..*bags, before: self.used.0, output, base: 0 };
                return split(&fused, part, below, most);
            }
        }
        self.reduce(pool, table, output, map);
    }

    #[inline(always)]
    fn fused<'a, T, P, M>(
        &'a self,
        pool: &'a P,
        table: &'a [T],
        map: &'a M,
    ) -> Fused<'a, T, S, P, M> {
        let (plan, indices) = (&self.bag.plan, self.indices);
        let bags = self.bags.ends(plan.bags, plan.entries);
        let lookup = Lookup {
            plan,
            table,
            indices,
            #[cfg(feature = "std")]
            end: self.used.1,
        };
        Fused { lookup, pool, bags, map }
    }
}

/// Entries of a call. Fewer are resolved where their rows are read, without prefetches: a processor
/// runs ahead by about 16 rows itself. Record: rows from memory on Zen 5, windows against the
/// loop before them, which resolved and prefetched in place: 20 entries 1.25x, 50 0.95x, 100 0.9x,
/// 250 0.75x to 0.85x. Without prefetches 20 to 127 entries took 1.3x to 1.4x.
#[cfg(feature = "std")]
const FEW: usize = if cfg!(fuzzing) { 4 } else { 16 };

/// The bytes of rows from which on threads pay.
#[cfg(feature = "rayon")]
const PARALLEL: usize = 2 << 20;

/// The bytes of the rows of a part, at least.
#[cfg(feature = "rayon")]
const PART: usize = 256 << 10;

/// Reduces some bags with the best instructions of this machine.
#[inline(always)]
fn run_part<T, U, S, P, M>(fused: &Fused<'_, T, S, P, M>, mut part: Part<'_, U>)
where
    T: Element,
    U: Element + Zeroable,
    S: Places,
    P: Pool<U>,
    M: Fn(T) -> U,
{
    let part = &mut part;
    #[cfg(feature = "std")]
    {
        let (path, machine) = (Path::detect(), Machine::detect());
        let bytes = fused.lookup.plan.plan.lengths.table.saturating_mul(size_of::<T>());
        let large = cfg!(fuzzing) || bytes > machine.l2;
        let far = machine.prefetches && large;
        path.compiled(
            #[inline(always)]
            || fused.singles(part, far),
        );
        if part.bags.is_empty() {
            return;
        }
        if far && fused.lookup.end.wrapping_sub(part.before) >= FEW {
            let Fused { lookup: Lookup { plan, table, ref indices, end }, pool, bags, map } =
                *fused;
            let lookup = Lookup { plan, table, indices: indices as &dyn RowPlaces, end };
            return run_ahead(path, &Fused { lookup, pool, bags, map }, part);
        }
        path.compiled(
            #[inline(always)]
            || fused.run::<InPlace, _>(part),
        );
    }
    #[cfg(not(feature = "std"))]
    fused.run::<InPlace, _>(part);
}

/// Reduces some bags of a table beyond L2. It does not know the type of the indices.
#[cfg(feature = "std")]
#[inline(never)]
fn run_ahead<T, U, P, M>(
    path: Path,
    fused: &Fused<'_, T, &dyn RowPlaces, P, M>,
    part: &mut Part<'_, U>,
) where
    T: Element,
    U: Element + Zeroable,
    P: Pool<U>,
    M: Fn(T) -> U,
{
    path.compiled(
        #[inline(always)]
        || fused.run::<Ahead, _>(part),
    );
}

/// Halves the bags until there are at most `most`, which a thread reduces. A bag writes no further
/// than `below` before its first element.
#[cfg(feature = "rayon")]
fn split<T, U, S, P, M>(fused: &Fused<'_, T, S, P, M>, part: Part<'_, U>, below: usize, most: usize)
where
    T: Element,
    U: Element + Zeroable + Send,
    S: Places,
    P: Pool<U> + Sync,
    M: Fn(T) -> U + Sync,
{
    let Part { bags, before, output, base } = part;
    let middle = bags.start.wrapping_add(bags.len() / 2);
    if bags.len() > most
        && let Some(place) = fused.lookup.plan.place(middle).checked_sub(below.wrapping_add(base))
        && let Some((left, right)) = output.split_at_mut_checked(place)
    {
        let before_right = fused.end(bags.start..middle, before);
        let left = Part { bags: bags.start..middle, before, output: left, base };
        let base = base.wrapping_add(place);
        let right = Part { bags: middle..bags.end, before: before_right, output: right, base };
        rayon::join(|| split(fused, left, below, most), || split(fused, right, below, most));
    } else {
        run_part(fused, Part { bags, before, output, base });
    }
}

#[cfg(all(test, feature = "std"))]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::fused::{self, Walk};
    use crate::reduction::Add;
    use crate::window::LENGTH;

    /// Numbers below `n`, without a pattern.
    fn random(state: &mut u64, n: usize) -> usize {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % n
    }

    type Fused<'a, S> = fused::Fused<'a, u64, S, Add, fn(u64) -> u64>;

    fn sums<S: Copy, W: Walk<S>>(fused: &Fused<'_, S>, n: usize) -> Vec<u64> {
        let mut output = vec![7; n];
        let bags = 0..fused.lookup.plan.bags;
        fused.run::<W, _>(&mut Part { bags, before: 0, output: &mut output, base: 0 });
        output
    }

    /// Sums of bags, whose entries are found in both ways.
    fn assert_same(bag: &Bag, table: &[u64], indices: &[i64], lengths: &[usize], output: usize) {
        let (bags, map): (_, fn(u64) -> u64) = (Bags::Lengths(lengths), |value| value);
        let bags = bags.ends(lengths.len(), bag.plan.entries);
        let (plan, end) = (&bag.plan, lengths.iter().sum());
        let lookup = Lookup { plan, table, indices, end };
        let in_place = Fused { lookup, pool: &Add, bags, map: &map };
        let lookup = Lookup { plan, table, indices: &indices as &dyn RowPlaces, end };
        let ahead = Fused { lookup, pool: &Add, bags, map: &map };
        assert_eq!(
            sums::<_, Ahead>(&ahead, output),
            sums::<_, InPlace>(&in_place, output),
            "{bag:?} {lengths:?}"
        );
    }

    /// Bags of none to two windows of entries, rows of all widths, indices with gaps or the other
    /// way round, all policies, padding.
    #[test]
    fn entries_lead_where_they_do_in_place() {
        let state = &mut 1;
        for case in 0..300 {
            let count = random(state, 12);
            let longest = [3, 40, 2 * LENGTH][case % 3];
            let lengths = Vec::from_iter((0..count).map(|_| random(state, longest + 1)));
            // Some entries belong to no bag.
            let used: usize = lengths.iter().sum();
            let entries = used + random(state, 3);
            let (rows, columns) = (1 + random(state, 50), 1 + random(state, 40));
            let inner = 1 + random(state, 3);
            let step = [1_isize, -1, 2, -3][random(state, 4)];
            let offset = if step < 0 { entries.saturating_sub(1) * step.unsigned_abs() } else { 0 };
            let indices = Layout::strided([entries], [step]).with_offset(offset);
            // Columns are neighbours, with gaps between the inner rows or without, or they are not.
            let (pitch, apart) = [(columns, 1), (columns + 3, 1), (1, inner)][random(state, 3)];
            let width = (inner * (columns + 3)) as isize;
            let (row, first) =
                if case % 2 == 0 { (width, 0) } else { (-width, (rows - 1) * width as usize) };
            let table =
                Layout::strided([rows, inner, columns], [row, pitch as isize, apart as isize])
                    .with_offset(first);
            let bag =
                Bag::new(&table, &indices, &Layout::contiguous([count, inner, columns])).unwrap();
            let policy =
                [Bounds::Error, Bounds::Skip, Bounds::Clamp, Bounds::Wrap][random(state, 4)];
            let mut bag = bag
                .bounds(policy)
                .negative([Negative::FromEnd, Negative::OutOfBounds][random(state, 2)]);
            if random(state, 3) == 0 {
                bag = bag.padding(random(state, rows));
            }
            // Some from the end, unless that is an error.
            let errs = matches!(policy, Bounds::Error);
            let below =
                if errs && bag.plan.plan.negative != Negative::FromEnd { 0 } else { rows as i64 };
            let reach = if errs && below == 0 { rows } else { 2 * rows };
            let mut indices = Vec::from_iter(
                (0..bag.plan.plan.lengths.indices).map(|_| random(state, reach) as i64 - below),
            );
            for entry in used..entries {
                indices[offset.wrapping_add_signed(entry as isize * step)] = i64::MAX;
            }
            let table =
                Vec::from_iter((0..rows * width as usize).map(|_| random(state, 1000) as u64));
            assert_same(&bag, &table, &indices, &lengths, count * inner * columns);
        }
    }

    /// An axis that is too long for kernels: all rows are the same.
    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_long_axis() {
        let table = Layout::strided([1 << 33, 2], [0, 1]);
        let lengths = [LENGTH + 3, 5];
        let entries = lengths.iter().sum();
        let output = Layout::contiguous([2, 2]);
        let bag = Bag::new(&table, &Layout::contiguous([entries]), &output).unwrap();
        let bag = bag.bounds(Bounds::Skip).padding((1 << 33) - 1);
        let indices = Vec::from_iter((0..entries).map(|n| [0, 1 << 32, -1, 1 << 33][n % 4]));
        assert_same(&bag, &[3, 4], &indices, &lengths, 4);
    }
}
