#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Columns, Input};

fuzz_target!(|input: Columns| input.run());
