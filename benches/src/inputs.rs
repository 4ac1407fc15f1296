//! Inputs that are the same in every run.

use std::ops::{Deref, DerefMut};

use half::f16;
use strew::{Element, Index};

/// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which has at most 32 bits.
    pub fn below(&mut self, bound: usize) -> usize {
        (((self.next() >> 32) * bound as u64) >> 32) as usize
    }
}

/// A slice that starts at a cache line, as tensors of most libraries do.
pub struct Aligned<T> {
    values: Vec<T>,
    start: usize,
}

impl<T: Copy> From<Vec<T>> for Aligned<T> {
    fn from(values: Vec<T>) -> Aligned<T> {
        const LINE: usize = 64;
        let mut aligned: Vec<T> = Vec::with_capacity(values.len() + LINE);
        let start = aligned.as_ptr().align_offset(LINE);
        aligned.extend(values.iter().cycle().take(start));
        aligned.extend_from_slice(&values);
        Aligned { values: aligned, start: if values.is_empty() { 0 } else { start } }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.values[self.start..]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.start..]
    }
}

/// Elements with values from 0 to 1.
pub trait Value: Element + 'static {
    fn of(random: u64) -> Self;
}

impl Value for f16 {
    fn of(random: u64) -> f16 {
        f16::from_f32((random >> 53) as f32 / 2048.0)
    }
}

impl Value for f32 {
    fn of(random: u64) -> f32 {
        (random >> 40) as f32 / (1 << 24) as f32
    }
}

impl Value for f64 {
    fn of(random: u64) -> f64 {
        (random >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// An index type of the workloads. Negative ones count from the end.
pub trait Resolve: Index + 'static {
    fn from_usize(index: usize) -> Self;

    /// The place of an index that may count from the end. One that is out of bounds gives a place
    /// that is out of bounds.
    fn resolve(self, size: usize) -> usize;

    /// The same for one coordinate of several, which nobody else checks.
    #[inline(always)]
    fn resolve_checked(self, size: usize) -> usize {
        let place = self.resolve(size);
        assert!(place < size, "index out of bounds");
        place
    }
}

macro_rules! signed {
    ($($index:ty)*) => {$(
        impl Resolve for $index {
            fn from_usize(index: usize) -> $index {
                index as $index
            }

            #[inline(always)]
            fn resolve(self, size: usize) -> usize {
                (if self < 0 { self.wrapping_add(size as $index) } else { self }) as usize
            }
        }
    )*};
}
signed!(i32 i64);

impl Resolve for u8 {
    fn from_usize(index: usize) -> u8 {
        index as u8
    }

    #[inline(always)]
    fn resolve(self, _: usize) -> usize {
        self.into()
    }
}

/// `values[n]`, random.
pub fn fill<T: Value>(values: &mut [T], seed: u64) {
    let mut random = SplitMix64(seed);
    values.fill_with(|| T::of(random.next()));
}

pub fn values<T: Value>(len: usize, seed: u64) -> Vec<T> {
    let mut random = SplitMix64(seed);
    (0..len).map(|_| T::of(random.next())).collect()
}

/// Random tuples of one coordinate for each of `sizes`.
pub fn tuples<I: Resolve>(count: usize, sizes: &[usize]) -> Vec<I> {
    let mut random = SplitMix64(count as u64);
    std::iter::repeat_n(sizes, count)
        .flatten()
        .map(|&size| I::from_usize(random.below(size)))
        .collect()
}
