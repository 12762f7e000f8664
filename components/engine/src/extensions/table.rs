//! Virtual tables: SQLite's module callbacks on `dispatch.table-*`.

mod best_index;
mod callbacks;
mod connect;
mod cursor;
mod shadow;
mod update;

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::rc::Rc;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_module, sqlite3_vtab};

use super::abi::{Failure, Numbers, Subtypes};
use super::load::{c_name, outcome};
use super::scalar;
use super::sql::{served, served_once};
use crate::host::dispatch::SqlError;
use crate::host::extension_types::{Module, ModuleFlags, ModuleKind, Risk, TextEncoding};

/// What tables know of their extension.
pub struct Extension {
    pub number: u32,
    pub name: String,
    /// Columns, and arguments of overloads, may be pointers.
    pub has_pointers: bool,
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
            ModuleKind::Created => Some(connect::create),
            // The same function in both places makes a module eponymous.
            ModuleKind::Eponymous => Some(connect::connect),
            ModuleKind::EponymousOnly => None,
        },
        xConnect: Some(connect::connect),
        xBestIndex: Some(callbacks::best_index),
        xDisconnect: Some(connect::disconnect),
        xDestroy: Some(connect::destroy),
        xOpen: Some(callbacks::open),
        xClose: Some(callbacks::close),
        xFilter: Some(callbacks::filter),
        xNext: Some(callbacks::next),
        xEof: Some(callbacks::eof),
        xColumn: Some(callbacks::column),
        xRowid: Some(callbacks::row_id),
        xUpdate: if can(ModuleFlags::WRITABLE) { Some(update::update) } else { None },
        xBegin: if transactions { Some(update::begin) } else { None },
        xSync: if transactions { Some(update::sync) } else { None },
        xCommit: if transactions { Some(update::commit) } else { None },
        xRollback: if transactions { Some(update::rollback) } else { None },
        xFindFunction: if can(ModuleFlags::OVERLOADS) {
            Some(callbacks::find_function)
        } else {
            None
        },
        xRename: if can(ModuleFlags::RENAME) { Some(connect::rename) } else { None },
        xSavepoint: if savepoints { Some(update::savepoint) } else { None },
        xRelease: if savepoints { Some(update::release) } else { None },
        xRollbackTo: if savepoints { Some(update::rollback_to) } else { None },
        xShadowName: None,
        xIntegrity: if can(ModuleFlags::INTEGRITY) { Some(connect::integrity) } else { None },
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
            has_pointers: self.extension.has_pointers,
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

    /// The same with arguments that are not looked at when the call has begun.
    fn call_once<T>(
        &self,
        call: impl Fn(bool, u32, u32) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let extension = self.extension.number;
        // SAFETY: a table does not outlive its connection.
        unsafe {
            served_once(self.db, extension, |has_begun| call(has_begun, extension, self.table))
        }
    }

    fn told(&mut self, result: Result<(), SqlError>) -> c_int {
        match result.map_err(Failure::from_error) {
            Ok(()) => sqlite::SQLITE_OK,
            Err(failure) => self.failed(&failure),
        }
    }
}
