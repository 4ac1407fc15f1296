//! Indices of any values on axes of any sizes: checked, resolved, clamped and chosen on every path, against exact arithmetic.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use strew_fuzz::kernels::Tuples;

#[derive(Arbitrary, Debug)]
#[allow(clippy::large_enum_variant)] // There is one at a time.
enum Input {
    U8(Tuples<u8, 1>),
    I8(Tuples<i8, 2>),
    U16(Tuples<u16, 3>),
    I16(Tuples<i16, 4>),
    U32(Tuples<u32, 2>),
    I32(Tuples<i32, 2>),
    U64(Tuples<u64, 1>),
    I64(Tuples<i64, 1>),
    I64Triples(Tuples<i64, 3>),
}

fuzz_target!(|input: Input| match input {
    Input::U8(tuples) => tuples.check(),
    Input::I8(tuples) => tuples.check(),
    Input::U16(tuples) => tuples.check(),
    Input::I16(tuples) => tuples.check(),
    Input::U32(tuples) => tuples.check(),
    Input::I32(tuples) => tuples.check(),
    Input::U64(tuples) => tuples.check(),
    Input::I64(tuples) => tuples.check(),
    Input::I64Triples(tuples) => tuples.check(),
});
