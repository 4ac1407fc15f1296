//! Gather and scatter on tables that are distributed over the ranks of MPI, with the bits of one
//! process.
//!
//! ```
//! use strew::Add;
//! use strew_mpi::{Distribution, Sharded};
//!
//! let universe = mpi::initialize().ok_or("MPI runs already")?;
//! let world = universe.world();
//! // 1000 rows of 4, of which each rank has some.
//! let table = Sharded::rows(&world, &[1000, 4], Distribution::Block)?;
//! let mut local = vec![0.0_f32; table.local_len()];
//!
//! // Each rank adds to rows of its own choice, whoever owns them, and reads
//! // others.
//! let updates = [1.0, 2.0, 3.0, 4.0, /**/ 5.0, 6.0, 7.0, 8.0];
//! table.reduce(Add, &mut local, &[999, 3], &updates)?;
//! let mut rows = [0.0; 4];
//! table.gather(&local, &[-1], &mut rows)?;
//! # if mpi::traits::Communicator::size(&world) == 1 {
//! assert_eq!(rows, [1.0, 2.0, 3.0, 4.0]); // times the number of ranks
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The guarantee
//!
//! A call does what one process does with the entries of all ranks, those of rank 0 first: the same
//! bits, floats too, for any number of ranks and either [`Distribution`]. [`Sharded::scatter`] and
//! [`Sharded::reduce`] are all or nothing on all ranks: an index out of bounds on one of them is
//! the same error on each, and no part of the table has changed.
//!
//! # How a call works
//!
//! 1. Each rank checks its indices, and sorts its entries by their owners, in their order. Where
//!    one update is for all, many entries are sorted by regions of an owner's rows as well, which
//!    then come from memory faster.
//! 2. All agree on an error if there is one, on the number of entries that each sends to each, and
//!    on rounds that fit the [buffer](Sharded::buffer).
//! 3. In each round, owners receive numbers of rows, with updates if it is a scatter: those of rank
//!    0 come first. One call of strew applies them in that order; or gathers rows, which go back.
//!
//! The rounds of a gather divide its entries. Those of a scatter divide the rows of the owners, so
//! that all updates of a row are in one round. Where many entries lead to few rows, so that a round
//! would be too large for its owner, the parts of a round are taken in the order of the ranks.
//!
//! On one rank a call is strew's own.
//!
//! # Elements
//!
//! What is sent is bytes: elements are [`Pod`](bytemuck::Pod), which numbers, `f16` and arrays of
//! them are. A `bool` is not; a `u8` of 0 or 1 has the same reductions.
//!
//! # What MPI does
//!
//! Its errors end the job: the crate `mpi` does not hand them out. So does a rank that is killed or
//! exits: `mpirun` stops the others, and says which one it was. A panic that unwinds is caught in
//! `MPI_Finalize`, which waits for the others, so programs should have `panic = "abort"` in their
//! profile. Ranks that make different calls wait for each other forever.

#![forbid(unsafe_code)]

mod bag;
mod error;
mod exchange;
mod kernels;
mod memory;
mod moves;
mod rounds;
mod route;
mod sharded;
mod shards;
mod spent;

pub use error::Error;
pub use sharded::{MAX_AXES, Sharded};
pub use shards::Distribution;
pub use spent::Spent;
