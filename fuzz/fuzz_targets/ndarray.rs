#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{ArraysCase, Input};

fuzz_target!(init: strew_fuzz::start(), |input: ArraysCase| input.run());
