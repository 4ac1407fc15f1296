//! The vector kernels of [strew](https://docs.rs/strew): index checks, addresses, and moves by address, for the instructions that a machine is
//! found to have.
//!
//! The interface is safe. It takes slices and element addresses and checks the addresses against the slices itself, so that whoever computes them
//! can move a wrong element, never one outside a slice. (Prefetches check nothing: they neither read nor write.) All unsafe code of the project is here.
//!
//! - [`Path`]: what the machine has, found at run time. [`Path::dispatch`] compiles an [`Op`] for it.
//! - [`Lane`]: turns indices into addresses, [`BLOCK`] at a time, and says whether all are in bounds.
//! - [`Choice`], [`Chosen`]: those of a block of addresses that lie in a part of a table.
//! - [`combine()`]: changes elements by address.
//! - [`Moves`]: copies elements and rows from one slice to another of the same type; compiled once for each size of element.
//! - [`Columns`], [`ColumnMoves`]: parts of a table that threads write side by side, and copies to them.
//!
//! ```
//! use strew_simd::{Axis, BLOCK, Instructions, Lane, Moves, Op, Path};
//!
//! struct Reverse<'a>(&'a [i64; BLOCK], Moves<'a, 4>);
//!
//! impl Op for Reverse<'_> {
//!     type Output = bool;
//!     #[inline(always)]
//!     fn run(mut self, instructions: impl Instructions) -> bool {
//!         let lane = Lane::new([Axis { size: 100, stride: 1 }], 0, 0);
//!         let mut addresses = [0; BLOCK];
//!         let inside = lane.resolve(self.0.as_chunks().0.first_chunk().unwrap(), &mut addresses);
//!         self.1.gather::<1>(instructions, 0, &addresses);
//!         inside
//!     }
//! }
//!
//! let table: Vec<f32> = (0..100).map(|n| n as f32).collect();
//! let indices = core::array::from_fn(|n| -1 - n as i64);
//! let mut output = [0.0; BLOCK];
//! assert!(Path::detect().dispatch(Reverse(&indices, Moves::new(&table, &mut output).unwrap())));
//! assert_eq!(output[..3], [99.0, 98.0, 97.0]);
//! ```

mod chosen;
mod columns;
mod combine;
mod index;
mod lane;
mod moves;
mod path;
mod prefetch;
mod rows;
mod stream;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use chosen::{Choice, Chosen};
pub use columns::{ColumnMoves, Columns};
pub use combine::combine;
pub use index::Index;
pub use lane::{Axis, BLOCK, Lane, NOWHERE};
pub use moves::Moves;
pub use path::{Instructions, Op, Path};
pub use prefetch::{
    PREFETCHES, prefetch, prefetch_block, prefetch_row, prefetch_row_early, third_cache_is_near,
};
pub use rows::Rows;
