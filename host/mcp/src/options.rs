//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use access::units::{Size, Time};
use anyhow::{Result, ensure};
use clap::Parser;

use crate::lists::{Lists, Names};

const ABOUT: &str = "\
Offers SQLite databases to agents by the Model Context Protocol (MCP), each call
in its own WebAssembly sandbox.

By default it speaks at standard input and output, as programs with agents
start it, and agents can only read. Each call has limits of rows, bytes, time
and memory.";

/// The options as they are given.
#[derive(Debug, Parser)]
#[command(name = "sqlite-wasm-mcp", bin_name = "sqlite-wasm-run mcp", about = ABOUT, version)]
pub struct Options {
    /// Databases to offer, each by the name of its file without the ending
    #[arg(value_name = "DB", required_unless_present = "new_token")]
    pub databases: Vec<PathBuf>,
    /// Let agents change rows and the schema, by the tool `execute`
    #[arg(long)]
    pub write: bool,
    /// Offer only these tables and views; repeatable
    #[arg(long, value_name = "TABLE,…")]
    tables: Vec<Names>,
    /// Hide these columns, or whole tables; repeatable
    #[arg(long, value_name = "TABLE[.COLUMN],…")]
    hide: Vec<Names>,
    /// Add the database `scratch`, which agents can write up to this size; it ends with the program
    #[arg(long, value_name = "SIZE")]
    pub scratch: Option<Size>,
    /// Offer the saved queries of this file
    #[arg(long, value_name = "FILE.toml")]
    pub queries: Option<PathBuf>,
    /// Append each statement to this file; without room for its line no call succeeds
    #[arg(long, value_name = "FILE")]
    pub audit: Option<PathBuf>,
    /// Begin the file of `--audit` anew beyond this size, and keep the one before as FILE.1
    #[arg(long, value_name = "SIZE", default_value = "16M")]
    pub audit_size: Size,
    /// Speak HTTP at this loopback address instead of standard input and output
    #[arg(long, value_name = "ADDR")]
    pub http: Option<SocketAddr>,
    /// For `--http`: a file with the hashes of the tokens that clients may use, one a line
    #[arg(long, value_name = "FILE", requires = "http")]
    pub tokens: Option<PathBuf>,
    /// Print a new token, and its line for the file of `--tokens`
    #[arg(long, exclusive = true)]
    pub new_token: bool,
    /// Rows that a statement returns; further ones are cut
    #[arg(long, value_name = "N", default_value = "500")]
    max_rows: u32,
    /// Bytes of the rows that a statement returns, as JSON; further rows are cut
    #[arg(long, value_name = "SIZE", default_value = "128K")]
    max_bytes: Size,
    /// Time of a call
    #[arg(long, value_name = "TIME", default_value = "10s")]
    timeout: Time,
    /// Memory of SQLite in a call, and of each of its extensions
    #[arg(long, value_name = "SIZE", default_value = "64M")]
    memory: Size,
    /// Size of a database that agents cannot exceed
    #[arg(long, value_name = "SIZE", default_value = "16G")]
    max_db_size: Size,
    /// Calls that run at a time; others wait
    #[arg(long, value_name = "N", default_value = "4")]
    max_calls: u16,
    /// Load an extension into each sandbox, by its name; repeatable
    #[arg(long, value_name = "NAME")]
    pub load: Vec<String>,
    /// Look for extensions in this directory too; repeatable
    #[arg(long, value_name = "DIR")]
    pub extension_dir: Vec<PathBuf>,
    /// Grant an extension `sql`, `sql:ro`, `dir:PATH[:ro]` or `env:VARIABLE`; repeatable
    #[arg(long, value_name = "NAME=WORDS")]
    pub grant: Vec<String>,
    /// Do not use Landlock and seccomp, for kernels and tools that conflict with them
    #[arg(long)]
    pub no_second_wall: bool,
}

/// The limits of a call.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub rows: u32,
    pub bytes: usize,
    pub time: Duration,
    pub memory: usize,
    /// Of a database, in bytes.
    pub size: u64,
    pub calls: usize,
}

impl Options {
    /// # Errors
    ///
    /// Where one is 0, and for an address beyond loopback.
    pub fn limits(&self) -> Result<Limits> {
        if let Some(address) = self.http {
            ensure!(
                address.ip().is_loopback(),
                "`--http` takes a loopback address, such as 127.0.0.1:8090"
            );
        }
        let limits = Limits {
            rows: self.max_rows,
            bytes: self.max_bytes.0.try_into()?,
            time: self.timeout.0,
            memory: self.memory.0.try_into()?,
            size: self.max_db_size.0,
            calls: self.max_calls.into(),
        };
        for (option, value) in [
            ("max-rows", limits.rows.into()),
            ("max-bytes", self.max_bytes.0),
            ("timeout", limits.time.as_nanos().min(1) as u64),
            ("memory", self.memory.0),
            ("max-db-size", limits.size),
            ("max-calls", limits.calls as u64),
            ("audit-size", self.audit_size.0),
            ("scratch", self.scratch.map_or(1, |size| size.0)),
        ] {
            ensure!(value > 0, "`--{option}` must be at least 1");
        }
        Ok(limits)
    }

    /// # Errors
    ///
    /// Where `--tables` names a column.
    pub fn lists(&self) -> Result<Lists> {
        let all = |lists: &[Names]| lists.iter().flat_map(|names| names.0.clone()).collect();
        Lists::new(all(&self.tables), all(&self.hide))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn limits(words: &[&str]) -> Result<Limits> {
        Options::try_parse_from(["mcp"].iter().chain(words))?.limits()
    }

    #[test]
    fn the_definitions_are_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn agents_are_served_on_this_machine_alone() {
        assert!(limits(&["a.db", "--http", "127.0.0.1:0"]).is_ok());
        assert!(limits(&["a.db", "--http", "[::1]:0"]).is_ok());
        let error = limits(&["a.db", "--http", "0.0.0.0:80"]).unwrap_err();
        assert!(error.to_string().contains("loopback"), "{error}");
        assert!(limits(&["a.db", "--tokens", "x"]).is_err());
    }

    #[test]
    fn no_limit_is_nothing() {
        for option in
            ["max-rows", "max-bytes", "timeout", "memory", "max-db-size", "max-calls", "scratch"]
        {
            let error = limits(&["a.db", &format!("--{option}"), "0"]).unwrap_err();
            assert!(error.to_string().contains(option), "{error}");
        }
        assert!(limits(&[]).is_err());
    }
}
