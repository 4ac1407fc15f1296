//! Copies by address.

use bytemuck::NoUninit;

use crate::lane::BLOCK;
use crate::path::Instructions;
use crate::prefetch::{self, LINE};
use crate::stream::Streaming;

/// The bytes of an element. No value of it comes from outside, and every write is a copy of an element of the same type.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Bytes<const N: usize>([u8; N]);

/// How a block of rows is copied.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The elements of each.
    pub length: usize,
    /// The address of a row to ask for at each copy.
    pub ahead: Option<&'a [u32; BLOCK]>,
    /// Whether gathered rows of whole cache lines go to memory past the caches.
    pub streams: bool,
}

/// `run`, given the `rows` and the way to copy one: for few elements, and for few chunks, with a number that is known when it is compiled.
macro_rules! for_rows {
    ($N:ident, $rows:ident, $way:ident => $run:expr) => {
        for_rows!(@ $N, $rows, $way, $run, [2 3 4 8 16 32], [1 2 3 4 8 16], [2 3 4])
    };
    (@ $N:ident, $rows:ident, $way:ident, $run:expr, [$($few:literal)*], [$($lines:literal)*], [$($chunks:literal)*]) => {
        match ($rows.length, $rows.length.wrapping_mul($N)) {
            _ if $rows.streams => {
                let $way = Streaming::new();
                $run
            }
            $(($few, _) => {
                let ($rows, $way) = (Rows { length: $few, ..$rows }, Few::<$few>);
                $run
            })*
            $((_, bytes) if bytes == $lines * LINE => {
                let ($rows, $way) = (Rows { length: $lines * LINE / $N, ..$rows }, Wide);
                $run
            })*
            $((_, bytes) if bytes.div_ceil(LINE) == $chunks => {
                let $way = Chunks::<$chunks>;
                $run
            })*
            _ => {
                let $way = Wide;
                $run
            }
        }
    };
}

/// A way to copy a row.
trait Way {
    /// `to = from`, of the same length.
    fn copy<const N: usize>(&self, from: &[Bytes<N>], to: &mut [Bytes<N>]);
}

/// `R` elements.
struct Few<const R: usize>;

impl<const R: usize> Way for Few<R> {
    #[inline(always)]
    fn copy<const N: usize>(&self, from: &[Bytes<N>], to: &mut [Bytes<N>]) {
        if let (Some(to), Some(from)) = (to.first_chunk_mut::<R>(), from.first_chunk()) {
            *to = *from;
        }
    }
}

/// `L` chunks of 64 bytes, of which the last may overlap the one before it.
struct Chunks<const L: usize>;

impl<const L: usize> Way for Chunks<L> {
    #[inline(always)]
    fn copy<const N: usize>(&self, from: &[Bytes<N>], to: &mut [Bytes<N>]) {
        match N {
            1 => chunks::<N, 64, L>(from, to),
            2 => chunks::<N, 32, L>(from, to),
            4 => chunks::<N, 16, L>(from, to),
            8 => chunks::<N, 8, L>(from, to),
            16 => chunks::<N, 4, L>(from, to),
            _ => to.copy_from_slice(from),
        }
    }
}

#[inline(always)]
fn chunks<const N: usize, const CHUNK: usize, const L: usize>(from: &[Bytes<N>], to: &mut [Bytes<N>]) {
    if from.len() != to.len() || from.len() < CHUNK * (L - 1) {
        return;
    }
    for n in 0..L - 1 {
        if let (Some(to), Some(from)) = (to.get_mut(n * CHUNK..(n + 1) * CHUNK), from.get(n * CHUNK..(n + 1) * CHUNK)) {
            to.copy_from_slice(from);
        }
    }
    if let (Some(to), Some(from)) = (to.last_chunk_mut::<CHUNK>(), from.last_chunk::<CHUNK>()) {
        *to = *from;
    }
}

/// By the widest vectors there are.
struct Wide;

impl Way for Wide {
    #[inline(always)]
    fn copy<const N: usize>(&self, from: &[Bytes<N>], to: &mut [Bytes<N>]) {
        /// Up to so many bytes they take less time than the system's memory copy: a third less from the third cache. (`strew-benches`, `rows`.)
        const WIDE: usize = 1 << 12;
        let done = size_of_val(from) <= WIDE
            && match N {
                1 => copy_chunks::<N, 64>(from, to),
                2 => copy_chunks::<N, 32>(from, to),
                4 => copy_chunks::<N, 16>(from, to),
                8 => copy_chunks::<N, 8>(from, to),
                16 => copy_chunks::<N, 4>(from, to),
                _ => false,
            };
        if !done {
            copy_row(from, to);
        }
    }
}

impl Way for Streaming {
    #[inline(always)]
    fn copy<const N: usize>(&self, from: &[Bytes<N>], to: &mut [Bytes<N>]) {
        if !self.write(from, to) {
            Wide.copy(from, to);
        }
    }
}

/// Copies of elements of `N` bytes from one slice to another of the same type, which is not named: types of one size share their code.
///
/// An address outside its slice is left out. What is not chosen by address moves as a whole, or not at all if it does not lie in its slice; of the updates of
/// [`scatter_at`](Moves::scatter_at), those that do.
pub struct Moves<'a, const N: usize> {
    from: &'a [Bytes<N>],
    to: &'a mut [Bytes<N>],
}

impl<'a, const N: usize> Moves<'a, N> {
    /// From one slice to the other. `None` if the elements do not have `N` bytes.
    #[inline(always)]
    #[must_use]
    pub fn new<T: NoUninit>(from: &'a [T], to: &'a mut [T]) -> Option<Moves<'a, N>> {
        if size_of::<T>() != N {
            return None;
        }
        // SAFETY: the size is N, bytes need no alignment, and a `NoUninit` type has no byte without a value.
        let from = unsafe { core::slice::from_raw_parts(from.as_ptr().cast(), from.len()) };
        // SAFETY: the size is N, bytes need no alignment, and a `NoUninit` type has no byte without a value. `Moves` only writes copies of elements of `from`, which are values of T; as bytes they may be copied by any thread.
        let to = unsafe { core::slice::from_raw_parts_mut(to.as_mut_ptr().cast(), to.len()) };
        Some(Moves { from, to })
    }

    /// `to[t] = from[f]`
    #[inline(always)]
    pub fn element(&mut self, t: usize, f: usize) {
        if let (Some(to), Some(from)) = (self.to.get_mut(t), self.from.get(f)) {
            *to = *from;
        }
    }

    /// `to[t..t + n] = from[f..f + n]`
    #[inline(always)]
    pub fn row(&mut self, t: usize, f: usize, n: usize) {
        if let (Some(to), Some(from)) = (self.to.get_mut(t..t.wrapping_add(n)), self.from.get(f..f.wrapping_add(n))) {
            copy_row(from, to);
        }
    }

    /// `to[t + n * length..][..length] = from[f[n]..][..length]` for a block of addresses.
    #[inline(always)]
    pub fn gather_rows(&mut self, instructions: impl Instructions, t: usize, f: &[u32; BLOCK], rows: Rows) {
        let Some(to) = rows.length.checked_mul(BLOCK).and_then(|all| self.to.get_mut(t..)?.get_mut(..all)) else { return };
        let from = self.from;
        instructions.apart(
            #[inline(always)]
            || for_rows!(N, rows, way => gather_rows(from, f, to, rows, &way)),
        );
    }

    /// `to[t[n]..][..length] = from[f + n * length..][..length]` for a block of addresses, in this order.
    #[inline(always)]
    pub fn scatter_rows(&mut self, instructions: impl Instructions, t: &[u32; BLOCK], f: usize, rows: Rows) {
        let Some(from) = rows.length.checked_mul(BLOCK).and_then(|all| self.from.get(f..)?.get(..all)) else { return };
        let (to, rows) = (&mut *self.to, Rows { streams: false, ..rows });
        instructions.apart(
            #[inline(always)]
            || for_rows!(N, rows, way => scatter_rows(from, to, t, rows, &way)),
        );
    }

    /// `to[t + n] = from[f[n]]` for a block of addresses. Without an instruction for it, `TOGETHER` elements are loaded before they are written; it
    /// divides 16.
    #[inline(always)]
    pub fn gather<const TOGETHER: usize>(&mut self, instructions: impl Instructions, t: usize, f: &[u32; BLOCK]) {
        let Some(to) = self.to.get_mut(t..).and_then(|to| to.first_chunk_mut()) else { return };
        instructions.gather::<N, BLOCK, TOGETHER>(self.from, f, to);
    }

    /// `to[t + n] = from[f + offsets[n]]` for any number of offsets.
    #[inline(always)]
    pub fn gather_at(&mut self, instructions: impl Instructions, t: usize, f: usize, offsets: &[u32]) {
        const COUNT: usize = 16;
        let (Some(to), Some(from)) = (self.to.get_mut(t..), self.from.get(f..)) else { return };
        let Some(to) = to.get_mut(..offsets.len()) else { return };
        let ((to, to_rest), (offsets, rest)) = (to.as_chunks_mut::<COUNT>(), offsets.as_chunks::<COUNT>());
        for (to, offsets) in to.iter_mut().zip(offsets) {
            instructions.gather::<N, COUNT, 1>(from, offsets, to);
        }
        by_element(from, rest, to_rest);
    }

    /// `to[t + offsets[n]] = from[f + n]` for any number of offsets, in this order.
    #[inline(always)]
    pub fn scatter_at(&mut self, t: usize, offsets: &[u32], f: usize) {
        let (Some(to), Some(from)) = (self.to.get_mut(t..), self.from.get(f..)) else { return };
        scatter(from, to, offsets);
    }

    /// `to[t[n]] = from[f + n]`, in this order. In between, the elements at the addresses of `ahead` are asked for.
    #[inline(always)]
    pub fn scatter(&mut self, t: &[u32; BLOCK], f: usize, ahead: Option<&[u32; BLOCK]>) {
        let Some(from) = self.from.get(f..).and_then(|from| from.get(..BLOCK)) else { return };
        match ahead {
            Some(ahead) => scatter_ahead(from, self.to, t, ahead),
            None => scatter(from, self.to, t),
        }
    }

    /// Asks for the row of `n` elements at `to[t]`.
    #[inline(always)]
    pub fn prefetch_row_to(&self, t: u32, n: usize) {
        prefetch::prefetch_row(self.to, t, n);
    }

    /// Asks for the row of `n` elements at `from[f]`.
    #[inline(always)]
    pub fn prefetch_row_from(&self, f: u32, n: usize) {
        prefetch::prefetch_row(self.from, f, n);
    }
}

/// `to = from`, of the same length.
#[inline(always)]
fn copy_row<const N: usize>(from: &[Bytes<N>], to: &mut [Bytes<N>]) {
    /// Up to so many bytes, a call of the system's memory copy takes longer than the copy.
    const INLINE: usize = 128;
    let inline = match N {
        _ if size_of_val(from) > INLINE => false,
        1 => copy_chunks::<N, 16>(from, to) || copy_one_by_one(from, to),
        2 => copy_chunks::<N, 8>(from, to) || copy_one_by_one(from, to),
        4 => copy_chunks::<N, 4>(from, to) || copy_one_by_one(from, to),
        8 => copy_chunks::<N, 2>(from, to) || copy_one_by_one(from, to),
        _ => false,
    };
    if !inline {
        to.copy_from_slice(from);
    }
}

/// `to = from`, of the same length. `false`: they are shorter than a chunk.
#[inline(always)]
fn copy_chunks<const N: usize, const CHUNK: usize>(from: &[Bytes<N>], to: &mut [Bytes<N>]) -> bool {
    let (chunks, rest) = from.as_chunks::<CHUNK>();
    for (to, from) in to.as_chunks_mut::<CHUNK>().0.iter_mut().zip(chunks) {
        *to = *from;
    }
    // The last chunk overlaps the one before it.
    match (from.last_chunk::<CHUNK>(), to.last_chunk_mut::<CHUNK>()) {
        (Some(end), Some(to_end)) if !rest.is_empty() => *to_end = *end,
        (None, _) => return false,
        _ => {}
    }
    true
}

/// `to = from`, of the same length. Always `true`.
#[inline(always)]
fn copy_one_by_one<const N: usize>(from: &[Bytes<N>], to: &mut [Bytes<N>]) -> bool {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
    true
}

/// `to[addresses[n]] = from[n]`, in this order. Not inlined: among the walk's variables there are no registers left for its few.
#[inline(never)]
fn scatter<const N: usize>(from: &[Bytes<N>], to: &mut [Bytes<N>], addresses: &[u32]) {
    for (from, address) in from.iter().zip(addresses) {
        if let Some(to) = to.get_mut(*address as usize) {
            *to = *from;
        }
    }
}

#[inline(never)]
fn scatter_ahead<const N: usize>(from: &[Bytes<N>], to: &mut [Bytes<N>], addresses: &[u32; BLOCK], ahead: &[u32; BLOCK]) {
    for ((from, address), ahead) in from.iter().zip(addresses).zip(ahead) {
        prefetch::prefetch(to, *ahead);
        if let Some(to) = to.get_mut(*address as usize) {
            *to = *from;
        }
    }
}

#[inline(always)]
fn gather_rows<const N: usize>(from: &[Bytes<N>], addresses: &[u32; BLOCK], to: &mut [Bytes<N>], rows: Rows, way: &impl Way) {
    let ahead = rows.ahead.unwrap_or(addresses);
    for ((to, address), ahead) in to.chunks_exact_mut(rows.length.max(1)).zip(addresses).zip(ahead) {
        if rows.ahead.is_some() {
            prefetch::prefetch_row_here(from, *ahead, rows.length);
        }
        if let Some(from) = from.get(*address as usize..).and_then(|from| from.get(..rows.length)) {
            way.copy(from, to);
        }
    }
}

#[inline(always)]
fn scatter_rows<const N: usize>(from: &[Bytes<N>], to: &mut [Bytes<N>], addresses: &[u32; BLOCK], rows: Rows, way: &impl Way) {
    let ahead = rows.ahead.unwrap_or(addresses);
    for ((from, address), ahead) in from.chunks_exact(rows.length.max(1)).zip(addresses).zip(ahead) {
        if rows.ahead.is_some() {
            prefetch::prefetch_row_here(to, *ahead, rows.length);
        }
        if let Some(to) = to.get_mut(*address as usize..).and_then(|to| to.get_mut(..rows.length)) {
            way.copy(from, to);
        }
    }
}

/// `to[n] = table[addresses[n]]`, of as many elements as addresses. Where an address is outside the table, `to[n]` stays as it is.
///
/// The addresses of a step are compared at once, by a vector; `TOGETHER` elements are loaded before they are written.
#[inline(always)]
pub(crate) fn by_loads<const N: usize, const TOGETHER: usize>(table: &[Bytes<N>], addresses: &[u32], to: &mut [Bytes<N>]) {
    const STEP: usize = 16;
    const { assert!(STEP.is_multiple_of(TOGETHER)) };
    let length = u32::try_from(table.len()).unwrap_or(u32::MAX);
    let ((addresses, rest), (to, to_rest)) = (addresses.as_chunks::<STEP>(), to.as_chunks_mut::<STEP>());
    for (addresses, to) in addresses.iter().zip(to) {
        if addresses.iter().fold(true, |inside, address| inside & (*address < length)) {
            for (addresses, to) in addresses.as_chunks::<TOGETHER>().0.iter().zip(to.as_chunks_mut::<TOGETHER>().0) {
                // SAFETY: the comparison above found all addresses of the step below `length`, which is at most that of the table.
                *to = addresses.map(|address| *unsafe { table.get_unchecked(address as usize) });
            }
        } else {
            by_element(table, addresses, to);
        }
    }
    by_element(table, rest, to_rest);
}

/// The same, one by one.
#[inline(always)]
fn by_element<const N: usize>(table: &[Bytes<N>], addresses: &[u32], to: &mut [Bytes<N>]) {
    for (address, to) in addresses.iter().zip(to) {
        if let Some(from) = table.get(*address as usize) {
            *to = *from;
        }
    }
}
