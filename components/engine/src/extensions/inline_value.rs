//! Values that cross in registers; see `types.inline-value`.

use libsqlite3_sys as sqlite;
use sqlite::sqlite3_context;

use super::abi::{
    BLOB, Failure, INTEGER, NULL, REAL, RawList, RawValue, TEXT, give_blob, give_subtype, give_text,
};
use super::attached;
use super::scalar::Registered;

/// Bytes of the longest text or blob.
const MAX_BYTES: usize = 64;

/// `types.inline-value`, and `option<short>` around it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawInlineValue {
    pub head: u32,
    pub words: [u64; 8],
}

#[repr(C)]
pub struct RawOption {
    pub is_some: u8,
    pub short: RawInlineValue,
}

impl RawOption {
    pub const NONE: Self = Self { is_some: 0, short: RawInlineValue { head: 0, words: [0; 8] } };
}

impl RawInlineValue {
    /// The short form of a value; none when it is too long.
    ///
    /// # Safety
    ///
    /// The value's bytes are there.
    pub unsafe fn of(value: &RawValue) -> Option<Self> {
        let mut short = Self { head: value.tag.into(), words: [0; 8] };
        // SAFETY: the tag says what the payload is, and its bytes are there by
        // the caller's promise; empty ones have an address too.
        unsafe {
            match value.tag {
                INTEGER => short.words[0] = value.payload.integer.cast_unsigned(),
                REAL => short.words[0] = value.payload.real.to_bits(),
                TEXT | BLOB => {
                    let RawList { data, count } = value.payload.bytes;
                    if count > MAX_BYTES {
                        return None;
                    }
                    short.head |= (count as u32) << 8;
                    pack(std::slice::from_raw_parts(data, count), &mut short.words);
                }
                _ => {}
            }
        }
        Some(short)
    }

    /// Give it to SQLite, which copies it. An extension inside this program
    /// may give anything; what is no value is a failure that names it.
    ///
    /// # Safety
    ///
    /// `context` is the call's.
    pub unsafe fn give(&self, context: *mut sqlite3_context, registered: &Registered) {
        let Registered { extension, encoding, subtypes, .. } = *registered;
        let [class, count, subtype, _] = self.head.to_le_bytes();
        let word = self.words[0];
        let count = usize::from(count);
        let bytes = RawList { data: self.words.as_ptr().cast::<u8>(), count };
        let copied = sqlite::SQLITE_TRANSIENT();
        // SAFETY: the caller's promise.
        unsafe {
            match class {
                NULL => sqlite::sqlite3_result_null(context),
                INTEGER => sqlite::sqlite3_result_int64(context, word.cast_signed()),
                REAL => sqlite::sqlite3_result_double(context, f64::from_bits(word)),
                TEXT if count <= MAX_BYTES => give_text(context, bytes, encoding, copied),
                BLOB if count <= MAX_BYTES => give_blob(context, bytes, copied),
                _ => return no_value(context, extension, class, count).give(context),
            }
            give_subtype(context, subtype, subtypes);
        }
    }
}

/// # Safety
///
/// `context` is that of a call of `extension`.
unsafe fn no_value(
    context: *mut sqlite3_context,
    extension: u32,
    class: u8,
    count: usize,
) -> Failure {
    // SAFETY: the caller's promise.
    let name = unsafe { attached::name(sqlite::sqlite3_context_db_handle(context), extension) };
    let message = format!(
        "the extension `{name}` broke the contract: a inline value of class {class} with {count} \
         bytes is none"
    );
    Failure { code: sqlite::SQLITE_ERROR, message: message.into_bytes() }
}

/// The bytes from the lowest of the first word on. Not by the C library's
/// function, which is a call out of compiled code and costs more.
fn pack(bytes: &[u8], words: &mut [u64; 8]) {
    let (whole, rest) = bytes.as_chunks();
    for (word, bytes) in words.iter_mut().zip(whole) {
        *word = u64::from_le_bytes(*bytes);
    }
    if let Some(word) = words.get_mut(whole.len()) {
        *word = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
}
