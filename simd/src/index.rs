//! Index types: their values become positions in arithmetic that the compiler can do in vectors.

pub(crate) mod sealed {
    use core::slice::from_ref;

    use bytemuck::Pod;

    pub trait Sealed: Pod + Default + Send + Sync {
        /// Whether indices may be below 0, and whether they have 64 bits.
        const SIGNED: bool;
        const WIDE: bool = size_of::<Self>() == size_of::<u64>();

        /// The index as 64 bits.
        fn extended(self) -> u64;

        /// Its low and its high half. Those of an index of 64 bits are read where they lie: a
        /// vector holds twice as many numbers of 32 bits. Record: gathers of single elements by i64
        /// and usize on Zen 3, 0.82x to 0.9x.
        #[inline(always)]
        fn halves(&self) -> (u32, u32) {
            match bytemuck::try_cast_slice(from_ref(self)) {
                Ok([high, low]) if cfg!(target_endian = "big") => (*low, *high),
                Ok([low, high]) => (*low, *high),
                _ => (self.extended() as u32, (self.extended() >> 32) as u32),
            }
        }

        /// All bits, if the index is below 0; none else.
        #[inline(always)]
        fn below(high: u32) -> u32 {
            if Self::SIGNED { (high.cast_signed() >> 31).cast_unsigned() } else { 0 }
        }

        /// The position modulo 2^32, and the high half of an index of 64 bits: first as a number
        /// that is 0 only in `-2^32..2^32`, or `0..2^32` without a sign, then as it is. `from_end`
        /// is added to indices below 0: the size of the axis, at most `i32::MAX`, or 0 if they are
        /// not on it. With 0, their position means nothing: of 64 bits, the high half is not 0; of
        /// fewer, the position is beyond every axis.
        #[inline(always)]
        fn counted(&self, from_end: u32) -> (u32, u32, u32) {
            let (low, high) = self.halves();
            let below = Self::below(high);
            let [wide, high] = if Self::WIDE { [high ^ below, high] } else { [0; 2] };
            (low.wrapping_add(below & from_end), wide, high)
        }

        /// The position, or `None` if it has more than 32 bits, or is that of another index.
        #[inline(always)]
        fn position(&self, from_end: u32) -> Option<u32> {
            let (position, wide, high) = self.counted(from_end);
            let other = if from_end == 0 { high } else { wide };
            (other == 0).then_some(position)
        }

        /// The position, the nearest one if the index is not on the axis. `size` is not 0.
        #[inline(always)]
        fn nearest_on_axis(&self, size: u32, from_end: u32) -> u32 {
            let end = size.wrapping_sub(1) & !Self::below(self.halves().1);
            self.position(from_end).filter(|position| *position < size).unwrap_or(end)
        }

        /// The Euclidean remainder, or `None` if the index, or what it lies below -1, has more than
        /// 32 bits. This is arithmetic that comes in vectors, as division does not. The quotient is
        /// the right one, or one less.
        #[inline(always)]
        fn remainder(&self, Divisor { size, inverse }: Divisor) -> Option<u32> {
            let (low, high) = self.halves();
            let below = Self::below(high);
            let number = low ^ below;
            let quotient = (u64::from(number).wrapping_mul(inverse.into()) >> 32) as u32;
            let rest = number.wrapping_sub(quotient.wrapping_mul(size));
            let rest = rest.min(rest.wrapping_sub(size));
            let from_end = size.wrapping_sub(1).wrapping_sub(rest);
            (high == below).then_some(if below != 0 { from_end } else { rest })
        }
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
    }
}
use sealed::Sealed;

/// `integers!(types => a type of 64 bits that has their values)`
macro_rules! integers {
    ($($index:ty)* => $wide:ty) => {$(
        impl Sealed for $index {
            const SIGNED: bool = <$index>::MIN != 0;

            #[inline(always)]
            fn extended(self) -> u64 {
                self as $wide as u64
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 isize => i64);
integers!(u8 u16 u32 u64 usize => u64);
