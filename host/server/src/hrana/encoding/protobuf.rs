//! Protocol Buffers. The messages are few, so they are read and written by hand.

mod decode;
mod encode;
mod fields;

pub use decode::{cursor, message, pipeline};
pub use encode::{
    cursor as cursor_head, entry, framed, hello, pipeline as pipeline_reply, reply, row, row_entry,
};
