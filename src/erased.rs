//! Calls on bytes, for programs that learn at run time what types their tensors have: one function
//! for each direction, compiled once, whatever the types.

use bytemuck::Pod;

use crate::any_indices::{AnyIndices, cast, cast_mut};
use crate::data_type::DataType;
use crate::error::{Error, Operand};
use crate::gather::Gather;
use crate::operation::{Number, Operation};
use crate::plan::Plan;
use crate::reduction::{Add, Assign, Max, Min, Mul, Reduction, Sub};
use crate::run;
use crate::scatter::Scatter;

/// What is done with elements of each width. Arrays of bytes need no alignment, and have the
/// kernels of all types of their size.
macro_rules! by_width {
    ($width:expr, $N:ident => $value:expr) => {
        by_width!(@ $width, $N, $value, 1 2 4 8 16)
    };
    (@ $width:expr, $N:ident, $value:expr, $($size:literal)*) => {
        match $width {
            $($size => {
                const $N: usize = $size;
                $value
            })*
            found => Err(Error::WidthNotSupported { found }),
        }
    };
}

/// Elements of `N` bytes, without what is left over at the end.
fn elements<const N: usize>(bytes: &[u8]) -> &[[u8; N]] {
    bytes.as_chunks::<N>().0
}

/// The same to write to.
fn elements_mut<const N: usize>(bytes: &mut [u8]) -> &mut [[u8; N]] {
    bytes.as_chunks_mut::<N>().0
}

/// Runs with the reduction that an operation is: one of a list, the last of which stands apart. The
/// operations after `not` never come here. They are named, so that a new one does not compile
/// before it has its place. Without `std`, all of a type share their loops, which ask what it is.
macro_rules! by_operation {
    (
        $operation:ident, [$($reduction:ident)*] $last:ident not $($other:ident)*,
        $chosen:ident => $value:expr
    ) => {{
        #[cfg(feature = "std")]
        return match $operation {
            $(Operation::$reduction => {
                let $chosen = &$reduction;
                $value
            })*
            Operation::$last $(| Operation::$other)* => {
                let $chosen = &$last;
                $value
            }
        };
        #[cfg(not(feature = "std"))]
        {
            let $chosen = &$operation;
            $value
        }
    }};
}

/// The function for a type of the crate `half`, in a build that has it.
#[cfg(feature = "half")]
macro_rules! of_half {
    ($data_type:ident, $function:expr) => {
        $function
    };
}
#[cfg(not(feature = "half"))]
macro_rules! of_half {
    ($data_type:ident, $function:expr) => {
        return Err(Error::DataTypeNotSupported { found: $data_type })
    };
}

/// The functions of each direction, from those of [`run`] for types that are known; those with
/// threads ask whether indices have been proven.
macro_rules! calls {
    ($gather:ident $scatter:ident $reduce:ident $($proven:literal)?) => {
        /// `output[flat] = input[table]`
        fn $gather(
            plan: &Plan,
            width: usize,
            input: &[u8],
            indices: AnyIndices<'_>,
            output: &mut [u8],
        ) -> Result<(), Error> {
            by_width!(width, N => {
                let (input, output) = (elements::<N>(input), elements_mut(output));
                run::$gather(plan, input, indices, $($proven,)? output)
            })
        }

        /// `data[table] = updates[flat]`
        fn $scatter(
            plan: &Plan,
            width: usize,
            data: &mut [u8],
            indices: AnyIndices<'_>,
            updates: &[u8],
        ) -> Result<(), Error> {
            by_width!(width, N => {
                let (data, updates) = (elements_mut::<N>(data), elements(updates));
                run::$scatter(plan, &Assign, data, indices, $($proven,)? updates)
            })
        }

        /// `data[table] = operation(data[table], updates[flat])`
        fn $reduce(
            plan: &Plan,
            operation: Operation,
            data_type: DataType,
            data: &mut [u8],
            indices: AnyIndices<'_>,
            updates: &[u8],
        ) -> Result<(), Error> {
            fn sums<T: Number + Pod>(
                plan: &Plan,
                operation: Operation,
                data: &mut [u8],
                indices: AnyIndices<'_>,
                updates: &[u8],
            ) -> Result<(), Error>
            where
                Add: Reduction<T>,
                Sub: Reduction<T>,
                Mul: Reduction<T>,
            {
                let data = cast_mut::<T>(data, Operand::Data)?;
                let updates = cast(updates, Operand::Updates)?;
                by_operation!(operation, [Sub Mul] Add not Assign Min Max, reduction => {
                    run::$scatter(plan, reduction, data, indices, $($proven,)? updates)
                })
            }

            fn extremes<T: Number + Pod>(
                plan: &Plan,
                operation: Operation,
                data: &mut [u8],
                indices: AnyIndices<'_>,
                updates: &[u8],
            ) -> Result<(), Error>
            where
                Min: Reduction<T>,
                Max: Reduction<T>,
            {
                let data = cast_mut::<T>(data, Operand::Data)?;
                let updates = cast(updates, Operand::Updates)?;
                by_operation!(operation, [Min] Max not Assign Add Sub Mul, reduction => {
                    run::$scatter(plan, reduction, data, indices, $($proven,)? updates)
                })
            }

            let run = match operation {
                Operation::Assign => {
                    return $scatter(plan, data_type.width(), data, indices, updates);
                }
                Operation::Min | Operation::Max => match data_type {
                    DataType::Int8 => extremes::<i8>,
                    DataType::Int16 => extremes::<i16>,
                    DataType::Int32 => extremes::<i32>,
                    DataType::Int64 => extremes::<i64>,
                    DataType::Uint8 => extremes::<u8>,
                    DataType::Uint16 => extremes::<u16>,
                    DataType::Uint32 => extremes::<u32>,
                    DataType::Uint64 => extremes::<u64>,
                    DataType::Float16 => of_half!(data_type, extremes::<half::f16>),
                    DataType::Bfloat16 => of_half!(data_type, extremes::<half::bf16>),
                    DataType::Float32 => extremes::<f32>,
                    DataType::Float64 => extremes::<f64>,
                },
                // Those of integers have the same bits with and without a sign.
                Operation::Add | Operation::Sub | Operation::Mul => match data_type {
                    DataType::Int8 | DataType::Uint8 => sums::<u8>,
                    DataType::Int16 | DataType::Uint16 => sums::<u16>,
                    DataType::Int32 | DataType::Uint32 => sums::<u32>,
                    DataType::Int64 | DataType::Uint64 => sums::<u64>,
                    DataType::Float16 => of_half!(data_type, sums::<half::f16>),
                    DataType::Bfloat16 => of_half!(data_type, sums::<half::bf16>),
                    DataType::Float32 => sums::<f32>,
                    DataType::Float64 => sums::<f64>,
                },
            };
            run(plan, operation, data, indices, updates)
        }
    };
}
calls!(gather scatter reduce);
#[cfg(feature = "rayon")]
calls!(par_gather par_scatter par_reduce false);

impl Gather {
    /// [`run`](Gather::run) on elements of `width` bytes, by indices of any type: for programs that
    /// learn at run time what types their tensors have.
    ///
    /// Elements may lie at any address. Lengths count whole elements: bytes that are left over at
    /// the end of a slice are neither read nor written. An element of another width is a row of
    /// bytes: give its tensors one more dimension.
    ///
    /// # Errors
    /// [`Error::WidthNotSupported`], unless the width is 1, 2, 4, 8 or 16; then those of
    /// [`run`](Gather::run).
    ///
    /// ```
    /// use strew::{DataType, Gather, Layout};
    ///
    /// // A table in the bytes of a file, behind a header of three bytes.
    /// let values = [1.5_f32, 2.5, 3.5].map(f32::to_ne_bytes);
    /// let file = [b"v1\n", values.as_flattened()].concat();
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let (gather, _) = Gather::axis_packed(&table, &two, 0)?;
    /// let mut output = [0; 8];
    /// let width = DataType::Float32.width();
    /// gather.run_bytes(width, &file[3..], &[-1_i64, 0], &mut output)?;
    /// assert_eq!(output, *[3.5_f32, 1.5].map(f32::to_ne_bytes).as_flattened());
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn run_bytes<'a>(
        &self,
        width: usize,
        input: &[u8],
        indices: impl Into<AnyIndices<'a>>,
        output: &mut [u8],
    ) -> Result<(), Error> {
        gather(&self.plan, width, input, indices.into(), output)
    }

    /// [`run_bytes`](Gather::run_bytes) with the threads of the rayon pool that it is called in.
    /// The result is the same to the bit.
    ///
    /// # Errors
    /// [`Error::WidthNotSupported`], then those of [`par_run`](Gather::par_run).
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let two = Layout::contiguous([2]);
    /// let (gather, _) = Gather::axis_packed(&table, &two, 0)?;
    /// let mut output = [0; 2];
    /// gather.par_run_bytes(1, b"abc", &[-1_i64, 0], &mut output)?;
    /// assert_eq!(&output, b"ca");
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run_bytes<'a>(
        &self,
        width: usize,
        input: &[u8],
        indices: impl Into<AnyIndices<'a>>,
        output: &mut [u8],
    ) -> Result<(), Error> {
        par_gather(&self.plan, width, input, indices.into(), output)
    }
}

impl Scatter {
    /// [`run`](Scatter::run) on elements of `width` bytes, by indices of any type. Addresses and
    /// lengths are as for [`Gather::run_bytes`].
    ///
    /// # Errors
    /// [`Error::WidthNotSupported`], unless the width is 1, 2, 4, 8 or 16; then those of
    /// [`run`](Scatter::run). The data are as they were.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let data = Layout::contiguous([4]);
    /// let two = Layout::contiguous([2]);
    /// let (scatter, _) = Scatter::axis_packed(&data, &two, 0)?;
    /// let mut text = *b"tale";
    /// scatter.run_bytes(1, &mut text, &[0_u8, 2], b"bk")?;
    /// assert_eq!(&text, b"bake");
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn run_bytes<'a>(
        &self,
        width: usize,
        data: &mut [u8],
        indices: impl Into<AnyIndices<'a>>,
        updates: &[u8],
    ) -> Result<(), Error> {
        scatter(&self.plan, width, data, indices.into(), updates)
    }

    /// [`reduce`](Scatter::reduce) on the bytes of elements of a type, by indices of any type. The
    /// bits are those of [`Add`] and its kin.
    ///
    /// Data and updates must be aligned for the type, but for [`Operation::Assign`], which is
    /// [`run_bytes`](Scatter::run_bytes). Lengths are as for [`Gather::run_bytes`]. A program that
    /// calls this links the reductions of all types; one that has few types has less code with
    /// [`reduce`](Scatter::reduce).
    ///
    /// # Errors
    /// [`Error::DataTypeNotSupported`] for reductions of `f16` and `bf16` in a build without the
    /// feature `half`; [`Error::Misaligned`], then those of [`reduce`](Scatter::reduce). The data
    /// are as they were.
    ///
    /// ```
    /// use strew::{DataType, Layout, Operation, Scatter};
    ///
    /// let data = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let (scatter, _) = Scatter::axis_packed(&data, &three, 0)?;
    /// let (mut sums, updates) = ([10_i32, 20], [1_i32, 2, 3]);
    /// let data = bytemuck::cast_slice_mut(&mut sums);
    /// let (indices, updates) = (&[1_i64, 0, 1], bytemuck::cast_slice(&updates));
    /// let (add, of) = (Operation::Add, DataType::Int32);
    /// scatter.reduce_bytes(add, of, data, indices, updates)?;
    /// assert_eq!(sums, [12, 24]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce_bytes<'a>(
        &self,
        operation: Operation,
        data_type: DataType,
        data: &mut [u8],
        indices: impl Into<AnyIndices<'a>>,
        updates: &[u8],
    ) -> Result<(), Error> {
        reduce(&self.plan, operation, data_type, data, indices.into(), updates)
    }

    /// [`run_bytes`](Scatter::run_bytes) with the threads of the rayon pool that it is called in.
    /// The result is the same to the bit.
    ///
    /// # Errors
    /// [`Error::WidthNotSupported`], then those of [`par_run`](Scatter::par_run). The data are as
    /// they were.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let data = Layout::contiguous([4]);
    /// let two = Layout::contiguous([2]);
    /// let (scatter, _) = Scatter::axis_packed(&data, &two, 0)?;
    /// let mut text = *b"tale";
    /// scatter.par_run_bytes(1, &mut text, &[0_u8, 2], b"bk")?;
    /// assert_eq!(&text, b"bake");
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run_bytes<'a>(
        &self,
        width: usize,
        data: &mut [u8],
        indices: impl Into<AnyIndices<'a>>,
        updates: &[u8],
    ) -> Result<(), Error> {
        par_scatter(&self.plan, width, data, indices.into(), updates)
    }

    /// [`reduce_bytes`](Scatter::reduce_bytes) with the threads of the rayon pool that it is called
    /// in. The result is the same to the bit.
    ///
    /// # Errors
    /// [`Error::DataTypeNotSupported`] and [`Error::Misaligned`] as
    /// [`reduce_bytes`](Scatter::reduce_bytes) has them, then those of
    /// [`par_reduce`](Scatter::par_reduce). The data are as they were.
    ///
    /// ```
    /// use strew::{DataType, Layout, Operation, Scatter};
    ///
    /// let data = Layout::contiguous([2]);
    /// let three = Layout::contiguous([3]);
    /// let (scatter, _) = Scatter::axis_packed(&data, &three, 0)?;
    /// let (mut most, indices) = ([10, 20], &[1_i64, 0, 1]);
    /// let (max, of) = (Operation::Max, DataType::Uint8);
    /// scatter.par_reduce_bytes(max, of, &mut most, indices, &[1, 12, 3])?;
    /// assert_eq!(most, [12, 20]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_reduce_bytes<'a>(
        &self,
        operation: Operation,
        data_type: DataType,
        data: &mut [u8],
        indices: impl Into<AnyIndices<'a>>,
        updates: &[u8],
    ) -> Result<(), Error> {
        par_reduce(&self.plan, operation, data_type, data, indices.into(), updates)
    }
}
