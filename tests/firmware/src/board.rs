//! The timer and the stack of a simulated Cortex-M, to count with.

use core::hint::black_box;
use core::ptr::{read_volatile, write_volatile};

/// CMSDK timer 0 of mps2-an385 and mps2-an386: control, value, reload.
const TIMER: *mut u32 = 0x4000_0000 as *mut u32;

/// Lets the timer count down from its largest value.
pub fn start_timer() {
    // SAFETY: these are the timer's registers on the machines that this module is for; nothing else
    // uses them.
    unsafe { write_volatile(TIMER.add(2), u32::MAX) };
    // SAFETY: as above.
    unsafe { write_volatile(TIMER.add(1), u32::MAX) };
    // SAFETY: as above.
    unsafe { write_volatile(TIMER, 1) };
}

fn ticks() -> u32 {
    // SAFETY: this is the timer's value register; reading it changes nothing.
    unsafe { read_volatile(TIMER.add(1)) }
}

#[inline(never)]
fn nothing<T>(_: &mut T) -> bool {
    true
}

/// The instructions that `f` executes, without its call, and what it returns. QEMU runs with
/// `-icount shift=10`: 1024 ns an instruction, 40 ns a tick.
pub fn instructions<T>(f: fn(&mut T) -> bool, on: &mut T) -> (u64, bool) {
    let (count, result) = counted(f, on);
    (count - counted(nothing, on).0, result)
}

#[inline(never)]
fn counted<T>(f: fn(&mut T) -> bool, on: &mut T) -> (u64, bool) {
    let f = black_box(f);
    let before = ticks();
    let result = f(on);
    let after = ticks();
    ((u64::from(before.wrapping_sub(after)) * 40 + 512) / 1024, result)
}

/// The bytes of stack down to the last word that `f` writes, without its caller's frame, and what
/// it returns.
pub fn stack<T>(f: fn(&mut T) -> bool, on: &mut T) -> (usize, bool) {
    let (bytes, result) = touched(f, on);
    (bytes - touched(nothing, on).0, result)
}

const PAINT: u32 = 0xA5C3_F00D;
/// Words: 8 KiB.
const PAINTED: usize = 2048;

/// Paints the stack below, calls `f`, and looks how far the paint is gone.
#[inline(never)]
fn touched<T>(f: fn(&mut T) -> bool, on: &mut T) -> (usize, bool) {
    let f = black_box(f);
    let sp: *mut u32;
    // SAFETY: reads the stack pointer and nothing else.
    unsafe {
        core::arch::asm!("mov {}, sp", out(reg) sp, options(nomem, nostack, preserves_flags))
    };
    for word in 1..PAINTED {
        // SAFETY: below the stack pointer lies free stack; main's is 4 MiB, and no interrupt is
        // enabled.
        unsafe { write_volatile(sp.sub(word), PAINT) };
    }
    let result = f(on);
    // SAFETY: as above.
    let is_painted = |word: usize| unsafe { read_volatile(sp.sub(word)) } == PAINT;
    ((1..PAINTED).rev().find(|&word| !is_painted(word)).unwrap_or(0) * 4, result)
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    semihosting::eprintln!("{info}");
    crate::exit(1)
}
