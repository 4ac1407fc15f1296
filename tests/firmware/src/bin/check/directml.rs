//! DirectML's operators, whose data types are known at run time only.

use core::hint::black_box;

use defmt::{assert_eq, info, unwrap};
use half::f16;
use strew::Error;
use strew::dml::{
    DataType, GatherElementsOperatorDesc, GatherNd1OperatorDesc, GatherNdOperatorDesc,
    GatherOperatorDesc, ScatterNdOperatorDesc, ScatterOperatorDesc, Settings, TensorDesc,
};

const SETTINGS: Settings = Settings {
    feature_level: strew::dml::FeatureLevel::Level4_1,
    bounds: strew::Bounds::Error,
    strict: false,
};

pub fn check() {
    gather();
    gather_nd();
    scatter();
}

fn halves(sizes: &[u32]) -> TensorDesc<'_> {
    TensorDesc::packed(DataType::Float16, sizes)
}

fn indices(sizes: &[u32]) -> TensorDesc<'_> {
    TensorDesc::packed(DataType::Int64, sizes)
}

#[inline(never)]
fn gather() {
    let input = [1.0, 2.0, 3.0, 4.0].map(f16::from_f32);
    let mut output = [f16::ZERO; 4];
    let operator = GatherOperatorDesc {
        input_tensor: halves(&[2, 2]),
        indices_tensor: indices(&[1, 2]),
        output_tensor: halves(&[2, 2]),
        axis: 1,
        index_dimensions: 1,
    };
    unwrap!(unwrap!(operator.compile(&SETTINGS)).execute(
        &input,
        &black_box([-1_i64, 0]),
        &mut output
    ));
    assert_eq!(output.map(f16::to_f32), [2.0, 1.0, 4.0, 3.0]);

    let tensor = halves(&[2, 2]);
    let operator = GatherElementsOperatorDesc {
        input_tensor: tensor,
        indices_tensor: indices(&[2, 2]),
        output_tensor: tensor,
        axis: 0,
    };
    let operator = unwrap!(operator.compile(&SETTINGS));
    unwrap!(operator.execute(&input, &black_box([1_i64, 0, 0, -1]), &mut output));
    assert_eq!(output.map(f16::to_f32), [3.0, 2.0, 1.0, 4.0]);
    let refused = operator.execute(&input, &black_box([0, 0, (1_i64 << 32) + 1, 0]), &mut output);
    assert_eq!(
        refused,
        Err(Error::IndexOutOfBounds { entry: 2, coordinate: 0, value: (1 << 32) + 1, size: 2 })
    );
    info!("DirectML: GATHER, GATHER_ELEMENTS");
}

#[inline(never)]
fn gather_nd() {
    let packed = |sizes| TensorDesc::packed(DataType::Uint64, sizes);
    let mut output = [0_u64; 2];
    let operator = GatherNdOperatorDesc {
        input_tensor: packed(&[2, 2]),
        indices_tensor: indices(&[2, 2]),
        output_tensor: packed(&[1, 2]),
        input_dimension_count: 2,
        indices_dimension_count: 2,
    };
    unwrap!(unwrap!(operator.compile(&SETTINGS)).execute(
        &[1_u64, 2, 3, 4],
        &black_box([0_i64, 1, 1, 0]),
        &mut output
    ));
    assert_eq!(output, [2, 3]);
    let operator = GatherNd1OperatorDesc {
        input_tensor: packed(&[2, 2]),
        indices_tensor: indices(&[2, 1]),
        output_tensor: packed(&[1, 2]),
        input_dimension_count: 2,
        indices_dimension_count: 2,
        batch_dimension_count: 1,
    };
    unwrap!(unwrap!(operator.compile(&SETTINGS)).execute(
        &[1_u64, 2, 3, 4],
        &black_box([1_i64, 0]),
        &mut output
    ));
    assert_eq!(output, [2, 3]);
    info!("DirectML: GATHER_ND, GATHER_ND1");
}

#[inline(never)]
fn scatter() {
    let packed = |sizes| TensorDesc::packed(DataType::Int8, sizes);
    let mut output = [0_i8; 5];
    let operator = ScatterOperatorDesc {
        input_tensor: packed(&[5]),
        indices_tensor: indices(&[4]),
        updates_tensor: packed(&[4]),
        output_tensor: packed(&[5]),
        axis: 0,
    };
    unwrap!(unwrap!(operator.compile(&SETTINGS)).execute(
        &[0_i8, 1, 2, 3, 4],
        &black_box([3_i64, 1, 3, 0]),
        &[5_i8, 6, 7, 8],
        &mut output
    ));
    assert_eq!(output, [8, 6, 2, 7, 4]);
    let operator = ScatterNdOperatorDesc {
        input_tensor: TensorDesc::strided(DataType::Int8, &[5], &[0]),
        indices_tensor: indices(&[2]),
        updates_tensor: packed(&[1]),
        output_tensor: packed(&[5]),
        input_dimension_count: 1,
        indices_dimension_count: 1,
    };
    // A rank of 1 leaves room for one tuple only.
    assert_eq!(
        operator.compile(&SETTINGS).err(),
        Some(Error::TupleSizeOutOfRange { expected: 1, found: 2 })
    );
    let operator = ScatterNdOperatorDesc { indices_tensor: indices(&[1]), ..operator };
    unwrap!(unwrap!(operator.compile(&SETTINGS)).execute(
        &[9_i8],
        &black_box([-2_i64]),
        &[1_i8],
        &mut output
    ));
    assert_eq!(output, [9, 9, 9, 1, 9]);
    info!("DirectML: SCATTER, SCATTER_ND");
}
