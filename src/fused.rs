//! Gather and reduce in one: the loops of a bag.
//!
//! A bag is reduced some columns at a time: their sums stay in registers while the rows of the bag
//! pass by, and are written once. All indices and offsets are proven before.

#[cfg(not(feature = "std"))]
use core::hint::black_box;
use core::ops::Range;

use crate::each::each;
use crate::element::Element;
use crate::index::sealed::Value;
use crate::index::{Bounds, Index, resolve};
use crate::indices::sealed::Places;
use crate::plan::{Coordinate, Dim, Plan, Start};
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
        let (mut walk, row) = (Walk::of(self.plan), split_lane(plan.inner()));
        for bag in bags {
            let range = self.bags.range(bag, self.plan.bags, *entries, before);
            before = range.end;
            self.bag(&mut walk, row, &range, flat, output);
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
        walk: &mut Walk,
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
            if !outer.is_empty() && range.len() > 2 * AHEAD {
                // Other columns have been prefetched. In a short bag it costs more than it gains:
                // rows of the bags after it would be prefetched for each column.
                walk.ahead = 0;
            }
            self.lane(walk, lane, range, &at, output);
            if outer.is_empty() || !odometer.step(outer, &mut at) {
                return;
            }
        }
    }

    /// Reduces one dimension of the rows of a bag.
    #[inline(always)]
    fn lane<U: Element + bytemuck::Zeroable>(
        &self,
        walk: &mut Walk,
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
                    return self.columns::<8, U>(walk, lane, range, at, output);
                }
            } else if size_of::<P::Sum>() <= 4 && lane.size >= 128 {
                return self.columns::<128, U>(walk, lane, range, at, output);
            } else if size_of::<P::Sum>() <= 8 && lane.size >= 64 {
                return self.columns::<64, U>(walk, lane, range, at, output);
            } else if lane.size >= 16 {
                return self.columns::<16, U>(walk, lane, range, at, output);
            } else if lane.size >= 4 {
                return self.columns::<4, U>(walk, lane, range, at, output);
            } else if lane.size >= 2 {
                return self.columns::<2, U>(walk, lane, range, at, output);
            }
        }
        let (mut table, mut flat) = (at.table, at.flat);
        for _ in 0..lane.size {
            if lane.table != 1 && lane.size > 1 && range.len() > 2 * AHEAD {
                walk.ahead = 0;
            }
            self.block::<1, U>(walk, lane, range, table, flat, output);
            table = table.wrapping_add_signed(lane.table);
            flat = flat.wrapping_add_signed(lane.flat);
        }
    }

    /// Reduces at least `L` columns, `L` at a time. The last block may cover columns of the one
    /// before again.
    #[inline(always)]
    fn columns<const L: usize, U: Element + bytemuck::Zeroable>(
        &self,
        walk: &mut Walk,
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
            self.block::<L, U>(walk, lane, range, table, flat, output);
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
        walk: &mut Walk,
        lane: &Dim,
        range: &Range<usize>,
        table: usize,
        mut flat: usize,
        output: &mut [U],
    ) where
        P: Rows<U>,
        M: Fn(T) -> U,
    {
        let results = match self.sums::<L, U>(walk, range.clone(), table) {
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
        walk: &mut Walk,
        mut entries: Range<usize>,
        table: usize,
    ) -> Option<([P::Sum; L], usize)>
    where
        P: Rows<U>,
        M: Fn(T) -> U,
    {
        let (mut sums, mut count) = loop {
            let (entry, row) = self.next_row::<L>(walk, &mut entries, table)?;
            if let Some(row) = row {
                let factor = self.pool.factor(entry);
                break (row.map(|value| self.pool.first(factor, (self.map)(value))), 1_usize);
            }
        };
        while let Some((entry, row)) = self.next_row::<L>(walk, &mut entries, table) {
            if let Some(row) = row {
                let factor = self.pool.factor(entry);
                for (sum, value) in sums.iter_mut().zip(row) {
                    *sum = self.pool.add(*sum, factor, (self.map)(*value));
                }
                count = count.wrapping_add(1);
            }
        }
        Some((sums, count))
    }

    /// Takes the first of the entries, and `L` columns of the row that it leads to, unless it is
    /// left out.
    // No iterator: compilers do not inline its closures into loops that are compiled for vectors.
    #[inline(always)]
    fn next_row<const L: usize>(
        &self,
        walk: &mut Walk,
        entries: &mut Range<usize>,
        table: usize,
    ) -> Option<(usize, Option<&[T; L]>)> {
        if entries.start >= entries.end {
            return None;
        }
        let entry = entries.start;
        entries.start = entry.wrapping_add(1);
        self.prefetch::<L>(walk, entry, table);
        let row = match self.address(walk, entry) {
            Some(row) => self.row::<L>(row, table),
            None => None,
        };
        Some((entry, row))
    }

    /// Prefetches the rows up to [`AHEAD`] entries from this one that have not been: in most cases
    /// one. More at a time would wait for each other.
    #[inline(always)]
    fn prefetch<const L: usize>(&self, walk: &mut Walk, entry: usize, table: usize) {
        #[cfg(feature = "std")]
        if self.prefetches && entry.wrapping_add(AHEAD) >= walk.ahead {
            let mut next = entry.max(walk.ahead);
            walk.ahead = entry.wrapping_add(AHEAD + 1);
            while next < walk.ahead {
                if let Some(row) = self.address(walk, next) {
                    let row = row.wrapping_add(table);
                    strew_simd::prefetch_columns::<T, L>(self.table, row);
                    if walk.columns > L {
                        self.prefetch_rest::<L>(row, walk.columns);
                    }
                }
                next = next.wrapping_add(1);
            }
        }
        // Compilers do not unroll a loop with this: firmware has little room.
        #[cfg(not(feature = "std"))]
        let _ = (walk, entry, table, black_box(()));
    }

    /// Prefetches what follows the first `L` columns of a row: its entry is not looked at again for
    /// them. Cold, so that compilers keep the sums in registers in loops that do not call it.
    #[cfg(feature = "std")]
    #[cold]
    #[inline(never)]
    fn prefetch_rest<const L: usize>(&self, row: usize, columns: usize) {
        let last = row.wrapping_add(columns - L);
        strew_simd::prefetch_columns::<T, L>(self.table, last);
        if columns > 2 * L {
            let middle = row.wrapping_add(L);
            strew_simd::prefetch_row_early(self.table, middle, columns - 2 * L);
        }
    }

    /// `L` elements of a row.
    #[inline(always)]
    fn row<const L: usize>(&self, row: usize, table: usize) -> Option<&[T; L]> {
        self.table.get(table.wrapping_add(row)..)?.first_chunk::<L>()
    }

    /// The address of the first element of the row that an entry leads to. `None`: the entry is
    /// left out.
    #[inline(always)]
    fn address(&self, walk: &Walk, entry: usize) -> Option<usize> {
        let walk = if cfg!(feature = "std") { *walk } else { Walk::of(self.plan) };
        let Walk { start, step, axis, padding, bounds, .. } = walk;
        let Coordinate { size, table, .. } = axis;
        let index = self.indices.get(start.indices.wrapping_add(entry.wrapping_mul(step)))?;
        let position = match bounds {
            Bounds::Error => S::Index::proven_position(index, size),
            bounds => resolve(index, size, bounds, self.plan.plan.negative)?,
        };
        let row = position.wrapping_mul(table as usize);
        (position != padding).then_some(start.table.wrapping_add(row))
    }
}

/// What entries need of a plan, at hand: with `std`, the plan would be read anew for each of them.
/// (Firmware has it as a constant.)
#[derive(Clone, Copy)]
struct Walk {
    start: Start,
    /// The distance between entries in the indices.
    step: usize,
    axis: Coordinate,
    padding: usize,
    bounds: Bounds,
    /// The first entry whose row has not been prefetched.
    ahead: usize,
    /// The elements of a row that are neighbours in the table.
    #[cfg(feature = "std")]
    columns: usize,
}

const NO_AXIS: Coordinate = Coordinate { size: 0, table: 0, cell: 0 };

impl Walk {
    #[inline(always)]
    fn of(BagPlan { plan, padding, .. }: &BagPlan) -> Walk {
        Walk {
            start: plan.start,
            step: plan.outer().first().map_or(0, |dim| dim.indices) as usize,
            axis: plan.coordinates().first().copied().unwrap_or(NO_AXIS),
            padding: *padding,
            bounds: plan.bounds,
            ahead: 0,
            #[cfg(feature = "std")]
            columns: plan.inner().last().filter(|lane| lane.table == 1).map_or(1, |dim| dim.size),
        }
    }
}

/// Entries from the one that is reduced to the one that is prefetched. Record: as FBGEMM has it;
/// 8 and 32 are unmeasured. Against 16 rows at a time on Emerald Rapids, a loop of its own over 1
/// million rows in bags of 20: 64 f32 0.75x, 128 f32 0.9x, 72 bytes 0.67x.
const AHEAD: usize = 16;
