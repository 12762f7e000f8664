//! A table's life: it is created, connected, renamed, checked and let go.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_vtab};

use super::super::abi::Failure;
use super::super::sql::served;
use super::{Registered, Table, sqlite_text, string, table_of};
use crate::host::dispatch;
use crate::host::extension_types::{ModuleFlags, Risk};
use crate::host::table_types::{ConnectMode, Connected, TableConfig};

pub unsafe extern "C" fn create(
    db: *mut sqlite3,
    registered: *mut c_void,
    count: c_int,
    arguments: *const *const c_char,
    table: *mut *mut sqlite3_vtab,
    error: *mut *mut c_char,
) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe { connected(ConnectMode::Create, db, registered, count, arguments, table, error) }
}

pub unsafe extern "C" fn connect(
    db: *mut sqlite3,
    registered: *mut c_void,
    count: c_int,
    arguments: *const *const c_char,
    table: *mut *mut sqlite3_vtab,
    error: *mut *mut c_char,
) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe { connected(ConnectMode::Connect, db, registered, count, arguments, table, error) }
}

/// # Safety
///
/// As SQLite calls xCreate and xConnect.
unsafe fn connected(
    mode: ConnectMode,
    db: *mut sqlite3,
    registered: *mut c_void,
    count: c_int,
    arguments: *const *const c_char,
    table: *mut *mut sqlite3_vtab,
    error: *mut *mut c_char,
) -> c_int {
    // SAFETY: SQLite's own arguments: module, schema, table, and the rest.
    unsafe {
        let registered = &*registered.cast::<Registered>();
        let words: Vec<String> = slice::from_raw_parts(arguments, count as usize)
            .iter()
            .map(|word| string(*word))
            .collect();
        let connected = served(db, registered.extension.number, || {
            dispatch::table_connect(
                registered.extension.number,
                registered.module,
                mode,
                &words[1],
                &words[2],
                &words[3..],
            )
        });
        match connected.map_err(Failure::from_error) {
            Ok(connected) => declare(db, registered, connected, table, error),
            Err(failure) => {
                *error = sqlite_text(&failure.message);
                failure.code
            }
        }
    }
}

/// # Safety
///
/// Within xCreate or xConnect.
unsafe fn declare(
    db: *mut sqlite3,
    registered: &Registered,
    connected: Connected,
    table: *mut *mut sqlite3_vtab,
    error: *mut *mut c_char,
) -> c_int {
    let declaration = CString::new(connected.declaration.as_str()).unwrap_or_default();
    // SAFETY: the caller's connection, inside xCreate or xConnect.
    unsafe {
        let code = sqlite::sqlite3_declare_vtab(db, declaration.as_ptr());
        if code != sqlite::SQLITE_OK {
            let why = string(sqlite::sqlite3_errmsg(db));
            let name = &registered.extension.name;
            let told = format!("the extension `{name}` cannot declare the table: {why}");
            *error = sqlite_text(told.as_bytes());
            // The extension has the table already.
            let _ = served(db, registered.extension.number, || {
                dispatch::table_disconnect(registered.extension.number, connected.table)
            });
            return code;
        }
        configure(db, registered, connected.config);
        *table = Box::into_raw(Box::new(Table {
            head: std::mem::zeroed(),
            db,
            extension: registered.extension.clone(),
            table: connected.table,
            columns: 1 + connected.declaration.matches(',').count() as u32,
            overloads: Vec::new(),
            takes_unchanged: registered
                .flags
                .contains(ModuleFlags::WRITABLE | ModuleFlags::UNCHANGED_COLUMNS),
        }))
        .cast();
    }
    sqlite::SQLITE_OK
}

/// # Safety
///
/// Within xCreate or xConnect.
unsafe fn configure(db: *mut sqlite3, registered: &Registered, config: TableConfig) {
    let (flags, risk) = (registered.flags, registered.risk);
    let has = |flag, option| flags.contains(flag) || config.contains(option);
    // SAFETY: the caller's connection, inside xCreate or xConnect.
    unsafe {
        // The stricter of the two, where they differ.
        if risk == Risk::DirectOnly || config.contains(TableConfig::DIRECT_ONLY) {
            sqlite::sqlite3_vtab_config(db, sqlite::SQLITE_VTAB_DIRECTONLY);
        } else if risk == Risk::Innocuous || config.contains(TableConfig::INNOCUOUS) {
            sqlite::sqlite3_vtab_config(db, sqlite::SQLITE_VTAB_INNOCUOUS);
        }
        if has(ModuleFlags::CONSTRAINT_SUPPORT, TableConfig::CONSTRAINT_SUPPORT) {
            sqlite::sqlite3_vtab_config(db, sqlite::SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
        }
        if has(ModuleFlags::ALL_SCHEMAS, TableConfig::ALL_SCHEMAS) {
            sqlite::sqlite3_vtab_config(db, sqlite::SQLITE_VTAB_USES_ALL_SCHEMAS);
        }
    }
}

pub unsafe extern "C" fn disconnect(table: *mut sqlite3_vtab) -> c_int {
    // SAFETY: SQLite disconnects a table once.
    let table = unsafe { Box::from_raw(table.cast::<Table>()) };
    // SQLite has no use for a failure here: the table is gone either way.
    let _ = table.call(dispatch::table_disconnect);
    sqlite::SQLITE_OK
}

pub unsafe extern "C" fn destroy(table: *mut sqlite3_vtab) -> c_int {
    // SAFETY: the table stays when this fails, and is freed when it does not.
    unsafe {
        let here = table_of(table);
        let result = here.call(dispatch::table_destroy);
        let code = here.told(result);
        if code == sqlite::SQLITE_OK {
            drop(Box::from_raw(table.cast::<Table>()));
        }
        code
    }
}

pub unsafe extern "C" fn rename(table: *mut sqlite3_vtab, name: *const c_char) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe {
        let table = table_of(table);
        let name = string(name);
        let result = table.call(|extension, table| dispatch::table_rename(extension, table, &name));
        table.told(result)
    }
}

pub unsafe extern "C" fn integrity(
    table: *mut sqlite3_vtab,
    schema: *const c_char,
    name: *const c_char,
    quick: c_int,
    error: *mut *mut c_char,
) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe {
        let table = table_of(table);
        let (schema, name) = (string(schema), string(name));
        match table.call(|extension, table| {
            dispatch::table_integrity(extension, table, &schema, &name, quick & 1 != 0)
        }) {
            Ok(found) => {
                *error = found.map_or(null_mut(), |text| sqlite_text(text.as_bytes()));
                sqlite::SQLITE_OK
            }
            // SQLite shows what is wrong with a table, and no failure of asking.
            Err(failure) => {
                *error = sqlite_text(failure.message.as_bytes());
                sqlite::SQLITE_OK
            }
        }
    }
}
