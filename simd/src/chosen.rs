//! A choice of the addresses of a block.

use crate::lane::BLOCK;
use crate::path::Instructions;

/// Some addresses of a block, and their places in it, in order: the first `count` of both. What follows them means nothing.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The addresses.
    pub addresses: [u32; BLOCK],
    /// The place of each in the block.
    pub numbers: [u32; BLOCK],
    /// How many they are.
    pub count: usize,
}

impl Chosen {
    /// The addresses below `end`. Which ones they are is not branched on: that would be hard to predict.
    #[inline(always)]
    #[must_use]
    pub fn below(instructions: impl Instructions, addresses: &[u32; BLOCK], end: u32) -> Chosen {
        instructions.below(addresses, end)
    }

    /// Each chosen address, with its place in the block.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = (u32, usize)> {
        self.addresses.iter().zip(&self.numbers).take(self.count).map(|(address, number)| (*address, *number as usize))
    }

    /// The first `count` of these; the others will be written over.
    #[inline(always)]
    pub(crate) fn push<const N: usize>(&mut self, addresses: [u32; N], numbers: [u32; N], count: usize) {
        let to = self.count..self.count.wrapping_add(N);
        if let (Some(to_addresses), Some(to_numbers)) = (self.addresses.get_mut(to.clone()), self.numbers.get_mut(to)) {
            to_addresses.copy_from_slice(&addresses);
            to_numbers.copy_from_slice(&numbers);
            self.count += count;
        }
    }
}

impl Default for Chosen {
    /// None is chosen.
    #[inline(always)]
    fn default() -> Chosen {
        Chosen { addresses: [0; BLOCK], numbers: [0; BLOCK], count: 0 }
    }
}

/// [`Chosen::below`] without vectors.
#[inline(always)]
pub(crate) fn one_by_one(addresses: &[u32; BLOCK], end: u32) -> Chosen {
    let mut chosen = Chosen::default();
    for (address, number) in addresses.iter().zip(0..) {
        chosen.push([*address], [number], usize::from(*address < end));
    }
    chosen
}
