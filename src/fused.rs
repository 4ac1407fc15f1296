//! Gather and reduce in one: the loops of a bag.
//!
//! A bag is reduced some columns at a time: their sums stay in registers while the rows of the bag
//! pass by, and are written once. All indices and offsets are proven before.

use core::ops::Range;

use crate::each::each;
use crate::element::Element;
use crate::index::sealed::Value;
use crate::index::{Bounds, Index, resolve};
use crate::indices::sealed::Places;
use crate::plan::{Coordinate, Dim, Plan};
use crate::pool::sealed::Rows;
use crate::segments::Bags;
use crate::walk::{Odometer, Position, split_lane};

/// No position is that of the padding.
pub(crate) const NO_PADDING: usize = usize::MAX;

/// The plan of a bag: [`Plan::bag`], and what is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BagPlan {
    pub plan: Plan,
    /// The number of entries of the indices.
    pub entries: usize,
    /// The number of bags, and the distance between them in the output.
    pub bags: usize,
    pub stride: isize,
    /// The position whose entries are left out.
    pub padding: usize,
    /// Whether an empty bag leaves the output as it is.
    pub keep: bool,
}

impl BagPlan {
    /// The position of an entry in the indices.
    #[inline(always)]
    fn position(&self, entry: usize) -> usize {
        let stride = self.plan.outer().first().map_or(0, |dim| dim.indices);
        self.plan.start.indices.wrapping_add(entry.wrapping_mul(stride as usize))
    }

    /// The position of the first element of a bag in the output.
    #[cfg(feature = "rayon")]
    pub(crate) fn place(&self, bag: usize) -> usize {
        self.plan.start.flat.wrapping_add(bag.wrapping_mul(self.stride as usize))
    }

    /// How far a bag reaches below its first element in the output. `None`: bags do not follow each
    /// other there.
    #[cfg(feature = "rayon")]
    pub(crate) fn below_bags(&self) -> Option<usize> {
        let (mut below, mut above) = (0_usize, 0_usize);
        for dim in self.plan.inner() {
            let reach = dim.size.saturating_sub(1).saturating_mul(dim.flat.unsigned_abs());
            let side = if dim.flat < 0 { &mut below } else { &mut above };
            *side = side.saturating_add(reach);
        }
        let span = isize::try_from(below.saturating_add(above)).ok()?;
        (self.stride > span).then_some(below)
    }

    /// The plan of the indices of some entries alone, for a check of them.
    pub(crate) fn part(&self, entries: &Range<usize>) -> Plan {
        let mut plan = self.plan;
        plan.start.indices = self.position(entries.start);
        if let Some(dim) = plan.dims.first_mut()
            && plan.outer > 0
        {
            dim.size = entries.len();
        }
        plan
    }
}

/// What a call works on. `output` starts at the position `base` of the output.
pub(crate) struct Fused<'a, T, S, O, P, M> {
    pub plan: &'a BagPlan,
    pub pool: &'a P,
    pub table: &'a [T],
    pub indices: S,
    pub bags: Bags<'a, O>,
    pub map: &'a M,
    /// Whether rows are prefetched.
    #[cfg(feature = "std")]
    pub prefetches: bool,
}

impl<T: Element, S: Places, O: Index, P, M> Fused<'_, T, S, O, P, M> {
    /// Reduces some bags. `before` is the end of the bag before them.
    #[inline(always)]
    pub(crate) fn run<U: Element + bytemuck::Zeroable>(
        &self,
        bags: Range<usize>,
        mut before: usize,
        output: &mut [U],
        base: usize,
    ) where
        P: Rows<U>,
        M: Fn(T) -> U,
    {
        let BagPlan { plan, stride, entries, .. } = self.plan;
        let mut flat = plan.start.flat.wrapping_sub(base);
        flat = flat.wrapping_add(bags.start.wrapping_mul(*stride as usize));
        let (mut window, row) = (Window::before(before), split_lane(plan.inner()));
        for bag in bags {
            let range = self.bags.range(bag, self.plan.bags, *entries, before);
            before = range.end;
            self.bag(&mut window, row, &range, flat, output);
            flat = flat.wrapping_add_signed(*stride);
        }
    }

    /// The end of the last of some bags.
    #[cfg(feature = "rayon")]
    pub(crate) fn end(&self, bags: Range<usize>, before: usize) -> usize {
        bags.fold(before, |before, bag| {
            self.bags.range(bag, self.plan.bags, self.plan.entries, before).end
        })
    }

    /// Reduces a bag to the output at `flat`.
    #[inline(always)]
    fn bag<U: Element + bytemuck::Zeroable>(
        &self,
        window: &mut Window,
        (lane, outer): (&Dim, &[Dim]),
        range: &Range<usize>,
        flat: usize,
        output: &mut [U],
    ) where
        P: Rows<U>,
        M: Fn(T) -> U,
    {
        // In the table, from the first element of a row.
        let mut at = Position { flat, ..Position::default() };
        let mut odometer = Odometer::new();
        loop {
            self.lane(window, lane, range, &at, output);
            if outer.is_empty() || !odometer.step(outer, &mut at) {
                return;
            }
        }
    }

    /// Reduces one dimension of the rows of a bag.
    #[inline(always)]
    fn lane<U: Element + bytemuck::Zeroable>(
        &self,
        window: &mut Window,
        lane: &Dim,
        range: &Range<usize>,
        at: &Position,
        output: &mut [U],
    ) where
        P: Rows<U>,
        M: Fn(T) -> U,
    {
        // Columns at a time: at most 512 bytes of sums, which are a quarter of the registers of
        // AVX-512 and all of AVX2.
        if lane.table == 1 && size_of::<P::Sum>() <= 16 {
            if cfg!(not(feature = "std")) {
                if lane.size >= 8 {
                    return self.columns::<8, U>(window, lane, range, at, output);
                }
            } else if size_of::<P::Sum>() <= 4 && lane.size >= 128 {
                return self.columns::<128, U>(window, lane, range, at, output);
            } else if size_of::<P::Sum>() <= 8 && lane.size >= 64 {
                return self.columns::<64, U>(window, lane, range, at, output);
            } else if lane.size >= 16 {
                return self.columns::<16, U>(window, lane, range, at, output);
            } else if lane.size >= 4 {
                return self.columns::<4, U>(window, lane, range, at, output);
            }
        }
        let (mut table, mut flat) = (at.table, at.flat);
        for _ in 0..lane.size {
            self.block::<1, U>(window, lane, range, table, flat, output);
            table = table.wrapping_add_signed(lane.table);
            flat = flat.wrapping_add_signed(lane.flat);
        }
    }

    /// Reduces at least `L` columns, `L` at a time. The last block may cover columns of the one
    /// before again.
    #[inline(always)]
    fn columns<const L: usize, U: Element + bytemuck::Zeroable>(
        &self,
        window: &mut Window,
        lane: &Dim,
        range: &Range<usize>,
        at: &Position,
        output: &mut [U],
    ) where
        P: Rows<U>,
        M: Fn(T) -> U,
    {
        let mut column = 0_usize;
        loop {
            let table = at.table.wrapping_add(column);
            let flat = at.flat.wrapping_add(column.wrapping_mul(lane.flat as usize));
            self.block::<L, U>(window, lane, range, table, flat, output);
            let rest = lane.size.wrapping_sub(column).wrapping_sub(L);
            if rest == 0 {
                return;
            }
            column = column.wrapping_add(L.min(rest));
        }
    }

    /// Reduces `L` columns that are neighbours in the table.
    #[inline(always)]
    fn block<const L: usize, U: Element + bytemuck::Zeroable>(
        &self,
        window: &mut Window,
        lane: &Dim,
        range: &Range<usize>,
        table: usize,
        mut flat: usize,
        output: &mut [U],
    ) where
        P: Rows<U>,
        M: Fn(T) -> U,
    {
        let results = match self.sums::<L, U>(window, range.clone(), table) {
            Some((sums, count)) => each(sums, |sum| self.pool.end(sum, count)),
            None if self.plan.keep => return,
            None => [U::zeroed(); L],
        };
        if lane.flat == 1 || L == 1 {
            if let Some(to) = output.get_mut(flat..).and_then(<[U]>::first_chunk_mut::<L>) {
                *to = results;
            }
        } else {
            for result in results {
                if let Some(to) = output.get_mut(flat) {
                    *to = result;
                }
                flat = flat.wrapping_add_signed(lane.flat);
            }
        }
    }

    /// The sums of `L` columns, and the number of rows. `None`: there are no rows.
    #[inline(always)]
    fn sums<const L: usize, U: Element>(
        &self,
        window: &mut Window,
        mut entries: Range<usize>,
        table: usize,
    ) -> Option<([P::Sum; L], usize)>
    where
        P: Rows<U>,
        M: Fn(T) -> U,
    {
        let (mut sums, mut count) = loop {
            let (entry, rows) = self.rows::<L>(window, &entries, 1, table)?;
            entries.start = entries.start.wrapping_add(1);
            if let Some(row) = rows.first().and_then(|row| self.row::<L>(*row, table)) {
                let factor = self.pool.factor(entry);
                break (row.map(|value| self.pool.first(factor, (self.map)(value))), 1_usize);
            }
        };
        while let Some((mut entry, rows)) = self.rows::<L>(window, &entries, usize::MAX, table) {
            entries.start = entries.start.wrapping_add(rows.len());
            for row in rows {
                if let Some(row) = self.row::<L>(*row, table) {
                    let factor = self.pool.factor(entry);
                    for (sum, value) in sums.iter_mut().zip(row) {
                        *sum = self.pool.add(*sum, factor, (self.map)(*value));
                    }
                    count = count.wrapping_add(1);
                }
                entry = entry.wrapping_add(1);
            }
        }
        Some((sums, count))
    }

    /// The first of the entries, and the rows that it and at most `most` in all lead to, of which
    /// `L` columns from `table` on are going to be read.
    #[inline(always)]
    fn rows<'w, const L: usize>(
        &self,
        window: &'w mut Window,
        entries: &Range<usize>,
        most: usize,
        table: usize,
    ) -> Option<(usize, &'w [usize])> {
        if entries.is_empty() {
            return None;
        }
        let entry = entries.start;
        let mut slot = entry.wrapping_sub(window.start);
        if slot >= STEP {
            slot = self.advance::<L>(window, entry, table);
        }
        let length = entries.len().min(STEP.wrapping_sub(slot)).min(most);
        Some((entry, window.rows.get(slot..slot.wrapping_add(length))?))
    }

    /// Moves the window so that an entry is in its first half. Returns the slot of the entry.
    #[inline(always)]
    fn advance<const L: usize>(&self, window: &mut Window, entry: usize, table: usize) -> usize {
        let slot = entry.wrapping_sub(window.start);
        let mut known = 0;
        if cfg!(feature = "std") && slot < STEP.wrapping_mul(2) {
            window.rows.copy_within(STEP.., 0);
            window.start = window.start.wrapping_add(STEP);
            known = AHEAD;
        } else {
            window.start = entry;
        }
        let Some(new) = window.rows.get_mut(known..) else { return 0 };
        let mut next = window.start.wrapping_add(known);
        for row in new.iter_mut() {
            *row = self.address(next).unwrap_or(NOWHERE);
            next = next.wrapping_add(1);
        }
        #[cfg(feature = "std")]
        if self.prefetches {
            for row in new {
                strew_simd::prefetch_columns::<T, L>(self.table, table.wrapping_add(*row));
            }
        }
        #[cfg(not(feature = "std"))]
        let _ = table;
        entry.wrapping_sub(window.start)
    }

    /// `L` elements of a row. `None`: the entry is left out.
    #[inline(always)]
    fn row<const L: usize>(&self, row: usize, table: usize) -> Option<&[T; L]> {
        if row == NOWHERE {
            return None;
        }
        self.table.get(table.wrapping_add(row)..)?.first_chunk::<L>()
    }

    /// The address of the first element of the row that an entry leads to.
    #[inline(always)]
    fn address(&self, entry: usize) -> Option<usize> {
        let BagPlan { plan, padding, .. } = self.plan;
        let Coordinate { size, table, .. } = *plan.coordinates().first()?;
        let index = self.indices.get(self.plan.position(entry))?;
        let position = match plan.bounds {
            Bounds::Error => S::Index::proven_position(index, size),
            bounds => resolve(index, size, bounds, plan.negative)?,
        };
        let row = position.wrapping_mul(table as usize);
        (position != *padding).then_some(plan.start.table.wrapping_add(row))
    }
}

/// The rows of entries that come next: of those that are reduced, and with `std` of as many after
/// them, which are prefetched meanwhile. Prefetches of many rows one after the other let the
/// machine look up their pages at the same time.
struct Window {
    /// The entry of the first slot.
    start: usize,
    rows: [usize; STEP + AHEAD],
}

impl Window {
    /// A window that neither this entry nor those after it are in.
    #[inline(always)]
    fn before(entry: usize) -> Window {
        let start = entry.wrapping_sub(STEP.wrapping_mul(2));
        Window { start, rows: [NOWHERE; STEP + AHEAD] }
    }
}

const STEP: usize = if cfg!(feature = "std") { 16 } else { 1 };
const AHEAD: usize = if cfg!(feature = "std") { STEP } else { 0 };

/// The row of an entry that is left out: no element of a slice has this address.
const NOWHERE: usize = usize::MAX;
