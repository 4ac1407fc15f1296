//! Any number of threads gives the bits of one, on random cases.

use strew::{Add, Error, Index, Reduction};

use super::case::{Case, IndexType};
use super::check::{Written, with_wide_indices};
use super::generate::Direction;
use super::oracle::{self, Move};
use super::path;
use super::values::{Nan, Sample, samples};

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

#[inline]
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

#[inline]
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

/// Small elements of several types in this pool, against the oracle: for thresholds that small
/// cases reach.
#[inline]
pub fn check_part(direction: Direction, case: &Case, part: usize, pool: &rayon::ThreadPool) {
    let case = &case.with_index(IndexType::I64);
    let (moves, indices) = (&oracle::moves(case), &case.indices_as::<i64>());
    let order = |current: i64, update: i64| current.wrapping_mul(31).wrapping_add(update);
    match (direction, part % 5) {
        (Direction::Gather, 0) => gather_part::<i64>(case, moves, indices, pool),
        (Direction::Gather, 1) => gather_part::<f32>(case, moves, indices, pool),
        (Direction::Gather, 2) => gather_part::<u8>(case, moves, indices, pool),
        (Direction::Gather, _) => gather_part::<[u8; 3]>(case, moves, indices, pool),
        (Direction::Scatter, 0) => scatter_part(case, moves, indices, pool, order, order),
        (Direction::Scatter, 1) => {
            scatter_part(case, moves, indices, pool, Add, |a: f32, b: f32| a + b);
        }
        (Direction::Scatter, 2) => {
            scatter_part(case, moves, indices, pool, Add, u8::wrapping_add);
        }
        (Direction::Scatter, 3) => {
            // Threads may have tables of their own.
            scatter_part(case, moves, indices, pool, Add, i64::wrapping_add);
        }
        (Direction::Scatter, _) => {
            let order = |[a, b, c]: [u8; 3], [d, e, _]: [u8; 3]| [b ^ e, c, a ^ d];
            scatter_part(case, moves, indices, pool, order, order);
        }
    }
}

fn gather_part<T: Sample>(case: &Case, moves: &[Move], indices: &[i64], pool: &rayon::ThreadPool) {
    let gather = case.gather().expect("the case is valid");
    let [input, before] = [(case.table.len, 0), (case.flat.len, 1)]
        .map(|(len, stream)| samples::<T>(len, case.seed, stream));
    let mut expected = before.clone();
    oracle::gather(moves, &input, &mut expected);
    let result = oracle::first_out_of_bounds(moves);
    // What comes before a bad index may have been gathered or not.
    let tensors = [&before, &expected, if result.is_ok() { &expected } else { &before }];
    let tensors = tensors.map(Vec::as_slice);
    let mut output = Written::new(case, before.len(), Nan::Exact);
    path::each(|_| {
        output.call("par_run", result, tensors, |output| {
            pool.install(|| gather.par_run(&input, indices, output))
        });
        let Ok(checked) = gather.check(indices) else { return };
        output.call("checked par_run", result, tensors, |output| {
            pool.install(|| checked.par_run(&input, output))
        });
    });
}

/// An assignment and a reduction.
fn scatter_part<T: Sample, R: Reduction<T> + Copy + Sync>(
    case: &Case,
    moves: &[Move],
    indices: &[i64],
    pool: &rayon::ThreadPool,
    reduction: R,
    combine: impl Fn(T, T) -> T,
) {
    let scatter = case.scatter().expect("the case is valid");
    let [input, updates] = [(case.table.len, 0), (case.flat.len, 1)]
        .map(|(len, stream)| samples::<T>(len, case.seed, stream));
    let (mut assigned, mut reduced) = (input.clone(), input.clone());
    oracle::scatter(moves, &mut assigned, &updates, true, |_, update| update);
    oracle::scatter(moves, &mut reduced, &updates, true, combine);
    let result = oracle::first_out_of_bounds(moves);
    let (assigned, reduced) =
        ([&input[..], &assigned, &assigned], [&input[..], &reduced, &reduced]);
    let mut data = Written::new(case, input.len(), Nan::Any);
    path::each(|_| {
        let mut call =
            |what, tensors, run: &mut (dyn FnMut(&mut [T]) -> Result<(), Error> + Send)| {
                data.call(what, result, tensors, |data| pool.install(|| run(data)));
            };
        call("par_run", assigned, &mut |data| scatter.par_run(data, indices, &updates));
        call("par_reduce", reduced, &mut |data| {
            scatter.par_reduce(reduction, data, indices, &updates)
        });
        let Ok(checked) = scatter.check(indices) else { return };
        call("checked par_run", assigned, &mut |data| checked.par_run(data, &updates));
        call("checked par_reduce", reduced, &mut |data| {
            checked.par_reduce(reduction, data, &updates)
        });
    });
}
