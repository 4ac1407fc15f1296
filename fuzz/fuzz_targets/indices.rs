#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Addresses, Input};

fuzz_target!(init: strew_fuzz::start(), |input: Addresses| input.run());
