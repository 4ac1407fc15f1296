//! DirectML.

/// A DirectML data type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs)]
pub enum DataType {
    Float32,
    Float16,
    Uint32,
    Uint16,
    Uint8,
    Int32,
    Int16,
    Int8,
    Float64,
    Uint64,
    Int64,
}
impl DataType {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            DataType::Float32 => "FLOAT32",
            _ => "",
        }
    }
}
/// A feature level
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs)]
pub enum FeatureLevel {
    Level1_0,
    Level2_1,
    Level3_0,
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
