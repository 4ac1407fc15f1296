//! strew for C. `strew.h` is made from this crate by cbindgen; README.md says how to use it.
//!
//! All unsafe code is in `border.rs`: it checks what C passes and calls strew, which has none.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]
#![cfg_attr(feature = "panic", allow(unused))]
#![allow(non_camel_case_types)] // The names are those of C.

#[allow(unsafe_code)]
mod border;
#[cfg(not(feature = "panic"))]
mod calls;
mod types;

pub use border::*;
pub use types::*;

/// Dead code: no panic path is left in this library, and so neither is this function, as `.ci/capi`
/// shows.
#[cfg(not(feature = "std"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
