#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{BagCase, Input};

fuzz_target!(init: strew_fuzz::start(), |input: BagCase| input.run());
