//! Workloads that strew's speed is measured with. `families` (criterion) and `summary` (a table and
//! a chart) run the same list.
//!
//! ```text
//! cargo bench -p strew-benches                         # every workload
//! cargo bench -p strew-benches -- reduce               # names that match
//! cargo bench -p strew-benches -- threads              # threads against one
//! cargo run --release -p strew-benches --bin summary   # one table
//! cargo run --release -p strew-benches --bin summary -- rows --svg rows.svg
//! cargo run --release -p strew-benches --bin summary -- --routes # explained
//! cargo run --release -p strew-benches --bin sweep -- 1 400      # random
//! cargo run --release -p strew-benches --bin outputs             # new outputs
//! python benches/peers/bags.py         # bags and masks beside PyTorch, NumPy
//! ```
//!
//! Criterion measures each workload as the safe loop, and as strew on each path of the machine.
#![forbid(unsafe_code)]
// Benches may panic: a mistake in a workload must stop them.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used)]

mod bag;
pub mod chart;
mod inputs;
mod masks;
mod quant;
mod safe;
mod shapes;
mod spatter;
pub mod sweep;
pub mod threads;
pub mod workloads;

pub use spatter::LEFT_OUT;
