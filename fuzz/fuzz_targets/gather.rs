#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{GatherCase, Input};

fuzz_target!(init: strew_fuzz::start(), |input: GatherCase| input.run());
