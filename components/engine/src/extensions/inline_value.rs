//! Results that cross in registers; see `types.inline-value`.

use libsqlite3_sys as sqlite;
use wire::{Head, InlineValue, tag};

use crate::host::dispatch::SqlError;
use crate::host::extension_types::TextEncoding;
use crate::sqlite::context::Context;
use crate::sqlite::error::failure;

/// Set the value as the result, and return its subtype. An extension that is fused with this
/// program may return anything; the error describes what is not a value.
#[inline]
pub fn set(value: &InlineValue, context: &Context, encoding: TextEncoding) -> Result<u8, SqlError> {
    let head = value.head();
    if !head.is_valid() {
        return Err(broken(head));
    }
    match head.tag {
        tag::NULL => context.set_null(),
        tag::INTEGER => context.set_integer(value.words[0].cast_signed()),
        tag::REAL => context.set_real(f64::from_bits(value.words[0])),
        tag::TEXT => {
            let bytes = value.words.map(u64::to_le_bytes);
            context.set_text(&bytes.as_flattened()[..head.length.into()], encoding);
        }
        _ => {
            let bytes = value.words.map(u64::to_le_bytes);
            context.set_blob(&bytes.as_flattened()[..head.length.into()]);
        }
    }
    Ok(head.subtype)
}

fn broken(Head { tag, length, .. }: Head) -> SqlError {
    let message = format!("an inline value of class {tag} with {length} bytes is not valid");
    failure(sqlite::SQLITE_ERROR, &message)
}
