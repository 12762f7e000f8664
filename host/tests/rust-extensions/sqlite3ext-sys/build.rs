//! The bindings of `sqlite3ext.h`, as the crate of this name has that.

use std::env;
use std::path::PathBuf;

use cargo_metadata::MetadataCommand;

/// Only fetched, never built; see there.
const SOURCE: &str = "source/Cargo.toml";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={SOURCE}");
    let metadata = MetadataCommand::new()
        .manifest_path(SOURCE)
        .other_options(["--locked".to_string()])
        .exec()
        .expect("cargo metadata fetches sqlite3ext-sys");
    let package = metadata
        .packages
        .iter()
        .find(|package| package.name.as_str() == "sqlite3ext-sys")
        .expect("the manifest names it");
    let directory = package.manifest_path.parent().expect("a manifest lies in a directory");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    bindgen::Builder::default()
        .header(directory.join("sqlite3/sqlite3ext.h"))
        // For WebAssembly functions are hidden, and would be left out.
        .clang_arg("-fvisibility=default")
        .generate()
        .expect("libclang reads the header; it comes with clang")
        .write_to_file(out.join("bindings.rs"))
        .expect("OUT_DIR is writable");
}
