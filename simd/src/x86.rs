//! What AVX has instructions for: writes past the caches; and AVX-512: gathers of elements of 4 and 8 bytes, and a choice of addresses.

use core::arch::x86_64::{__m256i, __m512i};

use bytemuck::Pod;
use pulp::x86::{V3, V4};

use crate::chosen::{Choice, push};
use crate::lane::BLOCK;
use crate::moves::{Bytes, by_loads};
use crate::path::Instructions;
use crate::path::sealed::Kernels;
use crate::prefetch::{LINE, is_amd};
use crate::stream::Line;

impl Instructions for V3 {
    #[inline(never)]
    fn apart(self, run: impl FnOnce()) {
        self.vectorize(run);
    }
}
impl Kernels for V3 {
    const STREAMS: bool = STREAMS;

    #[inline(always)]
    unsafe fn stream(self, from: &[u8; LINE], to: &mut Line) {
        // SAFETY: as this function asks.
        unsafe { stream(self, from, to) }
    }
}

/// AVX-512, with or without its gather instructions.
#[derive(Clone, Copy, Debug)]
pub struct Avx512 {
    pub(crate) avx512: V4,
    pub(crate) gathers: Gathers,
}

/// What is gathered by instruction.
#[derive(Clone, Copy, Debug)]
pub enum Gathers {
    /// Nothing.
    Nothing,
    /// What else would be loaded together: elements of tables that do not stay in the first cache.
    Together,
    /// All elements of 4 and 8 bytes.
    All,
}

impl Avx512 {
    /// With all gather instructions where AVX512-FP16 tells of one of Intel's fourth Xeons, or later; those before them that have been mended against data sampling take
    /// longer by instruction than by loads. On processors of AMD, from beyond the first cache alone: on Zen 4, elements from 1 MiB take nine tenths of the time so, and those of patterns a
    /// quarter more. (`strew-benches`, `ladder` and `spatter`, on each path.)
    #[inline]
    pub(crate) fn new(avx512: V4) -> Avx512 {
        let gathers = match is_amd() {
            true => Gathers::Together,
            false if std::is_x86_feature_detected!("avx512fp16") => Gathers::All,
            false => Gathers::Nothing,
        };
        Avx512 { avx512, gathers }
    }
}

impl Instructions for Avx512 {
    #[inline(never)]
    fn apart(self, run: impl FnOnce()) {
        self.avx512.vectorize(run);
    }
}
impl Kernels for Avx512 {
    const STREAMS: bool = STREAMS;

    #[inline(always)]
    fn gather<const N: usize, const COUNT: usize, const TOGETHER: usize>(
        self,
        table: &[Bytes<N>],
        addresses: &[u32; COUNT],
        to: &mut [Bytes<N>; COUNT],
    ) {
        let (avx2, avx512) = (self.avx512.avx2, self.avx512.avx512f);
        let wide = match self.gathers {
            Gathers::All => true,
            Gathers::Together if TOGETHER > 1 => false,
            // One by one: of several, compilers make gather instructions (of 8 on AVX-512: `vpgatherqd`).
            _ => return by_loads::<N, 1>(table, addresses, to),
        };
        // The instructions read addresses as signed numbers.
        let length = match i32::try_from(table.len()) {
            Ok(length) if N == 4 || N == 8 => avx512._mm512_set1_epi32(length),
            _ => return by_loads::<N, 1>(table, addresses, to),
        };
        const { assert!(COUNT.is_multiple_of(16)) };
        let (to, _) = to.as_chunks_mut::<16>();
        let (addresses, _) = addresses.as_chunks::<16>();
        for (to, addresses) in to.iter_mut().zip(addresses) {
            let vector: __m512i = bytemuck::must_cast(*addresses);
            if avx512._mm512_cmplt_epu32_mask(vector, length) != u16::MAX {
                by_loads::<N, 1>(table, addresses, to);
                continue;
            }
            match (wide, N) {
                (true, 4) => {
                    // SAFETY: the comparison found all addresses below the length of the table, which is at most i32::MAX; elements have 4 bytes, as the pattern says.
                    let words = unsafe {
                        avx512._mm512_i32gather_epi32::<4>(vector, table.as_ptr().cast())
                    };
                    // SAFETY: they are elements of the table, which has the type of `to`.
                    unsafe { write(to, words) };
                }
                (true, _) => {
                    for (to, addresses) in
                        to.as_chunks_mut::<8>().0.iter_mut().zip(addresses.as_chunks::<8>().0)
                    {
                        // SAFETY: the comparison found all addresses below the length of the table, which is at most i32::MAX; elements have 8 bytes, as the guard says, and the pattern before this one.
                        let words = unsafe {
                            avx512._mm512_i32gather_epi64::<8>(
                                bytemuck::must_cast(*addresses),
                                table.as_ptr().cast(),
                            )
                        };
                        // SAFETY: they are elements of the table, which has the type of `to`.
                        unsafe { write(to, words) };
                    }
                }
                // Zen 4 takes a tenth less time for twice as many of half the width, from 1 MiB.
                (false, 4) => {
                    for (to, addresses) in
                        to.as_chunks_mut::<8>().0.iter_mut().zip(addresses.as_chunks::<8>().0)
                    {
                        // SAFETY: the comparison found all addresses below the length of the table, which is at most i32::MAX; elements have 4 bytes, as the pattern says.
                        let words = unsafe {
                            avx2._mm256_i32gather_epi32::<4>(
                                table.as_ptr().cast(),
                                bytemuck::must_cast(*addresses),
                            )
                        };
                        // SAFETY: they are elements of the table, which has the type of `to`.
                        unsafe { write(to, words) };
                    }
                }
                (false, _) => {
                    for (to, addresses) in
                        to.as_chunks_mut::<4>().0.iter_mut().zip(addresses.as_chunks::<4>().0)
                    {
                        // SAFETY: the comparison found all addresses below the length of the table, which is at most i32::MAX; elements have 8 bytes, as the guard says, and the pattern before this one.
                        let words = unsafe {
                            avx2._mm256_i32gather_epi64::<8>(
                                table.as_ptr().cast(),
                                bytemuck::must_cast(*addresses),
                            )
                        };
                        // SAFETY: they are elements of the table, which has the type of `to`.
                        unsafe { write(to, words) };
                    }
                }
            }
        }
    }

    /// Those of vectors that are gathered by one instruction. Where gathers have been mended against data sampling, each waits for the writes past the caches before it, and takes
    /// ten times as long. (`strew-benches`, `ladder`, `many`, on the path `avx512-gather`.)
    #[inline(always)]
    fn streams_elements(self, size: usize) -> bool {
        STREAMS && matches!(self.gathers, Gathers::All) && matches!(size, 4 | 8)
    }

    #[inline(always)]
    unsafe fn stream(self, from: &[u8; LINE], to: &mut Line) {
        // SAFETY: as this function asks.
        unsafe { stream(*self.avx512, from, to) }
    }

    #[inline(always)]
    fn choose(
        self,
        choice: Choice,
        addresses: &[u32; BLOCK],
        chosen: &mut [u32; BLOCK],
        numbers: &mut [u32; BLOCK],
    ) -> usize {
        const LANES: usize = 16;
        let avx = self.avx512.avx512f;
        let (start, length) = (
            avx._mm512_set1_epi32(choice.start as i32),
            avx._mm512_set1_epi32(choice.length as i32),
        );
        let first = core::array::from_fn::<u32, LANES, _>(|n| choice.first.wrapping_add(n as u32));
        let step = avx._mm512_set1_epi32(LANES as i32);
        let (mut count, mut next): (usize, __m512i) = (0, bytemuck::must_cast(first));
        for addresses in addresses.as_chunks::<LANES>().0 {
            let places = avx._mm512_sub_epi32(bytemuck::must_cast(*addresses), start);
            let inside = avx._mm512_cmplt_epu32_mask(places, length);
            push::<LANES>(
                bytemuck::must_cast(avx._mm512_maskz_compress_epi32(inside, places)),
                chosen,
                count,
            );
            push::<LANES>(
                bytemuck::must_cast(avx._mm512_maskz_compress_epi32(inside, next)),
                numbers,
                count,
            );
            count += inside.count_ones() as usize;
            next = avx._mm512_add_epi32(next, step);
        }
        count
    }
}

/// The instruction takes addresses of 64 bits.
const STREAMS: bool = cfg!(target_pointer_width = "64");

/// [`Kernels::stream`] by halves: by quarters it takes as long as through the caches. (Zen 4: `strew-benches`, `rows` of 64 elements.)
///
/// # Safety
/// No other thread accesses `to` before a fence for stores of this one.
#[inline(always)]
unsafe fn stream(_avx2: V3, from: &[u8; LINE], to: &mut Line) {
    const HALF: usize = size_of::<__m256i>();
    let to = core::ptr::from_mut(to).cast::<__m256i>();
    for (n, from) in from.as_chunks::<HALF>().0.iter().enumerate() {
        // SAFETY: so many halves lie in the line, which is aligned by its type; no other thread accesses it before a fence, as this function asks; a V3 is the proof that there is AVX.
        unsafe { store_past_caches(to.wrapping_add(n), bytemuck::must_cast(*from)) };
    }
}

/// `*to = half`, as this thread sees it; others may see it late, until a fence. The intrinsic is the same instruction, but its contract forbids this thread, too, any access
/// before a fence: rows that are set twice would need one in between.
///
/// # Safety
/// `to` is aligned, may be written, and no other thread accesses it before a fence for stores of this one.
#[inline]
#[target_feature(enable = "avx")]
unsafe fn store_past_caches(to: *mut __m256i, half: __m256i) {
    // SAFETY: it writes to `to` alone, which may be written and is aligned, and others do not look at it before a fence, as this function asks.
    unsafe {
        core::arch::asm!("vmovntdq ymmword ptr [{to}], {half}", to = in(reg) to, half = in(ymm_reg) half, options(nostack, preserves_flags));
    }
}

/// `to = words`
///
/// # Safety
/// The words are elements of the type of `to`.
#[inline(always)]
unsafe fn write<V: Pod, const N: usize, const COUNT: usize>(to: &mut [Bytes<N>; COUNT], words: V) {
    assert!(size_of_val(to) == size_of_val(&words));
    // SAFETY: the assertion found as many bytes in both, and the words are elements of this type, as this function asks.
    unsafe { core::ptr::from_mut(to).cast::<V>().write_unaligned(words) }
}
