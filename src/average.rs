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

    /// A sum of no values, to which a first one can be added without a change of the mean: `-0.0`.
    /// `None`: elements do not hold their sums. This is not part of the interface.
    #[doc(hidden)]
    const START: Option<Self>;

    /// Sets each element of a row to the [`mean`](Average::mean) of its sum, which has `count`
    /// values: of the words, or of the element itself if sums have none. This is not part of the
    /// interface.
    #[doc(hidden)]
    #[inline(always)]
    fn divide_row(row: &mut [Self], words: &[u32], count: u64) {
        divide_each(row, words, |sum| Self::mean(sum, count));
    }
}

/// Sets each element of a row to the mean of its sum: of its words, or of itself if it has none.
#[inline(always)]
fn divide_each<T: Average>(row: &mut [T], words: &[u32], mean: impl Fn(T::Sum) -> T) {
    if T::SUM_WORDS == 0 {
        return row.iter_mut().for_each(|to| *to = mean(to.widen()));
    }
    let words = words.chunks_exact(T::SUM_WORDS.max(1));
    row.iter_mut().zip(words).for_each(|(to, words)| *to = mean(T::load(words)));
}

/// Values of a sum that are few: of integers of up to 32 bits, its magnitude is less than 2^51.
/// Where a register holds more bits than an `f64` has, none are.
#[cfg(feature = "std")]
const FEW: u64 =
    if cfg!(all(target_arch = "x86", not(target_feature = "sse2"))) { 0 } else { 1 << 19 };

/// `average!(types, sums in a type, its words, START, + and *, |value| sum, |sum, count| mean)`;
/// the mean of at most [`FEW`] values after that, if compilers turn one into vectors.
macro_rules! average {
    ($($element:ty)*, $sum:ty, $words:literal, $start:expr, $plus:expr, $times:expr,
        |$widened:ident| $widen:expr, |$total:ident, $count:ident| $mean:expr
    ) => {
        average!($($element)*, $sum, $words, $start, $plus, $times,
            |$widened| $widen, |$total, $count| $mean, Self::mean);
    };
    ($($element:ty)*, $sum:ty, $words:literal, $start:expr, $plus:expr, $times:expr,
        |$widened:ident| $widen:expr, |$total:ident, $count:ident| $mean:expr, $mean_of_few:expr
    ) => {$(
        impl Average for $element {
            type Sum = $sum;

            const SUM_WORDS: usize = $words;
            const START: Option<$element> = $start;

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

            #[cfg(feature = "std")]
            #[inline(always)]
            fn divide_row(row: &mut [$element], words: &[u32], count: u64) {
                if const { size_of::<$sum>() <= 8 } && (1..=FEW).contains(&count) {
                    divide_each(row, words, |sum| $mean_of_few(sum, count));
                } else {
                    divide_each(row, words, |sum| Self::mean(sum, count));
                }
            }
        }
    )*};
}
average!(u8 u16 u32, u64, 2, None, u64::wrapping_add, u64::wrapping_mul,
    |value| u64::from(value), |sum, count| (sum / count.max(1)) as Self,
    |sum: u64, count| quotient(sum as i64, count) as Self);
average!(i8 i16 i32, i64, 2, None, i64::wrapping_add, i64::wrapping_mul,
    |value| i64::from(value), |sum, count| floor(sum, count) as Self,
    |sum, count: u64| quotient(sum, count) as Self);
average!(u64 usize, u128, 4, None, u128::wrapping_add, u128::wrapping_mul,
    |value| value as u128, |sum, count| (sum / u128::from(count.max(1))) as Self);
average!(i64 isize, i128, 4, None, i128::wrapping_add, i128::wrapping_mul,
    |value| value as i128,
    |sum, count| sum.checked_div_euclid(i128::from(count)).unwrap_or(sum) as Self);
average!(
    f32,
    f32,
    0,
    Some(-0.0),
    |a, b| a + b,
    |a, b| a * b,
    |value| value,
    |sum, count| divide(sum, count),
    |sum: f32, count: u64| sum / count as f32
);
average!(f64, f64, 0, Some(-0.0), |a, b| a + b, |a, b| a * b, |a| a, |sum, n| sum / divisor(n));

#[cfg(feature = "half")]
mod halves {
    use half::{bf16, f16};

    use super::*;
    use crate::quant::numbers::{bf16_from_f32, bf16_to_f32, f16_from_f32, f16_to_f32};

    /// With `std` in conversions that compilers turn into vectors; small machines take fewer
    /// instructions by those of the crate `half`.
    macro_rules! half {
        ($half:ty, $widen:ident, $narrow:ident) => {
            average!(
                $half,
                f32,
                1,
                None,
                |a, b| a + b,
                |a, b| a * b,
                |value| if cfg!(feature = "std") { $widen(value) } else { value.to_f32() },
                |sum, count| if cfg!(feature = "std") {
                    $narrow(divide(sum, count))
                } else {
                    Self::from_f32(divide(sum, count))
                },
                |sum: f32, count: u64| $narrow(sum / count as f32)
            );
        };
    }
    half!(f16, f16_to_f32, f16_from_f32);
    half!(bf16, bf16_to_f32, bf16_from_f32);
}

/// The quotient rounded down. No count of values in memory is more than an `i64` holds.
#[inline(always)]
fn floor(sum: i64, count: u64) -> i64 {
    sum.checked_div_euclid(count as i64).unwrap_or(sum)
}

/// The quotient rounded down, for magnitudes of less than 2^51 and at most [`FEW`] values. As an
/// `f64` it is less than an integer if the exact one is, which is less by `1 / count` or more.
#[cfg(feature = "std")]
#[inline(always)]
fn quotient(sum: i64, count: u64) -> u64 {
    // From here on floats are integers, up to 2^51 in both directions: the low bits are those of
    // what has been added.
    const INTEGERS: f64 = 6_755_399_441_055_744.0;
    let sum = f64::from_bits(INTEGERS.to_bits().wrapping_add_signed(sum)) - INTEGERS;
    let quotient = sum / divisor(count);
    let nearest = quotient + INTEGERS;
    nearest.to_bits().wrapping_sub(u64::from(nearest - INTEGERS > quotient))
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
    const START: Option<[T; N]> = match T::START {
        Some(start) => Some([start; N]),
        None => None,
    };

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

#[cfg(all(test, feature = "std"))]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    /// Rows of few values are divided as single elements are, around each integer.
    #[test]
    fn rows_are_divided_as_elements_are() {
        fn check<T: Average + PartialEq + core::fmt::Debug>(sum: T::Sum, count: u64) {
            let mut words = [0; 2];
            T::store(sum, &mut words[..T::SUM_WORDS]);
            // The sum itself, where it has no words.
            let mut row = [T::mean(sum, 1)];
            T::divide_row(&mut row, &words[..T::SUM_WORDS], count);
            assert_eq!(row, [T::mean(sum, count)], "{count}");
        }
        for count in [1, 2, 3, 7, 10, 255, 256, 999_983, FEW >> 1, FEW, FEW + 1, 1 << 25] {
            for value in (0..=32).map(|bits| 1_i64 << bits).flat_map(|bit| [bit - 1, bit, bit + 1])
            {
                for near in [-1, 0, 1] {
                    let sum = (value * count as i64 + near).clamp(0, (count as i64) << 32);
                    check::<u32>((sum as u64).min(count * 0xffff_ffff), count);
                    check::<u16>(sum as u64 % (count * 0xffff), count);
                    check::<u8>(sum as u64 % (count * 0xff), count);
                    for sum in [sum, -sum].map(|sum| sum / 2) {
                        check::<i32>(sum, count);
                        check::<i16>(sum % (count as i64 * 0x7fff), count);
                        check::<i8>(sum % (count as i64 * 0x7f), count);
                    }
                    check::<f32>(sum as f32 / 7.0, count);
                    check::<f64>(sum as f64 / -7.0, count);
                    #[cfg(feature = "half")]
                    for sum in [sum as f32, sum as f32 / -65_536.0] {
                        check::<half::f16>(sum, count);
                        check::<half::bf16>(sum, count);
                    }
                }
            }
        }
    }
}
