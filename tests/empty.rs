//! Every index is checked, also where its entry stands for no element: ONNX Runtime's Gather and
//! ScatterND, and NumPy's `a[indices]`, do so too.
#![allow(clippy::unwrap_used, missing_docs)]

use strew::{Add, Bounds, Error, Gather, Index, Layout, Scatter, Sequence};

fn l(sizes: &[usize]) -> Layout {
    Layout::from_sizes(sizes).unwrap()
}

fn bad(entry: usize, value: i128, size: usize) -> Result<(), Error> {
    Err(Error::IndexOutOfBounds { entry, coordinate: 0, value, size })
}

/// Through each entry point.
fn gather<I: Index>(gather: Gather, indices: &[I], expected: Result<(), Error>) {
    let (input, output) = (&[0.0_f32; 0], &mut [0.0; 0]);
    assert_eq!(gather.run(input, indices, output), expected);
    assert_eq!(gather.run_shared(input, indices, output), expected);
    assert_eq!(gather.run_map(input, indices, output, |x| x), expected);
    assert_eq!(gather.run_uninit(input, indices, &mut []), expected);
    assert_eq!(gather.check(indices).map(|_| ()), expected);
    #[cfg(feature = "std")]
    assert_eq!(gather.collect(input, indices).map(|_| ()), expected);
    #[cfg(feature = "rayon")]
    assert_eq!(gather.par_run(input, indices, output), expected);
}

fn scatter<I: Index>(
    scatter: Scatter,
    indices: &[I],
    [data, updates]: [&[i32]; 2],
    expected: Result<(), Error>,
) {
    let mut found = data.to_vec();
    assert_eq!(scatter.run(&mut found, indices, updates), expected);
    assert_eq!(scatter.run_shared(&mut found, indices, updates), expected);
    assert_eq!(scatter.reduce(Add, &mut found, indices, updates), expected);
    assert_eq!(scatter.run_map(&mut found, indices, updates, |x| x), expected);
    assert_eq!(scatter.mean(&mut found, indices, updates, &mut [0; 64]), expected);
    assert_eq!(
        scatter.reduce_excluding_self(Add, &mut found, indices, updates, &mut [0]),
        expected
    );
    assert_eq!(scatter.check(indices).map(|_| ()), expected);
    #[cfg(feature = "rayon")]
    assert_eq!(scatter.par_reduce(Add, &mut found, indices, updates), expected);
    assert_eq!(found, data);
    let mut output = vec![7; data.len()];
    assert_eq!(scatter.run_into(data, indices, updates, &mut output), expected);
    assert_eq!(output, if expected.is_ok() { data.to_vec() } else { vec![7; data.len()] });
}

#[test]
fn rows_of_no_elements() {
    let by_rows = Gather::axis_packed(&l(&[3, 0]), &l(&[4]), 0).unwrap().0;
    gather(by_rows, &[0_i64, 2, -1, -3], Ok(()));
    gather(by_rows, &[0_i64, 2, 7, 9], bad(2, 7, 3));
    gather(by_rows, &[0_u8, 200, 7, 9], bad(1, 200, 3));
    gather(by_rows.bounds(Bounds::Clamp), &[0_i64, 2, 7, 9], Ok(()));
    let along = Gather::axis_packed(&l(&[0, 3]), &l(&[2, 2]), 1).unwrap().0;
    gather(along, &[0_i64, 1, 2, 3], bad(3, 3, 3));
    // An axis of size 0.
    let nowhere = Gather::axis_packed(&l(&[0, 0]), &l(&[2]), 0).unwrap().0;
    gather(nowhere, &[0_i64, 0], bad(0, 0, 0));
    let pairs = Gather::nd_packed(&l(&[3, 4, 0]), &l(&[2, 2]), 0).unwrap().0;
    gather(pairs, &[0_i64, 0, 3, 0], bad(1, 3, 3));
}

#[test]
fn no_indices() {
    for (table, indices) in [([3, 2], [0]), ([0, 2], [0]), ([3, 0], [0])] {
        let none = Gather::axis_packed(&l(&table), &l(&indices), 0).unwrap().0;
        assert_eq!(none.run(&[0; 6], &[0_i64; 0], &mut []), Ok(()));
    }
    // Batches of none: the indices have no elements, wherever a broadcast one would lie.
    let indices = Layout::strided([2, 0, 1], [1, 0, 1]);
    let none = Gather::nd_packed(&l(&[2, 0, 3]), &indices, 2).unwrap().0;
    gather(none, &[0_i64; 0], Ok(()));
}

#[test]
fn updates_of_no_elements() {
    let rows = Scatter::axis_packed(&l(&[3, 0]), &l(&[2]), 0).unwrap().0;
    scatter(rows, &[1_i64, -3], [&[], &[]], Ok(()));
    scatter(rows, &[1_i64, -4], [&[], &[]], bad(1, -4, 3));
    scatter(rows.bounds(Bounds::Skip), &[1_i64, -4], [&[], &[]], Ok(()));
    // A sequence of no tokens starts at the end of its axis at most.
    let (data, starts) = (l(&[2, 3]), l(&[2]));
    let none = Scatter::sequence(&data, &starts, &l(&[2, 0]), 1, Sequence::Linear).unwrap();
    scatter(none, &[0_i64, 3], [&[1, 2, 3, 4, 5, 6], &[]], Ok(()));
    scatter(none, &[0_i64, 4], [&[1, 2, 3, 4, 5, 6], &[]], bad(1, 4, 4));
}
