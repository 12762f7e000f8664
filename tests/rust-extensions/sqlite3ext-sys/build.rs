//! The bindings of `sqlite3ext.h`, as the crate of this name has that.

use std::env;
use std::path::PathBuf;

/// Only fetched, never built; see there.
const SOURCE: &str = "source/Cargo.toml";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={SOURCE}");
    let directory = crate_source::directory("sqlite3ext-sys", SOURCE);
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    bindgen::Builder::default()
        .header(directory.join("sqlite3/sqlite3ext.h").to_str().expect("a path in UTF-8"))
        // For WebAssembly functions are hidden, and would be left out.
        .clang_arg("-fvisibility=default")
        .generate()
        .expect("libclang reads the header; it comes with clang")
        .write_to_file(out.join("bindings.rs"))
        .expect("OUT_DIR is writable");
}
