//! The kernels that copy rows by address. The length of a row is looked at once, before a loop.
//! They gain nothing from AVX-512.

use crate::block::{Block, Listed};
use crate::fence::Right;
use crate::moves::Move;
use crate::moves::sealed::Kernels;
use crate::path::Path;
use crate::prefetch::LINE;
use crate::rows::Rows;
use crate::stream::{self, Streaming};
use crate::ways::{self, Any, Exact, Two};

/// `$run`, given the `$way` to copy a row of these bytes.
macro_rules! for_bytes {
    ($bytes:expr, $way:ident => $run:expr) => {
        for_bytes!(@ $bytes, $way, $run, [1 2 3 4 6 8],
            [(2, 3, 2) (4, 8, 4) (9, 15, 8) (17, 32, 16) (33, 63, 32) (65, 127, 64)])
    };
    (@ $bytes:expr, $way:ident, $run:expr,
        [$($lines:literal)*], [$(($low:literal, $high:literal, $part:literal))*]
    ) => {
        match $bytes {
            16 => {
                let $way = Exact::<16, 1>;
                $run
            }
            $($low..=$high => {
                let $way = Two::<$part>;
                $run
            })*
            $(bytes if bytes == $lines * LINE => {
                let $way = Exact::<LINE, $lines>;
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
        distance: usize,
        right: Option<Right<'_>>,
    ) {
        let Rows { from, to, shape } = self;
        let Some(from) = shape.tail(from, block.table) else { return };
        let mut rows = Rows { from, to, shape: *shape };
        let streamed = Streaming::of(path, right).is_some_and(|streaming| {
            path.vectorize(
                &mut rows,
                #[inline(always)]
                |rows| stream::gather(&streaming, rows, block, distance),
                |_| false,
            )
        });
        if streamed {
            return;
        }
        path.vectorize(
            rows,
            #[inline(always)]
            |mut rows| {
                for_bytes!(rows.shape.row, way => ways::gather(&mut rows, block, distance, &way));
            },
            |mut rows| ways::gather(&mut rows, block, distance, &Any),
        );
    }

    fn run_scatter(
        &mut self,
        path: Path,
        block: &Block<'_>,
        distance: usize,
        right: Option<Right<'_>>,
    ) {
        let Rows { from, to, shape } = self;
        let Some(to) = shape.tail_mut(to, block.table) else { return };
        let rows = Rows { from, to, shape: *shape };
        if let Some(streaming) = Streaming::of(path, right).filter(|_| stream::gains(&rows)) {
            return path.vectorize(
                rows,
                #[inline(always)]
                |mut rows| ways::scatter(&mut rows, block, distance, &streaming),
                |_| {},
            );
        }
        path.vectorize(
            rows,
            #[inline(always)]
            |mut rows| {
                for_bytes!(rows.shape.row, way => ways::scatter(&mut rows, block, distance, &way));
            },
            |mut rows| ways::scatter(&mut rows, block, distance, &Any),
        );
    }

    fn run_listed(&mut self, path: Path, listed: Listed<'_>, right: Option<Right<'_>>) {
        if let Some(streaming) = Streaming::of(path, right).filter(|_| stream::gains(self)) {
            return path.vectorize(
                self,
                #[inline(always)]
                |rows| ways::scatter_listed(rows, listed, &streaming),
                |_| {},
            );
        }
        path.narrow(
            #[inline(always)]
            || ways::scatter_listed(self, listed, &Any),
        );
    }
}

impl Move for Rows<'_> {}
