//! What NumPy and ONNX say of the operators that they have: see `data/README.md`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

#[allow(dead_code)] // Fuzzers use the rest.
#[path = "common/path.rs"]
mod path;

use serde_json::Value;
use strew::{Bounds, Error, Gather, Layout, Negative, Scatter, Sequence, coalesce, shape};

/// A group of cases.
fn cases(group: &str, count: usize) -> Vec<Value> {
    let groups: Value = serde_json::from_str(include_str!("data/operators.json")).unwrap();
    let cases = groups[group].as_array().unwrap().clone();
    assert_eq!(cases.len(), count, "{group}");
    cases
}

fn sizes(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|size| size.as_u64().unwrap() as usize).collect()
}

/// Numbers of which every one is an integer.
fn integers(value: &Value) -> Vec<i64> {
    let integer = |value: &Value| value.as_i64().unwrap_or_else(|| value.as_f64().unwrap() as i64);
    value.as_array().unwrap().iter().map(integer).collect()
}

fn tensor(value: &Value) -> (Layout, Vec<i64>) {
    (Layout::from_sizes(&sizes(&value["sizes"])).unwrap(), integers(&value["data"]))
}

#[test]
fn axes() {
    path::force();
    for case in &cases("axes", 40) {
        let axes = sizes(&case["axes"]);
        let [table, indices, output] = ["table", "indices", "output"].map(|name| &case[name]);
        let ((table, input), (indices, ids), (rows, expected)) =
            (tensor(table), tensor(indices), tensor(output));
        assert_eq!(shape::axes(table.sizes(), indices.sizes(), &axes).unwrap(), rows.sizes());
        let gather = Gather::axes(&table, &indices, &rows, &axes).unwrap();
        let mut output = vec![-1; expected.len()];
        gather.run(&input, &ids, &mut output).unwrap();
        assert_eq!(output, expected, "{case}");
        // The same plan as that of a table with these axes in front, so as fast.
        let others = (0..table.rank()).filter(|n| !axes.contains(n));
        let order: Vec<usize> = axes.iter().copied().chain(others).collect();
        let of = |n: &usize| (table.sizes()[*n], table.strides()[*n]);
        let (sizes, strides): (Vec<usize>, Vec<isize>) = order.iter().map(of).unzip();
        let permuted = Layout::from_parts(&sizes, &strides, table.offset()).unwrap();
        let nd = Gather::nd(&permuted, &indices, &rows, 0).unwrap();
        let plan =
            |gather: Gather| format!("{gather:?}").split(" input: ").next().unwrap().to_owned();
        assert_eq!(plan(nd), plan(gather), "{case}");
        // What has been gathered, scattered back to where it came from, changes nothing.
        let scatter = Scatter::axes(&table, &indices, &rows, &axes).unwrap();
        let mut data = input.clone();
        scatter.run(&mut data, &ids, &output).unwrap();
        assert_eq!(data, input, "{case}");
    }
}

#[test]
fn sequences() {
    path::force();
    for case in &cases("TensorScatter", 3) {
        let [past, update, starts] =
            ["past_cache", "update", "write_indices"].map(|name| tensor(&case["inputs"][name]));
        let mode = match case["attributes"].get("mode").map(|mode| mode.as_str().unwrap()) {
            Some("circular") => Sequence::Circular,
            _ => Sequence::Linear,
        };
        let axis = past.0.rank() - 2;
        let scatter = Scatter::sequence(&past.0, &starts.0, &update.0, axis, mode).unwrap();
        let mut present = vec![-1; past.1.len()];
        scatter.run_into(&past.1, &starts.1, &update.1, &mut present).unwrap();
        assert_eq!(present, integers(&case["output"]["data"]), "{case}");
    }
}

/// The modulo is of the coordinate along the axis alone: in onnx/onnx#8353, batch 4 of 5 was
/// written into batch 0 of a cache of 4 places.
#[test]
fn circular_sequences_stay_in_their_batch() {
    path::force();
    let (cache, starts) = (Layout::contiguous([5, 4]), Layout::contiguous([5]));
    let update = Layout::contiguous([5, 3]);
    let scatter = Scatter::sequence(&cache, &starts, &update, 1, Sequence::Circular).unwrap();
    let tokens: Vec<i32> = (1..=15).collect();
    let mut data = [0; 20];
    scatter.run(&mut data, &[0, 1, 2, 3, 103], &tokens).unwrap();
    let expected = [1, 2, 3, 0, 0, 4, 5, 6, 9, 0, 7, 8, 11, 12, 0, 10, 14, 15, 0, 13];
    assert_eq!(data, expected);
    // Positions that go on counting are what the mode is for; another policy may refuse them.
    let refused = scatter.bounds(Bounds::Error).run(&mut data, &[0, 1, 2, 3, 103], &tokens);
    let bad = Error::IndexOutOfBounds { entry: 4, coordinate: 0, value: 103, size: 4 };
    assert_eq!((refused, data), (Err(bad), expected));
}

#[test]
fn linear_sequences_fit_as_a_whole() {
    path::force();
    let (cache, starts) = (Layout::contiguous([2, 4]), Layout::contiguous([2]));
    let update = Layout::contiguous([2, 3]);
    let scatter = Scatter::sequence(&cache, &starts, &update, 1, Sequence::Linear).unwrap();
    let tokens = [1, 2, 3, 4, 5, 6];
    for (entry, value) in [(1, 2), (0, -1)] {
        let (mut data, mut starts) = ([0; 8], [0, 1]);
        starts[entry] = value;
        let value = value.into();
        let bad = Error::IndexOutOfBounds { entry, coordinate: 0, value, size: 2 };
        assert_eq!((scatter.run(&mut data, &starts, &tokens), data), (Err(bad), [0; 8]));
    }
    let run = |scatter: Scatter, starts: [i32; 2]| {
        let mut data = [0; 8];
        scatter.run(&mut data, &starts, &tokens).unwrap();
        data
    };
    assert_eq!(run(scatter, [0, 1]), [1, 2, 3, 0, 0, 4, 5, 6]);
    assert_eq!(run(scatter.bounds(Bounds::Clamp), [-9, 9]), [1, 2, 3, 0, 0, 4, 5, 6]);
    assert_eq!(run(scatter.bounds(Bounds::Skip), [-1, 0]), [0, 0, 0, 0, 4, 5, 6, 0]);
    // From the end: the last place at which the sequence fits.
    assert_eq!(run(scatter.negative(Negative::FromEnd), [-1, -2]), [0, 1, 2, 3, 4, 5, 6, 0]);
    // One position for all batches; positions left out, as ONNX has them; one for each head.
    let all = |starts, sizes: [&[usize]; 2], axis| {
        let [cache, update] = sizes.map(|sizes| Layout::from_sizes(sizes).unwrap());
        Scatter::sequence(&cache, &starts, &update, axis, Sequence::Linear).unwrap()
    };
    assert_eq!(run(all(Layout::contiguous([]), [&[2, 4], &[2, 3]], 1), [1, 7])[..4], [0, 1, 2, 3]);
    let zeros = Layout::strided([2], [0]);
    assert_eq!(run(all(zeros, [&[2, 4], &[2, 3]], 1), [0, 7]), [1, 2, 3, 0, 4, 5, 6, 0]);
    let heads = Layout::contiguous([1, 2]);
    assert_eq!(run(all(heads, [&[1, 2, 4], &[1, 2, 3]], 2), [1, 0]), [0, 1, 2, 3, 4, 5, 6, 0]);
}

#[test]
fn sequences_that_do_not_fit() {
    path::force();
    use strew::Operand::{Data, Indices, Updates};
    let l = |sizes: &[usize]| Layout::from_sizes(sizes).unwrap();
    let size = |operand, dimension, expected, found| Error::SizeMismatch {
        operand,
        dimension,
        expected,
        found,
    };
    let cases = [
        (
            l(&[2, 4]),
            l(&[2]),
            l(&[2, 1]),
            2,
            Error::AxisOutOfRange { operand: Data, expected: 2, found: 2 },
        ),
        (
            l(&[2, 4]),
            l(&[2]),
            l(&[2, 1]),
            0,
            Error::BatchDimsOutOfRange { operand: Indices, expected: 0, found: 1 },
        ),
        (
            l(&[2, 4]),
            l(&[2]),
            l(&[2]),
            1,
            Error::RankMismatch { operand: Updates, expected: 2, found: 1 },
        ),
        (l(&[2, 4]), l(&[3]), l(&[2, 1]), 1, size(Indices, 0, 2, 3)),
        (l(&[2, 4]), l(&[2]), l(&[2, 5]), 1, size(Updates, 1, 4, 5)),
        (l(&[2, 4, 3]), l(&[2]), l(&[2, 4, 2]), 1, size(Updates, 2, 3, 2)),
        (l(&[2, 4]), l(&[2]), l(&[1, 4]), 1, size(Updates, 0, 2, 1)),
    ];
    for (cache, starts, update, axis, expected) in cases {
        for mode in [Sequence::Linear, Sequence::Circular] {
            assert_eq!(Scatter::sequence(&cache, &starts, &update, axis, mode), Err(expected));
        }
    }
    let far = Layout::strided([2], [isize::MAX / 2]);
    let circular = Scatter::sequence(&l(&[2, 4]), &far, &l(&[2, 3]), 1, Sequence::Circular);
    assert_eq!(circular, Err(Error::SizesOverflow { operand: Indices }));
}

#[test]
fn coalesced() {
    path::force();
    let mut state = 7_u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 33
    };
    for case in 0..400 {
        let (length, range) = (random() % 70, 1 + random() % 90);
        let mut indices: Vec<i16> = (0..length).map(|_| (random() % range) as i16 - 20).collect();
        match case % 4 {
            0 => indices.sort_unstable(),
            1 => indices.sort_unstable_by_key(|index| -index),
            _ => {}
        }
        let mut expected = indices.clone();
        expected.sort_unstable();
        expected.dedup();
        let count = expected.len();
        let (mut segments, mut order) = (vec![9; indices.len()], vec![9; indices.len()]);
        if let Some(short) = count.checked_sub(1) {
            let mut unique = vec![77; short];
            let found = coalesce(&indices, &mut unique, &mut segments, &mut order);
            let (operand, expected) = (strew::Operand::Indices, count);
            assert_eq!(found, Err(Error::SliceTooShort { operand, expected, found: short }));
            assert!(unique.iter().all(|index| *index == 77));
            assert!(segments.iter().all(|segment| *segment == 9));
            let scratch = &mut vec![0; indices.len() - 1];
            let (expected, found) = (indices.len(), scratch.len());
            let error = Error::ScratchTooShort { expected, found };
            assert_eq!(coalesce(&indices, &mut unique, &mut segments, scratch), Err(error));
            let operand = strew::Operand::Output;
            let error = Error::SliceTooShort { operand, expected, found };
            assert_eq!(coalesce(&indices, &mut unique, scratch, &mut order), Err(error));
        }
        let mut unique = vec![77; count + 1];
        assert_eq!(coalesce(&indices, &mut unique, &mut segments, &mut order), Ok(count));
        assert_eq!((&unique[..count], unique[count]), (&expected[..], 77));
        let back: Vec<i16> = segments.iter().map(|segment| unique[*segment]).collect();
        assert_eq!(back, indices);
    }
}

/// Values and entries that just fit one number, and values that do not.
#[test]
fn coalesced_far_apart() {
    for length in [3, 4, 7, 8, 200_usize] {
        let room = 1_u64 << length.leading_zeros();
        for most in [1, room - 1, room, u64::MAX] {
            // The largest value comes first, then the least.
            let far = |n: usize| match n {
                0 => most,
                n if n.is_multiple_of(2) => most - n as u64 % 3 % most,
                n => ((n as u64 - 1) % 3).min(most),
            };
            let indices: Vec<u64> = (0..length).map(far).collect();
            let signed: Vec<i64> =
                indices.iter().map(|index| index.wrapping_add(1 << 63) as i64).collect();
            let mut expected = indices.clone();
            expected.sort_unstable();
            expected.dedup();
            let (mut unique, mut segments) = (vec![0; length], vec![0; length]);
            let (mut below, mut order) = (vec![0; length], vec![0; length]);
            let count = coalesce(&indices, &mut unique, &mut segments, &mut order).unwrap();
            assert_eq!(unique[..count], expected, "{length} {most}");
            let back: Vec<u64> = segments.iter().map(|segment| unique[*segment]).collect();
            assert_eq!(back, indices, "{length} {most}");
            let of_signed = coalesce(&signed, &mut below, &mut segments, &mut order).unwrap();
            assert!(of_signed == count && below[..count].is_sorted());
            let back: Vec<i64> = segments.iter().map(|segment| below[*segment]).collect();
            assert_eq!(back, signed, "{length} {most}");
        }
    }
}
