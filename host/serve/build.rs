//! Puts the page where `src/page.rs` includes it: what `tooling/browser page` has made, or, for a build of this crate
//! alone, a text that says how to make it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

const MISSING: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>SQLite</title><style></style>\
    <p>This server was built without its page: `make build` makes both.</p><script></script></html>\n";

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let target = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| manifest.join("../../target"), PathBuf::from);
    let made = target.join("browser/page");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    put(&made.join("page.html"), &out.join("page.html"), MISSING)?;
    put(&made.join("page.html.gz"), &out.join("page.html.gz"), "")
}

/// Copies a file, or writes `missing` if it cannot be read.
fn put(from: &Path, to: &Path, missing: &str) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", from.display());
    match fs::read(from) {
        Ok(bytes) => fs::write(to, bytes),
        Err(_) => fs::write(to, missing),
    }
}
