//! Element types, random values of them, and when two values are the same.

use std::fmt::Debug;

use half::{bf16, f16};
use strew::Element;

/// What a user of the crate might move. No kernel moves single elements of its 20 bytes.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::NoUninit)]
#[repr(C)]
pub struct Pixel {
    pub depth: f32,
    pub color: [u8; 4],
    pub normal: [f32; 3],
}

pub trait Sample: Element + Debug {
    /// A value of a small set, in which special values are frequent.
    fn sample(random: u64) -> Self;

    fn is_nan(self) -> bool {
        false
    }
}

macro_rules! sample_integers {
    ($($integer:ident)*) => {$(
        impl Sample for $integer {
            fn sample(random: u64) -> Self {
                match random % 8 {
                    0 => $integer::MIN,
                    1 => $integer::MAX,
                    2 => 0,
                    3 => 1,
                    _ => (random >> 3) as $integer,
                }
            }
        }
    )*};
}
sample_integers!(u8 i16 i64);

macro_rules! sample_floats {
    ($($float:ident)*) => {$(
        impl Sample for $float {
            fn sample(random: u64) -> Self {
                let (nan, infinity) = (f32::NAN, f32::INFINITY);
                let special =
                    [nan, -nan, infinity, -infinity, 0.0, -0.0, 1.0, 1e-45, f32::MAX, 65504.0];
                let value = match random % 16 {
                    choice if (choice as usize) < special.len() => special[choice as usize],
                    10..13 => ((random >> 8) % 17) as f32 - 8.0,
                    // Any exponent, any payload of a NaN.
                    _ => f32::from_bits((random >> 16) as u32),
                };
                convert::$float(value)
            }

            fn is_nan(self) -> bool {
                self != self
            }
        }
    )*};
}
sample_floats!(f16 bf16 f32 f64);

mod convert {
    pub fn f16(value: f32) -> half::f16 {
        half::f16::from_f32(value)
    }
    pub fn bf16(value: f32) -> half::bf16 {
        half::bf16::from_f32(value)
    }
    pub fn f32(value: f32) -> f32 {
        value
    }
    pub fn f64(value: f32) -> f64 {
        value.into()
    }
}

impl Sample for bool {
    fn sample(random: u64) -> Self {
        random.is_multiple_of(2)
    }
}

impl Sample for [u8; 3] {
    fn sample(random: u64) -> Self {
        [random as u8, (random >> 8) as u8, (random >> 16) as u8]
    }
}

impl Sample for Pixel {
    fn sample(random: u64) -> Self {
        let [depth, x, y, z] = [0, 8, 16, 24].map(|shift| f32::sample(random >> shift));
        Pixel { depth, color: (random as u32).to_le_bytes(), normal: [x, y, z] }
    }
}

/// Numbers without order or end, decided by `seed` and `stream`.
pub fn noise(seed: u64, stream: u64) -> impl Iterator<Item = u64> {
    // SplitMix64.
    (1_u64..).map(move |position| {
        let mut z = seed
            ^ (stream.wrapping_mul(0x1234_5678_9ABC_DEF1))
            ^ position.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
}

/// `len` values, decided by `seed` and `stream`.
pub fn samples<T: Sample>(len: usize, seed: u64, stream: u64) -> Vec<T> {
    noise(seed, stream).take(len).map(T::sample).collect()
}

/// Whether all bits of a NaN count. They do wherever values are moved or chosen; Rust leaves them
/// open where they are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nan {
    Exact,
    Any,
}

pub fn same<T: Sample>(a: T, b: T, nan: Nan) -> bool {
    bytemuck::bytes_of(&a) == bytemuck::bytes_of(&b)
        || (nan == Nan::Any && a.is_nan() && b.is_nan())
}
