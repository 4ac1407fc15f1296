//! Every scatter on every path against the oracle: any strides, policies, types, and hostile indices.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::common::check::{SCATTERS, check_scatter_part};
use strew_fuzz::{ScatterCase, force};

fuzz_target!(|input: ScatterCase| {
    let part = force(input.0.seed);
    check_scatter_part(&input.0, part % SCATTERS);
});
