//! Gathers to a flat tensor of another type than the table.

use crate::block::{Block, NOWHERE};

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
