//! Virtual tables: SQLite's module callbacks on `dispatch.table-*`.

mod cursor;
mod plan;
mod shadow;

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::rc::Rc;
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::{
    sqlite3, sqlite3_context, sqlite3_index_info, sqlite3_int64, sqlite3_module, sqlite3_value,
    sqlite3_vtab, sqlite3_vtab_cursor,
};

use super::abi::{Failure, Numbers, Subtypes, owned};
use super::load::{c_name, outcome};
use super::scalar;
use super::sql::served;
use crate::host::dispatch::{self, SqlError};
use crate::host::extension_types::{Module, ModuleFlags, ModuleKind, Risk, TextEncoding};
use crate::host::table_types::{
    Change, Conflict, Connected, Insertion, Modification, Occasion, TableConfig, Transaction,
};
use cursor::Cursor;

/// What tables know of their extension.
pub struct Extension {
    pub number: u32,
    pub name: String,
    /// By their places in the manifest; tables may offer them as overloads.
    pub functions: Vec<scalar::Registered>,
}

impl Extension {
    /// What it did against the contract.
    fn broke(&self, what: &str) -> Failure {
        let message = format!("the extension `{}` broke the contract: {what}", self.name);
        Failure { code: sqlite::SQLITE_ERROR, message: message.into_bytes() }
    }
}

/// A module that an extension registered; SQLite hands it back.
struct Registered {
    extension: Rc<Extension>,
    module: u32,
    flags: ModuleFlags,
    risk: Risk,
    methods: sqlite3_module,
}

/// A connected table, as SQLite sees it.
#[repr(C)]
struct Table {
    head: sqlite3_vtab,
    db: *mut sqlite3,
    extension: Rc<Extension>,
    table: u32,
    /// At least as many as there are columns.
    columns: u32,
    /// Functions beyond the manifest that the table offers. SQLite keeps their
    /// addresses in statements.
    overloads: Vec<Rc<scalar::Registered>>,
    /// An update may leave columns out.
    takes_unchanged: bool,
}

/// Register a module.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn register(
    db: *mut sqlite3,
    extension: Rc<Extension>,
    place: u32,
    module: &Module,
) -> Result<(), (c_int, String)> {
    let name = c_name(&module.name)?;
    let shadow_name = shadow::asked(&module.shadow_names)
        .map_err(|()| (sqlite::SQLITE_FULL, module.name.clone()))?;
    let registered = Box::into_raw(Box::new(Registered {
        extension,
        module: place,
        flags: module.flags,
        risk: module.risk,
        methods: sqlite3_module { xShadowName: shadow_name, ..methods(module) },
    }));
    // SAFETY: the caller's connection; SQLite frees the registration through
    // `forget`, also when it fails.
    let code = unsafe {
        sqlite::sqlite3_create_module_v2(
            db,
            name.as_ptr(),
            &(*registered).methods,
            registered.cast(),
            Some(forget),
        )
    };
    outcome(code, &module.name)
}

unsafe extern "C" fn forget(registered: *mut c_void) {
    // SAFETY: it came from `Box::into_raw`.
    drop(unsafe { Box::from_raw(registered.cast::<Registered>()) });
}

fn methods(module: &Module) -> sqlite3_module {
    let can = |flag| module.flags.contains(flag);
    let (transactions, savepoints) = (can(ModuleFlags::TRANSACTIONS), can(ModuleFlags::SAVEPOINTS));
    sqlite3_module {
        iVersion: 4,
        xCreate: match module.kind {
            ModuleKind::Created => Some(create),
            // The same function in both places makes a module eponymous.
            ModuleKind::Eponymous => Some(connect),
            ModuleKind::EponymousOnly => None,
        },
        xConnect: Some(connect),
        xBestIndex: Some(best_index),
        xDisconnect: Some(disconnect),
        xDestroy: Some(destroy),
        xOpen: Some(open),
        xClose: Some(close),
        xFilter: Some(filter),
        xNext: Some(next),
        xEof: Some(eof),
        xColumn: Some(column),
        xRowid: Some(row_id),
        xUpdate: if can(ModuleFlags::WRITABLE) { Some(update) } else { None },
        xBegin: if transactions { Some(begin) } else { None },
        xSync: if transactions { Some(sync) } else { None },
        xCommit: if transactions { Some(commit) } else { None },
        xRollback: if transactions { Some(rollback) } else { None },
        xFindFunction: if can(ModuleFlags::OVERLOADS) { Some(find_function) } else { None },
        xRename: if can(ModuleFlags::RENAME) { Some(rename) } else { None },
        xSavepoint: if savepoints { Some(savepoint) } else { None },
        xRelease: if savepoints { Some(release) } else { None },
        xRollbackTo: if savepoints { Some(rollback_to) } else { None },
        xShadowName: None,
        xIntegrity: if can(ModuleFlags::INTEGRITY) { Some(integrity) } else { None },
    }
}

/// # Safety
///
/// `text` is a C string or null.
unsafe fn string(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Memory of SQLite's with a text in it.
fn sqlite_text(text: &[u8]) -> *mut c_char {
    let text = CString::new(text.split(|byte| *byte == 0).next().unwrap_or_default());
    let text = text.unwrap_or_default();
    // SAFETY: the format takes one C string.
    unsafe { sqlite::sqlite3_mprintf(c"%s".as_ptr(), text.as_ptr()) }
}

unsafe extern "C" fn create(
    db: *mut sqlite3,
    registered: *mut c_void,
    count: c_int,
    arguments: *const *const c_char,
    table: *mut *mut sqlite3_vtab,
    error: *mut *mut c_char,
) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe { connected(Occasion::Create, db, registered, count, arguments, table, error) }
}

unsafe extern "C" fn connect(
    db: *mut sqlite3,
    registered: *mut c_void,
    count: c_int,
    arguments: *const *const c_char,
    table: *mut *mut sqlite3_vtab,
    error: *mut *mut c_char,
) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe { connected(Occasion::Connect, db, registered, count, arguments, table, error) }
}

/// # Safety
///
/// As SQLite calls xCreate and xConnect.
unsafe fn connected(
    occasion: Occasion,
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
                occasion,
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
    // SAFETY: the caller's connection, inside of xCreate or xConnect.
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
    // SAFETY: the caller's connection, inside of xCreate or xConnect.
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

/// # Safety
///
/// `table` is one that `declare` made and that was not freed.
unsafe fn table_of<'a>(table: *mut sqlite3_vtab) -> &'a mut Table {
    // SAFETY: the caller's promise.
    unsafe { &mut *table.cast::<Table>() }
}

impl Table {
    /// Let the callback fail: SQLite reads the message from the table.
    fn failed(&mut self, failure: &Failure) -> c_int {
        if !failure.message.is_empty() {
            // SAFETY: SQLite's memory, or null.
            unsafe { sqlite::sqlite3_free(self.head.zErrMsg.cast()) };
            self.head.zErrMsg = sqlite_text(&failure.message);
        }
        failure.code
    }

    /// A function that the table offers; one beyond the manifest is kept as
    /// long as the table.
    fn overload(&mut self, function: u32) -> *const scalar::Registered {
        if let Some(registered) = self.extension.functions.get(function as usize) {
            return registered;
        }
        if let Some(known) = self.overloads.iter().find(|known| known.function.get() == function) {
            return Rc::as_ptr(known);
        }
        self.overloads.push(Rc::new(scalar::Registered {
            extension: self.extension.number,
            function: Cell::new(function),
            encoding: TextEncoding::Utf8,
            wants_subtypes: true,
            subtypes: Subtypes::Kept,
            is_unary: false,
            numbers: Numbers::AsTheyAre,
        }));
        let last = self.overloads.len() - 1;
        Rc::as_ptr(&self.overloads[last])
    }

    /// Call the extension, for this table's connection.
    fn call<T>(&self, call: impl Fn(u32, u32) -> Result<T, SqlError>) -> Result<T, SqlError> {
        let extension = self.extension.number;
        // SAFETY: a table does not outlive its connection.
        unsafe { served(self.db, extension, || call(extension, self.table)) }
    }

    fn told(&mut self, result: Result<(), SqlError>) -> c_int {
        match result.map_err(Failure::from_error) {
            Ok(()) => sqlite::SQLITE_OK,
            Err(failure) => self.failed(&failure),
        }
    }
}

unsafe extern "C" fn best_index(table: *mut sqlite3_vtab, info: *mut sqlite3_index_info) -> c_int {
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

unsafe extern "C" fn disconnect(table: *mut sqlite3_vtab) -> c_int {
    // SAFETY: SQLite disconnects a table once.
    let table = unsafe { Box::from_raw(table.cast::<Table>()) };
    // SQLite has no use for a failure here: the table is gone either way.
    let _ = table.call(dispatch::table_disconnect);
    sqlite::SQLITE_OK
}

unsafe extern "C" fn destroy(table: *mut sqlite3_vtab) -> c_int {
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

unsafe extern "C" fn open(
    table: *mut sqlite3_vtab,
    cursor: *mut *mut sqlite3_vtab_cursor,
) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe {
        let table = table_of(table);
        match table.call(dispatch::table_open) {
            Ok(number) => {
                let opened = Cursor::new(table.db, table.extension.clone(), number);
                *cursor = Box::into_raw(Box::new(opened)).cast();
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

unsafe extern "C" fn close(cursor: *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite closes a cursor once.
    drop(unsafe { Box::from_raw(cursor.cast::<Cursor>()) });
    sqlite::SQLITE_OK
}

unsafe extern "C" fn filter(
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
        let arguments: Vec<_> = values.iter().map(|value| plan::argument(*value)).collect();
        let subtypes = plan::subtypes(values);
        match cursor.filter(number, text, &arguments, &subtypes, columns) {
            Ok(()) => sqlite::SQLITE_OK,
            Err(failure) => table.failed(&failure),
        }
    }
}

unsafe extern "C" fn next(cursor: *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite's own argument.
    let (cursor, table) = unsafe { cursor_of(cursor) };
    match cursor.next() {
        Ok(()) => sqlite::SQLITE_OK,
        Err(failure) => table.failed(&failure),
    }
}

unsafe extern "C" fn eof(cursor: *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite's own argument.
    c_int::from(unsafe { cursor_of(cursor) }.0.is_at_end())
}

unsafe extern "C" fn column(
    cursor: *mut sqlite3_vtab_cursor,
    context: *mut sqlite3_context,
    column: c_int,
) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe {
        let (cursor, table) = cursor_of(cursor);
        if !(table.takes_unchanged && sqlite::sqlite3_vtab_nochange(context) != 0) {
            cursor.give(context, column as u32);
        }
    }
    sqlite::SQLITE_OK
}

unsafe extern "C" fn row_id(cursor: *mut sqlite3_vtab_cursor, row_id: *mut sqlite3_int64) -> c_int {
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

unsafe extern "C" fn update(
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
        let subtypes = plan::subtypes(values.get(2..).unwrap_or_default());
        match table.call(|extension, table| {
            dispatch::table_update(extension, table, &change, &subtypes, conflict)
        }) {
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
        unsafe extern "C" fn $name(table: *mut sqlite3_vtab $(, $number: c_int)?) -> c_int {
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

unsafe extern "C" fn rename(table: *mut sqlite3_vtab, name: *const c_char) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe {
        let table = table_of(table);
        let name = string(name);
        let result = table.call(|extension, table| dispatch::table_rename(extension, table, &name));
        table.told(result)
    }
}

unsafe extern "C" fn integrity(
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

type Called = unsafe extern "C" fn(*mut sqlite3_context, c_int, *mut *mut sqlite3_value);

unsafe extern "C" fn find_function(
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
