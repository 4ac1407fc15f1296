//! Every reduction of eight types on every path against the oracle.
#![no_main]

use half::{bf16, f16};
use libfuzzer_sys::fuzz_target;
use strew_fuzz::common::check::check_reductions_part;
use strew_fuzz::{ScatterCase, force};

fuzz_target!(|input: ScatterCase| {
    let (case, choice) = (&input.0, force(input.0.seed));
    let part = choice / 8;
    match choice % 8 {
        0 => check_reductions_part::<u8>(case, part),
        1 => check_reductions_part::<i16>(case, part),
        2 => check_reductions_part::<i64>(case, part),
        3 => check_reductions_part::<bool>(case, part),
        4 => check_reductions_part::<f16>(case, part),
        5 => check_reductions_part::<bf16>(case, part),
        6 => check_reductions_part::<f32>(case, part),
        _ => check_reductions_part::<f64>(case, part),
    }
});
