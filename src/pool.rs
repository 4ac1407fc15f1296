//! What a bag does with its rows.

use crate::average::Average;
use crate::element::Element;
use crate::reduction::{Add, And, Assign, Max, Min, Mul, Or, Reduction, Sub, Xor};

/// What a [`Bag`](crate::Bag) makes of the rows of a bag: [`Assign`], [`Add`], [`Sub`], [`Mul`],
/// [`Min`], [`Max`], [`And`], [`Or`] or [`Xor`]; a closure `|so_far, element|`, which starts from
/// the first row; [`Mean`]; [`Weighted`]`(Add, ..)` or [`Weighted`]`(Mean, ..)`.
///
/// This trait is sealed.
///
/// ```
/// use strew::{Bag, Bags, Layout, Max, Mean};
///
/// let table = Layout::contiguous([3, 2]);
/// let ids = Layout::contiguous([3]);
/// let bag = Bag::new(&table, &ids, &Layout::contiguous([2, 2]))?;
/// let rows = [1.0, 2.0, 3.0, 4.0, 5.0, 0.0];
/// let ids = [0, 2, 1];
/// let offsets = [0, 2, 3];
/// let mut output = [0.0; 4];
/// bag.run(Max, &rows, &ids, Bags::Offsets(&offsets), &mut output)?;
/// assert_eq!(output, [5.0, 2.0, 3.0, 4.0]);
/// bag.run(Mean, &rows, &ids, Bags::Offsets(&offsets), &mut output)?;
/// assert_eq!(output, [3.0, 1.0, 3.0, 4.0]);
/// bag.run(
///     f64::hypot,
///     &[3.0, 4.0, 0.0, 0.0, 4.0, 3.0],
///     &ids,
///     Bags::Starts(&[0, 3]),
///     &mut output,
/// )?;
/// assert_eq!(output, [5.0, 5.0, 0.0, 0.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot make one row of `{T}` of several",
    note = "these can: a reduction of `{T}`, `Mean`, `Weighted(Add, &weights)` and \
            `Weighted(Mean, &weights)`"
)]
pub trait Pool<T>: sealed::Fold<T> {}

impl<T, P: sealed::Fold<T>> Pool<T> for P {}

/// The sum of the rows of a bag, divided by their number.
///
/// Integers are summed exactly. Floats round at each addition: `f16` and `bf16` in `f32`, others in
/// themselves (see [`Average`]). The quotient is rounded to the type of the elements, that of
/// integers down. What is left out (the padding index, [`Bounds::Skip`](crate::Bounds::Skip)) is
/// not counted.
///
/// ```
/// use strew::{Bag, Bags, Layout, Mean};
///
/// let table = Layout::contiguous([2, 1]);
/// let ids = Layout::contiguous([2]);
/// let bag = Bag::new(&table, &ids, &Layout::contiguous([1, 1]))?;
/// let mut mean = [0_u8];
/// bag.run(Mean, &[200, 100], &[0, 1], Bags::Lengths(&[2]), &mut mean)?;
/// assert_eq!(mean, [150]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "avg")]
#[doc(alias = "average")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mean;

/// [`Add`] or [`Mean`] of `weights[e] * row`, for each entry `e` of the indices. There are as many
/// weights as indices, one after the other, of the type of the output's elements (or of what these
/// are arrays of).
///
/// Products are rounded before they are added. The mean divides by the number of entries, as FBGEMM
/// does; for TensorFlow's mean, divide the weights by their sum, and take [`Add`].
///
/// ```
/// use strew::{Add, Bag, Bags, Layout, Weighted};
///
/// let table = Layout::contiguous([2, 2]);
/// let ids = Layout::contiguous([2]);
/// let bag = Bag::new(&table, &ids, &Layout::contiguous([1, 2]))?;
/// let mut sum = [0.0; 2];
/// let pool = Weighted(Add, &[0.5, 2.0]);
/// bag.run(
///     pool,
///     &[1.0, 2.0, 3.0, 4.0],
///     &[1, 0],
///     Bags::Starts(&[0]),
///     &mut sum,
/// )?;
/// assert_eq!(sum, [3.5, 6.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Weighted<'a, P, W>(pub P, pub &'a [W]);

/// A weight for elements of type `T`: one of their type, or of that which they are arrays of.
pub trait Weight<T>: Copy {
    /// The weight for each part of an element.
    fn splat(self) -> T;
}

impl<T: Copy> Weight<T> for T {
    #[inline(always)]
    fn splat(self) -> T {
        self
    }
}

impl<T: Copy, const N: usize> Weight<[T; N]> for T {
    #[inline(always)]
    fn splat(self) -> [T; N] {
        [self; N]
    }
}

pub(crate) mod sealed {
    /// How rows of `T` are reduced, element by element.
    pub trait Fold<T> {
        /// What is held while a bag is reduced.
        type Sum: Copy;
        /// What all elements of an entry share.
        type Factor: Copy;

        /// The number of weights, if there are any.
        #[inline(always)]
        fn weights(&self) -> Option<usize> {
            None
        }

        fn factor(&self, entry: usize) -> Self::Factor;

        /// The sum of one element.
        fn first(&self, factor: Self::Factor, value: T) -> Self::Sum;

        fn add(&self, sum: Self::Sum, factor: Self::Factor, value: T) -> Self::Sum;

        /// The result for `count` elements, at least 1.
        fn end(&self, sum: Self::Sum, count: usize) -> T;
    }
}
use sealed::Fold;

/// The rows one after the other, by a reduction: one of this crate's, or a closure.
macro_rules! reductions {
    ($($reduction:ident)*) => {
        $(reductions!(@ [], $reduction: Reduction<T>);)*
        reductions!(@ [, F], F: Fn(T, T) -> T);
    };
    (@ [$($parameter:tt)*], $reduction:ident: $($bound:tt)*) => {
        impl<T: Copy $($parameter)*> Fold<T> for $reduction
        where
            $reduction: $($bound)*,
        {
            type Sum = T;
            type Factor = ();

            #[inline(always)]
            fn factor(&self, _: usize) {}

            #[inline(always)]
            fn first(&self, (): (), value: T) -> T {
                value
            }

            #[inline(always)]
            fn add(&self, sum: T, (): (), value: T) -> T {
                self.combine(sum, value)
            }

            #[inline(always)]
            fn end(&self, sum: T, _: usize) -> T {
                sum
            }
        }
    };
}
reductions!(Assign Add Sub Mul Min Max And Or Xor);

impl<T: Average> Fold<T> for Mean {
    type Sum = T::Sum;
    type Factor = ();

    #[inline(always)]
    fn factor(&self, _: usize) {}

    #[inline(always)]
    fn first(&self, (): (), value: T) -> T::Sum {
        value.widen()
    }

    #[inline(always)]
    fn add(&self, sum: T::Sum, (): (), value: T) -> T::Sum {
        T::plus(sum, value.widen())
    }

    #[inline(always)]
    fn end(&self, sum: T::Sum, count: usize) -> T {
        T::mean(sum, count as u64)
    }
}

impl<T: Element, W: Weight<T>> Fold<T> for Weighted<'_, Add, W>
where
    Add: Reduction<T>,
    Mul: Reduction<T>,
{
    type Sum = T;
    type Factor = Option<W>;

    #[inline(always)]
    fn weights(&self) -> Option<usize> {
        Some(self.1.len())
    }

    #[inline(always)]
    fn factor(&self, entry: usize) -> Option<W> {
        self.1.get(entry).copied()
    }

    #[inline(always)]
    fn first(&self, factor: Option<W>, value: T) -> T {
        factor.map_or(value, |weight| Mul.combine(weight.splat(), value))
    }

    #[inline(always)]
    fn add(&self, sum: T, factor: Option<W>, value: T) -> T {
        Add.combine(sum, self.first(factor, value))
    }

    #[inline(always)]
    fn end(&self, sum: T, _: usize) -> T {
        sum
    }
}

impl<T: Average, W: Weight<T>> Fold<T> for Weighted<'_, Mean, W> {
    type Sum = T::Sum;
    type Factor = Option<W>;

    #[inline(always)]
    fn weights(&self) -> Option<usize> {
        Some(self.1.len())
    }

    #[inline(always)]
    fn factor(&self, entry: usize) -> Option<W> {
        self.1.get(entry).copied()
    }

    #[inline(always)]
    fn first(&self, factor: Option<W>, value: T) -> T::Sum {
        factor.map_or(value.widen(), |weight| T::times(weight.splat().widen(), value.widen()))
    }

    #[inline(always)]
    fn add(&self, sum: T::Sum, factor: Option<W>, value: T) -> T::Sum {
        T::plus(sum, self.first(factor, value))
    }

    #[inline(always)]
    fn end(&self, sum: T::Sum, count: usize) -> T {
        T::mean(sum, count as u64)
    }
}
