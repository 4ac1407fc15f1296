//! Copies by address.

use bytemuck::NoUninit;

use crate::chosen::Chosen;
use crate::combine::combine;
use crate::lane::BLOCK;
use crate::path::Instructions;
use crate::prefetch;
use crate::rows::{self, Rows, copy_row};
use crate::stream::{self, Fence, Right};

/// The bytes of an element. No value of it comes from outside, and what is written are copies of elements of the same type: whole ones, once a method is done.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Bytes<const N: usize>([u8; N]);

/// The bytes of all of them.
#[inline(always)]
pub(crate) fn as_bytes<const N: usize>(elements: &[Bytes<N>]) -> &[u8] {
    // SAFETY: they are so many bytes, each with a value.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// The same to write to.
///
/// # Safety
/// All of them are written, with the bytes of other elements of their type, or none.
#[inline(always)]
pub(crate) unsafe fn as_bytes_mut<const N: usize>(elements: &mut [Bytes<N>]) -> &mut [u8] {
    // SAFETY: they are so many bytes, each with a value.
    unsafe { core::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) }
}

/// Copies of elements of `N` bytes from one slice to another of the same type, which is not named: types of one size share their code.
///
/// An address outside its slice is left out. What is not chosen by address moves as a whole, or not at all if it does not lie in its slice; of the updates of
/// [`scatter_at`](Moves::scatter_at), and of the rows of [`scatter_chosen`](Moves::scatter_chosen), those that do.
pub struct Moves<'a, const N: usize> {
    from: &'a [Bytes<N>],
    to: &'a mut [Bytes<N>],
    /// In [`streaming`](Moves::streaming) alone.
    streams: Option<Right<'a>>,
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
        // SAFETY: the size is N, bytes need no alignment, and a `NoUninit` type has no byte without a value. `Moves` only leaves copies of elements of `from` there, which are values of T.
        let to = unsafe { core::slice::from_raw_parts_mut(to.as_mut_ptr().cast(), to.len()) };
        Some(Moves { from, to, streams: None })
    }

    /// Between elements of one type, which is not named here either.
    #[inline(always)]
    pub(crate) fn of(
        from: &'a [Bytes<N>],
        to: &'a mut [Bytes<N>],
        streams: Option<Right<'a>>,
    ) -> Moves<'a, N> {
        Moves { from, to, streams }
    }

    /// What is copied from.
    #[inline(always)]
    pub(crate) fn from(self) -> &'a [Bytes<N>] {
        self.from
    }

    /// `run` with moves whose rows and gathered elements go to memory past the caches, where the path can and it gains: long rows, and what
    /// [`Path::streams_elements`](crate::Path::streams_elements).
    ///
    /// It saves the time to fetch what is replaced, but takes longer where that is in a cache, and whoever reads what is written finds it in none.
    ///
    /// The moves stay with this thread, which tells others what it wrote once `run` is done:
    ///
    /// ```compile_fail,E0277
    /// let (from, mut to) = ([1_u8; 64], [0; 64]);
    /// strew_simd::Moves::<1>::new(&from, &mut to).unwrap().streaming(|mut moves| {
    ///     std::thread::scope(|scope| scope.spawn(move || moves.row(0, 0, 64)).join().unwrap());
    /// });
    /// ```
    #[inline(always)]
    pub fn streaming<R>(self, run: impl FnOnce(Moves<'_, N>) -> R) -> R {
        let fence = Fence::default();
        // SAFETY: `to` alone is written with it, which is not free again before the fence is dropped, also if `run` panics.
        let right = unsafe { fence.right() };
        run(Moves { from: self.from, to: self.to, streams: Some(right) })
    }

    /// `to[t] = from[f]`
    #[inline(always)]
    pub fn element(&mut self, t: usize, f: usize) {
        if let (Some(to), Some(from)) = (self.to.get_mut(t), self.from.get(f)) {
            *to = *from;
        }
    }

    /// `to[t..t + n] = from[f..f + n]`
    #[inline(always)]
    pub fn row(&mut self, t: usize, f: usize, n: usize) {
        if let (Some(to), Some(from)) =
            (self.to.get_mut(t..t.wrapping_add(n)), self.from.get(f..f.wrapping_add(n)))
        {
            copy_row(from, to);
        }
    }

    /// `to[t + n * length..][..length] = from[f[n]..][..length]` for a block of addresses.
    #[inline(always)]
    pub fn gather_rows(
        &mut self,
        instructions: impl Instructions,
        t: usize,
        f: &[u32; BLOCK],
        rows: Rows,
    ) {
        let Some(to) =
            rows.length.checked_mul(BLOCK).and_then(|all| self.to.get_mut(t..)?.get_mut(..all))
        else {
            return;
        };
        if let Some(right) = self.streams {
            stream::gather(instructions, right, self.from, f, to, rows);
        } else {
            rows::gather(instructions, self.from, f, to, rows);
        }
    }

    /// `to[t[n]..][..length] = from[f + n * length..][..length]` for a block of addresses, in this order.
    #[inline(always)]
    pub fn scatter_rows(
        &mut self,
        instructions: impl Instructions,
        t: &[u32; BLOCK],
        f: usize,
        rows: Rows,
    ) {
        let Some(from) =
            rows.length.checked_mul(BLOCK).and_then(|all| self.from.get(f..)?.get(..all))
        else {
            return;
        };
        if let Some(right) = self.streams {
            stream::scatter(instructions, right, from, self.to, t, rows);
        } else {
            rows::scatter(instructions, from, self.to, t, rows);
        }
    }

    /// `to[t..][..length] = from[f + n * length..][..length]` for the addresses `t` that have been chosen of a block, and their places `n` in it, in order. In between, what the `next`
    /// ones need is asked for.
    #[inline(always)]
    pub fn scatter_chosen(
        &mut self,
        instructions: impl Instructions,
        now: (&Chosen, usize),
        next: (&Chosen, usize),
        length: usize,
    ) {
        if let Some(right) = self.streams {
            stream::scatter_chosen(instructions, right, self.from, self.to, now, next, length);
        } else {
            rows::scatter_chosen(instructions, self.from, self.to, now, next, length);
        }
    }

    /// `to[t + n] = from[f[n]]` for a block of addresses. More than 1 `TOGETHER` suits tables that do not stay in the first cache: so many elements
    /// are loaded before they are written, or by instruction if the machine is known to be fast at it. It divides 16.
    #[inline(always)]
    pub fn gather<const TOGETHER: usize>(
        &mut self,
        instructions: impl Instructions,
        t: usize,
        f: &[u32; BLOCK],
    ) {
        let Some(to) = self.to.get_mut(t..).and_then(|to| to.first_chunk_mut()) else { return };
        if let Some(right) = self.streams.filter(|_| instructions.streams_elements(N)) {
            stream::elements::<_, N, TOGETHER>(instructions, right, self.from, f, to);
        } else {
            instructions.gather::<N, BLOCK, TOGETHER>(self.from, f, to);
        }
    }

    /// `to[t + n] = from[f + offsets[n]]` for any number of offsets.
    #[inline(always)]
    pub fn gather_at(
        &mut self,
        instructions: impl Instructions,
        t: usize,
        f: usize,
        offsets: &[u32],
    ) {
        const COUNT: usize = 16;
        let (Some(to), Some(from)) = (self.to.get_mut(t..), self.from.get(f..)) else { return };
        let Some(to) = to.get_mut(..offsets.len()) else { return };
        let ((to, to_rest), (offsets, rest)) =
            (to.as_chunks_mut::<COUNT>(), offsets.as_chunks::<COUNT>());
        for (to, offsets) in to.iter_mut().zip(offsets) {
            instructions.gather::<N, COUNT, 1>(from, offsets, to);
        }
        by_element(from, rest, to_rest);
    }

    /// `to[t + offsets[n]] = from[f + n]` for any number of offsets, in this order.
    #[inline(always)]
    pub fn scatter_at(
        &mut self,
        instructions: impl Instructions,
        t: usize,
        offsets: &[u32],
        f: usize,
    ) {
        let (Some(to), Some(from)) = (self.to.get_mut(t..), self.from.get(f..)) else { return };
        instructions.apart(
            #[inline(always)]
            || combine(to, offsets, from, |_, from| from),
        );
    }

    /// `to[t[n]] = from[f + n]`, in this order. In between, the elements at the addresses of `ahead` are asked for.
    #[inline(always)]
    pub fn scatter(
        &mut self,
        instructions: impl Instructions,
        t: &[u32; BLOCK],
        f: usize,
        ahead: Option<&[u32; BLOCK]>,
    ) {
        let Some(from) = self.from.get(f..).and_then(|from| from.get(..BLOCK)) else { return };
        match ahead {
            Some(ahead) => scatter_ahead(from, self.to, t, ahead),
            None => instructions.apart(
                #[inline(always)]
                || combine(self.to, t, from, |_, from| from),
            ),
        }
    }

    /// Asks for the elements at `from[f]` for a block of addresses.
    #[inline(always)]
    pub fn prefetch_from(&self, f: &[u32; BLOCK]) {
        f.iter().for_each(|f| prefetch::prefetch(self.from, *f));
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

/// [`combine`] with updates for values, where the elements at the addresses of `ahead` are asked for in between. Not inlined: among the walk's variables there are no registers left
/// for its few.
#[inline(never)]
fn scatter_ahead<const N: usize>(
    from: &[Bytes<N>],
    to: &mut [Bytes<N>],
    addresses: &[u32; BLOCK],
    ahead: &[u32; BLOCK],
) {
    for ((from, address), ahead) in from.iter().zip(addresses).zip(ahead) {
        prefetch::prefetch(to, *ahead);
        if let Some(to) = to.get_mut(*address as usize) {
            *to = *from;
        }
    }
}

/// `to[n] = table[addresses[n]]`, of as many elements as addresses. Where an address is outside the table, `to[n]` stays as it is.
///
/// The addresses of a step are compared at once, by a vector; `TOGETHER` elements are loaded before they are written.
#[inline(always)]
pub(crate) fn by_loads<const N: usize, const TOGETHER: usize>(
    table: &[Bytes<N>],
    addresses: &[u32],
    to: &mut [Bytes<N>],
) {
    const STEP: usize = 16;
    const { assert!(STEP.is_multiple_of(TOGETHER)) };
    let length = u32::try_from(table.len()).unwrap_or(u32::MAX);
    let ((addresses, rest), (to, to_rest)) =
        (addresses.as_chunks::<STEP>(), to.as_chunks_mut::<STEP>());
    for (addresses, to) in addresses.iter().zip(to) {
        if addresses.iter().fold(true, |inside, address| inside & (*address < length)) {
            for (addresses, to) in
                addresses.as_chunks::<TOGETHER>().0.iter().zip(to.as_chunks_mut::<TOGETHER>().0)
            {
                // SAFETY: the comparison above found all addresses of the step below `length`, which is at most that of the table.
                *to = addresses.map(|address| *unsafe { table.get_unchecked(address as usize) });
            }
        } else {
            by_element(table, addresses, to);
        }
    }
    by_element(table, rest, to_rest);
}

/// The same, one by one.
#[inline(always)]
fn by_element<const N: usize>(table: &[Bytes<N>], addresses: &[u32], to: &mut [Bytes<N>]) {
    for (address, to) in addresses.iter().zip(to) {
        if let Some(from) = table.get(*address as usize) {
            *to = *from;
        }
    }
}
