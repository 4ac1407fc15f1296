//! Move and combine: what happens to the elements of a block, for types that the other stages do
//! not know.

#[cfg(feature = "rayon")]
use strew_simd::Listed;
use strew_simd::{
    Block, Columns, Elements, Move, Path, Place, Rows, Streaming, gather_elements, prefetch_row,
};

use crate::element::Element;
use crate::engine::route::Order;
use crate::engine::tuning;

/// What is compiled for each size of element that has kernels; `None` for the others.
macro_rules! for_size {
    ($T:ident, $N:ident => $value:expr) => {
        for_size!(@ $T, $N, $value, 1 2 3 4 6 8 12 16 24 32)
    };
    (@ $T:ident, $N:ident, $value:expr, $($size:literal)*) => {
        match const { size_of::<$T>() } {
            $($size => {
                const $N: usize = $size;
                $value
            })*
            _ => None,
        }
    };
}

pub(crate) use for_size;

/// The same for the sizes that gain from non-temporal stores.
macro_rules! for_streamed_size {
    ($T:ident, $N:ident => $value:expr) => {
        for_size!(@ $T, $N, $value, 4 8)
    };
}

/// What moves between a table and a flat tensor.
pub(crate) trait Mover {
    /// Moves all entries of a block, in order.
    fn block(&mut self, block: &Block<'_>);

    /// Moves all entries of a block, of which each changes a row of `n` elements by one update.
    /// `false`: nothing has moved, since this has no loop for it.
    fn rows_of_one(&mut self, _: &Block<'_>, _n: usize) -> bool {
        false
    }

    /// Moves entries by their places, in order. Worklists are for what is scattered alone.
    #[cfg(feature = "rayon")]
    fn listed(&mut self, _: Listed<'_>) {}
}

/// The tensors of a call, which know their type.
pub(crate) trait Job: Mover {
    /// Says how blocks are to be moved from now on.
    fn prepare(&mut self, way: Way);

    /// Copies the input to the output of a functional call, once all indices are proven.
    fn begin(&mut self) {}

    /// Calls `run` with what moves as [`prepare`](Job::prepare) said. What it wrote is visible to
    /// other threads afterwards, also by non-temporal stores.
    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover));

    /// Runs on a contiguous copy of columns of the table, which then become what it made of them.
    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover));

    /// Runs on a copy of the table, which becomes the table if `run` returns `true`. `None`: there
    /// is no memory for it, or the call is a gather or a map. The route chooses this only where no
    /// function of the caller's runs.
    fn speculate(&mut self, _: &mut dyn FnMut(&mut dyn Mover) -> bool) -> Option<bool> {
        None
    }
}

/// How blocks are resolved and moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub path: Path,
    /// The elements of a row; 1: single elements.
    pub n: usize,
    pub order: Order,
    /// Whether blocks that begin with runs go entry by entry.
    pub runs: bool,
    /// Entries of a block, at most.
    pub block: usize,
    /// The entries between the one that moves and the one that is prefetched; 0: none.
    pub distance: usize,
    /// The length of the segments of the table that are prefetched a lane ahead; 0: none.
    pub segment: usize,
    /// The elements between lanes in the flat tensor beyond which the lanes are prefetched.
    pub apart: usize,
    /// With non-temporal stores.
    pub streams: bool,
    /// The copies over which a speculation spreads its entries; 1: one copy, nothing is spread.
    pub copies: usize,
}

impl Way {
    /// Without prefetches.
    pub(crate) fn of(path: Path, n: usize) -> Way {
        let (order, block, apart) = (Order::Entries, tuning::BLOCK, usize::MAX);
        Way {
            path,
            n,
            order,
            runs: false,
            block,
            distance: 0,
            segment: 0,
            apart,
            streams: false,
            copies: 1,
        }
    }
}

/// Neighbouring columns of a table: `width` elements of each row from `start` on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    pub start: usize,
    pub rows: usize,
    pub pitch: usize,
    pub width: usize,
}

impl Tile {
    /// Where its rows start.
    pub(crate) fn starts(&self) -> impl Iterator<Item = usize> {
        let Tile { start, rows, pitch, .. } = *self;
        (0..rows).map(move |row| start.wrapping_add(row.wrapping_mul(pitch)))
    }

    /// A contiguous copy.
    #[inline(never)]
    pub(crate) fn copy<T: Element>(&self, table: &[T]) -> Vec<T> {
        let mut copy = Vec::with_capacity(self.rows.saturating_mul(self.width));
        for start in self.starts() {
            let end = start.wrapping_add(self.width);
            let ahead = start.wrapping_add(self.pitch.wrapping_mul(tuning::TILE_ROWS_AHEAD));
            prefetch_row(table, ahead, self.width);
            copy.extend_from_slice(table.get(start..end).unwrap_or_default());
        }
        copy
    }

    /// [`on_copy`] of the columns of a table.
    #[inline(never)]
    pub(crate) fn change<T: Copy>(&self, table: &mut [T], run: &mut dyn FnMut(&mut [T])) {
        let table = table.get_mut(self.start..).unwrap_or_default();
        if let Some(mut columns) = Columns::new(table, self.rows, self.pitch, self.width) {
            on_copy(&mut columns, self.rows, run);
        }
    }
}

/// `output[flat] = input[table]`
pub(crate) struct Gathered<'a, T, P> {
    pub input: &'a [T],
    pub output: &'a mut [P],
    pub way: Way,
}

impl<T: Element, P: Place<T>> Mover for Gathered<'_, T, P> {
    fn block(&mut self, block: &Block<'_>) {
        let Gathered { input, output, way: Way { path, distance, n, .. } } = self;
        if *n == 1 {
            let done = for_size!(T, N => Elements::<N>::new(input, output)
                .map(|mut elements| elements.gather(*path, block, *distance)));
            if done.is_some() {
                return;
            }
            if const { size_of::<T>() < tuning::LINE } {
                return gather_elements(input, output, block, *distance);
            }
        }
        Rows::new(input, output, *n).gather(*path, block, *distance);
    }
}

impl<T: Element, P: Place<T>> Job for Gathered<'_, T, P> {
    fn prepare(&mut self, way: Way) {
        self.way = way;
    }

    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        if !self.way.streams {
            return run(self);
        }
        let Gathered { input, output, way } = self;
        if way.n > 1 {
            return Rows::new(input, output, way.n)
                .streaming(|rows| run(&mut Streamed::<_, true>(rows, *way)));
        }
        let done = for_streamed_size!(T, N => Elements::<N>::new(input, output).map(
            |mut elements| elements
                .streaming(|elements| run(&mut Streamed::<_, true>(elements, *way)))
        ));
        if done.is_none() {
            run(self);
        }
    }

    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover)) {
        let copy = tile.copy(self.input);
        Gathered { input: &copy, output: self.output, way: self.way }.session(run);
    }
}

/// Runs on a contiguous copy of columns, which then become what it made of them.
/// Compiled once for a type, and not for each reduction.
#[inline(never)]
pub(crate) fn on_copy<T: Copy>(
    columns: &mut Columns<'_, T>,
    rows: usize,
    run: &mut dyn FnMut(&mut [T]),
) {
    let mut copy = Vec::with_capacity(rows.saturating_mul(columns.row(0).len()));
    for row in 0..rows {
        let ahead = columns.row(row + tuning::TILE_ROWS_AHEAD);
        prefetch_row(ahead, 0, ahead.len());
        copy.extend_from_slice(columns.row(row));
    }
    let width = copy.len().checked_div(rows).unwrap_or(0).max(1);
    run(&mut copy);
    for (row, from) in copy.chunks_exact(width).enumerate() {
        let ahead = columns.row(row + tuning::TILE_ROWS_AHEAD);
        prefetch_row(ahead, 0, ahead.len());
        if let Some(to) = columns.row(row).get_mut(..from.len()) {
            to.copy_from_slice(from);
        }
    }
}

/// Moves with non-temporal stores, in a [`session`](Job::session).
pub(crate) struct Streamed<'a, 'b, M, const GATHERS: bool>(pub &'a mut Streaming<'b, M>, pub Way);

impl<M: Move, const GATHERS: bool> Mover for Streamed<'_, '_, M, GATHERS> {
    fn block(&mut self, block: &Block<'_>) {
        let Way { path, distance, .. } = self.1;
        if GATHERS {
            self.0.gather(path, block, distance);
        } else {
            self.0.scatter(path, block, distance);
        }
    }

    #[cfg(feature = "rayon")]
    fn listed(&mut self, listed: Listed<'_>) {
        if !GATHERS {
            self.0.scatter_listed(self.1.path, listed);
        }
    }
}
