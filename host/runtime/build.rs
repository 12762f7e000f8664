//! Passes the version of wasmtime to the program; the crate wasmtime does not export it.

use std::fs;
use std::path::Path;

/// The workspace's, and that of the published crate, whose manifest allows no other wasmtime.
const LOCKS: [&str; 2] = ["../../Cargo.lock", "Cargo.lock"];

fn main() {
    let lock = LOCKS.into_iter().find(|lock| Path::new(lock).exists()).expect("a lock file");
    println!("cargo:rerun-if-changed={lock}");
    let lock = fs::read_to_string(lock).expect("it can be read");
    let version = lock
        .split("[[package]]")
        .find(|package| package.contains("\nname = \"wasmtime\"\n"))
        .and_then(|package| package.split("version = \"").nth(1))
        .and_then(|rest| rest.split('"').next())
        .expect("the lock file names wasmtime");
    println!("cargo:rustc-env=WASMTIME_VERSION={version}");
}
