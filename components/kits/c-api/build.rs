//! Compiles the C interface: SQLite's own code, our routines on the contract, and
//! the contract's bindings for C.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use wit_bindgen_core::Files;
use wit_bindgen_core::wit_parser::{Resolve, WorldKey};

const CONTRACT: &str = "../../../wit/extension";
/// The client of SQLite over bytes, which `libsqlite3.so.0` shares.
const CLIENT: &str = "../../shared/wire/c";
const WORLD: &str = "full-extension";

/// Each file becomes a separate member of the library, so that the linker takes the
/// files that run SQL only where the extension calls them.
const SOURCES: &[&str] = &[
    "library",
    "call",
    "destructors",
    "start",
    "functions",
    "vtab",
    "best_index",
    "cursor",
    "statements",
    "exec",
    "get_table",
    "databases",
    "connection",
    "work",
    "prefetch",
    "blobs",
    "no_ops",
    "value_subtype",
    "vtab_nochange",
    "pointers",
    "linux",
];

const LONG_DOUBLE: &str = "c-printscan-long-double";

/// The directory of the libc, in Debian and in WASI SDKs.
const LIBC_TARGETS: &[&str] = &["wasm32-wasip2", "wasm32-wasi"];

/// Routines of ours that `sqlite3ext.h` does not list.
const UNLISTED: &[&str] = &["sqlite3_initialize", "sqlite3_shutdown"];

/// A routine of `sqlite3ext.h`.
struct Routine {
    name: String,
    /// Its field in `sqlite3_api_routines`.
    field: String,
    /// Its type in C: `RESULT name(PARAMETERS)`.
    result: String,
    parameters: String,
    status: Status,
}

#[derive(Clone, Copy, PartialEq)]
enum Status {
    /// SQLite's own code.
    Sqlite,
    /// Ours, or a no-op.
    Replaced,
    Unsupported,
}

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let headers = sqlite_directory();
    for input in ["build.rs", "src", CLIENT, CONTRACT] {
        println!("cargo:rerun-if-changed={input}");
    }
    // For the build scripts of extensions, which compile C with these.
    println!("cargo:include={}", headers.display());
    println!(
        "cargo:linux={}",
        Path::new("include/linux.h").canonicalize().expect("the crate has it").display()
    );
    // A native build links nothing: the crate is for components.
    if env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        return;
    }
    offer_long_double(&out);
    let routines = routines(&headers);
    write_bindings(&out);
    write(&out, "wire.h", &wire::c_header());
    write(&out, "inner.h", &names(&routines, |name| format!("#define {name} own_{name}")));
    let restored = names(&routines, |name| format!("#undef {name}")) + &exports(&routines);
    write(&out, "exports.h", &restored);
    write(&out, "routines.c", &table(&routines));
    let unsupported: Vec<&Routine> =
        routines.iter().filter(|routine| routine.status == Status::Unsupported).collect();
    write(&out, "unsupported.c", &unsupported_list(&unsupported));
    let mut build = cc::Build::new();
    build.include("src").include(CLIENT).include(&out).include(&headers).warnings(false);
    build.define("SQLITE_CORE", None);
    build.files(SOURCES.iter().map(|name| format!("src/{name}.c")));
    for routine in unsupported {
        let file = format!("unsupported_{}.c", routine.field);
        write(&out, &file, &stub(routine));
        build.file(out.join(file));
    }
    build.files(["routines.c", "unsupported.c", "full_extension.c"].map(|file| out.join(file)));
    build.object(out.join("full_extension_component_type.o"));
    build.compile("sqlite_wasm_c_api");
}

/// SQLite's source in this workspace, so that extensions and the shell have the
/// same SQLite.
fn sqlite_directory() -> PathBuf {
    crate_source::directory("libsqlite3-sys", "Cargo.toml").join("sqlite3")
}

/// WASI's libc prints and reads `long double` only with an extra library, which makes
/// all other reals slower. An extension that needs it links this library. The directory
/// holds no other file, since Rust brings the rest of the libc.
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
    // Where it is missing, the extension's linker names it.
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

/// Write the contract's bindings. `call.c` frees the lists of results, so the generated
/// code must not.
fn write_bindings(out: &Path) {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(CONTRACT).expect("the contract is sound");
    let world = resolve.select_world(&[package], Some(WORLD)).expect("it has the world");
    // C functions are called by `scalar.call` alone.
    let inline = resolve.packages[package].interfaces["inline"];
    resolve.worlds[world].exports.retain(|key, _| *key != WorldKey::Interface(inline));
    let mut files = Files::default();
    let mut generator = wit_bindgen_c::Opts::default().build();
    generator.generate(&mut resolve, world, &mut files).expect("C has all of its types");
    for (name, content) in files.iter() {
        fs::write(out.join(name), content).expect("OUT_DIR is writable");
    }
    let bindings = out.join("full_extension.c");
    let text = fs::read_to_string(&bindings).expect("it was just written");
    let text = text.replace("free(", "bindings_free(").replace("_bindings_free(", "_free(");
    let declared = "void bindings_free(void *list);\n";
    fs::write(&bindings, format!("{declared}{text}")).expect("OUT_DIR is writable");
}

/// The routines of `sqlite3ext.h`, with their status in ROUTINES.md.
fn routines(headers: &Path) -> Vec<Routine> {
    let header = fs::read_to_string(headers.join("sqlite3ext.h")).expect("a header of SQLite");
    let documented = Path::new(CLIENT).join("ROUTINES.md");
    let documented = fs::read_to_string(documented).expect("the client has ROUTINES.md");
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

/// The status in the last column, before its note.
fn status(documented: &str, name: &str) -> Option<Status> {
    let start = format!("| `{name}` | ");
    let line = documented.lines().find_map(|line| line.strip_prefix(&start))?;
    let (_, extension) = line.trim_end_matches(" |").rsplit_once(" | ")?;
    match extension.split(": ").next()? {
        "SQLite" => Some(Status::Sqlite),
        "sandbox" | "no-op" => Some(Status::Replaced),
        "refused" => Some(Status::Unsupported),
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

/// A line for the name of each routine.
fn names(routines: &[Routine], line: impl Fn(&str) -> String) -> String {
    let listed = routines.iter().map(|routine| &*routine.name);
    listed.chain(UNLISTED.iter().copied()).map(|name| line(name) + "\n").collect()
}

/// Declarations that export SQLite's own routines under their names. The compiler drops everything that these do not reach
/// before it optimises: a whole SQLite takes it most of a minute.
fn exports(routines: &[Routine]) -> String {
    let own = routines.iter().filter(|routine| routine.status == Status::Sqlite);
    let alias = |Routine { name, result, parameters, .. }: &Routine| {
        format!("{result} {name}{parameters} __attribute__((alias(\"own_{name}\")));\n")
    };
    own.map(alias).collect()
}

/// The table `sqlite3_api_routines`, for extensions with a `loadable_entry_point`.
fn table(routines: &[Routine]) -> String {
    let mut text =
        String::from("#include <stdio.h>\n#include <stdlib.h>\n#include \"sqlite3ext.h\"\n");
    text.push_str(REFUSE);
    for routine in routines.iter().filter(|routine| routine.status == Status::Unsupported) {
        let Routine { name, field, result, parameters, .. } = routine;
        writeln!(text, "static {result} refuse_{field}{parameters} {{ refuse(\"{name}\"); }}")
            .expect("a string takes all");
    }
    text.push_str("const sqlite3_api_routines sqlite_wasm_routines = {\n");
    for Routine { name, field, status, .. } in routines {
        let value = match status {
            Status::Unsupported => format!("refuse_{field}"),
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

/// The definition of an unsupported routine, which marks that an extension links it.
fn stub(routine: &Routine) -> String {
    let Routine { name, field, result, parameters, .. } = routine;
    format!(
        "#include \"sqlite3ext.h\"\nconst char unsupported_{field} = 1;\n\
         {result} {name}{parameters} {{ __builtin_trap(); }}\n"
    )
}

fn unsupported_list(unsupported: &[&Routine]) -> String {
    let mut text = String::from("#include \"unsupported.h\"\n");
    for Routine { field, .. } in unsupported {
        writeln!(text, "extern const char unsupported_{field} __attribute__((weak));")
            .expect("a string takes all");
    }
    // The linker decides the addresses, so this cannot be a constant.
    text.push_str(
        "const Unsupported *unsupported_routines(void) {\n  static Unsupported all[] = {\n",
    );
    for Routine { name, .. } in unsupported {
        writeln!(text, "    {{\"{name}\", false}},").expect("a string takes all");
    }
    text.push_str("    {0, false},\n  };\n");
    for (index, Routine { field, .. }) in unsupported.iter().enumerate() {
        writeln!(text, "  all[{index}].is_linked = &unsupported_{field} != 0;")
            .expect("a string takes all");
    }
    text + "  return all;\n}\n"
}
