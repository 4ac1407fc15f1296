//! Rows with a scale and an offset behind them: FBGEMM's fused rows, PyTorch's
//! `embedding_bag_byte_prepack`, `embedding_bag_4bit_prepack` and `embedding_bag_2bit_prepack`.

use bytemuck::{Pod, Zeroable};
use half::f16;

use crate::each::each;
use crate::quant::numbers::{extremes, read_f16, round_even};

/// `scale * q + offset`: a row of `N` bytes, then scale and offset as `f32`; `N + 8` bytes.
///
/// PyTorch makes such rows by `torch.ops.quantized.embedding_bag_byte_prepack`, and reads them by
/// `embedding_bag_byte_unpack`, with one rounding (a fused multiply and add) as is done here.
///
/// ```
/// use strew::quant::Row8;
///
/// let row: [f32; 3] = [-1.0, 0.0, 254.0];
/// assert_eq!(Row8::encode(&row).decode(), row);
/// assert_eq!(size_of::<Row8<3>>(), 11);
/// ```
#[repr(C, packed)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct Row8<const N: usize> {
    values: [u8; N],
    scale: [u8; 4],
    offset: [u8; 4],
}

impl<const N: usize> Row8<N> {
    /// The number of values.
    pub const SIZE: usize = N;

    /// The values, with the bits of PyTorch.
    #[inline(always)]
    #[must_use]
    pub fn decode(self) -> [f32; N] {
        // Not by `map` of arrays, which compilers do not always inline.
        let (scale, offset) = (f32::from_le_bytes(self.scale), f32::from_le_bytes(self.offset));
        each(self.values, |q| mul_add(f32::from(q), scale, offset))
    }

    /// The row with the bits of PyTorch: the offset is the least value, and the scale the distance
    /// to the greatest / 255. No value is off by more than half of it, unless that distance is not
    /// far above 1e-8, which PyTorch adds to it before it divides.
    #[must_use]
    pub fn encode(values: &[f32; N]) -> Row8<N> {
        let (least, greatest) = extremes(values);
        let range = greatest - least;
        let inverse = 255.0 / (range + 1e-8);
        let quantised = |value: f32| round_even((value - least) * inverse) as u8;
        let [scale, offset] = [range / 255.0, least].map(f32::to_le_bytes);
        Row8 { values: each(*values, quantised), scale, offset }
    }
}

/// `q * scale + offset`, rounded once. `q` is a byte.
#[cfg(feature = "std")]
#[inline(always)]
fn mul_add(q: f32, scale: f32, offset: f32) -> f32 {
    q.mul_add(scale, offset)
}

/// The same without the function of `std`. The product is exact in an `f64`. If the sum is not,
/// its last bit says so, and the second rounding does not take it for a half.
#[cfg(not(feature = "std"))]
#[inline(always)]
fn mul_add(q: f32, scale: f32, offset: f32) -> f32 {
    let (product, offset) = (f64::from(q) * f64::from(scale), f64::from(offset));
    let sum = product + offset;
    let part = sum - product;
    let error = (product - (sum - part)) + (offset - part);
    let even = sum.to_bits() & 1 == 0;
    let outwards = (error > 0.0) == (sum > 0.0);
    let sum = match error.abs() > 0.0 {
        true if even && outwards => f64::from_bits(sum.to_bits() + 1),
        true if even => f64::from_bits(sum.to_bits() - 1),
        _ => sum,
    };
    sum as f32
}

/// Rows of fewer bits.
macro_rules! row {
    ($(#[$doc:meta])* $Row:ident: $bits:literal, $per_byte:literal) => {
        $(#[$doc])*
        #[repr(C, packed)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
        pub struct $Row<const N: usize, const BYTES: usize> {
            values: [u8; BYTES],
            scale: [u8; 2],
            offset: [u8; 2],
        }

        impl<const N: usize, const BYTES: usize> $Row<N, BYTES> {
            /// The number of values.
            pub const SIZE: usize = {
                assert!(BYTES == N.div_ceil($per_byte), "BYTES do not suit N");
                N
            };

            /// The values, with the bits of PyTorch.
            #[inline(always)]
            #[must_use]
            pub fn decode(self) -> [f32; N] {
                const { Self::SIZE };
                let (scale, offset) = (read_f16(self.scale), read_f16(self.offset));
                let mut values = [0.0; N];
                let bytes = self.values;
                for (values, byte) in values.chunks_mut($per_byte).zip(bytes) {
                    for (place, value) in values.iter_mut().enumerate() {
                        let q = byte >> (place * $bits) & ((1 << $bits) - 1);
                        *value = f32::from(q) * scale + offset;
                    }
                }
                values
            }

            /// The row with the bits of PyTorch: the offset is the least value, and the scale the
            /// distance to the greatest, divided by the greatest quantised value, both rounded to
            /// `f16`. Values are off by at most half of the scale, beyond this rounding.
            #[must_use]
            pub fn encode(values: &[f32; N]) -> $Row<N, BYTES> {
                const { Self::SIZE };
                const MOST: f32 = ((1 << $bits) - 1) as f32;
                let (least, greatest) = extremes(values);
                let offset = f16::from_f32(least);
                let least = offset.to_f32();
                let range = greatest - least;
                let mut scale = f16::from_f32(if range == 0.0 { 1.0 } else { range / MOST });
                if scale.to_f32() == 0.0 {
                    scale = f16::ONE;
                }
                let mut inverse = 1.0 / scale.to_f32();
                if inverse.is_infinite() {
                    (scale, inverse) = (f16::ONE, 1.0);
                }
                let mut bytes = [0; BYTES];
                for (byte, values) in bytes.iter_mut().zip(values.chunks($per_byte)) {
                    for (place, value) in values.iter().enumerate() {
                        let q = round_even((value - least) * inverse).clamp(0.0, MOST) as u8;
                        *byte |= q << (place * $bits);
                    }
                }
                let [scale, offset] = [scale, offset].map(f16::to_le_bytes);
                $Row { values: bytes, scale, offset }
            }
        }
    };
}
row! {
    /// `scale * q + offset`: a row of `N` values of 4 bits in `BYTES = N / 2` bytes, the first one
    /// in the low half, then scale and offset as `f16`; `BYTES + 4` bytes.
    ///
    /// PyTorch makes such rows by `torch.ops.quantized.embedding_bag_4bit_prepack`.
    ///
    /// ```
    /// use strew::quant::Row4;
    ///
    /// let row = [-1.0, 14.0, 0.0, 3.0];
    /// assert_eq!(Row4::<4, 2>::encode(&row).decode(), row);
    /// assert_eq!(size_of::<Row4<4, 2>>(), 6);
    /// ```
    Row4: 4, 2
}
row! {
    /// `scale * q + offset`: a row of `N` values of 2 bits in `BYTES = N / 4` bytes, the first one
    /// in the lowest bits, then scale and offset as `f16`; `BYTES + 4` bytes.
    ///
    /// PyTorch makes such rows by `torch.ops.quantized.embedding_bag_2bit_prepack`.
    ///
    /// ```
    /// use strew::quant::Row2;
    ///
    /// let row = [-1.0, 2.0, 0.0, 1.0];
    /// assert_eq!(Row2::<4, 1>::encode(&row).decode(), row);
    /// assert_eq!(size_of::<Row2<4, 1>>(), 5);
    /// ```
    Row2: 2, 4
}
