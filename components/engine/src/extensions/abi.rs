//! Values and results as the canonical ABI lays them out in memory.

use std::ffi::{c_int, c_void};
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3_context, sqlite3_value};

use crate::host::dispatch::{SqlError, Value};
use crate::host::extension_types::TextEncoding;

/// Bytes that the other side reads or has written.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawList<T> {
    pub data: *const T,
    pub count: usize,
}

impl<T> RawList<T> {
    pub fn of(items: &[T]) -> Self {
        Self { data: items.as_ptr(), count: items.len() }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union Payload {
    pub integer: i64,
    pub real: f64,
    pub bytes: RawList<u8>,
}

/// `types.value`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawValue {
    pub tag: u8,
    pub payload: Payload,
}

impl RawValue {
    /// SQL NULL.
    pub const NULL: Self = Self { tag: NULL, payload: Payload { integer: 0 } };

    fn has_bytes(&self) -> bool {
        self.tag == TEXT || self.tag == BLOB
    }

    /// The same value with its bytes appended to `bytes`, and their place
    /// there for an address.
    pub fn with_bytes_in(mut self, bytes: &mut Vec<u8>) -> Self {
        if self.has_bytes() {
            // SAFETY: the tag says that there are bytes, which SQLite protects
            // until the call ends.
            unsafe {
                let list = self.payload.bytes;
                let place = bytes.len();
                if list.count > 0 {
                    bytes.extend_from_slice(slice::from_raw_parts(list.data, list.count));
                }
                self.payload.bytes.data = std::ptr::without_provenance(place);
            }
        }
        self
    }

    /// Turn the place of [`Self::with_bytes_in`] into an address.
    pub fn place_bytes(&mut self, bytes: &[u8]) {
        if self.has_bytes() {
            // SAFETY: the tag says that the payload is a list.
            let place = unsafe { self.payload.bytes.data.addr() };
            self.payload.bytes.data = bytes[place..].as_ptr();
        }
    }
}

pub const NULL: u8 = 0;
pub const INTEGER: u8 = 1;
pub const REAL: u8 = 2;
pub const TEXT: u8 = 3;
pub const BLOB: u8 = 4;

const _: () = assert!(size_of::<RawValue>() == 16 && align_of::<RawValue>() == 8);

/// `types.output`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawOutput {
    pub value: RawValue,
    pub subtype: u8,
}

/// `types.sql-error`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawError {
    pub code: i32,
    pub message: RawList<u8>,
}

/// `result<T, sql-error>`, or the same with nothing in it yet.
#[repr(C)]
pub struct RawResult<T: Copy> {
    is_error: u8,
    body: RawBody<T>,
}

#[repr(C)]
union RawBody<T: Copy> {
    ok: T,
    error: RawError,
    nothing: (),
}

impl<T: Copy> RawResult<T> {
    pub fn empty() -> Self {
        Self { is_error: 0, body: RawBody { nothing: () } }
    }

    /// A failure with SQLite's own text for it.
    pub fn failed(code: c_int) -> Self {
        let message = RawList { data: std::ptr::null(), count: 0 };
        Self { is_error: 1, body: RawBody { error: RawError { code, message } } }
    }

    /// Whether it is the failure `code`; its message is given back then.
    ///
    /// # Safety
    ///
    /// A call has filled it, and it is not read again then.
    pub unsafe fn take_error(&self, code: i32) -> bool {
        // SAFETY: the discriminant says which of the two was written.
        unsafe {
            let is_it = self.is_error != 0 && self.body.error.code == code;
            if is_it {
                release(self.body.error.message);
            }
            is_it
        }
    }

    /// # Safety
    ///
    /// A call has filled it.
    pub unsafe fn get(&self) -> Result<T, RawError> {
        // SAFETY: the discriminant says which of the two was written.
        unsafe { if self.is_error == 0 { Ok(self.body.ok) } else { Err(self.body.error) } }
    }
}

unsafe extern "C" {
    fn free(memory: *mut c_void);
    // Not in `libsqlite3-sys`, which leaves UTF-16 out.
    fn sqlite3_value_text16le(value: *mut sqlite3_value) -> *const c_void;
    fn sqlite3_value_text16be(value: *mut sqlite3_value) -> *const c_void;
    // The length in either byte order.
    fn sqlite3_value_bytes16(value: *mut sqlite3_value) -> c_int;
}

/// Give back memory that the host had allocated here.
///
/// # Safety
///
/// The list came from the host, is not empty, and is not used any more.
pub unsafe fn release<T>(list: RawList<T>) {
    if list.count > 0 {
        // SAFETY: `cabi_realloc` takes its memory from `malloc`.
        unsafe { free(list.data.cast_mut().cast()) };
    }
}

/// A failure for an extension.
pub fn failure(code: c_int, message: &str) -> SqlError {
    SqlError { code, message: message.to_owned() }
}

/// How a function wants integers and reals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    AsTheyAre,
    /// As SQLite's text of them.
    AsText,
}

/// A value of SQLite, in SQLite's own memory.
///
/// # Safety
///
/// `value` is one that SQLite protects until the call ends.
pub unsafe fn lower(
    value: *mut sqlite3_value,
    encoding: TextEncoding,
    numbers: Numbers,
) -> RawValue {
    // SAFETY: the caller's promise; the length is asked for behind the text.
    unsafe {
        let (tag, payload) = match sqlite::sqlite3_value_type(value) {
            sqlite::SQLITE_INTEGER | sqlite::SQLITE_FLOAT if numbers == Numbers::AsText => {
                (TEXT, text(value, encoding))
            }
            sqlite::SQLITE_INTEGER => {
                (INTEGER, Payload { integer: sqlite::sqlite3_value_int64(value) })
            }
            sqlite::SQLITE_FLOAT => (REAL, Payload { real: sqlite::sqlite3_value_double(value) }),
            sqlite::SQLITE_TEXT => (TEXT, text(value, encoding)),
            sqlite::SQLITE_BLOB => {
                let data = sqlite::sqlite3_value_blob(value).cast();
                (BLOB, bytes(data, sqlite::sqlite3_value_bytes(value)))
            }
            _ => (NULL, Payload { integer: 0 }),
        };
        RawValue { tag, payload }
    }
}

/// # Safety
///
/// As [`lower`], for a text.
unsafe fn text(value: *mut sqlite3_value, encoding: TextEncoding) -> Payload {
    // SAFETY: the caller's promise; the length is asked for behind the text.
    unsafe {
        let data = match encoding {
            TextEncoding::Utf8 => sqlite::sqlite3_value_text(value),
            TextEncoding::Utf16le => sqlite3_value_text16le(value).cast(),
            TextEncoding::Utf16be => sqlite3_value_text16be(value).cast(),
        };
        let count = match encoding {
            TextEncoding::Utf8 => sqlite::sqlite3_value_bytes(value),
            _ => sqlite3_value_bytes16(value),
        };
        bytes(data, count)
    }
}

/// A copy of a value of SQLite, for the generated bindings.
///
/// # Safety
///
/// `value` is one that SQLite protects until the call ends.
pub unsafe fn owned(value: *mut sqlite3_value) -> Value {
    // SAFETY: the caller's promise; the tag says what the payload is.
    unsafe {
        let raw = lower(value, TextEncoding::Utf8, Numbers::AsTheyAre);
        let copy = |list: RawList<u8>| match list.count {
            0 => Vec::new(),
            count => slice::from_raw_parts(list.data, count).to_vec(),
        };
        match raw.tag {
            INTEGER => Value::Integer(raw.payload.integer),
            REAL => Value::Real(raw.payload.real),
            TEXT => Value::Text(copy(raw.payload.bytes)),
            BLOB => Value::Blob(copy(raw.payload.bytes)),
            _ => Value::Null,
        }
    }
}

fn bytes(data: *const u8, count: c_int) -> Payload {
    // SQLite gives null for what is empty; an address is wanted all the same.
    let data = if data.is_null() { std::ptr::NonNull::dangling().as_ptr() } else { data };
    Payload { bytes: RawList { data, count: count as usize } }
}

/// What becomes of the subtypes of results.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Subtypes {
    Kept,
    Dropped,
}

/// Give a result to SQLite, which takes its memory over.
///
/// # Safety
///
/// `output` came from the host; `context` is the call's.
pub unsafe fn give(
    context: *mut sqlite3_context,
    output: RawOutput,
    encoding: TextEncoding,
    subtypes: Subtypes,
) {
    // SAFETY: the tag says what the payload is.
    unsafe {
        match output.value.tag {
            INTEGER => sqlite::sqlite3_result_int64(context, output.value.payload.integer),
            REAL => sqlite::sqlite3_result_double(context, output.value.payload.real),
            TEXT => give_text(context, output.value.payload.bytes, encoding, Some(free)),
            BLOB => give_blob(context, output.value.payload.bytes, Some(free)),
            _ => sqlite::sqlite3_result_null(context),
        }
        give_subtype(context, output.subtype, subtypes);
    }
}

/// # Safety
///
/// `context` is the call's, and has its result.
pub unsafe fn give_subtype(context: *mut sqlite3_context, subtype: u8, subtypes: Subtypes) {
    // SQLite lets a function fail that gives one undeclared.
    if subtype != 0 && subtypes == Subtypes::Kept {
        // SAFETY: the caller's promise.
        unsafe { sqlite::sqlite3_result_subtype(context, subtype.into()) };
    }
}

/// Give a copy of a value to SQLite.
///
/// # Safety
///
/// `value` came from the host and was not released.
pub unsafe fn give_copy(context: *mut sqlite3_context, value: RawValue) {
    // SAFETY: the tag says what the payload is.
    unsafe {
        // First, since a jump by a table takes as long as all the rest.
        if value.tag == INTEGER {
            return sqlite::sqlite3_result_int64(context, value.payload.integer);
        }
        match value.tag {
            REAL => sqlite::sqlite3_result_double(context, value.payload.real),
            TEXT => {
                give_text(
                    context,
                    value.payload.bytes,
                    TextEncoding::Utf8,
                    sqlite::SQLITE_TRANSIENT(),
                );
            }
            BLOB => give_blob(context, value.payload.bytes, sqlite::SQLITE_TRANSIENT()),
            _ => sqlite::sqlite3_result_null(context),
        }
    }
}

/// SQLite's number of an encoding.
pub fn encoding_code(encoding: TextEncoding) -> c_int {
    match encoding {
        TextEncoding::Utf8 => sqlite::SQLITE_UTF8,
        TextEncoding::Utf16le => sqlite::SQLITE_UTF16LE,
        TextEncoding::Utf16be => sqlite::SQLITE_UTF16BE,
    }
}

/// How SQLite gives memory back.
pub type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;

/// # Safety
///
/// As [`give`]; `destructor` takes care of the memory.
pub unsafe fn give_text(
    context: *mut sqlite3_context,
    text: RawList<u8>,
    encoding: TextEncoding,
    destructor: Destructor,
) {
    let code = encoding_code(encoding);
    // Nothing was allocated for what is empty.
    let destructor = if text.count == 0 { None } else { destructor };
    // SAFETY: the memory came from `malloc`, or is copied.
    unsafe {
        sqlite::sqlite3_result_text64(
            context,
            text.data.cast(),
            text.count as u64,
            destructor,
            code as u8,
        );
    }
}

/// # Safety
///
/// As [`give_text`].
pub unsafe fn give_blob(context: *mut sqlite3_context, blob: RawList<u8>, destructor: Destructor) {
    let destructor = if blob.count == 0 { None } else { destructor };
    // SAFETY: the memory came from `malloc`, or is copied.
    unsafe {
        sqlite::sqlite3_result_blob64(context, blob.data.cast(), blob.count as u64, destructor);
    }
}

/// Release a value that was not given to SQLite.
///
/// # Safety
///
/// It came from the host and is not used any more.
pub unsafe fn release_value(value: RawValue) {
    if value.tag == TEXT || value.tag == BLOB {
        // SAFETY: the tag says so.
        unsafe { release(value.payload.bytes) };
    }
}

/// A failure as SQLite is told it.
pub struct Failure {
    pub code: c_int,
    /// Empty for SQLite's own text.
    pub message: Vec<u8>,
}

impl Failure {
    /// # Safety
    ///
    /// `error` came from the host; its memory is given back.
    pub unsafe fn from_raw(error: RawError) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let failure = Self::copied(error);
            release(error.message);
            failure
        }
    }

    /// The same, with the error's memory left to its owner.
    ///
    /// # Safety
    ///
    /// `error` came from the host and was not released.
    pub unsafe fn copied(error: RawError) -> Self {
        let message = match error.message.count {
            0 => Vec::new(),
            // SAFETY: the caller's promise.
            count => unsafe { slice::from_raw_parts(error.message.data, count) }.to_vec(),
        };
        Self { code: failure_code(error.code), message }
    }

    /// A failure from the generated bindings.
    pub fn from_error(error: SqlError) -> Self {
        Self { code: failure_code(error.code), message: error.message.into_bytes() }
    }

    /// Let the function call fail by it.
    ///
    /// # Safety
    ///
    /// `context` is the call's.
    pub unsafe fn give(&self, context: *mut sqlite3_context) {
        // SAFETY: the caller's promise; SQLite copies the message.
        unsafe {
            if !self.message.is_empty() {
                let length = self.message.len() as c_int;
                sqlite::sqlite3_result_error(context, self.message.as_ptr().cast(), length);
            }
            // Puts its own text only where there is none.
            sqlite::sqlite3_result_error_code(context, self.code);
        }
    }
}

/// OK, ROW and DONE are no failures, and SQLite takes -1 for success.
fn failure_code(code: i32) -> c_int {
    match code & 0xff {
        sqlite::SQLITE_OK | sqlite::SQLITE_ROW | sqlite::SQLITE_DONE => sqlite::SQLITE_ERROR,
        _ if code < 0 => sqlite::SQLITE_ERROR,
        _ => code,
    }
}
