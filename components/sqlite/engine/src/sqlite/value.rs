//! Values that SQLite passes to callbacks.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3_value;
use wire::Value as Content;
use wire::code;

use crate::host::dispatch::Value as OwnedValue;
use crate::host::extension_types::TextEncoding;
use crate::room::NoMemory;

/// A value that SQLite protects as long as it is borrowed.
#[repr(transparent)]
pub struct Value(UnsafeCell<sqlite3_value>);

/// The way in which a function reads integers and reals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    Unchanged,
    /// As SQLite's text for them.
    AsText,
}

/// The form in which a function reads its arguments, in all of its calls: reading a value in a
/// second encoding would move its text.
#[derive(Clone, Copy)]
pub struct Form {
    pub encoding: TextEncoding,
    pub numbers: Numbers,
}

impl Form {
    /// The form in which modules and everything else read values.
    pub const UTF8: Self = Self { encoding: TextEncoding::Utf8, numbers: Numbers::Unchanged };
}

/// The arguments of a function.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    values: &'a [&'a Value],
    form: Form,
}

impl<'a> Arguments<'a> {
    /// # Safety
    ///
    /// As for [`Value::slice`]; the callback reads `values` in this form alone.
    #[inline]
    pub unsafe fn new(values: *mut *mut sqlite3_value, count: c_int, form: Form) -> Self {
        // SAFETY: the caller's promise.
        Self { values: unsafe { Value::slice(values, count) }, form }
    }

    pub fn len(self) -> usize {
        self.values.len()
    }

    #[inline]
    pub fn iter(self) -> impl ExactSizeIterator<Item = Argument<'a>> {
        self.values.iter().map(move |value| Argument { value, form: self.form })
    }
}

/// An argument of a function.
#[derive(Clone, Copy)]
pub struct Argument<'a> {
    value: &'a Value,
    form: Form,
}

impl<'a> Argument<'a> {
    #[inline]
    pub fn content(self) -> Content<&'a [u8]> {
        self.value.content(self.form)
    }

    pub fn subtype(self) -> u8 {
        self.value.subtype()
    }

    pub fn pointer<T: Pointee>(self) -> Option<&'a T> {
        self.value.pointer()
    }
}

/// A type whose values SQLite passes as pointers (`sqlite3_result_pointer`).
pub trait Pointee: 'static {
    /// SQLite's name for the type, which no other type may have.
    const TYPE: &CStr;
}

unsafe extern "C" {
    // `libsqlite3-sys` leaves UTF-16 out.
    fn sqlite3_value_text16le(value: *mut sqlite3_value) -> *const c_void;
    fn sqlite3_value_text16be(value: *mut sqlite3_value) -> *const c_void;
    /// The length in either byte order.
    fn sqlite3_value_bytes16(value: *mut sqlite3_value) -> c_int;
}

/// A value as it is stored; `PlainValue` in `internals.h`.
#[repr(C)]
struct Plain {
    kind: c_int,
    count: c_uint,
    stored: Stored,
}

#[repr(C)]
union Stored {
    integer: i64,
    real: f64,
    bytes: *const c_void,
}

unsafe extern "C" {
    /// In `internals.c`. Returns 0 if only SQLite's functions can read the value.
    fn engine_plain_value(value: *const sqlite3_value, plain: *mut Plain) -> c_int;
}

/// SQLite's name for the type of the program's pointers.
const PROGRAM_POINTER: &CStr = c"sqlite-wasm-pointer";

impl Value {
    /// The arguments of a callback.
    ///
    /// # Safety
    ///
    /// `values` has `count` values that SQLite protects during `'a`; with 0 it may be null.
    #[inline]
    pub unsafe fn slice<'a>(values: *mut *mut sqlite3_value, count: c_int) -> &'a [&'a Self] {
        if count == 0 {
            return &[];
        }
        // SAFETY: the caller's promise. A reference to this type is a pointer to SQLite's.
        unsafe { slice::from_raw_parts(values.cast(), count as usize) }
    }

    /// # Safety
    ///
    /// SQLite protects `value` during `'a`.
    pub unsafe fn from_ptr<'a>(value: *mut sqlite3_value) -> &'a Self {
        // SAFETY: the caller's promise; the type is transparent.
        unsafe { &*value.cast() }
    }

    fn as_ptr(&self) -> *mut sqlite3_value {
        self.0.get()
    }

    pub fn is_null(&self) -> bool {
        // SAFETY: a borrowed value is protected.
        unsafe { sqlite::sqlite3_value_type(self.as_ptr()) == sqlite::SQLITE_NULL }
    }

    /// Whether it stands for a column that an UPDATE does not change.
    pub fn is_unchanged(&self) -> bool {
        // SAFETY: a borrowed value is protected; one outside xUpdate is never marked.
        unsafe { sqlite::sqlite3_value_nochange(self.as_ptr()) != 0 }
    }

    pub fn subtype(&self) -> u8 {
        // SAFETY: a borrowed value is protected.
        unsafe { sqlite::sqlite3_value_subtype(self.as_ptr()) as u8 }
    }

    /// What it holds. All readers of one callback have the same form: functions that of their
    /// [`Arguments`], and all others UTF-8.
    #[inline]
    fn content(&self, form: Form) -> Content<&[u8]> {
        let (value, Form { encoding, numbers }) = (self.as_ptr(), form);
        // SAFETY: a borrowed value is protected, so its content stays until the callback returns.
        unsafe {
            match sqlite::sqlite3_value_type(value) {
                sqlite::SQLITE_INTEGER | sqlite::SQLITE_FLOAT if numbers == Numbers::AsText => {
                    Content::Text(self.text(encoding))
                }
                sqlite::SQLITE_INTEGER => Content::Integer(sqlite::sqlite3_value_int64(value)),
                sqlite::SQLITE_FLOAT => Content::Real(sqlite::sqlite3_value_double(value)),
                sqlite::SQLITE_TEXT => Content::Text(self.text(encoding)),
                sqlite::SQLITE_BLOB => {
                    let start = sqlite::sqlite3_value_blob(value);
                    Content::Blob(bytes(start, sqlite::sqlite3_value_bytes(value)))
                }
                _ => Content::Null,
            }
        }
    }

    /// What it holds, if that needs no conversion and has no subtype.
    #[inline]
    pub fn plain(&self) -> Option<Content<&[u8]>> {
        let mut plain = MaybeUninit::<Plain>::uninit();
        // SAFETY: a borrowed value is protected. The function fills the part that the kind names.
        unsafe {
            if engine_plain_value(self.as_ptr(), plain.as_mut_ptr()) == 0 {
                return None;
            }
            let plain = plain.assume_init_ref();
            let content = || bytes(plain.stored.bytes, plain.count.cast_signed());
            Some(match plain.kind {
                sqlite::SQLITE_INTEGER => Content::Integer(plain.stored.integer),
                sqlite::SQLITE_FLOAT => Content::Real(plain.stored.real),
                sqlite::SQLITE_TEXT => Content::Text(content()),
                sqlite::SQLITE_BLOB => Content::Blob(content()),
                _ => Content::Null,
            })
        }
    }

    /// What it holds; text becomes UTF-8, and zeros are stored.
    ///
    /// # Errors
    ///
    /// There is no memory for that.
    pub fn converted(&self) -> Result<Content<&[u8]>, NoMemory> {
        let value = self.as_ptr();
        // SAFETY: a borrowed value is protected; SQLite returns null without memory, and for a blob
        // without bytes.
        unsafe {
            match sqlite::sqlite3_value_type(value) {
                sqlite::SQLITE_TEXT => {
                    let start = sqlite::sqlite3_value_text(value);
                    let text = bytes(start.cast(), sqlite::sqlite3_value_bytes(value));
                    if start.is_null() { Err(NoMemory) } else { Ok(Content::Text(text)) }
                }
                sqlite::SQLITE_BLOB => {
                    let start = sqlite::sqlite3_value_blob(value);
                    let count = sqlite::sqlite3_value_bytes(value);
                    let is_lost = start.is_null() && count > 0;
                    if is_lost { Err(NoMemory) } else { Ok(Content::Blob(bytes(start, count))) }
                }
                _ => Ok(self.content(Form::UTF8)),
            }
        }
    }

    /// The program's id of a pointer, if the value is one.
    pub fn program_pointer(&self) -> Option<u32> {
        // SAFETY: `components/sqlite/engine/c` alone gives SQLite pointers with the name, to a
        // structure that begins with the id and lives as long as the value.
        unsafe {
            let name = PROGRAM_POINTER.as_ptr();
            sqlite::sqlite3_value_pointer(self.as_ptr(), name).cast::<u32>().as_ref().copied()
        }
    }

    fn text(&self, encoding: TextEncoding) -> &[u8] {
        let value = self.as_ptr();
        // SAFETY: a borrowed value is protected. The length is read after the text, so it is that
        // of the encoding.
        unsafe {
            match encoding {
                TextEncoding::Utf8 => {
                    let start = sqlite::sqlite3_value_text(value);
                    bytes(start.cast(), sqlite::sqlite3_value_bytes(value))
                }
                TextEncoding::Utf16le => {
                    bytes(sqlite3_value_text16le(value), sqlite3_value_bytes16(value))
                }
                TextEncoding::Utf16be => {
                    bytes(sqlite3_value_text16be(value), sqlite3_value_bytes16(value))
                }
            }
        }
    }

    /// A copy for the generated bindings.
    pub fn to_value(&self) -> OwnedValue {
        match self.content(Form::UTF8) {
            Content::Null => OwnedValue::Null,
            Content::Integer(integer) => OwnedValue::Integer(integer),
            Content::Real(real) => OwnedValue::Real(real),
            Content::Text(text) => OwnedValue::Text(text.to_vec()),
            Content::Blob(blob) => OwnedValue::Blob(blob.to_vec()),
        }
    }

    /// What it points to, if it is a pointer of this type.
    pub fn pointer<T: Pointee>(&self) -> Option<&T> {
        // SAFETY: `Context::set_pointer` alone gives SQLite pointers with the type's name, from an
        // `Rc` that SQLite holds as long as the value.
        unsafe {
            sqlite::sqlite3_value_pointer(self.as_ptr(), T::TYPE.as_ptr()).cast::<T>().as_ref()
        }
    }

    /// The items of the right side of an IN constraint that xBestIndex took as a whole; `None` for
    /// other values.
    pub fn in_list(&self) -> Option<Vec<OwnedValue>> {
        let mut item = null_mut();
        // SAFETY: a borrowed value is protected; one that is not a list is an error.
        let mut code = unsafe { sqlite::sqlite3_vtab_in_first(self.as_ptr(), &mut item) };
        if code != code::OK && code != code::DONE {
            return None;
        }
        let mut items = Vec::new();
        while code == code::OK && !item.is_null() {
            // SAFETY: an item is protected until the next one, and copied before that.
            unsafe {
                items.push(Self::from_ptr(item).to_value());
                code = sqlite::sqlite3_vtab_in_next(self.as_ptr(), &mut item);
            }
        }
        Some(items)
    }
}

/// # Safety
///
/// SQLite has returned `start` and `count` together, and keeps the bytes during `'a`.
#[inline]
unsafe fn bytes<'a>(start: *const c_void, count: c_int) -> &'a [u8] {
    // SQLite returns null for a value without bytes.
    if start.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(start.cast(), count as usize) }
}
