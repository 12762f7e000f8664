//! `--load`: names as they are, and a failure that ends the program; limits of
//! time that no clock reaches, and of processes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::other_user::Stage;
use crate::support::{self, Directory, Input, Outcome};

const SQL: &str = "SELECT length(sha3('x'))";

/// An extension that is shipped.
fn shipped(name: &str) -> PathBuf {
    let path = format!("target/release/extensions/{name}.wasm");
    support::existing(support::repository().join(path), "`make extensions` builds it")
}

fn loading(directory: &Path, name: &str) -> Outcome {
    support::ours(directory, &["--load", name, ":memory:", SQL])
}

#[test]
fn names_are_one_argument_whatever_they_have() {
    for name in ["my ext.wasm", "my \"own\" ext.wasm", "it's.wasm", "back\\slash.wasm", "ä,b.wasm"]
    {
        let directory = Directory::fresh("names");
        fs::copy(shipped("sha3"), directory.path().join(name)).expect("the directory is ours");
        loading(&directory.path(), &format!("./{name}")).exits_with(0).prints("32\n").keeps_quiet();
    }
}

#[test]
fn a_load_that_fails_ends_the_program_before_any_sql() {
    let directory = Directory::fresh("fails");
    fs::write(directory.path().join("broken.wasm"), "nothing").expect("the directory is ours");
    for name in ["nosuch", "./nosuch.wasm", "./broken.wasm", "no\u{1b}such"] {
        let writing = ["--load", name, "test.db", "CREATE TABLE t(a); SELECT 'ran'"];
        let run = support::ours(&directory.path(), &writing).exits_with(121).prints("");
        let run =
            run.complains(name.trim_start_matches("./").split('\u{1b}').next().expect("a part"));
        assert!(!run.err().contains('\u{1b}'), "{run}");
        assert!(!directory.path().join("test.db").exists());
    }
    // The control.
    loading(&directory.path(), "sha3").exits_with(0).prints("32\n").keeps_quiet();
}

#[test]
fn times_that_no_clock_reaches_are_refused() {
    let directory = Directory::fresh("times");
    for option in ["--timeout", "--extension-timeout"] {
        for value in ["1e19", "18446744073709549568", "1e400", "876001h"] {
            let run = support::ours(&directory.path(), &[option, value, ":memory:", "SELECT 1"]);
            run.exits_with(2).prints("").complains("at most 876000h");
        }
        let longest = [option, "876000h", "--load", "sha3", ":memory:", SQL];
        support::ours(&directory.path(), &longest).exits_with(0).prints("32\n").keeps_quiet();
    }
}

/// Runs our program as another user who may have this many processes.
fn with_processes(stage: &Stage, limit: u32, args: &[&str]) -> Outcome {
    let work = stage.directory("work");
    let limit = format!("--nproc={limit}");
    let program = stage.ours();
    let words = [&[&limit, program.to_str().expect("UTF-8")], args].concat();
    let command: Command = stage.command("prlimit".as_ref(), &words, &work);
    support::finish(command, &Input::Nothing)
}

#[test]
fn a_limit_on_processes_is_reported_in_a_line() {
    let stage = Stage::set();
    let timed = ["--timeout", "5", ":memory:", "SELECT 1"];
    let run = with_processes(&stage, 0, &timed).exits_with(120).prints("");
    let run = run.complains("failed to start a thread");
    assert_eq!(run.err().lines().count(), 1, "{run}");
    with_processes(&stage, 1000, &timed).exits_with(0).prints("1\n").keeps_quiet();
    // Without a deadline there is one thread.
    with_processes(&stage, 0, &timed[2..]).exits_with(0).prints("1\n").keeps_quiet();
}
