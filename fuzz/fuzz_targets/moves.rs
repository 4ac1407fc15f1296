//! Copies and sums by any addresses, on every path, against plain loops.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::Moves;
use strew_fuzz::kernels::Check;

fuzz_target!(|input: Moves| {
    input.0.check();
});
