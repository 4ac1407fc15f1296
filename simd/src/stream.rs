//! Copies with non-temporal stores: of rows, and of elements that are gathered by instruction.

use core::mem::take;

use crate::block::{Ahead, Block};
use crate::bytes::{Byte, Bytes, Line, STEP, Slot, all_below, bound};
use crate::fence::Right;
use crate::path::{Instructions, Path, Vectors};
use crate::place::slots;
use crate::portable::by_element;
use crate::prefetch::{LINE, prefetch_row};
use crate::rows::{Rows, Shape};
use crate::ways::{self, Any, Way};
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
use crate::x86::stream;

/// Bytes of a gathered row: shorter ones gain nothing, unless they fill 4 cache lines.
///
/// Record: `rows`.
const SHORTEST: usize = 5 * LINE;

/// Bytes of a scattered row: shorter ones gain nothing, unless they are whole lines.
///
/// Record: `rows`.
const SHORTEST_AT_ADDRESS: usize = 4 * LINE;

/// Gathers rows with non-temporal stores, where they gain: rows of 4 or 8 whole cache lines one by
/// one, others line by line. `false`: not all rows have been moved, since that gains
/// nothing or a row lies outside. The caller then moves the whole block.
#[inline(always)]
pub(crate) fn gather(
    streaming: &Streaming<'_>,
    rows: &mut Rows<'_>,
    block: &Block<'_>,
    distance: usize,
) -> bool {
    let Shape { row, element } = rows.shape;
    let start = rows.to.as_ptr().addr().wrapping_add(rows.shape.start(block.flat));
    let packed = block.is_packed(row / element.max(1));
    match whole_lines(start, row) {
        _ if !packed => false,
        Some(4 | 8) => {
            ways::gather(rows, block, distance, streaming);
            true
        }
        _ if row < SHORTEST => false,
        _ => line_by_line(rows, block, distance, streaming),
    }
}

/// Whether rows that are scattered gain from non-temporal stores.
pub(crate) fn gains(rows: &Rows<'_>) -> bool {
    let (start, bytes) = (rows.to.as_ptr().addr(), rows.shape.row);
    whole_lines(start, bytes).is_some() || bytes >= SHORTEST_AT_ADDRESS
}

/// `to[n] = table[addresses[n]]`, of the same length, for elements of 4 or 8 bytes.
#[inline(always)]
pub(crate) fn elements<S: Instructions, const N: usize>(
    instructions: S,
    streaming: Streaming<'_>,
    table: &[Bytes<N>],
    addresses: &[u32],
    to: &mut [Slot<N>],
    (ahead, at): (&mut Ahead<'_>, usize),
) {
    let Some(first) = table.first() else { return };
    // Up to where an element of the output starts a cache line.
    let start = to.as_ptr().addr();
    let head = (start.next_multiple_of(LINE) - start).checked_div(N).unwrap_or(0).min(to.len());
    let ((to_head, to), (head, addresses)) = (to.split_at_mut(head), addresses.split_at(head));
    by_element(table, head, to_head);
    let ((steps, rest), (to, to_rest)) =
        (addresses.as_chunks::<STEP>(), to.as_chunks_mut::<STEP>());
    for (step, (addresses, to)) in steps.iter().zip(to).enumerate() {
        ahead.prefetch(table, at + step * STEP);
        if !all_below(addresses, bound(table)) {
            by_element(table, addresses, to);
            continue;
        }
        let mut elements = [Slot::new(*first); STEP];
        instructions.gather(table, addresses, &mut elements);
        let mut gathered = [*first; STEP];
        for (to, element) in gathered.iter_mut().zip(elements) {
            // SAFETY: each has had a value from the start.
            *to = unsafe { element.assume_init() };
        }
        // SAFETY: all slots are written, with elements of their type.
        let to = unsafe { Bytes::all_mut(to) };
        streaming.copy(Bytes::all(&gathered), to);
    }
    by_element(table, rest, to_rest);
}

/// The number of cache lines that rows of these bytes fill, if the first one starts with a line:
/// rows that follow each other then do.
#[inline(always)]
fn whole_lines(start: usize, bytes: usize) -> Option<usize> {
    (start | bytes).is_multiple_of(LINE).then_some(bytes / LINE)
}

/// Gathers rows of a cache line or more, which follow each other in `to`, by the lines of `to`,
/// wherever they start. The parts of lines at both ends go through the caches. `false`: a row lies
/// outside its slice; lanes may be missing.
#[inline(always)]
fn line_by_line(
    Rows { from, to, shape }: &mut Rows<'_>,
    block: &Block<'_>,
    distance: usize,
    streaming: &Streaming<'_>,
) -> bool {
    let inside = |address: &u32| shape.row(from, *address as usize).is_some();
    if shape.row < LINE || !block.addresses.iter().all(inside) {
        return false;
    }
    let mut ahead = block.ahead(distance);
    for (flat, addresses) in block.lanes() {
        let Some(bytes) = shape.row.checked_mul(addresses.len()) else { return false };
        let to = shape.tail_mut(to, flat).and_then(|to| to.get_mut(..bytes));
        let Some(to) = to else { return false };
        let rows = addresses.iter().filter_map(|address| {
            if let Some(ahead) = ahead.next() {
                prefetch_row(from, shape.start(ahead as usize), shape.row);
            }
            shape.row(from, *address as usize)
        });
        _ = fill(rows, to, streaming);
    }
    true
}

/// `to` = all rows, one after the other. They fill it, and none is shorter than a line.
#[inline(always)]
fn fill<'a>(
    rows: impl Iterator<Item = &'a [u8]>,
    to: &mut [Byte],
    streaming: &Streaming<'_>,
) -> Option<()> {
    // SAFETY: a line is 64 bytes, of any value or none.
    let (mut start, mut lines, end) = unsafe { to.align_to_mut::<Line>() };
    // In the middle is the line in which one row ends and the next one starts. Of each, a whole
    // line is copied there; what is too much of it falls on either side.
    let mut shared = [0; 3 * LINE];
    let mut filled = if start.is_empty() { 0 } else { LINE - start.len() };
    for row in rows {
        *shared.get_mut(LINE + filled..)?.first_chunk_mut::<LINE>()? = *row.first_chunk()?;
        let (head, rest) = row.split_at_checked(LINE - filled)?;
        if start.is_empty() {
            let (line, after) = take(&mut lines).split_first_mut()?;
            streaming.write(shared.get(LINE..)?.first_chunk()?, line);
            lines = after;
        } else {
            take(&mut start).copy_from_slice(slots(head));
        }
        let (whole, tail) = rest.as_chunks();
        let (now, after) = take(&mut lines).split_at_mut_checked(whole.len())?;
        for (line, from) in now.iter_mut().zip(whole) {
            streaming.write(from, line);
        }
        (lines, filled) = (after, tail.len());
        *shared.get_mut(filled..)?.first_chunk_mut::<LINE>()? = *row.last_chunk()?;
    }
    end.copy_from_slice(slots(shared.get(LINE..)?.get(..end.len())?));
    Some(())
}

/// Copies with non-temporal stores.
#[derive(Clone, Copy)]
pub(crate) struct Streaming<'a>(Vectors, Right<'a>);

impl<'a> Streaming<'a> {
    /// `None`: there is no right to them, or the path has none.
    #[inline(always)]
    pub(crate) fn of(path: Path, right: Option<Right<'a>>) -> Option<Streaming<'a>> {
        // The instruction takes addresses of 64 bits.
        let has = cfg!(all(target_arch = "x86_64", target_pointer_width = "64"));
        Some(Streaming(path.vectors().filter(|_| has)?, right?))
    }

    /// `to = from`
    #[inline(always)]
    fn write(&self, from: &[u8; LINE], to: &mut Line) {
        // SAFETY: no other thread accesses it before a fence: `Fence::right` asked for that, and
        // this holds what it gave.
        unsafe { stream(self.0, from, to) }
    }

    /// `to = from`, of the same length.
    #[inline(always)]
    fn write_all(&self, from: &[u8], to: &mut [Line]) {
        for (line, from) in to.iter_mut().zip(from.as_chunks().0) {
            self.write(from, line);
        }
    }
}

/// No other path has such stores.
#[cfg(not(all(feature = "simd", target_arch = "x86_64")))]
unsafe fn stream(_: Vectors, from: &[u8; LINE], to: &mut Line) {
    to.0.copy_from_slice(slots(from));
}

impl Way for Streaming<'_> {
    /// Each would go to memory. Record: rows of 256 to 2048 bytes on Zen 5, in runs of 50 0.2x to
    /// 0.3x, of 8 0.6x to 0.85x, of 1 and 2 0.85x to 1.05x; without the look for runs, of 2 0.8x to
    /// 1.6x, since branches are not foreseen. Worklists of two threads on Emerald Rapids, rows of
    /// 4,760 bytes in runs of 64 on average: 0.17x.
    const LEAVES_LOST: bool = true;

    /// The lines that it fills in part go through the caches.
    #[inline(always)]
    fn copy(&self, from: &[u8], to: &mut [Byte]) {
        // SAFETY: a line is 64 bytes, of any value or none.
        let (start, lines, end) = unsafe { to.align_to_mut() };
        let Some((head, from)) = from.split_at_checked(start.len()) else { return };
        let whole = from.len().wrapping_sub(end.len());
        let Some((whole, tail)) = from.split_at_checked(whole) else { return };
        if !head.is_empty() {
            Any.copy(head, start);
        }
        self.write_all(whole, lines);
        if !tail.is_empty() {
            Any.copy(tail, end);
        }
    }

    /// Only the lines that it fills in part are read: its ends. Both are prefetched: with one
    /// alone, rows of 1200 bytes take 1.25x on Zen 4, in `rows`.
    #[inline(always)]
    fn prefetch(&self, to: &[Byte], start: usize, bytes: usize) {
        let address = to.as_ptr().addr().wrapping_add(start);
        if !(address | bytes).is_multiple_of(LINE) {
            prefetch_row(to, start, 1);
            prefetch_row(to, start.wrapping_add(bytes).wrapping_sub(1), 1);
        }
    }
}
