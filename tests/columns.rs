//! `elements` along any axis but the last, of tables that do not fit L2: `std` walks them a tile of
//! columns at a time, in an order that is not that of the indices. Without it there are no tiles.
#![cfg(all(feature = "half", feature = "std"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use common::case::{Case, IndexType, Operator, Tensor, tensor};
use common::check::{Reductions, assign, gather_of, reduce};
use common::oracle;
use common::values::{Nan, Sample, samples};
use strew::{Bounds, Gather, Layout, Negative, Scatter};

const POLICIES: [Bounds; 4] = [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip];

/// Sizes of a table of more than 1 MiB, and of indices with gaps to it: fewer columns, or fewer of
/// the outermost dimension. The axis is the last but one.
struct Shape {
    table: &'static [usize],
    indices: &'static [usize],
}

/// Elements of 1 byte: tiles of 64 columns and a rest of 40.
const BYTES: Shape = Shape { table: &[1_050, 1_003], indices: &[1_051, 1_000] };
/// Elements of 4 bytes.
const WORDS: Shape = Shape { table: &[520, 600], indices: &[525, 590] };
/// Elements of 8 bytes.
const LONG_WORDS: Shape = Shape { table: &[300, 450], indices: &[300, 440] };
/// Elements of 8 bytes, and enough rows that a tile holds 16 columns.
const TALL: Shape = Shape { table: &[8_000, 20], indices: &[8_001, 17] };
/// Elements of 8 bytes, and two batches.
const DEEP: Shape = Shape { table: &[3, 300, 441], indices: &[2, 301, 440] };

impl Shape {
    /// Indices of all places, and under another policy than `Bounds::Error` of others.
    fn case(&self, bounds: Bounds) -> Case {
        let axis = self.table.len() - 2;
        let size = self.table[axis] as i64;
        let [table, indices] = [self.table, self.indices].map(contiguous);
        let reach = if bounds == Bounds::Error { size } else { size + 3 };
        let values = samples::<i64>(indices.len, 5, 3)
            .into_iter()
            .map(|value| i128::from(value.rem_euclid(2 * reach) - reach))
            .collect();
        let (operator, flat) = (Operator::Elements(axis), indices.clone());
        let (negative, index) = (Negative::FromEnd, IndexType::I32);
        Case { operator, table, indices, flat, bounds, negative, index, values, seed: 7 }
    }

    /// Half as many indices as rows, which is the least for which a gather goes by tiles.
    fn half(&self) -> Vec<usize> {
        let mut indices = self.indices.to_vec();
        indices[self.table.len() - 2] = self.table[self.table.len() - 2].div_ceil(2);
        indices
    }
}

fn contiguous(sizes: &[usize]) -> Tensor {
    let strides: Vec<isize> =
        (1..=sizes.len()).map(|d| sizes[d..].iter().product::<usize>() as isize).collect();
    tensor(sizes, &strides, 0, sizes.iter().product())
}

/// The case, and it with a bad index in the middle.
fn with_bad(mut case: Case) -> [Case; 2] {
    let (good, middle) = (case.clone(), case.values.len() / 2);
    case.values[middle] = case.table.sizes[case.table.sizes.len() - 2] as i128;
    [good, case]
}

fn gathers<T: Sample>(shape: &Shape) {
    common::path::force();
    let mut case = shape.case(Bounds::Error);
    (case.indices, case.flat) = (contiguous(&shape.half()), contiguous(&shape.half()));
    case.values.truncate(case.indices.len);
    for case in with_bad(case) {
        gather_of::<T, i32>(&case, &oracle::moves(&case), &case.indices_as());
    }
}

fn scatters<T: Sample>(shape: &Shape) {
    common::path::force();
    for case in with_bad(shape.case(Bounds::Error)) {
        assign(&case, &oracle::moves(&case), &case.indices_as::<i32>(), samples::<T>);
    }
}

fn reductions<T: Reductions>(shape: &Shape) {
    common::path::force();
    let case = shape.case(Bounds::Error);
    let (moves, indices) = (oracle::moves(&case), case.indices_as::<i32>());
    (0..T::NUMBER).for_each(|part| T::check_part(&case, &moves, &indices, part));
}

#[test]
fn gathers_of_bytes() {
    gathers::<u8>(&BYTES);
}

#[test]
fn gathers_of_words() {
    gathers::<f32>(&WORDS);
    [TALL, DEEP].iter().for_each(gathers::<i64>);
}

#[test]
fn scatters_of_bytes() {
    common::path::force();
    let order = |current: u8, update: u8| current.wrapping_mul(31).wrapping_add(update);
    for case in with_bad(BYTES.case(Bounds::Error)) {
        reduce(&case, &oracle::moves(&case), &case.indices_as::<i32>(), order, order, Nan::Exact);
    }
}

#[test]
fn scatters_of_words() {
    scatters::<f32>(&WORDS);
    scatters::<i64>(&DEEP);
}

#[test]
fn reductions_of_f32() {
    reductions::<f32>(&WORDS);
}

#[test]
fn reductions_of_i64() {
    reductions::<i64>(&TALL);
}

#[test]
fn policies() {
    common::path::force();
    for bounds in POLICIES {
        let case = LONG_WORDS.case(bounds);
        let (moves, indices) = (oracle::moves(&case), case.indices_as::<i32>());
        let order = |current: i64, update: i64| current.wrapping_mul(31).wrapping_add(update);
        gather_of::<i64, _>(&case, &moves, &indices);
        reduce(&case, &moves, &indices, order, order, Nan::Exact);
    }
}

/// There are no kernels for elements of 12 bytes: gathers go one by one, assignments as reductions
/// do.
#[test]
fn elements_without_kernels() {
    let layout = Layout::contiguous([700, 500]);
    let table: Vec<[f32; 3]> = (0..350_000).map(|n| [n as f32; 3]).collect();
    let indices: Vec<u32> = (0..350_000).map(|n| (n * 7) % 700).collect();
    let expected: Vec<[f32; 3]> =
        (0..350_000).map(|n| table[indices[n] as usize * 500 + n % 500]).collect();
    let mut output = vec![[0.0; 3]; 350_000];
    Gather::elements(&layout, &layout, &layout, 0)
        .unwrap()
        .run(&table, &indices, &mut output)
        .unwrap();
    assert!(output == expected);

    let mut data = vec![[0.0; 3]; 350_000];
    Scatter::elements(&layout, &layout, &layout, 0)
        .unwrap()
        .run(&mut data, &indices, &table)
        .unwrap();
    let mut expected = vec![[0.0; 3]; 350_000];
    (0..350_000).for_each(|n| expected[indices[n] as usize * 500 + n % 500] = table[n]);
    assert!(data == expected);
}
