//! Sets the size of the stack, and compiles the engine's side of `libsqlite3.so.0`.

use std::path::PathBuf;
use std::{env, fs};

/// Stack in linear memory, in bytes: SQLite's depth limits are set for that of a native main
/// thread. Only the pages that are used take memory.
const STACK_BYTES: usize = 8 << 20;

/// The C files in `c`.
const SOURCES: [&str; 12] = [
    "interface",
    "values",
    "statements",
    "connection",
    "registered",
    "hooks",
    "blobs",
    "sessions",
    "modules",
    "tables",
    "plans",
    "shapes",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=c");
    println!("cargo:rustc-link-arg-cdylib=-zstack-size={STACK_BYTES}");
    if env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("wire.h"), wire::c_header()).expect("OUT_DIR is writable");
    let include = env::var("DEP_SQLITE3_INCLUDE").expect("libsqlite3-sys says where SQLite is");
    let mut build = cc::Build::new();
    build.files(SOURCES.map(|name| format!("c/{name}.c")));
    println!("cargo:rerun-if-changed=../engine/src/internals.h");
    println!("cargo:rerun-if-changed=../wire/c/bytes.h");
    build
        .include(out)
        .include(include)
        .include("../engine/src")
        .include("../wire/c")
        .define("SQLITE_ENABLE_SESSION", None);
    build.define("SQLITE_ENABLE_PREUPDATE_HOOK", None).define("SQLITE_ENABLE_SNAPSHOT", None);
    if env::var_os("CARGO_FEATURE_PLANTED_ERROR").is_some() {
        build.file("c/planted.c");
    }
    build.compile("interface");
}
