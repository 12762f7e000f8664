//! The parent's side, which starts, watches and reaps the helper.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;

use super::facts::MAX_FACTS_BYTES;
use super::limits::{Budget, DEFAULT_TIME, Limits, WALL_CLOCK_FACTOR};
use super::{HELPER, VERSION, memory_file};
use crate::artifact::engine::EngineKind;
use crate::installation::program_files::opened;
use crate::limits::address_space::Form;
use crate::words::escape::escaped;
use crate::words::shown::shortened;

/// The exit code when the helper refuses the component, with the reason as its
/// message.
pub const REFUSED: i32 = 1;

/// The exit code when memory runs out in the helper.
pub const NO_MEMORY: i32 = 2;

/// Interval for polling the helper: short compared to the shortest task.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Longest accepted message of the helper, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 << 10;

/// The message of Rust's allocator before it aborts.
const OUT_OF_MEMORY: &str = "memory allocation of";

/// The message when the system refuses a memory file.
const NO_MEMORY_FILE: &str = "failed to create a memory file for the compiler";

/// A task of the helper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Compile the component for the engine of this kind.
    Compile(EngineKind),
    /// The same for a command, by Cranelift also where the helper has LLVM's code.
    CompileByCranelift,
    /// Describe the component.
    Inspect,
    /// Make a component of a core module that contains the types of its interfaces.
    Encode,
    /// Compose a base with extensions.
    Compose,
}

const TASKS: &[(Task, &str)] = &[
    (Task::Compile(EngineKind::Command(Form::Full)), "compile-command"),
    (Task::Compile(EngineKind::Command(Form::Checked)), "compile-checked-command"),
    (Task::Compile(EngineKind::Timed(Form::Full)), "compile-timed"),
    (Task::Compile(EngineKind::Timed(Form::Checked)), "compile-checked-timed"),
    (Task::Compile(EngineKind::Extension(Form::Full)), "compile-extension"),
    (Task::Compile(EngineKind::Extension(Form::Checked)), "compile-checked-extension"),
    (Task::Compile(EngineKind::Command(Form::Unsignalled)), "compile-unsignalled-command"),
    (Task::Compile(EngineKind::Timed(Form::Unsignalled)), "compile-unsignalled-timed"),
    (Task::Compile(EngineKind::Extension(Form::Unsignalled)), "compile-unsignalled-extension"),
    (Task::CompileByCranelift, "compile-command-by-cranelift"),
    (Task::Inspect, "inspect"),
    (Task::Encode, "encode"),
    (Task::Compose, "compose"),
];

impl Task {
    /// The task that a word of the command line names.
    pub fn parse(word: &str) -> Option<Self> {
        TASKS.iter().find(|(_, name)| *name == word).map(|(task, _)| *task)
    }

    fn word(self) -> &'static str {
        TASKS.iter().find(|(task, _)| *task == self).map_or("", |(_, word)| word)
    }

    /// The longest accepted result, in bytes.
    fn max_result_bytes(self) -> usize {
        match self {
            Self::Inspect => MAX_FACTS_BYTES,
            Self::Compile(_) | Self::CompileByCranelift | Self::Encode | Self::Compose => {
                usize::MAX
            }
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Compile(_) | Self::CompileByCranelift => "compiling",
            Self::Inspect => "inspecting",
            Self::Encode => "encoding",
            Self::Compose => "composing",
        }
    }
}

/// Why the helper failed, other than by refusing the component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failed {
    /// The time limit of the user was reached.
    TimeLimit(&'static str),
    /// It took longer than the default limit.
    TooLong(&'static str),
    /// It needs more memory than this; true if the user set the limit.
    Memory(&'static str, usize, bool),
    /// It crashed, or a signal ended it.
    Ended(&'static str, String),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimeLimit(verb) => {
                write!(f, "{verb} it reached the time limit; `--timeout` sets it")
            }
            Self::TooLong(verb) => write!(
                f,
                "{verb} it took more than {} seconds; build it smaller",
                DEFAULT_TIME.as_secs()
            ),
            Self::Memory(verb, bytes, true) => write!(
                f,
                "{verb} it needs more than the {bytes} bytes of memory that are left; \
                 `--max-memory` sets the limit"
            ),
            Self::Memory(verb, bytes, false) => {
                write!(f, "{verb} it needs more than {bytes} bytes of memory; build it smaller")
            }
            Self::Ended(verb, how) => write!(f, "{verb} it failed: {how}"),
        }
    }
}

impl std::error::Error for Failed {}

/// The helper as it is to be started: in the directory `/`, with nothing else of this process.
pub struct Helper {
    /// Its program.
    pub program: OwnedFd,
    /// Its command line, the name included.
    pub words: Vec<String>,
    /// Its environment.
    pub environment: Vec<(String, String)>,
    /// Its standard streams.
    pub streams: [File; 3],
}

/// A helper that was started.
pub trait Started {
    /// How it ended, if it has.
    ///
    /// # Errors
    ///
    /// The system's.
    fn try_wait(&mut self) -> io::Result<Option<ExitStatus>>;

    /// End it, if it has not ended.
    fn end(&mut self);
}

/// Starts a helper.
pub type Start = fn(Helper) -> io::Result<Box<dyn Started>>;

/// Start it as a child process.
pub fn start_child(helper: Helper) -> io::Result<Box<dyn Started>> {
    let [stdin, stdout, stderr] = helper.streams;
    let words = helper.words.iter();
    let child = Command::new(format!("/proc/self/fd/{}", helper.program.as_raw_fd()))
        .arg0(HELPER)
        .args(words.skip(1))
        .env_clear()
        .envs(helper.environment)
        .current_dir("/")
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .spawn()?;
    Ok(Box::new(child))
}

impl Started for Child {
    fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        Self::try_wait(self)
    }

    fn end(&mut self) {
        // Both do nothing after the process was reaped.
        let _ = self.kill();
        let _ = self.wait();
    }
}

/// Run the helper `program` for `task`, with the concatenated `parts` as its request.
///
/// # Errors
///
/// The helper's reason for refusing the component, or [`Failed`].
pub fn run(
    start: Start,
    program: &Path,
    task: Task,
    budget: &Budget,
    parts: &[&[u8]],
) -> Result<Vec<u8>> {
    let bytes = parts.iter().map(|part| part.len()).sum();
    let limits = budget.limits(bytes).for_result(task.max_result_bytes());
    let verb = task.verb();
    if budget.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
        bail!(Failed::TimeLimit(verb));
    }
    let input = memory_file::with("request", parts).context("failed to pass it to the compiler")?;
    let output = memory_file::create("result").context(NO_MEMORY_FILE)?;
    let report = memory_file::create("report").context(NO_MEMORY_FILE)?;
    let failed = || format!("failed to start the compiler `{}`", escaped(program));
    let streams = [input, output.try_clone()?, report.try_clone()?];
    let helper = helper(opened(program).with_context(failed)?.into(), task, &limits, streams);
    // No handle of the file to be sealed stays open.
    let started = start(helper).with_context(failed)?;
    let status = Guard(started).wait(budget, verb)?;
    if status.success() {
        return memory_file::into_bytes(output).context("failed to read the compiler's result");
    }
    Err(failure(verb, status, &message(&report), budget, &limits))
}

fn helper(program: OwnedFd, task: Task, limits: &Limits, streams: [File; 3]) -> Helper {
    let mut words = vec![HELPER.to_owned(), VERSION.to_owned(), task.word().to_owned()];
    words.extend(limits.words());
    let threads = ("RAYON_NUM_THREADS".to_owned(), "1".to_owned());
    let environment = if limits.is_parallel() { Vec::new() } else { vec![threads] };
    Helper { program, words, environment, streams }
}

/// A helper, ended on drop.
struct Guard(Box<dyn Started>);

impl Guard {
    /// Wait until the process ends, or until its deadline.
    fn wait(mut self, budget: &Budget, verb: &'static str) -> Result<ExitStatus> {
        let longest = Instant::now() + DEFAULT_TIME * WALL_CLOCK_FACTOR;
        let end = budget.deadline.map_or(longest, |deadline| deadline.min(longest));
        loop {
            let status = self.0.try_wait().context("failed to wait for the compiler")?;
            if let Some(status) = status {
                return Ok(status);
            }
            if Instant::now() >= end {
                bail!(match budget.deadline {
                    Some(deadline) if deadline <= end => Failed::TimeLimit(verb),
                    _ => Failed::TooLong(verb),
                });
            }
            thread::sleep(POLL_INTERVAL);
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.end();
    }
}

fn failure(
    verb: &'static str,
    status: ExitStatus,
    message: &str,
    budget: &Budget,
    limits: &Limits,
) -> anyhow::Error {
    let is_ours = budget.has_memory_limit();
    let memory = || Failed::Memory(verb, limits.data_bytes, is_ours);
    let failed = match status.signal().map(Signal::try_from) {
        None if status.code() == Some(REFUSED) => {
            return anyhow::Error::msg(message.to_owned());
        }
        _ if message.contains(OUT_OF_MEMORY) => memory(),
        None if status.code() == Some(NO_MEMORY) => memory(),
        None => Failed::Ended(verb, with_message("the compiler failed", message)),
        Some(Ok(Signal::SIGXFSZ)) => memory(),
        Some(Ok(Signal::SIGXCPU)) if budget.deadline.is_some_and(|end| end <= Instant::now()) => {
            Failed::TimeLimit(verb)
        }
        Some(Ok(Signal::SIGXCPU)) => Failed::TooLong(verb),
        Some(Ok(signal)) => {
            let how = format!("the compiler was ended by {}", signal.as_str());
            Failed::Ended(verb, with_message(&how, message))
        }
        Some(Err(_)) => Failed::Ended(verb, "the compiler was ended by a signal".into()),
    };
    failed.into()
}

fn with_message(how: &str, message: &str) -> String {
    if message.is_empty() { how.to_owned() } else { format!("{how}: {message}") }
}

/// The helper's message, as one line without control characters.
fn message(report: &File) -> String {
    let mut bytes = vec![0; MAX_MESSAGE_BYTES];
    let length = report.read_at(&mut bytes, 0).unwrap_or(0);
    shortened(visible(&String::from_utf8_lossy(&bytes[..length])))
}

/// Text in one line, with control and format characters escaped.
///
/// The helper quotes with backticks, which [`crate::words::escape::escaped`] would
/// escape.
fn visible(text: &str) -> String {
    let is_quote = |letter| matches!(letter, '\'' | '"' | '\\');
    let mut line = String::with_capacity(text.len());
    for letter in text.trim().chars() {
        match letter {
            '\n' | '\t' => line.push(' '),
            letter if is_quote(letter) => line.push(letter),
            letter => line.extend(letter.escape_debug()),
        }
    }
    line
}

/// Read a whole request, as the helper.
///
/// # Errors
///
/// When it cannot be read.
pub fn request() -> std::io::Result<Vec<u8>> {
    let mut request = Vec::new();
    let mut stdin = std::io::stdin().lock();
    stdin.read_to_end(&mut request)?;
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_has_a_word() {
        for (task, word) in TASKS {
            assert_eq!((Task::parse(word), task.word()), (Some(*task), *word));
        }
        assert_eq!(Task::parse("run"), None);
    }

    #[test]
    fn messages_move_no_cursor() {
        assert_eq!(visible("a `b` \u{1b}[2J\r\n\u{202e}c\\"), "a `b` \\u{1b}[2J\\r \\u{202e}c\\");
    }

    #[test]
    fn the_end_of_the_helper_is_explained() {
        let limits = Budget::default().limits(0);
        let budget = Budget::new(Some(1 << 30), Some(Instant::now()));
        let said = |raw: i32, message: &str| {
            failure("compiling", ExitStatus::from_raw(raw), message, &budget, &limits).to_string()
        };
        assert!(said(REFUSED << 8, "it is bad").contains("it is bad"));
        assert!(said(9, "").contains("SIGKILL"));
        assert!(said(24, "").contains("--timeout"));
        assert!(said(6, "memory allocation of 8 bytes failed").contains("--max-memory"));
        assert!(said(25, "").contains("--max-memory"));
    }
}
