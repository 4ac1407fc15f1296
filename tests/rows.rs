//! `Rows` does what the plans along the first axis do, with and without `std`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use std::fmt::Debug;

use strew::{
    Add, Assign, Bounds, Error, Gather, Index, Layout, Max, Negative, Operand, Operation,
    Reduction, Rows, Scatter,
};

const POLICIES: [Bounds; 4] = [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip];
const SIGNS: [Negative; 2] = [Negative::FromEnd, Negative::OutOfBounds];

/// Elements beyond a tensor, which stay.
const GUARD: usize = 3;

/// Numbers that look random.
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(seed), |state| {
        Some(state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F))
    })
    .map(|state| state >> 33)
}

fn values(length: usize, seed: u64) -> Vec<u32> {
    numbers(seed).skip(1).take(length + GUARD).map(|value| value as u32).collect()
}

/// A gather by rows and by its plan: the result, and what was written.
fn check_gather<I: Index + Debug>(rows: Rows, plan: &Gather, shape: [usize; 2], indices: &[I]) {
    let [places, row] = shape;
    let (table, before) = (values(places * row, 1), values(indices.len() * row, 2));
    let (mut found, mut expected) = (before.clone(), before);
    let result = plan.run(&table, indices, &mut expected);
    assert_eq!(rows.gather(&table, indices, &mut found), result, "{rows:?} {indices:?}");
    if result.is_ok() {
        assert_eq!(found, expected, "{rows:?} {indices:?}");
    }
    #[cfg(feature = "std")]
    assert_eq!(rows.collect(&table, indices), plan.collect(&table, indices), "{rows:?}");
}

fn check_scatter<I: Index + Debug>(
    rows: Rows,
    plan: &Scatter,
    shape: [usize; 2],
    indices: &[I],
    reduction: impl Reduction<u32> + Copy,
) {
    let [places, row] = shape;
    let (before, updates) = (values(places * row, 3), values(indices.len() * row, 4));
    let (mut found, mut expected) = (before.clone(), before);
    let result = plan.reduce(reduction, &mut expected, indices, &updates);
    let same = rows.reduce(reduction, &mut found, indices, &updates);
    assert_eq!(same, result, "{rows:?} {indices:?}");
    assert_eq!(found, expected, "{rows:?} {indices:?}");
}

fn check_all<I: Index + Debug>(places: usize, row: usize, indices: &[I]) {
    let [table, flat] = [places, indices.len()].map(|count| Layout::contiguous([count, row]));
    let entries = Layout::contiguous([indices.len()]);
    let gather = Gather::axis(&table, &entries, &flat, 0).unwrap();
    let scatter = Scatter::axis(&table, &entries, &flat, 0).unwrap();
    for (bounds, negative) in POLICIES.iter().flat_map(|of| SIGNS.map(|sign| (*of, sign))) {
        let rows = Rows::new(places, row).bounds(bounds).negative(negative);
        let (gather, shape) = (gather.bounds(bounds).negative(negative), [places, row]);
        let scatter = scatter.bounds(bounds).negative(negative);
        check_gather(rows, &gather, shape, indices);
        check_scatter(rows, &scatter, shape, indices, Assign);
        check_scatter(rows, &scatter, shape, indices, Add);
        check_scatter(rows, &scatter, shape, indices, Max);
        check_scatter(rows, &scatter, shape, indices, Operation::Sub);
        let in_order = |a: u32, b: u32| a.wrapping_mul(31).wrapping_add(b);
        check_scatter(rows, &scatter, shape, indices, in_order);
    }
}

#[test]
fn rows_are_the_plans_along_the_first_axis() {
    let counts = [0, 1, 2, 8, 9, 40, 41, 64, 65, 192, 193];
    for (n, places) in counts.into_iter().flat_map(|n| [1, 2, 5, 100].map(|places| (n, places))) {
        for row in [0, 1, 2, 3, 64, 65] {
            let chosen = numbers((n + places) as u64).skip(1).take(n);
            let inside: Vec<usize> = chosen.map(|n| n as usize % places).collect();
            check_all(places, row, &inside);
            // From both ends, and at last one that is out of bounds.
            let flip = |index: &usize| match index % 2 {
                0 => *index as i8,
                _ => *index as i8 - places as i8,
            };
            let mut both: Vec<i8> = inside.iter().map(flip).collect();
            check_all(places, row, &both);
            if let Some(last) = both.last_mut() {
                *last = places as i8;
                check_all(places, row, &both);
            }
            let mut wide: Vec<i64> = inside.iter().map(|index| *index as i64).collect();
            if let Some(middle) = wide.get_mut(n / 2) {
                *middle = -1 - places as i64;
                check_all(places, row, &wide);
                wide[n / 2] = i64::MIN;
                check_all(places, row, &wide);
            }
        }
    }
}

/// Of a table beyond L2, fewer rows are few.
#[test]
fn rows_of_a_large_table() {
    for count in [8, 9] {
        let indices: Vec<u32> = (0..count).map(|n| n * 7919 % 300).collect();
        check_all(300, 1000, &indices);
    }
}

#[test]
fn an_axis_without_places() {
    for count in [0, 1, 3, 200] {
        check_all(0, 1, &vec![0_u16; count]);
        check_all(0, 4, &vec![-1_i64; count]);
    }
}

#[test]
fn slices_that_are_too_short() {
    for count in [2, 200] {
        let (indices, rows) = (vec![1_u8; count], Rows::new(3, 2));
        let short = |operand, expected| {
            Err(Error::SliceTooShort { operand, expected, found: expected - 1 })
        };
        let (mut data, mut flat) = (vec![0; 6], vec![0; 2 * count]);
        let input = rows.gather(&data[1..], &indices, &mut flat);
        assert_eq!(input, short(Operand::Input, 6));
        let output = rows.gather(&data, &indices, &mut flat[1..]);
        assert_eq!(output, short(Operand::Output, 2 * count));
        let table = rows.scatter(&mut data[1..], &indices, &flat);
        assert_eq!(table, short(Operand::Data, 6));
        let updates = rows.scatter(&mut data, &indices, &flat[1..]);
        assert_eq!(updates, short(Operand::Updates, 2 * count));
        // Of a scatter, indices are checked first.
        let bad = Error::IndexOutOfBounds { entry: 0, coordinate: 0, value: 3, size: 3 };
        assert_eq!(rows.scatter(&mut data[1..], &vec![3_u8; count], &flat), Err(bad));
        #[cfg(feature = "std")]
        assert_eq!(rows.collect(&data[1..], &indices).map(|_| ()), short(Operand::Input, 6));
    }
}

#[test]
fn sizes_that_overflow() {
    for (places, row) in [(usize::MAX, 2), (2, usize::MAX)] {
        let rows = Rows::new(places, row);
        let overflow = |operand| Err(Error::SizesOverflow { operand });
        for count in [1, 200] {
            let indices = vec![0_u8; count];
            assert_eq!(rows.gather::<u8, _>(&[], &indices, &mut []), overflow(Operand::Input));
            assert_eq!(rows.scatter::<u8, _>(&mut [], &indices, &[]), overflow(Operand::Data));
        }
        let table = Layout::contiguous([places, row]);
        let one = Layout::contiguous([1]);
        let plan = Gather::axis(&table, &one, &Layout::contiguous([1, row]), 0);
        assert_eq!(plan.map(|_| ()), overflow(Operand::Input));
    }
}
