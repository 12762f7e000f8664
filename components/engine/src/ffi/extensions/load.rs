//! Loading: SQLite's `load_extension` opens a library, finds an entry point in
//! it and calls that; here the library is an extension that the host loads.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::rc::Rc;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_api_routines, sqlite3_vfs};

use super::abi::{Numbers, Subtypes, encoding_code, failure};
use super::sql::{self, served};
use super::{aggregate, attached, collation, embedded, scalar, statistics, table};
use crate::host::dispatch::{self, Loaded, SqlError};
use crate::host::extension_types::{
    Collation, Connecting, Function, FunctionFlags, FunctionKind, Risk,
};
use crate::paths::{LastLink, granted};

/// What is open between xDlOpen, xDlSym and the call of the entry point, and
/// why the last one could not be opened.
#[derive(Default)]
struct Opening {
    error: RefCell<String>,
    current: Cell<usize>,
}

struct Shared(Opening);

// SAFETY: a component has one thread.
unsafe impl Sync for Shared {}

static OPENING: Shared =
    Shared(Opening { error: RefCell::new(String::new()), current: Cell::new(0) });

/// xDlOpen.
///
/// # Safety
///
/// `name` is a C string.
pub unsafe extern "C" fn open(_: *mut sqlite3_vfs, name: *const c_char) -> *mut c_void {
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    // SQLite tries again with this ending; the first try said it all.
    if name.ends_with(".so") {
        return null_mut();
    }
    let allowed = match sql::is_running() {
        true => Err("SQL of an extension cannot load extensions".to_owned()),
        false => find(&name),
    };
    match allowed.and_then(|name| load_other(&name)) {
        Ok(loaded) => Box::into_raw(Box::new(loaded)).cast(),
        Err(error) => {
            OPENING.0.error.replace(error);
            null_mut()
        }
    }
}

/// Load what is not embedded.
fn load_other(name: &str) -> Result<Loaded, String> {
    embedded::refuse(name)?;
    let loaded = dispatch::load(name)?;
    embedded::refuse(&loaded.manifest.name)?;
    Ok(loaded)
}

/// What the host is asked for: a name as it is, and a path where it leads.
fn find(name: &str) -> Result<String, String> {
    if !name.contains('/') {
        return Ok(name.to_owned());
    }
    // `dispatch` takes text only.
    granted(name.as_bytes(), LastLink::Follow)
        .and_then(|path| String::from_utf8(path).ok())
        .ok_or_else(|| format!("`{}` is outside the granted directories", name.escape_debug()))
}

/// xDlError.
///
/// # Safety
///
/// `text` has `room` bytes.
pub unsafe extern "C" fn error(_: *mut sqlite3_vfs, room: c_int, text: *mut c_char) {
    let error = CString::new(OPENING.0.error.borrow().replace('\0', "")).unwrap_or_default();
    // SAFETY: the caller's promise; the format takes one C string.
    unsafe { sqlite::sqlite3_snprintf(room, text, c"%s".as_ptr(), error.as_ptr()) };
}

/// xDlSym: one entry point for all, which finds its library where this leaves
/// it.
///
/// # Safety
///
/// `library` came from [`open`].
pub unsafe extern "C" fn symbol(
    _: *mut sqlite3_vfs,
    library: *mut c_void,
    _: *const c_char,
) -> Option<unsafe extern "C" fn(*mut sqlite3_vfs, *mut c_void, *const c_char)> {
    OPENING.0.current.set(library.addr());
    // SAFETY: SQLite casts it back to the type of an entry point.
    Some(unsafe {
        std::mem::transmute::<
            unsafe extern "C" fn(
                *mut sqlite3,
                *mut *mut c_char,
                *const sqlite3_api_routines,
            ) -> c_int,
            unsafe extern "C" fn(*mut sqlite3_vfs, *mut c_void, *const c_char),
        >(register)
    })
}

/// xDlClose.
///
/// # Safety
///
/// `library` came from [`open`].
pub unsafe extern "C" fn close(_: *mut sqlite3_vfs, library: *mut c_void) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(library.cast::<Loaded>()) });
}

/// The entry point: register all that the extension has.
unsafe extern "C" fn register(
    db: *mut sqlite3,
    error: *mut *mut c_char,
    _: *const sqlite3_api_routines,
) -> c_int {
    let library = std::ptr::with_exposed_provenance::<Loaded>(OPENING.0.current.get());
    // SAFETY: SQLite calls the entry point right after it asked for it, with
    // the library open.
    match unsafe { connect(db, &*library) } {
        Ok(()) => sqlite::SQLITE_OK,
        Err(failure) => {
            let text = CString::new(failure.message.replace('\0', "")).unwrap_or_default();
            // SAFETY: SQLite frees what `sqlite3_mprintf` allocates.
            unsafe { *error = sqlite::sqlite3_mprintf(c"%s".as_ptr(), text.as_ptr()) };
            failure.code
        }
    }
}

/// Register what an extension has, and let it use the connection.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn connect(db: *mut sqlite3, loaded: &Loaded) -> Result<(), SqlError> {
    // SAFETY: the caller's connection.
    unsafe {
        let extension = attached::attach(db, loaded.extension, &loaded.manifest.name)?;
        register_all(db, loaded, extension)
            .map_err(|(code, name)| failure(code, &refusal(code, &name)))?;
        match loaded.manifest.connects {
            Connecting::Never => Ok(()),
            Connecting::AtLoad => served(db, extension, || dispatch::connect(extension)),
        }
    }
}

/// Why SQLite refused to register something.
pub fn refusal(code: c_int, name: &str) -> String {
    let why = match code {
        // SQLite does not replace a function while a statement runs.
        sqlite::SQLITE_BUSY => "a statement is running; use `.load` or `--load`",
        _ => "SQLite refuses it",
    };
    format!("cannot register `{name}`: {why}")
}

type Registration = Result<(), (c_int, String)>;

/// Register what an extension has, which the connection calls by `extension`.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn register_all(db: *mut sqlite3, loaded: &Loaded, extension: u32) -> Registration {
    let manifest = &loaded.manifest;
    // SAFETY: the caller's connection.
    outcome(unsafe { statistics::register(db) }, "extension_stats")?;
    for (place, function) in manifest.functions.iter().enumerate() {
        // SAFETY: the caller's connection.
        unsafe { register_function(db, extension, place as u32, function) }?;
    }
    for (place, collation) in manifest.collations.iter().enumerate() {
        // SAFETY: the caller's connection.
        unsafe { register_collation(db, extension, place as u32, collation) }?;
    }
    let functions = manifest.functions.iter().enumerate();
    let functions: Vec<_> =
        functions.map(|(place, function)| called(extension, place as u32, function)).collect();
    let extension = Rc::new(table::Extension {
        number: extension,
        name: manifest.name.clone(),
        has_pointers: functions.iter().any(|function| function.has_pointers),
        functions,
    });
    for (place, module) in manifest.modules.iter().enumerate() {
        // SAFETY: the caller's connection.
        unsafe { table::register(db, extension.clone(), place as u32, module) }?;
    }
    Ok(())
}

fn function_flags(function: &Function) -> c_int {
    let promised = [
        (FunctionFlags::DETERMINISTIC, sqlite::SQLITE_DETERMINISTIC),
        (FunctionFlags::ARGUMENT_SUBTYPES, sqlite::SQLITE_SUBTYPE),
        (FunctionFlags::RESULT_SUBTYPE, sqlite::SQLITE_RESULT_SUBTYPE),
    ]
    .into_iter()
    .filter(|(flag, _)| function.flags.contains(*flag))
    .fold(0, |all, (_, code)| all | code);
    let risk = match function.risk {
        Risk::Innocuous => sqlite::SQLITE_INNOCUOUS,
        Risk::Ordinary => 0,
        Risk::DirectOnly => sqlite::SQLITE_DIRECTONLY,
    };
    promised | risk | encoding_code(function.encoding)
}

/// How the function by the number `place` is called.
pub fn called(extension: u32, place: u32, function: &Function) -> scalar::Registered {
    scalar::Registered {
        extension,
        function: Cell::new(place),
        encoding: function.encoding,
        wants_subtypes: function.flags.contains(FunctionFlags::ARGUMENT_SUBTYPES),
        subtypes: match function.flags.contains(FunctionFlags::RESULT_SUBTYPE) {
            true => Subtypes::Kept,
            false => Subtypes::Dropped,
        },
        is_unary: function.flags.contains(FunctionFlags::UNARY),
        has_pointers: function.flags.contains(FunctionFlags::POINTERS),
        numbers: match function.flags.contains(FunctionFlags::NUMBERS_AS_TEXT) {
            true => Numbers::AsText,
            false => Numbers::AsTheyAre,
        },
    }
}

/// Register a function that is called by the number `place`.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn register_function(
    db: *mut sqlite3,
    extension: u32,
    place: u32,
    function: &Function,
) -> Registration {
    let registered = Box::into_raw(Box::new(called(extension, place, function)));
    // SAFETY: the caller's connection.
    unsafe { create_function(db, function, registered, scalar::forget) }
}

/// Give SQLite a function, and what it hands back at each call.
///
/// # Safety
///
/// `db` is an open connection; `registered` came from `Box::into_raw`, and
/// `forget` frees it.
pub unsafe fn create_function(
    db: *mut sqlite3,
    function: &Function,
    registered: *mut scalar::Registered,
    forget: unsafe extern "C" fn(*mut c_void),
) -> Registration {
    let registered = registered.cast();
    let name = c_name(&function.name)?;
    let (arguments, flags) = (function.arguments.into(), function_flags(function));
    // SAFETY: the caller's connection. SQLite frees the registration, also when
    // it fails.
    let code = unsafe {
        match function.kind {
            FunctionKind::Scalar => sqlite::sqlite3_create_function_v2(
                db,
                name.as_ptr(),
                arguments,
                flags,
                registered,
                Some(scalar::call),
                None,
                None,
                Some(forget),
            ),
            kind => {
                let is_window = kind == FunctionKind::Window;
                sqlite::sqlite3_create_window_function(
                    db,
                    name.as_ptr(),
                    arguments,
                    flags,
                    registered,
                    Some(aggregate::step),
                    Some(aggregate::finish),
                    is_window.then_some(aggregate::value),
                    is_window.then_some(aggregate::inverse),
                    Some(forget),
                )
            }
        }
    };
    outcome(code, &function.name)
}

/// # Safety
///
/// `db` is an open connection.
unsafe fn register_collation(
    db: *mut sqlite3,
    extension: u32,
    place: u32,
    collation: &Collation,
) -> Registration {
    let name = c_name(&collation.name)?;
    let registered =
        Box::into_raw(Box::new(collation::Registered { extension, collation: place })).cast();
    // SAFETY: the caller's connection.
    let code = unsafe {
        sqlite::sqlite3_create_collation_v2(
            db,
            name.as_ptr(),
            encoding_code(collation.encoding),
            registered,
            Some(collation::compare),
            Some(collation::forget),
        )
    };
    if code != sqlite::SQLITE_OK {
        // SAFETY: SQLite does not free it then.
        unsafe { collation::forget(registered) };
    }
    outcome(code, &collation.name)
}

/// A name for SQLite.
pub fn c_name(name: &str) -> Result<CString, (c_int, String)> {
    CString::new(name).map_err(|_| (sqlite::SQLITE_MISUSE, name.replace('\0', "?")))
}

/// What became of a registration.
pub fn outcome(code: c_int, name: &str) -> Registration {
    match code {
        sqlite::SQLITE_OK => Ok(()),
        code => Err((code, name.to_owned())),
    }
}
