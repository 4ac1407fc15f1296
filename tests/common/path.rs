//! The path that a test program runs on, and all of them for a fuzzer.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use strew_simd::Path;

/// Forces the path that `STREW_PATH` names, for the whole program; all tests fail if this machine
/// does not have it. `.ci/paths` goes through them.
pub fn force() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Some(name) = std::env::var_os("STREW_PATH") else { return };
        let path = Path::available().into_iter().flatten().find(|path| name == path.name());
        assert!(path.is_some(), "STREW_PATH={name:?}: this machine has no such path");
        Path::force(path);
    });
}

static EVERY: AtomicBool = AtomicBool::new(false);

/// From now on each case runs on every path of the machine.
pub fn force_every() {
    EVERY.store(true, Ordering::Relaxed);
}

/// Runs on the path of the program, or on [every one](force_every). `run` is told whether it is the
/// first: what is the same on all can be tested there.
pub fn each(mut run: impl FnMut(bool)) {
    each_of(&mut run);
}

fn each_of(run: &mut dyn FnMut(bool)) {
    if !EVERY.load(Ordering::Relaxed) {
        return run(true);
    }
    for (number, path) in Path::available().into_iter().flatten().enumerate() {
        Path::force(Some(path));
        run(number == 0);
    }
}

/// The name of the path that runs now.
pub fn name() -> &'static str {
    Path::detect().name()
}
