//! Work for several threads, divided so that their number does not change a bit.
//!
//! Each piece writes a part of the written tensor that no other one writes, in the order in which one thread would. A gather's output is cut along
//! its outermost dimension. So is a scatter's data, if the indices of each piece stay in it; otherwise all threads look at all indices, and each
//! applies the updates that fall into its part of the data.
//!
//! One thread does what cannot be cut so: written tensors whose outermost steps interleave, indices and updates that are not packed. And what is not worth
//! it: small calls, and single elements of data that stay in a cache, which take less time than the look of all threads at all indices.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::element::Element;
use crate::index::Index;
use crate::plan::{Direction, Plan};
use crate::reduction::Reduction;
use crate::vectors::{self, columns};
use crate::{combine, gather};

/// Calls that move fewer bytes run on the caller's thread: they take less than the 0.1 ms that it may take to wake another.
const ALONE: usize = 1 << 21;

/// Single elements that a scatter spreads over fewer bytes are not divided either: all threads look at all indices, which takes longer than what they save.
const FAR: usize = 1 << 24;

/// Pieces for each thread: the caller starts before the others are awake, and no one waits long for the last.
const PIECES: usize = 4;

/// The number of threads for a call whose flat tensor has elements of type `T`; 1 if it is small.
fn number<T>(plan: &Plan) -> usize {
    let dims = plan.outer().iter().chain(plan.inner());
    let elements = dims.fold(1_usize, |elements, dim| elements.saturating_mul(dim.size));
    if plan.empty || !plan.suits_vectors() || elements.saturating_mul(size_of::<T>()) < ALONE {
        return 1;
    }
    rayon::current_num_threads()
}

/// The same for a gather; 1 too if its output cannot be cut.
pub(crate) fn number_of_gather<T>(plan: &Plan) -> usize {
    let divides = || plan.in_flat_order().as_ref().unwrap_or(plan).pieces_are_apart(Direction::Gather);
    Some(number::<T>(plan)).filter(|threads| *threads > 1 && divides()).unwrap_or(1)
}

/// The same for a scatter; 1 too if it cannot be divided, or is not worth it.
pub(crate) fn number_of_scatter<T>(plan: &Plan) -> usize {
    let divides = || {
        let ordered = plan.in_flat_order();
        let plan = ordered.as_ref().unwrap_or(plan);
        columns::suits_scatter::<T>(plan) || plan.pieces_are_apart(Direction::Scatter) || pitch::<T>(plan).is_some()
    };
    Some(number::<T>(plan)).filter(|threads| *threads > 1 && divides()).unwrap_or(1)
}

/// The distance between rows, if the data are to be cut between them.
fn pitch<T>(plan: &Plan) -> Option<usize> {
    plan.pitch().filter(|_| plan.packed_row > 1 || plan.reach().saturating_mul(size_of::<T>()) > FAR)
}

/// Whether all indices are in bounds.
pub(crate) fn check<I: Index>(plan: &Plan, indices: &[I], threads: usize) -> bool {
    if plan.lengths.indices.saturating_mul(size_of::<I>()) < ALONE {
        return vectors::check(plan, indices);
    }
    let inside = AtomicBool::new(true);
    share(pieces(plan, threads.saturating_mul(PIECES), |_| true), threads, |piece| {
        if inside.load(Ordering::Relaxed) && !vectors::check(&piece, indices) {
            inside.store(false, Ordering::Relaxed);
        }
    });
    inside.into_inner()
}

/// `output[flat] = input[table]`, for checked indices.
pub(crate) fn gather<T, I>(plan: &Plan, indices: &[I], input: &[T], output: &mut [T], threads: usize)
where
    T: Element + Send + Sync,
    I: Index,
{
    let ordered = plan.in_flat_order();
    let plan = ordered.as_ref().unwrap_or(plan);
    // Each piece packs columns of its own.
    let number = if columns::suits_gather::<T>(plan) { threads } else { threads.saturating_mul(PIECES) };
    let pieces = written_pieces(plan, output, Direction::Gather, number);
    share(pieces, threads, |(plan, output)| _ = gather::run_plan::<T, I, true>(&plan, indices, input, output));
}

/// `data[table] = reduction(data[table], updates[flat])`, for checked indices.
pub(crate) fn scatter<T, I, R>(plan: &Plan, indices: &[I], reduction: &R, data: &mut [T], updates: &[T], threads: usize)
where
    T: Element + Send + Sync,
    I: Index,
    R: Reduction<T> + Sync,
{
    let ordered = plan.in_flat_order();
    let plan = ordered.as_ref().unwrap_or(plan);
    let data = vectors::table_mut(plan, data);
    let on_columns = |plan: &Plan, scratch: &mut [T]| combine::run_plan(plan, indices, reduction, scratch, updates);
    if columns::par_scatter(plan, data, threads, on_columns).is_some() {
        return;
    }
    if plan.pieces_are_apart(Direction::Scatter) {
        let pieces = written_pieces(plan, data, Direction::Scatter, threads.saturating_mul(PIECES));
        share(pieces, threads, |(plan, data)| combine::run_plan(&plan, indices, reduction, data, updates));
    } else if let Some(pitch) = pitch::<T>(plan) {
        let parts = parts(plan, data, pitch, threads);
        share(parts, threads, |(plan, data)| vectors::combine_part(&plan, indices, reduction, data, updates));
    } else {
        combine::run_plan(plan, indices, reduction, data, updates);
    }
}

/// Works on all pieces with so many threads: the caller's and those of the pool.
fn share<P: Send>(pieces: Vec<P>, threads: usize, work: impl Fn(P) + Sync) {
    let threads = threads.min(pieces.len());
    let pieces = Mutex::new(pieces.into_iter());
    let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
    let take_turns = || {
        while let Some(piece) = next() {
            work(piece);
        }
    };
    rayon::in_place_scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| take_turns());
        }
        take_turns();
    });
}

/// So many pieces of a plan along its outermost dimension, or fewer: as long as they `may` be cut.
fn pieces(plan: &Plan, number: usize, may: impl Fn(&Plan) -> bool) -> Vec<Plan> {
    let (mut pieces, mut rest) = (Vec::new(), *plan);
    for number in (2..=number).rev() {
        let Some((first, second)) = rest.split(number).filter(|_| may(&rest)) else { break };
        pieces.push(first);
        rest = second;
    }
    pieces.push(rest);
    pieces
}

/// The same, each with its part of the written tensor, which may be cut.
fn written_pieces<'a, T>(plan: &Plan, mut written: &'a mut [T], direction: Direction, number: usize) -> Vec<(Plan, &'a mut [T])> {
    let mut parts = Vec::new();
    // From the last to the first: each takes what follows its start.
    for mut piece in pieces(plan, number, |plan| plan.pieces_are_apart(direction)).into_iter().rev() {
        let start = if matches!(direction, Direction::Gather) { &mut piece.start.flat } else { &mut piece.start.table };
        let at = core::mem::take(start).min(written.len());
        let (before, part) = written.split_at_mut(at);
        parts.push((piece, part));
        written = before;
    }
    parts
}

/// The data in a part for each thread, whose rows start at `pitch` from each other.
fn parts<'a, T>(plan: &Plan, mut data: &'a mut [T], pitch: usize, threads: usize) -> Vec<(Plan, &'a mut [T])> {
    let first = plan.start.table % pitch;
    let rows = data.len().saturating_sub(first) / pitch;
    let mut parts = Vec::new();
    for number in (0..threads).rev() {
        let row = (rows as u128 * number as u128 / threads as u128) as usize;
        let at = if number == 0 { 0 } else { first + row * pitch };
        let mut plan = *plan;
        plan.start.table = plan.start.table.wrapping_sub(at);
        let (before, part) = data.split_at_mut(at.min(data.len()));
        parts.push((plan, part));
        data = before;
    }
    parts
}
