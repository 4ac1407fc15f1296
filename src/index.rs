//! Index types, and the one rule that turns an index into a position on its axis.

/// What happens to an index that lies outside its axis.
///
/// A negative index first counts from the end, once: `-1` is the last element, unless [`Negative`]
/// says otherwise. The policy applies to what is then still outside. The results are the same on
/// every machine, for every index type.
///
/// Under `Error` every index is checked, also where its entry stands for no element. On an axis of
/// size 0 every index is an error under `Error`, and its entry is left out under the other three.
///
/// ```
/// use strew::{Bounds, Gather, Layout};
///
/// let table = Layout::contiguous([4]);
/// let three = Layout::contiguous([3]);
/// let gather = Gather::axis(&table, &three, &three, 0)?;
/// let gathered = |bounds| {
///     let mut output = [-1; 3];
///     gather
///         .bounds(bounds)
///         .run(&[10, 20, 30, 40], &[9, -1, -6], &mut output)
///         .map(|()| output)
/// };
/// assert!(gathered(Bounds::Error).is_err());
/// assert_eq!(gathered(Bounds::Clamp)?, [40, 40, 10]);
/// assert_eq!(gathered(Bounds::Wrap)?, [20, 40, 30]);
/// assert_eq!(gathered(Bounds::Skip)?, [-1, 40, -1]);
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bounds {
    /// The call fails with [`Error::IndexOutOfBounds`](crate::Error::IndexOutOfBounds), which names
    /// the first such index.
    #[default]
    Error,
    /// What is still below 0 becomes 0, and what is above `size - 1` becomes `size - 1`. `-1` is
    /// the last element, as in DirectML. With [`Negative::OutOfBounds`] it becomes 0, as in NumPy's
    /// `mode='clip'` and XLA's gather.
    #[doc(alias = "clip")]
    Clamp,
    /// The index becomes its Euclidean remainder modulo the size (NumPy's `wrap`).
    #[doc(alias = "modulo")]
    Wrap,
    /// The entry is left out: a scatter drops it, a gather leaves that part of the output as it was
    /// (JAX's `drop` and `fill`).
    ///
    /// `-1` is the last element under this policy too, unless [`Negative::OutOfBounds`] is set.
    #[doc(alias = "drop")]
    Skip,
}

impl Bounds {
    /// The position of an index on an axis of `size`, always below `size`, by the rule of every
    /// operator. `None` is out of bounds under [`Bounds::Error`], and left out under the other
    /// policies.
    ///
    /// This is for code that finds out where entries lead before they move, as that of a table on
    /// several machines does.
    ///
    /// ```
    /// use strew::{Bounds, Negative};
    ///
    /// assert_eq!(Bounds::Error.position(-1, 4, Negative::FromEnd), Some(3));
    /// assert_eq!(Bounds::Error.position(-1, 4, Negative::OutOfBounds), None);
    /// assert_eq!(Bounds::Clamp.position(u64::MAX, 4, Negative::FromEnd), Some(3));
    /// ```
    #[inline]
    #[must_use]
    pub fn position<I: Index>(self, index: I, size: usize, negative: Negative) -> Option<usize> {
        resolve(index, size, self, negative)
    }
}

impl Bounds {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Bounds::Error => "error",
            Bounds::Clamp => "clamp",
            Bounds::Wrap => "wrap",
            Bounds::Skip => "skip",
        }
    }
}

/// What an index below 0 means.
///
/// Under `OutOfBounds` the [policy](Bounds) treats it as any other index that is out of bounds: it
/// is an error, becomes 0, is taken modulo the size, or its entry is left out. Unsigned indices are
/// the same under both.
///
/// ```
/// use strew::{Bounds, Gather, Layout, Negative};
///
/// // -1 is padding, as it is in many lists of ids or slots.
/// let table = Layout::contiguous([4]);
/// let three = Layout::contiguous([3]);
/// let gather = Gather::axis(&table, &three, &three, 0)?;
/// let gather = gather.bounds(Bounds::Skip).negative(Negative::OutOfBounds);
/// let mut output = [0; 3];
/// gather.run(&[10, 20, 30, 40], &[2, -1, 0], &mut output)?;
/// assert_eq!(output, [30, 0, 10]);
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Negative {
    /// It counts from the end of the axis, once: `-1` is the last element (ONNX, NumPy).
    #[default]
    FromEnd,
    /// It is out of bounds: in all of PyTorch's operators but `a[i]`, `take`, `put_`, `index_put_`
    /// and `index_fill_`, and in `bincount`; as padding in vLLM and FBGEMM.
    OutOfBounds,
}

/// The integers that can be an index: `u8 u16 u32 u64 usize i8 i16 i32 i64 isize`.
///
/// Signed values below 0 count from the end of the axis, unless [`Negative`] says otherwise.
/// Unsigned values do not wrap: `u64::MAX` is out of bounds, also where `usize` has 32 bits. This
/// trait is sealed.
///
/// ```
/// use strew::{Gather, Index, Layout};
///
/// fn first<I: Index>(indices: &[I; 1]) -> Result<char, strew::Error> {
///     let table = Layout::contiguous([3]);
///     let one = Layout::contiguous([1]);
///     let mut output = ['?'];
///     Gather::axis(&table, &one, &one, 0)?.run(
///         &['a', 'b', 'c'],
///         indices,
///         &mut output,
///     )?;
///     Ok(output[0])
/// }
/// assert_eq!(first(&[2_u8]), Ok('c'));
/// assert_eq!(first(&[-3_i64]), Ok('a'));
/// assert!(first(&[u64::MAX]).is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index",
    label = "not one of the ten integer types that index",
    note = "indices are `u8 u16 u32 u64 usize i8 i16 i32 i64 isize`",
    note = "a mask of `bool` chooses elements by `strew::mask`; floats are cast first, as by \
            `x.floor() as i32`, which makes a NaN 0; indices that may be missing are a \
            `strew::Nullable`"
)]
pub trait Index: sealed::Sealed {
    /// The index as an integer of a type that holds those of all types.
    ///
    /// ```
    /// use strew::Index;
    ///
    /// fn smallest<I: Index>(indices: &[I]) -> Option<i128> {
    ///     indices.iter().map(|index| index.value()).min()
    /// }
    /// assert_eq!(smallest(&[3_i8, -4]), Some(-4));
    /// assert_eq!(smallest(&[u64::MAX]), Some((1 << 64) - 1));
    /// ```
    ///
    /// What the crate itself needs of an index is no method of it:
    ///
    /// ```compile_fail,E0599
    /// fn place<I: strew::Index>(index: I) {
    ///     index.proven_position(5);
    /// }
    /// ```
    #[inline]
    fn value(self) -> i128 {
        Self::wide(self).value()
    }
}

pub(crate) mod sealed {
    use super::Negative;

    /// An index as sign and magnitude, which holds every value of every index type.
    #[derive(Clone, Copy)]
    pub struct Wide {
        pub negative: bool,
        pub magnitude: u64,
    }

    /// What a walk needs of an index. All are functions, not methods: those would be called by
    /// accident, and collide with a user's.
    pub trait Value: Copy {
        /// Whether `usize` is at least as wide, so that [`position`](Value::position) decides on
        /// every axis.
        const FITS: bool = size_of::<Self>() <= size_of::<usize>();

        /// The position on an axis of `size`, with negative values as it is said. A result that
        /// is not below `size` is no position. [`super::resolve`] may still find one, if the type
        /// is wider than `usize` and the axis longer than [`super::LONGEST`].
        fn position(index: Self, size: usize, negative: Negative) -> usize;
        /// The position of an index that is known to be on an axis of `size`.
        fn proven_position(index: Self, size: usize) -> usize;
        /// Whether the index is on an axis of `size`, in one comparison. The result may be `false`
        /// for an index that is, but only if the axis is longer than [`super::LONGEST`].
        fn is_inside(index: Self, size: usize, negative: Negative) -> bool;
        fn wide(index: Self) -> Wide;
    }

    /// What the vector kernels need from an index type.
    #[cfg(not(feature = "std"))]
    pub trait Vectors {}
    #[cfg(not(feature = "std"))]
    impl<I> Vectors for I {}
    #[cfg(feature = "std")]
    pub use strew_simd::Index as Vectors;

    /// What the crate needs of an index type beyond that.
    pub trait Sealed: Value + Vectors + crate::element::Element + 'static {
        /// The index of a position, if the type has it.
        fn of(position: usize) -> Option<Self>;
        /// The same for a position that the type has.
        fn cut(position: usize) -> Self;
        /// The position of an index below 0, counted from the end of an axis of `size`, which is
        /// not above [`super::LONGEST`]. A result that is not below `size` is no position; that of
        /// an index from 0 on never is one.
        #[cfg(not(feature = "std"))]
        fn from_end(index: Self, size: usize) -> usize;
    }
}
use sealed::{Sealed, Value, Wide};

macro_rules! unsigned {
    ($($index:ty)*) => {$(
        impl Index for $index {}
        impl Value for $index {
            #[inline(always)]
            fn position(index: Self, _size: usize, _negative: Negative) -> usize {
                usize::try_from(index).unwrap_or(usize::MAX)
            }
            #[inline(always)]
            fn proven_position(index: Self, _size: usize) -> usize {
                index as usize
            }
            #[inline(always)]
            fn is_inside(index: Self, size: usize, negative: Negative) -> bool {
                Self::position(index, size, negative) < size
            }
            #[inline]
            fn wide(index: Self) -> Wide {
                Wide { negative: false, magnitude: index as u64 }
            }
        }
        impl Sealed for $index {
            #[inline]
            fn of(position: usize) -> Option<Self> {
                <$index>::try_from(position).ok()
            }
            #[inline(always)]
            fn cut(position: usize) -> Self {
                position as $index
            }
            #[cfg(not(feature = "std"))]
            #[inline(always)]
            fn from_end(_index: Self, _size: usize) -> usize {
                usize::MAX
            }
        }
    )*};
}
unsigned!(u8 u16 u32 u64 usize);

macro_rules! signed {
    ($($index:ty)*) => {$(
        impl Index for $index {}
        impl Value for $index {
            // The sum `size + index` is taken modulo 2^bits of usize. For -size <= index < 0 it is
            // the position. Below that it is 2^bits plus a negative number no smaller than
            // isize::MIN, which is not below `size`.
            #[inline(always)]
            fn position(index: Self, size: usize, negative: Negative) -> usize {
                if matches!(negative, Negative::OutOfBounds) {
                    return usize::try_from(index).unwrap_or(usize::MAX);
                }
                match isize::try_from(index) {
                    Ok(index) => (index as usize).wrapping_add(if index < 0 { size } else { 0 }),
                    Err(_) => usize::MAX,
                }
            }
            // The conversion cuts off a multiple of 2^bits of usize.
            #[inline(always)]
            fn proven_position(index: Self, size: usize) -> usize {
                (index as usize).wrapping_add(if index < 0 { size } else { 0 })
            }
            // This is -size <= index < size, moved up by `size`. An index below -size becomes
            // 2^bits plus a negative number no smaller than isize::MIN + size, which is not below
            // 2 * size unless that saturates. If it does, no isize is below -size.
            #[inline(always)]
            fn is_inside(index: Self, size: usize, negative: Negative) -> bool {
                if matches!(negative, Negative::OutOfBounds) {
                    return Self::position(index, size, negative) < size;
                }
                isize::try_from(index).is_ok_and(|index| {
                    (index as usize).wrapping_add(size) < size.saturating_mul(2)
                })
            }
            #[inline]
            fn wide(index: Self) -> Wide {
                Wide { negative: index < 0, magnitude: index.unsigned_abs() as u64 }
            }
        }
        impl Sealed for $index {
            #[inline]
            fn of(position: usize) -> Option<Self> {
                <$index>::try_from(position).ok()
            }
            #[inline(always)]
            fn cut(position: usize) -> Self {
                position as $index
            }
            // The sum of [`Value::position`] for every index, so that none is compared with 0. For
            // an index from 0 on it is at least `size`: twice isize::MAX is below 2^bits.
            #[cfg(not(feature = "std"))]
            #[inline(always)]
            fn from_end(index: Self, size: usize) -> usize {
                isize::try_from(index)
                    .map_or(usize::MAX, |index| (index as usize).wrapping_add(size))
            }
        }
    )*};
}
signed!(i8 i16 i32 i64 isize);

/// The size of an axis up to which [`Value::position`] and [`Value::is_inside`] decide, whatever
/// the type. Loops of constant plans over such axes do not call [`outside`], so they keep their
/// registers, and unroll.
pub(crate) const LONGEST: usize = isize::MAX as usize;

/// The position of `index` on an axis of `size`, always below `size`. `None` means out of bounds
/// under `Bounds::Error`, and left out under the other policies.
#[inline(always)]
pub(crate) fn resolve<I: Value>(
    index: I,
    size: usize,
    bounds: Bounds,
    negative: Negative,
) -> Option<usize> {
    let position = I::position(index, size, negative);
    if position < size {
        Some(position)
    } else if matches!(bounds, Bounds::Error) && (I::FITS || size <= LONGEST) {
        None
    } else {
        outside(I::wide(index), size, bounds, negative)
    }
}

/// The rare half of [`resolve`], exact for every value and compiled once for all index types.
#[cold]
#[inline(never)]
fn outside(index: Wide, size: usize, bounds: Bounds, negative: Negative) -> Option<usize> {
    if size == 0 {
        return None;
    }
    let last = size as u64 - 1;
    // Only an index wider than `usize` can get here although it is inside.
    let inside = match (index.negative, negative) {
        (false, _) => index.magnitude <= last,
        (true, Negative::FromEnd) => index.magnitude <= last + 1,
        (true, Negative::OutOfBounds) => false,
    };
    let position = match bounds {
        _ if inside => {
            if index.negative {
                last + 1 - index.magnitude
            } else {
                index.magnitude
            }
        }
        Bounds::Error | Bounds::Skip => return None,
        Bounds::Clamp => {
            if index.negative {
                0
            } else {
                last
            }
        }
        Bounds::Wrap => {
            let remainder = remainder(index.magnitude, size);
            if index.negative && remainder > 0 { size as u64 - remainder } else { remainder }
        }
    };
    usize::try_from(position).ok()
}

/// `magnitude % size`. Where `usize` is shorter than an index, a division of both is many times the
/// code of this.
fn remainder(magnitude: u64, size: usize) -> u64 {
    if let Ok(magnitude) = usize::try_from(magnitude) {
        return magnitude.checked_rem(size).unwrap_or(0) as u64;
    }
    let (size, mut remainder) = (size as u64, 0);
    for bit in (0..u64::BITS).rev() {
        remainder = remainder << 1 | magnitude >> bit & 1;
        if remainder >= size {
            remainder -= size;
        }
    }
    remainder
}

/// The indices of a call whose type is known at run time.
impl Value for Wide {
    const FITS: bool = false;

    fn position(index: Self, size: usize, negative: Negative) -> usize {
        let magnitude = usize::try_from(index.magnitude);
        let position = match (index.negative, negative) {
            (false, _) => magnitude.ok(),
            (true, Negative::FromEnd) => magnitude.ok().and_then(|below| size.checked_sub(below)),
            (true, Negative::OutOfBounds) => None,
        };
        position.unwrap_or(usize::MAX)
    }

    fn proven_position(index: Self, size: usize) -> usize {
        Self::position(index, size, Negative::FromEnd)
    }

    fn is_inside(index: Self, size: usize, negative: Negative) -> bool {
        Self::position(index, size, negative) < size
    }

    fn wide(index: Self) -> Wide {
        index
    }
}

impl Wide {
    pub(crate) fn value(self) -> i128 {
        let magnitude = i128::from(self.magnitude);
        if self.negative { -magnitude } else { magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICIES: [Bounds; 4] = [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip];

    /// The rule in arbitrary precision.
    fn oracle(value: i128, size: i128, bounds: Bounds, negative: Negative) -> Option<usize> {
        let from_end = value < 0 && negative == Negative::FromEnd;
        let counted = if from_end { value + size } else { value };
        let position = match bounds {
            _ if size == 0 => None,
            _ if (0..size).contains(&counted) => Some(counted),
            Bounds::Error | Bounds::Skip => None,
            Bounds::Clamp => Some(counted.clamp(0, size - 1)),
            Bounds::Wrap => Some(counted.rem_euclid(size)),
        };
        position.map(|position| position as usize)
    }

    fn every_policy<I: Index>(index: I, value: i128, size: usize, negative: Negative) {
        for bounds in POLICIES {
            let case = format_args!("{value} on {size}, {bounds:?}, {negative:?}");
            let position = oracle(value, size as i128, bounds, negative);
            assert_eq!(resolve(index, size, bounds, negative), position, "{case}");
            assert_eq!(outside(I::wide(index), size, bounds, negative), position, "{case}");
            assert_eq!(resolve(I::wide(index), size, bounds, negative), position, "{case}");
        }
        let proven = oracle(value, size as i128, Bounds::Error, negative);
        if let Some(position) = proven {
            assert_eq!(I::proven_position(index, size), position, "{value} on {size}");
        }
        if size <= LONGEST {
            let inside = I::is_inside(index, size, negative);
            assert_eq!(inside, proven.is_some(), "{value} on {size}, {negative:?}");
            #[cfg(not(feature = "std"))]
            if negative == Negative::FromEnd {
                let found = Some(I::from_end(index, size)).filter(|position| *position < size);
                assert_eq!(found, proven.filter(|_| value < 0), "{value} on {size}");
            }
        }
    }

    macro_rules! test_types {
        ($($index:ident)*) => {$(
            #[test]
            fn $index() {
                let half = usize::MAX / 2;
                let small = [0, 1, 2, 5, 127, 128, 129, 255, 256, 257, 65_536, 1 << 31];
                let large = [half / 2, half, half + 1, half + 2, usize::MAX - 1, usize::MAX];
                for size in small.into_iter().chain(large) {
                    let size_ = size as i128;
                    let (min, max) = ($index::MIN as i128, $index::MAX as i128);
                    for around in [0, size_, -size_, min, max, min / 2, max / 2, 1 << 31, 1 << 32] {
                        for value in around - 3..=around + 3 {
                            let Ok(index) = $index::try_from(value) else { continue };
                            for negative in [Negative::FromEnd, Negative::OutOfBounds] {
                                every_policy(index, value, size, negative);
                            }
                            assert_eq!(index.value(), value);
                        }
                    }
                }
            }
        )*};
    }
    test_types!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
}
