//! Tokenizers of FTS5 with its callbacks.

use std::collections::TryReserveError;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, NonNull, null_mut};
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::{Fts5Tokenizer, fts5_api, fts5_tokenizer_v2, sqlite3};
use wire::{Token, code};

use super::connection::Connection;
use super::error::{c_text, failure_code};
use super::statement::{Interface, Statement};
use crate::host::dispatch::SqlError;

unsafe extern "C" {
    /// In `internals.c`.
    fn engine_set_statement_error(db: *mut sqlite3, message: *const c_char);
}

/// What is tokenized.
pub struct Text<'a> {
    pub bytes: &'a [u8],
    /// `FTS5_TOKENIZE_*`.
    pub purpose: c_int,
    pub locale: Option<&'a [u8]>,
}

/// A tokenizer.
pub trait Tokenizer: 'static {
    /// Check the words behind its name in the option `tokenize`.
    fn check(&self, db: &Connection, words: &[Vec<u8>]) -> Result<(), SqlError>;

    /// Pass the tokens of a text to FTS5 by `token`, until this returns another code than OK, which
    /// is then the result.
    fn tokenize(
        &self,
        db: &Connection,
        text: &Text,
        words: &[Vec<u8>],
        token: impl FnMut(Token) -> c_int,
    ) -> Result<c_int, SqlError>;
}

/// A tokenizer of a connection, which FTS5 keeps until the connection is closed.
struct Registered<T> {
    db: *mut sqlite3,
    tokenizer: T,
}

/// A tokenizer of a table, with the words behind its name.
struct Opened<T> {
    registered: *const Registered<T>,
    words: Vec<Vec<u8>>,
}

/// What FTS5 passes to its callback for a token.
type OnToken =
    Option<unsafe extern "C" fn(*mut c_void, c_int, *const c_char, c_int, c_int, c_int) -> c_int>;

impl Connection {
    /// Register a tokenizer. Returns the result code.
    pub fn create_tokenizer<T: Tokenizer>(&self, name: &CStr, tokenizer: T) -> c_int {
        let Some(api) = self.fts5() else { return code::ERROR };
        // SAFETY: FTS5 has stored its interface, which is valid while the connection is open.
        let Some(create) = (unsafe { api.as_ref() }).xCreateTokenizer_v2 else {
            return code::ERROR;
        };
        let mut methods = fts5_tokenizer_v2 {
            iVersion: 2,
            xCreate: Some(open::<T>),
            xDelete: Some(close::<T>),
            xTokenize: Some(tokenize::<T>),
        };
        let registered = Box::into_raw(Box::new(Registered { db: self.as_ptr(), tokenizer }));
        let drop = Some(drop_registered::<T> as unsafe extern "C" fn(*mut c_void));
        // SAFETY: the callbacks take what is registered for a `Registered<T>`. FTS5 copies the name and
        // the methods, and drops what is registered once, but not when this fails.
        unsafe {
            let code = create(api.as_ptr(), name.as_ptr(), registered.cast(), &mut methods, drop);
            if code != code::OK {
                drop_registered::<T>(registered.cast());
            }
            code
        }
    }

    /// The interface of FTS5.
    fn fts5(&self) -> Option<NonNull<fts5_api>> {
        let mut api: *mut fts5_api = null_mut();
        let statement =
            Statement::prepare(self, b"SELECT fts5(?1)\0", Interface::PLAIN).statement?;
        // SAFETY: the statement is not finalized, and stores a pointer to the interface at `api` when it
        // runs, which outlives it.
        unsafe {
            let (stored, name) = (ptr::from_mut(&mut api).cast(), c"fts5_api_ptr".as_ptr());
            sqlite::sqlite3_bind_pointer(statement.as_ptr(), 1, stored, name, None);
            sqlite::sqlite3_step(statement.as_ptr());
        }
        NonNull::new(api)
    }
}

unsafe extern "C" fn drop_registered<T>(registered: *mut c_void) {
    // SAFETY: FTS5 drops the `Registered<T>` of `create_tokenizer` once.
    drop(unsafe { Box::from_raw(registered.cast::<Registered<T>>()) });
}

unsafe extern "C" fn open<T: Tokenizer>(
    registered: *mut c_void,
    words: *mut *const c_char,
    count: c_int,
    opened: *mut *mut Fts5Tokenizer,
) -> c_int {
    let registered = registered.cast::<Registered<T>>().cast_const();
    // SAFETY: FTS5 passes what was registered, `count` C strings, and where the tokenizer goes. The
    // connection is open.
    unsafe {
        let word = |index| CStr::from_ptr(*words.add(index)).to_bytes();
        let Ok(words) = copied((0..count as usize).map(word)) else { return code::NOMEM };
        let Registered { db, tokenizer } = &*registered;
        let db = Connection::from_ptr(*db);
        match tokenizer.check(db, &words) {
            Ok(()) => {
                *opened = Box::into_raw(Box::new(Opened { registered, words })).cast();
                code::OK
            }
            Err(error) => failed(db, &error),
        }
    }
}

/// Copies of texts, which SQL may make large.
fn copied<'a>(
    texts: impl ExactSizeIterator<Item = &'a [u8]>,
) -> Result<Vec<Vec<u8>>, TryReserveError> {
    let mut all = Vec::new();
    all.try_reserve_exact(texts.len())?;
    for text in texts {
        let mut copy = Vec::new();
        copy.try_reserve_exact(text.len())?;
        copy.extend_from_slice(text);
        all.push(copy);
    }
    Ok(all)
}

unsafe extern "C" fn close<T: Tokenizer>(opened: *mut Fts5Tokenizer) {
    // SAFETY: FTS5 closes each tokenizer of `open` once.
    drop(unsafe { Box::from_raw(opened.cast::<Opened<T>>()) });
}

unsafe extern "C" fn tokenize<T: Tokenizer>(
    opened: *mut Fts5Tokenizer,
    context: *mut c_void,
    purpose: c_int,
    text: *const c_char,
    text_bytes: c_int,
    locale: *const c_char,
    locale_bytes: c_int,
    on_token: OnToken,
) -> c_int {
    let Some(on_token) = on_token else { return code::MISUSE };
    // SAFETY: FTS5 passes a tokenizer of `open`, and texts of these lengths. The connection is open, and
    // what is registered is dropped after all tokenizers of tables.
    unsafe {
        let Opened { registered, words } = &*opened.cast::<Opened<T>>();
        let Registered { db, tokenizer } = &**registered;
        let text = Text {
            bytes: slice_of(text, text_bytes).unwrap_or_default(),
            purpose,
            locale: slice_of(locale, locale_bytes),
        };
        let token = |Token { start, end, bytes, is_colocated }: Token| {
            let flags = if is_colocated { sqlite::FTS5_TOKEN_COLOCATED } else { 0 };
            let (start, end, count) = (start as c_int, end as c_int, bytes.len() as c_int);
            on_token(context, flags, bytes.as_ptr().cast(), count, start, end)
        };
        let db = Connection::from_ptr(*db);
        let code = tokenizer.tokenize(db, &text, words, token);
        code.unwrap_or_else(|error| failed(db, &error))
    }
}

/// # Safety
///
/// `text` is null, or has `bytes` bytes during `'a`.
unsafe fn slice_of<'a>(text: *const c_char, bytes: c_int) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    (!text.is_null()).then(|| unsafe { slice::from_raw_parts(text.cast(), bytes.max(0) as usize) })
}

/// The code of a failure, whose message FTS5 cannot carry.
fn failed(db: &Connection, error: &SqlError) -> c_int {
    if !error.message.is_empty() {
        let message = c_text(&error.message);
        // SAFETY: an open connection and a C string, which is copied.
        unsafe { engine_set_statement_error(db.as_ptr(), message.as_ptr()) };
    }
    failure_code(error)
}
