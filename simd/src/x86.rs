//! What AVX2 has instructions for: non-temporal stores, elements that are stored as vectors, bools
//! as bits, and chosen elements; and AVX-512: gathers of elements of 4 and 8 bytes, and a choice of
//! addresses.

use core::arch::x86_64::{__m256i, __m512i};

use bytemuck::Pod;
pub(crate) use pulp::x86::{V3, V4};

use crate::block::NOWHERE;
use crate::bytes::{Bytes, Line, STEP, Slot, all_below, bound};
use crate::instructions::Instructions;
use crate::portable::{Choice, by_element, by_loads, by_moves};
use crate::prefetch::LINE;

/// `to[n] = table[addresses[n]]`. Elements of 4 and 8 bytes are stored as whole vectors: a core
/// stores one a cycle, and loads more.
///
/// Record: from L1 on Zen 4, elements of 4 bytes take 0.7x, of 8 bytes 0.85x. Intel's cores, some
/// of which store two a cycle, are unmeasured.
#[inline(always)]
fn by_vectors<const N: usize>(
    avx2: V3,
    table: &[Bytes<N>],
    addresses: &[u32; STEP],
    to: &mut [Slot<N>; STEP],
) {
    if N != 4 && N != 8 {
        return by_loads(table, addresses, to);
    }
    if !all_below(addresses, bound(table)) {
        return by_element(table, addresses, to);
    }
    if N == 8 {
        let at = |address: u32| {
            let place = table.as_ptr().wrapping_add(address as usize).cast::<i64>();
            // SAFETY: the comparison above found all addresses below the length of the table, of
            // elements of 8 bytes.
            unsafe { place.read_unaligned() }
        };
        let addresses = addresses.as_chunks::<2>().0;
        for (to, [a, b]) in to.as_chunks_mut::<2>().0.iter_mut().zip(addresses) {
            // SAFETY: they are elements of the table, which has the type of `to`.
            unsafe { write(to, avx2.sse2._mm_set_epi64x(at(*b), at(*a))) };
        }
        return;
    }
    let at = |address: u32| {
        let place = table.as_ptr().wrapping_add(address as usize).cast::<i32>();
        // SAFETY: the comparison above found all addresses below the length of the table, of
        // elements of 4 bytes.
        unsafe { place.read_unaligned() }
    };
    let addresses = addresses.as_chunks::<4>().0;
    for (to, [a, b, c, d]) in to.as_chunks_mut::<4>().0.iter_mut().zip(addresses) {
        // SAFETY: they are elements of the table, which has the type of `to`.
        unsafe { write(to, avx2.sse2._mm_set_epi32(at(*d), at(*c), at(*b), at(*a))) };
    }
}

impl Instructions for V3 {
    #[inline(always)]
    fn gather<const N: usize>(
        self,
        table: &[Bytes<N>],
        addresses: &[u32; STEP],
        to: &mut [Slot<N>; STEP],
    ) {
        by_vectors(self, table, addresses, to);
    }

    #[inline(always)]
    fn bits(self, values: &[bool; 64]) -> Option<u64> {
        let mut halves = [0; 2];
        let bytes: &[u8] = bytemuck::must_cast_slice(values);
        for (bits, bytes) in halves.iter_mut().zip(bytes.as_chunks::<32>().0) {
            // The instruction takes the highest bit of each byte.
            let bytes = self.avx2._mm256_slli_epi16::<7>(bytemuck::must_cast(*bytes));
            *bits = self.avx2._mm256_movemask_epi8(bytes) as u32;
        }
        let [low, high] = halves;
        Some(u64::from(high) << 32 | u64::from(low))
    }

    /// A table holds a permutation for each byte of bits: elements of 4 bytes move by it.
    #[inline(always)]
    fn compress<const N: usize>(
        self,
        bits: u16,
        from: &[Bytes<N>; STEP],
        to: &mut [Bytes<N>; STEP],
    ) {
        if N != 4 {
            return by_moves(bits, from, to);
        }
        let mut start = 0;
        for (bits, from) in bits.to_le_bytes().into_iter().zip(from.as_chunks::<8>().0) {
            let (from, to) = (Bytes::all(from).first_chunk::<32>(), to.get_mut(start..));
            let to = to.and_then(|to| to.first_chunk_mut::<8>());
            let places = PERMUTATIONS.get(usize::from(bits));
            if let (Some(from), Some(to), Some(places)) = (from, to, places) {
                let places = bytemuck::must_cast([u64::from_le_bytes(*places), 0]);
                let places = self.avx2._mm256_cvtepu8_epi32(places);
                let chosen =
                    self.avx2._mm256_permutevar8x32_epi32(bytemuck::must_cast(*from), places);
                // SAFETY: they are elements of `from`, which has the type of `to`.
                unsafe { write(to, chosen) };
            }
            start += bits.count_ones() as usize;
        }
    }
}

/// For each byte of bits, the places of those that are set, and then others.
#[allow(clippy::indexing_slicing)] // The compiler evaluates it.
static PERMUTATIONS: [[u8; 8]; 256] = {
    let mut all = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut count, mut place) = (0, 0);
        while place < 8 {
            if byte >> place & 1 != 0 {
                all[byte][count] = place as u8;
                count += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    all
};

/// Whether elements are gathered by instruction: on Intel's processors from Sapphire Rapids on,
/// which have AVX512-FP16 and no SSE4a. Intel's before it, with the mitigation of Gather Data
/// Sampling, gather faster by loads, and so do AMD's, which have SSE4a.
///
/// Record: `ladder` and `spatter` on each path; on Zen 4, instructions take 1.0x to 1.4x.
pub(crate) fn gathers() -> bool {
    std::is_x86_feature_detected!("avx512fp16") && !std::is_x86_feature_detected!("sse4a")
}

/// AVX-512, with or without its gather instructions.
#[derive(Clone, Copy, Debug)]
pub struct Avx512 {
    pub(crate) avx512: V4,
    pub(crate) gathers: bool,
}

impl Instructions for Avx512 {
    #[inline(always)]
    fn gather<const N: usize>(
        self,
        table: &[Bytes<N>],
        addresses: &[u32; STEP],
        to: &mut [Slot<N>; STEP],
    ) {
        let avx512 = self.avx512.avx512f;
        // The instructions read addresses as signed numbers.
        let length = match i32::try_from(table.len()) {
            Ok(length) if N == 4 || N == 8 => avx512._mm512_set1_epi32(length),
            _ => return by_loads(table, addresses, to),
        };
        let vector: __m512i = bytemuck::must_cast(*addresses);
        if avx512._mm512_cmplt_epu32_mask(vector, length) != u16::MAX {
            return by_element(table, addresses, to);
        }
        if N == 4 {
            // SAFETY: the comparison found all addresses below the length of the table, which is at
            // most i32::MAX; elements have 4 bytes.
            let words =
                unsafe { avx512._mm512_i32gather_epi32::<4>(vector, table.as_ptr().cast()) };
            // SAFETY: they are elements of the table, which has the type of `to`.
            return unsafe { write(to, words) };
        }
        let to = to.as_chunks_mut::<8>().0.iter_mut();
        for (to, addresses) in to.zip(addresses.as_chunks::<8>().0) {
            // SAFETY: the comparison found all addresses below the length of the table, which is at
            // most i32::MAX; elements have 8 bytes, as 4 is excluded above.
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

    /// Elements gain if one instruction gathers a vector of them. Where gathers have the mitigation
    /// of Gather Data Sampling, each waits for the non-temporal stores before it.
    ///
    /// Record: with that mitigation, `ladder`, `many`, takes 10x on the path `avx512-gather`.
    #[inline(always)]
    fn streams_elements(self, size: usize) -> bool {
        self.gathers && matches!(size, 4 | 8)
    }

    #[inline(always)]
    fn bits(self, values: &[bool; 64]) -> Option<u64> {
        self.avx512.bits(values)
    }

    /// Elements are compressed in a register, which is then stored as a whole: the instruction that
    /// compresses to memory takes many cycles on Zen 4. Elements of 1 and 2 bytes are widened to 4
    /// for that.
    #[inline(always)]
    fn compress<const N: usize>(
        self,
        bits: u16,
        from: &[Bytes<N>; STEP],
        to: &mut [Bytes<N>; STEP],
    ) {
        let avx = self.avx512.avx512f;
        let bytes = Bytes::all(from);
        match N {
            1 => {
                let Some(from) = bytes.first_chunk::<16>() else { return };
                let wide = avx._mm512_cvtepu8_epi32(bytemuck::must_cast(*from));
                let chosen = avx._mm512_mask_compress_epi32(wide, bits, wide);
                // SAFETY: they are elements of `from`, which has the type of `to`.
                unsafe { write(to, avx._mm512_cvtepi32_epi8(chosen)) };
            }
            2 => {
                let Some(from) = bytes.first_chunk::<32>() else { return };
                let wide = avx._mm512_cvtepu16_epi32(bytemuck::must_cast(*from));
                let chosen = avx._mm512_mask_compress_epi32(wide, bits, wide);
                // SAFETY: they are elements of `from`, which has the type of `to`.
                unsafe { write(to, avx._mm512_cvtepi32_epi16(chosen)) };
            }
            4 => {
                let Some(from) = bytes.first_chunk::<64>() else { return };
                let from: __m512i = bytemuck::must_cast(*from);
                // SAFETY: they are elements of `from`, which has the type of `to`.
                unsafe { write(to, avx._mm512_mask_compress_epi32(from, bits, from)) };
            }
            8 => {
                let mut start = 0;
                for (bits, from) in bits.to_le_bytes().into_iter().zip(bytes.as_chunks::<64>().0) {
                    let to = to.get_mut(start..).and_then(|to| to.first_chunk_mut::<8>());
                    let from: __m512i = bytemuck::must_cast(*from);
                    if let Some(to) = to {
                        // SAFETY: they are elements of `from`, which has the type of `to`.
                        unsafe { write(to, avx._mm512_mask_compress_epi64(from, bits, from)) };
                    }
                    start += bits.count_ones() as usize;
                }
            }
            _ => by_moves(bits, from, to),
        }
    }

    #[inline(always)]
    fn choose(
        self,
        choice: Choice,
        addresses: &[u32; STEP],
        places: &mut [u32; STEP],
        flats: &mut [u32; STEP],
    ) -> usize {
        let avx = self.avx512.avx512f;
        let flat: [u32; STEP] =
            core::array::from_fn(|n| choice.flat.wrapping_add(choice.step.wrapping_mul(n as u32)));
        let start = avx._mm512_set1_epi32(choice.start as i32);
        let length = avx._mm512_set1_epi32(choice.length as i32);
        let found = avx._mm512_sub_epi32(bytemuck::must_cast(*addresses), start);
        let nowhere = avx._mm512_set1_epi32(NOWHERE as i32);
        let inside = avx._mm512_cmplt_epu32_mask(found, length)
            & avx._mm512_cmpneq_epu32_mask(bytemuck::must_cast(*addresses), nowhere);
        let flat = avx._mm512_maskz_compress_epi32(inside, bytemuck::must_cast(flat));
        *places = bytemuck::must_cast(avx._mm512_maskz_compress_epi32(inside, found));
        *flats = bytemuck::must_cast(flat);
        inside.count_ones() as usize
    }
}

/// `to = from`, with non-temporal stores, by halves of a line.
///
/// Record: `rows` of 64 elements on Zen 4; by quarters, 1.0x against stores through the caches.
///
/// # Safety
/// No other thread accesses `to` before a fence for stores of this one.
#[inline(always)]
pub(crate) unsafe fn stream(_avx2: V3, from: &[u8; LINE], to: &mut Line) {
    const HALF: usize = size_of::<__m256i>();
    let to = core::ptr::from_mut(to).cast::<__m256i>();
    for (n, from) in from.as_chunks::<HALF>().0.iter().enumerate() {
        // SAFETY: the line has this many halves, and is aligned by its type; no other thread
        // accesses it before a fence, as this function asks; a V3 is the proof that there is AVX.
        unsafe { store_non_temporal(to.wrapping_add(n), bytemuck::must_cast(*from)) };
    }
}

/// `*to = half`, as this thread sees it; others may see it late, until a fence.
///
/// The intrinsic is the same instruction, but its contract forbids this thread, too, any access
/// before a fence: rows that are set twice would need one in between.
///
/// # Safety
/// `to` is aligned, may be written, and no other thread accesses it before a fence for stores of
/// this one.
#[inline]
#[target_feature(enable = "avx")]
unsafe fn store_non_temporal(to: *mut __m256i, half: __m256i) {
    // SAFETY: it writes to `to` alone, which may be written and is aligned, and others do not look
    // at it before a fence, as this function asks.
    unsafe {
        core::arch::asm!(
            "vmovntdq ymmword ptr [{to}], {half}",
            to = in(reg) to,
            half = in(ymm_reg) half,
            options(nostack, preserves_flags),
        );
    }
}

/// `to = words`
///
/// # Safety
/// The words are elements of the type of `to`.
#[inline(always)]
unsafe fn write<V: Pod, P, const COUNT: usize>(to: &mut [P; COUNT], words: V) {
    assert!(size_of_val(to) == size_of_val(&words));
    // SAFETY: the assertion found as many bytes in both, and the words are elements of this type,
    // as this function asks.
    unsafe { core::ptr::from_mut(to).cast::<V>().write_unaligned(words) }
}
