//! The kind and the length of the first token of a text.
//!
//! Tokens end at ASCII characters only, so bytes can be looked at instead of characters.

use crate::Dialect;
use crate::token::Kind;

type First = (Kind, usize);

/// The first token of a text; none if the text is empty.
pub fn first(bytes: &[u8], dialect: Dialect) -> Option<First> {
    let first = *bytes.first()?;
    let own = match dialect {
        Dialect::Sqlite => of_sqlite(bytes, first),
        Dialect::Postgres => of_postgres(bytes, first),
    };
    Some(own.unwrap_or_else(|| common(bytes, first)))
}

/// The tokens that only SQLite has, or has otherwise.
fn of_sqlite(bytes: &[u8], first: u8) -> Option<First> {
    Some(match first {
        // At the end of the text it is a slash and an asterisk.
        b'/' if bytes.starts_with(b"/*") && bytes.len() > 2 => (Kind::Space, comment(bytes)),
        0xef if bytes.starts_with("\u{feff}".as_bytes()) => (Kind::Space, 3),
        b'[' => match bytes.iter().position(|byte| *byte == b']') {
            Some(end) => (Kind::Name, end + 1),
            None => (Kind::Illegal, bytes.len()),
        },
        b'`' => quoted(Kind::Name, bytes, 1, false),
        b'x' | b'X' if bytes.get(1) == Some(&b'\'') => blob(bytes),
        b'?' => (Kind::Parameter, 1 + run(&bytes[1..], |byte| byte.is_ascii_digit())),
        b'$' | b'@' | b'#' | b':' => variable(bytes),
        // Other control characters include the vertical tab, which is white space only behind
        // other white space.
        b'\\' | b']' | b'^' | b'{' | b'}' => (Kind::Illegal, 1),
        _ if first.is_ascii_control() && !is_space(first) => (Kind::Illegal, 1),
        _ => return None,
    })
}

/// The tokens that only PostgreSQL has, or has otherwise.
fn of_postgres(bytes: &[u8], first: u8) -> Option<First> {
    let second = bytes.get(1).copied().unwrap_or(0);
    Some(match first {
        b'/' if second == b'*' => (Kind::Space, nested_comment(bytes)),
        b'\x0b' => (Kind::Space, run(bytes, is_in_space)),
        b'e' | b'E' if second == b'\'' => quoted(Kind::Text, bytes, 2, true),
        b'$' if second.is_ascii_digit() => {
            (Kind::Parameter, 1 + run(&bytes[1..], |byte| byte.is_ascii_digit()))
        }
        b'$' => dollars(bytes),
        _ => return None,
    })
}

fn common(bytes: &[u8], first: u8) -> First {
    let second = bytes.get(1).copied().unwrap_or(0);
    match first {
        // The rules of PostgreSQL end it at a carriage return too; but SQLite reads the same text.
        b'-' if second == b'-' => (Kind::Space, run(bytes, |byte| byte != b'\n')),
        b'\'' => quoted(Kind::Text, bytes, 1, false),
        b'"' => quoted(Kind::Name, bytes, 1, false),
        b'0'..=b'9' => number(bytes),
        b'.' if second.is_ascii_digit() => number(bytes),
        _ if is_space(first) => (Kind::Space, run(bytes, is_in_space)),
        b'$' => (Kind::Symbol(first), 1),
        _ if is_in_word(first) => (Kind::Word, run(bytes, is_in_word)),
        _ => (Kind::Symbol(first), 1),
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r')
}

fn is_in_space(byte: u8) -> bool {
    is_space(byte) || byte == b'\x0b'
}

fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

/// How many bytes at the beginning satisfy a condition.
fn run(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_part(*byte)).unwrap_or(bytes.len())
}

/// The length of a comment that ends at the first `*/`, or with the text.
fn comment(bytes: &[u8]) -> usize {
    let end = bytes[2..].windows(2).position(|pair| pair == b"*/");
    end.map_or(bytes.len(), |end| end + 4)
}

/// The length of a comment, with the comments in it.
fn nested_comment(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (2, 1_usize);
    while depth > 0 && at + 1 < bytes.len() {
        let step = match &bytes[at..at + 2] {
            b"/*" => (1, 2),
            b"*/" => (-1, 2),
            _ => (0, 1),
        };
        depth = depth.saturating_add_signed(step.0);
        at += step.1;
    }
    if depth > 0 { bytes.len() } else { at }
}

/// A token in quotes, of which the last of the first `from` bytes is the opening one. A doubled quote
/// is a character.
fn quoted(kind: Kind, bytes: &[u8], from: usize, has_escapes: bool) -> First {
    let quote = bytes[from - 1];
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            b'\\' if has_escapes => 2,
            byte if *byte != quote => 1,
            _ if bytes.get(at + 1) == Some(&quote) => 2,
            _ => return (kind, at + 1),
        };
    }
    (Kind::Illegal, bytes.len())
}

/// `$tag$…$tag$`, or the first dollar alone.
fn dollars(bytes: &[u8]) -> First {
    let tag = 1 + run(&bytes[1..], |byte| is_in_word(byte) && byte != b'$');
    if bytes.get(tag) != Some(&b'$') {
        return (Kind::Symbol(b'$'), 1);
    }
    let (delimiter, body) = bytes.split_at(tag + 1);
    match body.windows(delimiter.len()).position(|window| window == delimiter) {
        Some(end) => (Kind::Text, end + 2 * delimiter.len()),
        None => (Kind::Illegal, bytes.len()),
    }
}

/// `x'…'`, with an even count of hexadecimal digits.
fn blob(bytes: &[u8]) -> First {
    let digits = run(&bytes[2..], |byte| byte.is_ascii_hexdigit());
    let inner = run(&bytes[2..], |byte| byte != b'\'');
    let is_blob = inner == digits && digits % 2 == 0 && bytes.len() > 2 + inner;
    let kind = if is_blob { Kind::Blob } else { Kind::Illegal };
    (kind, bytes.len().min(3 + inner))
}

/// `:name`, also with `::` in it and `(…)` behind it, as variables of Tcl are written.
fn variable(bytes: &[u8]) -> First {
    let (mut at, mut has_name) = (1, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            byte if is_in_word(*byte) => has_name = true,
            b'(' if has_name => return indexed(bytes, at),
            b':' if bytes.get(at + 1) == Some(&b':') => at += 1,
            _ => break,
        }
        at += 1;
    }
    (if has_name { Kind::Parameter } else { Kind::Illegal }, at)
}

/// A variable whose parenthesis opens at an offset.
fn indexed(bytes: &[u8], open: usize) -> First {
    let end = open + 1 + run(&bytes[open + 1..], |byte| !is_in_space(byte) && byte != b')');
    match bytes.get(end) {
        Some(b')') => (Kind::Parameter, end + 1),
        _ => (Kind::Illegal, end),
    }
}

/// An integer or a real; letters directly behind it are not legal.
fn number(bytes: &[u8]) -> First {
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let digits =
        |from: usize| from + run(&bytes[from..], |byte| byte.is_ascii_digit() || byte == b'_');
    let mut end;
    if at(0) == b'0' && matches!(at(1), b'x' | b'X') && at(2).is_ascii_hexdigit() {
        end = 2 + run(&bytes[2..], |byte| byte.is_ascii_hexdigit() || byte == b'_');
    } else {
        end = digits(0);
        if at(end) == b'.' {
            end = digits(end + 1);
        }
        let sign = usize::from(matches!(at(end + 1), b'+' | b'-'));
        if matches!(at(end), b'e' | b'E') && at(end + 1 + sign).is_ascii_digit() {
            end = digits(end + 1 + sign);
        }
    }
    let letters = run(&bytes[end..], is_in_word);
    (if letters == 0 { Kind::Number } else { Kind::Illegal }, end + letters)
}
