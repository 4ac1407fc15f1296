//! Moves between a table and a flat tensor of another type.
//!
//! Generic over both, and over what makes a value of one of the other: whoever names them decides
//! where a loop is compiled.

use crate::block::{Block, Listed, NOWHERE};
use crate::path::Path;
use crate::prefetch::{prefetch, prefetch_row, prefetch_row_early};

/// `read(place, to[flat..][..n])` for each entry, in order: the row that starts at a place of the
/// table. What lies outside of `to` is left out.
///
/// `ahead(place)` is called for each entry `distance` entries before it is read; 0: never. The loop
/// is compiled for the instructions of the caller.
#[inline(always)]
pub fn gather<U>(
    to: &mut [U],
    block: &Block<'_>,
    n: usize,
    distance: usize,
    read: impl Fn(usize, &mut [U]),
    ahead: impl Fn(usize),
) {
    let mut next = block.ahead(distance);
    for (mut flat, addresses) in block.lanes() {
        for address in addresses {
            if let Some(next) = next.next() {
                ahead(block.table.wrapping_add(next as usize));
            }
            if *address != NOWHERE
                && let Some(to) = to.get_mut(flat..).and_then(|to| to.get_mut(..n))
            {
                read(block.table.wrapping_add(*address as usize), to);
            }
            flat = flat.wrapping_add_signed(block.entry_step);
        }
    }
}

/// `to[table..][..n] = change(to[table..][..n], from[flat..][..n])` for each entry, in order. What
/// lies outside its slice is left out.
#[inline(always)]
pub fn scatter<T: Copy, U: Copy>(
    path: Path,
    to: &mut [T],
    from: &[U],
    block: &Block<'_>,
    n: usize,
    distance: usize,
    change: impl Fn(T, U) -> T,
) {
    path.narrow(
        #[inline(always)]
        || {
            let Some(to) = to.get_mut(block.table..) else { return };
            let mut next = block.ahead(distance);
            for (mut flat, addresses) in block.lanes() {
                for address in addresses {
                    match next.next() {
                        Some(next) if n == 1 => prefetch(to, next),
                        Some(next) => prefetch_row(to, next as usize, n),
                        None => {}
                    }
                    row(to, *address as usize, from, flat, n, &change);
                    flat = flat.wrapping_add_signed(block.entry_step);
                }
            }
        },
    );
}

/// [`scatter`] for entries by their places.
#[inline(always)]
pub fn scatter_listed<T: Copy, U: Copy>(
    path: Path,
    to: &mut [T],
    from: &[U],
    Listed { places, flats, distance }: Listed<'_>,
    n: usize,
    change: impl Fn(T, U) -> T,
) {
    path.narrow(
        #[inline(always)]
        || {
            let ahead = |list: &[u32], at: usize| list.get(at..)?.get(distance).copied();
            for (at, (place, flat)) in places.iter().zip(flats).enumerate() {
                match (ahead(places, at), ahead(flats, at)) {
                    (Some(place), Some(_)) if n == 1 => prefetch(to, place),
                    (Some(place), Some(flat)) => {
                        prefetch_row_early(to, place as usize, n);
                        prefetch_row_early(from, flat as usize, n);
                    }
                    _ => {}
                }
                row(to, *place as usize, from, *flat as usize, n, &change);
            }
        },
    );
}

#[inline(always)]
fn row<T: Copy, U: Copy>(
    to: &mut [T],
    place: usize,
    from: &[U],
    flat: usize,
    n: usize,
    change: &impl Fn(T, U) -> T,
) {
    if n == 1 {
        if let (Some(to), Some(from)) = (to.get_mut(place), from.get(flat)) {
            *to = (*change)(*to, *from);
        }
        return;
    }
    let to = to.get_mut(place..).and_then(|to| to.get_mut(..n));
    let from = from.get(flat..).and_then(|from| from.get(..n));
    if let (Some(to), Some(from)) = (to, from) {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = (*change)(*to, *from));
    }
}
