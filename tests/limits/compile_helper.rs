//! What nobody vouches for is compiled, inspected and composed in a process of
//! its own: with the limits of `--max-memory` and `--timeout`, and to no harm of
//! the program that started it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::support::bomb::{bomb, harmless};
use crate::support::composed::shipped;
use crate::support::watched::{Watched, watch};
use crate::support::{self, Directory, Input};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Exit codes of the runner.
const ARTIFACT: i32 = 121;
const MEMORY: i32 = 123;
const TIMEOUT: i32 = 124;

/// The size of the file of the finding: it made the runner use 2.1 GB and 11.5 s.
const BOMB_BYTES: usize = 878_000;

/// What all of the runner may use on top of `--max-memory`.
const OVERHEAD_BYTES: u64 = 64 << 20;

/// How much longer than `--timeout` a run may take on a busy machine: little
/// against compiling to the end.
const SLACK: Duration = Duration::from_secs(20);

fn directory_with(name: &str, content: &[u8]) -> Directory {
    let directory = Directory::fresh("compile");
    fs::write(directory.path().join(name), content).expect("the directory is ours");
    directory
}

/// Run our program without what it compiled before.
fn command(directory: &Path, args: &[&str]) -> Command {
    let mut command = support::command(&support::our_binary(), args, directory);
    command.env("XDG_CACHE_HOME", directory.join("cache"));
    command
}

fn watched(directory: &Directory, args: &[&str], script: &str) -> Watched {
    let input = Input::Bytes(script.as_bytes());
    watch(command(&directory.path(), args), &input, |_| ())
}

#[track_caller]
fn stays_below(watched: &Watched, limit: u64) {
    let most = limit + OVERHEAD_BYTES;
    let (peak, outcome) = (watched.peak_bytes, &watched.outcome);
    assert!(peak <= most, "{peak} bytes were used, {most} are allowed\n{outcome}");
    assert!(watched.children > 0, "nothing was compiled\n{outcome}");
}

#[test]
fn a_compile_bomb_that_sql_loads_is_an_error_within_the_limit_of_memory() {
    let directory = directory_with("bomb.wasm", &bomb(BOMB_BYTES));
    let script = "SELECT load_extension('./bomb.wasm');\nSELECT 'alive';\n";
    let run = watched(&directory, &["--max-memory", "16M", ":memory:"], script);
    stays_below(&run, 16 << 20);
    let outcome = run.outcome.prints("alive\n").complains("--max-memory");
    assert_eq!(outcome.err().lines().count(), 1, "{outcome}");
}

#[test]
fn a_compile_bomb_ends_with_the_limit_of_time() {
    let directory = directory_with("bomb.wasm", &bomb(BOMB_BYTES));
    // What follows never ends either.
    let script =
        ".load ./bomb.wasm\nWITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c)
        SELECT count(*) FROM c;\n";
    let run = watched(&directory, &["--timeout", "1", ":memory:"], script);
    assert!(run.time < Duration::from_secs(1) + SLACK, "{:?}", run.time);
    run.outcome.exits_with(TIMEOUT).complains("compiling it reached the time limit");
}

/// The kernel's signal says which limit it was. Of the helper's own, 120 s of processors, the test
/// takes a smaller one of the system; Cranelift needs more for SQLite.
#[test]
fn a_component_that_is_compiled_too_long_ends_with_that_limit() {
    let directory = Directory::fresh("compile");
    let script = "ulimit -S -t 1; exec \"$0\" precompile --cranelift \"$1\" -o out.cwasm";
    let [program, component] = [support::our_binary(), support::portable_component()]
        .map(|path| path.display().to_string());
    let args = ["-c", script, &program, &component];
    let command = support::command("sh".as_ref(), &args, &directory.path());
    let outcome = support::finish(command, &Input::Nothing).exits_with(ARTIFACT).prints("");
    outcome.complains("compiling it took more than");
}

#[test]
fn both_limits_hold_together() {
    let directory = directory_with("bomb.wasm", &bomb(BOMB_BYTES));
    let limits = ["--max-memory", "16M", "--timeout", "1", ":memory:"];
    let run = watched(&directory, &limits, ".load ./bomb.wasm\n");
    stays_below(&run, 16 << 20);
    assert!(run.time < Duration::from_secs(1) + SLACK, "{:?}", run.time);
    assert!(!run.outcome.stderr.is_empty(), "{}", run.outcome);
}

#[test]
fn a_program_that_is_a_bomb_ends_with_the_code_of_its_limit() {
    let directory = directory_with("bomb.wasm", &bomb(BOMB_BYTES));
    for (limit, value, code) in [("--max-memory", "16M", MEMORY), ("--timeout", "1", TIMEOUT)] {
        let run = watched(&directory, &[limit, value, "bomb.wasm", ":memory:"], "");
        let outcome = run.outcome.exits_with(code).prints("").complains(limit);
        assert!(outcome.err().starts_with("error: failed to load `bomb.wasm`: "), "{outcome}");
        assert_eq!(outcome.err().lines().count(), 1, "{outcome}");
    }
    // Control: a harmless one is compiled, and refused for what it is.
    let directory = directory_with("harmless.wasm", &harmless());
    let run = watched(&directory, &["--max-memory", "16M", "harmless.wasm", ":memory:"], "");
    stays_below(&run, 16 << 20);
    run.outcome.exits_with(ARTIFACT).complains("only command-line components can run");
}

#[test]
fn what_is_shipped_compiles_within_small_limits() {
    let directory = Directory::fresh("shipped");
    for name in ["sha3", "sha3query", "uuid", "series", "vec0"] {
        let path = shipped(name);
        let load = format!(".load {}\nSELECT 'loaded';\n", path.display());
        let grants = ["--dir", path.parent().and_then(Path::to_str).expect("UTF-8")];
        let limits = ["--max-memory", "64M", "--grant", "sha3query=sql", "--grant", "vec0=sql"];
        let run = watched(&directory, &[&limits[..], &grants, &[":memory:"]].concat(), &load);
        stays_below(&run, 64 << 20);
        run.outcome.prints("loaded\n").keeps_quiet();
    }
}

#[test]
fn a_helper_that_is_killed_is_an_error_and_the_program_goes_on() {
    let directory = directory_with("bomb.wasm", &bomb(BOMB_BYTES));
    let script = ".load ./bomb.wasm\nSELECT 'alive';\n";
    let killed = |child: u32| {
        let _ = kill(Pid::from_raw(child as i32), Signal::SIGKILL);
    };
    let input = Input::Bytes(script.as_bytes());
    let run = watch(command(&directory.path(), &[":memory:"]), &input, killed);
    assert_eq!(run.children, 1, "{}", run.outcome);
    let outcome = run.outcome.prints("alive\n").complains("SIGKILL");
    assert_eq!(outcome.err().lines().count(), 1, "{outcome}");
}

#[test]
fn the_helper_has_no_environment_and_three_files() {
    let directory = directory_with("bomb.wasm", &bomb(BOMB_BYTES));
    let mut seen = Vec::new();
    let mut command = command(&directory.path(), &["--timeout", "2", ":memory:"]);
    command.env("SECRET", "not for the compiler");
    let look = |child: u32| {
        // The file is the runner's own until the helper has started.
        for _ in 0..200 {
            let words = fs::read_to_string(format!("/proc/{child}/cmdline")).unwrap_or_default();
            if words.contains("sqlite-wasm-compile") {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let environment = fs::read_to_string(format!("/proc/{child}/environ"));
        let files = fs::read_dir(format!("/proc/{child}/fd")).map(|all| all.count());
        seen.push((environment.unwrap_or_default(), files.unwrap_or(0)));
    };
    let run = watch(command, &Input::Bytes(b".load ./bomb.wasm\n"), look);
    let [(environment, files)] = &seen[..] else { panic!("{seen:?}: {}", run.outcome) };
    assert!(!environment.contains("SECRET"), "{environment}");
    // The three streams, and what glibc or rayon opens for a moment.
    assert!((3..=5).contains(files), "{files}");
}

#[test]
fn started_by_hand_the_helper_says_what_starts_it() {
    let directory = Directory::fresh("by-hand");
    for words in [&[][..], &["run"], &["compile-command", "1", "x"]] {
        let run = support::run(&support::helper(), words, &directory.path(), &Input::Nothing);
        run.exits_with(1).prints("").complains("`sqlite-wasm-run` starts this program");
    }
}

#[test]
fn a_helper_of_another_version_says_so() {
    let directory = Directory::fresh("versions");
    let words = ["0.0.1+wasmtime-1.0.0", "inspect", "1000", "1000", "1"];
    let run = support::run(&support::helper(), &words, &directory.path(), &Input::Nothing);
    run.exits_with(1).prints("").complains("it is of another version");
}
