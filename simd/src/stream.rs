//! Copies past the caches: of rows, and of elements by vectors.

use core::marker::PhantomData;
use core::mem::take;

use crate::chosen::Chosen;
use crate::lane::BLOCK;
use crate::moves::{Bytes, as_bytes, as_bytes_mut};
use crate::path::Instructions;
use crate::prefetch::{LINE, prefetch, prefetch_row_here};
use crate::rows::{self, Rows, Way, copy_row};

/// Once it is dropped, what this thread writes is seen by others after what it wrote past the caches. It stays with its thread.
#[derive(Default)]
pub(crate) struct Fence(PhantomData<*const ()>);

/// The right to write past the caches before a fence.
#[derive(Clone, Copy)]
pub(crate) struct Right<'a>(PhantomData<&'a Fence>);

impl Fence {
    /// # Safety
    /// No other thread accesses what is written with it before the fence is dropped.
    pub(crate) unsafe fn right(&self) -> Right<'_> {
        Right(PhantomData)
    }
}

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

/// Gathered rows that do not fill 4 or 8 cache lines gain nothing if they are shorter. (`strew-benches`, `rows`.)
const SHORTEST: usize = 5 * LINE;

/// Scattered rows that are not whole lines gain nothing if they are shorter.
const SHORTEST_AT_ADDRESS: usize = 4 * LINE;

/// [`rows::gather`] past the caches, where the path can and it gains: rows of 4 or 8 whole cache lines one by one, others line by line.
#[inline(always)]
pub(crate) fn gather<S: Instructions, const N: usize>(
    instructions: S,
    right: Right<'_>,
    from: &[Bytes<N>],
    addresses: &[u32; BLOCK],
    to: &mut [Bytes<N>],
    rows: Rows,
) {
    let lines = whole_lines(to, rows.length).filter(|lines| matches!(lines, 4 | 8));
    if !S::STREAMS || lines.is_none() && rows.length.wrapping_mul(N) < SHORTEST {
        return rows::gather(instructions, from, addresses, to, rows);
    }
    let streaming = Streaming(instructions, right);
    instructions.apart(
        #[inline(always)]
        || match lines {
            Some(4) => rows::gather_by(from, addresses, to, rows.of_lines::<N>(4), &streaming),
            Some(8) => rows::gather_by(from, addresses, to, rows.of_lines::<N>(8), &streaming),
            _ => {
                if line_by_line(from, addresses, to, rows, &streaming).is_none() {
                    rows::gather_by(from, addresses, to, rows, &streaming);
                }
            }
        },
    );
}

/// [`rows::scatter`] past the caches, where the path can and it gains: what fills whole cache lines of the rows.
#[inline(always)]
pub(crate) fn scatter<S: Instructions, const N: usize>(
    instructions: S,
    right: Right<'_>,
    from: &[Bytes<N>],
    to: &mut [Bytes<N>],
    addresses: &[u32; BLOCK],
    rows: Rows,
) {
    let lines = whole_lines(to, rows.length);
    if !S::STREAMS || !gains_at_address(lines, rows.length.wrapping_mul(N)) {
        return rows::scatter(instructions, from, to, addresses, rows);
    }
    let streaming = Streaming(instructions, right);
    instructions.apart(
        #[inline(always)]
        || match lines {
            Some(1) => rows::scatter_by(from, to, addresses, rows.of_lines::<N>(1), &streaming),
            Some(2) => rows::scatter_by(from, to, addresses, rows.of_lines::<N>(2), &streaming),
            Some(4) => rows::scatter_by(from, to, addresses, rows.of_lines::<N>(4), &streaming),
            Some(8) => rows::scatter_by(from, to, addresses, rows.of_lines::<N>(8), &streaming),
            _ => rows::scatter_by(from, to, addresses, rows, &streaming),
        },
    );
}

/// [`rows::scatter_chosen`] past the caches, as [`scatter`].
#[inline(always)]
pub(crate) fn scatter_chosen<S: Instructions, const N: usize>(
    instructions: S,
    right: Right<'_>,
    from: &[Bytes<N>],
    to: &mut [Bytes<N>],
    now: (&Chosen, usize),
    next: (&Chosen, usize),
    length: usize,
) {
    if !S::STREAMS || !gains_at_address(whole_lines(to, length), length.wrapping_mul(N)) {
        return rows::scatter_chosen(instructions, from, to, now, next, length);
    }
    let streaming = Streaming(instructions, right);
    instructions.apart(
        #[inline(always)]
        || rows::scatter_chosen_by(from, to, now, next, length, &streaming),
    );
}

/// `to[n] = from[addresses[n]]`, whole cache lines of it past the caches if no address is outside. Where one is, `to[n]` stays as it is.
#[inline(always)]
pub(crate) fn elements<S: Instructions, const N: usize, const TOGETHER: usize>(
    instructions: S,
    right: Right<'_>,
    from: &[Bytes<N>],
    addresses: &[u32; BLOCK],
    to: &mut [Bytes<N>; BLOCK],
) {
    let Some(first) = from.first() else { return };
    let length = u32::try_from(from.len()).unwrap_or(u32::MAX);
    if addresses.iter().fold(true, |inside, address| inside & (*address < length)) {
        let mut block = [*first; BLOCK];
        instructions.gather::<N, BLOCK, TOGETHER>(from, addresses, &mut block);
        Streaming(instructions, right).copy(&block, to);
    } else {
        instructions.gather::<N, BLOCK, TOGETHER>(from, addresses, to);
    }
}

/// The cache lines of each row, if `to` starts with one and they fill them: rows that follow each other then do.
#[inline(always)]
fn whole_lines<const N: usize>(to: &[Bytes<N>], length: usize) -> Option<usize> {
    let bytes = length.wrapping_mul(N);
    (to.as_ptr().addr() | bytes).is_multiple_of(LINE).then_some(bytes / LINE)
}

/// Whether scattered rows gain that fill so many lines, or none, and have so many bytes.
#[inline(always)]
fn gains_at_address(lines: Option<usize>, bytes: usize) -> bool {
    lines.is_some() || bytes >= SHORTEST_AT_ADDRESS
}

/// `to[n] = from[addresses[n]..][..length]` for rows of a cache line or more, by the lines of `to`, whatever their place in it. What it starts and ends with, parts of lines, goes through
/// the caches. `None`: a row lies outside, they are shorter, or do not fill `to`; none is copied.
#[inline(always)]
fn line_by_line<S: Instructions, const N: usize>(
    from: &[Bytes<N>],
    addresses: &[u32; BLOCK],
    to: &mut [Bytes<N>],
    rows: Rows,
    streaming: &Streaming<'_, S>,
) -> Option<()> {
    let last = from.len().checked_sub(rows.length)?;
    let inside = addresses.iter().fold(true, |all, address| all & (*address as usize <= last));
    if !inside
        || rows.length.wrapping_mul(N) < LINE
        || rows.length.checked_mul(BLOCK) != Some(to.len())
    {
        return None;
    }
    // SAFETY: the check above found that all rows lie in `from`, are no shorter than a line and fill `to`. So no step below ends early: each row takes what is left of a line,
    // whole lines, and leaves less than one. All elements are written as a whole.
    let to = unsafe { as_bytes_mut(to) };
    // SAFETY: a line is so many bytes, of any value.
    let (mut start, mut lines, end) = unsafe { to.align_to_mut::<Line>() };
    // In the middle is the line in which one row ends and the next one starts. A whole line is copied there of each; what is too much of it falls on either side.
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

/// Copies past the caches.
struct Streaming<'a, S>(S, Right<'a>);

impl<S: Instructions> Streaming<'_, S> {
    /// `to = from`
    #[inline(always)]
    fn write(&self, from: &[u8; LINE], to: &mut Line) {
        // SAFETY: no other thread accesses it before a fence: `Fence::right` asked for that, and this holds what it gave.
        unsafe { self.0.stream(from, to) }
    }

    /// `to = from`, of the same length.
    #[inline(always)]
    fn write_all(&self, from: &[u8], to: &mut [Line]) {
        for (line, from) in to.iter_mut().zip(from.as_chunks().0) {
            self.write(from, line);
        }
    }
}

impl<S: Instructions> Way for Streaming<'_, S> {
    /// The lines that it fills in part go through the caches. Where there are none, compilers see it by the first branch alone: rows of 256 bytes gain a tenth.
    #[inline(always)]
    fn copy<const N: usize>(&self, from: &[Bytes<N>], to: &mut [Bytes<N>]) {
        if from.len() != to.len() {
            return;
        }
        if let Some(lines) = whole_lines(to, to.len()) {
            // SAFETY: it starts with a line and fills so many, as was found above; a line is so many bytes, of any value, and all are written: the lengths are the same.
            let lines = unsafe { core::slice::from_raw_parts_mut(to.as_mut_ptr().cast(), lines) };
            return self.write_all(as_bytes(from), lines);
        }
        // SAFETY: a line is so many bytes, of any value, and all are written, with the bytes of `from` at their place: the lengths are the same.
        let (start, lines, end) = unsafe { to.align_to_mut() };
        let Some((head, from)) = from.split_at_checked(start.len()) else { return };
        let Some((whole, tail)) = from.split_at_checked(from.len().wrapping_sub(end.len())) else {
            return;
        };
        copy_row(head, start);
        self.write_all(as_bytes(whole), lines);
        copy_row(tail, end);
    }

    /// Only the lines that it fills in part are read: its ends. Both are asked for: where one alone is, rows of 1200 bytes take a quarter longer on Zen 4, whether by a branch or not.
    #[inline(always)]
    fn ask<const N: usize>(&self, to: &[Bytes<N>], address: u32, length: usize) {
        let bytes = length.wrapping_mul(N);
        let start = to.as_ptr().addr().wrapping_add((address as usize).wrapping_mul(N));
        if (start | bytes).is_multiple_of(LINE) {
            return;
        }
        let last = address.wrapping_add(length as u32).wrapping_sub(1);
        prefetch(to, address);
        prefetch(to, last);
    }
}
