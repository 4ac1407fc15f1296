//! Work for several threads, divided so that their number does not change a bit.
//!
//! Each piece writes a part of the written tensor that no other one writes, in the order in which one thread would. What goes by blocks of [`columns`](super::columns) is
//! cut between these. Else a gather's output is cut along its outermost dimension. So is a scatter's data, if the indices of each piece stay in it. Otherwise the data is cut between rows, and all threads look at all
//! indices, to apply the updates that fall into their part; those of single elements are put into [`lists`] first.
//!
//! One thread does what cannot be cut so: written tensors whose outermost steps interleave, indices that are not packed. And what is not worth
//! it: small calls, single elements of data that stay in a cache, and rows of updates with gaps between them, which each thread would pack.

use std::iter;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use strew_simd::third_cache_is_near;

use crate::combine;
use crate::element::Element;
use crate::index::{Bounds, Index};
use crate::plan::{Direction, Plan};
use crate::reduction::Reduction;
use crate::vectors::columns::Blocks;
use crate::vectors::lists;
use crate::vectors::loose::{self, Loose};
use crate::vectors::{self, Ahead};

/// Calls that move fewer bytes run on the caller's thread: they take less than the 0.1 ms that it may take to wake another.
/// (`strew-benches`, `threads`: gathers of 1 to 16 MiB, with this at 0.)
const ALONE: usize = 1 << 21;

/// Single elements that a scatter spreads over no more bytes, for each coordinate of a tuple, are not divided either: to list their places takes as long as to write there, in a cache.
/// (`strew-benches`, `threads`: histograms, with this at 0. On a fifth Xeon, two threads take as long as one into 1 MiB, and two thirds to three quarters of the time into 4 MiB;
/// by pairs, as long. Nor are those that do not suit lists, up to [`FAR`](vectors::FAR).)
const LISTED: usize = 1 << 21;

/// Both limits where the third cache is near. (`strew-benches`, `threads`, on Zen 5: two threads take as long as one into 4 MiB, up to a tenth more into 16 MiB, and two thirds of the time into 64 MiB.
/// More than two have not been measured.)
const ALONE_NEAR: usize = 1 << 24;

/// The bytes of indices that a gather checks, and then uses, at a time: they come from memory once. Those of two pieces stay in the second cache, beside a table.
const CHECKED: usize = 1 << 17;

/// A thread that has nothing left to do looks so many times whether the others are still at work, before it may go to sleep: it may be needed again at once, and to wake it can take as long.
/// That is 0.1 ms on a fifth Xeon, up to 0.4 ms on some others, whatever else the machine does. (`strew-benches`, `threads`: there, calls in a row that move rows take seven to nine tenths of the time.)
const LOOKS: usize = 1 << 13;

/// Pieces for each thread: the caller starts before the others are awake, and no one waits long for the last.
const PIECES: usize = 4;

/// How the threads of the pool share a call.
pub(crate) struct Division {
    plan: Plan,
    pub(crate) threads: usize,
    way: Way,
}

enum Way {
    /// Each takes blocks of columns of the table, on a copy.
    Columns(Blocks),
    /// Each takes a piece of the outermost dimension, and the part of the written tensor that belongs to it.
    Pieces,
    /// Each takes a part of the data, cut between rows that start at multiples of this distance, and looks at all indices.
    Rows(usize),
    /// Each takes a part of the data, and what is listed for it of single elements.
    Lists,
}

impl Division {
    /// For a gather of elements of type `T`. `None`: it is not to be divided.
    pub(crate) fn of_gather<T>(plan: &Plan) -> Option<Division> {
        Division::of::<T>(plan, |plan| match Blocks::of::<T>(plan, Direction::Gather) {
            Some(blocks)
                if plan.outer().len() == 2 && blocks.suit(rayon::current_num_threads()) =>
            {
                Some(Way::Columns(blocks))
            }
            _ => plan.pieces_are_apart(Direction::Gather).then_some(Way::Pieces),
        })
    }

    /// The same for a scatter.
    pub(crate) fn of_scatter<T>(plan: &Plan) -> Option<Division> {
        Division::of::<T>(plan, |plan| {
            if let Some(blocks) = Blocks::of::<T>(plan, Direction::Scatter) {
                return Some(Way::Columns(blocks));
            }
            let loose = Loose::of_scatter::<T>(plan);
            if let Some(loose) = &loose {
                *plan = loose.plan;
            }
            if plan.pieces_are_apart(Direction::Scatter) {
                return Some(Way::Pieces);
            }
            if loose.as_ref().is_some_and(|loose| loose.indices) {
                return None;
            }
            // Parts of rows are for all threads to look at: not for updates that each of them would pack.
            let (packed, suits_rows) =
                loose.as_ref().map_or((&*plan, true), |loose| (&loose.packed, loose.repeated));
            let pitch = packed.pitch()?;
            let reach = vectors::reach::<T>(plan);
            if packed.packed_row == 1 && packed.suits_lists() {
                return (reach > alone(LISTED * plan.coordinates().len())).then_some(Way::Lists);
            }
            (suits_rows && (packed.packed_row > 1 || reach > alone(vectors::FAR)))
                .then_some(Way::Rows(pitch))
        })
    }

    /// `way` may change the plan to another one for the same.
    fn of<T>(plan: &Plan, way: impl FnOnce(&mut Plan) -> Option<Way>) -> Option<Division> {
        let dims = plan.outer().iter().chain(plan.inner());
        let elements = dims.fold(1_usize, |elements, dim| elements.saturating_mul(dim.size));
        if plan.empty || !plan.suits_vectors || elements.saturating_mul(size_of::<T>()) < ALONE {
            return None;
        }
        let threads = Some(rayon::current_num_threads()).filter(|threads| *threads > 1)?;
        let mut plan = plan.in_flat_order().unwrap_or(*plan);
        Some(Division { way: way(&mut plan)?, threads, plan })
    }

    /// The number of pieces of a plan that is cut along its outermost dimension.
    fn pieces(&self, plan: &Plan) -> usize {
        self.threads.saturating_mul(PIECES).min(steps(plan))
    }

    /// Whether all indices are in bounds, for the plan as it was before it was divided.
    pub(crate) fn check<I: Index>(&self, plan: &Plan, indices: &[I]) -> bool {
        if plan.reads().saturating_mul(size_of::<I>()) < ALONE {
            return vectors::check(plan, indices);
        }
        let inside = AtomicBool::new(true);
        let number = self.pieces(plan);
        share(pieces(plan, number), self.threads.min(number), |piece| {
            if inside.load(Ordering::Relaxed) && !vectors::check(&piece, indices) {
                inside.store(false, Ordering::Relaxed);
            }
        });
        inside.into_inner()
    }

    /// `output[flat] = input[table]`, for checked indices.
    pub(crate) fn gather<T, I>(&self, indices: &[I], input: &[T], output: &mut [T])
    where
        T: Element + Send + Sync,
        I: Index,
    {
        let streams = vectors::streams::<T, I>(&self.plan, Direction::Gather);
        if let Way::Columns(blocks) = &self.way {
            return blocks.par_gather(&self.plan, indices, streams, input, output, self.threads);
        }
        // Each piece packs columns of its own.
        let number = self.pieces(&self.plan);
        let number = if Blocks::of::<T>(&self.plan, Direction::Gather).is_some() {
            number.min(self.threads)
        } else {
            number
        };
        let pieces = written_pieces(&self.plan, output, Direction::Gather, number);
        share(pieces, self.threads.min(number), |(plan, output)| {
            _ = vectors::gather_piece::<T, I, true>(&plan, indices, streams, input, output)
        });
    }

    /// The same for any indices, given the plan as it was before it was divided. `false`: one is out of bounds under `Bounds::Error`; nothing is gathered by it, nor
    /// by those that come after it.
    pub(crate) fn check_and_gather<T, I>(
        &self,
        plan: &Plan,
        indices: &[I],
        input: &[T],
        output: &mut [T],
    ) -> bool
    where
        T: Element + Send + Sync,
        I: Index,
    {
        if !matches!(self.plan.bounds, Bounds::Error) {
            self.gather(indices, input, output);
            return true;
        }
        // What is used more than once would be checked as often; columns are not in the order of the indices.
        if self.plan.outer().iter().any(|dim| dim.indices == 0)
            || Blocks::of::<T>(&self.plan, Direction::Gather).is_some()
        {
            return self.check(plan, indices) && {
                self.gather(indices, input, output);
                true
            };
        }
        let steps = steps(&self.plan);
        let number = plan
            .reads()
            .saturating_mul(size_of::<I>())
            .div_ceil(CHECKED)
            .max(self.pieces(&self.plan))
            .min(steps);
        let threads = self.threads.min(number);
        // The bytes of indices to the piece that this thread is likely to take next.
        let step = self.plan.outer().first().map_or(0, |dim| dim.indices.unsigned_abs());
        let next = (steps / number)
            .saturating_mul(step)
            .saturating_mul(threads)
            .saturating_mul(size_of::<I>());
        let followed = 0..number.saturating_sub(threads);
        let input = input.get(..plan.lengths.table).unwrap_or(input);
        let streams = vectors::streams::<T, I>(&self.plan, Direction::Gather);
        let (turn, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let pieces = written_pieces(&self.plan, output, Direction::Gather, number).enumerate();
        share(pieces, threads, |(number, (plan, output))| {
            let inside = !stopped.load(Ordering::Relaxed) && vectors::check(&plan, indices);
            // Those before it have been taken before it, by threads that check them.
            while turn.load(Ordering::Acquire) < number {
                std::thread::yield_now();
            }
            let moves = inside && !stopped.load(Ordering::Relaxed);
            if !moves {
                stopped.store(true, Ordering::Relaxed);
            }
            turn.store(number.wrapping_add(1), Ordering::Release);
            if moves {
                // The check has just brought the indices of this piece.
                let mut ahead = Ahead::of::<T>(&plan, false);
                if followed.contains(&number) {
                    // What is checked next comes while this is written.
                    ahead.indices = next;
                }
                vectors::gather_lanes::<T, I, true>(&plan, indices, ahead, streams, input, output);
            }
        });
        !stopped.into_inner()
    }

    /// `data[table] = reduction(data[table], updates[flat])`, for checked indices.
    pub(crate) fn scatter<T, I, R>(
        &self,
        indices: &[I],
        reduction: &R,
        data: &mut [T],
        updates: &[T],
    ) where
        T: Element + Send + Sync,
        I: Index,
        R: Reduction<T> + Sync,
    {
        let plan = &self.plan;
        let data = vectors::table_mut(plan, data);
        let run = |plan: &Plan, data: &mut [T]| {
            combine::run_plan(plan, indices, reduction, data, updates)
        };
        match &self.way {
            Way::Columns(blocks) => blocks.par_scatter(plan, data, self.threads, run),
            Way::Pieces => {
                // Each decides for itself whether its rows go past the caches.
                let number = self.pieces(plan);
                let pieces = written_pieces(plan, data, Direction::Scatter, number);
                share(pieces, self.threads.min(number), |(plan, data)| run(&plan, data));
            }
            Way::Rows(pitch) => {
                let parts = parts(plan, data, *pitch, self.threads);
                let streams = R::SETS && vectors::streams::<T, I>(plan, Direction::Scatter);
                share(parts, self.threads, |Part { start, data }| {
                    loose::all(plan, indices, updates, &mut |plan, indices, updates| {
                        vectors::combine_part(
                            plan,
                            indices,
                            reduction,
                            Part { start, data },
                            updates,
                            streams,
                        );
                        true
                    });
                });
            }
            Way::Lists => {
                let parts = parts(plan, data, 1, self.threads.min(lists::THREADS));
                lists::scatter(plan, indices, reduction, parts, updates);
            }
        }
    }
}

/// The bytes up to which one thread scatters single elements alone: so many, or what stays in a near third cache.
fn alone(bytes: usize) -> usize {
    if third_cache_is_near() { ALONE_NEAR } else { bytes }
}

/// A part of the data, which starts at this place of it.
pub(crate) struct Part<'a, T> {
    pub start: usize,
    pub data: &'a mut [T],
}

/// Works on all pieces with so many threads: the caller's and those of the pool. Pieces are made as they are taken.
pub(crate) fn share<P>(
    pieces: impl IntoIterator<Item = P, IntoIter: Send>,
    threads: usize,
    work: impl Fn(P) + Sync,
) {
    share_with(pieces.into_iter(), threads, || (), |(), piece| work(piece));
}

/// The same where each thread has something of its own.
pub(crate) fn share_with<P, S>(
    pieces: impl Iterator<Item = P> + Send,
    threads: usize,
    own: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, P) + Sync,
) {
    let pieces = Mutex::new(pieces);
    let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
    let at_work = AtomicUsize::new(0);
    let take_turns = || {
        let Some(first) = next() else { return };
        at_work.fetch_add(1, Ordering::Relaxed);
        let mut own = own();
        for piece in iter::once(first).chain(iter::from_fn(next)) {
            work(&mut own, piece);
        }
        at_work.fetch_sub(1, Ordering::Relaxed);
        for _ in 0..LOOKS {
            if at_work.load(Ordering::Relaxed) == 0 {
                break;
            }
            std::hint::spin_loop();
        }
    };
    rayon::in_place_scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| take_turns());
        }
        take_turns();
    });
}

/// The steps of the outermost dimension.
fn steps(plan: &Plan) -> usize {
    plan.outer().first().map_or(1, |dim| dim.size.max(1))
}

/// So many pieces of a plan along its outermost dimension, or fewer.
fn pieces(plan: &Plan, number: usize) -> impl Iterator<Item = Plan> {
    let mut rest = Some(*plan);
    (1..=number).rev().map_while(move |number| {
        let plan = rest.take()?;
        let steps = (steps(&plan) / number).max(1);
        let (piece, others) =
            plan.split(steps).map_or((plan, None), |(piece, others)| (piece, Some(others)));
        rest = others;
        Some(piece)
    })
}

/// The same, each with its part of the written tensor: they are apart.
fn written_pieces<'a, T>(
    plan: &Plan,
    written: &'a mut [T],
    direction: Direction,
    number: usize,
) -> impl Iterator<Item = (Plan, &'a mut [T])> {
    let start = move |plan: &Plan| {
        if matches!(direction, Direction::Gather) { plan.start.flat } else { plan.start.table }
    };
    let mut at = start(plan);
    let mut rest = written.get_mut(at..).unwrap_or_default();
    let mut pieces = pieces(plan, number).peekable();
    iter::from_fn(move || {
        let mut piece = pieces.next()?;
        let next = pieces.peek().map_or(usize::MAX, start);
        let length = next.saturating_sub(at).min(rest.len());
        let (part, others) = core::mem::take(&mut rest).split_at_mut(length);
        (at, rest) = (next, others);
        match direction {
            Direction::Gather => piece.start.flat = 0,
            Direction::Scatter => piece.start.table = 0,
        }
        Some((piece, part))
    })
}

/// The data in a part for each thread, whose rows start at `pitch` from each other.
fn parts<'a, T>(
    plan: &Plan,
    mut data: &'a mut [T],
    pitch: usize,
    threads: usize,
) -> Vec<Part<'a, T>> {
    let first = plan.start.table % pitch;
    let rows = data.len().saturating_sub(first) / pitch;
    let mut parts = Vec::new();
    for number in (0..threads).rev() {
        let row = (rows as u128 * number as u128 / threads as u128) as usize;
        let start = if number == 0 { 0 } else { first + row * pitch }.min(data.len());
        let (before, part) = data.split_at_mut(start);
        parts.push(Part { start, data: part });
        data = before;
    }
    parts
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::plan::Direction::{Gather, Scatter};
    use crate::plan::tests::{axis, elements, nd, packed};

    fn with_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
    }

    #[test]
    fn gathers_of_2_mib_are_divided() {
        let divided = |bytes: usize, threads| {
            let ids = packed([bytes / 4]);
            let plan = axis(Gather, &packed([100]), &ids, &ids, 0);
            with_threads(threads, || Division::of_gather::<f32>(&plan))
                .map(|division| (division.threads, division.pieces(&division.plan)))
        };
        assert_eq!([1 << 21, (1 << 21) - 4].map(|bytes| divided(bytes, 2)), [Some((2, 8)), None]);
        assert_eq!((divided(1 << 22, 1), divided(1 << 22, 3)), (None, Some((3, 12))));
        let long = packed([1 << 20]);
        let reversed = Layout::strided([1 << 20], [-1]).with_offset((1 << 20) - 1);
        assert!(
            with_threads(2, || Division::of_gather::<f32>(&axis(
                Gather,
                &packed([100]),
                &long,
                &reversed,
                0
            )))
            .is_none()
        );
        // A long table, which vectors do not reach; no table.
        assert!(
            with_threads(2, || Division::of_gather::<f32>(&axis(
                Gather,
                &packed([1 << 31]),
                &long,
                &long,
                0
            )))
            .is_none()
        );
        let mut empty = axis(Gather, &packed([0]), &long, &long, 0);
        empty.set_bounds(crate::Bounds::Skip);
        assert!(with_threads(2, || Division::of_gather::<f32>(&empty)).is_none());
    }

    #[test]
    fn scatters_are_divided_by_what_they_write() {
        let way = |plan: Plan| {
            with_threads(2, || Division::of_scatter::<f32>(&plan)).map(|division| {
                match division.way {
                    Way::Columns(_) => ("columns", 0),
                    Way::Pieces => ("pieces", 0),
                    Way::Rows(pitch) => ("rows", pitch),
                    Way::Lists => ("lists", 0),
                }
            })
        };
        let square = packed([1024, 1024]);
        assert_eq!(way(elements(Scatter, &square, &square, &square, 0)), Some(("columns", 0)));
        assert_eq!(way(elements(Scatter, &square, &square, &square, 1)), Some(("pieces", 0)));
        let rows = Layout::strided([100, 16], [20, 1]);
        assert_eq!(
            way(axis(Scatter, &rows, &packed([1 << 16]), &packed([1 << 16, 16]), 0)),
            Some(("rows", 20))
        );
        let many = packed([1 << 20]);
        let bins = |bins: usize| way(axis(Scatter, &packed([bins]), &many, &many, 0));
        let most =
            |coordinates: usize| if third_cache_is_near() { 1 << 24 } else { coordinates << 21 };
        let one = most(1) / size_of::<f32>();
        assert_eq!([one, one + 1].map(bins), [None, Some(("lists", 0))]);
        let pairs =
            |rows: usize| way(nd(Scatter, &packed([rows, 1024]), &packed([1 << 20, 2]), &many, 0));
        let two = most(2) / size_of::<[f32; 1024]>();
        assert_eq!([two, two + 1].map(pairs), [None, Some(("lists", 0))]);
        let (far, gaps, one) =
            (packed([5 << 20]), Layout::strided([1 << 20], [2]), Layout::strided([1 << 20], [0]));
        assert_eq!(way(axis(Scatter, &far, &gaps, &many, 0)), None);
        // Updates with gaps, or only one, will be packed.
        assert_eq!(
            [&gaps, &one].map(|updates| way(axis(Scatter, &far, &many, updates, 0))),
            [Some(("lists", 0)); 2]
        );
        let row = |step| {
            way(axis(
                Scatter,
                &rows,
                &packed([1 << 16]),
                &Layout::strided([1 << 16, 16], [step, 1]),
                0,
            ))
        };
        assert_eq!([0, 17].map(row), [Some(("rows", 20)), None]);
        let last = |updates: &Layout| {
            way(axis(Scatter, &packed([1200, 1000]), &packed([900]), updates, 1))
        };
        assert_eq!(
            [&Layout::strided([1200, 900], [0, 0]), &packed([1200, 900])].map(last),
            [Some(("pieces", 0)); 2]
        );
        assert_eq!(
            way(elements(Scatter, &square, &square, &Layout::strided([1024, 1024], [0, 0]), 0)),
            Some(("columns", 0))
        );
    }

    #[test]
    fn what_does_not_suit_lists_goes_by_rows() {
        let (bins, many) = (packed([5 << 20]), packed([1 << 20]));
        let way = |indices: &Layout, updates: &Layout| {
            let plan = axis(Scatter, &bins, indices, updates, 0);
            with_threads(2, || Division::of_scatter::<f32>(&plan))
                .map(|division| matches!(division.way, Way::Rows(1)))
        };
        let lanes = |length: usize| {
            way(
                &Layout::from_parts(&[1 << 14, length], &[length.cast_signed() + 1, 1], 0).unwrap(),
                &packed([1 << 14, length]),
            )
        };
        assert_eq!([63, 64].map(lanes), [Some(true), Some(false)]);
        let tuples = |k: usize| {
            let (bins, indices) =
                (Layout::from_sizes(&[20; 5][..k]).unwrap(), packed([1 << 19, k]));
            let plan = nd(Scatter, &bins, &indices, &packed([1 << 19]), 0);
            with_threads(2, || Division::of_scatter::<[f32; 64]>(&plan))
                .map(|division| matches!(division.way, Way::Rows(1)))
        };
        assert_eq!([4, 5].map(tuples), [Some(false), Some(true)]);
        // Lists count places of the flat tensor in 32 bits.
        #[cfg(target_pointer_width = "64")]
        assert_eq!(
            [0, 1].map(|more| way(
                &many,
                &Layout::strided([1 << 20], [1]).with_offset((1 << 32) - 1 - (1 << 20) + more)
            )),
            [Some(false), Some(true)]
        );
    }

    #[test]
    fn pieces_are_of_one_size() {
        let ids = packed([1003]);
        let plan = axis(Gather, &packed([9]), &ids, &ids, 0);
        let cut = |number| {
            pieces(&plan, number)
                .map(|piece| (piece.start.flat, piece.entries()))
                .collect::<Vec<_>>()
        };
        assert_eq!(cut(4), [(0, 250), (250, 251), (501, 251), (752, 251)]);
        assert_eq!((cut(1), cut(2000).len()), (vec![(0, 1003)], 1003));
        let mut output = [0; 1003];
        let parts = |(piece, part): (Plan, &mut [i32])| {
            (piece.start.flat, piece.start.table, part.len(), piece.start.indices)
        };
        let gathers: Vec<_> =
            written_pieces(&plan, &mut output, Direction::Gather, 4).map(parts).collect();
        assert_eq!(gathers, [(0, 0, 250, 0), (0, 0, 251, 250), (0, 0, 251, 501), (0, 0, 251, 752)]);
        // Of data that start later, and end sooner.
        let rows = packed([7, 10]);
        let plan = elements(Scatter, &rows.with_offset(3), &rows, &rows, 1);
        let scatters: Vec<_> =
            written_pieces(&plan, &mut output[..60], Direction::Scatter, 3).map(parts).collect();
        assert_eq!(scatters, [(0, 0, 20, 0), (20, 0, 20, 20), (40, 0, 17, 40)]);
        assert!(
            written_pieces(&plan, &mut output[..2], Direction::Scatter, 3)
                .all(|(_, part)| part.is_empty())
        );
    }

    #[test]
    fn nothing_is_gathered_after_a_bad_index() {
        const COUNT: usize = 1 << 19;
        let ids = packed([COUNT]);
        let plan = axis(Gather, &packed([100]), &ids, &ids, 0);
        let (table, mut indices) = ([7_u32; 100], vec![3_u64; COUNT]);
        let mut gathered = |bad: &[usize]| {
            bad.iter().for_each(|place| indices[*place] = 100);
            let mut output = vec![0; COUNT];
            let inside = with_threads(3, || {
                Division::of_gather::<u32>(&plan).unwrap().check_and_gather(
                    &plan,
                    &indices,
                    &table,
                    &mut output,
                )
            });
            bad.iter().for_each(|place| indices[*place] = 3);
            (
                inside,
                output.iter().take_while(|element| **element == 7).count(),
                output.iter().filter(|element| **element == 7).count(),
            )
        };
        assert_eq!(gathered(&[]), (true, COUNT, COUNT));
        // What is checked at a time is gathered as a whole.
        let step = CHECKED / size_of::<u64>();
        for (bad, whole) in [
            (0, 0),
            (step - 1, 0),
            (step, step),
            (3 * step + 5, 3 * step),
            (COUNT - 1, COUNT - step),
        ] {
            assert_eq!(gathered(&[bad, COUNT - 1]), (false, whole, whole), "{bad}");
        }
    }

    /// Be it the caller's or another that panics, the others end their pieces and the call ends.
    #[test]
    fn a_panic_reaches_the_caller() {
        for threads in 1..4 {
            for bad in [0, 5, 99] {
                let done = AtomicUsize::new(0);
                let work = |piece| {
                    assert_ne!(piece, bad);
                    done.fetch_add(1, Ordering::Relaxed);
                };
                let run = || with_threads(threads, || share(0..100, threads, work));
                assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
                // Of those that are left, none is lost, unless there is no one else.
                assert_eq!(done.into_inner(), if threads == 1 { bad } else { 99 });
            }
        }
    }

    #[test]
    fn a_thread_that_is_done_does_other_work() {
        use std::time::{Duration, Instant};
        let (began, done) = (Instant::now(), AtomicBool::new(false));
        let wait = || {
            while !done.load(Ordering::Relaxed) {
                assert!(began.elapsed() < Duration::from_secs(10));
                std::thread::yield_now();
            }
        };
        // The long piece ends when the other thread has done something else.
        let work = |long: bool| {
            if long {
                rayon::join(wait, || done.store(true, Ordering::Relaxed));
            }
        };
        with_threads(2, || share([true, false], 2, work));
    }

    #[test]
    fn parts_are_cut_between_rows() {
        let rows = Layout::strided([10, 3], [7, 1]).with_offset(4);
        let plan = axis(Scatter, &rows, &packed([70]), &packed([70, 3]), 0);
        let mut data = [0; 70];
        let cut: Vec<_> = parts(&plan, &mut data, 7, 4)
            .iter()
            .map(|part| (part.start, part.data.len()))
            .collect();
        assert_eq!(cut, [(46, 24), (32, 14), (18, 14), (0, 18)]);
        assert_eq!(parts(&plan, &mut data, 7, 1).len(), 1);
    }
}
