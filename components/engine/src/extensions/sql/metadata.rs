//! Metadata of statements, columns and databases.

use std::ffi::{CStr, c_int};

use wire::{Database, Value, Writer};

use super::Caller;
use super::access;
use super::open_handles;
use crate::host::dispatch::SqlError;
use crate::room;
use crate::sqlite::connection::Connection;

/// Whether a statement is an EXPLAIN, and the declared types of its columns.
pub fn statement(caller: Caller, handle: u32) -> Result<Vec<u8>, SqlError> {
    let statement = open_handles::statement(caller.extension, handle)?;
    let statement = statement.borrow();
    let mut reply = Writer::with_capacity(64);
    reply.u8(statement.is_explain() as u8);
    let columns = statement.column_count();
    reply.u32(columns as u32);
    (0..columns).try_for_each(|column| put_text(&mut reply, statement.column_type(column)))?;
    Ok(reply.0)
}

/// A statement's text with its bound values; NULL if it is too long.
pub fn expanded_sql(caller: Caller, handle: u32) -> Result<Vec<u8>, SqlError> {
    let statement = open_handles::statement(caller.extension, handle)?;
    let mut reply = Writer::default();
    put_text(&mut reply, statement.borrow().expanded_sql().as_deref())?;
    Ok(reply.0)
}

/// `sqlite3_table_column_metadata`.
pub fn column(
    db: &Connection,
    schema: Option<&CStr>,
    table: &CStr,
    column: Option<&CStr>,
) -> Result<Vec<u8>, SqlError> {
    let found = db.column_metadata(schema, table, column).map_err(|_| access::last_error(db))?;
    let mut reply = Writer::with_capacity(64);
    put_text(&mut reply, found.declared_type.as_deref())?;
    put_text(&mut reply, found.collation.as_deref())?;
    reply.0.extend([found.not_null, found.primary_key, found.auto_increment].map(u8::from));
    Ok(reply.0)
}

/// A database's name and file, whether it is read-only, and the state of its transaction. The
/// database need not exist.
pub fn database(db: &Connection, database: Database) -> Result<Vec<u8>, SqlError> {
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
    let mut reply = Writer::with_capacity(64);
    put_text(&mut reply, name.flatten().as_deref().map(CStr::to_bytes))?;
    put_text(&mut reply, file.as_deref().map(CStr::to_bytes))?;
    reply.0.extend(states.iter().flat_map(|state| state.to_le_bytes()));
    Ok(reply.0)
}

/// A text as a value, NULL for none.
fn put_text(reply: &mut Writer, text: Option<&[u8]>) -> Result<(), SqlError> {
    room::put(reply, text.map_or(Value::Null, Value::Text))
}
