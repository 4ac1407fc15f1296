#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Input, QuantCase};

fuzz_target!(init: strew_fuzz::start(), |input: QuantCase| input.run());
