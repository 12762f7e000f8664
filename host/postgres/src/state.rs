//! The state of a session: its transaction, its settings, and the tags of commands.

mod parameters;
mod promises;
mod settings;
mod units;
mod zones;

use crate::error::{Error, Result, sqlstate};
use crate::translate::{Action, Statement};
pub use parameters::Parameter;
pub use settings::{Row, Settings, Times};
pub use zones::{is_utc, of_interval as zone_of_interval};

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
        let ends = matches!(
            action,
            Action::Commit { .. } | Action::Rollback { .. } | Action::RollbackTo(_)
        );
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
        let outside = |what: &str| {
            let message = format!("{what} can only be used in transaction blocks");
            Plan::Refuse(Error::new(sqlstate::NO_ACTIVE_TRANSACTION, message))
        };
        match (&statement.action, self) {
            (Action::Commit { .. }, Self::Failed) => Plan::Run("ROLLBACK"),
            (Action::Begin(_), Self::Active) => Plan::Warn(
                sqlstate::ACTIVE_TRANSACTION,
                "there is already a transaction in progress",
            ),
            (Action::Commit { chain: true } | Action::Rollback { chain: true }, Self::Idle) => {
                outside(&format!("{} AND CHAIN", statement.command))
            }
            (Action::Commit { .. } | Action::Rollback { .. }, Self::Idle) => {
                Plan::Warn(sqlstate::NO_ACTIVE_TRANSACTION, "there is no transaction in progress")
            }
            (Action::Savepoint(_), Self::Idle) => outside("SAVEPOINT"),
            (Action::Release(_), Self::Idle) => outside("RELEASE SAVEPOINT"),
            (Action::RollbackTo(_), Self::Idle) => outside("ROLLBACK TO SAVEPOINT"),
            _ if statement.sql.is_empty() => Plan::Nothing,
            _ => Plan::Run(&statement.sql),
        }
    }

    /// After a statement that succeeded.
    pub fn after(self, action: &Action) -> Self {
        match action {
            Action::Begin(_) | Action::RollbackTo(_) => Self::Active,
            Action::Commit { chain } | Action::Rollback { chain } => match (self, chain) {
                (Self::Idle, _) | (_, false) => Self::Idle,
                (_, true) => Self::Active,
            },
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
        (_, Action::CloseCursor(None)) => "CLOSE CURSOR ALL".to_owned(),
        ("INSERT", _) => format!("INSERT 0 {rows}"),
        (command @ ("SELECT" | "UPDATE" | "DELETE" | "MERGE" | "FETCH" | "MOVE" | "COPY"), _) => {
            format!("{command} {rows}")
        }
        (command, _) => command.to_owned(),
    }
}

/// The settings that the server sends when a session begins, and when they change, as they are
/// written there.
pub const REPORTED: &[&str] = &[
    "application_name",
    "client_encoding",
    "DateStyle",
    "default_transaction_read_only",
    "in_hot_standby",
    "integer_datetimes",
    "IntervalStyle",
    "is_superuser",
    "server_encoding",
    "server_version",
    "session_authorization",
    "standard_conforming_strings",
    "TimeZone",
];

/// The name of a setting, as SHOW names its column.
pub fn shown_name(name: &str) -> String {
    parameters::named(name).map_or_else(|| name.to_lowercase(), |known| known.name.to_owned())
}

#[cfg(test)]
mod tests;
