#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Input, Moves};

fuzz_target!(|input: Moves| input.run());
