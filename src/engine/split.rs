//! Split: work for several threads. It is divided by what is written, or each thread has a table of
//! its own where no order changes the result: so the number of threads changes no bit of the
//! result.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use strew_simd::Path;

use crate::engine::movers::{Mover, Tile, Way};
use crate::engine::pool::share;
use crate::engine::prove::{self, OutOfBounds};
use crate::engine::resolver::Resolver;
use crate::engine::route::{Proof, Route, Split};
use crate::engine::shared::{InPart, Shared};
use crate::engine::traverse::{Kept, base_of_kept, check, keep, traverse, traverse_kept};
use crate::engine::{tile, tuning};
use crate::error::Direction;
use crate::plan::Plan;

/// Proves and moves as the route says. `false`: an index is out of bounds under `Bounds::Error`.
pub(crate) fn run(
    plan: &Plan,
    direction: Direction,
    route: &Route,
    way: &Way,
    resolver: &dyn Resolver,
    job: &mut dyn Shared,
) -> bool {
    let number = match route.split {
        // One thread moves; all check many indices.
        Split::Serial(_) if matches!(route.proof, Proof::Keep | Proof::Scan) => usize::MAX,
        Split::Serial(_) => return prove::run(plan, route, way, resolver, job),
        Split::Chunks { number, .. }
        | Split::Tiles { number }
        | Split::Tables { number }
        | Split::Parts { number, .. } => number,
    };
    let threads = rayon::current_num_threads();
    let call = Divided { plan, direction, route, way, threads: threads.min(number) };
    if let Split::Tables { number } = route.split {
        let inside = call.copies(number, resolver, job);
        return inside.unwrap_or_else(|| prove::run(plan, route, way, resolver, job));
    }
    if let (Proof::Blocks, Split::Chunks { dim, number }) = (route.proof, route.split) {
        return call.in_turn(dim, number, resolver, job);
    }
    if matches!(route.proof, Proof::Keep)
        && let Some(kept) = call.keep(resolver)
    {
        return kept.map(|addresses| call.run(resolver, Some(&addresses), job)).is_ok();
    }
    let proven = matches!(route.proof, Proof::Unneeded);
    (proven || par_check(plan, way.path, resolver, threads)) && {
        call.run(resolver, None, job);
        true
    }
}

/// Whether all indices are in bounds.
pub(crate) fn par_check(plan: &Plan, path: Path, resolver: &dyn Resolver, threads: usize) -> bool {
    // Along the longest dimension: the first one may be short.
    let dims = plan.outer().iter().enumerate();
    let dim = dims.max_by_key(|(_, dim)| dim.size).map_or(0, |(dim, _)| dim);
    let number = chunks_of_entries(plan, dim, threads);
    if number < 2 {
        return check(plan, path, resolver);
    }
    share_all(plan.chunks(dim, number), threads.min(number), |chunk| check(&chunk, path, resolver))
}

/// [`share`]s what may fail. `false`: some work has failed, after which no chunk begins.
fn share_all<P>(
    chunks: impl Iterator<Item = P> + Send,
    threads: usize,
    work: impl Fn(P) -> bool + Sync,
) -> bool {
    let all = AtomicBool::new(true);
    share(chunks, threads, |(), chunk| {
        if all.load(Ordering::Relaxed) && !work(chunk) {
            all.store(false, Ordering::Relaxed);
        }
    });
    all.into_inner()
}

/// The number of chunks of entries, along a dimension, that threads resolve.
fn chunks_of_entries(plan: &Plan, dim: usize, threads: usize) -> usize {
    let worth = threads > 1 && plan.entries() >= tuning::SERIAL / size_of::<u64>();
    let steps = plan.outer().get(dim).map_or(1, |dim| dim.size);
    if worth { threads.saturating_mul(tuning::CHUNKS).min(steps) } else { 1 }
}

/// A call that threads share.
struct Divided<'a> {
    plan: &'a Plan,
    direction: Direction,
    route: &'a Route,
    way: &'a Way,
    threads: usize,
}

impl Divided<'_> {
    /// [`prove::kept`] by all threads.
    fn keep(&self, resolver: &dyn Resolver) -> Option<Result<Vec<u32>, OutOfBounds>> {
        let (plan, path) = (self.plan, self.way.path);
        let number = chunks_of_entries(plan, 0, self.threads);
        if number < 2 {
            return prove::kept(plan, path, resolver);
        }
        let mut all = prove::room(plan)?;
        let (origin, mut rest) = (base_of_kept(plan), all.as_mut_slice());
        let chunks = plan.chunks(0, number).map(|chunk| {
            let (to, others) = std::mem::take(&mut rest).split_at_mut(chunk.entries());
            rest = others;
            (chunk, to)
        });
        let inside = share_all(chunks, self.threads.min(number), |(chunk, to)| {
            keep(&chunk, path, resolver, origin, to)
        });
        Some(if inside { Ok(all) } else { Err(OutOfBounds) })
    }

    /// Chunks, each with its part of what is written, which starts at the first place of its slice.
    fn chunks<'j>(
        &self,
        dim: usize,
        number: usize,
        job: &'j mut dyn Shared,
    ) -> impl Iterator<Item = (Plan, Box<dyn Shared + 'j>)> {
        let (direction, way) = (self.direction, *self.way);
        let start = move |plan: &Plan| match direction {
            Direction::Gather => plan.start.flat,
            Direction::Scatter => plan.start.table,
        };
        let starts = self.plan.chunks(dim, number).skip(1);
        let cuts: Vec<usize> = starts.map(|chunk| start(&chunk)).collect();
        let parts = job.parts(&cuts);
        let cuts = std::iter::once(0).chain(cuts);
        self.plan.chunks(dim, number).zip(cuts).zip(parts).map(
            move |((mut chunk, cut), mut part)| {
                // Chunks along a row have a part of it.
                part.prepare(Way { n: chunk.row(), ..way });
                match direction {
                    Direction::Gather => chunk.start.flat = chunk.start.flat.wrapping_sub(cut),
                    Direction::Scatter => chunk.start.table = chunk.start.table.wrapping_sub(cut),
                }
                (chunk, part)
            },
        )
    }

    /// Moves by indices that have been proven, or by the addresses of all entries.
    fn run(&self, resolver: &dyn Resolver, addresses: Option<&[u32]>, job: &mut dyn Shared) {
        let Divided { plan, route, way, threads, .. } = *self;
        let kept = addresses.map(|addresses| Kept { addresses, base: base_of_kept(plan) });
        match route.split {
            Split::Serial(_) | Split::Tables { .. } => match addresses {
                Some(addresses) => prove::run_kept(plan, way, addresses, job),
                None => _ = tile::run(plan, route, way, resolver, job),
            },
            Split::Chunks { dim, number } => {
                share(self.chunks(dim, number, job), threads, |(), (chunk, mut job)| {
                    let Some(kept) = kept else {
                        _ = tile::run(&chunk, route, way, resolver, &mut *job);
                        return;
                    };
                    // Along a piece: all chunks have the same entries.
                    let pieces = chunk.start.table.wrapping_sub(plan.start.table);
                    let kept = Kept { base: kept.base.wrapping_add(pieces), ..kept };
                    job.session(&mut |mover| traverse_kept(&chunk, way, kept, mover));
                });
            }
            Split::Tiles { .. } => self.tiles(plan, resolver, job),
            Split::Parts { pitch, number } => self.parts(pitch, number, job, |mover| match kept {
                Some(kept) => traverse_kept(plan, way, kept, mover),
                None => _ = traverse(plan, way, resolver, mover),
            }),
        }
    }

    /// Each thread takes tiles of the data.
    fn tiles(&self, plan: &Plan, resolver: &dyn Resolver, job: &mut dyn Shared) {
        let Divided { route, way, threads, .. } = *self;
        let most = route.tile.unwrap_or(1);
        tile::each_table(plan, |at, whole, columns| {
            let width = columns.div_ceil(threads).max(tuning::TILE_LEAST).min(most);
            let tiles = job.tiles(&Tile { width, ..whole }, columns);
            let tiles = (0..columns).step_by(width).zip(tiles);
            share(tiles, threads, |(), (column, mut tile)| {
                let plan = plan.on_tile(at, column, width.min(columns - column));
                tile(&mut |mover| {
                    _ = traverse(&plan, way, resolver, mover);
                });
            });
        });
    }

    /// Each thread takes a chunk of the entries, and a table of its own. `false`: an index is out
    /// of bounds under `Bounds::Error`. `None`: there is no memory for the tables.
    fn copies(&self, number: usize, resolver: &dyn Resolver, job: &mut dyn Shared) -> Option<bool> {
        let Divided { plan, way, threads, .. } = *self;
        job.copies(number, &mut |copies| {
            share_all(plan.chunks(0, number).zip(copies), threads, |(chunk, mut job)| {
                let run = &mut |mover: &mut dyn Mover| traverse(&chunk, way, resolver, mover);
                let spread = if way.copies > 1 { job.speculate(run) } else { None };
                spread.unwrap_or_else(|| {
                    let mut all = true;
                    job.session(&mut |mover| all = run(mover));
                    all
                })
            })
        })
    }

    /// Each thread takes a part of the data, looks at all entries, and moves those that lead there.
    fn parts(
        &self,
        pitch: usize,
        number: usize,
        job: &mut dyn Shared,
        run: impl Fn(&mut dyn Mover) + Sync,
    ) {
        let (plan, path) = (self.plan, self.way.path);
        let (first, end) = (plan.start.table.checked_rem(pitch).unwrap_or(0), plan.lengths.table);
        let rows = end.saturating_sub(first).checked_div(pitch).unwrap_or(0);
        let cut = |part: usize| {
            let row = (rows as u128 * part as u128).checked_div(number as u128).unwrap_or(0);
            first.saturating_add((row as usize).saturating_mul(pitch)).min(end)
        };
        let cuts: Vec<usize> = (1..number).map(cut).collect();
        let starts = std::iter::once(0).chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([end]);
        let parts = starts.zip(ends).zip(job.parts(&cuts));
        share(parts, self.threads, |(), ((start, end), mut job)| {
            job.session(&mut |mover| {
                let length = end.saturating_sub(start);
                let mut part = InPart::new(mover, path, start, length, plan.row());
                run(&mut part);
                part.finish();
            });
        });
    }

    /// Chunks of entries whose indices are proven as they come: nothing is gathered by a bad one,
    /// nor by those that come after it.
    fn in_turn(
        &self,
        dim: usize,
        number: usize,
        resolver: &dyn Resolver,
        job: &mut dyn Shared,
    ) -> bool {
        let way = self.way;
        let (turn, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let chunks = self.chunks(dim, number, job).enumerate();
        share(chunks, self.threads, |kept: &mut Vec<u32>, (number, (chunk, mut job))| {
            kept.resize(chunk.entries(), 0);
            let base = base_of_kept(&chunk);
            let inside =
                !stopped.load(Ordering::Relaxed) && keep(&chunk, way.path, resolver, base, kept);
            // Chunks are handed out in order, so all earlier ones are with a thread: this ends.
            while turn.load(Ordering::Acquire) < number {
                std::thread::yield_now();
            }
            let moves = inside && !stopped.load(Ordering::Relaxed);
            if !moves {
                stopped.store(true, Ordering::Relaxed);
            }
            turn.store(number.wrapping_add(1), Ordering::Release);
            let kept = Kept { addresses: kept, base };
            if moves {
                job.session(&mut |mover| traverse_kept(&chunk, way, kept, mover));
            }
        });
        !stopped.into_inner()
    }
}
