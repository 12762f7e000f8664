//! The rule for SQL that an extension leaves behind in a schema: it never has more rights than the
//! extension, whoever runs it later.
//!
//! SQLite does not trust what it reads from a database: there a trigger, view or expression cannot
//! call functions that are only for direct use, such as `writefile`. But SQLite trusts the schema
//! TEMP, as it takes the user for its author. So SQL of extensions creates no triggers or views
//! there, and from its first table or index there on, expressions of the tables in TEMP are no more
//! trusted than those of a database. Nor can it change what SQLite's own checks depend on: the text
//! of a schema, and whether schemas are trusted.

use std::cell::Cell;
use std::ffi::{CStr, c_int};

use libsqlite3_sys as sqlite;

use crate::read_only;
use crate::sqlite::connection::{ClientData, Connection};

/// An extension has changed the schema TEMP of this connection.
struct TempIsShared;

impl ClientData for TempIsShared {
    const NAME: &CStr = c"sqlite-wasm-temp-is-shared";
}

/// Modules whose tables reach files when they are used.
const FILE_MODULES: &[&str] = &["zipfile"];

/// PRAGMAs that decide what SQL in a schema can do.
const TRUST_PRAGMAS: &[&str] = &["trusted_schema"];

/// The tables with the text of a schema.
const SCHEMA_TABLES: &[&str] =
    &["sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"];

/// SQLite's name for the schema TEMP.
const TEMP: &[&str] = &["temp"];

thread_local! {
    /// Why an action was refused last.
    static REFUSAL: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Why an action of the request that failed was refused, if it was.
pub fn take_refusal() -> Option<&'static str> {
    REFUSAL.take()
}

/// Whether SQLite may now prepare an action, with the names that it passes to an authorizer.
pub fn allows(
    db: &Connection,
    action: c_int,
    names: [Option<&CStr>; 2],
    schema: Option<&CStr>,
) -> bool {
    if read_only::current().is_none() {
        distrust(db, action, names[0], schema);
        return true;
    }
    let refusal = refusal(db, action, names).or_else(|| share_temp(db, action, names[0]));
    if refusal.is_some() {
        REFUSAL.set(refusal);
    }
    refusal.is_none()
}

/// Why SQL of an extension cannot do this.
fn refusal(db: &Connection, action: c_int, names: [Option<&CStr>; 2]) -> Option<&'static str> {
    let [first, second] = names;
    match action {
        sqlite::SQLITE_CREATE_TEMP_TRIGGER | sqlite::SQLITE_CREATE_TEMP_VIEW => {
            Some("SQL of an extension cannot create triggers and views in the schema TEMP")
        }
        sqlite::SQLITE_CREATE_VTABLE if is_among(second, FILE_MODULES) => {
            Some("SQL of an extension cannot create tables that are files")
        }
        sqlite::SQLITE_PRAGMA if second.is_some() && is_among(first, TRUST_PRAGMAS) => {
            Some("SQL of an extension cannot change whether schemas are trusted")
        }
        sqlite::SQLITE_INSERT | sqlite::SQLITE_UPDATE | sqlite::SQLITE_DELETE
            if is_among(first, SCHEMA_TABLES) && db.has_writable_schema() =>
        {
            Some("SQL of an extension cannot write the text of a schema")
        }
        _ => None,
    }
}

/// Remember an extension's change of the schema TEMP. Returns why that fails.
fn share_temp(db: &Connection, action: c_int, first: Option<&CStr>) -> Option<&'static str> {
    let changes_temp = match action {
        sqlite::SQLITE_CREATE_TEMP_TABLE | sqlite::SQLITE_CREATE_TEMP_INDEX => true,
        sqlite::SQLITE_ALTER_TABLE => is_among(first, TEMP),
        _ => false,
    };
    let is_new = changes_temp && db.client_data::<TempIsShared>().is_none();
    let is_lost = is_new && db.set_client_data(TempIsShared).is_err();
    is_lost.then_some("no memory is left for the change of the schema TEMP")
}

/// Before the program uses a table in TEMP, take the trust from its expressions if an extension may
/// have written them. SQLite reads the schema again whenever it has changed, so this happens for each
/// use.
fn distrust(db: &Connection, action: c_int, table: Option<&CStr>, schema: Option<&CStr>) {
    let uses_table = matches!(
        action,
        sqlite::SQLITE_READ | sqlite::SQLITE_INSERT | sqlite::SQLITE_UPDATE | sqlite::SQLITE_DELETE
    );
    if let Some(table) = table
        && uses_table
        && is_among(schema, TEMP)
        && db.client_data::<TempIsShared>().is_some()
    {
        db.distrust_temp_table(table);
    }
}

fn is_among(name: Option<&CStr>, names: &[&str]) -> bool {
    let is_it = |name: &CStr| {
        names.iter().any(|other| name.to_bytes().eq_ignore_ascii_case(other.as_bytes()))
    };
    name.is_some_and(is_it)
}
