//! Messages and exit codes for the outcomes of a run.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use sqlite_wasm_runtime::artifact::compiler::Failed;
use sqlite_wasm_runtime::artifact::component::LoadError;
use sqlite_wasm_runtime::artifact::trace;
use sqlite_wasm_runtime::extensions::NotLoaded;
use sqlite_wasm_runtime::runner::{Outcome, RefusedImport};
use sqlite_wasm_runtime::wall::exit_code;

use sqlite_wasm_runtime::words::complaint::complain;

pub fn timeout_reached(timeout: Duration) -> String {
    format!("error: the time limit of {timeout:?} was reached; `--timeout` sets it")
}

pub fn report(outcome: Outcome, limit_bytes: usize) -> Result<ExitCode> {
    let (message, code) = match outcome {
        Outcome::Exited(code) => return Ok(code.into()),
        Outcome::BrokenPipe => return Ok(exit_code::ExitCode::BrokenPipe.into()),
        Outcome::TimeReached(timeout) => (timeout_reached(timeout), exit_code::ExitCode::Timeout),
        Outcome::MemoryReached(bytes) => {
            (memory_reached(bytes, limit_bytes), exit_code::ExitCode::Memory)
        }
        Outcome::ExtensionTrapped { name, message } => (
            format!(
                "error: the embedded extension `{name}` trapped, and the program with it: {message}; \
                 a transaction that was open is rolled back when the database is next opened"
            ),
            exit_code::ExitCode::Trap,
        ),
        Outcome::Trapped(error) => (
            format!("error: the component trapped\n\nCaused by:\n    {}", trace::message(&error)),
            exit_code::ExitCode::Trap,
        ),
    };
    complain(message);
    Ok(code.into())
}

fn memory_reached(bytes: usize, limit_bytes: usize) -> String {
    let remedy = if bytes < limit_bytes {
        "this process has no more address space; raise its limit (`ulimit -v`), \
             or set `--max-memory` to what the component needs"
    } else {
        "`--max-memory` sets it"
    };
    format!("error: the memory limit of {bytes} bytes was reached; {remedy}")
}

/// The exit code for a failure of [`execute`].
pub fn failure_code(error: &anyhow::Error) -> exit_code::ExitCode {
    match error.downcast_ref::<Failed>() {
        Some(Failed::TimeLimit(_)) => return exit_code::ExitCode::Timeout,
        Some(Failed::Memory(_, _, true)) => return exit_code::ExitCode::Memory,
        _ => {}
    }
    if error.is::<LoadError>() || error.is::<RefusedImport>() || error.is::<NotLoaded>() {
        exit_code::ExitCode::Artifact
    } else {
        exit_code::ExitCode::Failure
    }
}
