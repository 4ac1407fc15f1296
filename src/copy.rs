//! Copies a row, as suits the machine.

use crate::element::Element;

/// `to = from`, both of the same length.
///
/// The memory copy of a microcontroller's runtime moves a word in six instructions. Blocks of two words, copied by value, take two. The fences
/// keep the compiler from making them a memory copy again.
#[cfg(not(feature = "std"))]
#[inline(always)]
pub(crate) fn copy_row<T: Element>(from: &[T], to: &mut [T]) {
    let rest = match size_of::<T>() {
        1 => copy_pairs::<T, 8>(from, to),
        2 => copy_pairs::<T, 4>(from, to),
        4 => copy_pairs::<T, 2>(from, to),
        _ => copy_pairs::<T, 1>(from, to),
    };
    copy_block::<T, 1>(copy_block::<T, 2>(copy_block::<T, 4>(copy_block::<T, 8>(rest))));
}

/// Copies blocks of `N` elements, two at a time. Returns what is left: less than `2 * N`.
#[cfg(not(feature = "std"))]
#[inline(always)]
fn copy_pairs<'a, T: Element, const N: usize>(from: &'a [T], to: &'a mut [T]) -> (&'a [T], &'a mut [T]) {
    use core::sync::atomic::{Ordering, compiler_fence};

    let length = from.len() - from.len() % (2 * N);
    let (Some((blocks, from)), Some((to_blocks, to))) = (from.split_at_checked(length), to.split_at_mut_checked(length)) else {
        return (&[], &mut []);
    };
    let (pairs, to_pairs) = (blocks.as_chunks::<N>().0.as_chunks::<2>().0, to_blocks.as_chunks_mut::<N>().0.as_chunks_mut::<2>().0);
    for ([first, second], [to_first, to_second]) in pairs.iter().zip(to_pairs) {
        *to_first = *first;
        compiler_fence(Ordering::SeqCst);
        *to_second = *second;
        compiler_fence(Ordering::SeqCst);
    }
    (from, to)
}

/// Copies a block of `N` elements, if there are so many. Returns what is left.
#[cfg(not(feature = "std"))]
#[inline(always)]
fn copy_block<'a, T: Element, const N: usize>((from, to): (&'a [T], &'a mut [T])) -> (&'a [T], &'a mut [T]) {
    if from.len() < N {
        return (from, to);
    }
    match (from.split_first_chunk::<N>(), to.split_first_chunk_mut::<N>()) {
        (Some((block, from)), Some((to_block, to))) => {
            *to_block = *block;
            (from, to)
        }
        _ => (&[], &mut []),
    }
}

/// `to = from`, both of the same length.
#[cfg(feature = "std")]
#[inline(always)]
pub(crate) fn copy_row<T: Element>(from: &[T], to: &mut [T]) {
    if from.len() == to.len() {
        to.copy_from_slice(from);
    }
}
