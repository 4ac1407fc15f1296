//! What changes elements and rows by address.
//!
//! Generic over the element and what combines two of them: whoever names both decides where a loop
//! is compiled.

use crate::block::{Ahead, Block, Hints, Listed};
use crate::bytes::STRIDE;
use crate::path::Path;
use crate::prefetch::{prefetch, prefetch_row_early, prefetch_row_here};

/// `to[table] = combine(to[table], from[flat])` for each entry, in order. What lies outside its
/// slice is left out.
#[inline(always)]
pub fn elements<T: Copy>(
    path: Path,
    to: &mut [T],
    from: &[T],
    block: &Block<'_>,
    hints: Hints,
    combine: impl Fn(T, T) -> T + Copy,
) {
    let Some(to) = to.get_mut(block.table..) else { return };
    if hints.distance > 0 || !(block.is_packed(1) || block.entry_step == 0) {
        return in_order(to, from, block, hints.distance, combine);
    }
    path.vectorize(
        (to, from),
        #[inline(always)]
        |(to, from)| near(to, from, block, combine),
        |(to, from)| in_order(to, from, block, 0, combine),
    );
}

/// [`elements`] in a loop that is compiled once: for functions that are rarely needed.
#[inline(always)]
pub fn elements_plain<T: Copy>(
    to: &mut [T],
    from: &[T],
    block: &Block<'_>,
    hints: Hints,
    combine: impl Fn(T, T) -> T,
) {
    let Some(to) = to.get_mut(block.table..) else { return };
    in_order(to, from, block, hints.distance, combine);
}

/// [`elements`] whose updates follow each other, or are one for a lane.
///
/// One comparison an element, which keeps compilers from unrolling: of many instructions that
/// change memory, each has to learn anew that it waits for another. (`sweep`, sums with a hot
/// place: 17 ns against 0.9 on Zen 5.)
#[inline(always)]
fn near<T: Copy>(to: &mut [T], from: &[T], block: &Block<'_>, combine: impl Fn(T, T) -> T + Copy) {
    let (mut ahead, mut at) = (Ahead::of(block, 0), 0);
    let packed = block.is_packed(1);
    for (flat, addresses) in block.lanes() {
        block.prefetch_lane(from, flat);
        let updates = if packed { addresses.len() } else { 1 };
        let Some(updates) = from.get(flat..flat.wrapping_add(updates)) else {
            outside(to, addresses, from, (flat, block.entry_step), combine);
            continue;
        };
        for (addresses, n) in addresses.chunks(STRIDE).zip((0..).step_by(STRIDE)) {
            ahead.prefetch(to, at);
            at += addresses.len();
            if packed {
                let updates = updates.get(n..).unwrap_or_default();
                for (address, update) in addresses.iter().zip(updates) {
                    change(to, *address, *update, combine);
                }
            } else if let [update] = updates {
                addresses.iter().for_each(|address| change(to, *address, *update, combine));
            }
        }
    }
}

/// A lane of which some updates lie outside: rarely, so it is compiled once.
#[inline(never)]
fn outside<T: Copy>(
    to: &mut [T],
    addresses: &[u32],
    updates: &[T],
    (mut flat, step): (usize, isize),
    combine: impl Fn(T, T) -> T + Copy,
) {
    for address in addresses {
        if let Some(update) = updates.get(flat) {
            change(to, *address, *update, combine);
        }
        flat = flat.wrapping_add_signed(step);
    }
}

#[inline(always)]
fn change<T: Copy>(to: &mut [T], address: u32, update: T, combine: impl Fn(T, T) -> T) {
    if let Some(to) = to.get_mut(address as usize) {
        *to = combine(*to, update);
    }
}

/// [`elements`] of a table that no cache holds, or whose updates lie a step apart.
#[inline(never)]
fn in_order<T: Copy>(
    to: &mut [T],
    from: &[T],
    block: &Block<'_>,
    distance: usize,
    combine: impl Fn(T, T) -> T,
) {
    let mut ahead = block.ahead(distance);
    for (mut flat, addresses) in block.lanes() {
        for address in addresses {
            if let Some(ahead) = ahead.next() {
                prefetch(to, ahead);
            }
            if let (Some(to), Some(update)) = (to.get_mut(*address as usize), from.get(flat)) {
                *to = combine(*to, *update);
            }
            flat = flat.wrapping_add_signed(block.entry_step);
        }
    }
}

/// `to[place..][..n] = combine(to[place..][..n], from[flat..][..n])` for each entry, in order.
#[inline(always)]
pub fn listed<T: Copy>(
    path: Path,
    to: &mut [T],
    from: &[T],
    listed: Listed<'_>,
    n: usize,
    combine: impl Fn(T, T) -> T + Copy,
) {
    if n == 1 {
        elements_listed(to, from, listed, combine);
    } else {
        path.narrow(
            #[inline(always)]
            || rows_listed(to, from, listed, n, combine),
        );
    }
}

/// [`listed`] for single elements.
#[inline(always)]
pub(crate) fn elements_listed<T: Copy>(
    to: &mut [T],
    from: &[T],
    listed: Listed<'_>,
    combine: impl Fn(T, T) -> T,
) {
    let Listed { places, flats, distance } = listed;
    let mut ahead = places.get(distance..).unwrap_or_default().iter();
    for (place, flat) in places.iter().zip(flats) {
        if let Some(ahead) = ahead.next() {
            prefetch(to, *ahead);
        }
        if let (Some(to), Some(update)) = (to.get_mut(*place as usize), from.get(*flat as usize)) {
            *to = combine(*to, *update);
        }
    }
}

/// The rows for which prefetches are made at once.
const ROWS: usize = 8;

/// Runs this for rows of `$n` elements of 4 or 8 bytes, with a length that is known when it is
/// compiled for some.
macro_rules! for_length {
    ($T:ident, $n:ident, $R:ident => $run:expr) => {
        for_length!(@ $T, $n, $R, $run, 4 8 16 64)
    };
    (@ $T:ident, $n:ident, $R:ident, $run:expr, $($length:literal)*) => {
        match (const { size_of::<$T>() == 4 || size_of::<$T>() == 8 }, $n) {
            $((true, $length) => {
                const $R: usize = $length;
                $run
            })*
            _ => {
                const $R: usize = 0;
                $run
            }
        }
    };
}

/// `to[table..][..n] = combine(to[table..][..n], from[flat..][..n])` for each entry, in order.
///
/// `combine` is called where loops are compiled for the instructions of the path.
#[inline(always)]
pub fn rows<T: Copy>(
    path: Path,
    to: &mut [T],
    from: &[T],
    block: &Block<'_>,
    n: usize,
    hints: Hints,
    combine: impl Fn(T, T) -> T + Copy,
) {
    let Some(to) = to.get_mut(block.table..) else { return };
    path.vectorize(
        (to, from),
        #[inline(always)]
        |(to, from)| for_length!(T, n, R => rows_of::<T, R>(to, from, block, n, hints, combine)),
        |(to, from)| rows_of::<T, 0>(to, from, block, n, hints, combine),
    );
}

/// [`rows`] of `R` elements, or of `n` if `R` is 0.
#[inline(always)]
fn rows_of<T: Copy, const R: usize>(
    to: &mut [T],
    from: &[T],
    block: &Block<'_>,
    n: usize,
    hints: Hints,
    combine: impl Fn(T, T) -> T + Copy,
) {
    let length = if R == 0 { n } else { R };
    let (mut indices, mut at) = (Ahead::of(block, 0), 0);
    for (mut flat, addresses) in block.lanes() {
        for addresses in addresses.chunks(ROWS) {
            indices.prefetch(to, at);
            if hints.distance > 0 {
                let ahead = block.step_from(at.saturating_add(hints.distance));
                for ahead in ahead.iter().take(ROWS) {
                    prefetch_row_here(to, *ahead as usize, length);
                }
            }
            at += ROWS;
            for address in addresses {
                row::<T, R>(to, *address, from, flat, n, combine);
                flat = flat.wrapping_add_signed(block.entry_step);
            }
        }
    }
}

/// [`listed`] for rows.
#[inline(always)]
fn rows_listed<T: Copy>(
    to: &mut [T],
    from: &[T],
    Listed { places, flats, distance }: Listed<'_>,
    n: usize,
    combine: impl Fn(T, T) -> T + Copy,
) {
    let ahead = |list: &[u32], at: usize| list.get(at..)?.get(distance).copied();
    for (at, (place, flat)) in places.iter().zip(flats).enumerate() {
        if let (Some(place), Some(flat)) = (ahead(places, at), ahead(flats, at)) {
            prefetch_row_early(to, place as usize, n);
            prefetch_row_early(from, flat as usize, n);
        }
        row::<T, 0>(to, *place, from, *flat as usize, n, combine);
    }
}

/// One row of `R` elements, or of `n` if `R` is 0. Rows of a known length are read before they are
/// written, so that loops need not ask whether data and updates overlap.
#[inline(always)]
fn row<T: Copy, const R: usize>(
    to: &mut [T],
    address: u32,
    from: &[T],
    flat: usize,
    n: usize,
    combine: impl Fn(T, T) -> T,
) {
    if R > 0 {
        let to = to.get_mut(address as usize..).and_then(|to| to.first_chunk_mut::<R>());
        let from = from.get(flat..).and_then(|from| from.first_chunk::<R>());
        if let (Some(to), Some(from)) = (to, from) {
            let mut row = *to;
            row.iter_mut().zip(from).for_each(|(to, from)| *to = combine(*to, *from));
            *to = row;
        }
        return;
    }
    let to = to.get_mut(address as usize..).and_then(|to| to.get_mut(..n));
    let from = from.get(flat..).and_then(|from| from.get(..n));
    if let (Some(to), Some(from)) = (to, from) {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = combine(*to, *from));
    }
}
