//! Links the targets with the callbacks of `src/settings.rs`, where libFuzzer has others.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,muldefs");
    }
}
