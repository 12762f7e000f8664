//! Values in replies.

use wire::{Value as Content, Writer, tag};

use crate::room::{self, NoMemory};
use crate::sqlite::value::Value;

/// Write a value of one of SQLite's five classes.
#[inline]
pub fn put(reply: &mut Writer, value: &Value) -> Result<(), NoMemory> {
    match value.plain() {
        Some(content) => room::put(reply, content),
        None => room::put(reply, value.converted()?),
    }
}

/// Write a value with all that a program can read: its subtype, or its id if it is a pointer.
#[inline]
pub fn put_whole(reply: &mut Writer, value: &Value) -> Result<(), NoMemory> {
    match value.plain() {
        Some(content) => room::put(reply, content),
        None => put_unusual(reply, value),
    }
}

#[cold]
fn put_unusual(reply: &mut Writer, value: &Value) -> Result<(), NoMemory> {
    if let Some(number) = value.program_pointer() {
        reply.u8(tag::POINTER);
        reply.u32(number);
        return Ok(());
    }
    let (content, subtype) = (value.converted()?, value.subtype());
    // A pointer of another owner is NULL.
    let is_pointer = content == Content::Null && subtype == wire::POINTER_SUBTYPE;
    if subtype != 0 && !is_pointer {
        reply.u8(tag::SUBTYPE);
        reply.u8(subtype);
    }
    room::put(reply, content)
}
