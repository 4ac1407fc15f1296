//! `elements` along any axis but the last, where the table does not stay in a cache: a block of columns at a time.
//!
//! Neighbours of the indices read or write in rows of their own: far apart in memory, and often in the same sets of the caches. So a block of columns
//! is copied to a scratch that stays in the second cache, all its indices are walked, and a scatter copies it back.
//! (`strew-benches`, family `elements`, axis 0 of [4096, 1024]: more than twice as fast, gather and scatter.)

use strew_simd::prefetch_row;

use crate::element::Element;
use crate::index::{Bounds, Index};
use crate::plan::Plan;
use crate::vectors::{self, Ahead, narrow};
use crate::walk::{Odometer, Position};

/// The bytes of the scratch, at most.
const SCRATCH: usize = 1 << 20;
const _: () = assert!(SCRATCH <= vectors::NEAR, "blocks would be cut into blocks");

/// The columns of a block: fewer do not pay, more gain nothing.
const COLUMNS: core::ops::RangeInclusive<usize> = 16..=64;

/// Rows of the table that are asked for ahead.
const AHEAD: usize = 8;

/// The rows for each index that pay for the copy, at most: a scatter makes two.
const GATHER: usize = 2;
const SCATTER: usize = 1;

/// `output[flat] = input[table]`. `None`: blocks of columns are not worth it.
pub(crate) fn gather<T: Element, I: Index, const PROVEN: bool>(plan: &Plan, indices: &[I], input: &[T], output: &mut [T]) -> Option<bool> {
    let columns = Columns::of_gather::<T>(plan)?;
    // This is not the order of the indices, in which nothing may be gathered that comes after a bad one.
    if !PROVEN && matches!(plan.bounds, Bounds::Error) {
        match narrow::positions::<T, I>(plan, indices) {
            Some(Ok((plan, positions))) => return gather::<T, u16, true>(&plan, &positions, input, output),
            None if vectors::check(plan, indices) => {}
            _ => return Some(false),
        }
    }
    let mut scratch = Vec::new();
    columns.each_block(plan, |block| {
        block.pack(input, &mut scratch);
        vectors::gather_lanes::<T, I, true>(&block.plan, indices, Ahead::of::<T>(&block.plan, false), false, &scratch, output);
    });
    Some(true)
}

/// Changes the data by plans for blocks of columns, and says whether all could be. `None`: blocks of columns are not worth it.
pub(crate) fn scatter<T: Element>(plan: &Plan, data: &mut [T], mut change: impl FnMut(&Plan, &mut [T]) -> bool) -> Option<bool> {
    let columns = Columns::of_scatter::<T>(plan)?;
    let (mut scratch, mut all) = (Vec::new(), true);
    columns.each_block(plan, |block| {
        block.pack(data, &mut scratch);
        all &= change(&block.plan, &mut scratch);
        block.unpack(&scratch, data);
    });
    Some(all)
}

/// A table seen as `rows` rows of columns: the axis, and the lanes of the indices.
pub(crate) struct Columns {
    rows: usize,
    pitch: usize,
    columns: usize,
    width: usize,
}

impl Columns {
    /// For a gather. `None`: blocks of columns are not worth it.
    pub(crate) fn of_gather<T>(plan: &Plan) -> Option<Columns> {
        Columns::of::<T>(plan, GATHER)
    }

    /// The same for a scatter.
    pub(crate) fn of_scatter<T>(plan: &Plan) -> Option<Columns> {
        Columns::of::<T>(plan, SCATTER)
    }

    /// `None`: the plan has no such table, it stays in a cache, or there are too few indices: less than one for `rows_for_index` rows.
    fn of<T>(plan: &Plan, rows_for_index: usize) -> Option<Columns> {
        let ([.., along, lane], [axis], []) = (plan.outer(), plan.coordinates(), plan.inner()) else { return None };
        let pitch = usize::try_from(axis.table).ok()?;
        let row = size_of::<T>().checked_mul(axis.size).filter(|bytes| *bytes > 0)?;
        let width = lane.size.min(SCRATCH / row).min(*COLUMNS.end());
        let suits = along.table == 0
            && (lane.table, lane.indices, lane.flat) == (1, 1, 1)
            && pitch >= lane.size
            && row.saturating_mul(lane.size) > vectors::NEAR
            && along.size.saturating_mul(rows_for_index) >= axis.size
            && width >= *COLUMNS.start();
        suits.then_some(Columns { rows: axis.size, pitch, columns: lane.size, width })
    }

    /// Changes the data by plans for blocks of columns with several threads: each changes a block on a scratch of its own, then each copies back some
    /// of the rows.
    #[cfg(feature = "rayon")]
    pub(crate) fn par_scatter<T, F>(&self, plan: &Plan, data: &mut [T], threads: usize, change: F)
    where
        T: Element + Send + Sync,
        F: Fn(&Plan, &mut [T]) + Sync,
    {
        use rayon::prelude::*;

        // A block for each thread, if there are columns enough.
        let width = self.columns.div_ceil(threads).max(*COLUMNS.start()).min(self.width);
        let blocks = Columns { width, ..*self };
        let stride = width.saturating_mul(threads);
        self.each_start(plan, |at| {
            for column in (0..self.columns).step_by(stride) {
                let group: Vec<usize> = (column..self.columns.min(column.saturating_add(stride))).step_by(width).collect();
                let shared: &[T] = data;
                let changed = |column: &usize| {
                    let (block, mut scratch) = (blocks.block(plan, at, *column), Vec::new());
                    block.pack(shared, &mut scratch);
                    change(&block.plan, &mut scratch);
                    (block.start, block.width, scratch)
                };
                let changed: Vec<_> = group.par_iter().map(changed).collect();
                let first = at.table.wrapping_add(column);
                let rows = data.get_mut(first..).unwrap_or_default().par_chunks_mut(self.pitch).take(self.rows);
                rows.enumerate().with_min_len(self.rows.div_ceil(threads)).for_each(|(number, row)| {
                    for (start, width, scratch) in &changed {
                        let column = start.wrapping_sub(first);
                        let from = scratch.get(number.wrapping_mul(*width)..).and_then(|from| from.get(..*width));
                        if let (Some(to), Some(from)) = (row.get_mut(column..column.wrapping_add(*width)), from) {
                            to.copy_from_slice(from);
                        }
                    }
                });
            }
        });
    }

    fn each_block(&self, plan: &Plan, mut visit: impl FnMut(Block)) {
        self.each_start(plan, |at| (0..self.columns).step_by(self.width).for_each(|column| visit(self.block(plan, at, column))));
    }

    /// Visits each place where the first column of a table starts.
    fn each_start(&self, plan: &Plan, mut visit: impl FnMut(&Position)) {
        let outer = plan.outer().split_last_chunk::<2>().map_or(&[][..], |(outer, _)| outer);
        let (mut at, mut odometer) = (Position::first(plan), Odometer::new());
        loop {
            visit(&at);
            if outer.is_empty() || !odometer.step(outer, &mut at) {
                return;
            }
        }
    }

    fn block(&self, plan: &Plan, at: &Position, column: usize) -> Block {
        let width = self.width.min(self.columns.saturating_sub(column));
        let start = at.table.wrapping_add(column);
        Block { start, rows: self.rows, pitch: self.pitch, width, plan: plan.on_columns(at, column, width) }
    }
}

/// Some neighbouring columns, and the plan for what their indices move on a packed copy of them.
struct Block {
    start: usize,
    rows: usize,
    pitch: usize,
    width: usize,
    plan: Plan,
}

impl Block {
    fn row(&self, row: usize) -> usize {
        self.start.wrapping_add(row.wrapping_mul(self.pitch))
    }

    /// `scratch = columns`
    fn pack<T: Element>(&self, table: &[T], scratch: &mut Vec<T>) {
        scratch.clear();
        scratch.reserve(self.rows.saturating_mul(self.width));
        for row in 0..self.rows {
            prefetch_row(table, self.row(row.wrapping_add(AHEAD)) as u32, self.width);
            let start = self.row(row);
            scratch.extend_from_slice(table.get(start..start.wrapping_add(self.width)).unwrap_or(&[]));
        }
    }

    /// `columns = scratch`
    fn unpack<T: Element>(&self, scratch: &[T], table: &mut [T]) {
        for (row, from) in scratch.chunks_exact(self.width).enumerate() {
            prefetch_row(table, self.row(row.wrapping_add(AHEAD)) as u32, self.width);
            let start = self.row(row);
            if let Some(to) = table.get_mut(start..start.wrapping_add(self.width)) {
                to.copy_from_slice(from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::plan::Direction::{Gather, Scatter};
    use crate::plan::tests::{axis, elements, packed};

    /// The width of the blocks, for a table and indices of so many rows and columns.
    fn widths(table: &Layout, [rows, columns]: [usize; 2]) -> [Option<usize>; 2] {
        let indices = packed([rows, columns]);
        let gather = Columns::of_gather::<f32>(&elements(Gather, table, &indices, &indices, 0));
        let scatter = Columns::of_scatter::<f32>(&elements(Scatter, table, &indices, &indices, 0));
        [gather, scatter].map(|columns| columns.map(|columns| columns.width))
    }

    #[test]
    fn tables_of_many_rows_go_by_blocks_of_columns() {
        assert_eq!(widths(&packed([4096, 1024]), [4096, 1024]), [Some(64); 2]);
        // The scratch holds so many columns, there are no more, or too few to pay.
        assert_eq!(widths(&packed([8192, 100]), [8192, 100]), [Some(32); 2]);
        assert_eq!([16_384, 16_385].map(|rows| widths(&packed([rows, 100]), [rows, 100])), [[Some(16); 2], [None; 2]]);
        assert_eq!([15, 17].map(|columns| widths(&packed([16_384, 17]), [16_384, columns])), [[None; 2], [Some(16); 2]]);
        // The table stays in a cache.
        assert_eq!([256, 257].map(|columns| widths(&packed([1024, columns]), [1024, columns])), [[None; 2], [Some(64); 2]]);
        // Few rows of indices.
        let rows = [4096, 4095, 2048, 2047].map(|rows| widths(&packed([4096, 1024]), [rows, 1024]));
        assert_eq!(rows, [[Some(64); 2], [Some(64), None], [Some(64), None], [None; 2]]);
    }

    #[test]
    fn a_block_that_cannot_be_changed_is_told() {
        let square = packed([4096, 1024]);
        let plan = elements(Scatter, &square, &square, &square, 0);
        let (mut data, mut blocks) = (vec![0.0_f32; 4096 * 1024], 0);
        let all = scatter(&plan, &mut data, |_, _| {
            blocks += 1;
            blocks != 3
        });
        assert_eq!((all, blocks), (Some(false), 1024 / 64));
    }

    #[test]
    fn what_are_no_columns_does_not() {
        let both = [4096, 1024];
        assert_eq!(widths(&Layout::strided([4096, 1024], [1030, 1]), both), [Some(64); 2]);
        assert_eq!(widths(&Layout::strided([4096, 1024], [-1024, 1]).with_offset(4095 * 1024), both), [None; 2]);
        assert_eq!(widths(&Layout::strided([4096, 1024], [1, 4096]), both), [None; 2]);
        let (square, indices) = (packed(both), Layout::strided([4096, 1024], [1, 4096]));
        assert!(Columns::of_gather::<f32>(&elements(Gather, &square, &indices, &square, 0)).is_none());
        assert!(Columns::of_gather::<f32>(&elements(Gather, &square, &square, &indices, 0)).is_none());
        // Rows that lie in each other can be read.
        let near = elements(Gather, &Layout::strided([4096, 1024], [1023, 1]), &square, &square, 0);
        assert!(Columns::of_gather::<f32>(&near).is_none());
        // The indices are those of the last axis, or the same for all columns.
        assert!(Columns::of_gather::<f32>(&elements(Gather, &square, &square, &square, 1)).is_none());
        assert!(Columns::of_gather::<f32>(&axis(Gather, &square, &packed([4096]), &square, 0)).is_none());
        // Two dimensions after the axis, which do not merge.
        let (table, three) = (Layout::strided([4096, 4, 256], [1200, 300, 1]), packed([4096, 4, 256]));
        assert!(Columns::of_gather::<f32>(&elements(Gather, &table, &three, &three, 0)).is_none());
        assert!(Columns::of_gather::<()>(&elements(Gather, &square, &square, &square, 0)).is_none());
    }
}
