//! Work for several threads, divided so that their number does not change a bit.
//!
//! Each thread writes a part of the written tensor that no other one writes, in the order in which one thread would. A gather's output is cut along
//! its outermost dimension. So is a scatter's data, if the indices of each piece stay in it; otherwise all threads look at all indices, and each
//! applies the updates that fall into its part of the data.
//!
//! One thread does what cannot be cut so: written tensors whose outermost steps interleave, indices and updates that are not packed. And what is not worth
//! it: small calls, and single elements of data that stay in a cache, which take less time than the look of all threads at all indices.

use crate::element::Element;
use crate::index::Index;
use crate::plan::{Direction, Plan};
use crate::reduction::Reduction;
use crate::vectors::{self, columns};
use crate::{combine, gather};

/// Calls that move fewer bytes run on the caller's thread: waking another takes longer.
const ALONE: usize = 1 << 18;

/// The number of threads for a call whose flat tensor has elements of type `T`; 1 if it is small.
pub(crate) fn number<T>(plan: &Plan) -> usize {
    let dims = plan.outer().iter().chain(plan.inner());
    let elements = dims.fold(1_usize, |elements, dim| elements.saturating_mul(dim.size));
    if plan.empty || !plan.suits_vectors() || elements.saturating_mul(size_of::<T>()) < ALONE {
        return 1;
    }
    rayon::current_num_threads()
}

/// Whether all indices are in bounds.
pub(crate) fn check<I: Index>(plan: &Plan, indices: &[I], threads: usize) -> bool {
    match plan.halves(threads) {
        Some((first, second)) => {
            let (half, rest) = (threads / 2, threads - threads / 2);
            let (a, b) = rayon::join(|| check(&first, indices, half), || check(&second, indices, rest));
            a && b
        }
        None => vectors::check(plan, indices),
    }
}

/// `output[flat] = input[table]`, for checked indices.
pub(crate) fn gather<T, I>(plan: &Plan, indices: &[I], input: &[T], output: &mut [T], threads: usize)
where
    T: Element + Send + Sync,
    I: Index,
{
    let ordered = plan.in_flat_order();
    gather_pieces(ordered.as_ref().unwrap_or(plan), indices, input, output, threads);
}

fn gather_pieces<T, I>(plan: &Plan, indices: &[I], input: &[T], output: &mut [T], threads: usize)
where
    T: Element + Send + Sync,
    I: Index,
{
    if let Some((first, mut second)) = plan.halves(threads).filter(|_| plan.pieces_are_apart(Direction::Gather))
        && let Some((to_first, to_second)) = output.split_at_mut_checked(second.start.flat)
    {
        second.start.flat = 0;
        let (half, rest) = (threads / 2, threads - threads / 2);
        rayon::join(|| gather_pieces(&first, indices, input, to_first, half), || gather_pieces(&second, indices, input, to_second, rest));
    } else {
        gather::run_plan::<T, I, true>(plan, indices, input, output);
    }
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
        scatter_pieces(plan, indices, reduction, data, updates, threads);
    } else if let Some(pitch) = plan.pitch().filter(|_| plan.packed_row > 1 || vectors::is_far::<T>(plan)) {
        scatter_parts(plan, indices, reduction, data, updates, Parts { threads, pitch, start: plan.start.table % pitch });
    } else {
        combine::run_plan(plan, indices, reduction, data, updates);
    }
}

fn scatter_pieces<T, I, R>(plan: &Plan, indices: &[I], reduction: &R, data: &mut [T], updates: &[T], threads: usize)
where
    T: Element + Send + Sync,
    I: Index,
    R: Reduction<T> + Sync,
{
    if let Some((first, mut second)) = plan.halves(threads).filter(|_| plan.pieces_are_apart(Direction::Scatter))
        && let Some((to_first, to_second)) = data.split_at_mut_checked(second.start.table)
    {
        second.start.table = 0;
        let (half, rest) = (threads / 2, threads - threads / 2);
        rayon::join(
            || scatter_pieces(&first, indices, reduction, to_first, updates, half),
            || scatter_pieces(&second, indices, reduction, to_second, updates, rest),
        );
    } else {
        combine::run_plan(plan, indices, reduction, data, updates);
    }
}

/// A part of the data, for so many threads; rows start at `start` plus a multiple of `pitch`.
struct Parts {
    threads: usize,
    pitch: usize,
    start: usize,
}

fn scatter_parts<T, I, R>(plan: &Plan, indices: &[I], reduction: &R, data: &mut [T], updates: &[T], parts: Parts)
where
    T: Element + Send + Sync,
    I: Index,
    R: Reduction<T> + Sync,
{
    let Parts { threads, pitch, start } = parts;
    let rows = data.len().saturating_sub(start) / pitch;
    let middle = start + (rows as u128 * (threads / 2) as u128 / threads as u128) as usize * pitch;
    if threads > 1
        && let Some((first, second)) = data.split_at_mut_checked(middle)
    {
        let mut moved = *plan;
        moved.start.table = moved.start.table.wrapping_sub(middle);
        let (half, rest) = (threads / 2, threads - threads / 2);
        rayon::join(
            || scatter_parts(plan, indices, reduction, first, updates, Parts { threads: half, pitch, start }),
            || scatter_parts(&moved, indices, reduction, second, updates, Parts { threads: rest, pitch, start: 0 }),
        );
    } else {
        vectors::combine_part(plan, indices, reduction, data, updates);
    }
}
