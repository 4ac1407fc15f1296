//! Copies of rows past the caches.

use core::mem::take;

use crate::chosen::Chosen;
use crate::lane::BLOCK;
use crate::moves::{Bytes, as_bytes, as_bytes_mut};
use crate::path::Instructions;
use crate::prefetch::{LINE, prefetch, prefetch_row_early, prefetch_row_here};
use crate::rows::{self, Rows, Way, copy_row};

/// Once it is dropped, other threads see what was written past the caches before.
pub(crate) struct Fence;

impl Drop for Fence {
    #[inline(always)]
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has this instruction.
        unsafe {
            core::arch::x86_64::_mm_sfence();
        }
    }
}

/// Rows that do not fill cache lines of the output gain nothing if they are shorter. (`strew-benches`, `rows`.)
const SHORTEST: usize = 5 * LINE;

/// The same for rows that are scattered.
const SHORTEST_AT_ADDRESS: usize = 4 * LINE;

/// [`rows::gather`] past the caches, where the path can and it gains: rows that fill few cache lines one by one, longer ones line by line.
///
/// # Safety
/// No other thread accesses `to` before a fence for stores of this one.
#[inline(always)]
pub(crate) unsafe fn gather<S: Instructions, const N: usize>(
    instructions: S,
    from: &[Bytes<N>],
    addresses: &[u32; BLOCK],
    to: &mut [Bytes<N>],
    rows: Rows,
) {
    let bytes = rows.length.wrapping_mul(N);
    let aligned = to.as_ptr().addr().is_multiple_of(LINE) && bytes.is_multiple_of(LINE);
    let few = aligned && matches!(bytes / LINE, 4 | 8);
    let inside =
        from.len().checked_sub(rows.length).is_some_and(|last| addresses.iter().fold(true, |all, at| all & (*at as usize <= last)));
    if !S::STREAMS || !few && (bytes < SHORTEST || !inside) {
        return rows::gather(instructions, from, addresses, to, rows);
    }
    // SAFETY: no other thread accesses what it writes before a fence, as this function asks: that is in `to`.
    let line = unsafe { Streaming::new(instructions) };
    instructions.apart(
        #[inline(always)]
        || match bytes / LINE {
            4 if few => rows::gather_by(from, addresses, to, rows.of_lines::<N>(4), &line),
            8 if few => rows::gather_by(from, addresses, to, rows.of_lines::<N>(8), &line),
            _ => _ = line_by_line(from, addresses, to, rows, &line),
        },
    );
}

/// [`rows::scatter`] past the caches, where the path can and it gains: what fills whole cache lines of the rows.
///
/// # Safety
/// No other thread accesses `to` before a fence for stores of this one.
#[inline(always)]
pub(crate) unsafe fn scatter<S: Instructions, const N: usize>(
    instructions: S,
    from: &[Bytes<N>],
    to: &mut [Bytes<N>],
    addresses: &[u32; BLOCK],
    rows: Rows,
) {
    let (bytes, start) = (rows.length.wrapping_mul(N), to.as_ptr().addr());
    let places = addresses.iter().fold(start | bytes, |places, address| places | start.wrapping_add((*address as usize).wrapping_mul(N)));
    let few = places.is_multiple_of(LINE) && matches!(bytes / LINE, 1 | 2 | 4 | 8);
    if !S::STREAMS || !few && bytes < SHORTEST_AT_ADDRESS {
        return rows::scatter(instructions, from, to, addresses, rows);
    }
    // SAFETY: no other thread accesses what it writes before a fence, as this function asks: that is in `to`.
    let line = unsafe { Streaming::new(instructions) };
    // What is written as a whole is not asked for.
    let none = Rows { ahead: None, ..rows };
    instructions.apart(
        #[inline(always)]
        || match bytes / LINE {
            1 if few => rows::scatter_by(from, to, addresses, none.of_lines::<N>(1), &line),
            2 if few => rows::scatter_by(from, to, addresses, none.of_lines::<N>(2), &line),
            4 if few => rows::scatter_by(from, to, addresses, none.of_lines::<N>(4), &line),
            8 if few => rows::scatter_by(from, to, addresses, none.of_lines::<N>(8), &line),
            _ => ends_apart(from, to, addresses, rows, &line),
        },
    );
}

/// `to[addresses[n]..][..length] = from[n]` for rows that start and end anywhere. The lines that they fill in part go through the caches, and are asked for.
#[inline(always)]
fn ends_apart<S: Instructions, const N: usize>(
    from: &[Bytes<N>],
    to: &mut [Bytes<N>],
    addresses: &[u32; BLOCK],
    rows: Rows,
    streaming: &Streaming<S>,
) {
    let ahead = rows.ahead.unwrap_or(addresses);
    for ((from, address), ahead) in from.chunks_exact(rows.length.max(1)).zip(addresses).zip(ahead) {
        if rows.ahead.is_some() {
            prefetch_ends(to, *ahead, rows.length);
        }
        if let Some(to) = to.get_mut(*address as usize..).and_then(|to| to.get_mut(..rows.length)) {
            _ = streaming.write_row(from, to);
        }
    }
}

/// `to[t..][..length] = from[f + n * length..][..length]` for the chosen addresses `t` of a block, in order. What the `next` ones need is asked for in between.
///
/// # Safety
/// No other thread accesses `to` before a fence for stores of this one.
#[inline(always)]
pub(crate) unsafe fn scatter_chosen<S: Instructions, const N: usize>(
    instructions: S,
    from: &[Bytes<N>],
    to: &mut [Bytes<N>],
    (now, f): (&Chosen, usize),
    (next, next_f): (&Chosen, usize),
    length: usize,
) {
    // SAFETY: no other thread accesses what it writes before a fence, as this function asks: that is in `to`.
    let line = unsafe { Streaming::new(instructions) };
    let place = |f: usize, number: usize| f.wrapping_add(number.wrapping_mul(length));
    instructions.apart(
        #[inline(always)]
        || {
            let ask = |to: &[Bytes<N>], (address, number)| {
                prefetch_ends(to, address, length);
                prefetch_row_early(from, place(next_f, number) as u32, length);
            };
            let mut next = next.iter();
            for (address, number) in now.iter() {
                next.next().into_iter().for_each(|next| ask(to, next));
                let to = to.get_mut(address as usize..).and_then(|to| to.get_mut(..length));
                if let (Some(to), Some(from)) = (to, from.get(place(f, number)..).and_then(|from| from.get(..length))) {
                    _ = line.write_row(from, to);
                }
            }
            next.for_each(|next| ask(to, next));
        },
    );
}

/// Asks for the cache lines of a row that it fills in part.
#[inline(always)]
fn prefetch_ends<const N: usize>(to: &[Bytes<N>], address: u32, length: usize) {
    let bytes = length.wrapping_mul(N);
    let start = to.as_ptr().addr().wrapping_add((address as usize).wrapping_mul(N));
    if !(start | bytes).is_multiple_of(LINE) {
        prefetch(to, address);
        prefetch(to, address.wrapping_add(length as u32).wrapping_sub(1));
    }
}

/// `to[n] = from[addresses[n]..][..length]` for rows of a cache line or more, by the lines of `to`, whatever their place in it. What it starts and ends with, parts of lines, goes through
/// the caches. `None`: a row lies outside.
#[inline(always)]
fn line_by_line<S: Instructions, const N: usize>(
    from: &[Bytes<N>],
    addresses: &[u32; BLOCK],
    to: &mut [Bytes<N>],
    rows: Rows,
    streaming: &Streaming<S>,
) -> Option<()> {
    let to = as_bytes_mut(to);
    // SAFETY: a line is so many bytes, of any value.
    let (mut start, mut lines, end) = unsafe { to.align_to_mut::<Line>() };
    // The line that one row ends in, and the next one starts in, is in the middle; what else is copied with them, to copy no more and no less than a line, is around it.
    let mut shared = [0; 3 * LINE];
    let mut filled = if start.is_empty() { 0 } else { LINE - start.len() };
    let ahead = rows.ahead.unwrap_or(addresses);
    for (address, ahead) in addresses.iter().zip(ahead) {
        if rows.ahead.is_some() {
            prefetch_row_here(from, *ahead, rows.length);
        }
        let row = as_bytes(from.get(*address as usize..)?.get(..rows.length)?);
        *shared.get_mut(LINE + filled..)?.first_chunk_mut::<LINE>()? = *row.first_chunk()?;
        let (head, rest) = row.split_at_checked(LINE - filled)?;
        if start.is_empty() {
            let (line, after) = take(&mut lines).split_first_mut()?;
            streaming.write(shared.get(LINE..)?.first_chunk()?, line);
            lines = after;
        } else {
            take(&mut start).copy_from_slice(head);
        }
        let (whole, tail) = rest.as_chunks();
        let (now, after) = take(&mut lines).split_at_mut_checked(whole.len())?;
        for (line, from) in now.iter_mut().zip(whole) {
            streaming.write(from, line);
        }
        (lines, filled) = (after, tail.len());
        *shared.get_mut(filled..)?.first_chunk_mut::<LINE>()? = *row.last_chunk()?;
    }
    end.copy_from_slice(shared.get(LINE..)?.get(..end.len())?);
    Some(())
}

/// A cache line.
#[repr(C, align(64))]
pub struct Line(pub [u8; LINE]);

/// The whole cache lines of some elements, and what is before and after them.
#[inline(always)]
fn lines<const N: usize>(elements: &mut [Bytes<N>]) -> (&mut [Bytes<N>], &mut [Line], &mut [Bytes<N>]) {
    // SAFETY: a line is so many bytes, of any value.
    unsafe { elements.align_to_mut() }
}

/// A right to write past the caches.
struct Streaming<S>(S);

impl<S: Instructions> Streaming<S> {
    /// # Safety
    /// No other thread accesses what it writes before a fence for stores of this one.
    unsafe fn new(instructions: S) -> Streaming<S> {
        Streaming(instructions)
    }

    /// `to = from`
    #[inline(always)]
    fn write(&self, from: &[u8; LINE], to: &mut Line) {
        // SAFETY: no other thread accesses it before a fence, as `new` asks.
        unsafe { self.0.stream(from, to) }
    }

    /// `to = from`, of the same length. The lines that it fills in part go through the caches. `None`: they are of different lengths.
    #[inline(always)]
    fn write_row<const N: usize>(&self, from: &[Bytes<N>], to: &mut [Bytes<N>]) -> Option<()> {
        let (start, lines, end) = lines(to);
        let (head, from) = from.split_at_checked(start.len())?;
        let (whole, tail) = from.split_at_checked(from.len().checked_sub(end.len())?)?;
        copy_row(head, start);
        for (line, from) in lines.iter_mut().zip(as_bytes(whole).as_chunks().0) {
            self.write(from, line);
        }
        copy_row(tail, end);
        Some(())
    }
}

impl<S: Instructions> Way for Streaming<S> {
    #[inline(always)]
    fn copy<const N: usize>(&self, from: &[Bytes<N>], to: &mut [Bytes<N>]) {
        for (line, from) in lines(to).1.iter_mut().zip(as_bytes(from).as_chunks().0) {
            self.write(from, line);
        }
    }
}
