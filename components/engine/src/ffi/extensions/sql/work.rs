//! Operations of an extension as bytes: `sql-work` has their layout.

use std::ffi::c_int;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;
use wire::{BlobLocation, Operation, Reader, Writer};

use super::super::abi::failure;
use super::{about, access, blob, kept, statement};
use crate::host::dispatch::SqlError;

type Answer<T> = Result<T, SqlError>;

/// Why an operation cannot be read.
fn unread(error: wire::Error) -> SqlError {
    match error {
        wire::Error::Malformed => {
            failure(sqlite::SQLITE_MISUSE, "the extension asks for what SQLite has not, or in part")
        }
        wire::Error::NotUtf8 => failure(sqlite::SQLITE_ERROR, "the SQL is no UTF-8"),
        wire::Error::NulInName => failure(sqlite::SQLITE_ERROR, "a name has a NUL"),
    }
}

/// Who asks.
#[derive(Clone, Copy)]
pub struct Asker {
    pub db: *mut sqlite3,
    pub extension: u32,
}

/// Do what is asked: the reply of the operation that has one.
///
/// # Safety
///
/// The asker's connection is the one that called it.
pub unsafe fn done(asker: Asker, operations: &[u8]) -> Answer<Vec<u8>> {
    let mut operations = Reader(operations);
    let mut answer = Ok(Vec::new());
    while !operations.is_empty() {
        let operation = match Operation::read(&mut operations) {
            Ok(operation) => operation,
            // What follows cannot be told apart.
            Err(error) => return answer.and(Err(unread(error))),
        };
        // SAFETY: the caller's promise.
        match unsafe { tidied(asker.extension, operation) } {
            // SAFETY: the same.
            Some(operation) if answer.is_ok() => match unsafe { asked(asker, operation) } {
                Ok(None) => {}
                Ok(Some(reply)) => answer = Ok(reply),
                Err(error) => answer = Err(error),
            },
            _ => {}
        }
    }
    answer
}

/// What ends something, and is done in any case; other operations are given
/// back.
///
/// # Safety
///
/// None of what is ended runs.
unsafe fn tidied(extension: u32, operation: Operation) -> Option<Operation> {
    // SAFETY: the caller's promise.
    unsafe {
        match operation {
            Operation::Reset(statement) => kept::reset(extension, statement),
            Operation::Close(handle) => kept::close(extension, handle),
            Operation::CloseAll => kept::close_all_of(extension),
            operation => return Some(operation),
        }
    }
    None
}

/// # Safety
///
/// As [`done`].
unsafe fn asked(asker: Asker, operation: Operation) -> Answer<Option<Vec<u8>>> {
    let Asker { db, extension } = asker;
    // SAFETY: the caller's promise.
    unsafe {
        match operation {
            Operation::Write { blob, offset, data } => {
                access::check_write()?;
                blob::write(extension, blob, offset, data).map(|()| None)
            }
            Operation::Bind { statement, parameter, value } => {
                statement::bind(extension, statement, parameter as c_int, value).map(|()| None)
            }
            Operation::Prepare(text) => {
                super::check_depth()?;
                statement::prepare(db, extension, text).map(Some)
            }
            Operation::Execute(text) => {
                super::check_depth()?;
                statement::execute(db, text).map(|()| None)
            }
            Operation::Step { statement, limit } => {
                super::check_depth()?;
                statement::step(extension, statement, limit).map(Some)
            }
            Operation::OpenBlobs { count, locations } => {
                super::check_depth()?;
                opened(asker, count, locations).map(Some)
            }
            Operation::ReopenBlob { blob, row_id } => {
                blob::reopen(extension, blob, row_id).map(Some)
            }
            Operation::Read { blob, offset, length } => {
                blob::read(extension, blob, offset, length).map(Some)
            }
            Operation::LastInsertRowId => Ok(Some(number(sqlite::sqlite3_last_insert_rowid(db)))),
            Operation::Changes => Ok(Some(changes(db))),
            Operation::ErrorOffset => Ok(Some(number(sqlite::sqlite3_error_offset(db).into()))),
            Operation::Describe(statement) => about::described(extension, statement).map(Some),
            Operation::Expand(statement) => about::expanded(extension, statement).map(Some),
            Operation::Column { schema, table, column } => {
                about::column(db, schema, table, column).map(Some)
            }
            Operation::Database(wanted) => Ok(Some(about::database(db, wanted))),
            Operation::Autocommit => Ok(Some(number(sqlite::sqlite3_get_autocommit(db).into()))),
            Operation::SetLastInsertRowId(row_id) => {
                access::check_write()?;
                sqlite::sqlite3_set_last_insert_rowid(db, row_id);
                Ok(None)
            }
            other => {
                tidied(extension, other);
                Ok(None)
            }
        }
    }
}

fn number(number: i64) -> Vec<u8> {
    number.to_le_bytes().to_vec()
}

/// Open blobs, of which only the first must be there.
///
/// # Safety
///
/// As [`done`].
unsafe fn opened(asker: Asker, count: u32, mut locations: Reader) -> Answer<Vec<u8>> {
    let mut reply = Writer::with_capacity(64);
    for index in 0..count {
        let is_first = index == 0;
        let location = BlobLocation::read(&mut locations).map_err(unread)?;
        // SAFETY: the caller's promise.
        match unsafe { blob::open(asker, location, is_first, &mut reply) } {
            Err(error) if is_first => return Err(error),
            Err(_) => blob::tell_none(&mut reply),
            Ok(()) => {}
        }
    }
    Ok(reply.0)
}

/// # Safety
///
/// `db` is an open connection.
unsafe fn changes(db: *mut sqlite3) -> Vec<u8> {
    // SAFETY: the caller's promise.
    let counts = unsafe { [sqlite::sqlite3_changes(db), sqlite::sqlite3_total_changes(db)] };
    counts.iter().flat_map(|count| i64::from(*count).to_le_bytes()).collect()
}
