//! The helper's side. It reads one request from standard input, and writes the
//! result to standard output or a message to standard error.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;

use crate::compiler::limits::Limits;
use crate::compiler::spawn::{self, NO_MEMORY, REFUSED, Task, WORD};
use crate::compiler::{Compiler, Facts};
use crate::compose;
use crate::wall::{self, Plan};

/// Run as the helper if the command line starts one; returns its exit code.
///
/// The program calls this first, since the helper needs nothing else.
pub fn run_if_requested() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != WORD {
        return None;
    }
    let words = words.map(OsString::into_string).collect::<Result<Vec<_>, _>>();
    let code = match perform(&words.unwrap_or_default()) {
        Ok(()) => 0,
        Err(error) if is_out_of_memory(&error) => NO_MEMORY,
        Err(error) => {
            complain(&format_args!("{error:#}"));
            REFUSED
        }
    };
    Some(ExitCode::from(code as u8))
}

/// Write to standard error, which the parent may have closed.
fn complain(text: &impl Display) {
    let _ = write!(io::stderr(), "{text}");
}

fn is_out_of_memory(error: &anyhow::Error) -> bool {
    let is_it = |error: &io::Error| error.kind() == io::ErrorKind::OutOfMemory;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_it))
        || error.root_cause().to_string().contains("Cannot allocate memory")
}

fn perform(words: &[String]) -> Result<()> {
    let (task, limits) = words.split_first().context("the task is missing or unknown")?;
    let task = Task::parse(task).context("the task is missing or unknown")?;
    let limits = Limits::parse(limits).context("the limits are missing or malformed")?;
    confine(&limits)?;
    let request = spawn::request()?;
    // The process ends next, so the result is not dropped.
    let result = std::mem::ManuallyDrop::new(result(task, request)?);
    io::stdout().lock().write_all(&result)?;
    Ok(())
}

/// Limit the process to what the task needs.
fn confine(limits: &Limits) -> Result<()> {
    // Without the parent the result would go nowhere.
    set_pdeathsig(Signal::SIGKILL).context("failed to set the parent's death signal")?;
    limits.impose().context("failed to limit itself")?;
    // The helper needs its streams: no path, no socket, no program. The caller
    // has reported missing kernel features already.
    let _ = wall::raise(&Plan::default())?;
    Ok(())
}

fn result(task: Task, request: Vec<u8>) -> Result<Vec<u8>> {
    match task {
        Task::Compile(kind) => Compiler::InProcess.compile(kind, &request),
        Task::Inspect => Facts::of(&request)?.encode(),
        Task::Compose => compose::handle(&request),
    }
}
