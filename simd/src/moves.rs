//! Copies by address.

use core::marker::PhantomData;

use bytemuck::NoUninit;

use crate::lane::BLOCK;
use crate::path::Instructions;
use crate::prefetch::{self, LINE};

/// The bytes of an element. No value of it comes from outside, and every write is a copy of an element of the same type.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Bytes<const N: usize>([u8; N]);

/// Copies of elements of `N` bytes from one slice to another of the same type, which is not named: types of one size share their code.
///
/// What lies outside either slice is left out.
pub struct Moves<'a, const N: usize> {
    from: &'a [Bytes<N>],
    to: &'a mut [Bytes<N>],
    past_caches: bool,
    /// Before this place of `to`, elements may have been written past the caches since the last fence.
    unfenced: usize,
    /// The fence is one thread's, so this stays there.
    thread: PhantomData<*const ()>,
}

impl<'a, const N: usize> Moves<'a, N> {
    /// From one slice to the other. `None` if the elements do not have `N` bytes.
    #[inline(always)]
    #[must_use]
    pub fn new<T: NoUninit>(from: &'a [T], to: &'a mut [T]) -> Option<Moves<'a, N>> {
        if size_of::<T>() != N {
            return None;
        }
        // SAFETY: the size is N, bytes need no alignment, and a `NoUninit` type has no byte without a value.
        let from = unsafe { core::slice::from_raw_parts(from.as_ptr().cast(), from.len()) };
        // SAFETY: the same. `Moves` only writes copies of elements of `from`, which are values of T.
        let to = unsafe { core::slice::from_raw_parts_mut(to.as_mut_ptr().cast(), to.len()) };
        Some(Moves { from, to, past_caches: false, unfenced: 0, thread: PhantomData })
    }

    /// The same for the time that `run` takes. `past_caches`: [`gather`](Moves::gather) writes elements of 4 and 8 bytes to memory without reading it into a cache
    /// first, where the path [can](crate::Path::writes_past_caches); for more than caches hold.
    ///
    /// ```compile_fail
    /// use strew_simd::Moves;
    ///
    /// fn stays_on_its_thread(_: impl Send) {}
    /// Moves::<4>::with(&[1_u32], &mut [0], true, |moves| stays_on_its_thread(moves));
    /// ```
    #[inline(always)]
    pub fn with<T: NoUninit, R>(from: &'a [T], to: &'a mut [T], past_caches: bool, run: impl FnOnce(Moves<'_, N>) -> R) -> Option<R> {
        let moves = Moves::new(from, to)?;
        // Only here are they made such that they need it, and `run` cannot keep them.
        let _fence = Fence(past_caches);
        Some(run(Moves { past_caches, ..moves }))
    }

    /// The number of elements from `to[t]` on before the first that starts a line of the caches, if what is gathered goes past them.
    #[inline(always)]
    #[must_use]
    pub fn before_line(&self, t: usize) -> usize {
        let count = if self.past_caches { self.to.as_ptr().wrapping_add(t).align_offset(LINE) } else { 0 };
        if count < LINE { count } else { 0 }
    }

    /// To be called before anything is written from `to[t]` on: nothing else may touch what is written past the caches before a fence.
    #[inline(always)]
    fn begin(&mut self, t: usize) {
        if t < self.unfenced {
            self.unfenced = 0;
            fence();
        }
    }

    /// `to[t] = from[f]`
    #[inline(always)]
    pub fn element(&mut self, t: usize, f: usize) {
        self.begin(t);
        if let (Some(to), Some(from)) = (self.to.get_mut(t), self.from.get(f)) {
            *to = *from;
        }
    }

    /// `to[t..t + n] = from[f..f + n]`
    #[inline(always)]
    pub fn row(&mut self, t: usize, f: usize, n: usize) {
        self.begin(t);
        if let (Some(to), Some(from)) = (self.to.get_mut(t..t.wrapping_add(n)), self.from.get(f..f.wrapping_add(n))) {
            match N {
                1 => copy::<N, 16>(from, to),
                2 => copy::<N, 8>(from, to),
                4 => copy::<N, 4>(from, to),
                8 => copy::<N, 2>(from, to),
                _ => to.copy_from_slice(from),
            }
        }
    }

    /// `to[t + n * R..][..R] = from[f[n]..][..R]` for a block of addresses: rows of few elements.
    #[inline(always)]
    pub fn gather_rows<const R: usize>(&mut self, t: usize, f: &[u32; BLOCK]) {
        self.begin(t);
        let Some(to) = self.to.get_mut(t..).and_then(|to| to.as_chunks_mut::<R>().0.first_chunk_mut()) else { return };
        gather_rows(self.from, f, to);
    }

    /// `to[t[n]..][..R] = from[f + n * R..][..R]` for a block of addresses, in this order.
    #[inline(always)]
    pub fn scatter_rows<const R: usize>(&mut self, t: &[u32; BLOCK], f: usize) {
        self.begin(0);
        let Some(from) = self.from.get(f..).and_then(|from| from.as_chunks::<R>().0.first_chunk()) else { return };
        scatter_rows(from, self.to, t);
    }

    /// `to[t + n] = from[f[n]]` for a block of addresses.
    #[inline(always)]
    pub fn gather(&mut self, instructions: impl Instructions, t: usize, f: &[u32; BLOCK]) {
        self.begin(t);
        let Some(to) = self.to.get_mut(t..).and_then(|to| to.first_chunk_mut()) else { return };
        if self.past_caches {
            self.unfenced = t.wrapping_add(BLOCK);
        }
        instructions.gather(self.from, f, to, self.past_caches);
    }

    /// `to[t + n] = from[f + offsets[n]]` for any number of offsets.
    #[inline(always)]
    pub fn gather_at(&mut self, instructions: impl Instructions, t: usize, f: usize, offsets: &[u32]) {
        const COUNT: usize = 16;
        self.begin(t);
        let (Some(to), Some(from)) = (self.to.get_mut(t..), self.from.get(f..)) else { return };
        let Some(to) = to.get_mut(..offsets.len()) else { return };
        let ((to, to_rest), (offsets, rest)) = (to.as_chunks_mut::<COUNT>(), offsets.as_chunks::<COUNT>());
        for (to, offsets) in to.iter_mut().zip(offsets) {
            instructions.gather(from, offsets, to, false);
        }
        for (to, offset) in to_rest.iter_mut().zip(rest) {
            if let Some(from) = from.get(*offset as usize) {
                *to = *from;
            }
        }
    }

    /// `to[t + offsets[n]] = from[f + n]` for any number of offsets, in this order.
    #[inline(always)]
    pub fn scatter_at(&mut self, t: usize, offsets: &[u32], f: usize) {
        self.begin(0);
        let (Some(to), Some(from)) = (self.to.get_mut(t..), self.from.get(f..)) else { return };
        scatter(from, to, offsets);
    }

    /// `to[t[n]] = from[f + n]`, in this order.
    #[inline(always)]
    pub fn scatter(&mut self, t: &[u32; BLOCK], f: usize) {
        self.begin(0);
        let Some(from) = self.from.get(f..).and_then(|from| from.get(..BLOCK)) else { return };
        scatter(from, self.to, t);
    }

    /// Asks for the element at `to[t]`.
    #[inline(always)]
    pub fn prefetch_to(&self, t: u32) {
        prefetch::prefetch(self.to, t);
    }

    /// Asks for the element at `from[f]`.
    #[inline(always)]
    pub fn prefetch_from(&self, f: u32) {
        prefetch::prefetch(self.from, f);
    }

    /// Asks for the row of `n` elements at `to[t]`.
    #[inline(always)]
    pub fn prefetch_row_to(&self, t: u32, n: usize) {
        prefetch::prefetch_row(self.to, t, n);
    }

    /// Asks for the row of `n` elements at `from[f]`.
    #[inline(always)]
    pub fn prefetch_row_from(&self, f: u32, n: usize) {
        prefetch::prefetch_row(self.from, f, n);
    }
}

/// A fence at the end, even of a `run` that panics.
struct Fence(bool);

impl Drop for Fence {
    #[inline(always)]
    fn drop(&mut self) {
        if self.0 {
            fence();
        }
    }
}

/// What was written past the caches comes before whatever follows.
fn fence() {
    #[cfg(target_arch = "x86_64")]
    crate::x86::fence();
}

/// `to = from`, of the same length; `CHUNK` elements have 16 bytes. Up to `INLINE` bytes, a call of the system's memory copy takes longer than the copy.
#[inline(always)]
fn copy<const N: usize, const CHUNK: usize>(from: &[Bytes<N>], to: &mut [Bytes<N>]) {
    const INLINE: usize = 128;
    if size_of_val(from) > INLINE {
        to.copy_from_slice(from);
    } else if let (Some(end), Some(to_end)) = (from.last_chunk::<CHUNK>(), to.last_chunk_mut::<CHUNK>()) {
        // The last chunk may overlap the one before it.
        *to_end = *end;
        for (to, from) in to.as_chunks_mut::<CHUNK>().0.iter_mut().zip(from.as_chunks::<CHUNK>().0) {
            *to = *from;
        }
    } else {
        for (to, from) in to.iter_mut().zip(from) {
            *to = *from;
        }
    }
}

/// `to[addresses[n]] = from[n]`, in this order. Not inlined: among the walk's variables there are no registers left for its few.
#[inline(never)]
fn scatter<const N: usize>(from: &[Bytes<N>], to: &mut [Bytes<N>], addresses: &[u32]) {
    for (from, address) in from.iter().zip(addresses) {
        if let Some(to) = to.get_mut(*address as usize) {
            *to = *from;
        }
    }
}

#[inline(never)]
fn gather_rows<const N: usize, const R: usize>(from: &[Bytes<N>], addresses: &[u32; BLOCK], to: &mut [[Bytes<N>; R]; BLOCK]) {
    for (to, address) in to.iter_mut().zip(addresses) {
        if let Some(from) = from.get(*address as usize..).and_then(|from| from.first_chunk()) {
            *to = *from;
        }
    }
}

#[inline(never)]
fn scatter_rows<const N: usize, const R: usize>(from: &[[Bytes<N>; R]; BLOCK], to: &mut [Bytes<N>], addresses: &[u32; BLOCK]) {
    for (from, address) in from.iter().zip(addresses) {
        if let Some(to) = to.get_mut(*address as usize..).and_then(|to| to.first_chunk_mut()) {
            *to = *from;
        }
    }
}

/// `to[n] = table[addresses[n]]`. Where an address is outside the table, `to[n]` stays as it is.
#[inline(always)]
pub(crate) fn by_element<const N: usize, const COUNT: usize>(table: &[Bytes<N>], addresses: &[u32; COUNT], to: &mut [Bytes<N>; COUNT]) {
    for (to, address) in to.iter_mut().zip(addresses) {
        if let Some(from) = table.get(*address as usize) {
            *to = *from;
        }
    }
}
