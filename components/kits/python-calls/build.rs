//! Makes `calls.so`, in OUT_DIR: a library of WebAssembly that componentize-py links with Python.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wit_bindgen_core::Files;
use wit_bindgen_core::wit_parser::Resolve;

const CONTRACT: &str = "../../../wit/extension";
const WORLDS: &str = "../python/world.wit";

/// What is undefined is in Python's library and the libc, which componentize-py has.
const LINKING: &[&str] = &[
    "-flavor",
    "wasm",
    "-shared",
    "--experimental-pic",
    "--no-entry",
    "--strip-debug",
    "--unresolved-symbols=import-dynamic",
];

fn main() {
    for input in ["build.rs", "src", CONTRACT, WORLDS] {
        println!("cargo:rerun-if-changed={input}");
    }
    // Python is there only in the component.
    if env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    write_bindings(&out);
    let mut build = cc::Build::new();
    // Python's library is elsewhere in memory in each extension.
    build.pic(true).flag("-fvisibility=hidden").include("src").include(&out);
    let objects =
        build.files([Path::new("src/calls.c"), &out.join("calls.c")]).compile_intermediates();
    let mut linker = Command::new(linker());
    linker.args(LINKING).args(objects).arg(out.join("calls_component_type.o"));
    linker.arg("-o").arg(out.join("calls.so"));
    assert!(linker.status().expect("the linker starts").success(), "the linker failed");
}

/// Write the contract's bindings for C.
fn write_bindings(out: &Path) {
    let mut resolve = Resolve::default();
    resolve.push_dir(CONTRACT).expect("the contract is sound");
    let (package, _) = resolve.push_path(WORLDS).expect("the kit's worlds are sound");
    let world = resolve.select_world(&[package], Some("calls")).expect("it has the world");
    let mut files = Files::default();
    wit_bindgen_c::Opts::default()
        .build()
        .generate(&mut resolve, world, &mut files)
        .expect("C has all of its types");
    for (name, content) in files.iter() {
        fs::write(out.join(name), content).expect("OUT_DIR is writable");
    }
}

/// The linker that comes with Rust.
fn linker() -> PathBuf {
    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC");
    let host = env::var("HOST").expect("cargo sets HOST");
    let found = Command::new(rustc).args(["--print", "sysroot"]).output().expect("rustc starts");
    let sysroot = String::from_utf8(found.stdout).expect("a path in UTF-8");
    Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin/rust-lld")
}
