//! Statements and blobs that are kept for extensions.

use std::cell::RefCell;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_blob, sqlite3_stmt};

use super::super::abi::failure;
use super::blob_cache::{self, Place};
use crate::host::dispatch::SqlError;

/// What a handle stands for.
#[derive(Clone, Copy)]
pub enum Kept {
    Statement(*mut sqlite3_stmt),
    Blob(*mut sqlite3_blob),
    /// Its connection was closed; the extension has the handle still.
    Gone,
}

struct Entry {
    db: *mut sqlite3,
    extension: u32,
    kept: Kept,
    /// Of a blob that is somewhere.
    place: Option<Place>,
}

struct All {
    entries: Vec<Option<Entry>>,
    free: Vec<u32>,
}

impl All {
    fn add(&mut self, entry: Entry) -> u32 {
        match self.free.pop() {
            Some(handle) => {
                self.entries[handle as usize] = Some(entry);
                handle
            }
            None => {
                self.entries.push(Some(entry));
                self.entries.len() as u32 - 1
            }
        }
    }

    fn take(&mut self, extension: u32, handle: u32) -> Option<Entry> {
        let entry = self.entries.get_mut(handle as usize)?;
        let entry = entry.take_if(|entry| entry.extension == extension)?;
        self.free.push(handle);
        self.shrink();
        Some(entry)
    }

    /// Start anew when nothing is open: each connection that closes looks at all
    /// entries.
    fn shrink(&mut self) {
        if self.entries.len() == self.free.len() {
            self.entries.clear();
            self.free.clear();
        }
    }

    /// What belongs to `db`. Its handles stay taken until the extension closes
    /// them: given out again, they would mean something else to it.
    fn take_all(&mut self, db: *mut sqlite3) -> Vec<Kept> {
        let theirs = self.entries.iter_mut().flatten().filter(|entry| entry.db == db);
        theirs.map(|entry| std::mem::replace(&mut entry.kept, Kept::Gone)).collect()
    }

    /// The same of one extension, which has ended there.
    fn take_of(&mut self, db: *mut sqlite3, extension: u32) -> Vec<Entry> {
        let mut ended = Vec::new();
        for (handle, slot) in (0..).zip(&mut self.entries) {
            let is_it = |entry: &mut Entry| entry.db == db && entry.extension == extension;
            if let Some(entry) = slot.take_if(is_it) {
                self.free.push(handle);
                ended.push(entry);
            }
        }
        self.shrink();
        ended
    }
}

struct Shared(RefCell<All>);

// SAFETY: a component has one thread.
unsafe impl Sync for Shared {}

static KEPT: Shared = Shared(RefCell::new(All { entries: Vec::new(), free: Vec::new() }));

/// Most statements and blobs of all extensions at once. They choose; each has
/// memory.
const MAX_KEPT: usize = 10_000;

/// Keep a statement that belongs to `db`, for an extension: its handle.
///
/// # Errors
///
/// There are too many; it is still the caller's.
pub fn keep_statement(
    db: *mut sqlite3,
    extension: u32,
    statement: *mut sqlite3_stmt,
) -> Result<u32, SqlError> {
    keep(Entry { db, extension, kept: Kept::Statement(statement), place: None })
}

/// The same for a blob, which is there.
pub fn keep_blob(place: Place, blob: *mut sqlite3_blob) -> Result<u32, SqlError> {
    let Place { db, extension, .. } = place;
    keep(Entry { db, extension, kept: Kept::Blob(blob), place: Some(place) })
}

fn keep(entry: Entry) -> Result<u32, SqlError> {
    let mut all = KEPT.0.borrow_mut();
    if all.entries.len() - all.free.len() >= MAX_KEPT {
        let message = format!("{MAX_KEPT} statements and blobs are open already");
        return Err(failure(sqlite::SQLITE_MISUSE, &message));
    }
    Ok(all.add(entry))
}

/// A blob has gone to another row; none when it is nowhere.
pub fn moved(handle: u32, row_id: Option<i64>) {
    let mut all = KEPT.0.borrow_mut();
    let Some(Some(entry)) = all.entries.get_mut(handle as usize) else { return };
    match (&mut entry.place, row_id) {
        (Some(place), Some(row_id)) => place.set_row_id(row_id),
        (place, _) => *place = None,
    }
}

/// What an extension's handle stands for, and its connection.
fn get(extension: u32, handle: u32) -> Result<(*mut sqlite3, Kept), SqlError> {
    match KEPT.0.borrow().entries.get(handle as usize) {
        Some(Some(entry)) if entry.extension == extension => Ok((entry.db, entry.kept)),
        _ => Err(failure(sqlite::SQLITE_MISUSE, "there is no such statement or blob")),
    }
}

fn gone() -> SqlError {
    failure(sqlite::SQLITE_MISUSE, "its connection was closed")
}

/// A statement of an extension, and its connection.
pub fn statement(
    extension: u32,
    handle: u32,
) -> Result<(*mut sqlite3, *mut sqlite3_stmt), SqlError> {
    match get(extension, handle)? {
        (db, Kept::Statement(statement)) => Ok((db, statement)),
        (_, Kept::Gone) => Err(gone()),
        _ => Err(failure(sqlite::SQLITE_MISUSE, "it is no statement")),
    }
}

/// A blob of an extension, and its connection.
pub fn blob(extension: u32, handle: u32) -> Result<(*mut sqlite3, *mut sqlite3_blob), SqlError> {
    match get(extension, handle)? {
        (db, Kept::Blob(blob)) => Ok((db, blob)),
        (_, Kept::Gone) => Err(gone()),
        _ => Err(failure(sqlite::SQLITE_MISUSE, "it is no blob")),
    }
}

/// # Safety
///
/// The statement does not run.
pub unsafe fn reset(extension: u32, handle: u32) {
    if let Ok((_, statement)) = statement(extension, handle) {
        // SAFETY: a kept statement was not finalized.
        unsafe { sqlite::sqlite3_reset(statement) };
    }
}

/// Close what an extension does not use any more.
///
/// # Safety
///
/// It does not run.
pub unsafe fn close(extension: u32, handle: u32) {
    let entry = KEPT.0.borrow_mut().take(extension, handle);
    if let Some(entry) = entry {
        // SAFETY: it was kept until now.
        unsafe { leave(entry) };
    }
}

/// Close all of an extension.
///
/// # Safety
///
/// None of it runs.
pub unsafe fn close_all_of(extension: u32) {
    let count = KEPT.0.borrow().entries.len() as u32;
    for handle in 0..count {
        // SAFETY: the caller's promise.
        unsafe { close(extension, handle) };
    }
}

/// # Safety
///
/// It was kept until now.
unsafe fn leave(entry: Entry) {
    // SAFETY: the caller's promise.
    unsafe {
        match (entry.kept, entry.place) {
            (Kept::Blob(blob), Some(place)) => blob_cache::park(place, blob),
            (kept, _) => end(kept),
        }
    }
}

/// Close all that belongs to `db`, which is about to be closed: SQLite refuses
/// to close a connection with statements.
///
/// # Safety
///
/// `db` is an open connection, and nothing runs on it.
pub unsafe fn close_all(db: *mut sqlite3) {
    let ended = KEPT.0.borrow_mut().take_all(db);
    for kept in ended {
        // SAFETY: it was kept until now.
        unsafe { end(kept) };
    }
}

/// End all that an extension has on `db`, and forget its handles: it has not
/// got them any more.
///
/// # Safety
///
/// `db` is an open connection, and nothing runs on it.
pub unsafe fn forget(db: *mut sqlite3, extension: u32) {
    let ended = KEPT.0.borrow_mut().take_of(db, extension);
    for entry in ended {
        // SAFETY: it was kept until now.
        unsafe { end(entry.kept) };
    }
}

/// # Safety
///
/// It was not ended before.
unsafe fn end(kept: Kept) {
    // SAFETY: the caller's promise.
    unsafe {
        match kept {
            Kept::Statement(statement) => sqlite::sqlite3_finalize(statement),
            Kept::Blob(blob) => sqlite::sqlite3_blob_close(blob),
            Kept::Gone => sqlite::SQLITE_OK,
        };
    }
}
