//! Descriptions in which anything may be wrong: no panic, and what is accepted demands slices of the right lengths.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::{HostileCase, common::check::check_hostile};

fuzz_target!(|input: HostileCase| check_hostile(&input.0));
