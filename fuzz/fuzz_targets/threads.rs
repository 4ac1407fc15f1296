//! Several threads against one, to the bit, on every path.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use rayon::ThreadPool;
use strew_fuzz::common::generate::Direction;
use strew_fuzz::common::threads::{check_gather, check_scatter, pool};
use strew_fuzz::{AnyCase, force};

static POOLS: LazyLock<[ThreadPool; 3]> = LazyLock::new(|| [2, 3, 7].map(pool));

fuzz_target!(|input: AnyCase| {
    let (direction, case) = &input.0;
    let pool = &POOLS[force(case.seed) as usize % POOLS.len()];
    match direction {
        Direction::Gather => check_gather(case, pool),
        Direction::Scatter => check_scatter(case, pool),
    }
});
