//! Performing the operations of a request.

use wire::{BlobLocation, Locations, Operation, Reader, ReplyHead, Writer, code};

use super::Caller;
use super::statements::Bindings;
use super::{access, blobs, depth, metadata, open_handles, statements};
use crate::host::dispatch::SqlError;
use crate::sqlite::connection::Connection;
use crate::sqlite::error::failure;

/// Perform operations. Returns the reply of the one that has a reply. After a failure only
/// operations run that release something.
pub fn perform(caller: Caller, operations: &[u8]) -> Result<Vec<u8>, SqlError> {
    let mut operations = Reader(operations);
    let mut reply = Ok(Vec::new());
    let mut bindings = Bindings::default();
    while !operations.is_empty() {
        let operation = match Operation::read(&mut operations, caller.sender) {
            Ok(operation) => operation,
            // The beginning of the next operation is not known.
            Err(error) => return reply.and(Err(unreadable(error))),
        };
        match (operation, &reply) {
            (Operation::Reset { statement }, _) => {
                open_handles::reset(caller.extension, statement);
            }
            (Operation::Close { handle }, _) => {
                open_handles::close(caller.db, caller.extension, handle);
            }
            (Operation::Keep { blob }, _) => open_handles::keep(caller.extension, blob),
            (Operation::CloseAll {}, _) => {
                open_handles::close_all_of(caller.db, caller.extension);
            }
            (Operation::Bind { statement, parameter, value }, Ok(_)) => {
                if let Err(error) = bindings.first(caller, statement, parameter, value) {
                    reply = Err(error);
                }
            }
            (Operation::BindNext { value }, Ok(_)) => {
                if let Err(error) = bindings.next(caller, value) {
                    reply = Err(error);
                }
            }
            (operation, Ok(_)) => match perform_one(caller, operation) {
                Ok(None) => {}
                Ok(Some(done)) => reply = Ok(done),
                Err(error) => reply = Err(error),
            },
            (_, Err(_)) => {}
        }
    }
    reply
}

/// Perform an operation that may fail.
fn perform_one(caller: Caller, operation: Operation) -> Result<Option<Vec<u8>>, SqlError> {
    let db = caller.db;
    let reply = match operation {
        Operation::Write { blob, offset, data } => {
            return blobs::write(caller, blob, offset, data).map(|()| None);
        }
        Operation::Execute { sql } => {
            depth::check()?;
            return statements::execute(db, sql).map(|()| None);
        }
        Operation::SetLastInsertRowId { row_id } => {
            access::check_write()?;
            db.set_last_insert_row_id(row_id);
            return Ok(None);
        }
        Operation::Prepare { sql } => {
            depth::check()?;
            statements::prepare(caller, sql)?
        }
        Operation::Step { statement, limit } => {
            depth::check()?;
            statements::step(caller, statement, limit)?
        }
        Operation::Run { statement } => {
            depth::check()?;
            statements::run(caller, statement)?
        }
        Operation::OpenBlobs { locations } => {
            depth::check()?;
            open_blobs(caller, locations)?
        }
        Operation::ReopenBlob { blob, row_id } => blobs::reopen(caller, blob, row_id)?,
        Operation::Read { blob, offset, length } => blobs::read(caller, blob, offset, length)?,
        Operation::State {} => state(db),
        Operation::Describe { statement } => metadata::statement(caller, statement)?,
        Operation::Expand { statement } => metadata::expanded_sql(caller, statement)?,
        Operation::Column { schema, table, column } => metadata::column(db, schema, table, column)?,
        Operation::Database { database } => metadata::database(db, database)?,
        Operation::Reset { .. }
        | Operation::Close { .. }
        | Operation::CloseAll {}
        | Operation::Keep { .. }
        | Operation::Bind { .. }
        | Operation::BindNext { .. } => return Ok(None),
    };
    Ok(Some(reply))
}

/// The head of replies to programs, which is all of this one.
fn state(db: &Connection) -> Vec<u8> {
    let mut reply = Writer::with_capacity(ReplyHead::BYTES);
    ReplyHead { has_message: false, ..db.reply_head(code::OK) }.put(&mut reply);
    reply.0
}

/// The error for an operation that cannot be decoded.
pub fn unreadable(error: wire::Error) -> SqlError {
    let (code, message) = match error {
        wire::Error::Malformed => (code::MISUSE, "an operation does not exist, or is incomplete"),
        wire::Error::NotUtf8 => (code::ERROR, "the SQL is no UTF-8"),
        wire::Error::NulInName => (code::ERROR, "a name has a NUL"),
    };
    failure(code, message)
}

/// Open blobs; only the first one must exist.
fn open_blobs(
    caller: Caller,
    Locations { count, mut all }: Locations,
) -> Result<Vec<u8>, SqlError> {
    let mut reply = Writer::with_capacity(64);
    for index in 0..count {
        let is_first = index == 0;
        let location = BlobLocation::read(&mut all).map_err(unreadable)?;
        match blobs::open(caller, location, is_first, &mut reply) {
            Err(error) if is_first => return Err(error),
            Err(_) => blobs::describe_none(&mut reply),
            Ok(()) => {}
        }
    }
    Ok(reply.0)
}
