#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{ArraysCase, Input};

fuzz_target!(|input: ArraysCase| input.run());
