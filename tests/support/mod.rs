//! What the integration tests share: a fresh directory, and a program run in it to
//! its end.
//!
//! Each submodule is one more way to run a program: [`session`] talks to one
//! that lives on, [`terminal`] to one that sees a terminal, [`other_user`] lets
//! one run without root's rights, [`hostile`] builds one that tries to escape
//! from the directories of [`place`], [`attacker`] one that uses all of the runner's interfaces,
//! [`strace`] sees a program's system calls.

// Each test program uses a part of this.
#![allow(dead_code)]

pub mod artifact;
pub mod attacker;
pub mod bomb;
pub mod composed;
pub mod flooding;
pub mod generated;
pub mod guest;
pub mod hostile;
pub mod hot_journal;
pub mod measured;
pub mod other_user;
pub mod place;
pub mod session;
pub mod strace;
pub mod terminal;
pub mod text;
pub mod watched;
pub mod who;

use std::borrow::Cow;
use std::env;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sqlite_wasm_runtime::artifact::compiler::HELPER;

/// After this a child counts as hanging and is killed.
///
/// The slowest test composes all extensions, which are compiled for a minute of a busy machine; only a
/// deadlock or an endless loop comes near.
const TIME_LIMIT: Duration = Duration::from_secs(240);

/// A statement that only computes, for ever.
pub const ENDLESS: &str =
    "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c;";

/// One function call that takes hours: SQLite cannot be interrupted inside it.
pub const ENDLESS_CALL: &str =
    "SELECT instr(hex(zeroblob(20000000)), hex(zeroblob(500000)) || '1');";

/// How long to sleep between two looks at a child that still runs.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The program as `make build` installs it.
pub fn our_binary() -> PathBuf {
    let path = repository().join("target/release/sqlite-wasm-run");
    existing(path, "`tooling/host build` makes it")
}

/// The program in the same directory that compiles.
pub fn helper() -> PathBuf {
    existing(our_binary().with_file_name(HELPER), "`tooling/host build` makes it")
}

/// The component in the same directory, already compiled.
pub fn own_component() -> PathBuf {
    existing(our_binary().with_file_name("cli.cwasm"), "`make build` makes it")
}

/// The same component before it is compiled.
pub fn portable_component() -> PathBuf {
    let path = "target/wasm32-wasip2/release/cli.wasm";
    existing(repository().join(path), "`make build` makes it")
}

/// SQLite's own shell, built natively from the same source.
pub fn native() -> PathBuf {
    let path = "target/native-reference/sqlite3";
    existing(repository().join(path), "`make native-reference` builds it")
}

/// A path that something else has made.
pub fn existing(path: PathBuf, way_out: &str) -> PathBuf {
    assert!(path.exists(), "`{}` is missing; {way_out}", path.display());
    path
}

/// Copies a program so that it can be started at once.
///
/// By another process: a file that this one has open for writing would be open
/// in each child that another test starts meanwhile, and "busy" for a moment.
pub fn copy_program(from: &Path, to: &Path) {
    let mut copy = Command::new("cp");
    copy.arg("--preserve=mode").arg(from).arg(to);
    finish(copy, &Input::Nothing).exits_with(0);
}

/// Copies our program to `to`, and the program that compiles next to it.
pub fn copy_runner(to: &Path) {
    copy_program(&our_binary(), to);
    copy_program(&helper(), &to.with_file_name(HELPER));
}

/// Puts this user's key, which seals the tests' components, into another
/// directory for `XDG_STATE_HOME`.
pub fn take_key(state: &Path) {
    sqlite_wasm_runtime::installation::key::Key::of_user().expect("tests have a home");
    let key = sqlite_wasm_runtime::installation::user_directories::state()
        .expect("tests have a home")
        .join("key");
    let own = state.join("sqlite-wasm-run");
    fs::create_dir_all(&own).expect("the directory is ours");
    other_user::allow(&own, 0o700);
    fs::copy(key, own.join("key")).expect("the key is this user's");
}

/// How long a test with random input goes on, in milliseconds: what the
/// environment says, or a few seconds.
pub fn budget_ms() -> u64 {
    let said = env::var("ARBTEST_BUDGET_MS").ok();
    said.map_or(4000, |text| text.parse().expect("ARBTEST_BUDGET_MS is a number"))
}

/// The repository.
pub fn repository() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("it is in the repository").to_path_buf()
}

/// Where tests write. Its path is short, since messages are shortened.
pub fn temporary() -> PathBuf {
    repository().join("target/tmp")
}

/// An empty directory of one test; it goes when this is dropped, but stays for
/// inspection when the test panics or has called [`Directory::keep`].
pub struct Directory {
    path: PathBuf,
    kept: bool,
}

impl Directory {
    /// Makes an empty directory whose path ends with `name`.
    pub fn fresh(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = temporary().join(format!("{}-{number}", std::process::id())).join(name);
        fs::create_dir_all(&path).expect("the target directory is writable");
        Self { path, kept: false }
    }

    /// Where it is, without symbolic links.
    pub fn path(&self) -> PathBuf {
        self.path.canonicalize().expect("the directory exists")
    }

    /// Leaves the directory where it is, for inspection.
    pub fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if !self.kept && !thread::panicking() {
            // The parent carries the unique part of the name.
            let parent = self.path.parent().expect("`fresh` gave it one");
            let _ = fs::remove_dir_all(parent);
        }
    }
}

/// What a child reads as its standard input.
pub enum Input<'a> {
    /// Nothing: the end of input at once.
    Nothing,
    /// These bytes, through a pipe.
    Bytes(&'a [u8]),
    /// A file, as `< PATH` gives it.
    File(&'a Path),
}

impl Input<'_> {
    fn stdio(&self) -> Stdio {
        match self {
            Self::Nothing => Stdio::null(),
            Self::Bytes(_) => Stdio::piped(),
            Self::File(path) => File::open(path).expect("the input file exists").into(),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => &[],
        }
    }
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this exit code.
    Exited(i32),
    /// By a signal that was not ours.
    Signalled,
    /// By our kill, after [`TIME_LIMIT`].
    TimedOut,
}

impl From<ExitStatus> for End {
    fn from(status: ExitStatus) -> Self {
        status.code().map_or(Self::Signalled, Self::Exited)
    }
}

/// All that is known of a child that has ended.
pub struct Outcome {
    /// Program and arguments.
    pub command: String,
    /// Where it ran.
    pub directory: PathBuf,
    /// How it ended.
    pub end: End,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
}

/// Command, directory, status, stdout and stderr: the report of a failed test.
impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "command: {}", self.command)?;
        writeln!(out, "directory:  {}", self.directory.display())?;
        writeln!(out, "status:  {:?}", self.end)?;
        writeln!(out, "stdout:\n{}", String::from_utf8_lossy(&self.stdout))?;
        write!(out, "stderr:\n{}", String::from_utf8_lossy(&self.stderr))
    }
}

impl Outcome {
    /// Standard output as text.
    pub fn out(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.stdout)
    }

    /// Standard error as text.
    pub fn err(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.stderr)
    }

    /// Fails with the whole report unless it ended with this exit code.
    #[track_caller]
    pub fn exits_with(self, code: i32) -> Self {
        assert!(self.end == End::Exited(code), "exit code {code} was expected\n{self}");
        self
    }

    /// Fails with the whole report unless this, and no more, is on standard
    /// output.
    #[track_caller]
    pub fn prints(self, text: &str) -> Self {
        assert!(self.out() == text, "{text:?} was expected on stdout\n{self}");
        self
    }

    /// Fails with the whole report unless standard error holds this somewhere.
    #[track_caller]
    pub fn complains(self, text: &str) -> Self {
        assert!(self.err().contains(text), "{text:?} was expected on stderr\n{self}");
        self
    }

    /// Fails with the whole report if anything is on standard error.
    #[track_caller]
    pub fn keeps_quiet(self) -> Self {
        assert!(self.stderr.is_empty(), "nothing was expected on stderr\n{self}");
        self
    }
}

/// Runs our program in `directory` with nothing to read, and waits for its end.
pub fn ours(directory: &Path, args: &[&str]) -> Outcome {
    run(&our_binary(), args, directory, &Input::Nothing)
}

/// Runs the native shell in `directory` with nothing to read, and waits for its
/// end.
pub fn natively(directory: &Path, args: &[&str]) -> Outcome {
    run(&native(), args, directory, &Input::Nothing)
}

/// Runs `program` in `directory` with an environment that no machine changes, and
/// waits for its end.
pub fn run(program: &Path, args: &[impl AsRef<str>], directory: &Path, input: &Input) -> Outcome {
    finish(command(program, args, directory), input)
}

/// Starts `command` and waits for its end.
pub fn finish(mut command: Command, input: &Input) -> Outcome {
    let child = spawn(command.stdin(input.stdio()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let (end, stdout, stderr) = attend(child, input.bytes());
    Outcome {
        command: format!("{command:?}"),
        directory: command.get_current_dir().unwrap_or(Path::new(".")).into(),
        end,
        stdout,
        stderr,
    }
}

fn spawn(command: &mut Command) -> Child {
    let spawned = command.spawn();
    spawned.unwrap_or_else(|error| {
        let program = command.get_program().display();
        panic!("cannot start `{program}`: {error}")
    })
}

/// `program` with its arguments, in `directory`, which is also its HOME. The home
/// that the system's user database has is left alone: a history goes to
/// `directory` too.
pub fn command(program: &Path, args: &[impl AsRef<str>], directory: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .args(args.iter().map(AsRef::as_ref))
        .current_dir(directory)
        .env_clear()
        .env("HOME", directory)
        .env("SQLITE_HISTORY", directory.join(".sqlite_history"))
        .env("TZ", "UTC")
        // Kept between the runs: HOME is new each time.
        .env("XDG_CACHE_HOME", temporary().join("cache"));
    command
}

/// Feeds the child and reads from it, all at once, so that no pipe fills up.
fn attend(mut child: Child, input: &[u8]) -> (End, Vec<u8>, Vec<u8>) {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        // A child may end without reading all: a closed pipe is not an error here.
        scope.spawn(move || stdin.map(|mut pipe| pipe.write_all(input)));
        let stdout = scope.spawn(move || read_all(stdout));
        let stderr = scope.spawn(move || read_all(stderr));
        let end = wait(&mut child).expect("our own child can be waited for");
        (end, stdout.join().expect("stdout"), stderr.join().expect("stderr"))
    })
}

fn read_all(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
    }
    bytes
}

/// Waits for the end of a child, and kills it after [`TIME_LIMIT`].
pub fn wait(child: &mut Child) -> io::Result<End> {
    let deadline = Instant::now() + TIME_LIMIT;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.into());
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Ok(End::TimedOut);
        }
        thread::sleep(POLL_INTERVAL);
    }
}
