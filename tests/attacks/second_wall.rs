//! The second wall, with the first one broken on purpose: native code of an
//! attacker runs in the process, and reaches nothing.
//!
//! `second_wall/payload.c` tries one action after the other, all in processes
//! of their own. The control runs the same code with `--no-second-wall`: there
//! the actions succeed, so it is the wall that refuses them.
#![cfg(target_arch = "x86_64")]

mod planted;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::{self, Directory, Input, Outcome};
use nix::libc;
use nix::unistd::geteuid;

/// What the payload tries, at least.
const ACTIONS: usize = 40;

/// What succeeds without the wall on every machine and for every user.
const ALWAYS: &[&str] = &[
    "shell",
    "shell_by_loader",
    "other_program",
    "written_program",
    "program_in_memory",
    "program_in_memory_by_name",
    "read_outside",
    "read_key",
    "read_by_link",
    "read_by_proc",
    "read_users",
    "list_outside",
    "write_outside",
    "overwrite_outside",
    "truncate_outside",
    "remove_outside",
    "set_user_id",
    "move_out",
    "link_in",
    "directory_outside",
    "tcp",
    "udp",
    "local_socket",
    "netlink",
    "datagram_pair",
    "signal_other",
    "environment",
    "by_its_directory",
    "process_handle",
    "personality",
    "others_limit",
];

/// What root can do in addition, where the kernel has it at all.
const ROOT: &[&str] = &["new_root", "other_user", "read_memory", "memory_file", "trace", "mounts"];

/// The program whose first wall is broken.
fn broken() -> PathBuf {
    let path = support::our_binary().with_file_name("first-wall-broken");
    support::existing(path, "`make first-wall-broken` builds it")
}

/// A granted directory with the planted code in it, and one next to it that is not
/// granted.
struct Stage {
    directory: Directory,
    victim: Child,
}

impl Stage {
    fn set() -> Self {
        let directory = Directory::fresh("stage");
        let (granted, outside) =
            (directory.path().join("granted"), directory.path().join("outside"));
        fs::create_dir_all(outside.join(".ssh")).unwrap();
        fs::create_dir_all(granted.join("mount")).unwrap();
        for file in ["secret", ".ssh/id_ed25519", "file", "removable"] {
            fs::write(outside.join(file), "the attacker wants this").unwrap();
        }
        fs::write(granted.join("mine"), "theirs").unwrap();
        planted::plant(&granted);
        planted::native_program("tiny", &granted.join("tiny"));
        // Where the payload cannot mistake it for its own program.
        let program = directory.path().join("victim");
        planted::native_program("victim", &program);
        let victim = Command::new(program).current_dir(&outside).stdin(Stdio::null()).spawn();
        let victim = victim.expect("a program that was just built starts");
        fs::write(granted.join("victim"), victim.id().to_string()).unwrap();
        Self { directory, victim }
    }

    fn granted(&self) -> PathBuf {
        self.directory.path().join("granted")
    }

    /// Runs the planted code in the granted directory.
    fn run(&self, options: &[&str]) -> Outcome {
        let args = [options, &["planted.cwasm"]].concat();
        let mut command = support::command(&broken(), &args, &self.granted());
        command.env("SQLITE_WASM_RUN_BREAK_FIRST_WALL", "1");
        support::finish(command, &Input::Nothing)
    }

    /// What became of each action.
    fn results(&self) -> BTreeMap<String, bool> {
        let text = fs::read_to_string(self.granted().join("results")).expect("the payload ran");
        let result = |line: &str| {
            let (name, end) = line.split_once(": ").expect("a name and a result");
            (name.to_owned(), end == "succeeded")
        };
        text.lines().map(result).collect()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

fn succeeded(results: &BTreeMap<String, bool>) -> Vec<&str> {
    results.iter().filter(|(_, done)| **done).map(|(name, _)| name.as_str()).collect()
}

#[test]
fn planted_code_reaches_nothing() {
    let stage = Stage::set();
    let run = stage.run(&[]);
    let results = stage.results();
    assert!(results.len() >= ACTIONS, "{results:?}\n{run}");
    assert_eq!(succeeded(&results), [""; 0], "{run}");
    // What it wrote is in the granted directory, and nothing else has changed.
    let outside = stage.directory.path().join("outside");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 4);
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "the attacker wants this");
}

#[test]
fn without_the_wall_the_same_code_reaches_all() {
    let stage = Stage::set();
    let run = stage.run(&["--no-second-wall"]).complains("only the WebAssembly sandbox protects");
    let results = stage.results();
    let is_done = |name: &&&str| results.get(**name).copied().unwrap_or_default();
    let failed: Vec<_> = ALWAYS.iter().filter(|name| !is_done(name)).collect();
    assert!(failed.is_empty(), "{failed:?} failed without a wall\n{run}");
    if geteuid().is_root() {
        let failed: Vec<_> = ROOT.iter().filter(|name| !is_done(name)).collect();
        assert!(failed.is_empty(), "{failed:?} failed for root without a wall\n{run}");
    }
    eprintln!(
        "{} of {} actions succeed without the wall",
        succeeded(&results).len(),
        results.len()
    );
}

#[test]
fn a_dangerous_call_ends_the_process_with_its_own_code() {
    let stage = Stage::set();
    fs::write(stage.granted().join("only"), "tcp").unwrap();
    stage
        .run(&[])
        .exits_with(125)
        .complains("the second wall stopped this process")
        .complains("41");
    stage.run(&["--no-second-wall"]).exits_with(42);
}

/// The build that is handed out does not run what was changed.
#[test]
fn the_first_wall_alone_refuses_the_planted_code() {
    let stage = Stage::set();
    let args = ["--no-second-wall", "planted.cwasm"];
    let mut command = support::command(&support::our_binary(), &args, &stage.granted());
    command.env("SQLITE_WASM_RUN_BREAK_FIRST_WALL", "1");
    support::finish(command, &Input::Nothing).exits_with(121);
    assert!(!stage.granted().join("results").exists());
}

/// A descriptor that the parent left open is closed, and one that the command
/// line names is not.
#[test]
fn inherited_descriptors_are_closed() {
    let directory = Directory::fresh("descriptors");
    let ours = support::our_binary();
    // The start-up file is what the runner itself reads by the name.
    let run = |name: &str| {
        let line = format!(
            "exec 9</dev/null 8</dev/null; exec strace -f -qq -e trace=close_range \"$0\" {name} :memory: 'SELECT 1'"
        );
        let mut shell = support::command("/bin/sh".as_ref(), &["-c", &line], &directory.path());
        shell.arg(&ours);
        support::finish(shell, &Input::Nothing).exits_with(0).prints("1\n")
    };
    let all = run("");
    assert!(all.err().contains("close_range(3, 4294967295, 0)"), "{all}");
    let kept = run("-cmd '-- /dev/fd/9'");
    assert!(kept.err().contains("close_range(3, 8, 0)"), "{kept}");
    assert!(kept.err().contains("close_range(10, 4294967295, 0)"), "{kept}");
}

/// Status of a running process, from `/proc`.
fn status(process: u32) -> String {
    fs::read_to_string(format!("/proc/{process}/status")).expect("it runs")
}

#[test]
fn a_run_has_no_privileges_to_gain_and_leaves_no_core() {
    let directory = Directory::fresh("status");
    for (options, privileges, filters) in [(&[][..], "1", "2"), (&["--no-second-wall"], "0", "0")] {
        let mut child = spawn(&directory.path(), &[options, &[":memory:"]].concat());
        wait_for_row(&mut child);
        let status = status(child.id());
        let field = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name)).expect("a field");
            line.split_whitespace().nth(1).expect("a value").to_owned()
        };
        assert_eq!(field("NoNewPrivs:"), privileges, "{options:?}");
        assert_eq!(field("Seccomp:"), filters, "{options:?}");
        let limits = fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
        let core = limits.lines().find(|line| line.starts_with("Max core")).unwrap();
        let is_zero = core.split_whitespace().nth(5) == Some("0");
        assert!(is_zero || privileges == "0", "{core}");
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}

fn spawn(directory: &Path, args: &[&str]) -> Child {
    let mut command = support::command(&support::our_binary(), args, directory);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().expect("our own program starts")
}

/// Lets the shell print one row: then it runs behind its walls.
fn wait_for_row(child: &mut Child) {
    use std::io::{Read, Write};
    child.stdin.as_mut().unwrap().write_all(b"SELECT 7;\n").unwrap();
    let mut row = [0; 2];
    child.stdout.as_mut().unwrap().read_exact(&mut row).unwrap();
    assert_eq!(&row, b"7\n");
}

/// What works with a grant works behind the wall: each kind of file, links,
/// directories, journals and temporary files.
#[test]
fn what_is_granted_still_works() {
    let directory = Directory::fresh("granted");
    let script = "CREATE TABLE t(x); INSERT INTO t VALUES(1); PRAGMA journal_mode=wal; \
                  INSERT INTO t VALUES(2); PRAGMA temp_store=file; \
                  CREATE TEMP TABLE u AS SELECT * FROM t; \
                  SELECT writefile('out.txt', 'x'), readfile('out.txt'), count(*) FROM u; VACUUM; \
                  SELECT datetime(0, 'unixepoch', 'localtime');";
    let run = support::ours(&directory.path(), &["my.db", script]).exits_with(0).keeps_quiet();
    assert!(run.out().ends_with("1|x|2\n1970-01-01 00:00:00\n"), "{run}");
    // Outside, the first wall says no, and the second one is not even met.
    let refused = support::ours(&directory.path(), &[":memory:", "SELECT readfile('/etc/passwd')"]);
    assert!(!refused.out().contains("root"), "{refused}");
}

#[test]
fn system_calls_are_numbered_as_the_kernel_numbers_them() {
    // The message of the trap above contains this value.
    assert_eq!(libc::SYS_socket, 41);
}
