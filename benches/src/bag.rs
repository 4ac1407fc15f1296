//! Bags of rows, summed.

use strew::{Add, Bag, Bags, Layout, Mean};

use crate::inputs::tuples;
use crate::safe;
use crate::workloads::{Shape, Workload};

/// Rows of 64 and 128 from a table in memory, in bags of 1, 20 and 100, by `i64`.
pub(crate) fn workloads(rows: usize, moved: usize) -> Vec<Workload> {
    let mut list = Vec::new();
    for width in [64, 128] {
        for length in [1, 20, 100] {
            list.push(bags(rows, width, length, moved, "sum"));
        }
    }
    list.push(bags(rows, 64, 20, moved, "mean"));
    list
}

fn bags(rows: usize, width: usize, length: usize, moved: usize, pool: &str) -> Workload {
    let bags = (moved / width / length).max(1);
    let entries = bags * length;
    let layouts = [vec![rows, width], vec![entries], vec![bags, width]]
        .map(|sizes| Layout::from_sizes(&sizes).unwrap());
    let bag = Bag::new(&layouts[0], &layouts[1], &layouts[2]).unwrap();
    let lengths = vec![length as u32; bags];
    let is_mean = pool == "mean";
    Shape {
        family: "bag",
        name: format!("{pool} {width} f32, bags of {length}"),
        from: rows * width,
        to: bags * width,
        tuples: entries,
        sizes: vec![rows],
        moved: entries * width,
        touched: 1,
    }
    .with_indices::<f32, i64>(
        move || tuples(entries, &[rows]),
        move |table, indices, output| {
            let bags = Bags::Lengths(&lengths);
            if is_mean {
                bag.run(Mean, table, indices, bags, output)
            } else {
                bag.run(Add, table, indices, bags, output)
            }
        },
        move |table, indices, output| {
            safe::sum_bags(table, indices, output, width, length);
            if is_mean {
                output.iter_mut().for_each(|sum| *sum /= length as f32);
            }
        },
    )
    .bags()
}
