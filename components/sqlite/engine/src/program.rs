//! The set-up of each new connection: interruption, the authorizer, and the embedded extensions;
//! and the functions that the C program calls instead of SQLite's.
//!
//! Ctrl-C and time limits must not slow the engine down, so compiled code does not check for them:
//! SQLite's progress handler calls the host. SQLite has one progress handler and one authorizer for
//! each connection. The engine sets both, and they call those of the program.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::rc::Rc;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_stmt};
use wire::code;

use crate::extensions::embedded;
use crate::host::process::{Interruption, poll_interruption};
use crate::left_behind;
use crate::operations::{blob_cache, depth, open_handles};
use crate::read_only;
use crate::sqlite::connection::{Connection, drop_box};
use crate::sqlite::context::Context;
use crate::sqlite::error::failure;
use crate::sqlite::function::Scalar;
use crate::sqlite::value::{Arguments, Form};

/// Virtual machine steps between two calls of the host. A call takes some 40 ns and this many steps
/// 50 µs or more, so that the cost is not measurable and the delay not noticeable.
const STEPS_PER_POLL: c_int = 4096;

/// A progress handler of SQLite.
type ProgressCallback = unsafe extern "C" fn(*mut c_void) -> c_int;

/// The program's progress handler.
#[derive(Clone, Copy)]
struct ProgressHandler {
    steps: c_int,
    callback: ProgressCallback,
    argument: *mut c_void,
    /// Steps since the last call.
    waited: c_int,
}

/// The program's hooks for new connections and for interruption.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Functions that a program in a sandbox cannot have, and the messages with which they fail.
    pub refused_functions: &'static [(&'static CStr, &'static str)],
    /// Called when the user interrupts, before the statement ends.
    pub interrupted: fn(),
    /// Called with the reason when an embedded extension cannot use a connection.
    pub complain: fn(&str),
}

thread_local! {
    static PROGRESS: Cell<Option<ProgressHandler>> = const { Cell::new(None) };
    static HOOKS: Cell<Hooks> = const {
        Cell::new(Hooks { refused_functions: &[], interrupted: || (), complain: |_| () })
    };
}

/// Set the program's hooks, before SQLite is used.
pub fn set_hooks(hooks: Hooks) {
    HOOKS.set(hooks);
}

/// Called by SQLite for each connection (`SQLITE_EXTRA_AUTOEXT`).
///
/// # Safety
///
/// `db` is an open connection.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_connection_opened(db: *mut sqlite3) -> c_int {
    let hooks = HOOKS.get();
    // SAFETY: SQLite has just opened the connection.
    let db = unsafe {
        sqlite::sqlite3_progress_handler(db, STEPS_PER_POLL, Some(on_progress), null_mut());
        sqlite::sqlite3_set_authorizer(db, Some(authorize), db.cast());
        Connection::from_ptr(db)
    };
    embedded::connect(db, hooks.complain);
    let refuse = |(name, message): &(&CStr, &'static str)| {
        db.create_scalar(name, -1, sqlite::SQLITE_UTF8, Rc::new(Refused(message)))
    };
    let mut codes = hooks.refused_functions.iter().map(refuse);
    codes.find(|code| *code != code::OK).unwrap_or(code::OK)
}

/// A function that always fails with this message.
struct Refused(&'static str);

impl Scalar for Refused {
    fn form(&self) -> Form {
        Form::UTF8
    }

    fn call(&self, context: &Context, _: Arguments) {
        context.set_error(&failure(code::ERROR, self.0));
    }
}

/// Like `sqlite3_close`, but first closes the statements of extensions: SQLite does not close a
/// connection that has statements.
///
/// # Safety
///
/// As `sqlite3_close`.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_close(db: *mut sqlite3) -> c_int {
    // SAFETY: the program passes one of its connections, or null.
    unsafe {
        if !db.is_null() {
            open_handles::close_all(Connection::from_ptr(db).id());
        }
        sqlite::sqlite3_close(db)
    }
}

/// Like `sqlite3_step`; blobs of extensions stay open during it.
///
/// # Safety
///
/// As `sqlite3_step`.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_step(statement: *mut sqlite3_stmt) -> c_int {
    // SAFETY: the program passes one of its statements.
    blob_cache::during_step(|| unsafe { sqlite::sqlite3_step(statement) })
}

/// Called by the shell after it has registered its functions.
///
/// # Safety
///
/// `db` is an open connection.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_functions_registered(db: *mut sqlite3) {
    // SAFETY: the program is about to use the connection.
    embedded::register(unsafe { Connection::from_ptr(db) });
}

/// Whether SQL of an extension is running.
#[unsafe(no_mangle)]
extern "C" fn engine_is_extension_sql_running() -> c_int {
    depth::is_running().into()
}

/// Like `sqlite3_progress_handler`, but keeps interruption.
///
/// # Safety
///
/// As `sqlite3_progress_handler`.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_progress_handler(
    db: *mut sqlite3,
    steps: c_int,
    callback: Option<ProgressCallback>,
    argument: *mut c_void,
) {
    let handler = callback.filter(|_| steps > 0).map(|callback| ProgressHandler {
        steps,
        callback,
        argument,
        waited: 0,
    });
    PROGRESS.set(handler);
    let period = handler.map_or(STEPS_PER_POLL, |handler| handler.steps.min(STEPS_PER_POLL));
    // SAFETY: a connection of the program; the callback takes no argument.
    unsafe { sqlite::sqlite3_progress_handler(db, period, Some(on_progress), null_mut()) };
}

/// Whether the running statement must stop; also reports the user's interruption to the program.
pub fn poll() -> bool {
    let reason = poll_interruption();
    if let Some(Interruption::User) = reason {
        (HOOKS.get().interrupted)();
    }
    reason.is_some()
}

unsafe extern "C" fn on_progress(_: *mut c_void) -> c_int {
    if poll() {
        return 1;
    }
    let Some(mut handler) = PROGRESS.get() else { return 0 };
    handler.waited += handler.steps.min(STEPS_PER_POLL);
    let is_due = handler.waited >= handler.steps;
    if is_due {
        handler.waited = 0;
    }
    PROGRESS.set(Some(handler));
    // SAFETY: the program's callback with the argument that the program gave for it.
    if is_due { unsafe { (handler.callback)(handler.argument) } } else { 0 }
}

/// An authorizer of SQLite.
type AuthorizerCallback = unsafe extern "C" fn(
    *mut c_void,
    c_int,
    *const c_char,
    *const c_char,
    *const c_char,
    *const c_char,
) -> c_int;

/// The name of the program's authorizer in the connection's client data.
const AUTHORIZER: &CStr = c"sqlite-wasm-authorizer";

/// The program's authorizer.
struct Authorizer {
    callback: AuthorizerCallback,
    argument: *mut c_void,
}

/// Like `sqlite3_set_authorizer`, but the engine's authorizer stays and calls this one.
///
/// # Safety
///
/// As `sqlite3_set_authorizer`.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_set_authorizer(
    db: *mut sqlite3,
    callback: Option<AuthorizerCallback>,
    argument: *mut c_void,
) -> c_int {
    let authorizer: *mut Authorizer = match callback {
        Some(callback) => Box::into_raw(Box::new(Authorizer { callback, argument })),
        None => null_mut(),
    };
    // SAFETY: a connection of the program. SQLite drops the authorizer before, and this one once,
    // also when it has no memory.
    unsafe {
        let (name, drop) = (AUTHORIZER.as_ptr(), Some(drop_box::<Authorizer> as _));
        let code = sqlite::sqlite3_set_clientdata(db, name, authorizer.cast(), drop);
        if code != code::OK {
            return code;
        }
        // Expires all prepared statements.
        sqlite::sqlite3_set_authorizer(db, Some(authorize), db.cast())
    }
}

/// The authorizer of every connection, which is its own argument.
unsafe extern "C" fn authorize(
    db: *mut c_void,
    action: c_int,
    first: *const c_char,
    second: *const c_char,
    schema: *const c_char,
    source: *const c_char,
) -> c_int {
    // SAFETY: SQLite passes names as C strings or null, and the connection that prepares a
    // statement. It has the program's authorizer until the program sets another one or closes it.
    // The program's callback gets what SQLite passed, and its own argument.
    unsafe {
        let name = |name: *const c_char| (!name.is_null()).then(|| CStr::from_ptr(name));
        let names = [name(first), name(second)];
        let connection = Connection::from_ptr(db.cast());
        if !read_only::allows(action, names[0], names[1])
            || !left_behind::allows(connection, action, names, name(schema))
        {
            return sqlite::SQLITE_DENY;
        }
        let authorizer = sqlite::sqlite3_get_clientdata(db.cast(), AUTHORIZER.as_ptr());
        match authorizer.cast::<Authorizer>().as_ref() {
            Some(Authorizer { callback, argument }) => {
                callback(*argument, action, first, second, schema, source)
            }
            None => code::OK,
        }
    }
}
