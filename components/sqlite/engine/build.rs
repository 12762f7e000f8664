//! Compiles `src/internals.c`: what SQLite has no function for; and `c`: what only programs have.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Where SQLite's own declarations end in its amalgamation.
const DECLARATIONS_END: &str = "/************** End of sqliteInt.h";

/// Where those of the virtual machine begin and end.
const MACHINE: [&str; 2] =
    ["/************** Begin file vdbeInt.h", "/************** End of vdbeInt.h"];

/// Opened on the first lines of the amalgamation and closed on its last.
const GUARD: &str = "\n#ifndef SQLITE_AMALGAMATION\n";

/// How SQLite lets its list of virtual tables in a transaction grow; `engine_participate` does the same.
const GROWTH: &str = "const int ARRAY_INCR = 5;";

/// The files in `c`.
const PROGRAMS: [&str; 12] = [
    "interface",
    "values",
    "connection",
    "registered",
    "hooks",
    "changes",
    "backups",
    "sessions",
    "modules",
    "tables",
    "plans",
    "shapes",
];

fn main() {
    compile_internals();
    if env::var_os("CARGO_FEATURE_PROGRAMS").is_some() {
        compile_programs();
    }
}

fn compile_programs() {
    println!("cargo:rerun-if-changed=c");
    println!("cargo:rerun-if-changed=../../shared/wire/c");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("wire.h"), wire::c_header()).expect("OUT_DIR is writable");
    let include = env::var("DEP_SQLITE3_INCLUDE").expect("libsqlite3-sys says where SQLite is");
    let mut build = cc::Build::new();
    build.files(PROGRAMS.map(|name| format!("c/{name}.c")));
    for option in ["SESSION", "PREUPDATE_HOOK", "SNAPSHOT"] {
        build.define(&format!("SQLITE_ENABLE_{option}"), None);
    }
    build
        .include(out)
        .include(include)
        .include("src")
        .include("../../shared/wire/c")
        .compile("programs");
}

fn compile_internals() {
    println!("cargo:rerun-if-env-changed=DEP_SQLITE3_INCLUDE");
    println!("cargo:rerun-if-env-changed=LIBSQLITE3_FLAGS");
    println!("cargo:rerun-if-changed=src/internals.c");
    println!("cargo:rerun-if-changed=src/internals.h");
    let include = env::var("DEP_SQLITE3_INCLUDE").expect("libsqlite3-sys says where SQLite is");
    let flags = env::var("LIBSQLITE3_FLAGS").expect(".cargo/config.toml sets LIBSQLITE3_FLAGS");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("declarations.h"), declarations(Path::new(&include)))
        .expect("OUT_DIR is writable");
    let mut build = cc::Build::new();
    build.file("src/internals.c").include(out).include(&include).define("SQLITE_THREADSAFE", "0");
    // Its header also defines: what it has there is SQLite's, and not this file's.
    build.define("SQLITE_API", "static").define("SQLITE_EXTERN", "").warnings(false);
    for flag in flags.split_whitespace() {
        build.flag(flag);
    }
    build.compile("internals");
}

/// The declarations of the amalgamation that `libsqlite3-sys` compiles.
fn declarations(include: &Path) -> String {
    let path = include.join("sqlite3.c");
    println!("cargo:rerun-if-changed={}", path.display());
    let source = fs::read_to_string(path).expect("libsqlite3-sys comes with sqlite3.c");
    let end = source.find(DECLARATIONS_END).expect("sqlite3.c: no end of sqliteInt.h");
    assert!(source[..end].contains(GUARD), "sqlite3.c: another guard");
    assert!(
        source.contains(GROWTH),
        "sqlite3.c: participants of a transaction are kept in another way"
    );
    let [first, last] = MACHINE.map(|mark| source.find(mark).expect("sqlite3.c: no vdbeInt.h"));
    format!("{}\n#endif\n{}\n", &source[..end], &source[first..last])
}
