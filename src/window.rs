//! Resolves the entries of bags some time before their rows are read, and prefetches these rows.
//!
//! A loop over rows that are far away goes as fast as its instructions are few: the more rows a
//! processor looks ahead to, the more of them arrive together. So a window resolves an index once,
//! for the row and for its prefetch. (The next window resolves the last ones again, and long bags
//! of several blocks of columns are resolved for each block.) Record: bags of 20 and 100 rows from
//! memory on Zen 5, 64 f32 0.7x, 64 bytes 0.6x; from L1 and L2 it would take 1.05x to 1.4x.

use core::iter::Zip;
use core::mem::replace;
use core::ops::Range;
use core::slice::Iter;

use strew_simd::{NOWHERE, Path, prefetch_columns, prefetch_row_early};

use crate::bag_plan::{BagPlan, Place};
use crate::engine::resolver::Resolver;
use crate::engine::traverse::{each_entry, keep};
use crate::fused::{Rows, Walk};
use crate::indices::sealed::Places;

/// Entries that are resolved before, and whose rows are prefetched.
pub(crate) struct Ahead {
    window: Window,
    /// Rows of the entries before this one are not prefetched again.
    prefetched: usize,
    /// The elements of a row that are neighbours in the table.
    neighbours: usize,
}

/// Entries of the window: the number of the first, their rows, and the [neighbours](Ahead).
pub(crate) struct Resolved<'w> {
    entry: usize,
    rows: Zip<Iter<'w, usize>, Iter<'w, usize>>,
    neighbours: usize,
}

impl Walk for Ahead {
    type Entries<'w> = Resolved<'w>;

    #[inline(always)]
    fn of(bag: &BagPlan) -> Ahead {
        Ahead { window: Window::new(), prefetched: 0, neighbours: bag.neighbours() }
    }

    #[inline(always)]
    fn next_entries<'w, T, S: Places, const L: usize>(
        &'w mut self,
        rows: &Rows<'_, T, S>,
        entries: &mut Range<usize>,
        column: usize,
    ) -> Option<Resolved<'w>> {
        let Ahead { window, prefetched, neighbours } = self;
        let (entry, all) = (entries.start, entries.end);
        if entry >= all {
            return None;
        }
        let end = match window.end(entry) {
            Some(end) => end,
            None => window.begin(rows, entry),
        };
        let end = end.min(all);
        if end <= entry {
            return None;
        }
        entries.start = end;
        // The rest of a row of neighbours has been prefetched with its first columns.
        let prefetches = end.wrapping_add(AHEAD) > *prefetched;
        if prefetches {
            for row in window.first_ahead(entry, *prefetched) {
                prefetch::<_, L>(rows.table, *row, column, *neighbours);
            }
            *prefetched = end.wrapping_add(AHEAD);
        }
        let run = window.run(entry, end.wrapping_sub(entry), prefetches);
        Some(Resolved { entry, rows: run, neighbours: *neighbours })
    }

    #[inline(always)]
    fn next_row<T, S: Places, const L: usize>(
        entries: &mut Resolved<'_>,
        rows: &Rows<'_, T, S>,
        column: usize,
    ) -> Option<(usize, Option<usize>)> {
        let (row, ahead) = entries.rows.next()?;
        let entry = entries.entry;
        entries.entry = entry.wrapping_add(1);
        prefetch::<_, L>(rows.table, *ahead, column, entries.neighbours);
        Some((entry, (*row != NO_ROW).then_some(*row)))
    }

    /// A short bag does not prefetch again: that would prefetch rows of later bags once for each
    /// column. (Twice the distance is unmeasured.)
    #[inline(always)]
    fn begin_again(&mut self, entries: &Range<usize>) {
        if entries.len() > 2 * AHEAD {
            self.prefetched = 0;
        }
    }
}

/// Prefetches a row that has some neighbours, or one of its columns.
#[inline(always)]
fn prefetch<T, const L: usize>(table: &[T], row: usize, column: usize, neighbours: usize) {
    if row != NO_ROW {
        let row = row.wrapping_add(column);
        prefetch_columns::<T, L>(table, row);
        if neighbours > L {
            prefetch_rest::<T, L>(table, row, neighbours);
        }
    }
}

/// Prefetches the columns after the first `L` of a row, of a long one about 72 lines: its later
/// blocks prefetch nothing. Cold, so that compilers keep the sums in registers in loops that do not
/// call it.
#[cold]
#[inline(never)]
fn prefetch_rest<T, const L: usize>(table: &[T], row: usize, neighbours: usize) {
    prefetch_columns::<T, L>(table, row.wrapping_add(neighbours - L));
    if neighbours > 2 * L {
        prefetch_row_early(table, row.wrapping_add(L), neighbours - 2 * L);
    }
}

/// The places of rows in the table, for entries that follow each other.
struct Window {
    /// Those of the window, and of [`AHEAD`] entries after it.
    rows: [usize; LENGTH + AHEAD],
    first: usize,
    /// The number of entries in the window: at most [`LENGTH`].
    count: usize,
}

/// Entries of a window. A longer one delays the first row, a shorter one calls the engine more.
const LENGTH: usize = if cfg!(fuzzing) { 8 } else { 256 };

/// Entries: windows of no more are resolved in place. A call of the engine takes 100 ns more.
const IN_PLACE: usize = if cfg!(fuzzing) { 4 } else { 64 };

/// The distance of prefetches, in entries. Record: FBGEMM has 16 too; on Zen 5, 8 to 64 take the
/// same time. On Emerald Rapids, bags of 20 of 1 million rows take 0.67x (72 bytes) to 0.9x (128
/// f32) of a loop that prefetches 16 rows, then reads them.
const AHEAD: usize = if cfg!(fuzzing) { 4 } else { 16 };

/// The place of an entry that is left out.
const NO_ROW: usize = usize::MAX;

/// Takes the part of the rows [`AHEAD`] where nothing is prefetched.
static NOTHING: [usize; LENGTH] = [NO_ROW; LENGTH];

impl Window {
    fn new() -> Window {
        Window { rows: [NO_ROW; LENGTH + AHEAD], first: 0, count: 0 }
    }

    /// The end of the entries in the window, if `entry` is one of them.
    #[inline(always)]
    fn end(&self, entry: usize) -> Option<usize> {
        let inside = entry.wrapping_sub(self.first) < self.count;
        inside.then_some(self.first.wrapping_add(self.count))
    }

    /// Moves the window to start with `entry`. The end of the entries in it.
    #[inline(never)]
    fn begin<T, S: Places>(&mut self, rows: &Rows<'_, T, S>, entry: usize) -> usize {
        debug_assert!(entry < rows.end, "a bag has no entries beyond the last one");
        let count = rows.end.saturating_sub(entry).min(self.rows.len());
        (self.first, self.count) = (entry, count.min(LENGTH));
        if count > IN_PLACE {
            self.resolve(rows.plan, &rows.indices, entry, count);
        } else {
            let place = Place::of(rows.plan);
            // After them is what is prefetched last: nothing.
            for (row, entry) in self.rows.iter_mut().take(count + AHEAD).zip(entry..) {
                let at = if entry < rows.end { place.at(rows.indices, entry) } else { None };
                *row = at.unwrap_or(NO_ROW);
            }
        }
        entry.wrapping_add(self.count)
    }

    /// Resolves `count` entries, whose indices are all proven, from `entry` on.
    #[inline(never)]
    fn resolve(&mut self, bag: &BagPlan, resolver: &dyn Resolver, entry: usize, count: usize) {
        let mut plan = bag.part(&(entry..entry.wrapping_add(count)));
        // The table of positions: those fit 32 bits where places do not.
        let start = replace(&mut plan.start.table, 0);
        let mut stride = 0;
        if let Some(axis) = plan.coordinates.first_mut() {
            stride = replace(&mut axis.table, 1) as usize;
            plan.addresses_fit = i32::try_from(axis.size).is_ok();
        }
        let (rows, rest) = self.rows.split_at_mut_checked(count).unwrap_or_default();
        rest.fill(NO_ROW);
        if plan.addresses_fit {
            let (path, mut positions) = (Path::detect(), [NOWHERE; LENGTH + AHEAD]);
            keep(&plan, path, resolver, 0, positions.get_mut(..count).unwrap_or_default());
            let padding = bag.padding;
            path.compiled(
                #[inline(always)]
                move || {
                    for (row, position) in rows.iter_mut().zip(&positions) {
                        let place = start.wrapping_add((*position as usize).wrapping_mul(stride));
                        let left_out = *position == NOWHERE || *position as usize == padding;
                        *row = if left_out { NO_ROW } else { place };
                    }
                },
            );
        } else {
            rows.fill(NO_ROW);
            each_entry(&plan, resolver, &mut |at, position| {
                if let Some(row) = rows.get_mut(at.entry).filter(|_| position != bag.padding) {
                    *row = start.wrapping_add(position.wrapping_mul(stride));
                }
            });
        }
    }

    /// The rows of `count` entries of the window, and what is prefetched meanwhile.
    #[inline(always)]
    fn run(
        &self,
        entry: usize,
        count: usize,
        prefetches: bool,
    ) -> Zip<Iter<'_, usize>, Iter<'_, usize>> {
        let place = entry.wrapping_sub(self.first);
        let rows = self.rows.get(place..).unwrap_or_default();
        let ahead = if prefetches { rows.get(AHEAD..).unwrap_or_default() } else { &NOTHING[..] };
        rows.get(..count).unwrap_or_default().iter().zip(ahead)
    }

    /// The rows of the entries `from..entry + AHEAD`, and none before `entry`.
    fn first_ahead(&self, entry: usize, from: usize) -> impl Iterator<Item = &usize> {
        let place = entry.wrapping_sub(self.first);
        let next = self.rows.get(place..).and_then(|rows| rows.get(..AHEAD)).unwrap_or_default();
        next.iter().skip(from.saturating_sub(entry))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use core::marker::PhantomData;

    use super::*;
    use crate::bag::Bag;
    use crate::fused::{self, InPlace};
    use crate::index::{Bounds, Negative};
    use crate::layout::Layout;
    use crate::reduction::Add;
    use crate::segments::Bags;

    /// Numbers below `n`, without a pattern.
    fn random(state: &mut u64, n: usize) -> usize {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % n
    }

    type Fused<'a, W> = fused::Fused<'a, u64, &'a [i64], usize, Add, fn(u64) -> u64, W>;

    fn sums<W: Walk>(fused: &Fused<'_, W>, n: usize) -> Vec<u64> {
        let mut output = vec![7; n];
        fused.run(0..fused.rows.plan.bags, 0, &mut output, 0);
        output
    }

    /// Sums of bags, whose entries are found in both ways.
    fn assert_same(bag: &Bag, table: &[u64], indices: &[i64], lengths: &[usize], output: usize) {
        let (bags, map): (_, fn(u64) -> u64) = (Bags::Lengths(lengths), |value| value);
        let rows = Rows { plan: &bag.plan, table, indices, end: lengths.iter().sum() };
        let fused: Fused<'_, InPlace> =
            fused::Fused { rows, pool: &Add, bags, map: &map, walk: PhantomData };
        let ahead = fused.walk_by::<Ahead>();
        assert_eq!(sums(&ahead, output), sums(&fused, output), "{bag:?} {lengths:?}");
    }

    /// Bags of none to two windows of entries, rows of all widths, indices with gaps or the other
    /// way round, all policies, padding.
    #[test]
    fn entries_lead_where_they_do_in_place() {
        let state = &mut 1;
        for case in 0..300 {
            let count = random(state, 12);
            let longest = [3, 40, 2 * LENGTH][case % 3];
            let lengths = Vec::from_iter((0..count).map(|_| random(state, longest + 1)));
            // Some entries belong to no bag.
            let used: usize = lengths.iter().sum();
            let entries = used + random(state, 3);
            let (rows, columns) = (1 + random(state, 50), 1 + random(state, 40));
            let inner = 1 + random(state, 3);
            let step = [1_isize, -1, 2, -3][random(state, 4)];
            let offset = if step < 0 { entries.saturating_sub(1) * step.unsigned_abs() } else { 0 };
            let indices = Layout::strided([entries], [step]).with_offset(offset);
            // Columns are neighbours, with gaps between the inner rows or without, or they are not.
            let (pitch, apart) = [(columns, 1), (columns + 3, 1), (1, inner)][random(state, 3)];
            let width = (inner * (columns + 3)) as isize;
            let (row, first) =
                if case % 2 == 0 { (width, 0) } else { (-width, (rows - 1) * width as usize) };
            let table =
                Layout::strided([rows, inner, columns], [row, pitch as isize, apart as isize])
                    .with_offset(first);
            let bag =
                Bag::new(&table, &indices, &Layout::contiguous([count, inner, columns])).unwrap();
            let policy =
                [Bounds::Error, Bounds::Skip, Bounds::Clamp, Bounds::Wrap][random(state, 4)];
            let mut bag = bag
                .bounds(policy)
                .negative([Negative::FromEnd, Negative::OutOfBounds][random(state, 2)]);
            if random(state, 3) == 0 {
                bag = bag.padding(random(state, rows));
            }
            // Some from the end, unless that is an error.
            let errs = matches!(policy, Bounds::Error);
            let below =
                if errs && bag.plan.plan.negative != Negative::FromEnd { 0 } else { rows as i64 };
            let reach = if errs && below == 0 { rows } else { 2 * rows };
            let mut indices = Vec::from_iter(
                (0..bag.plan.plan.lengths.indices).map(|_| random(state, reach) as i64 - below),
            );
            for entry in used..entries {
                indices[offset.wrapping_add_signed(entry as isize * step)] = i64::MAX;
            }
            let table =
                Vec::from_iter((0..rows * width as usize).map(|_| random(state, 1000) as u64));
            assert_same(&bag, &table, &indices, &lengths, count * inner * columns);
        }
    }

    /// An axis that is too long for kernels: all rows are the same.
    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_long_axis() {
        let table = Layout::strided([1 << 33, 2], [0, 1]);
        let lengths = [LENGTH + 3, 5];
        let entries = lengths.iter().sum();
        let output = Layout::contiguous([2, 2]);
        let bag = Bag::new(&table, &Layout::contiguous([entries]), &output).unwrap();
        let bag = bag.bounds(Bounds::Skip).padding((1 << 33) - 1);
        let indices = Vec::from_iter((0..entries).map(|n| [0, 1 << 32, -1, 1 << 33][n % 4]));
        assert_same(&bag, &[3, 4], &indices, &lengths, 4);
    }
}
