//! Coordinates in slices of their own, against NumPy, and against the same coordinates in tuples.
#![cfg(feature = "half")]
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
use common::values::{noise, samples};
use serde_json::Value;
use strew::{Add, Bounds, Error, Gather, Layout, Negative, Operand, Scatter, shape};

fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect()
}

fn tensor(value: &Value) -> (Layout, Vec<i64>) {
    let sizes: Vec<usize> = numbers(&value["sizes"]).iter().map(|size| *size as usize).collect();
    (Layout::from_sizes(&sizes).unwrap(), numbers(&value["data"]))
}

fn like_numpy<const K: usize>(case: &Value) {
    let axes: Vec<usize> = numbers(&case["axes"]).iter().map(|axis| *axis as usize).collect();
    let axes: [usize; K] = axes.try_into().unwrap();
    let ((table, input), (rows, expected)) = (tensor(&case["table"]), tensor(&case["by_lists"]));
    let lists: [_; K] = core::array::from_fn(|k| tensor(&case["lists"][k]));
    let (layouts, slices) =
        (lists.each_ref().map(|list| &list.0), lists.each_ref().map(|list| list.1.as_slice()));
    let sizes = shape::lists(table.sizes(), layouts.map(Layout::sizes), axes).unwrap();
    assert_eq!(sizes, rows.sizes());
    let gather = Gather::lists(&table, layouts, &rows, axes).unwrap();
    let mut output = vec![-1; expected.len()];
    gather.run(&input, slices, &mut output).unwrap();
    assert_eq!(output, expected, "{case}");
    // What has been gathered, scattered back to where it came from, changes nothing.
    let scatter = Scatter::lists(&table, layouts, &rows, axes).unwrap();
    let mut data = input.clone();
    scatter.run(&mut data, slices, &output).unwrap();
    assert_eq!(data, input, "{case}");
}

#[test]
fn lists_like_numpy() {
    common::path::force();
    let groups: Value = serde_json::from_str(include_str!("data/operators.json")).unwrap();
    let mut seen = [0; 6];
    for case in groups["axes"].as_array().unwrap() {
        let count = case["lists"].as_array().unwrap().len();
        seen[count] += 1;
        match count {
            1 => like_numpy::<1>(case),
            2 => like_numpy::<2>(case),
            3 => like_numpy::<3>(case),
            4 => like_numpy::<4>(case),
            _ => like_numpy::<5>(case),
        }
    }
    assert!(seen[1..].iter().all(|count| *count > 0), "{seen:?}");
}

/// Choices from a seed.
fn choices(seed: u64) -> impl FnMut(usize) -> usize {
    let mut numbers = noise(seed, 9);
    move |n| numbers.next().unwrap() as usize % n
}

/// Lists of any layouts against the same coordinates in packed tuples.
fn like_tuples<const K: usize>(seed: u64) {
    let mut choose = choices(seed);
    // Short and long rows, few entries and many blocks.
    let ends: &[&[usize]] = &[&[], &[5], &[0], &[2, 3], &[70, 40], &[3000], &[3, 1, 400], &[40, 3]];
    let common: Vec<usize> = ends[choose(ends.len())].to_vec();
    let table: Vec<usize> = (0..K + choose(3)).map(|_| 1 + choose(6)).collect();
    let mut left: Vec<usize> = (0..table.len()).collect();
    let axes: [usize; K] = core::array::from_fn(|_| left.remove(choose(left.len())));
    let others: Vec<usize> = left.iter().map(|axis| table[*axis]).collect();
    let sizes: Vec<usize> = common.iter().chain(&others).copied().collect();
    let (table, flat) = (written(table, &mut choose), written(sizes, &mut choose));
    let policies = [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip];
    let (bounds, bad) = (policies[choose(4)], choose(3) == 0);
    let negative = [Negative::FromEnd, Negative::OutOfBounds][choose(2)];

    let lists: [(Tensor, Vec<i32>); K] = core::array::from_fn(|k| {
        let mut sizes = common.clone();
        sizes.iter_mut().for_each(|size| *size = if choose(3) == 0 { 1 } else { *size });
        if K == 1 || k == 0 {
            sizes.clone_from(&common);
        } else if sizes.first() == Some(&1) && choose(2) == 0 {
            sizes.remove(0);
        }
        let list = read(sizes, &mut choose);
        let size = table.sizes[axes[k]] as i32;
        let beyond = if bad { 3 } else { 0 };
        let low = if matches!(negative, Negative::FromEnd) { -size } else { 0 } - beyond;
        let span = (size + beyond - low) as u64;
        let values = noise(seed, k as u64).take(list.len);
        let values = values.map(|n| (n % span) as i32 + low).collect();
        (list, values)
    });
    let tuples: Vec<i32> = coordinates(&common)
        .iter()
        .flat_map(|entry| {
            lists.iter().map(|(list, values)| {
                let own = &entry[entry.len() - list.sizes.len()..];
                let own =
                    own.iter().zip(&list.sizes).map(|(c, size)| if *size == 1 { 0 } else { *c });
                values[list.address(&own.collect::<Vec<_>>())]
            })
        })
        .collect();
    let packed: Vec<usize> = common.iter().copied().chain([K]).collect();
    let packed = Layout::from_sizes(&packed).unwrap();
    let layouts = lists.each_ref().map(|(list, _)| list.layout().unwrap());
    let (layouts, slices) = (layouts.each_ref(), lists.each_ref().map(|(_, list)| list.as_slice()));
    let (t, f) = (table.layout().unwrap(), flat.layout().unwrap());
    let case = format!("seed {seed}: {common:?} of {:?}, {layouts:?}", table.sizes);

    let (input, updates) = (samples::<i64>(table.len, seed, 7), samples::<i64>(flat.len, seed, 8));
    let expected = Gather::axes(&t, &packed, &f, &axes).unwrap().bounds(bounds).negative(negative);
    let gather = Gather::lists(&t, layouts, &f, axes).unwrap().bounds(bounds).negative(negative);
    let (mut output, mut by_tuples) = (updates.clone(), updates.clone());
    let result = gather.run(&input, slices, &mut output);
    assert_eq!(result, expected.run(&input, &tuples, &mut by_tuples), "{case}");
    if result.is_ok() {
        assert_eq!(output, by_tuples, "{case}");
    }
    let checked = gather.check(slices);
    assert_eq!(checked.as_ref().err(), result.as_ref().err(), "{case}");
    if let Ok(checked) = checked {
        let mut output = updates.clone();
        checked.run(&input, &mut output).unwrap();
        assert_eq!(output, by_tuples, "{case}");
        #[cfg(feature = "rayon")]
        {
            let mut output = updates.clone();
            checked.par_run(&input, &mut output).unwrap();
            assert_eq!(output, by_tuples, "{case}");
        }
    }

    let expected = Scatter::axes(&t, &packed, &f, &axes).unwrap().bounds(bounds).negative(negative);
    let scatter = Scatter::lists(&t, layouts, &f, axes).unwrap().bounds(bounds).negative(negative);
    let (mut data, mut by_tuples) = (input.clone(), input.clone());
    let result = scatter.run(&mut data, slices, &updates);
    assert_eq!(result, expected.run(&mut by_tuples, &tuples, &updates), "{case}");
    assert_eq!(data, by_tuples, "{case}");
    let result = scatter.reduce(Add, &mut data, slices, &updates);
    assert_eq!(result, expected.reduce(Add, &mut by_tuples, &tuples, &updates), "{case}");
    assert_eq!(data, by_tuples, "{case}");
}

#[test]
fn lists_like_tuples() {
    common::path::force();
    let cases = std::env::var("PROPTEST_CASES").map_or(300, |cases| cases.parse().unwrap());
    for seed in 0..cases {
        like_tuples::<1>(seed);
        like_tuples::<2>(seed);
        like_tuples::<3>(seed);
        like_tuples::<5>(seed);
    }
}

#[test]
fn lists_that_do_not_fit() {
    common::path::force();
    let l = |sizes: &[usize]| Layout::from_sizes(sizes).unwrap();
    let (table, three, six) = (l(&[4, 5]), l(&[3]), l(&[2, 3]));
    let size = |operand, dimension, expected, found| Error::SizeMismatch {
        operand,
        dimension,
        expected,
        found,
    };
    assert_eq!(
        Gather::lists(&table, [&six, &l(&[2])], &six, [0, 1]).unwrap_err(),
        size(Operand::Indices, 1, 3, 2)
    );
    assert_eq!(
        Gather::lists(&table, [&six, &three], &three, [0, 1]).unwrap_err(),
        Error::RankMismatch { operand: Operand::Output, expected: 2, found: 1 }
    );
    assert_eq!(
        Scatter::lists(&table, [&three, &three], &l(&[4]), [0, 1]).unwrap_err(),
        size(Operand::Updates, 0, 3, 4)
    );
    assert_eq!(
        Gather::lists(&table, [&three, &three], &three, [1, 1]).unwrap_err(),
        Error::RepeatedAxis { axis: 1, first: 0, second: 1 }
    );
    assert_eq!(
        Gather::lists(&table, [], &table, []).unwrap_err(),
        Error::TupleSizeOutOfRange { expected: 2, found: 0 }
    );
    let long = l(&[1; 8]);
    assert_eq!(
        Gather::lists(&table, [&long], &long, [0]).unwrap_err(),
        Error::RankTooLarge { operand: Operand::Output, expected: 8, found: 9 }
    );
    // All eight dimensions may be those of lists.
    let one = l(&[5]);
    let gather = Gather::lists(&one, [&long], &long, [0]).unwrap();
    let mut output = [0];
    gather.run(&[1, 2, 3, 4, 5], [&[3]], &mut output).unwrap();
    assert_eq!(output, [4]);
    // Whichever slice is too short.
    let gather = Gather::lists(&table, [&six, &three], &six, [0, 1]).unwrap();
    let mut output = [0; 6];
    for (lists, expected, found) in [([&[0; 5][..], &[0; 3]], 6, 5), ([&[0; 6], &[0; 2]], 3, 2)] {
        let short = Error::SliceTooShort { operand: Operand::Indices, expected, found };
        assert_eq!(gather.run(&[0; 20], lists, &mut output), Err(short));
    }
}

/// The plan is made at compile time.
#[test]
fn lists_in_a_constant() {
    common::path::force();
    const TABLE: Layout = Layout::contiguous([4, 5]);
    const ROWS: Layout = Layout::contiguous([2, 1]);
    const COLUMNS: Layout = Layout::contiguous([3]);
    const OUTPUT: Layout = Layout::contiguous([2, 3]);
    const GATHER: strew::ByLists<Gather, 2> =
        strew::plan!(Gather::lists(&TABLE, [&ROWS, &COLUMNS], &OUTPUT, [0, 1]));
    let table: [u8; 20] = core::array::from_fn(|n| n as u8);
    let mut output = [0; 6];
    GATHER.run(&table, [&[3, 1], &[4, 0, 2]], &mut output).unwrap();
    assert_eq!(output, [19, 15, 17, 9, 5, 7]);
}

/// Means divide places block by block where they are fewer than the entries: those of blocks after
/// the first one were not divided.
#[test]
fn means_of_many_places_by_lists() {
    common::path::force();
    let (size, count) = (40_usize, 5000_usize);
    let (data, list) = (Layout::contiguous([size, size]), Layout::contiguous([count]));
    let ids = |by: usize| (0..count).map(|n| (n * by / 7 % size) as i64).collect::<Vec<_>>();
    let (rows, columns) = (ids(7919), ids(104_729));
    let updates: Vec<f64> = (0..count).map(|n| (n % 31) as f64).collect();
    let tuples: Vec<i64> = rows.iter().zip(&columns).flat_map(|(r, c)| [*r, *c]).collect();

    let scatter = Scatter::nd(&data, &Layout::contiguous([count, 2]), &list, 0).unwrap();
    let mut scratch = vec![0; scatter.mean_len::<f64>()];
    let mut expected = vec![-1.0; size * size];
    scatter.mean_excluding_self(&mut expected, &tuples, &updates, &mut scratch).unwrap();
    let (mut sums, mut counts) = (vec![0.0; size * size], vec![0.0; size * size]);
    for (n, (row, column)) in rows.iter().zip(&columns).enumerate() {
        let place = *row as usize * size + *column as usize;
        sums[place] += updates[n];
        counts[place] += 1.0;
    }
    for (place, found) in expected.iter().enumerate() {
        let mean = if counts[place] > 0.0 { sums[place] / counts[place] } else { -1.0 };
        assert_eq!(*found, mean, "{place}");
    }

    let by_lists = Scatter::lists(&data, [&list, &list], &list, [0, 1]).unwrap();
    let mut found = vec![-1.0; size * size];
    let checked = by_lists.check([&rows, &columns]).unwrap();
    checked.mean_excluding_self(&mut found, &updates, &mut scratch).unwrap();
    assert_eq!(found, expected);
}
