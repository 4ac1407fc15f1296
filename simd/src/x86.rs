//! What AVX-512 has instructions for: gathers of elements of 4 bytes, and a choice of addresses.

use core::arch::x86_64::__m512i;

use pulp::x86::{V3, V4};

use crate::chosen::Chosen;
use crate::lane::BLOCK;
use crate::moves::{Bytes, by_loads};
use crate::path::Instructions;
use crate::path::sealed::Kernels;

impl Instructions for V3 {}
impl Kernels for V3 {}

impl Instructions for V4 {}
impl Kernels for V4 {
    /// Elements of 4 bytes by instruction: as fast as loads where processors have been mended against data sampling, faster where not. Elements of 8 bytes, and in
    /// vectors of 256 bits those of 4 as well, took two to three times as long by instruction as by loads on one that has been mended (a Xeon of the Skylake family;
    /// `strew-benches`, `spatter` and `ladder`, with an arm here for those).
    #[inline(always)]
    fn gather<const N: usize, const COUNT: usize>(self, table: &[Bytes<N>], addresses: &[u32; COUNT], to: &mut [Bytes<N>; COUNT]) {
        // The instruction reads addresses as signed numbers.
        let length = match i32::try_from(table.len()) {
            Ok(length) if N == 4 => self.avx512f._mm512_set1_epi32(length),
            _ => return by_loads(table, addresses, to),
        };
        const { assert!(COUNT.is_multiple_of(16)) };
        let (to, _) = to.as_chunks_mut::<16>();
        let (addresses, _) = addresses.as_chunks::<16>();
        for (to, addresses) in to.iter_mut().zip(addresses) {
            let vector: __m512i = bytemuck::must_cast(*addresses);
            if self.avx512f._mm512_cmplt_epu32_mask(vector, length) == u16::MAX {
                // SAFETY: the comparison found all addresses below the length of the table, which is at most i32::MAX.
                let words = unsafe { self.avx512f._mm512_i32gather_epi32::<4>(vector, table.as_ptr().cast()) };
                // SAFETY: both have 16 * 4 bytes, for N is 4, and the words are elements of the table.
                unsafe { core::ptr::from_mut(to).cast::<__m512i>().write_unaligned(words) }
            } else {
                by_loads(table, addresses, to);
            }
        }
    }

    #[inline(always)]
    fn below(self, addresses: &[u32; BLOCK], end: u32) -> Chosen {
        const LANES: usize = 16;
        let avx = self.avx512f;
        let end = avx._mm512_set1_epi32(end as i32);
        let mut numbers: __m512i = bytemuck::must_cast(core::array::from_fn::<u32, LANES, _>(|number| number as u32));
        let mut chosen = Chosen::none();
        for addresses in addresses.as_chunks::<LANES>().0 {
            let addresses: __m512i = bytemuck::must_cast(*addresses);
            let below = avx._mm512_cmplt_epu32_mask(addresses, end);
            chosen.push::<LANES>(
                bytemuck::must_cast(avx._mm512_maskz_compress_epi32(below, addresses)),
                bytemuck::must_cast(avx._mm512_maskz_compress_epi32(below, numbers)),
                below.count_ones() as usize,
            );
            numbers = avx._mm512_add_epi32(numbers, avx._mm512_set1_epi32(LANES as i32));
        }
        chosen
    }
}
