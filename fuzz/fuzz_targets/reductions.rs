#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Input, ReductionCase};

fuzz_target!(|input: ReductionCase| input.run());
