#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Input, Moves};

fuzz_target!(init: strew_fuzz::start(), |input: Moves| input.run());
