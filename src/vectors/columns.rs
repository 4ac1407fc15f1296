//! `elements` along any axis but the last, where the table does not stay in a cache: a block of columns at a time.
//!
//! Neighbours of the indices read or write in rows of their own: far apart in memory, and often in the same sets of the caches. So a block of columns
//! is copied to a scratch that stays in the second cache, all its indices are walked, and a scatter copies it back. Threads take blocks of their own.
//! (`strew-benches`, family `elements`, axis 0 of [4096, 1024]: more than twice as fast, gather and scatter.)

use strew_simd::{
    BLOCK, ColumnMoves, Columns, Instructions, Op, Path, prefetch_block, prefetch_row,
};

use crate::element::Element;
use crate::index::Index;
use crate::plan::{Direction, Plan};
use crate::vectors;
use crate::vectors::movers::{BlockMover, Gathered};
#[cfg(feature = "rayon")]
use crate::vectors::threads::share_with;
use crate::walk::{Addresses, Odometer, Position};

/// The bytes of the scratch, at most.
const SCRATCH: usize = 1 << 20;
const _: () = assert!(SCRATCH <= vectors::NEAR, "blocks would be cut into blocks");

/// The columns of a block: fewer do not pay, more gain nothing.
const COLUMNS: core::ops::RangeInclusive<usize> = 16..=BLOCK;

/// Rows of the table, of the indices and of the output that are asked for ahead.
const AHEAD: usize = 8;

/// The rows for each index that pay for the copy, at most: a scatter makes two.
const GATHER: usize = 2;
const SCATTER: usize = 1;

/// What of a plan makes blocks of columns: of the table, of the indices, and of the flat tensor.
pub(crate) struct Blocks {
    table: Rows,
    flat: Rows,
    columns: usize,
    width: usize,
}

/// So many rows, and the distance between them.
#[derive(Clone, Copy)]
struct Rows {
    number: usize,
    pitch: usize,
}

impl Blocks {
    /// `None`: the plan has no such table, it stays in a cache, or there are too few indices.
    pub(crate) fn of<T>(plan: &Plan, direction: Direction) -> Option<Blocks> {
        let ([.., along, lane], [axis], []) = (plan.outer(), plan.coordinates(), plan.inner())
        else {
            return None;
        };
        let table = Rows { number: axis.size, pitch: usize::try_from(axis.table).ok()? };
        let flat = Rows { number: along.size, pitch: usize::try_from(along.flat).unwrap_or(0) };
        let rows_for_index = if matches!(direction, Direction::Gather) { GATHER } else { SCATTER };
        let bytes = size_of::<T>().checked_mul(table.number).filter(|bytes| *bytes > 0)?;
        let width = lane.size.min(SCRATCH / bytes).min(*COLUMNS.end());
        let suits = along.table == 0
            && (lane.table, lane.indices) == (1, 1)
            && table.pitch >= lane.size
            // Updates may lie anyhow: they are read.
            && (matches!(direction, Direction::Scatter) || (lane.flat == 1 && flat.pitch >= lane.size))
            && bytes.saturating_mul(lane.size) > vectors::NEAR
            && flat.number.saturating_mul(rows_for_index) >= table.number
            && width >= *COLUMNS.start();
        suits.then_some(Blocks { table, flat, columns: lane.size, width })
    }

    /// `output[flat] = input[table]`, for checked indices. `streams`: past the caches.
    pub(crate) fn gather<T: Element, I: Index>(
        &self,
        plan: &Plan,
        indices: &[I],
        streams: bool,
        input: &[T],
        output: &mut [T],
    ) {
        let mut scratch = Vec::new();
        each_start(plan, |at| {
            for (block, to) in self.blocks(plan, at, self.flat, at.flat, output, self.width) {
                block.gather(indices, streams, input, to, &mut scratch);
            }
        });
    }

    /// The same with several threads: each takes some blocks, on a scratch of its own.
    #[cfg(feature = "rayon")]
    pub(crate) fn par_gather<T, I>(
        &self,
        plan: &Plan,
        indices: &[I],
        streams: bool,
        input: &[T],
        output: &mut [T],
        threads: usize,
    ) where
        T: Element + Send + Sync,
        I: Index,
    {
        each_start(plan, |at| {
            let blocks =
                self.blocks(plan, at, self.flat, at.flat, output, self.shared_width(threads));
            share_with(blocks, threads, Vec::new, |scratch, (block, to)| {
                block.gather(indices, streams, input, to, scratch)
            });
        });
    }

    /// Changes the data by plans for blocks of columns, and says whether all could be.
    pub(crate) fn scatter<T: Element>(
        &self,
        plan: &Plan,
        data: &mut [T],
        mut change: impl FnMut(&Plan, &mut [T]) -> bool,
    ) -> bool {
        let (mut scratch, mut all) = (Vec::new(), true);
        each_start(plan, |at| {
            for (block, columns) in self.blocks(plan, at, self.table, at.table, data, self.width) {
                all &= block.change(columns, &mut scratch, &mut change);
            }
        });
        all
    }

    /// The same with several threads: each takes some blocks, on a scratch of its own.
    #[cfg(feature = "rayon")]
    pub(crate) fn par_scatter<T, F>(&self, plan: &Plan, data: &mut [T], threads: usize, change: F)
    where
        T: Element + Send + Sync,
        F: Fn(&Plan, &mut [T]) + Sync,
    {
        let change = |plan: &Plan, copy: &mut [T]| {
            change(plan, copy);
            true
        };
        each_start(plan, |at| {
            let blocks =
                self.blocks(plan, at, self.table, at.table, data, self.shared_width(threads));
            share_with(blocks, threads, Vec::new, |scratch, (block, columns)| {
                _ = block.change(columns, scratch, change)
            });
        });
    }

    /// Whether there is a block for each of so many threads.
    #[cfg(feature = "rayon")]
    pub(crate) fn suit(&self, threads: usize) -> bool {
        self.columns >= threads.saturating_mul(*COLUMNS.start())
    }

    /// The width of blocks for so many threads: there is one for each, if there are columns enough.
    #[cfg(feature = "rayon")]
    fn shared_width(&self, threads: usize) -> usize {
        self.columns.div_ceil(threads).max(*COLUMNS.start()).min(self.width)
    }

    /// The blocks of one table, each with its columns of what is written, of which the first one starts at `first`.
    fn blocks<'a, T>(
        &self,
        plan: &Plan,
        at: &Position,
        rows: Rows,
        first: usize,
        written: &'a mut [T],
        width: usize,
    ) -> impl Iterator<Item = (Block, Columns<'a, T>)> {
        let mut rest = written
            .get_mut(first..)
            .and_then(|written| Columns::new(written, rows.number, rows.pitch, self.columns));
        (0..self.columns).step_by(width).map_while(move |column| {
            let (columns, others) = rest.take()?.split_at(width);
            rest = Some(others);
            let width = width.min(self.columns.saturating_sub(column));
            let plan = plan.on_columns(at, column, width);
            Some((
                Block { table: self.table, start: at.table.wrapping_add(column), width, plan },
                columns,
            ))
        })
    }
}

/// Visits each place where the first column of a table starts.
fn each_start(plan: &Plan, mut visit: impl FnMut(&Position)) {
    let outer = plan.outer().split_last_chunk::<2>().map_or(&[][..], |(outer, _)| outer);
    let (mut at, mut odometer) = (Position::first(plan), Odometer::new());
    loop {
        visit(&at);
        if outer.is_empty() || !odometer.step(outer, &mut at) {
            return;
        }
    }
}

/// Some neighbouring columns of the table, and the plan for what their indices move from or to a packed copy of them.
struct Block {
    table: Rows,
    start: usize,
    width: usize,
    plan: Plan,
}

impl Block {
    /// `to = input[positions]`, by way of a copy of these columns of the input.
    fn gather<T: Element, I: Index>(
        &self,
        indices: &[I],
        streams: bool,
        input: &[T],
        to: Columns<T>,
        scratch: &mut Vec<T>,
    ) {
        scratch.clear();
        scratch.reserve(self.table.number.saturating_mul(self.width));
        for row in 0..self.table.number {
            let start = |row: usize| self.start.wrapping_add(row.wrapping_mul(self.table.pitch));
            prefetch_row(input, start(row.wrapping_add(AHEAD)) as u32, self.width);
            scratch.extend_from_slice(
                input.get(start(row)..start(row).wrapping_add(self.width)).unwrap_or_default(),
            );
        }
        let (plan, mut to) = (&self.plan, Some(to));
        _ = for_size!(T, N => to.take().and_then(|to| to.moves_from::<N>(scratch)).map(|moves| {
            let gather = |moves: ColumnMoves<N>| Path::detect().dispatch(Gather { plan, indices, moves, asks: !streams });
            if streams { moves.streaming(gather) } else { gather(moves) }
        }));
        // There are no vectors for elements of this size.
        if let Some(to) = to {
            gather_by_element(plan, indices, scratch, to);
        }
    }

    /// Changes a copy of the columns, and copies it back.
    fn change<T: Element>(
        &self,
        mut columns: Columns<T>,
        scratch: &mut Vec<T>,
        mut change: impl FnMut(&Plan, &mut [T]) -> bool,
    ) -> bool {
        scratch.clear();
        scratch.reserve(self.table.number.saturating_mul(self.width));
        for row in 0..self.table.number {
            prefetch_row(columns.row(row.wrapping_add(AHEAD)), 0, self.width);
            scratch.extend_from_slice(columns.row(row));
        }
        let changed = change(&self.plan, scratch);
        for (row, from) in scratch.chunks_exact(self.width).enumerate() {
            prefetch_row(columns.row(row.wrapping_add(AHEAD)), 0, self.width);
            if let Some(to) = columns.row(row).get_mut(..from.len()) {
                to.copy_from_slice(from);
            }
        }
        changed
    }
}

/// The indices of each row of a block.
#[inline(always)]
fn lanes<'a, I: Index>(plan: &Plan, indices: &'a [I]) -> impl Iterator<Item = &'a [I]> {
    let ([along, lane, ..], first) = (plan.dims, plan.start.indices);
    (0..along.size).map_while(move |row| {
        let start = first.wrapping_add(row.wrapping_mul(along.indices as usize));
        indices.get(start..start.wrapping_add(lane.size))
    })
}

/// The addresses in a packed copy of columns.
#[inline(always)]
fn addresses(plan: &Plan) -> Addresses<1, true> {
    Addresses { coordinates: plan.coordinate_array(), bounds: plan.bounds, first: 0, step: 1 }
}

/// Gathers from a packed copy of columns.
struct Gather<'a, I, const N: usize> {
    plan: &'a Plan,
    indices: &'a [I],
    moves: ColumnMoves<'a, N>,
    /// Whether rows of the output are asked for.
    asks: bool,
}

impl<I: Index, const N: usize> Op for Gather<'_, I, N> {
    type Output = ();

    #[inline(always)]
    fn run(mut self, instructions: impl Instructions) {
        let (plan, addresses) = (self.plan, addresses(self.plan));
        let [along, ..] = &plan.dims;
        let ahead = along.indices.wrapping_mul(AHEAD as isize) as u32;
        // A row moves when the addresses of the next one are known, see `Pending`.
        let [now, next] = &mut [[0; BLOCK]; 2];
        let (mut now, mut next) = (now, next);
        let mut rows = 0;
        for lane in lanes(plan, self.indices) {
            let tuples = lane.as_chunks().0;
            let mut filled;
            let block = if let Some(block) = tuples.first_chunk() {
                prefetch_block(block, ahead);
                block
            } else {
                prefetch_row(lane, ahead, lane.len());
                let Some(first) = tuples.first() else { return };
                filled = [*first; BLOCK];
                filled.iter_mut().zip(tuples).for_each(|(to, tuple)| *to = *tuple);
                &filled
            };
            if addresses.clone().block(&mut addresses.lane(), block, next).is_none() {
                return;
            }
            if rows > 0 {
                self.row(instructions, rows - 1, now);
            }
            rows += 1;
            core::mem::swap(&mut now, &mut next);
        }
        if rows > 0 {
            self.row(instructions, rows - 1, now);
        }
    }
}

impl<I, const N: usize> Gather<'_, I, N> {
    /// Moves one row.
    #[inline(always)]
    fn row(&mut self, instructions: impl Instructions, row: usize, addresses: &[u32; BLOCK]) {
        let [_, lane, ..] = &self.plan.dims;
        if self.asks {
            self.moves.row(row.wrapping_add(AHEAD)).prefetch_row_to(0, lane.size);
        }
        let mut row = Gathered { moves: self.moves.row(row), together: true };
        match addresses.get(..lane.size) {
            Some(addresses) if lane.size < BLOCK => row.pattern(instructions, 0, addresses, 0),
            _ => row.block(instructions, addresses, 0, None),
        }
    }
}

/// The same, element by element.
fn gather_by_element<T: Element, I: Index>(
    plan: &Plan,
    indices: &[I],
    table: &[T],
    mut to: Columns<T>,
) {
    for (row, lane) in lanes(plan, indices).enumerate() {
        let mut addresses = addresses(plan);
        for (to, index) in to.row(row).iter_mut().zip(lane) {
            if let Some(from) = addresses.next(&[*index]).and_then(|address| table.get(address)) {
                *to = *from;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::index::{Bounds, resolve};
    use crate::layout::Layout;
    use crate::plan::Direction::{Gather, Scatter};
    use crate::plan::tests::{axis, elements, packed};

    /// The width of the blocks, for a table and indices of so many rows and columns.
    fn widths(table: &Layout, [rows, columns]: [usize; 2]) -> [Option<usize>; 2] {
        let indices = packed([rows, columns]);
        let gather = Blocks::of::<f32>(&elements(Gather, table, &indices, &indices, 0), Gather);
        let scatter = Blocks::of::<f32>(&elements(Scatter, table, &indices, &indices, 0), Scatter);
        [gather, scatter].map(|blocks| blocks.map(|blocks| blocks.width))
    }

    #[test]
    fn tables_of_many_rows_go_by_blocks_of_columns() {
        assert_eq!(widths(&packed([4096, 1024]), [4096, 1024]), [Some(64); 2]);
        // The scratch holds so many columns, there are no more, or too few to pay.
        assert_eq!(widths(&packed([8192, 100]), [8192, 100]), [Some(32); 2]);
        assert_eq!(
            [16_384, 16_385].map(|rows| widths(&packed([rows, 100]), [rows, 100])),
            [[Some(16); 2], [None; 2]]
        );
        assert_eq!(
            [15, 17].map(|columns| widths(&packed([16_384, 17]), [16_384, columns])),
            [[None; 2], [Some(16); 2]]
        );
        // The table stays in a cache.
        assert_eq!(
            [256, 257].map(|columns| widths(&packed([1024, columns]), [1024, columns])),
            [[None; 2], [Some(64); 2]]
        );
        // Few rows of indices.
        let rows = [4096, 4095, 2048, 2047].map(|rows| widths(&packed([4096, 1024]), [rows, 1024]));
        assert_eq!(rows, [[Some(64); 2], [Some(64), None], [Some(64), None], [None; 2]]);
    }

    #[test]
    fn a_block_that_cannot_be_changed_is_told() {
        let square = packed([4096, 1024]);
        let plan = elements(Scatter, &square, &square, &square, 0);
        let (mut data, mut blocks) = (vec![0.0_f32; 4096 * 1024], 0);
        let all = Blocks::of::<f32>(&plan, Scatter).unwrap().scatter(&plan, &mut data, |_, _| {
            blocks += 1;
            blocks != 3
        });
        assert_eq!((all, blocks), (false, 1024 / 64));
    }

    #[test]
    fn what_are_no_columns_does_not() {
        let both = [4096, 1024];
        assert_eq!(widths(&Layout::strided([4096, 1024], [1030, 1]), both), [Some(64); 2]);
        assert_eq!(
            widths(&Layout::strided([4096, 1024], [-1024, 1]).with_offset(4095 * 1024), both),
            [None; 2]
        );
        assert_eq!(widths(&Layout::strided([4096, 1024], [1, 4096]), both), [None; 2]);
        let (square, indices) = (packed(both), Layout::strided([4096, 1024], [1, 4096]));
        assert!(
            Blocks::of::<f32>(&elements(Gather, &square, &indices, &square, 0), Gather).is_none()
        );
        assert!(
            Blocks::of::<f32>(&elements(Gather, &square, &square, &indices, 0), Gather).is_none()
        );
        // Rows that lie in each other can be read.
        let near = elements(Gather, &Layout::strided([4096, 1024], [1023, 1]), &square, &square, 0);
        assert!(Blocks::of::<f32>(&near, Gather).is_none());
        // The indices are those of the last axis, or the same for all columns.
        assert!(
            Blocks::of::<f32>(&elements(Gather, &square, &square, &square, 1), Gather).is_none()
        );
        assert!(
            Blocks::of::<f32>(&axis(Gather, &square, &packed([4096]), &square, 0), Gather)
                .is_none()
        );
        // Two dimensions after the axis, which do not merge.
        let (table, three) =
            (Layout::strided([4096, 4, 256], [1200, 300, 1]), packed([4096, 4, 256]));
        assert!(Blocks::of::<f32>(&elements(Gather, &table, &three, &three, 0), Gather).is_none());
        assert!(
            Blocks::of::<()>(&elements(Gather, &square, &square, &square, 0), Gather).is_none()
        );
    }

    /// On the path that writes elements past the caches, both ways; on others twice the same. Indices and output have gaps.
    #[test]
    fn what_is_gathered_past_the_caches_is_the_same() {
        for (columns, bounds) in
            [(128, Bounds::Error), (150, Bounds::Skip), (130, Bounds::Clamp), (66, Bounds::Wrap)]
        {
            let (rows, pitch) = (2001, columns + 3);
            let gaps = Layout::strided([rows, columns], [pitch as isize, 1]).with_offset(5);
            let mut plan = elements(Gather, &packed([4000, columns]), &gaps, &gaps, 0);
            plan.set_bounds(bounds);
            let blocks = Blocks::of::<f32>(&plan, Gather).unwrap();
            let reach = if matches!(bounds, Bounds::Error) { 4000 } else { 4010 };
            let ids: Vec<i32> =
                (0..plan.lengths.indices as i32).map(|n| n * 7 % (2 * reach) - reach).collect();
            let input: Vec<f32> = (0..4000 * columns as u32).map(|n| n as f32).collect();
            let gathered = |streams| {
                let mut output = vec![-1.0; ids.len()];
                blocks.gather(&plan, &ids, streams, &input, &mut output);
                output
            };
            let output = gathered(false);
            assert!(output == gathered(true), "{columns}");
            #[cfg(feature = "rayon")]
            for threads in [1, 2, 7] {
                let mut shared = vec![-1.0; ids.len()];
                blocks.par_gather(&plan, &ids, false, &input, &mut shared, threads);
                assert!(output == shared, "{columns} {threads}");
            }
            for (place, (found, index)) in output.iter().zip(&ids).enumerate() {
                let column = place.checked_sub(5).map_or(columns, |place| place % pitch);
                let row = if column < columns { resolve(*index, 4000, bounds) } else { None };
                assert_eq!(
                    *found,
                    row.map_or(-1.0, |row| (row * columns + column) as f32),
                    "{place}"
                );
            }
        }
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn a_table_of_few_rows_and_many_columns_is_not_cut_up_beforehand() {
        let wide = packed([2, 1 << 20]);
        let plan = elements(Scatter, &wide, &wide, &wide, 0);
        let mut data = vec![1_u8; 2 << 20];
        let add = |_: &Plan, block: &mut [u8]| block.iter_mut().for_each(|value| *value += 1);
        Blocks::of::<u8>(&plan, Scatter).unwrap().par_scatter(&plan, &mut data, 3, add);
        assert!(data.iter().all(|value| *value == 2));
    }

    #[test]
    fn updates_may_lie_anyhow() {
        let square = packed([4096, 1024]);
        let upside_down = Layout::strided([4096, 1024], [-1024, 1]).with_offset(4095 * 1024);
        let columns = Layout::strided([4096, 1024], [1, 4096]);
        for updates in [
            upside_down,
            columns,
            Layout::strided([4096, 1024], [0, 1]),
            Layout::strided([4096, 1024], [0, 0]),
        ] {
            assert!(
                Blocks::of::<f32>(&elements(Scatter, &square, &square, &updates, 0), Scatter)
                    .is_some()
            );
        }
        assert!(
            Blocks::of::<f32>(&elements(Gather, &square, &square, &upside_down, 0), Gather)
                .is_none()
        );
    }
}
