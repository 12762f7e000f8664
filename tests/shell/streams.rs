//! Very long input and output: read and written piece by piece, and a reader
//! that goes away ends all quietly.

use std::fs;
use std::io::{Read, pipe};
use std::path::Path;
use std::process::Stdio;

use crate::support::session::{Session, peak_memory_bytes};
use crate::support::{self, Directory, End, Input};

/// Size of the long script, in bytes.
const SCRIPT_BYTES: usize = 100_000_000;

/// Memory that the process may have had at once. It starts with 20 MB.
const MAX_PEAK_BYTES: u64 = 64 << 20;

/// Prints ten million lines of a hundred letters: a gigabyte.
const GIGABYTE: &str = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c
    WHERE i < 10000000) SELECT hex(zeroblob(50)) FROM c;";

/// Comments and ten rows, over and over.
fn long_script() -> (String, usize) {
    let comment = format!("-- {}\n", "x".repeat(300)).repeat(20);
    let rows = "INSERT INTO t VALUES ('a row of some length', 1);\n".repeat(10);
    let piece = comment + &rows;
    let count = SCRIPT_BYTES.div_ceil(piece.len());
    (piece.repeat(count), 10 * count)
}

#[test]
fn a_script_of_100_mb_is_read_piece_by_piece() {
    let directory = Directory::fresh("long-script");
    let (script, rows) = long_script();
    let mut session = Session::start(&support::our_binary(), &["test.db"], &directory.path());
    session.answers("CREATE TABLE t(a, b); BEGIN;", "");
    session.send(&script);
    session.answers("COMMIT; SELECT count(*) FROM t;", &format!("{rows}\n"));
    let peak = peak_memory_bytes(session.process());
    assert!(peak < MAX_PEAK_BYTES, "it has used {peak} bytes");
    assert_eq!(session.finish(), (End::Exited(0), String::new()));
    support::natively(&directory.path(), &["test.db", "PRAGMA integrity_check"]).prints("ok\n");
}

#[test]
fn a_statement_of_many_megabytes_is_read_whole() {
    let directory = Directory::fresh("long-statement");
    let text = "é".repeat(4_000_000);
    let script = format!("SELECT length('{text}');\nSELECT 'next';\n");
    support::run(
        &support::our_binary(),
        &[":memory:"],
        &directory.path(),
        &Input::Bytes(script.as_bytes()),
    )
    .exits_with(0)
    .prints("4000000\nnext\n");
}

/// Nothing is added at the end, and nothing is lost where a piece ends.
#[test]
fn the_last_line_needs_no_end() {
    let directory = Directory::fresh("last-line");
    for length in [0, 1, 4095, 4096, 65_534, 65_535, 65_536, 65_537, 131_072] {
        let script = format!("/*{}*/ SELECT 'end'", " ".repeat(length));
        let input = Input::Bytes(script.as_bytes());
        support::run(&support::our_binary(), &[":memory:"], &directory.path(), &input)
            .exits_with(0)
            .prints("end\n");
    }
}

#[test]
fn long_output_is_whole() {
    let directory = Directory::fresh("long-output");
    let sql = GIGABYTE.replace("10000000", "300000");
    let run = support::ours(&directory.path(), &[":memory:", &sql]).exits_with(0);
    assert_eq!(run.stdout.len(), 300_000 * 101);
    assert!(run.stdout.chunks(101).all(|line| line.ends_with(b"0\n")));
}

#[test]
fn long_output_to_a_file_is_whole() {
    let directory = Directory::fresh("output-file");
    let sql = GIGABYTE.replace("10000000", "100000");
    support::ours(&directory.path(), &[":memory:", ".output out.txt", &sql]).exits_with(0);
    let size = fs::metadata(directory.path().join("out.txt")).map(|file| file.len());
    assert_eq!(size.expect("it was written"), 100_000 * 101);
}

/// Reads a little of the output of a program, then goes away.
fn read_a_little(program: &Path, args: &[&str], input: Stdio) -> (End, String) {
    let directory = Directory::fresh("little");
    let (mut output, write_end) = pipe().expect("a pipe can be made");
    let mut command = support::command(program, args, &directory.path());
    command.stdin(input).stdout(write_end).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    drop(command);
    let mut little = [0; 1000];
    output.read_exact(&mut little).expect("it writes more than this");
    drop(output);
    let end = support::wait(&mut child).expect("our own child can be waited for");
    let mut errors = String::new();
    let mut stderr = child.stderr.take().expect("it was asked for");
    stderr.read_to_string(&mut errors).expect("errors are UTF-8");
    (end, errors)
}

#[test]
fn a_gigabyte_to_a_reader_that_goes_away_ends_quietly() {
    let program = support::our_binary();
    let (end, errors) = read_a_little(&program, &[":memory:", GIGABYTE], Stdio::null());
    assert_eq!((end, errors.as_str()), (End::Exited(141), ""));
}

#[test]
fn a_script_ends_with_its_reader() {
    let directory = Directory::fresh("script");
    let script = directory.path().join("script.sql");
    fs::write(&script, format!("{GIGABYTE}\nSELECT writefile('after', 'x');\n"))
        .expect("the directory is ours");
    let input = fs::File::open(&script).expect("it was just written");
    let program = support::our_binary();
    let (end, errors) = read_a_little(&program, &[":memory:"], input.into());
    assert_eq!((end, errors.as_str()), (End::Exited(141), ""));
}

/// The runner's own texts are output like any other.
#[test]
fn a_reader_that_is_not_there_is_no_failure_of_the_runner() {
    let directory = Directory::fresh("no-reader");
    let cases: [&[&str]; 7] = [
        &["--help"],
        &["--version"],
        &["man"],
        &["completions", "bash"],
        &["completions", "fish"],
        &["precompile", "--help"],
        &[":memory:", "SELECT 1"],
    ];
    for args in cases {
        let (reader, write_end) = pipe().expect("a pipe can be made");
        drop(reader);
        let mut command = support::command(&support::our_binary(), args, &directory.path());
        command.stdin(Stdio::null()).stdout(write_end).stderr(Stdio::piped());
        let output = command.spawn().and_then(std::process::Child::wait_with_output);
        let output = output.expect("our own program");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.is_empty(), "{args:?} is not quiet: {errors}");
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 141)), "{args:?} ended with {code:?}");
    }
}

/// With nobody to tell, the exit code still says what was wrong.
#[test]
fn an_error_that_nobody_reads_keeps_its_exit_code() {
    let directory = Directory::fresh("no-errors");
    for (args, code) in [(["missing.wasm", ""], 121), (["--timeout", "never"], 2)] {
        let (reader, write_end) = pipe().expect("a pipe can be made");
        drop(reader);
        let mut command = support::command(&support::our_binary(), &args, &directory.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(write_end);
        let status = command.status().expect("our own program");
        assert_eq!(status.code(), Some(code), "{args:?}");
    }
}
