//! Memory for data whose size others choose: values, SQL, replies. It is checked before it is used, since Rust's
//! collections end the program when memory runs out.

use wire::{Writer, code};

use crate::ffi::memory::has_room;
use crate::host::dispatch::SqlError;

/// There is no memory for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory;

impl From<NoMemory> for SqlError {
    /// SQLITE_NOMEM, with SQLite's text.
    fn from(_: NoMemory) -> Self {
        Self { code: code::NOMEM, message: String::new() }
    }
}

/// Fails if a block of this many bytes is not available. Small ones always are.
pub fn check(bytes: usize) -> Result<(), NoMemory> {
    if bytes <= wire::room::MAX_UNASKED || has_room(bytes) { Ok(()) } else { Err(NoMemory) }
}

/// The reply to a request, if it is the host's `AskMemory`.
pub fn answer(request: &[u8]) -> Option<Result<Vec<u8>, SqlError>> {
    let bytes = wire::room::asked(request)?;
    Some(check(bytes as usize).map(|()| Vec::new()).map_err(SqlError::from))
}

/// Make room for this many bytes more.
#[inline]
pub fn reserve(bytes: &mut Vec<u8>, more: usize) -> Result<(), NoMemory> {
    bytes.try_reserve(more).map_err(|_| NoMemory)
}

/// Bytes of a value besides those of a text or blob: its tag, length and end, or its integer or
/// real.
const VALUE_BYTES: usize = 9;

/// Write a value.
#[inline]
pub fn put(writer: &mut Writer, value: wire::Value<&[u8]>) -> Result<(), NoMemory> {
    let bytes = match value {
        wire::Value::Text(bytes) | wire::Value::Blob(bytes) => bytes.len(),
        _ => 0,
    };
    reserve(&mut writer.0, bytes + VALUE_BYTES)?;
    writer.value(value);
    Ok(())
}

/// Write a text or blob without a tag.
pub fn put_bytes(writer: &mut Writer, bytes: &[u8]) -> Result<(), NoMemory> {
    reserve(&mut writer.0, bytes.len() + VALUE_BYTES)?;
    writer.bytes(bytes);
    Ok(())
}

/// Write a text, or a null pointer for none.
pub fn put_text(writer: &mut Writer, text: Option<&[u8]>) -> Result<(), NoMemory> {
    reserve(&mut writer.0, text.map_or(0, <[u8]>::len) + VALUE_BYTES)?;
    writer.optional_bytes(text);
    Ok(())
}

/// Write a text as a value, NULL for none.
pub fn put_text_value(writer: &mut Writer, text: Option<&[u8]>) -> Result<(), NoMemory> {
    put(writer, text.map_or(wire::Value::Null, wire::Value::Text))
}

/// Write a text without a tag, an empty one for none.
pub fn put_name(writer: &mut Writer, name: Option<&[u8]>) -> Result<(), NoMemory> {
    put_bytes(writer, name.unwrap_or_default())
}
