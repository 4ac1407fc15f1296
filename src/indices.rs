//! The indices of a call: a slice, or what is read as if it were one.

#[cfg(feature = "std")]
use strew_simd::{Axes, Path, Tuples};

use crate::error::{Error, Operand};
use crate::index::Index;
use crate::proof::fits;

/// What a [`Checked`](crate::Checked) has its indices from: a slice, one for each coordinate
/// ([`Lists`](crate::Lists)), or one of which some do not count ([`Nullable`](crate::Nullable)).
/// This trait is sealed.
///
/// ```
/// use strew::{Checked, Gather, Index, Indices, Layout};
///
/// fn first<I: Index, S: Indices<Index = I>>(
///     checked: &Checked<'_, Gather, I, S>,
/// ) -> char {
///     let mut output = ['?'];
///     checked.run(&['a', 'b', 'c'], &mut output).map_or('!', |()| output[0])
/// }
/// let table = Layout::contiguous([3]);
/// let one = Layout::contiguous([1]);
/// assert_eq!(first(&Gather::axis(&table, &one, &one, 0)?.check(&[2])?), 'c');
/// # Ok::<(), strew::Error>(())
/// ```
pub trait Indices: sealed::Places {}

impl<I: Index> Indices for &[I] {}

pub(crate) mod sealed {
    use super::Error;
    #[cfg(feature = "std")]
    use super::{Axes, Path, Tuples};
    use crate::index::sealed::Value;

    /// Indices by their places in a plan.
    pub trait Places: Copy + Sync {
        type Index: Value;
        /// Whether there may be indices that do not count.
        const NULLABLE: bool = false;

        /// Fails unless there are indices at all places of a plan that needs `length` of them.
        fn fit(self, length: usize) -> Result<(), Error>;

        /// The index at a place. `None`: it does not count, or lies outside the slice.
        fn get(self, place: usize) -> Option<Self::Index>;

        /// Whether the index at a place counts; if not, its entry is left out whatever it is.
        #[inline(always)]
        fn counts(self, _place: usize) -> bool {
            true
        }

        /// The bytes of one of them in memory.
        #[inline(always)]
        fn width(&self) -> usize {
            size_of::<Self::Index>()
        }

        /// The bytes of all of them, where they are one slice.
        #[cfg(feature = "std")]
        #[inline(always)]
        fn bytes(&self) -> &[u8] {
            &[]
        }

        /// All of them, where they are one slice of their type.
        #[inline(always)]
        fn slice(&self) -> Option<&[Self::Index]> {
            None
        }

        /// Sets the addresses of tuples, and says whether all indices that count are on their axes,
        /// or have moved there. The others get no address: see [`strew_simd::Outside`].
        #[cfg(feature = "std")]
        fn resolve(self, path: Path, tuples: &Tuples, axes: &Axes<'_>, to: &mut [u32]) -> bool;
    }
}
use sealed::Places;

impl<I: Index> Places for &[I] {
    type Index = I;

    #[inline(always)]
    fn fit(self, length: usize) -> Result<(), Error> {
        fits(Operand::Indices, length, self.len())
    }

    #[inline(always)]
    fn get(self, place: usize) -> Option<I> {
        <[I]>::get(self, place).copied()
    }

    #[cfg(feature = "std")]
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }

    #[inline(always)]
    fn slice(&self) -> Option<&[I]> {
        Some(self)
    }

    #[cfg(feature = "std")]
    fn resolve(self, path: Path, tuples: &Tuples, axes: &Axes<'_>, to: &mut [u32]) -> bool {
        I::RESOLVE(path, self, tuples, axes, to)
    }
}
