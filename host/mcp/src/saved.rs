//! Saved queries:
//!
//! ```toml
//! [best_customers]
//! description = "The ten customers with the highest sums"
//! database = "shop"                  # not needed where there is one
//! sql = "SELECT name, sum(total) FROM orders GROUP BY name ORDER BY 2 DESC LIMIT 10"
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use sqlite_wasm_runtime::installation::owner::{read_trusted, wrong_toml};
use sqlite_wasm_runtime::words::escape::escaped;

/// Longest file, in bytes: thousands of queries.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// A query that somebody has written for agents. It runs by the same rules as theirs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    #[serde(default)]
    pub description: String,
    pub database: Option<String>,
    pub sql: String,
}

/// All of them, by name.
pub type All = BTreeMap<String, Saved>;

/// Read the file.
///
/// # Errors
///
/// If it is missing or malformed, or if others may change it.
pub fn read(path: &Path) -> Result<All> {
    let shown = escaped(path);
    let text = read_trusted(path, MAX_FILE_BYTES);
    let text = text.with_context(|| format!("failed to read the queries of `{shown}`"))?;
    let read = toml::from_str(&text).map_err(|error| wrong_toml(&text, &error));
    read.with_context(|| format!("`{shown}` is not a file of queries"))
}
