//! Masks against NumPy, ONNX, and plain loops over every coordinate.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use common::case::Tensor;
use common::generate::{read, written};
use common::oracle::coordinates;
use common::values::{Sample, noise, samples};
use serde_json::Value;
use strew::mask::{self, Mask};
use strew::{Error, Layout, Operand};

fn cases(group: &str) -> Vec<Value> {
    let groups: Value = serde_json::from_str(include_str!("data/operators.json")).unwrap();
    let cases = groups[group].as_array().unwrap().clone();
    assert!(!cases.is_empty());
    cases
}

fn sizes(value: &Value) -> Layout {
    let sizes: Vec<usize> =
        value.as_array().unwrap().iter().map(|size| size.as_u64().unwrap() as usize).collect();
    Layout::from_sizes(&sizes).unwrap()
}

fn numbers(value: &Value) -> Vec<i64> {
    let number = |value: &Value| match value {
        Value::Bool(value) => i64::from(*value),
        value => value.as_f64().unwrap() as i64,
    };
    value.as_array().unwrap().iter().map(number).collect()
}

fn bools(value: &Value) -> Vec<bool> {
    numbers(value).iter().map(|number| *number != 0).collect()
}

/// The bits of bools, and some of what comes after them.
fn bits(bools: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| {
        eight.iter().enumerate().fold(0, |byte, (n, bit)| byte | u8::from(*bit) << n)
    };
    bools.chunks(8).map(byte).collect()
}

#[test]
fn like_numpy() {
    for case in &cases("masks") {
        let layout = sizes(&case["data"]["sizes"]);
        let (data, flags) = (numbers(&case["data"]["data"]), bools(&case["mask"]["data"]));
        let (chosen, values) = (numbers(&case["chosen"]), numbers(&case["values"]));
        let bytes = bits(&flags);
        for mask in [Mask::bools(&flags, &layout), Mask::bits(&bytes, &layout)] {
            let mut output = vec![-7; data.len()];
            let count = mask::compress(mask, &data, &layout, None, &mut output).unwrap();
            assert_eq!(&output[..count], chosen, "{case}");
            let rank = layout.rank();
            let mut positions = vec![0_u16; count * rank];
            assert_eq!(mask::nonzero(mask, &mut positions), Ok(count));
            for (d, expected) in case["nonzero"].as_array().unwrap().iter().enumerate() {
                let found: Vec<i64> =
                    positions.iter().skip(d).step_by(rank).map(|n| i64::from(*n)).collect();
                assert_eq!(found, numbers(expected), "{case}");
            }
            let mut expanded = data.clone();
            assert_eq!(mask::expand(mask, &values, &mut expanded, &layout), Ok(count));
            assert_eq!(expanded, numbers(&case["expanded"]), "{case}");
            let mut filled = data.clone();
            assert_eq!(mask::fill(mask, -1, &mut filled, &layout), Ok(count));
            assert_eq!(filled, numbers(&case["filled"]), "{case}");
        }
    }
}

#[test]
fn compress_like_numpy_and_onnx() {
    let compress = |data: &Value, flags: &Value, axis: Option<usize>, expected: &[i64]| {
        let (layout, data, flags) = (sizes(&data["sizes"]), numbers(&data["data"]), bools(flags));
        let shape = Layout::from_sizes(&[flags.len()]).unwrap();
        let mut output = vec![-7; expected.len() + 1];
        let mask = Mask::bools(&flags, &shape);
        let count = mask::compress(mask, &data, &layout, axis, &mut output).unwrap();
        assert_eq!(count, flags.iter().filter(|flag| **flag).count());
        assert_eq!((&output[..expected.len()], output[expected.len()]), (expected, -7));
    };
    for case in &cases("compress") {
        let axis = case["axis"].as_u64().map(|axis| axis as usize);
        compress(&case["data"], &case["mask"], axis, &numbers(&case["output"]["data"]));
    }
    for case in &cases("Compress") {
        let input = &case["inputs"]["input"];
        let rank = input["sizes"].as_array().unwrap().len() as i64;
        let axis = case["attributes"]["axis"].as_i64();
        let axis = axis.map(|axis| axis.rem_euclid(rank) as usize);
        let condition = &case["inputs"]["condition"]["data"];
        compress(input, condition, axis, &numbers(&case["output"]["data"]));
    }
}

#[test]
fn nonzero_like_onnx() {
    for case in &cases("NonZero") {
        let condition = &case["inputs"]["condition"];
        let (layout, flags) = (sizes(&condition["sizes"]), bools(&condition["data"]));
        let mut positions = vec![0_i64; 2 * layout.rank() * flags.len()];
        let count = mask::nonzero(Mask::bools(&flags, &layout), &mut positions).unwrap();
        // ONNX has the dimensions first.
        let rank = layout.rank();
        let transposed: Vec<i64> = (0..rank)
            .flat_map(|d| (0..count).map(move |n| n * rank + d))
            .map(|n| positions[n])
            .collect();
        assert_eq!(transposed, numbers(&case["output"]["data"]));
    }
}

/// Choices from a seed.
fn choices(seed: u64) -> impl FnMut(usize) -> usize {
    let mut numbers = noise(seed, 9);
    move |n| numbers.next().unwrap() as usize % n
}

fn random<T: Sample + PartialEq>(seed: u64) {
    let mut choose = choices(seed);
    // Now and then a long last dimension, which goes in words.
    let mut sizes: Vec<usize> = (0..choose(4)).map(|_| choose(5)).collect();
    if choose(2) == 1 {
        sizes.push([64, 63, 65, 200, 1024, 1500][choose(6)]);
    }
    let elements: usize = sizes.iter().product();
    let (axis, shape) = match choose(3) {
        1 if !sizes.is_empty() => {
            let axis = choose(sizes.len());
            (Some(axis), vec![sizes[axis] - choose(sizes[axis] + 1).min(3)])
        }
        2 => (None, vec![elements - choose(elements + 1).min(3)]),
        _ => (None, sizes.clone()),
    };
    let data =
        if axis.is_some() { read(sizes.clone(), &mut choose) } else { written(sizes, &mut choose) };
    let shape = read(shape, &mut choose);
    let often = [1, 2, 50, 98, 99, 100, 0][choose(7)];
    let flags: Vec<bool> = noise(seed, 1).take(shape.len).map(|n| n % 100 < often).collect();
    let bytes = bits(&flags);
    let (layout, shape_layout) = (data.layout().unwrap(), shape.layout().unwrap());
    let mask = match choose(2) {
        0 => Mask::bools(&flags, &shape_layout),
        _ => Mask::bits(&bytes, &shape_layout),
    };
    let flag = |c: &[usize]| flags[shape.address(c)];
    let truths = coordinates(&shape.sizes).iter().filter(|c| flag(c)).count();

    // What is chosen, element by element.
    let is_chosen = |(number, c): (usize, &Vec<usize>)| match axis {
        Some(axis) => c[axis] < shape.sizes[0] && flag(&[c[axis]]),
        None if shape.sizes.len() == 1 => number < shape.sizes[0] && flag(&[number]),
        None => flag(c),
    };
    let all = coordinates(&data.sizes);
    let chosen: Vec<usize> = all
        .iter()
        .enumerate()
        .filter(|(number, c)| is_chosen((*number, c)))
        .map(|(_, c)| data.address(c))
        .collect();
    let input = samples::<T>(data.len, seed, 2);
    let context = format!("seed {seed}: {data:?} {axis:?} {shape:?}");

    let expected: Vec<T> = chosen.iter().map(|place| input[*place]).collect();
    let before = samples::<T>(expected.len() + 2, seed, 3);
    let mut output = before.clone();
    assert_eq!(mask::compress(mask, &input, &layout, axis, &mut output), Ok(truths), "{context}");
    let same = |found: &[T], expected: &[T]| {
        assert!(
            bytemuck::cast_slice::<T, u8>(found) == bytemuck::cast_slice::<T, u8>(expected),
            "{context}"
        );
    };
    same(&output, &[&expected[..], &before[expected.len()..]].concat());
    if let Some(short) = expected.len().checked_sub(1) {
        let mut output = before.clone();
        let found = mask::compress(mask, &input, &layout, axis, &mut output[..short]);
        let (operand, expected) = (Operand::Output, expected.len());
        assert_eq!(
            found,
            Err(Error::SliceTooShort { operand, expected, found: short }),
            "{context}"
        );
        same(&output, &before);
    }
    nonzero(mask, &shape, &flags, truths, &context);

    if axis.is_some() {
        return;
    }
    let values = samples::<T>(truths, seed, 4);
    let mut expanded = input.clone();
    chosen.iter().zip(&values).for_each(|(place, value)| expanded[*place] = *value);
    let mut found = input.clone();
    assert_eq!(mask::expand(mask, &values, &mut found, &layout), Ok(truths), "{context}");
    same(&found, &expanded);
    let mut found = input.clone();
    if let Some(short) = truths.checked_sub(1) {
        let result = mask::expand(mask, &values[..short], &mut found, &layout);
        let (operand, expected) = (Operand::Updates, truths);
        assert_eq!(result, Err(Error::SliceTooShort { operand, expected, found: short }));
        same(&found, &input);
    }
    let value = T::sample(seed);
    let mut filled = input.clone();
    chosen.iter().for_each(|place| filled[*place] = value);
    assert_eq!(mask::fill(mask, value, &mut found, &layout), Ok(truths), "{context}");
    same(&found, &filled);
}

fn nonzero(mask: Mask<'_>, shape: &Tensor, flags: &[bool], truths: usize, context: &str) {
    let expected: Vec<u32> = coordinates(&shape.sizes)
        .into_iter()
        .filter(|c| flags[shape.address(c)])
        .flatten()
        .map(|n| n as u32)
        .collect();
    let mut positions = vec![u32::MAX; expected.len() + 1];
    assert_eq!(mask::nonzero(mask, &mut positions), Ok(truths), "{context}");
    assert_eq!(
        (&positions[..expected.len()], positions[expected.len()]),
        (&expected[..], u32::MAX)
    );
    if let Some(short) = expected.len().checked_sub(1) {
        positions.fill(7);
        let (operand, expected) = (Operand::Output, expected.len());
        let error = Error::SliceTooShort { operand, expected, found: short };
        assert_eq!(mask::nonzero(mask, &mut positions[..short]), Err(error));
        assert!(positions.iter().all(|position| *position == 7));
    }
}

#[test]
fn every_layout() {
    common::path::force();
    for seed in 0..400 {
        random::<f32>(seed);
        random::<u8>(seed ^ 0x100_0000);
        random::<f64>(seed ^ 0x200_0000);
        random::<[u8; 3]>(seed ^ 0x300_0000);
        random::<i16>(seed ^ 0x400_0000);
        random::<common::values::Pixel>(seed ^ 0x500_0000);
    }
}

#[test]
fn what_does_not_fit() {
    let l = |sizes: &[usize]| Layout::from_sizes(sizes).unwrap();
    let compress = |mask: Mask<'_>, sizes: &[usize], axis| {
        mask::compress(mask, &[0; 6], &l(sizes), axis, &mut [0; 6]).unwrap_err()
    };
    use Operand::{Data, Indices, Input, Mask as OfMask};
    let (three, square) = (l(&[3]), l(&[2, 3]));
    let flags = [true; 7];
    let mask = Mask::bools(&flags, &three);
    assert_eq!(
        compress(mask, &[2, 3], Some(2)),
        Error::AxisOutOfRange { operand: Input, expected: 2, found: 2 }
    );
    assert_eq!(
        compress(Mask::bools(&flags, &square), &[2, 3], Some(0)),
        Error::RankMismatch { operand: OfMask, expected: 1, found: 2 }
    );
    assert_eq!(
        compress(mask, &[2, 3], Some(0)),
        Error::SizeMismatch { operand: OfMask, dimension: 0, expected: 2, found: 3 }
    );
    assert_eq!(
        compress(Mask::bools(&flags, &l(&[7])), &[2, 3], None),
        Error::SizeMismatch { operand: OfMask, dimension: 0, expected: 6, found: 7 }
    );
    assert_eq!(
        compress(Mask::bools(&flags, &square), &[3, 2], None),
        Error::SizeMismatch { operand: OfMask, dimension: 0, expected: 3, found: 2 }
    );
    assert_eq!(
        compress(Mask::bools(&flags[..2], &three), &[2, 3], None),
        Error::SliceTooShort { operand: OfMask, expected: 3, found: 2 }
    );
    assert_eq!(
        compress(Mask::bits(&[255], &l(&[9])), &[2, 3], None),
        Error::SliceTooShort { operand: OfMask, expected: 9, found: 8 }
    );
    assert_eq!(
        compress(mask, &[7], None),
        Error::SliceTooShort { operand: Input, expected: 7, found: 6 }
    );
    let overlapping = Layout::strided([3], [0]);
    let error = Error::OverlappingOutput { operand: Data, dimension: 0, expected: 1, found: 0 };
    assert_eq!(mask::fill(mask, 0, &mut [0; 3], &overlapping), Err(error));
    assert_eq!(mask::expand(mask, &[0; 3], &mut [0; 3], &overlapping), Err(error));
    // A position that the type does not hold.
    let flags = [false; 300];
    let long = |size| mask::nonzero(Mask::bools(&flags, &l(&[size])), &mut [0_u8; 1]);
    assert_eq!(long(256), Ok(0));
    assert_eq!(long(257), Err(Error::SizesOverflow { operand: Indices }));
}
