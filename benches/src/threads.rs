//! What threads gain: `par_run` and `par_reduce` against `run` and `reduce`, on data of more and more bytes.

use strew::{Add, Gather, Layout, Scatter};

use crate::workloads::{Shape, Sizes, Workload};

/// The family of these workloads, which are no part of the other list: in place of the safe loop they have strew on one thread.
pub const THREADS: &str = "threads";

pub(crate) fn workloads(sizes: Sizes) -> Vec<Workload> {
    let Sizes { moved, far, matrix, .. } = sizes;
    // Of these rows a call moves 1, 2, 4 and 16 MiB: from 2 on it is divided.
    let rows = [16, 8, 4, 1].map(|part| gather_rows(64, far, moved / part));
    // Bins of 1 to 64 MiB: from 4 on they are divided.
    let bins = [far / 16, far / 8, far / 4, far, 4 * far].map(|bytes| histogram(bytes, moved));
    let axes = [0, 1].into_iter().flat_map(|axis| along(matrix, axis));
    let single = [far, 4 * far].map(|bytes| gather_rows(1, bytes, moved));
    rows.into_iter().chain(single).chain([scatter_rows(64, far, moved)]).chain(axes).chain(bins).collect()
}

fn shape(name: String, moved: usize, table: usize, indexed: usize) -> Shape {
    Shape { family: THREADS, name, from: table, to: moved, tuples: moved, sizes: vec![indexed], moved, touched: 2 }
}

fn gather_rows(width: usize, bytes: usize, moved: usize) -> Workload {
    let (rows, count) = (bytes / size_of::<f32>() / width, moved / width);
    let [table, output] = [[rows, width], [count, width]].map(Layout::contiguous);
    let gather = Gather::axis(&table, &Layout::contiguous([count]), &output, 0).unwrap();
    let name = format!("gather {} from {}, rows of {width}", size(moved * size_of::<f32>()), size(bytes));
    Shape { tuples: count, ..shape(name, moved, rows * width, rows) }.of::<f32, i64>(
        move |table, indices, output| gather.par_run(table, indices, output),
        move |table, indices, output| gather.run(table, indices, output).unwrap(),
    )
}

fn scatter_rows(width: usize, bytes: usize, moved: usize) -> Workload {
    let (rows, count) = (bytes / size_of::<f32>() / width, moved / width);
    let [data, updates] = [[rows, width], [count, width]].map(Layout::contiguous);
    let scatter = Scatter::axis(&data, &Layout::contiguous([count]), &updates, 0).unwrap();
    let name = format!("scatter {} into {}, rows of {width}", size(moved * size_of::<f32>()), size(bytes));
    Shape { from: moved, to: rows * width, tuples: count, ..shape(name, moved, 0, rows) }.of::<f32, i64>(
        move |updates, indices, data| scatter.par_run(data, indices, updates),
        move |updates, indices, data| scatter.run(data, indices, updates).unwrap(),
    )
}

/// `elements` along an axis of a matrix.
fn along(sizes: [usize; 2], axis: usize) -> [Workload; 2] {
    let layout = Layout::contiguous(sizes);
    let gather = Gather::elements(&layout, &layout, &layout, axis).unwrap();
    let scatter = Scatter::elements(&layout, &layout, &layout, axis).unwrap();
    let [rows, columns] = sizes;
    let shape = |name| shape(format!("{name}, axis {axis} of [{rows}, {columns}]"), rows * columns, rows * columns, sizes[axis]);
    [
        shape("gather elements").of::<f32, i64>(
            move |table, indices, output| gather.par_run(table, indices, output),
            move |table, indices, output| gather.run(table, indices, output).unwrap(),
        ),
        Shape { touched: 3, ..shape("add elements") }.of::<f32, i64>(
            move |updates, indices, data| scatter.par_reduce(Add, data, indices, updates),
            move |updates, indices, data| scatter.reduce(Add, data, indices, updates).unwrap(),
        ),
    ]
}

fn histogram(bytes: usize, moved: usize) -> Workload {
    let bins = bytes / size_of::<f32>();
    let updates = Layout::contiguous([moved]);
    let scatter = Scatter::axis(&Layout::contiguous([bins]), &updates, &updates, 0).unwrap();
    let name = format!("histogram, bins of {}", size(bytes));
    Shape { from: moved, to: bins, touched: 3, ..shape(name, moved, 0, bins) }.of::<f32, i64>(
        move |updates, indices, data| scatter.par_reduce(Add, data, indices, updates),
        move |updates, indices, data| scatter.reduce(Add, data, indices, updates).unwrap(),
    )
}

fn size(bytes: usize) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}
