//! New outputs of gathers in transformer models: `collect`, and `run` on zeros, against the loop of
//! `extend_from_slice` that one would write.
#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use strew::{Gather, Layout};

/// A gather from `[before, axis, row]` along the axis.
struct Shape(&'static str, [usize; 3], usize);

const SHAPES: [Shape; 10] = [
    Shape("128 tokens of BERT, [30522, 768]", [1, 30_522, 768], 128),
    Shape("512 tokens of a 7B model, [32000, 4096]", [1, 32_000, 4096], 512),
    Shape("128 rows of [30000, 384]", [1, 30_000, 384], 128),
    Shape("a CLS token of [8, 128, 384]", [8, 128, 384], 1),
    Shape("the last tokens of [4, 64, 4096]", [4, 64, 4096], 1),
    Shape("512 positions of [1024, 768]", [1, 1024, 768], 512),
    Shape("64 pages of a KV-cache, [1024, 2048]", [1, 1024, 2048], 64),
    Shape("2048 tokens for experts, [4096, 1024]", [1, 4096, 1024], 2048),
    Shape("8 heads of [2, 32, 16384]", [2, 32, 16_384], 8),
    Shape("relative positions, [12, 255]", [12, 255, 1], 16_384),
];

fn main() {
    println!(
        "{:<42} {:>9} {:>8} {:>9}",
        "times as fast as the loop", "loop, us", "collect", "zeros"
    );
    let mut ratios = [0.0; 2];
    for Shape(name, [before, axis, row], count) in SHAPES {
        let table: Vec<f32> = (0..before * axis * row).map(|n| n as f32).collect();
        let ids: Vec<i64> = (0..count).map(|n| ((n * 7919 + 13) % axis) as i64).collect();
        let layouts = [&[before, axis, row][..], &[count], &[before, count, row]];
        let [input, indices, output] = layouts.map(|sizes| Layout::from_sizes(sizes).unwrap());
        let gather = Gather::axis(&input, &indices, &output, 1).unwrap();
        let by_loop = || {
            let mut output = Vec::with_capacity(before * count * row);
            for table in table.chunks_exact(axis * row) {
                for id in &ids {
                    let id = if *id < 0 { id + axis as i64 } else { *id };
                    let start = usize::try_from(id).unwrap() * row;
                    output.extend_from_slice(&table[start..start + row]);
                }
            }
            output
        };
        let on_zeros = || {
            let mut output = vec![0.0; before * count * row];
            gather.run(&table, &ids, &mut output).unwrap();
            output
        };
        let collect = || gather.collect(&table, &ids).unwrap();
        assert_eq!(by_loop(), collect());
        let mut least = [Duration::MAX; 3];
        let repeats = (1 << 18) / (before * count * row) + 1;
        for _ in 0..60 {
            least[0] = least[0].min(time(repeats, by_loop));
            least[1] = least[1].min(time(repeats, collect));
            least[2] = least[2].min(time(repeats, on_zeros));
        }
        let [by_loop, collect, on_zeros] = least.map(|time| time.as_secs_f64() / repeats as f64);
        let times = [by_loop / collect, by_loop / on_zeros];
        println!("{name:<42} {:>9.2} {:>8.2} {:>9.2}", by_loop * 1e6, times[0], times[1]);
        ratios.iter_mut().zip(times).for_each(|(sum, times)| *sum += times.ln());
    }
    let [collect, on_zeros] = ratios.map(|sum| (sum / SHAPES.len() as f64).exp());
    println!("{:<42} {:>9} {collect:>8.2} {on_zeros:>9.2}", "geometric mean", "");
}

fn time(repeats: usize, make: impl Fn() -> Vec<f32>) -> Duration {
    let start = Instant::now();
    for _ in 0..repeats {
        black_box(make());
    }
    start.elapsed()
}
