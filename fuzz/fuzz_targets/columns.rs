//! Columns that are split from each other, against plain loops.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::Columns;
use strew_fuzz::kernels::Check;

fuzz_target!(|input: Columns| {
    input.0.check();
});
