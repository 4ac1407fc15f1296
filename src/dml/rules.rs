//! The rules that operators share. They turn tensors of one rank, aligned to the right, into those
//! that plans know.

use crate::dml::settings::Settings;
use crate::dml::tensor::TensorDesc;
use crate::dml::types::FeatureLevel;
use crate::error::{Direction, Error, Operand};
use crate::layout::{Layout, SCALAR};
use crate::shape::{nd_sizes, same_sizes};

/// The tensors of an ND operator without the leading dimensions that it ignores.
pub(super) struct Nd {
    pub(super) input: Layout,
    pub(super) indices: Layout,
    /// A gather's output, a scatter's updates.
    pub(super) flat: Layout,
    /// The number of ones before the sizes of `flat`.
    pub(super) flat_leading: usize,
    pub(super) batch: usize,
}

impl Nd {
    /// `counts` are the dimension counts of input, indices and batch.
    pub(super) fn new(
        input: &Layout,
        indices: &Layout,
        flat: &Layout,
        counts: (u32, u32, u32),
        direction: Direction,
    ) -> Result<Nd, Error> {
        let rank = input.rank();
        let input_count = dimension_count(Operand::Input, counts.0, 1, rank)?;
        let indices_count = dimension_count(Operand::Indices, counts.1, 1, rank)?;
        let batch = to_usize(counts.2);
        let input = trailing(input, Operand::Input, input_count)?;
        let indices = trailing(indices, Operand::Indices, indices_count)?;
        let mut sizes = SCALAR;
        nd_sizes(&mut sizes, &input, &indices, batch, direction).map_err(|error| match error {
            // The operator's tensors have no more dimensions than its input.
            Error::RankTooLarge { operand, found, .. } => {
                Error::RankTooLarge { operand, expected: rank, found }
            }
            other => after_leading(rank - indices_count, other),
        })?;
        let Some(flat_leading) = rank.checked_sub(sizes.rank()) else {
            return Err(Error::RankTooLarge {
                operand: direction.flat(),
                expected: rank,
                found: sizes.rank(),
            });
        };
        let flat = trailing(flat, direction.flat(), sizes.rank())?;
        Ok(Nd { input, indices, flat, flat_leading, batch })
    }
}

/// Proves what all gathers have in common, and returns input, indices and output. They have one
/// rank and no size of 0, and the output does not overlap itself.
pub(super) fn gather_tensors(
    settings: &Settings,
    since: FeatureLevel,
    input: &TensorDesc<'_>,
    indices: &TensorDesc<'_>,
    output: &TensorDesc<'_>,
) -> Result<[Layout; 3], Error> {
    settings.has_operator(since)?;
    let layouts = [
        data_tensor(settings, Operand::Input, input, input)?,
        indices_tensor(settings, indices, input)?,
        data_tensor(settings, Operand::Output, output, input)?,
    ];
    let [_, _, written] = &layouts;
    written.without_overlap(Operand::Output)?;
    Ok(layouts)
}

/// Proves what all scatters have in common, and returns input, indices, updates and output. They
/// have one rank and no size of 0, and the output has the sizes of the input and does not overlap
/// itself.
pub(super) fn scatter_tensors(
    settings: &Settings,
    since: FeatureLevel,
    tensors: [&TensorDesc<'_>; 4],
) -> Result<[Layout; 4], Error> {
    let [input, indices, updates, output] = tensors;
    settings.has_operator(since)?;
    let layouts = [
        data_tensor(settings, Operand::Input, input, input)?,
        indices_tensor(settings, indices, input)?,
        data_tensor(settings, Operand::Updates, updates, input)?,
        data_tensor(settings, Operand::Output, output, input)?,
    ];
    let [read, _, _, written] = &layouts;
    same_sizes(read, written, Operand::Output)?;
    written.without_overlap(Operand::Output)?;
    Ok(layouts)
}

/// A tensor with the data type and the number of dimensions of the input.
fn data_tensor(
    settings: &Settings,
    operand: Operand,
    tensor: &TensorDesc<'_>,
    input: &TensorDesc<'_>,
) -> Result<Layout, Error> {
    settings.has_data_type(tensor.data_type, operand)?;
    if tensor.data_type != input.data_type {
        return Err(Error::DataTypeMismatch {
            operand,
            expected: input.data_type,
            found: tensor.data_type,
        });
    }
    tensor_of_rank(settings, operand, tensor, input)
}

fn indices_tensor(
    settings: &Settings,
    tensor: &TensorDesc<'_>,
    input: &TensorDesc<'_>,
) -> Result<Layout, Error> {
    settings.has_indices_type(tensor.data_type)?;
    tensor_of_rank(settings, Operand::Indices, tensor, input)
}

fn tensor_of_rank(
    settings: &Settings,
    operand: Operand,
    tensor: &TensorDesc<'_>,
    input: &TensorDesc<'_>,
) -> Result<Layout, Error> {
    let (expected, found) = (input.dimension_count(), tensor.dimension_count());
    settings.has_dimension_count(found, operand)?;
    if found != expected {
        return Err(Error::RankMismatch { operand, expected, found });
    }
    tensor.layout(operand)
}

/// The last `count` dimensions. Those before them are ignored, and must have size 1.
pub(super) fn trailing(tensor: &Layout, operand: Operand, count: usize) -> Result<Layout, Error> {
    let ignored = tensor.rank().saturating_sub(count);
    let mut kept = SCALAR;
    for (dimension, (&size, &stride)) in tensor.sizes().iter().zip(tensor.strides()).enumerate() {
        if dimension >= ignored {
            kept.push(size, stride);
        } else if size != 1 {
            return Err(Error::LeadingSizeNotOne { operand, dimension, found: size });
        }
    }
    Ok(kept)
}

/// Moves the dimension of an error up: plans count dimensions without the ignored leading ones,
/// errors those of the descriptor.
pub(super) fn after_leading(ignored: usize, error: Error) -> Error {
    match error {
        Error::SizeMismatch { operand, dimension, expected, found } => Error::SizeMismatch {
            operand,
            dimension: dimension.saturating_add(ignored),
            expected,
            found,
        },
        other => other,
    }
}

pub(super) fn axis_of(tensor: &Layout, operand: Operand, axis: u32) -> Result<usize, Error> {
    let (expected, found) = (tensor.rank(), to_usize(axis));
    if found < expected {
        Ok(found)
    } else {
        Err(Error::AxisOutOfRange { operand, expected, found })
    }
}

pub(super) fn dimension_count(
    operand: Operand,
    count: u32,
    minimum: usize,
    maximum: usize,
) -> Result<usize, Error> {
    let found = to_usize(count);
    if (minimum..=maximum).contains(&found) {
        Ok(found)
    } else {
        Err(Error::DimensionCountOutOfRange { operand, minimum, maximum, found })
    }
}

/// Proves that strict settings find equal sizes off the axis. (The plans prove that those of the
/// indices are not larger.)
pub(super) fn sizes_off_axis(
    settings: &Settings,
    input: &Layout,
    indices: &Layout,
    axis: usize,
) -> Result<(), Error> {
    if !settings.strict {
        return Ok(());
    }
    for (dimension, (&expected, &found)) in input.sizes().iter().zip(indices.sizes()).enumerate() {
        if dimension != axis && found != expected {
            return Err(Error::SizeMismatch {
                operand: Operand::Indices,
                dimension,
                expected,
                found,
            });
        }
    }
    Ok(())
}

/// Saturates: what exceeds `usize` exceeds every limit that it is compared with.
fn to_usize(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
