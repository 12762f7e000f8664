//! The statements and blobs that extensions have open, by handle.

use std::cell::RefCell;
use std::rc::Rc;

use wire::code;

use super::blob_cache::{self, BlobKey};
use super::depth;
use crate::host::dispatch::SqlError;
use crate::sqlite::blob::Blob;
use crate::sqlite::connection::{Connection, ConnectionId};
use crate::sqlite::error::failure;
use crate::sqlite::statement::Statement;

/// The object behind a handle.
#[derive(Clone)]
enum Object {
    Statement(Rc<RefCell<Statement>>),
    Blob(Rc<Blob>),
    /// Its connection was closed, or the call that it ends with has ended; the extension still has
    /// the handle.
    Closed,
}

struct Handle {
    db: ConnectionId,
    extension: u32,
    object: Object,
    /// For a blob that is at a row.
    key: Option<BlobKey>,
    /// The depth of the call with which it ends.
    ends_at: Option<u32>,
}

struct Handles {
    slots: Vec<Option<Handle>>,
    free: Vec<u32>,
}

impl Handles {
    fn add(&mut self, handle: Handle) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.slots[index as usize] = Some(handle);
                index
            }
            None => {
                self.slots.push(Some(handle));
                self.slots.len() as u32 - 1
            }
        }
    }

    /// Remove the handles that `is_it` selects.
    fn take(&mut self, mut is_it: impl FnMut(u32, &Handle) -> bool) -> Vec<Handle> {
        let mut taken = Vec::new();
        for (index, slot) in (0..).zip(&mut self.slots) {
            if let Some(handle) = slot.take_if(|handle| is_it(index, handle)) {
                self.free.push(index);
                taken.push(handle);
            }
        }
        self.shrink();
        taken
    }

    fn take_one(&mut self, extension: u32, index: u32) -> Option<Handle> {
        let slot = self.slots.get_mut(index as usize)?;
        let handle = slot.take_if(|handle| handle.extension == extension)?;
        self.free.push(index);
        self.shrink();
        Some(handle)
    }

    /// Free all slots when nothing is open: closing a connection checks all slots.
    fn shrink(&mut self) {
        if self.slots.len() == self.free.len() {
            self.slots.clear();
            self.free.clear();
        }
    }
}

thread_local! {
    static HANDLES: RefCell<Handles> =
        const { RefCell::new(Handles { slots: Vec::new(), free: Vec::new() }) };
}

/// Limit on statements and blobs that all extensions have open: each takes memory, and the
/// extensions choose how many they open.
const MAX_HANDLES: usize = 10_000;

/// Add a statement of an extension on `db`. Returns its handle.
pub fn add_statement(
    db: &Connection,
    extension: u32,
    statement: Statement,
) -> Result<u32, SqlError> {
    let object = Object::Statement(Rc::new(RefCell::new(statement)));
    add(Handle { db: db.id(), extension, object, key: None, ends_at: None })
}

/// The same for a blob; the key has its location.
pub fn add_blob(key: BlobKey, blob: Rc<Blob>, ends_with_call: bool) -> Result<u32, SqlError> {
    let BlobKey { db, extension, .. } = key;
    let ends_at = ends_with_call.then(depth::current);
    add(Handle { db, extension, object: Object::Blob(blob), key: Some(key), ends_at })
}

fn add(handle: Handle) -> Result<u32, SqlError> {
    HANDLES.with_borrow_mut(|handles| {
        if handles.slots.len() - handles.free.len() < MAX_HANDLES {
            return Ok(handles.add(handle));
        }
        let message = format!("{MAX_HANDLES} statements and blobs are open already");
        Err(failure(code::MISUSE, &message))
    })
}

/// A blob has moved to another row; none if it is at no row.
pub fn set_row(index: u32, row_id: Option<i64>) {
    HANDLES.with_borrow_mut(|handles| {
        let Some(Some(handle)) = handles.slots.get_mut(index as usize) else { return };
        match (&mut handle.key, row_id) {
            (Some(key), Some(row_id)) => key.set_row_id(row_id),
            (key, _) => *key = None,
        }
    });
}

/// Let a blob outlive the call.
pub fn keep(extension: u32, index: u32) {
    HANDLES.with_borrow_mut(|handles| match handles.slots.get_mut(index as usize) {
        Some(Some(handle)) if handle.extension == extension => handle.ends_at = None,
        _ => {}
    });
}

/// Close the blobs that end with a call of the extension, so that closing them needs no request.
/// Their handles stay in use until the extension closes them with its next request.
pub fn end_call(db: &Connection, extension: u32) {
    let depth = Some(depth::current());
    let ended: Vec<_> = HANDLES.with_borrow_mut(|handles| {
        let its = handles.slots.iter_mut().flatten();
        let its = its.filter(|handle| handle.extension == extension && handle.ends_at == depth);
        its.map(|handle| {
            handle.ends_at = None;
            (std::mem::replace(&mut handle.object, Object::Closed), handle.key.take())
        })
        .collect()
    });
    for (object, key) in ended {
        cache(db, object, key);
    }
}

/// The object behind a handle of an extension.
fn get(extension: u32, index: u32) -> Result<Object, SqlError> {
    HANDLES.with_borrow(|handles| match handles.slots.get(index as usize) {
        Some(Some(handle)) if handle.extension == extension => Ok(handle.object.clone()),
        _ => Err(failure(code::MISUSE, "there is no such statement or blob")),
    })
}

fn closed() -> SqlError {
    failure(code::MISUSE, "it was closed with its connection or call")
}

/// A statement of an extension. If it is in the middle of a step, a callback of the program finds
/// it borrowed.
pub fn statement(extension: u32, index: u32) -> Result<Rc<RefCell<Statement>>, SqlError> {
    match get(extension, index)? {
        Object::Statement(statement) if statement.try_borrow_mut().is_err() => {
            Err(failure(code::MISUSE, "the statement is running"))
        }
        Object::Statement(statement) => Ok(statement),
        Object::Closed => Err(closed()),
        Object::Blob(_) => Err(failure(code::MISUSE, "it is no statement")),
    }
}

/// A blob of an extension.
pub fn blob(extension: u32, index: u32) -> Result<Rc<Blob>, SqlError> {
    match get(extension, index)? {
        Object::Blob(blob) => Ok(blob),
        Object::Closed => Err(closed()),
        Object::Statement(_) => Err(failure(code::MISUSE, "it is no blob")),
    }
}

/// Reset a statement, if it exists and is not running.
pub fn reset(extension: u32, index: u32) {
    if let Ok(statement) = statement(extension, index) {
        statement.borrow_mut().reset();
    }
}

/// Close a handle that an extension no longer needs.
pub fn close(db: &Connection, extension: u32, index: u32) {
    // Closing calls virtual tables: the handles must not be borrowed meanwhile.
    let handle = HANDLES.with_borrow_mut(|handles| handles.take_one(extension, index));
    if let Some(Handle { object, key, .. }) = handle {
        cache(db, object, key);
    }
}

/// Close all handles of an extension.
pub fn close_all_of(db: &Connection, extension: u32) {
    let is_it = |_, handle: &Handle| handle.extension == extension;
    for Handle { object, key, .. } in HANDLES.with_borrow_mut(|handles| handles.take(is_it)) {
        cache(db, object, key);
    }
}

/// Cache a closed blob; drop anything else.
fn cache(db: &Connection, object: Object, key: Option<BlobKey>) {
    if let (Object::Blob(blob), Some(key)) = (object, key) {
        blob_cache::put(db, key, blob);
    }
}

/// Close everything that belongs to a connection before it is closed: SQLite does not close a
/// connection that has statements. The handles stay in use until the extension closes them, so that
/// none refers to a new object meanwhile.
pub fn close_all(db: ConnectionId) {
    let objects: Vec<Object> = HANDLES.with_borrow_mut(|handles| {
        let its = handles.slots.iter_mut().flatten().filter(|handle| handle.db == db);
        its.map(|handle| std::mem::replace(&mut handle.object, Object::Closed)).collect()
    });
    drop(objects);
}

/// Close all that an ended instance has on a connection, and free its handles.
pub fn forget(db: ConnectionId, extension: u32) {
    let is_it = |_, handle: &Handle| handle.db == db && handle.extension == extension;
    drop(HANDLES.with_borrow_mut(|handles| handles.take(is_it)));
}
