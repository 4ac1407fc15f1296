//! Prefetches: they change nothing but the time that the next access takes.

/// The bytes that caches and memory exchange at a time.
pub(crate) const LINE: usize = 64;

/// The cache that a line comes into: what `_MM_HINT_T0` and `_MM_HINT_T1` stand for.
const L1: i32 = 3;
const L2: i32 = 2;

/// Whether Rust offers an instruction for it on this machine; if not, a prefetch does nothing.
pub const PREFETCHES: bool = cfg!(target_arch = "x86_64");

/// The cache lines of a row that are prefetched; the machine itself goes on with long rows.
const ROW_LINES: usize = 16;

/// The cache lines of a row that are prefetched where the machine goes on less far: the updates of
/// worklists, which have gaps between them, and rows that are decoded. Record: `threads`, rows of
/// 64 elements that one of two threads reads, 0.5x on Zen 4.
const EARLY_LINES: usize = 64;

/// Prefetches the cache line of the element at `address`, in the slice or not.
#[inline(always)]
pub fn prefetch<T>(table: &[T], address: u32) {
    line::<L1>(table.as_ptr().wrapping_add(address as usize).cast());
}

/// [`prefetch`] for each address.
#[inline(always)]
pub(crate) fn prefetch_all<T>(table: &[T], addresses: &[u32]) {
    addresses.iter().for_each(|address| prefetch(table, *address));
}

/// Prefetches the row of `n` elements at `address`, in the slice or not. It is not inlined, since
/// compilers unroll it.
#[inline(never)]
pub fn prefetch_row<T>(table: &[T], address: usize, n: usize) {
    let start = table.as_ptr().wrapping_add(address);
    lines::<L1>(start.cast(), n.saturating_mul(size_of::<T>()), ROW_LINES);
}

/// The same where the length may be known when it is compiled: then it takes fewer instructions
/// than a call.
#[inline(always)]
pub(crate) fn prefetch_row_here<T>(table: &[T], address: usize, n: usize) {
    let bytes = n.saturating_mul(size_of::<T>());
    if bytes > 4 * LINE {
        return prefetch_row(table, address, n);
    }
    lines::<L1>(table.as_ptr().wrapping_add(address).cast(), bytes, 4);
}

/// The same long before the access: into L2.
#[inline(never)]
pub fn prefetch_row_early<T>(table: &[T], address: usize, n: usize) {
    let start = table.as_ptr().wrapping_add(address);
    lines::<L2>(start.cast(), n.saturating_mul(size_of::<T>()), EARLY_LINES);
}

/// The same for the updates of a worklist, unless they are short: then the machine itself goes on
/// over those that are left out. Record: sums of rows of 2 to 16 f32 in 64 and 512 MiB, two threads
/// on Emerald Rapids, without it 0.77x to 0.82x, of 32 and more 0.85x to 1.15x.
#[inline(always)]
pub(crate) fn prefetch_row_listed<T>(updates: &[T], address: usize, n: usize) {
    if n.saturating_mul(size_of::<T>()) > LINE {
        prefetch_row_early(updates, address, n);
    }
}

/// [`prefetch_row`] of one that is decoded: a long one is read so slowly that the machine goes on
/// less far. (`quant`, rows of 4352 bytes from memory: 0.7x on Zen 4.)
#[inline(always)]
pub fn prefetch_decoded_row<T>(table: &[T], address: usize, n: usize) {
    if n.saturating_mul(size_of::<T>()) > ROW_LINES * LINE {
        return prefetch_row_early(table, address, n);
    }
    prefetch_row(table, address, n);
}

/// Prefetches `L` columns of a row, from `address` on, in the slice or not; of long ones, as many
/// as 8 lines hold.
#[inline(always)]
pub fn prefetch_columns<T, const L: usize>(table: &[T], address: usize) {
    let start = table.as_ptr().wrapping_add(address).cast::<u8>();
    let bytes = L.saturating_mul(size_of::<T>()).clamp(1, 8 * LINE);
    for n in 0..8 {
        if n * LINE < bytes + LINE - 1 {
            line::<L1>(start.wrapping_add((n * LINE).min(bytes - 1)));
        }
    }
}

/// Prefetches `n` elements from this place on, no more than the table has. Not inlined: compilers
/// unroll it.
#[inline(never)]
pub(crate) fn prefetch_segment<T>(table: &[T], start: usize, n: usize) {
    let start = table.as_ptr().wrapping_add(start);
    lines::<L1>(start.cast(), n.min(table.len()).saturating_mul(size_of::<T>()), usize::MAX);
}

/// Prefetches as many elements as a run has, at this distance from its start.
#[inline(always)]
pub(crate) fn prefetch_run<T>(run: &[T], distance: isize) {
    let start = run.as_ptr().wrapping_offset(distance);
    lines::<L1>(start.cast(), size_of_val(run), usize::MAX);
}

#[inline(always)]
fn lines<const CACHE: i32>(mut at: *const u8, bytes: usize, most: usize) {
    if PREFETCHES {
        for _ in 0..bytes.div_ceil(LINE).min(most) {
            line::<CACHE>(at);
            at = at.wrapping_add(LINE);
        }
    }
}

#[inline(always)]
fn line<const CACHE: i32>(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing, whatever the address.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<CACHE>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
