//! Elements as bytes: types of one size share their code.

use core::mem::MaybeUninit;

use bytemuck::NoUninit;

use crate::place::Place;
use crate::prefetch::LINE;

/// The number of addresses that are compared with a slice at once.
pub(crate) const STEP: usize = 16;

/// The number of entries for which prefetches are made at once, but those of elements, which are
/// made for a [`STEP`].
pub(crate) const STRIDE: usize = 64;

/// The bytes of an element. No value of it comes from outside, and what is written are copies of
/// elements of the same type: whole ones, once a method is done.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Bytes<const N: usize>([u8; N]);

/// Where an element is written, which may have no value yet.
pub type Slot<const N: usize> = MaybeUninit<Bytes<N>>;

/// Where a byte is written, which may have no value yet.
pub type Byte = MaybeUninit<u8>;

impl<const N: usize> Bytes<N> {
    /// The bytes of all elements.
    #[inline(always)]
    pub(crate) fn all(elements: &[Bytes<N>]) -> &[u8] {
        // SAFETY: the slice has this number of bytes, each with a value.
        unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
    }

    /// The bytes of all slots, to write to.
    ///
    /// # Safety
    /// All of them are written, with the bytes of elements of their type, or none.
    #[inline(always)]
    pub(crate) unsafe fn all_mut(slots: &mut [Slot<N>]) -> &mut [Byte] {
        let (data, length) = (slots.as_mut_ptr().cast(), size_of_val(slots));
        // SAFETY: the slice has this number of bytes, of which none needs a value.
        unsafe { core::slice::from_raw_parts_mut(data, length) }
    }
}

/// A cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Line(pub [Byte; LINE]);

/// The elements of a slice as elements of `N` bytes. `None` if they have another size.
#[inline(always)]
pub(crate) fn elements<T: NoUninit, const N: usize>(slice: &[T]) -> Option<&[Bytes<N>]> {
    if size_of::<T>() != N {
        return None;
    }
    // SAFETY: the size is N, as the check above found; bytes need no alignment, and a `NoUninit`
    // type has no byte without a value.
    Some(unsafe { core::slice::from_raw_parts(slice.as_ptr().cast(), slice.len()) })
}

/// The same to write to.
///
/// # Safety
/// Only copies of values of `T` are written, whole ones.
#[inline(always)]
pub(crate) unsafe fn elements_mut<T: NoUninit, const N: usize>(
    slice: &mut [T],
) -> Option<&mut [Bytes<N>]> {
    if size_of::<T>() != N {
        return None;
    }
    // SAFETY: the size is N, as the check above found; bytes need no alignment, and what is written
    // are values of T, as this function asks.
    Some(unsafe { core::slice::from_raw_parts_mut(slice.as_mut_ptr().cast(), slice.len()) })
}

/// The places of a slice as slots of `N` bytes. `None` if they have another size.
///
/// # Safety
/// Only copies of values of `T` are written, whole ones.
#[inline(always)]
pub(crate) unsafe fn slots_mut<T: NoUninit, P: Place<T>, const N: usize>(
    slice: &mut [P],
) -> Option<&mut [Slot<N>]> {
    if size_of::<P>() != N {
        return None;
    }
    // SAFETY: the size is N, as the check above found; slots need neither alignment nor a value,
    // and what is written are values of T, as this function asks, which a place of T can hold.
    Some(unsafe { core::slice::from_raw_parts_mut(slice.as_mut_ptr().cast(), slice.len()) })
}

/// The bytes of all elements.
#[inline(always)]
pub(crate) fn as_bytes<T: NoUninit>(slice: &[T]) -> &[u8] {
    // SAFETY: the slice has this number of bytes, each with a value, for `T` is `NoUninit`.
    unsafe { core::slice::from_raw_parts(slice.as_ptr().cast(), size_of_val(slice)) }
}

/// The same to write to.
///
/// # Safety
/// Only copies of values of `T` are written, whole ones, once a method is done.
#[inline(always)]
pub(crate) unsafe fn as_bytes_mut<T: NoUninit, P: Place<T>>(slice: &mut [P]) -> &mut [Byte] {
    // SAFETY: the slice has this number of bytes, of which none needs a value; what is written are
    // values of T, as this function asks, which a place of T can hold.
    unsafe { core::slice::from_raw_parts_mut(slice.as_mut_ptr().cast(), size_of_val(slice)) }
}

/// The length of a slice as a bound for addresses.
#[inline(always)]
pub(crate) fn bound<T>(slice: &[T]) -> u32 {
    u32::try_from(slice.len()).unwrap_or(u32::MAX)
}

/// Whether all addresses are below this one. It is a vector compare.
#[inline(always)]
pub(crate) fn all_below(addresses: &[u32], length: u32) -> bool {
    addresses.iter().fold(true, |inside, address| inside & (*address < length))
}
