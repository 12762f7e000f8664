//! Connections of a program outside the sandbox: opened by path, and used with operations.
//! `components/sqlite/database` exports [`perform`].

mod callbacks;
mod calls;
mod objects;
#[allow(unsafe_code)]
mod only_programs;
mod open;
mod owner;

use std::cell::RefCell;
use std::rc::Rc;

use wire::{Group, Opcode, ProgramOperation, Sender, Writer, code};

use crate::extensions::load;
pub use crate::host::dispatch::SqlError;
use crate::operations::{self, Caller, blob_cache, open_handles, unreadable};
use crate::room;
use crate::sqlite::connection::OpenConnection;
use crate::sqlite::error::failure;
pub use callbacks::set_events;

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
    /// By id; the slot of a closed connection is reused.
    static CONNECTIONS: RefCell<Vec<Option<Rc<Opened>>>> = const { RefCell::new(Vec::new()) };
}

/// The group of the first operation of a program's request.
fn group(request: &[u8]) -> Option<Group> {
    Opcode::from_sender(*request.first()?, Sender::Program).ok().map(Opcode::group)
}

/// Perform the operations of a request. Returns the reply of the one that has a reply, possibly in the
/// `spare` memory.
///
/// # Errors
///
/// The first failure; SQLITE_MISUSE for an unknown connection. Requests of [calls](Group::Calls) have
/// failures in their replies, and fail only without memory for one.
pub fn perform(connection: u32, request: &[u8], spare: Vec<u8>) -> Result<Vec<u8>, SqlError> {
    match group(request) {
        Some(Group::Objects | Group::Calls) => {
            let mut reply = Writer(spare);
            calls::perform(&get(connection)?.db, request, &mut reply)?;
            Ok(reply.0)
        }
        Some(Group::Program) => {
            perform_program(connection, ProgramOperation::read(request).map_err(unreadable)?)
        }
        _ => match room::answer(request) {
            Some(answer) => answer,
            None => perform_everyones(&*get(connection)?, request),
        },
    }
}

/// Perform operations that extensions have, too.
fn perform_everyones(Opened { db, owner }: &Opened, request: &[u8]) -> Result<Vec<u8>, SqlError> {
    let caller = Caller { db, extension: *owner, sender: Sender::Program };
    blob_cache::during_step(|| operations::perform(caller, request))
}

fn perform_program(connection: u32, operation: ProgramOperation) -> Result<Vec<u8>, SqlError> {
    let mut reply = Writer::default();
    match operation {
        ProgramOperation::OpenConnection { flags, busy_milliseconds, path } => {
            reply.u32(open(path, flags, busy_milliseconds)?);
        }
        ProgramOperation::CloseConnection {} => close(connection)?,
        ProgramOperation::LoadExtension { name } => load_extension(connection, name)?,
    }
    Ok(reply.0)
}

/// Open the database at `path`. Returns the connection's id.
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
