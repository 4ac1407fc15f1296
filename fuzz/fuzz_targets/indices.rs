#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Addresses, Input};

fuzz_target!(|input: Addresses| input.run());
