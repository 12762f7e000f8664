//! Compiles the C of each example, which `tooling/test/c-sources/fetch` has fetched.

use std::env;
use std::fs;
use std::path::PathBuf;

/// SQLite's own extensions.
const SQLITE_MISC: &str = "sqlite-misc.txt";

/// What the sources want to be compiled with, natively too.
const FLAGS: &str = "flags.txt";

const PROBES: &[&str] = &[
    "probes",
    "probe_numbers",
    "probe_pointers",
    "probe_process",
    "probe_statements",
    "probe_tables",
];

fn main() {
    println!("cargo:rerun-if-env-changed=C_SOURCES");
    for input in ["build.rs", "src", FLAGS, SQLITE_MISC] {
        println!("cargo:rerun-if-changed={input}");
    }
    // Only `tooling/test/c-sources/build` links the examples.
    let Some(sources) = env::var_os("C_SOURCES").map(PathBuf::from) else { return };
    let flags = fs::read_to_string(FLAGS).expect("it lies beside this file");
    let sqlean = sources.join("sqlean");
    for entry in fs::read_dir(&sqlean).expect("`tooling/test/c-sources/fetch` makes it") {
        let path = entry.expect("it can be listed").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path.extension().is_some_and(|extension| extension == "c")
            && let Some(name) = stem.strip_prefix("sqlean-")
        {
            let mut build = cc::Build::new();
            build
                .define("SQLITE_CORE", None)
                .define("ENTRY", format!("{name}_init").as_str())
                .include(&sqlean);
            build.file("src/sqlean.c").file(&path);
            compile(build, &format!("sqlean_{name}"), &flags);
        }
    }
    let listed = fs::read_to_string(SQLITE_MISC).expect("it lies beside this file");
    for name in
        listed.lines().filter(|line| !line.starts_with('#')).filter_map(|l| l.split(' ').next())
    {
        let mut build = cc::Build::new();
        build
            .file(sources.join(format!("sqlite-misc/{name}.c")))
            .include("src")
            .define("SQLITE_CORE", None);
        if let Some(zlib) = env::var_os("DEP_Z_INCLUDE") {
            build.include(zlib);
        }
        compile(build, name, &flags);
    }
    let long_double = env::var("DEP_SQLITE_WASM_C_API_LONG_DOUBLE").expect("the C interface tells");
    println!("cargo:rustc-link-search={}", env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    println!("cargo:rustc-link-search={long_double}");
    for name in ["probes", "probes_by_table", "pointing", "habits", "absent", "ends"] {
        let mut build = cc::Build::new();
        match name {
            "absent" | "habits" | "ends" => build.file(format!("src/{name}.c")),
            "pointing" => build.files(["src/pointing.c", "src/probe_pointers.c"]),
            _ => build.files(PROBES.iter().map(|name| format!("src/{name}.c"))),
        };
        // Without it the C calls through the table that its entry point gets.
        if name != "probes_by_table" {
            build.define("SQLITE_CORE", None);
        }
        compile(build, name, &flags);
    }
}

/// Compile into a library, which the example of its name links.
fn compile(mut build: cc::Build, name: &str, flags: &str) {
    let headers = env::var("DEP_SQLITE_WASM_C_API_INCLUDE").expect("the C interface tells it");
    let linux = env::var("DEP_SQLITE_WASM_C_API_LINUX").expect("as above");
    let start = format!("{name}: ");
    let line = flags.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_default();
    build
        .include(headers)
        .flags(["-include", &linux])
        .flags(line.split_whitespace())
        .warnings(false)
        .cargo_metadata(false)
        .compile(name);
}
