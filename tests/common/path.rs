//! The path that a test program runs on.

use std::sync::Once;

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
