//! Moves between tensors of different types: what is read of a table, and what it becomes.

#[cfg(all(feature = "half", feature = "simd", target_arch = "x86_64"))]
use strew_simd::convert;
#[cfg(feature = "std")]
use strew_simd::{Block, NOWHERE, append};

use crate::element::Element;
#[cfg(feature = "std")]
use crate::engine::movers::{Tile, Way};

#[cfg(all(feature = "half", feature = "simd", target_arch = "x86_64"))]
use widened::{halves, widen};

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

    /// Reads a block in a way of its own. `false`: there is none for this block, and row by row is
    /// to be [read](Source::read).
    #[cfg(feature = "std")]
    fn read_block(&self, _output: &mut [U], _: &Block<'_>, _: &Way) -> bool {
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
/// Record: f32, f16 and i8 to f32 from L1 on Zen 4: rows of 1 to 16 elements 0.4x to 0.75x; of 24
/// elements 0.6x to 0.75x; of 64 f32 1.35x.
#[cfg(feature = "std")]
const PACKED_ROW: usize = 32;

/// Bytes of a row that is copied so, at most. Record: as at [`PACKED_ROW`], f64 to f32: rows of 12
/// elements 1.0x, of 16 elements 1.2x.
#[cfg(feature = "std")]
const PACKED_ROW_BYTES: usize = 96;

/// Bytes of an element of such a row, at most. Record: as at [`PACKED_ROW`], blocks of 34 bytes
/// 1.7x.
#[cfg(feature = "std")]
const PACKED_ELEMENT: usize = 8;

/// Entries of a block whose rows are copied so, at least: fewer do not pay for the memory.
/// Unmeasured.
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

impl<T: Element, U: 'static, F: Map<T, U>> Source<U> for Mapped<'_, T, F> {
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
    fn read_block(&self, output: &mut [U], block: &Block<'_>, way: &Way) -> bool {
        let (Mapped { input, map }, size, n) = (*self, size_of::<T>(), way.n);
        let short = (1..PACKED_ROW).contains(&n) && n * size <= PACKED_ROW_BYTES;
        let gains = short && (1..=PACKED_ELEMENT).contains(&size);
        let all = block.addresses;
        if !gains || all.len() < PACKED_ENTRIES || !block.is_run(n) || all.contains(&NOWHERE) {
            #[cfg(all(feature = "half", feature = "simd", target_arch = "x86_64"))]
            if n >= 8
                && let Some(halves) = halves(&map, way.path)
            {
                halves.vectorize(
                    #[inline(always)]
                    || {
                        convert::gather(
                            output,
                            block,
                            n,
                            way.distance,
                            #[inline(always)]
                            |place, to| {
                                let from = input.get(place..).and_then(|from| from.get(..to.len()));
                                widen(halves, map, from.unwrap_or_default(), to);
                            },
                            #[inline(always)]
                            |place| self.prefetch(place, n),
                        );
                    },
                );
                return true;
            }
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
            (flat, rest) = (end, rest.get(rows..).unwrap_or_default());
            #[cfg(all(feature = "half", feature = "simd", target_arch = "x86_64"))]
            if let Some(halves) = halves(&map, way.path) {
                halves.vectorize(
                    #[inline(always)]
                    || widen(halves, map, &packed, to),
                );
                continue;
            }
            way.path.compiled(
                #[inline(always)]
                || to.iter_mut().zip(&packed).for_each(|(to, from)| *to = map.map(*from)),
            );
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

/// What x86 converts by instruction.
#[cfg(all(feature = "half", feature = "simd", target_arch = "x86_64"))]
mod widened {
    use core::any::{Any, TypeId};

    use bytemuck::must_cast;
    use half::f16;
    use strew_simd::{Halves, Path, type_id};

    use super::{Call, Map};
    use crate::element::Element;
    use crate::quant::f16_to_f32;

    /// What converts by instruction, if `map` calls a function that makes an `f32` of an `f16`, and
    /// was given by its name or by a reference to it.
    #[inline(always)]
    pub(super) fn halves<F>(map: &F, path: Path) -> Option<Halves> {
        #[inline(always)]
        fn ids<G: 'static>(_: G) -> [TypeId; 2] {
            [TypeId::of::<Call<'_, G>>(), TypeId::of::<Call<'_, &G>>()]
        }
        let known = [ids(f16_to_f32), ids(f16::to_f32), ids(<f32 as From<f16>>::from)];
        if known.as_flattened().contains(&type_id(map)) { Halves::of(path) } else { None }
    }

    /// `to = map(from)`, for a `map` that `halves` take the place of.
    ///
    /// Eight at a time. The last eight may be among those before them, too.
    #[inline(always)]
    pub(super) fn widen<T: Element, U: 'static>(
        halves: Halves,
        map: impl Map<T, U>,
        from: &[T],
        to: &mut [U],
    ) {
        to.as_chunks_mut().0.iter_mut().zip(from.as_chunks().0).for_each(
            #[inline(always)]
            |(to, from)| eight(halves, map, from, to),
        );
        if let (Some(to), Some(from)) = (to.last_chunk_mut(), from.last_chunk()) {
            eight(halves, map, from, to);
        } else {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = map.map(*from));
        }
    }

    #[inline(always)]
    fn eight<T: Element, U: 'static>(
        halves: Halves,
        map: impl Map<T, U>,
        from: &[T; 8],
        to: &mut [U; 8],
    ) {
        // The compiler knows the types, and drops what is for others.
        let halves_from = (from as &dyn Any).downcast_ref::<[f16; 8]>();
        let floats_to = (to as &mut dyn Any).downcast_mut::<[f32; 8]>();
        if let (Some(from), Some(to)) = (halves_from, floats_to) {
            *to = halves.widen(must_cast(*from));
        } else {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = map.map(*from));
        }
    }
}

#[cfg(test)]
#[cfg(all(feature = "half", feature = "simd", target_arch = "x86_64"))]
mod tests {
    use half::{bf16, f16};
    use strew_simd::{Halves, Path};

    use super::Call;
    use super::widened::{halves, widen};
    use crate::quant::f16_to_f32;

    /// Which functions instructions take the place of, and that these give the same bits.
    #[test]
    fn widened() {
        fn known<F>(function: F, path: Path) -> Option<Halves> {
            halves(&Call(&function), path)
        }
        let all: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        for path in Path::available().into_iter().flatten() {
            let (there, local) = (Halves::of(path).is_some(), 1.0);
            assert_eq!(known(f16_to_f32, path).is_some(), there, "{}", path.name());
            assert_eq!(known(&f16_to_f32, path).is_some(), there);
            assert_eq!(known(f16::to_f32, path).is_some(), there);
            assert_eq!(known(<f32 as From<f16>>::from, path).is_some(), there);
            assert!(known(|half: f16| f16_to_f32(half) + local, path).is_none());
            assert!(known(f16_to_f32 as fn(f16) -> f32, path).is_none());
            assert!(known(<f32 as From<bf16>>::from, path).is_none());
            assert!(known(f16::to_f64, path).is_none());

            let Some(halves) = Halves::of(path) else { continue };
            for length in [7, 8, 13, all.len()] {
                let (from, mut to) = (all.get(..length).unwrap_or_default(), vec![0.0; length]);
                halves.vectorize(|| widen(halves, Call(&f16_to_f32), from, &mut to));
                for (from, to) in from.iter().zip(to) {
                    let expected = f16_to_f32(*from).to_bits();
                    assert_eq!(to.to_bits(), expected, "{:#06x}", from.to_bits());
                }
            }
            // Functions that it is not for are called.
            let mut to = vec![0; all.len()];
            widen(halves, Call(&|half: f16| half.to_bits()), &all, &mut to);
            assert!(to.into_iter().eq(0..=u16::MAX));
        }
    }
}
