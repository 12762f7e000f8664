//! The callbacks of virtual-table modules.

use std::cell::{RefCell, UnsafeCell};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::rc::Rc;
use std::{mem, slice};

use libsqlite3_sys as sqlite;
use sqlite::{
    sqlite3, sqlite3_context, sqlite3_index_info, sqlite3_int64, sqlite3_module, sqlite3_value,
    sqlite3_vtab, sqlite3_vtab_cursor,
};
use wire::code;

use super::connection::{Connection, drop_box, sqlite_text, string};
use super::context::Context;
use super::error::failure_code;
use super::function::call;
use super::index_info::IndexInfo;
use super::methods::methods;
use super::shadow_names;
use super::value::Value;
use super::vtab::{Cursor, Definition, Module, Table};
use crate::host::dispatch::SqlError;
use crate::host::table_types::{ConnectMode, Transaction};

/// A registered module. SQLite stores the addresses of both.
struct Registered<M> {
    methods: sqlite3_module,
    module: M,
}

/// A table for SQLite, which writes to its head.
#[repr(C)]
struct Connected<T: Table> {
    head: UnsafeCell<sqlite3_vtab>,
    db: *mut sqlite3,
    /// The functions whose addresses SQLite has.
    functions: RefCell<Vec<Rc<T::Function>>>,
    table: T,
}

/// A cursor for SQLite, which writes to its head.
#[repr(C)]
struct Opened<C> {
    head: sqlite3_vtab_cursor,
    cursor: C,
}

impl Connection {
    /// Register a module. Returns the result code.
    pub fn create_module<M: Module>(
        &self,
        name: &CStr,
        definition: &Definition,
        module: M,
    ) -> c_int {
        let Some(methods) = methods::<M>(definition) else { return code::FULL };
        let registered = Box::into_raw(Box::new(Registered { methods, module }));
        let drop = Some(drop_box::<Registered<M>> as _);
        // SAFETY: an open connection. The callbacks take the module for a `Registered<M>`. SQLite
        // drops it once, also when this fails, and reads the methods until then.
        unsafe {
            let (db, name, methods) =
                (self.as_ptr(), name.as_ptr(), &raw const (*registered).methods);
            sqlite::sqlite3_create_module_v2(db, name, methods, registered.cast(), drop)
        }
    }
}

impl<T: Table> Connected<T> {
    /// # Safety
    ///
    /// `head` is that of a `Connected<T>` that lives during `'a`.
    unsafe fn from_head<'a>(head: *mut sqlite3_vtab) -> &'a Self {
        // SAFETY: the caller's promise; the head comes first.
        unsafe { &*head.cast() }
    }

    fn db(&self) -> &Connection {
        // SAFETY: SQLite disconnects its tables before it closes a connection.
        unsafe { Connection::from_ptr(self.db) }
    }

    /// The result code; the message goes where SQLite looks for it.
    fn code(&self, result: Result<(), SqlError>) -> c_int {
        let Err(error) = result else { return code::OK };
        if !error.message.is_empty() {
            let head = self.head.get();
            // SAFETY: the message is null or memory of SQLite, which takes the new one over.
            unsafe {
                sqlite::sqlite3_free((*head).zErrMsg.cast());
                (*head).zErrMsg = sqlite_text(&error.message);
            }
        }
        failure_code(&error)
    }

    /// The same, storing a result at SQLite's address.
    ///
    /// # Safety
    ///
    /// `out` may be written.
    unsafe fn store<V>(&self, result: Result<V, SqlError>, out: *mut V) -> c_int {
        self.code(result.map(|value| {
            // SAFETY: the caller's promise.
            unsafe { out.write(value) }
        }))
    }

    /// Keep a function as long as the table. Returns its address.
    fn hold(&self, function: Rc<T::Function>) -> *const T::Function {
        let address = Rc::as_ptr(&function);
        let mut held = self.functions.borrow_mut();
        if !held.iter().any(|held| Rc::ptr_eq(held, &function)) {
            held.push(function);
        }
        address
    }
}

macro_rules! connect_callbacks {
    ($($name:ident => $mode:expr;)*) => {$(
        pub(super) unsafe extern "C" fn $name<M: Module>(
            db: *mut sqlite3,
            module: *mut c_void,
            count: c_int,
            arguments: *const *const c_char,
            table: *mut *mut sqlite3_vtab,
            error: *mut *mut c_char,
        ) -> c_int {
            // SAFETY: SQLite calls it for a `Registered<M>`.
            unsafe { connect_in::<M>($mode, db, module, count, arguments, table, error) }
        }
    )*};
}

connect_callbacks! {
    create => ConnectMode::Create;
    connect => ConnectMode::Connect;
}

/// # Safety
///
/// As SQLite calls xCreate and xConnect of a `Registered<M>`.
unsafe fn connect_in<M: Module>(
    mode: ConnectMode,
    db: *mut sqlite3,
    module: *mut c_void,
    count: c_int,
    arguments: *const *const c_char,
    table: *mut *mut sqlite3_vtab,
    error: *mut *mut c_char,
) -> c_int {
    // SAFETY: the connection is open, the module registered, and the arguments are `count` C
    // strings. SQLite fills the head of the table, whose zeros mean that it has no message.
    unsafe {
        let module = &(*module.cast::<Registered<M>>()).module;
        let arguments = slice::from_raw_parts(arguments, count as usize);
        let arguments: Vec<String> = arguments.iter().map(|argument| string(*argument)).collect();
        match module.connect(Connection::from_ptr(db), mode, &arguments) {
            Ok(connected) => {
                let head = UnsafeCell::new(mem::zeroed());
                let functions = RefCell::default();
                let connected = Box::new(Connected { head, db, functions, table: connected });
                *table = Box::into_raw(connected).cast();
                code::OK
            }
            Err(failure) => {
                *error = sqlite_text(&failure.message);
                failure_code(&failure)
            }
        }
    }
}

pub(super) unsafe extern "C" fn disconnect<T: Table>(head: *mut sqlite3_vtab) -> c_int {
    // SAFETY: SQLite disconnects a `Connected<T>` once.
    let connected = unsafe { Box::from_raw(head.cast::<Connected<T>>()) };
    connected.table.disconnect(connected.db());
    code::OK
}

pub(super) unsafe extern "C" fn destroy<T: Table>(head: *mut sqlite3_vtab) -> c_int {
    // SAFETY: SQLite destroys a `Connected<T>`, and knows it no more when that succeeds.
    unsafe {
        let connected = Connected::<T>::from_head(head);
        let code = connected.code(connected.table.destroy(connected.db()));
        if code == code::OK {
            drop(Box::from_raw(head.cast::<Connected<T>>()));
        }
        code
    }
}

pub(super) unsafe extern "C" fn best_index<T: Table>(
    head: *mut sqlite3_vtab,
    info: *mut sqlite3_index_info,
) -> c_int {
    // SAFETY: SQLite calls xBestIndex of a `Connected<T>`, with an info for the call.
    let (connected, info) = unsafe { (Connected::<T>::from_head(head), IndexInfo::from_ptr(info)) };
    match connected.table.best_index(connected.db(), info) {
        Ok(false) => code::CONSTRAINT,
        result => connected.code(result.map(|_| ())),
    }
}

pub(super) unsafe extern "C" fn open<T: Table>(
    head: *mut sqlite3_vtab,
    cursor: *mut *mut sqlite3_vtab_cursor,
) -> c_int {
    // SAFETY: SQLite calls xOpen of a `Connected<T>`, and fills the head of the cursor.
    unsafe {
        let connected = Connected::<T>::from_head(head);
        let opened = connected.table.open(connected.db());
        let opened = opened.map(|cursor| Box::new(Opened { head: mem::zeroed(), cursor }));
        connected.store(opened.map(|opened| Box::into_raw(opened).cast()), cursor)
    }
}

/// # Safety
///
/// `head` is that of an `Opened<T::Cursor>` which nothing else uses during `'a`.
#[inline(always)]
unsafe fn cursor_of<'a, T: Table>(head: *mut sqlite3_vtab_cursor) -> &'a mut T::Cursor {
    // SAFETY: the caller's promise; the head comes first.
    unsafe { &mut (*head.cast::<Opened<T::Cursor>>()).cursor }
}

/// # Safety
///
/// `head` is that of an open cursor of a `Connected<T>`.
unsafe fn table_of<'a, T: Table>(head: *mut sqlite3_vtab_cursor) -> &'a Connected<T> {
    // SAFETY: SQLite has put the table into the head, and closes cursors before it disconnects.
    unsafe { Connected::from_head((*head).pVtab) }
}

pub(super) unsafe extern "C" fn close<T: Table>(head: *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite closes an `Opened<T::Cursor>` once.
    let (opened, connected) =
        unsafe { (Box::from_raw(head.cast::<Opened<T::Cursor>>()), table_of::<T>(head)) };
    opened.cursor.close(connected.db());
    code::OK
}

pub(super) unsafe extern "C" fn filter<T: Table>(
    head: *mut sqlite3_vtab_cursor,
    number: c_int,
    text: *const c_char,
    count: c_int,
    values: *mut *mut sqlite3_value,
) -> c_int {
    // SAFETY: SQLite calls xFilter with an open cursor, the text of a plan that xBestIndex made, a
    // C string or null, and arguments.
    let (cursor, connected, text, arguments) = unsafe {
        let text = (!text.is_null()).then(|| CStr::from_ptr(text));
        (cursor_of::<T>(head), table_of::<T>(head), text, Value::slice(values, count))
    };
    let (db, table) = (connected.db(), &connected.table);
    connected.code(cursor.filter(db, table, number, text, arguments))
}

pub(super) unsafe extern "C" fn next<T: Table>(head: *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite calls xNext with an open cursor that nothing else uses.
    let (cursor, connected) = unsafe { (cursor_of::<T>(head), table_of::<T>(head)) };
    connected.code(cursor.next(connected.db()))
}

pub(super) unsafe extern "C" fn eof<T: Table>(head: *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite calls xEof with an open cursor that nothing else uses.
    c_int::from(unsafe { cursor_of::<T>(head) }.is_at_end())
}

pub(super) unsafe extern "C" fn column<T: Table>(
    head: *mut sqlite3_vtab_cursor,
    context: *mut sqlite3_context,
    column: c_int,
) -> c_int {
    // SAFETY: SQLite calls xColumn with an open cursor that nothing else uses, and a context.
    let (cursor, context) = unsafe { (cursor_of::<T>(head), Context::from_ptr(context)) };
    cursor.column(context, column as u32);
    code::OK
}

pub(super) unsafe extern "C" fn row_id<T: Table>(
    head: *mut sqlite3_vtab_cursor,
    row_id: *mut sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite calls xRowid with an open cursor that nothing else uses, and a variable.
    unsafe { table_of::<T>(head).store(cursor_of::<T>(head).row_id(), row_id) }
}

pub(super) unsafe extern "C" fn update<T: Table>(
    head: *mut sqlite3_vtab,
    count: c_int,
    values: *mut *mut sqlite3_value,
    row_id: *mut sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite calls xUpdate of a `Connected<T>`, with its arguments and a variable.
    unsafe {
        let connected = Connected::<T>::from_head(head);
        let values = Value::slice(values, count);
        connected.store(connected.table.update(connected.db(), values), row_id)
    }
}

macro_rules! transaction_callbacks {
    ($($name:ident($($number:ident)?) => $step:expr;)*) => {$(
        pub(super) unsafe extern "C" fn $name<T: Table>(head: *mut sqlite3_vtab $(, $number: c_int)?) -> c_int {
            // SAFETY: SQLite calls it for a `Connected<T>`.
            let connected = unsafe { Connected::<T>::from_head(head) };
            connected.code(connected.table.transact(connected.db(), $step))
        }
    )*};
}

transaction_callbacks! {
    begin() => Transaction::Begin;
    sync() => Transaction::Sync;
    commit() => Transaction::Commit;
    rollback() => Transaction::Rollback;
    savepoint(number) => Transaction::Savepoint(number as u32);
    release(number) => Transaction::Release(number as u32);
    rollback_to(number) => Transaction::RollbackTo(number as u32);
}

pub(super) unsafe extern "C" fn rename<T: Table>(
    head: *mut sqlite3_vtab,
    name: *const c_char,
) -> c_int {
    // SAFETY: SQLite calls xRename of a `Connected<T>`, with a C string.
    let (connected, name) = unsafe { (Connected::<T>::from_head(head), string(name)) };
    connected.code(connected.table.rename(connected.db(), &name))
}

pub(super) unsafe extern "C" fn integrity<T: Table>(
    head: *mut sqlite3_vtab,
    schema: *const c_char,
    name: *const c_char,
    quick: c_int,
    error: *mut *mut c_char,
) -> c_int {
    // SAFETY: SQLite calls xIntegrity of a `Connected<T>`, with two C strings and a variable for a
    // text in memory of SQLite.
    unsafe {
        let connected = Connected::<T>::from_head(head);
        let (db, schema, name) = (connected.db(), string(schema), string(name));
        let found = connected.table.integrity(db, &schema, &name, quick & 1 != 0);
        *error = found.map_or(null_mut(), |found| sqlite_text(&found));
    }
    code::OK
}

type Call = unsafe extern "C" fn(*mut sqlite3_context, c_int, *mut *mut sqlite3_value);

pub(super) unsafe extern "C" fn find_function<T: Table>(
    head: *mut sqlite3_vtab,
    arguments: c_int,
    name: *const c_char,
    callback: *mut Option<Call>,
    user_data: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite calls xFindFunction of a `Connected<T>`, with a C string and two variables.
    // The table holds the function that `call` is given.
    unsafe {
        let connected = Connected::<T>::from_head(head);
        let (db, name) = (connected.db(), string(name));
        let found = connected.table.find_function(db, arguments as u32, &name);
        let Some((function, operator)) = found else { return 0 };
        *callback = Some(call::<T::Function>);
        *user_data = connected.hold(function).cast_mut().cast();
        // 1 for a function that is not an operator for xBestIndex.
        if operator >= sqlite::SQLITE_INDEX_CONSTRAINT_FUNCTION as u8 { operator.into() } else { 1 }
    }
}

/// SQLite's xShadowName.
pub(super) type ShadowName = unsafe extern "C" fn(*const c_char) -> c_int;

unsafe extern "C" fn is_shadow_name<const LIST: usize>(ending: *const c_char) -> c_int {
    // SAFETY: SQLite passes a C string.
    shadow_names::contains(LIST, unsafe { CStr::from_ptr(ending) }.to_bytes()).into()
}

macro_rules! shadow_callbacks {
    ($($list:literal)*) => { &[$(is_shadow_name::<$list>),*] };
}

/// One for each list of endings. SQLite's modules have four.
pub(super) const SHADOW_CALLBACKS: &[ShadowName] = shadow_callbacks! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
    16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
};
