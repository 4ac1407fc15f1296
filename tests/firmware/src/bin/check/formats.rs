//! How the other types print.

use core::hint::black_box;

use defmt::{assert_eq, info};
use strew::dml::{DataType, FeatureLevel, Settings, TensorDesc};
use strew::{Bounds, Layout, Operand, Unsupported};

#[inline(never)]
pub fn check() {
    info!("{}", black_box(Layout::contiguous([4, 3])));
    info!("{}", black_box(Layout::strided([2, 0, 8], [-1_000, 0, 1]).with_offset(1_000)));
    info!("{}", black_box(Layout::contiguous([])));
    assert_eq!(black_box(Layout::contiguous([4, 3])), Layout::strided([4, 3], [3, 1]));
    info!("{}", [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip]);
    info!(
        "{}",
        [
            Operand::Layout,
            Operand::Input,
            Operand::Indices,
            Operand::Updates,
            Operand::Data,
            Operand::Output
        ]
    );
    info!("{}", [Unsupported::Operator, Unsupported::DataType, Unsupported::DimensionCount]);
    info!(
        "{}",
        [
            DataType::Float32,
            DataType::Float16,
            DataType::Uint32,
            DataType::Uint16,
            DataType::Uint8,
            DataType::Int32
        ]
    );
    info!(
        "{}",
        [DataType::Int16, DataType::Int8, DataType::Float64, DataType::Uint64, DataType::Int64]
    );
    info!(
        "{}",
        [
            FeatureLevel::Level1_0,
            FeatureLevel::Level2_1,
            FeatureLevel::Level3_0,
            FeatureLevel::Level4_1
        ]
    );
    info!("{}", Settings::default());
    info!("{}", TensorDesc::packed(DataType::Uint8, &[4, 5]));
    info!("{}", TensorDesc::strided(DataType::Float32, &[2, 3], &[4, 1]));
}
