//! Move and combine: what happens to the elements of a block, for types that the other stages do
//! not know.

#[cfg(feature = "rayon")]
use strew_simd::Listed;
use strew_simd::{
    Block, Columns, Elements, Hints, Move, Path, Rows, Streaming, combine, prefetch_row,
};

use crate::element::Element;
use crate::engine::tuning;
use crate::plan::Plan;
use crate::reduction::Reduction;

/// What is compiled for each size of element that has kernels; `None` for the others.
macro_rules! for_size {
    ($T:ident, $N:ident => $value:expr) => {
        for_size!(@ $T, $N, $value, 1 2 4 8 16)
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

    /// Moves entries by their places, in order.
    #[cfg(feature = "rayon")]
    fn listed(&mut self, listed: Listed<'_>);
}

/// The tensors of a call, which know their type.
pub(crate) trait Job {
    /// Says how blocks are to be moved from now on, in rows of `n` elements: a plan in another
    /// order may have other rows.
    fn prepare(&mut self, n: usize, manner: Manner);

    /// Makes what is written what it starts as: all indices are proven.
    fn begin(&mut self);

    /// Runs with what moves as prepared. What it wrote is visible to other threads afterwards, also
    /// by non-temporal stores.
    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover));

    /// Runs on a contiguous copy of columns of the table, which then become what it made of them.
    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover));

    /// Runs on a copy of the table, which becomes the table if `run` returns `true`. `None`: there
    /// is no memory for it.
    fn speculate(&mut self, run: &mut dyn FnMut(&mut dyn Mover) -> bool) -> Option<bool>;
}

/// How blocks are moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub path: Path,
    pub hints: Hints,
    /// With non-temporal stores.
    pub streams: bool,
}

impl Manner {
    /// Without hints.
    pub(crate) fn of(path: Path) -> Manner {
        Manner { path, hints: Hints::default(), streams: false }
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

/// `output[flat] = input[table]`, in rows of `n` elements.
pub(crate) struct Gathered<'a, T> {
    pub input: &'a [T],
    pub output: &'a mut [T],
    pub n: usize,
    pub manner: Manner,
}

impl<T: Element> Mover for Gathered<'_, T> {
    fn block(&mut self, block: &Block<'_>) {
        let Gathered { input, output, n, manner: Manner { path, hints, .. } } = self;
        if *n == 1 {
            let done = for_size!(T, N => Elements::<N>::new(input, output)
                .map(|mut elements| elements.gather(*path, block, *hints)));
            if done.is_some() {
                return;
            }
        }
        Rows::new(input, output, *n).gather(*path, block, *hints);
    }

    /// Worklists are for what is scattered.
    #[cfg(feature = "rayon")]
    fn listed(&mut self, _: Listed<'_>) {}
}

impl<T: Element> Job for Gathered<'_, T> {
    fn prepare(&mut self, n: usize, manner: Manner) {
        (self.n, self.manner) = (n, manner);
    }

    fn begin(&mut self) {}

    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        if !self.manner.streams {
            return run(self);
        }
        let Gathered { input, output, n, manner } = self;
        if *n > 1 {
            return Rows::new(input, output, *n)
                .streaming(|rows| run(&mut Streamed::<_, true>(rows, *manner)));
        }
        let done = for_streamed_size!(T, N => Elements::<N>::new(input, output).map(
            |mut elements| elements
                .streaming(|elements| run(&mut Streamed::<_, true>(elements, *manner)))
        ));
        if done.is_none() {
            run(self);
        }
    }

    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover)) {
        let mut copy = Vec::with_capacity(tile.rows.saturating_mul(tile.width));
        for row in 0..tile.rows {
            let start = tile.start.wrapping_add(row.wrapping_mul(tile.pitch));
            let end = start.wrapping_add(tile.width);
            let ahead = start.wrapping_add(tile.pitch.wrapping_mul(tuning::TILE_ROWS_AHEAD));
            prefetch_row(self.input, ahead, tile.width);
            copy.extend_from_slice(self.input.get(start..end).unwrap_or_default());
        }
        let manner = self.manner;
        Gathered { input: &copy, output: self.output, n: self.n, manner }.session(run);
    }

    /// Nothing that a gather writes is read.
    fn speculate(&mut self, _: &mut dyn FnMut(&mut dyn Mover) -> bool) -> Option<bool> {
        None
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
    pub manner: Manner,
    /// What the data starts as.
    pub before: Option<Before<'a, T>>,
}

impl<T: Element, R: Reduction<T>> Mover for Changed<'_, T, R> {
    fn block(&mut self, block: &Block<'_>) {
        let Changed { reduction, data, updates, n, manner: Manner { path, hints, .. }, .. } = self;
        if const { R::KIND.is_assign() } {
            if *n == 1 {
                let done = for_size!(T, N => Elements::<N>::new(updates, data)
                    .map(|mut elements| elements.scatter(*path, block, *hints)));
                if done.is_some() {
                    return;
                }
            }
            return Rows::new(updates, data, *n).scatter(*path, block, *hints);
        }
        if let Some(kernels) = R::KIND.kernels() {
            return match *n {
                1 => (kernels.elements)(*path, data, updates, block, *hints),
                n => (kernels.rows)(*path, data, updates, block, n, *hints),
            };
        }
        if const { R::KIND.is_opaque() } {
            let change = |current, update| reduction.combine(current, update);
            match *n {
                1 => combine::elements(*path, data, updates, block, *hints, change),
                n => combine::rows(*path, data, updates, block, n, *hints, change),
            }
        }
    }

    #[cfg(feature = "rayon")]
    fn listed(&mut self, listed: Listed<'_>) {
        let Changed { reduction, data, updates, n, manner: Manner { path, .. }, .. } = self;
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
    fn prepare(&mut self, n: usize, manner: Manner) {
        (self.n, self.manner) = (n, manner);
    }

    fn begin(&mut self) {
        if let Some(before) = self.before.take() {
            (before.copy)(before.plan, before.input, self.data);
        }
    }

    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        if const { R::KIND.is_assign() } && self.manner.streams {
            let Changed { data, updates, n, manner, .. } = self;
            return Rows::new(updates, data, *n)
                .streaming(|rows| run(&mut Streamed::<_, false>(rows, *manner)));
        }
        run(self);
    }

    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover)) {
        let Changed { reduction, data, updates, n, manner, .. } = self;
        let data = data.get_mut(tile.start..).unwrap_or_default();
        if let Some(columns) = Columns::new(data, tile.rows, tile.pitch, tile.width) {
            let (reduction, updates) = (*reduction, *updates);
            InColumns { reduction, columns, updates, n: *n, manner: *manner, rows: tile.rows }
                .change(run);
        }
    }

    fn speculate(&mut self, run: &mut dyn FnMut(&mut dyn Mover) -> bool) -> Option<bool> {
        let mut copy = Vec::new();
        copy.try_reserve_exact(self.data.len()).ok()?;
        copy.extend_from_slice(self.data);
        let Changed { reduction, data: _, updates, n, manner, .. } = *self;
        if let Some(before) = self.before.take() {
            (before.copy)(before.plan, before.input, &mut copy);
        }
        let data = &mut copy;
        let inside = run(&mut Changed { reduction, data, updates, n, manner, before: None });
        if inside {
            self.data.copy_from_slice(&copy);
        }
        Some(inside)
    }
}

/// Columns of the data.
pub(crate) struct InColumns<'a, T, R> {
    pub reduction: &'a R,
    pub columns: Columns<'a, T>,
    pub rows: usize,
    pub updates: &'a [T],
    pub n: usize,
    pub manner: Manner,
}

impl<T: Element, R: Reduction<T>> InColumns<'_, T, R> {
    pub(crate) fn change(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        let InColumns { reduction, columns, rows, updates, n, manner } = self;
        let mut copy = Vec::with_capacity(rows.saturating_mul(columns.row(0).len()));
        for row in 0..*rows {
            let ahead = columns.row(row + tuning::TILE_ROWS_AHEAD);
            prefetch_row(ahead, 0, ahead.len());
            copy.extend_from_slice(columns.row(row));
        }
        let width = copy.len().checked_div(*rows).unwrap_or(0).max(1);
        let (reduction, data, before) = (*reduction, &mut copy, None);
        run(&mut Changed { reduction, data, updates, n: *n, manner: *manner, before });
        for (row, from) in copy.chunks_exact(width).enumerate() {
            let ahead = columns.row(row + tuning::TILE_ROWS_AHEAD);
            prefetch_row(ahead, 0, ahead.len());
            if let Some(to) = columns.row(row).get_mut(..from.len()) {
                to.copy_from_slice(from);
            }
        }
    }
}

/// Moves with non-temporal stores, in a [`session`](Mover::session).
struct Streamed<'a, 'b, M, const GATHERS: bool>(&'a mut Streaming<'b, M>, Manner);

impl<M: Move, const GATHERS: bool> Mover for Streamed<'_, '_, M, GATHERS> {
    fn block(&mut self, block: &Block<'_>) {
        let Manner { path, hints, .. } = self.1;
        if GATHERS {
            self.0.gather(path, block, hints);
        } else {
            self.0.scatter(path, block, hints);
        }
    }

    #[cfg(feature = "rayon")]
    fn listed(&mut self, listed: Listed<'_>) {
        if !GATHERS {
            self.0.scatter_listed(self.1.path, listed);
        }
    }
}
