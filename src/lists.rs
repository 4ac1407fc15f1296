//! Coordinates in slices of their own: `a[i, j]`.
//!
//! The plan is that of packed tuples which nobody has written down: the index at place
//! `entry * K + k` is that of list `k`, where its strides lead to.

use core::marker::PhantomData;
#[cfg(feature = "std")]
use core::slice::from_ref;

#[cfg(feature = "std")]
use strew_simd::{Axes, Axis, NOWHERE, Path, Tuples};

use crate::checked::Checked;
use crate::element::Element;
use crate::error::{Direction, Error, Operand, tri};
use crate::gather::Gather;
use crate::get::{get, get_mut};
use crate::index::{Bounds, Index, Negative};
use crate::indices::Indices;
use crate::indices::sealed::Places;
use crate::layout::{Layout, MAX_RANK};
use crate::plan::Plan;
use crate::reduction::{Assign, Reduction};
use crate::run;
use crate::scatter::Scatter;
use crate::shape::{aligned, broadcast};

/// A [`Gather`] or a [`Scatter`] by `K` coordinates, each of which lies in a slice of its own: made
/// by [`Gather::lists`] and [`Scatter::lists`].
///
/// [`check`](ByLists::check) leads to what is not among its methods: threads, maps, means and
/// reductions without self. For the length of their scratch, make a [`Scatter::axes`] plan with the
/// same data and axes, and indices of the sizes `[n, K]` (of which only the layout is needed). Ask
/// its [`mean_len`](Scatter::mean_len) or [`flags_len`](Scatter::flags_len). `check_unique`,
/// `explain`, `adjoint` and `run_from` are for tuples alone.
///
/// ```
/// use strew::{Gather, Layout};
///
/// let table = Layout::contiguous([2, 3]);
/// let two = Layout::contiguous([2]);
/// let gather = Gather::lists(&table, [&two, &two], &two, [0, 1])?;
/// let mut output = [0.0; 2];
/// gather.check([&[1, 0], &[2, -1]])?.run_map(
///     &[1, 2, 3, 4, 5, 6],
///     &mut output,
///     f64::from,
/// )?;
/// assert_eq!(output, [6.0, 3.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ByLists<Operator, const K: usize> {
    operator: Operator,
    spread: Spread<K>,
}

impl Gather {
    /// `output[i.., s..] = input[c]`, where coordinate `axes[m]` of `c` is `lists[m][i..]`, and `s`
    /// are the other coordinates of `c`, in their order: [`axes`](Gather::axes) with a layout and a
    /// slice for each coordinate, and so with an array of axes. The lists are broadcast against
    /// each other: sizes count from the last dimension, and 1 fits every size.
    ///
    /// The shapes are `output = the lists' common sizes ++ the other sizes of the input`
    /// ([`shape::lists`](crate::shape::lists)).
    ///
    /// This is NumPy's `a[i, j]` and PyTorch's. Here the dimensions of the lists always come first.
    /// For `a[:, i, j]` NumPy does otherwise: see [`axes`](Gather::axes). With lists of the sizes
    /// `[n, 1]` and `[m]` it is `a[np.ix_(i, j)]`.
    ///
    /// # Errors
    /// Those of [`axes`](Gather::axes); [`Error::SizeMismatch`] for lists that do not fit each
    /// other, with the dimension of their common sizes.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// // Of rows 2 and 0, the columns 1, 0 and 1.
    /// let rows = Layout::contiguous([2, 1]);
    /// let columns = Layout::contiguous([3]);
    /// let table = Layout::contiguous([3, 2]);
    /// let output = Layout::contiguous([2, 3]);
    /// let gather = Gather::lists(&table, [&rows, &columns], &output, [0, 1])?;
    /// let mut output = [0; 6];
    /// gather.run(&[1, 2, 3, 4, 5, 6], [&[2, 0], &[1, 0, 1]], &mut output)?;
    /// assert_eq!(output, [6, 5, 6, /**/ 2, 1, 2]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "index_put")]
    #[doc(alias = "ix_")]
    #[doc(alias = "vindex")]
    #[doc(alias = "fancy_indexing")]
    #[inline]
    pub const fn lists<const K: usize>(
        input: &Layout,
        lists: [&Layout; K],
        output: &Layout,
        axes: [usize; K],
    ) -> Result<ByLists<Gather, K>, Error> {
        let mut gather = Gather { plan: Plan::NOTHING, input: *input };
        let common = tri!(broadcast(&lists));
        tri!(gather.plan.lists(input, &common, output, &axes, Direction::Gather));
        Ok(ByLists { operator: gather, spread: tri!(Spread::of(&lists, &common)) })
    }
}

impl Scatter {
    /// `data[c] (op)= updates[i.., s..]`, where coordinate `axes[m]` of `c` is `lists[m][i..]`, and
    /// `s` are the other coordinates of `c`, in their order: [`axes`](Scatter::axes) with a layout
    /// and a slice for each coordinate. The lists are broadcast against each other: sizes count
    /// from the last dimension, and 1 fits every size.
    ///
    /// The shapes are `updates = the lists' common sizes ++ the other sizes of the data`
    /// ([`shape::lists`](crate::shape::lists)).
    ///
    /// This is NumPy's `a[i, j] = u` and `add.at(a, (i, j), u)`, PyTorch's `index_put`.
    ///
    /// # Errors
    /// Those of [`axes`](Scatter::axes); [`Error::SizeMismatch`] for lists that do not fit each
    /// other, with the dimension of their common sizes.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// // A histogram of two columns, and one weight for all.
    /// let bins = Layout::contiguous([2, 2]);
    /// let three = Layout::contiguous([3]);
    /// let weight = Layout::strided([3], [0]);
    /// let scatter = Scatter::lists(&bins, [&three, &three], &weight, [0, 1])?;
    /// let mut counts = [0; 4];
    /// scatter.reduce(Add, &mut counts, [&[0_u8, 1, 1], &[1, 0, 0]], &[1])?;
    /// assert_eq!(counts, [0, 1, 2, 0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "index_put")]
    #[doc(alias = "ix_")]
    #[doc(alias = "vindex")]
    #[doc(alias = "fancy_indexing")]
    #[inline]
    pub const fn lists<const K: usize>(
        data: &Layout,
        lists: [&Layout; K],
        updates: &Layout,
        axes: [usize; K],
    ) -> Result<ByLists<Scatter, K>, Error> {
        let mut scatter = Scatter { plan: Plan::NOTHING, data: *data };
        let common = tri!(broadcast(&lists));
        tri!(scatter.plan.lists(data, &common, updates, &axes, Direction::Scatter));
        Ok(ByLists { operator: scatter, spread: tri!(Spread::of(&lists, &common)) })
    }
}

/// What gather and scatter have in common.
macro_rules! common {
    ($operator:ident) => {
        impl<const K: usize> ByLists<$operator, K> {
            /// The same plan with another policy for indices out of bounds; [`Bounds::Error`] if
            /// none is set.
            #[must_use]
            pub const fn bounds(mut self, bounds: Bounds) -> Self {
                self.operator.plan.set_bounds(bounds);
                self
            }

            /// The same plan with another meaning of indices below 0; [`Negative::FromEnd`] if none
            /// is set.
            #[must_use]
            pub const fn negative(mut self, negative: Negative) -> Self {
                self.operator.plan.negative = negative;
                self
            }

            /// Proves all indices, so that running cannot fail for their sake.
            ///
            /// # Errors
            /// [`Error::SliceTooShort`] for a list, [`Error::IndexOutOfBounds`] for the first bad
            /// index, with its entry of the lists' common sizes, in row-major order.
            #[inline]
            pub fn check<'a, I: Index>(
                &'a self,
                lists: [&'a [I]; K],
            ) -> Result<Checked<'a, $operator, I, Lists<'a, &'a [I], K>>, Error> {
                self.checked(lists)
            }

            #[inline(always)]
            pub(crate) fn checked<'a, S: Indices>(
                &'a self,
                lists: [S; K],
            ) -> Result<Checked<'a, $operator, S::Index, Lists<'a, S, K>>, Error> {
                let indices = self.indices(lists);
                run::check(&self.operator.plan, indices)?;
                Ok(Checked { operator: &self.operator, indices, index: PhantomData })
            }

            #[inline(always)]
            fn indices<'a, S>(&'a self, lists: [S; K]) -> Lists<'a, S, K> {
                Lists { lists, spread: &self.spread }
            }
        }
    };
}
common!(Gather);
common!(Scatter);

impl<const K: usize> ByLists<Gather, K> {
    /// Gathers in one pass over the indices, as [`Gather::run`] does.
    ///
    /// # Errors
    /// Those of [`Gather::run`]. After one, the output is as it leaves it.
    ///
    /// ```
    /// use strew::{Error, Gather, Layout};
    ///
    /// let table = Layout::contiguous([2, 3]);
    /// let two = Layout::contiguous([2]);
    /// let gather = Gather::lists(&table, [&two, &two], &two, [0, 1])?;
    /// let mut output = [0; 2];
    /// gather.run(&[1, 2, 3, 4, 5, 6], [&[1, 0], &[2, -1]], &mut output)?;
    /// assert_eq!(output, [6, 3]);
    /// let error =
    ///     gather.run(&[1, 2, 3, 4, 5, 6], [&[1, 0], &[2, 3]], &mut output);
    /// let bad = Error::IndexOutOfBounds {
    ///     entry: 1,
    ///     coordinate: 1,
    ///     value: 3,
    ///     size: 3,
    /// };
    /// assert_eq!(error, Err(bad));
    /// # Ok::<(), Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn run<T: Element, I: Index>(
        &self,
        input: &[T],
        lists: [&[I]; K],
        output: &mut [T],
    ) -> Result<(), Error> {
        run::gather(&self.operator.plan, input, self.indices(lists), output)
    }
}

impl<const K: usize> ByLists<Scatter, K> {
    /// Assigns in place, as [`Scatter::run`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let board = Layout::contiguous([2, 2]);
    /// let two = Layout::contiguous([2]);
    /// let scatter = Scatter::lists(&board, [&two, &two], &two, [0, 1])?;
    /// let mut data = ['.'; 4];
    /// scatter.run(&mut data, [&[0, 1], &[1, 1]], &['x', 'o'])?;
    /// assert_eq!(data, ['.', 'x', '.', 'o']);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn run<T: Element, I: Index>(
        &self,
        data: &mut [T],
        lists: [&[I]; K],
        updates: &[T],
    ) -> Result<(), Error> {
        self.reduce(Assign, data, lists, updates)
    }

    /// Combines in place, as [`Scatter::reduce`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::IndexOutOfBounds`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Max, Scatter};
    ///
    /// let grid = Layout::contiguous([2, 2]);
    /// let two = Layout::contiguous([2]);
    /// let scatter = Scatter::lists(&grid, [&two, &two], &two, [0, 1])?;
    /// let mut data = [0; 4];
    /// scatter.reduce(Max, &mut data, [&[1, 1], &[0, 0]], &[3, 2])?;
    /// assert_eq!(data, [0, 0, 3, 0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn reduce<T: Element, I: Index, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        lists: [&[I]; K],
        updates: &[T],
    ) -> Result<(), Error> {
        run::scatter(&self.operator.plan, &reduction, data, self.indices(lists), updates)
    }
}

/// Where the indices of each list lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Spread<const K: usize> {
    /// The common sizes, but for dimensions of size 1, and for those that all lists walk with one
    /// stride.
    sizes: [usize; MAX_RANK],
    rank: usize,
    lists: [List; K],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct List {
    start: usize,
    strides: [isize; MAX_RANK],
    /// The length that its slice must have.
    length: usize,
}

impl<const K: usize> Spread<K> {
    const fn of(lists: &[&Layout; K], common: &Layout) -> Result<Spread<K>, Error> {
        let list = List { start: 0, strides: [0; MAX_RANK], length: 0 };
        let mut spread = Spread { sizes: [1; MAX_RANK], rank: 0, lists: [list; K] };
        let mut dimension = 0;
        while dimension < common.rank() {
            if common.size(dimension) != 1 {
                spread.push(lists, common, dimension);
            }
            dimension += 1;
        }
        let mut k = 0;
        while k < K
            && let (Some(list), Some(layout)) = (get_mut(&mut spread.lists, k), get(lists, k))
        {
            list.start = layout.offset();
            list.length = tri!(layout.extent_of(Operand::Indices));
            k += 1;
        }
        Ok(spread)
    }

    /// Adds a dimension, or makes it one with the last, if a step of that is as many of this one in
    /// all lists.
    const fn push(&mut self, lists: &[&Layout; K], common: &Layout, dimension: usize) {
        let size = common.size(dimension);
        let (mut merge, mut k) = (self.rank > 0, 0);
        let at = self.rank.saturating_sub(1);
        while k < K
            && let (Some(list), Some(layout)) = (get(&self.lists, k), get(lists, k))
        {
            let stride = aligned(layout, common.rank(), dimension).1;
            let before = get(&list.strides, at);
            merge = merge && matches!(before, Some(b) if *b == stride.wrapping_mul(size as isize));
            k += 1;
        }
        let at = if merge { at } else { self.rank };
        if let Some(to) = get_mut(&mut self.sizes, at) {
            *to = to.saturating_mul(size);
        }
        k = 0;
        while k < K
            && let (Some(list), Some(layout)) = (get_mut(&mut self.lists, k), get(lists, k))
        {
            if let Some(to) = get_mut(&mut list.strides, at) {
                *to = aligned(layout, common.rank(), dimension).1;
            }
            k += 1;
        }
        self.rank = at + 1;
    }

    /// The place of an entry in a list, and its coordinate along the last dimension.
    #[inline(always)]
    fn place(&self, list: &List, entry: usize) -> (usize, usize) {
        let (mut at, mut left, mut last) = (list.start, entry, None);
        let dims = self.sizes.iter().zip(&list.strides).take(self.rank);
        for (n, (size, stride)) in dims.enumerate().rev() {
            let coordinate = if n == 0 { left } else { left.checked_rem(*size).unwrap_or(0) };
            left = left.checked_div(*size).unwrap_or(0);
            at = at.wrapping_add(coordinate.wrapping_mul(*stride as usize));
            last = last.or(Some(coordinate));
        }
        (at, last.unwrap_or(0))
    }
}

/// The slices of `K` coordinates, read as if they were tuples.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a, S, const K: usize> {
    lists: [S; K],
    spread: &'a Spread<K>,
}

impl<S: Indices, const K: usize> Indices for Lists<'_, S, K> {}

impl<S: Places, const K: usize> Places for Lists<'_, S, K> {
    type Index = S::Index;
    const NULLABLE: bool = S::NULLABLE;

    fn fit(self, _: usize) -> Result<(), Error> {
        self.lists
            .iter()
            .zip(&self.spread.lists)
            .try_for_each(|(indices, list)| indices.fit(list.length))
    }

    #[inline(always)]
    fn get(self, place: usize) -> Option<S::Index> {
        let (entry, k) = (place.checked_div(K)?, place.checked_rem(K)?);
        let (place, _) = self.spread.place(self.spread.lists.get(k)?, entry);
        self.lists.get(k)?.get(place)
    }

    #[inline(always)]
    fn counts(self, place: usize) -> bool {
        let (entry, k) = (place.checked_div(K).unwrap_or(0), place.checked_rem(K).unwrap_or(0));
        self.lists.get(k).zip(self.spread.lists.get(k)).is_none_or(|(indices, list)| {
            let (place, _) = self.spread.place(list, entry);
            indices.counts(place)
        })
    }

    #[cfg(feature = "std")]
    fn resolve(self, path: Path, tuples: &Tuples, axes: &Axes<'_>, to: &mut [u32]) -> bool {
        let entries = |places: isize| places.checked_div(K as isize).unwrap_or(0);
        let mut entry = tuples.start.checked_div(K).unwrap_or(0);
        let (step, lane_step) = (entries(tuples.step), entries(tuples.lane_step));
        let mut inside = true;
        for lane in to.chunks_mut(tuples.length.max(1)) {
            let mut at = entry;
            for to in lane.chunks_mut(CHUNK) {
                inside &= self.tuples(path, at, step, axes, to);
                at = at.wrapping_add_signed(step.wrapping_mul(to.len() as isize));
            }
            entry = entry.wrapping_add_signed(lane_step);
        }
        inside
    }
}

/// The number of addresses that are added up at a time.
#[cfg(feature = "std")]
const CHUNK: usize = 256;

#[cfg(feature = "std")]
impl<S: Places, const K: usize> Lists<'_, S, K> {
    /// Sets the addresses of at most [`CHUNK`] entries, `step` apart: the sums of those of their
    /// coordinates.
    fn tuples(
        &self,
        path: Path,
        entry: usize,
        step: isize,
        axes: &Axes<'_>,
        to: &mut [u32],
    ) -> bool {
        if axes.all.is_empty() {
            to.fill(axes.first);
            return true;
        }
        // Each coordinate starts where no position of it is below 0, and the first has the rest.
        let rest = axes.all.iter().skip(1).fold(0_u32, |rest, axis| rest.wrapping_add(below(axis)));
        let (mut inside, mut buffer) = (true, [0; CHUNK]);
        for (k, axis) in axes.all.iter().enumerate() {
            let first = if k == 0 { axes.first.wrapping_sub(rest) } else { below(axis) };
            let axes = Axes { all: from_ref(axis), step: 1, first, outside: axes.outside };
            if k == 0 {
                inside &= self.coordinate(path, k, entry, step, &axes, to);
                continue;
            }
            let Some(addresses) = buffer.get_mut(..to.len()) else { return false };
            inside &= self.coordinate(path, k, entry, step, &axes, addresses);
            for (to, address) in to.iter_mut().zip(addresses) {
                let sum = to.wrapping_add(*address);
                *to = if (*to == NOWHERE) | (*address == NOWHERE) { NOWHERE } else { sum };
            }
        }
        // An index may be outside where another one does not count.
        let counts = |n: usize| {
            let entry = entry.wrapping_add_signed(step.wrapping_mul(n as isize));
            (0..K).all(|k| self.counts(entry.wrapping_mul(K).wrapping_add(k)))
        };
        inside || S::NULLABLE && to.iter().enumerate().all(|(n, to)| *to != NOWHERE || !counts(n))
    }

    /// Sets what one coordinate adds: the rest of a row of the last dimension at a time, or whole
    /// rows.
    fn coordinate(
        &self,
        path: Path,
        k: usize,
        mut entry: usize,
        step: isize,
        axes: &Axes<'_>,
        to: &mut [u32],
    ) -> bool {
        let (Some(indices), Some(list)) = (self.lists.get(k), self.spread.lists.get(k)) else {
            return false;
        };
        let dims = self.spread.sizes.iter().zip(&list.strides).take(self.spread.rank);
        let mut dims = dims.rev().map(|(size, stride)| (*size, *stride));
        let ((row, stride), (rows, lane_step)) =
            (dims.next().unwrap_or((1, 0)), dims.next().unwrap_or((1, 0)));
        let (mut inside, mut to) = (true, to);
        while !to.is_empty() {
            let (start, column) = self.spread.place(list, entry);
            let left = if step == 1 { row.saturating_sub(column).max(1) } else { 1 };
            let (mut count, mut length) = (left.min(to.len()), left);
            if column == 0 && step == 1 && to.len() >= row {
                let above = entry.checked_div(row).and_then(|n| n.checked_rem(rows)).unwrap_or(0);
                let whole = to.len().checked_div(row).unwrap_or(1).min(rows.saturating_sub(above));
                (count, length) = (row.saturating_mul(whole.max(1)), row);
            }
            let Some((some, more)) = to.split_at_mut_checked(count) else { return false };
            let tuples = Tuples { start, step: stride, length, lane_step, next: 0 };
            inside &= indices.resolve(path, &tuples, axes, some);
            entry = entry.wrapping_add_signed(step.wrapping_mul(count as isize));
            to = more;
        }
        inside
    }
}

/// How far below its first position an axis leads.
#[cfg(feature = "std")]
fn below(axis: &Axis) -> u32 {
    let back = axis.stride.cast_signed().min(0).unsigned_abs();
    axis.size.saturating_sub(1).wrapping_mul(back)
}
