//! The blocks of GGUF files. Bytes and formulas: ggml's `ggml-common.h` and `ggml-quants.c`;
//! oracle: `gguf.quants` of the Python package `gguf`.

use bytemuck::{Pod, Zeroable, must_cast};
use half::f16;

use crate::each::each;
use crate::quant::numbers::{apart, extremes, largest, read_f16, reciprocal, trunc};

/// The low and the high halves of bytes.
#[inline(always)]
fn nibbles<const N: usize>(bytes: [u8; N]) -> [[u8; N]; 2] {
    let [mut low, mut high] = [[0; N]; 2];
    for ((low, high), byte) in low.iter_mut().zip(&mut high).zip(bytes) {
        (*low, *high) = (byte & 15, byte >> 4);
    }
    [low, high]
}

/// The bytes with these low and high halves.
#[inline(always)]
fn packed<const N: usize>([low, high]: [[u8; N]; 2]) -> [u8; N] {
    let mut bytes = low;
    for (byte, high) in bytes.iter_mut().zip(high) {
        *byte |= high << 4;
    }
    bytes
}

/// Values of 4 bits, the first 16 in the low halves.
#[inline(always)]
fn fours(qs: [u8; 16]) -> [u8; 32] {
    must_cast(nibbles(qs))
}

/// The word with the lowest bit of each of 32 values.
#[inline(always)]
fn word(bits: [u8; 32]) -> u32 {
    bits.iter().rev().fold(0, |word, bit| word << 1 | u32::from(*bit & 1))
}

/// The scale of values in `-half..half`: it maps the one with the greatest magnitude to `-half`.
#[inline(always)]
fn symmetric(values: &[f32; 32], half: f32) -> (f32, [u8; 32]) {
    let scale = largest(values) / -half;
    let inverse = reciprocal(scale);
    let most = (2.0 * half - 1.0) as u8;
    (scale, each(*values, |value| (trunc(value * inverse + (half + 0.5)) as u8).min(most)))
}

/// The scale and the least of values in `0..=most`.
#[inline(always)]
fn shifted(values: &[f32; 32], most: u8) -> (f32, f32, [u8; 32]) {
    let (least, greatest) = extremes(values);
    let scale = (greatest - least) / f32::from(most);
    let inverse = reciprocal(scale);
    let quantised = |value: f32| (trunc((value - least) * inverse + 0.5) as u8).min(most);
    (scale, least, each(*values, quantised))
}

/// `d * q`: 32 signed bytes with one scale, 34 bytes.
///
/// ```
/// use strew::quant::Q8_0;
///
/// let row: [f32; 32] = core::array::from_fn(|i| i as f32 - 16.0);
/// let decoded = Q8_0::encode(&row).decode();
/// assert!(
///     row.iter()
///         .zip(decoded)
///         .all(|(value, found)| (value - found).abs() < 0.07)
/// );
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct Q8_0 {
    d: [u8; 2],
    qs: [i8; 32],
}

impl Q8_0 {
    /// The number of values.
    pub const SIZE: usize = 32;

    /// The values, with the bits of `gguf.quants`.
    #[inline(always)]
    #[must_use]
    pub fn decode(self) -> [f32; 32] {
        let d = read_f16(self.d);
        apart();
        each(self.qs, |q| f32::from(q) * d)
    }

    /// The block with the bits of `gguf.quants`: the scale is the greatest magnitude / 127, and no
    /// value is off by more than half of it, beyond the rounding of the scale to an `f16`.
    #[inline(always)]
    #[must_use]
    pub fn encode(values: &[f32; 32]) -> Q8_0 {
        let scale = largest(values).abs() / 127.0;
        let inverse = reciprocal(scale);
        let qs = each(*values, |value| {
            let value = value * inverse;
            // Halves go away from 0.
            let whole = trunc(value.abs());
            let rounded = whole + trunc(2.0 * (value.abs() - whole));
            (if value < 0.0 { -rounded } else { rounded }) as i8
        });
        Q8_0 { d: f16::from_f32(scale).to_le_bytes(), qs }
    }
}

/// `d * (q - 8)`: 32 values of 4 bits, the first 16 in the low halves of the bytes; 18 bytes.
///
/// ```
/// use strew::quant::Q4_0;
///
/// let row: [f32; 32] = core::array::from_fn(|i| (i % 16) as f32 - 8.0);
/// assert_eq!(Q4_0::encode(&row).decode(), row);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct Q4_0 {
    d: [u8; 2],
    qs: [u8; 16],
}

impl Q4_0 {
    /// The number of values.
    pub const SIZE: usize = 32;

    /// The values, with the bits of `gguf.quants`.
    #[inline(always)]
    #[must_use]
    pub fn decode(self) -> [f32; 32] {
        let d = read_f16(self.d);
        apart();
        each(fours(self.qs), |q| d * f32::from(q.wrapping_sub(8) as i8))
    }

    /// The block with the bits of `gguf.quants`: the value with the greatest magnitude / -8 is the
    /// scale. No value is off by more than half of it, beyond the rounding of the scale to an
    /// `f16`, but for values of the other sign whose magnitude is above 7 scales.
    #[inline(always)]
    #[must_use]
    pub fn encode(values: &[f32; 32]) -> Q4_0 {
        let (scale, q) = symmetric(values, 8.0);
        Q4_0 { d: f16::from_f32(scale).to_le_bytes(), qs: packed(must_cast(q)) }
    }
}

/// `d * q + m`: 32 values of 4 bits, packed as in [`Q4_0`]; 20 bytes.
///
/// ```
/// use strew::quant::Q4_1;
///
/// let row: [f32; 32] = core::array::from_fn(|i| (i % 16) as f32 + 100.0);
/// assert_eq!(Q4_1::encode(&row).decode(), row);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct Q4_1 {
    d: [u8; 2],
    m: [u8; 2],
    qs: [u8; 16],
}

impl Q4_1 {
    /// The number of values.
    pub const SIZE: usize = 32;

    /// The values, with the bits of `gguf.quants`.
    #[inline(always)]
    #[must_use]
    pub fn decode(self) -> [f32; 32] {
        let (d, m) = (read_f16(self.d), read_f16(self.m));
        apart();
        each(fours(self.qs), |q| d * f32::from(q) + m)
    }

    /// The block with the bits of `gguf.quants`: `m` is the least value, and the scale the distance
    /// to the greatest / 15. No value is off by more than half of it, beyond the rounding of both
    /// to `f16`.
    #[inline(always)]
    #[must_use]
    pub fn encode(values: &[f32; 32]) -> Q4_1 {
        let (scale, least, q) = shifted(values, 15);
        let [d, m] = [scale, least].map(|value| f16::from_f32(value).to_le_bytes());
        Q4_1 { d, m, qs: packed(must_cast(q)) }
    }
}

/// `d * (q - 16)`: 32 values of 5 bits, the fifth ones in a word of their own; 22 bytes.
///
/// ```
/// use strew::quant::Q5_0;
///
/// let row: [f32; 32] = core::array::from_fn(|i| i as f32 - 16.0);
/// assert_eq!(Q5_0::encode(&row).decode(), row);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct Q5_0 {
    d: [u8; 2],
    qh: [u8; 4],
    qs: [u8; 16],
}

/// `map` of values of 5 bits.
#[inline(always)]
fn fives(qs: [u8; 16], qh: [u8; 4], map: impl Fn(i32) -> f32) -> [f32; 32] {
    let (high, mut values) = (u32::from_le_bytes(qh), [0.0; 32]);
    for (i, (value, q)) in values.iter_mut().zip(fours(qs)).enumerate() {
        *value = map((u32::from(q) | (high >> i & 1) << 4) as i32);
    }
    values
}

/// The bytes of values of 5 bits.
#[inline(always)]
fn packed_fives(q: [u8; 32]) -> ([u8; 16], [u8; 4]) {
    let high = word(each(q, |q| q >> 4)).to_le_bytes();
    (packed(must_cast(each(q, |q| q & 15))), high)
}

impl Q5_0 {
    /// The number of values.
    pub const SIZE: usize = 32;

    /// The values, with the bits of `gguf.quants`.
    #[inline(always)]
    #[must_use]
    pub fn decode(self) -> [f32; 32] {
        let d = read_f16(self.d);
        apart();
        fives(self.qs, self.qh, |q| d * (q - 16) as f32)
    }

    /// The block with the bits of `gguf.quants`: the value with the greatest magnitude / -16 is the
    /// scale. No value is off by more than half of it, beyond the rounding of the scale to an
    /// `f16`, but for values of the other sign whose magnitude is above 15 scales.
    #[inline(always)]
    #[must_use]
    pub fn encode(values: &[f32; 32]) -> Q5_0 {
        let (scale, q) = symmetric(values, 16.0);
        let (qs, qh) = packed_fives(q);
        Q5_0 { d: f16::from_f32(scale).to_le_bytes(), qh, qs }
    }
}

/// `d * q + m`: 32 values of 5 bits, packed as in [`Q5_0`]; 24 bytes.
///
/// ```
/// use strew::quant::Q5_1;
///
/// let row: [f32; 32] = core::array::from_fn(|i| i as f32 + 100.0);
/// assert_eq!(Q5_1::encode(&row).decode(), row);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct Q5_1 {
    d: [u8; 2],
    m: [u8; 2],
    qh: [u8; 4],
    qs: [u8; 16],
}

impl Q5_1 {
    /// The number of values.
    pub const SIZE: usize = 32;

    /// The values, with the bits of `gguf.quants`.
    #[inline(always)]
    #[must_use]
    pub fn decode(self) -> [f32; 32] {
        let (d, m) = (read_f16(self.d), read_f16(self.m));
        apart();
        fives(self.qs, self.qh, |q| d * q as f32 + m)
    }

    /// The block with the bits of `gguf.quants`: `m` is the least value, and the scale the distance
    /// to the greatest / 31. No value is off by more than half of it, beyond the rounding of both
    /// to `f16`.
    #[inline(always)]
    #[must_use]
    pub fn encode(values: &[f32; 32]) -> Q5_1 {
        let (scale, least, q) = shifted(values, 31);
        let [d, m] = [scale, least].map(|value| f16::from_f32(value).to_le_bytes());
        let (qs, qh) = packed_fives(q);
        Q5_1 { d, m, qh, qs }
    }
}

/// `d * level[q]`: 32 values of 4 bits, packed as in [`Q4_0`], which choose from 16 levels that lie
/// closer to each other near 0; 18 bytes.
///
/// ```
/// use strew::quant::IQ4_NL;
///
/// let row: [f32; 32] =
///     core::array::from_fn(|i| if i == 0 { -127.0 } else { 13.0 });
/// assert_eq!(IQ4_NL::encode(&row).decode(), row);
/// ```
#[allow(non_camel_case_types)] // ggml's name.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct IQ4_NL {
    d: [u8; 2],
    qs: [u8; 16],
}

/// The levels of [`IQ4_NL`].
const LEVELS: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// The level of a value of 4 bits, chosen bit by bit: loops over it become vectors, where loops
/// over a list do not.
#[inline(always)]
fn level(q: u8) -> i8 {
    let two = |bit: u8, low: i8, high: i8| if q & bit == 0 { low } else { high };
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = LEVELS;
    let (ab, cd, ef, gh) = (two(1, a, b), two(1, c, d), two(1, e, f), two(1, g, h));
    let (ij, kl, mn, op) = (two(1, i, j), two(1, k, l), two(1, m, n), two(1, o, p));
    let (ad, eh, il, mp) = (two(2, ab, cd), two(2, ef, gh), two(2, ij, kl), two(2, mn, op));
    two(8, two(4, ad, eh), two(4, il, mp))
}

/// The nearest level, the higher one of two.
#[inline(always)]
fn nearest_level(value: f32) -> u8 {
    let pairs = LEVELS.iter().zip(LEVELS.iter().skip(1));
    let middle = |(low, high): (&i8, &i8)| (f32::from(*low) + f32::from(*high)) / 2.0;
    pairs.fold(0, |q, pair| q + u8::from(value >= middle(pair)))
}

impl IQ4_NL {
    /// The number of values.
    pub const SIZE: usize = 32;

    /// The values, with the bits of `gguf.quants`.
    #[inline(always)]
    #[must_use]
    pub fn decode(self) -> [f32; 32] {
        let d = read_f16(self.d);
        apart();
        let (mut levels, mut values) = ([0; 32], [0.0; 32]);
        for (to, q) in levels.iter_mut().zip(fours(self.qs)) {
            *to = level(q);
        }
        for (to, level) in values.iter_mut().zip(levels) {
            *to = d * f32::from(level);
        }
        values
    }

    /// The scale is ggml's: levels are chosen so that the value with the greatest magnitude has the
    /// first one, and then the scale so that the squares of the errors, weighted by the squares of
    /// the values, have the least sum. Each value gets the level that is nearest by that scale.
    #[must_use]
    pub fn encode(values: &[f32; 32]) -> IQ4_NL {
        let inverse = reciprocal(largest(values) / -127.0);
        let (mut products, mut squares) = (0.0, 0.0);
        for value in values {
            let level = f32::from(level(nearest_level(value * inverse)));
            let weight = value * value;
            products += weight * level * value;
            squares += weight * level * level;
        }
        let scale = f16::from_f32(products * reciprocal(squares));
        let inverse = reciprocal(scale.to_f32());
        let q = each(*values, |value| nearest_level(value * inverse));
        IQ4_NL { d: scale.to_le_bytes(), qs: packed(must_cast(q)) }
    }
}

/// 8 scales and 8 offsets of 6 bits in 12 bytes.
#[inline(always)]
fn six_bits(bytes: [u8; 12]) -> ([u8; 8], [u8; 8]) {
    let [d, m, both]: [[u8; 4]; 3] = must_cast(bytes);
    let join = |low: [u8; 4], high: [u8; 4], shift: u32| {
        let mut all = low;
        for (all, (high, both)) in all.iter_mut().zip(high.iter().zip(both)) {
            *all = both >> shift & 15 | high >> 2 & 0x30;
        }
        all
    };
    let low = |bytes: [u8; 4]| each(bytes, |byte| byte & 63);
    (must_cast([low(d), join(d, d, 0)]), must_cast([low(m), join(m, m, 4)]))
}

/// The 12 bytes of 8 scales and 8 offsets.
#[inline(always)]
fn packed_six_bits(scales: [u8; 8], offsets: [u8; 8]) -> [u8; 12] {
    let [[d, d_high], [m, m_high]]: [[[u8; 4]; 2]; 2] = [must_cast(scales), must_cast(offsets)];
    let join = |low: [u8; 4], high: [u8; 4]| {
        let mut all = low;
        all.iter_mut().zip(high).for_each(|(all, high)| *all |= (high & 0x30) << 2);
        all
    };
    let both = packed([d_high.map(|d| d & 15), m_high.map(|m| m & 15)]);
    must_cast([join(d, d_high), join(m, m_high), both])
}

/// The least `f16` that is no less than a value of at least 0, as `f32` as well.
#[inline(always)]
fn f16_above(value: f32) -> (f16, f32) {
    let nearest = f16::from_f32(value);
    let above = if nearest.to_f32() < value {
        f16::from_bits(nearest.to_bits().saturating_add(1))
    } else {
        nearest
    };
    (above, above.to_f32())
}

/// `value` as the least multiple of `step` that is no less, at most `most` of them.
#[inline(always)]
fn multiples(value: f32, step: f32, most: u8) -> u8 {
    let quotient = value * reciprocal(step);
    let below = trunc(quotient);
    ((if below < quotient { below + 1.0 } else { below }) as u8).min(most)
}

/// Scales and offsets of [`Q4_K`] and [`Q5_K`] that reach all values, and the values by them, up to
/// `most`.
struct Shifted {
    d: [u8; 2],
    dmin: [u8; 2],
    scales: [u8; 12],
    q: [[u8; 32]; 8],
}

impl Shifted {
    fn of(values: &[f32; 256], most: u8) -> Shifted {
        let parts: &[[f32; 32]; 8] = bytemuck::must_cast_ref(values);
        // An offset lies at 0 or below.
        let offset = |part: &[f32; 32]| (-extremes(part).0).max(0.0);
        let (dmin, step) = f16_above(parts.iter().map(offset).fold(0.0, f32::max) / 63.0);
        let offsets = parts.each_ref().map(|part| multiples(offset(part), step, 63));
        let mut widths = [0.0; 8];
        for (width, (part, offset)) in widths.iter_mut().zip(parts.iter().zip(offsets)) {
            *width = (extremes(part).1 + step * f32::from(offset)).max(0.0) / f32::from(most);
        }
        let (d, scale) = f16_above(widths.iter().copied().fold(0.0, f32::max) / 63.0);
        let scales = widths.map(|width| multiples(width, scale, 63));
        let mut q = [[0; 32]; 8];
        for ((q, part), (s, offset)) in q.iter_mut().zip(parts).zip(scales.iter().zip(offsets)) {
            let inverse = reciprocal(scale * f32::from(*s));
            let offset = step * f32::from(offset);
            *q = each(*part, |value| (trunc((value + offset) * inverse + 0.5) as u8).min(most));
        }
        let scales = packed_six_bits(scales, offsets);
        Shifted { d: d.to_le_bytes(), dmin: dmin.to_le_bytes(), scales, q }
    }
}

/// Eight scales `d * s` and offsets `dmin * m`.
#[inline(always)]
fn scales_of(d: [u8; 2], dmin: [u8; 2], scales: [u8; 12]) -> ([f32; 8], [f32; 8]) {
    let (d, dmin) = (read_f16(d), read_f16(dmin));
    let (scales, offsets) = six_bits(scales);
    (each(scales, |s| d * f32::from(s)), each(offsets, |m| dmin * f32::from(m)))
}

/// `(d * s) * q - dmin * m`: 256 values of 4 bits, in 8 parts with a scale and an offset of 6 bits
/// each; 144 bytes.
///
/// ```
/// use strew::quant::Q4_K;
///
/// let row: [f32; 256] = core::array::from_fn(|i| (i % 16) as f32);
/// let decoded = Q4_K::encode(&row).decode();
/// assert!(
///     row.iter()
///         .zip(decoded)
///         .all(|(value, found)| (value - found).abs() < 0.51)
/// );
/// ```
#[allow(non_camel_case_types)] // ggml's name.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct Q4_K {
    d: [u8; 2],
    dmin: [u8; 2],
    scales: [u8; 12],
    qs: [u8; 128],
}

impl Q4_K {
    /// The number of values.
    pub const SIZE: usize = 256;

    /// The values, with the bits of `gguf.quants`.
    #[inline(always)]
    #[must_use]
    pub fn decode(self) -> [f32; 256] {
        let (scales, offsets) = scales_of(self.d, self.dmin, self.scales);
        let (scales, offsets): ([[f32; 2]; 4], [[f32; 2]; 4]) =
            (must_cast(scales), must_cast(offsets));
        let qs: [[u8; 32]; 4] = must_cast(self.qs);
        let mut values = [[[0.0_f32; 32]; 2]; 4];
        for ((values, qs), (scales, offsets)) in
            values.iter_mut().zip(&qs).zip(scales.into_iter().zip(offsets))
        {
            let ([low, high], [scale, high_scale], [offset, high_offset]) =
                (values, scales, offsets);
            apart();
            for (value, q) in low.iter_mut().zip(qs) {
                *value = scale * f32::from(q & 15) - offset;
            }
            for (value, q) in high.iter_mut().zip(qs) {
                *value = high_scale * f32::from(q >> 4) - high_offset;
            }
        }
        must_cast(values)
    }

    /// A block that reaches all values: each is off by at most half of the step of its part. The
    /// step is the distance from the least value of the part, or from 0 if that is less, to the
    /// greatest, divided by 15, and rounded up to what 6 bits and an `f16` hold. llama.cpp searches
    /// for scales with a smaller sum of squares instead.
    #[must_use]
    pub fn encode(values: &[f32; 256]) -> Q4_K {
        let Shifted { d, dmin, scales, q } = Shifted::of(values, 15);
        let q: [[[u8; 32]; 2]; 4] = must_cast(q);
        Q4_K { d, dmin, scales, qs: must_cast(q.map(packed)) }
    }
}

/// `(d * s) * q - dmin * m`: 256 values of 5 bits, in 8 parts with a scale and an offset of 6 bits
/// each; 176 bytes.
///
/// ```
/// use strew::quant::Q5_K;
///
/// let row: [f32; 256] = core::array::from_fn(|i| (i % 32) as f32);
/// let decoded = Q5_K::encode(&row).decode();
/// assert!(
///     row.iter()
///         .zip(decoded)
///         .all(|(value, found)| (value - found).abs() < 0.51)
/// );
/// ```
#[allow(non_camel_case_types)] // ggml's name.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct Q5_K {
    d: [u8; 2],
    dmin: [u8; 2],
    scales: [u8; 12],
    qh: [u8; 32],
    qs: [u8; 128],
}

impl Q5_K {
    /// The number of values.
    pub const SIZE: usize = 256;

    /// The values, with the bits of `gguf.quants`.
    #[inline(always)]
    #[must_use]
    pub fn decode(self) -> [f32; 256] {
        let (scales, offsets) = scales_of(self.d, self.dmin, self.scales);
        let (scales, offsets): ([[f32; 2]; 4], [[f32; 2]; 4]) =
            (must_cast(scales), must_cast(offsets));
        let qs: [[u8; 32]; 4] = must_cast(self.qs);
        let mut values = [[[0.0_f32; 32]; 2]; 4];
        for (pair, ((values, qs), (scales, offsets))) in
            values.iter_mut().zip(&qs).zip(scales.into_iter().zip(offsets)).enumerate()
        {
            let ([low, high], [scale, high_scale], [offset, high_offset]) =
                (values, scales, offsets);
            apart();
            for (value, (q, fifth)) in low.iter_mut().zip(qs.iter().zip(&self.qh)) {
                let q = q & 15 | (fifth >> (2 * pair) & 1) << 4;
                *value = scale * f32::from(q) - offset;
            }
            for (value, (q, fifth)) in high.iter_mut().zip(qs.iter().zip(&self.qh)) {
                let q = q >> 4 | (fifth >> (2 * pair + 1) & 1) << 4;
                *value = high_scale * f32::from(q) - high_offset;
            }
        }
        must_cast(values)
    }

    /// A block that reaches all values, as [`Q4_K::encode`]: the step of a part is that distance
    /// divided by 31, and rounded up.
    #[must_use]
    pub fn encode(values: &[f32; 256]) -> Q5_K {
        let Shifted { d, dmin, scales, q } = Shifted::of(values, 31);
        let mut qh = [0; 32];
        for (part, q) in q.iter().enumerate() {
            qh.iter_mut().zip(q).for_each(|(qh, q)| *qh |= (q >> 4) << part);
        }
        let q: [[[u8; 32]; 2]; 4] = must_cast(q.map(|part| each(part, |q| q & 15)));
        Q5_K { d, dmin, scales, qh, qs: must_cast(q.map(packed)) }
    }
}

/// Two parts of [`Q6_K`], whose bits lie so far up in their bytes.
#[inline(always)]
fn sixes<const LOW: u32, const HIGH: u32>(
    values: &mut [[f32; 16]; 2],
    scales: [f32; 2],
    low: &[u8; 32],
    high: &[u8; 32],
) {
    let halves = low.as_chunks::<16>().0.iter().zip(high.as_chunks::<16>().0);
    for ((values, scale), (low, high)) in values.iter_mut().zip(scales).zip(halves) {
        apart();
        for (value, (low, high)) in values.iter_mut().zip(low.iter().zip(high)) {
            let q = low >> LOW & 15 | (high >> HIGH & 3) << 4;
            *value = scale * f32::from(q.wrapping_sub(32) as i8);
        }
    }
}

/// `(d * s) * (q - 32)`: 256 values of 6 bits, in 16 parts with a scale of 8 bits each; 210 bytes.
///
/// ```
/// use strew::quant::Q6_K;
///
/// let row: [f32; 256] = core::array::from_fn(|i| (i % 64) as f32 - 32.0);
/// let decoded = Q6_K::encode(&row).decode();
/// assert!(
///     row.iter()
///         .zip(decoded)
///         .all(|(value, found)| (value - found).abs() < 0.52)
/// );
/// ```
#[allow(non_camel_case_types)] // ggml's name.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct Q6_K {
    ql: [u8; 128],
    qh: [u8; 64],
    scales: [i8; 16],
    d: [u8; 2],
}

impl Q6_K {
    /// The number of values.
    pub const SIZE: usize = 256;

    /// The values, with the bits of `gguf.quants`.
    #[inline(always)]
    #[must_use]
    pub fn decode(self) -> [f32; 256] {
        let d = read_f16(self.d);
        let scales: [[[i8; 2]; 4]; 2] = must_cast(self.scales);
        let (ql, qh): ([[[u8; 32]; 2]; 2], [[u8; 32]; 2]) =
            (must_cast(self.ql), must_cast(self.qh));
        let mut values = [[[[0.0_f32; 16]; 2]; 4]; 2];
        for ((values, scales), (ql, qh)) in values.iter_mut().zip(scales).zip(ql.iter().zip(&qh)) {
            let ([a, b, c, e], [first, second]) = (values, ql);
            let [of_a, of_b, of_c, of_e] =
                each(scales, |scales| each(scales, |s| d * f32::from(s)));
            sixes::<0, 0>(a, of_a, first, qh);
            sixes::<0, 2>(b, of_b, second, qh);
            sixes::<4, 4>(c, of_c, first, qh);
            sixes::<4, 6>(e, of_e, second, qh);
        }
        must_cast(values)
    }

    /// A block that reaches all values: each is off by at most half of the step of its part, which
    /// is its greatest magnitude / 31.5, rounded up to what 7 bits and an `f16` hold. llama.cpp
    /// searches for scales with a smaller sum of squares instead.
    #[must_use]
    pub fn encode(values: &[f32; 256]) -> Q6_K {
        let parts: &[[f32; 16]; 16] = bytemuck::must_cast_ref(values);
        let steps = parts.each_ref().map(|part| largest(part).abs() / 31.5);
        let (d, step) = f16_above(steps.iter().copied().fold(0.0, f32::max) / 127.0);
        let scales = steps.map(|part| multiples(part, step, 127) as i8);
        let mut q = [[0; 16]; 16];
        for ((q, part), scale) in q.iter_mut().zip(parts).zip(scales) {
            let inverse = reciprocal(step * f32::from(scale));
            *q = each(*part, |value| (trunc(value * inverse + 32.5) as u8).min(63));
        }
        let q: [[[u8; 32]; 4]; 2] = must_cast(q);
        let ql = q.map(|[a, b, c, d]| {
            let low = |part: [u8; 32]| each(part, |q| q & 15);
            [packed([low(a), low(c)]), packed([low(b), low(d)])]
        });
        let qh = q.map(|parts| {
            let mut high = [0; 32];
            for (part, q) in parts.iter().enumerate() {
                high.iter_mut().zip(q).for_each(|(high, q)| *high |= (q >> 4) << (2 * part));
            }
            high
        });
        Q6_K { ql: must_cast(ql), qh: must_cast(qh), scales, d: d.to_le_bytes() }
    }
}
