//! Errors of SQLite as an agent needs them: the position, and the names that were perhaps meant. They
//! never show a path, nor a name that is hidden.

use std::fmt::Write;

use sqlite_sandbox::{Error, ErrorCode};
use sqlite_wasm_runtime::words::complaint::complain;

use crate::calls::Failure;
use crate::catalog::Catalog;

/// How alike two names are that one may be meant by the other, from 0 to 1.
const ALIKE: f64 = 0.75;

/// Names that a hint has at most.
const MAX_NAMES: usize = 5;

/// Characters of a statement around an error that a hint shows, on each side.
const AROUND: usize = 30;

/// What an agent learns about a failure of `sql`.
pub fn failure(error: &Error, sql: &str, catalog: &Catalog) -> Failure {
    let code = code(error);
    let mut message = match error {
        Error::SqlInputError { msg, .. } => msg.clone(),
        Error::SqliteFailure(_, Some(message)) if !is_of_a_file(error) => {
            without_check(message, catalog)
        }
        Error::SqliteFailure(..) => reason(error).to_owned(),
        Error::Sandbox(_) => {
            "the sandbox could not be started; standard error of the server says why".to_owned()
        }
        Error::MultipleStatement => {
            "one statement is expected, and the text has several".to_owned()
        }
        Error::Trapped(_) | Error::MalformedReply => {
            "the sandbox has ended: the statement, or the database, broke it".to_owned()
        }
        error => error.to_string(),
    };
    if let Error::Sandbox(error) = error {
        complain(format!("sqlite-wasm-mcp: {error:#}"));
    }
    if let Error::SqlInputError { offset, .. } = error {
        add_position(&mut message, sql, *offset);
    }
    add_names(&mut message, error, sql, catalog);
    Failure { code, message }
}

fn code(error: &Error) -> &'static str {
    match error {
        Error::LimitReached(_) => "LIMIT_REACHED",
        Error::Trapped(_) | Error::MalformedReply => "SANDBOX_TRAPPED",
        Error::Sandbox(_) => "SANDBOX",
        _ => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => "BUSY",
            Some(ErrorCode::ConstraintViolation) => "CONSTRAINT",
            Some(ErrorCode::OperationInterrupted) => "CANCELLED",
            Some(ErrorCode::AuthorizationForStatementDenied) => "NOT_PERMITTED",
            _ => "ERROR",
        },
    }
}

/// Whether the message may be about a file, of which an agent knows only the name of the database.
fn is_of_a_file(error: &Error) -> bool {
    use ErrorCode as Code;
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(
            Code::CannotOpen
                | Code::SystemIoFailure
                | Code::NotADatabase
                | Code::ReadOnly
                | Code::DiskFull
        )
    )
}

fn reason(error: &Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen) => "the database cannot be opened",
        Some(ErrorCode::SystemIoFailure) => "the disk has failed",
        Some(ErrorCode::NotADatabase) => "the file is not a database",
        Some(ErrorCode::ReadOnly) => "the database can only be read",
        Some(ErrorCode::DiskFull) => {
            "the database has reached its largest size, or the disk is full"
        }
        _ => "SQLite has failed without a reason",
    }
}

/// The text of a CHECK is part of the schema, which may be hidden.
fn without_check(message: &str, catalog: &Catalog) -> String {
    const CHECK: &str = "CHECK constraint failed";
    if catalog.has_lists() && message.starts_with(CHECK) {
        CHECK.to_owned()
    } else {
        message.to_owned()
    }
}

fn add_position(message: &mut String, sql: &str, offset: i32) {
    let Some((before, after)) =
        usize::try_from(offset).ok().and_then(|offset| sql.split_at_checked(offset))
    else {
        return;
    };
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let left: Vec<char> = before.chars().rev().take(AROUND).collect();
    let left: String = left.into_iter().rev().collect();
    let right: String = after.chars().take(AROUND).collect();
    // A string takes all that is written.
    let _ = write!(message, "\nat line {line}, column {column}: {left}⟶{right}");
}

/// The names that an error may be about.
fn add_names(message: &mut String, error: &Error, sql: &str, catalog: &Catalog) {
    let (Error::SqlInputError { msg, .. } | Error::SqliteFailure(_, Some(msg))) = error else {
        return;
    };
    let missing = |of: &str| {
        msg.strip_prefix(of).map(|rest| rest.split([' ', '"']).find(|word| !word.is_empty()))
    };
    let near = if let Some(Some(name)) = missing("no such table: ") {
        nearest(name, catalog.visible().map(|table| table.name.clone()))
    } else if let Some(Some(name)) = missing("no such column: ") {
        nearest_columns(name, sql, catalog)
    } else if let Some(Some(name)) = missing("no such function: ") {
        nearest(name, FUNCTIONS.iter().map(|name| (*name).to_owned()))
    } else {
        Vec::new()
    };
    if !near.is_empty() {
        let _ = write!(message, "\nperhaps: {}", near.join(", "));
    }
}

/// Functions of other databases have other names; these are the ones most often requested.
const FUNCTIONS: [&str; 24] = [
    "avg",
    "ceil",
    "coalesce",
    "concat",
    "count",
    "date",
    "datetime",
    "floor",
    "group_concat",
    "iif",
    "instr",
    "json_extract",
    "julianday",
    "length",
    "lower",
    "printf",
    "replace",
    "round",
    "strftime",
    "string_agg",
    "substr",
    "trim",
    "unixepoch",
    "upper",
];

fn nearest(name: &str, all: impl Iterator<Item = String>) -> Vec<String> {
    let bare = name.rsplit('.').next().unwrap_or(name).to_lowercase();
    let mut found: Vec<(f64, String)> = all
        .map(|other| {
            (
                strsim::jaro_winkler(
                    &bare,
                    &other.rsplit('.').next().unwrap_or(&other).to_lowercase(),
                ),
                other,
            )
        })
        .filter(|(alike, _)| *alike >= ALIKE)
        .collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    found.truncate(MAX_NAMES);
    found.into_iter().map(|(_, name)| name).collect()
}

/// Columns of the tables that the statement names come first; then those of others.
fn nearest_columns(name: &str, sql: &str, catalog: &Catalog) -> Vec<String> {
    let of = |is_named: bool| {
        let tables = catalog.visible().filter(move |table| {
            crate::catalog::mentions(sql, [&table.name.to_ascii_lowercase()]) == is_named
        });
        let columns = tables.flat_map(|table| {
            table.visible().map(move |column| format!("{}.{}", table.name, column.name))
        });
        nearest(name, columns)
    };
    let named = of(true);
    if named.is_empty() { of(false) } else { named }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_a_line_and_a_column() {
        let mut message = String::new();
        add_position(&mut message, "SELECT a,\n  é, nme FROM t", 16);
        assert_eq!(message, "\nat line 2, column 6: SELECT a,\n  é, ⟶nme FROM t");
        let mut message = String::new();
        for wrong in [-1, 1, 99] {
            add_position(&mut message, "é", wrong);
        }
        assert_eq!(message, "");
        add_position(&mut message, "é", 2);
        assert_eq!(message, "\nat line 1, column 2: é⟶");
    }

    #[test]
    fn names_that_are_alike_are_found() {
        let all = || ["users", "orders", "user_log"].into_iter().map(str::to_owned);
        assert_eq!(nearest("usrs", all())[0], "users");
        assert_eq!(nearest("main.Order", all())[0], "orders");
        assert!(nearest("xyz", all()).is_empty());
    }
}
