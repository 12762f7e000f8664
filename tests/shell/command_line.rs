//! The words of the command line: what belongs to the runner, what to the
//! shell, and the texts about both.

use std::fs;
use std::path::Path;

use crate::support::{self, Directory, Input, Outcome};

fn ours(args: &[&str]) -> Outcome {
    let directory = Directory::fresh("command-line");
    support::ours(&directory.path(), args)
}

/// Runs with the component of this build called `cli.cwasm` in the directory.
fn with_component(name: &str, args: &[&str], input: &Input) -> Outcome {
    let directory = Directory::fresh("component");
    fs::copy(support::own_component(), directory.path().join(name)).expect("there is room");
    support::run(&support::our_binary(), args, &directory.path(), input)
}

#[test]
fn the_shells_options_need_no_separator() {
    ours(&["-json", "my.db", "SELECT 1 AS a"]).exits_with(0).prints("[{\"a\":1}]\n").keeps_quiet();
    ours(&["--csv", "-header", ":memory:", "SELECT 1 AS a"]).exits_with(0).prints("a\n1\n");
    ours(&["-cmd", ".mode list", "-separator", "#", ":memory:", "SELECT 1, 2"]).prints("1#2\n");
}

#[test]
fn a_component_may_stand_first() {
    let args = ["cli.cwasm", "-json", "my.db", "SELECT 1 AS a"];
    with_component("cli.cwasm", &args, &Input::Nothing).exits_with(0).prints("[{\"a\":1}]\n");
    let args = ["./cli.cwasm", "my.db"];
    let script = Input::Bytes(b"SELECT 2;\n");
    with_component("cli.cwasm", &args, &script).exits_with(0).prints("2\n");
    with_component("cli.cwasm", &["cli.cwasm"], &script).exits_with(0).prints("2\n");
}

#[test]
fn a_component_may_follow_options() {
    let args = ["--no-cache", "--timeout", "1h", "cli.cwasm", "-csv", ":memory:", "SELECT 1, 2"];
    with_component("cli.cwasm", &args, &Input::Nothing).exits_with(0).prints("1,2\n");
}

/// A database may be called like a component, where none can stand.
#[test]
fn what_follows_the_database_is_no_component() {
    let directory = Directory::fresh("sql");
    let run = support::ours(&directory.path(), &[":memory:", "SELECT 'file.wasm'"]);
    run.exits_with(0).prints("file.wasm\n");
    let run = support::ours(&directory.path(), &["./my.db", "ATTACH 'other.wasm' AS x; SELECT 1"]);
    run.exits_with(0).prints("1\n");
}

#[test]
fn the_runners_options_may_stand_anywhere_before_the_sql() {
    for args in [
        ["--timeout", "1h", "-csv", ":memory:", "SELECT 1, 2"],
        ["-csv", "--timeout", "1h", ":memory:", "SELECT 1, 2"],
        ["-csv", ":memory:", "--timeout", "1h", "SELECT 1, 2"],
    ] {
        ours(&args).exits_with(0).prints("1,2\n").keeps_quiet();
    }
    ours(&["-csv", "--timeout=1h", ":memory:", "SELECT 1, 2"]).exits_with(0).prints("1,2\n");
}

/// Behind `--` and as values of the shell's options they are not the runner's.
#[test]
fn words_that_are_the_shells_are_left_to_it() {
    ours(&["-separator", "--no-cache", ":memory:", "SELECT 1, 2"]).prints("1--no-cache2\n");
    ours(&["-nullvalue", "--timeout", ":memory:", "SELECT NULL"]).prints("--timeout\n");
    ours(&["-newline", "--dir", ":memory:", "SELECT 1"]).prints("1--dir");
    ours(&["--", ":memory:", "SELECT '--help'"]).prints("--help\n");
}

/// Both print the same, but for the program's name.
fn as_natively(args: &[&str]) -> Outcome {
    let directory = Directory::fresh("natively");
    let ours = support::ours(&directory.path(), args);
    let native = support::natively(&directory.path(), args);
    let path = support::native().display().to_string();
    let named = |text: &str| text.replace(&path, "sqlite3");
    assert!(
        (ours.end, named(&ours.out()), named(&ours.err()))
            == (native.end, named(&native.out()), named(&native.err())),
        "the two differ\n{ours}\n\n{native}"
    );
    ours
}

#[test]
fn an_unknown_option_is_the_shells_to_refuse() {
    for option in ["--bogus", "-bogus", "--no-such-option=1", "-x"] {
        as_natively(&[option, ":memory:", "SELECT 1"]).exits_with(1).complains("unknown option");
    }
}

#[test]
fn the_shells_own_help_is_the_native_one() {
    assert!(as_natively(&["-help"]).err().contains("OPTIONS include"));
}

#[test]
fn a_wrong_option_of_the_runner_is_code_2() {
    let cases: &[&[&str]] = &[
        &["--timeout"],
        &["--timeout", "soon"],
        &["--max-memory", "much"],
        &["--dir"],
        &["--dir="],
        &["--no-cache=1"],
        &["precompile"],
        &["precompile", "--bogus", "a.wasm"],
        &["precompile", "a.wasm", "b.wasm"],
        &["completions"],
        &["completions", "no-such-shell"],
        &["man", "more"],
    ];
    for args in cases {
        let run = ours(args).exits_with(2).prints("");
        assert!(run.err().starts_with("error: "), "no error\n{run}");
        assert_eq!(run.err().lines().count(), 1, "{run}");
    }
}

#[test]
fn an_argument_of_any_bytes_reaches_the_shell() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let directory = Directory::fresh("utf-8");
    let mut command = support::command(&support::our_binary(), &[":memory:"], &directory.path());
    command.arg(OsStr::from_bytes(b"SELECT hex('\xff')"));
    support::finish(command, &Input::Nothing).exits_with(0).prints("FF\n").keeps_quiet();
}

#[test]
fn help_shows_options_grants_and_exit_codes() {
    let help = ours(&["--help"]).exits_with(0).keeps_quiet();
    let text = help.out();
    let words = [
        "--dir",
        "HOST[::GUEST]",
        ":ro",
        "--no-default-dirs",
        "--max-memory",
        "--timeout",
        "--no-cache",
        "--version",
        "precompile",
        "completions",
        "man",
        "Exit codes",
        "working directory",
        "directory of the database",
        "121",
        "123",
        "124",
    ];
    for word in words {
        assert!(text.contains(word), "{word:?} is missing\n{help}");
    }
}

/// Comments for readers of the code are not part of the help.
#[test]
fn help_is_written_for_persons() {
    for args in [&["--help"][..], &["precompile", "--help"], &["completions", "--help"], &["man"]] {
        let help = ours(args).exits_with(0);
        let text = help.out();
        assert!(!text.contains("[`") && !text.contains("Self::"), "{args:?} shows code\n{help}");
    }
}

#[test]
fn the_version_names_all_parts_in_order() {
    let run = ours(&["--version"]).exits_with(0).keeps_quiet();
    let native = support::natively(&Directory::fresh("version").path(), &["-version"]);
    let sqlite = native.out().split(' ').next().unwrap_or_default().to_owned();
    let out = run.out();
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{run}");
    assert_eq!(lines[0], concat!("sqlite-wasm-run ", env!("CARGO_PKG_VERSION")), "{run}");
    let compilers = [", code by LLVM", ", code by Cranelift"];
    assert!(lines[1].starts_with("wasmtime 48."), "{run}");
    assert!(compilers.iter().any(|compiler| lines[1].ends_with(compiler)), "{run}");
    assert!(lines[2].starts_with(&format!("sqlite {sqlite} ")), "{run}");
}

#[test]
fn completions_are_scripts_of_their_shells() {
    for (shell, marks) in [
        ("bash", ["complete ", "--no-default-dirs"]),
        ("zsh", ["#compdef sqlite-wasm-run", "--no-default-dirs"]),
        ("fish", ["complete -c sqlite-wasm-run", "no-default-dirs"]),
    ] {
        let run = ours(&["completions", shell]).exits_with(0).keeps_quiet();
        for mark in marks {
            assert!(run.out().contains(mark), "{mark:?} is missing\n{run}");
        }
    }
}

#[test]
fn bash_takes_its_completions() {
    let script = ours(&["completions", "bash"]).stdout;
    let directory = Directory::fresh("bash");
    let bash = Path::new("/bin/bash");
    support::run(bash, &["-n"], &directory.path(), &Input::Bytes(&script))
        .exits_with(0)
        .keeps_quiet();
    let script = [script, b"complete -p sqlite-wasm-run\n".to_vec()].concat();
    let run = support::run(bash, &["-s"], &directory.path(), &Input::Bytes(&script)).exits_with(0);
    assert!(run.out().contains("sqlite-wasm-run"), "nothing is completed\n{run}");
}

#[test]
fn the_manual_page_is_roff_from_the_same_definitions() {
    let page = ours(&["man"]).exits_with(0).keeps_quiet();
    let text = page.out();
    assert!(text.starts_with(".ie ") || text.starts_with(".TH "), "no roff\n{page}");
    // Each `-` is escaped there.
    for word in [".TH ", ".SH NAME", ".SH SYNOPSIS", "\\-\\-no\\-default\\-dirs", "\\-\\-timeout"] {
        assert!(text.contains(word), "{word:?} is missing\n{page}");
    }
}

#[test]
fn precompiling_writes_next_to_the_source_or_where_requested() {
    let directory = Directory::fresh("precompile");
    let source = directory.path().join("own.wasm");
    fs::copy(support::hostile::portable(), &source).expect("there is room");
    support::ours(&directory.path(), &["precompile", "own.wasm"])
        .exits_with(0)
        .prints("")
        .keeps_quiet();
    let args = ["precompile", "own.wasm", "-o", "other.cwasm"];
    support::ours(&directory.path(), &args).exits_with(0).prints("").keeps_quiet();
    for name in ["own.cwasm", "other.cwasm"] {
        let run = support::ours(&directory.path(), &[name, "run=x"]).exits_with(0);
        assert!(run.out().contains("refused"), "it did not run\n{run}");
    }
}

/// Somebody may be running the old one.
#[test]
fn precompiling_replaces_an_artifact_as_a_whole() {
    use std::os::unix::fs::MetadataExt;
    let directory = Directory::fresh("replace");
    fs::copy(support::hostile::portable(), directory.path().join("own.wasm"))
        .expect("there is room");
    let made = || {
        support::ours(&directory.path(), &["precompile", "own.wasm"]).exits_with(0);
        fs::metadata(directory.path().join("own.cwasm")).expect("it was made").ino()
    };
    assert_ne!(made(), made(), "it was written over");
    let names = fs::read_dir(directory.path()).expect("it is ours").count();
    assert_eq!(names, 2, "something was left behind");
}

#[test]
fn precompiling_to_where_nothing_can_be_written_is_one_clear_line() {
    let directory = Directory::fresh("unwritable");
    fs::copy(support::hostile::portable(), directory.path().join("own.wasm"))
        .expect("there is room");
    fs::create_dir(directory.path().join("directory.cwasm")).expect("the directory is ours");
    for output in ["missing/own.cwasm", "directory.cwasm", "/proc/own.cwasm"] {
        let run = support::ours(&directory.path(), &["precompile", "own.wasm", "-o", output]);
        let run = run.exits_with(120).prints("").complains(output);
        assert_eq!(run.err().lines().count(), 1, "one line was expected\n{run}");
    }
}
