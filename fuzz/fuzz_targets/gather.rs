//! Every gather on every path against the oracle: any strides, policies, types, and hostile indices.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::common::check::{GATHERS, check_gather_part};
use strew_fuzz::{GatherCase, force};

fuzz_target!(|input: GatherCase| {
    let part = force(input.0.seed);
    check_gather_part(&input.0, part % GATHERS);
});
