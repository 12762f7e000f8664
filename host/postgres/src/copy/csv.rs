//! Comma-separated values.

use super::{Field, TOO_MANY_FIELDS};
use crate::translate::CopyOptions;

/// Whether the data up to here ends inside quotes.
#[derive(Debug, Default)]
pub struct State {
    is_quoted: bool,
    is_escaped: bool,
}

impl State {
    /// The end of the row: the first end of a line outside quotes.
    pub fn end(&mut self, bytes: &[u8], options: &CopyOptions) -> Option<usize> {
        for (index, byte) in bytes.iter().enumerate() {
            if std::mem::take(&mut self.is_escaped) {
                continue;
            }
            if self.is_quoted && *byte == options.escape && options.escape != options.quote {
                self.is_escaped = true;
            } else if *byte == options.quote {
                self.is_quoted = !self.is_quoted;
            } else if *byte == b'\n' && !self.is_quoted {
                return Some(index);
            }
        }
        None
    }
}

/// What options say of a column.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forced {
    /// NULL may be in quotes.
    pub is_null: bool,
    /// A value without quotes is never NULL.
    pub is_not_null: bool,
}

/// The columns of a row, which must not be more than the table's.
pub fn fields(
    line: &[u8],
    options: &CopyOptions,
    columns: &[Forced],
) -> Result<Vec<Field>, &'static str> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let forced = columns.get(fields.len()).ok_or(TOO_MANY_FIELDS)?;
        let (field, tail) = field(rest, options, *forced)?;
        fields.push(field);
        match tail.split_first() {
            Some((_, after)) => rest = after,
            None => return Ok(fields),
        }
    }
}

/// The first column, and what follows it from the delimiter on.
fn field<'a>(
    bytes: &'a [u8],
    options: &CopyOptions,
    forced: Forced,
) -> Result<(Field, &'a [u8]), &'static str> {
    let (mut out, mut at) = (Vec::new(), 0);
    let (mut is_quoted, mut was_quoted) = (false, false);
    while let Some(byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        at += 1;
        if is_quoted {
            let escapes = next.filter(|next| **next == options.quote || **next == options.escape);
            match (*byte == options.escape, escapes) {
                (true, Some(next)) => {
                    out.push(*next);
                    at += 1;
                }
                _ if *byte == options.quote => is_quoted = false,
                _ => out.push(*byte),
            }
        } else if *byte == options.quote {
            (is_quoted, was_quoted) = (true, true);
        } else if *byte == options.delimiter {
            at -= 1;
            break;
        } else {
            out.push(*byte);
        }
    }
    if is_quoted {
        return Err("unterminated CSV quoted field");
    }
    let may_be_null = if was_quoted { forced.is_null } else { !forced.is_not_null };
    let is_null = may_be_null && out == options.null.as_bytes();
    Ok(((!is_null).then_some(out), &bytes[at..]))
}

/// Append a value. A single column that is `\.` would be taken for the end.
pub fn put(
    field: &[u8],
    options: &CopyOptions,
    is_quoted: bool,
    is_alone: bool,
    out: &mut Vec<u8>,
) {
    let is_special = |byte: &u8| {
        *byte == options.delimiter || *byte == options.quote || matches!(byte, b'\n' | b'\r')
    };
    let needs = is_quoted
        || field == options.null.as_bytes()
        || (is_alone && field == b"\\.")
        || field.iter().any(is_special);
    if !needs {
        return out.extend_from_slice(field);
    }
    out.push(options.quote);
    for byte in field {
        if *byte == options.quote || *byte == options.escape {
            out.push(options.escape);
        }
        out.push(*byte);
    }
    out.push(options.quote);
}
