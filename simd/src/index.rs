//! Index types: their values become positions in arithmetic that the compiler can do in vectors.

pub(crate) mod sealed {
    pub trait Sealed: Copy + Default + Send + Sync + 'static {
        /// The low 32 bits of the position, and a number of more than 32 bits if the position has
        /// more, or is below 0. `from_end` is added to values below 0: the size of the axis, which
        /// is at most `i32::MAX`, or 0 if they are not on it.
        fn counted(self, from_end: u32) -> (u32, u64);

        /// The position, the nearest one if the index is not on the axis. `size` is not 0.
        fn nearest_on_axis(self, size: u32, from_end: u32) -> u32;

        /// The Euclidean remainder, and a number of more than 32 bits if the index, or what it
        /// lies below -1, has more: then the remainder means nothing.
        fn remainder(self, divisor: Divisor) -> (u32, u64);
    }

    /// What indices are divided by: a size that is not 0, and at most `i32::MAX`.
    #[derive(Clone, Copy)]
    pub struct Divisor {
        size: u32,
        /// `2^32 / size`, rounded down, and at most `u32::MAX`.
        inverse: u32,
    }

    impl Divisor {
        #[inline(always)]
        pub fn of(size: u32) -> Divisor {
            let inverse = (1_u64 << 32).checked_div(size.into()).unwrap_or(0);
            Divisor { size, inverse: inverse.min(u32::MAX.into()) as u32 }
        }

        /// `number % size`, in arithmetic that comes in vectors, as division does not. The quotient
        /// by the inverse is the right one, or one less. If `below`, the remainder is that of
        /// `-1 - number`.
        #[inline(always)]
        pub(in crate::index) fn remainder(self, number: u32, below: bool) -> u32 {
            let quotient = (u64::from(number).wrapping_mul(self.inverse.into()) >> 32) as u32;
            let rest = number.wrapping_sub(quotient.wrapping_mul(self.size));
            let rest = rest.min(rest.wrapping_sub(self.size));
            if below { self.size.wrapping_sub(1).wrapping_sub(rest) } else { rest }
        }
    }
}
use sealed::{Divisor, Sealed};

/// `integers!(types => whether they are signed, the type to compute in, its unsigned type)`
macro_rules! integers {
    ($($index:ty)* => $signed:literal, $wide:ty, $unsigned:ty) => {$(
        impl Sealed for $index {
            #[inline(always)]
            fn counted(self, from_end: u32) -> (u32, u64) {
                let wide = self as $wide;
                let below = if $signed { wide >> (<$wide>::BITS - 1) } else { 0 };
                let position = wide.wrapping_add(below & from_end as $wide) as $unsigned;
                (position as u32, if <$wide>::BITS > 32 { position as u64 } else { 0 })
            }
            #[inline(always)]
            fn nearest_on_axis(self, size: u32, from_end: u32) -> u32 {
                let wide = self as $wide;
                let below = if $signed { wide >> (<$wide>::BITS - 1) } else { 0 };
                let position = wide.wrapping_add(below & from_end as $wide);
                position.max(0).min((size as $wide).wrapping_sub(1)) as u32
            }
            #[inline(always)]
            fn remainder(self, divisor: Divisor) -> (u32, u64) {
                let wide = self as $wide;
                let below = if $signed { wide >> (<$wide>::BITS - 1) } else { 0 };
                let number = (wide ^ below) as $unsigned;
                let rest = divisor.remainder(number as u32, below != 0);
                (rest, if <$wide>::BITS > 32 { number as u64 } else { 0 })
            }
        }
    )*};
}
integers!(i8 i16 i32 => true, i32, u32);
integers!(i64 isize => true, i64, u64);
integers!(u8 u16 u32 => false, u32, u32);
integers!(u64 usize => false, u64, u64);
