//! Asking for memory ahead of its use.

/// The bytes that caches and memory exchange at a time.
pub(crate) const LINE: usize = 64;

/// The cache that a line comes into: what `_MM_HINT_T0` and `_MM_HINT_T1` stand for.
const FIRST: i32 = 3;
const SECOND: i32 = 2;

/// Whether this machine has an instruction for it that Rust offers; if not, asking does nothing.
pub const PREFETCHES: bool = cfg!(target_arch = "x86_64");

/// Whether the third cache is so near that one thread alone best scatters single elements there, and sets them without asking for their places: on processors of AMD. (On Zen 4 and 5,
/// `strew-benches`, `tuples`, `threads`: to ask takes up to a quarter longer, two threads as long as one, or longer.)
#[inline]
#[must_use]
pub fn third_cache_is_near() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_amd();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// SSE4a is in all of AMD's, and in what derives from them.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn is_amd() -> bool {
    std::is_x86_feature_detected!("sse4a")
}

/// Asks for the cache line of the element at `address`. Changes nothing but the time that the next access takes, in the slice or not.
#[inline(always)]
pub fn prefetch<T>(table: &[T], address: u32) {
    prefetch_bytes::<FIRST>(table.as_ptr().wrapping_add(address as usize).cast());
}

/// Asks for the first cache lines of the row of `n` elements at `address`; the machine itself goes on with long ones.
///
/// Not inlined: compilers unroll it wherever it is used.
#[inline(never)]
pub fn prefetch_row<T>(table: &[T], address: u32, n: usize) {
    prefetch_row_here(table, address, n);
}

/// The same for a loop of its own.
#[inline(always)]
pub(crate) fn prefetch_row_here<T>(table: &[T], address: u32, n: usize) {
    prefetch_lines::<FIRST>(
        table.as_ptr().wrapping_add(address as usize).cast(),
        n.saturating_mul(size_of::<T>()),
        16,
    );
}

/// [`prefetch_row`] long before the access: into the second cache. (`strew-benches`, `threads`: rows of 64 elements that are read with gaps, as by a thread among others,
/// take half the time on Zen 4.)
///
/// Inlined: where the length is known, it takes fewer instructions than a call.
#[inline(always)]
pub fn prefetch_row_early<T>(table: &[T], address: u32, n: usize) {
    // With gaps between rows, the machine goes on less far by itself than it takes until rows asked for early are used.
    prefetch_lines::<SECOND>(
        table.as_ptr().wrapping_add(address as usize).cast(),
        n.saturating_mul(size_of::<T>()),
        64,
    );
}

/// Asks for a block of elements, so many after the start of this one: for all of it, since each block of a lane asks in turn, and gaps would remain between what is asked for. (`strew-benches`, `tuples`, on Zen 5:
/// by 4 coordinates of 8 bytes, a third to half of the time that it takes with 16 lines of the 32.) Inlined: compilers unroll it to fewer instructions than a call.
#[inline(always)]
pub fn prefetch_block<T, const N: usize>(block: &[T; N], ahead: u32) {
    prefetch_lines::<FIRST>(
        block.as_ptr().wrapping_add(ahead as usize).cast(),
        size_of_val(block),
        usize::MAX,
    );
}

#[inline(always)]
fn prefetch_lines<const CACHE: i32>(mut at: *const u8, bytes: usize, most: usize) {
    if PREFETCHES {
        for _ in 0..bytes.div_ceil(LINE).min(most) {
            prefetch_bytes::<CACHE>(at);
            at = at.wrapping_add(LINE);
        }
    }
}

#[inline(always)]
fn prefetch_bytes<const CACHE: i32>(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing, whatever the address.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<CACHE>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
