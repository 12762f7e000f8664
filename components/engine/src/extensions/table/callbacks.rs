//! Plans and scans.

use std::ffi::{c_char, c_int, c_void};
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::{
    sqlite3_context, sqlite3_index_info, sqlite3_int64, sqlite3_value, sqlite3_vtab,
    sqlite3_vtab_cursor,
};

use super::super::abi::Failure;
use super::super::{pointers, scalar};
use super::cursor::Cursor;
use super::{Table, best_index as plan, string, table_of};
use crate::host::dispatch;

pub unsafe extern "C" fn best_index(
    table: *mut sqlite3_vtab,
    info: *mut sqlite3_index_info,
) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe {
        let table = table_of(table);
        let question = plan::question(info);
        match table.call(|extension, table| dispatch::table_best_index(extension, table, &question))
        {
            Ok(Some(plan)) => match plan::answer(info, &plan) {
                Ok(()) => sqlite::SQLITE_OK,
                Err(broken) => table.failed(&table.extension.broke(broken)),
            },
            Ok(None) => sqlite::SQLITE_CONSTRAINT,
            Err(error) => table.failed(&Failure::from_error(error)),
        }
    }
}

type Called = unsafe extern "C" fn(*mut sqlite3_context, c_int, *mut *mut sqlite3_value);

pub unsafe extern "C" fn find_function(
    table: *mut sqlite3_vtab,
    arguments: c_int,
    name: *const c_char,
    called: *mut Option<Called>,
    user_data: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite's own arguments; what is given out lives as long as the
    // table.
    unsafe {
        let table = table_of(table);
        let (name, arguments) = (string(name), arguments as u32);
        let found = table.call(|extension, table| {
            dispatch::table_find_function(extension, table, arguments, &name)
        });
        // SQLite has no use for a failure here.
        let Ok(Some(overload)) = found else {
            return 0;
        };
        *called = Some(scalar::call);
        *user_data = table.overload(overload.function).cast_mut().cast();
        // 1 for an overload that best-index does not see.
        if overload.operator >= 150 { overload.operator.into() } else { 1 }
    }
}

pub unsafe extern "C" fn open(
    table: *mut sqlite3_vtab,
    cursor: *mut *mut sqlite3_vtab_cursor,
) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe {
        let table = table_of(table);
        match table.call(dispatch::table_open) {
            Ok(number) => {
                *cursor = Box::into_raw(Box::new(Cursor::new(table, number))).cast();
                sqlite::SQLITE_OK
            }
            Err(error) => table.failed(&Failure::from_error(error)),
        }
    }
}

/// # Safety
///
/// `cursor` is one that `open` made and that was not closed.
unsafe fn cursor_of<'a>(cursor: *mut sqlite3_vtab_cursor) -> (&'a mut Cursor, &'a mut Table) {
    // SAFETY: the caller's promise; SQLite has filled in the table.
    unsafe { (&mut *cursor.cast::<Cursor>(), table_of((*cursor).pVtab)) }
}

pub unsafe extern "C" fn close(cursor: *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite closes a cursor once.
    drop(unsafe { Box::from_raw(cursor.cast::<Cursor>()) });
    sqlite::SQLITE_OK
}

pub unsafe extern "C" fn filter(
    cursor: *mut sqlite3_vtab_cursor,
    number: c_int,
    text: *const c_char,
    count: c_int,
    values: *mut *mut sqlite3_value,
) -> c_int {
    // SAFETY: SQLite's own arguments; the text is the plan's.
    unsafe {
        let (cursor, table) = cursor_of(cursor);
        let (columns, text) = plan::carried(text, table.columns);
        let values = if count == 0 { &[] } else { slice::from_raw_parts(values, count as usize) };
        let arguments: Vec<_> =
            values.iter().map(|value| plan::argument(*value, table.extension.number)).collect();
        let subtypes = pointers::subtypes(values, table.extension.number);
        match cursor.filter(number, text, &arguments, &subtypes, columns) {
            Ok(()) => sqlite::SQLITE_OK,
            Err(failure) => table.failed(&failure),
        }
    }
}

pub unsafe extern "C" fn next(cursor: *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite's own argument.
    let (cursor, table) = unsafe { cursor_of(cursor) };
    if cursor.next() { sqlite::SQLITE_OK } else { fetch(cursor, table) }
}

/// Not inlined: what it needs of the stack costs each row.
#[cold]
#[inline(never)]
fn fetch(cursor: &mut Cursor, table: &mut Table) -> c_int {
    match cursor.fetch() {
        Ok(()) => sqlite::SQLITE_OK,
        Err(failure) => table.failed(&failure),
    }
}

pub unsafe extern "C" fn eof(cursor: *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite's own argument.
    c_int::from(unsafe { cursor_of(cursor) }.0.is_at_end())
}

pub unsafe extern "C" fn column(
    cursor: *mut sqlite3_vtab_cursor,
    context: *mut sqlite3_context,
    column: c_int,
) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe {
        (*cursor.cast::<Cursor>()).give(context, column as u32);
    }
    sqlite::SQLITE_OK
}

pub unsafe extern "C" fn row_id(
    cursor: *mut sqlite3_vtab_cursor,
    row_id: *mut sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe {
        let (cursor, table) = cursor_of(cursor);
        match cursor.row_id() {
            Ok(number) => {
                *row_id = number;
                sqlite::SQLITE_OK
            }
            Err(failure) => table.failed(&failure),
        }
    }
}
