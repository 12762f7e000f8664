//! What the environment and a URI say: grants and limits.

use std::env;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use runtime::units::{parse_duration, parse_size};

/// Memory of a connection where nobody says anything, in bytes.
const DEFAULT_MEMORY: usize = 1 << 30;

/// All that WebAssembly can address.
const MAX_MEMORY: usize = 4 << 30;

/// How the sandbox notices what must not happen: by signals, or `checked`, by code of its own. For
/// programs whose signal handlers do not call earlier ones.
const TRAPS: &str = "SQLITE_WASM_TRAPS";

/// Whether the process wants no signal handlers of the sandbox.
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
    /// Those of a URI (`wasm_max_memory`, `wasm_timeout`), and else of the environment.
    ///
    /// # Errors
    ///
    /// For a value that cannot be read: a limit is never left out silently.
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
    parse(&text).with_context(|| format!("`{name}` is `{text}`")).map(Some)
}

fn size(text: &str) -> Result<usize> {
    let size = usize::try_from(parse_size(text)?)?;
    if !(1..=MAX_MEMORY).contains(&size) {
        bail!("it must be from 1 byte to 4G, all that a component can address");
    }
    Ok(size)
}
