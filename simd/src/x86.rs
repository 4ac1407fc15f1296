//! A choice of addresses by instruction.

use core::arch::x86_64::__m512i;

use pulp::x86::{V3, V4};

use crate::chosen::Chosen;
use crate::lane::BLOCK;
use crate::path::Instructions;
use crate::path::sealed::Kernels;

impl Instructions for V3 {}
impl Kernels for V3 {}

impl Instructions for V4 {}
impl Kernels for V4 {
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
