//! Chooses elements, and positions, by the bits of a mask.

use bytemuck::NoUninit;

use crate::bytes::{Bytes, STEP, elements, elements_mut};
use crate::path::{Instructions, Op, Path};
use crate::prefetch::prefetch_run;

/// Writes the elements whose bits are set to the start of a slice, in order, and says how many
/// there are. Bit `n` of word `w` is that of element `64 * w + n`; what follows the last word has
/// none, and is prefetched. Chosen elements for which there is no room are left out, and nothing
/// else is written.
#[inline]
pub fn compress<T: NoUninit>(path: Path, words: &[u64], from: &[T], to: &mut [T]) -> usize {
    macro_rules! by_size {
        ($($size:literal $kernel:ident)*) => {
            match size_of::<T>() {
                $($size => {
                    // SAFETY: the kernels write whole copies of elements of `from`, of this type.
                    let to = unsafe { elements_mut(to) };
                    match (elements(from), to) {
                        (Some(from), Some(to)) => $kernel(path, words, from, to),
                        _ => 0,
                    }
                })*
                _ => one_by_one(words, from, to),
            }
        };
    }
    by_size!(1 compress_1 2 compress_2 4 compress_4 8 compress_8 16 compress_16)
}

/// Writes `number(n)` for each bit `n` that is set, in order, to the start of a slice. Those for
/// which there is no room are left out, and nothing else is written.
#[inline]
pub fn positions<T>(path: Path, words: &[u64], to: &mut [T], number: impl Fn(u32) -> T) {
    path.dispatch(Positions { words, to, number });
}

/// Sets each word to 64 values as bits, the first one lowest, as long as there are 64 of them, and
/// says how many bits are set. `None`: the path has no instruction for it, and no word is set.
pub fn bits(path: Path, values: &[bool], words: &mut [u64]) -> Option<usize> {
    path.dispatch(Bits { values, words })
}

/// The kernel of each size: functions that are not generic.
macro_rules! kernels {
    ($($size:literal $kernel:ident)*) => {$(
        #[inline(never)]
        fn $kernel(
            path: Path,
            words: &[u64],
            from: &[Bytes<$size>],
            to: &mut [Bytes<$size>],
        ) -> usize {
            path.dispatch(Compress { words, from, to })
        }
    )*};
}
kernels!(1 compress_1 2 compress_2 4 compress_4 8 compress_8 16 compress_16);

struct Compress<'a, const N: usize> {
    words: &'a [u64],
    from: &'a [Bytes<N>],
    to: &'a mut [Bytes<N>],
}

impl<const N: usize> Op for Compress<'_, N> {
    type Output = usize;
    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> usize {
        let Compress { words, from, to } = self;
        let to = room(words, from.len(), to);
        let mut ahead = from.get(words.len() * 64..).unwrap_or_default().as_chunks::<64>().0.iter();
        let mut count = 0;
        for (word, from) in words.iter().zip(from.chunks(64)) {
            // A part for each word: all at once would keep loads waiting.
            ahead.next().into_iter().for_each(|row| prefetch_run(row, 0));
            let (steps, rest) = from.as_chunks::<STEP>();
            let mut bits = *word;
            for from in steps {
                count = step(instructions, bits as u16, from, to, count);
                bits >>= STEP;
            }
            if !rest.is_empty() {
                count += one_by_one(&[bits], rest, to.get_mut(count..).unwrap_or_default());
            }
        }
        count
    }
}

struct Bits<'a> {
    values: &'a [bool],
    words: &'a mut [u64],
}

impl Op for Bits<'_> {
    type Output = Option<usize>;
    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> Option<usize> {
        let (Bits { values, words }, mut set) = (self, 0);
        for (word, values) in words.iter_mut().zip(values.as_chunks().0) {
            *word = instructions.bits(values)?;
            set += word.count_ones() as usize;
        }
        Some(set)
    }
}

struct Positions<'a, T, F> {
    words: &'a [u64],
    to: &'a mut [T],
    number: F,
}

impl<T, F: Fn(u32) -> T> Op for Positions<'_, T, F> {
    type Output = ();
    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) {
        let Positions { words, to, number } = self;
        let to = room(words, usize::MAX, to);
        let (mut count, mut first) = (0, 0_u32);
        for word in words {
            for part in 0..64 / STEP {
                let bits = (word >> (STEP * part)) as u16;
                let mut chosen: [u32; STEP] =
                    core::array::from_fn(|n| first.wrapping_add(n as u32));
                // SAFETY: what is written are whole copies of other `u32`.
                let all = unsafe { elements_mut::<u32, 4>(&mut chosen) };
                if let Some(all) = all.and_then(|all| all.first_chunk_mut()) {
                    instructions.compress(bits, &{ *all }, all);
                }
                let to = to.get_mut(count..).unwrap_or_default();
                match to.first_chunk_mut() {
                    Some(to) => *to = chosen.map(&number),
                    None => to.iter_mut().zip(chosen).for_each(|(to, n)| *to = number(n)),
                }
                count += bits.count_ones() as usize;
                first = first.wrapping_add(STEP as u32);
            }
        }
    }
}

/// As much of a slice as there are bits set for the first `elements`.
#[inline(always)]
fn room<'a, T>(words: &[u64], mut elements: usize, to: &'a mut [T]) -> &'a mut [T] {
    let mut set = 0;
    for word in words {
        let beyond = if elements < 64 { u64::MAX << elements } else { 0 };
        set += (word & !beyond).count_ones() as usize;
        elements = elements.saturating_sub(64);
    }
    let length = to.len().min(set);
    to.get_mut(..length).unwrap_or_default()
}

/// Writes to `to`, from place `count` on, the elements of a step whose bits are set, and returns
/// the new count. Where there is room, others come after them, which the next step overwrites.
#[inline(always)]
fn step<S: Instructions, const N: usize>(
    instructions: S,
    bits: u16,
    from: &[Bytes<N>; STEP],
    to: &mut [Bytes<N>],
    count: usize,
) -> usize {
    let chosen = bits.count_ones() as usize;
    let Some(to) = to.get_mut(count..) else { return count };
    if let Some(to) = to.first_chunk_mut() {
        instructions.compress(bits, from, to);
        return count + chosen;
    }
    let mut all = *from;
    instructions.compress(bits, from, &mut all);
    let chosen = chosen.min(to.len());
    to.iter_mut().zip(all).take(chosen).for_each(|(to, from)| *to = from);
    count + chosen
}

/// [`compress()`] bit by bit.
#[inline(always)]
fn one_by_one<T: Copy>(words: &[u64], from: &[T], to: &mut [T]) -> usize {
    let mut count = 0;
    for (word, from) in words.iter().zip(from.chunks(64)) {
        let mut bits = *word;
        while bits != 0 {
            let n = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let (Some(from), Some(to)) = (from.get(n), to.get_mut(count)) else { break };
            *to = *from;
            count += 1;
        }
    }
    count
}
