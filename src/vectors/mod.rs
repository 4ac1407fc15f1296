//! What `std` runs for all but small calls: the walk in vectors and threads.
//!
//! The walk is that of [`walk`]. [`blocks`] takes the tuples of a lane [`BLOCK`](strew_simd::BLOCK) at a time, [`movers`] move what they lead to, and `strew_simd` compiles both for the
//! instructions that the machine has. Copies of 1, 2, 4, 8 and 16 bytes are compiled once for each size of element.
//!
//! Some calls go other ways: [`columns`], [`pattern`] and [`trial`]. [`pieces`] reorders plans and cuts them up, [`threads`] runs the pieces,
//! those of single elements by way of [`lists`].

use strew_simd::{Instructions, Moves, Op, PREFETCHES, Path};

use crate::element::Element;
use crate::gather::Take;
use crate::index::Index;
use crate::plan::Plan;
use crate::reduction::{Assign, Reduction};
use crate::walk;

mod blocks;
mod columns;
#[cfg(feature = "rayon")]
mod lists;
mod movers;
mod pattern;
mod pieces;
#[cfg(feature = "rayon")]
pub(crate) mod threads;
pub(crate) mod trial;

#[cfg(feature = "rayon")]
use blocks::InPart;
use blocks::{Ahead, InBlocks, Nothing, Pending};
use movers::{BlockMover, Combined, Gathered, Scattered};
#[cfg(feature = "rayon")]
use threads::Part;

/// Where the tuples of a lane reach further than this number of bytes, places are asked for ahead: they do not stay in the second cache.
/// (`strew-benches`: scatters by 2 coordinates into 4 MiB gain a quarter; histograms of 64K bins would lose.)
const NEAR: usize = 1 << 20;

/// The same for the rows that a gather reads: they do not stay in the third cache either. (`strew-benches`, `rows`: from memory, those of 16 to 64 elements take
/// two thirds to four fifths of the time; from 16 MiB, those of 4 and 16 would take more.)
const FAR: usize = 1 << 25;

/// What is compiled for each size of element that has vectors; `None` for the others.
macro_rules! for_size {
    ($T:ident, $N:ident => $value:expr) => {
        for_size!(@ $T, $N, $value, 1 2 4 8 16)
    };
    (@ $T:ident, $N:ident, $value:expr, $($size:literal)*) => {
        match size_of::<$T>() {
            $($size => {
                const $N: usize = $size;
                $value
            })*
            _ => None,
        }
    };
}

/// `output[flat] = input[table]` for a plan that [suits vectors](Plan::suits_vectors).
pub(crate) fn gather<T: Element, I: Index, const PROVEN: bool>(plan: &Plan, indices: &[I], input: &[T], output: &mut [T]) -> bool {
    let ordered = plan.in_flat_order();
    let plan = ordered.as_ref().unwrap_or(plan);
    let input = input.get(..plan.lengths.table).unwrap_or(input);
    columns::gather::<T, I, PROVEN>(plan, indices, input, output)
        .unwrap_or_else(|| gather_lanes::<T, I, PROVEN>(plan, indices, input, output))
}

/// The same, lane by lane.
fn gather_lanes<T: Element, I: Index, const PROVEN: bool>(plan: &Plan, indices: &[I], input: &[T], output: &mut [T]) -> bool {
    let ahead = Ahead { elements: false, rows: reaches_beyond::<T>(plan, FAR) };
    let done = for_size!(T, N => Moves::<N>::new(input, output).map(|moves| run::<I, PROVEN>(plan, indices, Gathered { moves }, ahead)));
    done.unwrap_or_else(|| walk::run::<I, PROVEN>(plan, indices, Take { input, output }))
}

/// `data[table] = updates[flat]`. `false`: an index is out of bounds under `Bounds::Error`; some updates have been made.
pub(crate) fn scatter<T: Element, I: Index>(plan: &Plan, indices: &[I], data: &mut [T], updates: &[T]) -> bool {
    in_blocks(plan, data, |plan, data| {
        let ahead = Ahead::of_scatter::<T>(plan);
        let done =
            for_size!(T, N => Moves::<N>::new(updates, data).map(|moves| run::<I, false>(plan, indices, Scattered { moves }, ahead)));
        done.unwrap_or_else(|| run::<I, false>(plan, indices, Combined { reduction: &Assign, data, updates }, ahead))
    })
}

/// `data[table] = reduction(data[table], updates[flat])`. `false`: an index is out of bounds under `Bounds::Error`; some updates have been made.
pub(crate) fn combine<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    indices: &[I],
    reduction: &R,
    data: &mut [T],
    updates: &[T],
) -> bool {
    in_blocks(plan, data, |plan, data| run::<I, false>(plan, indices, Combined { reduction, data, updates }, Ahead::of_scatter::<T>(plan)))
}

/// Changes the data by blocks of columns where that is worth it, or else all at once.
fn in_blocks<T: Element>(plan: &Plan, data: &mut [T], mut change: impl FnMut(&Plan, &mut [T]) -> bool) -> bool {
    let ordered = plan.in_flat_order();
    let plan = ordered.as_ref().unwrap_or(plan);
    let data = table_mut(plan, data);
    columns::scatter(plan, data, &mut change).unwrap_or_else(|| change(plan, data))
}

impl Ahead {
    fn of_scatter<T>(plan: &Plan) -> Ahead {
        let far = reaches_beyond::<T>(plan, NEAR);
        Ahead { elements: far, rows: far }
    }
}

/// Whether the places of the table lie further from each other than so many bytes, and can be asked for.
fn reaches_beyond<T>(plan: &Plan, bytes: usize) -> bool {
    PREFETCHES && plan.reach().saturating_mul(size_of::<T>()) > bytes
}

/// The part of the table that the plan needs, so that the address of an entry that is left out is outside.
fn table_mut<'a, T>(plan: &Plan, table: &'a mut [T]) -> &'a mut [T] {
    let length = table.len().min(plan.lengths.table);
    table.get_mut(..length).unwrap_or_default()
}

/// [`combine`] for a part of the data: updates whose place is outside are left out. Rows lie in the part, or outside it.
#[cfg(feature = "rayon")]
pub(crate) fn combine_part<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    indices: &[I],
    reduction: &R,
    Part { start, data }: Part<T>,
    updates: &[T],
) {
    struct Run<'a, I, M> {
        plan: &'a Plan,
        indices: &'a [I],
        mover: M,
        ahead: bool,
        length: usize,
    }
    impl<I: Index, M: BlockMover> Op for Run<'_, I, M> {
        type Output = ();
        #[inline(always)]
        fn run(self, instructions: impl Instructions) {
            walk::run::<I, true>(
                self.plan,
                self.indices,
                InPart { instructions, mover: self.mover, ahead: self.ahead, length: self.length },
            );
        }
    }
    let mut plan = *plan;
    plan.start.table = plan.start.table.wrapping_sub(start);
    let length = data.len();
    let ahead = reaches_beyond::<T>(&plan, NEAR);
    Path::detect().dispatch(Run { plan: &plan, indices, mover: Combined { reduction, data, updates }, ahead, length });
}

/// Whether all indices are in bounds.
pub(crate) fn check<I: Index>(plan: &Plan, indices: &[I]) -> bool {
    struct Check<'a, I>(&'a Plan, &'a [I]);
    impl<I: Index> Op for Check<'_, I> {
        type Output = bool;
        #[inline(always)]
        fn run(self, _: impl Instructions) -> bool {
            walk::check_by(self.0, self.1, Nothing)
        }
    }
    Path::detect().dispatch(Check(plan, indices))
}

/// [`walk::run`], compiled for each path.
fn run<I: Index, const PROVEN: bool>(plan: &Plan, indices: &[I], mover: impl BlockMover, ahead: Ahead) -> bool {
    struct Run<'a, I, M, const PROVEN: bool>(&'a Plan, &'a [I], M, Ahead);
    impl<I: Index, M: BlockMover, const PROVEN: bool> Op for Run<'_, I, M, PROVEN> {
        type Output = bool;
        #[inline(always)]
        fn run(self, instructions: impl Instructions) -> bool {
            let far_lanes = PREFETCHES && self.0.has_far_lanes();
            walk::run::<I, PROVEN>(
                self.0,
                self.1,
                InBlocks {
                    instructions,
                    mover: self.2,
                    ahead: self.3,
                    far_lanes,
                    stretch: self.0.stretch().filter(|_| PREFETCHES),
                    pending: Pending::new(),
                },
            )
        }
    }
    match pattern::offsets(plan, indices) {
        Some(Ok(offsets)) => Path::detect().dispatch(pattern::Pieces { plan, offsets: &offsets, mover }),
        Some(Err(pattern::OutOfBounds)) => return false,
        None => return Path::detect().dispatch(Run::<I, _, PROVEN>(plan, indices, mover, ahead)),
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Direction::Scatter;
    use crate::plan::tests::{axis, packed};

    #[test]
    fn places_far_from_each_other_are_asked_for() {
        let far = |size| reaches_beyond::<f32>(&axis(Scatter, &packed([size]), &packed([70]), &packed([70]), 0), NEAR);
        assert_eq!([NEAR / 4, NEAR / 4 + 1].map(far), [false, PREFETCHES]);
    }
}
