//! What the kernels ask of an instruction set.

#[cfg(all(feature = "simd", target_arch = "aarch64"))]
use pulp::aarch64::Neon;

use crate::bytes::{Bytes, STEP, Slot};
use crate::portable::{Choice, by_loads, by_moves, one_by_one};

/// A value of an implementing type proves that the machine has the instructions. The bodies here do
/// without an instruction of their own: sets that have one replace them.
pub trait Instructions: Copy {
    /// `to[n] = table[addresses[n]]`. Where an address is outside the table, `to[n]` stays as it
    /// is.
    #[inline(always)]
    fn gather<const N: usize>(
        self,
        table: &[Bytes<N>],
        addresses: &[u32; STEP],
        to: &mut [Slot<N>; STEP],
    ) {
        by_loads(table, addresses, to);
    }

    /// Whether gathered elements of `size` bytes gain from non-temporal stores.
    #[inline(always)]
    fn streams_elements(self, _size: usize) -> bool {
        false
    }

    /// The values as bits, the first one lowest. `None`: there is no instruction for it.
    #[inline(always)]
    fn bits(self, _values: &[bool; 64]) -> Option<u64> {
        None
    }

    /// Writes the elements whose bits are set to the start of `to`, in order. What follows them are
    /// other elements of the two.
    #[inline(always)]
    fn compress<const N: usize>(
        self,
        bits: u16,
        from: &[Bytes<N>; STEP],
        to: &mut [Bytes<N>; STEP],
    ) {
        by_moves(bits, from, to);
    }

    /// A step of `choose`.
    #[inline(always)]
    fn choose(
        self,
        choice: Choice,
        addresses: &[u32; STEP],
        places: &mut [u32; STEP],
        flats: &mut [u32; STEP],
    ) -> usize {
        one_by_one(choice, addresses, places, flats)
    }
}

/// No instructions beyond those that the program is compiled for.
#[derive(Clone, Copy)]
pub(crate) struct Scalar;

impl Instructions for Scalar {}

// It has no gather instruction: the gain is in the checks and addresses, which the compiler turns
// into vectors.
#[cfg(all(feature = "simd", target_arch = "aarch64"))]
impl Instructions for Neon {}
