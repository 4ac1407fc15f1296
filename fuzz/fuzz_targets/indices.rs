//! Indices of all types on axes of many sizes, and addresses: resolved, clamped, shifted and
//! chosen, on every path, against exact arithmetic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::Addresses;

fuzz_target!(|input: Addresses| {
    input.0.check();
});
