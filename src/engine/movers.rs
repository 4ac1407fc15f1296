//! Move and combine: what happens to the elements of a block, for types that the other stages do
//! not know.

#[cfg(feature = "rayon")]
use strew_simd::Listed;
use strew_simd::{
    Block, Columns, Elements, Move, Path, Place, Rows, Streaming, combine, prefetch_row, repeats,
    spread,
};

use crate::element::Element;
use crate::engine::route::Order;
use crate::engine::tuning;
use crate::plan::Plan;
use crate::reduction::{Free, Reduction};

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
    pub order: Order,
    /// Entries of a block, at most.
    pub block: usize,
    /// The entries between the one that moves and the one that is prefetched; 0: none.
    pub distance: usize,
    /// The length of the segments of the table that are prefetched a lane ahead; 0: none.
    pub segment: usize,
    /// With non-temporal stores.
    pub streams: bool,
    /// The copies over which a speculation spreads its entries; 1: one copy, nothing is spread.
    pub copies: usize,
}

impl Way {
    /// Without prefetches.
    pub(crate) fn of(path: Path) -> Way {
        Way {
            path,
            order: Order::Entries,
            block: tuning::BLOCK,
            distance: 0,
            segment: 0,
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
}

/// `output[flat] = input[table]`, in rows of `n` elements.
pub(crate) struct Gathered<'a, T, P> {
    pub input: &'a [T],
    pub output: &'a mut [P],
    pub n: usize,
    pub way: Way,
}

impl<T: Element, P: Place<T>> Mover for Gathered<'_, T, P> {
    fn block(&mut self, block: &Block<'_>) {
        let Gathered { input, output, n, way: Way { path, distance, .. } } = self;
        if *n == 1 {
            let done = for_size!(T, N => Elements::<N>::new(input, output)
                .map(|mut elements| elements.gather(*path, block, *distance)));
            if done.is_some() {
                return;
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
        let Gathered { input, output, n, way } = self;
        if *n > 1 {
            return Rows::new(input, output, *n)
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
        let way = self.way;
        Gathered { input: &copy, output: self.output, n: self.n, way }.session(run);
    }
}

/// A copy that is to be made: its plan, the tensor that it copies, and what makes it.
#[derive(Clone, Copy)]
pub(crate) struct Before<'a, T> {
    pub plan: &'a Plan,
    pub input: &'a [T],
    pub copy: fn(&Plan, &[T], &mut [T]),
}

/// `data[table] = reduction(data[table], updates[flat])`, in rows of `n` elements.
pub(crate) struct Changed<'a, T, R> {
    pub reduction: &'a R,
    pub data: &'a mut [T],
    pub updates: &'a [T],
    pub n: usize,
    pub way: Way,
    /// What the data starts as.
    pub before: Option<Before<'a, T>>,
}

impl<T: Element, R: Reduction<T>> Mover for Changed<'_, T, R> {
    fn block(&mut self, block: &Block<'_>) {
        let Changed { reduction, data, updates, n, way: Way { path, distance, .. }, .. } = self;
        if const { R::KIND.is_assign() } {
            if *n == 1 {
                let done = for_size!(T, N => Elements::<N>::new(updates, data)
                    .map(|mut elements| elements.scatter(*path, block, *distance)));
                if done.is_some() {
                    return;
                }
            }
            return Rows::new(updates, data, *n).scatter(*path, block, *distance);
        }
        if let Some(kernels) = R::KIND.kernels() {
            return match *n {
                1 => (kernels.elements)(data, updates, block, *distance),
                n => (kernels.rows)(*path, data, updates, block, n, *distance),
            };
        }
        if const { R::KIND.is_opaque() } {
            let change = |current, update| reduction.combine(current, update);
            match *n {
                1 => combine::elements(data, updates, block, *distance, change),
                n => combine::rows(*path, data, updates, block, n, *distance, change),
            }
        }
    }

    #[cfg(feature = "rayon")]
    fn listed(&mut self, listed: Listed<'_>) {
        let Changed { reduction, data, updates, n, way: Way { path, .. }, .. } = self;
        if const { R::KIND.is_assign() } {
            if *n == 1 {
                let done = for_size!(T, N => Elements::<N>::new(updates, data)
                    .map(|mut elements| elements.scatter_listed(*path, listed)));
                if done.is_some() {
                    return;
                }
            }
            return Rows::new(updates, data, *n).scatter_listed(*path, listed);
        }
        if let Some(kernels) = R::KIND.kernels() {
            return (kernels.listed)(*path, data, updates, listed, *n);
        }
        if const { R::KIND.is_opaque() } {
            let change = |current, update| reduction.combine(current, update);
            combine::listed(*path, data, updates, listed, *n, change);
        }
    }
}

impl<T: Element, R: Reduction<T>> Job for Changed<'_, T, R> {
    fn prepare(&mut self, way: Way) {
        self.way = way;
    }

    fn begin(&mut self) {
        if let Some(before) = self.before.take() {
            (before.copy)(before.plan, before.input, self.data);
        }
    }

    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        if const { R::KIND.is_assign() } && self.way.streams {
            let Changed { data, updates, n, way, .. } = self;
            return Rows::new(updates, data, *n)
                .streaming(|rows| run(&mut Streamed::<_, false>(rows, *way)));
        }
        run(self);
    }

    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover)) {
        let Changed { reduction, data, updates, n, way, .. } = self;
        let data = data.get_mut(tile.start..).unwrap_or_default();
        if let Some(columns) = Columns::new(data, tile.rows, tile.pitch, tile.width) {
            let (reduction, updates) = (*reduction, *updates);
            InColumns { reduction, columns, updates, n: *n, way: *way, rows: tile.rows }
                .change(run);
        }
    }

    fn speculate(&mut self, run: &mut dyn FnMut(&mut dyn Mover) -> bool) -> Option<bool> {
        if let Some(free) = R::KIND.free()
            && self.way.copies > 1
        {
            let Way { path, copies, .. } = self.way;
            return self.in_copies(free, copies, &mut |mover, length| {
                run(&mut Spread { mover, path, length, spread: [0; SPREAD] })
            });
        }
        let mut copy = Vec::new();
        copy.try_reserve_exact(self.data.len()).ok()?;
        copy.extend_from_slice(self.data);
        let Changed { reduction, data: _, updates, n, way, .. } = *self;
        if let Some(before) = self.before.take() {
            (before.copy)(before.plan, before.input, &mut copy);
        }
        let data = &mut copy;
        let inside = run(&mut Changed { reduction, data, updates, n, way, before: None });
        if inside {
            self.data.copy_from_slice(&copy);
        }
        Some(inside)
    }
}

impl<T: Element, R: Reduction<T>> Changed<'_, T, R> {
    /// Runs on tables that start from what changes nothing, and that lie one after the other; if
    /// `run` returns `true`, merges them into the data. `None`: there is no memory for them.
    pub(crate) fn in_copies(
        &mut self,
        free: &Free<T>,
        number: usize,
        run: &mut dyn FnMut(&mut Changed<'_, T, R>, usize) -> bool,
    ) -> Option<bool> {
        let (mut copies, length) = (Vec::new(), self.data.len());
        let all = length.checked_mul(number)?;
        copies.try_reserve_exact(all).ok()?;
        copies.resize(all, (free.start)());
        let Changed { reduction, data: _, updates, n, way, .. } = *self;
        let data = &mut copies;
        let inside = run(&mut Changed { reduction, data, updates, n, way, before: None }, length);
        if inside {
            self.begin();
            copies.chunks(length.max(1)).for_each(|copy| (free.merge)(self.data, copy));
        }
        Some(inside)
    }
}

/// The addresses of a block, at most.
const SPREAD: usize = 2 * tuning::BLOCK;

/// Moves to copies of a table, which lie one after the other: each entry to the next one, in blocks
/// in which entries repeat the ones before them.
struct Spread<'a> {
    mover: &'a mut dyn Mover,
    path: Path,
    /// The length of the table.
    length: usize,
    spread: [u32; SPREAD],
}

impl Mover for Spread<'_> {
    fn block(&mut self, block: &Block<'_>) {
        let (path, length) = (self.path, self.length as u32);
        // Where entries seldom wait for each other, all of them go to the first copy.
        if repeats(path, block.addresses) * tuning::REPEATS < block.addresses.len() {
            return self.mover.block(block);
        }
        spread(path, block.addresses, tuning::COPIES, length, &mut self.spread);
        let addresses = self.spread.get(..block.addresses.len()).unwrap_or_default();
        self.mover.block(&Block { addresses, next: &[], ..*block });
    }
}

/// Columns of the data.
pub(crate) struct InColumns<'a, T, R> {
    pub reduction: &'a R,
    pub columns: Columns<'a, T>,
    pub rows: usize,
    pub updates: &'a [T],
    pub n: usize,
    pub way: Way,
}

impl<T: Element, R: Reduction<T>> InColumns<'_, T, R> {
    pub(crate) fn change(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        let InColumns { reduction, columns, rows, updates, n, way } = self;
        let (reduction, n, way, before) = (*reduction, *n, *way, None);
        on_copy(columns, *rows, &mut |data| {
            run(&mut Changed { reduction, data, updates, n, way, before });
        });
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
struct Streamed<'a, 'b, M, const GATHERS: bool>(&'a mut Streaming<'b, M>, Way);

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
