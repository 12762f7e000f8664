//! Blobs that an extension has closed and may open again at once.
//!
//! An extension that stores its rows in pieces of large blobs opens the same
//! blob for each row. SQLite finds a place in a large one by walking its chain
//! of pages, and an open blob remembers the walk; so they stay open, as long as
//! the program's step lasts and nothing minds: a blob that is open for writing
//! keeps its transaction from ending.

use std::cell::{Cell, RefCell};
use std::ffi::c_int;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_blob, sqlite3_stmt};

use super::work::BlobPlace;

/// Most blobs that stay open; sqlite-vec has one for each column with vectors,
/// and two more.
const MAX_PARKED: usize = 16;

/// What statements begin with that neither end a transaction nor change a
/// schema, so that open blobs are nothing to them.
const PLAIN: &[&str] = &["INSERT", "UPDATE", "DELETE", "REPLACE", "SELECT", "WITH", "VALUES"];

/// Where an open blob is.
pub struct Place {
    pub db: *mut sqlite3,
    pub extension: u32,
    is_writable: bool,
    /// What [`BlobPlace::key`] is: the row id stands behind a first byte.
    key: Vec<u8>,
}

impl Place {
    pub fn new(db: *mut sqlite3, extension: u32, place: BlobPlace) -> Self {
        Self { db, extension, is_writable: place.is_writable, key: place.key.to_vec() }
    }

    pub fn set_row_id(&mut self, row_id: i64) {
        self.key[1..9].copy_from_slice(&row_id.to_le_bytes());
    }
}

struct State {
    parked: RefCell<Vec<(Place, *mut sqlite3_blob)>>,
    /// Steps of the program that are in progress, one in the other.
    steps: Cell<u32>,
}

// SAFETY: a component has one thread.
unsafe impl Sync for State {}

static STATE: State = State { parked: RefCell::new(Vec::new()), steps: Cell::new(0) };

/// Keep an open blob, or close it.
///
/// # Safety
///
/// `place` is where `blob` is, which nobody else has.
pub unsafe fn park(place: Place, blob: *mut sqlite3_blob) {
    // SAFETY: the caller's promise; a parked blob is open.
    unsafe {
        let ends_with_statement = sqlite::sqlite3_get_autocommit(place.db) != 0;
        if STATE.steps.get() != 1 || (place.is_writable && ends_with_statement) {
            sqlite::sqlite3_blob_close(blob);
            return;
        }
        let mut parked = STATE.parked.borrow_mut();
        parked.push((place, blob));
        let oldest = (parked.len() > MAX_PARKED).then(|| parked.remove(0).1);
        drop(parked);
        if let Some(oldest) = oldest {
            sqlite::sqlite3_blob_close(oldest);
        }
    }
}

/// A blob that is still open there.
///
/// # Safety
///
/// `db` is open.
pub unsafe fn take(
    db: *mut sqlite3,
    extension: u32,
    wanted: BlobPlace,
) -> Option<(Place, *mut sqlite3_blob)> {
    let found = {
        let mut parked = STATE.parked.borrow_mut();
        let index = parked.iter().rposition(|(place, _)| {
            place.db == db && place.extension == extension && place.key == wanted.key
        })?;
        parked.remove(index)
    };
    // SAFETY: a parked blob is open. The row may be another one, or gone.
    unsafe {
        if sqlite::sqlite3_blob_reopen(found.1, wanted.row_id) == sqlite::SQLITE_OK {
            return Some(found);
        }
        sqlite::sqlite3_blob_close(found.1);
    }
    None
}

/// Close all of them.
pub fn close_all() {
    if STATE.parked.borrow().is_empty() {
        return;
    }
    let parked = std::mem::take(&mut *STATE.parked.borrow_mut());
    for (_, blob) in parked {
        // SAFETY: a parked blob is open.
        unsafe { sqlite::sqlite3_blob_close(blob) };
    }
}

/// Close all of them before a statement that could mind.
///
/// # Safety
///
/// The statement was not finalized.
pub unsafe fn make_way_for(statement: *mut sqlite3_stmt) {
    if STATE.parked.borrow().is_empty() {
        return;
    }
    // SAFETY: the caller's promise; SQLite's text is a C string.
    let is_plain = unsafe {
        let text = sqlite::sqlite3_sql(statement);
        !text.is_null() && begins_plainly(std::ffi::CStr::from_ptr(text).to_bytes())
    };
    if !is_plain {
        close_all();
    }
}

fn begins_plainly(text: &[u8]) -> bool {
    let word = text.trim_ascii_start();
    let end = word.iter().position(|c| !c.is_ascii_alphabetic()).unwrap_or(word.len());
    PLAIN.iter().any(|plain| plain.as_bytes().eq_ignore_ascii_case(&word[..end]))
}

/// What `sqlite3_step` does, for the program; blobs stay open inside of it.
///
/// # Safety
///
/// As `sqlite3_step`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_step(statement: *mut sqlite3_stmt) -> c_int {
    close_all();
    STATE.steps.set(STATE.steps.get() + 1);
    // SAFETY: the caller's promise.
    let code = unsafe { sqlite::sqlite3_step(statement) };
    STATE.steps.set(STATE.steps.get() - 1);
    close_all();
    code
}
