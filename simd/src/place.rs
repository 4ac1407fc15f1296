//! Where a value is written: a slice that has values, or memory that has none yet.

use core::mem::MaybeUninit;

/// What can hold a value of `T`: `T` itself, or `MaybeUninit<T>`, whose memory nobody had to clear.
/// The trait is sealed.
///
/// ```
/// use std::mem::MaybeUninit;
/// use strew_simd::{Block, Elements, Move, Path};
///
/// let (table, mut output) = ([1, 2, 3_u32], [MaybeUninit::uninit(); 2]);
/// let addresses = &[2, 0];
/// let block =
///     Block { addresses, length: 2, entry_step: 1, ..Block::default() };
/// let mut elements = Elements::<4>::new(&table, &mut output).unwrap();
/// elements.gather(Path::detect(), &block, 0);
/// // SAFETY: both addresses lie in the table, so both places are written.
/// assert_eq!(output.map(|place| unsafe { place.assume_init() }), [3, 1]);
/// ```
pub trait Place<T>: Copy + sealed::Sealed<T> {
    /// The place that holds this value.
    fn of(value: T) -> Self;

    /// `to = from`, of the same length; nothing if they have not.
    fn copy(from: &[T], to: &mut [Self]);
}

mod sealed {
    use core::mem::MaybeUninit;

    /// Types with the size and the alignment of `T`, for which all values of `T` are values.
    pub trait Sealed<T> {}
    impl<T> Sealed<T> for T {}
    impl<T> Sealed<T> for MaybeUninit<T> {}
}

impl<T: Copy> Place<T> for T {
    #[inline(always)]
    fn of(value: T) -> T {
        value
    }

    #[inline(always)]
    fn copy(from: &[T], to: &mut [T]) {
        if from.len() == to.len() {
            to.copy_from_slice(from);
        }
    }
}

impl<T: Copy> Place<T> for MaybeUninit<T> {
    #[inline(always)]
    fn of(value: T) -> MaybeUninit<T> {
        MaybeUninit::new(value)
    }

    #[inline(always)]
    fn copy(from: &[T], to: &mut [MaybeUninit<T>]) {
        Place::copy(slots(from), to);
    }
}

/// A slice of what has values as one of what may have none.
#[inline(always)]
pub(crate) fn slots<T>(slice: &[T]) -> &[MaybeUninit<T>] {
    // SAFETY: `MaybeUninit` has the size and the alignment of its type, and allows its values;
    // nobody writes to a shared slice.
    unsafe { core::slice::from_raw_parts(slice.as_ptr().cast(), slice.len()) }
}
