//! Gathers to a tensor of another type.

use strew_simd::{Block, convert};

use crate::engine::movers::{Job, Mover, Tile, Way};
#[cfg(feature = "rayon")]
use crate::engine::shared::{Shared, cut};
use crate::map::Source;

/// `output[flat] = source[table]`
pub(crate) struct Read<'a, S, U> {
    pub source: S,
    pub output: &'a mut [U],
    pub way: Way,
}

impl<U, S: Source<U>> Mover for Read<'_, S, U> {
    fn block(&mut self, block: &Block<'_>) {
        if self.source.read_block(self.output, block, &self.way) {
            return;
        }
        let Read { source, ref mut output, way } = *self;
        let Way { path, distance, n, .. } = way;
        path.narrow(
            #[inline(always)]
            || {
                convert::gather(
                    output,
                    block,
                    n,
                    distance,
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
        let Read { source, output, way } = self;
        source.tile(tile, |source| run(&mut Read { source, output, way: *way }));
    }
}

#[cfg(feature = "rayon")]
impl<U: Send, S: Source<U> + Send> Shared for Read<'_, S, U> {
    fn parts(&mut self, cuts: &[usize]) -> Vec<Box<dyn Shared + '_>> {
        let Read { source, ref mut output, way } = *self;
        cut(output, cuts, |output| Box::new(Read { source, output, way }) as Box<dyn Shared + '_>)
    }
}
