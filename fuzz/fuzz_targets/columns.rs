//! Columns that are split from each other, on every path, against plain loops.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::kernels::Split;

fuzz_target!(|split: Split| {
    split.check();
});
