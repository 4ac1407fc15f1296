//! Cases that other implementations of these operators got wrong, each with the name of one that
//! did.
#![cfg(feature = "half")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

use std::fmt::Debug;

use half::{bf16, f16};
use strew::{
    Add, And, Average, Bounds, Element, Error, Gather, Index, Layout, Max, Min, Mul, Negative,
    Nullable, Operand, Or, Reduction, Scatter, Sub, Xor,
};

const POLICIES: [Bounds; 4] = [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip];

fn iota<const N: usize>() -> [i32; N] {
    std::array::from_fn(|position| position as i32)
}

fn out_of_bounds(entry: usize, coordinate: usize, value: i128, size: usize) -> Result<(), Error> {
    Err(Error::IndexOutOfBounds { entry, coordinate, value, size })
}

/// TensorFlow Lite (CVE-2022-35937) and TensorFlow Lite Micro check the flattened position: it
/// overflows, or lands in another row.
#[test]
fn each_coordinate_of_a_tuple_is_checked_on_its_own_axis() {
    let (table, tuple, one) =
        (Layout::contiguous([4, 4]), Layout::contiguous([1, 2]), Layout::contiguous([1]));
    let gather = Gather::nd(&table, &tuple, &one, 0).unwrap();
    let scatter = Scatter::nd(&table, &tuple, &one, 0).unwrap();
    for (tuple, coordinate, value) in [
        ([0, i32::MAX], 1, i32::MAX),
        ([0, 5], 1, 5),
        ([0, 4], 1, 4),
        ([4, -4], 0, 4),
        ([1, -5], 1, -5),
        ([i32::MIN, i32::MAX], 0, i32::MIN),
    ] {
        let expected = out_of_bounds(0, coordinate, value.into(), 4);
        let (mut output, mut data) = ([-1], iota::<16>());
        assert_eq!(gather.run(&iota::<16>(), &tuple, &mut output), expected);
        assert_eq!(scatter.run(&mut data, &tuple, &[-1]), expected);
        assert_eq!((output, data), ([-1], iota()));
    }
}

/// TensorFlow Lite Micro checks the same entries of the first batch, again and again.
#[test]
fn a_bad_index_in_the_last_batch_is_found() {
    let (table, indices, output) =
        (Layout::contiguous([3, 4]), Layout::contiguous([3, 2, 1]), Layout::contiguous([3, 2]));
    let gather = Gather::nd(&table, &indices, &output, 1).unwrap();
    let scatter = Scatter::nd(&table, &indices, &output, 1).unwrap();
    let bad = [0, 1, 2, 3, 0, 4];
    assert_eq!(gather.run(&iota::<12>(), &bad, &mut [0; 6]), out_of_bounds(5, 0, 4, 4));
    let mut data = iota::<12>();
    assert_eq!(scatter.run(&mut data, &bad, &[-1; 6]), out_of_bounds(5, 0, 4, 4));
    assert_eq!(data, iota());
}

/// candle takes the strides of the indices for those of the table.
#[test]
fn indices_smaller_than_the_table_candle() {
    let (table, indices) = (Layout::contiguous([2, 3, 4]), Layout::contiguous([1, 2, 2]));
    let mut output = [0; 4];
    Gather::elements(&table, &indices, &indices, 0)
        .unwrap()
        .run(&iota::<24>(), &[1, 0, 1, 0], &mut output)
        .unwrap();
    assert_eq!(output, [12, 1, 16, 5]);
}

/// rten walks data and updates in step, also where the updates are smaller.
#[test]
fn updates_smaller_than_the_data_rten() {
    let (data, indices) = (Layout::contiguous([2, 3, 4]), Layout::contiguous([2, 2, 4]));
    let mut values = [0; 24];
    let updates: [i32; 16] = std::array::from_fn(|position| position as i32 + 1);
    let reversed: [i8; 16] = std::array::from_fn(|position| 3 - position as i8 % 4);
    Scatter::elements(&data, &indices, &indices, 2)
        .unwrap()
        .run(&mut values, &reversed, &updates)
        .unwrap();
    assert_eq!(
        values,
        [4, 3, 2, 1, 8, 7, 6, 5, 0, 0, 0, 0, 12, 11, 10, 9, 16, 15, 14, 13, 0, 0, 0, 0]
    );
}

/// tract and burn read the first element of the next row.
#[test]
fn the_innermost_axis_does_not_reach_the_next_row() {
    let (table, two, grid) =
        (Layout::contiguous([3, 4]), Layout::contiguous([2]), Layout::contiguous([3, 2]));
    let mut output = [-1; 6];
    let axis = Gather::axis(&table, &two, &grid, 1).unwrap();
    assert_eq!(axis.run(&iota::<12>(), &[4, 0], &mut output), out_of_bounds(0, 0, 4, 4));
    let elements = Gather::elements(&table, &grid, &grid, 1).unwrap();
    assert_eq!(
        elements.run(&iota::<12>(), &[4, 0, 0, 0, 0, 0], &mut output),
        out_of_bounds(0, 0, 4, 4)
    );
    assert_eq!(output, [-1; 6]);
    let scatter = Scatter::elements(&table, &grid, &grid, 1).unwrap();
    let mut data = iota::<12>();
    assert_eq!(scatter.run(&mut data, &[0, 0, 0, 0, 0, -5], &[-1; 6]), out_of_bounds(5, 0, -5, 4));
    assert_eq!(data, iota());
}

/// PyTorch (issue 129093) and candle (issue 3711) take indices and updates for packed.
#[test]
fn strides_of_indices_and_updates_count() {
    let data = Layout::contiguous([3, 2]);
    let sizes = [2, 2];
    // (strides of the indices, of the updates, the data afterwards); both slices hold four
    // elements.
    let cases: [([isize; 2], [isize; 2], [i32; 6]); 5] = [
        ([2, 1], [2, 1], [3, 0, 1, 4, 0, 2]),
        ([1, 2], [2, 1], [0, 2, 1, 4, 3, 0]),
        ([2, 1], [1, 2], [2, 0, 1, 4, 0, 3]),
        ([0, 1], [2, 1], [0, 0, 3, 0, 0, 4]),
        ([2, 1], [0, 0], [1, 0, 1, 1, 0, 1]),
    ];
    for (strides, update_strides, expected) in cases {
        let (indices, updates) =
            (Layout::strided(sizes, strides), Layout::strided(sizes, update_strides));
        let mut values = [0; 6];
        Scatter::elements(&data, &indices, &updates, 0)
            .unwrap()
            .run(&mut values, &[1, 2, 0, 1], &[1, 2, 3, 4])
            .unwrap();
        assert_eq!(values, expected, "{strides:?} {update_strides:?}");
    }
    // Tuples that lie side by side, whose coordinates lie apart, that lie backwards, and one tuple
    // for all.
    let (table, two) = (Layout::contiguous([3, 2]), Layout::contiguous([2]));
    for (strides, offset, expected) in
        [([2, 1], 0, [3, 4]), ([1, 2], 0, [2, 3]), ([-2, 1], 2, [4, 3]), ([0, 1], 0, [3, 3])]
    {
        let indices = Layout::strided([2, 2], strides).with_offset(offset);
        let mut output = [-1; 2];
        let tuples = if strides == [1, 2] { [1, 1, 0, 1] } else { [1, 1, 2, 0] };
        Gather::nd(&table, &indices, &two, 0)
            .unwrap()
            .run(&iota::<6>(), &tuples, &mut output)
            .unwrap();
        assert_eq!(output, expected, "{strides:?}");
    }
}

/// ExecuTorch cuts indices to 32 bits, and so does any code that casts them to `usize` on a
/// microcontroller.
#[test]
fn wide_indices_are_not_cut() {
    let three = Layout::contiguous([3]);
    let one = Layout::contiguous([1]);
    let gather = Gather::axis(&three, &one, &one, 0).unwrap();
    fn check<I: Index>(gather: Gather, index: I, value: i128, wrapped: i32, clamped: i32) {
        let run = |bounds| {
            let mut output = [-1];
            gather.bounds(bounds).run(&[10, 11, 12], &[index], &mut output).map(|()| output[0])
        };
        assert_eq!(
            run(Bounds::Error),
            Err(Error::IndexOutOfBounds { entry: 0, coordinate: 0, value, size: 3 })
        );
        assert_eq!(
            (run(Bounds::Clamp), run(Bounds::Wrap), run(Bounds::Skip)),
            (Ok(clamped), Ok(wrapped), Ok(-1)),
            "{value}"
        );
    }
    const CUT: i64 = (1 << 32) + 1; // 2 modulo 3.
    check(gather, CUT, CUT.into(), 12, 12);
    check(gather, CUT as u64, CUT.into(), 12, 12);
    check(gather, -CUT, (-CUT).into(), 11, 10);
    check(gather, 1_i64 << 32, 1 << 32, 11, 12);

    // On an axis that long they are positions like all others.
    #[cfg(target_pointer_width = "64")]
    {
        let long = Gather::axis(&Layout::strided([1 << 33], [0]), &one, &one, 0).unwrap();
        let mut output = [0];
        long.run(&[7], &[CUT], &mut output).unwrap();
        assert_eq!(output, [7]);
        assert_eq!(
            long.run(&[7], &[1_u64 << 33], &mut output),
            out_of_bounds(0, 0, 1 << 33, 1 << 33)
        );
    }
}

/// Unsigned values are not read as negative, and the most negative value has no absolute value of
/// its type.
#[test]
fn the_extremes_of_the_index_types() {
    let (three, one) = (Layout::contiguous([3]), Layout::contiguous([1]));
    fn check<I: Index + Into<i128>>(gather: Gather, index: I, wrapped: i32, clamped: i32) {
        let run = |bounds| {
            let mut output = [-1];
            gather.bounds(bounds).run(&[10, 11, 12], &[index], &mut output).map(|()| output[0])
        };
        assert_eq!(
            run(Bounds::Error),
            Err(Error::IndexOutOfBounds { entry: 0, coordinate: 0, value: index.into(), size: 3 })
        );
        let found = (run(Bounds::Clamp), run(Bounds::Wrap), run(Bounds::Skip));
        assert_eq!(found, (Ok(clamped), Ok(wrapped), Ok(-1)), "{}", index.into());
    }
    let gather = Gather::axis(&three, &one, &one, 0).unwrap();
    check(gather, u64::MAX, 10, 12); // 2^64 - 1 = 0 modulo 3
    check(gather, i64::MAX as u64 + 1, 12, 12); // 2^63 = 2
    check(gather, u64::MAX - 1, 12, 12); // As an i64 it would be -2, and in bounds.
    check(gather, i64::MIN, 11, 10); // -2^63 = -2 = 1
    check(gather, i64::MAX, 11, 12); // 2^63 - 1 = 1
    check(gather, u32::MAX, 10, 12);
    check(gather, i32::MIN, 11, 10); // -2^31 = -2 = 1
    check(gather, u8::MAX, 10, 12);
    check(gather, i8::MIN, 11, 10); // -128 = 1
}

/// DirectML's own helper computes extents that wrap.
#[test]
fn sizes_and_extents_that_overflow_are_refused() {
    const HALF: usize = 1 << (usize::BITS / 2);
    const LONG: isize = isize::MAX;
    let (one, scalar) = (Layout::contiguous([1]), Layout::contiguous([]));
    let overflow = |operand| Some(Error::SizesOverflow { operand });
    // As the input of a gather: the axis has size 1, so that the output has the other sizes.
    for input in [
        Layout::strided([1, HALF, HALF], [0, 0, 0]),
        Layout::contiguous([1, HALF, HALF]),
        Layout::contiguous([usize::MAX, 2]),
        Layout::strided([1, 2, 2, 2], [0, LONG, LONG, LONG]),
        Layout::strided([1, 3], [0, LONG]).with_offset(2),
        Layout::strided([1, 2], [0, 1]).with_offset(usize::MAX),
        Layout::strided([1, 3], [0, isize::MIN]).with_offset(usize::MAX),
        Layout::strided([1], [0]).with_offset(usize::MAX),
    ] {
        let output = Layout::from_sizes(&input.sizes()[1..]).unwrap();
        assert_eq!(
            Gather::axis(&input, &scalar, &output, 0).err(),
            overflow(Operand::Input),
            "{input:?}"
        );
        assert_eq!(
            Scatter::axis(&input, &scalar, &output, 0).err(),
            overflow(Operand::Data),
            "{input:?}"
        );
    }
    let endless = Layout::strided([HALF, HALF], [0, 0]);
    assert_eq!(Gather::axis(&one, &endless, &endless, 0).err(), overflow(Operand::Indices));
    assert_eq!(Scatter::axis(&one, &endless, &endless, 0).err(), overflow(Operand::Indices));
}

/// Nothing lies at their distance.
#[test]
fn strides_that_overflow() {
    assert_eq!(Layout::contiguous([0, 2, usize::MAX, 3]).strides(), [isize::MAX, isize::MAX, 3, 1]);
}

/// DirectML forbids them; others index past the end, or divide by 0.
#[test]
fn a_size_of_0_in_each_operand() {
    let l = |sizes: &[usize]| Layout::from_sizes(sizes).unwrap();
    // (input, indices, output, axis) with nothing to move: no slice is needed for what is empty,
    // but each index is looked at.
    for (table, indices, flat, axis) in [
        (l(&[0, 2]), l(&[0]), l(&[0, 2]), 0),
        (l(&[3, 0]), l(&[2]), l(&[2, 0]), 0),
        (l(&[3, 2]), l(&[0]), l(&[0, 2]), 0),
        (l(&[0, 2]), l(&[4, 0]), l(&[4, 0, 2]), 0),
        (l(&[0, 3]), l(&[2]), l(&[0, 2]), 1),
    ] {
        for bounds in POLICIES {
            let checked = bounds == Bounds::Error && indices.sizes() == [2];
            let expected = if checked { out_of_bounds(0, 0, 99, 3) } else { Ok(()) };
            let (table_data, mut flat_data) = (iota::<6>(), [0; 0]);
            assert_eq!(
                Gather::axis(&table, &indices, &flat, axis).unwrap().bounds(bounds).run(
                    &table_data,
                    &[99, 99],
                    &mut flat_data
                ),
                expected
            );
            let mut data = table_data;
            assert_eq!(
                Scatter::axis(&table, &indices, &flat, axis).unwrap().bounds(bounds).run(
                    &mut data,
                    &[99, 99],
                    &flat_data
                ),
                expected
            );
            assert_eq!(data, table_data);
        }
    }
    // An axis of size 0 that is indexed is out of bounds, or skipped.
    let (empty, one) = (l(&[0]), l(&[1]));
    let (gather, scatter) = (
        Gather::axis(&empty, &one, &one, 0).unwrap(),
        Scatter::axis(&empty, &one, &one, 0).unwrap(),
    );
    for bounds in POLICIES {
        let expected = if bounds == Bounds::Error { out_of_bounds(0, 0, 0, 0) } else { Ok(()) };
        let mut output = [-1];
        assert_eq!(gather.bounds(bounds).run(&[], &[0], &mut output), expected);
        assert_eq!(output, [-1]);
        assert_eq!(scatter.bounds(bounds).run(&mut [], &[0], &output), expected);
    }
}

/// A tuple of no coordinates, batch dimensions that leave no tuple, and tensors of rank 0.
#[test]
fn the_edges_of_nd() {
    let l = |sizes: &[usize]| Layout::from_sizes(sizes).unwrap();
    let gather = |table: &[usize], indices: &[usize], output: &[usize], b| {
        Gather::nd(&l(table), &l(indices), &l(output), b).err()
    };
    assert_eq!(
        gather(&[3, 4], &[2, 0], &[2, 3, 4], 0),
        Some(Error::TupleSizeOutOfRange { expected: 2, found: 0 })
    );
    assert_eq!(
        gather(&[3, 4], &[2, 3], &[2], 0),
        Some(Error::TupleSizeOutOfRange { expected: 2, found: 3 })
    );
    assert_eq!(
        gather(&[3, 4], &[3, 2], &[3], 1),
        Some(Error::TupleSizeOutOfRange { expected: 1, found: 2 })
    );
    let too_many = Error::BatchDimsOutOfRange { operand: Operand::Indices, expected: 1, found: 2 };
    assert_eq!(gather(&[3, 4, 5], &[3, 4], &[3, 4], 2), Some(too_many));
    let none_left = Error::BatchDimsOutOfRange { operand: Operand::Input, expected: 0, found: 1 };
    assert_eq!(gather(&[3], &[3, 1], &[3], 1), Some(none_left));
    assert_eq!(
        gather(&[3], &[], &[3], 0),
        Some(Error::RankMismatch { operand: Operand::Indices, expected: 1, found: 0 })
    );
    assert_eq!(
        gather(&[], &[1], &[], 0),
        Some(Error::RankMismatch { operand: Operand::Input, expected: 1, found: 0 })
    );
    assert_eq!(
        Scatter::nd(&l(&[]), &l(&[1]), &l(&[]), 0).err(),
        Some(Error::RankMismatch { operand: Operand::Data, expected: 1, found: 0 })
    );

    // One full tuple: a result of rank 0.
    let (table, tuple, scalar) = (l(&[2, 3]), l(&[2]), l(&[]));
    let mut output = [0];
    Gather::nd(&table, &tuple, &scalar, 0)
        .unwrap()
        .run(&iota::<6>(), &[1, 2], &mut output)
        .unwrap();
    assert_eq!(output, [5]);
    let mut data = iota::<6>();
    Scatter::nd(&table, &tuple, &scalar, 0)
        .unwrap()
        .reduce(Add, &mut data, &[-1, -1], &[10])
        .unwrap();
    assert_eq!(data, [0, 1, 2, 3, 4, 15]);
    // One index of rank 0.
    Gather::axis(&l(&[3]), &scalar, &scalar, 0)
        .unwrap()
        .run(&[7, 8, 9], &[-2], &mut output)
        .unwrap();
    assert_eq!(output, [8]);
}

/// One value, one update.
fn reduced<T: Element, R: Reduction<T>>(reduction: R, current: T, update: T) -> T {
    let one = Layout::contiguous([1]);
    let mut data = [current];
    Scatter::axis(&one, &one, &one, 0)
        .unwrap()
        .reduce(reduction, &mut data, &[0], &[update])
        .unwrap();
    data[0]
}

/// `f32::max` and most SIMD instructions drop a NaN, and may return either zero.
#[test]
fn min_and_max_keep_nan_and_order_the_zeros() {
    fn check<T: Element + Debug>(numbers: [T; 5], is: fn(T, T) -> bool)
    where
        Min: Reduction<T>,
        Max: Reduction<T>,
    {
        let [nan, minus_zero, zero, one, infinity] = numbers;
        for (a, b, min, max) in [
            (nan, one, nan, nan),
            (one, nan, nan, nan),
            (nan, nan, nan, nan),
            (infinity, nan, nan, nan),
            (minus_zero, zero, minus_zero, zero),
            (zero, minus_zero, minus_zero, zero),
            (zero, zero, zero, zero),
            (minus_zero, minus_zero, minus_zero, minus_zero),
            (one, minus_zero, minus_zero, one),
            (zero, infinity, zero, infinity),
        ] {
            assert!(is(reduced(Min, a, b), min), "min({a:?}, {b:?})");
            assert!(is(reduced(Max, a, b), max), "max({a:?}, {b:?})");
        }
    }
    check([f32::NAN, -0.0, 0.0, 1.0, f32::INFINITY], |a, b| a.to_bits() == b.to_bits());
    check([f64::NAN, -0.0, 0.0, 1.0, f64::INFINITY], |a, b| a.to_bits() == b.to_bits());
    check([f16::NAN, f16::NEG_ZERO, f16::ZERO, f16::ONE, f16::INFINITY], |a, b| {
        a.to_bits() == b.to_bits()
    });
    check([bf16::NAN, bf16::NEG_ZERO, bf16::ZERO, bf16::ONE, bf16::INFINITY], |a, b| {
        a.to_bits() == b.to_bits()
    });
    // Of two NaNs the first stays.
    let (quiet, other) = (f32::from_bits(0x7FC0_0001), f32::from_bits(0xFFC0_0002));
    for (a, b) in [(quiet, other), (other, quiet)] {
        assert_eq!([reduced(Min, a, b), reduced(Max, a, b)].map(f32::to_bits), [a.to_bits(); 2]);
    }
    let (quiet, other) = (f16::from_bits(0x7E01), f16::from_bits(0xFE02));
    for (a, b) in [(quiet, other), (other, quiet)] {
        assert_eq!([reduced(Min, a, b), reduced(Max, a, b)].map(f16::to_bits), [a.to_bits(); 2]);
    }
}

/// `+` on integers stops a debug build.
#[test]
fn integers_wrap_in_every_build() {
    assert_eq!(reduced(Add, u8::MAX, 1), 0);
    assert_eq!(reduced(Sub, 0_u32, 1), u32::MAX);
    assert_eq!(reduced(Mul, i64::MIN, -1), i64::MIN);
    assert_eq!(reduced(Add, i32::MAX, 1), i32::MIN);
    let (one, two) = (Layout::contiguous([1]), Layout::contiguous([2]));
    let mut data = [200_u8];
    Scatter::axis(&one, &two, &two, 0)
        .unwrap()
        .mean_excluding_self(&mut data, &[0, 0], &[200, 100], &mut [0; 3])
        .unwrap();
    assert_eq!(data, [150], "the sum does not wrap");
}

/// Blocks that are shorter than the call, as those of long rows are, are written after the proof of
/// all.
#[test]
fn scatters_of_several_long_rows_leave_no_trace() {
    let (count, row) = (1000, 4096);
    let table = Layout::strided([count, 3, row], [3 * 4097, 4097, 1]);
    let ids = Layout::contiguous([count]);
    let flat = Layout::contiguous([count, 3, row]);
    let scatter = Scatter::axis(&table, &ids, &flat, 0).unwrap();
    let (mut data, updates) = (vec![0_u8; 1000 * 3 * 4097], vec![1; 1000 * 3 * 4096]);
    let mut indices: Vec<i32> = (0..1000).collect();
    indices[999] = 1000;
    let error = out_of_bounds(999, 0, 1000, 1000);
    assert_eq!(scatter.run(&mut data, &indices, &updates), error);
    assert_eq!(scatter.reduce(Or, &mut data, &indices, &updates), error);
    assert!(data.iter().all(|byte| *byte == 0));
}

/// ONNX Runtime (issues 18048 and 23396) lets threads race; here the last update stays, and sums
/// are rounded in order.
#[test]
fn duplicates_meet_in_order() {
    let (one, four) = (Layout::contiguous([1]), Layout::contiguous([4]));
    let scatter = Scatter::axis(&one, &four, &four, 0).unwrap();
    let mut data = [0.0_f32];
    scatter.run(&mut data, &[0, -1, 0, -1], &[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(data, [4.0]);
    // 1e8 swallows a 1: the order decides what is left.
    for (updates, sum) in [
        ([1e8_f32, 1.0, 1.0, -1e8], 0.0),
        ([1.0, 1.0, 1e8, -1e8], 0.0),
        ([1e8, -1e8, 1.0, 1.0], 2.0),
    ] {
        let mut data = [0.0];
        scatter.reduce(Add, &mut data, &[0; 4], &updates).unwrap();
        assert_eq!(data, [sum], "{updates:?}");
    }
}

/// `combine` of every integer type: wrapping at both ends, and the mean of what wraps. (Kernels are
/// held to it beside them.)
#[test]
fn reductions_of_every_integer() {
    type Function<'a, T> = &'a dyn Fn(T, T) -> T;
    macro_rules! integers {
        ($($integer:ident)*) => {$(
            let one = Layout::contiguous([1]);
            let scatter = Scatter::axis(&one, &one, &one, 0).unwrap();
            let combine = |reduction: Function<'_, $integer>, current, update| {
                let mut data = [current];
                scatter.reduce(reduction, &mut data, &[0], &[update]).unwrap();
                data[0]
            };
            let (min, max) = ($integer::MIN, $integer::MAX);
            let table: [(Function<'_, $integer>, $integer, $integer, $integer); 8] = [
                (&|a, b| Add.combine(a, b), max, 1, min),
                (&|a, b| Sub.combine(a, b), min, 1, max),
                (&|a, b| Mul.combine(a, b), max, 2, max.wrapping_add(max)),
                (&|a, b| Min.combine(a, b), max, min, min),
                (&|a, b| Max.combine(a, b), min, max, max),
                (&|a, b| And.combine(a, b), 12, 10, 8),
                (&|a, b| Or.combine(a, b), 12, 10, 14),
                (&|a, b| Xor.combine(a, b), 12, 10, 6),
            ];
            for (n, (reduction, current, update, expected)) in table.into_iter().enumerate() {
                let found = combine(reduction, current, update);
                assert_eq!(found, expected, "{} case {n}", stringify!($integer));
            }
        )*};
    }
    integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

    macro_rules! means {
        ($($integer:ident: $sum:expr, $count:expr => $mean:expr;)*) => {$(
            let (sum, mean) = (($sum as $integer).widen(), $mean as $integer);
            assert_eq!(<$integer>::mean(sum, $count), mean, stringify!($integer));
            assert_eq!(<$integer>::mean(sum, 0), $sum as $integer, stringify!($integer));
        )*};
    }
    means! {
        u8: 255, 300 => 0;
        u16: 65_535, 2 => 32_767;
        u32: u32::MAX, 3 => u32::MAX / 3;
        u64: u64::MAX, 5 => u64::MAX / 5;
        usize: usize::MAX, 5 => usize::MAX / 5;
        i8: -127, 3 => -43;
        i16: -1, 1000 => -1;
        i32: i32::MIN, 1 => i32::MIN;
        i64: i64::MIN, 2 => i64::MIN / 2;
        isize: -7, 2 => -4;
    }
}

/// Rows of any length, with scratch at any place, have the means that their elements have alone.
#[test]
fn means_of_rows() {
    fn check<T: Average + PartialEq + std::fmt::Debug>(value: impl Fn(u64) -> T)
    where
        Add: Reduction<T>,
    {
        let indices = [2, 0, 2, 2, 3, 0, 2];
        for n in 1..80 {
            let table = Layout::contiguous([4, n]);
            let flat = Layout::contiguous([indices.len(), n]);
            let scatter =
                Scatter::axis(&table, &Layout::contiguous([indices.len()]), &flat, 0).unwrap();
            let values = |seed: u64, count: usize| -> Vec<T> {
                let number = |n: u64| (n + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (0..count as u64).map(|n| value(number(n) ^ number(n) >> 29)).collect()
            };
            let (data, updates) = (values(1, 4 * n), values(1000, indices.len() * n));
            for (including, shift) in [(true, 0), (true, 1), (false, 0), (false, 1)] {
                let (mut found, mut expected) = (data.clone(), data.clone());
                let mut scratch = vec![u32::MAX; scatter.mean_len::<T>() + shift];
                let mean = if including { Scatter::mean } else { Scatter::mean_excluding_self };
                mean(&scatter, &mut found, &indices, &updates, &mut scratch[shift..]).unwrap();
                for place in [0, 2, 3] {
                    let rows: Vec<_> = (0..7).filter(|row| indices[*row] == place as i32).collect();
                    for column in 0..n {
                        let own = including.then_some(data[place * n + column]);
                        let values = rows.iter().map(|row| updates[row * n + column]);
                        let mut values = own.into_iter().chain(values).map(T::widen);
                        let first = values.next().unwrap();
                        let count = rows.len() as u64 + u64::from(including);
                        expected[place * n + column] = T::mean(values.fold(first, T::plus), count);
                    }
                }
                assert_eq!(found, expected, "rows of {n}");
            }
        }
    }
    check(|bits| bits as u8);
    check(|bits| bits as i8);
    check(|bits| bits as u16);
    check(|bits| bits as i16);
    check(|bits| bits as u32);
    check(|bits| bits as i32);
    check(|bits| bits);
    check(|bits| bits as i64);
    check(|bits| f16::from_f32((bits as u16 as f32 - 30_000.0) / 7.0));
    check(|bits| bf16::from_f32((bits as u16 as f32 - 30_000.0) / 7.0));
    check(|bits| [bits as i16, (bits >> 16) as i16]);
    let float = |bits: u64| bits as u16 as f32 - 30_000.1;
    check(float);
    check(|bits| f64::from(float(bits)) / 7.0);
    check(|bits| [float(bits), float(bits >> 16), float(bits >> 32)]);
}

/// Many single elements are counted, summed and divided in passes: along any axis, in tables with
/// gaps, backwards, at an offset, whatever the scratch holds.
#[test]
fn means_of_many_elements() {
    fn check<T: Average + PartialEq + std::fmt::Debug>(value: impl Fn(usize) -> T)
    where
        Add: Reduction<T>,
    {
        let (sizes, gaps) = ([7, 9], 4 * 7 * 9);
        let tables = [
            Layout::contiguous(sizes),
            Layout::strided(sizes, [1, 7]),
            Layout::contiguous(sizes).with_offset(5),
            Layout::strided(sizes, [10, 1]),
            Layout::strided(sizes, [2, 14]).with_offset(3),
            Layout::strided(sizes, [-9, -1]).with_offset(62),
            // From the first place on there are as many as cells, but some cells lie before it.
            Layout::strided([3, 3], [-1, 4]).with_offset(2),
            Layout::strided([3, 3], [4, -1]).with_offset(2),
        ];
        for (axis, table) in [0, 1].into_iter().flat_map(|axis| tables.map(|t| (axis, t))) {
            for count in [14, 15, 45] {
                let mut entries = [table.sizes()[0], table.sizes()[1]];
                let size = entries[axis] as i32;
                entries[axis] = count;
                let layout = Layout::contiguous(entries);
                let scatter = Scatter::elements(&table, &layout, &layout, axis).unwrap();
                let scatter = scatter.bounds(Bounds::Skip).negative(Negative::OutOfBounds);
                let all = entries[0] * entries[1];
                // One of eleven is left out, and no entry leads to the places of 3.
                let ids = (0..all).map(|n| [0, 6, 1, 0, 5, 2, 4, 0, 6, -1, 4][n % 11]);
                let ids: Vec<i32> = ids.map(|id| id % size).collect();
                let updates: Vec<T> = (0..all).map(&value).collect();
                let data: Vec<T> = (all..all + gaps).map(&value).collect();
                for already in [0, 1] {
                    let mut expected = data.clone();
                    for (place, found) in expected.iter_mut().enumerate() {
                        let own = (already == 1).then_some(*found);
                        let hits = (0..all).filter(|n| {
                            let mut at = [n / entries[1], n % entries[1]];
                            at[axis] = usize::try_from(ids[*n]).unwrap_or(usize::MAX);
                            let steps = at.iter().zip(table.strides());
                            let step = |(at, step): (&usize, &isize)| *at as isize * step;
                            let start = table.offset() as isize;
                            ids[*n] >= 0 && start + steps.map(step).sum::<isize>() == place as isize
                        });
                        let hits: Vec<T> = hits.map(|n| updates[n]).collect();
                        if hits.is_empty() {
                            continue;
                        }
                        let count = hits.len() as u64 + already;
                        let mut values = own.into_iter().chain(hits).map(T::widen);
                        let first = values.next().unwrap();
                        *found = T::mean(values.fold(first, T::plus), count);
                    }
                    let mut found = data.clone();
                    let mut scratch = vec![!0; scatter.mean_len::<T>()];
                    let run = [Scatter::mean_excluding_self, Scatter::mean][already as usize];
                    run(&scatter, &mut found, &ids, &updates, &mut scratch).unwrap();
                    // In digits, which tell -0.0 from 0.0.
                    let [found, expected] = [found, expected].map(|data| format!("{data:?}"));
                    assert_eq!(found, expected, "{table:?} {axis} {count} {already}");
                }
            }
        }
    }
    let float = |n: usize| if n.is_multiple_of(3) { -0.0 } else { (n as f32 * 0.7).sin() * 1e3 };
    check(float);
    check(|n| f64::from(float(n)) / 7.0);
    check(|n| [float(n), float(n + 1)]);
    check(|n| float(n) as i16);
    check(|n| bf16::from_f32(float(n)));
}

/// Calls in passes find the errors that others find, means of integers for example, and leave the
/// data as it was.
#[test]
fn errors_of_many_elements() {
    fn error<T: Average + From<u8> + PartialEq + Debug>(
        scatter: &Scatter,
        ids: &[i64],
        [data, updates, words]: [usize; 3],
        call: usize,
    ) -> Result<(), Error>
    where
        Add: Reduction<T>,
        Max: Reduction<T>,
    {
        let before = vec![T::from(3); 7 - data];
        let (mut after, updates) = (before.clone(), vec![T::from(1); 200 - updates]);
        let expected = if call < 2 { scatter.mean_len::<T>() } else { scatter.flags_len() };
        let mut scratch = vec![!0; expected - words];
        let (to, words) = (&mut after, &mut scratch);
        let found = match call {
            0 => scatter.mean_excluding_self(to, ids, &updates, words),
            1 => scatter.mean(to, ids, &updates, words),
            _ => scatter.reduce_excluding_self(Max, to, ids, &updates, words),
        };
        assert!(found.is_ok() || after == before, "{found:?}");
        found.map_err(|error| match error {
            Error::ScratchTooShort { expected: words, found } => {
                assert_eq!((words, found), (expected, expected - 1));
                Error::ScratchTooShort { expected: 1, found: 0 }
            }
            error => error,
        })
    }
    let (table, entries) = (Layout::contiguous([7]), Layout::contiguous([200]));
    let scatter = Scatter::axis(&table, &entries, &entries, 0).unwrap();
    for (case, call) in (0..64).flat_map(|case| [0, 1, 2].map(|call| (case, call))) {
        let [indices, data, updates, words, bad, skip] = std::array::from_fn(|bit| case >> bit & 1);
        let scatter = scatter.bounds([Bounds::Error, Bounds::Skip][skip]);
        let mut ids: Vec<i64> = (0..200 - indices as i64).map(|n| n * n % 7).collect();
        ids[50] += 7 * bad as i64;
        let less = [data, updates, words];
        let found = error::<f32>(&scatter, &ids, less, call);
        assert_eq!(found, error::<i32>(&scatter, &ids, less, call.min(1)), "{case:06b} {call}");
        let fine = case & 15 == 0 && (bad == 0 || skip == 1);
        assert_eq!(found.is_ok(), fine, "{case:06b} {call}");
    }
}

/// Entries that go one after the other, of which more than fill a block are skipped, leave those
/// after them in place.
#[test]
fn skipped_entries_of_many_pieces() {
    let (size, columns, count) = (3, 400, 30);
    let table = Layout::strided([size, columns], [2 * columns as isize, 2]);
    let (indices, flat) = (Layout::contiguous([count]), Layout::contiguous([count, columns]));
    let id = |n: usize| [n as i64 % size as i64, -1][usize::from(n % 10 < 6)];
    let ids: Vec<i64> = (0..count).map(id).collect();
    let input: Vec<f32> = (0..2 * size * columns).map(|n| n as f32).collect();
    let updates: Vec<f32> = (0..count * columns).map(|n| n as f32).collect();
    let (mut gathered, mut scattered) = (updates.clone(), input.clone());
    for (n, update) in updates.iter().enumerate() {
        let (entry, column) = (n / columns, n % columns);
        if let Ok(id) = usize::try_from(ids[entry]) {
            let place = 2 * (id * columns + column);
            gathered[n] = input[place];
            scattered[place] = *update;
        }
    }
    let gather = Gather::axis(&table, &indices, &flat, 0).unwrap();
    let gather = gather.bounds(Bounds::Skip).negative(Negative::OutOfBounds);
    let scatter = Scatter::axis(&table, &indices, &flat, 0).unwrap();
    let scatter = scatter.bounds(Bounds::Skip).negative(Negative::OutOfBounds);
    let (mut output, mut data) = (updates.clone(), input.clone());
    gather.run(&input, &ids, &mut output).unwrap();
    assert_eq!(output, gathered);
    scatter.run(&mut data, &ids, &updates).unwrap();
    assert_eq!(data, scattered);
    #[cfg(feature = "std")]
    assert!(gather.explain::<f32, i64>(1).to_string().contains("entry by entry"));
}

/// Means of floats are rounded once, for counts that `f32` holds and for others.
#[test]
fn means_of_floats() {
    assert_eq!(
        [0, 1, 3, 1 << 24].map(|count| f32::mean(5.0, count)),
        [5.0, 5.0, 5.0 / 3.0, 5.0 / 16_777_216.0]
    );
    assert_eq!(f32::mean(1e30, (1 << 24) + 1), (1e30_f32 as f64 / 16_777_217.0) as f32);
    assert_eq!([0, 2].map(|count| f16::mean(5.0, count)), [5.0, 2.5].map(f16::from_f32));
    assert_eq!([0, 2].map(|count| bf16::mean(5.0, count)), [5.0, 2.5].map(bf16::from_f32));
}

/// Entries are marked some hundred at a time, in bits where they are few and in bytes where they
/// are many: the first of a place replaces what is there, and floats are added in the order of
/// entries, wherever blocks end. Rows along an axis in the middle move in pieces.
#[test]
fn marks_of_many_entries() {
    type Combine = fn(f32, f32) -> f32;
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    for (before, places, entries, row) in [
        (1, 3, 700, 1),
        (1, 300, 255, 1),
        (1, 9000, 700, 1),
        (1, 40, 257, 5),
        (3, 40, 600, 2),
        (1, 700, 600, 3),
        (2, 90, 300, 70),
        (1, 4000, 513, 2),
        (2, 5, 40, 1),
        (1, 9, 130, 33),
    ] {
        let [table, flat] = [places, entries].map(|n| Layout::contiguous([before, n, row]));
        let ids = Layout::contiguous([entries]);
        let scatter = Scatter::axis(&table, &ids, &flat, 1).unwrap().bounds(Bounds::Skip);
        // One in nine is left out.
        let mut ids: Vec<usize> = (0..entries).map(|n| n * n * 7919 % places).collect();
        ids.iter_mut().step_by(9).for_each(|id| *id += places);
        let start: Vec<f32> = (0..before * places * row).map(|n| (n as f32).sin()).collect();
        let mut updates: Vec<f32> =
            (0..before * entries * row).map(|n| 1e3 / (n as f32 + 1.5)).collect();
        updates.iter_mut().step_by(7).for_each(|update| *update = -0.0);
        updates.iter_mut().step_by(11).for_each(|update| *update = 0.0);
        // The sums, and how many updates each place has had.
        let expected = |data: &[f32], hits: &mut [u32], excluding, ids: &[usize], by: Combine| {
            let mut data = data.to_vec();
            for (n, id) in ids.iter().enumerate().filter(|(_, id)| **id < places) {
                let first = excluding && hits[*id] == 0;
                hits[*id] += 1;
                for (block, column) in (0..before).flat_map(|b| (0..row).map(move |c| (b, c))) {
                    let to = &mut data[(block * places + id) * row + column];
                    let update = updates[(block * entries + n) * row + column];
                    *to = if first { update } else { by(*to, update) };
                }
            }
            data
        };
        let case = format!("{before} {places} {entries} {row}");
        for excluding in [false, true] {
            let (mut hits, mut found) = (vec![0; places], start.clone());
            let mut sums = expected(&start, &mut hits, excluding, &ids, |a, b| a + b);
            for (n, sum) in sums.iter_mut().enumerate() {
                let hits = hits[n / row % places];
                *sum = if hits > 0 { *sum / (hits + u32::from(!excluding)) as f32 } else { *sum };
            }
            let scratch = &mut vec![!0; scatter.mean_len::<f32>()];
            if excluding {
                scatter.mean_excluding_self(&mut found, &ids, &updates, scratch).unwrap();
            } else {
                scatter.mean(&mut found, &ids, &updates, scratch).unwrap();
            }
            assert_eq!(bits(&found), bits(&sums), "{case} {excluding}");
            // An index out of bounds changes nothing.
            let strict = scatter.bounds(Bounds::Error);
            strict.mean(&mut found, &ids, &updates, scratch).unwrap_err();
            strict.reduce_excluding_self(Add, &mut found, &ids, &updates, scratch).unwrap_err();
            assert_eq!(bits(&found), bits(&sums), "{case} {excluding}");
        }
        fn all(
            case: &str,
            scatter: &Scatter,
            reduction: impl Reduction<f32> + Copy,
            (start, ids, updates): (&[f32], &[usize], &[f32]),
            expected: impl Fn(&[f32], &mut [u32], &[usize]) -> Vec<f32>,
        ) {
            let mut hits = vec![0; ids.len() + 10_000];
            let (mut found, once) = (start.to_vec(), expected(start, &mut hits, ids));
            let flags = &mut vec![!0; scatter.flags_len()];
            scatter.reduce_excluding_self(reduction, &mut found, ids, updates, flags).unwrap();
            assert!(found.iter().zip(&once).all(|(a, b)| a.to_bits() == b.to_bits()), "{case}");
            // Once more: no place is hit for the first time.
            let (twice, mut found) = (expected(&once, &mut hits, ids), start.to_vec());
            flags.fill(0);
            for _ in 0..2 {
                scatter
                    .continue_excluding_self(reduction, &mut found, ids, updates, flags)
                    .unwrap();
            }
            assert!(found.iter().zip(&twice).all(|(a, b)| a.to_bits() == b.to_bits()), "{case}");
        }
        let slices = (&start[..], &ids[..], &updates[..]);
        let add = |data: &[f32], hits: &mut [u32], ids: &[usize]| {
            expected(data, hits, true, ids, |sum, update| sum + update)
        };
        all(&case, &scatter, Add, slices, add);
        all(&case, &scatter, |sum, update| sum + update, slices, add);
        all(&case, &scatter, Max, slices, |data, hits, ids| {
            expected(data, hits, true, ids, |current, update| Max.combine(current, update))
        });
    }
}

/// `std` prefetches rows of a table as large as this.
#[test]
fn rows_of_a_table_that_no_cache_holds() {
    let table: Vec<u32> = (0..9 << 20).collect();
    for width in [2, 3, 16, 33] {
        let rows = table.len() / width;
        // Some steps of the kernels and a rest; places after the last row as well.
        let ids: Vec<usize> = (0..150).map(|n| (n * 7_919_993) % (rows + rows / 8)).collect();
        let [layout, output] = [[rows, width], [150, width]].map(Layout::contiguous);
        let gather = Gather::axis(&layout, &Layout::contiguous([150]), &output, 0)
            .unwrap()
            .bounds(Bounds::Skip);
        let mut found = vec![u32::MAX; 150 * width];
        gather.run(&table, &ids, &mut found).unwrap();
        for (row, id) in found.chunks(width).zip(ids) {
            assert_eq!(
                row,
                table.get(id * width..(id + 1) * width).unwrap_or(&vec![u32::MAX; width])
            );
        }
    }
}

/// Indices come in lanes that lie far apart, as rows of a larger tensor do. What lies between them
/// is never read.
#[test]
fn lanes_of_indices_may_lie_far_apart() {
    const SIZE: usize = 5000;
    const LANE: usize = 100;
    const APART: usize = 1000;
    let ids: Vec<i32> = (0..4000).map(|n| (n * 7919) % SIZE as i32).collect();
    let mut far_ids = vec![i32::MAX; 39 * APART + LANE];
    for (far, lane) in far_ids.chunks_mut(APART).zip(ids.chunks(LANE)) {
        far[..LANE].copy_from_slice(lane);
    }
    let (table, near) = (Layout::contiguous([SIZE]), Layout::contiguous([40, LANE]));
    let far = Layout::strided([40, LANE], [APART as isize, 1]);
    let input: Vec<f64> = (0..SIZE).map(|n| n as f64).collect();

    let mut found = vec![-1.0; 4000];
    Gather::axis(&table, &far, &near, 0).unwrap().run(&input, &far_ids, &mut found).unwrap();
    assert!(found.iter().zip(&ids).all(|(found, id)| *found == f64::from(*id)));

    let (mut data, mut expected) = (vec![-1.0; SIZE], vec![-1.0; SIZE]);
    ids.iter().for_each(|id| expected[*id as usize] = f64::from(*id));
    Scatter::axis(&table, &far, &near, 0).unwrap().run(&mut data, &far_ids, &found).unwrap();
    assert_eq!(data, expected);
    Scatter::axis(&table, &far, &near, 0)
        .unwrap()
        .reduce(Add, &mut data, &far_ids, &found)
        .unwrap();
    ids.iter().for_each(|id| expected[*id as usize] += f64::from(*id));
    assert_eq!(data, expected);
}

/// The engine of `std` turned rows that are reversed in both tensors around, and then moved only
/// the first element of each, where there are more than 512 entries. (A fuzzer found it.)
#[test]
fn rows_that_are_reversed_in_both_tensors() {
    const ENTRIES: usize = 600;
    const WIDTH: usize = 5;
    let reversed =
        |rows| Layout::strided([rows, WIDTH], [WIDTH as isize, -1]).with_offset(WIDTH - 1);
    let (table, flat, indices) = (reversed(3), reversed(ENTRIES), Layout::contiguous([ENTRIES]));
    let ids: Vec<usize> = (0..ENTRIES).map(|n| n * 7 % 3).collect();
    let input: Vec<u32> = (0..3 * WIDTH as u32).collect();
    let rows: Vec<u32> = ids.iter().flat_map(|id| &input[id * WIDTH..][..WIDTH]).copied().collect();

    let mut output = vec![u32::MAX; ENTRIES * WIDTH];
    Gather::axis(&table, &indices, &flat, 0).unwrap().run(&input, &ids, &mut output).unwrap();
    assert_eq!(output, rows);

    let scatter = Scatter::axis(&table, &indices, &flat, 0).unwrap();
    let mut data = vec![u32::MAX; 3 * WIDTH];
    scatter.run(&mut data, &ids, &rows).unwrap();
    assert_eq!(data, input);
    scatter.reduce(Add, &mut data, &ids, &rows).unwrap();
    let times = |n: usize| 1 + ids.iter().filter(|id| **id == n / WIDTH).count() as u32;
    let expected: Vec<u32> = input.iter().enumerate().map(|(n, value)| value * times(n)).collect();
    assert_eq!(data, expected);
}

/// Entries of two dimensions, of which the first is the shorter step: a gather wrote 2 of their 122
/// elements, and returned `Ok`.
#[test]
fn entries_that_are_column_major() {
    const ENTRIES: usize = 69;
    for (inner, apart) in [([61, 2], 0), ([61, 13], 0), ([61, 2], 3), ([3, 40], 1)] {
        let [a, b] = inner;
        let pitch = (a + apart) * b;
        let layout = |rows, order: [usize; 2]| {
            let strides = order.map(|step| step as isize);
            Layout::strided([rows, a, b], [pitch as isize, strides[0], strides[1]])
        };
        let places = |rows: usize, order: [usize; 2]| {
            (0..rows * a * b).map(move |n| {
                let (row, i, j) = (n / (a * b), n / b % a, n % b);
                row * pitch + i * order[0] + j * order[1]
            })
        };
        let ids: Vec<usize> = (0..ENTRIES).map(|n| n * 7 % 5).collect();
        let (columns, rows) = ([1, a + apart], [b, 1]);
        for (from, to) in [(columns, columns), (columns, rows), (rows, columns)] {
            let (table, flat) = (layout(5, from), layout(ENTRIES, to));
            let input: Vec<u32> = (0..5 * pitch as u32).collect();
            let mut expected = vec![u32::MAX; ENTRIES * pitch];
            let elements: Vec<usize> = places(5, from).collect();
            for (n, place) in places(ENTRIES, to).enumerate() {
                expected[place] = input[elements[ids[n / (a * b)] * a * b + n % (a * b)]];
            }
            let indices = Layout::contiguous([ENTRIES]);
            let gather = Gather::axis(&table, &indices, &flat, 0).unwrap();
            let mut output = vec![u32::MAX; ENTRIES * pitch];
            gather.run(&input, &ids, &mut output).unwrap();
            assert_eq!(output, expected, "{inner:?} {from:?} {to:?}");

            let scatter = Scatter::axis(&table, &indices, &flat, 0).unwrap();
            let (mut data, mut sums) = (input.clone(), input.clone());
            for (n, place) in places(ENTRIES, to).enumerate() {
                let at = elements[ids[n / (a * b)] * a * b + n % (a * b)];
                sums[at] = sums[at].wrapping_add(output[place]);
            }
            scatter.reduce(Add, &mut data, &ids, &output).unwrap();
            assert_eq!(data, sums, "{inner:?} {from:?} {to:?}");
            data.fill(u32::MAX);
            scatter.run(&mut data, &ids, &output).unwrap();
            assert!(elements.iter().all(|place| data[*place] == input[*place]), "{inner:?}");
        }
    }
}

/// Short lanes of many dimensions, whose indices or updates have gaps, or not: they fill blocks
/// together, which end within any dimension but the last ones. The table starts at an offset.
#[test]
fn short_lanes_of_many_dimensions() {
    const WIDTH: usize = 7;
    const OFFSET: usize = 5;
    let shapes: [&[usize]; 7] = [
        &[9, 41, 3],
        &[40, 3, 7, 3],
        &[2, 30, 3, 7, 2],
        &[90, 7, 2],
        &[3, 60, 20],
        &[9, 15, 15],
        &[5, 3, 3, 2, 3, 2, 2, 3],
    ];
    for (sizes, gaps) in shapes
        .into_iter()
        .flat_map(|sizes| [[0, 0], [1, 0], [0, 2], [1, 2]].map(|gaps| (sizes, gaps)))
    {
        let (length, outer) = sizes.split_last().unwrap();
        let layout = |gap: usize| {
            let (mut strides, mut step) = (vec![1], length + gap);
            for size in outer.iter().rev() {
                strides.insert(0, step as isize);
                step *= size;
            }
            (Layout::from_parts(sizes, &strides, 0).unwrap(), step)
        };
        let [(ids, ids_size), (flat, flat_size)] = gaps.map(layout);
        // The table is larger, so that no dimensions merge.
        let larger: Vec<usize> =
            outer.iter().map(|size| size + 1).chain([WIDTH.max(*length)]).collect();
        let width = larger[outer.len()];
        let table = Layout::from_sizes(&larger).unwrap().with_offset(OFFSET);
        let size = OFFSET + larger.iter().product::<usize>();
        let indices: Vec<i64> =
            (0..ids_size as i64).map(|n| n * 31 % width as i64 - n % 2 * width as i64).collect();
        let data: Vec<u32> = (0..size as u32).collect();
        let updates: Vec<u32> = (0..flat_size as u32).map(|n| n * n % 1009).collect();
        let (mut sums, mut gathered) = (data.clone(), updates.clone());
        let (mut alone, mut hits) = (data.clone(), vec![0_u32; size]);
        for entry in 0..sizes.iter().product() {
            let (lane, column) = (entry / length, entry % length);
            let [from, to] = gaps.map(|gap| lane * (length + gap) + column);
            let (mut rest, mut step, mut place) = (lane, width, OFFSET);
            for (size, larger) in outer.iter().zip(&larger).rev() {
                place += rest % size * step;
                (rest, step) = (rest / size, step * larger);
            }
            place += indices[from].rem_euclid(width as i64) as usize;
            sums[place] += updates[to];
            alone[place] = updates[to] + if hits[place] > 0 { alone[place] } else { 0 };
            hits[place] += 1;
            gathered[to] = data[place];
        }
        let axis = outer.len();
        let scatter = Scatter::elements(&table, &ids, &flat, axis).unwrap();
        let mut found = data.clone();
        scatter.reduce(Add, &mut found, &indices, &updates).unwrap();
        assert!(found == sums, "{sizes:?} {gaps:?}");
        let (mut found, mut flags) = (data.clone(), vec![0; scatter.flags_len()]);
        scatter.reduce_excluding_self(Add, &mut found, &indices, &updates, &mut flags).unwrap();
        assert!(found == alone, "{sizes:?} {gaps:?}");
        let unique = scatter.check_unique(&indices, &mut flags);
        assert_eq!(unique.is_ok(), hits.iter().all(|hits| *hits < 2), "{sizes:?} {gaps:?}");
        let gather = Gather::elements(&table, &ids, &flat, axis).unwrap();
        let mut found = updates.clone();
        gather.run(&data, &indices, &mut found).unwrap();
        assert!(found == gathered, "{sizes:?} {gaps:?}");
        // The last index is bad: nothing is added.
        let mut bad = indices.clone();
        bad[(sizes.iter().product::<usize>() / length - 1) * (length + gaps[0]) + length - 1] =
            width as i64;
        let mut found = data.clone();
        assert!(scatter.reduce(Add, &mut found, &bad, &updates).is_err(), "{sizes:?} {gaps:?}");
        assert!(found == data, "{sizes:?} {gaps:?}");
    }
}

/// Places that number the cells, in another order than that of the lanes, and from an offset on.
#[test]
fn short_lanes_of_a_permuted_table_at_an_offset() {
    let table = Layout::strided([7, 9, 4], [36, 1, 9]).with_offset(5);
    let entries = Layout::contiguous([7, 5, 4]);
    let scatter = Scatter::elements(&table, &entries, &entries, 1).unwrap();
    let indices: Vec<i64> = (0..140).map(|n| n * 31 % 9).collect();
    let updates: Vec<u32> = (0..140).map(|n| n * n + 1).collect();
    let data: Vec<u32> = (0..5 + 7 * 36).collect();
    let (mut sums, mut hits) = (data.clone(), vec![0; data.len()]);
    for (n, (index, update)) in indices.iter().zip(&updates).enumerate() {
        let place = 5 + n / 20 * 36 + *index as usize + n % 4 * 9;
        sums[place] = update + if hits[place] > 0 { sums[place] } else { 0 };
        hits[place] += 1;
    }
    let (mut found, mut flags) = (data, vec![0; scatter.flags_len()]);
    scatter.reduce_excluding_self(Add, &mut found, &indices, &updates, &mut flags).unwrap();
    assert_eq!(found, sums);
    let unique = scatter.check_unique(&indices, &mut flags);
    assert_eq!(unique.is_ok(), hits.iter().all(|hits| *hits < 2));
}

/// Short lanes with gaps between them: in both tensors, or in one.
#[test]
fn short_lanes_with_gaps() {
    const WIDTH: usize = 11;
    let policies =
        [Bounds::Error, Bounds::Skip, Bounds::Clamp, Bounds::Wrap].map(|policy| (policy, false));
    for (policy, bad) in policies.into_iter().chain([(Bounds::Error, true)]) {
        for ([a, b, length], step) in [([7, 29, 3], 1), ([50, 6, 16], 2), ([3, 400, 1], 1)] {
            let table = Layout::contiguous([a, b, WIDTH]);
            let layout = |gap: usize| {
                let pitch = (step * length + gap) as isize;
                Layout::strided([a, b, length], [b as isize * pitch, pitch, step as isize])
            };
            let places = |gap: usize| {
                let pitch = step * length + gap;
                (0..a * b * length).map(move |n| n / length * pitch + n % length * step)
            };
            for (ids, flat) in [(2, 1), (2, 0), (0, 3)] {
                let size = a * b * (step * length + 3);
                let mut indices: Vec<i32> =
                    (0..size as i32).map(|n| n * 7919 % WIDTH as i32 - n % 2 * 11).collect();
                let last = places(ids).next_back().unwrap();
                if bad || policy != Bounds::Error {
                    indices[last] = WIDTH as i32 + 2;
                }
                let (from, to) = (layout(ids), layout(flat));
                let input: Vec<u32> = (0..(a * b * WIDTH) as u32).collect();
                let output: Vec<u32> = (0..size as u32).map(|n| n * 31 % 1009).collect();
                let pairs: Vec<(usize, usize)> = places(ids)
                    .zip(places(flat))
                    .enumerate()
                    .filter_map(|(n, (at, flat))| {
                        let (index, width) = (indices[at], WIDTH as i32);
                        let position = match policy {
                            _ if (-width..width).contains(&index) => index.rem_euclid(width),
                            Bounds::Clamp => width - 1,
                            Bounds::Wrap => index % width,
                            _ => return None,
                        };
                        Some((n / length * WIDTH + position as usize, flat))
                    })
                    .collect();
                let case = format!("{policy:?} {bad} {a} {b} {length} {ids} {flat}");

                let gather = Gather::elements(&table, &from, &to, 2).unwrap().bounds(policy);
                let mut gathered = output.clone();
                let ran = gather.run(&input, &indices, &mut gathered);
                assert_eq!(ran.is_err(), bad, "{case}");
                let mut expected = output.clone();
                pairs.iter().for_each(|(table, flat)| expected[*flat] = input[*table]);
                // By a bad index nothing moves, and less than all may before it.
                let old = |n: usize, found: u32| bad && found == output[n];
                let mut found = gathered.iter().zip(&expected).enumerate();
                assert!(found.all(|(n, (found, new))| found == new || old(n, *found)), "{case}");

                let scatter = Scatter::elements(&table, &from, &to, 2).unwrap().bounds(policy);
                let (mut data, mut sums) = (input.clone(), input.clone());
                let ran = scatter.reduce(Add, &mut data, &indices, &output);
                if let Err(error) = ran {
                    let found = Error::IndexOutOfBounds {
                        entry: a * b * length - 1,
                        coordinate: 0,
                        value: WIDTH as i128 + 2,
                        size: WIDTH,
                    };
                    assert_eq!(error, found, "{case}");
                } else {
                    pairs.iter().for_each(|(table, flat)| sums[*table] += output[*flat]);
                }
                assert_eq!(ran.is_err(), bad, "{case}");
                assert!(data == sums, "{case}");
            }
        }
    }
}

/// Short lanes along a middle axis, of which some do not count, and those that are set in a copy:
/// reversed, with gaps, and with an index or an update for all of a lane.
#[test]
fn short_lanes_of_other_calls() {
    const ROWS: usize = 3;
    const LANES: usize = 40;
    const LENGTH: usize = 7;
    const PLACES: usize = 5;
    let table = Layout::contiguous([ROWS, PLACES, LENGTH]);
    for (number, bounds) in (0..8).flat_map(|number| POLICIES.map(|bounds| (number, bounds))) {
        let [backwards, one_index, one_update] = [1, 2, 4].map(|bit| number & bit != 0);
        // Lanes have a gap of one element after them, rows of three.
        let steps = |one: bool| {
            let step = if one { 0 } else { 1 };
            let steps = [LANES * (LENGTH + 1) + 3, LENGTH + 1, step].map(|step| step as isize);
            let turned = steps.map(|step| if backwards { -step } else { step });
            let last = [ROWS - 1, LANES - 1, LENGTH - 1].map(|last| last as isize);
            let start: isize = last.iter().zip(steps).map(|(last, step)| last * step).sum();
            (turned, if backwards { start } else { 0 })
        };
        let layout = |one: bool| {
            let (steps, start) = steps(one);
            Layout::strided([ROWS, LANES, LENGTH], steps).with_offset(start as usize)
        };
        let place = |[row, lane, n]: [usize; 3], one: bool| {
            let ([a, b, c], start) = steps(one);
            (start + row as isize * a + lane as isize * b + n as isize * c) as usize
        };
        let size = ROWS * (LANES * (LENGTH + 1) + 3);
        let strict = bounds == Bounds::Error;
        let index = |n: usize| match (n * 7919 + n / 11) % 23 {
            0 if !strict => 9,
            n => n as i16 % 10 - 5,
        };
        let mut indices: Vec<i16> = (0..size).map(index).collect();
        let valid: Vec<bool> = (0..size).map(|n| (n * 31 + n / 7) % 6 > 0).collect();
        let flat: Vec<i64> = (0..size as i64).map(|n| n * 31 % 1009 + 5000).collect();
        let input: Vec<i64> = (0..(ROWS * PLACES * LENGTH) as i64).collect();
        let moves = |indices: &[i16], nullable: bool| -> Vec<(usize, usize)> {
            let each = (0..ROWS).flat_map(|row| (0..LANES).map(move |lane| (row, lane)));
            let each = each.flat_map(|(row, lane)| (0..LENGTH).map(move |n| [row, lane, n]));
            each.filter_map(|at| {
                let index = place(at, one_index);
                let size = PLACES as i16;
                let position = match bounds {
                    _ if nullable && !valid[index] => return None,
                    _ if (-size..size).contains(&indices[index]) => indices[index],
                    Bounds::Clamp => size - 1,
                    Bounds::Wrap => indices[index],
                    _ => return None,
                };
                let position = position.rem_euclid(size) as usize;
                let [row, _, n] = at;
                Some(((row * PLACES + position) * LENGTH + n, place(at, one_update)))
            })
            .collect()
        };
        let case = format!("{number} {bounds:?}");
        let (ids, updates) = (layout(one_index), layout(one_update));
        let scatter = Scatter::elements(&table, &ids, &updates, 1).unwrap().bounds(bounds);
        let set = |data: &mut [i64], indices: &[i16], nullable: bool| {
            moves(indices, nullable).iter().for_each(|(table, at)| data[*table] = flat[*at]);
        };
        let (mut found, mut expected) = (vec![-1; input.len()], input.clone());
        scatter.run_into(&input, &indices, &flat, &mut found).unwrap();
        set(&mut expected, &indices, false);
        assert_eq!(found, expected, "run_into {case}");

        // What does not count may be outside.
        indices.iter_mut().zip(&valid).for_each(|(index, valid)| {
            *index = if *valid { *index } else { i16::MAX };
        });
        let nullable = Nullable::bools(&indices, &valid);
        let (mut found, mut expected) = (input.clone(), input.clone());
        scatter.check_nullable(nullable).unwrap().run(&mut found, &flat).unwrap();
        set(&mut expected, &indices, true);
        assert_eq!(found, expected, "nullable scatter {case}");
        if !one_update {
            let gather = Gather::elements(&table, &ids, &updates, 1).unwrap().bounds(bounds);
            let (mut found, mut expected) = (flat.clone(), flat.clone());
            gather.check_nullable(nullable).unwrap().run(&input, &mut found).unwrap();
            moves(&indices, true).iter().for_each(|(table, at)| expected[*at] = input[*table]);
            assert_eq!(found, expected, "nullable gather {case}");
        }

        // One bad index of one that counts: the output is as it was.
        let bad = place([ROWS - 1, LANES - 1, LENGTH - 1], one_index);
        if strict {
            let mut indices: Vec<i16> = (0..size).map(index).collect();
            indices[bad] = PLACES as i16;
            let mut found = vec![-1; input.len()];
            let error = scatter.run_into(&input, &indices, &flat, &mut found);
            assert!(matches!(error, Err(Error::IndexOutOfBounds { value: 5, .. })), "{case}");
            assert!(found.iter().all(|value| *value == -1), "{case}");
            let mut all = valid.clone();
            all[bad] = true;
            assert_eq!(
                scatter.check_nullable(Nullable::bools(&indices, &all)).err(),
                error.err(),
                "{case}"
            );
        }
    }
}

/// Lanes whose indices are copied before they are resolved, and end where a copy of 256 does: those
/// after the first one were read from its end, and a bad index was not found.
#[test]
fn lanes_that_end_where_a_copy_does() {
    let table = Layout::contiguous([1000]);
    let input: Vec<u32> = (0..1000).map(|n| n * 3 + 1).collect();
    for (lanes, length) in [(4, 256), (64, 256), (3, 512), (5, 128), (8, 64), (7, 15), (300, 2)] {
        let transposed = Layout::strided([lanes, length], [1, lanes as isize]);
        let apart = Layout::strided([lanes, length], [2 * length as isize + 3, 2]);
        for indices in [transposed, apart] {
            let places: Vec<usize> = (0..lanes * length)
                .map(|n| {
                    let (lane, entry) = (n / length, n % length);
                    lane * indices.strides()[0] as usize + entry * indices.strides()[1] as usize
                })
                .collect();
            let ids: Vec<i64> =
                (0..places.iter().max().unwrap() + 1).map(|n| (n as i64 * 7919) % 1000).collect();
            let flat = Layout::contiguous([lanes, length]);
            let gather = Gather::axis(&table, &indices, &flat, 0).unwrap();
            let expected: Vec<u32> =
                places.iter().map(|place| input[ids[*place] as usize]).collect();
            let mut output = vec![0; lanes * length];
            gather.run(&input, &ids, &mut output).unwrap();
            assert_eq!(output, expected, "{lanes} lanes of {length}");
            let mut bad = ids.clone();
            bad[*places.last().unwrap()] = 5000;
            let last = out_of_bounds(lanes * length - 1, 0, 5000, 1000);
            assert_eq!(gather.check(&bad).map(|_| ()), last, "{lanes} lanes of {length}");
        }
    }
}

/// Where lanes are short, the longest dimension was walked first, and blocks moved as soon as they
/// were proven: so entries had moved that come after the bad one.
#[test]
fn nothing_moves_after_a_bad_index_whatever_the_order() {
    let (table, indices) =
        (Layout::contiguous([300, 10, 4, 4]), Layout::contiguous([300, 2, 3, 3]));
    let output = Layout::strided([300, 2, 3, 3], [18, 9, 1, 3]);
    let gather = Gather::elements(&table, &indices, &output, 1).unwrap();
    let input: Vec<u32> = (1..=300 * 10 * 4 * 4).collect();
    for bad in [17, 1000, 5399] {
        let mut ids: Vec<i32> = (0..5400).map(|n| n % 10).collect();
        ids[bad] = 99;
        let mut found = vec![0; 5400];
        assert_eq!(gather.run(&input, &ids, &mut found), out_of_bounds(bad, 0, 99, 10));
        for entry in bad..5400 {
            let [lane, row, column] = [entry / 9, entry / 3 % 3, entry % 3];
            assert_eq!(found[lane * 9 + row + column * 3], 0, "{entry} after {bad}");
        }
    }
}

/// A call of one block was proven while it moved, also where it moved tile by tile: so what the
/// first tiles lead to had changed when a bad index was found.
#[test]
fn tiles_of_one_block_are_all_or_nothing() {
    type Large = Vec<[u64; 512]>;
    let layout = Layout::contiguous([16, 64]);
    let (large, updates): (Large, Large) = (vec![[7; 512]; 1024], vec![[1; 512]; 1024]);
    for bad in [63, 1000] {
        let mut ids = vec![0_i64; 1024];
        ids[bad] = 99;
        let mut data = large.clone();
        let scatter = Scatter::elements(&layout, &layout, &layout, 0).unwrap();
        assert_eq!(scatter.run(&mut data, &ids, &updates), out_of_bounds(bad, 0, 99, 16));
        assert!(data == large);
        let mut output = updates.clone();
        let gather = Gather::elements(&layout, &layout, &layout, 0).unwrap();
        assert_eq!(gather.run(&large, &ids, &mut output), out_of_bounds(bad, 0, 99, 16));
        assert!(output[bad..] == updates[bad..]);
    }
}

/// One update for all elements of rows is kept as a row, but not where nothing moves.
#[test]
fn one_update_of_all_rows() {
    let (data, two) = (Layout::contiguous([5, 1000]), Layout::contiguous([100]));
    let updates = Layout::strided([100, 1000], [0, 0]);
    let scatter = Scatter::axis(&data, &two, &updates, 0).unwrap();
    let ids: Vec<i32> = (0..100).map(|n| n % 3).collect();
    let mut found = vec![1_u32; 5000];
    scatter.reduce(Add, &mut found, &ids, &[2]).unwrap();
    let sums = [1 + 2 * 34, 1 + 2 * 33, 1 + 2 * 33, 1, 1];
    assert!(found.chunks(1000).zip(sums).all(|(row, sum)| row.iter().all(|value| *value == sum)));
    let mut bad = ids.clone();
    bad[77] = 5;
    let before = found.clone();
    assert_eq!(scatter.run(&mut found, &bad, &[9]), out_of_bounds(77, 0, 5, 5));
    assert_eq!(found, before);
    // Rows without end of a table without rows.
    let none = Layout::contiguous([0, 1 << 28]);
    let updates = Layout::strided([2, 1 << 28], [0, 0]);
    let scatter = Scatter::axis(&none, &Layout::contiguous([2]), &updates, 0).unwrap();
    assert_eq!(scatter.run(&mut [], &[0, 0], &[9_u8]), out_of_bounds(0, 0, 0, 0));
}

/// An entry that is left out moves none of its pieces. With 32 bits, the sum of an address that
/// stands for no place and of what a piece adds would lie in the table.
#[test]
fn what_is_left_out_moves_no_piece() {
    let (ids, flat) = ([99, 1], Layout::contiguous([3, 2]));
    let gaps = Layout::strided([3, 2], [4, 2]);
    let (table, entries) = (Layout::contiguous([3, 4]), Layout::contiguous([2]));
    let gather = |flat| Gather::axis(&table, &entries, flat, 1).unwrap().bounds(Bounds::Skip);
    let mut apart = [0; 12];
    gather(&gaps).run(&iota::<12>(), &ids, &mut apart).unwrap();
    assert_eq!(apart, [0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 9, 0]);
    let mut next = [0; 6];
    gather(&flat).run(&iota::<12>(), &ids, &mut next).unwrap();
    assert_eq!(next, [0, 1, 0, 5, 0, 9]);
    let nullable = Nullable::bools(&[0, 1], &[false, true]);
    let mut valid = [0; 6];
    gather(&flat).check_nullable(nullable).unwrap().run(&iota::<12>(), &mut valid).unwrap();
    assert_eq!(valid, next);
    let scatter = Scatter::axis(&table, &entries, &flat, 1).unwrap().bounds(Bounds::Skip);
    let (mut added, mut set) = ([0; 12], [0; 12]);
    scatter.reduce(Add, &mut added, &ids, &iota::<6>()).unwrap();
    scatter.run(&mut set, &ids, &iota::<6>()).unwrap();
    assert_eq!((added, set), ([0, 1, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0], added));
    let (table, rows) = (Layout::contiguous([2, 3, 2]), Layout::contiguous([2, 2, 2]));
    let scatter = Scatter::axis(&table, &entries, &rows, 1).unwrap().bounds(Bounds::Skip);
    let mut data = [0; 12];
    scatter.reduce(Add, &mut data, &ids, &iota::<8>()).unwrap();
    assert_eq!(data, [0, 0, 2, 3, 0, 0, 0, 0, 6, 7, 0, 0]);
}

/// Updates that are broadcast along the rows of a table, as NumPy and ndarray do with `[n, 1]`: of
/// [batches, rows, columns], few and many, with columns that go back or lie apart.
#[test]
fn one_update_for_each_row() {
    const OFFSET: usize = 3;
    let order = |current: i64, update: i64| current.wrapping_mul(31).wrapping_add(update);
    let shapes = [1, 3].map(|batches| [5, 40, 700].map(|entries| (batches, entries)));
    let columns = [2, 7, 8, 30, 90].map(|columns| [1, -1, 2].map(|step| (columns, step)));
    for ((batches, entries), (columns, step)) in shapes
        .into_iter()
        .flatten()
        .flat_map(|shape| columns.into_iter().flatten().map(move |of| (shape, of)))
    {
        let rows = 17_usize;
        let pitch = columns * 2 + 1;
        // Where a row goes back, it starts with its last element.
        let start = OFFSET + if step < 0 { columns - 1 } else { 0 };
        let strides = [(rows * pitch) as isize, pitch as isize, step];
        let table = Layout::from_parts(&[batches, rows, columns], &strides, start).unwrap();
        let ids = Layout::contiguous([entries]);
        let gap = 1 + columns % 3;
        let of_updates = [(entries * gap) as isize, gap as isize, 0];
        let updates = Layout::from_parts(&[batches, entries, columns], &of_updates, 0).unwrap();
        let scatter = Scatter::axis(&table, &ids, &updates, 1).unwrap();
        let data: Vec<i64> = (0..(OFFSET + batches * rows * pitch) as i64).collect();
        let values: Vec<i64> = (0..(batches * entries * gap) as i64).map(|n| n * n).collect();
        for bounds in [Bounds::Skip, Bounds::Wrap] {
            let index = |n: usize| (n * n % 23) as i64 - 2;
            let indices: Vec<i64> = (0..entries).map(index).collect();
            let (mut sums, mut set) = (data.clone(), data.clone());
            for entry in 0..batches * entries {
                let (batch, index) = (entry / entries, indices[entry % entries]);
                let row = match bounds {
                    Bounds::Wrap => index.rem_euclid(rows as i64),
                    _ if index >= rows as i64 => continue,
                    _ => index.rem_euclid(rows as i64),
                };
                for column in 0..columns as isize {
                    let row = (batch * rows + row as usize) * pitch + start;
                    let place = row.wrapping_add_signed(column * step);
                    let update = values[entry * gap];
                    (sums[place], set[place]) = (order(sums[place], update), update);
                }
            }
            let scatter = scatter.bounds(bounds);
            let case = format!("{batches} {entries} {columns} {step} {bounds:?}");
            let mut found = data.clone();
            scatter.reduce(order, &mut found, &indices, &values).unwrap();
            assert!(found == sums, "{case}");
            let mut found = data.clone();
            scatter.run(&mut found, &indices, &values).unwrap();
            assert!(found == set, "{case}");
            // Halves have kernels of their own.
            let mut halves = vec![f16::ZERO; data.len()];
            let ones = vec![f16::ONE; values.len()];
            let mut counts = vec![0; data.len()];
            scatter.reduce(Add, &mut halves, &indices, &ones).unwrap();
            scatter.reduce(Add, &mut counts, &indices, &vec![1; values.len()]).unwrap();
            let mut ones = data.iter().map(|_| 0_i64).collect::<Vec<_>>();
            scatter.reduce(|sum, _| sum + 1, &mut ones, &indices, &values).unwrap();
            assert!(halves.iter().zip(&ones).all(|(half, one)| half.to_f32() == *one as f32));
            assert_eq!(counts, ones, "{case}");
        }
        // All or nothing.
        let (mut indices, mut found) = (vec![1; entries], data.clone());
        indices[entries - 1] = 99;
        let error = scatter.run(&mut found, &indices, &values);
        assert_eq!(error, out_of_bounds(entries - 1, 0, 99, rows));
        assert_eq!(found, data);
    }
}

/// A few updates that do not fit in a register go by the caller's function too.
#[test]
fn few_long_updates_are_mapped() {
    let (table, entries) = (Layout::contiguous([4]), Layout::contiguous([3]));
    let scatter = Scatter::axis(&table, &entries, &entries, 0).unwrap();
    let (mut sums, updates) = ([0_u64; 4], [[1_u64; 3], [2; 3], [3; 3]]);
    let sum = |[a, b, c]: [u64; 3]| a + b + c;
    scatter.reduce_map(Add, &mut sums, &[2, 0, 2], &updates, sum).unwrap();
    assert_eq!(sums, [6, 0, 12, 0]);
}
