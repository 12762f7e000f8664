//! Natively a few lines of C load the extension that a benchmark compares with; in a component
//! it is embedded.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=src/extension.c");
    let Ok(family) = env::var("CARGO_CFG_TARGET_FAMILY") else { return };
    if family == "wasm" {
        return;
    }
    let directory = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    cc::Build::new().file("src/extension.c").cargo_metadata(false).compile("extension");
    // SQLite's library is linked later and needs it.
    println!("cargo:rustc-link-search=native={directory}");
    println!("cargo:rustc-link-lib=static:+whole-archive=extension");
}
