#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Input, ThreadsCase};

fuzz_target!(init: strew_fuzz::start(), |input: ThreadsCase| input.run());
