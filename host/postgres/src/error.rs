//! Errors with a SQLSTATE.

mod messages;
pub mod sqlstate;

use std::fmt;

use wire::code;

/// A result, or an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a client is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The SQLSTATE.
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// More of it.
    pub detail: Option<String>,
    /// What to do.
    pub hint: Option<String>,
    /// The character of the statement, from 1.
    pub position: Option<usize>,
    /// What is violated and where, for programs.
    pub violated: Option<Box<Violated>>,
}

/// The objects of a violated constraint, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violated {
    /// The table.
    pub table: Option<String>,
    /// The column that must not be NULL.
    pub column: Option<String>,
    /// The name of the constraint.
    pub constraint: Option<String>,
    /// Where it was found: a line of COPY.
    pub context: Option<String>,
    /// PostgreSQL's routine that reports it.
    pub routine: Option<&'static str>,
}

impl Error {
    /// An error with this SQLSTATE.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        let (detail, hint, position, violated) = Default::default();
        Self { code, message: message.into(), detail, hint, position, violated }
    }

    /// What SQLite cannot do, and nothing here rewrites.
    pub fn unsupported(construct: impl fmt::Display) -> Self {
        let message = format!("{construct} is not supported");
        Self::new(sqlstate::FEATURE_NOT_SUPPORTED, message)
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with a detail.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// The same where this was found.
    #[must_use]
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.violated.get_or_insert_default().context = Some(context.into());
        self
    }

    /// The same of this routine of PostgreSQL: programs use it to distinguish errors with one SQLSTATE.
    #[must_use]
    pub fn routine(mut self, routine: &'static str) -> Self {
        self.violated.get_or_insert_default().routine = Some(routine);
        self
    }

    /// PostgreSQL's routine that reports it, where programs know that.
    pub fn reported_by(&self) -> Option<&'static str> {
        let own = self.violated.as_ref().and_then(|violated| violated.routine);
        own.or_else(|| {
            ROUTINES.iter().find(|(code, _)| *code == self.code).map(|(_, routine)| *routine)
        })
    }

    /// The same at this byte of a statement.
    #[must_use]
    pub fn at(mut self, sql: &str, offset: usize) -> Self {
        self.position = sql.get(..offset).map(|before| before.chars().count() + 1);
        self
    }

    /// The columns of a violated key, as SQLite names them: `t.a, t.b`. The schema knows its name.
    #[must_use]
    pub fn key_columns(&self) -> Option<&str> {
        let subject = subject(self.detail.as_deref()?)?;
        let is_key = self.code == sqlstate::UNIQUE_VIOLATION && !subject.starts_with("index ");
        is_key.then_some(subject)
    }

    /// The same for the key with this name.
    #[must_use]
    pub fn of_key(mut self, name: String) -> Self {
        (self.message, self.detail) = (duplicate(&name), None);
        if let Some(violated) = &mut self.violated {
            violated.constraint = Some(name);
        }
        self
    }

    /// The same of a row of this table, whose condition is violated.
    #[must_use]
    pub fn of_check(mut self, table: &str) -> Self {
        let violated = self.violated.get_or_insert_default();
        violated.table.get_or_insert_with(|| table.to_owned());
        let name = violated.constraint.as_deref().unwrap_or_default();
        self.message =
            format!("new row for relation \"{table}\" violates check constraint \"{name}\"");
        self.detail = None;
        self
    }

    /// The same of a constraint of a table, or of a column that is NULL.
    #[must_use]
    pub fn of_constraint(mut self, table: &str, name: Option<&str>, column: Option<&str>) -> Self {
        let violated = self.violated.get_or_insert_default();
        violated.table = Some(table.to_owned());
        violated.constraint = name.map(str::to_owned);
        violated.column = column.map(str::to_owned);
        self
    }

    /// The same of a foreign key with this name.
    #[must_use]
    pub fn of_reference(
        mut self,
        message: String,
        table: &str,
        name: String,
        detail: String,
    ) -> Self {
        let violated = self.violated.get_or_insert_default();
        (violated.table, violated.constraint) = (Some(table.to_owned()), Some(name));
        (self.message, self.detail) = (message, Some(detail));
        self
    }

    /// SQLite's error, by its extended result code.
    pub fn of_sqlite(extended_code: i32, message: &str) -> Self {
        if let Some((code, message)) = sqlstate::split(message) {
            return Self::new(code, message);
        }
        if message.starts_with("pg_") && message.ends_with("may not be used as a window function") {
            return Self::unsupported("this aggregate over a window");
        }
        of_constraint(extended_code, message).unwrap_or_else(|| {
            let code = match code::primary(extended_code) {
                code::ERROR => messages::code(message),
                _ => of_code(extended_code),
            };
            Self::new(code, of_postgres(message).unwrap_or_else(|| message.to_owned()))
        })
    }
}

/// PostgreSQL's routines that report errors of one kind.
const ROUTINES: &[(&str, &str)] = &[
    (sqlstate::UNIQUE_VIOLATION, "_bt_check_unique"),
    (sqlstate::FOREIGN_KEY_VIOLATION, "ri_ReportViolation"),
    (sqlstate::NOT_NULL_VIOLATION, "ExecConstraints"),
    (sqlstate::CHECK_VIOLATION, "ExecConstraints"),
    (sqlstate::UNDEFINED_TABLE, "parserOpenTable"),
    (sqlstate::UNDEFINED_COLUMN, "errorMissingColumn"),
    (sqlstate::UNDEFINED_FUNCTION, "ParseFuncOrColumn"),
    (sqlstate::SYNTAX_ERROR, "scanner_yyerror"),
    (sqlstate::DEADLOCK_DETECTED, "DeadLockReport"),
    (sqlstate::QUERY_CANCELED, "ProcessInterrupts"),
];

/// SQLite's message in Postgres' words, which some programs look for.
fn of_postgres(message: &str) -> Option<String> {
    let relation = |name: &str| format!("relation \"{name}\" does not exist");
    if let Some(name) = message.strip_prefix("no such table: ") {
        return Some(relation(name.strip_prefix("main.").unwrap_or(name)));
    }
    if let Some(name) = message.strip_prefix("no such column: ") {
        let is_qualified = name.contains('.');
        let name = if is_qualified { name.to_owned() } else { format!("\"{name}\"") };
        return Some(format!("column {name} does not exist"));
    }
    if let Some(name) = message.strip_prefix("no such savepoint: ") {
        return Some(format!("savepoint \"{name}\" does not exist"));
    }
    if let Some(name) = message.strip_prefix("no such function: ") {
        return Some(format!("function {name} does not exist"));
    }
    if message == "row value misused" {
        return Some("a row as a value is not supported".to_owned());
    }
    let (kind, rest) = message.split_once(' ')?;
    let name = rest.strip_suffix(" already exists").filter(|_| matches!(kind, "table" | "view"))?;
    Some(format!("relation \"{}\" already exists", name.trim_matches('"')))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (SQLSTATE {})", self.message, self.code)
    }
}

impl std::error::Error for Error {}

fn of_code(extended: i32) -> &'static str {
    match code::primary(extended) {
        // The transaction began before another one's commit.
        code::BUSY if extended == code::BUSY_SNAPSHOT => sqlstate::SERIALIZATION_FAILURE,
        code::BUSY => sqlstate::LOCK_NOT_AVAILABLE,
        // A code that is not known may end in the same bits.
        code::PROTOCOL if extended == code::PROTOCOL => sqlstate::LOCK_NOT_AVAILABLE,
        code::LOCKED => sqlstate::OBJECT_IN_USE,
        code::NOMEM => sqlstate::OUT_OF_MEMORY,
        code::READONLY => sqlstate::READ_ONLY_TRANSACTION,
        code::ABORT | code::INTERRUPT => sqlstate::QUERY_CANCELED,
        code::IOERR | code::CANTOPEN => sqlstate::IO_ERROR,
        code::CORRUPT | code::NOTADB => sqlstate::DATA_CORRUPTED,
        code::FULL => sqlstate::DISK_FULL,
        code::SCHEMA => sqlstate::SERIALIZATION_FAILURE,
        code::TOOBIG => sqlstate::PROGRAM_LIMIT_EXCEEDED,
        code::CONSTRAINT => sqlstate::INTEGRITY_VIOLATION,
        code::MISMATCH => sqlstate::DATATYPE_MISMATCH,
        code::PERM | code::AUTH => sqlstate::INSUFFICIENT_PRIVILEGE,
        code::RANGE => sqlstate::UNDEFINED_PARAMETER,
        _ => sqlstate::INTERNAL_ERROR,
    }
}

/// Constraints in Postgres' words, with the names that it would have given them.
fn of_constraint(extended: i32, message: &str) -> Option<Error> {
    let subject = subject(message).unwrap_or_default();
    let mut violated = Violated::default();
    let (code, text) = match extended {
        code::CONSTRAINT_UNIQUE | code::CONSTRAINT_PRIMARYKEY | code::CONSTRAINT_ROWID => {
            let name = key_name(subject, extended != code::CONSTRAINT_UNIQUE);
            violated.table = subject.split_once('.').map(|(table, _)| table.to_owned());
            violated.constraint = Some(name.clone());
            (sqlstate::UNIQUE_VIOLATION, duplicate(&name))
        }
        code::CONSTRAINT_NOTNULL => {
            let (table, column) = subject.rsplit_once('.')?;
            (violated.table, violated.column) = (Some(table.to_owned()), Some(column.to_owned()));
            let text = format!(
                "null value in column \"{column}\" of relation \"{table}\" violates not-null constraint"
            );
            (sqlstate::NOT_NULL_VIOLATION, text)
        }
        code::CONSTRAINT_CHECK => {
            // That of a generated column has the name of its error.
            if let Some((code, text)) = sqlstate::split(subject) {
                return Some(Error::new(code, text));
            }
            violated.constraint = Some(subject.to_owned());
            (sqlstate::CHECK_VIOLATION, format!("new row violates check constraint \"{subject}\""))
        }
        // A key with RESTRICT is a trigger of SQLite's own.
        _ if message == "FOREIGN KEY constraint failed" => (
            sqlstate::FOREIGN_KEY_VIOLATION,
            "statement violates foreign key constraint".to_owned(),
        ),
        code::CONSTRAINT_DATATYPE => (sqlstate::DATATYPE_MISMATCH, message.to_owned()),
        _ => return None,
    };
    let error = Error::new(code, text).detail(message);
    Some(Error { violated: Some(Box::new(violated)), ..error })
}

/// What SQLite says has failed.
fn subject(message: &str) -> Option<&str> {
    message.split_once("failed: ").map(|(_, subject)| subject)
}

fn duplicate(name: &str) -> String {
    format!("duplicate key value violates unique constraint \"{name}\"")
}

/// `t_pkey`, or `t_a_b_key` for `t.a, t.b`.
fn key_name(subject: &str, is_primary: bool) -> String {
    if let Some(index) = subject.strip_prefix("index ") {
        return index.trim_matches('\'').to_owned();
    }
    let parts: Vec<_> = subject.split(", ").filter_map(|part| part.rsplit_once('.')).collect();
    let table = parts.first().map_or("", |part| part.0);
    if is_primary {
        return format!("{table}_pkey");
    }
    let columns: Vec<_> = parts.iter().map(|part| part.1).collect();
    format!("{table}_{}_key", columns.join("_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_messages_have_their_sqlstates() {
        for (code, message, state) in [
            (2067, "UNIQUE constraint failed: t.a, t.b", "23505"),
            (787, "FOREIGN KEY constraint failed", "23503"),
            (1299, "NOT NULL constraint failed: t.a", "23502"),
            (275, "CHECK constraint failed: a > 0", "23514"),
            (517, "database is locked", "40001"),
            (5, "database is locked", "55P03"),
            (9, "interrupted", "57014"),
            (7, "out of memory", "53200"),
            (8, "attempt to write a readonly database", "25006"),
            (1, "near \"x\": syntax error", "42601"),
            (1, "no such table: x", "42P01"),
            (1, "no such column: x", "42703"),
            (1, "no such function: x", "42883"),
            (1, "table x already exists", "42P07"),
            (13, "database or disk is full", "53100"),
            (9999, "what", "XX000"),
        ] {
            assert_eq!(Error::of_sqlite(code, message).code, state, "{message}");
        }
    }

    #[test]
    fn messages_have_the_words_of_postgres() {
        for (sqlite, postgres) in [
            ("no such table: main.x", "relation \"x\" does not exist"),
            ("no such column: x", "column \"x\" does not exist"),
            ("no such column: t.x", "column t.x does not exist"),
            ("table x already exists", "relation \"x\" already exists"),
            ("trigger x already exists", "trigger x already exists"),
        ] {
            assert_eq!(Error::of_sqlite(1, sqlite).message, postgres);
        }
    }

    #[test]
    fn keys_have_the_names_of_postgres() {
        let message = |code, text| Error::of_sqlite(code, text).message;
        assert!(message(2067, "UNIQUE constraint failed: t.a, t.b").contains("\"t_a_b_key\""));
        assert!(message(1555, "UNIQUE constraint failed: t.a").contains("\"t_pkey\""));
        assert!(message(2067, "UNIQUE constraint failed: index 'i'").contains("\"i\""));
    }

    #[test]
    fn positions_count_characters_from_one() {
        let error = Error::new("42601", "x").at("é x", 3);
        assert_eq!(error.position, Some(3));
        assert_eq!(Error::new("42601", "x").at("é", 1).position, None);
    }
}
