//! The six operators.
//!
//! Each `compile` proves what all operators have in common, drops the leading dimensions that the
//! operator ignores, and leaves the rest to the constructors of [`Gather`] and [`Scatter`].

use crate::dml::compiled::{CompiledGather, CompiledScatter};
use crate::dml::rules::{
    Nd, after_leading, axis_of, dimension_count, gather_tensors, scatter_tensors, sizes_off_axis,
    trailing,
};
use crate::dml::settings::Settings;
use crate::dml::tensor::TensorDesc;
use crate::dml::types::FeatureLevel;
use crate::error::{Direction, Error, Operand};
use crate::gather::Gather;
use crate::layout::Layout;
use crate::scatter::Scatter;

/// `output[p.., i.., s..] = input[p.., indices[i..], s..]`, where `p` are the `axis` dimensions
/// before the axis and `s` those after it.
///
/// Shapes: `output = input[0..axis] ++ indices[D-n..D] ++ input[axis+1..D]`, where `n` is
/// `index_dimensions`, aligned to the right. If these are more than `D` sizes, leading ones are
/// cropped; if they are one fewer (`n` = 0), a 1 is prepended.
///
/// ```
/// use strew::dml::{DataType, GatherOperatorDesc, Settings, TensorDesc};
///
/// // Columns 0 and 2: output[z, y, x] = input[z, indices[y, x]]
/// let operator = GatherOperatorDesc {
///     input_tensor: TensorDesc::packed(DataType::Float32, &[1, 3, 3]),
///     indices_tensor: TensorDesc::packed(DataType::Uint32, &[1, 1, 2]),
///     output_tensor: TensorDesc::packed(DataType::Float32, &[3, 1, 2]),
///     axis: 2,
///     index_dimensions: 2,
/// }
/// .compile(&Settings::default())?;
/// let mut output = [0.0_f32; 6];
/// let input = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
/// operator.execute(&input, &[0_u32, 2], &mut output)?;
/// assert_eq!(output, [1.0, 3.0, 4.0, 6.0, 7.0, 9.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "DML_GATHER_OPERATOR_DESC")]
#[doc(alias = "DML_OPERATOR_GATHER")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GatherOperatorDesc<'a> {
    /// The tensor to read from.
    pub input_tensor: TensorDesc<'a>,
    /// The indices, in the last `index_dimensions` dimensions; the sizes before them must be 1.
    pub indices_tensor: TensorDesc<'a>,
    /// The tensor to write to.
    pub output_tensor: TensorDesc<'a>,
    /// The dimension of the input that is indexed, in `0..D`: leading dimensions of size 1 count.
    pub axis: u32,
    /// The number `n` of dimensions that the indices really have, 0 to `D`. With 0, there is a
    /// single index, which removes the axis.
    pub index_dimensions: u32,
}

impl GatherOperatorDesc<'_> {
    /// Proves the descriptor.
    ///
    /// # Errors
    /// Of all operators: [`Error::NotSupported`] at the feature level, [`Error::RankMismatch`],
    /// [`Error::DataTypeMismatch`], [`Error::ZeroSize`], [`Error::SizesOverflow`],
    /// [`Error::OverlappingOutput`].
    ///
    /// Of this one: [`Error::AxisOutOfRange`], [`Error::DimensionCountOutOfRange`],
    /// [`Error::LeadingSizeNotOne`] for a size that is ignored, cropped or prepended,
    /// [`Error::SizeMismatch`] for the output.
    pub fn compile(&self, settings: &Settings) -> Result<CompiledGather, Error> {
        let Self { input_tensor, indices_tensor, output_tensor, .. } = self;
        let [input, indices, output] = gather_tensors(
            settings,
            FeatureLevel::Level1_0,
            input_tensor,
            indices_tensor,
            output_tensor,
        )?;
        let rank = input.rank();
        let axis = axis_of(&input, Operand::Input, self.axis)?;
        let index_dimensions = dimension_count(Operand::Indices, self.index_dimensions, 0, rank)?;
        // `input ++ indices` without the axis has `rank + index_dimensions - 1` sizes. Those in
        // excess are cropped: from the input before the axis first, then from the indices, which
        // come next.
        let excess = index_dimensions.saturating_sub(1);
        let from_input = excess.min(axis);
        let from_indices = excess - from_input;
        let output_dimensions = if index_dimensions == 0 { rank - 1 } else { rank };
        let input = trailing(&input, Operand::Input, rank - from_input)?;
        let indices = trailing(&indices, Operand::Indices, index_dimensions - from_indices)?;
        let output = trailing(&output, Operand::Output, output_dimensions)?;
        let gather = Gather::axis(&input, &indices, &output, axis - from_input)
            .map_err(|error| after_leading(rank - output_dimensions, error))?;
        Ok(compiled_gather(settings, gather, input_tensor, indices_tensor))
    }
}

/// `output[c] = input[c with c[axis] := indices[c]]`
///
/// Shapes: `output = indices`; `indices[d] <= input[d]` for `d != axis`, and `=` if the settings
/// are strict.
///
/// ```
/// use strew::dml::{
///     DataType, GatherElementsOperatorDesc, Settings, TensorDesc,
/// };
///
/// // output[y, x] = input[indices[y, x], x]
/// let operator = GatherElementsOperatorDesc {
///     input_tensor: TensorDesc::packed(DataType::Float32, &[3, 3]),
///     indices_tensor: TensorDesc::packed(DataType::Uint32, &[2, 3]),
///     output_tensor: TensorDesc::packed(DataType::Float32, &[2, 3]),
///     axis: 0,
/// }
/// .compile(&Settings::default())?;
/// let mut output = [0.0_f32; 6];
/// let input = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
/// operator.execute(&input, &[1_u32, 2, 0, 2, 0, 0], &mut output)?;
/// assert_eq!(output, [4.0, 8.0, 3.0, 7.0, 2.0, 3.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "DML_GATHER_ELEMENTS_OPERATOR_DESC")]
#[doc(alias = "DML_OPERATOR_GATHER_ELEMENTS")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GatherElementsOperatorDesc<'a> {
    /// The tensor to read from.
    pub input_tensor: TensorDesc<'a>,
    /// One index for each element of the output.
    pub indices_tensor: TensorDesc<'a>,
    /// The tensor to write to.
    pub output_tensor: TensorDesc<'a>,
    /// The dimension of the input that is indexed, in `0..D`.
    pub axis: u32,
}

impl GatherElementsOperatorDesc<'_> {
    /// Proves the descriptor.
    ///
    /// # Errors
    /// Those of [all operators](GatherOperatorDesc::compile), [`Error::AxisOutOfRange`], and
    /// [`Error::SizeMismatch`] for the indices or the output.
    pub fn compile(&self, settings: &Settings) -> Result<CompiledGather, Error> {
        let Self { input_tensor, indices_tensor, output_tensor, .. } = self;
        let [input, indices, output] = gather_tensors(
            settings,
            FeatureLevel::Level2_1,
            input_tensor,
            indices_tensor,
            output_tensor,
        )?;
        let axis = axis_of(&input, Operand::Input, self.axis)?;
        sizes_off_axis(settings, &input, &indices, axis)?;
        let gather = Gather::elements(&input, &indices, &output, axis)?;
        Ok(compiled_gather(settings, gather, input_tensor, indices_tensor))
    }
}

/// `output[i.., s..] = input[indices[i.., 0..k].., s..]`, where `k` is the last size of the
/// indices.
///
/// Shapes: `output = 1.. ++ indices[D-q .. D-1] ++ input[D-r+k .. D]`, where `r` is
/// `input_dimension_count` and `q` is `indices_dimension_count`; `1 <= k <= r`. For example,
/// `input = [3, 4, 5, 6, 7]`, `r = 5`, `indices = [1, 1, 1, 2, 3]`, `q = 3` make
/// `output = [1, 1, 2, 6, 7]`.
///
/// ```
/// use strew::dml::{DataType, GatherNdOperatorDesc, Settings, TensorDesc};
///
/// // output[y, x] = input[indices[y, 0], indices[y, 1], x]
/// let operator = GatherNdOperatorDesc {
///     input_tensor: TensorDesc::packed(DataType::Float32, &[1, 2, 2, 2]),
///     indices_tensor: TensorDesc::packed(DataType::Uint32, &[1, 1, 2, 2]),
///     output_tensor: TensorDesc::packed(DataType::Float32, &[1, 1, 2, 2]),
///     input_dimension_count: 3,
///     indices_dimension_count: 2,
/// }
/// .compile(&Settings::default())?;
/// let mut output = [0.0_f32; 4];
/// let input = [0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
/// operator.execute(&input, &[0_u32, 1, 1, 0], &mut output)?;
/// assert_eq!(output, [2.0, 3.0, 4.0, 5.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "DML_GATHER_ND_OPERATOR_DESC")]
#[doc(alias = "DML_OPERATOR_GATHER_ND")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GatherNdOperatorDesc<'a> {
    /// The tensor to read from.
    pub input_tensor: TensorDesc<'a>,
    /// The indices; the last dimension holds the `k` coordinates of a tuple.
    pub indices_tensor: TensorDesc<'a>,
    /// The tensor to write to.
    pub output_tensor: TensorDesc<'a>,
    /// The number `r` of dimensions that the input really has, 1 to `D`; the sizes before them must
    /// be 1.
    pub input_dimension_count: u32,
    /// The number `q` of dimensions that the indices really have, 1 to `D`; the sizes before them
    /// must be 1.
    pub indices_dimension_count: u32,
}

impl GatherNdOperatorDesc<'_> {
    /// Proves the descriptor.
    ///
    /// # Errors
    /// Those of [all operators](GatherOperatorDesc::compile), [`Error::DimensionCountOutOfRange`],
    /// [`Error::TupleSizeOutOfRange`], [`Error::LeadingSizeNotOne`] for a size that is ignored or
    /// prepended, [`Error::RankTooLarge`] for an output that would need more than `D` dimensions,
    /// [`Error::SizeMismatch`] for the output.
    pub fn compile(&self, settings: &Settings) -> Result<CompiledGather, Error> {
        self.with_batches(0).compile_since(FeatureLevel::Level2_1, settings)
    }
}

impl<'a> GatherNdOperatorDesc<'a> {
    fn with_batches(&self, batch_dimension_count: u32) -> GatherNd1OperatorDesc<'a> {
        let Self {
            input_tensor,
            indices_tensor,
            output_tensor,
            input_dimension_count,
            indices_dimension_count,
        } = *self;
        GatherNd1OperatorDesc {
            input_tensor,
            indices_tensor,
            output_tensor,
            input_dimension_count,
            indices_dimension_count,
            batch_dimension_count,
        }
    }
}

/// `output[B.., i.., s..] = input[B.., indices[B.., i.., 0..k].., s..]`, where `B` are the batch
/// dimensions and `k` is the last size of the indices.
///
/// Shapes: `output = 1.. ++ indices[D-q .. D-1] ++ input[D-r+b+k .. D]`, where `r` is
/// `input_dimension_count`, `q` is `indices_dimension_count` and `b` is `batch_dimension_count`;
/// `1 <= k <= r - b`. The `b` batch sizes of input and indices, the first of the last `r` and `q`,
/// are equal.
///
/// ```
/// use strew::dml::{DataType, GatherNd1OperatorDesc, Settings, TensorDesc};
///
/// // output[b, x] = input[b, indices[b, x, 0], indices[b, x, 1]]
/// let operator = GatherNd1OperatorDesc {
///     input_tensor: TensorDesc::packed(DataType::Float32, &[1, 3, 2, 2]),
///     indices_tensor: TensorDesc::packed(DataType::Uint32, &[1, 3, 2, 2]),
///     output_tensor: TensorDesc::packed(DataType::Float32, &[1, 1, 3, 2]),
///     input_dimension_count: 3,
///     indices_dimension_count: 3,
///     batch_dimension_count: 1,
/// }
/// .compile(&Settings::default())?;
/// let input: [f32; 12] = std::array::from_fn(|n| n as f32);
/// let mut output = [0.0_f32; 6];
/// let indices = [0_u32, 0, 1, 1, /**/ 1, 1, 0, 0, /**/ 0, 1, 1, 0];
/// operator.execute(&input, &indices, &mut output)?;
/// assert_eq!(output, [0.0, 3.0, 7.0, 4.0, 9.0, 10.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "DML_GATHER_ND1_OPERATOR_DESC")]
#[doc(alias = "DML_OPERATOR_GATHER_ND1")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GatherNd1OperatorDesc<'a> {
    /// The tensor to read from.
    pub input_tensor: TensorDesc<'a>,
    /// The indices; the last dimension holds the `k` coordinates of a tuple.
    pub indices_tensor: TensorDesc<'a>,
    /// The tensor to write to.
    pub output_tensor: TensorDesc<'a>,
    /// The number `r` of dimensions that the input really has, 1 to `D`; the sizes before them must
    /// be 1.
    pub input_dimension_count: u32,
    /// The number `q` of dimensions that the indices really have, 1 to `D`; the sizes before them
    /// must be 1.
    pub indices_dimension_count: u32,
    /// The number `b` of batch dimensions, below both counts. With 0, the formula is that of
    /// [`GatherNdOperatorDesc`].
    pub batch_dimension_count: u32,
}

impl GatherNd1OperatorDesc<'_> {
    /// Proves the descriptor.
    ///
    /// # Errors
    /// Those of [`GatherNdOperatorDesc::compile`], [`Error::BatchDimsOutOfRange`], and
    /// [`Error::SizeMismatch`] for a batch dimension of the indices.
    pub fn compile(&self, settings: &Settings) -> Result<CompiledGather, Error> {
        self.compile_since(FeatureLevel::Level3_0, settings)
    }

    fn compile_since(
        &self,
        since: FeatureLevel,
        settings: &Settings,
    ) -> Result<CompiledGather, Error> {
        let Self { input_tensor, indices_tensor, output_tensor, .. } = self;
        let [input, indices, output] =
            gather_tensors(settings, since, input_tensor, indices_tensor, output_tensor)?;
        let counts =
            (self.input_dimension_count, self.indices_dimension_count, self.batch_dimension_count);
        let nd = Nd::new(&input, &indices, &output, counts, Direction::Gather)?;
        let gather = Gather::nd(&nd.input, &nd.indices, &nd.flat, nd.batch)
            .map_err(|error| after_leading(nd.flat_leading, error))?;
        Ok(compiled_gather(settings, gather, input_tensor, indices_tensor))
    }
}

/// `output = input; output[c with c[axis] := indices[c]] = updates[c]`
///
/// Shapes: `output = input`, `updates = indices`; `indices[d] <= input[d]` for `d != axis`, and `=`
/// if the settings are strict. This is the counterpart of [`GatherElementsOperatorDesc`], and not
/// of [`GatherOperatorDesc`].
///
/// ```
/// use strew::dml::{DataType, ScatterOperatorDesc, Settings, TensorDesc};
///
/// // output[indices[x]] = updates[x]. Of index 3, the last update stays.
/// let operator = ScatterOperatorDesc {
///     input_tensor: TensorDesc::packed(DataType::Float32, &[5]),
///     indices_tensor: TensorDesc::packed(DataType::Uint32, &[4]),
///     updates_tensor: TensorDesc::packed(DataType::Float32, &[4]),
///     output_tensor: TensorDesc::packed(DataType::Float32, &[5]),
///     axis: 0,
/// }
/// .compile(&Settings::default())?;
/// let mut output = [0.0_f32; 5];
/// let input = [0.0_f32, 1.0, 2.0, 3.0, 4.0];
/// let updates = [5.0_f32, 6.0, 7.0, 8.0];
/// operator.execute(&input, &[3_u32, 1, 3, 0], &updates, &mut output)?;
/// assert_eq!(output, [8.0, 6.0, 2.0, 7.0, 4.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "DML_SCATTER_OPERATOR_DESC")]
#[doc(alias = "DML_OPERATOR_SCATTER")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScatterOperatorDesc<'a> {
    /// The tensor to start from.
    pub input_tensor: TensorDesc<'a>,
    /// One index for each element of the updates.
    pub indices_tensor: TensorDesc<'a>,
    /// The new values.
    pub updates_tensor: TensorDesc<'a>,
    /// The tensor to write to.
    pub output_tensor: TensorDesc<'a>,
    /// The dimension of the output that is indexed, in `0..D`.
    pub axis: u32,
}

/// [`ScatterOperatorDesc`] by the name that DirectML calls more proper.
#[doc(alias = "DML_SCATTER_ELEMENTS_OPERATOR_DESC")]
#[doc(alias = "DML_OPERATOR_SCATTER_ELEMENTS")]
pub type ScatterElementsOperatorDesc<'a> = ScatterOperatorDesc<'a>;

impl ScatterOperatorDesc<'_> {
    /// Proves the descriptor.
    ///
    /// # Errors
    /// Those of [all operators](GatherOperatorDesc::compile), [`Error::AxisOutOfRange`], and
    /// [`Error::SizeMismatch`] for the output, the indices or the updates.
    pub fn compile(&self, settings: &Settings) -> Result<CompiledScatter, Error> {
        let Self { input_tensor, indices_tensor, updates_tensor, output_tensor, .. } = self;
        let tensors = [input_tensor, indices_tensor, updates_tensor, output_tensor];
        let [input, indices, updates, output] =
            scatter_tensors(settings, FeatureLevel::Level1_0, tensors)?;
        let axis = axis_of(&output, Operand::Output, self.axis)?;
        sizes_off_axis(settings, &input, &indices, axis)?;
        let scatter = Scatter::elements(&output, &indices, &updates, axis)?;
        Ok(compiled_scatter(settings, scatter, input, input_tensor, indices_tensor))
    }
}

/// `output = input; output[indices[i.., 0..k].., s..] = updates[i.., s..]`, where `k` is the last
/// size of the indices.
///
/// Shapes: `output = input`, `updates = 1.. ++ indices[D-q .. D-1] ++ input[D-r+k .. D]`, where `r`
/// is `input_dimension_count` and `q` is `indices_dimension_count`; `1 <= k <= r`. For example,
/// `input = [3, 4, 5, 6, 7]`, `r = 5`, `indices = [1, 1, 1, 2, 3]`, `q = 3` make
/// `updates = [1, 1, 2, 6, 7]`.
///
/// ```
/// use strew::dml::{DataType, ScatterNdOperatorDesc, Settings, TensorDesc};
///
/// // output[indices[x, 0]] = updates[x], into one zero that is repeated.
/// let operator = ScatterNdOperatorDesc {
///     input_tensor: TensorDesc::strided(DataType::Float32, &[1, 8], &[0, 0]),
///     indices_tensor: TensorDesc::packed(DataType::Uint32, &[4, 1]),
///     updates_tensor: TensorDesc::packed(DataType::Float32, &[1, 4]),
///     output_tensor: TensorDesc::packed(DataType::Float32, &[1, 8]),
///     input_dimension_count: 1,
///     indices_dimension_count: 2,
/// }
/// .compile(&Settings::default())?;
/// let mut output = [1.0_f32; 8];
/// let updates = [9.0_f32, 10.0, 11.0, 12.0];
/// operator.execute(&[0.0_f32], &[4_u32, 3, 1, 7], &updates, &mut output)?;
/// assert_eq!(output, [0.0, 11.0, 0.0, 10.0, 9.0, 0.0, 0.0, 12.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "DML_SCATTER_ND_OPERATOR_DESC")]
#[doc(alias = "DML_OPERATOR_SCATTER_ND")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScatterNdOperatorDesc<'a> {
    /// The tensor to start from.
    pub input_tensor: TensorDesc<'a>,
    /// The indices; the last dimension holds the `k` coordinates of a tuple.
    pub indices_tensor: TensorDesc<'a>,
    /// The new values.
    pub updates_tensor: TensorDesc<'a>,
    /// The tensor to write to.
    pub output_tensor: TensorDesc<'a>,
    /// The number `r` of dimensions that the input really has, 1 to `D`; the sizes before them must
    /// be 1.
    pub input_dimension_count: u32,
    /// The number `q` of dimensions that the indices really have, 1 to `D`; the sizes before them
    /// must be 1.
    pub indices_dimension_count: u32,
}

impl ScatterNdOperatorDesc<'_> {
    /// Proves the descriptor.
    ///
    /// # Errors
    /// Those of [all operators](GatherOperatorDesc::compile), [`Error::DimensionCountOutOfRange`],
    /// [`Error::TupleSizeOutOfRange`], [`Error::LeadingSizeNotOne`] for a size that is ignored or
    /// prepended, [`Error::RankTooLarge`] for updates that would need more than `D` dimensions,
    /// [`Error::SizeMismatch`] for the output or the updates.
    pub fn compile(&self, settings: &Settings) -> Result<CompiledScatter, Error> {
        let Self { input_tensor, indices_tensor, updates_tensor, output_tensor, .. } = self;
        let tensors = [input_tensor, indices_tensor, updates_tensor, output_tensor];
        let [input, indices, updates, output] =
            scatter_tensors(settings, FeatureLevel::Level2_1, tensors)?;
        let counts = (self.input_dimension_count, self.indices_dimension_count, 0);
        let nd = Nd::new(&input, &indices, &updates, counts, Direction::Scatter)?;
        let output = trailing(&output, Operand::Output, nd.input.rank())?;
        let scatter = Scatter::nd(&output, &nd.indices, &nd.flat, 0)
            .map_err(|error| after_leading(nd.flat_leading, error))?;
        Ok(compiled_scatter(settings, scatter, nd.input, input_tensor, indices_tensor))
    }
}

fn compiled_gather(
    settings: &Settings,
    gather: Gather,
    input: &TensorDesc<'_>,
    indices: &TensorDesc<'_>,
) -> CompiledGather {
    CompiledGather {
        gather: gather.bounds(settings.bounds),
        data_type: input.data_type,
        indices_type: indices.data_type,
    }
}

fn compiled_scatter(
    settings: &Settings,
    scatter: Scatter,
    input_layout: Layout,
    input: &TensorDesc<'_>,
    indices: &TensorDesc<'_>,
) -> CompiledScatter {
    CompiledScatter {
        scatter: scatter.bounds(settings.bounds),
        input: input_layout,
        data_type: input.data_type,
        indices_type: indices.data_type,
    }
}
