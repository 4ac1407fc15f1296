//! Calls on slices whose types are known. With `std` they become calls on bytes, in which all types
//! share what they can; without it an image holds no more than the types that it calls.

use strew::{And, Error, Gather, Or, Reduction, Scatter, Xor};

use crate::types::strew_status::STREW_UNKNOWN_REDUCTION;
use crate::types::{Refusal, strew_reduction};

#[cfg(feature = "std")]
pub(crate) use on_bytes::{gather, reduce_floats, reduce_integers, scatter};
#[cfg(not(feature = "std"))]
pub(crate) use typed::{gather, reduce_floats, reduce_integers, scatter};

#[cfg(feature = "std")]
mod on_bytes {
    use bytemuck::{Pod, cast_slice, cast_slice_mut};
    use half::{bf16, f16};
    use strew::{AnyIndices, DataType, Index, Operation};

    use super::*;

    /// `by_number!(number, numbers and what they stand for, name => value)`: unknown numbers are
    /// refused.
    macro_rules! by_number {
        ($number:ident, [$($known:ident $is:expr,)*], $name:ident => $value:expr) => {
            match $number {
                $(n if n == strew_reduction::$known as u32 => {
                    let $name = $is;
                    $value
                })*
                _ => Err(Refusal::Unknown(STREW_UNKNOWN_REDUCTION, $number)),
            }
        };
    }

    pub(crate) fn gather<'a, T: Pod, I: Index>(
        plan: &Gather,
        input: &[T],
        indices: &'a [I],
        output: &mut [T],
    ) -> Result<(), Error>
    where
        AnyIndices<'a>: From<&'a [I]>,
    {
        let (input, output) = (cast_slice(input), cast_slice_mut(output));
        #[cfg(feature = "threads")]
        return plan.par_run_bytes(size_of::<T>(), input, indices, output);
        #[cfg(not(feature = "threads"))]
        plan.run_bytes(size_of::<T>(), input, indices, output)
    }

    pub(crate) fn scatter<'a, T: Pod, I: Index>(
        plan: &Scatter,
        data: &mut [T],
        indices: &'a [I],
        updates: &[T],
    ) -> Result<(), Error>
    where
        AnyIndices<'a>: From<&'a [I]>,
    {
        let (data, updates) = (cast_slice_mut(data), cast_slice(updates));
        #[cfg(feature = "threads")]
        return plan.par_run_bytes(size_of::<T>(), data, indices, updates);
        #[cfg(not(feature = "threads"))]
        plan.run_bytes(size_of::<T>(), data, indices, updates)
    }

    /// The elements of reductions.
    pub(crate) trait Typed: Pod {
        const TYPE: DataType;
        /// The unsigned integer of the size.
        type Bits: Pod;
    }
    macro_rules! typed {
        ($($element:ty: $variant:ident $bits:ty,)*) => {$(
            impl Typed for $element {
                const TYPE: DataType = DataType::$variant;
                type Bits = $bits;
            }
        )*};
    }
    typed! {
        u8: Uint8 u8, u16: Uint16 u16, u32: Uint32 u32, u64: Uint64 u64,
        i8: Int8 u8, i16: Int16 u16, i32: Int32 u32, i64: Int64 u64,
        f16: Float16 u16, bf16: Bfloat16 u16, f32: Float32 u32, f64: Float64 u64,
    }

    pub(crate) fn reduce_floats<'a, T: Typed, I: Index>(
        plan: &Scatter,
        number: u32,
        data: &mut [T],
        indices: &'a [I],
        updates: &[T],
    ) -> Result<Result<(), Error>, Refusal>
    where
        AnyIndices<'a>: From<&'a [I]>,
    {
        let operation = by_number!(number, [
            STREW_ADD Operation::Add,
            STREW_SUB Operation::Sub,
            STREW_MUL Operation::Mul,
            STREW_MIN Operation::Min,
            STREW_MAX Operation::Max,
        ], operation => Ok(operation))?;
        let (data, updates) = (cast_slice_mut(data), cast_slice(updates));
        #[cfg(feature = "threads")]
        return Ok(plan.par_reduce_bytes(operation, T::TYPE, data, indices, updates));
        #[cfg(not(feature = "threads"))]
        Ok(plan.reduce_bytes(operation, T::TYPE, data, indices, updates))
    }

    pub(crate) fn reduce_integers<'a, T: Typed, I: Index>(
        plan: &Scatter,
        number: u32,
        data: &mut [T],
        indices: &'a [I],
        updates: &[T],
    ) -> Result<Result<(), Error>, Refusal>
    where
        AnyIndices<'a>: From<&'a [I]>,
        And: Reduction<T::Bits>,
        Or: Reduction<T::Bits>,
        Xor: Reduction<T::Bits>,
        T::Bits: strew::Element,
    {
        if number < strew_reduction::STREW_AND as u32 {
            return reduce_floats(plan, number, data, indices, updates);
        }
        let (data, updates) = (cast_slice_mut::<T, T::Bits>(data), cast_slice(updates));
        by_number!(number, [STREW_AND And, STREW_OR Or, STREW_XOR Xor,], reduction => {
            #[cfg(feature = "threads")]
            let done = plan.par_reduce(reduction, data, indices, updates);
            #[cfg(not(feature = "threads"))]
            let done = plan.reduce_shared(reduction, data, indices, updates);
            Ok(done)
        })
    }
}

#[cfg(not(feature = "std"))]
mod typed {
    use strew::{Add, Element, Index, Max, Min, Mul, Sub};

    use super::*;

    #[inline(always)]
    pub(crate) fn gather<T: Element, I: Index>(
        plan: &Gather,
        input: &[T],
        indices: &[I],
        output: &mut [T],
    ) -> Result<(), Error> {
        plan.run_shared(input, indices, output)
    }

    #[inline(always)]
    pub(crate) fn scatter<T: Element, I: Index>(
        plan: &Scatter,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        plan.run_shared(data, indices, updates)
    }

    /// A reduction as two functions, for an element and for a row: all reductions of a type share
    /// the loops over entries, which call it once for each entry.
    struct Functions<T> {
        /// `None` is [`Add`], which most are: the loops of single elements have one for it, and
        /// choose it once a lane.
        element: Option<fn(T, T) -> T>,
        row: fn(&mut [T], &[T]),
    }

    struct Called<T: 'static>(&'static Functions<T>);

    impl<T> Reduction<T> for Called<T>
    where
        Add: Reduction<T>,
    {
        #[inline(always)]
        fn combine(&self, current: T, update: T) -> T {
            match self.0.element {
                None => Add.combine(current, update),
                Some(element) => element(current, update),
            }
        }

        #[inline(always)]
        fn combine_each(
            &self,
            data: &mut [T],
            entries: impl Iterator<Item = Option<(usize, T)>>,
        ) -> Option<()>
        where
            T: Copy,
        {
            match self.0.element {
                None => Add.combine_each(data, entries),
                Some(element) => element.combine_each(data, entries),
            }
        }

        #[inline(always)]
        fn combine_row(&self, current: &mut [T], updates: &[T]) {
            (self.0.row)(current, updates);
        }
    }

    /// `reducer!(name: number reduction, ..)`: a function that calls the reduction with that
    /// number.
    macro_rules! reducer {
        ($name:ident: $($known:ident $reduction:ident,)*) => {
            #[inline(always)]
            pub(crate) fn $name<T: Element, I: Index>(
                plan: &Scatter,
                number: u32,
                data: &mut [T],
                indices: &[I],
                updates: &[T],
            ) -> Result<Result<(), Error>, Refusal>
            where
                Add: Reduction<T>,
                $($reduction: Reduction<T>,)*
            {
                let functions: &'static Functions<T> = match number {
                    n if n == strew_reduction::STREW_ADD as u32 => &Functions {
                        element: None,
                        row: |current, updates| Add.combine_row(current, updates),
                    },
                    $(n if n == strew_reduction::$known as u32 => &Functions {
                        element: Some(|current, update| $reduction.combine(current, update)),
                        row: |current, updates| $reduction.combine_row(current, updates),
                    },)*
                    _ => return Err(Refusal::Unknown(STREW_UNKNOWN_REDUCTION, number)),
                };
                Ok(plan.reduce_shared(Called(functions), data, indices, updates))
            }
        };
    }
    reducer!(reduce_integers:
        STREW_SUB Sub, STREW_MUL Mul, STREW_MIN Min, STREW_MAX Max,
        STREW_AND And, STREW_OR Or, STREW_XOR Xor,
    );
    reducer!(reduce_floats:
        STREW_SUB Sub, STREW_MUL Mul, STREW_MIN Min, STREW_MAX Max,
    );
}
