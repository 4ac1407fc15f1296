//! Loops of the caller's, compiled for the instructions of a path.

use crate::path::{Instructions, Op, Path};
use crate::prefetch::LINE;

/// Runs loops that the compiler turns into vectors, compiled for the instructions of this path.
/// What is to use them must be `#[inline(always)]`, the closure as well.
#[inline]
pub fn compiled<R>(path: Path, loops: impl FnOnce() -> R) -> R {
    struct Run<F>(F);
    impl<R, F: FnOnce() -> R> Op for Run<F> {
        type Output = R;
        #[inline(always)]
        fn run<S: Instructions>(self, _: S) -> R {
            (self.0)()
        }
    }
    path.dispatch(Run(loops))
}

/// Prefetches `L` columns of a row into L2, from `address` on, in the slice or not; of long ones,
/// as many as 8 lines hold.
#[inline(always)]
pub fn prefetch_columns<T, const L: usize>(table: &[T], address: usize) {
    let start = table.as_ptr().wrapping_add(address).cast::<u8>();
    let bytes = L.saturating_mul(size_of::<T>()).clamp(1, 8 * LINE);
    for n in 0..8 {
        let at = (n * LINE).min(bytes - 1);
        if n * LINE < bytes + LINE - 1 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a prefetch reads nothing, whatever the address.
            unsafe {
                core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T1 }>(
                    start.wrapping_add(at).cast(),
                );
            }
        }
    }
}
