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
    // Cargo may wait for another build, so there is no limit of time.
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
    let directory = Directory::fresh("in_c");
    let path = directory.path();
    new(&path, "c", "scalar");
    let built = build(&path, &["my_own.c"]).exits_with(0);
    assert!(built.out().contains("my_own(1)"), "{built}");
    let test = fs::read(path.join("my_own.sql")).expect("it was written");
    let expected = fs::read_to_string(path.join("my_own.expected")).expect("it was written");
    let load = ["--load", "./my_own.wasm", ":memory:"];
    support::run(&support::our_binary(), &load, &path, &Input::Bytes(&test)).prints(&expected);
    fs::write(path.join("none.c"), "int x;").expect("the directory is ours");
    build(&path, &["none.c"]).exits_with(120).complains("has no entry point");
    let aggregate = ["extension", "new", "other", "--language", "c", "--kind", "aggregate"];
    support::ours(&path, &aggregate).complains("only a template of `--kind scalar`");
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
