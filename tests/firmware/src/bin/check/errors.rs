//! Every error, provoked and logged: as data, which defmt sends in bytes, and in words.

use core::hint::black_box;

use defmt::{Display2Format, info, panic};
use strew::dml::{
    DataType, FeatureLevel, GatherNdOperatorDesc, GatherOperatorDesc, Settings, TensorDesc,
};
use strew::{Error, Gather, Layout, Scatter};

pub fn check() {
    shapes();
    calls();
    directml();
}

/// Logs the error; a success is none.
#[inline(never)]
fn log<T>(result: Result<T, Error>) {
    match result {
        Ok(_) => panic!("an error was expected"),
        Err(error) => info!("{}\n  {}", error, Display2Format(&error)),
    }
}

#[inline(never)]
fn shapes() {
    let (three, pairs, table) =
        (Layout::contiguous([3]), Layout::contiguous([3, 2]), Layout::contiguous([3, 4]));
    log(Layout::from_sizes(&black_box([1; 9])));
    log(Layout::from_parts(&[2, 3], &black_box([3, 1, 0]), 0));
    log(Gather::axis(&table, &three, &table, black_box(2)));
    log(Gather::nd(&table, &pairs, &three, black_box(2)));
    log(Gather::elements(&black_box(table), &three, &three, 0));
    log(Scatter::axis(&black_box(table), &three, &pairs, 0));
    log(Scatter::nd(&black_box(three), &pairs, &three, 0));
    log(Gather::axis(
        &black_box(Layout::contiguous([65_536, 65_536, 1])),
        &three,
        &Layout::contiguous([65_536, 65_536, 3]),
        2,
    ));
    log(Gather::axis(&black_box(Layout::strided([3], [-2]).with_offset(3)), &three, &three, 0));
    log(Gather::axis(&three, &three, &black_box(Layout::strided([3], [0])), 0));
}

#[inline(never)]
fn calls() {
    let three = black_box(Layout::contiguous([3]));
    let (Ok(gather), Ok(scatter)) =
        (Gather::axis(&three, &three, &three, 0), Scatter::axis(&three, &three, &three, 0))
    else {
        panic!("three of three")
    };
    let mut three = [0_u8; 3];
    log(gather.run(&[1, 2, 3], &[0_u8, 1], &mut three));
    log(gather.run(&[1, 2], &[0_u8, 1, 2], &mut three));
    log(gather.run(&[1, 2, 3], &[0_i8, -4, 2], &mut three));
    log(scatter.run(&mut three, &[0, 1, (1_u64 << 32) + 1], &[1, 2, 3]));
    log(scatter.check_unique(&[0_i8, 2, -1], &mut [0]));
    log(scatter.mean(&mut three, &[0_u8, 1, 2], &[1, 2, 3], &mut [0; 2]));
}

#[inline(never)]
fn directml() {
    let floats = |sizes| TensorDesc::packed(DataType::Float32, sizes);
    let ids = |sizes| TensorDesc::packed(DataType::Uint32, sizes);
    let gather = GatherOperatorDesc {
        input_tensor: floats(&[1, 1, 4, 3]),
        indices_tensor: ids(&[1, 1, 1, 2]),
        output_tensor: floats(&[1, 1, 2, 3]),
        axis: 2,
        index_dimensions: 1,
    };
    let pairs = GatherNdOperatorDesc {
        input_tensor: floats(&[1, 1, 4, 3]),
        indices_tensor: ids(&[1, 1, 2, 2]),
        output_tensor: floats(&[1, 1, 1, 2]),
        input_dimension_count: 2,
        indices_dimension_count: 2,
    };
    let settings = black_box(Settings::default());
    let old = Settings { feature_level: black_box(FeatureLevel::Level1_0), ..settings };
    log(GatherOperatorDesc { output_tensor: floats(&[1, 1, 0, 3]), ..gather }.compile(&settings));
    log(GatherOperatorDesc { indices_tensor: ids(&[1, 2, 1, 2]), ..gather }.compile(&settings));
    log(GatherNdOperatorDesc { input_dimension_count: 5, ..pairs }.compile(&settings));
    log(GatherOperatorDesc { output_tensor: ids(&[1, 1, 2, 3]), ..gather }.compile(&settings));
    log(pairs.compile(&old));
    log(GatherOperatorDesc {
        indices_tensor: TensorDesc::packed(DataType::Int64, &[1, 1, 1, 2]),
        ..gather
    }
    .compile(&old));
    log(GatherOperatorDesc { input_tensor: floats(&[4, 3]), ..gather }.compile(&old));
    log(GatherOperatorDesc { indices_tensor: floats(&[1, 1, 1, 2]), ..gather }.compile(&settings));
}
