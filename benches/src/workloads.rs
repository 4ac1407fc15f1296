//! The list of workloads.

use std::hint::black_box;

use half::f16;
use strew::{Add, Assign, Error, Gather, Layout, Max, Reduction, Scatter, plan};

use crate::inputs::{Aligned, Resolve, Value, fill, tuples, values};
use crate::quant::QUANT;
use crate::shapes::{self, SHAPES};
use crate::{bag, masks, quant, safe, spatter, threads};

/// The families, in the order of the list.
pub const FAMILIES: [&str; 12] = [
    "rows", "elements", "tuples", "axis", "reduce", "bag", "masks", "ladder", "tiny", "spatter",
    SHAPES, QUANT,
];

/// The family whose figures are those of one call, with constant inputs.
pub const TINY: &str = "tiny";

/// One operator on one shape.
pub struct Workload {
    /// One of [`FAMILIES`], or [`THREADS`](crate::threads::THREADS).
    pub family: &'static str,
    /// Unique in its family.
    pub name: String,
    /// The elements that one run moves; 1 in [`TINY`], so that figures are those of one call.
    pub elements: usize,
    /// The bytes of indices and of elements read and written by one run.
    pub bytes: usize,
    pub(crate) make: Box<dyn Fn() -> Box<dyn Ready>>,
    pub(crate) route: Box<dyn Fn(usize) -> String>,
}

impl Workload {
    /// Allocates the inputs and fills them.
    pub fn make(&self) -> Box<dyn Ready> {
        (self.make)()
    }

    /// What the call does on this machine, with this number of threads.
    pub fn route(&self, threads: usize) -> String {
        (self.route)(threads)
    }

    /// Says of which operator the call is.
    pub(crate) fn gathers<T: Value, I: Resolve>(self, gather: Gather) -> Workload {
        let route = move |threads| gather.explain::<T, I>(threads).to_string();
        Workload { route: Box::new(route), ..self }
    }

    /// Says what a bag does.
    pub(crate) fn bags(self) -> Workload {
        Workload { route: Box::new(|_| "rows reduced in registers".to_owned()), ..self }
    }

    /// The same for a scatter, and its reduction.
    pub(crate) fn scatters<T: Value, I: Resolve, R: Reduction<T>>(
        self,
        scatter: Scatter,
    ) -> Workload {
        let route = move |threads| scatter.explain::<T, I, R>(threads).to_string();
        Workload { route: Box::new(route), ..self }
    }
}

/// A workload with its inputs. Both sides work on the same memory.
pub trait Ready {
    /// Runs strew.
    fn strew(&mut self, times: u64);

    /// Runs the loop that a user would write in safe Rust; in the family
    /// [`THREADS`](crate::threads::THREADS), strew on one thread.
    fn safe_loop(&mut self, times: u64);

    /// Runs both from the same state. Whether the results are the same, bit for bit.
    fn agrees(&mut self) -> bool;
}

/// `from` is read, `to` is written: input and output of a gather, updates and data of a scatter.
pub(crate) struct Case<T, I, U, S, L> {
    pub from: Aligned<T>,
    pub indices: Aligned<I>,
    pub to: Aligned<U>,
    pub strew: S,
    pub safe_loop: L,
}

impl<T, I, U, S, L> Ready for Case<T, I, U, S, L>
where
    T: Value,
    U: Value,
    S: FnMut(&[T], &[I], &mut [U]) -> Result<(), Error>,
    L: FnMut(&[T], &[I], &mut [U]),
{
    fn strew(&mut self, times: u64) {
        for _ in 0..times {
            black_box((self.strew)(
                black_box(&self.from),
                black_box(&self.indices),
                black_box(&mut self.to),
            ))
            .unwrap();
        }
    }

    fn safe_loop(&mut self, times: u64) {
        for _ in 0..times {
            (self.safe_loop)(
                black_box(&self.from),
                black_box(&self.indices),
                black_box(&mut self.to),
            );
        }
    }

    fn agrees(&mut self) -> bool {
        fill(&mut self.to, TO);
        self.strew(1);
        let ours = self.to.to_vec();
        fill(&mut self.to, TO);
        self.safe_loop(1);
        bytemuck::cast_slice::<U, u8>(&ours) == bytemuck::cast_slice::<U, u8>(&self.to)
    }
}

/// The seeds of what is read and of what is written.
pub(crate) const FROM: u64 = 1;
pub(crate) const TO: u64 = 2;

/// The number of elements that most workloads move, and the bytes of tables that fit L2, fit L3,
/// and fit neither.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub moved: usize,
    pub near: usize,
    pub far: usize,
    pub memory: usize,
    /// `[rows, columns]` of the family `elements`.
    pub matrix: [usize; 2],
}

const FULL: Sizes =
    Sizes { moved: 1 << 22, near: 1 << 20, far: 16 << 20, memory: 256 << 20, matrix: [4096, 1024] };
const QUICK: Sizes =
    Sizes { moved: 1 << 14, near: 1 << 14, far: 1 << 15, memory: 1 << 16, matrix: [64, 80] };

/// What is common to all workloads of one line of the list.
pub(crate) struct Shape {
    pub family: &'static str,
    pub name: String,
    /// Lengths of what is read and what is written.
    pub from: usize,
    pub to: usize,
    /// The number of tuples, and the sizes of the dimensions that they index.
    pub tuples: usize,
    pub sizes: Vec<usize>,
    pub moved: usize,
    /// How often an element is read or written: a copy 2, a reduction 3.
    pub touched: usize,
}

impl Shape {
    /// The workload with random indices.
    pub fn of<T: Value, I: Resolve>(
        self,
        strew: impl Fn(&[T], &[I], &mut [T]) -> Result<(), Error> + Clone + 'static,
        safe_loop: impl Fn(&[T], &[I], &mut [T]) + Clone + 'static,
    ) -> Workload {
        let (count, sizes) = (self.tuples, self.sizes.clone());
        self.with_indices(move || tuples(count, &sizes), strew, safe_loop)
    }

    /// The workload with indices of its own.
    pub fn with_indices<T: Value, I: Resolve>(
        self,
        indices: impl Fn() -> Vec<I> + 'static,
        strew: impl Fn(&[T], &[I], &mut [T]) -> Result<(), Error> + Clone + 'static,
        safe_loop: impl Fn(&[T], &[I], &mut [T]) + Clone + 'static,
    ) -> Workload {
        self.between(indices, strew, safe_loop)
    }

    /// The same where what is written has another type than what is read.
    pub fn between<T: Value, U: Value, I: Resolve>(
        self,
        indices: impl Fn() -> Vec<I> + 'static,
        strew: impl Fn(&[T], &[I], &mut [U]) -> Result<(), Error> + Clone + 'static,
        safe_loop: impl Fn(&[T], &[I], &mut [U]) + Clone + 'static,
    ) -> Workload {
        let Shape { family, name, from, to, tuples, sizes, moved, touched } = self;
        let bytes = moved * touched * size_of::<T>() + tuples * sizes.len() * size_of::<I>();
        let make = move || -> Box<dyn Ready> {
            let (strew, safe_loop) = (strew.clone(), safe_loop.clone());
            Box::new(Case {
                from: values(from, FROM).into(),
                indices: indices().into(),
                to: values(to, TO).into(),
                strew,
                safe_loop,
            })
        };
        Workload {
            family,
            name,
            elements: if family == TINY { 1 } else { moved },
            bytes,
            make: Box::new(make),
            route: Box::new(|_| String::new()),
        }
    }
}

/// All workloads. `quick`: the same ones on small tensors, to show that they work.
pub fn all(quick: bool) -> Vec<Workload> {
    let sizes = if quick { QUICK } else { FULL };
    let spatter = spatter::workloads(sizes);
    [
        rows(sizes),
        elements(sizes),
        by_tuples(quick),
        axis(quick),
        reduce(sizes, quick),
        bag::workloads("bag", sizes.memory / 256, sizes.moved),
        masks::workloads(if quick { 1 << 12 } else { 1 << 24 }),
        ladder(sizes),
        tiny(),
        spatter,
        shapes::workloads(quick),
        quant::workloads(quick),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The workloads that threads are measured with, in a list of their own.
pub fn with_threads(quick: bool) -> Vec<Workload> {
    // Enough for several threads.
    let quick_sizes = Sizes { moved: 1 << 20, far: 4 << 20, matrix: [2048, 512], ..QUICK };
    let rows = quant::with_threads(quick);
    threads::workloads(if quick { quick_sizes } else { FULL }).into_iter().chain(rows).collect()
}

/// For an embedding: rows of a table, by `i64`.
fn rows(sizes: Sizes) -> Vec<Workload> {
    let tables = [("L2", sizes.near), ("L3", sizes.far), ("memory", sizes.memory)];
    let mut list = Vec::new();
    for (place, bytes) in tables {
        for width in [4, 16, 64, 300] {
            list.push(take_rows::<f32>("f32", place, bytes, width, sizes.moved));
        }
        list.push(take_rows::<f16>("f16", place, bytes, 64, sizes.moved));
    }
    for (place, bytes) in tables {
        list.push(put_rows(place, bytes, 64, sizes.moved));
    }
    list
}

fn take_rows<T: Value>(
    element: &str,
    place: &str,
    bytes: usize,
    width: usize,
    moved: usize,
) -> Workload {
    let (shape, gather) = row_gather(
        "rows",
        format!("gather {width} {element}, {place}"),
        bytes / size_of::<T>() / width,
        width,
        moved,
    );
    shape
        .of::<T, i64>(
            move |table, indices, output| gather.run(table, indices, output),
            move |table, indices, output| safe::take(table, indices, output, width),
        )
        .gathers::<T, i64>(gather)
}

fn put_rows(place: &str, bytes: usize, width: usize, moved: usize) -> Workload {
    let rows = bytes / size_of::<f32>() / width;
    let (shape, scatter) =
        row_scatter("rows", format!("scatter {width} f32, {place}"), rows, width, moved, 2);
    shape
        .of::<f32, i64>(
            move |updates, indices, data| scatter.run(data, indices, updates),
            move |updates, indices, data| safe::put(data, indices, updates, width),
        )
        .scatters::<f32, i64, Assign>(scatter)
}

/// Rows of `width` elements, from a table of `rows`.
pub(crate) fn row_gather(
    family: &'static str,
    name: String,
    rows: usize,
    width: usize,
    moved: usize,
) -> (Shape, Gather) {
    let count = moved / width;
    let [table, output] = [[rows, width], [count, width]].map(Layout::contiguous);
    let gather = Gather::axis(&table, &Layout::contiguous([count]), &output, 0).unwrap();
    let (from, to) = (rows * width, count * width);
    (
        Shape { family, name, from, to, tuples: count, sizes: vec![rows], moved: to, touched: 2 },
        gather,
    )
}

/// Rows of `width` elements, into `rows`.
pub(crate) fn row_scatter(
    family: &'static str,
    name: String,
    rows: usize,
    width: usize,
    moved: usize,
    touched: usize,
) -> (Shape, Scatter) {
    let count = moved / width;
    let [data, updates] = [[rows, width], [count, width]].map(Layout::contiguous);
    let scatter = Scatter::axis(&data, &Layout::contiguous([count]), &updates, 0).unwrap();
    let (from, to) = (count * width, rows * width);
    (
        Shape { family, name, from, to, tuples: count, sizes: vec![rows], moved: from, touched },
        scatter,
    )
}

/// One index for every element, by `i64`.
fn elements(sizes: Sizes) -> Vec<Workload> {
    let [rows, columns] = sizes.matrix;
    let layout = Layout::contiguous(sizes.matrix);
    let shape = |name: &str, axis: usize, touched| Shape {
        family: "elements",
        name: format!("{name}, axis {axis}"),
        from: rows * columns,
        to: rows * columns,
        tuples: rows * columns,
        sizes: vec![sizes.matrix[axis]],
        moved: rows * columns,
        touched,
    };
    let gather = |axis| Gather::elements(&layout, &layout, &layout, axis).unwrap();
    let (down, along) = (gather(0), gather(1));
    let mut list = vec![
        shape("gather", 0, 2)
            .of::<f32, i64>(
                move |table, indices, output| down.run(table, indices, output),
                move |table, indices, output| safe::take_down(table, indices, output, columns),
            )
            .gathers::<f32, i64>(down),
        shape("gather", 1, 2)
            .of::<f32, i64>(
                move |table, indices, output| along.run(table, indices, output),
                move |table, indices, output| safe::take_along(table, indices, output, columns),
            )
            .gathers::<f32, i64>(along),
    ];
    for axis in 0..2 {
        let scatter = Scatter::elements(&layout, &layout, &layout, axis).unwrap();
        list.push(
            combined(
                shape("scatter set", axis, 2),
                columns,
                axis,
                set,
                move |data, indices, updates| scatter.run(data, indices, updates),
            )
            .scatters::<f32, i64, Assign>(scatter),
        );
        list.push(
            combined(shape("scatter add", axis, 3), columns, axis, add, reduced(scatter, Add))
                .scatters::<f32, i64, Add>(scatter),
        );
        list.push(
            combined(shape("scatter max", axis, 3), columns, axis, f32::max, reduced(scatter, Max))
                .scatters::<f32, i64, Max>(scatter),
        );
    }
    list
}

/// A scatter of single elements against the loop that combines by a function.
fn combined(
    shape: Shape,
    columns: usize,
    axis: usize,
    combine: impl Fn(f32, f32) -> f32 + Copy + 'static,
    strew: impl Fn(&mut [f32], &[i64], &[f32]) -> Result<(), Error> + Clone + 'static,
) -> Workload {
    shape.of(
        move |updates, indices, data| strew(data, indices, updates),
        move |updates, indices, data| match axis {
            0 => safe::combine_down(data, indices, updates, columns, combine),
            _ => safe::combine_along(data, indices, updates, columns, combine),
        },
    )
}

fn reduced<R: Reduction<f32> + Copy>(
    scatter: Scatter,
    reduction: R,
) -> impl Fn(&mut [f32], &[i64], &[f32]) -> Result<(), Error> + Clone {
    move |data, indices, updates| scatter.reduce(reduction, data, indices, updates)
}

fn set(_: f32, update: f32) -> f32 {
    update
}

fn add(current: f32, update: f32) -> f32 {
    current + update
}

/// Tuples of coordinates, by `i64`.
fn by_tuples(quick: bool) -> Vec<Workload> {
    let [many, few] = if quick { [1 << 12, 1 << 8] } else { [1 << 20, 1 << 14] };
    vec![
        take_tuples(many, [512, 512]),
        take_tuples(many, [64, 64, 64]),
        take_tuples(many, [16, 32, 16, 32]),
        take_rows_by_tuples(few, [64, 64], 256),
        take_rows_by_tuples(few, [16, 16, 16], 64),
        put_pairs(many, [1024, 1024], "set"),
        put_pairs(many, [1024, 1024], "add"),
        take_planes(many, [512, 512]),
        count_windows(many),
    ]
}

fn take_tuples<const K: usize>(count: usize, sizes: [usize; K]) -> Workload {
    let (table, indices) = (Layout::contiguous(sizes), Layout::contiguous([count, K]));
    let gather = Gather::nd(&table, &indices, &Layout::contiguous([count]), 0).unwrap();
    Shape {
        family: "tuples",
        name: format!("gather by {K} coordinates"),
        from: sizes.iter().product(),
        to: count,
        tuples: count,
        sizes: sizes.to_vec(),
        moved: count,
        touched: 2,
    }
    .of::<f32, i64>(
        move |table, indices, output| gather.run(table, indices, output),
        move |table, indices, output| safe::take_tuples(table, indices, output, sizes),
    )
    .gathers::<f32, i64>(gather)
}

fn take_rows_by_tuples<const K: usize>(count: usize, sizes: [usize; K], width: usize) -> Workload {
    let mut all = sizes.to_vec();
    all.push(width);
    let (table, indices) = (Layout::from_sizes(&all).unwrap(), Layout::contiguous([count, K]));
    let gather = Gather::nd(&table, &indices, &Layout::contiguous([count, width]), 0).unwrap();
    Shape {
        family: "tuples",
        name: format!("gather {width} f32 by {K} coordinates"),
        from: all.iter().product(),
        to: count * width,
        tuples: count,
        sizes: sizes.to_vec(),
        moved: count * width,
        touched: 2,
    }
    .of::<f32, i64>(
        move |table, indices, output| gather.run(table, indices, output),
        move |table, indices, output| {
            safe::take_rows_by_tuples(table, indices, output, sizes, width)
        },
    )
    .gathers::<f32, i64>(gather)
}

fn put_pairs(count: usize, sizes: [usize; 2], operation: &str) -> Workload {
    let name = format!("scatter {operation} by 2 coordinates");
    let (shape, scatter) =
        pair_scatter("tuples", name, count, sizes, if operation == "set" { 2 } else { 3 });
    match operation {
        "set" => shape
            .of::<f32, i64>(
                move |updates, indices, data| scatter.run(data, indices, updates),
                move |updates, indices, data| {
                    safe::combine_tuples(data, indices, updates, sizes, set)
                },
            )
            .scatters::<f32, i64, Assign>(scatter),
        _ => shape
            .of::<f32, i64>(
                move |updates, indices, data| scatter.reduce(Add, data, indices, updates),
                move |updates, indices, data| {
                    safe::combine_tuples(data, indices, updates, sizes, add)
                },
            )
            .scatters::<f32, i64, Add>(scatter),
    }
}

/// All first coordinates before all second ones.
fn take_planes(count: usize, sizes: [usize; 2]) -> Workload {
    let (table, planes) =
        (Layout::contiguous(sizes), Layout::strided([count, 2], [1, count as isize]));
    let gather = Gather::nd(&table, &planes, &Layout::contiguous([count]), 0).unwrap();
    let [rows, columns] = sizes;
    let (name, from) = ("gather by 2 coordinates in planes".into(), rows * columns);
    Shape {
        family: "tuples",
        name,
        from,
        to: count,
        tuples: count,
        sizes: sizes.into(),
        moved: count,
        touched: 2,
    }
    .with_indices::<f32, i64>(
        move || {
            let pairs = tuples(count, &sizes);
            [0, 1].map(|k| pairs.iter().skip(k).step_by(2).copied().collect::<Vec<_>>()).concat()
        },
        move |table, indices, output| gather.run(table, indices, output),
        move |table, indices, output| safe::take_planes(table, indices, output, sizes),
    )
    .gathers::<f32, i64>(gather)
}

/// The pairs of neighbours in a text.
fn count_windows(count: usize) -> Workload {
    let (data, windows) = (Layout::contiguous([256, 256]), Layout::strided([count, 2], [1, 1]));
    let scatter = Scatter::nd(&data, &windows, &Layout::strided([count], [0]), 0).unwrap();
    let name = "histogram of byte pairs".into();
    Shape {
        family: "tuples",
        name,
        from: 1,
        to: 1 << 16,
        tuples: count + 1,
        sizes: vec![256],
        moved: count,
        touched: 2,
    }
    .of::<f32, u8>(
        move |updates, text, data| scatter.reduce(Add, data, text, updates),
        |updates, text, data| safe::add_pairs(data, text, updates[0]),
    )
    .scatters::<f32, u8, Add>(scatter)
}

/// Single elements by two coordinates.
pub(crate) fn pair_scatter(
    family: &'static str,
    name: String,
    count: usize,
    sizes: [usize; 2],
    touched: usize,
) -> (Shape, Scatter) {
    let (data, indices) = (Layout::contiguous(sizes), Layout::contiguous([count, 2]));
    let scatter = Scatter::nd(&data, &indices, &Layout::contiguous([count]), 0).unwrap();
    (
        Shape {
            family,
            name,
            from: count,
            to: sizes.iter().product(),
            tuples: count,
            sizes: sizes.to_vec(),
            moved: count,
            touched,
        },
        scatter,
    )
}

/// The same indices everywhere along an axis that is not the first, by `i64`.
fn axis(quick: bool) -> Vec<Workload> {
    let p = if quick { 1 } else { 64 };
    vec![
        take_inside("last axis", [64 * p, 1024, 1], 512),
        take_inside("middle axis, 4 f32", [16 * p, 256, 4], 256),
        take_inside("middle axis, 64 f32", [4 * p, 256, 64], 256),
    ]
}

fn take_inside(name: &str, sizes: [usize; 3], count: usize) -> Workload {
    let [before, size, width] = sizes;
    let (input, output) = (Layout::contiguous(sizes), Layout::contiguous([before, count, width]));
    let gather = Gather::axis(&input, &Layout::contiguous([count]), &output, 1).unwrap();
    let moved = before * count * width;
    Shape {
        family: "axis",
        name: format!("gather, {name}"),
        from: before * size * width,
        to: moved,
        tuples: count,
        sizes: vec![size],
        moved,
        touched: 2,
    }
    .of::<f32, i64>(
        move |input, indices, output| gather.run(input, indices, output),
        move |input, indices, output| safe::take_inside(input, indices, output, size, width),
    )
    .gathers::<f32, i64>(gather)
}

/// Sums, by `i64`.
fn reduce(sizes: Sizes, quick: bool) -> Vec<Workload> {
    let [rows, least, few, more, many] = if quick {
        [64, 1 << 6, 1 << 8, 1 << 10, 1 << 12]
    } else {
        [4096, 1 << 12, 1 << 16, 1 << 20, 1 << 24]
    };
    let widths = [3, 4, 8, 16, 32, 64];
    let added = widths.map(|width| {
        sums(format!("add rows of {width} f32 into 1 MiB"), rows * 64 / width, width, sizes.moved)
    });
    let counted = [("4K", least), ("64K", few), ("1M", more), ("16M", many)]
        .map(|(name, bins)| sums(format!("histogram, {name} bins"), bins, 1, sizes.moved));
    let repeated = [("64K", few), ("1M", more), ("16M", many)].map(|(name, bins)| {
        let (shape, scatter) =
            histogram("reduce", format!("histogram, {name} bins, one update"), bins, sizes.moved);
        shape
            .of::<f32, i64>(
                move |updates, indices, data| scatter.reduce(Add, data, indices, updates),
                |updates, indices, data| safe::add_scalar(data, indices, updates[0]),
            )
            .scatters::<f32, i64, Add>(scatter)
    });
    added.into_iter().chain(counted).chain(repeated).collect()
}

/// The same update for every index.
pub(crate) fn histogram(
    family: &'static str,
    name: String,
    bins: usize,
    moved: usize,
) -> (Shape, Scatter) {
    let updates = Layout::strided([moved], [0]);
    let scatter =
        Scatter::axis(&Layout::contiguous([bins]), &Layout::contiguous([moved]), &updates, 0)
            .unwrap();
    (
        Shape {
            family,
            name,
            from: 1,
            to: bins,
            tuples: moved,
            sizes: vec![bins],
            moved,
            touched: 2,
        },
        scatter,
    )
}

fn sums(name: String, rows: usize, width: usize, moved: usize) -> Workload {
    let (shape, scatter) = row_scatter("reduce", name, rows, width, moved, 3);
    shape
        .of::<f32, i64>(
            move |updates, indices, data| scatter.reduce(Add, data, indices, updates),
            move |updates, indices, data| match width {
                1 => safe::add_scalars(data, indices, updates),
                _ => safe::add(data, indices, updates, width),
            },
        )
        .scatters::<f32, i64, Add>(scatter)
}

/// Single `f32` by `i32`, from tables of more and more bytes, and four times as many; and set in
/// tables of some of these sizes.
fn ladder(sizes: Sizes) -> Vec<Workload> {
    let tables = [
        (4 << 10, "4 KiB"),
        (32 << 10, "32 KiB"),
        (256 << 10, "256 KiB"),
        (2 << 20, "2 MiB"),
        (16 << 20, "16 MiB"),
    ];
    let large = [(128 << 20, "128 MiB"), (512 << 20, "512 MiB")];
    let many = [(4 << 10, "4 KiB, many"), (1 << 20, "1 MiB, many"), (64 << 20, "64 MiB, many")];
    let step = |(moved, (bytes, name)): (usize, (usize, &str))| {
        let len = bytes.min(2 * sizes.memory) / size_of::<f32>();
        let layout = Layout::contiguous([moved]);
        let gather = Gather::axis(&Layout::contiguous([len]), &layout, &layout, 0).unwrap();
        Shape {
            family: "ladder",
            name: format!("gather from {name}"),
            from: len,
            to: moved,
            tuples: moved,
            sizes: vec![len],
            moved,
            touched: 2,
        }
        .of::<f32, i32>(
            move |table, indices, output| gather.run(table, indices, output),
            safe::take_scalars,
        )
        .gathers::<f32, i32>(gather)
    };
    let few = tables.into_iter().chain(large).map(|table| (sizes.moved, table));
    let set =
        [(32 << 10, "32 KiB"), (256 << 10, "256 KiB"), (1 << 20, "1 MiB"), (64 << 20, "64 MiB")]
            .map(|(bytes, name): (usize, &str)| {
                let len = bytes.min(2 * sizes.memory) / size_of::<f32>();
                let (shape, scatter) =
                    row_scatter("ladder", format!("set in {name}"), len, 1, sizes.moved, 2);
                shape
                    .of::<f32, i32>(
                        move |updates, indices, data| scatter.run(data, indices, updates),
                        |updates, indices, data| {
                            safe::put_scalars(data, indices, updates);
                        },
                    )
                    .scatters::<f32, i32, Assign>(scatter)
            });
    few.chain(many.map(|table| (4 * sizes.moved, table))).map(step).chain(set).collect()
}

const TABLE: Layout = Layout::contiguous([64, 8]);
const FOUR: Layout = Layout::contiguous([4]);
const ROWS: Layout = Layout::contiguous([4, 8]);
const BINS: Layout = Layout::contiguous([64]);
const LOOKUP: Gather = plan!(Gather::axis(&TABLE, &FOUR, &ROWS, 0));
const WRITE: Scatter = plan!(Scatter::axis(&BINS, &FOUR, &FOUR, 0));

/// One small call: with a constant plan, against rows of constant width; with a plan that is ready,
/// and with planning, against rows whose width comes at run time.
fn tiny() -> Vec<Workload> {
    let indices = || vec![3_i32, 60, -1, 17];
    let shape = |name: &str, [from, to]: [usize; 2], moved| Shape {
        family: TINY,
        name: name.to_owned(),
        from,
        to,
        tuples: 4,
        sizes: vec![64],
        moved,
        touched: 2,
    };
    let gather = |name: &str| shape(name, [512, 32], 32);
    let scatter = |name: &str| shape(name, [4, 64], 4);
    let (lookup, write, width) = (black_box(LOOKUP), black_box(WRITE), black_box(8));
    let take = move |table: &[f32], indices: &[i32], output: &mut [f32]| {
        safe::take(table, indices, output, width)
    };
    let put = |updates: &[f32], indices: &[i32], data: &mut [f32]| {
        safe::put_scalars(data, indices, updates)
    };
    vec![
        gather("gather 4 rows of 8, constant plan")
            .with_indices::<f32, i32>(
                indices,
                |input, ids, output| LOOKUP.run(input, ids, output),
                |table, ids, output| safe::take(table, ids, output, 8),
            )
            .gathers::<f32, i32>(LOOKUP),
        gather("gather 4 rows of 8, ready plan")
            .with_indices(indices, move |input, ids, output| lookup.run(input, ids, output), take)
            .gathers::<f32, i32>(LOOKUP),
        gather("gather 4 rows of 8, plan and run")
            .with_indices(
                indices,
                |input, ids, output| {
                    Gather::axis(black_box(&TABLE), black_box(&FOUR), black_box(&ROWS), 0)?
                        .run(input, ids, output)
                },
                take,
            )
            .gathers::<f32, i32>(LOOKUP),
        scatter("scatter 4, constant plan")
            .with_indices(indices, |updates, ids, data| WRITE.run(data, ids, updates), put)
            .scatters::<f32, i32, Assign>(WRITE),
        scatter("scatter 4, ready plan")
            .with_indices(indices, move |updates, ids, data| write.run(data, ids, updates), put)
            .scatters::<f32, i32, Assign>(WRITE),
        scatter("scatter 4, plan and run")
            .with_indices(
                indices,
                |updates, ids, data| {
                    Scatter::axis(black_box(&BINS), black_box(&FOUR), black_box(&FOUR), 0)?
                        .run(data, ids, updates)
                },
                put,
            )
            .scatters::<f32, i32, Assign>(WRITE),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_does_what_its_safe_loop_does() {
        for workload in all(true).iter().chain(&with_threads(true)) {
            assert!(workload.make().agrees(), "{}: {}", workload.family, workload.name);
        }
    }

    #[test]
    fn every_workload_knows_its_route() {
        for workload in all(true).iter().chain(&with_threads(true)) {
            assert_ne!(workload.route(1), "", "{}: {}", workload.family, workload.name);
        }
    }

    #[test]
    fn a_wrong_result_is_found() {
        let indices = || vec![1];
        let shape = Shape {
            family: TINY,
            name: String::new(),
            from: 2,
            to: 1,
            tuples: 1,
            sizes: vec![2],
            moved: 1,
            touched: 2,
        };
        let wrong = shape.with_indices::<f32, i32>(indices, |_, _, _| Ok(()), safe::take_scalars);
        assert!(!wrong.make().agrees());
    }

    #[test]
    fn families_are_complete_and_in_order_and_names_are_unique() {
        let list = all(true);
        let mut families: Vec<_> = list.iter().map(|workload| workload.family).collect();
        families.dedup();
        assert_eq!(families, FAMILIES);
        let threads = with_threads(true);
        let mut names: Vec<_> =
            list.iter().chain(&threads).map(|workload| (workload.family, &workload.name)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), list.len() + threads.len());
    }
}
