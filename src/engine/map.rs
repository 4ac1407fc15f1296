//! Moves between tensors of different types.

#[cfg(feature = "rayon")]
use strew_simd::Listed;
use strew_simd::{Block, convert};

use crate::element::Element;
use crate::engine::movers::{Job, Mover, Tile, Way};
#[cfg(feature = "rayon")]
use crate::engine::shared::{Shared, Tiled, cut, cut_columns};
use crate::map::Source;

/// `output[flat] = source[table]`, in rows of `n` elements.
pub(crate) struct Read<'a, S, U> {
    pub source: S,
    pub output: &'a mut [U],
    pub n: usize,
    pub way: Way,
}

impl<U, S: Source<U>> Mover for Read<'_, S, U> {
    fn block(&mut self, block: &Block<'_>) {
        if self.source.read_block(self.output, block, self.n, &self.way) {
            return;
        }
        let Read { source, ref mut output, n, way } = *self;
        way.path.narrow(
            #[inline(always)]
            || {
                convert::gather(
                    output,
                    block,
                    n,
                    way.distance,
                    #[inline(always)]
                    |place, to| source.read(place, to),
                    #[inline(always)]
                    |place| source.prefetch(place, n),
                );
            },
        );
    }
}

impl<U, S: Source<U>> Job for Read<'_, S, U> {
    fn prepare(&mut self, way: Way) {
        self.way = way;
    }

    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        run(self);
    }

    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover)) {
        let Read { source, output, n, way } = self;
        source.tile(tile, |source| run(&mut Read { source, output, n: *n, way: *way }));
    }
}

#[cfg(feature = "rayon")]
impl<U: Send, S: Source<U> + Send> Shared for Read<'_, S, U> {
    fn parts(&mut self, cuts: &[usize]) -> Vec<Box<dyn Shared + '_>> {
        let Read { source, ref mut output, n, way } = *self;
        cut(output, cuts, |output| {
            Box::new(Read { source, output, n, way }) as Box<dyn Shared + '_>
        })
    }

    fn set_row(&mut self, n: usize) {
        self.n = n;
    }
}

/// `data[table] = change(data[table], updates[flat])`, in rows of `n` elements.
pub(crate) struct Change<'a, T, U, F> {
    pub data: &'a mut [T],
    pub updates: &'a [U],
    pub change: F,
    pub n: usize,
    pub way: Way,
}

impl<T: Element, U: Element, F: Fn(T, U) -> T + Copy> Mover for Change<'_, T, U, F> {
    fn block(&mut self, block: &Block<'_>) {
        let Way { path, distance, .. } = self.way;
        convert::scatter(path, self.data, self.updates, block, self.n, distance, self.change);
    }

    #[cfg(feature = "rayon")]
    fn listed(&mut self, listed: Listed<'_>) {
        convert::scatter_listed(
            self.way.path,
            self.data,
            self.updates,
            listed,
            self.n,
            self.change,
        );
    }
}

impl<T: Element, U: Element, F: Fn(T, U) -> T + Copy> Job for Change<'_, T, U, F> {
    fn prepare(&mut self, way: Way) {
        self.way = way;
    }

    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        run(self);
    }

    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover)) {
        let Change { ref mut data, updates, change, n, way } = *self;
        tile.change(data, &mut |data| run(&mut Change { data, updates, change, n, way }));
    }
}

#[cfg(feature = "rayon")]
impl<T, U, F> Shared for Change<'_, T, U, F>
where
    T: Element,
    U: Element,
    F: Fn(T, U) -> T + Copy + Send,
{
    fn parts(&mut self, cuts: &[usize]) -> Vec<Box<dyn Shared + '_>> {
        let Change { ref mut data, updates, change, n, way } = *self;
        cut(data, cuts, |data| {
            Box::new(Change { data, updates, change, n, way }) as Box<dyn Shared + '_>
        })
    }

    fn set_row(&mut self, n: usize) {
        self.n = n;
    }

    fn tiles(&mut self, tile: &Tile, columns: usize) -> Vec<Tiled<'_>> {
        let Change { ref mut data, updates, change, n, way } = *self;
        cut_columns(data, tile, columns, move |data, run| {
            run(&mut Change { data, updates, change, n, way });
        })
    }
}
