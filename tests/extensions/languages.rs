//! `extension new` and `extension build` for languages with a compiler of their own. What is written
//! works and passes its own test.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::new_extension::with_built_dependencies;
use crate::support::{self, Directory, Input, Outcome};

fn new(directory: &Path, language: &str, kind: &str) {
    let words = ["extension", "new", "my_own", "--language", language, "--kind", kind];
    let printed = support::ours(directory, &words).exits_with(0).keeps_quiet();
    assert!(printed.out().contains("sqlite-wasm-run extension build "), "{printed}");
}

/// Build with the environment of the test, which has Cargo.
fn build(directory: &Path, words: &[&str]) -> Outcome {
    let mut command = Command::new(support::our_binary());
    command.args(["extension", "build"]).args(words).current_dir(directory);
    // Cargo may wait for another build, so no time limit applies.
    let output = with_built_dependencies(&mut command).output().expect("it starts");
    Outcome {
        command: format!("{command:?}"),
        directory: directory.to_owned(),
        end: output.status.into(),
        stdout: output.stdout,
        stderr: output.stderr,
    }
}

#[test]
fn one_source_in_c_is_an_extension() {
    for (kind, registered) in [
        ("scalar", "scalar       my_own(1)"),
        ("aggregate", "aggregate    my_own(1)"),
        ("collation", "collation    my_own"),
        ("table", "table        my_own (eponymous-only)"),
    ] {
        let directory = Directory::fresh("in_c");
        let path = directory.path();
        new(&path, "c", kind);
        let built = build(&path, &["my_own.c"]).exits_with(0).keeps_quiet();
        assert!(built.out().contains(registered), "{built}");
        let test = fs::read(path.join("my_own.sql")).expect("it was written");
        let expected = fs::read_to_string(path.join("my_own.expected")).expect("it was written");
        let load = ["--load", "./my_own.wasm", ":memory:"];
        support::run(&support::our_binary(), &load, &path, &Input::Bytes(&test)).prints(&expected);
    }
}

/// An extension in C with one function, in a file of any name.
fn one_function(entry: &str, function: &str) -> String {
    format!(
        "#include \"sqlite3ext.h\"\nSQLITE_EXTENSION_INIT1\n
         static void one(sqlite3_context *c, int n, sqlite3_value **v) {{ sqlite3_result_int(c, 42); }}
         /* Not sqlite3_other_init(sqlite3 *db): */
         int {entry}(sqlite3 *db, char **e, const sqlite3_api_routines *r) {{
           SQLITE_EXTENSION_INIT2(r);
           return sqlite3_create_function(db, \"{function}\", 0, SQLITE_UTF8, 0, one, 0, 0);
         }}\n"
    )
}

#[test]
fn sources_in_c_may_have_any_name() {
    let directory = Directory::fresh("names_in_c");
    let path = directory.path();
    for (file, entry, name) in [
        ("a file.c", "sqlite3_spaced_init", "spaced"),
        ("-o.c", "sqlite3_dash_init", "dash"),
        ("@x \"'$(id)`.c", "sqlite3_quoted_init", "quoted"),
        ("Upper.c", "sqlite3_extension_init", "upper"),
    ] {
        fs::write(path.join(file), one_function(entry, name)).expect("the directory is ours");
        let built = build(&path, &["-o", "out.wasm", "--", file]).exits_with(0).keeps_quiet();
        assert!(built.out().starts_with(&format!("name         {name} 0.1.0\n")), "{built}");
        let select = format!("SELECT {name}()");
        let load = ["--load", "./out.wasm", ":memory:", &select];
        support::ours(&path, &load).prints("42\n").keeps_quiet();
    }
}

#[test]
fn the_version_of_sqlite_is_linked() {
    let directory = Directory::fresh("version_in_c");
    let path = directory.path();
    let number = "sqlite3_result_int(c, 42)";
    let text = "sqlite3_result_text(c, sqlite3_version, -1, SQLITE_STATIC)";
    let code = one_function("sqlite3_versions_init", "linked").replace(number, text);
    fs::write(path.join("versions.c"), code).expect("the directory is ours");
    build(&path, &["versions.c"]).exits_with(0).keeps_quiet();
    let select = "SELECT linked() = sqlite_version()";
    support::ours(&path, &["--load", "./versions.wasm", ":memory:", select]).prints("1\n");
}

#[test]
fn errors_of_the_compiler_are_shown_escaped() {
    let directory = Directory::fresh("wrong_c");
    let path = directory.path();
    let two = one_function("sqlite3_a_init", "a")
        + "int sqlite3_b_init(sqlite3 *db, char **e, const sqlite3_api_routines *r);";
    let unknown = one_function("sqlite3_a_init", "a").replace("sqlite3_result_int(c", "unknown(c");
    let unlinked =
        unknown.replace("static void one", "void unknown(void *c, int n);\nstatic void one");
    for (name, code, why) in [
        ("none.c", "int x; /* int sqlite3_x_init(sqlite3 *) */", "has no entry point"),
        (
            "two.c",
            &two,
            "has several entry points, and none is named as the file: sqlite3_a_init sqlite3_b_init",
        ),
        (
            "no-name.c",
            &one_function("sqlite3_extension_init", "a"),
            "`no-name` is not a name for an extension",
        ),
        ("undeclared.c", &unknown, "call to undeclared function 'unknown'"),
        ("undefined.c", &unlinked, "undefined symbol: unknown"),
        ("absent.c", "#include <windows.h>", "'windows.h' file not found"),
        ("red\u{1b}[31m.c", "#error in red", "red\\u{1b}[31m.c:1:2: error: in red"),
        ("text.c", "#error \u{1b}]0;title\u{7}\n", "<U+001B>"),
    ] {
        fs::write(path.join(name), code).expect("the directory is ours");
        let built = build(&path, &[name, "-o", "out.wasm"]).exits_with(120);
        assert!(built.err().contains(why), "{built}");
        assert!(built.err().lines().all(|line| !line.contains('\u{1b}')), "{built}");
        assert!(!path.join("out.wasm").exists(), "{built}");
    }
}

#[test]
fn a_compiler_that_is_missing_is_one_line() {
    let directory = Directory::fresh("no_clang");
    let path = directory.path();
    new(&path, "c", "scalar");
    let bin = path.join("bin");
    fs::create_dir(&bin).expect("the directory is ours");
    let build = || {
        let mut command =
            support::command(&support::our_binary(), &["extension", "build", "my_own.c"], &path);
        // What the script calls before it looks for a compiler, without any.
        command.env("PATH", &bin);
        support::finish(command, &Input::Nothing).exits_with(120)
    };
    for tool in ["bash", "env", "dirname", "realpath", "uname", "cut"] {
        let found = Path::new("/usr/bin").join(tool);
        std::os::unix::fs::symlink(found, bin.join(tool)).expect("the directory is ours");
    }
    build().complains(
        "error: no `clang` with `wasm-ld`; install both, in Debian called `clang` and `lld`",
    );
    fs::write(bin.join("clang"), "#!/bin/bash\necho 14.0.6\n").expect("the directory is ours");
    fs::write(bin.join("wasm-ld"), "#!/bin/bash\n").expect("the directory is ours");
    for tool in ["clang", "wasm-ld"] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(bin.join(tool), mode).expect("the directory is ours");
    }
    build().complains("`clang` is older than clang 16");
}

#[test]
fn a_crate_is_an_extension() {
    let directory = Directory::fresh("in_rust");
    let path = directory.path();
    new(&path, "rust", "scalar");
    let built = build(&path, &["my_own"]).exits_with(0);
    assert!(built.out().contains("my_own(1), my_own(2)"), "{built}");
    let load = ["--load", "./my_own.wasm", ":memory:", "SELECT my_own('ah')"];
    support::ours(&path, &load).prints("AH!\n").keeps_quiet();
    let code = path.join("my_own/src/lib.rs");
    fs::write(&code, "no Rust").expect("the directory is ours");
    build(&path, &["my_own"]).exits_with(120).complains("`cargo build` failed, see above");
}

/// Natively, since a component with Python inside takes a minute: the guest `python_kit` is one.
#[test]
fn templates_in_python_register_what_they_say() {
    for (kind, check) in [
        ("scalar", "my_own.my_own('ah') == 'AH!' and my_own.my_own(None) is None"),
        (
            "aggregate",
            "(lambda it: [it.step(x) for x in ('a', 'ccc', 'bb')] and it.finish())(my_own.Longest()) == 'ccc'",
        ),
        ("collation", "my_own.my_own('a', 'bb') < 0 == my_own.my_own('a', 'b')"),
        ("table", "list(my_own.my_own('to be')) == [('to',), ('be',)]"),
    ] {
        let directory = Directory::fresh(kind);
        let path = directory.path();
        new(&path, "python", kind);
        let program = format!(
            "import my_own, sqlite_extension\nassert {check}\nprint(sqlite_extension.registry.about['name'])"
        );
        let mut python =
            support::command(Path::new("/usr/bin/env"), &["python3", "-c", &program], &path);
        python.env("PYTHONPATH", support::repository().join("components/kits/python"));
        python.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        support::finish(python, &Input::Nothing).exits_with(0).prints("my_own\n");
    }
}

#[test]
fn a_wrong_source_is_one_line() {
    let directory = Directory::fresh("wrong");
    let path = directory.path();
    fs::write(path.join("a.py"), "").expect("the directory is ours");
    for (words, why) in [
        (&["none.py"][..], "say a module in Python"),
        (&["none.c"], "say a source in C"),
        (&["a.rb"], "is not a script"),
        (&["."], "is not a script"),
        (&["a.py", "--kits", "."], "has no `tooling/build/python-extension`"),
        (&["a.py", "--standalone"], "only scripts need `--standalone`"),
    ] {
        let run = support::ours(&path, &[&["extension", "build"], words].concat()).exits_with(120);
        assert!(run.err().contains(why), "{run}");
        assert!(!path.join("a.wasm").exists(), "{run}");
    }
}
