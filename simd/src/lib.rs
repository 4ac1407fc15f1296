//! The vector kernels of [strew](https://docs.rs/strew): from indices to addresses, and moves by
//! address, for the instructions that a machine is found to have.
//!
//! The interface is safe. It takes slices and element addresses and checks the addresses against
//! the slices itself, so that whoever computes them can move a wrong element, never one outside a
//! slice. Prefetches check nothing: they neither read nor write. All unsafe code of what is
//! published is here.
//!
//! Kernels know numbers, not plans. Those of indices and copies know one type at most, and are
//! compiled with this crate for each instruction set; [`mod@combine`] and [`convert`] are compiled
//! where their types are named. All meet in a [`Block`] of addresses:
//!
//! - [`Path`]: the instruction set, found at run time. [`Machine`]: its caches.
//! - [`Index::RESOLVE`] turns indices into addresses; [`shift`] moves addresses.
//! - [`Elements`], [`Rows`]: copies between a table and a flat tensor, by the size of an element
//!   alone. [`mod@combine`]: changes of elements and rows, by a function of theirs.
//!   [`convert`]: gathers to another type.
//! - [`compress()`], [`positions()`]: what the bits of a mask choose.
//! - [`choose()`]: the addresses of a block that lie in a part of a table; [`Columns`]: parts of a
//!   table that threads write side by side.
//!
//! ```
//! use strew_simd::{Axes, Axis, Block, Elements, Index, Move, Outside, Path};
//! use strew_simd::Tuples;
//!
//! let path = Path::detect();
//! let table: Vec<f32> = (0..100).map(|n| n as f32).collect();
//! let indices: Vec<i64> = (1..=70).map(|n| -n).collect();
//!
//! let mut addresses = [0; 70];
//! let tuples = Tuples { step: 1, length: 70, ..Tuples::default() };
//! let all = &[Axis { size: 100, from_end: 100, stride: 1 }];
//! let axes = Axes { all, step: 1, first: 0, outside: Outside::Nowhere };
//! assert!(i64::RESOLVE(path, &indices, &tuples, &axes, &mut addresses));
//!
//! let mut output = [0.0; 70];
//! let addresses = &addresses;
//! let block =
//!     Block { addresses, length: 70, entry_step: 1, ..Block::default() };
//! let mut elements = Elements::<4>::new(&table, &mut output).unwrap();
//! elements.gather(path, &block, 0);
//! assert_eq!(output[..3], [99.0, 98.0, 97.0]);
//! ```

mod append;
mod block;
mod bytes;
mod choose;
mod columns;
pub mod combine;
pub mod convert;
mod copies;
mod elements;
mod fence;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
mod halves;
mod index;
mod instructions;
mod machine;
mod mask;
mod moves;
mod path;
mod place;
mod portable;
mod prefetch;
mod resolve;
mod rows;
mod stream;
mod ways;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
mod x86;

pub use append::append;
pub use block::{Block, Listed, NOWHERE};
pub use choose::choose;
pub use columns::Columns;
pub use elements::{Elements, gather_elements};
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
pub use halves::{Halves, type_id};
pub use machine::Machine;
pub use mask::{bits, compress, positions};
pub use moves::{Move, Streaming};
pub use path::Path;
pub use place::Place;
pub use portable::Choice;
pub use prefetch::{
    PREFETCHES, prefetch, prefetch_columns, prefetch_decoded_row, prefetch_row, prefetch_row_early,
};
pub use resolve::{Axes, Axis, Index, Outside, Resolve, Tuples, repeats, shift, spread};
pub use rows::Rows;
