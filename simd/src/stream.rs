//! Writes to memory past the caches.

use crate::moves::Bytes;

/// The right to write past the caches: once it is gone, other threads see what was written.
pub(crate) struct Streaming(());

impl Streaming {
    /// # Safety
    /// What it writes is not accessed before it is dropped, and it is dropped.
    pub(crate) unsafe fn new() -> Streaming {
        Streaming(())
    }

    /// `to = from`, of the same length. `false`: not done, `to` is not made of whole cache lines, or the machine cannot.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn write<const N: usize>(&self, from: &[Bytes<N>], to: &mut [Bytes<N>]) -> bool {
        use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};

        use crate::prefetch::LINE;

        let bytes = size_of_val(from);
        let (mut from, mut at): (*const __m128i, *mut __m128i) = (from.as_ptr().cast(), to.as_mut_ptr().cast());
        if bytes != size_of_val(to) || !bytes.is_multiple_of(LINE) || !at.addr().is_multiple_of(LINE) {
            return false;
        }
        for _ in 0..bytes / LINE {
            for _ in 0..LINE / size_of::<__m128i>() {
                // SAFETY: so many vectors lie in `from`, by the number of its bytes.
                let vector = unsafe { _mm_loadu_si128(from) };
                // SAFETY: as many lie in `to`, which starts at a cache line, by the condition above; no one reads them before the drop, as `new` asks.
                unsafe { _mm_stream_si128(at, vector) };
                (from, at) = (from.wrapping_add(1), at.wrapping_add(1));
            }
        }
        true
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    pub(crate) fn write<const N: usize>(&self, _: &[Bytes<N>], _: &mut [Bytes<N>]) -> bool {
        false
    }
}

impl Drop for Streaming {
    #[inline(always)]
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has this instruction.
        unsafe {
            core::arch::x86_64::_mm_sfence();
        }
    }
}
