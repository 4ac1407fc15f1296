//! Feature levels, what they support, and the choices that DirectML leaves open.

use crate::dml::DataType;
use crate::error::{Error, Operand, Unsupported};
use crate::index::Bounds;
use crate::layout::MAX_RANK;

/// A DirectML feature level: which operators, data types and numbers of dimensions there are.
///
/// Only the levels that changed something for gather and scatter are listed; a level between or above them supports what the next lower one
/// does.
///
/// | level | adds data types | adds indices | dimensions |
/// |---|---|---|---|
/// | 1.0 | `FLOAT32 FLOAT16` | `UINT32` | 4 |
/// | 2.1 | `INT32 INT16 INT8 UINT32 UINT16 UINT8` | | 4 |
/// | 3.0 | | `INT64 INT32 UINT64`, negative values | 1 to 8 |
/// | 4.1 | `FLOAT64 INT64 UINT64` | | 1 to 8 |
///
/// ```
/// use strew::dml::FeatureLevel;
/// assert!(FeatureLevel::Level2_1 < FeatureLevel::default());
/// ```
#[doc(alias = "DML_FEATURE_LEVEL")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum FeatureLevel {
    /// `DML_FEATURE_LEVEL_1_0`: `GATHER` and `SCATTER`.
    #[doc(alias = "DML_FEATURE_LEVEL_1_0")]
    Level1_0,
    /// `DML_FEATURE_LEVEL_2_1`: `GATHER_ELEMENTS`, `GATHER_ND`, `SCATTER_ND`; integers.
    #[doc(alias = "DML_FEATURE_LEVEL_2_1")]
    Level2_1,
    /// `DML_FEATURE_LEVEL_3_0`: `GATHER_ND1`; any number of dimensions, signed and 64-bit indices.
    #[doc(alias = "DML_FEATURE_LEVEL_3_0")]
    Level3_0,
    /// `DML_FEATURE_LEVEL_4_1`: 64-bit data.
    #[doc(alias = "DML_FEATURE_LEVEL_4_1")]
    #[default]
    Level4_1,
}

/// How descriptors are compiled.
///
/// ```
/// use strew::Bounds;
/// use strew::dml::{FeatureLevel, Settings};
///
/// let like_directml = Settings { bounds: Bounds::Clamp, ..Settings::default() };
/// assert_eq!(like_directml.feature_level, FeatureLevel::Level4_1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Settings {
    /// The feature level that descriptors are held to; 4.1 by default.
    pub feature_level: FeatureLevel,
    /// What happens to indices out of bounds; an error by default.
    pub bounds: Bounds,
    /// Whether the indices of `SCATTER` and `GATHER_ELEMENTS` must have the sizes of the input off the axis, as DirectML's pages ask. By
    /// default they may be smaller.
    pub strict: bool,
}

impl FeatureLevel {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            FeatureLevel::Level1_0 => "1.0",
            FeatureLevel::Level2_1 => "2.1",
            FeatureLevel::Level3_0 => "3.0",
            FeatureLevel::Level4_1 => "4.1",
        }
    }

    /// Fails if this level is below the one that is needed, or if none would do.
    fn reaches(
        self,
        needs: Option<FeatureLevel>,
        operand: Operand,
        what: Unsupported,
    ) -> Result<(), Error> {
        match needs {
            Some(level) if level <= self => Ok(()),
            needs => Err(Error::NotSupported { operand, what, needs, found: self }),
        }
    }

    /// Fails if the operator, introduced at level `since`, does not exist yet.
    pub(crate) fn has_operator(self, since: FeatureLevel) -> Result<(), Error> {
        self.reaches(Some(since), Operand::Output, Unsupported::Operator)
    }

    /// Fails if tensors cannot have this number of dimensions.
    pub(crate) fn has_dimension_count(self, count: usize, operand: Operand) -> Result<(), Error> {
        let needs = match count {
            4 => Some(FeatureLevel::Level1_0),
            1..=MAX_RANK => Some(FeatureLevel::Level3_0),
            _ => None,
        };
        self.reaches(needs, operand, Unsupported::DimensionCount)
    }

    /// Fails if input, updates and output cannot have this type.
    pub(crate) fn has_data_type(self, data_type: DataType, operand: Operand) -> Result<(), Error> {
        let needs = match data_type {
            DataType::Float32 | DataType::Float16 => FeatureLevel::Level1_0,
            DataType::Int32
            | DataType::Int16
            | DataType::Int8
            | DataType::Uint32
            | DataType::Uint16
            | DataType::Uint8 => FeatureLevel::Level2_1,
            DataType::Float64 | DataType::Int64 | DataType::Uint64 => FeatureLevel::Level4_1,
        };
        self.reaches(Some(needs), operand, Unsupported::DataType)
    }

    /// Fails if indices cannot have this type.
    pub(crate) fn has_indices_type(self, data_type: DataType) -> Result<(), Error> {
        let needs = match data_type {
            DataType::Uint32 => Some(FeatureLevel::Level1_0),
            DataType::Int32 | DataType::Int64 | DataType::Uint64 => Some(FeatureLevel::Level3_0),
            _ => None,
        };
        self.reaches(needs, Operand::Indices, Unsupported::DataType)
    }
}
