//! Options: the command line, and the same names in a TOML file.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Parser, ValueEnum};
use serde::Deserialize;
use sqlite_wasm_runtime::installation::owner::{read_trusted, wrong_toml};
use sqlite_wasm_runtime::words::escape::escaped;

pub use access::units::{Size, Time};

/// Where the server listens where nothing is said: loopback, for this machine's users alone.
const DEFAULT_HTTP: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

const ABOUT: &str = "\
Serves SQLite databases to many clients, each in its own WebAssembly sandbox.

The protocols are libSQL's (Hrana 2 and 3, over HTTP and WebSocket) and, with
--pg or --unix, that of Postgres, for psql and its drivers. By default
the server listens on 127.0.0.1:8080, and prints a URL with a token. For other
addresses it needs a file of users, and TLS or --insecure.";

/// How messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object a line.
    Json,
}

/// The options as they are given; see [`Settings::resolve`].
#[derive(Debug, Default, Parser, Deserialize)]
#[command(name = "sqlite-wasm-serve", bin_name = "sqlite-wasm-run serve", about = ABOUT, version)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Databases to serve, each by the name of its file without the ending
    #[arg(value_name = "DB")]
    pub databases: Vec<PathBuf>,
    /// Serve NAME.db of this directory by its NAME
    #[arg(long, value_name = "DIR", conflicts_with = "databases")]
    pub root: Option<PathBuf>,
    /// Serve HTTP and WebSocket at this address [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    pub http: Option<SocketAddr>,
    /// Serve the Postgres wire at this address, such as 127.0.0.1:5432
    #[arg(long, value_name = "ADDR")]
    pub pg: Option<SocketAddr>,
    /// Also serve at the sockets `http.sock` and `.s.PGSQL.5432` (for psql) in this directory;
    /// only this user can connect
    #[arg(long, value_name = "DIR")]
    pub unix: Option<PathBuf>,
    /// Certificates for TLS, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The private key for TLS, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// The users, with their tokens' hashes and their roles
    #[arg(long, value_name = "FILE")]
    pub users: Option<PathBuf>,
    /// Accept tokens and passwords beyond loopback where there is no certificate, and `--metrics`
    /// there
    #[arg(long)]
    pub insecure: bool,
    /// Give every user the role `read` at most
    #[arg(long)]
    pub read_only: bool,
    /// Load an extension into each connection, by its name; repeatable
    #[arg(long, value_name = "NAME")]
    pub load: Vec<String>,
    /// Look for extensions in this directory too; repeatable
    #[arg(long, value_name = "DIR")]
    pub extension_dir: Vec<PathBuf>,
    /// Grant an extension `sql`, `sql:ro`, `dir:PATH[:ro]` or `env:VARIABLE`; repeatable
    #[arg(long, value_name = "NAME=WORDS")]
    pub grant: Vec<String>,
    /// Sessions at a time; as many clients may wait [default: 100]
    #[arg(long, value_name = "N")]
    pub max_clients: Option<u16>,
    /// Memory of SQLite in a session, and of each of its extensions [default: 64M]
    #[arg(long, value_name = "SIZE")]
    pub client_memory: Option<Size>,
    /// Time of a statement [default: 10s]
    #[arg(long, value_name = "TIME")]
    pub statement_timeout: Option<Time>,
    /// Time of a transaction; it is rolled back and its session closed [default: 30s]
    #[arg(long, value_name = "TIME")]
    pub transaction_timeout: Option<Time>,
    /// Time without a request, after which a session is closed [default: 60s]
    #[arg(long, value_name = "TIME")]
    pub idle_timeout: Option<Time>,
    /// Size of a database that writers cannot exceed [default: 16G]
    #[arg(long, value_name = "SIZE")]
    pub max_db_size: Option<Size>,
    /// Temporary files of a session; without this temporary data is part of its memory
    #[arg(long, value_name = "SIZE")]
    pub max_temp: Option<Size>,
    /// Rows that a statement returns [default: 100000]
    #[arg(long, value_name = "N")]
    pub max_rows: Option<u64>,
    /// Bytes of the rows of a statement, and of the reply to a pipeline [default: 16M]
    #[arg(long, value_name = "SIZE")]
    pub max_bytes: Option<Size>,
    /// Do not wait for the disk at each commit: a power failure may lose the last ones
    #[arg(long)]
    pub fast_commits: bool,
    /// Leave checkpoints to another program, such as Litestream
    #[arg(long)]
    pub no_checkpoints: bool,
    /// Serve the counters for Prometheus at this address, `/metrics`
    #[arg(long, value_name = "ADDR")]
    pub metrics: Option<SocketAddr>,
    /// Do not serve the web page
    #[arg(long)]
    pub no_ui: bool,
    /// Accept this name in the header Host, besides those of the address; repeatable
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Log statements that take longer than this
    #[arg(long, value_name = "TIME")]
    pub slow_statement: Option<Time>,
    /// How messages are written [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
    /// Read options from this file; those of the command line go first
    #[arg(long, value_name = "FILE.toml")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// Do not use Landlock and seccomp, for kernels and tools that conflict with them
    #[arg(long)]
    pub no_second_wall: bool,
    /// Print a new token, and its line for the file of users
    #[arg(long, exclusive = true)]
    #[serde(skip)]
    pub new_token: bool,
    /// Read a password from standard input, and print its line for the file of users
    #[arg(long, exclusive = true)]
    #[serde(skip)]
    pub new_password: bool,
}

/// The limits of a session.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub clients: usize,
    pub memory: usize,
    pub statement: Duration,
    pub transaction: Duration,
    pub idle: Duration,
    pub rows: u64,
    pub bytes: u64,
    /// Of temporary files; `None` if a session has none.
    pub temporary: Option<u64>,
    pub slow: Option<Duration>,
}

impl Settings {
    /// The command line, and the file that it names.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read, or options contradict each other.
    pub fn resolve(self) -> Result<Self> {
        let settings = match self.config.clone() {
            Some(path) => self.or(read(&path)?),
            None => self,
        };
        settings.checked()
    }

    /// These options, and `file`'s where these say nothing.
    fn or(mut self, mut file: Self) -> Self {
        // Either names the databases.
        if !self.databases.is_empty() {
            file.root = None;
        } else if self.root.is_some() {
            file.databases.clear();
        }
        macro_rules! or {
            ($($option:ident)*; $($list:ident)*; $($flag:ident)*) => {
                $(self.$option = self.$option.or(file.$option);)*
                $(if self.$list.is_empty() { self.$list = file.$list; })*
                $(self.$flag |= file.$flag;)*
            };
        }
        or!(
            root http pg unix tls_cert tls_key users max_clients client_memory statement_timeout
            transaction_timeout idle_timeout max_db_size max_temp max_rows max_bytes metrics
            slow_statement log_format;
            databases load extension_dir grant allow_host;
            insecure read_only fast_commits no_checkpoints no_ui no_second_wall
        );
        self
    }

    fn checked(mut self) -> Result<Self> {
        if self.http.is_none() && self.pg.is_none() && self.unix.is_none() {
            self.http = Some(DEFAULT_HTTP);
        }
        ensure!(
            self.root.is_some() != !self.databases.is_empty(),
            "name the databases to serve, or their directory by `--root DIR`"
        );
        ensure!(
            self.tls_cert.is_some() == self.tls_key.is_some(),
            "`tls-cert` and `tls-key` belong together"
        );
        self.check_addresses()?;
        Ok(self)
    }

    /// Beyond loopback a server has users, and does not show their tokens to the network.
    fn check_addresses(&self) -> Result<()> {
        let is_open =
            |address: Option<SocketAddr>| address.is_some_and(|at| !at.ip().is_loopback());
        if is_open(self.http) || is_open(self.pg) {
            ensure!(self.users.is_some(), "without `--users` only loopback addresses are allowed");
            ensure!(
                self.tls_cert.is_some() || self.insecure,
                "tokens and passwords need TLS: `--tls-cert` and `--tls-key`, or `--insecure`"
            );
        }
        ensure!(
            !is_open(self.metrics) || self.insecure,
            "the counters need no token: `--metrics` beyond loopback needs `--insecure`"
        );
        Ok(())
    }

    /// The limits, with their defaults.
    ///
    /// # Errors
    ///
    /// Where one is 0.
    pub fn limits(&self) -> Result<Limits> {
        let time = |time: Option<Time>, seconds| time.map_or(Duration::from_secs(seconds), |t| t.0);
        let limits = Limits {
            clients: self.max_clients.unwrap_or(100).into(),
            memory: self.client_memory.map_or(64 << 20, |size| size.0).try_into()?,
            statement: time(self.statement_timeout, 10),
            transaction: time(self.transaction_timeout, 30),
            idle: time(self.idle_timeout, 60),
            rows: self.max_rows.unwrap_or(100_000),
            bytes: self.max_bytes.map_or(16 << 20, |size| size.0),
            temporary: self.max_temp.map(|size| size.0),
            slow: self.slow_statement.map(|time| time.0),
        };
        for (option, value) in [
            ("max-clients", limits.clients as u64),
            ("client-memory", limits.memory as u64),
            ("max-temp", limits.temporary.unwrap_or(1)),
            ("max-rows", limits.rows),
            ("max-bytes", limits.bytes),
            ("max-db-size", self.max_db_size()),
        ] {
            ensure!(value > 0, "`--{option}` must be at least 1");
        }
        Ok(limits)
    }

    /// Whether the Postgres wire is served.
    pub fn has_postgres(&self) -> bool {
        self.pg.is_some() || self.unix.is_some()
    }

    /// Largest size of a database, in bytes.
    pub fn max_db_size(&self) -> u64 {
        self.max_db_size.map_or(16 << 30, |size| size.0)
    }
}

/// Longest file of options, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

fn read(path: &Path) -> Result<Settings> {
    let shown = escaped(path);
    // It names the file of users, too.
    let text = read_trusted(path, MAX_FILE_BYTES);
    let text = text.with_context(|| format!("failed to read the options of `{shown}`"))?;
    let read = toml::from_str(&text).map_err(|error| wrong_toml(&text, &error));
    read.with_context(|| format!("`{shown}` has a wrong option"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(words: &[&str], file: &str) -> Result<Settings> {
        let words = ["serve"].iter().chain(words);
        let settings = Settings::try_parse_from(words)?.or(toml::from_str(file)?);
        settings.checked()
    }

    #[test]
    fn the_command_line_goes_first() {
        let file = "databases = ['b.db']\nmax-rows = 5\nstatement-timeout = '3s'\nread-only = true";
        // A database instead of a directory, and a directory instead of databases.
        assert_eq!(resolved(&["a.db"], "root = '/x'").unwrap().root, None);
        let by_root = resolved(&["--root", "/x"], "databases = ['b.db']").unwrap();
        assert!(by_root.root.is_some() && by_root.databases.is_empty());
        let settings = resolved(&["a.db", "--statement-timeout", "500ms"], file).unwrap();
        assert_eq!(settings.databases, [PathBuf::from("a.db")]);
        let limits = settings.limits().unwrap();
        assert_eq!((limits.rows, limits.statement), (5, Duration::from_millis(500)));
        assert!(settings.read_only);
        assert_eq!(settings.http, Some(DEFAULT_HTTP));
    }

    #[test]
    fn numbers_are_bytes_and_seconds() {
        let file =
            "client-memory = 33554432\nmax-bytes = '1M'\nidle-timeout = 5\nstatement-timeout = 0.5";
        let limits = resolved(&["a.db"], file).unwrap().limits().unwrap();
        assert_eq!((limits.memory, limits.bytes), (32 << 20, 1 << 20));
        assert_eq!(
            (limits.idle, limits.statement),
            (Duration::from_secs(5), Duration::from_millis(500))
        );
        assert!(resolved(&["a.db"], "client-memory = -1").is_err());
    }

    #[test]
    fn unsafe_addresses_are_refused() {
        let public = &["a.db", "--http", "0.0.0.0:80"];
        assert!(resolved(public, "").unwrap_err().to_string().contains("loopback"));
        assert!(resolved(public, "users = 'u'").unwrap_err().to_string().contains("TLS"));
        assert!(resolved(public, "users = 'u'\ninsecure = true").is_ok());
        assert!(resolved(public, "users = 'u'\ntls-cert = 'c'\ntls-key = 'k'").is_ok());
        assert!(resolved(&["a.db", "--pg", "0.0.0.0:80"], "").is_err());
        assert!(resolved(&["a.db", "--metrics", "0.0.0.0:9"], "").is_err());
        assert!(resolved(&["a.db", "--http", "[::1]:0"], "").is_ok());
    }

    #[test]
    fn wrong_options_are_named() {
        assert!(resolved(&[], "").is_err());
        assert!(resolved(&[], "root = '/x'\ndatabases = ['a.db']").is_err());
        for zero in ["max-clients", "max-rows", "max-bytes", "max-temp", "max-db-size"] {
            let error = resolved(&["a.db"], &format!("{zero} = 0")).and_then(|all| all.limits());
            assert!(format!("{:?}", error.unwrap_err()).contains("at least"), "{zero}");
        }
        assert!(resolved(&["a.db"], "tls-cert = 'c'").is_err());
        assert!(resolved(&["a.db"], "no-such-option = 1").is_err());
        assert!(resolved(&["a.db"], "client-memory = '5X'").is_err());
    }
}
