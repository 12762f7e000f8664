//! Statements of extensions.

use std::cell::RefCell;
use std::ffi::c_int;
use std::rc::Rc;

use wire::{Prepared, Ran, Rows, Value, Writer, code};

use super::Caller;
use super::{access, blob_cache, open_handles};
use crate::host::dispatch::SqlError;
use crate::read_only::{self, Access};
use crate::room;
use crate::sqlite::connection::Connection;
use crate::sqlite::error::failure;
use crate::sqlite::statement::{Statement, Step};

/// A batch of rows ends when its text and blobs exceed this many bytes, whatever its limit: four
/// copies of them are in memory at a time.
const MAX_BATCH_BYTES: usize = 1 << 20;

/// The first statement of `sql`, none for white space and comments, and its length in bytes.
fn first(db: &Connection, sql: &str) -> Result<(Option<Statement>, usize), SqlError> {
    if c_int::try_from(sql.len()).is_err() {
        return Err(failure(code::TOOBIG, "the SQL is too long"));
    }
    Statement::prepare(db, sql).ok_or_else(|| access::last_error(db))
}

/// Fails for a statement that writes if nothing may be written.
fn check(statement: Option<&Statement>) -> Result<(), SqlError> {
    if statement.is_none_or(Statement::is_read_only) { Ok(()) } else { access::check_write() }
}

pub fn prepare(caller: Caller, sql: &str) -> Result<Vec<u8>, SqlError> {
    let (statement, used) = first(caller.db, sql)?;
    if read_only::current() == Some(Access::ReadOnly) {
        check(statement.as_ref())?;
    }
    let is_read_only = statement.as_ref().is_none_or(Statement::is_read_only);
    let mut names = Writer::with_capacity(64);
    match &statement {
        None => [0; 2].iter().for_each(|count| names.u32(*count)),
        Some(statement) => {
            let parameters = statement.parameter_count();
            put_names(&mut names, parameters, |n| statement.parameter_name(n + 1))?;
            put_names(&mut names, statement.column_count(), |n| statement.column_name(n))?;
        }
    }
    let add = |statement| open_handles::add_statement(caller.db, caller.extension, statement);
    let statement = statement.map(add).transpose()?;
    let mut reply = Writer::with_capacity(64);
    Prepared { statement, used: used as u32, is_read_only }.put(&mut reply);
    room::reserve(&mut reply.0, names.0.len())?;
    reply.0.extend_from_slice(&names.0);
    Ok(reply.0)
}

fn put_names<'a>(
    reply: &mut Writer,
    count: c_int,
    name: impl Fn(c_int) -> Option<&'a [u8]>,
) -> Result<(), SqlError> {
    reply.u32(count as u32);
    (0..count).try_for_each(|index| room::put_bytes(reply, name(index).unwrap_or_default()))
}

/// SQLite's white space.
const SPACES: [char; 6] = [' ', '\t', '\n', '\x0b', '\x0c', '\r'];

/// Run all statements of `sql`.
pub fn execute(db: &Connection, mut sql: &str) -> Result<(), SqlError> {
    while !sql.is_empty() {
        let (statement, used) = first(db, sql)?;
        check(statement.as_ref())?;
        // At a NUL, which ends SQLite's texts, it finds no statement and uses no bytes.
        if used == 0 {
            return Ok(());
        }
        // As in `sqlite3_exec`: offsets of errors count from the beginning of a statement.
        sql = sql[used..].trim_start_matches(SPACES);
        let Some(mut statement) = statement else { continue };
        blob_cache::clear_for(statement.sql());
        loop {
            match statement.step() {
                Step::Row => {}
                Step::Done => break,
                Step::Failed => return Err(step_error(db)),
            }
        }
    }
    Ok(())
}

/// The error of a statement that has failed. SQLite undoes its changes, possibly to a row with a
/// cached blob.
fn step_error(db: &Connection) -> SqlError {
    let error = access::last_error(db);
    blob_cache::clear();
    error
}

/// The statement with a handle, which must not be in the middle of a step.
fn get(caller: Caller, handle: u32) -> Result<Rc<RefCell<Statement>>, SqlError> {
    open_handles::statement(caller.extension, handle)
}

/// Fetch at most `limit` rows.
pub fn step(caller: Caller, handle: u32, limit: u32) -> Result<Vec<u8>, SqlError> {
    let statement = get(caller, handle)?;
    let statement = &mut *statement.borrow_mut();
    access::check_run(caller.db, statement)?;
    blob_cache::clear_for(statement.sql());
    let mut reply = Writer::with_capacity(64);
    let mut rows = Rows::default();
    rows.put(&mut reply);
    while !rows.is_last && rows.count < limit && reply.0.len() < MAX_BATCH_BYTES {
        match statement.step() {
            Step::Row => {
                if let Err(error) = put_row(&mut reply, statement) {
                    statement.reset();
                    return Err(error);
                }
                rows.count += 1;
            }
            Step::Done => {
                statement.reset();
                rows.is_last = true;
            }
            Step::Failed => {
                let error = step_error(caller.db);
                statement.reset();
                return Err(error);
            }
        }
    }
    // The schema may have changed with the first step.
    rows.width = statement.column_count() as u32;
    rows.put_first(&mut reply);
    Ok(reply.0)
}

/// Run a statement, and stop at its first row.
pub fn run(caller: Caller, handle: u32) -> Result<Vec<u8>, SqlError> {
    let statement = get(caller, handle)?;
    let statement = &mut *statement.borrow_mut();
    access::check_run(caller.db, statement)?;
    blob_cache::clear_for(statement.sql());
    let has_row = match statement.step() {
        Step::Row => true,
        Step::Done => false,
        Step::Failed => {
            let error = step_error(caller.db);
            statement.reset();
            return Err(error);
        }
    };
    statement.reset();
    let [changes, _] = caller.db.changes();
    let last_insert_row_id = caller.db.last_insert_row_id();
    let mut reply = Writer::with_capacity(17);
    Ran { has_row, changes: changes.into(), last_insert_row_id }.put(&mut reply);
    Ok(reply.0)
}

fn put_row(reply: &mut Writer, statement: &Statement) -> Result<(), SqlError> {
    (0..statement.column_count()).try_for_each(|column| room::put(reply, statement.column(column)))
}

/// The statement whose parameters a request binds, and its last bound parameter.
#[derive(Default)]
pub struct Bindings(Option<(Rc<RefCell<Statement>>, u32)>);

impl Bindings {
    /// Bind a copy of a value.
    pub fn first(
        &mut self,
        caller: Caller,
        handle: u32,
        parameter: u32,
        value: Value<&[u8]>,
    ) -> Result<(), SqlError> {
        self.0 = Some((get(caller, handle)?, parameter.wrapping_sub(1)));
        self.next(caller, value)
    }

    /// The same for the parameter after the last one.
    pub fn next(&mut self, caller: Caller, value: Value<&[u8]>) -> Result<(), SqlError> {
        let unbound = || failure(code::MISUSE, "no statement was bound before");
        let (statement, last) = self.0.as_mut().ok_or_else(unbound)?;
        *last = last.wrapping_add(1);
        match statement.borrow_mut().bind(last.cast_signed(), value) {
            code::OK => Ok(()),
            _ => Err(access::last_error(caller.db)),
        }
    }
}
