//! A bare-metal image that links only if no panic path is left in it: its panic handler calls a function that does not exist.
//!
//! Nothing is run. With the feature `everything` it calls every public function of strew, with plans that the compiler knows and plans that it
//! does not, so that no check is folded away.

#![no_std]
#![no_main]

#[cfg(feature = "everything")]
mod everything;
mod operators;

/// A value that the compiler knows nothing of.
fn any<T>(value: T) -> T {
    core::hint::black_box(value)
}

#[unsafe(no_mangle)]
pub extern "C" fn _start() -> ! {
    operators::run();
    #[cfg(feature = "everything")]
    everything::run();
    #[cfg(feature = "panic")]
    assert!(any(1) == 1);
    loop {}
}

unsafe extern "C" {
    safe fn a_panic_path_is_left() -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    a_panic_path_is_left()
}
