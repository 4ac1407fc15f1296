#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Input, RouteCase};

fuzz_target!(init: strew_fuzz::start(), |input: RouteCase| input.run());
