//! Plain loops over a step of addresses, for instruction sets that have no instruction for a job.

use crate::block::NOWHERE;
use crate::bytes::{Bytes, STEP, Slot, all_below, bound};

/// `to[n] = table[addresses[n]]` for a step of addresses. Where an address is outside the table,
/// `to[n]` stays as it is.
#[inline(always)]
pub(crate) fn by_loads<const N: usize>(
    table: &[Bytes<N>],
    addresses: &[u32; STEP],
    to: &mut [Slot<N>; STEP],
) {
    if !all_below(addresses, bound(table)) {
        return by_element(table, addresses, to);
    }
    for (address, to) in addresses.iter().zip(to) {
        // SAFETY: the comparison above found all addresses of the step below the length.
        *to = Slot::new(*unsafe { table.get_unchecked(*address as usize) });
    }
}

/// The same for any number of addresses, one by one.
#[inline(always)]
pub(crate) fn by_element<const N: usize>(
    table: &[Bytes<N>],
    addresses: &[u32],
    to: &mut [Slot<N>],
) {
    for (address, to) in addresses.iter().zip(to) {
        if let Some(from) = table.get(*address as usize) {
            *to = Slot::new(*from);
        }
    }
}

/// A part of a table, and where the entries of a lane lie in the flat tensor.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The start of the part, from which chosen addresses count.
    pub start: u32,
    /// Its length.
    pub length: u32,
    /// The place of the first entry in the flat tensor.
    pub flat: u32,
    /// The distance between entries there, modulo 2^32.
    pub step: u32,
}

/// A step of `choose` without vectors.
#[inline(always)]
pub(crate) fn one_by_one(
    choice: Choice,
    addresses: &[u32; STEP],
    places: &mut [u32; STEP],
    flats: &mut [u32; STEP],
) -> usize {
    let (mut count, mut flat) = (0, choice.flat);
    for address in addresses {
        let place = address.wrapping_sub(choice.start);
        if let (Some(to), Some(to_flat)) = (places.get_mut(count), flats.get_mut(count)) {
            (*to, *to_flat) = (place, flat);
        }
        count += usize::from((place < choice.length) & (*address != NOWHERE));
        flat = flat.wrapping_add(choice.step);
    }
    count
}

/// A step of `compress` without vectors: each element is written, and counts if its bit is set.
#[inline(always)]
pub(crate) fn by_moves<const N: usize>(
    bits: u16,
    from: &[Bytes<N>; STEP],
    to: &mut [Bytes<N>; STEP],
) {
    let mut count = 0;
    for (n, from) in from.iter().enumerate() {
        if let Some(to) = to.get_mut(count) {
            *to = *from;
        }
        count += usize::from(bits >> n & 1);
    }
}
