//! Values that cross in registers; see `types.inline-value`.

use libsqlite3_sys as sqlite;
use sqlite::sqlite3_context;
use wire::{Head, InlineValue, tag};

use super::abi::{Failure, RawList, give_blob, give_subtype, give_text};
use super::attached;
use super::scalar::Registered;

/// `option<inline-value>`.
#[repr(C)]
pub struct RawOption {
    pub is_some: u8,
    pub value: InlineValue,
}

impl RawOption {
    pub const NONE: Self = Self { is_some: 0, value: InlineValue::NULL };
}

/// Give a value to SQLite, which copies it. An extension inside this program
/// may give anything; what is no value is a failure that names it.
///
/// # Safety
///
/// `context` is the call's.
pub unsafe fn give(value: &InlineValue, context: *mut sqlite3_context, registered: &Registered) {
    let Registered { extension, encoding, subtypes, .. } = *registered;
    let head = value.head();
    let word = value.words[0];
    let count = head.length.into();
    // WebAssembly is little-endian: the words are the bytes.
    let bytes = RawList { data: value.words.as_ptr().cast::<u8>(), count };
    let copied = sqlite::SQLITE_TRANSIENT();
    // SAFETY: the context is the caller's promise; a valid head says that so many bytes
    // are in the words.
    unsafe {
        match head.tag {
            tag::NULL => sqlite::sqlite3_result_null(context),
            tag::INTEGER => sqlite::sqlite3_result_int64(context, word.cast_signed()),
            tag::REAL => sqlite::sqlite3_result_double(context, f64::from_bits(word)),
            tag::TEXT if head.is_valid() => give_text(context, bytes, encoding, copied),
            tag::BLOB if head.is_valid() => give_blob(context, bytes, copied),
            _ => return no_value(context, extension, head).give(context),
        }
        give_subtype(context, head.subtype, subtypes);
    }
}

/// # Safety
///
/// `context` is that of a call of `extension`.
unsafe fn no_value(context: *mut sqlite3_context, extension: u32, head: Head) -> Failure {
    // SAFETY: the caller's promise.
    let name = unsafe { attached::name(sqlite::sqlite3_context_db_handle(context), extension) };
    let message = format!(
        "the extension `{name}` broke the contract: a inline value of class {} with {} bytes is \
         none",
        head.tag, head.length
    );
    Failure { code: sqlite::SQLITE_ERROR, message: message.into_bytes() }
}
