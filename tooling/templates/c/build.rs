//! Compiles the C of this extension.

use std::env;

/// 1. The files of C, below this directory.
const FILES: &[&str] = &["src/extension.c"];

fn main() {
    println!("cargo:rerun-if-changed=src");
    // Natively there is nothing to link: `cargo test` tests only Rust.
    if env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        return;
    }
    let told = |name: &str| env::var(name).expect("the C interface tells it");
    cc::Build::new()
        .files(FILES)
        .include(told("DEP_SQLITE_WASM_C_API_INCLUDE"))
        .flags(["-include", &told("DEP_SQLITE_WASM_C_API_LINUX")])
        // `sqlite3ext.h` then calls SQLite's functions and not a table of them.
        .define("SQLITE_CORE", None)
        .compile("extension");
}
