//! Copies of rows, for microcontrollers and for machines with `std`.

#[cfg(not(feature = "std"))]
use core::mem::take;
#[cfg(not(feature = "std"))]
use core::sync::atomic::{Ordering, compiler_fence};

use crate::element::Element;

/// `to = from`, both of the same length.
///
/// Words are copied by value, in two instructions and two cycles each: the memory copy of a
/// microcontroller's runtime takes six instructions a word. Fences keep the compiler from turning
/// the loop over eights into a memory copy again.
#[cfg(not(feature = "std"))]
#[inline(always)]
pub(crate) fn copy_row<T: Element>(from: &[T], to: &mut [T]) {
    let rest = copy_eights(from, to);
    if !rest.0.is_empty() {
        copy_pieces(rest);
    }
}

/// [`copy_row`] for loops that all plans share: with few values at a time, which may be on the
/// stack, and what is rare in a function of its own.
#[cfg(not(feature = "std"))]
#[inline(always)]
pub(crate) fn copy_row_shared<T: Element>(from: &[T], to: &mut [T]) {
    #[inline(never)]
    fn rest<T: Element>(from: &[T], to: &mut [T]) {
        if size_of::<T>() < 4 {
            return copy_pieces((from, to));
        }
        if let ([from], [to]) = (from, &mut *to) {
            *to = *from;
            return;
        }
        for (from, to) in from.iter().zip(to) {
            *to = *from;
            compiler_fence(Ordering::SeqCst);
        }
    }
    let (from, to) = match size_of::<T>() {
        1 => copy_words_by_count::<T, 4>(from, to),
        2 => copy_words_by_count::<T, 2>(from, to),
        _ => copy_words_by_count::<T, 1>(from, to),
    };
    if !from.is_empty() {
        rest(from, to);
    }
}

/// [`copy_words`], where no number but that of the elements left is kept.
#[cfg(not(feature = "std"))]
#[inline(always)]
fn copy_words_by_count<'a, T: Element, const N: usize>(
    mut from: &'a [T],
    mut to: &'a mut [T],
) -> (&'a [T], &'a mut [T]) {
    while from.len() >= 8 * N && to.len() >= 8 * N {
        let (Some((words, after)), Some((to_words, to_after))) =
            (from.split_at_checked(8 * N), take(&mut to).split_at_mut_checked(8 * N))
        else {
            break;
        };
        (from, to) = (after, to_after);
        if let ([eight], [to_eight]) =
            (words.as_chunks().0.as_chunks().0, to_words.as_chunks_mut().0.as_chunks_mut().0)
        {
            copy_eight::<T, N>(eight, to_eight);
        }
    }
    (from, to)
}

/// Copies what there is of eight words, or of eight elements that are longer than a word. Returns
/// what is left.
#[cfg(not(feature = "std"))]
#[inline(always)]
fn copy_eights<'a, T: Element>(from: &'a [T], to: &'a mut [T]) -> (&'a [T], &'a mut [T]) {
    match size_of::<T>() {
        1 => copy_words::<T, 4>(from, to),
        2 => copy_words::<T, 2>(from, to),
        _ => copy_words::<T, 1>(from, to),
    }
}

/// Copies what is left behind them. No piece of elements of up to 4 bytes is so long that a memory
/// copy is called for it.
#[cfg(not(feature = "std"))]
#[inline(always)]
fn copy_pieces<T: Element>(rest: (&[T], &mut [T])) {
    let rest = match size_of::<T>() {
        1 => copy_piece::<T, 8>(copy_piece::<T, 16>(rest)),
        2 => copy_piece::<T, 8>(rest),
        _ => rest,
    };
    copy_piece::<T, 1>(copy_piece::<T, 2>(copy_piece::<T, 4>(rest)));
}

/// Copies words of `N` elements, eight at a time. Returns what is left, fewer than `8 * N`
/// elements.
#[cfg(not(feature = "std"))]
#[inline(always)]
fn copy_words<'a, T: Element, const N: usize>(
    from: &'a [T],
    to: &'a mut [T],
) -> (&'a [T], &'a mut [T]) {
    let length = from.len() - from.len() % (8 * N);
    let (Some((words, from)), Some((to_words, to))) =
        (from.split_at_checked(length), to.split_at_mut_checked(length))
    else {
        return (&[], &mut []);
    };
    let (eights, to_eights) = (
        words.as_chunks::<N>().0.as_chunks::<8>().0,
        to_words.as_chunks_mut::<N>().0.as_chunks_mut::<8>().0,
    );
    for (eight, to_eight) in eights.iter().zip(to_eights) {
        copy_eight(eight, to_eight);
    }
    (from, to)
}

/// Copies eight words.
#[cfg(not(feature = "std"))]
#[inline(always)]
fn copy_eight<T: Element, const N: usize>(
    [a, b, c, d, e, f, g, h]: &[[T; N]; 8],
    [to_a, to_b, to_c, to_d, to_e, to_f, to_g, to_h]: &mut [[T; N]; 8],
) {
    let copy = |word: &[T; N], to: &mut [T; N]| {
        *to = *word;
        compiler_fence(Ordering::SeqCst);
    };
    // Double words take fewer instructions, single words fewer cycles. This mix keeps both low
    // (tests/firmware/FIGURES.md).
    copy(a, to_a);
    copy(b, to_b);
    (*to_c, *to_d) = (*c, *d);
    compiler_fence(Ordering::SeqCst);
    (*to_e, *to_f) = (*e, *f);
    compiler_fence(Ordering::SeqCst);
    (*to_g, *to_h) = (*g, *h);
    compiler_fence(Ordering::SeqCst);
}

/// Copies `N` elements, if there are `N`. Returns what is left.
#[cfg(not(feature = "std"))]
#[inline(always)]
fn copy_piece<'a, T: Element, const N: usize>(
    (from, to): (&'a [T], &'a mut [T]),
) -> (&'a [T], &'a mut [T]) {
    if from.len() < N {
        return (from, to);
    }
    match (from.split_first_chunk::<N>(), to.split_first_chunk_mut::<N>()) {
        (Some((piece, from)), Some((to_piece, to))) => {
            *to_piece = *piece;
            (from, to)
        }
        _ => (&[], &mut []),
    }
}

/// `to = from`, both of the same length. A few elements are copied as two chunks that may overlap,
/// which takes less time than a call of the memory copy.
#[cfg(feature = "std")]
#[inline(always)]
pub(crate) fn copy_row<T: Element>(from: &[T], to: &mut [T]) {
    let small = size_of::<T>() <= 16;
    match from.len() {
        2..=4 if small => copy_ends::<T, 2>(from, to),
        5..=8 if small => copy_ends::<T, 4>(from, to),
        9..=16 if small => copy_ends::<T, 8>(from, to),
        length if length == to.len() => to.copy_from_slice(from),
        _ => {}
    }
}

/// Copies the first and the last `N` elements, which may overlap.
#[cfg(feature = "std")]
#[inline(always)]
fn copy_ends<T: Element, const N: usize>(from: &[T], to: &mut [T]) {
    if let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>())
        && from.len() == to.len()
    {
        to.first_chunk_mut().into_iter().for_each(|to| *to = *first);
        to.last_chunk_mut().into_iter().for_each(|to| *to = *last);
    }
}

/// A value many times, or `None` if there is no memory for them. It is compiled once for a type.
#[cfg(feature = "std")]
#[inline(never)]
pub(crate) fn repeated<T: Copy>(value: T, number: usize) -> Option<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(number).ok()?;
    all.resize(number, value);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length() {
        fn check<T: Element + PartialEq + core::fmt::Debug>(value: impl Fn(u8) -> T) {
            for length in 0..140 {
                let from: [T; 140] = core::array::from_fn(|n| value(n as u8 + 1));
                let mut to = [value(0); 142];
                if let (Some(from), Some(to)) = (from.get(..length), to.get_mut(1..=length)) {
                    copy_row(from, to);
                }
                let expected: [T; 142] = core::array::from_fn(|n| {
                    if (1..=length).contains(&n) { value(n as u8) } else { value(0) }
                });
                assert_eq!(to, expected, "{length} elements of {} bytes", size_of::<T>());
                #[cfg(not(feature = "std"))]
                if let (Some(from), Some(to)) = (from.get(..length), to.get_mut(1..=length)) {
                    to.fill(value(0));
                    copy_row_shared(from, to);
                }
                assert_eq!(to, expected, "{length} elements of {} bytes", size_of::<T>());
            }
        }
        check(|n| n);
        check(|n| u16::from(n) * 257);
        check(f32::from);
        check(f64::from);
        check(|n| [n, n, n]);
        check(|n| u128::from(n) << 70);
    }
}
