//! Compiles SQLite's `shell.c`, which comes with the crate `sqlite3-src`.

use std::env;
use std::fs;
use std::path::PathBuf;

/// Only fetched, never built; see its manifest.
const SHELL_MANIFEST: &str = "../../../tooling/build/shell-source/Cargo.toml";

/// A change of the shell's source: a text, how many times the source has it, and its replacement. A
/// build fails when the source has changed there.
struct Patch {
    text: &'static str,
    times: usize,
    replacement: &'static str,
}

const PATCHES: &[Patch] = &[
    // The dot-commands that need another program are refused.
    Patch {
        text: "static int do_meta_command(char *zLine, ShellState *p){",
        times: 1,
        replacement: "static int do_meta_command(char *zLine, ShellState *p){
  const char *zRefused = sandbox_refuses(zLine);
  if( zRefused ){
    failIfSafeMode(p, \"cannot run .%s in safe mode\", zRefused);
    return sandbox_refuse(zRefused);
  }",
    },
    // The native shell looks into the user database first, which a sandbox does not have.
    Patch {
        text: "home_dir = getenv(\"HOME\");",
        times: 1,
        replacement: "home_dir = (char*)shell_home();",
    },
    // Embedded extensions replace the shell's own functions.
    Patch {
        text: "shellUSleepFunc, 0, 0);",
        times: 1,
        replacement: "shellUSleepFunc, 0, 0);
    engine_functions_registered(p->db);",
    },
    // It prints, so a schema must not call it, just like functions that reach files.
    Patch {
        text: "\"shell_putsnl\", 1, SQLITE_UTF8, p,",
        times: 1,
        replacement: "\"shell_putsnl\", 1, SQLITE_UTF8|SQLITE_DIRECTONLY, p,",
    },
    // Undefined in C for reals out of range: as the processor does it natively.
    Patch { text: "ir = (sqlite3_int64)r;", times: 1, replacement: "ir = real_to_int64(r);" },
];

/// Stack in linear memory, in bytes: SQLite's depth limits are set for that of a native main
/// thread. Extensions have Rust's default of 1 MiB, which is part of their memory, used or not.
const STACK_BYTES: usize = 8 << 20;

fn main() {
    println!("cargo:rustc-link-arg-bins=-zstack-size={STACK_BYTES}");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // A copy outside the shell's own directory: the sqlite3.h there has another version than the
    // library, and the shell would refuse to start.
    let shell = out.join("shell.c");
    fs::write(&shell, sandboxed(&shell_source())).expect("OUT_DIR is writable");
    for input in [
        "build.rs",
        "src/devices.c",
        "src/file_stream.c",
        "src/refused_commands.c",
        "src/shims.c",
        "src/shims.h",
        "src/linenoise.h",
        SHELL_MANIFEST,
    ] {
        println!("cargo:rerun-if-changed={input}");
    }
    let mut build = cc::Build::new();
    build
        .file(&shell)
        .include("src")
        .include(dependency_include("DEP_SQLITE3_INCLUDE"))
        .include(dependency_include("DEP_Z_INCLUDE"))
        .flag("-include")
        .flag("src/shims.h")
        .define("main", "shell_main")
        // Statements of extensions are closed first.
        .define("sqlite3_close", "engine_close")
        .define("sqlite3_step", "engine_step")
        // After the engine's own, which stays.
        .define("sqlite3_set_authorizer", "engine_set_authorizer")
        .define("HAVE_LINENOISE", "2")
        .define("SQLITE_HAVE_ZLIB", "1")
        .define("SQLITE_WASI", "1")
        .define("SQLITE_NOHAVE_SYSTEM", None)
        .define("SQLITE_THREADSAFE", "0")
        .define("_WASI_EMULATED_SIGNAL", None)
        .define("_WASI_EMULATED_PROCESS_CLOCKS", None)
        .warnings(false);
    for flag in library_flags().split_whitespace() {
        build.flag(flag);
    }
    build.compile("shell");
    cc::Build::new()
        .files(["src/shims.c", "src/devices.c", "src/refused_commands.c", "src/file_stream.c"])
        .define("_WASI_EMULATED_SIGNAL", None)
        .define("_WASI_EMULATED_PROCESS_CLOCKS", None)
        .compile("shims");
}

/// What the library was compiled with, which the shell must agree to.
fn library_flags() -> String {
    println!("cargo:rerun-if-env-changed=LIBSQLITE3_FLAGS");
    env::var("LIBSQLITE3_FLAGS").expect(".cargo/config.toml sets LIBSQLITE3_FLAGS")
}

fn dependency_include(variable: &str) -> String {
    println!("cargo:rerun-if-env-changed={variable}");
    env::var(variable).unwrap_or_else(|_| panic!("{variable} comes from a dependency's build"))
}

fn shell_source() -> String {
    let path = crate_source::directory("sqlite3-src", SHELL_MANIFEST).join("source/shell.c");
    fs::read_to_string(path).expect("sqlite3-src has source/shell.c")
}

fn sandboxed(shell: &str) -> String {
    PATCHES.iter().fold(shell.to_owned(), |shell, patch| {
        assert_eq!(shell.matches(patch.text).count(), patch.times, "shell.c: `{}`", patch.text);
        shell.replace(patch.text, patch.replacement)
    })
}
