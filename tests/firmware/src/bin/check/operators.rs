//! Every operator, packed and strided, with elements of every width. Tables hold their own
//! positions.

use core::array::from_fn;
use core::hint::black_box;

use defmt::{assert, assert_eq, info, unwrap};
use half::{bf16, f16};
use strew::{Add, Bag, Bags, Element, Gather, Layout, Mean, Scatter, plan};

use crate::plans;

pub fn check() {
    axis();
    elements();
    nd();
    nd_in_batches();
    bags();
    views();
    empty();
    checked();
    widths();
}

fn positions<const N: usize>() -> [u16; N] {
    from_fn(|at| at as u16)
}

#[inline(never)]
fn axis() {
    const TABLE: Layout = Layout::contiguous([3, 4, 5]);
    const INDICES: Layout = Layout::contiguous([2, 2]);
    const FLAT: Layout = Layout::contiguous([3, 2, 2, 5]);
    let (table, indices) = (positions::<60>(), black_box([2_i32, -4, -1, 1]));
    let order = [2, 0, 3, 1];
    let moved: [u16; 60] = from_fn(|at| table[at / 20 * 20 + order[at / 5 % 4] * 5 + at % 5]);
    plans!(Gather::axis(TABLE, INDICES, FLAT, 1), |gather| {
        let mut output = [0; 60];
        unwrap!(gather.run(&table, &indices, &mut output));
        assert_eq!(output, moved);
    });
    plans!(Scatter::axis(TABLE, INDICES, FLAT, 1), |scatter| {
        let mut data = [0; 60];
        unwrap!(scatter.run(&mut data, &indices, &moved));
        assert_eq!(data, table);
    });
    info!("axis: gather and scatter, constant, static and run-time plans");
}

#[inline(never)]
fn elements() {
    const TABLE: Layout = Layout::contiguous([3, 4]);
    const INDICES: Layout = Layout::contiguous([2, 4]);
    let (table, indices) = (positions::<12>(), black_box([2_i16, 0, -1, 1, 0, 1, -3, -1]));
    let rows = [2, 0, 2, 1, 0, 1, 0, 2];
    let moved: [u16; 8] = from_fn(|at| table[rows[at] * 4 + at % 4]);
    plans!(Gather::elements(TABLE, INDICES, INDICES, 0), |gather| {
        let mut output = [0; 8];
        unwrap!(gather.run(&table, &indices, &mut output));
        assert_eq!(output, moved);
    });
    plans!(Scatter::elements(TABLE, INDICES, INDICES, 0), |scatter| {
        let mut data = [99; 12];
        unwrap!(scatter.run(&mut data, &indices, &moved));
        assert_eq!(data, [0, 1, 2, 99, 99, 5, 99, 7, 8, 99, 10, 11]);
    });
    info!("elements: gather and scatter, constant, static and run-time plans");
}

#[inline(never)]
fn nd() {
    const TABLE: Layout = Layout::contiguous([3, 4, 5]);
    let table = positions::<60>();
    let pairs = black_box([2_i8, 3, /**/ 0, -1, /**/ -2, 0]);
    let rows = [11, 3, 4];
    let moved: [u16; 15] = from_fn(|at| table[rows[at / 5] * 5 + at % 5]);
    plans!(
        Gather::nd(TABLE, Layout::contiguous([3, 2]), Layout::contiguous([3, 5]), 0),
        |gather| {
            let mut output = [0; 15];
            unwrap!(gather.run(&table, &pairs, &mut output));
            assert_eq!(output, moved);
        }
    );
    plans!(
        Scatter::nd(TABLE, Layout::contiguous([3, 2]), Layout::contiguous([3, 5]), 0),
        |scatter| {
            let mut data = [99; 60];
            unwrap!(scatter.run(&mut data, &pairs, &moved));
            let expected: [u16; 60] =
                from_fn(|at| if rows.contains(&(at / 5)) { at as u16 } else { 99 });
            assert_eq!(data, expected);
        }
    );
    let triples = black_box([2_u8, 3, 4, /**/ 0, 1, 2]);
    plans!(Gather::nd(TABLE, Layout::contiguous([2, 3]), Layout::contiguous([2]), 0), |gather| {
        let mut output = [0; 2];
        unwrap!(gather.run(&table, &triples, &mut output));
        assert_eq!(output, [59, 7]);
    });
    plans!(Scatter::nd(TABLE, Layout::contiguous([2, 3]), Layout::contiguous([2]), 0), |scatter| {
        let mut data = table;
        unwrap!(scatter.run(&mut data, &triples, &[1000, 2000]));
        let expected: [u16; 60] = from_fn(|at| {
            if at == 59 {
                1000
            } else if at == 7 {
                2000
            } else {
                at as u16
            }
        });
        assert_eq!(data, expected);
    });
    info!("nd: gather and scatter of pairs and triples, constant, static and run-time plans");
}

#[inline(never)]
fn bags() {
    const TABLE: Layout = Layout::contiguous([4, 10]);
    const BAG: Bag =
        plan!(Bag::new(&TABLE, &Layout::contiguous([5]), &Layout::contiguous([3, 10]))).padding(0);
    static SHARED: Bag = BAG;
    let (table, ids, offsets) =
        (positions::<40>(), black_box([3_i8, 0, -1, 1, 2]), black_box([0_u16, 3, 3, 5]));
    for mean in [false, true] {
        let expected: [u16; 30] = from_fn(|at| match at {
            0..10 => (30 + at as u16) * if mean { 1 } else { 2 },
            10..20 => 0,
            _ => (30 + 2 * (at as u16 - 20)) / if mean { 2 } else { 1 },
        });
        for plan in [BAG, *black_box(&SHARED)] {
            let (mut output, bags) = ([99; 30], Bags::Offsets(&offsets));
            if mean {
                unwrap!(plan.run(Mean, &table, &ids, bags, &mut output));
            } else {
                unwrap!(plan.run(Add, &table, &ids, bags, &mut output));
            }
            assert_eq!(output, expected);
        }
    }
    let mut output = [99; 30];
    assert!(BAG.run(Add, &table, &ids, Bags::Lengths(&[3, 0, 3]), &mut output).is_err());
    assert!(BAG.run(Add, &table, &[4, 4, 4, 4, 4], Bags::Starts(&[0, 1, 2]), &mut output).is_err());
    assert_eq!(output, [99; 30]);
    info!("bags: sums and means, offsets that pass the end");
}

#[inline(never)]
fn nd_in_batches() {
    const TABLE: Layout = Layout::contiguous([2, 3, 4]);
    const INDICES: Layout = Layout::contiguous([2, 2, 1]);
    const FLAT: Layout = Layout::contiguous([2, 2, 4]);
    let (table, indices) = (positions::<24>(), black_box([2_u32, 0, 1, 2]));
    let rows = [2, 0, 4, 5];
    let moved: [u16; 16] = from_fn(|at| table[rows[at / 4] * 4 + at % 4]);
    plans!(Gather::nd(TABLE, INDICES, FLAT, 1), |gather| {
        let mut output = [0; 16];
        unwrap!(gather.run(&table, &indices, &mut output));
        assert_eq!(output, moved);
    });
    plans!(Scatter::nd(TABLE, INDICES, FLAT, 1), |scatter| {
        let (mut data, mut into) = ([99; 24], [0; 24]);
        let expected: [u16; 24] =
            from_fn(|at| if rows.contains(&(at / 4)) { at as u16 } else { 99 });
        unwrap!(scatter.run_into(&data, &indices, &moved, &mut into));
        assert_eq!(into, expected);
        unwrap!(scatter.run(&mut data, &indices, &moved));
        assert_eq!(data, expected);
    });
    info!("nd with a batch dimension: gather and scatter, constant, static and run-time plans");
}

/// Transposed, reversed, padded and repeated operands.
#[inline(never)]
fn views() {
    const TRANSPOSED: Layout = Layout::strided([4, 3], [1, 4]);
    const REVERSED: Layout = Layout::strided([3], [-2]).with_offset(4);
    const PADDED: Layout = Layout::strided([3, 3], [4, 1]).with_offset(1);
    let (table, indices) = (positions::<12>(), black_box([3_i8, 99, 0, 99, -2]));
    let expected = [9, 2, 6, 10, 9, 0, 4, 8, 9, 3, 7, 11, 9];
    plans!(Gather::axis(TRANSPOSED, REVERSED, PADDED, 0), |gather| {
        let mut output = [9; 13];
        unwrap!(gather.run(&table, &indices, &mut output));
        assert_eq!(output, expected);
    });
    plans!(Scatter::axis(TRANSPOSED, REVERSED, PADDED, 0), |scatter| {
        let mut data = [99; 12];
        unwrap!(scatter.run(&mut data, &indices, &expected));
        assert_eq!(data, [0, 99, 2, 3, 4, 99, 6, 7, 8, 99, 10, 11]);
    });
    const REPEATED: Layout = Layout::strided([5], [0]);
    plans!(
        Scatter::axis(
            Layout::strided([3], [-1]).with_offset(2),
            Layout::contiguous([5]),
            REPEATED,
            0
        ),
        |scatter| {
            let mut bins = [0_u32; 3];
            unwrap!(scatter.reduce(strew::Add, &mut bins, &black_box([0_u8, 2, 2, 0, 2]), &[1]));
            assert_eq!(bins, [3, 0, 2]);
        }
    );
    // One row of indices for all rows of the table.
    const BROADCAST: Layout = Layout::strided([2, 3], [0, 1]);
    plans!(
        Gather::elements(
            Layout::contiguous([2, 4]),
            BROADCAST,
            Layout::strided([2, 3], [-3, 1]).with_offset(3),
            1
        ),
        |gather| {
            let mut output = [0; 6];
            unwrap!(gather.run(&positions::<8>(), &black_box([3_u64, 1, 0]), &mut output));
            assert_eq!(output, [7, 5, 4, 3, 1, 0]);
        }
    );
    info!("views: transposed, reversed, padded, repeated");
}

#[inline(never)]
fn empty() {
    const NONE: Layout = Layout::contiguous([0]);
    plans!(Gather::axis(Layout::contiguous([3]), NONE, NONE, 0), |gather| {
        unwrap!(gather.run::<u8, i32>(&[1, 2, 3], &[], &mut []));
    });
    // The index of an element that is not there is not looked at.
    const ROWS: Layout = Layout::contiguous([2, 0]);
    plans!(
        Scatter::axis(ROWS, Layout::contiguous([1]), Layout::contiguous([1, 0]), 0),
        |scatter| {
            unwrap!(scatter.run::<u8, i32>(&mut [], &[1], &[]));
        }
    );
    // Rank 0: one element, one index.
    const SCALAR: Layout = Layout::contiguous([]);
    plans!(Gather::axis(Layout::contiguous([3]), SCALAR, SCALAR, 0), |gather| {
        let mut output = [0];
        unwrap!(gather.run(&[7, 8, 9], &[-2], &mut output));
        assert_eq!(output, [8]);
    });
    info!("empty tensors and scalars");
}

/// Indices that are checked once, for several tables.
#[inline(never)]
fn checked() {
    const FOUR: Layout = Layout::contiguous([4]);
    let indices = black_box([3_i32, 0, -2, 1]);
    plans!(Gather::axis(FOUR, FOUR, FOUR, 0), |gather| {
        let checked = unwrap!(gather.check(&indices));
        let (mut bytes, mut words) = ([0_u8; 4], [0_u32; 4]);
        unwrap!(checked.run(&[1, 2, 3, 4], &mut bytes));
        unwrap!(checked.run(&[10, 20, 30, 40], &mut words));
        assert_eq!((bytes, words), ([4, 1, 3, 2], [40, 10, 30, 20]));
    });
    plans!(Scatter::axis(FOUR, FOUR, FOUR, 0), |scatter| {
        let mut flags = [u32::MAX; 1];
        let checked = unwrap!(scatter.check_unique(&indices, &mut flags));
        let (mut bytes, mut words) = ([0_u8; 4], [1_u32; 4]);
        unwrap!(checked.run(&mut bytes, &[1, 2, 3, 4]));
        unwrap!(checked.reduce(strew::Add, &mut words, &[10, 20, 30, 40]));
        assert_eq!((bytes, words), ([2, 4, 3, 1], [21, 41, 31, 11]));
        assert!(scatter.check_unique(&[3, 0, 2, -1], &mut flags).is_err());
    });
    info!("checked indices: gather, scatter, unique ones");
}

/// Elements of 1 to 16 bytes, one by one and in rows.
#[inline(never)]
fn widths() {
    #[inline(never)]
    fn both<T: Element + PartialEq>(two: [T; 2]) {
        const TABLE: Layout = Layout::contiguous([2, 3]);
        const ROWS: Gather =
            plan!(Gather::axis(&TABLE, &Layout::contiguous([3]), &Layout::contiguous([3, 3]), 0));
        const COLUMNS: Scatter = plan!(Scatter::axis(&TABLE, &Layout::contiguous([3]), &TABLE, 1));
        let [a, b] = black_box(two);
        let mut rows = [a; 9];
        unwrap!(ROWS.run(&[a, b, b, b, a, a], &[1_u8, 0, 1], &mut rows));
        assert!(rows == [b, a, a, a, b, b, b, a, a]);
        let mut data = [a; 6];
        unwrap!(COLUMNS.run(&mut data, &[2_i32, 0, 1], &[a, b, b, b, a, a]));
        assert!(data == [b, b, a, a, a, b]);
    }
    both([1_u8, 2]);
    both([-1_i16, 2]);
    both([1_u32, u32::MAX]);
    both([-1_i64, 2]);
    both([1_u128 << 100, 2]);
    both([0.5_f32, -0.0]);
    both([0.5_f64, f64::INFINITY]);
    both([f16::ONE, f16::NEG_ONE]);
    both([bf16::ONE, bf16::NEG_ONE]);
    both([true, false]);
    both(['s', 'w']);
    both([*b"red", *b"tan"]);
    info!("elements of 1, 2, 3, 4, 8 and 16 bytes");
}
