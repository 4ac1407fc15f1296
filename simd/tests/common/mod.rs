//! The contracts of the kernels as plain loops, and cases to hold them to on each path: what the
//! tests share with the fuzzers.

#![allow(dead_code)] // No program uses all of it.

pub mod addresses;
pub mod columns;
pub mod moves;

use std::fmt::Debug;
use std::ops::Range;
use std::sync::LazyLock;

use strew_simd::Path;

/// `choose(n)` is a number below `n`. Choice 0 is the simplest.
pub type Choose<'a> = &'a mut dyn FnMut(usize) -> usize;

pub fn one_of<T: Copy>(values: &[T], choose: Choose) -> T {
    values[choose(values.len())]
}

/// One choice in `n` is true.
pub fn rarely(n: usize, choose: Choose) -> bool {
    choose(n) == n - 1
}

/// Something that a kernel is held to.
pub trait Check: Debug {
    /// Fails if a kernel breaks its contract on some path. Whether there was something to do.
    fn check(&self) -> bool;
}

/// The paths of this machine.
pub fn paths() -> impl Iterator<Item = Path> {
    Path::available().into_iter().flatten()
}

/// Places that are in no slice. In bytes, some lead back into one, modulo 2^bits: 4 elements of any
/// size from a quarter of all addresses, elements of 3 bytes from a third.
pub const FAR: [usize; 6] = [
    usize::MAX,
    usize::MAX - 20,
    usize::MAX / 2,
    1 << (usize::BITS - 2),
    (1 << (usize::BITS - 3)) + 2,
    usize::MAX / 3 * 2 + 1,
];

/// The bytes of the longest slices.
pub const LONGEST: usize = 24 << 10;

/// Random bytes, the same each time. Those of other seeds are others.
pub fn bytes(length: usize, seed: usize) -> &'static [u8] {
    static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut state = 1_u64;
        let next = |_| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..3 * LONGEST).map(next).collect()
    });
    &BYTES[seed * LONGEST..][..length]
}

/// A slice that is written to, and what lies around it.
pub struct Memory {
    bytes: Box<[u8]>,
    slice: Range<usize>,
}

/// What lies around a slice: the bytes on either side, and the value of each.
const AROUND: usize = 576;
const EDGE: [u8; 2 * AROUND] = [0xA5; 2 * AROUND];

impl Memory {
    /// A copy of a slice, `offset` bytes after the start of a cache line, with others around it; or
    /// with none, for AddressSanitizer, which does not see non-temporal stores.
    pub fn new(slice: &[u8], offset: Option<usize>) -> Memory {
        let Some(offset) = offset else {
            return Memory { bytes: slice.into(), slice: 0..slice.len() };
        };
        let mut bytes = vec![EDGE[0]; slice.len() + 2 * AROUND + 64].into_boxed_slice();
        let start = AROUND - 64 + bytes[AROUND - 64..].as_ptr().align_offset(64) + offset;
        bytes[start..][..slice.len()].copy_from_slice(slice);
        Memory { bytes, slice: start..start + slice.len() }
    }

    pub fn slice(&mut self) -> &mut [u8] {
        &mut self.bytes[self.slice.clone()]
    }

    /// Whether this is the slice now, and all around it is as it was.
    pub fn is(&self, slice: &[u8]) -> bool {
        let (before, rest) = self.bytes.split_at(self.slice.start);
        let (found, after) = rest.split_at(self.slice.len());
        found == slice && before == &EDGE[..before.len()] && after == &EDGE[..after.len()]
    }
}
