//! Requests on a stream, performed on the session's thread.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use sqlite_sandbox::Statement;
use sqlite_sandbox::types::Null;

use super::batch;
use super::encoding::Encoding;
use super::request::{NamedArg, Request, Stmt, Text, Value};
use super::response::{
    Autocommit, Column, Described, Description, Done, Empty, Parameter, Response,
};
use super::texts::Texts;
use crate::session::connection::SessionConnection;
use crate::session::error::{Error, Failure, Result};

/// What a performance needs besides the engine.
pub struct Performer {
    texts: Arc<Mutex<Texts>>,
    pub encoding: Encoding,
    /// Bytes that the reply may still have.
    left: u64,
    /// The limit, for the message.
    limit: u64,
}

impl Performer {
    pub fn new(texts: Arc<Mutex<Texts>>, encoding: Encoding, limit: u64) -> Self {
        Self { texts, encoding, left: limit, limit }
    }

    /// Perform a request.
    pub fn perform(
        &mut self,
        engine: &mut SessionConnection,
        request: Request,
    ) -> Result<Response, Failure> {
        self.respond(engine, request).map_err(|error| Failure::from(&error))
    }

    fn respond(&mut self, engine: &mut SessionConnection, request: Request) -> Result<Response> {
        Ok(match request {
            Request::Close {} => Response::Close(Empty {}),
            Request::Execute { stmt } => {
                Response::Execute(Done { result: self.execute(engine, &stmt)? })
            }
            Request::Batch { batch } => {
                let steps = batch::perform(self, engine, &batch)?;
                Response::Batch(Done { result: self.encoding.batch(steps) })
            }
            Request::Sequence(text) => self.sequence(engine, &text)?,
            Request::Describe(text) => {
                Response::Describe(Described { result: self.describe(engine, &text)? })
            }
            Request::StoreSql { sql_id, sql } => {
                self.texts().store(sql_id, sql)?;
                Response::StoreSql(Empty {})
            }
            Request::CloseSql { sql_id } => {
                self.texts().close(sql_id);
                Response::CloseSql(Empty {})
            }
            Request::GetAutocommit {} => {
                Response::GetAutocommit(Autocommit { is_autocommit: engine.is_autocommit() })
            }
        })
    }

    fn texts(&self) -> std::sync::MutexGuard<'_, Texts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The SQL of a statement.
    ///
    /// # Errors
    ///
    /// Where it has none.
    pub fn sql(&self, stmt: &Stmt) -> Result<String> {
        self.texts().find(stmt.sql.as_deref(), stmt.sql_id).map(str::to_owned)
    }

    /// Count bytes of the reply.
    ///
    /// # Errors
    ///
    /// [`Error::TooLong`].
    fn count(&mut self, bytes: usize) -> Result<()> {
        let left = self.left.checked_sub(bytes as u64);
        self.left = left.ok_or(Error::TooLong(self.limit))?;
        Ok(())
    }

    /// Run a statement: its encoded result.
    ///
    /// # Errors
    ///
    /// SQLite's, the policy's, and [`Error::TooLong`].
    pub fn execute(&mut self, engine: &mut SessionConnection, stmt: &Stmt) -> Result<Vec<u8>> {
        let sql = self.sql(stmt)?;
        let wants_rows = stmt.want_rows.unwrap_or(true);
        let encoding = self.encoding;
        let result = RefCell::new(Vec::new());
        let mut changes = engine.run(
            &sql,
            |statement| bind(statement, stmt),
            |statement| {
                encoding.begin_result(&mut result.borrow_mut(), columns(statement)?);
                Ok(())
            },
            |row| {
                if !wants_rows {
                    return Ok(());
                }
                let mut result = result.borrow_mut();
                let before = result.len();
                encoding.row(&mut result, row);
                self.count(result.len() - before)
            },
        )?;
        changes.last_insert_rowid = engine.last_insert_rowid()?;
        let mut result = result.into_inner();
        encoding.end_result(&mut result, changes);
        Ok(result)
    }

    fn sequence(&self, engine: &mut SessionConnection, text: &Text) -> Result<Response> {
        let sql = self.texts().find_text(text)?.to_owned();
        engine.run_all(&sql).map(|()| Response::Sequence(Empty {}))
    }

    fn describe(&self, engine: &SessionConnection, text: &Text) -> Result<Description> {
        let sql = self.texts().find_text(text)?.to_owned();
        engine.describe(&sql, |statement, kind| {
            Ok(Description {
                params: (1..=statement.parameter_count())
                    .map(|index| Parameter { name: statement.parameter_name(index) })
                    .collect(),
                cols: columns(statement)?,
                is_explain: kind.is_explain,
                is_readonly: statement.readonly(),
            })
        })?
    }
}

/// The columns, with their declared types.
///
/// # Errors
///
/// SQLite's.
pub fn columns(statement: &Statement<'_>) -> Result<Vec<Column>> {
    let names = statement.column_names();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let column = |(name, decltype): (&str, _)| Column { name: name.to_owned(), decltype };
    Ok(names.into_iter().zip(statement.column_decltypes()?).map(column).collect())
}

/// Bind all arguments; a named one replaces one by position.
///
/// # Errors
///
/// Where a parameter has no argument, or an argument no parameter.
pub fn bind(statement: &mut Statement<'_>, stmt: &Stmt) -> Result<()> {
    let count = statement.parameter_count();
    let given = stmt.args.len();
    if given > count {
        return Err(wrong_count(given, count));
    }
    for (index, value) in stmt.args.iter().enumerate() {
        bind_value(statement, index + 1, value)?;
    }
    let mut is_bound = vec![false; count];
    is_bound[..given].fill(true);
    for NamedArg { name, value } in &stmt.named_args {
        let index = find_parameter(statement, name)?;
        bind_value(statement, index, value)?;
        if let Some(bound) = index.checked_sub(1).and_then(|index| is_bound.get_mut(index)) {
            *bound = true;
        }
    }
    match is_bound.iter().position(|bound| !bound) {
        // An index that no parameter uses (`?1, ?3`) needs no argument, and has no name.
        Some(index) if statement.parameter_name(index + 1).is_some() || given < index + 1 => {
            Err(wrong_count(given + stmt.named_args.len(), count))
        }
        _ => Ok(()),
    }
}

fn wrong_count(given: usize, count: usize) -> Error {
    Error::Request(format!("{given} arguments were given, and the statement has {count}"))
}

/// The parameter with this name, with or without its first character.
fn find_parameter(statement: &Statement<'_>, name: &str) -> Result<usize> {
    let candidates = ["", ":", "@", "$"].into_iter();
    for prefix in candidates {
        if let Some(index) = statement.parameter_index(&format!("{prefix}{name}"))? {
            return Ok(index);
        }
    }
    Err(Error::Request(format!("the statement has no parameter `{name}`")))
}

fn bind_value(statement: &mut Statement<'_>, index: usize, value: &Value) -> Result<()> {
    match value {
        Value::Null(_) => statement.raw_bind_parameter(index, &Null),
        Value::Integer(value) => statement.raw_bind_parameter(index, value),
        Value::Float(value) => statement.raw_bind_parameter(index, value),
        Value::Text(value) => statement.raw_bind_parameter(index, value),
        Value::Blob(value) => statement.raw_bind_parameter(index, value),
    }?;
    Ok(())
}
