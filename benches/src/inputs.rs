//! Inputs that are the same in every run.

use std::ops::{Deref, DerefMut};

use bytemuck::Zeroable;
use half::{bf16, f16};
use strew::quant::Row8;
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
        let mut aligned = Aligned::with_capacity(values.len());
        aligned.values.extend(values.iter().cycle().take(aligned.start));
        aligned.values.extend_from_slice(&values);
        aligned
    }
}

impl<T: Value> Aligned<T> {
    /// `len` random values.
    pub fn random(len: usize, seed: u64) -> Aligned<T> {
        let mut random = SplitMix64(seed);
        let mut aligned = Aligned::with_capacity(len);
        let len = aligned.start + len;
        aligned.values.resize_with(len, || T::of(random.next()));
        aligned
    }
}

impl<T> Aligned<T> {
    fn with_capacity(len: usize) -> Aligned<T> {
        const LINE: usize = 64;
        let values: Vec<T> = Vec::with_capacity(len + LINE);
        // Elements of some sizes never start at a line.
        let start = Some(values.as_ptr().align_offset(LINE)).filter(|start| *start <= LINE);
        Aligned { values, start: if len == 0 { 0 } else { start.unwrap_or(0) } }
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

impl Value for bf16 {
    fn of(random: u64) -> bf16 {
        bf16::from_f32((random >> 56) as f32 / 256.0)
    }
}

impl Value for bool {
    fn of(random: u64) -> bool {
        random & 1 == 1
    }
}

/// Integers of all values.
macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Value for $integer {
            fn of(random: u64) -> $integer {
                random as $integer
            }
        }
    )*};
}
integers!(u8 u32 u64 i32 i64);

impl<T: Value, const N: usize> Value for [T; N]
where
    [T; N]: Element,
{
    fn of(random: u64) -> [T; N] {
        std::array::from_fn(|n| T::of(random.rotate_left(7 * n as u32)))
    }
}

/// Rows of bytes. A scale has 16 bits, so that its products with bytes are exact.
impl<const N: usize> Value for Row8<N> {
    fn of(random: u64) -> Row8<N> {
        let mut row = Row8::zeroed();
        let (bytes, ends) = bytemuck::bytes_of_mut(&mut row).split_at_mut(N);
        bytes
            .iter_mut()
            .enumerate()
            .for_each(|(n, byte)| *byte = random.rotate_left(7 * n as u32) as u8);
        let [scale, offset] = [(random >> 48) as f32 / (1 << 24) as f32, f32::of(random << 16)];
        ends.copy_from_slice(&[scale, offset].map(f32::to_le_bytes).concat());
        row
    }
}

/// An index type of the workloads. Negative ones count from the end.
pub trait Resolve: Index + Copy + 'static {
    /// The least and the largest value, as far as `i64` holds it.
    const RANGE: [i64; 2];

    fn from_usize(index: usize) -> Self;

    /// The index of this value, which is in [`RANGE`](Resolve::RANGE).
    fn from_i64(value: i64) -> Self;

    /// The place of an index that is moved to the nearest end where it is out of bounds.
    fn clamped(self, size: usize) -> usize;

    /// The place of an index on a ring.
    fn wrapped(self, size: usize) -> usize;

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
    ($($index:ty as $wide:ty),*) => {$(
        impl Resolve for $index {
            const RANGE: [i64; 2] = [<$index>::MIN as i64, <$index>::MAX as i64];

            fn from_usize(index: usize) -> $index {
                index as $index
            }

            fn from_i64(value: i64) -> $index {
                value as $index
            }

            #[inline(always)]
            fn resolve(self, size: usize) -> usize {
                let index = self as $wide;
                (if index < 0 { index.wrapping_add(size as $wide) } else { index }) as usize
            }

            #[inline(always)]
            fn clamped(self, size: usize) -> usize {
                let index = self as isize + if self < 0 { size as isize } else { 0 };
                index.clamp(0, size as isize - 1) as usize
            }

            #[inline(always)]
            fn wrapped(self, size: usize) -> usize {
                match self.resolve(size) {
                    place if place < size => place,
                    _ => (self as isize).rem_euclid(size as isize) as usize,
                }
            }
        }
    )*};
}
signed!(i8 as isize, i16 as isize, i32 as i32, i64 as i64, isize as isize);

macro_rules! unsigned {
    ($($index:ty)*) => {$(
        impl Resolve for $index {
            const RANGE: [i64; 2] = [0, <$index>::MAX as i64 & i64::MAX];

            fn from_usize(index: usize) -> $index {
                index as $index
            }

            fn from_i64(value: i64) -> $index {
                value as $index
            }

            #[inline(always)]
            fn resolve(self, _: usize) -> usize {
                self as usize
            }

            #[inline(always)]
            fn clamped(self, size: usize) -> usize {
                (self as usize).min(size - 1)
            }

            #[inline(always)]
            fn wrapped(self, size: usize) -> usize {
                let place = self as usize;
                if place < size { place } else { place % size }
            }
        }
    )*};
}
unsigned!(u8 u16 u32 u64 usize);

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
