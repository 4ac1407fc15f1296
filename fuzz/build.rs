//! Links the targets with the callbacks of `src/lib.rs`, where libFuzzer has others of these names.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bins=-Wl,-z,muldefs");
}
