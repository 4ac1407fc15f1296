#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Input, ScatterCase};

fuzz_target!(init: strew_fuzz::start(), |input: ScatterCase| input.run());
