//! Floats of 8 and 4 bits. Names and formulas: ONNX's `float8e4m3fn` and its like; oracles: the
//! Python package `ml_dtypes`, ONNX Runtime. They do not saturate, as `ml_dtypes` does not; ONNX's
//! `Cast` does unless it is told not to.

use bytemuck::{Pod, Zeroable};

/// What tells the formats apart. A code is a sign, an exponent and a mantissa, as in `f32`.
#[derive(Clone, Copy)]
pub(crate) struct Float {
    /// The places by which an `f32` has its magnitude, and its sign, further left.
    shift: u32,
    sign: u32,
    /// What an `f32` has as the exponent of codes without one.
    exponents: u32,
    /// The largest finite magnitude, and what magnitudes beyond it become.
    finite: u32,
    over: u32,
    /// The infinite magnitude, and the code of a value that is no number. Where there is none,
    /// they are no code.
    infinite: u32,
    nan: u32,
}

/// No code.
const NONE: u32 = 0x100;

impl Float {
    pub(crate) const E4M3FN: Float = Float::of(20, 7, 0x7e, 0x7f, NONE, 0x7f);
    pub(crate) const E4M3FNUZ: Float = Float::of(20, 8, 0x7f, 0x80, NONE, 0x80);
    pub(crate) const E5M2: Float = Float::of(21, 15, 0x7b, 0x7c, 0x7c, 0x7e);
    pub(crate) const E5M2FNUZ: Float = Float::of(21, 16, 0x7f, 0x80, NONE, 0x80);
    pub(crate) const E2M1: Float = Float { sign: 28, ..Float::of(22, 1, 7, 7, NONE, NONE) };

    const fn of(shift: u32, bias: u32, finite: u32, over: u32, infinite: u32, nan: u32) -> Float {
        Float { shift, sign: 24, exponents: (127 - bias) << 23, finite, over, infinite, nan }
    }

    /// The least magnitude with an exponent.
    #[inline(always)]
    fn least(self) -> f32 {
        f32::from_bits(self.exponents.wrapping_add(1 << 23))
    }

    /// The value of a code, exactly. A NaN is a quiet one with the sign of the code.
    #[inline(always)]
    pub(crate) fn value(self, code: u32) -> f32 {
        let magnitude = code & 0x7fff_ffff_u32.wrapping_shr(self.sign);
        let value = magnitude.wrapping_shl(self.shift).wrapping_add(self.exponents);
        let value = f32::from_bits(value);
        // See `f16_to_f32`.
        let small = value + value - self.least();
        let value = if small < value { small } else { value };
        let special = if magnitude == self.infinite { 0x7f80_0000 } else { 0x7fc0_0000 };
        let is_special = (magnitude > self.finite) | (code == self.nan);
        let bits = if is_special { special } else { value.to_bits() };
        f32::from_bits(bits | code.wrapping_shl(self.sign) & 0x8000_0000)
    }

    /// The code of the nearest value, of two the even one.
    #[inline(always)]
    fn code(self, value: f32) -> u32 {
        let bits = value.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        // From here on neighbours of an f32 are as far apart as those without an exponent here.
        let coarse = f32::from_bits(self.exponents.wrapping_add(self.shift.wrapping_add(1) << 23));
        let small = (f32::from_bits(magnitude) + coarse).to_bits().wrapping_sub(coarse.to_bits());
        // Half of what is cut off is added, less for even.
        let odd = magnitude.wrapping_shr(self.shift) & 1;
        let half = 1_u32.wrapping_shl(self.shift.wrapping_sub(1)).wrapping_sub(1);
        let rounded = magnitude.wrapping_sub(self.exponents).wrapping_add(half.wrapping_add(odd));
        let rounded = rounded.wrapping_shr(self.shift);
        let nearest = if magnitude < self.least().to_bits() { small } else { rounded };
        let code = if value.is_nan() {
            self.nan
        } else if nearest > self.finite {
            self.over
        } else {
            nearest
        };
        // Where a zero below 0 stands for what is no number, there is no other.
        let sign = if self.nan == 0x80 && code == 0 { 0 } else { bits.wrapping_shr(self.sign) };
        let signs = 0x8000_0000_u32.wrapping_shr(self.sign);
        code & 0xff | sign & signs
    }
}

macro_rules! floats {
    ($($Name:ident $FORMAT:ident $text:literal $over:literal $one:literal;)*) => {$(
        #[doc = $text]
        /// Codes are compared by their bits.
        ///
        /// ```
        #[doc = concat!("use strew::quant::", stringify!($Name), ";")]
        ///
        #[doc = concat!("assert_eq!(", stringify!($Name), "(", $one, ").to_f32(), 1.0);")]
        #[doc = concat!("assert_eq!(", stringify!($Name), "::from_f32(-0.75).to_f32(), -0.75);")]
        /// ```
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
        pub struct $Name(
            /// The bits.
            pub u8,
        );

        impl $Name {
            /// The value, exactly.
            #[inline(always)]
            #[must_use]
            pub fn to_f32(self) -> f32 {
                Float::$FORMAT.value(u32::from(self.0))
            }

            /// The nearest value, of two the even one.
            #[doc = $over]
            #[inline(always)]
            #[must_use]
            pub fn from_f32(value: f32) -> $Name {
                $Name(Float::$FORMAT.code(value) as u8)
            }
        }
    )*};
}

floats! {
    F8E4M3FN E4M3FN "ONNX `float8e4m3fn`, PyTorch's `float8_e4m3fn`: up to 448, and no infinity."
        "What rounds to more than 448 becomes NaN." "0x38";
    F8E4M3FNUZ E4M3FNUZ "ONNX `float8e4m3fnuz`: up to 240, no infinity, and one zero."
        "What rounds to more than 240 becomes NaN." "0x40";
    F8E5M2 E5M2 "ONNX `float8e5m2`, PyTorch's `float8_e5m2`: up to 57344, and infinity."
        "What rounds to more than 57344 becomes infinite." "0x3c";
    F8E5M2FNUZ E5M2FNUZ "ONNX `float8e5m2fnuz`: up to 57344, no infinity, and one zero."
        "What rounds to more than 57344 becomes NaN." "0x40";
}

/// Two of ONNX's `float4e2m1`, the first one in the low half: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and the
/// same below 0.
///
/// ```
/// use strew::quant::F4E2M1x2;
///
/// assert_eq!(F4E2M1x2(0xb7).decode(), [6.0, -1.5]);
/// assert_eq!(F4E2M1x2::encode(&[100.0, -1.4]), F4E2M1x2(0xb7));
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct F4E2M1x2(
    /// The bits.
    pub u8,
);

impl F4E2M1x2 {
    /// The number of values.
    pub const SIZE: usize = 2;

    /// The values, exactly.
    #[inline(always)]
    #[must_use]
    pub fn decode(self) -> [f32; 2] {
        let (first, second) = (u32::from(self.0 & 15), u32::from(self.0 >> 4));
        [Float::E2M1.value(first), Float::E2M1.value(second)]
    }

    /// The nearest values, of two the even one: at most 6 and at least -6. A NaN becomes a zero.
    #[inline(always)]
    #[must_use]
    pub fn encode(values: &[f32; 2]) -> F4E2M1x2 {
        let [low, high] = *values;
        F4E2M1x2((Float::E2M1.code(low) | Float::E2M1.code(high) << 4) as u8)
    }
}
