#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{Input, RouteCase};

fuzz_target!(|input: RouteCase| input.run());
