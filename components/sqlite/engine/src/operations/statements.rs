//! Statements: what all owners do with them, and then what only handles need.

use std::cell::RefCell;
use std::ffi::c_int;
use std::rc::Rc;

use libsqlite3_sys as sqlite;
use wire::{Ran, Rows, Value as Content, Writer, code};

use super::Caller;
use super::{access, blob_cache, open_handles, values};
use crate::host::dispatch::SqlError;
use crate::read_only::{self, Access};
use crate::room::{self, NoMemory};
use crate::sqlite::connection::Connection;
use crate::sqlite::error::failure;
use crate::sqlite::statement::{Interface, Prepared, Statement};
use crate::sqlite::value::Value;

/// A batch of rows ends when it has this many bytes, whatever its limit: four copies of them are in
/// memory at a time.
const MAX_BATCH: Most = Most { rows: 0, bytes: 1 << 20, steps: u32::MAX, finds_end: false };

/// Where a batch of rows ends.
#[derive(Clone, Copy)]
pub struct Most {
    /// 0 for one row without the end that may follow it.
    pub rows: u32,
    pub bytes: usize,
    /// Of the virtual machine.
    pub steps: u32,
    /// A full batch says whether the statement is done, if it takes no time to find out.
    pub finds_end: bool,
}

/// The rows of a batch.
pub struct Fetched {
    pub rows: u32,
    /// Their columns; 0 without a row.
    pub width: u32,
    /// The result code of the last step.
    pub code: c_int,
}

/// Step to the end of a batch, and append its rows.
#[inline]
pub fn fetch(
    statement: &mut Statement,
    most: Most,
    reply: &mut Writer,
    put: impl Fn(&mut Writer, &Value) -> Result<(), NoMemory>,
) -> Result<Fetched, NoMemory> {
    let steps = |statement: &Statement| statement.status(sqlite::SQLITE_STMTSTATUS_VM_STEP, 0);
    let (start, begun) = (reply.0.len(), steps(statement));
    let mut fetched = Fetched { rows: 0, width: 0, code: statement.step() };
    while fetched.code == code::ROW {
        fetched.width = 0;
        for value in statement.row() {
            put(reply, value)?;
            fetched.width += 1;
        }
        fetched.rows += 1;
        let is_full = fetched.rows >= most.rows
            || reply.0.len() - start > most.bytes
            || steps(statement).wrapping_sub(begun).cast_unsigned() > most.steps;
        if most.rows == 0 || (is_full && !(most.finds_end && statement.is_at_end())) {
            break;
        }
        fetched.code = statement.step();
    }
    Ok(fetched)
}

/// Write the names of a statement's parameters, and those of its columns.
pub fn describe(statement: &Statement, reply: &mut Writer, put: Put) -> Result<(), NoMemory> {
    put_names(reply, statement.parameter_count(), |n| statement.parameter_name(n + 1), put)?;
    put_names(reply, statement.column_count(), |n| statement.column_name(n), put)
}

/// Writes a text, or that it is missing.
pub type Put = fn(&mut Writer, Option<&[u8]>) -> Result<(), NoMemory>;

/// Write a count and as many texts.
pub fn put_names<'a>(
    reply: &mut Writer,
    count: c_int,
    name: impl Fn(c_int) -> Option<&'a [u8]>,
    put: Put,
) -> Result<(), NoMemory> {
    reply.u32(count as u32);
    (0..count).try_for_each(|index| put(reply, name(index)))
}

/// The first statement of `sql`, `None` for white space and comments, and its length in bytes.
fn first(db: &Connection, sql: &str) -> Result<(Option<Statement>, usize), SqlError> {
    if c_int::try_from(sql.len()).is_err() {
        return Err(failure(code::TOOBIG, "the SQL is too long"));
    }
    match Statement::prepare(db, sql.as_bytes(), Interface::PLAIN) {
        Prepared { code: code::OK, statement, used } => Ok((statement, used)),
        _ => Err(access::last_error(db)),
    }
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
        Some(statement) => describe(statement, &mut names, room::put_name)?,
    }
    let add = |statement| open_handles::add_statement(caller.db, caller.extension, statement);
    let statement = statement.map(add).transpose()?;
    let mut reply = Writer::with_capacity(64);
    wire::Prepared { statement, used: used as u32, is_read_only }.put(&mut reply);
    room::reserve(&mut reply.0, names.0.len())?;
    reply.0.extend_from_slice(&names.0);
    Ok(reply.0)
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
        begin_run(db, &statement)?;
        let code = loop {
            match statement.step() {
                code::ROW => {}
                code => break code,
            }
        };
        end_run(db, &mut statement, code)?;
    }
    Ok(())
}

/// Fails for a statement of an extension that may not run; a cached blob does not prevent it.
fn begin_run(db: &Connection, statement: &Statement) -> Result<(), SqlError> {
    access::check_run(db, statement)?;
    blob_cache::clear_for(statement.sql());
    Ok(())
}

/// Reset a statement that is done or has failed. After a failure SQLite undoes its changes,
/// possibly to a row with a cached blob.
fn end_run(db: &Connection, statement: &mut Statement, code: c_int) -> Result<(), SqlError> {
    let result = match code {
        code::ROW | code::DONE => Ok(()),
        _ => Err(access::last_error(db)),
    };
    if result.is_err() {
        blob_cache::clear();
    }
    statement.reset();
    result
}

/// The statement with a handle, which must not be in the middle of a step.
fn get(caller: Caller, handle: u32) -> Result<Rc<RefCell<Statement>>, SqlError> {
    open_handles::statement(caller.extension, handle)
}

/// Fetch at most `limit` rows.
pub fn step(caller: Caller, handle: u32, limit: u32) -> Result<Vec<u8>, SqlError> {
    let statement = get(caller, handle)?;
    let statement = &mut *statement.borrow_mut();
    begin_run(caller.db, statement)?;
    let mut reply = Writer::with_capacity(64);
    Rows::default().put(&mut reply);
    let most = Most { rows: limit, ..MAX_BATCH };
    let fetched = match limit {
        0 => Ok(Fetched { rows: 0, width: 0, code: code::ROW }),
        _ => fetch(statement, most, &mut reply, values::put),
    };
    let Fetched { rows, code, .. } = fetched.inspect_err(|_| {
        statement.reset();
    })?;
    if code != code::ROW {
        end_run(caller.db, statement, code)?;
    }
    // The schema may have changed with the first step.
    let width = statement.column_count() as u32;
    Rows { is_last: code == code::DONE, count: rows, width }.put_at(0, &mut reply);
    Ok(reply.0)
}

/// Run a statement, and stop at its first row.
pub fn run(caller: Caller, handle: u32) -> Result<Vec<u8>, SqlError> {
    let statement = get(caller, handle)?;
    let statement = &mut *statement.borrow_mut();
    begin_run(caller.db, statement)?;
    let code = statement.step();
    end_run(caller.db, statement, code)?;
    let changes = caller.db.changes();
    let last_insert_row_id = caller.db.last_insert_row_id();
    let mut reply = Writer::with_capacity(17);
    Ran { has_row: code == code::ROW, changes, last_insert_row_id }.put(&mut reply);
    Ok(reply.0)
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
        value: Content<&[u8]>,
    ) -> Result<(), SqlError> {
        self.0 = Some((get(caller, handle)?, parameter.wrapping_sub(1)));
        self.next(caller, value)
    }

    /// The same for the parameter after the last one.
    pub fn next(&mut self, caller: Caller, value: Content<&[u8]>) -> Result<(), SqlError> {
        let unbound = || failure(code::MISUSE, "no statement was bound before");
        let (statement, last) = self.0.as_mut().ok_or_else(unbound)?;
        *last = last.wrapping_add(1);
        match statement.borrow_mut().bind(last.cast_signed(), value) {
            code::OK => Ok(()),
            _ => Err(access::last_error(caller.db)),
        }
    }
}
