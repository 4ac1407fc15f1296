//! What changes elements and rows by address.
//!
//! Generic over the element, its update and what combines them: whoever names all decides where a
//! loop is compiled.

use core::iter::repeat;

use crate::block::{Ahead, Block, Listed, TURN};
use crate::path::Path;
use crate::prefetch::{prefetch, prefetch_row_here, prefetch_row_listed};

/// `change(to[table], from[flat])` for each entry, in order. What lies outside its slice is left
/// out, and what lies `distance` entries ahead is prefetched; 0: nothing. See [`by`].
///
/// `RUNS`: with a loop for runs of one place, which keeps it in a register. Sets do without, since
/// stores to one place do not wait for each other: with it, sets of 3 bytes took 1.9x.
#[inline(always)]
pub fn elements<T: Copy, U: Copy, const RUNS: bool>(
    to: &mut [T],
    from: &[U],
    block: &Block<'_>,
    distance: usize,
    change: impl Fn(&mut T, &U) + Copy,
) {
    let Some(to) = to.get_mut(block.table..) else { return };
    if block.goes_in_turns() {
        side_by_side::<T, U, RUNS>(to, from, block, distance, change);
    } else {
        in_order(to, from, block, distance, &|to, addresses, from, lanes| {
            one_by_one(to, addresses, from, lanes, change)
        });
    }
}

/// `to = combine(to, from)`. Loops call functions of two places, since compilers copy a value that
/// does not fit in a register before they pass it.
///
/// Record: sets on Zen 3, against functions of two values: 12 bytes 0.75x to 0.9x, 24 and 32 bytes
/// 0.65x to 0.9x.
#[inline(always)]
pub fn by<T: Copy, U: Copy>(combine: impl Fn(T, U) -> T + Copy) -> impl Fn(&mut T, &U) + Copy {
    #[inline(always)]
    move |to, from| *to = combine(*to, *from)
}

/// `to = from`: what [`elements`] do for a set.
#[inline(always)]
pub fn set<T: Copy>(to: &mut T, from: &T) {
    *to = *from;
}

/// [`elements`] whose updates follow each other, or are one for a lane, compiled where it is
/// called: without the loop for runs, which is compiled apart.
#[inline(always)]
pub fn elements_by<T: Copy>(
    to: &mut [T],
    from: &[T],
    block: &Block<'_>,
    distance: usize,
    combine: impl Fn(T, T) -> T + Copy,
) {
    debug_assert!(block.is_packed(1) || block.entry_step == 0, "updates lie a step apart");
    let Some(to) = to.get_mut(block.table..) else { return };
    side_by_side::<T, T, false>(to, from, block, distance, by(combine));
}

/// [`elements`] by another function, which does the same, and more quickly, where something `holds`
/// for all updates. Else they go in a loop that is compiled once.
#[inline(always)]
pub fn elements_or<T: Copy>(
    to: &mut [T],
    from: &[T],
    block: &Block<'_>,
    distance: usize,
    (holds, quick): (impl Fn(&T) -> bool, impl Fn(T, T) -> T + Copy),
    combine: impl Fn(T, T) -> T + Copy,
) {
    let Some(to) = to.get_mut(block.table..) else { return };
    if block.goes_in_turns() && block.all(from, holds) {
        side_by_side::<T, T, true>(to, from, block, distance, by(quick));
    } else {
        in_order(to, from, block, distance, &|to, addresses, from, lanes| {
            one_by_one(to, addresses, from, lanes, by(combine))
        });
    }
}

/// [`elements`] whose updates follow each other, or are one for a lane.
#[inline(always)]
fn side_by_side<T: Copy, U: Copy, const RUNS: bool>(
    to: &mut [T],
    from: &[U],
    block: &Block<'_>,
    distance: usize,
    change: impl Fn(&mut T, &U) + Copy,
) {
    let (mut ahead, mut at) = (Ahead::of(block, distance), 0);
    let packed = block.is_packed(1);
    let runs = RUNS && packed && Block::has_runs(block.addresses);
    for (flat, addresses) in block.lanes() {
        block.prefetch_lane(from, flat);
        let end = flat.wrapping_add(if packed { addresses.len() } else { 1 });
        let Some(mut updates) = from.get(flat..end) else {
            one_by_one(to, addresses, from, Lanes::one(flat, block.entry_step), change);
            continue;
        };
        // Some at a time only where something is prefetched.
        for addresses in addresses.chunks(ahead.step()) {
            ahead.prefetch(to, at);
            at += addresses.len();
            change_all(to, addresses, updates, (packed, runs), change);
            if packed {
                updates = updates.get(addresses.len()..).unwrap_or_default();
            }
        }
    }
}

/// Changes some entries, which have as many updates or more if these are `packed`, else one.
#[inline(always)]
fn change_all<T: Copy, U: Copy>(
    to: &mut [T],
    addresses: &[u32],
    updates: &[U],
    (packed, runs): (bool, bool),
    change: impl Fn(&mut T, &U) + Copy,
) {
    if packed {
        let n = if runs {
            change_runs(to, addresses, updates.as_chunks().0, change).unwrap_or(0)
        } else {
            change_turns(to, addresses, updates.as_chunks().0, change)
        };
        if let Some(rest @ [_, ..]) = addresses.get(n..) {
            one_by_one(to, rest, updates, Lanes::one(n, 1), change);
        }
    } else if let Some(update) = updates.first() {
        // Lanes are often short here: a call would take as long as some entries.
        let mut turns = || change_turns(to, addresses, repeat(&[*update; TURN]), change);
        let n = if addresses.len() < TURN { 0 } else { turns() };
        for address in addresses.get(n..).unwrap_or_default() {
            if let Some(to) = to.get_mut(*address as usize) {
                change(to, update);
            }
        }
    }
}

/// Changes the entries of whole turns. Returns the number of those that come before the first one
/// that is left out: from there on another loop goes on, so that this one has a single way through
/// it.
#[inline(always)]
fn change_turns<'a, T: Copy, U: Copy + 'a>(
    to: &mut [T],
    addresses: &[u32],
    updates: impl IntoIterator<Item = &'a [U; TURN]>,
    change: impl Fn(&mut T, &U),
) -> usize {
    let mut n = 0;
    for (addresses, updates) in addresses.as_chunks::<TURN>().0.iter().zip(updates) {
        for (address, update) in addresses.iter().zip(updates) {
            let Some(to) = to.get_mut(*address as usize) else { return n };
            change(to, update);
            n += 1;
        }
    }
    n
}

/// [`change_turns`] where most entries lead where the one before them did. What it makes of a place
/// stays in a register until a turn leads elsewhere: so no entry waits for the store of another.
#[inline(never)]
fn change_runs<T: Copy, U: Copy>(
    to: &mut [T],
    addresses: &[u32],
    updates: &[[U; TURN]],
    change: impl Fn(&mut T, &U),
) -> Option<usize> {
    let mut place = *addresses.first()? as usize;
    let mut sum = *to.get(place)?;
    let mut n = 0;
    for (addresses, updates) in addresses.as_chunks::<TURN>().0.iter().zip(updates) {
        if *addresses == [place as u32; TURN] {
            updates.iter().for_each(|update| change(&mut sum, update));
            n += TURN;
            continue;
        }
        *to.get_mut(place)? = sum;
        for (address, update) in addresses.iter().zip(updates) {
            place = *address as usize;
            let Some(to) = to.get_mut(place) else { return Some(n) };
            change(to, update);
            sum = *to;
            n += 1;
        }
    }
    *to.get_mut(place)? = sum;
    Some(n)
}

/// Changes entries one by one, in a loop that is compiled once: where some lie outside, where their
/// updates lie a step apart, or where few are left.
#[inline(never)]
fn one_by_one<T: Copy, U: Copy>(
    to: &mut [T],
    addresses: &[u32],
    updates: &[U],
    lanes: Lanes,
    change: impl Fn(&mut T, &U) + Copy,
) {
    let Lanes { length, mut start, lane_step, entry_step } = lanes;
    for addresses in addresses.chunks(length.max(1)) {
        let mut flat = start;
        for address in addresses {
            // In this order: the other one takes 1.3x.
            if let Some(update) = updates.get(flat)
                && let Some(to) = to.get_mut(*address as usize)
            {
                change(to, update);
            }
            flat = flat.wrapping_add_signed(entry_step);
        }
        start = start.wrapping_add_signed(lane_step);
    }
}

/// Where the updates of some lanes lie.
#[derive(Clone, Copy)]
struct Lanes {
    length: usize,
    start: usize,
    lane_step: isize,
    entry_step: isize,
}

impl Lanes {
    /// All entries are one lane.
    #[inline(always)]
    fn one(start: usize, entry_step: isize) -> Lanes {
        Lanes { length: usize::MAX, start, lane_step: 0, entry_step }
    }

    #[inline(always)]
    fn of(block: &Block<'_>) -> Lanes {
        let Block { flat: start, lane_step, entry_step, .. } = *block;
        let length = if block.lanes_follow() { block.addresses.len() } else { block.length };
        Lanes { length, start, lane_step, entry_step }
    }
}

/// [`one_by_one`] with a function that combines.
type OneByOne<'c, T, U> = dyn Fn(&mut [T], &[u32], &[U], Lanes) + 'c;

/// [`elements`] whose updates lie a step apart, by calls of [`one_by_one`]. So it is compiled for
/// two types, and not for each function that combines.
#[inline(never)]
fn in_order<T, U>(
    to: &mut [T],
    from: &[U],
    block: &Block<'_>,
    distance: usize,
    change: &OneByOne<'_, T, U>,
) {
    let (mut ahead, mut lanes, mut at) = (Ahead::of(block, distance), Lanes::of(block), 0);
    // Whole lanes, as far as something is to be prefetched.
    if let Some(whole @ 1..) = ahead.step().checked_div(lanes.length) {
        for addresses in block.addresses.chunks(whole.saturating_mul(lanes.length)) {
            prefetch_step(&mut ahead, to, at);
            at += addresses.len();
            change(to, addresses, from, lanes);
            lanes.start =
                lanes.start.wrapping_add_signed(lanes.lane_step.wrapping_mul(whole as isize));
        }
        return;
    }
    for (mut flat, addresses) in block.lanes() {
        for addresses in addresses.chunks(ahead.step()) {
            prefetch_step(&mut ahead, to, at);
            at += addresses.len();
            change(to, addresses, from, Lanes::one(flat, block.entry_step));
            flat = flat.wrapping_add(addresses.len().wrapping_mul(block.entry_step as usize));
        }
    }
}

/// [`Ahead::prefetch`], compiled once for each type, and not for each function that combines.
#[inline(never)]
fn prefetch_step<T>(ahead: &mut Ahead<'_>, to: &[T], at: usize) {
    ahead.prefetch(to, at);
}

/// `to[place..][..n] = combine(to[place..][..n], from[flat..][..n])` for each entry, in order.
#[inline(always)]
pub fn listed<T: Copy, U: Copy>(
    path: Path,
    to: &mut [T],
    from: &[U],
    listed: Listed<'_>,
    n: usize,
    combine: impl Fn(T, U) -> T + Copy,
) {
    if n == 1 {
        elements_listed(to, from, listed, by(combine));
    } else {
        path.narrow(
            #[inline(always)]
            || listed_by(to, from, listed, n, each(combine)),
        );
    }
}

/// [`listed`] for single elements.
#[inline(always)]
pub(crate) fn elements_listed<T: Copy, U: Copy>(
    to: &mut [T],
    from: &[U],
    listed: Listed<'_>,
    change: impl Fn(&mut T, &U),
) {
    let Listed { places, flats, distance } = listed;
    let mut ahead = places.get(distance..).unwrap_or_default().iter();
    for (place, flat) in places.iter().zip(flats) {
        if let Some(ahead) = ahead.next() {
            prefetch(to, *ahead);
        }
        if let (Some(to), Some(update)) = (to.get_mut(*place as usize), from.get(*flat as usize)) {
            change(to, update);
        }
    }
}

/// The rows for which prefetches are made at once.
const ROWS: usize = 8;

/// Runs this for rows of `$n` elements. `$R` is `$n` for the lengths in the list, of elements of 4
/// or 8 bytes, so that it is known when the loop is compiled; else it is 0.
macro_rules! for_length {
    ($T:ident, $n:ident, $R:ident => $run:expr) => {
        for_length!(@ $T, $n, $R, $run, 2 3 4 8 16)
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
pub fn rows<T: Copy, U: Copy>(
    path: Path,
    to: &mut [T],
    from: &[U],
    block: &Block<'_>,
    n: usize,
    distance: usize,
    combine: impl Fn(T, U) -> T + Copy,
) {
    let Some(to) = to.get_mut(block.table..) else { return };
    path.vectorize(
        (to, from),
        #[inline(always)]
        |(to, from)| {
            for_length!(T, n, R => rows_by::<T, U, R>(to, from, block, n, distance, each(combine)))
        },
        |(to, from)| rows_by::<T, U, 0>(to, from, block, n, distance, each(combine)),
    );
}

/// Changes a row element by element.
#[inline(always)]
fn each<T: Copy, U: Copy>(combine: impl Fn(T, U) -> T + Copy) -> impl Fn(&mut [T], &[U]) + Copy {
    #[inline(always)]
    move |to, from| to.iter_mut().zip(from).for_each(|(to, from)| *to = combine(*to, *from))
}

/// [`rows`] of `R` elements, or of `n` if `R` is 0, which `change` by pairs. `to` begins where the
/// addresses of the block count from. It is compiled where it is called.
#[inline(always)]
pub fn rows_by<T: Copy, U: Copy, const R: usize>(
    to: &mut [T],
    from: &[U],
    block: &Block<'_>,
    n: usize,
    distance: usize,
    change: impl Fn(&mut [T], &[U]) + Copy,
) {
    let (mut indices, mut at) = (Ahead::of(block, 0), 0);
    for (mut flat, addresses) in block.lanes() {
        for addresses in addresses.chunks(ROWS) {
            indices.prefetch(to, at);
            if distance > 0 {
                prefetch_rows(to, block, at.saturating_add(distance), n);
            }
            at += ROWS;
            for address in addresses {
                row::<T, U, R>(to, *address, from, flat, n, change);
                flat = flat.wrapping_add_signed(block.entry_step);
            }
        }
    }
}

/// Prefetches the rows of some entries, compiled once for each type: it is due once for them all.
#[inline(never)]
fn prefetch_rows<T>(to: &[T], block: &Block<'_>, at: usize, n: usize) {
    for ahead in block.step_from(at).iter().take(ROWS) {
        prefetch_row_here(to, *ahead as usize, n);
    }
}

/// [`listed`] rows, which `change` by pairs. It is compiled where it is called.
#[inline(always)]
pub fn listed_by<T: Copy, U: Copy>(
    to: &mut [T],
    from: &[U],
    Listed { places, flats, distance }: Listed<'_>,
    n: usize,
    change: impl Fn(&mut [T], &[U]) + Copy,
) {
    let ahead = |list: &[u32], at: usize| list.get(at..)?.get(distance).copied();
    for (at, (place, flat)) in places.iter().zip(flats).enumerate() {
        if let (Some(place), Some(flat)) = (ahead(places, at), ahead(flats, at)) {
            prefetch_row_here(to, place as usize, n);
            prefetch_row_listed(from, flat as usize, n);
        }
        row::<T, U, 0>(to, *place, from, *flat as usize, n, change);
    }
}

/// One row of `R` elements, or of `n` if `R` is 0. Rows of a known length are read before they are
/// written, so that loops need not ask whether data and updates overlap.
#[inline(always)]
fn row<T: Copy, U: Copy, const R: usize>(
    to: &mut [T],
    address: u32,
    from: &[U],
    flat: usize,
    n: usize,
    change: impl Fn(&mut [T], &[U]),
) {
    if R > 0 {
        let to = to.get_mut(address as usize..).and_then(|to| to.first_chunk_mut::<R>());
        let from = from.get(flat..).and_then(|from| from.first_chunk::<R>());
        if let (Some(to), Some(from)) = (to, from) {
            let mut row = *to;
            change(&mut row, from);
            *to = row;
        }
        return;
    }
    let to = to.get_mut(address as usize..).and_then(|to| to.get_mut(..n));
    let from = from.get(flat..).and_then(|from| from.get(..n));
    if let (Some(to), Some(from)) = (to, from) {
        change(to, from);
    }
}
