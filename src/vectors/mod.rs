//! What `std` runs for all but small calls: the walk in vectors and threads.
//!
//! The walk is that of [`walk`]. [`blocks`] takes the tuples of a lane [`BLOCK`](strew_simd::BLOCK) at a time, [`movers`] move what they lead to, and `strew_simd` compiles both for the
//! instructions that the machine has. Copies of 1, 2, 4, 8 and 16 bytes are compiled once for each size of element.
//!
//! Some calls go other ways: [`columns`], [`pattern`], [`trial`] and [`narrow`]. [`pieces`] reorders plans and cuts them up, [`threads`] runs the pieces,
//! those of single elements by way of [`lists`]. What is not packed goes by [`loose`].

use strew_simd::{Instructions, Moves, Op, PREFETCHES, Path, third_cache_is_near};

use crate::combine::Combine;
use crate::element::Element;
use crate::gather::Take;
use crate::index::{Bounds, Index};
use crate::plan::{Direction, Plan};
use crate::reduction::{Assign, Reduction};
use crate::walk;

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

mod blocks;
mod columns;
#[cfg(feature = "rayon")]
mod lists;
mod loose;
mod movers;
pub(crate) mod narrow;
mod pattern;
mod pieces;
#[cfg(feature = "rayon")]
pub(crate) mod threads;
pub(crate) mod trial;

#[cfg(feature = "rayon")]
use blocks::InPart;
use blocks::{Ahead, InBlocks, Nothing, Pending};
use columns::Blocks;
use loose::Loose;
#[cfg(feature = "rayon")]
use movers::PartMover;
use movers::{BlockMover, Combined, Gathered, Scattered};
#[cfg(feature = "rayon")]
use threads::Part;

/// From here on, distances over which the tuples of a lane reach, in bytes, with the bench of `strew-benches` that set them.
///
/// Indices are asked for ahead, as where what moves goes past the caches: among reads and writes all over a table, processors do not see that something is read in order. (`reduce`, on Zen 4: histograms of 64K bins
/// take two thirds of the time. `ladder`: from 4 KiB, it would be a tenth more.) From a larger table, elements of 4 and 8 bytes are loaded several at a time before they are
/// written, or by instruction. (`ladder`, on Zen 4, which does the latter: from 256 KiB to 2 MiB, three quarters of the time to nine tenths; from 4 KiB, loads would take a quarter more.)
/// Places that a scatter sets are asked for ahead where the third cache is far: writes wait for each other, reads do not. (`ladder`, on a fifth Xeon: into 32 KiB to 1 MiB, two thirds to
/// three quarters of the time.)
const NEAREST: usize = 1 << 14;

/// Indices that reach over so many elements are asked for ahead at any distance where the third cache is near. (`reduce`, on Zen 5: histograms of 4K bins take two thirds of the time; `ladder`, from 4 KiB: as long. On
/// Zen 4, where that was a tenth more, it has not been measured since.)
const MANY: usize = 1 << 14;

/// Places that a scatter reads and changes are asked for ahead (`tuples`, on a Xeon: those by 2 coordinates into 4 MiB gain a quarter; `reduce`: histograms of 64K bins would lose),
/// and gathered rows. (`rows`, on Zen 4: from 16 MiB, those of 4 to 64 elements take two thirds to three quarters of the time.)
const NEAR: usize = 1 << 20;

/// Elements are gathered one by one, and asked for a block ahead. (`ladder`, on Zen 4: from memory, several at a time would take a tenth more. Asked for, on Zen 5: from 16 MiB as long, from 64 MiB, `many`,
/// two thirds of the time, from 512 MiB a tenth less; on a fifth Xeon: from 64 MiB, `many`, eight to nine tenths.) So are places that a scatter sets where the third cache is near. (`ladder`, on Zen 5: into 64
/// MiB two thirds of the time, into 256 KiB and 1 MiB up to a quarter more. Zen 4 has not been measured.)
const FAR: usize = 1 << 23;

/// The bytes of a tuple of indices from which on elements are gathered one by one, while the vectors of the next tuples are at work. (`tuples`, on Zen 5: by 2 and 3 coordinates of 8 bytes, eight tenths of
/// the time to nine tenths; narrower ones would take up to a third more, if they come from memory. By the path `avx2` there, as long; other processors of that path have not been measured.)
const WIDE_TUPLE: usize = 16;

/// What stays in the third cache where that is near, of a table, its indices, and what is moved from or to it.
const FAR_CACHED: usize = 1 << 25;

/// Rows of so many bytes, gathered or set, go past the caches if all of them have so many, and where the third cache is near if they do not stay in it with the table and the indices.
/// Those that a scatter sets do if the table is far.
/// (`rows`, on Zen 4: gathered ones of 64 elements, to an output that starts at a cache line, take from half the time, from 1 MiB, to nine tenths, from memory; scattered ones half, but
/// into 1 MiB half as much again. On a fifth Xeon, gathered ones take three quarters of the time to as long, scattered ones two thirds to nine tenths. Older Xeons have not been measured.)
///
/// So do single elements, if the path gains. (`ladder`, `many`, on a fifth Xeon: from 4 KiB six tenths of the time, if their indices are asked for as well; from memory as long.)
const STREAMED_GATHERED: usize = 256;
const STREAMED_SCATTERED: usize = 64;
const STREAMED: usize = 1 << 23;
const STREAMED_TO_FAR: usize = 1 << 22;

/// The bytes of indices between those that are used and those that are asked for.
const INDICES_AHEAD: usize = 4096;

/// `output[flat] = input[table]` for a plan that [suits vectors](Plan::suits_vectors).
pub(crate) fn gather<T: Element, I: Index, const PROVEN: bool>(
    plan: &Plan,
    indices: &[I],
    input: &[T],
    output: &mut [T],
) -> bool {
    let ordered = plan.in_flat_order();
    let plan = ordered.as_ref().unwrap_or(plan);
    gather_piece::<T, I, PROVEN>(
        plan,
        indices,
        streams::<T, I>(plan, Direction::Gather),
        input,
        output,
    )
}

/// The same for a plan in flat order, or a piece of one that [streams] as a whole or not.
fn gather_piece<T: Element, I: Index, const PROVEN: bool>(
    plan: &Plan,
    indices: &[I],
    streams: bool,
    input: &[T],
    output: &mut [T],
) -> bool {
    let input = input.get(..plan.lengths.table).unwrap_or(input);
    let Some(blocks) = Blocks::of::<T>(plan, Direction::Gather) else {
        return gather_lanes::<T, I, PROVEN>(
            plan,
            indices,
            Ahead::of::<T>(plan, streams),
            streams,
            input,
            output,
        );
    };
    // Theirs is not the order of the indices, in which nothing may be gathered that comes after a bad one.
    if !PROVEN && matches!(plan.bounds, Bounds::Error) {
        match narrow::positions::<T, I>(plan, indices) {
            Some(Ok((plan, positions))) => {
                blocks.gather(&plan, &positions, streams, input, output);
                return true;
            }
            None if check(plan, indices) => {}
            _ => return false,
        }
    }
    blocks.gather(plan, indices, streams, input, output);
    true
}

/// The same, lane by lane.
fn gather_lanes<T: Element, I: Index, const PROVEN: bool>(
    plan: &Plan,
    indices: &[I],
    ahead: Ahead,
    streams: bool,
    input: &[T],
    output: &mut [T],
) -> bool {
    if let Some(loose) = Loose::of_gather(plan) {
        return loose.all(indices, &[(); 0], &mut |plan, indices, _| {
            gather_lanes::<T, I, PROVEN>(
                plan,
                indices,
                Ahead::of::<T>(plan, false),
                false,
                input,
                output,
            )
        });
    }
    if !plan.suits_blocks() {
        // The portable loops are shorter.
        return walk::run::<I, PROVEN>(plan, indices, Take { input, output });
    }
    let ahead = Ahead { elements: reaches_beyond::<T>(plan, FAR), ..ahead };
    let together = size_of_val(input) > NEAREST
        && reach::<T>(plan) <= FAR
        && plan.packed_tuple * size_of::<I>() < WIDE_TUPLE;
    let done = for_size!(T, N => Moves::<N>::new(input, output).map(|moves| {
        let gather = |moves: Moves<N>| run::<I, PROVEN>(plan, indices, Gathered { moves, together }, ahead);
        if streams { moves.streaming(gather) } else { gather(moves) }
    }));
    done.unwrap_or_else(|| walk::run::<I, PROVEN>(plan, indices, Take { input, output }))
}

/// `data[table] = updates[flat]`. `false`: an index is out of bounds under `Bounds::Error`; some updates have been made.
pub(crate) fn scatter<T: Element, I: Index>(
    plan: &Plan,
    indices: &[I],
    data: &mut [T],
    updates: &[T],
) -> bool {
    in_blocks(plan, indices, &Assign, data, updates, |plan, indices, data, updates| {
        let ahead = Ahead::of_scatter::<T>(plan, false);
        let done = for_size!(T, N => Moves::<N>::new(updates, data).map(|moves| {
            let scatter = |moves: Moves<N>| run::<I, false>(plan, indices, Scattered { moves }, ahead);
            if streams::<T, I>(plan, Direction::Scatter) { moves.streaming(scatter) } else { scatter(moves) }
        }));
        done.unwrap_or_else(|| {
            run::<I, false>(plan, indices, Combined { reduction: &Assign, data, updates }, ahead)
        })
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
    if R::SETS {
        return scatter(plan, indices, data, updates);
    }
    in_blocks(plan, indices, reduction, data, updates, |plan, indices, data, updates| {
        run::<I, false>(
            plan,
            indices,
            Combined { reduction, data, updates },
            Ahead::of_scatter::<T>(plan, true),
        )
    })
}

/// Changes the data by plans that go in blocks: those for blocks of columns where that is worth it, with packed indices and updates. `change` makes one of these changes.
fn in_blocks<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    indices: &[I],
    reduction: &R,
    data: &mut [T],
    updates: &[T],
    mut change: impl FnMut(&Plan, &[I], &mut [T], &[T]) -> bool,
) -> bool {
    let ordered = plan.in_flat_order();
    let plan = ordered.as_ref().unwrap_or(plan);
    let data = table_mut(plan, data);
    let mut change = |plan: &Plan, data: &mut [T]| {
        loose::all(plan, indices, updates, &mut |plan, indices, updates| {
            if plan.suits_blocks() {
                change(plan, indices, data, updates)
            } else {
                // The portable loops are shorter.
                walk::run::<I, false>(plan, indices, Combine { reduction, data, updates })
            }
        })
    };
    match Blocks::of::<T>(plan, Direction::Scatter) {
        Some(blocks) => blocks.scatter(plan, data, change),
        None => change(plan, data),
    }
}

impl Ahead {
    /// `streams`: what moves is written past the caches.
    fn of<T>(plan: &Plan, streams: bool) -> Ahead {
        let far = reaches_beyond::<T>(plan, NEAR);
        let long = third_cache_is_near() && plan.lengths.indices >= MANY;
        let many = reaches_beyond::<T>(plan, NEAREST)
            || (PREFETCHES && (long || streams || plan.stretch().is_some()));
        Ahead {
            elements: far,
            rows: far,
            indices: if many && !plan.has_far_lanes() { INDICES_AHEAD } else { 0 },
        }
    }

    /// `reads`: what is written depends on what is there.
    fn of_scatter<T>(plan: &Plan, reads: bool) -> Ahead {
        let beyond = match (reads, third_cache_is_near()) {
            (true, _) => NEAR,
            (false, true) => FAR,
            (false, false) => NEAREST,
        };
        Ahead { elements: reaches_beyond::<T>(plan, beyond), ..Ahead::of::<T>(plan, false) }
    }
}

/// Whether the places of the table lie further from each other than so many bytes, and can be asked for.
fn reaches_beyond<T>(plan: &Plan, bytes: usize) -> bool {
    PREFETCHES && reach::<T>(plan) > bytes
}

/// The bytes over which the tuples of a lane reach.
fn reach<T>(plan: &Plan) -> usize {
    plan.reach().saturating_mul(size_of::<T>())
}

/// Whether rows, or gathered elements, are written past the caches, where the path can.
fn streams<T, I>(plan: &Plan, direction: Direction) -> bool {
    let bytes = |elements: usize| elements.saturating_mul(size_of::<T>());
    let row = bytes(plan.packed_row);
    let written = row.saturating_mul(plan.entries());
    let read = bytes(plan.lengths.table)
        .saturating_add(plan.lengths.indices.saturating_mul(size_of::<I>()));
    let near = third_cache_is_near();
    let gains = match direction {
        Direction::Gather if plan.packed_row == 1 => {
            written >= STREAMED && Path::detect().streams_elements(row)
        }
        Direction::Gather => written >= STREAMED && row >= STREAMED_GATHERED,
        Direction::Scatter => {
            let many = if near { STREAMED } else { STREAMED_TO_FAR };
            written >= many && row >= STREAMED_SCATTERED && reach::<T>(plan) > FAR
        }
    };
    gains && (!near || written.saturating_add(read) > FAR_CACHED)
}

/// The part of the table that the plan needs, so that the address of an entry that is left out is outside.
fn table_mut<'a, T>(plan: &Plan, table: &'a mut [T]) -> &'a mut [T] {
    let length = table.len().min(plan.lengths.table);
    table.get_mut(..length).unwrap_or_default()
}

/// [`combine`] for a part of the data: updates whose place is outside are left out. Rows lie in the part, or outside it. `streams`: they are set, and past the caches.
#[cfg(feature = "rayon")]
pub(crate) fn combine_part<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    indices: &[I],
    reduction: &R,
    Part { start, data }: Part<T>,
    updates: &[T],
    streams: bool,
) {
    let length = data.len();
    let mut plan = *plan;
    plan.start.table = plan.start.table.wrapping_sub(start);
    let done = if streams {
        for_size!(T, N => Moves::<N>::new(updates, &mut *data).map(|moves| {
            moves.streaming(|moves| run_part(&plan, indices, Scattered { moves }, length));
        }))
    } else {
        None
    };
    done.unwrap_or_else(|| run_part(&plan, indices, Combined { reduction, data, updates }, length));
}

/// The walk of [`combine_part`], for a part of so many elements, compiled for each path.
#[cfg(feature = "rayon")]
fn run_part<I: Index>(plan: &Plan, indices: &[I], mover: impl PartMover, length: usize) {
    struct Run<'a, I, M>(&'a Plan, &'a [I], M, usize);
    impl<I: Index, M: PartMover> Op for Run<'_, I, M> {
        type Output = ();
        #[inline(always)]
        fn run(self, instructions: impl Instructions) {
            walk::run::<I, true>(self.0, self.1, InPart::new(instructions, self.2, self.3));
        }
    }
    Path::detect().dispatch(Run(plan, indices, mover, length));
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
    match Loose::indices(plan) {
        Some(loose) => loose.all(indices, &[(); 0], &mut |plan, indices, _| {
            Path::detect().dispatch(Check(plan, indices))
        }),
        None => Path::detect().dispatch(Check(plan, indices)),
    }
}

/// [`walk::run`], compiled for each path.
fn run<I: Index, const PROVEN: bool>(
    plan: &Plan,
    indices: &[I],
    mover: impl BlockMover,
    ahead: Ahead,
) -> bool {
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
                    stretch: self.0.stretch(),
                    coming: (0, 0),
                    pending: Pending::new(),
                },
            )
        }
    }
    match pattern::offsets(plan, indices) {
        Some(Ok(offsets)) => {
            Path::detect().dispatch(pattern::Pieces { plan, offsets: &offsets, mover })
        }
        Some(Err(pattern::OutOfBounds)) => return false,
        None => return Path::detect().dispatch(Run::<I, _, PROVEN>(plan, indices, mover, ahead)),
    }
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::index::Bounds;
    use crate::layout::Layout;
    use crate::plan::Direction::{Gather, Scatter};
    use crate::plan::tests::{axis, packed};
    use crate::reduction::Add;

    #[test]
    fn places_far_from_each_other_are_asked_for() {
        let far = |size| {
            reaches_beyond::<f32>(
                &axis(Scatter, &packed([size]), &packed([70]), &packed([70]), 0),
                NEAR,
            )
        };
        assert_eq!([NEAR / 4, NEAR / 4 + 1].map(far), [false, PREFETCHES]);
    }

    #[test]
    fn many_indices_are_asked_for_where_the_third_cache_is_near() {
        let asked = |count| {
            Ahead::of::<u8>(
                &axis(Gather, &packed([9]), &packed([count]), &packed([count]), 0),
                false,
            )
            .indices
                > 0
        };
        assert_eq!([MANY - 1, MANY].map(asked), [false, PREFETCHES && third_cache_is_near()]);
    }

    #[test]
    fn many_long_rows_go_past_the_caches() {
        let (near, by_element) = (third_cache_is_near(), Path::detect().streams_elements(4));
        let past = |direction, places, width, count| {
            let plan = axis(
                direction,
                &packed([places, width]),
                &packed([count]),
                &packed([count, width]),
                0,
            );
            streams::<f32, u8>(&plan, direction)
        };
        // A row of 64 elements and its index have 257 bytes.
        let (rows, all) = (STREAMED / 256, FAR_CACHED / 257);
        let gathered = [
            (1, 64, all),
            (1, 64, all - 1),
            (all, 64, rows),
            (all, 64, rows - 1),
            (9 * all, 64, rows),
            (2 * all, 63, 2 * rows),
        ];
        let gathered = gathered.map(|(places, width, count)| past(Gather, places, width, count));
        assert_eq!(gathered, [true, !near, true, false, true, false]);
        let elements = STREAMED / 4;
        let gathered = [(1, 1, elements), (1, 1, elements - 1), (FAR_CACHED, 2, elements)];
        let gathered = gathered.map(|(places, width, count)| past(Gather, places, width, count));
        assert_eq!(gathered, [by_element && !near, false, false]);
        let (places, rows) = (FAR / 64, STREAMED / 64);
        let scattered = [
            (places, 16, 2 * rows),
            (places + 1, 16, FAR_CACHED / 64),
            (8 * places, 16, rows),
            (8 * places, 15, 2 * rows),
            (places + 1, 16, STREAMED_TO_FAR / 64),
            (places + 1, 16, STREAMED_TO_FAR / 64 - 1),
        ];
        let scattered = scattered.map(|(places, width, count)| past(Scatter, places, width, count));
        assert_eq!(scattered, [false, true, true, false, !near, false]);
    }

    #[test]
    fn elements_past_the_caches_are_those_of_the_indices() {
        fn of<T: Element + PartialEq>(value: impl Fn(usize) -> T, offset: usize, bounds: Bounds) {
            let (places, count) = (1000_usize, 5000);
            let entries = packed([count]);
            let mut plan =
                axis(Gather, &packed([places]), &entries, &packed([count]).with_offset(offset), 0);
            plan.set_bounds(bounds);
            let mut indices: Vec<i16> =
                (0..count).map(|n| (n * 7919 % 2000) as i16 - 1000).collect();
            if bounds == Bounds::Skip {
                indices[100..].iter_mut().step_by(777).for_each(|index| *index = 1000);
            }
            let table: Vec<T> = (0..places).map(&value).collect();
            let entry = |index: &i16| match *index {
                1000 => value(5000),
                index => table[(usize::from((index + 1000) as u16)) % 1000],
            };
            let expected: Vec<T> =
                vec![value(5000); offset].into_iter().chain(indices.iter().map(entry)).collect();
            let mut output = vec![value(5000); offset + count];
            assert!(gather_piece::<T, i16, false>(&plan, &indices, true, &table, &mut output));
            assert!(output == expected, "{offset} {bounds:?}");
            if bounds == Bounds::Error {
                indices[count - 500] = 1000;
                output.fill(value(5000));
                assert!(!gather_piece::<T, i16, false>(&plan, &indices, true, &table, &mut output));
                assert!(
                    output[offset + count - 500..].iter().all(|element| *element == value(5000))
                );
            }
        }
        for (offset, bounds) in [(0, Bounds::Error), (1, Bounds::Skip), (4, Bounds::Error)] {
            of(|n| n as f32, offset, bounds);
            of(|n| n as f64, offset, bounds);
            of(|n| n as u16, offset, bounds);
        }
    }

    #[test]
    fn rows_past_the_caches_are_those_of_the_indices() {
        for (width, bounds) in [
            (64, Bounds::Error),
            (100, Bounds::Skip),
            (100, Bounds::Error),
            (100, Bounds::Clamp),
            (100, Bounds::Wrap),
        ] {
            let places = (FAR_CACHED - STREAMED) / size_of::<u32>() / width + 1;
            let count = STREAMED / size_of::<u32>() / width + 30;
            let (table, ids, rows) =
                (packed([places, width]), packed([count]), packed([count, width]));
            for direction in [Gather, Scatter] {
                assert!(streams::<u32, i64>(&axis(direction, &table, &ids, &rows, 0), direction));
            }
            // Among them, one place twice, and far from each other.
            let index = |n: usize| match n % 50 {
                17 if bounds != Bounds::Error => places as i64 + 3,
                18 if bounds != Bounds::Error => -(places as i64) - 3,
                19 => -1,
                _ => (n * 7919 % (places / 4)) as i64,
            };
            let indices: Vec<i64> = (0..count).map(index).collect();
            let place = |index: i64| match bounds {
                Bounds::Clamp => {
                    Some(index.clamp(-(places as i64), places as i64 - 1).rem_euclid(places as i64)
                        as usize)
                }
                Bounds::Skip if !(-(places as i64)..places as i64).contains(&index) => None,
                _ => Some(index.rem_euclid(places as i64) as usize),
            };
            let numbers: Vec<u32> =
                (0..(places * width) as u32).map(|n| n.wrapping_mul(2_654_435_761)).collect();
            let row = |n: usize| n * width..(n + 1) * width;

            let mut expected = vec![7; count * width];
            for (n, from) in
                indices.iter().enumerate().filter_map(|(n, index)| Some((n, place(*index)?)))
            {
                expected[row(n)].copy_from_slice(&numbers[row(from)]);
            }
            let gather = crate::Gather::axis(&table, &ids, &rows, 0).unwrap().bounds(bounds);
            let mut output = vec![7; count * width];
            gather.run(&numbers, &indices, &mut output).unwrap();
            assert!(output == expected, "gathered rows of {width}, {bounds:?}");

            let updates = &numbers[..count * width];
            let mut expected = vec![7; places * width];
            for (n, to) in
                indices.iter().enumerate().filter_map(|(n, index)| Some((n, place(*index)?)))
            {
                expected[row(to)].copy_from_slice(&updates[row(n)]);
            }
            let scatter = crate::Scatter::axis(&table, &ids, &rows, 0).unwrap().bounds(bounds);
            let mut data = vec![7; places * width];
            scatter.run(&mut data, &indices, updates).unwrap();
            assert!(data == expected, "set rows of {width}, {bounds:?}");
            data.fill(7);
            scatter.reduce(Assign, &mut data, &indices, updates).unwrap();
            assert!(data == expected, "assigned rows of {width}, {bounds:?}");
            #[cfg(feature = "rayon")]
            {
                let mut parallel = vec![7; count * width];
                gather.par_run(&numbers, &indices, &mut parallel).unwrap();
                assert!(parallel == output, "gathered rows of {width}, {bounds:?}, by threads");
                let mut parallel = vec![7; places * width];
                scatter.par_run(&mut parallel, &indices, updates).unwrap();
                assert!(parallel == expected, "set rows of {width}, {bounds:?}, by threads");
            }
        }
    }

    /// Does what `plan` says with all that can be asked for; `place` is where in the table an element of the flat tensor belongs.
    fn ask_for_everything(
        plan: impl Fn(Direction) -> Plan,
        ids: &[i64],
        place: impl Fn(usize) -> usize,
    ) {
        let ahead = Ahead { elements: true, rows: true, indices: INDICES_AHEAD };
        let (gather, scatter) = (plan(Gather), plan(Scatter));
        let numbers: Vec<u32> = (0..gather.lengths.table as u32).map(|n| n * 3).collect();

        let mut output = vec![0; gather.lengths.flat];
        let moves = Moves::<4>::new(&numbers, &mut output).unwrap();
        assert!(moves.streaming(|moves| run::<i64, false>(
            &gather,
            ids,
            Gathered { moves, together: true },
            ahead
        )));
        assert!(output.iter().enumerate().all(|(n, found)| *found == numbers[place(n)]));

        let (mut set, mut sums) = (vec![7; numbers.len()], vec![7; numbers.len()]);
        let (mut expected_set, mut expected_sums) = (set.clone(), sums.clone());
        let moves = Moves::<4>::new(&output, &mut set).unwrap();
        assert!(run::<i64, false>(&scatter, ids, Scattered { moves }, ahead));
        assert!(run::<i64, false>(
            &scatter,
            ids,
            Combined { reduction: &Add, data: &mut sums, updates: &output },
            ahead
        ));
        for (n, update) in output.iter().enumerate() {
            expected_set[place(n)] = *update;
            expected_sums[place(n)] += update;
        }
        assert_eq!((set, sums), (expected_set, expected_sums));
    }

    /// Whether a machine gains by it or not.
    #[test]
    fn what_is_asked_for_changes_nothing() {
        let ids: Vec<i64> = (0..2000).map(|n| n * 29 % 70).collect();
        // One long lane; lanes far apart; rows.
        let plan = |direction| axis(direction, &packed([70]), &packed([2000]), &packed([2000]), 0);
        ask_for_everything(plan, &ids, |n| ids[n] as usize);
        let far = Layout::strided([3, 70], [600, 1]);
        let plan = |direction| axis(direction, &packed([70]), &far, &packed([3, 70]), 0);
        assert!(plan(Gather).has_far_lanes());
        ask_for_everything(plan, &ids, |n| ids[n / 70 * 600 + n % 70] as usize);
        for width in [4, 5, 64, 100] {
            let plan = |direction| {
                axis(direction, &packed([70, width]), &packed([100]), &packed([100, width]), 0)
            };
            ask_for_everything(plan, &ids, |n| ids[n / width] as usize * width + n % width);
        }
    }

    /// Blocks of which all rows, many or none are chosen, and rows after them; of lengths that are known when the loops are compiled, and others.
    #[cfg(feature = "rayon")]
    #[test]
    fn parts_change_what_lies_in_them() {
        const ROWS: usize = 100;
        for n in (1..=70).chain([300]) {
            for count in [0, 1, 63, 64, 65, 128, 1000] {
                let (table, flat) = (packed([ROWS, n]), packed([count, n]));
                let plan = axis(Scatter, &table, &packed([count]), &flat, 0);
                let ids: Vec<i32> = (0..count as i32)
                    .map(|k| match k / 64 % 3 {
                        1 => k % 7,
                        2 => k % 7 + 40,
                        _ => k * 37 % ROWS as i32 - 50,
                    })
                    .collect();
                let updates: Vec<u32> =
                    (0..plan.lengths.flat as u32).map(|k| k.wrapping_mul(2_654_435_761)).collect();
                let before: Vec<u32> = (0..plan.lengths.table as u32).collect();
                let (mut set, mut streamed, mut sums) =
                    (before.clone(), before.clone(), before.clone());
                let (mut expected_set, mut expected_sums) = (before.clone(), before);
                // The first rows are in no part; one part is empty.
                for [first, end] in [[30, 30], [30, 99], [99, ROWS]] {
                    let part = first * n..end * n;
                    for (data, sets) in [(&mut set, false), (&mut streamed, true)] {
                        combine_part(
                            &plan,
                            &ids,
                            &Assign,
                            Part { start: part.start, data: &mut data[part.clone()] },
                            &updates,
                            sets,
                        );
                    }
                    combine_part(
                        &plan,
                        &ids,
                        &Add,
                        Part { start: part.start, data: &mut sums[part] },
                        &updates,
                        false,
                    );
                }
                for (id, updates) in ids.iter().zip(updates.chunks(n)) {
                    let row = id.rem_euclid(ROWS as i32) as usize;
                    if row >= 30 {
                        for (k, update) in updates.iter().enumerate() {
                            expected_set[row * n + k] = *update;
                            expected_sums[row * n + k] =
                                expected_sums[row * n + k].wrapping_add(*update);
                        }
                    }
                }
                assert!(
                    set == expected_set && streamed == expected_set && sums == expected_sums,
                    "{count} rows of {n}"
                );
            }
        }
    }

    /// The larger or the smaller of updates without a NaN and a zero, and of what is there, NaN and zeros among it.
    #[test]
    fn extremes_of_plain_updates_are_those_of_the_rules() {
        macro_rules! test {
            ($($float:ident)*) => {$(
                let layout = packed([5, 300]);
                let scatter = crate::Scatter::elements(&layout, &layout, &layout, 1).unwrap();
                let old: Vec<$float> = (0..1500).map(|n| [$float::NAN, 0.0, -0.0, 1.5, -1.5, $float::INFINITY, 3.0][n % 7]).collect();
                let updates: Vec<$float> = (0..1500).map(|n| (n * 7 % 400) as $float / 100.0 - 2.005).collect();
                let ids: Vec<i64> = (0..1500).map(|n| n * n % 300 - 150).collect();
                for larger in [true, false] {
                    let (mut found, mut expected) = (old.clone(), old.clone());
                    if larger {
                        scatter.reduce(crate::Max, &mut found, &ids, &updates).unwrap();
                    } else {
                        scatter.reduce(crate::Min, &mut found, &ids, &updates).unwrap();
                    }
                    for (place, (update, index)) in updates.iter().zip(&ids).enumerate() {
                        let current = &mut expected[place / 300 * 300 + (index + 300) as usize % 300];
                        if if larger { *update > *current } else { *update < *current } {
                            *current = *update;
                        }
                    }
                    assert!(found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()), "{larger}");
                    assert!(found.iter().zip(&old).any(|(a, b)| a != b && !b.is_nan()));
                }
            )*};
        }
        test!(f32 f64);
    }

    /// The places of a lane lead on by themselves, across those that its indices choose.
    #[test]
    fn lanes_across_the_axis_are_no_stretches() {
        let (table, ids) = (Layout::strided([100, 4, 70], [1, 8000, 100]), packed([64, 4, 70]));
        let plan = crate::plan::tests::elements(Scatter, &table, &ids, &ids, 0);
        assert!(
            plan.stretch().is_some() && plan.outer().last().is_some_and(|lane| lane.table == 100)
        );
        let indices: Vec<i64> = (0..4 * 64 * 70).map(|n| n * 31 % 200 - 100).collect();
        let updates: Vec<u32> = (0..4 * 64 * 70).collect();
        let (mut found, mut expected) = (vec![0_u32; 32_000], vec![0_u32; 32_000]);
        crate::Scatter::elements(&table, &ids, &ids, 0)
            .unwrap()
            .reduce(Add, &mut found, &indices, &updates)
            .unwrap();
        for (place, (update, index)) in updates.iter().zip(&indices).enumerate() {
            expected[(index + 100) as usize % 100 + place / 70 % 4 * 8000 + place % 70 * 100] +=
                update;
        }
        assert!(found == expected);
    }
}
