//! Parts of replies, in the layout of `sql.work`.

use crate::ffi::layout::Value;

/// A count.
pub fn put_count(reply: &mut Vec<u8>, count: usize) {
    reply.extend_from_slice(&(count as u32).to_le_bytes());
}

/// Bytes with their length in front and a zero byte at the end.
pub fn put_bytes(reply: &mut Vec<u8>, bytes: &[u8]) {
    put_count(reply, bytes.len());
    reply.extend_from_slice(bytes);
    reply.push(0);
}

/// A value.
pub fn put_value(reply: &mut Vec<u8>, value: Value<&[u8]>) {
    match value {
        Value::Null => reply.push(0),
        Value::Integer(integer) => {
            reply.push(1);
            reply.extend_from_slice(&integer.to_le_bytes());
        }
        Value::Real(real) => {
            reply.push(2);
            reply.extend_from_slice(&real.to_le_bytes());
        }
        Value::Text(text) => {
            reply.push(3);
            put_bytes(reply, text);
        }
        Value::Blob(blob) => {
            reply.push(4);
            put_bytes(reply, blob);
        }
    }
}

/// A text as a value, NULL for none.
pub fn put_text(reply: &mut Vec<u8>, text: Option<&[u8]>) {
    put_value(reply, text.map_or(Value::Null, Value::Text));
}
