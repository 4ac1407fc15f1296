//! Quantised tables, against what the packages that define the formats read and write:
//! `data/quant.json`, made by `data/quant.py`.
#![cfg(feature = "half")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use bytemuck::Pod;
use common::values::noise;
use half::f16;
use serde_json::Value;
use strew::quant::{
    Attributes, BlockQuantized, F4E2M1x2, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, IQ4_NL,
    Packing, Q4_0, Q4_1, Q4_K, Q5_0, Q5_1, Q5_K, Q6_K, Q8_0, Row2, Row4, Row8, Scale, f16_to_f32,
};
use strew::{Bounds, Error, Gather, Layout, Operand, Scatter};

const CASES: &str = include_str!("data/quant.json");

fn cases(list: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(CASES).unwrap();
    all[list].as_array().unwrap().clone()
}

/// Bytes written as hexadecimal.
fn bytes(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap().as_bytes();
    let digit = |digit: u8| (digit as char).to_digit(16).unwrap() as u8;
    text.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// Little-endian floats.
fn floats(value: &Value) -> Vec<f32> {
    bytes(value).chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

fn integers(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|value| value.as_i64().unwrap()).collect()
}

fn sizes(value: &Value) -> Vec<usize> {
    integers(value).into_iter().map(|size| size as usize).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Runs this for the format of a name.
macro_rules! with_format {
    ($name:expr, $Block:ident => $run:expr, $($format:ident)*) => {
        match $name {
            $(stringify!($format) => {
                type $Block = $format;
                $run
            })*
            name => panic!("no format {name}"),
        }
    };
}

#[test]
fn blocks_are_read_as_gguf_reads_them() {
    common::path::force();
    let cases = cases("decode");
    assert_eq!(cases.len(), 9);
    for case in cases {
        let (raw, expected) = (bytes(&case["blocks"]), floats(&case["values"]));
        with_format!(case["format"].as_str().unwrap(), Block => {
            const N: usize = Block::SIZE;
            let blocks: &[Block] = bytemuck::cast_slice(&raw);
            // Alone, and by a gather of rows of two.
            for (block, expected) in blocks.iter().zip(expected.chunks(N)) {
                assert_eq!(bits(&block.decode()), bits(expected), "{}", case["format"]);
            }
            let (table, ids) = (Layout::contiguous([2, 2]), Layout::contiguous([40]));
            let gather = Gather::axis(&table, &ids, &Layout::contiguous([40, 2]), 0).unwrap();
            let mut output = [[f32::NAN; N]; 80];
            let ids: [i8; 40] = core::array::from_fn(|at| if at % 3 == 0 { -1 } else { 0 });
            gather.run_map(blocks, &ids, &mut output, Block::decode).unwrap();
            for (row, id) in output.chunks(2).zip(ids) {
                let start = if id == 0 { 0 } else { 2 * N };
                assert_eq!(bits(row.as_flattened()), bits(&expected[start..start + 2 * N]));
            }
        }, Q8_0 Q4_0 Q4_1 Q5_0 Q5_1 IQ4_NL Q4_K Q5_K Q6_K);
    }
}

#[test]
fn blocks_are_written_as_gguf_writes_them() {
    let cases = cases("encode");
    assert_eq!(cases.len(), 5);
    for case in cases {
        let (values, expected) = (floats(&case["values"]), bytes(&case["blocks"]));
        let values: &[[f32; 32]] = bytemuck::cast_slice(&values);
        with_format!(case["format"].as_str().unwrap(), Block => {
            let data = Layout::contiguous([values.len()]);
            let scatter = Scatter::axis(&data, &data, &data, 0).unwrap();
            let mut blocks = vec![Block::default(); values.len()];
            let places: Vec<i64> = (0..values.len() as i64).collect();
            scatter.run_map(&mut blocks, &places, values, |row| Block::encode(&row)).unwrap();
            assert_eq!(bytemuck::cast_slice::<_, u8>(&blocks), expected, "{}", case["format"]);
        }, Q8_0 Q4_0 Q4_1 Q5_0 Q5_1);
    }
}

#[test]
fn rows_are_those_of_pytorch() {
    fn check<Row: Pod>(case: &Value, decode: fn(Row) -> [f32; 12], encode: fn(&[f32; 12]) -> Row) {
        let (values, raw) = (floats(&case["values"]), bytes(&case["rows"]));
        let rows: &[Row] = bytemuck::cast_slice(&raw);
        let values: &[[f32; 12]] = bytemuck::cast_slice(&values);
        assert_eq!(rows.len(), 8);
        for (at, (row, values)) in rows.iter().zip(values).enumerate() {
            let expected = &floats(&case["decoded"])[12 * at..][..12];
            assert_eq!(bits(&decode(*row)), bits(expected), "row {at} of {}", case["bits"]);
            let (row, encoded) = (bytemuck::bytes_of(row), encode(values));
            assert_eq!(bytemuck::bytes_of(&encoded), row, "row {at} of {}", case["bits"]);
        }
    }
    let [eight, four, two] = cases("rows").try_into().unwrap();
    check(&eight, Row8::decode, Row8::encode);
    check(&four, Row4::<12, 6>::decode, Row4::encode);
    check(&two, Row2::<12, 3>::decode, Row2::encode);
}

/// A row of a number of values that fills no byte.
#[test]
fn rows_may_end_within_a_byte() {
    let row = [3.0, -1.0, 0.0, 2.0, 1.0];
    assert_eq!(
        Row2::<5, 2>::encode(&[2.0, -1.0, 0.0, 1.0, 1.0]).decode(),
        [2.0, -1.0, 0.0, 1.0, 1.0]
    );
    assert_eq!(Row4::<5, 3>::encode(&[14.0, -1.0, 0.0, 2.0, 1.0]).decode()[..3], [14.0, -1.0, 0.0]);
    assert_eq!(Row8::<5>::encode(&row).decode().map(|value| (value * 16.0).round() / 16.0), row);
    assert_eq!(Row8::<0>::encode(&[]).decode(), [0.0; 0]);
}

/// Half of the distance between two neighbours, and what rounding a scale to `f16` adds.
#[test]
fn what_is_written_is_near() {
    /// The steps by which a value may be off, if its block has this range and greatest magnitude.
    type Steps = fn(range: f32, magnitude: f32) -> f32;
    fn check<const N: usize>(name: &str, through: fn(&[f32; N]) -> [f32; N], step: Steps) {
        for seed in 0..200 {
            let mut random = noise(seed, 7).map(|z| (z >> 40) as f32 / (1 << 24) as f32);
            let scale = 10_f32.powi((seed % 6) as i32 - 1);
            let shift = if seed % 3 == 0 { 0.0 } else { 0.5 };
            let row: [f32; N] = core::array::from_fn(|_| (random.next().unwrap() - shift) * scale);
            let (least, greatest) =
                row.iter().fold((f32::MAX, f32::MIN), |(l, g), v| (l.min(*v), g.max(*v)));
            let magnitude = greatest.max(-least);
            let most = step(greatest - least, magnitude) + magnitude * 1e-3;
            for (value, found) in row.iter().zip(through(&row)) {
                assert!((value - found).abs() <= most, "{name}, {seed}: {value} is {found}");
            }
        }
    }
    check("Q8_0", |row| Q8_0::encode(row).decode(), |_, most| most / 127.0 / 2.0);
    // The greatest value of the other sign may be a whole step off.
    check("Q4_0", |row| Q4_0::encode(row).decode(), |_, most| most / 8.0);
    check("Q5_0", |row| Q5_0::encode(row).decode(), |_, most| most / 16.0);
    check("Q4_1", |row| Q4_1::encode(row).decode(), |range, _| range / 15.0 / 2.0);
    check("Q5_1", |row| Q5_1::encode(row).decode(), |range, _| range / 31.0 / 2.0);
    // The widest gap is 24 of 127 levels, and the last level on one side is 113.
    check("IQ4_NL", |row| IQ4_NL::encode(row).decode(), |_, most| most * 14.5 / 113.0);
    // Ranges begin at 0 at least, and steps are multiples of a 63rd or 127th of the greatest.
    check("Q4_K", |row| Q4_K::encode(row).decode(), |_, most| most * 2.0 * 1.05 / 15.0 / 2.0);
    check("Q5_K", |row| Q5_K::encode(row).decode(), |_, most| most * 2.0 * 1.05 / 31.0 / 2.0);
    check("Q6_K", |row| Q6_K::encode(row).decode(), |_, most| most * 1.01 / 31.5 / 2.0);
    check("Row8", |row: &[f32; 50]| Row8::encode(row).decode(), |range, _| range / 255.0 / 2.0);
    check(
        "Row4",
        |row: &[f32; 50]| Row4::<50, 25>::encode(row).decode(),
        |range, _| range / 15.0 / 2.0,
    );
    check(
        "Row2",
        |row: &[f32; 50]| Row2::<50, 13>::encode(row).decode(),
        |range, _| range / 3.0 / 2.0,
    );
}

/// What has been read is written as it was read.
#[test]
fn blocks_of_zeros_and_of_one_value() {
    assert_eq!(Q4_K::encode(&[0.0; 256]).decode(), [0.0; 256]);
    assert_eq!(Q5_K::encode(&[0.0; 256]).decode(), [0.0; 256]);
    assert_eq!(Q6_K::encode(&[0.0; 256]).decode(), [0.0; 256]);
    assert_eq!(IQ4_NL::encode(&[0.0; 32]).decode(), [0.0; 32]);
    assert_eq!(Q8_0::encode(&[-127.0; 32]).decode(), [-127.0; 32]);
    // Levels of the whole scale, in each part.
    let row: [f32; 256] = core::array::from_fn(|i| (i % 16) as f32 * 63.0 - 63.0);
    assert_eq!(Q4_K::encode(&row).decode(), row);
}

/// The sizes of the blocks are those of the files.
#[test]
fn sizes_in_bytes() {
    let sizes = [
        size_of::<Q8_0>(),
        size_of::<Q4_0>(),
        size_of::<Q4_1>(),
        size_of::<Q5_0>(),
        size_of::<Q5_1>(),
        size_of::<IQ4_NL>(),
        size_of::<Q4_K>(),
        size_of::<Q5_K>(),
        size_of::<Q6_K>(),
        size_of::<Row8<100>>(),
        size_of::<Row4<100, 50>>(),
        size_of::<Row2<100, 25>>(),
    ];
    assert_eq!(sizes, [34, 18, 20, 22, 24, 18, 144, 176, 210, 108, 54, 29]);
}

/// Every code as a float, and many floats as codes.
#[test]
fn floats_are_those_of_ml_dtypes() {
    common::path::force();
    /// A row of them, gathered to floats; and of floats, scattered.
    fn check<F: Pod + Sync + Send, const N: usize>(
        case: &Value,
        (codes, table): (&[u8], &[F]),
        to: fn(F) -> [f32; N],
        from: fn([f32; N]) -> F,
    ) {
        let layout = |n| Layout::contiguous([2, n]);
        let (name, ids) = (&case["format"], Layout::contiguous([2]));
        let n = table.len() / 2;
        let gather = Gather::axis(&layout(n), &ids, &layout(n), 0).unwrap();
        let mut found = vec![[0.0; N]; 2 * n];
        gather.run_map(table, &[-1, 0], &mut found, to).unwrap();
        found.rotate_left(n);
        let expected = floats(&case["values"]);
        for (code, found) in codes.iter().zip(found.as_flattened()) {
            let expected = expected[usize::from(*code)];
            assert_eq!(found.to_bits(), expected.to_bits(), "{name}, {code:#x}: {found}");
        }

        let (some, codes) = (floats(&case["some"]), bytes(&case["codes"]));
        let rows: Vec<[f32; N]> =
            some.iter().flat_map(|value| [[*value; N], [-*value; N]]).collect();
        let layout = layout(some.len());
        let scatter = Scatter::axis(&layout, &ids, &layout, 0).unwrap();
        let mut found = vec![F::zeroed(); rows.len()];
        scatter.run_map(&mut found, &[0, 1], &rows, from).unwrap();
        let found = found.iter().step_by(2).zip(some).zip(codes);
        for ((found, value), code) in found {
            let [found] = *bytemuck::bytes_of(found) else { panic!() };
            let code = if N == 2 { code | code << 4 } else { code };
            assert_eq!(found, code, "{name}, {value}");
        }
    }
    let all: Vec<u8> = (0..=255).collect();
    let pairs: Vec<u8> = (0..=255).flat_map(|pair| [pair & 15, pair >> 4]).collect();
    let cases = cases("floats");
    assert_eq!(cases.len(), 5);
    for case in cases {
        macro_rules! eight {
            ($Float:ident) => {
                check(
                    &case,
                    (&all, bytemuck::cast_slice::<_, $Float>(&all)),
                    |float| [float.to_f32()],
                    |[value]| $Float::from_f32(value),
                )
            };
        }
        match case["format"].as_str().unwrap() {
            "f8e4m3fn" => eight!(F8E4M3FN),
            "f8e4m3fnuz" => eight!(F8E4M3FNUZ),
            "f8e5m2" => eight!(F8E5M2),
            "f8e5m2fnuz" => eight!(F8E5M2FNUZ),
            _ => check(&case, (&pairs, bytemuck::cast_slice(&all)), F4E2M1x2::decode, |pair| {
                F4E2M1x2::encode(&pair)
            }),
        }
    }
    assert_eq!(F4E2M1x2::encode(&[f32::NAN, -f32::NAN]).decode(), [0.0, 0.0]);
}

struct OnnxCase {
    packing: Packing,
    attributes: Attributes,
    sizes: Vec<usize>,
    data: Vec<u8>,
    zero_points: Option<Vec<u8>>,
    scales_sizes: Option<Vec<usize>>,
    indices_sizes: Vec<usize>,
    indices: Vec<i64>,
    output_sizes: Vec<usize>,
    trap: String,
}

impl OnnxCase {
    fn read(case: &Value) -> OnnxCase {
        let bits = case["bits"].as_u64().unwrap() as usize;
        let packing = match case["packing"].as_str().unwrap() {
            "u8" => Packing::U8 { bits },
            "int4" => Packing::Int4,
            "uint4" => Packing::Uint4,
            "f8e4m3fn" => Packing::F8E4M3FN,
            "f8e4m3fnuz" => Packing::F8E4M3FNUZ,
            "f8e5m2" => Packing::F8E5M2,
            "f8e5m2fnuz" => Packing::F8E5M2FNUZ,
            _ => Packing::F4E2M1,
        };
        let mut attributes = Attributes::DEFAULT;
        for (name, value) in case["attributes"].as_object().unwrap() {
            let value = value.as_i64().unwrap() as isize;
            match name.as_str() {
                "gather_axis" => attributes.gather_axis = value,
                "quantize_axis" => attributes.quantize_axis = value,
                _ => attributes.block_size = value as usize,
            }
        }
        OnnxCase {
            packing,
            attributes,
            sizes: sizes(&case["sizes"]),
            data: bytes(&case["data"]),
            zero_points: case["zero_points"].as_str().map(|_| bytes(&case["zero_points"])),
            scales_sizes: case["scales_sizes"].as_array().map(|_| sizes(&case["scales_sizes"])),
            indices_sizes: sizes(&case["indices_sizes"]),
            indices: integers(&case["indices"]),
            output_sizes: sizes(&case["output_sizes"]),
            trap: case["trap"].as_str().unwrap().to_owned(),
        }
    }

    fn check<S: Scale + PartialEq + std::fmt::Debug>(&self, scales: &[S], expected: &[S], old: S) {
        let OnnxCase { packing, attributes, sizes, data, zero_points, trap, .. } = self;
        let found = BlockQuantized::sizes(*packing, attributes, sizes, &self.indices_sizes);
        assert_eq!(*found.unwrap(), self.output_sizes, "{trap}");
        let indices = Layout::from_sizes(&self.indices_sizes).unwrap();
        let new = |output: &Layout| {
            let gather =
                BlockQuantized::new(*packing, attributes, sizes, &indices, output).unwrap();
            self.scales_sizes.iter().fold(gather, |gather, sizes| gather.scales(sizes).unwrap())
        };
        let zeros = zero_points.as_deref();

        let gather = new(&Layout::from_sizes(&self.output_sizes).unwrap());
        let mut output = vec![old; expected.len()];
        gather.run(data, scales, zeros, &self.indices, &mut output).unwrap();
        assert_eq!(output, expected, "{trap}: {packing:?}, {attributes:?}");

        // From the end, with gaps.
        let strides = Layout::from_sizes(&self.output_sizes).unwrap();
        let strides: Vec<isize> = strides.strides().iter().map(|stride| -2 * stride).collect();
        let backwards =
            Layout::from_parts(&self.output_sizes, &strides, 2 * expected.len()).unwrap();
        let mut output = vec![old; 2 * expected.len() + 1];
        new(&backwards).run(data, scales, zeros, &self.indices, &mut output).unwrap();
        let found: Vec<S> = output.iter().rev().step_by(2).take(expected.len()).copied().collect();
        assert_eq!(found, expected, "{trap}, backwards: {packing:?}, {attributes:?}");

        // What is skipped stays; without a policy it is an error.
        let size = found_size(self);
        let mut indices = self.indices.clone();
        *indices.last_mut().unwrap() = size as i64;
        let mut output = vec![old; expected.len()];
        let error = gather.run(data, scales, zeros, &indices, &mut output).unwrap_err();
        let entry = indices.len() - 1;
        let value = i128::from(size as u64);
        assert_eq!(error, Error::IndexOutOfBounds { entry, coordinate: 0, value, size }, "{trap}");
        let mut output = vec![old; expected.len()];
        let skip = gather.bounds(Bounds::Skip);
        skip.run(data, scales, zeros, &indices, &mut output).unwrap();
        let kept = output.iter().zip(expected).filter(|(found, _)| **found == old).count();
        assert!(kept >= expected.len() / indices.len(), "{trap}");
        assert!(output.iter().zip(expected).all(|(found, new)| *found == old || found == new));

        let short = |length: usize| length - 1;
        let mut output = vec![old; expected.len()];
        let mut fails = |data: &[u8], scales: &[S], zeros, operand| {
            let error = gather.run(data, scales, zeros, &self.indices, &mut output).unwrap_err();
            assert!(
                matches!(error, Error::SliceTooShort { operand: found, expected, found: length }
                    if found == operand && expected == length + 1),
                "{trap}: {error}"
            );
        };
        fails(&data[..short(data.len())], scales, zeros, Operand::Input);
        fails(data, &scales[..short(scales.len())], zeros, Operand::Scales);
        if let Some(zeros) = zeros {
            fails(data, scales, Some(&zeros[..short(zeros.len())]), Operand::ZeroPoints);
        }
    }
}

/// The size of the axis that is indexed, in values.
fn found_size(case: &OnnxCase) -> usize {
    let rank = case.sizes.len();
    case.sizes[case.attributes.gather_axis.rem_euclid(rank as isize) as usize]
}

#[test]
fn block_quantized_is_that_of_onnx_runtime() {
    common::path::force();
    let cases = cases("block_quantized");
    assert_eq!(cases.len(), 142);
    for case in cases {
        let onnx = OnnxCase::read(&case);
        if case["half"].as_bool().unwrap() {
            let halves = |value: &Value| -> Vec<f16> {
                bytes(value).chunks(2).map(|b| f16::from_le_bytes([b[0], b[1]])).collect()
            };
            let old = f16::from_f32(77.0);
            onnx.check(&halves(&case["scales"]), &halves(&case["output"]), old);
        } else {
            onnx.check(&floats(&case["scales"]), &floats(&case["output"]), 77.0);
        }
    }
}

#[test]
fn rules_of_block_quantized() {
    let ids = Layout::contiguous([1]);
    let new = |packing, attributes, data: &[usize], output: &Layout| {
        BlockQuantized::new(packing, &attributes, data, &ids, output).unwrap_err()
    };
    let row = Layout::contiguous([1, 32]);
    let bytes = Packing::U8 { bits: 4 };
    let attributes = Attributes { block_size: 16, ..Attributes::DEFAULT };
    for bits in [0, 1, 3, 5, 16] {
        let error = new(Packing::U8 { bits }, attributes, &[4, 16], &row);
        assert_eq!(error, Error::BitsNotSupported { found: bits });
    }
    for block_size in [0, 8, 24, 17] {
        let error = new(bytes, Attributes { block_size, ..attributes }, &[4, 16], &row);
        assert_eq!(error, Error::BlockSizeNotSupported { found: block_size });
    }
    let axes = |gather_axis, quantize_axis| Attributes { gather_axis, quantize_axis, ..attributes };
    let error = new(bytes, axes(1, 0), &[4, 16], &row);
    assert_eq!(error, Error::AxisNotSupported { expected: 0, found: 1 });
    let error = new(bytes, axes(0, 0), &[4, 16], &row);
    assert_eq!(error, Error::AxisNotSupported { expected: 1, found: 0 });
    let error = new(Packing::F4E2M1, Attributes { block_size: 8, ..attributes }, &[4, 32], &row);
    assert_eq!(error, Error::BlockSizeNotSupported { found: 8 });
    for axis in [2_isize, -3] {
        let found = axis.unsigned_abs();
        let operand = Operand::Input;
        let error = Error::AxisOutOfRange { operand, expected: 2, found };
        assert_eq!(new(Packing::Int4, axes(axis, 0), &[4, 16], &row), error);
        assert_eq!(new(Packing::Int4, axes(0, axis), &[4, 16], &row), error);
    }
    let error = Error::RankMismatch { operand: Operand::Input, expected: 2, found: 1 };
    assert_eq!(new(Packing::Int4, axes(0, 0), &[4], &Layout::contiguous([1])), error);
    let error =
        Error::SizeMismatch { operand: Operand::Output, dimension: 1, expected: 32, found: 16 };
    assert_eq!(new(bytes, attributes, &[4, 16], &Layout::contiguous([1, 16])), error);
}

/// Scales that an axis shares: of floats, off the axis of the blocks.
#[test]
fn rules_of_shared_scales() {
    let ids = Layout::contiguous([1]);
    let row = Layout::contiguous([1, 32]);
    let new = |packing| {
        let attributes = Attributes { block_size: 16, ..Attributes::DEFAULT };
        BlockQuantized::new(packing, &attributes, &[4, 32], &ids, &row).unwrap()
    };
    let operand = Operand::Scales;
    for packing in [Packing::Int4, Packing::F8E5M2] {
        let (gather, is_float) = (new(packing), packing == Packing::F8E5M2);
        assert_eq!(gather.scales(&[4, 2]), Ok(gather));
        let error = Error::RankMismatch { operand, expected: 2, found: 1 };
        assert_eq!(gather.scales(&[1]), Err(error));
        let error = Error::SizeMismatch { operand, dimension: 1, expected: 2, found: 1 };
        assert_eq!(gather.scales(&[4, 1]), Err(error));
        for found in [0, 1, 2, 5] {
            let error = Error::SizeMismatch { operand, dimension: 0, expected: 4, found };
            let shares = found == 1 && is_float;
            assert_eq!(gather.scales(&[found, 2]).err(), (!shares).then_some(error));
        }
    }
    let gather = new(Packing::F8E5M2);
    let shared = gather.scales(&[1, 2]).unwrap();
    assert_eq!(shared.scales(&[4, 2]), Ok(gather));
    let mut output = [0.0; 32];
    let error = gather.run(&[0; 128], &[1.0; 2], None, &[0], &mut output).unwrap_err();
    assert_eq!(error, Error::SliceTooShort { operand, expected: 8, found: 2 });
    shared.run(&[0x3c; 128], &[1.0, 2.0], Some(&[]), &[0], &mut output).unwrap();
    assert_eq!((output[15], output[16]), (1.0, 2.0));
    let (operand, zeros) = (Operand::ZeroPoints, Some(&[0; 8][..]));
    let error = gather.run(&[0; 128], &[1.0; 8], zeros, &[0], &mut output).unwrap_err();
    assert_eq!(error, Error::SizeMismatch { operand, dimension: 0, expected: 0, found: 8 });
}

/// Every `f16`, in rows of any length, by functions that instructions take the place of, and by
/// others.
#[test]
fn halves_are_read_as_f32() {
    common::path::force();
    for width in [1, 2, 7, 8, 9, 15, 16, 31, 32, 33, 64, 100, 4096] {
        read_as_f32(width, f16_to_f32, |half| half);
        read_as_f32(width, f16::to_f32, |half| half);
        read_as_f32(width, <f32 as From<f16>>::from, |half| half);
        // The same values, by the formula.
        read_as_f32(width, |half: f16| f16_to_f32(half), |half| half);
        read_as_f32(width, f16_to_f32 as fn(f16) -> f32, |half| half);
        // Other values.
        read_as_f32(width, |half: f16| -f16_to_f32(half), |half| -half);
        read_as_f32(width, doubled, |half| half * 2.0);
        let factor = std::hint::black_box(0.5);
        read_as_f32(width, |half: f16| half.to_f32() * factor, |half| half * 0.5);
    }
}

fn doubled(half: f16) -> f32 {
    f16_to_f32(half) * 2.0
}

fn read_as_f32(width: usize, function: impl Fn(f16) -> f32 + Sync, then: fn(f32) -> f32) {
    let all: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let rows = all.len() / width;
    let places: Vec<i32> = (0..=rows as i32).rev().collect();
    let check = |found: &[f32]| {
        for (row, place) in found.chunks(width).zip(&places[1..]) {
            let halves = &all[*place as usize * width..][..width];
            for (found, half) in row.iter().zip(halves) {
                let expected = then(half.to_f32());
                // On x86-64 all make signalling NaNs quiet, and keep their other bits.
                let open = cfg!(not(target_arch = "x86_64"));
                let nan = open && found.is_nan() && expected.is_nan();
                assert!(nan || found.to_bits() == expected.to_bits(), "{width}: {half:?}");
            }
        }
    };
    let (table, ids) = (Layout::contiguous([rows, width]), Layout::contiguous([rows + 1]));
    let output = Layout::contiguous([rows + 1, width]);
    let gather = Gather::axis(&table, &ids, &output, 0).unwrap().bounds(Bounds::Skip);
    let mut found = vec![77.0; (rows + 1) * width];
    // A reference to a function is as good as it is.
    gather.run_map(&all, &places, &mut found, &function).unwrap();
    let (skipped, rest) = found.split_at(width);
    assert!(skipped.iter().all(|value| *value == 77.0));
    check(rest);
    // All of them inside: short rows are packed.
    let (ids, output) = (Layout::contiguous([rows]), Layout::contiguous([rows, width]));
    let gather = Gather::axis(&table, &ids, &output, 0).unwrap();
    found.fill(77.0);
    gather.run_map(&all, &places[1..], &mut found, function).unwrap();
    check(&found[..rows * width]);
    assert!(found[rows * width..].iter().all(|value| *value == 77.0));
}

/// Rows that begin within a byte, and are longer than what is shifted at a time.
#[test]
fn long_rows_are_the_formula() {
    common::path::force();
    const ROWS: usize = 5;
    let bytes: Vec<u8> = noise(5, 0).take(ROWS * 1300).map(|z| (z >> 20) as u8).collect();
    let value = |place: usize, bits: usize| {
        i32::from(bytes[place * bits / 8] >> (place * bits % 8) & (u8::MAX >> (8 - bits)))
    };
    let u8s = [2, 4, 8].map(|bits| Packing::U8 { bits });
    for packing in u8s.into_iter().chain([Packing::Int4, Packing::Uint4]) {
        let (bits, in_bytes) = (packing.bits(), matches!(packing, Packing::U8 { .. }));
        let width = if in_bytes { 1200 } else { 1201 };
        let stored = if in_bytes { width * bits / 8 } else { width };
        for block_size in [16, 32, 512, 1024] {
            let blocks = width.div_ceil(block_size);
            let attributes = Attributes { block_size, ..Attributes::DEFAULT };
            let (ids, output) = (Layout::contiguous([3]), Layout::contiguous([3, width]));
            let gather =
                BlockQuantized::new(packing, &attributes, &[ROWS, stored], &ids, &output).unwrap();
            let scales: Vec<f32> = (0..ROWS * blocks).map(|n| n as f32 - 7.0).collect();
            // Small ones, large ones and infinite ones.
            let halves: Vec<f16> = noise(6, 0)
                .map(|z| f16::from_bits(z as u16 & 0xfc3f))
                .filter(|half| !half.is_nan())
                .take(ROWS * blocks)
                .collect();
            let sign = |q: i32| if packing == Packing::Int4 { (q ^ 8) - 8 } else { q };
            for zeros in [false, true] {
                let mut found = vec![0.0_f32; 3 * width];
                let zero_points = zeros.then_some(&bytes[..]);
                gather.run(&bytes, &scales, zero_points, &[3, -1, 1], &mut found).unwrap();
                let mut rounded = vec![f16::ZERO; 3 * width];
                gather.run(&bytes, &halves, zero_points, &[3, -1, 1], &mut rounded).unwrap();
                let rows = found.chunks(width).zip(rounded.chunks(width));
                for (row, (found, rounded)) in [3, 4, 1].into_iter().zip(rows) {
                    for (at, (found, rounded)) in found.iter().zip(rounded).enumerate() {
                        let scale = row * blocks + at / block_size;
                        let zero = match (zeros, in_bytes) {
                            (false, true) => 1 << (bits - 1),
                            (false, false) => 0,
                            (true, true) => {
                                let row = row * blocks.div_ceil(8 / bits) * (8 / bits);
                                value(row + at / block_size, bits)
                            }
                            (true, false) => sign(value(scale, bits)),
                        };
                        let q = (sign(value(row * width + at, bits)) - zero) as f32;
                        let case = format!("{packing:?}, {block_size}, {row}, {at}");
                        assert_eq!(found.to_bits(), (q * scales[scale]).to_bits(), "{case}");
                        let expected = f16::from_f32(q * halves[scale].to_f32());
                        let nan = rounded.is_nan() && expected.is_nan();
                        assert!(nan || rounded.to_bits() == expected.to_bits(), "{case}");
                    }
                }
            }
        }
    }
}

/// Blocks of any bytes; attributes, sizes, layouts and indices of any kind.
#[test]
fn any_table_is_read_by_the_formulas() {
    common::path::force();
    let cases = std::env::var("PROPTEST_CASES").map_or(256, |cases| cases.parse().unwrap());
    for seed in 0..10 * cases {
        let mut choices = noise(seed, 9);
        let mut choose = |n: usize| (choices.next().unwrap() >> 20) as usize % n;
        common::quant::case(&mut choose).check();
    }
}

/// Tables without elements, and sizes that no memory holds.
#[test]
fn empty_and_endless_tables() {
    let ids = Layout::contiguous([2]);
    let attributes = Attributes { block_size: 16, ..Attributes::DEFAULT };
    let empty = Layout::contiguous([2, 0]);
    let gather = BlockQuantized::new(Packing::Int4, &attributes, &[3, 0], &ids, &empty).unwrap();
    gather.run::<f32, i32>(&[], &[], None, &[0, 1], &mut []).unwrap();
    let none = Layout::contiguous([2, 4]);
    let gather = BlockQuantized::new(Packing::Uint4, &attributes, &[0, 4], &ids, &none).unwrap();
    let error = gather.run::<f32, i32>(&[], &[], Some(&[]), &[0, 1], &mut [0.0; 8]).unwrap_err();
    assert!(matches!(error, Error::IndexOutOfBounds { size: 0, .. }));
    let huge = [usize::MAX, usize::MAX];
    let output = Layout::strided([2, usize::MAX], [0, 0]);
    let packing = Packing::U8 { bits: 2 };
    assert!(BlockQuantized::new(packing, &attributes, &huge, &ids, &output).is_err());
}

/// Plans in constants, and threads.
#[cfg(feature = "rayon")]
#[test]
fn block_quantized_by_threads() {
    common::path::force();
    const ROWS: usize = 3000;
    const WIDTH: usize = 500;
    let attributes = Attributes { block_size: 32, ..Attributes::DEFAULT };
    let bytes = |count: usize, seed| -> Vec<u8> {
        noise(seed, 0).take(count).map(|z| (z >> 20) as u8).collect()
    };
    let (data, zeros) = (bytes(ROWS * WIDTH / 2, 1), bytes(ROWS * 8, 2));
    let scales: Vec<f32> = noise(3, 0).take(ROWS * 16).map(|z| (z >> 50) as f32).collect();
    let ids: Vec<u16> = noise(4, 0).take(4000).map(|z| (z % ROWS as u64) as u16).collect();
    let (indices, output) = (Layout::contiguous([4000]), Layout::contiguous([4000, WIDTH]));
    for (packing, sizes) in [
        (Packing::U8 { bits: 4 }, [ROWS, WIDTH / 2]),
        (Packing::Int4, [ROWS, WIDTH]),
        (Packing::F4E2M1, [ROWS, WIDTH]),
    ] {
        let gather = BlockQuantized::new(packing, &attributes, &sizes, &indices, &output).unwrap();
        let (mut one, mut many) = (vec![0.0; 4000 * WIDTH], vec![0.0; 4000 * WIDTH]);
        let zeros = (packing != Packing::F4E2M1).then_some(&zeros[..]);
        gather.run(&data, &scales, zeros, &ids, &mut one).unwrap();
        let threads = common::threads::pool(3);
        threads.install(|| gather.par_run(&data, &scales, zeros, &ids, &mut many)).unwrap();
        assert!(one == many && one.iter().any(|value| *value != 0.0));
    }
}

/// The ranges that a checked gather reads hold every element that it reads, and no other.
#[test]
fn ranges_are_what_is_read() {
    use std::collections::BTreeSet;

    use common::generate::{self, Direction, KINDS};
    use common::oracle;

    for seed in 0..600 {
        let mut choices = noise(seed, 3);
        let mut choose = |n: usize| (choices.next().unwrap() % n as u64) as usize;
        let kind = KINDS[choose(3)];
        let case = generate::case(Direction::Gather, kind, &mut choose);
        let gather = case.gather().unwrap();
        let moves = oracle::moves(&case);
        if oracle::first_out_of_bounds(&moves).is_err() {
            continue;
        }
        let found = |ranges: Vec<std::ops::Range<usize>>| -> BTreeSet<usize> {
            // Neighbours are one.
            let mut pairs = ranges.windows(2);
            assert!(pairs.all(|pair| pair[0].end != pair[1].start), "{ranges:?}\n{case:?}");
            assert!(ranges.iter().all(|range| range.start % 4 == 0 && range.end % 4 == 0));
            ranges.into_iter().flat_map(|range| range.start / 4..range.end / 4).collect()
        };
        let all = std::cell::RefCell::new(Vec::new());
        common::check::with_wide_indices(
            &case,
            |signed| *all.borrow_mut() = gather.check(signed).unwrap().ranges::<f32>().collect(),
            |wide| *all.borrow_mut() = gather.check(wide).unwrap().ranges::<f32>().collect(),
        );
        let found = found(all.into_inner());
        let place = |moved: &oracle::Move| match moved.table {
            oracle::Target::At(place) => Some(place),
            _ => None,
        };
        let read: BTreeSet<usize> = moves.iter().filter_map(place).collect();
        assert_eq!(found, read, "{case:?}");
    }
}
