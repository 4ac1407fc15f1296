//! A bare-metal image that links only if no panic path is left in it: its panic handler calls a
//! function that does not exist.
//!
//! Nothing is run. With the feature `everything` it calls every public function of strew, with
//! plans that the compiler knows and plans that it does not, so that no check is folded away.

#![no_std]
#![no_main]

#[cfg(feature = "everything")]
mod everything;
#[cfg(feature = "defmt")]
mod logger;
mod operators;

#[cfg(feature = "data")]
static DATA: core::sync::atomic::AtomicU32 = core::sync::atomic::AtomicU32::new(1);
#[cfg(feature = "bss")]
static BSS: core::sync::atomic::AtomicU32 = core::sync::atomic::AtomicU32::new(0);

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
    #[cfg(feature = "data")]
    any(&DATA).store(2, core::sync::atomic::Ordering::Relaxed);
    #[cfg(feature = "bss")]
    any(&BSS).store(2, core::sync::atomic::Ordering::Relaxed);
    loop {}
}

unsafe extern "C" {
    safe fn a_panic_path_is_left() -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    a_panic_path_is_left()
}
