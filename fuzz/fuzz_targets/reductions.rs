#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Input, ReductionCase};

fuzz_target!(init: strew_fuzz::start(), |input: ReductionCase| input.run());
