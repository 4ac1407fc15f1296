//! Indices that do not count, on random cases of all operators.
#![cfg(feature = "half")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use common::generate::{self, Direction, KINDS, Kind};
use common::nullable::{self, bits};
use common::values::noise;
use strew::{Add, Bag, Bags, Bounds, Error, Gather, Layout, Mean, Nullable, Operand, Scatter};

#[test]
fn all_operators() {
    common::path::force();
    let cases = std::env::var("PROPTEST_CASES").map_or(300, |cases| cases.parse().unwrap());
    for seed in 0..5 * cases {
        let mut numbers = noise(seed, 0);
        let mut choose = |n: usize| numbers.next().unwrap() as usize % n;
        let kinds = [KINDS[0], KINDS[1], KINDS[2], KINDS[3], Kind::Sequence];
        let direction = [Direction::Gather, Direction::Scatter][choose(2)];
        let kind = kinds[choose(if direction == Direction::Scatter { 5 } else { 4 })];
        let make = if seed % 8 == 0 { generate::long_case } else { generate::case };
        let case = make(direction, kind, &mut choose);
        nullable::check(&case, [2, 3, 20][choose(3)]);
    }
}

#[test]
fn no_index_counts() {
    common::path::force();
    // Not even those on an axis without places.
    let (none, three) = (Layout::contiguous([0]), Layout::contiguous([3]));
    for bounds in [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip] {
        let gather = Gather::axis(&none, &three, &three, 0).unwrap().bounds(bounds);
        let mut output = [7; 3];
        let ids = Nullable::bools(&[0, 1, -1], &[false; 3]);
        gather.check_nullable(ids).unwrap().run(&[], &mut output).unwrap();
        assert_eq!(output, [7; 3]);
    }
}

#[test]
fn bags() {
    common::path::force();
    let (table, ids) = (Layout::contiguous([50, 20]), Layout::contiguous([300]));
    let bag = Bag::new(&table, &ids, &Layout::contiguous([7, 20])).unwrap();
    let rows: Vec<f32> = noise(1, 1).take(1000).map(|n| (n % 100) as f32).collect();
    let ids: Vec<i64> = noise(2, 2).take(300).map(|n| (n % 50) as i64).collect();
    let valid: Vec<bool> = noise(3, 3).take(300).map(|n| n % 3 > 0).collect();
    // What is not valid may be anything.
    let null = |value: i64| {
        let id = |(id, valid): (&i64, &bool)| if *valid { *id } else { value };
        ids.iter().zip(&valid).map(id).collect::<Vec<_>>()
    };
    let starts = [0, 0, 40, 90, 200, 200, 280];
    let skipping = bag.bounds(Bounds::Skip);
    let (mut expected, mut output) = (vec![0.0; 140], vec![1.0; 140]);
    skipping.run(Mean, &rows, &null(i64::MAX), Bags::Starts(&starts), &mut expected).unwrap();
    let (anything, bytes) = (null(i64::MIN), bits(&valid, 13));
    for nullable in [Nullable::bools(&anything, &valid), Nullable::bits(&anything, &bytes, 13)] {
        let checked = bag.check_nullable(nullable, Bags::Starts(&starts)).unwrap();
        checked.run(Mean, &rows, &mut output).unwrap();
        assert_eq!(output, expected);
    }
    let mut bad = anything;
    bad[299] = 50;
    let all = [&valid[..299], &[true]].concat();
    let nullable = Nullable::bools(&bad, &all);
    let error = bag.check_nullable(nullable, Bags::Starts(&starts)).unwrap_err();
    assert_eq!(error, Error::IndexOutOfBounds { entry: 299, coordinate: 0, value: 50, size: 50 });
}

/// What goes entry by entry, in blocks.
#[test]
fn means() {
    common::path::force();
    let (data, ids) = (Layout::contiguous([50]), Layout::contiguous([300]));
    let scatter = Scatter::axis(&data, &ids, &ids, 0).unwrap();
    let ids: Vec<i32> = noise(2, 2).take(300).map(|n| (n % 50) as i32).collect();
    let valid: Vec<bool> = noise(3, 3).take(300).map(|n| n % 3 > 0).collect();
    let outside = |(id, valid): (&i32, &bool)| if *valid { *id } else { 50 };
    let outside: Vec<i32> = ids.iter().zip(&valid).map(outside).collect();
    let updates: Vec<f64> = (0..300).map(f64::from).collect();
    let (mut expected, mut found) = (vec![1.0; 50], vec![1.0; 50]);
    let mut scratch = vec![0; scatter.mean_len::<f64>()];
    let skipping = scatter.bounds(Bounds::Skip);
    skipping.mean(&mut expected, &outside, &updates, &mut scratch).unwrap();
    let nullable = Nullable::bools(&outside, &valid);
    let checked = scatter.check_nullable(nullable).unwrap();
    checked.mean(&mut found, &updates, &mut scratch).unwrap();
    assert_eq!(found, expected);
}

/// They leave places of the output as they are, and so it must have values.
#[cfg(feature = "std")]
#[test]
fn no_new_outputs() {
    common::path::force();
    let three = Layout::contiguous([3]);
    let gather = Gather::axis(&three, &three, &three, 0).unwrap();
    let checked = gather.check_nullable(Nullable::bools(&[0, 1, 2], &[true; 3])).unwrap();
    let refused = Error::PolicyNotSupported { found: Bounds::Skip };
    assert_eq!(checked.collect(&[1, 2, 3]), Err(refused));
    let mut output = [std::mem::MaybeUninit::uninit(); 3];
    assert_eq!(checked.run_uninit(&[1, 2, 3], &mut output), Err(refused));
}

#[test]
fn lists() {
    common::path::force();
    let (table, output) = (Layout::contiguous([4, 5]), Layout::contiguous([40, 3]));
    let (rows, columns) = (Layout::contiguous([40, 1]), Layout::contiguous([3]));
    let gather = Gather::lists(&table, [&rows, &columns], &output, [0, 1]).unwrap();
    let scatter = Scatter::lists(&table, [&rows, &columns], &output, [0, 1]).unwrap();
    // Where one does not count, the other may be outside, but for row 9.
    let rows: [i32; 40] = core::array::from_fn(|n| if n == 9 { 4 } else { n as i32 % 4 });
    let valid_rows: [bool; 40] = core::array::from_fn(|n| n % 5 != 1);
    let valid = [Nullable::bools(&rows, &valid_rows), Nullable::bits(&[0, 99, 4], &[0b101], 0)];
    let bad = Error::IndexOutOfBounds { entry: 27, coordinate: 0, value: 4, size: 4 };
    assert_eq!(gather.check_nullable(valid).unwrap_err(), bad);
    assert_eq!(scatter.check_nullable(valid).unwrap_err(), bad);
    let valid_rows: [bool; 40] = core::array::from_fn(|n| n % 5 != 1 && n != 9);
    let valid = [Nullable::bools(&rows, &valid_rows), Nullable::bits(&[0, 99, 4], &[0b101], 0)];
    let input: [usize; 20] = core::array::from_fn(|n| n + 1);
    let mut output = [0; 120];
    gather.check_nullable(valid).unwrap().run(&input, &mut output).unwrap();
    let mut sums = [0; 20];
    scatter.check_nullable(valid).unwrap().reduce(Add, &mut sums, &output).unwrap();
    let mut expected = [0; 20];
    for (n, three) in output.chunks(3).enumerate() {
        let row = n % 4 * 5;
        let at = |column: usize| if valid_rows[n] { input[row + column] } else { 0 };
        assert_eq!(three, [at(0), 0, at(4)], "{n}");
        expected[row] += at(0);
        expected[row + 4] += at(4);
    }
    assert_eq!(sums, expected);
}

#[test]
fn too_few_values() {
    common::path::force();
    let three = Layout::contiguous([3]);
    let gather = Gather::axis(&three, &three, &three, 0).unwrap();
    let short = |expected, found| Error::SliceTooShort { operand: Operand::Mask, expected, found };
    let of_bools = gather.check_nullable(Nullable::bools(&[0, 1, 2], &[true; 2]));
    assert_eq!(of_bools.unwrap_err(), short(3, 2));
    let of_bits = gather.check_nullable(Nullable::bits(&[0, 1, 2], &[255; 2], 14));
    assert_eq!(of_bits.unwrap_err(), short(3, 2));
    let no_indices = gather.check_nullable(Nullable::bools(&[0, 1], &[true; 3]));
    let operand = Operand::Indices;
    assert_eq!(no_indices.unwrap_err(), Error::SliceTooShort { operand, expected: 3, found: 2 });
}
