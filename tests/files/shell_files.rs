//! Files that the shell itself reads and writes, pipes among them, as natively.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::thread;

use crate::support::{self, Directory, Input, Outcome};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

/// A pipe ends where its writer does, and what is in it may come in pieces.
#[test]
fn named_pipes_are_read_as_natively() {
    for (read, script) in
        [(".read pipe", "SELECT 1;\nSELECT 2;\n"), (".import --csv pipe t", "a,b\n1,2\n")]
    {
        let outputs =
            both_with_a_pipe(&[":memory:", read, "SELECT * FROM pragma_table_list"], |pipe| {
                let mut pipe = OpenOptions::new().write(true).open(pipe).expect("the pipe is ours");
                for line in script.lines() {
                    writeln!(pipe, "{line}").expect("it is read");
                }
                String::new()
            });
        assert_eq!(outputs[0], outputs[1], "{read}");
    }
}

#[test]
fn named_pipes_are_written_as_natively() {
    let arguments = [":memory:", ".output pipe", "SELECT 'to the pipe'"];
    let outputs =
        both_with_a_pipe(&arguments, |pipe| fs::read_to_string(pipe).expect("the pipe is ours"));
    assert_eq!(outputs[0], outputs[1]);
    assert_eq!(outputs[0].1, "to the pipe\n");
}

/// A pipe has no size, from which `readfile()` allocates.
#[test]
fn readfile_of_a_pipe_fails_as_natively() {
    let arguments = [":memory:", "SELECT readfile('pipe')"];
    let outputs = [support::our_binary(), support::native()].map(|program| {
        let run = with_a_pipe(&program, &arguments, |pipe| {
            let _ = fs::write(pipe, "abc");
            String::new()
        });
        (run.0.end, run.0.out().into_owned(), run.0.err().into_owned())
    });
    assert_eq!(outputs[0], outputs[1]);
    assert_eq!(outputs[0].2, "Error: stepping, out of memory (7)\n");
}

/// What both programs print, with a named pipe `pipe` that `other` holds the
/// other end of, and what that returns.
fn both_with_a_pipe(
    arguments: &[&str],
    other: impl Fn(&Path) -> String + Sync,
) -> [(String, String); 2] {
    [support::our_binary(), support::native()].map(|program| {
        let (run, other) = with_a_pipe(&program, arguments, &other);
        (run.exits_with(0).out().into_owned(), other)
    })
}

/// What becomes of one program, and what `other` returns.
fn with_a_pipe(
    program: &Path,
    arguments: &[&str],
    other: impl Fn(&Path) -> String + Sync,
) -> (Outcome, String) {
    let directory = Directory::fresh("pipe");
    let pipe = directory.path().join("pipe");
    mkfifo(&pipe, Mode::S_IRWXU).expect("the directory is ours");
    thread::scope(|scope| {
        let other = scope.spawn(|| other(&pipe));
        let command = support::command(program, arguments, &directory.path());
        let run = support::finish(command, &Input::Nothing);
        (run, other.join().expect("it does not panic"))
    })
}

/// In pieces of the size of its buffer, and larger ones.
#[test]
fn files_are_written_as_natively() {
    let scripts = [
        "SELECT writefile('out', zeroblob(3000000)), length(readfile('out'));",
        "SELECT writefile('out', 'new/ly'), writefile('new/out', x'00ff'), hex(readfile('new/out'));",
        ".output out\nSELECT value, hex(value) FROM generate_series(1, 20000);\n.output\nSELECT length(readfile('out'));",
        ".once out\nSELECT 'long';\n.once out\nSELECT 1;\nSELECT readfile('out');",
        ".output .\nSELECT 1;",
        "SELECT quote(readfile('/dev/null')), writefile('/dev/null', 'gone');",
        ".output none/out\nSELECT 1;",
    ];
    for script in scripts {
        let outputs = [support::our_binary(), support::native()].map(|program| {
            let directory = Directory::fresh("written");
            let input = Input::Bytes(script.as_bytes());
            let run = support::run(&program, &[":memory:"], &directory.path(), &input);
            (run.end, run.out().into_owned(), run.err().into_owned())
        });
        assert_eq!(outputs[0], outputs[1], "{script}");
    }
}
