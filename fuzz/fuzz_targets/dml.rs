#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{DmlCase, Input};

fuzz_target!(init: strew_fuzz::start(), |input: DmlCase| input.run());
