//! Gather and scatter on tables that are distributed over the ranks of MPI.

#![forbid(unsafe_code)]

mod bag;
mod error;
mod exchange;
mod kernels;
mod rounds;
mod route;
mod sharded;
mod shards;
mod spent;

pub use error::Error;
pub use sharded::{MAX_AXES, Sharded};
pub use shards::Distribution;
pub use spent::Spent;
