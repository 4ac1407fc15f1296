#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Input, TextCase};

fuzz_target!(|input: TextCase| input.run());
