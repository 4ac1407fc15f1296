//! The kernels that copy rows by address. The length of a row is looked at once, before a loop.

use crate::block::{Block, Hints, Listed};
use crate::fence::Right;
use crate::moves::Move;
use crate::moves::sealed::Kernels;
use crate::path::{Instructions, Op, Path};
use crate::prefetch::LINE;
use crate::rows::Rows;
use crate::stream;
use crate::ways::{self, Any, Exact, Lines, Two};

/// `$run`, given the `$way` to copy a row of these bytes: any way where a path has no vectors.
macro_rules! for_bytes {
    ($S:ident, $bytes:expr, $way:ident => $run:expr) => {
        for_bytes!(@ $S, $bytes, $way, $run,
            [8 16 32], [1 2 4 8 16],
            [(2, 4, 2) (4, 8, 4) (8, 16, 8) (16, 32, 16) (32, 64, 32) (64, 128, 64)])
    };
    (@ $S:ident, $bytes:expr, $way:ident, $run:expr,
        [$($exact:literal)*], [$($lines:literal)*],
        [$(($low:literal, $high:literal, $part:literal))*]
    ) => {
        match $bytes {
            _ if !const { $S::VECTORS } => {
                let $way = Any;
                $run
            }
            $($exact => {
                let $way = Exact::<$exact>;
                $run
            })*
            $(bytes if bytes == $lines * LINE => {
                let $way = Lines::<$lines>;
                $run
            })*
            $(bytes if $low < bytes && bytes < $high => {
                let $way = Two::<$part>;
                $run
            })*
            _ => {
                let $way = Any;
                $run
            }
        }
    };
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
        if let Some(from) = shape.tail(from, block.table) {
            path.dispatch(Gather(Rows { from, to, shape: *shape }, block, hints, right));
        }
    }

    fn run_scatter(
        &mut self,
        path: Path,
        block: &Block<'_>,
        hints: Hints,
        right: Option<Right<'_>>,
    ) {
        let Rows { from, to, shape } = self;
        if let Some(to) = shape.tail_mut(to, block.table) {
            path.dispatch(Scatter(Rows { from, to, shape: *shape }, block, hints, right));
        }
    }

    fn run_listed(&mut self, path: Path, listed: Listed<'_>, right: Option<Right<'_>>) {
        let Rows { from, to, shape } = self;
        path.dispatch(ScatterListed(Rows { from, to, shape: *shape }, listed, right));
    }
}

impl Move for Rows<'_> {}

struct Gather<'a>(Rows<'a>, &'a Block<'a>, Hints, Option<Right<'a>>);

impl Op for Gather<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) {
        let Gather(mut rows, block, hints, right) = self;
        if S::STREAMS
            && let Some(right) = right
            && stream::gather(instructions, right, &mut rows, block, hints)
        {
            return;
        }
        for_bytes!(S, rows.shape.row, way => ways::gather(&mut rows, block, hints, &way));
    }
}

struct Scatter<'a>(Rows<'a>, &'a Block<'a>, Hints, Option<Right<'a>>);

impl Op for Scatter<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) {
        let Scatter(mut rows, block, hints, right) = self;
        match stream::at_address(instructions, right, &rows) {
            Some(streaming) => ways::scatter(&mut rows, block, hints, &streaming),
            None => {
                for_bytes!(S, rows.shape.row, way => ways::scatter(&mut rows, block, hints, &way));
            }
        }
    }
}

struct ScatterListed<'a>(Rows<'a>, Listed<'a>, Option<Right<'a>>);

impl Op for ScatterListed<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) {
        let ScatterListed(mut rows, listed, right) = self;
        match stream::at_address(instructions, right, &rows) {
            Some(streaming) => ways::scatter_listed(&mut rows, listed, &streaming),
            None => ways::scatter_listed(&mut rows, listed, &Any),
        }
    }
}
