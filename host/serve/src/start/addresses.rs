//! The first lines that the server prints: how to connect.

use std::io::Write;

use anyhow::{Context, Result};
use sqlite_wasm_runtime::words::escape::escaped;

use super::Sockets;
use crate::config::Settings;
use crate::server::Server;

/// Databases whose lines are printed at most.
const MAX_SHOWN: usize = 10;

/// Printed for a database that does not exist yet.
const EXAMPLE: &str = "NAME";

/// Printed for a token that only its user knows.
const UNKNOWN_TOKEN: &str = "(the token of a user)";

/// Print how to connect to each database of `all`. The token follows `#`, which browsers do not send.
///
/// # Errors
///
/// Where standard output is closed, or a directory is gone.
pub fn print(
    settings: &Settings,
    sockets: &Sockets,
    server: &Server,
    all: &[String],
    token: Option<&str>,
) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let names = &all[..all.len().min(MAX_SHOWN)];
    // A directory may still be empty; its line below explains the name.
    let databases = if names.is_empty() { &[EXAMPLE.to_owned()] } else { names };
    if let Some((_, address)) = &sockets.pg {
        for name in databases {
            writeln!(out, "psql -h {} -p {} {}", address.ip(), address.port(), escaped(name))?;
        }
    }
    if let (Some(directory), Some((_, path))) = (&settings.unix, &sockets.pg_unix) {
        let port = path.extension().unwrap_or_default();
        let directory = std::fs::canonicalize(directory)?;
        for name in databases {
            writeln!(
                out,
                "psql -h {} -p {} {}",
                escaped(&directory),
                escaped(port),
                escaped(name)
            )?;
        }
    }
    if let Some((_, address)) = &sockets.http {
        let scheme = if settings.tls_cert.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{address}/");
        let urls: Vec<String> = if server.databases.has_default() {
            vec![url.clone()]
        } else {
            names.iter().map(|name| format!("{url}{}/", escaped(name))).collect()
        };
        let fragment = token.map_or(String::new(), |token| format!("#token={token}"));
        if urls.is_empty() {
            writeln!(out, "listening at {url}{fragment}")?;
        }
        for url in &urls {
            writeln!(out, "listening at {url}{fragment}")?;
        }
        for url in &urls {
            writeln!(out, "libSQL: url {url} authToken {}", token.unwrap_or(UNKNOWN_TOKEN))?;
        }
    }
    if let Some((_, path)) = &sockets.unix {
        writeln!(out, "listening at {}", escaped(path))?;
    }
    if all.len() > names.len() {
        writeln!(out, "and {} more databases", all.len() - names.len())?;
    }
    if let Some(root) = &settings.root {
        writeln!(out, "each NAME.db in {} is the database NAME, also later", escaped(root))?;
    }
    if let Some((_, address)) = &sockets.metrics {
        writeln!(out, "counters at http://{address}/metrics")?;
    }
    out.flush().context("failed to print the address")
}
