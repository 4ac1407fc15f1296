//! Indices of which some do not count.

use core::marker::PhantomData;

#[cfg(feature = "std")]
use strew_simd::{Axes, NOWHERE, Path, Tuples};

use crate::bag::{Bag, CheckedBag};
use crate::checked::Checked;
use crate::error::{Error, Operand};
use crate::gather::Gather;
use crate::index::Index;
use crate::indices::Indices;
use crate::indices::sealed::Places;
use crate::lists::{ByLists, Lists};
use crate::mask::Values;
use crate::proof::fits;
use crate::run;
use crate::scatter::Scatter;
use crate::segments::Bags;

/// Indices, and beside each of them whether it is valid: nullable ids, as Arrow has them.
///
/// `output[e] = input[indices[e]]` if `valid[e]`, and `data[indices[e]] (op)= updates[e]` if
/// `valid[e]`.
///
/// What is not valid is as if [`Bounds::Skip`](crate::Bounds::Skip) left it out, whatever the index
/// and the policy: a gather leaves that part of the output as it was, a scatter drops it, a bag
/// does not count it. `indices[n]` counts if `valid[n]` is true (NumPy's masked arrays have it the
/// other way round), so that one layout serves both slices. A tuple counts if all of its indices
/// do. `run_uninit` and `collect` return
/// [`Error::PolicyNotSupported`](crate::Error::PolicyNotSupported), as under `Skip`.
///
/// ```
/// use strew::{Gather, Layout, Nullable};
///
/// // The second id is null, and what stands in its place means nothing.
/// let table = Layout::contiguous([3]);
/// let ids = Layout::contiguous([3]);
/// let gather = Gather::axis(&table, &ids, &ids, 0)?;
/// let ids = Nullable::bits(&[2, 999, 0], &[0b101], 0);
/// let mut output = [-1; 3];
/// gather.check_nullable(ids)?.run(&[10, 20, 30], &mut output)?;
/// assert_eq!(output, [30, -1, 10]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "validity")]
#[doc(alias = "Arrow")]
#[derive(Clone, Copy, Debug)]
pub struct Nullable<'a, I> {
    indices: &'a [I],
    valid: Values<'a>,
    /// The position of the first value.
    offset: usize,
}

impl<'a, I: Index> Nullable<'a, I> {
    /// With a bool for each index: `indices[n]` counts if `valid[n]` is true.
    ///
    /// ```
    /// use strew::{Add, Layout, Nullable, Scatter};
    ///
    /// let bins = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let scatter = Scatter::axis(&bins, &three, &Layout::strided([3], [0]), 0)?;
    /// let bins = Nullable::bools(&[1, 1, 0], &[true, true, false]);
    /// let mut counts = [0; 2];
    /// scatter.check_nullable(bins)?.reduce(Add, &mut counts, &[1])?;
    /// assert_eq!(counts, [0, 2]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn bools(indices: &'a [I], valid: &'a [bool]) -> Nullable<'a, I> {
        Nullable { indices, valid: Values::Bools(valid), offset: 0 }
    }

    /// With a bit for each index, the lowest first: that of index `p` is bit `offset + p`, which is
    /// `bytes[(offset + p) / 8] >> (offset + p) % 8 & 1`.
    ///
    /// ```
    /// use strew::{Add, Bag, Bags, Layout, Nullable};
    ///
    /// let table = Layout::contiguous([3]);
    /// let ids = Layout::contiguous([3]);
    /// let bag = Bag::new(&table, &ids, &Layout::contiguous([1]))?;
    /// let mut sum = [0];
    /// let ids = Nullable::bits(&[2, 7, 1], &[0b101_00], 2);
    /// bag.check_nullable(ids, Bags::Starts(&[0]))?.run(
    ///     Add,
    ///     &[10, 20, 30],
    ///     &mut sum,
    /// )?;
    /// assert_eq!(sum, [50]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn bits(indices: &'a [I], bytes: &'a [u8], offset: usize) -> Nullable<'a, I> {
        Nullable { indices, valid: Values::Bits(bytes), offset }
    }
}

impl<I: Index> Indices for Nullable<'_, I> {}

impl<I: Index> Places for Nullable<'_, I> {
    type Index = I;
    const NULLABLE: bool = true;

    fn fit(self, length: usize) -> Result<(), Error> {
        self.indices.fit(length)?;
        fits(Operand::Mask, length, self.valid.len().saturating_sub(self.offset))
    }

    #[inline(always)]
    fn get(self, place: usize) -> Option<I> {
        if self.counts(place) { Places::get(self.indices, place) } else { None }
    }

    #[inline(always)]
    fn counts(self, place: usize) -> bool {
        self.valid.get(place.wrapping_add(self.offset))
    }

    #[cfg(feature = "std")]
    fn resolve(self, path: Path, tuples: &Tuples, axes: &Axes<'_>, to: &mut [u32]) -> bool {
        let inside = self.indices.resolve(path, tuples, axes, to);
        let (mut start, mut all) = (tuples.start, true);
        for lane in to.chunks_mut(tuples.length.max(1)) {
            let mut at = start;
            for some in lane.chunks_mut(64) {
                let (mut word, mut place) = (u64::MAX, at.wrapping_add(self.offset));
                for _ in axes.all {
                    word &= self.valid.word(place, tuples.step, some.len());
                    place = place.wrapping_add_signed(axes.step);
                }
                for (n, address) in some.iter_mut().enumerate() {
                    let counts = word >> n & 1 != 0;
                    all &= inside | !counts | (*address != NOWHERE);
                    *address = if counts { *address } else { NOWHERE };
                }
                at = at.wrapping_add_signed(tuples.step.wrapping_mul(64));
            }
            start = start.wrapping_add_signed(tuples.lane_step);
        }
        all
    }
}

/// What gather and scatter have in common.
macro_rules! common {
    ($operator:ident) => {
        impl $operator {
            /// Proves the indices that are valid, as `check` does. What is done for the others is
            /// said at [`Nullable`].
            ///
            /// # Errors
            /// [`Error::SliceTooShort`] for the indices or the validity mask,
            /// [`Error::IndexOutOfBounds`] for the first bad one that is.
            #[inline]
            pub fn check_nullable<'a, I: Index>(
                &'a self,
                indices: Nullable<'a, I>,
            ) -> Result<Checked<'a, $operator, I, Nullable<'a, I>>, Error> {
                run::check(&self.plan, indices)?;
                Ok(Checked { operator: self, indices, index: PhantomData })
            }
        }

        impl<const K: usize> ByLists<$operator, K> {
            /// Proves the indices that are valid, as `check` does. An entry counts if its indices
            /// are valid in all lists.
            ///
            /// # Errors
            /// Those of `check`, and [`Error::SliceTooShort`] for what says which are valid.
            ///
            /// ```
            /// use strew::{Gather, Layout, Nullable};
            ///
            /// let table = Layout::contiguous([2, 3]);
            /// let two = Layout::contiguous([2]);
            /// let gather = Gather::lists(&table, [&two, &two], &two, [0, 1])?;
            /// let rows = Nullable::bools(&[1, 1], &[true, true]);
            /// let columns = Nullable::bools(&[2, 0], &[true, false]);
            /// let mut output = [-1; 2];
            /// gather
            ///     .check_nullable([rows, columns])?
            ///     .run(&[0, 1, 2, 3, 4, 5], &mut output)?;
            /// assert_eq!(output, [5, -1]);
            /// # Ok::<(), strew::Error>(())
            /// ```
            #[inline]
            pub fn check_nullable<'a, I: Index>(
                &'a self,
                lists: [Nullable<'a, I>; K],
            ) -> Result<Checked<'a, $operator, I, Lists<'a, Nullable<'a, I>, K>>, Error> {
                self.checked(lists)
            }
        }
    };
}
common!(Gather);
common!(Scatter);

impl Bag {
    /// Proves the offsets, and the indices that are in bags and valid, as [`check`](Bag::check)
    /// does. Those that are not valid are left out, and not counted.
    ///
    /// # Errors
    /// Those of [`check`](Bag::check), and [`Error::SliceTooShort`] for what says which are valid.
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn check_nullable<'a, I: Index, O: Index>(
        &'a self,
        indices: Nullable<'a, I>,
        bags: Bags<'a, O>,
    ) -> Result<CheckedBag<'a, I, O, Nullable<'a, I>>, Error> {
        self.checked(indices, bags)
    }
}
