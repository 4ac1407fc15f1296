//! What a call on views of arrays allocates depends on what moves, never on the table.
#![cfg(feature = "ndarray")]
#![allow(clippy::unwrap_used, missing_docs)]

use ndarray::{Array3, ArrayD, Axis, IxDyn, s};
use strew::ndarray::Operator;
use strew::{Add, Bounds};

/// The bytes that are asked for.
fn allocated(run: impl FnOnce()) -> usize {
    allocation_counter::measure(run).bytes_total as usize
}

#[test]
fn calls_allocate_for_what_moves() {
    /// For the parts of a view, with the shapes of all tensors.
    const BOOKKEEPING: usize = 4096;
    let mut table = Array3::<f32>::ones((500, 40, 60));
    // The indices, and the shape of what moves.
    let calls = [
        (Operator::axis(0), vec![3], vec![3, 20, 30]),
        (Operator::axis(1), vec![2], vec![500, 2, 30]),
        (Operator::axis(2), vec![], vec![500, 20]),
        (Operator::elements(1), vec![100, 3, 2], vec![100, 3, 2]),
        (Operator::elements(0), vec![40, 20, 30], vec![40, 20, 30]),
        (Operator::nd(0), vec![5, 3], vec![5]),
        (Operator::nd(0), vec![20_000, 3], vec![20_000]),
        (Operator::nd(0), vec![70_000, 3], vec![70_000]),
        (Operator::nd(0), vec![5, 1], vec![5, 20, 30]),
        (Operator::nd(1), vec![500, 1], vec![500, 30]),
    ];
    for (operator, indices, moved) in calls {
        let indices = ArrayD::from_elem(IxDyn(&indices), -2_i64);
        let updates = ArrayD::<f32>::ones(IxDyn(&moved));
        // Where entries lead is kept in 8 bytes, for up to 2^21 of them.
        let kept = if updates.len() <= 1 << 21 { 8 * updates.len() } else { 0 };
        let bytes = size_of_val(updates.as_slice().unwrap());
        let most = BOOKKEEPING + kept;
        assert!(2 * updates.len() < 500 * 20 * 30);
        for bounds in [Bounds::Error, Bounds::Wrap] {
            let operator = operator.bounds(bounds);
            for step in [1, 2] {
                // The parts are rows without gaps, and with.
                let width = 30 * step;
                let part = s![.., ..20, ..width;step];
                let mut output = ArrayD::zeros(updates.shape());
                let view = table.slice(part);
                let gathered = allocated(|| {
                    operator.gather_into(&view, &indices, &mut output).unwrap();
                });
                assert!(gathered <= bytes + most, "{operator:?}: {gathered} for {bytes}");
                // Into a view with gaps, and from one.
                let mut spread = ArrayD::<f32>::zeros([&moved[..], &[2]].concat());
                let twice = allocated(|| {
                    let mut output = spread.index_axis_mut(Axis(moved.len()), 1);
                    operator.gather_into(&view, &indices, &mut output).unwrap();
                });
                assert!(twice <= 2 * bytes + most, "{operator:?}: {twice} for {bytes}");
                assert_eq!(spread.index_axis(Axis(moved.len()), 1), output);
                let mut view = table.slice_mut(part);
                let added = allocated(|| {
                    operator.reduce(Add, &mut view, &indices, &updates).unwrap();
                });
                assert!(added <= bytes + most, "{operator:?}: {added} for {bytes}");
                let twice = allocated(|| {
                    let updates = spread.index_axis(Axis(moved.len()), 0);
                    operator.scatter(&mut view, &indices, &updates).unwrap();
                });
                assert!(twice <= 2 * bytes + most, "{operator:?}: {twice} for {bytes}");
            }
        }
    }
    // Those that need scratch: words for each entry, and for each place that is named.
    let (few, row) = (ArrayD::from_elem(IxDyn(&[50]), -2_i64), [50, 20, 30]);
    let updates = ArrayD::<f32>::ones(IxDyn(&row));
    let bytes = 2 * size_of_val(updates.as_slice().unwrap());
    let before = table.slice(s![.., ..20, ..30]).to_owned();
    let mut view = table.slice_mut(s![.., ..20, ..30]);
    let rows = Operator::axis(0);
    let means = [Operator::mean, Operator::mean_excluding_self];
    for mean in means {
        let mean = allocated(|| mean(rows, &mut view, &few, &updates).unwrap());
        assert!(mean <= bytes + BOOKKEEPING, "{mean} for {bytes}");
    }
    let excluding = allocated(|| {
        rows.reduce_excluding_self(Add, &mut view, &few, &updates).unwrap();
    });
    assert!(excluding <= bytes + BOOKKEEPING, "{excluding} for {bytes}");
    let into = allocated(|| {
        rows.reduce_into(Add, &before.view(), &few, &updates, &mut view).unwrap();
    });
    assert!(into <= bytes + BOOKKEEPING, "{into} for {bytes}");
    // Indices that are repeated move few neighbours of many.
    let long = ArrayD::<f32>::zeros(IxDyn(&[3, 2, 10_000]));
    let one = ArrayD::from_elem(IxDyn(&[1, 1]), 2_i64);
    let (view, rows) = (long.slice(s![.., 0, ..]), one.broadcast((2, 10)).unwrap());
    let mut output = ndarray::Array2::zeros((2, 10));
    let repeated = allocated(|| {
        Operator::elements(0).gather_into(&view, &rows, &mut output).unwrap();
    });
    assert!(repeated <= BOOKKEEPING, "{repeated}");
    // Where all of it moves, the table is copied: the count is not always small.
    let view = table.slice(s![.., ..20, ..30]);
    let many = Array3::from_elem((500, 20, 30), 1_i64);
    let copied = allocated(|| {
        Operator::elements(0).gather(&view, &many).unwrap();
    });
    assert!(copied >= 4 * (500 + 500) * 20 * 30, "{copied}");
}

/// The largest tables that are copied, and tables of one row more, which are not: read, written,
/// and in a mean.
#[test]
fn small_tables_are_copied() {
    // Rows of 64 neighbours: 16 (2 if they are written) elements for each, and an eighth of those
    // that move. Single elements: 4 (2) for each entry. Means: 128 for each.
    let limits = [(64, 128, [16 * 128 + 1024, 2 * 128 + 1024, 128 * 128])];
    let limits = limits.into_iter().chain([(1, 1024, [4 * 1024, 2 * 1024, 128 * 1024])]);
    for (n, entries, limits) in limits {
        let ids = ndarray::Array1::<i64>::zeros(entries);
        let mut flat = ndarray::Array2::<f64>::zeros((entries, n));
        for (call, limit) in limits.into_iter().enumerate() {
            for (rows, copies) in [(limit / n, true), (limit / n + 1, false)] {
                let mut all = ndarray::Array2::<f64>::zeros((rows, 2 * n + 1));
                let mut view = all.slice_mut(s![.., ..n]);
                let operator = Operator::axis(0);
                let bytes = allocated(|| {
                    match call {
                        0 => operator.gather_into(&view, &ids, &mut flat),
                        1 => operator.reduce(Add, &mut view, &ids, &flat),
                        _ => operator.mean(&mut view, &ids, &flat),
                    }
                    .unwrap();
                });
                assert_eq!(bytes >= 8 * rows * n, copies, "{call}: {rows} rows of {n}, {bytes}");
            }
        }
    }
    // An index along the last axis moves single elements of all rows: no row at once.
    let all = ndarray::Array2::<f64>::zeros((500, 200));
    let (view, ids) = (all.slice(s![.., ..;2]), ndarray::Array1::<i64>::zeros(110));
    let mut output = ndarray::Array2::zeros((500, 110));
    let bytes = allocated(|| Operator::axis(1).gather_into(&view, &ids, &mut output).unwrap());
    assert!(bytes >= 8 * 500 * 100, "{bytes}");
}

#[test]
fn flat_tensors_with_gaps_are_not_copied() {
    let (entries, width) = (30_000, 16);
    let ids = ndarray::Array1::from_elem(entries, -2_i64);
    let mut table = Array3::<f32>::ones((500, width, 2));
    let mut flat = Array3::<f32>::zeros((entries, width + 1, 2));
    // A block, and four bytes an entry for where it leads.
    let most = (64 << 10) + 4 * entries;
    for step in [1, 2] {
        let rows = Operator::axis(0);
        // Neighbours, and elements with gaps; tables with and without.
        let mut to = flat.slice_mut(s![.., ..width, ..;step]);
        let gathered = allocated(|| {
            rows.gather_into(&table.slice(s![.., .., ..;step]), &ids, &mut to).unwrap();
        });
        assert!(gathered <= most, "{gathered}");
        assert!(to.iter().all(|element| *element == 1.0));
        let mut view = table.slice_mut(s![.., .., ..;step]);
        let added = allocated(|| rows.reduce(Add, &mut view, &ids, &to).unwrap());
        // The table is small: it is copied.
        let copied = 4 * 500 * width;
        assert!(added <= most + copied, "{added}");
        let mapped = allocated(|| {
            rows.reduce_map(Add, &mut view, &ids, &to, |element| element).unwrap();
        });
        assert!(mapped <= most + copied, "{mapped}");
        view.fill(1.0);
    }
}

/// Tiles use the memory of the first one, which fits L2, with flat tensors that have gaps.
#[test]
fn tiles_of_a_call_share_their_memory() {
    let (rows, columns) = (4096, 2048);
    let mut table = ndarray::Array2::<f32>::ones((rows, columns));
    let ids = ndarray::Array2::from_shape_fn((rows, columns), |(n, at)| ((n + at) % rows) as u16);
    let mut flat = ndarray::Array2::<f32>::ones((rows, 2 * columns));
    let mut view = flat.slice_mut(s![.., ..;2]);
    let all = size_of_val(table.as_slice().unwrap());
    let gathered = allocated(|| {
        Operator::elements(0).gather_into(&table, &ids, &mut view).unwrap();
    });
    let added = allocated(|| {
        Operator::elements(0).reduce(Add, &mut table, &ids, &view).unwrap();
    });
    assert!(gathered.max(added) <= all / 2, "{gathered}, {added} for {all}");
    assert!(table.iter().all(|element| *element == 2.0));
}

/// A tile is a copy of what is read, however small what it becomes is.
#[test]
fn tiles_of_mapped_gathers_are_small() {
    let (rows, columns) = (16_384, 192);
    let table = ndarray::Array2::from_elem((rows, columns), [1_u8; 24]);
    let ids = ndarray::Array2::from_shape_fn((rows / 2, columns), |(n, _)| (n * 7 % rows) as u16);
    let mut output = ndarray::Array2::zeros((rows / 2, 2 * columns));
    let mut view = output.slice_mut(s![.., ..;2]);
    let mapped = allocated(|| {
        Operator::elements(0).gather_map_into(&table, &ids, &mut view, |from| from[0]).unwrap();
    });
    assert!(mapped <= 16 << 20, "{mapped}");
    assert!(view.iter().all(|element| *element == 1_u8));
}
