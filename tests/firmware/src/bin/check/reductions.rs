//! Every reduction, with and without the value that is there, in the order of the indices.

use core::hint::black_box;

use defmt::{assert, assert_eq, info, unwrap};
use half::f16;
use strew::{
    Add, And, Assign, Element, Layout, Max, Min, Mul, Or, Reduction, Scatter, Sub, Xor, plan,
};

use crate::plans;

const TABLE: Layout = Layout::contiguous([2, 2]);
const THREE: Layout = Layout::contiguous([3]);
const ROWS: Layout = Layout::contiguous([3, 2]);

pub fn check() {
    integers();
    floats();
    logic();
    into();
    excluding_self();
    means();
}

/// What three rows of updates make of the last row of a table; the first row stays.
#[inline(never)]
fn reduced<T: Element + PartialEq, R: Reduction<T>>(
    reduction: R,
    row: [T; 2],
    updates: [[T; 2]; 3],
) -> [T; 2] {
    const PLAN: Scatter = plan!(Scatter::axis(&TABLE, &THREE, &ROWS, 0));
    let [a, b] = row;
    let mut data = [a, b, a, b];
    unwrap!(PLAN.reduce(reduction, &mut data, &black_box([1_u8; 3]), updates.as_flattened()));
    assert!(data[..2] == row);
    [data[2], data[3]]
}

#[inline(never)]
fn into() {
    plans!(Scatter::axis(TABLE, THREE, ROWS, 0), |scatter| {
        let mut output = [0; 4];
        unwrap!(scatter.reduce_into(
            Add,
            &[1, 2, 3, 4],
            &black_box([-1, 1, -1]),
            &[1, 2, 3, 4, 5, 6],
            &mut output
        ));
        assert_eq!(output, [1, 2, 12, 16]);
    });
    info!("into another table");
}

#[inline(never)]
fn integers() {
    assert_eq!(reduced(Assign, [1_u16, 2], [[3, 4], [5, 6], [7, 8]]), [7, 8]);
    assert_eq!(reduced(Add, [250_u8, 1], [[3, 1], [2, 1], [1, 1]]), [0, 4]);
    assert_eq!(
        reduced(Add, [i64::MAX, 0], [[1, -1], [1, -1], [1, 1 << 40]]),
        [i64::MIN + 2, (1 << 40) - 2]
    );
    assert_eq!(reduced(Sub, [0_u32, 9], [[1, 1], [1, 2], [1, 3]]), [u32::MAX - 2, 3]);
    assert_eq!(reduced(Mul, [3_i16, -1], [[5, 2], [7, 3], [11, 7]]), [1155, -42]);
    assert_eq!(reduced(Min, [3_i8, -1], [[5, 2], [-7, 3], [0, -1]]), [-7, -1]);
    assert_eq!(reduced(Max, [3_u64, 1], [[5, 0], [1 << 33, 0], [6, 0]]), [1 << 33, 1]);
    assert_eq!(
        reduced(|a: u8, b| a.saturating_add(b), [250, 1], [[3, 1], [3, 1], [3, 1]]),
        [255, 4]
    );
    info!("integers: Assign Add Sub Mul Min Max, a closure");
}

#[inline(never)]
fn floats() {
    // The order of the updates decides what is rounded off.
    assert_eq!(reduced(Add, [0.0_f32, 0.0], [[1e8, 1.0], [1.0, 1.0], [-1e8, 1.0]]), [0.0, 3.0]);
    assert_eq!(reduced(Add, [0.0_f64, 0.0], [[1e8, 1.0], [1.0, 1.0], [-1e8, 1.0]]), [1.0, 3.0]);
    assert_eq!(
        reduced(Sub, [1.0_f32, 2.0], [[0.5, 1.0], [0.25, 1.0], [0.125, 1.0]]),
        [0.125, -1.0]
    );
    assert_eq!(reduced(Mul, [1.5_f32, 2.0], [[2.0, 0.5], [2.0, 0.5], [2.0, 0.5]]), [12.0, 0.25]);
    let [smaller, larger] = [
        reduced(Min, [0.0_f32, 1.0], [[-0.0, 2.0]; 3]),
        reduced(Max, [-0.0, 1.0], [[0.0, 2.0]; 3]),
    ];
    assert_eq!(
        [smaller, larger].map(|row| row.map(f32::to_bits)),
        [[-0.0_f32, 1.0], [0.0, 2.0]].map(|row| row.map(f32::to_bits))
    );
    plans!(Scatter::axis(THREE, THREE, THREE, 0), |scatter| {
        let mut data = [1.0_f32, f32::NAN, 3.0];
        unwrap!(scatter.reduce(Max, &mut data, &black_box([0, 1, 2]), &[f32::NAN, 9.0, 2.0]));
        assert_eq!(data.map(f32::is_nan), [true, true, false]);
    });
    // 2048 + 1 + 1 in f16: every sum is rounded.
    let [sum, product] =
        reduced(Add, [2048.0, 0.5].map(f16::from_f32), [[1.0, 0.25].map(f16::from_f32); 3])
            .map(f16::to_f32);
    assert_eq!([sum, product], [2048.0, 1.25]);
    info!("floats: Add Sub Mul Min Max, in the order of the indices, NaN and -0.0 by their rules");
}

#[inline(never)]
fn logic() {
    assert_eq!(
        reduced(And, [0xff_u8, 0xf0], [[0xfe, 0xff], [0x7f, 0xff], [0xff, 0x7f]]),
        [0x7e, 0x70]
    );
    assert_eq!(reduced(Or, [0_u32, 1], [[1, 2], [2, 4], [1 << 31, 8]]), [(1 << 31) + 3, 15]);
    assert_eq!(reduced(Xor, [0_i16, -1], [[1, -1], [3, 0], [8, 1]]), [10, 1]);
    assert_eq!(
        reduced(And, [true, true], [[true, true], [false, true], [true, true]]),
        [false, true]
    );
    assert_eq!(
        reduced(Or, [false, false], [[true, false], [false, false], [false, false]]),
        [true, false]
    );
    assert_eq!(
        reduced(Xor, [true, true], [[true, false], [true, false], [true, false]]),
        [false, true]
    );
    info!("bits and bool: And Or Xor");
}

#[inline(never)]
fn excluding_self() {
    plans!(Scatter::axis(TABLE, THREE, ROWS, 0), |scatter| {
        let mut data = [100_u8, 100, 100, 100];
        let mut flags = [u32::MAX];
        assert_eq!(scatter.flags_len(), 1);
        unwrap!(scatter.reduce_excluding_self(
            Add,
            &mut data,
            &black_box([1, 1, -1]),
            &[1, 2, 3, 4, 5, 6],
            &mut flags
        ));
        assert_eq!(data, [100, 100, 9, 12]);
    });
    info!("without the value that is there");
}

#[inline(never)]
fn means() {
    plans!(Scatter::axis(TABLE, THREE, ROWS, 0), |scatter| {
        let (indices, updates) = (black_box([1_i32, 1, -1]), [3.0, -3.0, 5.0, 0.0, 10.0, 0.0]);
        let (mut with, mut without, mut counts) = ([2.0_f32; 4], [2.0_f32; 4], [9; 2]);
        assert_eq!(scatter.mean_len::<f32>(), 2);
        unwrap!(scatter.mean(&mut with, &indices, &updates, &mut counts));
        unwrap!(scatter.mean_excluding_self(&mut without, &indices, &updates, &mut counts));
        assert_eq!((with, without), ([2.0, 2.0, 5.0, -0.25], [2.0, 2.0, 6.0, -1.0]));

        let (mut integers, mut scratch) = ([0_i16, 0, -1, 7], [9; 10]);
        unwrap!(scatter.mean(&mut integers, &indices, &[-1, 1, -1, 1, 0, 1], &mut scratch));
        assert_eq!(integers, [0, 0, -1, 2]);
        let mut bytes = [0_u8; 4];
        let updates = [200, 1, 100, 2, 7, 255];
        unwrap!(scatter.mean_excluding_self(&mut bytes, &indices, &updates, &mut scratch));
        assert_eq!(bytes, [0, 0, 102, 86]);
    });
    info!("means, with and without the value that is there, integers rounded down");
}
