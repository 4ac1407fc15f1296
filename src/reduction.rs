//! How a scatter combines an update with the value that is there.

use core::hint::select_unpredictable;

#[cfg(feature = "std")]
use bytemuck::{must_cast_slice, must_cast_slice_mut};
use num_traits::Bounded;
#[cfg(feature = "rayon")]
use strew_simd::Listed;
#[cfg(feature = "std")]
use strew_simd::{Block, Path, combine};

use crate::copy::copy_row;
#[cfg(feature = "std")]
use crate::copy::repeated;
use crate::element::Element;
#[cfg(feature = "std")]
use crate::engine::tuning;

/// `data[place] = combine(data[place], update)`: combines the value of a place with an update.
///
/// The result is that of row-major order of the indices, always. The reductions of this crate are
/// zero-sized types. A function or a closure (`Fn`) of two values is a reduction too; a closure
/// that calls methods needs their type, as in `|a: f32, b| a.hypot(b)`.
///
/// ```
/// use strew::{Layout, Scatter};
///
/// let data = Layout::contiguous([2]);
/// let three = Layout::contiguous([3]);
/// let scatter = Scatter::axis(&data, &three, &three, 0)?;
/// let mut counters = [250_u8, 0];
/// scatter.reduce(u8::saturating_add, &mut counters, &[0, 0, 1], &[4, 4, 4])?;
/// assert_eq!(counters, [255, 4]);
/// # Ok::<(), strew::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot reduce elements of type `{T}`",
    note = "`Add`, `Sub`, `Mul`, `Min` and `Max` are for numbers, `And`, `Or` and `Xor` for \
            integers and `bool`; a function or closure `Fn({T}, {T}) -> {T}` is a reduction too",
    note = "of `f16` and `bf16`, strew's feature `half` has them; it is on by default",
    note = "of `bool`, `Or` is the sum and the largest, `And` the product and the smallest; a \
            closure that calls methods needs types, as `|a: f32, b: f32| a.hypot(b)`",
    note = "the mean of updates is `Scatter::mean` or `mean_excluding_self`: `Mean` is for a `Bag`"
)]
pub trait Reduction<T> {
    /// What the engine knows of it: nothing, except of the crate's own. This is not part of the
    /// interface, and no other crate can name its type.
    #[doc(hidden)]
    const KIND: Kind<T> = Kind::OPAQUE;

    /// Calls with the reduction that this one stands for: itself, except of
    /// [`Operation`](crate::Operation). This is not part of the interface.
    #[cfg(feature = "std")]
    #[doc(hidden)]
    #[inline(always)]
    fn call<C: Call<T>>(&self, call: C) -> C::Output
    where
        Self: Sized,
    {
        call.with(self)
    }

    /// The new value of a place that holds `current`.
    fn combine(&self, current: T, update: T) -> T;

    /// Combines a row: [`combine`](Reduction::combine) for each pair of elements. An implementation
    /// may be faster, and must do the same.
    #[inline(always)]
    fn combine_row(&self, current: &mut [T], updates: &[T])
    where
        T: Copy,
    {
        for (current, update) in current.iter_mut().zip(updates) {
            *current = self.combine(*current, *update);
        }
    }

    /// Combines single elements: [`combine`](Reduction::combine) for each place and its update. One
    /// that stands for several reductions chooses among them here, outside the loop. `None`: an
    /// entry has no place in the data; those before it have been combined. This is not part of the
    /// interface.
    #[doc(hidden)]
    #[inline(always)]
    fn combine_each(
        &self,
        data: &mut [T],
        entries: impl Iterator<Item = Option<(usize, T)>>,
    ) -> Option<()>
    where
        T: Copy,
    {
        for entry in entries {
            let (place, update) = entry?;
            let current = data.get_mut(place)?;
            *current = self.combine(*current, update);
        }
        Some(())
    }
}

/// What is done with a reduction, once its type is known.
#[cfg(feature = "std")]
pub trait Call<T> {
    /// What it gives.
    type Output;

    /// Does it.
    fn with<R: Reduction<T>>(self, reduction: &R) -> Self::Output;
}

impl<T, F: Fn(T, T) -> T> Reduction<T> for F {
    #[inline(always)]
    fn combine(&self, current: T, update: T) -> T {
        self(current, update)
    }
}

/// `update`: this is what [`Scatter::run`](crate::Scatter::run) does. The last update in row-major
/// order of the indices stays.
///
/// ```
/// use strew::{Assign, Layout, Scatter};
///
/// let one = Layout::contiguous([1]);
/// let two = Layout::contiguous([2]);
/// let scatter = Scatter::axis(&one, &two, &two, 0)?;
/// let mut data = [1];
/// scatter.reduce(Assign, &mut data, &[0, 0], &[2, 3])?;
/// assert_eq!(data, [3]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "set")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Assign;

/// `current + update`. Integers wrap; `f16` and `bf16` compute in `f32` and round to nearest even
/// at every update.
///
/// The order of updates is fixed, so that sums of floats are reproducible to the bit (the bits of a
/// NaN excepted, which Rust leaves open).
///
/// ```
/// use strew::{Add, Layout, Scatter};
///
/// let one = Layout::contiguous([1]);
/// let two = Layout::contiguous([2]);
/// let scatter = Scatter::axis(&one, &two, &two, 0)?;
/// let mut data = [250_u8];
/// scatter.reduce(Add, &mut data, &[0, 0], &[4, 4])?;
/// assert_eq!(data, [2]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "sum")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Add;

/// `current - update`, with the rules of [`Add`].
///
/// ```
/// use strew::{Sub, Layout, Scatter};
///
/// let one = Layout::contiguous([1]);
/// let two = Layout::contiguous([2]);
/// let scatter = Scatter::axis(&one, &two, &two, 0)?;
/// let mut data = [1_i8];
/// scatter.reduce(Sub, &mut data, &[0, 0], &[2, 3])?;
/// assert_eq!(data, [-4]);
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sub;

/// `current * update`, with the rules of [`Add`].
///
/// ```
/// use strew::{Mul, Layout, Scatter};
///
/// let one = Layout::contiguous([1]);
/// let two = Layout::contiguous([2]);
/// let scatter = Scatter::axis(&one, &two, &two, 0)?;
/// let mut data = [1.5_f32];
/// scatter.reduce(Mul, &mut data, &[0, 0], &[2.0, 3.0])?;
/// assert_eq!(data, [9.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "prod")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mul;

/// The smaller one (NumPy's `minimum`, PyTorch's `amin`). For floats a NaN wins (the current one,
/// if both are), as it does there. -0.0 is smaller than +0.0: NumPy takes either.
///
/// ```
/// use strew::{Min, Layout, Scatter};
///
/// let one = Layout::contiguous([1]);
/// let two = Layout::contiguous([2]);
/// let scatter = Scatter::axis(&one, &two, &two, 0)?;
/// let mut data = [1.5_f32];
/// scatter.reduce(Min, &mut data, &[0, 0], &[2.0, -3.0])?;
/// assert_eq!(data, [-3.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "amin")]
#[doc(alias = "minimum")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Min;

/// The larger one (NumPy's `maximum`, PyTorch's `amax`). For floats a NaN wins (the current one, if
/// both are), as it does there. +0.0 is larger than -0.0: NumPy takes either.
///
/// ```
/// use strew::{Max, Layout, Scatter};
///
/// let one = Layout::contiguous([1]);
/// let two = Layout::contiguous([2]);
/// let scatter = Scatter::axis(&one, &two, &two, 0)?;
/// let mut data = [1.5_f32];
/// scatter.reduce(Max, &mut data, &[0, 0], &[2.0, -3.0])?;
/// assert_eq!(data, [2.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "amax")]
#[doc(alias = "maximum")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Max;

/// The reductions that choose one of the two values: [`Max`] and [`Min`]. This trait is sealed.
///
/// ```
/// use strew::{Extreme, Layout, Max, Min, Reduction, Scatter};
///
/// fn winner<R: Extreme + Reduction<i32>>(
///     extreme: R,
/// ) -> Result<usize, strew::Error> {
///     let one = Layout::contiguous([1]);
///     let three = Layout::contiguous([3]);
///     let (mut data, mut winners) = ([0], [0]);
///     let scatter = Scatter::axis(&one, &three, &three, 0)?;
///     scatter.reduce_arg(
///         extreme,
///         &mut data,
///         &mut winners,
///         &[0; 3],
///         &[3, -5, 4],
///     )?;
///     Ok(winners[0])
/// }
/// assert_eq!((winner(Max)?, winner(Min)?), (2, 1));
/// # Ok::<(), strew::Error>(())
/// ```
pub trait Extreme: sealed::Sealed {}
impl Extreme for Max {}
impl Extreme for Min {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Max {}
    impl Sealed for super::Min {}
}

/// `current & update`, for integers and `bool`.
///
/// ```compile_fail,E0277
/// # use strew::{And, Layout, Scatter};
/// # let one = Layout::contiguous([1]);
/// # let scatter = Scatter::axis(&one, &one, &one, 0).unwrap();
/// scatter.reduce(And, &mut [1.0_f32], &[0], &[2.0]).unwrap();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct And;

/// `current | update`, for integers and `bool`.
///
/// ```
/// use strew::{Or, Layout, Scatter};
///
/// let one = Layout::contiguous([1]);
/// let two = Layout::contiguous([2]);
/// let scatter = Scatter::axis(&one, &two, &two, 0)?;
/// let mut data = [0b001];
/// scatter.reduce(Or, &mut data, &[0, 0], &[0b010, 0b010])?;
/// assert_eq!(data, [0b011]);
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Or;

/// `current ^ update`, for integers and `bool`.
///
/// ```
/// use strew::{Xor, Layout, Scatter};
///
/// let one = Layout::contiguous([1]);
/// let two = Layout::contiguous([2]);
/// let scatter = Scatter::axis(&one, &two, &two, 0)?;
/// let mut data = [0b001];
/// scatter.reduce(Xor, &mut data, &[0, 0], &[0b010, 0b011])?;
/// assert_eq!(data, [0b000]);
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Xor;

impl<T: Element> Reduction<T> for Assign {
    const KIND: Kind<T> = Kind::ASSIGN;

    #[inline(always)]
    fn combine(&self, _: T, update: T) -> T {
        update
    }

    #[inline(always)]
    fn combine_row(&self, current: &mut [T], updates: &[T]) {
        copy_row(updates, current);
    }
}

/// Combines one row of a call of few rows, by a kernel if that is worth the call.
#[inline(always)]
pub(crate) fn combine_one<T: Copy, R>(reduction: &R, current: &mut [T], updates: &[T])
where
    R: Reduction<T>,
{
    #[cfg(feature = "std")]
    if let Some(kernels) = R::KIND.kernels()
        && kernels.long_row.is_some_and(|long_row| current.len() >= long_row)
    {
        return kernels.row(current, updates);
    }
    reduction.combine_row(current, updates);
}

/// What the engine of `std` knows of a reduction. Only this crate can make one that says anything.
#[derive(Clone, Copy, Debug)]
pub struct Kind<T>(Known<T>);

#[derive(Clone, Copy, Debug)]
enum Known<T> {
    Nothing,
    Assign,
    #[cfg(feature = "std")]
    Kernels(Kernels<T>),
    #[cfg(not(feature = "std"))]
    _Kernels(core::marker::PhantomData<T>),
}

impl<T> Kind<T> {
    /// A reduction of which nothing is known: it is called for checked indices only.
    pub(crate) const OPAQUE: Kind<T> = Kind(Known::Nothing);

    /// [`Assign`]: updates are copied.
    pub(crate) const ASSIGN: Kind<T> = Kind(Known::Assign);

    /// Whether this is [`Assign`].
    #[cfg_attr(not(feature = "std"), allow(dead_code))]
    pub(crate) const fn is_assign(&self) -> bool {
        matches!(self.0, Known::Assign)
    }
}

#[cfg(feature = "std")]
impl<T> Kind<T> {
    /// Whether nothing is known of it.
    pub(crate) const fn is_opaque(&self) -> bool {
        matches!(self.0, Known::Nothing)
    }

    /// What is needed to change copies, if the reduction is order-independent.
    pub(crate) const fn free(&self) -> Option<&Free<T>> {
        if let Known::Kernels(kernels) = &self.0 { kernels.start.free.as_ref() } else { None }
    }

    /// A value that each update replaces.
    pub(crate) fn neutral(&self) -> Option<T> {
        self.kernels()?.start.neutral.map(|neutral| neutral())
    }

    /// Whether single elements take long without kernels, as those of the shortest rows do.
    pub(crate) fn is_slow(&self) -> bool {
        let long_row = self.kernels().and_then(|kernels| kernels.long_row);
        long_row.is_some_and(|long_row| long_row < tuning::LONG_ROW)
    }

    /// The kernels, for another type whose reduction has the same.
    #[allow(clippy::panic)] // Only ever evaluated by the compiler.
    const fn lent(&self) -> &Kernels<T> {
        match self.kernels() {
            Some(kernels) => kernels,
            None => panic!("it has no kernels"),
        }
    }

    /// The kernels of a built-in reduction.
    pub(crate) const fn kernels(&self) -> Option<&Kernels<T>> {
        if let Known::Kernels(kernels) = &self.0 { Some(kernels) } else { None }
    }
}

/// The loops of one reduction of one type: they are functions that are not generic, compiled with
/// this crate.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernels<T> {
    /// `data[table] = combine(data[table], updates[flat])` for each entry of a block.
    pub elements: fn(&mut [T], &[T], &Block<'_>, usize),
    /// The same for rows of `n` elements.
    pub rows: fn(Path, &mut [T], &[T], &Block<'_>, usize, usize),
    /// The same for entries by their places.
    #[cfg(feature = "rayon")]
    pub listed: fn(Path, &mut [T], &[T], Listed<'_>, usize),
    /// Elements of a row, at least, that goes by [`rows`](Kernels::rows) even where few rows are
    /// combined one by one. `None`: no row does.
    pub long_row: Option<usize>,
    /// What the reduction can start from.
    pub start: Start<T>,
}

#[cfg(feature = "std")]
impl<T> Kernels<T> {
    /// Combines one row. It is compiled once for each type, not for each reduction.
    #[inline(never)]
    pub(crate) fn row(&self, current: &mut [T], updates: &[T]) {
        let block = Block { addresses: &[0], length: 1, ..Block::default() };
        (self.rows)(Path::detect(), current, updates, &block, current.len(), 0);
    }
}

/// What a reduction can start from.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start<T> {
    /// A value that each update replaces, bit for bit. `None`: there is none, as for sums of
    /// floats, which change the bits of some NaNs.
    pub neutral: Option<fn() -> T>,
    /// If the reduction is order-independent.
    pub free: Option<Free<T>>,
}

#[cfg(feature = "std")]
impl<T> Start<T> {
    const NOTHING: Start<T> = Start { neutral: None, free: None };
}

/// Results of parts of the updates become one: each part starts from a value that changes nothing.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Free<T> {
    /// This value many times, or `None` if there is no memory for them.
    pub start: fn(usize) -> Option<Vec<T>>,
    /// Merges a result into another one.
    pub merge: fn(&mut [T], &[T]),
}

/// `kind!(type, start, long row, elements, rows, listed)`: the [`Kind`] that has these [`Kernels`].
/// They become functions: closures would be compiled again in each crate that uses them.
macro_rules! kind {
    ($element:ty, $start:expr, $long_row:expr,
        |$to:ident, $from:ident, $block:ident, $distance:ident| $elements:expr,
        |$path:ident, $to_row:ident, $from_row:ident, $rows_block:ident, $n:ident, $ahead:ident|
            $rows:expr,
        |$path_listed:ident, $to_listed:ident, $from_listed:ident, $list:ident, $length:ident|
            $listed:expr
    ) => {
        #[cfg(feature = "std")]
        const KIND: Kind<$element> = {
            fn elements(
                $to: &mut [$element],
                $from: &[$element],
                $block: &Block<'_>,
                $distance: usize,
            ) {
                $elements
            }
            fn rows(
                $path: Path,
                $to_row: &mut [$element],
                $from_row: &[$element],
                $rows_block: &Block<'_>,
                $n: usize,
                $ahead: usize,
            ) {
                $rows
            }
            #[cfg(feature = "rayon")]
            fn listed(
                $path_listed: Path,
                $to_listed: &mut [$element],
                $from_listed: &[$element],
                $list: Listed<'_>,
                $length: usize,
            ) {
                $listed
            }
            Kind(Known::Kernels(Kernels {
                elements,
                rows,
                #[cfg(feature = "rayon")]
                listed,
                long_row: $long_row,
                start: $start,
            }))
        };
    };
}

/// `kernels!(Name, type, start)`: the [`Kind`] of a built-in reduction. `kernels!(@ module, type,
/// start, long row, function for rows, elements)` has the rows of another module than [`combine`].
macro_rules! kernels {
    ($reduction:ident, $element:ty, $start:expr) => {
        kernels!(@ combine, $element, $start, None,
            |current, update| {
                <$reduction as Reduction<$element>>::combine(&$reduction, current, update)
            },
            |to, from, block, distance| {
                let change = combine::by(|current, update| {
                    <$reduction as Reduction<$element>>::combine(&$reduction, current, update)
                });
                combine::elements::<_, _, true>(to, from, block, distance, change)
            }
        );
    };
    (@ $by:ident, $element:ty, $start:expr, $long_row:expr, $row:expr,
        |$to:ident, $from:ident, $block:ident, $distance:ident| $elements:expr
    ) => {
        kind!($element, $start, $long_row,
            |$to, $from, $block, $distance| $elements,
            |path, to, from, block, n, distance| {
                $by::rows(path, to, from, block, n, distance, $row);
            },
            |path, to, from, listed, n| $by::listed(path, to, from, listed, n, $row)
        );
    };
}

/// `kernels_as!(Name, type as other type, start)`: the [`Kind`] of a reduction that does to the
/// bits of a type what it does to those of another one, whose kernels it has. So 5 of 12 types of
/// integers have their own, or 10 where the sign matters.
macro_rules! kernels_as {
    ($reduction:ident, $element:ty as $other:ty, $start:expr) => {
        kind!($element, $start, kernels_as!(@ $reduction, $other).long_row,
            |to, from, block, distance| {
                let (to, from) = (must_cast_slice_mut(to), must_cast_slice(from));
                (kernels_as!(@ $reduction, $other).elements)(to, from, block, distance);
            },
            |path, to, from, block, n, distance| {
                let (to, from) = (must_cast_slice_mut(to), must_cast_slice(from));
                (kernels_as!(@ $reduction, $other).rows)(path, to, from, block, n, distance);
            },
            |path, to, from, listed, n| {
                let (to, from) = (must_cast_slice_mut(to), must_cast_slice(from));
                (kernels_as!(@ $reduction, $other).listed)(path, to, from, listed, n);
            }
        );
    };
    (@ $reduction:ident, $other:ty) => {
        const { <$reduction as Reduction<$other>>::KIND.lent() }
    };
}

/// The extreme of two floats without a branch, as compilers turn it into vectors.
macro_rules! extreme_of {
    ($current:ident, $update:ident, $element:ty, $better:tt, $zero:tt) => {{
        // Both are the current one if either is a NaN. They differ where current and update are
        // equal: in the sign of a zero. A selection that ended with the current one would become
        // a masked store, which takes five times as long.
        let better = $update $better $current;
        let one = select_unpredictable(better, $update, $current);
        let other = select_unpredictable(better | ($update == $current), $update, $current);
        let extreme = <$element>::from_bits(one.to_bits() $zero other.to_bits());
        select_unpredictable($update.is_nan() & !$current.is_nan(), $update, extreme)
    }};
}

/// The kernels of an extreme of floats. Elements go by one comparison where no update is a NaN or a
/// zero: that is all that is left of the rules then, and no current NaN passes it.
macro_rules! extreme_kernels {
    ($reduction:ident, $element:ty, $worst:ident, $better:tt, $zero:tt) => {
        kernels!(@ combine, $element, reduction!(@ worst $element, $worst), Some(tuning::LONG_ROW),
            |current: $element, update: $element| {
                extreme_of!(current, update, $element, $better, $zero)
            },
            |to, from, block, distance| {
                let plain = |update: &$element| (*update != 0.0) & !update.is_nan();
                let quick = |current, update| if update $better current { update } else { current };
                combine::elements_or(to, from, block, distance, (plain, quick), |current, update| {
                    <$reduction as Reduction<$element>>::combine(&$reduction, current, update)
                });
            }
        );
    };
}

/// `reduction!(Name: types => |current, update| value)`; with `worst value` before the types, each
/// update replaces this constant of the type. With `from start, (Merge)`, the reduction is
/// order-independent, and results that started there are merged by another reduction; with `from
/// start, (Merge, neutral)`, each update replaces the start as well. After the types may come
/// others with [the kernels](kernels_as) of one of them.
macro_rules! reduction {
    ($reduction:ident: $($element:ty)* => |$current:ident, $update:ident| $value:expr) => {$(
        reduction!(@ $reduction, $element, |$current, $update| $value,
            kernels!($reduction, $element, Start::NOTHING));
    )*};
    ($reduction:ident worst $worst:ident:
        $($element:ty)* => |$current:ident, $update:ident| $value:expr
    ) => {$(
        reduction!(@ $reduction, $element, |$current, $update| $value,
            kernels!($reduction, $element, reduction!(@ worst $element, $worst)));
    )*};
    ($reduction:ident from $start:expr, $merge:tt:
        $($element:ty)*, $($same:ty as $other:ty),* => |$current:ident, $update:ident| $value:expr
    ) => {
        $(reduction!(@ $reduction, $element, |$current, $update| $value,
            kernels!($reduction, $element, reduction!(@ start $element, $start, $merge)));)*
        $(reduction!(@ $reduction, $same, |$current, $update| $value,
            kernels_as!($reduction, $same as $other, reduction!(@ start $same, $start, $merge)));)*
    };
    (@ worst $element:ty, $worst:ident) => {
        Start { neutral: Some(|| <$element>::$worst), free: None }
    };
    (@ start $element:ty, $start:expr, ($merge:ident)) => {
        Start {
            neutral: None,
            free: Some(Free {
                start: |number| repeated($start(), number),
                merge: |to, from| <$merge as Reduction<$element>>::combine_row(&$merge, to, from),
            }),
        }
    };
    (@ start $element:ty, $start:expr, ($merge:ident, neutral)) => {
        Start { neutral: Some($start), ..reduction!(@ start $element, $start, ($merge)) }
    };
    (@ $reduction:ident, $element:ty, |$current:ident, $update:ident| $value:expr,
        $($kernels:tt)*
    ) => {
        impl Reduction<$element> for $reduction {
            $($kernels)*;

            #[inline(always)]
            fn combine(&self, $current: $element, $update: $element) -> $element {
                $value
            }
        }
    };
}

/// A [`reduction`] whose bits are the same with and without a sign.
macro_rules! of_bits {
    ($reduction:ident from $start:expr, $merge:tt: $($more:ty)* => $($value:tt)*) => {
        reduction!($reduction from $start, $merge: u8 u16 u32 u64 u128 $($more)*,
            i8 as u8, i16 as u16, i32 as u32, i64 as u64, i128 as u128,
            usize as Word, isize as Word => $($value)*);
    };
}

/// A [`reduction`] whose result depends on the sign.
macro_rules! of_values {
    ($reduction:ident from $start:expr => $($value:tt)*) => {
        reduction!($reduction from $start, ($reduction, neutral):
            u8 u16 u32 u64 u128 i8 i16 i32 i64 i128,
            usize as Word, isize as SignedWord => $($value)*);
    };
}

/// The integers that have the bits of `usize` and `isize`.
#[cfg(all(feature = "std", target_pointer_width = "64"))]
type Word = u64;
#[cfg(all(feature = "std", target_pointer_width = "64"))]
type SignedWord = i64;
#[cfg(all(feature = "std", not(target_pointer_width = "64")))]
type Word = u32;
#[cfg(all(feature = "std", not(target_pointer_width = "64")))]
type SignedWord = i32;

#[cfg(feature = "std")]
fn ones<T: Default + core::ops::Not<Output = T>>() -> T {
    !T::default()
}

of_bits!(Add from Default::default, (Add, neutral):
    => |current, update| current.wrapping_add(update));
of_bits!(Sub from Default::default, (Add): => |current, update| current.wrapping_sub(update));
of_bits!(Mul from num_traits::One::one, (Mul, neutral):
    => |current, update| current.wrapping_mul(update));
of_values!(Min from Bounded::max_value => |current, update| current.min(update));
of_values!(Max from Bounded::min_value => |current, update| current.max(update));

of_bits!(And from ones, (And, neutral): bool => |current, update| current & update);
of_bits!(Or from Default::default, (Or, neutral): bool => |current, update| current | update);
of_bits!(Xor from Default::default, (Xor, neutral): bool => |current, update| current ^ update);

reduction!(Add: f32 f64 => |current, update| current + update);
reduction!(Sub: f32 f64 => |current, update| current - update);
reduction!(Mul: f32 f64 => |current, update| current * update);

/// The extremes of floats. With `std` they go by comparisons, which take fewer instructions where
/// floats are in hardware.
macro_rules! extreme {
    ($reduction:ident worst $worst:ident:
        $($element:ty)* => $ranked:ident, $better:tt, $zero:tt
    ) => {$(
        impl Reduction<$element> for $reduction {
            extreme_kernels!($reduction, $element, $worst, $better, $zero);

            #[inline(always)]
            fn combine(&self, current: $element, update: $element) -> $element {
                if cfg!(not(feature = "std")) || current.is_nan() || update.is_nan() {
                    current.$ranked(update)
                } else {
                    // They differ where current and update are equal: in the sign of a zero.
                    let one = select_unpredictable(update $better current, update, current);
                    let other = select_unpredictable(current $better update, current, update);
                    <$element>::from_bits(one.to_bits() $zero other.to_bits())
                }
            }

            #[inline(always)]
            fn combine_row(&self, current: &mut [$element], updates: &[$element]) {
                for (to, update) in current.iter_mut().zip(updates) {
                    let (current, update) = (*to, *update);
                    *to = if cfg!(feature = "std") {
                        extreme_of!(current, update, $element, $better, $zero)
                    } else {
                        current.$ranked(update)
                    };
                }
            }
        }
    )*};
}
extreme!(Min worst INFINITY: f32 f64 => lower, <, |);
extreme!(Max worst NEG_INFINITY: f32 f64 => higher, >, &);

/// Arrays, element by element.
macro_rules! arrays {
    ($($reduction:ident)*) => {$(
        impl<T: Copy, const N: usize> Reduction<[T; N]> for $reduction
        where
            $reduction: Reduction<T>,
        {
            #[inline(always)]
            fn combine(&self, mut current: [T; N], update: [T; N]) -> [T; N] {
                <$reduction as Reduction<T>>::combine_row(self, &mut current, &update);
                current
            }
        }
    )*};
}
arrays!(Add Sub Mul Min Max And Or Xor);

/// Floats in the order of [`Min`] and [`Max`], as integers: this takes no branch and no float
/// comparison, which small machines do not have.
trait Ranked: Copy {
    type Rank: Ord + Bounded;

    /// The place among all values; that of a NaN is `nan`.
    fn rank(self, nan: Self::Rank) -> Self::Rank;

    /// The smaller one, by the rules of [`Min`].
    #[inline(always)]
    fn lower(self, update: Self) -> Self {
        if update.rank(Bounded::min_value()) < self.rank(Bounded::min_value()) {
            update
        } else {
            self
        }
    }

    /// The larger one, by the rules of [`Max`].
    #[inline(always)]
    fn higher(self, update: Self) -> Self {
        if update.rank(Bounded::max_value()) > self.rank(Bounded::max_value()) {
            update
        } else {
            self
        }
    }
}

/// `ranked!(float, signed integer of its width)`
macro_rules! ranked {
    ($float:ty, $integer:ty) => {
        impl Ranked for $float {
            type Rank = $integer;

            // The bits of a float are ordered as sign and magnitude. Below 0 the magnitude is
            // turned round.
            #[inline(always)]
            fn rank(self, nan: $integer) -> $integer {
                const MAGNITUDE: $integer = <$integer>::MAX;
                let bits = self.to_bits() as $integer;
                if bits & MAGNITUDE > <$float>::INFINITY.to_bits() as $integer {
                    nan
                } else {
                    bits ^ ((bits >> (<$integer>::BITS - 1)) & MAGNITUDE)
                }
            }
        }
    };
}
ranked!(f32, i32);
ranked!(f64, i64);

#[cfg(feature = "half")]
mod halves {
    use half::{bf16, f16};

    use super::*;
    #[cfg(feature = "std")]
    use crate::halves::{bf16_kernels, f16_kernels};
    use crate::quant::numbers::{bf16_from_f32, bf16_to_f32, f16_from_f32, f16_to_f32};

    /// `arithmetic!(Name, operator: types, the module of their kernels, conversions)`. With `std`
    /// in conversions that compilers turn into vectors; small machines take fewer instructions by
    /// those of the crate `half`.
    macro_rules! arithmetic {
        ($reduction:ident, $operator:tt) => {
            arithmetic!($reduction, $operator:
                f16, f16_kernels, LONG_ROW_OF_F16, f16_to_f32, f16_from_f32);
            arithmetic!($reduction, $operator:
                bf16, bf16_kernels, LONG_ROW, bf16_to_f32, bf16_from_f32);
        };
        ($reduction:ident, $operator:tt:
            $half:ty, $by:ident, $long_row:ident, $widen:ident, $narrow:ident) => {
            impl Reduction<$half> for $reduction {
                kernels!(@ $by, $half, Start::NOTHING, Some(tuning::$long_row),
                    |current, update| current $operator update,
                    |to, from, block, distance| {
                        $by::elements(to, from, block, distance, |current, update| {
                            current $operator update
                        })
                    }
                );

                #[inline(always)]
                fn combine(&self, current: $half, update: $half) -> $half {
                    if cfg!(feature = "std") {
                        $narrow($widen(current) $operator $widen(update))
                    } else {
                        <$half>::from_f32(current.to_f32() $operator update.to_f32())
                    }
                }
            }
        };
    }
    arithmetic!(Add, +);
    arithmetic!(Sub, -);
    arithmetic!(Mul, *);
    reduction!(Min worst INFINITY: f16 bf16 => |current, update| current.lower(update));
    reduction!(Max worst NEG_INFINITY: f16 bf16 => |current, update| current.higher(update));
    ranked!(f16, i16);
    ranked!(bf16, i16);
}

#[cfg(all(test, feature = "std"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The kernels of an extreme, on blocks with and without a NaN or a zero among the updates, do
    /// what the rules say.
    #[test]
    fn extremes_are_those_of_the_rules() {
        let (nan, largest) = (f32::from_bits(0x7fc0_1234), f32::MAX);
        let values = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::MIN_POSITIVE,
            1e-45,
            -1e-45,
            largest,
            -largest,
            f32::INFINITY,
            -f32::INFINITY,
            nan,
            -nan,
            f32::from_bits(0x7f80_0001),
        ];
        fn of<R: Reduction<f32> + Copy>(reduction: R, current: f32, update: f32) {
            let expected = reduction.combine(current, update).to_bits();
            let kernels = R::KIND.kernels().unwrap();
            let (addresses, updates) = ([0, 1], [update, 5.0]);
            let block =
                Block { addresses: &addresses, length: 2, entry_step: 1, ..Block::default() };
            let (mut single, mut rows) = ([current, 1.0], [current, 1.0]);
            (kernels.elements)(&mut single, &updates, &block, 0);
            let block = Block { addresses: &[0], length: 1, entry_step: 2, ..Block::default() };
            (kernels.rows)(Path::detect(), &mut rows, &updates, &block, 2, 0);
            assert_eq!([single, rows].map(|[found, _]| found.to_bits()), [expected; 2]);
            // In a run of one place, which stays in a register.
            let (block, mut run) =
                (Block { addresses: &[1; 68], length: 68, entry_step: 1, ..block }, [1.0, current]);
            (kernels.elements)(&mut run, &[update; 68], &block, 0);
            assert_eq!(run.map(f32::to_bits), [1_f32.to_bits(), expected]);
        }
        for update in values {
            for current in values {
                of(Min, current, update);
                of(Max, current, update);
            }
            is_replaced(Min, update, f32::to_bits);
            is_replaced(Max, update, f32::to_bits);
            is_replaced(Min, f64::from(update), f64::to_bits);
            is_replaced(Max, f64::from(update), f64::to_bits);
        }
    }

    /// Each update, a signalling NaN as well, replaces the neutral value.
    #[cfg(feature = "half")]
    #[test]
    fn halves_replace_the_worst() {
        use half::{bf16, f16};

        for bits in 0..=u16::MAX {
            is_replaced(Min, f16::from_bits(bits), f16::to_bits);
            is_replaced(Max, f16::from_bits(bits), f16::to_bits);
            is_replaced(Min, bf16::from_bits(bits), bf16::to_bits);
            is_replaced(Max, bf16::from_bits(bits), bf16::to_bits);
        }
    }

    fn is_replaced<T: Copy, R: Reduction<T>, B>(reduction: R, update: T, bits: fn(T) -> B)
    where
        B: PartialEq + core::fmt::Debug,
    {
        let neutral = R::KIND.neutral().unwrap();
        assert_eq!(bits(reduction.combine(neutral, update)), bits(update));
    }

    /// The kernels of each integer, its own or those of another type, do what `combine` does.
    #[test]
    fn kernels_of_every_integer() {
        macro_rules! integers {
            ($($integer:ident)*) => {$(
                let (least, most) = ($integer::MIN, $integer::MAX);
                let values = [least, most, 0, 1, !0, most / 2, most / 2 + 1, 5, least | 9];
                kernels_combine(Add, &values);
                kernels_combine(Sub, &values);
                kernels_combine(Mul, &values);
                kernels_combine(Min, &values);
                kernels_combine(Max, &values);
                kernels_combine(And, &values);
                kernels_combine(Or, &values);
                kernels_combine(Xor, &values);
            )*};
        }
        integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
        let bools = [false, true, true, false, true];
        kernels_combine(And, &bools);
        kernels_combine(Or, &bools);
        kernels_combine(Xor, &bools);
    }

    #[allow(clippy::indexing_slicing)]
    fn kernels_combine<T, R>(reduction: R, values: &[T])
    where
        T: Copy + PartialEq + core::fmt::Debug,
        R: Reduction<T> + core::fmt::Debug,
    {
        let (kind, length, of) = (R::KIND, 70, core::any::type_name::<T>());
        let kernels = kind.kernels().unwrap();
        // What differences start from changes the first update.
        assert_eq!(kind.neutral().is_none(), format!("{reduction:?}") == "Sub");
        if let Some(neutral) = kind.neutral() {
            for update in values {
                assert_eq!(reduction.combine(neutral, *update), *update, "{reduction:?} of {of}");
            }
        }
        let some = |first: usize, step, n| -> Vec<T> {
            (0..n).map(|entry| values[(first + entry * step) % values.len()]).collect()
        };
        // Few values meet themselves.
        let (data, updates) = (some(0, 1, length), some(1, 2, 2 * length));
        let combined = |addresses: &[u32], step: usize, n: usize| {
            let mut data = data.clone();
            for (entry, address) in addresses.iter().enumerate() {
                for column in 0..n {
                    let to = &mut data[*address as usize + column];
                    *to = reduction.combine(*to, updates[entry * step + column]);
                }
            }
            data
        };
        let run = |addresses: &[u32],
                   step: usize,
                   n: usize,
                   kernel: &dyn Fn(&mut [T], Block<'_>)| {
            let (mut found, length) = (data.clone(), addresses.len());
            let entry_step = step as isize;
            kernel(&mut found, Block { addresses, length, entry_step, ..Block::default() });
            assert_eq!(found, combined(addresses, step, n), "{reduction:?} of {of}, step {step}");
        };
        let all = Vec::from_iter(0..length as u32);
        for (addresses, step) in [(&all, 1), (&all, 2), (&all, 0), (&vec![3; length], 1)] {
            run(addresses, step, 1, &|found, block| {
                (kernels.elements)(found, &updates, &block, 0);
            });
        }
        for (path, n) in Path::available().into_iter().flatten().zip([2, 21, 3, 2]) {
            let addresses = Vec::from_iter((0..length as u32 / n * n).step_by(n as usize));
            let n = n as usize;
            run(&addresses, n, n, &|found, block| {
                (kernels.rows)(path, found, &updates, &block, n, 0);
            });
            #[cfg(feature = "rayon")]
            run(&addresses, n, n, &|found, _| {
                let listed = Listed { places: &addresses, flats: &addresses, distance: 0 };
                (kernels.listed)(path, found, &updates, listed, n);
            });
        }
        #[cfg(feature = "rayon")]
        run(&all, 1, 1, &|found, _| {
            let listed = Listed { places: &all, flats: &all, distance: 0 };
            (kernels.listed)(Path::detect(), found, &updates, listed, 1);
        });
        // Two updates of each place, apart from the data, then merged.
        let free = kind.free().unwrap();
        let (mut apart, mut found, mut expected) =
            ((free.start)(length).unwrap(), data.clone(), data.clone());
        for updates in [&updates[..length], &updates[length..2 * length]] {
            reduction.combine_row(&mut apart, updates);
            reduction.combine_row(&mut expected, updates);
        }
        (free.merge)(&mut found, &apart);
        assert_eq!(found, expected, "{reduction:?} of {of}, merged");
    }

    /// What a user writes is opaque: it never runs before all indices are proven.
    #[test]
    fn nothing_is_known_of_closures() {
        fn known<R: Reduction<f32>>(_: R) -> bool {
            R::KIND.kernels().is_some() || R::KIND.is_assign()
        }
        assert!(known(Add) && known(Assign) && !known(f32::max) && !known(|a: f32, b: f32| a + b));
    }

    #[cfg(feature = "half")]
    #[allow(clippy::indexing_slicing)]
    mod halves {
        use half::{bf16, f16};
        #[cfg(feature = "rayon")]
        use strew_simd::Listed;

        use super::*;

        /// Each kernel gives the bits that `combine` gives, for all halves and some updates, in
        /// rows of some lengths and on each path. Of two that are no number, either may stay.
        #[test]
        fn every_half() {
            // The least, 1, the greatest, infinite, a signalling NaN: of f16, then of bf16.
            let updates = [1, 0x3c00, 0xfbff, 0x7c00, 0xfd55].map(f16::from_bits);
            check(Add, &updates);
            check(Sub, &updates[1..2]);
            check(Mul, &updates[..1]);
            let updates = [1, 0x3f80, 0xff7f, 0x7f80, 0xffa5].map(bf16::from_bits);
            check(Add, &updates);
            check(Sub, &updates[1..2]);
            check(Mul, &updates[..1]);
        }

        fn check<T: bytemuck::Pod + PartialOrd, R: Reduction<T>>(reduction: R, updates: &[T]) {
            let all: Vec<u32> = (0..1 << 16).collect();
            let halves: Vec<T> = all.iter().map(|bits| bytemuck::cast(*bits as u16)).collect();
            let kernels = R::KIND.kernels().unwrap();
            for update in updates {
                let combined = halves.iter().map(|half| reduction.combine(*half, *update));
                let expected: Vec<T> = combined.collect();
                let updates = vec![*update; halves.len()];
                let run = |what: &str, kernel: &dyn Fn(&mut [T])| {
                    let mut found = halves.clone();
                    kernel(&mut found);
                    for ((half, found), expected) in halves.iter().zip(found).zip(&expected) {
                        let bits = [*half, *update, found, *expected].map(bytemuck::cast::<T, u16>);
                        // What is no number is in no order, not even with itself.
                        let none = |value: &T| value.partial_cmp(value).is_none();
                        let either = [*half, *update, found].iter().all(none);
                        assert!(bits[2] == bits[3] || either, "{what}: {bits:#06x?}");
                    }
                };
                let block = Block { addresses: &all, length: all.len(), ..Block::default() };
                for entry_step in [1, 0] {
                    run("elements", &|found| {
                        (kernels.elements)(found, &updates, &Block { entry_step, ..block }, 0);
                    });
                }
                for path in Path::available().into_iter().flatten() {
                    for n in [1, 21] {
                        // The last one is shorter if they do not divide all: it is left out.
                        let starts: Vec<u32> = all.iter().copied().step_by(n).collect();
                        let (addresses, length) = (&starts[..], starts.len());
                        let block = Block { addresses, length, entry_step: n as isize, ..block };
                        let last = all.len() / n * n;
                        run(path.name(), &|found| {
                            (kernels.rows)(path, found, &updates, &block, n, 0);
                            found[last..].copy_from_slice(&expected[last..]);
                        });
                        #[cfg(feature = "rayon")]
                        run(path.name(), &|found| {
                            let listed = Listed { places: &starts, flats: &starts, distance: 0 };
                            (kernels.listed)(path, found, &updates, listed, n);
                            found[last..].copy_from_slice(&expected[last..]);
                        });
                    }
                }
            }
        }
    }
}
