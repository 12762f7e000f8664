//! Metadata of statements, columns and databases.

use std::ffi::{CStr, c_int};

use wire::{Database, Writer, code};

use super::Caller;
use super::access;
use super::open_handles;
use super::statements::{Put, put_names};
use crate::host::dispatch::SqlError;
use crate::room::{self, NoMemory};
use crate::sqlite::connection::Connection;

/// Whether a statement is an EXPLAIN, and the declared types of its columns.
pub fn statement(caller: Caller, handle: u32) -> Result<Vec<u8>, SqlError> {
    let statement = open_handles::statement(caller.extension, handle)?;
    let statement = statement.borrow();
    let mut reply = Writer::with_capacity(64);
    reply.u8(statement.is_explain() as u8);
    let declared = |column| statement.column_type(column);
    put_names(&mut reply, statement.column_count(), declared, room::put_text_value)?;
    Ok(reply.0)
}

/// A statement's text with its bound values; NULL if it is too long.
pub fn expanded_sql(caller: Caller, handle: u32) -> Result<Vec<u8>, SqlError> {
    let statement = open_handles::statement(caller.extension, handle)?;
    let mut reply = Writer::default();
    room::put_text_value(&mut reply, statement.borrow().expanded_sql().as_deref())?;
    Ok(reply.0)
}

/// Write the metadata of a column (`sqlite3_table_column_metadata`). Returns the result code.
pub fn put_column(
    db: &Connection,
    names: [Option<&CStr>; 3],
    reply: &mut Writer,
    put: Put,
) -> Result<c_int, NoMemory> {
    let (code, found) = db.column_metadata(names);
    put(reply, found.declared_type)?;
    put(reply, found.collation)?;
    reply.0.extend(found.flags.map(u8::from));
    Ok(code)
}

/// Describe a column.
pub fn column(
    db: &Connection,
    schema: Option<&CStr>,
    table: &CStr,
    column: Option<&CStr>,
) -> Result<Vec<u8>, SqlError> {
    let mut reply = Writer::with_capacity(64);
    match put_column(db, [schema, Some(table), column], &mut reply, room::put_text_value)? {
        code::OK => Ok(reply.0),
        _ => Err(access::last_error(db)),
    }
}

/// Write a database's name and file, whether it is read-only, and the state of its transaction. The
/// database need not exist.
pub fn put_database(
    db: &Connection,
    database: Database,
    reply: &mut Writer,
    put: Put,
) -> Result<(), NoMemory> {
    let name = match database {
        Database::Named(name) => Some(name.map(CStr::to_owned)),
        // A connection never has more databases than this type has values.
        Database::At(index) => {
            db.database_name(c_int::try_from(index).unwrap_or(c_int::MAX)).map(Some)
        }
    };
    let (file, states) = match &name {
        None => (None, [-1, -1]),
        Some(name) => {
            let name = name.as_deref();
            (db.database_file(name), [db.is_read_only(name), db.transaction_state(name)])
        }
    };
    put(reply, name.flatten().as_deref().map(CStr::to_bytes))?;
    put(reply, file.as_deref().map(CStr::to_bytes))?;
    reply.0.extend(states.iter().flat_map(|state| state.to_le_bytes()));
    Ok(())
}

/// Describe a database.
pub fn database(db: &Connection, database: Database) -> Result<Vec<u8>, SqlError> {
    let mut reply = Writer::with_capacity(64);
    put_database(db, database, &mut reply, room::put_text_value)?;
    Ok(reply.0)
}
