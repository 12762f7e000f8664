//! What SQLite knows of statements, columns and databases.

use std::ffi::CStr;

use super::access;
use super::caller::Caller;
use super::open_handles;
use super::operations::Database;
use super::reply::{put_count, put_text};
use crate::host::dispatch::SqlError;
use crate::sqlite::connection::Connection;

/// Whether a statement explains, and the declared types of its columns.
pub fn statement(caller: Caller, handle: u32) -> Result<Vec<u8>, SqlError> {
    let statement = open_handles::statement(caller.extension, handle)?;
    let statement = statement.borrow();
    let mut reply = vec![statement.is_explain() as u8];
    let columns = statement.column_count();
    put_count(&mut reply, columns as usize);
    (0..columns).for_each(|column| put_text(&mut reply, statement.column_type(column)));
    Ok(reply)
}

/// A statement's text with the values that are bound; NULL if it is too long.
pub fn expanded_sql(caller: Caller, handle: u32) -> Result<Vec<u8>, SqlError> {
    let statement = open_handles::statement(caller.extension, handle)?;
    let mut reply = Vec::new();
    put_text(&mut reply, statement.borrow().expanded_sql().as_deref());
    Ok(reply)
}

/// `sqlite3_table_column_metadata`.
pub fn column(
    db: &Connection,
    schema: Option<&CStr>,
    table: &CStr,
    column: Option<&CStr>,
) -> Result<Vec<u8>, SqlError> {
    let found = db.column_metadata(schema, table, column).map_err(|_| access::last_error(db))?;
    let mut reply = Vec::with_capacity(64);
    put_text(&mut reply, found.declared_type.as_deref());
    put_text(&mut reply, found.collation.as_deref());
    reply.extend([found.not_null, found.primary_key, found.auto_increment].map(u8::from));
    Ok(reply)
}

/// A database's name and file, whether it is read-only, and the state of its transaction. There may
/// be no such database.
pub fn database(db: &Connection, database: Database) -> Vec<u8> {
    let name = match database {
        Database::Named(name) => Some(name.map(CStr::to_owned)),
        Database::Index(index) => db.database_name(index).map(Some),
    };
    let (file, states) = match &name {
        None => (None, [-1, -1]),
        Some(name) => {
            let name = name.as_deref();
            (db.database_file(name), [db.is_read_only(name), db.transaction_state(name)])
        }
    };
    let mut reply = Vec::with_capacity(64);
    put_text(&mut reply, name.flatten().as_deref().map(CStr::to_bytes));
    put_text(&mut reply, file.as_deref().map(CStr::to_bytes));
    reply.extend(states.iter().flat_map(|state| state.to_le_bytes()));
    reply
}
