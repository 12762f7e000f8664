//! Arrays: JSON in SQLite, so that `json_each` reads them.

use crate::values::{Value, ValueRef};

use super::binary::{TOO_LONG, split, too_short};
use super::{Format, decode, encode as encode_value, invalid, mismatch, utf8};
use crate::error::{Error, Result, sqlstate};
use crate::types::{Scalar, Type, Typed};

/// Elements of an array in text at most. Each takes tens of bytes while it is read, which are the
/// server's and not those of the client's sandbox.
const MAX_ELEMENTS: usize = 1 << 18;

/// The elements of an array, as they were read so far.
#[derive(Default)]
struct Elements(Vec<Option<String>>);

/// Why a text gives no elements.
enum Problem {
    Malformed,
    TooMany,
}

impl Problem {
    fn or(self, malformed: impl FnOnce() -> Error) -> Error {
        match self {
            Self::Malformed => malformed(),
            Self::TooMany => {
                let message = format!("an array has more than {MAX_ELEMENTS} elements");
                Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message)
            }
        }
    }
}

impl Elements {
    /// Add what was read; what follows it.
    fn push<'a>(
        &mut self,
        read: Option<(Option<String>, &'a str)>,
    ) -> std::result::Result<&'a str, Problem> {
        let (element, tail) = read.ok_or(Problem::Malformed)?;
        if self.0.len() == MAX_ELEMENTS {
            return Err(Problem::TooMany);
        }
        self.0.push(element);
        Ok(tail.trim_start())
    }
}

/// The elements of an array in Postgres' text.
fn elements(text: &str) -> std::result::Result<Vec<Option<String>>, Problem> {
    let inner = text.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let mut rest = inner.ok_or(Problem::Malformed)?.trim_start();
    let mut found = Elements::default();
    while !rest.is_empty() {
        let tail = found.push(match rest.strip_prefix('"') {
            Some(quoted) => quoted_element(quoted),
            None => plain_element(rest),
        })?;
        if tail.is_empty() {
            break;
        }
        rest = tail.strip_prefix(',').ok_or(Problem::Malformed)?.trim_start();
        if rest.is_empty() {
            return Err(Problem::Malformed);
        }
    }
    Ok(found.0)
}

fn quoted_element(text: &str) -> Option<(Option<String>, &str)> {
    let mut element = String::new();
    let mut characters = text.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return Some((Some(element), &text[index + 1..])),
            '\\' => element.push(characters.next()?.1),
            other => element.push(other),
        }
    }
    None
}

fn plain_element(text: &str) -> Option<(Option<String>, &str)> {
    let end = text.find(',').unwrap_or(text.len());
    let element = text[..end].trim_end();
    if element.is_empty() || element.contains(['{', '}', '"']) {
        return None;
    }
    let is_null = element.eq_ignore_ascii_case("null");
    Some(((!is_null).then(|| element.to_owned()), &text[end..]))
}

pub fn decode_text(text: &str, scalar: Scalar) -> Result<Value> {
    let malformed =
        || Error::new(sqlstate::INVALID_TEXT, format!("malformed array literal: \"{text:.100}\""));
    let elements = elements(text).map_err(|problem| problem.or(malformed))?;
    let element = |text: Option<String>| {
        decode(text.as_deref().map(str::as_bytes), Type::One(scalar), Format::Text)
    };
    json(elements.into_iter().map(element))
}

pub fn decode_binary(bytes: &[u8], scalar: Scalar) -> Result<Value> {
    let (mut rest, count) = header(bytes, scalar)?;
    let elements = (0..count).map(|_| {
        let length = word(&mut rest)?;
        let element = match usize::try_from(length) {
            Ok(length) => {
                let (element, tail) = rest.split_at_checked(length).ok_or_else(too_short)?;
                rest = tail;
                Some(element)
            }
            Err(_) => None,
        };
        decode(element, Type::One(scalar), Format::Binary)
    });
    let elements = json(elements)?;
    if rest.is_empty() { Ok(elements) } else { Err(malformed(TOO_LONG)) }
}

fn malformed(message: impl Into<String>) -> Error {
    Error::new(sqlstate::INVALID_BINARY, message)
}

fn word(rest: &mut &[u8]) -> Result<i32> {
    let (word, tail) = split(rest)?;
    *rest = tail;
    Ok(i32::from_be_bytes(word))
}

/// What follows the header of an array, and how many elements it has.
fn header(bytes: &[u8], scalar: Scalar) -> Result<(&[u8], i32)> {
    /// As many as PostgreSQL's arrays have.
    const MAX_DIMENSIONS: i32 = 6;
    let mut rest = bytes;
    let dimensions = word(&mut rest)?;
    match dimensions {
        ..0 => return Err(malformed(format!("invalid number of dimensions: {dimensions}"))),
        0..=MAX_DIMENSIONS => {}
        _ => {
            let message = format!(
                "number of array dimensions ({dimensions}) exceeds the maximum allowed ({MAX_DIMENSIONS})"
            );
            return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message));
        }
    }
    if !matches!(word(&mut rest)?, 0 | 1) {
        return Err(malformed("invalid array flags"));
    }
    let element = word(&mut rest)?.cast_unsigned();
    if element != Type::One(scalar).oid() {
        let message =
            format!("binary data has array element type {element} instead of {}", scalar.name());
        return Err(Error::new(sqlstate::DATATYPE_MISMATCH, message));
    }
    if dimensions > 1 {
        return Err(Error::unsupported("an array of more than one dimension"));
    }
    let count = if dimensions == 0 { 0 } else { word(&mut rest)? };
    if dimensions == 1 {
        // Where it begins: all begin at 1 here.
        word(&mut rest)?;
    }
    Ok((rest, count))
}

/// A JSON array of values.
fn json(values: impl Iterator<Item = Result<Value>>) -> Result<Value> {
    let mut out = String::from("[");
    for value in values {
        if out.len() > 1 {
            out.push(',');
        }
        match value? {
            Value::Null => out.push_str("null"),
            Value::Integer(number) => out.push_str(&number.to_string()),
            Value::Real(number) if number.is_finite() => out.push_str(&format!("{number:?}")),
            Value::Real(number) => quote_json(&number.to_string(), &mut out),
            Value::Text(text) => quote_json(&text, &mut out),
            Value::Blob(_) => return Err(Error::unsupported("an array of bytea")),
        }
    }
    out.push(']');
    Ok(Value::Text(out))
}

fn quote_json(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
}

/// The elements of a stored array: JSON, or already Postgres' text.
fn stored(text: &str) -> std::result::Result<Vec<Option<String>>, Problem> {
    let Some(inner) = text.trim().strip_prefix('[') else { return elements(text) };
    let (mut found, mut rest) = (Elements::default(), inner.trim_start());
    if rest.starts_with(']') {
        return Ok(found.0);
    }
    loop {
        rest = found.push(json_element(rest))?;
        if rest == "]" {
            return Ok(found.0);
        }
        rest = rest.strip_prefix(',').ok_or(Problem::Malformed)?.trim_start();
    }
}

fn json_element(text: &str) -> Option<(Option<String>, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ']'])?;
        let element = text[..end].trim();
        return Some(((element != "null").then(|| element.to_owned()), &text[end..]));
    };
    let mut element = String::new();
    let mut characters = quoted.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return Some((Some(element), &quoted[index + 1..])),
            '\\' => element.push(escaped(&mut characters)?),
            other => element.push(other),
        }
    }
    None
}

/// One character after a backslash in JSON. One half of a pair without the other is replaced.
fn escaped(characters: &mut std::str::CharIndices<'_>) -> Option<char> {
    Some(match characters.next()?.1 {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => {
            let first = code_unit(characters)?;
            let mut after = characters.clone();
            let is_pair = (0xd800..0xdc00).contains(&first)
                && after.next().is_some_and(|(_, next)| next == '\\')
                && after.next().is_some_and(|(_, next)| next == 'u');
            let pair = is_pair.then(|| code_unit(&mut after)).flatten();
            match pair.and_then(|low| char::decode_utf16([first, low]).next()?.ok()) {
                Some(both) => {
                    *characters = after;
                    both
                }
                None => char::from_u32(first.into()).unwrap_or('\u{fffd}'),
            }
        }
        other => other,
    })
}

/// Four hexadecimal digits: a code unit of UTF-16.
fn code_unit(characters: &mut std::str::CharIndices<'_>) -> Option<u16> {
    let digits: String = characters.by_ref().take(4).map(|(_, digit)| digit).collect();
    let is_whole = digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_whole.then(|| u16::from_str_radix(&digits, 16).ok()).flatten()
}

pub fn encode(
    value: ValueRef<'_>,
    scalar: Scalar,
    format: Format,
    out: &mut Vec<u8>,
) -> Result<()> {
    let ValueRef::Text(text) = value else { return Err(mismatch(scalar, value)) };
    let malformed = || invalid(scalar, &String::from_utf8_lossy(text));
    let elements = stored(utf8(text)?).map_err(|problem| problem.or(malformed))?;
    match format {
        Format::Text | Format::Iso8601 => encode_text(&elements, scalar, format, out),
        Format::Binary => encode_binary(&elements, scalar, out),
    }
}

fn encode_text(
    elements: &[Option<String>],
    scalar: Scalar,
    format: Format,
    out: &mut Vec<u8>,
) -> Result<()> {
    out.push(b'{');
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let Some(element) = element else {
            out.extend_from_slice(b"NULL");
            continue;
        };
        let mut text = Vec::new();
        encode_value(
            element_ref(element, scalar),
            Typed::plain(Type::One(scalar)),
            format,
            &mut text,
        )?;
        quote(&text, out);
    }
    out.push(b'}');
    Ok(())
}

/// JSON's booleans are words; everything else is read from its text.
fn element_ref(element: &str, _: Scalar) -> ValueRef<'_> {
    ValueRef::Text(element.as_bytes())
}

fn quote(text: &[u8], out: &mut Vec<u8>) {
    let is_special =
        |byte: &u8| matches!(byte, b'{' | b'}' | b',' | b'"' | b'\\') || byte.is_ascii_whitespace();
    if !text.is_empty() && !text.iter().any(is_special) && !text.eq_ignore_ascii_case(b"null") {
        return out.extend_from_slice(text);
    }
    out.push(b'"');
    for byte in text {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out.push(b'"');
}

fn encode_binary(elements: &[Option<String>], scalar: Scalar, out: &mut Vec<u8>) -> Result<()> {
    let has_null = elements.iter().any(Option::is_none);
    let header = |out: &mut Vec<u8>, number: u32| out.extend_from_slice(&number.to_be_bytes());
    header(out, u32::from(!elements.is_empty()));
    header(out, has_null.into());
    header(out, Type::One(scalar).oid());
    if elements.is_empty() {
        return Ok(());
    }
    header(out, elements.len() as u32);
    header(out, 1);
    for element in elements {
        let at = out.len();
        header(out, u32::MAX);
        let value = element.as_deref().map_or(ValueRef::Null, |text| element_ref(text, scalar));
        if encode_value(value, Typed::plain(Type::One(scalar)), Format::Binary, out)? {
            let length = (out.len() - at - 4) as u32;
            out[at..at + 4].copy_from_slice(&length.to_be_bytes());
        }
    }
    Ok(())
}
