//! SQL that an extension asks for, run on the connection that called it.
//!
//! A call that fails with [`PENDING`] waits for SQL; [`served`] runs that and
//! repeats the call for its answer.

mod about;
mod access;
mod blob;
mod kept;
mod parked;
mod registered;
mod statement;
mod work;

use std::cell::Cell;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;

use super::abi::{RawResult, failure};
use crate::ffi::read_only::Request;
use crate::host::dispatch::{self, SqlError, SqlRequest};

pub use kept::{close_all, forget};

/// The code of a call that waits for SQL; see `dispatch`.
const PENDING: i32 = i32::MAX;

/// SQL of extensions that calls extensions that ask for SQL, at most so deep:
/// each level takes some 20 KiB of the stack, and none waits for itself.
const MAX_DEPTH: u32 = 32;

struct Depth(Cell<u32>);

// SAFETY: a component has one thread.
unsafe impl Sync for Depth {}

static DEPTH: Depth = Depth(Cell::new(0));

/// Whether SQL of an extension runs at the moment. It must not reach what the
/// extension itself was not granted: files and other extensions.
pub fn is_running() -> bool {
    DEPTH.0.get() > 0
}

/// Call an extension, and run the SQL that it asks for on the way.
///
/// # Safety
///
/// `db` is the connection that calls.
pub unsafe fn served<T>(
    db: *mut sqlite3,
    extension: u32,
    mut call: impl FnMut() -> Result<T, SqlError>,
) -> Result<T, SqlError> {
    // SAFETY: the caller's connection.
    unsafe { served_once(db, extension, |_| call()) }
}

/// The same for a call whose arguments are large: it is told when it has begun,
/// and they are not looked at any more.
///
/// # Safety
///
/// As [`served`].
pub unsafe fn served_once<T>(
    db: *mut sqlite3,
    extension: u32,
    mut call: impl FnMut(bool) -> Result<T, SqlError>,
) -> Result<T, SqlError> {
    let mut has_begun = false;
    loop {
        let answer = call(has_begun);
        match &answer {
            Err(error) if error.code == PENDING => has_begun = error.message.is_empty(),
            _ => return answer,
        }
        // SAFETY: the caller's connection.
        if !unsafe { serve(db, extension) } {
            let message = "the extension waits for SQL and asks for none";
            return Err(failure(sqlite::SQLITE_MISUSE, message));
        }
    }
}

/// The same for a call in its lowered form.
///
/// # Safety
///
/// As [`served`]; `call` fills the result.
pub unsafe fn served_raw<T: Copy>(
    db: *mut sqlite3,
    extension: u32,
    mut call: impl FnMut(&mut RawResult<T>),
) -> RawResult<T> {
    let mut result = RawResult::empty();
    loop {
        call(&mut result);
        // SAFETY: the call has filled it; the message is given back.
        if !unsafe { result.take_error(PENDING) } {
            return result;
        }
        // SAFETY: the caller's connection.
        if !unsafe { serve(db, extension) } {
            return RawResult::failed(sqlite::SQLITE_MISUSE);
        }
    }
}

/// Answer an extension's questions until there are no more; whether there was
/// any.
///
/// # Safety
///
/// `db` is the connection that called it.
unsafe fn serve(db: *mut sqlite3, extension: u32) -> bool {
    DEPTH.0.set(DEPTH.0.get() + 1);
    let mut question = dispatch::request(extension);
    let has_asked = question.is_some();
    while let Some(request) = question {
        // SAFETY: the caller's connection.
        let reply = unsafe { answer(db, extension, request) };
        question = dispatch::resume(extension, reply.as_deref());
    }
    DEPTH.0.set(DEPTH.0.get() - 1);
    has_asked
}

/// # Safety
///
/// `db` is the connection that called the extension.
unsafe fn answer(
    db: *mut sqlite3,
    extension: u32,
    request: SqlRequest,
) -> Result<Vec<u8>, SqlError> {
    let SqlRequest { work, read_only, function } = request;
    let asker = work::Asker { db, extension };
    // SAFETY: the caller's connection.
    unsafe {
        let _request = Request::begin(db, read_only);
        let reply = work::done(asker, &work)?;
        if let Some((number, function)) = function {
            check_depth()?;
            registered::register(db, extension, number, function)?;
        }
        Ok(reply)
    }
}

fn check_depth() -> Result<(), SqlError> {
    if DEPTH.0.get() <= MAX_DEPTH {
        return Ok(());
    }
    let message = format!("extensions call each other more than {MAX_DEPTH} deep");
    Err(failure(sqlite::SQLITE_ERROR, &message))
}

/// Why SQLite refused what was asked of `db` last.
///
/// # Safety
///
/// `db` is an open connection.
unsafe fn refused(db: *mut sqlite3) -> SqlError {
    // SAFETY: the caller's connection; SQLite's message is a C string.
    unsafe {
        let code = sqlite::sqlite3_extended_errcode(db);
        if access::is_refusal(code) {
            return access::refusal();
        }
        let message = std::ffi::CStr::from_ptr(sqlite::sqlite3_errmsg(db)).to_string_lossy();
        failure(code, &message)
    }
}
