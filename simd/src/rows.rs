//! Copies of rows by address, in loops of their own: the length, and what else is the same for all rows of a block, is looked at before them.

use crate::chosen::Chosen;
use crate::lane::BLOCK;
use crate::moves::Bytes;
use crate::path::Instructions;
use crate::prefetch::{LINE, prefetch_row_early, prefetch_row_here};

/// How a block of rows is copied.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The elements of each.
    pub length: usize,
    /// The address of a row to ask for at each copy.
    pub ahead: Option<&'a [u32; BLOCK]>,
}

impl Rows<'_> {
    /// The same for rows of so many cache lines.
    #[inline(always)]
    pub(crate) const fn of_lines<const N: usize>(self, lines: usize) -> Self {
        Rows { length: lines * LINE / N, ..self }
    }
}

/// `run`, given the `rows` and the way to copy one: for few elements, and for few chunks, with a number that is known when it is compiled.
macro_rules! for_rows {
    ($N:ident, $rows:ident, $way:ident => $run:expr) => {
        for_rows!(@ $N, $rows, $way, $run, [2 3 4 8 16 32], [1 2 3 4 8 16], [2 3 4])
    };
    (@ $N:ident, $rows:ident, $way:ident, $run:expr, [$($few:literal)*], [$($lines:literal)*], [$($chunks:literal)*]) => {
        match ($rows.length, $rows.length.wrapping_mul($N)) {
            $(($few, _) => {
                let ($rows, $way) = (Rows { length: $few, ..$rows }, Few::<$few>);
                $run
            })*
            $((_, bytes) if bytes == $lines * LINE => {
                let ($rows, $way) = ($rows.of_lines::<$N>($lines), Wide);
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

/// `to[n] = from[addresses[n]..][..length]` for the rows `to[n]` of this length.
#[inline(always)]
pub(crate) fn gather<const N: usize>(
    instructions: impl Instructions,
    from: &[Bytes<N>],
    addresses: &[u32; BLOCK],
    to: &mut [Bytes<N>],
    rows: Rows,
) {
    instructions.apart(
        #[inline(always)]
        || for_rows!(N, rows, way => gather_by(from, addresses, to, rows, &way)),
    );
}

/// `to[addresses[n]..][..length] = from[n]` for the rows `from[n]` of this length, in this order.
#[inline(always)]
pub(crate) fn scatter<const N: usize>(
    instructions: impl Instructions,
    from: &[Bytes<N>],
    to: &mut [Bytes<N>],
    addresses: &[u32; BLOCK],
    rows: Rows,
) {
    instructions.apart(
        #[inline(always)]
        || for_rows!(N, rows, way => scatter_by(from, to, addresses, rows, &way)),
    );
}

#[inline(always)]
pub(crate) fn gather_by<const N: usize>(
    from: &[Bytes<N>],
    addresses: &[u32; BLOCK],
    to: &mut [Bytes<N>],
    rows: Rows,
    way: &impl Way,
) {
    let ahead = rows.ahead.unwrap_or(addresses);
    for ((to, address), ahead) in to.chunks_exact_mut(rows.length.max(1)).zip(addresses).zip(ahead)
    {
        if rows.ahead.is_some() {
            prefetch_row_here(from, *ahead, rows.length);
        }
        if let Some(from) = from.get(*address as usize..).and_then(|from| from.get(..rows.length)) {
            way.copy(from, to);
        }
    }
}

#[inline(always)]
pub(crate) fn scatter_by<const N: usize>(
    from: &[Bytes<N>],
    to: &mut [Bytes<N>],
    addresses: &[u32; BLOCK],
    rows: Rows,
    way: &impl Way,
) {
    let ahead = rows.ahead.unwrap_or(addresses);
    for ((from, address), ahead) in from.chunks_exact(rows.length.max(1)).zip(addresses).zip(ahead)
    {
        if rows.ahead.is_some() {
            way.ask(to, *ahead, rows.length);
        }
        if let Some(to) = to.get_mut(*address as usize..).and_then(|to| to.get_mut(..rows.length)) {
            way.copy(from, to);
        }
    }
}

/// `to[t..][..length] = from[f + n * length..][..length]` for the chosen addresses `t` of a block, and their places `n` in it, in order. What the `next` ones need is asked for in
/// between.
#[inline(always)]
pub(crate) fn scatter_chosen<const N: usize>(
    instructions: impl Instructions,
    from: &[Bytes<N>],
    to: &mut [Bytes<N>],
    now: (&Chosen, usize),
    next: (&Chosen, usize),
    length: usize,
) {
    instructions.apart(
        #[inline(always)]
        || scatter_chosen_by(from, to, now, next, length, &Wide),
    );
}

#[inline(always)]
pub(crate) fn scatter_chosen_by<const N: usize>(
    from: &[Bytes<N>],
    to: &mut [Bytes<N>],
    (now, f): (&Chosen, usize),
    (next, next_f): (&Chosen, usize),
    length: usize,
    way: &impl Way,
) {
    let ask = |to: &[Bytes<N>], (address, number): (u32, usize)| {
        way.ask(to, address, length);
        prefetch_row_early(from, next_f.wrapping_add(number.wrapping_mul(length)) as u32, length);
    };
    let from = from.get(f..).unwrap_or_default();
    let mut next = next.iter();
    for (address, number) in now.iter() {
        next.next().into_iter().for_each(|next| ask(to, next));
        let to = to.get_mut(address as usize..).and_then(|to| to.get_mut(..length));
        if let (Some(to), Some(from)) =
            (to, number.checked_mul(length).and_then(|at| from.get(at..)?.get(..length)))
        {
            way.copy(from, to);
        }
    }
    next.for_each(|next| ask(to, next));
}

/// A way to copy a row.
pub(crate) trait Way {
    /// `to = from`, of the same length.
    fn copy<const N: usize>(&self, from: &[Bytes<N>], to: &mut [Bytes<N>]);

    /// Asks for what this needs of a row that it will write to.
    #[inline(always)]
    fn ask<const N: usize>(&self, to: &[Bytes<N>], address: u32, length: usize) {
        prefetch_row_here(to, address, length);
    }
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
fn chunks<const N: usize, const CHUNK: usize, const L: usize>(
    from: &[Bytes<N>],
    to: &mut [Bytes<N>],
) {
    // Never: it tells the compiler that the slices below lie inside.
    if from.len() != to.len() || from.len() < CHUNK * (L - 1) {
        return;
    }
    for n in 0..L - 1 {
        if let (Some(to), Some(from)) =
            (to.get_mut(n * CHUNK..(n + 1) * CHUNK), from.get(n * CHUNK..(n + 1) * CHUNK))
        {
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

/// `to = from`, of the same length.
#[inline(always)]
pub(crate) fn copy_row<const N: usize>(from: &[Bytes<N>], to: &mut [Bytes<N>]) {
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
