//! Rows of elements, as bytes.

use bytemuck::NoUninit;

use crate::bytes::{Byte, as_bytes, as_bytes_mut};
use crate::place::Place;

/// Copies of rows of `n` elements from one slice to another of the same type, which is not named.
pub struct Rows<'a> {
    pub(crate) from: &'a [u8],
    pub(crate) to: &'a mut [Byte],
    pub(crate) shape: Shape,
}

impl<'a> Rows<'a> {
    /// Rows of `n` elements, from one slice to the other.
    #[inline]
    #[must_use]
    pub fn new<T: NoUninit, P: Place<T>>(from: &'a [T], to: &'a mut [P], n: usize) -> Rows<'a> {
        const { assert!(size_of::<T>() <= u32::MAX as usize, "elements have less than 4 GiB") }
        let shape = Shape { element: size_of::<T>(), row: n.saturating_mul(size_of::<T>()) };
        // SAFETY: this type only leaves copies of rows of `from` there: whole elements, for rows
        // start at multiples of an element's size and have one for their length.
        let to = unsafe { as_bytes_mut(to) };
        Rows { from: as_bytes(from), to, shape }
    }
}

/// The bytes of an element, and of a row.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub element: usize,
    pub row: usize,
}

impl Shape {
    /// The bytes from an element on. The place is checked wherever a slice is cut: modulo 2^bits, a
    /// far one would lead back into it, between two elements.
    #[inline(always)]
    pub(crate) fn tail<'a>(&self, slice: &'a [u8], at: usize) -> Option<&'a [u8]> {
        slice.get(at.checked_mul(self.element)?..)
    }

    #[inline(always)]
    pub(crate) fn tail_mut<'a>(&self, slice: &'a mut [Byte], at: usize) -> Option<&'a mut [Byte]> {
        slice.get_mut(at.checked_mul(self.element)?..)
    }

    /// The first `bytes` of a row that starts at an address.
    #[inline(always)]
    pub(crate) fn part<'a>(&self, slice: &'a [u8], address: u32, bytes: usize) -> Option<&'a [u8]> {
        let (start, last) = (self.start_of(address), slice.len().checked_sub(bytes)?);
        if start > last as u64 {
            return None;
        }
        let start = start as usize;
        // SAFETY: `start + bytes` is at most the length, as the check above found.
        Some(unsafe { slice.get_unchecked(start..start + bytes) })
    }

    #[inline(always)]
    pub(crate) fn part_mut<'a>(
        &self,
        slice: &'a mut [Byte],
        address: u32,
        bytes: usize,
    ) -> Option<&'a mut [Byte]> {
        let (start, last) = (self.start_of(address), slice.len().checked_sub(bytes)?);
        if start > last as u64 {
            return None;
        }
        let start = start as usize;
        // SAFETY: `start + bytes` is at most the length, as the check above found.
        Some(unsafe { slice.get_unchecked_mut(start..start + bytes) })
    }

    /// The first byte of the element at an address: it does not overflow, for an element has less
    /// than 2^32 bytes, as [`Rows::new`] asserts.
    #[inline(always)]
    fn start_of(&self, address: u32) -> u64 {
        u64::from(address) * self.element as u64
    }

    /// The bytes of the row that starts at an element.
    #[inline(always)]
    pub(crate) fn row<'a>(&self, slice: &'a [u8], at: usize) -> Option<&'a [u8]> {
        self.tail(slice, at)?.get(..self.row)
    }

    /// The first byte of the row that starts at an element, in the slice or not, modulo 2^bits: for
    /// what neither reads nor writes.
    #[inline(always)]
    pub(crate) fn start(&self, at: usize) -> usize {
        at.wrapping_mul(self.element)
    }
}
