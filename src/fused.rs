//! Gather and reduce in one: the loops of a bag.
//!
//! A bag is reduced some columns at a time: their sums stay in registers while the rows of the bag
//! pass by, and are written once. All indices and offsets are proven before.

use core::hint::black_box;
use core::ops::Range;

#[cfg(feature = "std")]
use strew_simd::prefetch_columns;

use crate::bag_plan::{BagPlan, Place};
use crate::each::each;
use crate::element::Element;
use crate::indices::sealed::Places;
use crate::plan::Dim;
use crate::pool::sealed;
use crate::segments::Ends;
use crate::walk::{Odometer, Position, split_lane};

/// The distance of prefetches, in entries. Record: FBGEMM has 16 too; on Zen 5, 8 to 64 take the
/// same time. On Emerald Rapids, bags of 20 of 1 million rows take 0.67x (72 bytes) to 0.9x (128
/// f32) of a loop that prefetches 16 rows, then reads them.
#[cfg(feature = "std")]
pub(crate) const AHEAD: usize = if cfg!(fuzzing) { 4 } else { 16 };

/// What is read: the rows of a table, by indices.
#[derive(Clone, Copy)]
pub(crate) struct Lookup<'a, T, S> {
    pub plan: &'a BagPlan,
    pub table: &'a [T],
    pub indices: S,
    /// The end of the last bag of the call. A thread that reduces a part may resolve beyond it.
    #[cfg(feature = "std")]
    pub end: usize,
}

impl<T, S> Lookup<'_, T, S> {
    /// `L` neighbours in a row, unless its entry is left out.
    #[inline(always)]
    fn neighbours<const L: usize>(&self, row: Option<usize>, column: usize) -> Option<&[T; L]> {
        self.table.get(row?.wrapping_add(column)..)?.first_chunk::<L>()
    }
}

/// What a call works on.
pub(crate) struct Fused<'a, T, S, P, M> {
    pub lookup: Lookup<'a, T, S>,
    pub pool: &'a P,
    pub bags: Ends<'a>,
    pub map: &'a M,
}

/// Some bags of a call. They are one value, so that loops that are compiled for an instruction set
/// get them by one reference, in a register.
pub(crate) struct Part<'o, U> {
    pub bags: Range<usize>,
    /// The end of the bag before them.
    pub before: usize,
    /// From the position `base` of the whole output on.
    pub output: &'o mut [U],
    pub base: usize,
}

impl<T: Element, S: Copy, P, M> Fused<'_, T, S, P, M> {
    /// Reduces the bags of a part, which stays as it is.
    #[inline(always)]
    pub(crate) fn run<W: Walk<S>, U: Element + bytemuck::Zeroable>(&self, part: &mut Part<'_, U>)
    where
        P: sealed::Fold<U>,
        M: Fn(T) -> U,
    {
        let BagPlan { plan, stride, .. } = self.lookup.plan;
        let mut flat = self.lookup.plan.place(part.bags.start).wrapping_sub(part.base);
        let (mut walk, row) = (W::of(self.lookup.plan), split_lane(plan.inner()));
        let (mut before, output) = (part.before, &mut *part.output);
        for bag in part.bags.clone() {
            let range = before..self.bags.end(bag, before);
            before = range.end;
            self.bag(&mut walk, row, &range, flat, output);
            flat = flat.wrapping_add_signed(*stride);
        }
    }

    /// Reduces bags up to one of several entries, and leaves the others. `run` takes 100
    /// instructions or more before the first row of a bag, and goes over its entries for each block
    /// of columns. Here a row moves in one loop. If the table is `far`, the ends of later rows are
    /// prefetched: the machine itself goes on with the rest.
    #[cfg(feature = "std")]
    #[inline(always)]
    pub(crate) fn singles<U: Element + bytemuck::Zeroable>(&self, part: &mut Part<'_, U>, far: bool)
    where
        S: Places,
        P: sealed::Fold<U>,
        M: Fn(T) -> U,
    {
        let Lookup { plan: bag, table, indices, end } = self.lookup;
        let (place, (lane, others)) = (Place::of(bag), split_lane(bag.plan.inner()));
        if !others.is_empty() || lane.size > 1 && (lane.table, lane.flat) != (1, 1) {
            return;
        }
        let (mut bags, mut before, output) = (part.bags.clone(), part.before, &mut *part.output);
        let mut flat = bag.place(bags.start).wrapping_sub(part.base);
        while !bags.is_empty() {
            let (entry, next) = (before, self.bags.end(bags.start, before));
            let count = next.wrapping_sub(entry);
            if count > 1 {
                break;
            }
            (bags.start, before) = (bags.start.wrapping_add(1), next);
            let to = output.get_mut(flat..).and_then(|to| to.get_mut(..lane.size));
            flat = flat.wrapping_add_signed(bag.stride);
            let Some(to) = to else { continue };
            let row = if count == 1 { place.at(indices, entry) } else { None };
            if let Some(row) = row.and_then(|row| table.get(row..)?.get(..lane.size)) {
                let later = entry.wrapping_add(AHEAD);
                if far
                    && later < end
                    && let Some(row) = place.at(indices, later)
                {
                    prefetch_columns::<T, 1>(table, row);
                    if lane.size > 1 {
                        prefetch_columns::<T, 1>(table, row.wrapping_add(lane.size - 1));
                    }
                }
                let factor = self.pool.factor(entry);
                for (to, value) in to.iter_mut().zip(row) {
                    *to = self.pool.end(self.pool.first(factor, (self.map)(*value)), 1);
                }
            } else if !bag.keep {
                to.fill(U::zeroed());
            }
        }
        (part.bags, part.before) = (bags, before);
    }

    /// The end of the last of some bags.
    #[cfg(feature = "rayon")]
    pub(crate) fn end(&self, bags: Range<usize>, before: usize) -> usize {
        bags.fold(before, |before, bag| self.bags.end(bag, before))
    }

    /// Reduces a bag to the output at `flat`.
    #[inline(always)]
    fn bag<W: Walk<S>, U: Element + bytemuck::Zeroable>(
        &self,
        walk: &mut W,
        (last, others): (&Dim, &[Dim]),
        range: &Range<usize>,
        flat: usize,
        output: &mut [U],
    ) where
        P: sealed::Fold<U>,
        M: Fn(T) -> U,
    {
        // In the table, from the first element of a row.
        let mut at = Position { flat, ..Position::default() };
        let mut odometer = Odometer::new();
        loop {
            if !others.is_empty() {
                walk.begin_again(range);
            }
            self.along(walk, last, range, &at, output);
            if others.is_empty() || !odometer.step(others, &mut at) {
                return;
            }
        }
    }

    /// Reduces a bag along one dimension of its rows.
    #[inline(always)]
    fn along<W: Walk<S>, U: Element + bytemuck::Zeroable>(
        &self,
        walk: &mut W,
        dim: &Dim,
        range: &Range<usize>,
        at: &Position,
        output: &mut [U],
    ) where
        P: sealed::Fold<U>,
        M: Fn(T) -> U,
    {
        // Columns at a time: at most 512 bytes of sums, which are a quarter of the registers of
        // AVX-512 and all of AVX2.
        if dim.table == 1 && size_of::<P::Sum>() <= 16 {
            if cfg!(not(feature = "std")) {
                if dim.size >= 8 {
                    return self.columns::<8, W, U>(walk, dim, range, at, output);
                }
            } else if size_of::<P::Sum>() <= 4 && dim.size >= 128 {
                return self.columns::<128, W, U>(walk, dim, range, at, output);
            } else if size_of::<P::Sum>() <= 8 && dim.size >= 64 {
                return self.columns::<64, W, U>(walk, dim, range, at, output);
            } else if dim.size >= 16 {
                return self.columns::<16, W, U>(walk, dim, range, at, output);
            } else if dim.size >= 4 {
                return self.columns::<4, W, U>(walk, dim, range, at, output);
            } else if dim.size >= 2 {
                return self.columns::<2, W, U>(walk, dim, range, at, output);
            }
        }
        let (mut table, mut flat) = (at.table, at.flat);
        for _ in 0..dim.size {
            if dim.table != 1 && dim.size > 1 {
                walk.begin_again(range);
            }
            self.neighbours::<1, W, U>(walk, dim, range, table, flat, output);
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }

    /// Reduces at least `L` columns, `L` at a time. The last `L` may be partly columns that
    /// were reduced before.
    #[inline(always)]
    fn columns<const L: usize, W: Walk<S>, U: Element + bytemuck::Zeroable>(
        &self,
        walk: &mut W,
        dim: &Dim,
        range: &Range<usize>,
        at: &Position,
        output: &mut [U],
    ) where
        P: sealed::Fold<U>,
        M: Fn(T) -> U,
    {
        let mut column = 0_usize;
        loop {
            let table = at.table.wrapping_add(column);
            let flat = at.flat.wrapping_add(column.wrapping_mul(dim.flat as usize));
            self.neighbours::<L, W, U>(walk, dim, range, table, flat, output);
            let rest = dim.size.wrapping_sub(column).wrapping_sub(L);
            if rest == 0 {
                return;
            }
            column = column.wrapping_add(L.min(rest));
        }
    }

    /// Reduces `L` columns that are neighbours in the table.
    #[inline(always)]
    fn neighbours<const L: usize, W: Walk<S>, U: Element + bytemuck::Zeroable>(
        &self,
        walk: &mut W,
        dim: &Dim,
        range: &Range<usize>,
        table: usize,
        mut flat: usize,
        output: &mut [U],
    ) where
        P: sealed::Fold<U>,
        M: Fn(T) -> U,
    {
        let results = match self.sums::<L, W, U>(walk, range.clone(), table) {
            Some((sums, count)) => each(sums, |sum| self.pool.end(sum, count)),
            None if self.lookup.plan.keep => return,
            None => [U::zeroed(); L],
        };
        if dim.flat == 1 || L == 1 {
            if let Some(to) = output.get_mut(flat..).and_then(<[U]>::first_chunk_mut::<L>) {
                *to = results;
            }
        } else {
            for result in results {
                if let Some(to) = output.get_mut(flat) {
                    *to = result;
                }
                flat = flat.wrapping_add_signed(dim.flat);
            }
        }
    }

    /// The sums of `L` columns, and the number of rows. `None`: there are no rows.
    #[inline(always)]
    fn sums<const L: usize, W: Walk<S>, U: Element>(
        &self,
        walk: &mut W,
        mut entries: Range<usize>,
        table: usize,
    ) -> Option<([P::Sum; L], usize)>
    where
        P: sealed::Fold<U>,
        M: Fn(T) -> U,
    {
        let mut some = walk.next_entries::<_, L>(&self.lookup, &mut entries, table)?;
        let (mut sums, mut count) = loop {
            let Some((entry, row)) = W::next_row::<_, L>(&mut some, &self.lookup, table) else {
                // Before it borrows what the next ones do.
                drop(some);
                some = walk.next_entries::<_, L>(&self.lookup, &mut entries, table)?;
                continue;
            };
            if let Some(row) = self.lookup.neighbours::<L>(row, table) {
                let factor = self.pool.factor(entry);
                break (row.map(|value| self.pool.first(factor, (self.map)(value))), 1_usize);
            }
        };
        loop {
            while let Some((entry, row)) = W::next_row::<_, L>(&mut some, &self.lookup, table) {
                if let Some(row) = self.lookup.neighbours::<L>(row, table) {
                    let factor = self.pool.factor(entry);
                    // Compilers may ask whether a row in the table overlaps the sums, which then
                    // leave the registers. Of a copy they know that it does not.
                    let read;
                    let row = if const { cfg!(feature = "std") && size_of::<[T; L]>() <= 512 } {
                        read = *row;
                        &read
                    } else {
                        row
                    };
                    for (sum, value) in sums.iter_mut().zip(row) {
                        *sum = self.pool.add(*sum, factor, (self.map)(*value));
                    }
                    count = count.wrapping_add(1);
                }
            }
            drop(some);
            some = match walk.next_entries::<_, L>(&self.lookup, &mut entries, table) {
                Some(next) => next,
                None => return Some((sums, count)),
            };
        }
    }
}

/// How the entries of bags are found.
pub(crate) trait Walk<S> {
    /// Some that follow each other.
    type Entries<'w>
    where
        Self: 'w;

    fn of(bag: &BagPlan) -> Self;

    /// Takes some entries off the front of these. The caller reads `L` columns of their rows next,
    /// from `column` on. `None`: there are no more.
    fn next_entries<'w, T, const L: usize>(
        &'w mut self,
        lookup: &Lookup<'_, T, S>,
        entries: &mut Range<usize>,
        column: usize,
    ) -> Option<Self::Entries<'w>>;

    /// The next entry, and the place of its row, unless it is left out.
    // No iterator: compilers do not inline its closures into loops that are compiled for vectors.
    fn next_row<T, const L: usize>(
        entries: &mut Self::Entries<'_>,
        lookup: &Lookup<'_, T, S>,
        column: usize,
    ) -> Option<(usize, Option<usize>)>;

    /// The caller goes over these entries now, for columns that are no neighbours of those before.
    #[inline(always)]
    fn begin_again(&mut self, _: &Range<usize>) {}
}

/// Each entry as it comes.
pub(crate) struct InPlace(Place);

impl<S: Places> Walk<S> for InPlace {
    type Entries<'w> = (Range<usize>, Place);

    #[inline(always)]
    fn of(bag: &BagPlan) -> InPlace {
        InPlace(Place::of(bag))
    }

    #[inline(always)]
    fn next_entries<T, const L: usize>(
        &mut self,
        _: &Lookup<'_, T, S>,
        entries: &mut Range<usize>,
        _: usize,
    ) -> Option<(Range<usize>, Place)> {
        if entries.start >= entries.end {
            return None;
        }
        let all = entries.clone();
        entries.start = all.end;
        Some((all, self.0))
    }

    #[inline(always)]
    fn next_row<T, const L: usize>(
        (entries, place): &mut (Range<usize>, Place),
        lookup: &Lookup<'_, T, S>,
        _: usize,
    ) -> Option<(usize, Option<usize>)> {
        if entries.start >= entries.end {
            return None;
        }
        let entry = entries.start;
        entries.start = entry.wrapping_add(1);
        if cfg!(feature = "std") {
            return Some((entry, place.at(lookup.indices, entry)));
        }
        // Compilers do not unroll a loop with this: firmware has little room. Its plan is a
        // constant, of which this costs nothing.
        black_box(());
        Some((entry, Place::of(lookup.plan).at(lookup.indices, entry)))
    }
}
