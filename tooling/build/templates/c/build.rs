//! Compiles the C code of this extension.

use std::env;

/// 1. The C files, relative to this directory.
const FILES: &[&str] = &["src/extension.c"];

fn main() {
    println!("cargo:rerun-if-changed=src");
    // A native build links no C: `cargo test` tests only Rust.
    if env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        return;
    }
    let variable = |name: &str| env::var(name).expect("the C interface sets it");
    cc::Build::new()
        .files(FILES)
        .include(variable("DEP_SQLITE_WASM_C_API_INCLUDE"))
        .flags(["-include", &variable("DEP_SQLITE_WASM_C_API_LINUX")])
        // `sqlite3ext.h` then calls SQLite's functions directly, without a table.
        .define("SQLITE_CORE", None)
        .compile("extension");
}
