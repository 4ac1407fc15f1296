#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Input, OtherCase};

fuzz_target!(init: strew_fuzz::start(), |input: OtherCase| input.run());
