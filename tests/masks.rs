//! Masks against NumPy, ONNX, and plain loops over every coordinate.
#![cfg(feature = "half")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use common::masks::{self, bits};
use common::values::noise;
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

#[test]
fn like_numpy() {
    common::path::force();
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
    common::path::force();
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
    common::path::force();
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

fn case(seed: u64) -> masks::Case {
    let mut numbers = noise(seed, 9);
    masks::case(&mut |n| numbers.next().unwrap() as usize % n)
}

#[test]
fn every_layout() {
    common::path::force();
    let cases = std::env::var("PROPTEST_CASES").map_or(400, |cases| cases.parse().unwrap());
    for seed in 0..cases {
        masks::check::<f32>(&case(seed));
        masks::check::<u8>(&case(seed ^ 0x100_0000));
        masks::check::<f64>(&case(seed ^ 0x200_0000));
        masks::check::<[u8; 3]>(&case(seed ^ 0x300_0000));
        masks::check::<i16>(&case(seed ^ 0x400_0000));
        masks::check::<common::values::Pixel>(&case(seed ^ 0x500_0000));
    }
}

/// Few values of many are true, here and there half of them; elements that no cache holds; steps.
#[test]
fn sparse_masks() {
    common::path::force();
    let length = 1_100_000;
    let mut random = noise(5, 5);
    let mut often = 0;
    let flags: Vec<bool> = (0..length)
        .map(|n| {
            if n % 5000 == 0 {
                often = [5, 10, 40, 500, 0, 1000][random.next().unwrap() as usize % 6];
            }
            random.next().unwrap() % 1000 < often
        })
        .collect();
    let places: Vec<usize> = (0..length).filter(|n| flags[*n]).collect();
    let row = Layout::contiguous([length]);
    let (values, bytes) = (Mask::bools(&flags, &row), bits(&flags));
    for mask in [values, Mask::bits(&bytes, &row)] {
        let mut found = vec![u64::MAX; places.len() + 1];
        assert_eq!(mask::nonzero(mask, &mut found), Ok(places.len()));
        assert!(places.iter().zip(&found).all(|(place, found)| *place as u64 == *found));
        assert_eq!(found[places.len()], u64::MAX);
    }
    // 70 MB, of which few pages are written.
    let chosen: Vec<[u8; 64]> = places.iter().map(|n| [*n as u8; 64]).collect();
    let (back, last) = (Layout::strided([length], [-1]).with_offset(length - 1), length - 1);
    for (layout, last) in [(&row, 0), (&back, last)] {
        let mut data = vec![[0_u8; 64]; length];
        assert_eq!(mask::expand(values, &chosen, &mut data, layout), Ok(places.len()));
        assert!(places.iter().zip(&chosen).all(|(n, value)| data[n.abs_diff(last)] == *value));
        let mut found = vec![[0_u8; 64]; places.len()];
        assert_eq!(mask::compress(values, &data, layout, None, &mut found), Ok(places.len()));
        assert!(found == chosen);
        assert_eq!(mask::fill(values, [0; 64], &mut data, layout), Ok(places.len()));
        assert!(data.iter().all(|element| *element == [0; 64]));
    }
}

#[test]
fn what_does_not_fit() {
    common::path::force();
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
