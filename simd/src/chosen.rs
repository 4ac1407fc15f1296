//! A choice of the addresses of a block.

use crate::lane::BLOCK;
use crate::path::Instructions;

/// Some addresses of a block, and their places in it, in order: the first `count` of both. What follows them means nothing.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The addresses.
    addresses: [u32; BLOCK],
    /// The place of each in the block.
    numbers: [u32; BLOCK],
    /// How many they are.
    count: usize,
}

impl Chosen {
    /// Chooses the addresses below `end`, instead of what has been chosen before.
    #[inline(always)]
    pub fn choose_below(
        &mut self,
        instructions: impl Instructions,
        addresses: &[u32; BLOCK],
        end: u32,
    ) {
        let choice = Choice { start: 0, length: end, first: 0 };
        self.count = choice.choose(instructions, addresses, &mut self.addresses, &mut self.numbers);
    }

    /// Whether none is chosen.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Each chosen address, with its place in the block.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = (u32, usize)> {
        self.addresses
            .iter()
            .zip(&self.numbers)
            .take(self.count)
            .map(|(address, number)| (*address, *number as usize))
    }
}

impl Default for Chosen {
    /// None is chosen.
    #[inline(always)]
    fn default() -> Chosen {
        Chosen { addresses: [0; BLOCK], numbers: [0; BLOCK], count: 0 }
    }
}

/// A choice of addresses: those in a range. Which ones they are is not branched on: that would be hard to predict.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The start of the range, from which chosen addresses count.
    pub start: u32,
    /// Its length.
    pub length: u32,
    /// The number of the first address of a block; the others follow it.
    pub first: u32,
}

impl Choice {
    /// Writes what is chosen of a block, and the number of each, to the start of two slices, in order. How many they are; what follows them means nothing.
    #[inline(always)]
    pub fn choose(
        self,
        instructions: impl Instructions,
        addresses: &[u32; BLOCK],
        chosen: &mut [u32; BLOCK],
        numbers: &mut [u32; BLOCK],
    ) -> usize {
        instructions.choose(self, addresses, chosen, numbers)
    }
}

/// [`Choice::choose`] without vectors.
#[inline(always)]
pub(crate) fn one_by_one(
    choice: Choice,
    addresses: &[u32; BLOCK],
    chosen: &mut [u32; BLOCK],
    numbers: &mut [u32; BLOCK],
) -> usize {
    let (mut count, mut number) = (0, choice.first);
    for address in addresses {
        let place = address.wrapping_sub(choice.start);
        push([place], chosen, count);
        push([number], numbers, count);
        count += usize::from(place < choice.length);
        number = number.wrapping_add(1);
    }
    count
}

/// Writes values after the first `count` ones.
#[inline(always)]
pub(crate) fn push<const N: usize>(values: [u32; N], to: &mut [u32; BLOCK], count: usize) {
    if let Some(to) = to.get_mut(count..).and_then(|to| to.first_chunk_mut()) {
        *to = values;
    }
}
