//! Passes the version of wasmtime to the program; the crate wasmtime does not export it.

use std::fs;

const LOCK: &str = "../../Cargo.lock";

fn main() {
    println!("cargo:rerun-if-changed={LOCK}");
    let lock = fs::read_to_string(LOCK).expect("the workspace has a lock file");
    let version = lock
        .split("[[package]]")
        .find(|package| package.contains("\nname = \"wasmtime\"\n"))
        .and_then(|package| package.split("version = \"").nth(1))
        .and_then(|rest| rest.split('"').next())
        .expect("the lock file names wasmtime");
    println!("cargo:rustc-env=WASMTIME_VERSION={version}");
}
