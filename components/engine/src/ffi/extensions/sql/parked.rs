//! Blobs that an extension has closed and may open again at once.
//!
//! An extension that stores its rows in pieces of large blobs opens the same
//! blob for each row. SQLite finds a place in a large one by walking its chain
//! of pages, and an open blob remembers the walk; so they stay open, as long as
//! the program's step lasts and nothing minds: a blob that is open for writing
//! keeps its transaction from ending. An insertion into vec0 takes 20.6 us instead of
//! 29.9 us by this (4,000 vectors of 384 dimensions, median of 7 alternating runs).

use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::ptr::null_mut;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_blob, sqlite3_stmt};

use super::work::BlobPlace;

/// Most blobs that stay open; sqlite-vec has one for each column with vectors,
/// and two more.
const MAX_PARKED: usize = 16;

/// Blobs that are taken, after which one that was not among them is closed. SQLite
/// looks at each open one whenever a statement begins.
const MAX_IDLE: u64 = 64;

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

struct Parked {
    place: Place,
    blob: *mut sqlite3_blob,
    /// How many were taken before.
    since: u64,
}

struct State {
    /// Those that were parked last are behind.
    parked: RefCell<Vec<Parked>>,
    taken: Cell<u64>,
    /// Steps of the program that are in progress, one in the other.
    steps: Cell<u32>,
}

// SAFETY: a component has one thread.
unsafe impl Sync for State {}

static STATE: State =
    State { parked: RefCell::new(Vec::new()), taken: Cell::new(0), steps: Cell::new(0) };

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
        let since = STATE.taken.get();
        parked.push(Parked { place, blob, since });
        let is_needless = parked.len() > MAX_PARKED || parked[0].since + MAX_IDLE < since;
        let oldest = is_needless.then(|| parked.remove(0));
        drop(parked);
        if let Some(oldest) = oldest {
            sqlite::sqlite3_blob_close(oldest.blob);
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
        let index = parked.iter().rposition(|Parked { place, .. }| {
            place.db == db && place.extension == extension && place.key == wanted.key
        })?;
        parked.remove(index)
    };
    STATE.taken.update(|taken| taken + 1);
    // SAFETY: a parked blob is open. To read nothing of it fails when the row was
    // changed meanwhile, or is gone.
    unsafe {
        if sqlite::sqlite3_blob_read(found.blob, null_mut(), 0, 0) == sqlite::SQLITE_OK {
            return Some((found.place, found.blob));
        }
        sqlite::sqlite3_blob_close(found.blob);
    }
    None
}

/// Close all of them.
pub fn close_all() {
    if STATE.parked.borrow().is_empty() {
        return;
    }
    let parked = std::mem::take(&mut *STATE.parked.borrow_mut());
    for Parked { blob, .. } in parked {
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

/// What `sqlite3_step` does, for the program; blobs stay open inside it.
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
