//! Compiles `sqlite-vec.c`, which comes with the crate `sqlite-vec`, unchanged.

use std::env;

/// Only fetched, never built; see there.
const SOURCE: &str = "source/Cargo.toml";

/// A sum of reals has the order in which it is written, so the loops over a
/// vector's elements stay scalar. These let the compiler reorder it, and no
/// more: NaN and infinity stay what they are, as vectors with them are refused.
const REORDER: [&str; 3] = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={SOURCE}");
    if env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        return;
    }
    let directory = crate_source::directory("sqlite-vec", SOURCE);
    let headers = env::var("DEP_SQLITE_WASM_C_API_INCLUDE").expect("the C interface tells it");
    cc::Build::new()
        .file(directory.join("sqlite-vec.c"))
        .include(headers)
        .flags(["-include", &env::var("DEP_SQLITE_WASM_C_API_LINUX").expect("as above")])
        .define("SQLITE_CORE", None)
        .define("SQLITE_VEC_OMIT_FS", None)
        .flags(REORDER)
        .warnings(false)
        .compile("sqlite_vec");
}
