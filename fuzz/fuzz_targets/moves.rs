//! Moves by any addresses, on every path, against plain loops.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strew_fuzz::kernels::Call;

fuzz_target!(|call: Call| {
    call.check();
});
