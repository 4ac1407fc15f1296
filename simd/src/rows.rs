//! Copies of rows by address.

use bytemuck::NoUninit;

use crate::block::{Block, Hints, Listed};
use crate::bytes::{as_bytes, as_bytes_mut};
use crate::fence::Right;
use crate::moves::Move;
use crate::moves::sealed::Kernels;
use crate::path::Path;
use crate::stream;
use crate::ways::{Gather, Scatter, ScatterListed, Shape};

/// Copies of rows of `n` elements from one slice to another of the same type, which is not named.
pub struct Rows<'a> {
    from: &'a [u8],
    to: &'a mut [u8],
    shape: Shape,
}

impl<'a> Rows<'a> {
    /// Rows of `n` elements, from one slice to the other.
    #[inline]
    #[must_use]
    pub fn new<T: NoUninit>(from: &'a [T], to: &'a mut [T], n: usize) -> Rows<'a> {
        let shape = Shape { element: size_of::<T>(), row: n.saturating_mul(size_of::<T>()) };
        // SAFETY: this type only leaves copies of rows of `from` there: whole elements, for rows
        // start at multiples of an element's size and have one for their length.
        let to = unsafe { as_bytes_mut(to) };
        Rows { from: as_bytes(from), to, shape }
    }
}

impl Kernels for Rows<'_> {
    fn run_gather(
        &mut self,
        path: Path,
        block: &Block<'_>,
        hints: Hints,
        right: Option<Right<'_>>,
    ) {
        let Rows { from, to, shape } = self;
        let Some(from) = shape.tail(from, block.table) else { return };
        if let Some(right) = right
            && stream::gather(path, right, from, to, *shape, block, hints)
        {
            return;
        }
        path.dispatch(Gather { from, to, shape: *shape, block, hints });
    }

    fn run_scatter(
        &mut self,
        path: Path,
        block: &Block<'_>,
        hints: Hints,
        right: Option<Right<'_>>,
    ) {
        let Rows { from, to, shape } = self;
        let Some(to) = shape.tail_mut(to, block.table) else { return };
        if let Some(right) = right
            && stream::scatter(path, right, from, to, *shape, block, hints)
        {
            return;
        }
        path.dispatch(Scatter { from, to, shape: *shape, block, hints });
    }

    fn run_listed(&mut self, path: Path, listed: Listed<'_>, right: Option<Right<'_>>) {
        let Rows { from, to, shape } = self;
        if let Some(right) = right
            && stream::scatter_listed(path, right, from, to, *shape, listed)
        {
            return;
        }
        path.dispatch(ScatterListed { from, to, shape: *shape, listed });
    }
}

impl Move for Rows<'_> {}
