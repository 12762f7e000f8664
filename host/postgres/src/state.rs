//! The state of a session: its transaction, its settings, and the tags of commands.

mod times;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::error::{Error, Result, sqlstate};
use crate::translate::{Action, Statement};

/// `server_version`: the version whose catalogue and messages are followed.
pub const VERSION: &str = "15.0";

/// What `version()` is.
pub const VERSION_TEXT: &str = "PostgreSQL 15.0 (sqlite-wasm-run, SQLite in WebAssembly)";

/// What a session runs on its connection before anything else.
///
/// Foreign keys are checked. (Names in double quotes reach SQLite in backticks, so that one that nothing
/// has is an error: see `lex.rs`.)
pub const SETUP: &[&str] = &["PRAGMA foreign_keys = ON"];

/// Whether a session is in a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transaction {
    /// In none.
    #[default]
    Idle,
    /// In one.
    Active,
    /// In one that failed: everything but its end is refused.
    Failed,
}

impl Transaction {
    /// The byte of ReadyForQuery.
    pub fn indicator(self) -> u8 {
        match self {
            Self::Idle => b'I',
            Self::Active => b'T',
            Self::Failed => b'E',
        }
    }

    /// Whether a statement may run.
    ///
    /// # Errors
    ///
    /// 25P02 in a transaction that failed, unless the statement ends it.
    pub fn check(self, action: &Action) -> Result<()> {
        let ends = matches!(action, Action::Commit | Action::Rollback | Action::RollbackTo);
        if self != Self::Failed || ends {
            return Ok(());
        }
        let message =
            "current transaction is aborted, commands ignored until end of transaction block";
        Err(Error::new(sqlstate::FAILED_TRANSACTION, message))
    }

    /// What is to be run for it: COMMIT of a transaction that failed is ROLLBACK, and BEGIN in a
    /// transaction, or an end outside one, is only a warning.
    pub fn plan(self, statement: &Statement) -> Plan<'_> {
        match (&statement.action, self) {
            (Action::Commit, Self::Failed) => Plan::Run("ROLLBACK"),
            (Action::Begin { .. }, Self::Active) => Plan::Warn(
                sqlstate::ACTIVE_TRANSACTION,
                "there is already a transaction in progress",
            ),
            (Action::Commit | Action::Rollback, Self::Idle) => {
                Plan::Warn(sqlstate::NO_ACTIVE_TRANSACTION, "there is no transaction in progress")
            }
            (Action::Savepoint | Action::Release | Action::RollbackTo, Self::Idle) => {
                Plan::Refuse(Error::new(
                    sqlstate::NO_ACTIVE_TRANSACTION,
                    format!("{} can only be used in transaction blocks", statement.command),
                ))
            }
            _ if statement.sql.is_empty() => Plan::Nothing,
            _ => Plan::Run(&statement.sql),
        }
    }

    /// After a statement that succeeded.
    pub fn after(self, action: &Action) -> Self {
        match action {
            Action::Begin { .. } | Action::RollbackTo => Self::Active,
            Action::Commit | Action::Rollback => Self::Idle,
            _ => self,
        }
    }

    /// After an error. `is_autocommit` is SQLite's: some errors end its transaction, but the
    /// client's goes on, failed, until it ends it.
    pub fn after_error(self) -> Self {
        if self == Self::Idle { Self::Idle } else { Self::Failed }
    }
}

/// What is to be done for a statement about transactions.
#[derive(Debug, PartialEq, Eq)]
pub enum Plan<'a> {
    /// Run this.
    Run(&'a str),
    /// Run nothing: the statement is one of the session.
    Nothing,
    /// Run nothing, and send a warning.
    Warn(&'static str, &'static str),
    /// Send an error.
    Refuse(Error),
}

/// The tag of a command that has ended.
pub fn tag(statement: &Statement, rows: u64, before: Transaction) -> String {
    match (statement.command.as_str(), &statement.action) {
        ("COMMIT", _) if before == Transaction::Failed => "ROLLBACK".to_owned(),
        (_, Action::Declare { .. }) => "DECLARE CURSOR".to_owned(),
        ("INSERT", _) => format!("INSERT 0 {rows}"),
        (command @ ("SELECT" | "UPDATE" | "DELETE" | "MERGE" | "FETCH" | "MOVE" | "COPY"), _) => {
            format!("{command} {rows}")
        }
        (command, _) => command.to_owned(),
    }
}

/// The settings that clients read or set, and what they are.
const DEFAULTS: &[(&str, &str)] = &[
    ("application_name", ""),
    ("bytea_output", "hex"),
    ("client_encoding", "UTF8"),
    ("client_min_messages", "notice"),
    ("datestyle", "ISO, MDY"),
    ("default_tablespace", ""),
    ("default_table_access_method", "heap"),
    ("default_transaction_isolation", "serializable"),
    ("default_transaction_read_only", "off"),
    ("extra_float_digits", "1"),
    ("idle_in_transaction_session_timeout", "0"),
    ("in_hot_standby", "off"),
    ("integer_datetimes", "on"),
    ("intervalstyle", "postgres"),
    ("is_superuser", "off"),
    ("jit", "off"),
    ("lc_collate", "C"),
    ("lc_ctype", "C"),
    ("lc_messages", "C"),
    ("lock_timeout", "0"),
    ("max_identifier_length", "63"),
    ("max_index_keys", "32"),
    ("row_security", "off"),
    ("search_path", "\"$user\", public"),
    ("server_encoding", "UTF8"),
    ("server_version", VERSION),
    ("server_version_num", "150000"),
    ("session_authorization", "postgres"),
    ("standard_conforming_strings", "on"),
    ("statement_timeout", "0"),
    ("synchronize_seqscans", "on"),
    ("timezone", "UTC"),
    ("transaction_isolation", "serializable"),
    ("transaction_read_only", "off"),
    ("xmloption", "content"),
];

/// The settings that the server sends when a session begins, and when they change, as they are
/// written there.
pub const REPORTED: &[&str] = &[
    "server_version",
    "server_encoding",
    "client_encoding",
    "application_name",
    "is_superuser",
    "session_authorization",
    "DateStyle",
    "IntervalStyle",
    "TimeZone",
    "integer_datetimes",
    "standard_conforming_strings",
];

/// The settings that only the server sets.
const FIXED: &[&str] = &[
    "in_hot_standby",
    "integer_datetimes",
    "is_superuser",
    "lc_collate",
    "lc_ctype",
    "max_identifier_length",
    "max_index_keys",
    "server_encoding",
    "server_version",
    "server_version_num",
    "session_authorization",
];

/// Settings that a client may invent (`my.name`), at most.
const MAX_OWN: usize = 64;

/// Bytes of a value at most.
const MAX_VALUE: usize = 4096;

/// What a session has set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    set: BTreeMap<String, String>,
    /// What they were before the transaction, where `SET LOCAL` changed them.
    local: BTreeMap<String, Option<String>>,
    /// What the server allows of [`STATEMENT`] and [`IDLE`].
    limits: [Option<Duration>; 2],
}

/// The setting that limits a statement, and that which limits the pause in a transaction.
const STATEMENT: &str = "statement_timeout";
const IDLE: &str = "idle_in_transaction_session_timeout";

impl Settings {
    /// Those of a server that limits a statement, and a pause in a transaction.
    pub fn of(statement: Duration, idle: Duration) -> Self {
        Self { limits: [Some(statement), Some(idle)], ..Self::default() }
    }

    /// How long a statement may take; none for any time.
    pub fn statement_time(&self) -> Option<Duration> {
        self.time(STATEMENT)
    }

    /// How long a transaction may wait for its client; none for any time.
    pub fn idle_time(&self) -> Option<Duration> {
        self.time(IDLE)
    }

    fn time(&self, name: &str) -> Option<Duration> {
        let milliseconds = times::milliseconds(&self.show(name).ok()?)?;
        (milliseconds > 0).then(|| Duration::from_millis(milliseconds))
    }

    /// A setting as it holds: a time is within the server's limit.
    fn held(&self, name: &str, value: &str) -> String {
        let limit = match name {
            STATEMENT => self.limits[0],
            IDLE => self.limits[1],
            _ => return value.to_owned(),
        };
        times::shown(times::within(limit, times::milliseconds(value).unwrap_or(0)))
    }

    /// A setting.
    ///
    /// # Errors
    ///
    /// 42704 where there is none.
    pub fn show(&self, name: &str) -> Result<String> {
        let name = name.to_lowercase();
        let default = || DEFAULTS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let found = self.set.get(&name).map(String::as_str).or_else(default);
        found.map(|value| self.held(&name, value)).ok_or_else(|| {
            let message = format!("unrecognized configuration parameter \"{name}\"");
            Error::new(sqlstate::UNDEFINED_OBJECT, message)
        })
    }

    /// All settings: those of Postgres, and what the client has set.
    pub fn all(&self) -> impl Iterator<Item = (String, String)> {
        let names = DEFAULTS.iter().map(|(name, _)| *name);
        let names: BTreeSet<_> = names.chain(self.set.keys().map(String::as_str)).collect();
        names.into_iter().filter_map(|name| Some((name.to_owned(), self.show(name).ok()?)))
    }

    /// Set a setting; none for its default.
    ///
    /// # Errors
    ///
    /// 42704 where there is none, and 22023 where it cannot have this value.
    pub fn set(&mut self, name: &str, value: Option<&str>, is_local: bool) -> Result<()> {
        let name = name.to_lowercase();
        let value = value.map(|value| checked(&name, value)).transpose()?;
        if FIXED.contains(&name.as_str()) {
            let message = format!("parameter \"{name}\" cannot be changed");
            return Err(Error::new("55P02", message));
        }
        if !name.contains('.') {
            self.show(&name)?;
        } else if self.set.len() >= MAX_OWN && !self.set.contains_key(&name) {
            return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "too many settings"));
        }
        let before = match value {
            Some(value) => self.set.insert(name.clone(), value),
            None => self.set.remove(&name),
        };
        if is_local {
            self.local.entry(name).or_insert(before);
        }
        Ok(())
    }

    /// `RESET ALL`.
    pub fn reset(&mut self) {
        *self = Self { limits: self.limits, ..Self::default() };
    }

    /// The end of a transaction: what `SET LOCAL` changed is as before. Whether that was something.
    pub fn end_transaction(&mut self) -> bool {
        let is_some = !self.local.is_empty();
        for (name, before) in std::mem::take(&mut self.local) {
            match before {
                Some(value) => self.set.insert(name, value),
                None => self.set.remove(&name),
            };
        }
        is_some
    }
}

/// A name of UTC.
pub fn is_utc(zone: &str) -> bool {
    let zone = zone.trim_matches('\'').to_ascii_lowercase();
    matches!(
        zone.as_str(),
        "utc"
            | "gmt"
            | "etc/utc"
            | "etc/gmt"
            | "z"
            | "zulu"
            | "+00"
            | "+00:00"
            | "0"
            | "universal"
            | "uct"
    )
}

/// A value that the wire can keep.
fn checked(name: &str, value: &str) -> Result<String> {
    let lower = value.to_ascii_lowercase();
    let (is_possible, kept) = match name {
        "client_encoding" => {
            (matches!(lower.as_str(), "utf8" | "utf-8" | "unicode" | "sql_ascii"), "UTF8")
        }
        "timezone" => (is_utc(value), "UTC"),
        "datestyle" => (lower.starts_with("iso"), "ISO, MDY"),
        "standard_conforming_strings" => (matches!(lower.as_str(), "on" | "true" | "1"), "on"),
        "bytea_output" => (lower == "hex", "hex"),
        STATEMENT | IDLE | "lock_timeout" => (times::milliseconds(value).is_some(), value),
        "intervalstyle" => (lower == "postgres", "postgres"),
        _ => (value.len() <= MAX_VALUE, value),
    };
    if is_possible {
        return Ok(kept.to_owned());
    }
    let name = REPORTED.iter().find(|known| known.eq_ignore_ascii_case(name)).unwrap_or(&name);
    let shown: String = value.chars().take(100).collect();
    let message = format!("invalid value for parameter \"{name}\": \"{shown}\"");
    Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message))
}

#[cfg(test)]
mod tests;
