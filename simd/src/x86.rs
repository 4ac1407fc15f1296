//! Gathers by instruction, elements of 4 and 8 bytes; and a choice of addresses.

use core::arch::x86_64::{__m256i, __m512i};

use bytemuck::Pod;
use pulp::x86::{V3, V4};

use crate::chosen::Chosen;
use crate::lane::BLOCK;
use crate::moves::{Bytes, by_element};
use crate::path::Instructions;
use crate::path::sealed::Kernels;

impl Instructions for V3 {}
impl Kernels for V3 {
    #[inline(always)]
    fn gather<const N: usize, const COUNT: usize>(self, table: &[Bytes<N>], addresses: &[u32; COUNT], to: &mut [Bytes<N>; COUNT]) {
        // The instructions read addresses as signed numbers.
        let last = match i32::try_from(table.len()) {
            Ok(length) if length > 0 && (N == 4 || N == 8) => self.avx._mm256_set1_epi32(length - 1),
            _ => return by_element(table, addresses, to),
        };
        const { assert!(COUNT.is_multiple_of(8)) };
        let (to, _) = to.as_chunks_mut::<8>();
        let (addresses, _) = addresses.as_chunks::<8>();
        for (to, addresses) in to.iter_mut().zip(addresses) {
            let vector: __m256i = bytemuck::must_cast(*addresses);
            let inside = self.avx2._mm256_cmpeq_epi32(self.avx2._mm256_min_epu32(vector, last), vector);
            if self.avx2._mm256_movemask_epi8(inside) != -1 {
                by_element(table, addresses, to);
            } else if N == 4 {
                // SAFETY: all addresses are inside the table, and no larger than i32::MAX: none was changed by the minimum.
                let words = unsafe { self.avx2._mm256_i32gather_epi32::<4>(table.as_ptr().cast(), vector) };
                write(to, words);
            } else {
                let (to, _) = to.as_chunks_mut::<4>();
                let (addresses, _) = addresses.as_chunks::<4>();
                for (to, addresses) in to.iter_mut().zip(addresses) {
                    // SAFETY: all addresses are inside the table, and no larger than i32::MAX: none was changed by the minimum.
                    let words = unsafe { self.avx2._mm256_i32gather_epi64::<8>(table.as_ptr().cast(), bytemuck::must_cast(*addresses)) };
                    write(to, words);
                }
            }
        }
    }
}

impl Instructions for V4 {}
/// The same in vectors of 512 bits.
impl Kernels for V4 {
    #[inline(always)]
    fn gather<const N: usize, const COUNT: usize>(self, table: &[Bytes<N>], addresses: &[u32; COUNT], to: &mut [Bytes<N>; COUNT]) {
        // The instructions read addresses as signed numbers.
        let length = match i32::try_from(table.len()) {
            Ok(length) if N == 4 => self.avx512f._mm512_set1_epi32(length),
            _ => return (*self).gather(table, addresses, to),
        };
        const { assert!(COUNT.is_multiple_of(16)) };
        let (to, _) = to.as_chunks_mut::<16>();
        let (addresses, _) = addresses.as_chunks::<16>();
        for (to, addresses) in to.iter_mut().zip(addresses) {
            let vector: __m512i = bytemuck::must_cast(*addresses);
            if self.avx512f._mm512_cmplt_epu32_mask(vector, length) != u16::MAX {
                by_element(table, addresses, to);
            } else {
                // SAFETY: all addresses are below the length of the table, which is at most i32::MAX.
                let words = unsafe { self.avx512f._mm512_i32gather_epi32::<4>(vector, table.as_ptr().cast()) };
                write(to, words);
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

/// `to = words`, which are elements of its type.
#[inline(always)]
fn write<V: Pod, const N: usize, const COUNT: usize>(to: &mut [Bytes<N>; COUNT], words: V) {
    assert!(size_of_val(to) == size_of_val(&words));
    // SAFETY: both have as many bytes, and the words are elements of this type.
    unsafe { core::ptr::from_mut(to).cast::<V>().write_unaligned(words) }
}
