//! Compiled operators: from types known at run time to those of the loops.
//!
//! Not by the calls on bytes (`src/erased.rs`), which take less source and the same time: they have
//! the loops of eight index types, whatever a program uses. Here a program has the loops of the
//! slices that its compiler sees: one gather and one scatter of `f32` by `u32` are 573 KB of text
//! instead of 879 (x86-64, release, thin LTO), and 847 if all types are chosen at run time. Without
//! `std`, those calls would also match on the type at each index.

use crate::data_type::DataType;
use crate::dml::data::{Bits, BitsMut, TensorData, TensorDataMut};
use crate::element::Element;
use crate::error::{Error, Operand};
use crate::gather::Gather;
use crate::index::Index;
use crate::layout::Layout;
use crate::reduction::Assign;
use crate::run;
use crate::scatter::Scatter;

/// A gather that is ready to run: what [`GatherOperatorDesc`](super::GatherOperatorDesc),
/// [`GatherElementsOperatorDesc`](super::GatherElementsOperatorDesc),
/// [`GatherNdOperatorDesc`](super::GatherNdOperatorDesc) and
/// [`GatherNd1OperatorDesc`](super::GatherNd1OperatorDesc) compile to.
///
/// ```
/// use strew::dml::{
///     DataType, GatherElementsOperatorDesc, Settings, TensorDesc,
/// };
///
/// let operator = GatherElementsOperatorDesc {
///     input_tensor: TensorDesc::packed(DataType::Int8, &[2, 2]),
///     indices_tensor: TensorDesc::packed(DataType::Int64, &[2, 1]),
///     output_tensor: TensorDesc::packed(DataType::Int8, &[2, 1]),
///     axis: 1,
/// };
/// // A plain value, which outlives its descriptor.
/// let compiled: strew::dml::CompiledGather =
///     operator.compile(&Settings::default())?;
/// # let _ = compiled;
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CompiledGather {
    pub(crate) gather: Gather,
    pub(crate) data_type: DataType,
    pub(crate) indices_type: DataType,
}

/// A scatter that is ready to run: what [`ScatterOperatorDesc`](super::ScatterOperatorDesc) and
/// [`ScatterNdOperatorDesc`](super::ScatterNdOperatorDesc) compile to.
///
/// ```
/// use strew::dml::{DataType, ScatterOperatorDesc, Settings, TensorDesc};
///
/// let operator = ScatterOperatorDesc {
///     input_tensor: TensorDesc::packed(DataType::Int8, &[2, 2]),
///     indices_tensor: TensorDesc::packed(DataType::Int64, &[2, 1]),
///     updates_tensor: TensorDesc::packed(DataType::Int8, &[2, 1]),
///     output_tensor: TensorDesc::packed(DataType::Int8, &[2, 2]),
///     axis: 1,
/// };
/// // A plain value, which outlives its descriptor.
/// let compiled: strew::dml::CompiledScatter =
///     operator.compile(&Settings::default())?;
/// # let _ = compiled;
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CompiledScatter {
    pub(crate) scatter: Scatter,
    /// The layout of the input, which may have other strides than the output.
    pub(crate) input: Layout,
    pub(crate) data_type: DataType,
    pub(crate) indices_type: DataType,
}

impl CompiledGather {
    /// Gathers.
    ///
    /// # Errors
    /// - [`Error::DataTypeMismatch`] for a slice of another type than the descriptor says,
    ///   [`Error::SliceTooShort`] for one shorter than its tensor's
    ///   [`extent`](super::TensorDesc::extent): the output is as it was.
    /// - [`Error::IndexOutOfBounds`], if the settings left [`Bounds::Error`](crate::Bounds::Error):
    ///   it names the first bad entry. Entries before it in row-major order may be in the output
    ///   already; none that comes after it is.
    ///
    /// ```
    /// use strew::dml::{
    ///     DataType, GatherElementsOperatorDesc, Settings, TensorDesc,
    /// };
    ///
    /// let operator = GatherElementsOperatorDesc {
    ///     input_tensor: TensorDesc::packed(DataType::Int8, &[2, 2]),
    ///     indices_tensor: TensorDesc::packed(DataType::Int64, &[2, 1]),
    ///     output_tensor: TensorDesc::packed(DataType::Int8, &[2, 1]),
    ///     axis: 1,
    /// };
    /// let compiled = operator.compile(&Settings::default())?;
    /// let mut output = [0_i8; 2];
    /// compiled.execute(&[1_i8, 2, 3, 4], &[1_i64, -2], &mut output)?;
    /// assert_eq!(output, [2, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn execute<'a>(
        &self,
        input: impl Into<TensorData<'a>>,
        indices: impl Into<TensorData<'a>>,
        output: impl Into<TensorDataMut<'a>>,
    ) -> Result<(), Error> {
        self.by_width(input.into(), indices.into(), output.into())
    }

    // Inline, so that the loops of all types are compiled where they are used, and not with the
    // crate.
    #[inline]
    fn by_width(
        &self,
        input: TensorData<'_>,
        indices: TensorData<'_>,
        output: TensorDataMut<'_>,
    ) -> Result<(), Error> {
        let found = output.data_type();
        has_type(Operand::Input, self.data_type, input.data_type())?;
        has_type(Operand::Indices, self.indices_type, indices.data_type())?;
        has_type(Operand::Output, self.data_type, found)?;
        match (input.bits(), output.bits()) {
            (Bits::Bits8(input), BitsMut::Bits8(output)) => self.by_index(input, indices, output),
            (Bits::Bits16(input), BitsMut::Bits16(output)) => self.by_index(input, indices, output),
            (Bits::Bits32(input), BitsMut::Bits32(output)) => self.by_index(input, indices, output),
            (Bits::Bits64(input), BitsMut::Bits64(output)) => self.by_index(input, indices, output),
            // Equal types have equal widths.
            _ => Err(Error::DataTypeMismatch {
                operand: Operand::Output,
                expected: self.data_type,
                found,
            }),
        }
    }

    fn by_index<T: Element>(
        &self,
        input: &[T],
        indices: TensorData<'_>,
        output: &mut [T],
    ) -> Result<(), Error> {
        match indices {
            TensorData::Uint32(indices) => self.gather.run(input, indices, output),
            TensorData::Int32(indices) => self.gather.run(input, indices, output),
            TensorData::Uint64(indices) => self.gather.run(input, indices, output),
            TensorData::Int64(indices) => self.gather.run(input, indices, output),
            // `compile` accepts no other type for indices.
            other => Err(Error::DataTypeMismatch {
                operand: Operand::Indices,
                expected: self.indices_type,
                found: other.data_type(),
            }),
        }
    }
}

impl CompiledScatter {
    /// `output = input`, then scatters.
    ///
    /// # Errors
    /// [`Error::DataTypeMismatch`] for a slice of another type than the descriptor says,
    /// [`Error::SliceTooShort`] for one shorter than its tensor's
    /// [`extent`](super::TensorDesc::extent), and [`Error::IndexOutOfBounds`], if the settings left
    /// [`Bounds::Error`](crate::Bounds::Error), for the first bad entry. Whatever the error, the
    /// output is as it was.
    ///
    /// ```
    /// use strew::dml::{DataType, ScatterOperatorDesc, Settings, TensorDesc};
    ///
    /// let operator = ScatterOperatorDesc {
    ///     input_tensor: TensorDesc::packed(DataType::Int8, &[2, 2]),
    ///     indices_tensor: TensorDesc::packed(DataType::Int64, &[2, 1]),
    ///     updates_tensor: TensorDesc::packed(DataType::Int8, &[2, 1]),
    ///     output_tensor: TensorDesc::packed(DataType::Int8, &[2, 2]),
    ///     axis: 1,
    /// };
    /// let compiled = operator.compile(&Settings::default())?;
    /// let mut output = [0_i8; 4];
    /// compiled.execute(&[1_i8, 2, 3, 4], &[1_i64, -2], &[8_i8, 9], &mut output)?;
    /// assert_eq!(output, [1, 8, 9, 4]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn execute<'a>(
        &self,
        input: impl Into<TensorData<'a>>,
        indices: impl Into<TensorData<'a>>,
        updates: impl Into<TensorData<'a>>,
        output: impl Into<TensorDataMut<'a>>,
    ) -> Result<(), Error> {
        self.by_width(input.into(), indices.into(), updates.into(), output.into())
    }

    // Inline: see above.
    #[inline]
    fn by_width(
        &self,
        input: TensorData<'_>,
        indices: TensorData<'_>,
        updates: TensorData<'_>,
        output: TensorDataMut<'_>,
    ) -> Result<(), Error> {
        let found = output.data_type();
        has_type(Operand::Input, self.data_type, input.data_type())?;
        has_type(Operand::Indices, self.indices_type, indices.data_type())?;
        has_type(Operand::Updates, self.data_type, updates.data_type())?;
        has_type(Operand::Output, self.data_type, found)?;
        match (input.bits(), updates.bits(), output.bits()) {
            (Bits::Bits8(input), Bits::Bits8(updates), BitsMut::Bits8(output)) => {
                self.by_index(input, indices, updates, output)
            }
            (Bits::Bits16(input), Bits::Bits16(updates), BitsMut::Bits16(output)) => {
                self.by_index(input, indices, updates, output)
            }
            (Bits::Bits32(input), Bits::Bits32(updates), BitsMut::Bits32(output)) => {
                self.by_index(input, indices, updates, output)
            }
            (Bits::Bits64(input), Bits::Bits64(updates), BitsMut::Bits64(output)) => {
                self.by_index(input, indices, updates, output)
            }
            // Equal types have equal widths.
            _ => Err(Error::DataTypeMismatch {
                operand: Operand::Output,
                expected: self.data_type,
                found,
            }),
        }
    }

    fn by_index<T: Element>(
        &self,
        input: &[T],
        indices: TensorData<'_>,
        updates: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        match indices {
            TensorData::Uint32(indices) => self.run(input, indices, updates, output),
            TensorData::Int32(indices) => self.run(input, indices, updates, output),
            TensorData::Uint64(indices) => self.run(input, indices, updates, output),
            TensorData::Int64(indices) => self.run(input, indices, updates, output),
            // `compile` accepts no other type for indices.
            other => Err(Error::DataTypeMismatch {
                operand: Operand::Indices,
                expected: self.indices_type,
                found: other.data_type(),
            }),
        }
    }

    /// `output = input`, then scatters. Everything that can fail comes before the first write.
    fn run<T: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        updates: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        let Scatter { plan, data } = &self.scatter;
        let into = run::Into { input, layout: &self.input, output: data };
        run::scatter_into(plan, &Assign, into, indices, updates, output)
    }
}

fn has_type(operand: Operand, expected: DataType, found: DataType) -> Result<(), Error> {
    if found != expected {
        Err(Error::DataTypeMismatch { operand, expected, found })
    } else {
        Ok(())
    }
}
