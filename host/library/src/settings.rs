//! Settings from the environment and a URI: grants and limits.

use std::env;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use runtime::limits::units::{parse_duration, parse_size};
use runtime::words::escape::escaped;

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
    /// The limits of a URI (`wasm_max_memory`, `wasm_timeout`), which may come from a stranger: those of
    /// the environment, which the operator sets, are its ceiling.
    ///
    /// # Errors
    ///
    /// For an invalid value: a limit is never ignored silently.
    pub fn new(memory: Option<&str>, time: Option<&str>) -> Result<Self> {
        let [most_memory, most_time] = ["SQLITE_WASM_MAX_MEMORY", "SQLITE_WASM_TIMEOUT"];
        let ceilings = (variable(most_memory)?, variable(most_time)?);
        let memory = [("wasm_max_memory", memory), (most_memory, ceilings.0.as_deref())];
        let time = [("wasm_timeout", time), (most_time, ceilings.1.as_deref())];
        let (memory, time) = (least(memory, size)?, least(time, parse_duration)?);
        Ok(Self { memory: memory.unwrap_or(DEFAULT_MEMORY), time })
    }
}

fn variable(name: &str) -> Result<Option<String>> {
    match env::var(name) {
        Ok(text) => Ok(Some(text)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("`{name}`")),
    }
}

/// The least of the settings that are given, by name.
fn least<T: Ord>(
    given: [(&str, Option<&str>); 2],
    parse: impl Fn(&str) -> Result<T>,
) -> Result<Option<T>> {
    let given = given.into_iter().filter_map(|(name, text)| Some((name, text?)));
    // It may come from a stranger's URI, and is printed.
    let parsed = given.map(|(name, text)| {
        parse(text).with_context(|| format!("`{name}` is `{}`", escaped(text)))
    });
    Ok(parsed.collect::<Result<Vec<_>>>()?.into_iter().min())
}

fn size(text: &str) -> Result<usize> {
    let size = usize::try_from(parse_size(text)?)?;
    if !(1..=MAX_MEMORY).contains(&size) {
        bail!("it must be from 1 byte to 4G, all that a component can address");
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operators_limit_is_a_ceiling() {
        let least = |uri, environment| least([("uri", uri), ("environment", environment)], size);
        assert_eq!(least(None, None).unwrap(), None);
        assert_eq!(least(Some("1G"), None).unwrap(), Some(1 << 30));
        assert_eq!(least(Some("1G"), Some("64M")).unwrap(), Some(64 << 20));
        assert_eq!(least(Some("32M"), Some("64M")).unwrap(), Some(32 << 20));
        // None is ignored, also where the other would do.
        assert!(least(Some("much"), Some("64M")).is_err());
        assert!(least(Some("1M"), Some("much")).is_err());
    }
}
