//! Compiles `sqlite-vec.c`, which comes with the crate `sqlite-vec`, unchanged, with one function instead of
//! SQLite's that registers a module.

use std::env;

/// Only fetched, never built; see there.
const SOURCE: &str = "source/Cargo.toml";

/// Registers a module; `UNCHANGED` defines it, and says why.
const CREATE_MODULE: &str = "vec0_create_module";
const UNCHANGED: &str = "src/unchanged.c";

/// A sum of reals has the order in which it is written, so the loops over a
/// vector's elements stay scalar. These let the compiler reorder it, and no
/// more: NaN and infinity stay what they are, as vectors with them are refused.
const REORDER: [&str; 3] = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={SOURCE}");
    println!("cargo:rerun-if-changed={UNCHANGED}");
    if env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        return;
    }
    let directory = crate_source::directory("sqlite-vec", SOURCE);
    let headers = env::var("DEP_SQLITE_WASM_C_API_INCLUDE").expect("the C interface tells it");
    let linux = env::var("DEP_SQLITE_WASM_C_API_LINUX").expect("as above");
    let mut c = cc::Build::new();
    c.include(headers).flags(["-include", &linux]).define("SQLITE_CORE", None);
    c.clone().file(UNCHANGED).warnings_into_errors(true).compile("unchanged");
    c.file(directory.join("sqlite-vec.c"))
        .define("SQLITE_VEC_OMIT_FS", None)
        .define("sqlite3_create_module_v2", CREATE_MODULE)
        .flags(REORDER)
        .warnings(false)
        .compile("sqlite_vec");
}
