//! Sets the size of the stack, and compiles what a test plants.

use std::env;

/// Stack in linear memory, in bytes: SQLite's depth limits are set for that of a native main
/// thread. Only the pages that are used take memory.
const STACK_BYTES: usize = 8 << 20;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=planted.c");
    println!("cargo:rustc-link-arg-cdylib=-zstack-size={STACK_BYTES}");
    if env::var_os("CARGO_FEATURE_PLANTED_ERROR").is_some() {
        let include = env::var("DEP_SQLITE3_INCLUDE").expect("libsqlite3-sys says where SQLite is");
        cc::Build::new().file("planted.c").include(include).compile("planted");
    }
}
