//! What threads share: parts of what is written, tiles of it, and worklists.

use strew_simd::{Block, Choice, Columns, Listed, Path, Place, choose};

use crate::element::Element;
use crate::engine::changed::{Changed, Reducer};
use crate::engine::movers::{Gathered, Job, Mover, Tile, on_copy};
use crate::engine::tuning;

/// What threads change, each its own.
pub(crate) type Parts<'a> = Vec<Box<dyn Shared + 'a>>;

/// The tensors of a call that threads can share.
pub(crate) trait Shared: Job + Send {
    /// What is written, cut at these places, which ascend: one part more than there are places.
    fn parts(&mut self, cuts: &[usize]) -> Parts<'_>;

    /// Runs with a number of tables for what is written, which are merged if `run` returns `true`.
    /// `None`: there is no memory for them, or they cannot be merged.
    fn copies(&mut self, _number: usize, _run: &mut dyn FnMut(Parts<'_>) -> bool) -> Option<bool> {
        None
    }

    /// A table that is written, cut to tiles of all its columns. A gather has none.
    fn tiles(&mut self, _tile: &Tile, _columns: usize) -> Vec<Tiled<'_>> {
        Vec::new()
    }
}

/// [`Job::tile`] of one tile of a table that is written.
pub(crate) type Tiled<'a> = Box<dyn FnMut(&mut dyn FnMut(&mut dyn Mover)) + Send + 'a>;

impl<T: Element, P: Place<T> + Send> Shared for Gathered<'_, T, P> {
    fn parts(&mut self, cuts: &[usize]) -> Parts<'_> {
        let Gathered { input, output, way } = self;
        cut(output, cuts, |output| {
            Box::new(Gathered { input, output, way: *way }) as Box<dyn Shared + '_>
        })
    }
}

impl<T, U, R> Shared for Changed<'_, T, R, U>
where
    T: Element,
    U: Element,
    R: Reducer<T, U> + ?Sized + Sync,
{
    fn parts(&mut self, cuts: &[usize]) -> Parts<'_> {
        let Changed { reduction, data, updates, way, .. } = self;
        cut(data, cuts, |data| {
            Box::new(Changed { reduction: *reduction, data, updates, way: *way, before: None })
                as Box<dyn Shared + '_>
        })
    }

    fn copies(&mut self, number: usize, run: &mut dyn FnMut(Parts<'_>) -> bool) -> Option<bool> {
        let free = self.reduction.kind().free()?;
        self.in_copies(free, number, &mut |all, length| {
            let cuts: Vec<usize> = (1..number).map(|copy| copy.wrapping_mul(length)).collect();
            run(all.parts(&cuts))
        })
    }

    fn tiles(&mut self, tile: &Tile, columns: usize) -> Vec<Tiled<'_>> {
        let Changed { reduction, ref mut data, updates, way, .. } = *self;
        cut_columns(data, tile, columns, move |data, run| {
            run(&mut Changed { reduction, data, updates, way, before: None });
        })
    }
}

/// Moves those entries of blocks that lead into a part of the table, by way of a worklist.
pub(crate) struct InPart<'a> {
    mover: &'a mut dyn Mover,
    path: Path,
    start: usize,
    /// The number of places of the part at which a row can start.
    length: u32,
    places: Vec<u32>,
    flats: Vec<u32>,
    count: usize,
}

/// What a kernel may write after the last chosen entry.
const SLACK: usize = 16;

impl<'a> InPart<'a> {
    /// Of a part of `length` elements; entries move rows of `n`.
    pub(crate) fn new(
        mover: &'a mut dyn Mover,
        path: Path,
        start: usize,
        length: usize,
        n: usize,
    ) -> InPart<'a> {
        let room = tuning::WORKLIST + 2 * tuning::BLOCK + SLACK;
        let length = (length + 1).saturating_sub(n) as u32;
        let (places, flats) = (vec![0; room], vec![0; room]);
        InPart { mover, path, start, length, places, flats, count: 0 }
    }

    /// Moves what is listed.
    pub(crate) fn finish(&mut self) {
        let places = self.places.get(..self.count).unwrap_or_default();
        let flats = self.flats.get(..self.count).unwrap_or_default();
        self.mover.listed(Listed { places, flats, distance: tuning::WORKLIST_AHEAD });
        self.count = 0;
    }
}

impl Mover for InPart<'_> {
    fn block(&mut self, block: &Block<'_>) {
        let mut flat = block.flat;
        for addresses in block.addresses.chunks(block.length.max(1)) {
            let choice = Choice {
                start: self.start.wrapping_sub(block.table) as u32,
                length: self.length,
                flat: flat as u32,
                step: block.entry_step as u32,
            };
            let places = self.places.get_mut(self.count..).unwrap_or_default();
            let flats = self.flats.get_mut(self.count..).unwrap_or_default();
            self.count += choose(self.path, choice, addresses, places, flats);
            flat = flat.wrapping_add_signed(block.lane_step);
        }
        if self.count > tuning::WORKLIST {
            self.finish();
        }
    }
}

/// The tiles of a table that is written, each of which moves by `change` on a contiguous copy.
pub(crate) fn cut_columns<'a, T: Copy + Send>(
    data: &'a mut [T],
    tile: &Tile,
    columns: usize,
    change: impl Fn(&mut [T], &mut dyn FnMut(&mut dyn Mover)) + Copy + Send + 'a,
) -> Vec<Tiled<'a>> {
    let (rows, data) = (tile.rows, data.get_mut(tile.start..).unwrap_or_default());
    let mut rest = Columns::new(data, rows, tile.pitch, columns);
    let tiles = (0..columns.div_ceil(tile.width.max(1))).map_while(|_| {
        let (mut columns, others) = rest.take()?.split_at(tile.width);
        rest = Some(others);
        Some(Box::new(move |run: &mut dyn FnMut(&mut dyn Mover)| {
            on_copy(&mut columns, rows, &mut |data| change(data, run));
        }) as Tiled<'a>)
    });
    tiles.collect()
}

/// A slice cut at these places: what `make` makes of each part.
pub(crate) fn cut<'a, T, P>(
    slice: &'a mut [T],
    cuts: &[usize],
    mut make: impl FnMut(&'a mut [T]) -> P,
) -> Vec<P> {
    let (mut rest, mut start) = (slice, 0);
    let mut parts = Vec::with_capacity(cuts.len() + 1);
    for place in cuts {
        let length = place.saturating_sub(start).min(rest.len());
        let (part, after) = rest.split_at_mut(length);
        parts.push(make(part));
        (rest, start) = (after, start + length);
    }
    parts.push(make(rest));
    parts
}
