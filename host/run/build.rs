//! How the program is linked: its 25,000 relocations are packed, so that each start reads 5 KB of
//! them, not 600; and it begins in `src/entry.rs`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    // Without this symbol the linker would only warn, and begin elsewhere.
    println!("cargo:rustc-link-arg-bins=-Wl,--require-defined=populated_start");
    println!("cargo:rustc-link-arg-bins=-Wl,--entry=populated_start");
}
