//! Any number of threads gives the bits of one, on random cases.

use strew::Index;

use super::case::Case;
use super::check::with_wide_indices;
use super::oracle;

/// An element so large that a call that moves 256 of them is divided.
type Block = [u64; 1024];

/// More than 32 MiB in one slice.
fn is_large(case: &Case) -> bool {
    case.table.len.max(case.flat.len) > 4096
}

fn blocks(len: usize, seed: u64) -> Vec<Block> {
    (0..len as u64).map(|n| [n ^ (seed << 32); 1024]).collect()
}

/// Blocks are passed by value, in frames of their own size when nothing is optimised.
pub fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(64 << 20)
        .build()
        .expect("threads")
}

pub fn check_gather(case: &Case, threads: &rayon::ThreadPool) {
    if is_large(case) {
        return;
    }
    threads.install(|| {
        with_wide_indices(case, |indices| gather(case, indices), |indices| gather(case, indices))
    });
}

fn gather<I: Index>(case: &Case, indices: &[I]) {
    let plan = case.gather().expect("the case is valid");
    let (input, before) = (blocks(case.table.len, case.seed), blocks(case.flat.len, !case.seed));
    let (mut expected, mut output) = (before.clone(), before.clone());
    let moves = oracle::moves(case);
    oracle::gather(&moves, &input, &mut expected);
    let result = oracle::first_out_of_bounds(&moves);
    assert_eq!(plan.par_run(&input, indices, &mut output), result, "{case:?}");
    // What comes before a bad index may have been gathered or not.
    let old = if result.is_ok() { &expected } else { &before };
    let mut places = output.iter().zip(&expected).zip(old);
    assert!(places.all(|((found, new), old)| found == new || found == old), "{case:?}");
}

pub fn check_scatter(case: &Case, threads: &rayon::ThreadPool) {
    if is_large(case) {
        return;
    }
    threads.install(|| {
        with_wide_indices(case, |indices| scatter(case, indices), |indices| scatter(case, indices))
    });
}

fn scatter<I: Index>(case: &Case, indices: &[I]) {
    let plan = case.scatter().expect("the case is valid");
    let (before, updates) = (blocks(case.table.len, case.seed), blocks(case.flat.len, !case.seed));
    let (mut expected, mut data) = (before.clone(), before.clone());
    let result = plan.run(&mut expected, indices, &updates);
    assert_eq!(plan.par_run(&mut data, indices, &updates), result, "{case:?}");
    assert!(data == expected, "{case:?}");

    let order =
        |current: Block, update: Block| [current[0].wrapping_mul(31).wrapping_add(update[0]); 1024];
    let (mut expected, mut data) = (before.clone(), before);
    assert_eq!(plan.reduce(order, &mut expected, indices, &updates), result, "{case:?}");
    assert_eq!(plan.par_reduce(order, &mut data, indices, &updates), result, "{case:?}");
    assert!(data == expected, "{case:?}");
}
