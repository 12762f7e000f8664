//! Connections of a program outside the sandbox: opened by path, and used with operations.
//! `components/database` exports [`perform`].

mod callbacks;
mod functions;
mod open;

use std::cell::{Cell, RefCell};
use std::ffi::CString;
use std::rc::Rc;

use libsqlite3_sys as sqlite;
use wire::{Group, Opcode, ProgramOperation, Sender, Writer, code};

use crate::extensions::load;
use crate::extensions::sql::perform::{self as operations, unreadable};
use crate::extensions::sql::{Caller, blob_cache, open_handles};
pub use crate::host::dispatch::SqlError;
use crate::room;
use crate::sqlite::connection::OpenConnection;
use crate::sqlite::error::failure;
use callbacks::Callback;
pub use callbacks::{Returned, call_program, set_events};

/// Most connections of one component: each has its own handles.
const MAX_CONNECTIONS: usize = 64;

/// A connection of the program.
struct Opened {
    db: OpenConnection,
    /// The owner of its statements and blobs; for those of an extension, the owner is the
    /// extension's id. No extension has such an id: the host counts from 0, and would have to
    /// attach each one a million times.
    owner: u32,
}

impl Drop for Opened {
    /// Functions end when the connection is closed.
    fn drop(&mut self) {
        open_handles::forget(self.db.id(), self.owner);
        open_handles::close_all(self.db.id());
    }
}

thread_local! {
    /// By number; the slot of a closed connection is reused.
    static CONNECTIONS: RefCell<Vec<Option<Rc<Opened>>>> = const { RefCell::new(Vec::new()) };
}

/// SQLite's connection for `libsqlite3.so.0`, whose calls are SQLite's functions.
///
/// # Errors
///
/// SQLITE_MISUSE for an unknown connection.
pub fn pointer(connection: u32) -> Result<*mut sqlite::sqlite3, SqlError> {
    CONNECTIONS.with_borrow(|all| {
        let opened = all.get(connection as usize).and_then(Option::as_ref);
        opened.map(|opened| opened.db.as_ptr()).ok_or_else(missing)
    })
}

/// Performs the calls of `libsqlite3.so.0` on SQLite's connection.
pub type Library = fn(*mut sqlite::sqlite3, &[u8]) -> Result<Vec<u8>, SqlError>;

thread_local! {
    /// Set by the component, since the engine has no C code for these calls.
    static LIBRARY: Cell<Option<Library>> = const { Cell::new(None) };
}

/// Set the function that performs [calls](Group::Calls).
pub fn set_library(library: Library) {
    LIBRARY.set(Some(library));
}

/// The group of the first operation of a program's request.
fn group(request: &[u8]) -> Option<Group> {
    Opcode::from_sender(*request.first()?, Sender::Program).ok().map(Opcode::group)
}

/// Whether a program's request contains calls.
pub fn is_calls(request: &[u8]) -> bool {
    group(request) == Some(Group::Calls)
}

/// Perform the operations of a request. Returns the reply of the one that has a reply.
///
/// # Errors
///
/// The first failure; SQLITE_MISUSE for an unknown connection.
pub fn perform(connection: u32, request: &[u8]) -> Result<Vec<u8>, SqlError> {
    if let Some(answer) = room::answer(request) {
        return answer;
    }
    match (group(request), LIBRARY.get()) {
        (Some(Group::Calls), Some(library)) => library(pointer(connection)?, request),
        (Some(Group::Program), _) => {
            perform_program(connection, ProgramOperation::read(request).map_err(unreadable)?)
        }
        _ => {
            let opened = get(connection)?;
            let sender = Sender::Program;
            let caller = Caller { db: &opened.db, extension: opened.owner, sender };
            blob_cache::during_step(|| operations::perform(caller, request))
        }
    }
}

fn perform_program(connection: u32, operation: ProgramOperation) -> Result<Vec<u8>, SqlError> {
    let mut reply = Writer::default();
    match operation {
        ProgramOperation::OpenConnection { flags, busy_milliseconds, path } => {
            reply.u32(open(path, flags, busy_milliseconds)?);
        }
        ProgramOperation::CloseConnection {} => close(connection)?,
        ProgramOperation::CreateFunction { callback, function } => {
            let callback = callback.map(Callback::new);
            functions::create(&get(connection)?.db, callback, &function)?;
        }
        ProgramOperation::CreateCollation { callback, name } => {
            let callback = callback.map(Callback::new);
            functions::create_collation(&get(connection)?.db, callback, name)?;
        }
        ProgramOperation::LoadExtension { name } => load_extension(connection, name)?,
    }
    Ok(reply.0)
}

/// Open the database at `path`. Returns the connection's number.
fn open(path: &[u8], flags: u32, busy_milliseconds: u32) -> Result<u32, SqlError> {
    open::prepare();
    let number =
        CONNECTIONS.with_borrow(|all| all.iter().position(Option::is_none).unwrap_or(all.len()));
    if number >= MAX_CONNECTIONS {
        let message = format!("{MAX_CONNECTIONS} connections are open already");
        return Err(failure(code::MISUSE, &message));
    }
    let db = open::connect(path, flags.cast_signed(), busy_milliseconds)?;
    let opened = Rc::new(Opened { db, owner: u32::MAX - number as u32 });
    CONNECTIONS.with_borrow_mut(|all| match all.get_mut(number) {
        Some(place) => *place = Some(opened),
        None => all.push(Some(opened)),
    });
    Ok(number as u32)
}

fn get(connection: u32) -> Result<Rc<Opened>, SqlError> {
    let found = CONNECTIONS.with_borrow(|all| all.get(connection as usize).cloned().flatten());
    found.ok_or_else(missing)
}

fn missing() -> SqlError {
    failure(code::MISUSE, "there is no such connection")
}

/// Close a connection and everything that belongs to it.
fn close(connection: u32) -> Result<(), SqlError> {
    let in_use = || failure(code::BUSY, "the connection is in use");
    // A running callback of the connection would return to a closed one.
    if Rc::strong_count(&get(connection)?) > 2 {
        return Err(in_use());
    }
    // Dropped when the list is no longer borrowed: closing calls extensions.
    let closed = CONNECTIONS.with_borrow_mut(|all| all.get_mut(connection as usize)?.take());
    closed.map(drop).ok_or_else(missing)
}

/// Load an extension by its name or path.
fn load_extension(connection: u32, name: &str) -> Result<(), SqlError> {
    let opened = get(connection)?;
    let loaded = load::load(name).map_err(|why| failure(code::ERROR, &why))?;
    load::connect(&opened.db, &loaded)
}

/// A name as a C string for SQLite.
fn c_name(name: &[u8]) -> Result<CString, SqlError> {
    CString::new(name).map_err(|_| failure(code::ERROR, "a name has a NUL"))
}
