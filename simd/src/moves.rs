//! What copies elements between a table and a flat tensor, whatever their size.

use crate::block::{Block, Listed};
use crate::fence::{Fence, Right};
use crate::path::Path;

pub(crate) mod sealed {
    use super::{Block, Listed, Path, Right};

    /// The kernels; those that were given a right may write with non-temporal stores.
    pub trait Kernels {
        fn run_gather(
            &mut self,
            path: Path,
            block: &Block<'_>,
            distance: usize,
            right: Option<Right<'_>>,
        );
        fn run_scatter(
            &mut self,
            path: Path,
            block: &Block<'_>,
            distance: usize,
            right: Option<Right<'_>>,
        );
        fn run_listed(&mut self, path: Path, listed: Listed<'_>, right: Option<Right<'_>>);
    }
}
use sealed::Kernels;

/// Copies from one slice to another of the same type: of [elements](crate::Elements), or of
/// [rows](crate::Rows). What lies outside its slice is left out, as a whole element or row. The
/// trait is sealed.
pub trait Move: Kernels {
    /// `to[flat] = from[table]` for each entry, in order. What lies `distance` entries ahead is
    /// prefetched; 0: nothing.
    #[inline]
    fn gather(&mut self, path: Path, block: &Block<'_>, distance: usize) {
        self.run_gather(path, block, distance, None);
    }

    /// `to[table] = from[flat]` for each entry, in order. What lies `distance` entries ahead is
    /// prefetched; 0: nothing.
    #[inline]
    fn scatter(&mut self, path: Path, block: &Block<'_>, distance: usize) {
        self.run_scatter(path, block, distance, None);
    }

    /// `to[place] = from[flat]` for each entry, in order.
    #[inline]
    fn scatter_listed(&mut self, path: Path, listed: Listed<'_>) {
        self.run_listed(path, listed, None);
    }

    /// Runs with non-temporal stores where the path has them and they gain: they save the time to
    /// fetch what is replaced, take longer where that is in a cache, and leave nothing in one.
    ///
    /// The moves stay with this thread, which tells others what it wrote once `run` is done:
    ///
    /// ```compile_fail,E0277
    /// use strew_simd::{Block, Elements, Move, Path};
    ///
    /// let (from, mut to) = ([1_u8; 64], [0; 64]);
    /// Elements::<1>::new(&from, &mut to).unwrap().streaming(|moves| {
    ///     let mut run = || moves.gather(Path::detect(), &Block::default(), 0);
    ///     std::thread::scope(|scope| scope.spawn(move || run()).join().unwrap());
    /// });
    /// ```
    #[inline]
    fn streaming<R>(&mut self, run: impl FnOnce(&mut Streaming<'_, Self>) -> R) -> R
    where
        Self: Sized,
    {
        let fence = Fence::default();
        // SAFETY: what this copier writes alone is written with it, which is not free again before
        // the fence is dropped, also if `run` panics: both are borrowed for as long.
        let right = unsafe { fence.right() };
        run(&mut Streaming(self, right))
    }
}

/// A copier in [`streaming`](Move::streaming).
pub struct Streaming<'a, M>(&'a mut M, Right<'a>);

impl<M: Move> Streaming<'_, M> {
    /// [`Move::gather`]
    #[inline]
    pub fn gather(&mut self, path: Path, block: &Block<'_>, distance: usize) {
        self.0.run_gather(path, block, distance, Some(self.1));
    }

    /// [`Move::scatter`]
    #[inline]
    pub fn scatter(&mut self, path: Path, block: &Block<'_>, distance: usize) {
        self.0.run_scatter(path, block, distance, Some(self.1));
    }

    /// [`Move::scatter_listed`]
    #[inline]
    pub fn scatter_listed(&mut self, path: Path, listed: Listed<'_>) {
        self.0.run_listed(path, listed, Some(self.1));
    }
}
