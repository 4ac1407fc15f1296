//! The application patterns of Spatter (<https://github.com/hpcgarage/spatter>,
//! `standard-suite/app-traces`, commit ec8923711f8d, BSD licence): how AMG, Nekbone, LULESH and
//! PENNANT read `f64`, sixteen at a time from windows that move over an array.
//!
//! The numbers in the names are the places in Spatter's files. Left out are patterns that differ
//! from another one in nothing but the count, and the scatters: their windows overlap (a delta of 0
//! to 8 for 61 to 361 elements), and strew refuses to write to a tensor that overlaps itself.

use strew::{Gather, Layout};

use crate::inputs::Resolve;
use crate::safe;
use crate::workloads::{Shape, Sizes, Workload};

/// What is left out, for users.
pub const LEFT_OUT: &str = "LULESH 0, 2, 3, 7 and PENNANT 6 \
    (scatters whose windows overlap are refused: OverlappingOutput); \
    NEKBONE 2, LULESH 6, PENNANT 8, 11 (the same as another one but for the count)";

/// `count` windows, each `delta` elements after the one before it, of which the elements at
/// `indices` are read.
struct Pattern {
    name: &'static str,
    delta: usize,
    count: usize,
    indices: [usize; 16],
}

pub fn workloads(sizes: Sizes) -> Vec<Workload> {
    PATTERNS.iter().map(|pattern| workload(pattern, sizes)).collect()
}

fn workload(&Pattern { name, delta, count, indices }: &Pattern, sizes: Sizes) -> Workload {
    // As many windows as the other workloads have elements, from an array that is no larger than
    // their largest table.
    let count =
        count.min(sizes.moved / indices.len()).min(sizes.memory / size_of::<f64>() / delta).max(2);
    let span = indices.iter().fold(0, |largest, &index| largest.max(index)) + 1;
    let windows = Layout::from_parts(&[count, span], &[delta as isize, 1], 0).unwrap();
    let gather = Gather::axis(
        &windows,
        &Layout::contiguous([indices.len()]),
        &Layout::contiguous([count, indices.len()]),
        1,
    )
    .unwrap();
    Shape {
        family: "spatter",
        name: name.to_owned(),
        from: (count - 1) * delta + span,
        to: count * indices.len(),
        tuples: indices.len(),
        sizes: vec![span],
        moved: count * indices.len(),
        touched: 2,
    }
    .with_indices::<f64, i64>(
        move || indices.iter().map(|&index| i64::from_usize(index)).collect(),
        move |input, indices, output| gather.run(input, indices, output),
        move |input, indices, output| safe::windows(input, indices, output, delta, span),
    )
    .gathers::<f64, i64>(gather)
}

#[rustfmt::skip]
const PATTERNS: [Pattern; 25] = [
    Pattern {
        name: "AMG-0", delta: 1, count: 1454647,
        indices: [1333, 0, 1, 2, 36, 37, 38, 72, 73, 74, 1296, 1297, 1298, 1332, 1334, 1368],
    },
    Pattern {
        name: "AMG-1", delta: 1, count: 1454647,
        indices: [1333, 0, 1, 36, 37, 72, 73, 1296, 1297, 1332, 1368, 1369, 2592, 2593, 2628, 2629],
    },
    Pattern {
        name: "NEKBONE-0", delta: 3, count: 982980,
        indices: [0, 6, 12, 18, 24, 30, 36, 42, 48, 54, 60, 66, 72, 78, 84, 90],
    },
    Pattern {
        name: "NEKBONE-1", delta: 8, count: 982980,
        indices: [0, 6, 12, 18, 24, 30, 36, 42, 48, 54, 60, 66, 72, 78, 84, 90],
    },
    Pattern {
        name: "LULESH-1", delta: 1, count: 231198,
        indices: [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120],
    },
    Pattern {
        name: "LULESH-4", delta: 4, count: 96360,
        indices: [0, 24, 48, 72, 96, 120, 144, 168, 192, 216, 240, 264, 288, 312, 336, 360],
    },
    Pattern {
        name: "LULESH-5", delta: 8, count: 96360,
        indices: [0, 24, 48, 72, 96, 120, 144, 168, 192, 216, 240, 264, 288, 312, 336, 360],
    },
    Pattern {
        name: "LULESH-8", delta: 8, count: 76794,
        indices: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    },
    Pattern {
        name: "LULESH-9", delta: 41, count: 76794,
        indices: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    },
    Pattern {
        name: "LULESH-10", delta: 1, count: 76794,
        indices: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    },
    Pattern {
        name: "LULESH-11", delta: 1, count: 72270,
        indices: [0, 24, 48, 72, 96, 120, 144, 168, 192, 216, 240, 264, 288, 312, 336, 360],
    },
    Pattern {
        name: "PENNANT-0", delta: 2, count: 83333333,
        indices: [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60],
    },
    Pattern {
        name: "PENNANT-1", delta: 2, count: 83333333,
        indices: [4, 8, 12, 0, 20, 24, 28, 16, 36, 40, 44, 32, 52, 56, 60, 48],
    },
    Pattern {
        name: "PENNANT-2", delta: 518408, count: 482,
        indices: [6, 0, 2, 4, 14, 8, 10, 12, 22, 16, 18, 20, 30, 24, 26, 28],
    },
    Pattern {
        name: "PENNANT-3", delta: 2, count: 83333333,
        indices: [2, 484, 482, 0, 4, 486, 484, 2, 6, 488, 486, 4, 8, 490, 488, 6],
    },
    Pattern {
        name: "PENNANT-4", delta: 2, count: 83333333,
        indices: [0, 2, 484, 482, 2, 4, 486, 484, 4, 6, 488, 486, 6, 8, 490, 488],
    },
    Pattern {
        name: "PENNANT-5", delta: 482, count: 517598,
        indices: [482, 0, 2, 484, 484, 2, 4, 486, 486, 4, 6, 488, 488, 6, 8, 490],
    },
    Pattern {
        name: "PENNANT-7", delta: 388848, count: 642,
        indices: [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    },
    Pattern {
        name: "PENNANT-9", delta: 4, count: 50000000,
        indices: [4, 8, 12, 0, 20, 24, 28, 16, 36, 40, 44, 32, 52, 56, 60, 48],
    },
    Pattern {
        name: "PENNANT-10", delta: 1882384, count: 132,
        indices: [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    },
    Pattern {
        name: "PENNANT-12", delta: 1036816, count: 241,
        indices: [6, 0, 2, 4, 14, 8, 10, 12, 22, 16, 18, 20, 30, 24, 26, 28],
    },
    Pattern {
        name: "PENNANT-13", delta: 480, count: 519750,
        indices: [482, 0, 2, 484, 484, 2, 4, 486, 486, 4, 6, 488, 488, 6, 8, 490],
    },
    Pattern {
        name: "PENNANT-14", delta: 129608, count: 1928,
        indices: [2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0],
    },
    Pattern {
        name: "PENNANT-15", delta: 4, count: 50000000,
        indices: [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    },
    Pattern {
        name: "PENNANT-16", delta: 388852, count: 642,
        indices: [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    },
];
