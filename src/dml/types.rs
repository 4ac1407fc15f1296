//! Feature levels, without rules.
//!
//! This file imports nothing of the crate, so that errors can name what is defined here. What a
//! feature level supports is in `settings.rs`.

/// A DirectML feature level: which operators, data types and numbers of dimensions there are.
///
/// Only the levels that changed something for gather and scatter are listed. A level between or
/// above them supports what the next lower one does.
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

impl FeatureLevel {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            FeatureLevel::Level1_0 => "1.0",
            FeatureLevel::Level2_1 => "2.1",
            FeatureLevel::Level3_0 => "3.0",
            FeatureLevel::Level4_1 => "4.1",
        }
    }
}
