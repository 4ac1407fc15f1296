#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Columns, Input};

fuzz_target!(init: strew_fuzz::start(), |input: Columns| input.run());
