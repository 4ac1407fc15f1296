//! A reduction as a value: for programs that learn at run time which one it is.

use crate::element::Element;
#[cfg(feature = "std")]
use crate::reduction::Call;
use crate::reduction::{Add, Assign, Max, Min, Mul, Reduction, Sub};

/// One of the reductions of [numbers](Number), chosen at run time: `none`, `add`, `mul`, `min` and
/// `max` of ONNX, and [`Sub`].
///
/// With `std` a call finds out once which one it is, and then runs as with [`Add`] and its kin; so
/// it compiles all six. With threads, with a map and without `std` it runs as a closure does.
/// Results are the same. For a [`Bag`](crate::Bag), pass `|a, b| operation.combine(a, b)`.
///
/// ```
/// use strew::{Error, Layout, Number, Operation, Scatter};
///
/// type Done = Result<(), Error>;
///
/// fn scatter<T: Number>(
///     operation: Operation,
///     data: &mut [T],
///     updates: &[T],
/// ) -> Done {
///     let two = Layout::contiguous([2]);
///     let three = Layout::contiguous([3]);
///     let (scatter, _) = Scatter::axis_packed(&two, &three, 0)?;
///     scatter.reduce(operation, data, &[1, 0, 1], updates)
/// }
/// let (mut sums, mut largest) = ([10, 20], [0.5, 1.5]);
/// scatter(Operation::Add, &mut sums, &[1, 2, 3])?;
/// scatter(Operation::Max, &mut largest, &[1.0, 0.0, 2.0])?;
/// assert_eq!((sums, largest), ([12, 24], [0.5, 2.0]));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Operation {
    /// [`Assign`]
    Assign,
    /// [`Add`]
    Add,
    /// [`Sub`]
    Sub,
    /// [`Mul`]
    Mul,
    /// [`Min`]
    Min,
    /// [`Max`]
    Max,
}

/// The numbers that every [`Operation`] reduces: integers of all sizes, `f16`, `bf16`, `f32` and
/// `f64`. The one bound that a generic function needs. The trait is sealed.
pub trait Number: Element + sealed::Sealed {}

mod sealed {
    use super::Operation;

    pub trait Sealed: Sized {
        fn combine(operation: Operation, current: Self, update: Self) -> Self;

        #[cfg(feature = "std")]
        fn call<C: super::Call<Self>>(operation: Operation, call: C) -> C::Output;
    }
}

impl<T: Number> Reduction<T> for Operation {
    #[inline(always)]
    fn combine(&self, current: T, update: T) -> T {
        T::combine(*self, current, update)
    }

    #[cfg(feature = "std")]
    fn call<C: Call<T>>(&self, call: C) -> C::Output {
        T::call(*self, call)
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Number for $number {}
        impl sealed::Sealed for $number {
            #[inline(always)]
            fn combine(operation: Operation, current: $number, update: $number) -> $number {
                match operation {
                    Operation::Assign => Assign.combine(current, update),
                    Operation::Add => Add.combine(current, update),
                    Operation::Sub => Sub.combine(current, update),
                    Operation::Mul => Mul.combine(current, update),
                    Operation::Min => Min.combine(current, update),
                    Operation::Max => Max.combine(current, update),
                }
            }

            #[cfg(feature = "std")]
            fn call<C: Call<$number>>(operation: Operation, call: C) -> C::Output {
                match operation {
                    Operation::Assign => call.with(&Assign),
                    Operation::Add => call.with(&Add),
                    Operation::Sub => call.with(&Sub),
                    Operation::Mul => call.with(&Mul),
                    Operation::Min => call.with(&Min),
                    Operation::Max => call.with(&Max),
                }
            }
        }
    )*};
}
numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);
#[cfg(feature = "half")]
numbers!(half::f16 half::bf16);
