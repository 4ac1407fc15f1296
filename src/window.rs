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
use crate::fused::{AHEAD, Lookup, Walk};
use crate::indices::sealed::Places;

/// Entries that are resolved before, and whose rows are prefetched. It does not know the type of
/// the indices: so the loops for tables beyond L2 are compiled for a table and a pool.
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

impl Walk<&dyn RowPlaces> for Ahead {
    type Entries<'w> = Resolved<'w>;

    #[inline(always)]
    fn of(bag: &BagPlan) -> Ahead {
        Ahead { window: Window::new(), prefetched: 0, neighbours: bag.neighbours() }
    }

    #[inline(always)]
    fn next_entries<'w, T, const L: usize>(
        &'w mut self,
        lookup: &Lookup<'_, T, &dyn RowPlaces>,
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
            None => window.begin(lookup.plan, lookup.indices, entry, lookup.end),
        };
        let end = end.min(all);
        if end <= entry {
            return None;
        }
        entries.start = end;
        // The rest of a row of neighbours has been prefetched with its first columns.
        let prefetches = end.wrapping_add(AHEAD) > *prefetched;
        if prefetches {
            let rows = window.first_ahead(entry, *prefetched);
            if !rows.is_empty() {
                prefetch_first::<_, L>(lookup.table, rows, column, *neighbours);
            }
            *prefetched = end.wrapping_add(AHEAD);
        }
        let run = window.run(entry, end.wrapping_sub(entry), prefetches);
        Some(Resolved { entry, rows: run, neighbours: *neighbours })
    }

    #[inline(always)]
    fn next_row<T, const L: usize>(
        entries: &mut Resolved<'_>,
        lookup: &Lookup<'_, T, &dyn RowPlaces>,
        column: usize,
    ) -> Option<(usize, Option<usize>)> {
        let (row, ahead) = entries.rows.next()?;
        let entry = entries.entry;
        entries.entry = entry.wrapping_add(1);
        prefetch::<_, L>(lookup.table, *ahead, column, entries.neighbours);
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

/// The same for several rows: the first of a call, or of a long bag's next columns. It is rare, so
/// that all pools share it.
#[cold]
#[inline(never)]
fn prefetch_first<T, const L: usize>(
    table: &[T],
    rows: &[usize],
    column: usize,
    neighbours: usize,
) {
    rows.iter().for_each(|row| prefetch::<T, L>(table, *row, column, neighbours));
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

/// The indices of a call, by the rows that they lead to.
pub(crate) trait RowPlaces: Resolver {
    /// Sets the places of the rows of entries, from `entry` on.
    fn places(&self, bag: &BagPlan, entry: usize, rows: &mut [usize]);
}

impl<S: Places> RowPlaces for S {
    fn places(&self, bag: &BagPlan, entry: usize, rows: &mut [usize]) {
        let place = Place::of(bag);
        for (row, entry) in rows.iter_mut().zip(entry..) {
            *row = place.at(*self, entry).unwrap_or(NO_ROW);
        }
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
pub(crate) const LENGTH: usize = if cfg!(fuzzing) { 8 } else { 256 };

/// Entries: windows of no more are resolved in place. A call of the engine takes 100 ns more.
const IN_PLACE: usize = if cfg!(fuzzing) { 4 } else { 64 };

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

    /// Moves the window to start with `entry`, of those before `all`. The end of the entries in it.
    #[inline(never)]
    fn begin(&mut self, bag: &BagPlan, indices: &dyn RowPlaces, entry: usize, all: usize) -> usize {
        debug_assert!(entry < all, "a bag has no entries beyond the last one");
        let count = all.saturating_sub(entry).min(self.rows.len());
        (self.first, self.count) = (entry, count.min(LENGTH));
        if count > IN_PLACE {
            self.resolve(bag, indices, entry, count);
        } else {
            let (rows, rest) = self.rows.split_at_mut_checked(count).unwrap_or_default();
            indices.places(bag, entry, rows);
            // This is what is prefetched last: nothing.
            rest.iter_mut().take(AHEAD).for_each(|row| *row = NO_ROW);
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
    #[inline(always)]
    fn first_ahead(&self, entry: usize, from: usize) -> &[usize] {
        let first = entry.max(from).wrapping_sub(self.first);
        let end = entry.wrapping_add(AHEAD).wrapping_sub(self.first);
        self.rows.get(first..end).unwrap_or_default()
    }
}
