//! Settings from the environment and a URI: grants and limits.

use std::env;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use runtime::escape::escaped;
use runtime::units::{parse_duration, parse_size};

/// Default memory of a connection, in bytes.
const DEFAULT_MEMORY: usize = 1 << 30;

/// All that WebAssembly can address.
const MAX_MEMORY: usize = 4 << 30;

/// How traps are detected: by signals, or, with `checked`, by checks in the code, for programs
/// whose signal handlers do not call earlier ones.
const TRAPS: &str = "SQLITE_WASM_TRAPS";

/// Whether the sandbox must not install signal handlers.
///
/// # Errors
///
/// For another value than `checked` and `signals`.
pub fn without_signals() -> Result<bool> {
    match env::var(TRAPS).as_deref() {
        Ok("checked") => Ok(true),
        Ok("signals" | "") | Err(env::VarError::NotPresent) => Ok(false),
        Ok(other) => bail!("`{TRAPS}` is `{other}`; it is `checked` or `signals`"),
        Err(error) => Err(error.clone()).with_context(|| format!("`{TRAPS}`")),
    }
}

/// Limits of an instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Memory at most, in bytes.
    pub memory: usize,
    /// Time of one call of a function of SQLite.
    pub time: Option<Duration>,
}

impl Limits {
    /// The limits of a URI (`wasm_max_memory`, `wasm_timeout`); otherwise those of the environment.
    ///
    /// # Errors
    ///
    /// For an invalid value: a limit is never ignored silently.
    pub fn new(memory: Option<&str>, time: Option<&str>) -> Result<Self> {
        let memory = value("wasm_max_memory", memory, "SQLITE_WASM_MAX_MEMORY", size)?;
        let time = value("wasm_timeout", time, "SQLITE_WASM_TIMEOUT", parse_duration)?;
        Ok(Self { memory: memory.unwrap_or(DEFAULT_MEMORY), time })
    }
}

fn value<T>(
    parameter: &str,
    given: Option<&str>,
    variable: &str,
    parse: impl Fn(&str) -> Result<T>,
) -> Result<Option<T>> {
    let (name, text) = match (given, env::var(variable)) {
        (Some(text), _) => (parameter, text.to_owned()),
        (None, Ok(text)) => (variable, text),
        (None, Err(env::VarError::NotPresent)) => return Ok(None),
        (None, Err(error)) => return Err(error).with_context(|| format!("`{variable}`")),
    };
    // It may come from a stranger's URI, and is printed.
    parse(&text).with_context(|| format!("`{name}` is `{}`", escaped(&text))).map(Some)
}

fn size(text: &str) -> Result<usize> {
    let size = usize::try_from(parse_size(text)?)?;
    if !(1..=MAX_MEMORY).contains(&size) {
        bail!("it must be from 1 byte to 4G, all that a component can address");
    }
    Ok(size)
}
