//! The runner's own exit codes.

/// Why the runner ended a program, or did not start it.
///
/// Every other code is the program's own: SQLite's shell ends with 0, with 1
/// after an error, or with the code of `.exit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// `doctor` found a problem.
    Problem = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The runner itself failed.
    Failure = 120,
    /// The component cannot be used: missing, damaged, of another kind, made
    /// for another version or processor, or not to be trusted.
    Artifact = 121,
    /// The component trapped (a WebAssembly trap).
    Trap = 122,
    /// The limit of `--max-memory` was reached.
    Memory = 123,
    /// The limit of `--timeout` was reached.
    Timeout = 124,
    /// The second wall stopped the process after a system call that no
    /// component needs.
    SecondWall = 125,
    /// The reader of the output went away. A shell reports the same code for
    /// SIGPIPE.
    BrokenPipe = 141,
}

/// The table for `--help`.
pub const HELP: &str = "\
Exit codes:
  those of the shell, and:
    1  `doctor` found a problem
    2  the command line is wrong
  120  the runner failed
  121  a component cannot be used (missing, damaged, of another kind,
       version or processor, or native code that this user did not compile)
  122  the component trapped (a WebAssembly trap)
  123  the limit of --max-memory was reached
  124  the limit of --timeout was reached
  125  the second wall (Landlock and seccomp) stopped the process
  141  the reader of the output closed it";

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}
