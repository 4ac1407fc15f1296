//! What threads gain: `par_run` and `par_reduce` against `run` and `reduce`, on data of more and
//! more bytes, and the same of maps and bags.

use half::f16;
use strew::quant::f16_to_f32;
use strew::{Add, Assign, Gather, Layout, Scatter};

use crate::bag;
use crate::inputs::tuples;
use crate::workloads::{self, Shape, Sizes, Workload, pair_scatter, row_gather, row_scatter};

/// The family of these workloads, which are no part of the other list: in place of the safe loop
/// they have strew on one thread.
pub const THREADS: &str = "threads";

pub(crate) fn workloads(sizes: Sizes) -> Vec<Workload> {
    let Sizes { moved, far, memory, matrix, .. } = sizes;
    // Of these rows a call moves 1, 2, 4 and 16 MiB: from 2 on it is divided.
    let rows = [16, 8, 4, 1].map(|part| gather_rows(64, far, moved / part));
    // Bins of 1 to 64 MiB: beyond a part of the caches they are divided.
    let bins = [far / 16, far / 8, far / 4, far, 4 * far].map(|bytes| histogram(bytes, moved));
    let axes = [0, 1].into_iter().flat_map(|axis| along(matrix, axis));
    let single = [far, 4 * far].map(|bytes| gather_rows(1, bytes, moved));
    let scattered = [far / 16, far].map(|bytes| scatter_rows(64, bytes, moved));
    let pairs = [far / 4, far].map(|bytes| scatter_pairs(bytes, moved / 4));
    let repeated = [far, 4 * far].map(|bytes| repeated(bytes, moved));
    rows.into_iter()
        .chain(single)
        .chain(scattered)
        .chain(pairs)
        .chain(axes)
        .chain(bins)
        .chain(repeated)
        .chain([half_rows(far, moved), half_rows(memory, moved)])
        .chain(bag::workloads(THREADS, memory / 256, moved))
        .collect()
}

fn gather_rows(width: usize, bytes: usize, moved: usize) -> Workload {
    let name =
        format!("gather {} from {}, rows of {width}", size(moved * size_of::<f32>()), size(bytes));
    let (shape, gather) = row_gather(THREADS, name, bytes / size_of::<f32>() / width, width, moved);
    shape
        .of::<f32, i64>(
            move |table, indices, output| gather.par_run(table, indices, output),
            move |table, indices, output| gather.run(table, indices, output).unwrap(),
        )
        .gathers::<f32, i64>(gather)
}

/// Rows of `f16`, as `f32`.
fn half_rows(bytes: usize, moved: usize) -> Workload {
    let name = format!("gather {} from {}, f16 as f32", size(moved * 4), size(bytes));
    let (shape, gather) = row_gather(THREADS, name, bytes / size_of::<f16>() / 64, 64, moved);
    let rows = shape.sizes.clone();
    let indices = move || tuples(moved / 64, &rows);
    let all = move |table: &[f16], indices: &[i64], output: &mut [f32]| {
        gather.par_run_map(table, indices, output, f16_to_f32)
    };
    let one = move |table: &[f16], indices: &[i64], output: &mut [f32]| {
        gather.run_map(table, indices, output, f16_to_f32).unwrap();
    };
    shape.between(indices, all, one).gathers::<f16, i64>(gather)
}

fn scatter_rows(width: usize, bytes: usize, moved: usize) -> Workload {
    let name =
        format!("scatter {} into {}, rows of {width}", size(moved * size_of::<f32>()), size(bytes));
    let (shape, scatter) =
        row_scatter(THREADS, name, bytes / size_of::<f32>() / width, width, moved, 2);
    shape
        .of::<f32, i64>(
            move |updates, indices, data| scatter.par_run(data, indices, updates),
            move |updates, indices, data| scatter.run(data, indices, updates).unwrap(),
        )
        .scatters::<f32, i64, Assign>(scatter)
}

fn scatter_pairs(bytes: usize, moved: usize) -> Workload {
    let side = (bytes / size_of::<f32>()).isqrt();
    let name = format!("scatter {} into {}, pairs", size(moved * size_of::<f32>()), size(bytes));
    let (shape, scatter) = pair_scatter(THREADS, name, moved, [side, side], 2);
    shape
        .of::<f32, i64>(
            move |updates, indices, data| scatter.par_run(data, indices, updates),
            move |updates, indices, data| scatter.run(data, indices, updates).unwrap(),
        )
        .scatters::<f32, i64, Assign>(scatter)
}

/// `elements` along an axis of a matrix.
fn along(sizes: [usize; 2], axis: usize) -> [Workload; 2] {
    let layout = Layout::contiguous(sizes);
    let gather = Gather::elements(&layout, &layout, &layout, axis).unwrap();
    let scatter = Scatter::elements(&layout, &layout, &layout, axis).unwrap();
    let [rows, columns] = sizes;
    let moved = rows * columns;
    let shape = |name, touched| Shape {
        family: THREADS,
        name: format!("{name}, axis {axis} of [{rows}, {columns}]"),
        from: moved,
        to: moved,
        tuples: moved,
        sizes: vec![sizes[axis]],
        moved,
        touched,
    };
    [
        shape("gather elements", 2)
            .of::<f32, i64>(
                move |table, indices, output| gather.par_run(table, indices, output),
                move |table, indices, output| gather.run(table, indices, output).unwrap(),
            )
            .gathers::<f32, i64>(gather),
        shape("add elements", 3)
            .of::<f32, i64>(
                move |updates, indices, data| scatter.par_reduce(Add, data, indices, updates),
                move |updates, indices, data| scatter.reduce(Add, data, indices, updates).unwrap(),
            )
            .scatters::<f32, i64, Add>(scatter),
    ]
}

fn histogram(bytes: usize, moved: usize) -> Workload {
    let (shape, scatter) = row_scatter(
        THREADS,
        format!("histogram, bins of {}", size(bytes)),
        bytes / size_of::<f32>(),
        1,
        moved,
        3,
    );
    shape
        .of::<f32, i64>(
            move |updates, indices, data| scatter.par_reduce(Add, data, indices, updates),
            move |updates, indices, data| scatter.reduce(Add, data, indices, updates).unwrap(),
        )
        .scatters::<f32, i64, Add>(scatter)
}

fn repeated(bytes: usize, moved: usize) -> Workload {
    let name = format!("histogram, bins of {}, one update", size(bytes));
    let (shape, scatter) = workloads::histogram(THREADS, name, bytes / size_of::<f32>(), moved);
    shape
        .of::<f32, i64>(
            move |updates, indices, data| scatter.par_reduce(Add, data, indices, updates),
            move |updates, indices, data| scatter.reduce(Add, data, indices, updates).unwrap(),
        )
        .scatters::<f32, i64, Add>(scatter)
}

fn size(bytes: usize) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}
