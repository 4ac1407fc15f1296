//! Means: what sums are held in, and how they are divided.

use crate::element::Element;

/// The number types that [`Scatter::mean`](crate::Scatter::mean) and [`Mean`](crate::Mean) average,
/// and arrays of them.
///
/// `mean = sum / count`. The sum is held in 64 bits for integers of up to 32 bits, and in 128 bits
/// for longer ones, exactly; in `f32` for `f16` and `bf16`; in themselves for `f32` and `f64`. Sums
/// of floats round at each addition, in order. The quotient is rounded to the type of the elements,
/// that of integers down (PyTorch's rule).
///
/// The quotient of an `f32` sum is the nearest `f32` for counts of up to 2^28; above that it can be
/// off by one bit. That of `f16` and `bf16` is rounded to `f32` first.
///
/// ```
/// use strew::Average;
///
/// // 200 and 100 as u8, and -3 and -4 as i32.
/// assert_eq!(u8::mean(200_u8.widen() + 100_u8.widen(), 2), 150);
/// assert_eq!(i32::mean(-7, 2), -4);
/// assert_eq!(f64::mean(7.0, 2), 3.5);
/// ```
pub trait Average: Element {
    /// What sums are held in.
    type Sum: Copy;

    /// The words of 32 bits that a sum takes in scratch: 0 if elements hold their sums themselves.
    const SUM_WORDS: usize;

    /// The value as a sum of one.
    #[must_use]
    fn widen(self) -> Self::Sum;

    /// `a + b`; integers wrap.
    #[must_use]
    fn plus(a: Self::Sum, b: Self::Sum) -> Self::Sum;

    /// `a * b`, for weights; integers wrap.
    #[must_use]
    fn times(a: Self::Sum, b: Self::Sum) -> Self::Sum;

    /// `sum / count`, as an element. A count of 0 is taken as 1.
    #[must_use]
    fn mean(sum: Self::Sum, count: u64) -> Self;

    /// Writes a sum to its [words](Average::SUM_WORDS).
    fn store(sum: Self::Sum, words: &mut [u32]);

    /// Reads a sum from its [words](Average::SUM_WORDS).
    #[must_use]
    fn load(words: &[u32]) -> Self::Sum;
}

/// `average!(types, sums in a type, its words; + and *; |sum, count| mean)`
macro_rules! average {
    ($($element:ty)*, $sum:ty, $words:literal, $plus:expr, $times:expr,
        |$widened:ident| $widen:expr, |$total:ident, $count:ident| $mean:expr
    ) => {$(
        impl Average for $element {
            type Sum = $sum;

            const SUM_WORDS: usize = $words;

            #[inline(always)]
            fn widen(self) -> $sum {
                let $widened = self;
                $widen
            }

            #[inline(always)]
            fn plus(a: $sum, b: $sum) -> $sum {
                $plus(a, b)
            }

            #[inline(always)]
            fn times(a: $sum, b: $sum) -> $sum {
                $times(a, b)
            }

            #[inline(always)]
            fn mean($total: $sum, $count: u64) -> $element {
                $mean
            }

            #[inline(always)]
            fn store(sum: $sum, words: &mut [u32]) {
                if let Some(words) = words.first_chunk_mut::<{ size_of::<$sum>() / 4 }>() {
                    *words = bytemuck::must_cast(sum);
                }
            }

            #[inline(always)]
            fn load(words: &[u32]) -> $sum {
                match words.first_chunk::<{ size_of::<$sum>() / 4 }>() {
                    Some(words) => bytemuck::must_cast(*words),
                    None => <$sum>::default(),
                }
            }
        }
    )*};
}
average!(u8 u16 u32, u64, 2, u64::wrapping_add, u64::wrapping_mul,
    |value| u64::from(value), |sum, count| (sum / count.max(1)) as Self);
average!(i8 i16 i32, i64, 2, i64::wrapping_add, i64::wrapping_mul,
    |value| i64::from(value), |sum, count| floor(sum, count) as Self);
average!(u64 usize, u128, 4, u128::wrapping_add, u128::wrapping_mul,
    |value| value as u128, |sum, count| (sum / u128::from(count.max(1))) as Self);
average!(i64 isize, i128, 4, i128::wrapping_add, i128::wrapping_mul,
    |value| value as i128,
    |sum, count| sum.checked_div_euclid(i128::from(count)).unwrap_or(sum) as Self);
average!(f32, f32, 0, |a, b| a + b, |a, b| a * b, |value| value, |sum, count| divide(sum, count));
average!(f64, f64, 0, |a, b| a + b, |a, b| a * b, |value| value, |sum, count| sum / divisor(count));

#[cfg(feature = "half")]
mod halves {
    use half::{bf16, f16};

    use super::*;
    use crate::quant::numbers::{bf16_to_f32, f16_to_f32};

    average!(
        f16,
        f32,
        1,
        |a, b| a + b,
        |a, b| a * b,
        |value| if cfg!(feature = "std") { f16_to_f32(value) } else { value.to_f32() },
        |sum, count| f16::from_f32(divide(sum, count))
    );
    average!(
        bf16,
        f32,
        1,
        |a, b| a + b,
        |a, b| a * b,
        |value| if cfg!(feature = "std") { bf16_to_f32(value) } else { value.to_f32() },
        |sum, count| bf16::from_f32(divide(sum, count))
    );
}

/// The quotient rounded down. No count of values in memory is more than an `i64` holds.
#[inline(always)]
fn floor(sum: i64, count: u64) -> i64 {
    sum.checked_div_euclid(count as i64).unwrap_or(sum)
}

/// The count as a float, at least 1. With `std` by way of a signed integer, which x86 converts in
/// one instruction: no count of values in memory is more than one holds.
#[inline(always)]
fn divisor(count: u64) -> f64 {
    if cfg!(feature = "std") {
        count.clamp(1, i64::MAX as u64) as i64 as f64
    } else {
        count.max(1) as f64
    }
}

#[inline(always)]
fn divide(sum: f32, count: u64) -> f32 {
    match count {
        0 => sum,
        // `f32` holds these counts exactly, and small machines divide it in hardware. Beyond them
        // `f64` divides: up to counts of 2^28, rounding its quotient gives what rounding once does.
        1..=0x100_0000 => sum / count as f32,
        _ => (f64::from(sum) / count as f64) as f32,
    }
}

impl<T: Average, const N: usize> Average for [T; N]
where
    [T; N]: Element,
{
    type Sum = [T::Sum; N];

    const SUM_WORDS: usize = T::SUM_WORDS * N;

    #[inline(always)]
    fn widen(self) -> Self::Sum {
        self.map(T::widen)
    }

    #[inline(always)]
    fn plus(mut a: Self::Sum, b: Self::Sum) -> Self::Sum {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = T::plus(*a, b));
        a
    }

    #[inline(always)]
    fn times(mut a: Self::Sum, b: Self::Sum) -> Self::Sum {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = T::times(*a, b));
        a
    }

    #[inline(always)]
    fn mean(sum: Self::Sum, count: u64) -> Self {
        sum.map(|sum| T::mean(sum, count))
    }

    #[inline(always)]
    fn store(sum: Self::Sum, words: &mut [u32]) {
        for (sum, words) in sum.into_iter().zip(words.chunks_exact_mut(T::SUM_WORDS.max(1))) {
            T::store(sum, words);
        }
    }

    #[inline(always)]
    fn load(words: &[u32]) -> Self::Sum {
        core::array::from_fn(|n| {
            T::load(words.get(n.wrapping_mul(T::SUM_WORDS)..).unwrap_or_default())
        })
    }
}
