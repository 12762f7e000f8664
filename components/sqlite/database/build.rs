//! Sets the size of the stack, and compiles what a test plants.

use std::env;

/// Stack in linear memory, in bytes: SQLite's depth limits are set for that of a native main
/// thread. Only the pages that are used take memory.
const STACK_BYTES: usize = 8 << 20;

/// What the feature `planted-error` adds.
const PLANTED: [&str; 2] = ["planted.c", "failures.c"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for source in PLANTED {
        println!("cargo:rerun-if-changed={source}");
    }
    println!("cargo:rustc-link-arg-cdylib=-zstack-size={STACK_BYTES}");
    if env::var_os("CARGO_FEATURE_PLANTED_ERROR").is_some() {
        let include = env::var("DEP_SQLITE3_INCLUDE").expect("libsqlite3-sys says where SQLite is");
        cc::Build::new().files(PLANTED).include(include).compile("planted");
        for function in ["malloc", "calloc", "realloc", "free"] {
            println!("cargo:rustc-link-arg-cdylib=--wrap={function}");
        }
    }
}
