//! Memory for what others size: values, SQL, replies. It is asked for before it is used, since Rust's
//! collections end the program when there is none.

use wire::{Writer, code};

use crate::ffi::memory::has_room;
use crate::host::dispatch::SqlError;
use crate::sqlite::error::failure;

/// SQLITE_NOMEM, with SQLite's text.
pub fn no_memory() -> SqlError {
    failure(code::NOMEM, "")
}

/// Fails if there is no block of this many bytes. Small ones are always left.
pub fn check(bytes: usize) -> Result<(), SqlError> {
    if bytes <= wire::room::MAX_UNASKED || has_room(bytes) { Ok(()) } else { Err(no_memory()) }
}

/// The answer to a request, if it is the host's question for memory.
pub fn answer(request: &[u8]) -> Option<Result<Vec<u8>, SqlError>> {
    let bytes = wire::room::asked(request)?;
    Some(check(bytes as usize).map(|()| Vec::new()))
}

/// Make room for this many bytes more.
pub fn reserve(bytes: &mut Vec<u8>, more: usize) -> Result<(), SqlError> {
    bytes.try_reserve(more).map_err(|_| no_memory())
}

/// Bytes of a value beside those of a text or blob: its tag, length and end, or a number.
const VALUE_BYTES: usize = 9;

/// Write a value.
pub fn put(writer: &mut Writer, value: wire::Value<&[u8]>) -> Result<(), SqlError> {
    let bytes = match value {
        wire::Value::Text(bytes) | wire::Value::Blob(bytes) => bytes.len(),
        _ => 0,
    };
    reserve(&mut writer.0, bytes + VALUE_BYTES)?;
    writer.value(value);
    Ok(())
}

/// Write a text or blob without a tag.
pub fn put_bytes(writer: &mut Writer, bytes: &[u8]) -> Result<(), SqlError> {
    reserve(&mut writer.0, bytes.len() + VALUE_BYTES)?;
    writer.bytes(bytes);
    Ok(())
}
