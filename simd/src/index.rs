//! Index types: their values become positions in arithmetic that the compiler can do in vectors.

pub(crate) mod sealed {
    pub trait Sealed: Copy + Default + Send + Sync + 'static {
        /// The low 32 bits of the position, and a number of more than 32 bits if the position has
        /// more, or is below 0. `from_end` is added to values below 0: the size of the axis, which
        /// is at most `i32::MAX`, or 0 if they are not on it.
        fn counted(self, from_end: u32) -> (u32, u64);

        /// The position, the nearest one if the index is not on the axis. `size` is not 0.
        fn nearest_on_axis(self, size: u32, from_end: u32) -> u32;
    }
}
use sealed::Sealed;

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
        }
    )*};
}
integers!(i8 i16 i32 => true, i32, u32);
integers!(i64 isize => true, i64, u64);
integers!(u8 u16 u32 => false, u32, u32);
integers!(u64 usize => false, u64, u64);
