#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Input, TextCase};

fuzz_target!(init: strew_fuzz::start(), |input: TextCase| input.run());
