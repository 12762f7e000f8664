//! Values that cross in registers; see `types.inline-value`.

use crate::ffi::layout::{InlineValue, Value};
use crate::host::dispatch::SqlError;
use crate::host::extension_types::TextEncoding;
use crate::sqlite::context::Context;
use crate::sqlite::error::failure;

use libsqlite3_sys as sqlite;

/// Bytes of the longest text or blob.
const MAX_BYTES: usize = 64;

const NULL: u8 = 0;
const INTEGER: u8 = 1;
const REAL: u8 = 2;
const TEXT: u8 = 3;
const BLOB: u8 = 4;

/// The inline form of a value; none when it is too long.
#[inline]
pub fn inline(value: Value<&[u8]>) -> Option<InlineValue> {
    let mut words = [0; 8];
    let head = match value {
        Value::Null => NULL.into(),
        Value::Integer(integer) => {
            words[0] = integer.cast_unsigned();
            INTEGER.into()
        }
        Value::Real(real) => {
            words[0] = real.to_bits();
            REAL.into()
        }
        Value::Text(bytes) => with_bytes(TEXT, bytes, &mut words)?,
        Value::Blob(bytes) => with_bytes(BLOB, bytes, &mut words)?,
    };
    Some(InlineValue { head, words })
}

/// The head of a text or blob, whose bytes begin at the lowest of the first word. They are not
/// copied by the C library's function, which costs more: it is a call out of compiled code.
fn with_bytes(class: u8, bytes: &[u8], words: &mut [u64; 8]) -> Option<u32> {
    if bytes.len() > MAX_BYTES {
        return None;
    }
    let (whole, rest) = bytes.as_chunks();
    for (word, bytes) in words.iter_mut().zip(whole) {
        *word = u64::from_le_bytes(*bytes);
    }
    if let Some(word) = words.get_mut(whole.len()) {
        *word = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    Some(u32::from(class) | (bytes.len() as u32) << 8)
}

/// Set the value as the result, and return its subtype. An extension that is fused with this
/// program may return anything; the error describes what is not a value.
#[inline]
pub fn set(value: &InlineValue, context: &Context, encoding: TextEncoding) -> Result<u8, SqlError> {
    let [class, count, subtype, _] = value.head.to_le_bytes();
    let (word, count) = (value.words[0], usize::from(count));
    match class {
        NULL => context.set_null(),
        INTEGER => context.set_integer(word.cast_signed()),
        REAL => context.set_real(f64::from_bits(word)),
        TEXT if count <= MAX_BYTES => {
            context.set_text(&value.words.map(u64::to_le_bytes).as_flattened()[..count], encoding);
        }
        BLOB if count <= MAX_BYTES => {
            context.set_blob(&value.words.map(u64::to_le_bytes).as_flattened()[..count]);
        }
        _ => return Err(broken(class, count)),
    }
    Ok(subtype)
}

fn broken(class: u8, count: usize) -> SqlError {
    let message = format!("a inline value of class {class} with {count} bytes is none");
    failure(sqlite::SQLITE_ERROR, &message)
}
