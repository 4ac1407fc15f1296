//! Ways to copy a row, as bytes, and the loops over rows.

use core::mem::take;
use core::ops::Range;

use crate::block::{Ahead, Block, Listed};
use crate::bytes::Byte;
use crate::place::slots;
use crate::prefetch::{LINE, prefetch_row_here, prefetch_row_listed};
use crate::rows::{Rows, Shape};

#[inline(always)]
pub(crate) fn gather(rows: &mut Rows<'_>, block: &Block<'_>, distance: usize, way: &impl Way) {
    let Rows { from, to, shape } = rows;
    if shape.row == 0 || !block.is_packed(shape.row / shape.element.max(1)) {
        return apart::<true>(from, to, *shape, block);
    }
    let bytes = way.bytes(shape.row);
    let (mut indices, mut at) = (Ahead::of(block, 0), 0);
    for (flat, addresses) in block.lanes() {
        // Rows follow each other: they are walked without a check for each.
        let Some(mut rest) = shape.tail_mut(to, flat) else {
            lane_apart::<true>(from, to, *shape, (flat, block.entry_step), addresses);
            continue;
        };
        for addresses in addresses.chunks(ROWS) {
            prefetch_rows(from, *shape, block, at, distance, |slice, start| {
                prefetch_row_here(slice, start, bytes);
            });
            indices.prefetch(from, at);
            at += ROWS;
            for address in addresses {
                let Some((to, after)) = take(&mut rest).split_at_mut_checked(bytes) else { break };
                if let Some(from) = shape.part(from, *address, bytes) {
                    way.copy(from, to);
                }
                rest = after;
            }
        }
    }
}

/// The rows for which prefetches are made at once.
const ROWS: usize = 8;

/// Prefetches some rows, `distance` entries after the first one that moves next.
#[inline(always)]
fn prefetch_rows<B>(
    slice: &[B],
    shape: Shape,
    block: &Block<'_>,
    at: usize,
    distance: usize,
    prefetch: impl Fn(&[B], usize),
) {
    if distance > 0 {
        for address in block.step_from(at.saturating_add(distance)).iter().take(ROWS) {
            prefetch(slice, shape.start(*address as usize));
        }
    }
}

#[inline(always)]
pub(crate) fn scatter<W: Way>(rows: &mut Rows<'_>, block: &Block<'_>, distance: usize, way: &W) {
    let Rows { from, to, shape } = rows;
    let bytes = way.bytes(shape.row);
    // Rows follow each other, or are all the same one.
    let step = match block.entry_step {
        0 => 0,
        _ if shape.row > 0 && block.is_packed(shape.row / shape.element.max(1)) => bytes,
        _ => return apart::<false>(from, to, *shape, block),
    };
    let repeats = W::LEAVES_LOST && Block::has_runs(block.addresses);
    let (mut indices, mut at) = (Ahead::of(block, 0), 0);
    for (flat, addresses) in block.lanes() {
        let Some(from) = shape.tail(from, flat) else {
            lane_apart::<false>(from, to, *shape, (flat, block.entry_step), addresses);
            continue;
        };
        let mut start = 0_usize;
        for addresses in addresses.chunks(ROWS) {
            prefetch_rows(to, *shape, block, at, distance, |slice, start| {
                way.prefetch(slice, start, bytes);
            });
            indices.prefetch(to, at);
            at += ROWS;
            for (n, address) in addresses.iter().enumerate() {
                let row = |start: usize| from.get(start..).and_then(|from| from.get(..bytes));
                let next = start.saturating_add(step);
                // The next row is written over this one.
                let lost = repeats && addresses.get(n + 1) == Some(address) && row(next).is_some();
                if let (Some(to), Some(from), false) =
                    (shape.part_mut(to, *address, bytes), row(start), lost)
                {
                    way.copy(from, to);
                }
                start = next;
            }
        }
    }
}

/// The same for rows that do not follow each other: gathered, or scattered.
fn apart<const GATHERS: bool>(from: &[u8], to: &mut [Byte], shape: Shape, block: &Block<'_>) {
    for (flat, addresses) in block.lanes() {
        lane_apart::<GATHERS>(from, to, shape, (flat, block.entry_step), addresses);
    }
}

/// One lane of it.
#[inline(never)]
fn lane_apart<const GATHERS: bool>(
    from: &[u8],
    to: &mut [Byte],
    shape: Shape,
    (mut flat, step): (usize, isize),
    addresses: &[u32],
) {
    for address in addresses {
        let (to, from) = if GATHERS {
            let to = shape.tail_mut(to, flat).and_then(|to| to.get_mut(..shape.row));
            (to, shape.part(from, *address, shape.row))
        } else {
            (shape.part_mut(to, *address, shape.row), shape.row(from, flat))
        };
        if let (Some(to), Some(from)) = (to, from) {
            Any.copy(from, to);
        }
        flat = flat.wrapping_add_signed(step);
    }
}

#[inline(always)]
pub(crate) fn scatter_listed<W: Way>(rows: &mut Rows<'_>, listed: Listed<'_>, way: &W) {
    let (Rows { from, to, shape }, Listed { places, flats, distance }) = (rows, listed);
    let repeats = W::LEAVES_LOST && Block::has_runs(places);
    let ahead = |list: &[u32], at: usize| list.get(at..)?.get(distance).copied();
    for (at, (place, flat)) in places.iter().zip(flats).enumerate() {
        if let (Some(place), Some(flat)) = (ahead(places, at), ahead(flats, at)) {
            way.prefetch(to, shape.start(place as usize), shape.row);
            prefetch_row_listed(from, shape.start(flat as usize), shape.row);
        }
        let row = |flat: &u32| shape.part(from, *flat, shape.row);
        // The next row is written over this one.
        let lost = repeats
            && places.get(at + 1) == Some(place)
            && flats.get(at + 1).and_then(row).is_some();
        if let (Some(to), Some(from), false) =
            (shape.part_mut(to, *place, shape.row), row(flat), lost)
        {
            way.copy(from, to);
        }
    }
}

/// A way to copy a row.
pub(crate) trait Way {
    /// Whether a row that the next one is written over is left out, in blocks that [have
    /// runs](Block::has_runs).
    const LEAVES_LOST: bool = false;

    /// The bytes of a row, as far as they are known when this is compiled.
    #[inline(always)]
    fn bytes(&self, bytes: usize) -> usize {
        bytes
    }

    /// `to = from`, of the same length.
    fn copy(&self, from: &[u8], to: &mut [Byte]);

    /// Prefetches what this needs of a row that it will write to.
    #[inline(always)]
    fn prefetch(&self, to: &[Byte], start: usize, bytes: usize) {
        prefetch_row_here(to, start, bytes);
    }
}

/// `L` parts of `P` bytes.
pub(crate) struct Exact<const P: usize, const L: usize>;

impl<const P: usize, const L: usize> Way for Exact<P, L> {
    #[inline(always)]
    fn bytes(&self, _: usize) -> usize {
        L * P
    }

    #[inline(always)]
    fn copy(&self, from: &[u8], to: &mut [Byte]) {
        if P == LINE && L >= ALIGNED {
            let start = next_line(to);
            return copy_aligned(from, to, start..start + (L - 1) * LINE);
        }
        let (from, to) = (slots(from).as_chunks::<P>().0, to.as_chunks_mut::<P>().0);
        if let (Some(to), Some(from)) = (to.first_chunk_mut::<L>(), from.first_chunk::<L>()) {
            copy_chunks(from, to);
        }
    }
}

/// Two parts of `P` bytes, the first ones and the last ones, which overlap: `P..=2 * P` bytes.
pub(crate) struct Two<const P: usize>;

impl<const P: usize> Way for Two<P> {
    #[inline(always)]
    fn copy(&self, from: &[u8], to: &mut [Byte]) {
        let from = slots(from);
        let (Some(first), Some(last)) = (from.first_chunk::<P>(), from.last_chunk::<P>()) else {
            return;
        };
        if let Some(to) = to.first_chunk_mut() {
            *to = *first;
        }
        if let Some(to) = to.last_chunk_mut() {
            *to = *last;
        }
    }
}

/// Any number of bytes.
pub(crate) struct Any;

impl Way for Any {
    #[inline(always)]
    fn copy(&self, from: &[u8], to: &mut [Byte]) {
        match from.len() {
            LINE..=LOOP_BYTES => copy_lines(from, to),
            32..LINE => Two::<32>.copy(from, to),
            16..32 => Two::<16>.copy(from, to),
            8..16 => Two::<8>.copy(from, to),
            4..8 => Two::<4>.copy(from, to),
            2..4 => Two::<2>.copy(from, to),
            _ => to.copy_from_slice(slots(from)),
        }
    }
}

/// Up to this many bytes, a loop takes less time than a call of the system's memory copy: 0.67x
/// from L3, in `rows`.
const LOOP_BYTES: usize = 1 << 12;

/// `to = from`, of the same length: a line or more.
#[inline(always)]
fn copy_lines(from: &[u8], to: &mut [Byte]) {
    if from.len() >= ALIGNED * LINE {
        return copy_aligned(from, to, next_line(to)..from.len() - 1);
    }
    let from = slots(from);
    copy_chunks::<LINE>(from.as_chunks().0, to.as_chunks_mut().0);
    // The last line overlaps the one before it.
    if let (Some(to), Some(from)) = (to.last_chunk_mut::<LINE>(), from.last_chunk()) {
        *to = *from;
    }
}

/// The lines of a row from which on stores are aligned. A store that crosses two lines takes as
/// long as two, and large allocations of glibc start 16 bytes after a line.
///
/// Record: rows of 256 to 4096 bytes from L1 and L2, 16 bytes after a line: 0.6x to 0.9x on Zen 4;
/// where rows start with a line 0.9x to 1.1x.
const ALIGNED: usize = 4;

/// The first byte, after the start, that starts a line.
#[inline(always)]
fn next_line(to: &[Byte]) -> usize {
    LINE - to.as_ptr().addr() % LINE
}

/// `to = from`, of the same length: the first `LINE` bytes, the last `LINE` bytes, and all whole
/// lines in `between`. What lies before these, and what lies behind, has at most `LINE` bytes.
#[inline(always)]
fn copy_aligned(from: &[u8], to: &mut [Byte], between: Range<usize>) {
    let from = slots(from);
    if let (Some(to), Some(from)) = (to.first_chunk_mut::<LINE>(), from.first_chunk()) {
        *to = *from;
    }
    if let (Some(to), Some(from)) = (to.get_mut(between.clone()), from.get(between)) {
        copy_chunks::<LINE>(from.as_chunks().0, to.as_chunks_mut().0);
    }
    if let (Some(to), Some(from)) = (to.last_chunk_mut::<LINE>(), from.last_chunk()) {
        *to = *from;
    }
}

#[inline(always)]
fn copy_chunks<const P: usize>(from: &[[Byte; P]], to: &mut [[Byte; P]]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}
