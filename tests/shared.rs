//! `run_shared` and `reduce_shared` against `run` and `reduce`, on the rows that random cases
//! rarely have: whole blocks of words. With `std` they are the same functions;
//! `cargo test --no-default-features` is where this can fail.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use strew::{Add, Assign, Bounds, Element, Gather, Layout, Reduction, Scatter};

/// One update for all entries, which lie a step apart in the table: all layouts have an offset.
#[test]
fn one_update_for_all() {
    let table = Layout::contiguous([5, 6]).with_offset(2);
    for sizes in [[5, 1], [1, 4]] {
        let ids = Layout::contiguous(sizes).with_offset(3);
        let one = Layout::strided(sizes, [0, 0]).with_offset(1);
        let scatter = Scatter::elements(&table, &ids, &one, 1).unwrap();
        let (indices, updates) = ([9, 9, 9, 2, -1, 2, 0, 5], [7, 100]);
        let entries = sizes[0] * sizes[1];
        let mut expected = [1; 32];
        for (entry, index) in indices[3..3 + entries].iter().enumerate() {
            let (line, index) = (entry / sizes[1], if *index < 0 { index + 6 } else { *index });
            expected[2 + line * 6 + index as usize] += 100;
        }
        let mut found = [1; 32];
        scatter.reduce_shared(Add, &mut found, &indices, &updates).unwrap();
        assert_eq!(found, expected, "{sizes:?}");
        let mut bad = indices;
        bad[3 + entries - 1] = 6;
        assert!(scatter.reduce_shared(Add, &mut found, &bad, &updates).is_err());
        assert_eq!(found, expected, "{sizes:?}");
    }
}

/// Tuples of `k` coordinates that move rows of `n` elements of a table whose rows lie `stride`
/// apart, from `offset`.
fn check<T: Element + PartialEq + core::fmt::Debug>(
    k: usize,
    n: usize,
    (stride, offset): (isize, usize),
    value: impl Fn(usize) -> T,
) {
    const TUPLES: usize = 7;
    let sizes = &[3, 2, 2][..k];
    let strides: Vec<isize> = (0..k)
        .map(|c| stride * sizes[c + 1..].iter().product::<usize>().cast_signed())
        .chain([1])
        .collect();
    let backwards = usize::try_from(-stride).unwrap_or(0) * (sizes.iter().product::<usize>() - 1);
    let table = Layout::from_parts(&[sizes, &[n]].concat(), &strides, offset + backwards).unwrap();
    let ids = Layout::from_sizes(&[TUPLES, k]).unwrap();
    let rows = Layout::contiguous([TUPLES, n]).with_offset(1);
    let (gather, scatter) =
        (Gather::nd(&table, &ids, &rows, 0).unwrap(), Scatter::nd(&table, &ids, &rows, 0).unwrap());

    let elements =
        |length: usize, seed: usize| (0..length).map(|i| value(i * 7 + seed)).collect::<Vec<T>>();
    let (input, flat) = (elements(table.extent().unwrap(), 1), elements(rows.extent().unwrap(), 2));
    for bad in [None, Some(5)] {
        let ids: Vec<i32> = (0..TUPLES * k)
            .map(|i| {
                if bad == Some(i) {
                    9
                } else {
                    [0, -1, 1, 0, 0, -1, 1][i % 7] % sizes[i % k] as i32
                }
            })
            .collect();
        for bounds in [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip] {
            let case = format!(
                "{k} coordinates, rows of {n}, stride {stride}, offset {offset}, {bounds:?}, \
                 {ids:?}, {}",
                size_of::<T>()
            );
            let (gather, scatter) = (gather.bounds(bounds), scatter.bounds(bounds));
            let (mut expected, mut found) = (flat.clone(), flat.clone());
            let result = gather.run(&input, &ids, &mut expected);
            assert_eq!(gather.run_shared(&input, &ids, &mut found), result, "{case}");
            assert!(result.is_err() || found == expected, "{case}");
            assert_eq!(result.is_err(), bad.is_some() && bounds == Bounds::Error, "{case}");
            let (mut expected, mut found) = (input.clone(), input.clone());
            assert_eq!(
                scatter.run_shared(&mut found, &ids, &flat),
                scatter.run(&mut expected, &ids, &flat),
                "{case}"
            );
            assert_eq!(found, expected, "{case}");
        }
    }
}

fn check_rows<T: Element + PartialEq + core::fmt::Debug>(value: impl Fn(usize) -> T + Copy) {
    for k in 1..=3 {
        for n in [1, 2, 7, 8, 16, 24, 32, 40, 48, 64, 96, 128, 160] {
            for gap in [0, 3, 32] {
                for offset in [0, 5, 32] {
                    check(k, n, ((n + gap).cast_signed(), offset), value);
                    check(k, n, (-(n + gap).cast_signed(), offset), value);
                }
            }
        }
    }
}

#[test]
fn rows_of_blocks() {
    check_rows(|i| i as u8);
    check_rows(|i| i as u16);
    check_rows(|i| i as f32);
    check_rows(|i| i as u64);
    check_rows(|i| [i as u8, 1, 2]);
    check_rows(|i| i as u128);
}

/// Columns of a matrix, both of whose tensors may be walked backwards.
#[test]
fn columns() {
    fn check<T: Element + PartialEq + core::fmt::Debug>(
        rows: usize,
        [turned, output_turned]: [bool; 2],
        value: impl Fn(usize) -> T,
    ) {
        const IDS: usize = 6;
        let layout = |width: usize, turned: bool| {
            let stride = width.cast_signed() + 2;
            let last = (rows - 1) * stride.unsigned_abs();
            let (stride, first) = if turned { (-stride, last) } else { (stride, 0) };
            Layout::from_parts(&[rows, width], &[stride, 1], first + 3).unwrap()
        };
        let (table, output) = (layout(9, turned), layout(IDS, output_turned));
        let gather =
            Gather::axis(&table, &Layout::contiguous([IDS]).with_offset(1), &output, 1).unwrap();
        let input: Vec<T> = (0..table.extent().unwrap()).map(&value).collect();
        let flat: Vec<T> = (0..output.extent().unwrap()).map(|i| value(i + 100)).collect();
        for ids in [[9_i8, 0, 8, -1, -9, 4, 4], [0, 1, 2, 3, 9, 5, 6], [0, -10, 2, 3, 4, 5, 6]] {
            let case = format!("{rows} rows, {turned}, {output_turned}, {ids:?}");
            let (mut expected, mut found) = (flat.clone(), flat.clone());
            let result = gather.run(&input, &ids, &mut expected);
            // The first index is left out.
            let bad = ids[1..].iter().position(|id| !(-9..9).contains(id));
            assert_eq!(result.is_err(), bad.is_some(), "{case}");
            assert_eq!(gather.run_shared(&input, &ids, &mut found), result, "{case}");
            assert!(result.is_err() || found == expected, "{case}");
            // What comes after a bad index is not written.
            for (place, (found, flat)) in found.iter().zip(&flat).enumerate() {
                let column = (place + IDS + 2 - 3) % (IDS + 2);
                assert!(column < bad.unwrap_or(IDS) || found == flat, "{case}: {place}");
            }
        }
    }
    for rows in [2, 3, 8, 32] {
        for turned in [[false, false], [true, false], [false, true], [true, true]] {
            check(rows, turned, |i| i as u8);
            check(rows, turned, |i| i as u16);
            check(rows, turned, |i| i as f32);
            check(rows, turned, |i| i as f64);
            check(rows, turned, |i| [i as u32; 3]);
        }
    }
}

#[test]
fn reductions_of_blocks() {
    fn reduced<R: Reduction<i32> + Copy>(reduction: R, n: usize) {
        let (data, ids, rows) =
            (Layout::contiguous([3, n]), Layout::contiguous([4, 1]), Layout::contiguous([4, n]));
        let scatter = Scatter::nd(&data, &ids, &rows, 0).unwrap();
        let updates: Vec<i32> = (0..4 * n as i32).collect();
        let (mut expected, mut found) = (vec![5; 3 * n], vec![5; 3 * n]);
        scatter.reduce(reduction, &mut expected, &[2_u8, 0, 2, 2], &updates).unwrap();
        scatter.reduce_shared(reduction, &mut found, &[2_u8, 0, 2, 2], &updates).unwrap();
        assert_eq!(found, expected, "rows of {n}");
    }
    for n in [1, 3, 8, 16, 56] {
        reduced(Add, n);
        reduced(Assign, n);
        reduced(|current: i32, update: i32| current.wrapping_mul(31).wrapping_add(update), n);
    }
}

/// Two lanes of three tuples, with something between them that is no index.
#[test]
fn every_lane_is_checked() {
    for k in 1..=4 {
        let data = Layout::from_sizes(&[2, 2, 2, 2][..k]).unwrap();
        let lane = 3 * k;
        let ids = Layout::from_parts(&[2, 3, k], &[lane.cast_signed() + 1, k.cast_signed(), 1], 0)
            .unwrap();
        let scatter = Scatter::nd(&data, &ids, &Layout::contiguous([2, 3]), 0).unwrap();
        for bad in [None, Some(0), Some(lane - 1), Some(lane + 1), Some(2 * lane)] {
            let value =
                |place| if place == lane || Some(place) == bad { 2 } else { (place % 2) as u8 };
            let indices: Vec<u8> = (0..=2 * lane).map(value).collect();
            let (mut expected, mut found) = ([0; 16], [0; 16]);
            let result = scatter.run(&mut expected, &indices, &[1, 2, 3, 4, 5, 6]);
            assert_eq!(result.is_err(), bad.is_some(), "{k} coordinates, {bad:?}");
            assert_eq!(
                scatter.run_shared(&mut found, &indices, &[1, 2, 3, 4, 5, 6]),
                result,
                "{k} coordinates, {bad:?}"
            );
            assert_eq!(found, expected, "{k} coordinates, {bad:?}");
        }
    }
}
