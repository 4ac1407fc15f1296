//! The choices that DirectML leaves open, and what each feature level supports.

use crate::data_type::DataType;
use crate::dml::types::FeatureLevel;
use crate::error::{Error, Operand, Unsupported};
use crate::index::Bounds;
use crate::layout::MAX_RANK;

/// How descriptors are compiled.
///
/// ```
/// use strew::Bounds;
/// use strew::dml::{FeatureLevel, Settings};
///
/// let like_directml =
///     Settings { bounds: Bounds::Clamp, ..Settings::default() };
/// assert_eq!(like_directml.feature_level, FeatureLevel::Level4_1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Settings {
    /// The feature level that descriptors are held to; 4.1 by default.
    pub feature_level: FeatureLevel,
    /// What happens to indices out of bounds; an error by default.
    pub bounds: Bounds,
    /// Whether the indices of `SCATTER` and `GATHER_ELEMENTS` must have the sizes of the input off
    /// the axis, as DirectML's pages demand. By default they may be smaller.
    pub strict: bool,
}

impl Settings {
    /// Fails if the feature level is below the one that is needed, or if none would do.
    fn reaches(
        &self,
        needs: Option<FeatureLevel>,
        operand: Operand,
        what: Unsupported,
    ) -> Result<(), Error> {
        match needs {
            Some(level) if level <= self.feature_level => Ok(()),
            needs => Err(Error::NotSupported { operand, what, needs, found: self.feature_level }),
        }
    }

    /// Fails if the operator, introduced at level `since`, does not exist yet.
    pub(super) fn has_operator(&self, since: FeatureLevel) -> Result<(), Error> {
        self.reaches(Some(since), Operand::Output, Unsupported::Operator)
    }

    /// Fails if tensors cannot have this number of dimensions.
    pub(super) fn has_dimension_count(&self, count: usize, operand: Operand) -> Result<(), Error> {
        let needs = match count {
            4 => Some(FeatureLevel::Level1_0),
            1..=MAX_RANK => Some(FeatureLevel::Level3_0),
            _ => None,
        };
        self.reaches(needs, operand, Unsupported::DimensionCount)
    }

    /// Fails if input, updates and output cannot have this type.
    pub(super) fn has_data_type(&self, data_type: DataType, operand: Operand) -> Result<(), Error> {
        let needs = match data_type {
            DataType::Float32 | DataType::Float16 => Some(FeatureLevel::Level1_0),
            DataType::Int32
            | DataType::Int16
            | DataType::Int8
            | DataType::Uint32
            | DataType::Uint16
            | DataType::Uint8 => Some(FeatureLevel::Level2_1),
            DataType::Float64 | DataType::Int64 | DataType::Uint64 => Some(FeatureLevel::Level4_1),
            DataType::Bfloat16 => None,
        };
        self.reaches(needs, operand, Unsupported::DataType)
    }

    /// Fails if indices cannot have this type.
    pub(super) fn has_indices_type(&self, data_type: DataType) -> Result<(), Error> {
        let needs = match data_type {
            DataType::Uint32 => Some(FeatureLevel::Level1_0),
            DataType::Int32 | DataType::Int64 | DataType::Uint64 => Some(FeatureLevel::Level3_0),
            _ => None,
        };
        self.reaches(needs, Operand::Indices, Unsupported::DataType)
    }
}
