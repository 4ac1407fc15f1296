//! Moves between tensors of different types: what is read of a table, and what it becomes.

#[cfg(feature = "std")]
use strew_simd::{Block, NOWHERE, append};

use crate::element::Element;
#[cfg(feature = "std")]
use crate::engine::movers::{Tile, Way};

/// What a gather reads: rows of a table, as they are to be written.
pub(crate) trait Source<U>: Copy {
    /// The bytes of an element of the table: 0 for `()`.
    #[cfg(feature = "std")]
    const BYTES: usize;

    /// What reads a copy of some columns.
    #[cfg(feature = "std")]
    type Part<'p>: Source<U>;

    /// The number of elements.
    fn len(&self) -> usize;

    /// Sets `to` to what the elements from `place` on become. Where some of them lie outside, all
    /// are left as they are.
    fn read(&self, place: usize, to: &mut [U]);

    /// Reads a block of rows of `n` elements in a way of its own. `false`: there is none for this
    /// block, and row by row is to be [read](Source::read).
    #[cfg(feature = "std")]
    fn read_block(&self, _output: &mut [U], _: &Block<'_>, _n: usize, _: &Way) -> bool {
        false
    }

    /// Prefetches `n` elements from `place` on.
    #[cfg(feature = "std")]
    fn prefetch(&self, place: usize, n: usize);

    /// Runs with a contiguous copy of some columns.
    #[cfg(feature = "std")]
    fn tile(&self, tile: &Tile, run: impl FnMut(Self::Part<'_>));
}

/// What becomes of an element. Not a bound on `Fn`: references to functions are functions too, but
/// a call through one is not always inlined, and then not compiled for the vectors of the machine.
pub(crate) trait Map<T, U>: Copy {
    fn map(&self, value: T) -> U;
}

/// Calls a function.
pub(crate) struct Call<'a, F>(pub &'a F);

impl<F> Clone for Call<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Call<'_, F> {}

impl<T, U, F: Fn(T) -> U> Map<T, U> for Call<'_, F> {
    #[inline(always)]
    fn map(&self, value: T) -> U {
        (*self.0)(value)
    }
}

/// Elements of a row: shorter ones are copied side by side, and one loop turns them all to what
/// they become. A loop over each row starts and ends in a time in which it moves 32 elements.
/// Record: f32, f16 and i8 to f32 on Zen 4, rows of 1 to 16 elements from L1 0.4x to 0.75x, of 24
/// 0.6x to 0.75x, of 64 f32 1.35x.
#[cfg(feature = "std")]
const PACKED_ROW: usize = 32;

/// The bytes of such a row, at most. Record: as above, f64 to f32, rows of 12 1.0x, of 16 1.2x.
#[cfg(feature = "std")]
const PACKED_ROW_BYTES: usize = 96;

/// The bytes of such an element, at most. Record: as above, blocks of 34 bytes 1.7x.
#[cfg(feature = "std")]
const PACKED_ELEMENT: usize = 8;

/// Entries of a block, at least: fewer do not pay for the memory. Unmeasured.
#[cfg(feature = "std")]
const PACKED_ENTRIES: usize = if cfg!(fuzzing) { 4 } else { 64 };

/// The bytes that are copied at a time: they stay in L1. Unmeasured.
#[cfg(feature = "std")]
const PACKED: usize = if cfg!(fuzzing) { 1 << 8 } else { 1 << 12 };

/// A table, and what its elements become.
#[derive(Clone, Copy)]
pub(crate) struct Mapped<'a, T, F> {
    pub input: &'a [T],
    pub map: F,
}

impl<T: Element, U, F: Map<T, U>> Source<U> for Mapped<'_, T, F> {
    #[cfg(feature = "std")]
    const BYTES: usize = size_of::<T>();

    #[cfg(feature = "std")]
    type Part<'p> = Mapped<'p, T, F>;

    #[inline(always)]
    fn len(&self) -> usize {
        self.input.len()
    }

    #[inline(always)]
    fn read(&self, place: usize, to: &mut [U]) {
        if let [to] = to {
            if let Some(from) = self.input.get(place) {
                *to = self.map.map(*from);
            }
            return;
        }
        if let Some(from) = self.input.get(place..).and_then(|from| from.get(..to.len())) {
            for (to, from) in to.iter_mut().zip(from) {
                *to = self.map.map(*from);
            }
        }
    }

    #[cfg(feature = "std")]
    fn read_block(&self, output: &mut [U], block: &Block<'_>, n: usize, way: &Way) -> bool {
        let (Mapped { input, map }, size) = (*self, size_of::<T>());
        let short = (1..PACKED_ROW).contains(&n) && n * size <= PACKED_ROW_BYTES;
        let gains = short && (1..=PACKED_ELEMENT).contains(&size);
        let all = block.addresses;
        if !gains || all.len() < PACKED_ENTRIES || !block.is_run(n) || all.contains(&NOWHERE) {
            return false;
        }
        let (rows, mut packed, mut flat) = (PACKED / (n * size), Vec::new(), block.flat);
        let mut rest = all;
        while !rest.is_empty() {
            let (addresses, next) = match rest.split_at_checked(rows) {
                Some((addresses, more)) if !more.is_empty() => (addresses, more),
                _ => (rest, block.next),
            };
            let Block { table, entry_step, .. } = *block;
            let part = Block {
                addresses,
                length: addresses.len(),
                table,
                entry_step,
                next,
                ..Block::default()
            };
            packed.clear();
            let end = flat.wrapping_add(addresses.len() * n);
            let Some(to) = output.get_mut(flat..end) else { return false };
            if !append(way.path, input, &mut packed, n, &part, way.distance, false) {
                return false;
            }
            way.path.compiled(
                #[inline(always)]
                || to.iter_mut().zip(&packed).for_each(|(to, from)| *to = map.map(*from)),
            );
            (flat, rest) = (end, rest.get(rows..).unwrap_or_default());
        }
        true
    }

    #[cfg(feature = "std")]
    #[inline(always)]
    fn prefetch(&self, place: usize, n: usize) {
        strew_simd::prefetch_decoded_row(self.input, place, n);
    }

    #[cfg(feature = "std")]
    fn tile(&self, tile: &Tile, mut run: impl FnMut(Self::Part<'_>)) {
        let input = &tile.copy(self.input);
        run(Mapped { input, map: self.map });
    }
}
