//! The context of a call, in which a function or column sets its result.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3_context;
use wire::Value;

use super::connection::{Connection, encoding_code};
use super::error::failure_code;
use super::value::Pointee;
use crate::ffi::layout::HostValue;
use crate::ffi::libc::HostList;
use crate::ffi::memory::free;
use crate::host::dispatch::SqlError;
use crate::host::extension_types::TextEncoding;

/// The context of the call in progress.
#[repr(transparent)]
pub struct Context(UnsafeCell<sqlite3_context>);

type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;

impl Context {
    /// # Safety
    ///
    /// SQLite has passed `context` to a callback that takes at least `'a`.
    #[inline]
    pub unsafe fn from_ptr<'a>(context: *mut sqlite3_context) -> &'a Self {
        // SAFETY: the caller's promise; the type is transparent.
        unsafe { &*context.cast() }
    }

    #[inline]
    pub fn as_ptr(&self) -> *mut sqlite3_context {
        self.0.get()
    }

    /// The connection of the call.
    pub fn connection(&self) -> &Connection {
        // SAFETY: the connection that called stays open during the call.
        unsafe { Connection::from_ptr(sqlite::sqlite3_context_db_handle(self.as_ptr())) }
    }

    pub fn set_null(&self) {
        // SAFETY: the context is that of the call in progress.
        unsafe { sqlite::sqlite3_result_null(self.as_ptr()) };
    }

    #[inline]
    pub fn set_integer(&self, integer: i64) {
        // SAFETY: the context is that of the call in progress.
        unsafe { sqlite::sqlite3_result_int64(self.as_ptr(), integer) };
    }

    pub fn set_real(&self, real: f64) {
        // SAFETY: the context is that of the call in progress.
        unsafe { sqlite::sqlite3_result_double(self.as_ptr(), real) };
    }

    /// Set a copy of `text`, which is in `encoding`.
    pub fn set_text(&self, text: &[u8], encoding: TextEncoding) {
        let copied = sqlite::SQLITE_TRANSIENT();
        // SAFETY: SQLite copies the slice before it returns.
        unsafe { self.set_text_bytes(text.as_ptr(), text.len(), copied, encoding) };
    }

    /// Set a copy of `blob`.
    pub fn set_blob(&self, blob: &[u8]) {
        // SAFETY: SQLite copies the slice before it returns.
        unsafe { self.set_blob_bytes(blob.as_ptr(), blob.len(), sqlite::SQLITE_TRANSIENT()) };
    }

    /// Set a value of the host; SQLite takes ownership of its memory.
    pub fn set_value(&self, value: HostValue, encoding: TextEncoding) {
        match value {
            Value::Null => self.set_null(),
            Value::Integer(integer) => self.set_integer(integer),
            Value::Real(real) => self.set_real(real),
            Value::Text(text) => {
                let (start, count, destructor) = given(text);
                // SAFETY: the memory is SQLite's from now on, to be freed by `free`.
                unsafe { self.set_text_bytes(start, count, destructor, encoding) };
            }
            Value::Blob(blob) => {
                let (start, count, destructor) = given(blob);
                // SAFETY: as for a text: SQLite frees the memory.
                unsafe { self.set_blob_bytes(start, count, destructor) };
            }
        }
    }

    /// Set a copy of a value of the host.
    pub fn copy_value(&self, value: &HostValue) {
        // First, since a jump table would take as long as everything else here.
        if let Value::Integer(integer) = value {
            return self.set_integer(*integer);
        }
        match value {
            Value::Null => self.set_null(),
            Value::Integer(integer) => self.set_integer(*integer),
            Value::Real(real) => self.set_real(*real),
            Value::Text(text) => self.set_text(text, TextEncoding::Utf8),
            Value::Blob(blob) => self.set_blob(blob),
        }
    }

    /// # Safety
    ///
    /// `start` has `count` bytes that `destructor` frees, or that SQLite copies.
    unsafe fn set_text_bytes(
        &self,
        start: *const u8,
        count: usize,
        destructor: Destructor,
        encoding: TextEncoding,
    ) {
        let encoding = encoding_code(encoding) as u8;
        let (context, start, count) = (self.as_ptr(), start.cast(), count as u64);
        // SAFETY: the caller's bytes, and the context of the call in progress.
        unsafe { sqlite::sqlite3_result_text64(context, start, count, destructor, encoding) };
    }

    /// # Safety
    ///
    /// `start` has `count` bytes that `destructor` frees, or that SQLite copies.
    unsafe fn set_blob_bytes(&self, start: *const u8, count: usize, destructor: Destructor) {
        let (context, start, count) = (self.as_ptr(), start.cast(), count as u64);
        // SAFETY: the caller's bytes, and the context of the call in progress.
        unsafe { sqlite::sqlite3_result_blob64(context, start, count, destructor) };
    }

    /// Set the subtype of the result. SQLite fails functions that have not declared subtypes.
    pub fn set_subtype(&self, subtype: u8) {
        // SAFETY: the context is that of the call in progress.
        unsafe { sqlite::sqlite3_result_subtype(self.as_ptr(), subtype.into()) };
    }

    /// Set a pointer, which SQLite keeps as long as it needs it.
    pub fn set_pointer<T: Pointee>(&self, pointee: Rc<T>) {
        let pointer = Rc::into_raw(pointee).cast_mut().cast();
        // SAFETY: the pointer came from an `Rc<T>`, which `drop_rc` drops once.
        unsafe {
            let name = T::TYPE.as_ptr();
            sqlite::sqlite3_result_pointer(self.as_ptr(), pointer, name, Some(drop_rc::<T>));
        }
    }

    /// Let the call fail.
    pub fn set_error(&self, error: &SqlError) {
        // SAFETY: SQLite copies the message. The code puts its own text only if no message is set.
        unsafe {
            if !error.message.is_empty() {
                let (text, length) = (error.message.as_ptr(), error.message.len() as c_int);
                sqlite::sqlite3_result_error(self.as_ptr(), text.cast(), length);
            }
            sqlite::sqlite3_result_error_code(self.as_ptr(), failure_code(error));
        }
    }

    /// Whether xColumn is called for a column that the UPDATE does not change.
    pub fn is_unchanged(&self) -> bool {
        // SAFETY: the context is that of the call in progress; outside xColumn it is not marked.
        unsafe { sqlite::sqlite3_vtab_nochange(self.as_ptr()) != 0 }
    }
}

/// The memory of a list, and its destructor; `None` for an empty list.
fn given(list: HostList<u8>) -> (*const u8, usize, Destructor) {
    let (start, count) = list.into_raw();
    let destructor: Destructor = if count == 0 { None } else { Some(free) };
    (start, count, destructor)
}

/// Drop an `Rc` that SQLite holds.
///
/// # Safety
///
/// `pointer` came from [`Rc::into_raw`], and SQLite drops it once.
pub unsafe extern "C" fn drop_rc<T>(pointer: *mut c_void) {
    // SAFETY: the caller's promise.
    drop(unsafe { Rc::from_raw(pointer.cast::<T>()) });
}
