//! One small call with a ready plan, and with planning, against the loop that a user would write in safe Rust.

#![allow(missing_docs, clippy::indexing_slicing, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use strew::{Gather, Layout, Scatter, plan};

const TABLE: Layout = Layout::contiguous([64, 8]);
const FOUR: Layout = Layout::contiguous([4]);
const ROWS: Layout = Layout::contiguous([4, 8]);
const BINS: Layout = Layout::contiguous([64]);
const LOOKUP: Gather = plan!(Gather::axis(&TABLE, &FOUR, &ROWS, 0));
const WRITE: Scatter = plan!(Scatter::axis(&BINS, &FOUR, &FOUR, 0));

/// The position of an index that may count from the end, as a user would write it.
fn position(index: i32, size: usize) -> usize {
    let position = if index < 0 { size.wrapping_add_signed(index as isize) } else { index as usize };
    assert!(position < size, "index {index} out of bounds");
    position
}

fn gather_4_rows_of_8(c: &mut Criterion) {
    let mut group = c.benchmark_group("gather_4_rows_of_8_f32");
    let table = vec![1.0_f32; 64 * 8];
    let indices = [3_i32, 60, -1, 17];
    let mut output = [0.0_f32; 32];
    group.bench_function("safe_loop", |b| {
        b.iter(|| {
            for (row, &index) in black_box(&mut output).chunks_exact_mut(8).zip(black_box(&indices)) {
                let first = position(index, 64) * 8;
                row.copy_from_slice(&black_box(&table)[first..first + 8]);
            }
        });
    });
    group.bench_function("const_plan", |b| b.iter(|| LOOKUP.run(black_box(&table), black_box(&indices), black_box(&mut output))));
    let ready = black_box(LOOKUP);
    group
        .bench_function("ready_plan", |b| b.iter(|| black_box(&ready).run(black_box(&table), black_box(&indices), black_box(&mut output))));
    group.bench_function("plan_and_run", |b| {
        b.iter(|| {
            let gather = Gather::axis(black_box(&TABLE), black_box(&FOUR), black_box(&ROWS), 0)?;
            gather.run(black_box(&table), black_box(&indices), black_box(&mut output))
        });
    });
    group.finish();
}

fn scatter_4_scalars(c: &mut Criterion) {
    let mut group = c.benchmark_group("scatter_4_f32");
    let mut data = vec![0.0_f32; 64];
    let indices = [3_i32, 60, -1, 17];
    let updates = [1.0_f32, 2.0, 3.0, 4.0];
    group.bench_function("safe_loop", |b| {
        b.iter(|| {
            let data = black_box(&mut data);
            for (&update, &index) in black_box(&updates).iter().zip(black_box(&indices)) {
                data[position(index, 64)] = update;
            }
        });
    });
    group.bench_function("const_plan", |b| b.iter(|| WRITE.run(black_box(&mut data), black_box(&indices), black_box(&updates))));
    let ready = black_box(WRITE);
    group
        .bench_function("ready_plan", |b| b.iter(|| black_box(&ready).run(black_box(&mut data), black_box(&indices), black_box(&updates))));
    group.bench_function("plan_and_run", |b| {
        b.iter(|| {
            let scatter = Scatter::axis(black_box(&BINS), black_box(&FOUR), black_box(&FOUR), 0)?;
            scatter.run(black_box(&mut data), black_box(&indices), black_box(&updates))
        });
    });
    group.finish();
}

criterion_group!(benches, gather_4_rows_of_8, scatter_4_scalars);
criterion_main!(benches);
