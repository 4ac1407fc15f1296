//! DirectML's descriptors: valid ones against the oracle, others must not panic, nor run on slices that are too short.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use strew_fuzz::common::dml::{check_description, check_hostile_description};
use strew_fuzz::{DmlCase, HostileDmlCase};

#[derive(Arbitrary, Debug)]
enum Input {
    Valid(DmlCase),
    Hostile(HostileDmlCase),
}

fuzz_target!(|input: Input| match input {
    Input::Valid(DmlCase(description)) => description.iter().for_each(check_description),
    Input::Hostile(HostileDmlCase(description)) =>
        description.iter().for_each(check_hostile_description),
});
