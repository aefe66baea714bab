//! Compresses the tables that give backtraces their lines, where the linker can: they take as much room as the program otherwise.

#![allow(clippy::print_stdout)] // This is how a build script speaks to Cargo.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |variable: &str, value: &str| std::env::var(variable).is_ok_and(|found| found == value);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-Wl,--compress-debug-sections=zlib");
    }
}
