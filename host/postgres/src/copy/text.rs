//! The text format: columns between tabs, and escapes by backslashes.

use super::{Field, TOO_MANY_FIELDS};
use crate::translate::CopyOptions;

/// The end of the line, the first one without a backslash before it; or from where to look when
/// there is more.
pub fn end(bytes: &[u8]) -> Result<usize, usize> {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' => return Ok(at),
            b'\\' if bytes.len() > at + 1 => at += 2,
            b'\\' => return Err(at),
            _ => at += 1,
        }
    }
    Err(at)
}

/// The columns of a line, which must not be more than `most`.
pub fn fields(line: &[u8], options: &CopyOptions, most: usize) -> Result<Vec<Field>, &'static str> {
    if line.is_empty() && !options.null.is_empty() {
        return Ok(vec![Some(Vec::new())]);
    }
    let (mut fields, mut start, mut at) = (Vec::new(), 0, 0);
    while at <= line.len() {
        match line.get(at) {
            Some(b'\\') => at += 2,
            Some(byte) if *byte != options.delimiter => at += 1,
            _ if fields.len() == most => return Err(TOO_MANY_FIELDS),
            _ => {
                fields.push(field(&line[start..at], options));
                (start, at) = (at + 1, at + 1);
            }
        }
    }
    if start <= line.len() && at > line.len() + 1 {
        // A backslash was the last byte.
        if fields.len() == most {
            return Err(TOO_MANY_FIELDS);
        }
        fields.push(field(&line[start..], options));
    }
    Ok(fields)
}

fn field(raw: &[u8], options: &CopyOptions) -> Field {
    if raw == options.null.as_bytes() {
        return None;
    }
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first == b'\\' {
            rest = unescaped(tail, &mut out);
        } else {
            out.push(*first);
        }
    }
    Some(out)
}

/// What is after a backslash; the rest behind it.
fn unescaped<'a>(bytes: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let Some((first, tail)) = bytes.split_first() else {
        out.push(b'\\');
        return bytes;
    };
    let (digits, radix) = match first {
        b'0'..=b'7' => (digits(bytes, 3, 8), 8),
        b'x' => (digits(tail, 2, 16), 16),
        _ => (0, 8),
    };
    if digits > 0 {
        let digits_from = if *first == b'x' { tail } else { bytes };
        let value = digits_from[..digits]
            .iter()
            .fold(0_u32, |sum, digit| sum * radix + (*digit as char).to_digit(radix).unwrap_or(0));
        out.push(value as u8);
        return &digits_from[digits..];
    }
    out.push(match first {
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        other => *other,
    });
    tail
}

fn digits(bytes: &[u8], most: usize, radix: u32) -> usize {
    bytes.iter().take(most).take_while(|byte| (**byte as char).is_digit(radix)).count()
}

/// Append a value.
pub fn put(field: &[u8], delimiter: u8, out: &mut Vec<u8>) {
    for byte in field {
        let escape = match byte {
            8 => b'b',
            12 => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            11 => b'v',
            b'\\' => b'\\',
            other if *other == delimiter => *other,
            other => {
                out.push(*other);
                continue;
            }
        };
        out.extend([b'\\', escape]);
    }
}
