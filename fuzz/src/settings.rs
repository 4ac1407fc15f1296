//! What AddressSanitizer and libFuzzer do in all targets, unless they are told otherwise: what
//! costs much and finds nothing here is left out.

#[cfg(unix)]
use std::env;
use std::ffi::c_char;
#[cfg(unix)]
use std::os::unix::process::CommandExt;
#[cfg(unix)]
use std::process::Command;

/// What AddressSanitizer does unless `ASAN_OPTIONS` says otherwise. Freed memory is used again
/// sooner, which is quicker by the pages that it does not take; of where memory was allocated, one
/// call is kept; stacks of functions that have returned are not kept, as no reference to them can
/// be.
#[unsafe(no_mangle)]
pub extern "C" fn __asan_default_options() -> *const c_char {
    c"quarantine_size_mb=8:malloc_context_size=1:detect_stack_use_after_return=0".as_ptr()
}

/// Flags that libFuzzer gets before those of the caller, which overrule them. Its choice of inputs
/// by entropy looks at the whole corpus for each new feature: without it, `gather` runs 1.7x as
/// often, and reaches more.
#[cfg(unix)]
const FLAGS: [&str; 2] = ["-entropic=0", "-print_funcs=0"];

/// Starts the program again with [`FLAGS`], which libFuzzer takes from the command line alone.
/// Where a program cannot take the place of another, it goes on without them.
pub fn start() {
    #[cfg(unix)]
    if env::var_os(STARTED).is_none() {
        let mut again = Command::new(env::current_exe().expect("the program has a path"));
        again.env(STARTED, "1").args(FLAGS).args(env::args_os().skip(1));
        panic!("{}", again.exec());
    }
}

/// What the environment of a program has that has been started again.
#[cfg(unix)]
const STARTED: &str = "STREW_FUZZ_STARTED";

/// Callbacks for the numbers that are compared, in place of libFuzzer's, which keep them (see
/// `build.rs`). Inputs are choices, in which these numbers are not found. Without them, an input of
/// `gather` takes 0.4x.
#[cfg(target_os = "linux")]
mod ignored {
    macro_rules! ignored {
        ($($callback:ident($($number:ty),*);)*) => {$(
            #[unsafe(no_mangle)]
            extern "C" fn $callback($(_: $number),*) {}
        )*};
    }
    ignored! {
        __sanitizer_cov_trace_cmp1(u8, u8);
        __sanitizer_cov_trace_cmp2(u16, u16);
        __sanitizer_cov_trace_cmp4(u32, u32);
        __sanitizer_cov_trace_cmp8(u64, u64);
        __sanitizer_cov_trace_const_cmp1(u8, u8);
        __sanitizer_cov_trace_const_cmp2(u16, u16);
        __sanitizer_cov_trace_const_cmp4(u32, u32);
        __sanitizer_cov_trace_const_cmp8(u64, u64);
        __sanitizer_cov_trace_switch(u64, *mut u64);
    }
}
