#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{DmlCase, Input};

fuzz_target!(|input: DmlCase| input.run());
