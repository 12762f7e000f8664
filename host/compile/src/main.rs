//! `sqlite-wasm-compile`: compiles, inspects and composes components for
//! `sqlite-wasm-run`, which starts it with its limits. It reads one request from
//! standard input, and writes the result to standard output or a message to standard
//! error.

mod compile;
mod compose;
mod encode;
mod inspect;
mod sections;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use sqlite_wasm_runtime::artifact::compiler::{self, Limits, NO_MEMORY, REFUSED, Task, VERSION};
use sqlite_wasm_runtime::artifact::engine::EngineKind;
use sqlite_wasm_runtime::limits::address_space::Form;
use sqlite_wasm_runtime::wall::{self, Plan};

/// The message for somebody who starts it by hand.
const NOT_FOR_USERS: &str =
    "`sqlite-wasm-run` starts this program; use `sqlite-wasm-run compose` or `precompile`";

/// What the word for a version has, and nothing that a person would type.
const VERSION_MARK: &str = "+wasmtime-";

fn main() -> ExitCode {
    let words = std::env::args_os().skip(1).map(OsString::into_string);
    let words = words.collect::<Result<Vec<_>, _>>().unwrap_or_default();
    let code = match perform(&words) {
        Ok(()) => 0,
        Err(error) if is_out_of_memory(&error) => NO_MEMORY,
        Err(error) => {
            complain(&format_args!("{error:#}"));
            REFUSED
        }
    };
    ExitCode::from(code as u8)
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
    let (version, words) = words.split_first().context(NOT_FOR_USERS)?;
    ensure!(version.contains(VERSION_MARK), NOT_FOR_USERS);
    let (task, limits) = words.split_first().context(NOT_FOR_USERS)?;
    ensure!(
        version == VERSION,
        "it is of another version ({VERSION}, not {version}); install both programs of one version"
    );
    let task = Task::parse(task).context(NOT_FOR_USERS)?;
    let limits = Limits::parse(limits).context(NOT_FOR_USERS)?;
    confine(&limits)?;
    let request = compiler::request()?;
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
        Task::Compile(kind) => compile::compile(kind, &request),
        Task::CompileByCranelift => {
            compile::by_cranelift(EngineKind::Command(Form::Full), &request)
        }
        Task::Inspect => inspect::inspect(&request)?.encode(),
        Task::Encode => encode::encode(&request),
        Task::Compose => compose::compose(&compiler::compose::parse(&request)?),
    }
}
