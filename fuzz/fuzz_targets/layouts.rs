#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{HostileCase, Input};

fuzz_target!(init: strew_fuzz::start(), |input: HostileCase| input.run());
