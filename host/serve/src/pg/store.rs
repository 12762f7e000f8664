//! The state of a session between two messages: prepared statements, portals and cursors.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

use sqlite_sandbox::types::Value;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::{self, Action};
use sqlite_wasm_postgres::types::infer::Output;
use sqlite_wasm_postgres::types::parameters::Parameter;
use sqlite_wasm_postgres::values::Format;
use sqlite_wasm_postgres::{Error, Result};

use super::cursor::Cursor;

/// Prepared statements of a session, and the bytes of their texts at most. Drivers keep a few
/// hundred. A parsed statement takes about a hundred times its text.
const MAX_STATEMENTS: usize = 1000;
const MAX_TEXT_BYTES: usize = 1 << 20;

/// Bytes of SQL at most: parsed, it takes about a hundred times as much.
const MAX_SQL_BYTES: usize = 1 << 20;

/// Portals and cursors of a session at most.
const MAX_PORTALS: usize = 64;
const MAX_CURSORS: usize = 16;

/// A statement, its parameters and its columns.
#[derive(Debug)]
pub struct Analysed {
    /// What the client sent: its whole message, but for other statements there.
    pub text: String,
    pub statement: translate::Statement,
    pub parameters: Vec<Parameter>,
    pub columns: Vec<Output>,
    /// The OID of the table, and the position there, of each column that is one of a table; 0 for others.
    pub origins: Vec<(u32, i16)>,
    /// That of the schema that the columns were last compared with.
    pub generation: Cell<u64>,
    /// The same for the tables as they are now; `None` if nothing in it would differ.
    pub again: RefCell<Prepared>,
    /// Whether it may read what the session has open and prepared.
    pub lists: bool,
    /// Whether it returns a row for each that it changes, which are counted: SQLite counts none of a view.
    pub counts: bool,
    /// Whether its rows have no columns.
    pub has_no_columns: bool,
}

impl Analysed {
    /// Whether it returns rows to the client.
    pub fn returns_rows(&self) -> bool {
        self.has_no_columns || !self.columns.is_empty()
    }

    /// The same with another translation.
    pub fn renewed(&self, statement: translate::Statement, parameters: Vec<Parameter>) -> Self {
        Self {
            text: self.text.clone(),
            statement,
            parameters,
            columns: self.columns.clone(),
            origins: self.origins.clone(),
            generation: self.generation.clone(),
            again: RefCell::default(),
            lists: self.lists,
            counts: self.counts,
            has_no_columns: self.has_no_columns,
        }
    }

    /// Check that a statement of the simple protocol has no parameters, since nothing gives them values.
    ///
    /// # Errors
    ///
    /// 42P02.
    pub fn check_complete(&self) -> Result<()> {
        // A statement that is prepared has its own.
        if self.statement.parameters > 0 && !matches!(self.statement.action, Action::Prepare { .. })
        {
            Err(Error::new(sqlstate::UNDEFINED_PARAMETER, "there is no parameter $1"))
        } else {
            Ok(())
        }
    }
}

/// A prepared statement; `None` for an empty one.
pub type Prepared = Option<Rc<Analysed>>;

/// A prepared statement under its name.
#[derive(Debug)]
pub struct Statement {
    pub prepared: Prepared,
    /// The bytes of its texts.
    length: usize,
    /// The text of PREPARE; `None` if a message of the protocol has prepared it.
    pub sql: Option<String>,
    /// When the statement began that has prepared it.
    pub begun: Instant,
    /// How often it was given values.
    pub runs: Cell<u64>,
}

impl Statement {
    /// What the protocol has prepared, of a text of this length.
    pub fn new(prepared: Prepared, length: usize, begun: Instant) -> Self {
        Self { prepared, length, sql: None, begun, runs: Cell::default() }
    }

    /// What PREPARE has prepared, which is `sql`.
    pub fn of_sql(prepared: Prepared, sql: String, begun: Instant) -> Self {
        let length = sql.len();
        Self { sql: Some(sql), ..Self::new(prepared, length, begun) }
    }
}

/// A statement with its values.
#[derive(Debug)]
pub struct Portal {
    pub prepared: Prepared,
    pub values: Vec<Value>,
    pub formats: Vec<Format>,
    /// The rows that were not fetched, as messages, and where the next one begins; none before it has run.
    pub rest: Option<(Vec<u8>, usize)>,
    /// How many savepoints the transaction had when it was made.
    pub savepoints: usize,
    /// When it was made.
    pub begun: Instant,
}

/// The state of a session.
#[derive(Debug, Default)]
pub struct Store {
    pub(super) statements: HashMap<String, Statement>,
    text_bytes: usize,
    pub(super) portals: HashMap<String, Portal>,
    pub cursors: HashMap<String, Cursor>,
    /// The row in `pg_cursors` of the portal that is executed, which is not in `portals` meanwhile.
    pub running: Option<serde_json::Value>,
}

/// Whether a text is short enough to be parsed.
///
/// # Errors
///
/// 54000 for a text that is too long.
pub fn check_length(sql: &str) -> Result<(), Error> {
    if sql.len() > MAX_SQL_BYTES {
        let message = format!("a statement has at most {MAX_SQL_BYTES} bytes");
        Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message).hint("use COPY"))
    } else {
        Ok(())
    }
}

fn full(what: &str) -> Error {
    Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, format!("too many {what}"))
}

impl Store {
    /// Keep a statement. That without a name replaces the last one.
    ///
    /// # Errors
    ///
    /// 42P05 where there is one with its name, 54000 where there are too many.
    pub fn prepare(&mut self, name: &str, mut statement: Statement) -> Result<()> {
        if name.is_empty() {
            self.forget("");
        }
        if self.statements.contains_key(name) {
            let message = format!("prepared statement \"{name}\" already exists");
            return Err(Error::new("42P05", message));
        }
        statement.length += name.len();
        let bytes = self.text_bytes + statement.length;
        if self.statements.len() >= MAX_STATEMENTS || bytes > MAX_TEXT_BYTES {
            return Err(full("prepared statements").hint("deallocate some"));
        }
        self.text_bytes = bytes;
        self.statements.insert(name.to_owned(), statement);
        Ok(())
    }

    /// A prepared statement.
    ///
    /// # Errors
    ///
    /// 26000 if it does not exist.
    pub fn prepared(&self, name: &str) -> Result<&Statement> {
        self.statements.get(name).ok_or_else(|| {
            let which = if name.is_empty() {
                "unnamed prepared statement".to_owned()
            } else {
                format!("prepared statement \"{name}\"")
            };
            Error::new("26000", format!("{which} does not exist"))
        })
    }

    /// Forget a prepared statement: whether there was one.
    pub fn forget(&mut self, name: &str) -> bool {
        let Some(statement) = self.statements.remove(name) else { return false };
        self.text_bytes -= statement.length;
        true
    }

    /// Forget all prepared statements.
    pub fn forget_all(&mut self) {
        self.statements.clear();
        self.text_bytes = 0;
    }

    /// Keep a portal. That without a name replaces the last one.
    ///
    /// # Errors
    ///
    /// 42P03 where there is one with its name, 54000 where there are too many.
    pub fn open(&mut self, name: &str, portal: Portal) -> Result<()> {
        if !name.is_empty() {
            self.check_free(name)?;
        }
        if self.portals.len() >= MAX_PORTALS {
            return Err(full("portals"));
        }
        self.portals.insert(name.to_owned(), portal);
        Ok(())
    }

    /// A portal, which is to be given back.
    ///
    /// # Errors
    ///
    /// 34000 if it does not exist.
    pub fn take_portal(&mut self, name: &str) -> Result<Portal> {
        let none = || Error::new("34000", format!("portal \"{name}\" does not exist"));
        self.portals.remove(name).ok_or_else(none)
    }

    /// Give a portal back.
    pub fn keep_portal(&mut self, name: &str, portal: Portal) {
        self.portals.insert(name.to_owned(), portal);
    }

    pub fn close_portal(&mut self, name: &str) {
        self.portals.remove(name);
    }

    /// The bytes of the rows that wait in portals and cursors, and of the portals' values.
    pub fn waiting_bytes(&self) -> usize {
        let portals = self.portals.values();
        let portals = portals.map(|portal| {
            let rest = portal.rest.as_ref().map_or(0, |(rows, _)| rows.len());
            rest + bytes_of(&portal.values)
        });
        let cursors = self.cursors.values().map(|cursor| cursor.bytes());
        portals.chain(cursors).sum()
    }

    /// Keep a cursor.
    ///
    /// # Errors
    ///
    /// 42P03 where there is one with its name, 54000 where there are too many.
    pub fn declare(&mut self, name: &str, cursor: Cursor) -> Result<()> {
        self.check_cursor(name)?;
        self.cursors.insert(name.to_owned(), cursor);
        Ok(())
    }

    /// Whether a cursor with this name may be declared.
    ///
    /// # Errors
    ///
    /// Those of [`Self::declare`].
    pub fn check_cursor(&self, name: &str) -> Result<()> {
        self.check_free(name)?;
        if self.cursors.len() >= MAX_CURSORS { Err(full("cursors")) } else { Ok(()) }
    }

    fn check_free(&self, name: &str) -> Result<()> {
        if self.cursors.contains_key(name) || self.portals.contains_key(name) {
            return Err(Error::new("42P03", format!("cursor \"{name}\" already exists")));
        }
        Ok(())
    }

    /// A cursor.
    ///
    /// # Errors
    ///
    /// 34000 if it does not exist.
    pub fn cursor(&mut self, name: &str) -> Result<&mut Cursor> {
        let none = || Error::new("34000", format!("cursor \"{name}\" does not exist"));
        self.cursors.get_mut(name).ok_or_else(none)
    }

    /// The columns of a cursor or portal.
    ///
    /// # Errors
    ///
    /// 34000 for an unknown name.
    pub fn columns_of(&mut self, name: &str) -> Result<Vec<Output>> {
        match self.portals.get(name) {
            Some(portal) if !self.cursors.contains_key(name) => {
                Ok(portal.prepared.as_ref().map(|one| one.columns.clone()).unwrap_or_default())
            }
            _ => Ok(self.cursor(name)?.columns.clone()),
        }
    }

    /// Close a cursor or portal by SQL.
    ///
    /// # Errors
    ///
    /// 34000 for an unknown name.
    pub fn close(&mut self, name: &str) -> Result<()> {
        if self.cursors.remove(name).is_none() && self.portals.remove(name).is_none() {
            self.cursor(name)?;
        }
        Ok(())
    }

    /// The queries of cursors and portals that a transaction has open.
    pub fn open_queries(&self) -> impl Iterator<Item = &str> {
        let portals = self.portals.values().filter_map(|portal| portal.prepared.as_deref());
        let queries = portals.filter(|one| one.statement.command == "SELECT");
        let portals = queries.map(|one| one.statement.sql.as_str());
        let cursors = self.cursors.values().filter(|cursor| !cursor.scope.is_kept);
        portals.chain(cursors.map(|cursor| cursor.sql.as_str()))
    }

    /// The end of a transaction.
    pub fn end_transaction(&mut self, is_committed: bool) {
        self.portals.clear();
        self.cursors.retain(|_, cursor| {
            cursor.scope.is_kept |= cursor.declared.is_held && is_committed;
            cursor.scope.is_kept
        });
    }

    /// `ROLLBACK TO` the savepoint with this index: what was made behind it is gone.
    pub fn roll_back_to(&mut self, mark: usize) {
        self.portals.retain(|_, portal| portal.savepoints <= mark);
        self.cursors.retain(|_, cursor| cursor.scope.is_kept || cursor.scope.savepoints <= mark);
    }

    /// `RELEASE` of the savepoint with this index: what was made behind it belongs to what is around.
    pub fn release(&mut self, mark: usize) {
        self.portals.values_mut().for_each(|one| one.savepoints = one.savepoints.min(mark));
        self.cursors.values_mut().for_each(|one| {
            one.scope.savepoints = one.scope.savepoints.min(mark);
        });
    }
}

/// What values take in memory.
pub fn bytes_of(values: &[Value]) -> usize {
    let own = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Blob(blob) => blob.len(),
        _ => 0,
    };
    size_of::<Vec<Value>>()
        + values.iter().map(|value| size_of::<Value>() + own(value)).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_limited() {
        let mut store = Store::default();
        let of = |length| Statement::new(None, length, Instant::now());
        store.prepare("a", of(1)).unwrap();
        assert_eq!(store.prepare("a", of(1)).unwrap_err().code, "42P05");
        store.prepare("", of(1)).unwrap();
        store.prepare("", of(1)).unwrap();
        assert_eq!(store.prepare("b", of(MAX_TEXT_BYTES)).unwrap_err().code, "54000");
        for index in 0..2 * MAX_STATEMENTS {
            let _ = store.prepare(&index.to_string(), of(1));
        }
        assert_eq!(store.statements.len(), MAX_STATEMENTS);
        assert!(store.forget("a") && !store.forget("a"));
        store.forget_all();
        assert_eq!((store.text_bytes, store.prepared("").unwrap_err().code), (0, "26000"));
    }
}
