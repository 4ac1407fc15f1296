//! Shapes that are not plain: short lanes, columns with gaps, one update for whole rows, elements
//! of three bytes, short rows that are converted. They are what the thresholds of the traversal
//! were measured with.

use strew::{Add, Assign, Gather, Layout, Scatter};

use crate::safe;
use crate::workloads::{Shape, Workload};

/// The name of the family.
pub const SHAPES: &str = "shapes";

pub fn workloads(quick: bool) -> Vec<Workload> {
    let moved = if quick { 1 << 12 } else { 1 << 20 };
    let lanes = [[2, 2], [3, 3], [1, 5], [9, 9], [2, 31]];
    let mut list: Vec<_> = lanes.into_iter().map(|lanes| take_lanes(moved, lanes, false)).collect();
    list.push(add_lanes(moved, [3, 3]));
    list.extend([[3, 3], [2, 31]].map(|lanes| take_lanes(moved, lanes, true)));
    list.push(Workload {
        name: "elements, 3 lanes of 3, transposed, L2".into(),
        ..take_lanes(moved / 64, [3, 3], true)
    });
    list.extend(
        [(1024, 3), (1024, 50), (1, 50)].map(|(rows, width)| add_gaps(8 * moved, rows, width)),
    );
    list.push(set_rows(moved));
    list.push(add_rows(moved));
    list.push(put_pixels(moved));
    list.extend([1, 3, 16].map(|width| map_rows(moved, width)));
    list
}

/// Tables of 8 planes, and for each 4 planes of indices with some lanes. `transposed`: the output
/// has the last two dimensions in the other order.
fn lanes(
    name: String,
    moved: usize,
    [rows, columns]: [usize; 2],
    transposed: bool,
    touched: usize,
) -> (Shape, [Layout; 3]) {
    let (plane, size, entries) = (rows * columns, 8, 4);
    let tables = moved / (entries * plane);
    let sizes = [tables, entries, rows, columns];
    let table = Layout::contiguous([tables, size, rows + 1, columns + 1]);
    let steps = if transposed { [1, rows] } else { [columns, 1] };
    let strides = [entries * plane, plane, steps[0], steps[1]].map(|stride| stride as isize);
    let count = tables * entries * plane;
    let shape = Shape {
        family: SHAPES,
        name,
        from: tables * size * (rows + 1) * (columns + 1),
        to: count,
        tuples: count,
        sizes: vec![size],
        moved: count,
        touched,
    };
    (shape, [table, Layout::contiguous(sizes), Layout::strided(sizes, strides)])
}

fn take_lanes(moved: usize, sizes: [usize; 2], transposed: bool) -> Workload {
    let [rows, columns] = sizes;
    let order = if transposed { ", transposed" } else { "" };
    let name = format!("elements, {rows} lanes of {columns}{order}");
    let (shape, [table, indices, output]) = lanes(name, moved, sizes, transposed, 2);
    let gather = Gather::elements(&table, &indices, &output, 1).unwrap();
    shape
        .of::<f32, i64>(
            move |table, indices, output| gather.run(table, indices, output),
            move |table, indices, output| {
                safe::each_of_lanes(indices, sizes, |number, place, inside| {
                    let flat = number - inside;
                    let [row, column] = [inside / columns, inside % columns];
                    let inside = if transposed { column * rows + row } else { inside };
                    output[flat + inside] = table[place];
                });
            },
        )
        .gathers::<f32, i64>(gather)
}

fn add_lanes(moved: usize, sizes: [usize; 2]) -> Workload {
    let [rows, columns] = sizes;
    let name = format!("elements added, {rows} lanes of {columns}");
    let (shape, [table, indices, updates]) = lanes(name, moved, sizes, false, 3);
    let scatter = Scatter::elements(&table, &indices, &updates, 1).unwrap();
    let (from, to) = (shape.to, shape.from);
    Shape { from, to, ..shape }
        .of::<f32, i64>(
            move |updates, indices, data| scatter.reduce(Add, data, indices, updates),
            move |updates, indices, data| {
                safe::each_of_lanes(indices, sizes, |number, place, _| {
                    data[place] += updates[number];
                });
            },
        )
        .scatters::<f32, i64, Add>(scatter)
}

/// Rows of `width` elements are added to every second element of the rows of the data.
fn add_gaps(moved: usize, rows: usize, width: usize) -> Workload {
    let (count, pitch) = (moved / width, 2 * width);
    let data = Layout::strided([rows, width], [pitch as isize, 2]);
    let (indices, updates) = (Layout::contiguous([count]), Layout::contiguous([count, width]));
    let scatter = Scatter::axis(&data, &indices, &updates, 0).unwrap();
    Shape {
        family: SHAPES,
        name: format!("add rows of {width} with gaps into {rows}"),
        from: count * width,
        to: rows * pitch,
        tuples: count,
        sizes: vec![rows],
        moved: count * width,
        touched: 3,
    }
    .of::<f32, i64>(
        move |updates, indices, data| scatter.reduce(Add, data, indices, updates),
        move |updates, indices, data| safe::add_to_gaps(data, indices, updates, pitch),
    )
    .scatters::<f32, i64, Add>(scatter)
}

const WIDTH: usize = 64;

/// One update for all elements of rows.
fn one_update(name: &str, moved: usize, touched: usize) -> (Shape, Scatter) {
    let (rows, count) = (4096, moved / WIDTH);
    let updates = Layout::strided([count, WIDTH], [0, 0]);
    let data = Layout::contiguous([rows, WIDTH]);
    let scatter = Scatter::axis(&data, &Layout::contiguous([count]), &updates, 0).unwrap();
    let shape = Shape {
        family: SHAPES,
        name: format!("{name} {WIDTH} f32, one update"),
        from: 1,
        to: rows * WIDTH,
        tuples: count,
        sizes: vec![rows],
        moved: count * WIDTH,
        touched,
    };
    (shape, scatter)
}

fn set_rows(moved: usize) -> Workload {
    let (shape, scatter) = one_update("set rows of", moved, 1);
    shape
        .of::<f32, i64>(
            move |updates, indices, data| scatter.run(data, indices, updates),
            move |updates, indices, data| {
                safe::each_row(data, indices, WIDTH, |row| row.fill(updates[0]));
            },
        )
        .scatters::<f32, i64, Assign>(scatter)
}

fn add_rows(moved: usize) -> Workload {
    let (shape, scatter) = one_update("add to rows of", moved, 2);
    shape
        .of::<f32, i64>(
            move |updates, indices, data| scatter.reduce(Add, data, indices, updates),
            move |updates, indices, data| {
                safe::each_row(data, indices, WIDTH, |row| {
                    row.iter_mut().for_each(|current| *current += updates[0]);
                });
            },
        )
        .scatters::<f32, i64, Add>(scatter)
}

fn put_pixels(moved: usize) -> Workload {
    let (places, pixels) = (Layout::contiguous([1 << 14]), Layout::contiguous([moved]));
    let scatter = Scatter::axis(&places, &pixels, &pixels, 0).unwrap();
    Shape {
        family: SHAPES,
        name: "set pixels of 3 bytes".into(),
        from: moved,
        to: 1 << 14,
        tuples: moved,
        sizes: vec![1 << 14],
        moved,
        touched: 2,
    }
    .of::<[u8; 3], i64>(
        move |updates, indices, data| scatter.run(data, indices, updates),
        move |updates, indices, data| safe::put_scalars(data, indices, updates),
    )
    .scatters::<[u8; 3], i64, Assign>(scatter)
}

/// Rows that stay in L1 are gathered through a function.
fn map_rows(moved: usize, width: usize) -> Workload {
    let (rows, count) = (256, moved / width);
    let [table, output] = [[rows, width], [count, width]].map(Layout::contiguous);
    let gather = Gather::axis(&table, &Layout::contiguous([count]), &output, 0).unwrap();
    let half = |value: f32| value * 0.5;
    Shape {
        family: SHAPES,
        name: format!("halves of rows of {width}"),
        from: rows * width,
        to: count * width,
        tuples: count,
        sizes: vec![rows],
        moved: count * width,
        touched: 2,
    }
    .of::<f32, i64>(
        move |table, indices, output| gather.run_map(table, indices, output, half),
        move |table, indices, output| {
            for (index, to) in indices.iter().zip(output.chunks_exact_mut(width)) {
                let from = &table[*index as usize * width..][..width];
                to.iter_mut().zip(from).for_each(|(to, from)| *to = half(*from));
            }
        },
    )
    .gathers::<f32, i64>(gather)
}
