//! Moves between tensors of different types: what is read of a table, and what it becomes.

use crate::element::Element;
#[cfg(feature = "std")]
use crate::engine::movers::Tile;

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
