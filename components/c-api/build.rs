//! Compiles the C interface: SQLite's own code as far as extensions need it,
//! ours on the contract, and the contract's bindings for C.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use wit_bindgen_core::Files;
use wit_bindgen_core::wit_parser::Resolve;

const CONTRACT: &str = "../../wit/extension";
const WORLD: &str = "full-extension";

/// Each is a member of the library of its own: what runs SQL is linked only
/// where the extension refers to it.
const SOURCES: &[&str] = &[
    "library",
    "call",
    "destructors",
    "start",
    "registrations",
    "functions",
    "tables",
    "plans",
    "scans",
    "statements",
    "columns",
    "texts",
    "connection",
    "work",
    "ahead",
    "blobs",
    "no_ops",
    "subtypes",
    "unchanged",
    "pointers",
    "linux",
];

const LONG_DOUBLE: &str = "c-printscan-long-double";

/// How Debian and WASI SDKs call the directory of their libc.
const LIBC_TARGETS: &[&str] = &["wasm32-wasip2", "wasm32-wasi"];

/// Ours, though `sqlite3ext.h` does not list them.
const BEYOND: &[&str] = &["sqlite3_initialize", "sqlite3_shutdown"];

/// A routine of `sqlite3ext.h`.
struct Routine {
    name: String,
    /// Its place in `sqlite3_api_routines`.
    field: String,
    /// Before and behind the name, as C declares it.
    result: String,
    parameters: String,
    status: Status,
}

#[derive(Clone, Copy, PartialEq)]
enum Status {
    /// SQLite's own code.
    Kept,
    /// Ours in its place.
    Replaced,
    Absent,
}

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let headers = sqlite_directory();
    for input in ["build.rs", "src", "ROUTINES.md", CONTRACT] {
        println!("cargo:rerun-if-changed={input}");
    }
    // What an extension's build script compiles its C with.
    println!("cargo:include={}", headers.display());
    println!(
        "cargo:linux={}",
        Path::new("include/linux.h").canonicalize().expect("it is here").display()
    );
    // Natively there is nothing to link: the crate is for components.
    if env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        return;
    }
    offer_long_double(&out);
    let routines = routines(&headers);
    write_bindings(&out);
    write(
        &out,
        "replaced.h",
        &renames(&routines, |name| format!("#define {name} replaced_{name}")),
    );
    write(&out, "restored.h", &renames(&routines, |name| format!("#undef {name}")));
    write(&out, "routines.c", &table(&routines));
    let absent: Vec<&Routine> =
        routines.iter().filter(|routine| routine.status == Status::Absent).collect();
    write(&out, "absent.c", &absent_list(&absent));
    let mut build = cc::Build::new();
    build.include("src").include(&out).include(&headers).warnings(false);
    build.define("SQLITE_CORE", None);
    build.files(SOURCES.iter().map(|name| format!("src/{name}.c")));
    for routine in absent {
        let file = format!("absent_{}.c", routine.field);
        write(&out, &file, &stub(routine));
        build.file(out.join(file));
    }
    build.files(["routines.c", "absent.c", "full_extension.c"].map(|file| out.join(file)));
    build.object(out.join("full_extension_component_type.o"));
    build.compile("sqlite_wasm_c_api");
}

/// SQLite's source: the one of this workspace, so that an extension knows the
/// same SQLite as the shell.
fn sqlite_directory() -> PathBuf {
    crate_source::directory("libsqlite3-sys", "Cargo.toml").join("sqlite3")
}

/// WASI's libc prints and reads `long double` only with a part of its own, as that
/// makes all other reals slower. An extension which needs it links this; the directory
/// has nothing else, since Rust brings the rest of the libc.
fn offer_long_double(out: &Path) {
    let file = format!("lib{LONG_DOUBLE}.a");
    let compiler = cc::Build::new().get_compiler();
    let found = LIBC_TARGETS.iter().find_map(|target| {
        let mut command = compiler.to_command();
        command.args([format!("--target={target}"), format!("-print-file-name={file}")]);
        let answer = command.output().expect("the compiler runs").stdout;
        let path = PathBuf::from(String::from_utf8(answer).ok()?.trim());
        path.is_file().then_some(path)
    });
    // Where there is none, the extension's linker names what is missing.
    let directory = out.join("long-double");
    fs::create_dir_all(&directory).expect("OUT_DIR is writable");
    if let Some(path) = found {
        fs::copy(path, directory.join(file)).expect("OUT_DIR is writable");
    }
    println!("cargo:long_double={}", directory.display());
}

fn write(out: &Path, name: &str, text: &str) {
    fs::write(out.join(name), text).expect("OUT_DIR is writable");
}

/// The contract as C. Answers belong to the call, which frees them itself.
fn write_bindings(out: &Path) {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(CONTRACT).expect("the contract is sound");
    let world = resolve.select_world(&[package], Some(WORLD)).expect("it has the world");
    let mut files = Files::default();
    let mut generator = wit_bindgen_c::Opts::default().build();
    generator.generate(&mut resolve, world, &mut files).expect("C has all of its types");
    for (name, content) in files.iter() {
        fs::write(out.join(name), content).expect("OUT_DIR is writable");
    }
    let bindings = out.join("full_extension.c");
    let text = fs::read_to_string(&bindings).expect("it was just written");
    let text = text.replace("free(", "call_answered(").replace("_call_answered(", "_free(");
    let declared = "void call_answered(void *list);\n";
    fs::write(&bindings, format!("{declared}{text}")).expect("OUT_DIR is writable");
}

/// What `sqlite3ext.h` lists, with what ROUTINES.md says of it.
fn routines(headers: &Path) -> Vec<Routine> {
    let header = fs::read_to_string(headers.join("sqlite3ext.h")).expect("a header of SQLite");
    let documented = fs::read_to_string("ROUTINES.md").expect("it lies beside this file");
    let declarations = declarations(&header);
    let mut found: Vec<Routine> = Vec::new();
    for line in header.lines() {
        let Some((name, field)) = parse_define(line) else { continue };
        // One field has a second name, which no header declares.
        if found.iter().any(|routine| routine.field == field) {
            continue;
        }
        let status = status(&documented, name)
            .unwrap_or_else(|| panic!("ROUTINES.md: `{name}` of sqlite3ext.h is missing"));
        let (result, parameters) = declarations
            .iter()
            .find_map(|text| parse_declaration(text, field))
            .unwrap_or_else(|| panic!("sqlite3ext.h: no field `{field}`"));
        found.push(Routine { name: name.into(), field: field.into(), result, parameters, status });
    }
    found
}

/// `#define sqlite3_NAME sqlite3_api->FIELD`
fn parse_define(line: &str) -> Option<(&str, &str)> {
    let (name, field) = line.strip_prefix("#define ")?.split_once("sqlite3_api->")?;
    Some((name.trim(), field.trim()))
}

fn status(documented: &str, name: &str) -> Option<Status> {
    let start = format!("| `{name}` | ");
    let line = documented.lines().find_map(|line| line.strip_prefix(&start))?;
    match line.split(" |").next()? {
        "SQLite" => Some(Status::Kept),
        "ours" | "no-op" => Some(Status::Replaced),
        "absent" => Some(Status::Absent),
        other => panic!("ROUTINES.md: `{name}` is `{other}`"),
    }
}

/// The fields of `sqlite3_api_routines`, each in one line.
fn declarations(header: &str) -> Vec<String> {
    let start = header.find("struct sqlite3_api_routines {").expect("sqlite3ext.h declares it");
    let body = &header[start..];
    let body =
        &body[body.find('{').expect("it has a body") + 1..body.find("\n};").expect("an end")];
    let mut text = String::new();
    for line in body.lines() {
        let code = line.split("/*").next().unwrap_or_default();
        if !code.starts_with('#') {
            text.push_str(code);
            text.push(' ');
        }
    }
    // A calling convention of Windows.
    let text = text.replace("SQLITE_CDECL", "");
    text.split(';').map(|field| field.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// `RESULT (*FIELD)(PARAMETERS)`
fn parse_declaration(text: &str, field: &str) -> Option<(String, String)> {
    let (result, parameters) = text.split_once(&format!("(*{field})"))?;
    Some((result.trim().to_owned(), parameters.trim().to_owned()))
}

fn renames(routines: &[Routine], line: impl Fn(&str) -> String) -> String {
    let replaced = routines.iter().filter(|routine| routine.status != Status::Kept);
    let names = replaced.map(|routine| routine.name.as_str()).chain(BEYOND.iter().copied());
    names.map(|name| line(name) + "\n").collect()
}

/// `sqlite3_api_routines`, for extensions that are given it.
fn table(routines: &[Routine]) -> String {
    let mut text =
        String::from("#include <stdio.h>\n#include <stdlib.h>\n#include \"sqlite3ext.h\"\n");
    text.push_str(REFUSE);
    for routine in routines.iter().filter(|routine| routine.status == Status::Absent) {
        let Routine { name, field, result, parameters, .. } = routine;
        writeln!(text, "static {result} refuse_{field}{parameters} {{ refuse(\"{name}\"); }}")
            .expect("a string takes all");
    }
    text.push_str("const sqlite3_api_routines sqlite_wasm_routines = {\n");
    for Routine { name, field, status, .. } in routines {
        let value = match status {
            Status::Absent => format!("refuse_{field}"),
            _ => name.clone(),
        };
        writeln!(text, "  .{field} = {value},").expect("a string takes all");
    }
    text + "};\n"
}

const REFUSE: &str = "static _Noreturn void refuse(const char *name) {
  fprintf(stderr, \"%s: extensions are not offered this function of SQLite\\n\", name);
  abort();
}
";

/// What an extension that refers to an absent routine is linked with.
fn stub(routine: &Routine) -> String {
    let Routine { name, field, result, parameters, .. } = routine;
    format!(
        "#include \"sqlite3ext.h\"\nconst char absent_{field} = 1;\n\
         {result} {name}{parameters} {{ __builtin_trap(); }}\n"
    )
}

fn absent_list(absent: &[&Routine]) -> String {
    let mut text = String::from("#include \"absent.h\"\n");
    for Routine { field, .. } in absent {
        writeln!(text, "extern const char absent_{field} __attribute__((weak));")
            .expect("a string takes all");
    }
    // Addresses are known when it is linked, so this cannot be a constant.
    text.push_str("const Absent *absent_routines(void) {\n  static Absent all[] = {\n");
    for Routine { name, .. } in absent {
        writeln!(text, "    {{\"{name}\", false}},").expect("a string takes all");
    }
    text.push_str("    {0, false},\n  };\n");
    for (place, Routine { field, .. }) in absent.iter().enumerate() {
        writeln!(text, "  all[{place}].is_linked = &absent_{field} != 0;")
            .expect("a string takes all");
    }
    text + "  return all;\n}\n"
}
