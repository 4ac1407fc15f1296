//! From indices to addresses.

use crate::index::Index;

/// The number of addresses that are computed, and moved, at a time.
pub const BLOCK: usize = 64;

/// The address of a tuple that is out of bounds. Tables whose elements are to be told from it have fewer than 2^32.
pub const NOWHERE: u32 = u32::MAX;

/// The axis that one coordinate of a tuple indexes.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The number of positions, at most `i32::MAX`.
    pub size: u32,
    /// The distance between two positions, modulo 2^32.
    pub stride: u32,
}

/// Turns tuples of `K` indices into addresses.
///
/// The loops are plain Rust that compilers make vectors of, where an [`Op`](crate::Op) inlines them.
#[derive(Clone, Copy, Debug)]
pub struct Lane<const K: usize> {
    axes: [Axis; K],
    first: u32,
    step: u32,
}

impl<const K: usize> Lane<K> {
    /// The address of tuple `n` will be `first + n * step + sum_k position(index_k) * axes[k].stride`, modulo 2^32.
    #[inline(always)]
    #[must_use]
    pub fn new(axes: [Axis; K], first: u32, step: u32) -> Lane<K> {
        Lane { axes, first, step }
    }

    /// Whether every coordinate is on its axis: `-size <= index < size`.
    #[inline(always)]
    #[must_use]
    pub fn check<I: Index>(&self, tuples: &[[I; K]]) -> bool {
        tuples.iter().fold(true, |all, tuple| all & self.offset(tuple).1)
    }

    /// Sets the addresses of the next tuples, and says whether all their coordinates are on their axes. The address of a tuple that is not means nothing.
    #[inline(always)]
    #[must_use]
    pub fn resolve<I: Index>(
        &self,
        tuples: &[[I; K]; BLOCK],
        addresses: &mut [u32; BLOCK],
    ) -> bool {
        let (mut first, mut all) = (self.first, true);
        for (address, tuple) in addresses.iter_mut().zip(tuples) {
            let (offset, inside) = self.offset(tuple);
            *address = first.wrapping_add(offset);
            first = first.wrapping_add(self.step);
            all &= inside;
        }
        all
    }

    /// Sets the addresses of the next tuples. One whose coordinates are not on their axes gets the address [`NOWHERE`].
    #[inline(always)]
    pub fn skip<I: Index>(&self, tuples: &[[I; K]; BLOCK], addresses: &mut [u32; BLOCK]) {
        let mut first = self.first;
        for (address, tuple) in addresses.iter_mut().zip(tuples) {
            let (offset, inside) = self.offset(tuple);
            *address = if inside { first.wrapping_add(offset) } else { NOWHERE };
            first = first.wrapping_add(self.step);
        }
    }

    /// Sets the addresses of the next tuples, with coordinates that are not on their axes moved to the nearest position. No axis may be empty: the addresses mean nothing then.
    #[inline(always)]
    pub fn clamp<I: Index>(&self, tuples: &[[I; K]; BLOCK], addresses: &mut [u32; BLOCK]) {
        let mut first = self.first;
        for (address, tuple) in addresses.iter_mut().zip(tuples) {
            *address = tuple.iter().zip(&self.axes).fold(first, |address, (index, axis)| {
                address.wrapping_add(index.nearest_on_axis(axis.size).wrapping_mul(axis.stride))
            });
            first = first.wrapping_add(self.step);
        }
    }

    /// Sets the positions of tuples on their axes, which have 2^16 at most, and says whether all coordinates are on them.
    #[inline(always)]
    #[must_use]
    pub fn positions<I: Index>(&self, tuples: &[[I; K]], positions: &mut [[u16; K]]) -> bool {
        let mut all = true;
        for (positions, tuple) in positions.iter_mut().zip(tuples) {
            for ((narrow, index), axis) in positions.iter_mut().zip(tuple).zip(&self.axes) {
                let (position, inside) = index.on_axis(axis.size);
                *narrow = position as u16;
                all &= inside;
            }
        }
        all
    }

    /// Goes on by `n` tuples.
    #[inline(always)]
    pub fn advance(&mut self, n: u32) {
        self.first = self.first.wrapping_add(self.step.wrapping_mul(n));
    }

    /// What a tuple adds to the address, and whether all its coordinates are on their axes.
    #[inline(always)]
    fn offset<I: Index>(&self, tuple: &[I; K]) -> (u32, bool) {
        let (mut offset, mut all) = (0_u32, true);
        for (index, axis) in tuple.iter().zip(&self.axes) {
            let (position, inside) = index.on_axis(axis.size);
            offset = offset.wrapping_add(position.wrapping_mul(axis.stride));
            all &= inside;
        }
        (offset, all)
    }
}
