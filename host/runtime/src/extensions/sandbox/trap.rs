//! The message of a trap: the limit that was exceeded or the trap itself, and the end of the
//! extension's log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wasmtime::Trap;
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;

use crate::contract::types::SqlError;
use crate::extensions::Limits;
use crate::extensions::sandbox::sql::Channel;
use crate::limits::statement::MustEnd;
use crate::words::shown as text;
use wire::code;

/// Bytes at the end of the log that are shown when an extension traps.
const MAX_SHOWN_BYTES: usize = 1000;

/// Rust adds this to a panic's message; users of an extension cannot follow the advice.
const BACKTRACE_NOTE: &str =
    "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";

/// The beginning of Rust's panic message; the source location follows.
const PANICKED: &str = "panicked at ";

/// Part of wasmtime's message for too much data from a component; the error's type is private.
const TOO_MUCH: &str = "fuel allocated for hostcalls";

/// Shared with a store, and kept after the store is gone.
#[derive(Clone)]
pub struct Shared {
    pub channel: Channel,
    /// The extension's output.
    pub log: MemoryOutputPipe,
    /// Set when it exceeds its memory limit.
    pub memory_reached: Arc<AtomicBool>,
}

impl Shared {
    pub fn new(limits: &Limits) -> Self {
        Self {
            channel: Channel::default(),
            log: MemoryOutputPipe::new(limits.log_bytes),
            memory_reached: Arc::default(),
        }
    }

    /// The error of a call of the extension `name` that has trapped at `place`. A value that is too large for a
    /// limit has SQLite's own code for it.
    pub fn error(
        &self,
        trap: &wasmtime::Error,
        limits: &Limits,
        name: &str,
        place: &str,
    ) -> SqlError {
        if trap.is::<MustEnd>() {
            return SqlError { code: code::INTERRUPT, message: "interrupted".to_owned() };
        }
        let message = self.message(trap, limits);
        let (code, message) = match self.size(trap) {
            Some(size) => (size.code(), format!("the extension `{name}` failed{place}: {message}")),
            None => (code::ERROR, format!("the extension `{name}` trapped{place}: {message}")),
        };
        SqlError { code, message }
    }

    /// The message of a trap.
    pub fn message(&self, trap: &wasmtime::Error, limits: &Limits) -> String {
        match self.size(trap) {
            // Its log would only say that memory could not be allocated.
            Some(size) => size.message(limits),
            None => with_log(cause_within(trap, limits), &self.log.contents()),
        }
    }

    /// The limit of a size that was reached.
    fn size(&self, trap: &wasmtime::Error) -> Option<Size> {
        match () {
            () if self.memory_reached.load(Ordering::Relaxed) => Some(Size::Memory),
            () if trap.root_cause().to_string().contains(TOO_MUCH) => Some(Size::Value),
            () => None,
        }
    }
}

/// A limit of sizes.
enum Size {
    Memory,
    Value,
}

impl Size {
    fn code(&self) -> i32 {
        match self {
            Self::Memory => code::NOMEM,
            Self::Value => code::TOOBIG,
        }
    }

    fn message(&self, Limits { memory_bytes, value_bytes, .. }: &Limits) -> String {
        match self {
            Self::Memory => format!(
                "out of memory: it wanted more than its {memory_bytes} bytes of memory; `--extension-memory` sets \
                 the limit"
            ),
            Self::Value => format!(
                "string or blob too big: it gave more than {value_bytes} bytes in one call; \
                 `--extension-value` sets the limit"
            ),
        }
    }
}

fn cause_within(trap: &wasmtime::Error, Limits { call_time, .. }: &Limits) -> String {
    match trap.downcast_ref::<Trap>() {
        Some(Trap::Interrupt) => format!(
            "it used up its time for one call, {call_time:?}; `--extension-timeout` sets the limit"
        ),
        _ => cause(trap),
    }
}

/// The message of a trap without limits, and the end of `log`.
pub(crate) fn message(trap: &wasmtime::Error, log: &[u8]) -> String {
    with_log(cause(trap), log)
}

fn cause(trap: &wasmtime::Error) -> String {
    match trap.downcast_ref::<Trap>() {
        // The trap with which Rust's panics end.
        Some(Trap::UnreachableCodeReached) => "unreachable".to_owned(),
        Some(trap) => text::one_line(&trap.to_string()),
        None => text::one_line(&trap.root_cause().to_string()),
    }
}

/// Rust's message of a panic names a file of the machine that built the extension: without its
/// directories.
fn without_directories(log: &str) -> String {
    let mut parts = log.split(PANICKED);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(".rs:").unwrap_or_default();
        let name = part[..end].rfind(['/', '\\']).map_or(0, |slash| slash + 1);
        shown.push_str(PANICKED);
        shown.push_str(&part[name..]);
    }
    shown
}

fn with_log(cause: String, log: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&log[log.len().saturating_sub(MAX_SHOWN_BYTES)..]);
    let shown = without_directories(&text::one_line(&shown));
    match shown.trim_end_matches(BACKTRACE_NOTE).trim_end() {
        "" => cause,
        shown => format!("{cause}; stderr: {shown}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_names_no_directory() {
        for (log, shown) in [
            (
                "thread 'x' panicked at /home/a/b c/src/lib.rs:1:2: no /etc/x",
                "thread 'x' panicked at lib.rs:1:2: no /etc/x",
            ),
            (
                "panicked at a\\b.rs:1: panicked at /x/y.rs:3",
                "panicked at b.rs:1: panicked at y.rs:3",
            ),
            ("panicked at nowhere", "panicked at nowhere"),
            ("", ""),
        ] {
            assert_eq!(without_directories(log), shown);
        }
    }
}
