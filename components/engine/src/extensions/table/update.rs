//! Changes of rows, and the transactions that they are in.

use std::ffi::c_int;
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3_int64, sqlite3_value, sqlite3_vtab};

use super::super::abi::{Failure, owned};
use super::{Table, best_index, table_of};
use crate::host::dispatch;
use crate::host::table_types::{Change, Conflict, Insertion, Modification, Transaction};

pub unsafe extern "C" fn update(
    table: *mut sqlite3_vtab,
    count: c_int,
    values: *mut *mut sqlite3_value,
    row_id: *mut sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe {
        let values = slice::from_raw_parts(values, count as usize);
        let table = table_of(table);
        let (change, conflict) = (change(values), conflict(table));
        let subtypes = best_index::subtypes(values.get(2..).unwrap_or_default());
        let nothing = Change::Delete(dispatch::Value::Null);
        let answer = table.call_once(|has_begun, extension, table| {
            let change = if has_begun { &nothing } else { &change };
            dispatch::table_update(extension, table, change, &subtypes, conflict)
        });
        match answer {
            Ok(number) => {
                *row_id = number;
                sqlite::SQLITE_OK
            }
            Err(error) => table.failed(&Failure::from_error(error)),
        }
    }
}

/// # Safety
///
/// `values` are those of xUpdate.
unsafe fn change(values: &[*mut sqlite3_value]) -> Change {
    // SAFETY: the caller's promise.
    unsafe {
        let is_null = |value| sqlite::sqlite3_value_type(value) == sqlite::SQLITE_NULL;
        match values {
            [old] => Change::Delete(owned(*old)),
            [old, new, columns @ ..] if is_null(*old) => Change::Insert(Insertion {
                row_id: owned(*new),
                columns: columns.iter().map(|value| owned(*value)).collect(),
            }),
            [old, new, columns @ ..] => Change::Update(Modification {
                old: owned(*old),
                // A primary key that stays comes as no value.
                new: owned(if sqlite::sqlite3_value_nochange(*new) != 0 { *old } else { *new }),
                columns: columns
                    .iter()
                    .map(|value| {
                        let is_same = sqlite::sqlite3_value_nochange(*value) != 0;
                        if is_same { None } else { Some(owned(*value)) }
                    })
                    .collect(),
            }),
            [] => Change::Delete(dispatch::Value::Null),
        }
    }
}

/// # Safety
///
/// Within xUpdate.
unsafe fn conflict(table: &Table) -> Conflict {
    // SAFETY: the table's own connection.
    match unsafe { sqlite::sqlite3_vtab_on_conflict(table.db) } {
        sqlite::SQLITE_ROLLBACK => Conflict::Rollback,
        sqlite::SQLITE_IGNORE => Conflict::Ignore,
        sqlite::SQLITE_FAIL => Conflict::Fail,
        sqlite::SQLITE_REPLACE => Conflict::Replace,
        _ => Conflict::Abort,
    }
}

macro_rules! transaction_steps {
    ($($name:ident($($number:ident)?) => $step:expr;)*) => {$(
        pub unsafe extern "C" fn $name(table: *mut sqlite3_vtab $(, $number: c_int)?) -> c_int {
            // SAFETY: SQLite's own arguments.
            let table = unsafe { table_of(table) };
            let result =
                table.call(|extension, table| dispatch::table_transact(extension, table, $step));
            table.told(result)
        }
    )*};
}

transaction_steps! {
    begin() => Transaction::Begin;
    sync() => Transaction::Sync;
    commit() => Transaction::Commit;
    rollback() => Transaction::Rollback;
    savepoint(number) => Transaction::Savepoint(number as u32);
    release(number) => Transaction::Release(number as u32);
    rollback_to(number) => Transaction::RollbackTo(number as u32);
}
