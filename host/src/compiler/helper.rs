//! The helper's side: one request from standard input, its result to standard
//! output, and a message to standard error.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;

use super::limits::Limits;
use super::spawn::{self, Task};
use super::{Compiler, Facts};
use crate::compose;
use crate::wall::{self, Plan};

/// The first word of the helper's command line; no database is called so.
pub const WORD: &str = "--compile-helper";

/// Its exit code when the component is refused and the message says why.
pub(super) const REFUSED: i32 = 1;

/// Its exit code when there is not enough memory.
pub(super) const NO_MEMORY: i32 = 2;

/// Be the helper, if the command line says so; its exit code.
///
/// The program calls this before anything else: the helper needs none of it.
pub fn serve() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != WORD {
        return None;
    }
    let words = words.map(OsString::into_string).collect::<Result<Vec<_>, _>>();
    let code = match try_serve(&words.unwrap_or_default()) {
        Ok(()) => 0,
        Err(error) if is_out_of_memory(&error) => NO_MEMORY,
        Err(error) => {
            complain(&format_args!("{error:#}"));
            REFUSED
        }
    };
    Some(ExitCode::from(code as u8))
}

/// Whoever started it may have closed the stream.
fn complain(text: &impl Display) {
    let _ = write!(io::stderr(), "{text}");
}

fn is_out_of_memory(error: &anyhow::Error) -> bool {
    let is_it = |error: &io::Error| error.kind() == io::ErrorKind::OutOfMemory;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_it))
        || error.root_cause().to_string().contains("Cannot allocate memory")
}

fn try_serve(words: &[String]) -> Result<()> {
    let (task, limits) = words.split_first().context("it lacks a task")?;
    let task = Task::parse(task).context("it lacks a task")?;
    let limits = Limits::parse(limits).context("it lacks limits")?;
    confine(&limits)?;
    let request = spawn::request()?;
    // No teardown: the process ends.
    let result = std::mem::ManuallyDrop::new(result(task, request)?);
    io::stdout().lock().write_all(&result)?;
    Ok(())
}

/// Give up all that the task does not need.
fn confine(limits: &Limits) -> Result<()> {
    // Nobody would take the result.
    set_pdeathsig(Signal::SIGKILL).context("failed to follow the caller")?;
    limits.impose().context("failed to limit itself")?;
    // The streams are all that is needed: no path, no socket, no program. What
    // the kernel lacks, the caller has said.
    let _ = wall::raise(&Plan::default())?;
    Ok(())
}

fn result(task: Task, request: Vec<u8>) -> Result<Vec<u8>> {
    match task {
        Task::Compile(kind) => Compiler::InProcess.compile(kind, &request)?.into_bytes(),
        Task::Inspect => Facts::of(&request)?.encode(),
        Task::Compose => compose::handle(&request),
    }
}
