#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{GatherCase, Input};

fuzz_target!(|input: GatherCase| input.run());
