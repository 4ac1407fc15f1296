//! Bags of rows of floats, and of bytes with a scale and an offset.

use strew::quant::Row8;
use strew::{Add, Bag, Bags, Error, Layout, Mean, Pool};

use crate::inputs::{Value, tuples};
use crate::safe;
use crate::threads::THREADS;
use crate::workloads::{Shape, Workload};

/// Rows of 48 to 128 from a table in memory, in bags of 1, 20 and 100, by `i64`. In the family
/// [`THREADS`] they run with threads.
pub(crate) fn workloads(family: &'static str, rows: usize, moved: usize) -> Vec<Workload> {
    let mut list = Vec::new();
    for length in [1, 20, 100] {
        let bags = |width| Sizes { family, rows, width, length, bags: moved / width / length };
        list.extend([
            bags(64).floats("sum", Add, |_, _| {}),
            bags(128).floats("sum", Add, |_, _| {}),
            bags(48).floats("sum", Add, |_, _| {}),
            bags(64).floats("mean", Mean, |sum, length| *sum /= length as f32),
            bags(64).bytes::<64>(),
            bags(128).bytes::<128>(),
        ]);
    }
    list
}

#[derive(Clone, Copy)]
struct Sizes {
    family: &'static str,
    rows: usize,
    width: usize,
    length: usize,
    bags: usize,
}

impl Sizes {
    fn floats(
        self,
        name: &str,
        pool: impl Pool<f32> + Copy + Sync + 'static,
        end: impl Fn(&mut f32, usize) + Copy + 'static,
    ) -> Workload {
        let Sizes { width, length, .. } = self;
        self.workload(
            format!("{name} {width} f32"),
            width,
            pool,
            |element: f32| element,
            move |table, indices, output| {
                safe::sum_bags(table, indices, output, width, length);
                output.iter_mut().for_each(|sum| end(sum, length));
            },
        )
    }

    /// A row is one element of the table, and `[f32; N]` one of the output.
    fn bytes<const N: usize>(self) -> Workload {
        let length = self.length;
        self.workload(
            format!("sum {N} bytes"),
            1,
            Add,
            #[inline(always)]
            |row: Row8<N>| row.decode(),
            move |table, indices, output| safe::sum_byte_bags(table, indices, output, length),
        )
    }

    /// The rows have `columns` elements.
    fn workload<T: Value, U: Value + bytemuck::Zeroable + Send>(
        self,
        name: String,
        columns: usize,
        pool: impl Pool<U> + Copy + Sync + 'static,
        map: impl Fn(T) -> U + Copy + Sync + 'static,
        safe_loop: impl Fn(&[T], &[i64], &mut [U]) + Clone + 'static,
    ) -> Workload {
        let Sizes { family, rows, width, length, .. } = self;
        let bags = self.bags.max(1);
        let entries = bags * length;
        let layouts = [vec![rows, columns], vec![entries], vec![bags, columns]]
            .map(|sizes| Layout::from_sizes(&sizes).unwrap());
        let bag = Bag::new(&layouts[0], &layouts[1], &layouts[2]).unwrap();
        let lengths = vec![length as u32; bags];
        let shape = Shape {
            family,
            name: format!("{name}, bags of {length}"),
            from: rows * columns,
            to: bags * columns,
            tuples: entries,
            sizes: vec![rows],
            moved: entries * width,
            touched: 1,
        };
        let indices = move || tuples(entries, &[rows]);
        let one = {
            let lengths = lengths.clone();
            move |table: &[T], indices: &[i64], output: &mut [U]| -> Result<(), Error> {
                bag.run_map(pool, table, indices, Bags::Lengths(&lengths), output, map)
            }
        };
        let workload = if family == THREADS {
            let all = move |table: &[T], indices: &[i64], output: &mut [U]| {
                bag.par_run_map(pool, table, indices, Bags::Lengths(&lengths), output, map)
            };
            shape.between(indices, all, move |table, indices, output| {
                one(table, indices, output).unwrap();
            })
        } else {
            shape.between(indices, one, safe_loop)
        };
        // Rows are read, one by one, as elements of the table; sums are not counted.
        let bytes = entries * (columns * size_of::<T>() + size_of::<i64>());
        Workload { bytes, ..workload.bags() }
    }
}
