//! Several threads against one, to the bit, on every path.
#![no_main]

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rayon::ThreadPool;
use strew_fuzz::common::threads::{check_gather, check_scatter, pool};
use strew_fuzz::{GatherCase, ScatterCase, force};

static POOLS: LazyLock<[ThreadPool; 3]> = LazyLock::new(|| [2, 3, 7].map(pool));

#[derive(Arbitrary, Debug)]
enum Input {
    Gather(GatherCase),
    Scatter(ScatterCase),
}

fuzz_target!(|input: Input| {
    let (Input::Gather(GatherCase(case)) | Input::Scatter(ScatterCase(case))) = &input;
    let pool = &POOLS[force(case.seed) as usize % POOLS.len()];
    match &input {
        Input::Gather(_) => check_gather(case, pool),
        Input::Scatter(_) => check_scatter(case, pool),
    }
});
