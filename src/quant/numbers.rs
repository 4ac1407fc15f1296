//! Conversions and roundings in plain arithmetic, which compilers turn into vectors.

use core::sync::atomic::{Ordering, compiler_fence};

use half::{bf16, f16};

/// The value as an `f32`, exactly: what [`f16::to_f32`](half::f16::to_f32) does (but for the bits
/// of a NaN), without its question which processor this is, so that loops over rows become vectors.
///
/// Where it is passed by its name, [`Gather::run_map`](crate::Gather::run_map) converts by
/// instruction on x86, eight at a time.
///
/// ```
/// use half::f16;
/// use strew::quant::f16_to_f32;
///
/// assert_eq!(f16_to_f32(f16::from_f32(0.1)), 0.099975586);
/// assert_eq!(f16_to_f32(f16::NEG_INFINITY), f32::NEG_INFINITY);
/// assert_eq!(f16_to_f32(f16::MIN_POSITIVE_SUBNORMAL), 1.0 / 16_777_216.0);
/// ```
// No step computes with an `f32` without an exponent, for which processors take long. Record: rows
// of 4096 from L2 on Emerald Rapids, against a formula that did: one value in 8 below 6e-5 0.04x,
// no such value 0.8x; by SSE2 1.0x.
#[inline(always)]
#[must_use]
pub fn f16_to_f32(value: f16) -> f32 {
    /// The least `f16` with an exponent.
    const LEAST: f32 = f32::from_bits(113 << 23);
    /// 2^-112
    const SMALLER: f32 = f32::from_bits((127 - 112) << 23);
    // The magnitude where an f32 has it, and copies of the sign above it. The exponents of an f32
    // are larger by 112, those of what is infinite or no number by 224, and such stays so.
    let bits = (i32::from(value.to_bits() as i16) << 13) as u32;
    let value = f32::from_bits((bits & 0x0fff_e000) + (224 << 23)) * SMALLER;
    // Without an exponent it is half of (1 + x) * LEAST, and x * LEAST is wanted, which is smaller;
    // for all others it is not.
    let small = value + value - LEAST;
    let value = if value < small { value } else { small };
    f32::from_bits(value.to_bits() | bits & 0x8000_0000)
}

/// The nearest `f16`, of two the even one: what [`f16::from_f32`](half::f16::from_f32) does,
/// without its question which processor this is, so that loops over rows become vectors.
///
/// ```
/// use half::f16;
/// use strew::quant::f16_from_f32;
///
/// assert_eq!(f16_from_f32(1.0 / 3.0), f16::from_f32(1.0 / 3.0));
/// assert_eq!(f16_from_f32(65520.0), f16::INFINITY);
/// assert_eq!(f16_from_f32(-1e-9).to_bits(), 0x8000);
/// ```
#[inline(always)]
#[must_use]
pub fn f16_from_f32(value: f32) -> f16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // Adding 0.5 rounds to what an f16 without an exponent holds.
    let small = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    // The exponents of an f16 are smaller by 112; half of what is cut off is added, less for even.
    let odd = magnitude >> 13 & 1;
    let rounded = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
    let quiet = if magnitude > 0x7f80_0000 { 0x7e00 | magnitude >> 13 & 0x3ff } else { 0x7c00 };
    let magnitude = match magnitude {
        ..0x3880_0000 => small,
        0x3880_0000..0x4780_0000 => rounded,
        _ => quiet,
    };
    f16::from_bits((magnitude | bits >> 16 & 0x8000) as u16)
}

/// The value as an `f32`, exactly: what [`bf16::to_f32`](half::bf16::to_f32) does, but that a
/// signalling NaN stays one.
#[inline(always)]
pub(crate) fn bf16_to_f32(value: bf16) -> f32 {
    f32::from_bits(u32::from(value.to_bits()) << 16)
}

/// The nearest `bf16`, of two the even one: what [`bf16::from_f32`](half::bf16::from_f32) does.
#[inline(always)]
pub(crate) fn bf16_from_f32(value: f32) -> bf16 {
    bf16::from_bits((bf16_bits(value) >> 16) as u16)
}

/// Those of the nearest `bf16` are the upper half.
#[inline(always)]
pub(crate) fn bf16_bits(value: f32) -> u32 {
    let bits = value.to_bits();
    // Half of what is cut off is added, less for even.
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1));
    if value.is_nan() { bits | 0x0040_0000 } else { rounded }
}

/// A float in the two bytes of a block: what [`f16_to_f32`] makes of it, in other steps, as few as
/// one that is not in a loop needs.
///
/// Record: rows of 4096 from L2 on Emerald Rapids, `Q4_0` and `IQ4_NL` by [`f16_to_f32`] 1.02x.
#[inline(always)]
pub(crate) fn read_f16(bytes: [u8; 2]) -> f32 {
    /// The least `f16` with an exponent.
    const LEAST: f32 = f32::from_bits(113 << 23);
    // The magnitude, where an f32 has it. The exponents of an f32 are larger by 112.
    let bits = u32::from(u16::from_le_bytes(bytes));
    let magnitude = (bits & 0x7fff) << 13;
    let value = f32::from_bits(magnitude + (112 << 23));
    // Without an exponent it is half of (1 + x) * LEAST, and x * LEAST is wanted, which is smaller;
    // for all others it is not.
    let small = value + value - LEAST;
    let value = if small < value { small } else { value };
    // What is infinite or no number stays so.
    let special = u32::from(magnitude >= 0x0f80_0000).wrapping_neg() & 0x7f80_0000;
    f32::from_bits(value.to_bits() | special | (bits & 0x8000) << 16)
}

/// Keeps the loops on both sides apart, without an instruction. Compilers would make vectors of
/// what lies at the same place of several blocks, and gather them byte by byte: three times the
/// time.
#[inline(always)]
pub(crate) fn apart() {
    compiler_fence(Ordering::SeqCst);
}

/// The value without its fraction, for a value that an `i32` holds.
#[inline(always)]
pub(crate) fn trunc(value: f32) -> f32 {
    value as i32 as f32
}

/// The nearest integer, halves to the even one, for a magnitude below 2^22.
#[inline(always)]
pub(crate) fn round_even(value: f32) -> f32 {
    // From here on floats are integers.
    const INTEGERS: f32 = 12_582_912.0;
    (value + INTEGERS) - INTEGERS
}

/// `1 / value`, and 0 for 0.
#[inline(always)]
pub(crate) fn reciprocal(value: f32) -> f32 {
    if value == 0.0 { 0.0 } else { 1.0 / value }
}

/// The least and the greatest value.
#[inline(always)]
pub(crate) fn extremes(values: &[f32]) -> (f32, f32) {
    let first = values.first().copied().unwrap_or(0.0);
    values.iter().fold((first, first), |(least, greatest), value| {
        let least = if *value < least { *value } else { least };
        (least, if *value > greatest { *value } else { greatest })
    })
}

/// The first of the values with the greatest magnitude.
#[inline(always)]
pub(crate) fn largest(values: &[f32]) -> f32 {
    values.iter().fold(
        0.0,
        |largest: f32, value| {
            if value.abs() > largest.abs() { *value } else { largest }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which bits a NaN has is open.
    fn same(found: f32, expected: f32) {
        let same = found.to_bits() == expected.to_bits() || found.is_nan() & expected.is_nan();
        assert!(same, "{found}, should be {expected}");
    }

    #[test]
    fn every_half() {
        for bits in 0..=u16::MAX {
            let value = f16::from_bits(bits);
            same(f16_to_f32(value), value.to_f32());
            same(read_f16(value.to_le_bytes()), value.to_f32());
            let value = bf16::from_bits(bits);
            same(bf16_to_f32(value), value.to_f32());
        }
    }

    #[test]
    fn to_halves() {
        // All values with 11 digits more than an f16 has, around each of them.
        for high in 0..=u16::MAX {
            for low in [0, 1, 0x0fff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x3000, 0x8000, 0xffff] {
                let value = f32::from_bits(u32::from(high) << 16 | low);
                let found = f16_from_f32(value).to_bits();
                assert_eq!(found, f16::from_f32(value).to_bits(), "{:#010x}", value.to_bits());
                let found = bf16_from_f32(value).to_bits();
                assert_eq!(found, bf16::from_f32(value).to_bits(), "{:#010x}", value.to_bits());
            }
        }
    }

    #[test]
    fn halves_round_to_even() {
        let values = [0.5, 1.5, 2.5, -0.5, -1.5, 0.499_999_97, 254.5, 255.5, 1e5];
        let expected = [0.0, 2.0, 2.0, 0.0, -2.0, 0.0, 254.0, 256.0, 1e5];
        assert_eq!(values.map(round_even), expected);
    }
}
