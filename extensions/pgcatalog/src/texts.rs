//! Functions of texts and bytes that SQLite does not have, by the rules of the locale `C`.

use md5::{Digest, Md5};
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Result, Scalar, Value};

use crate::bytes::{bytes, replaced};

/// The longest text whose length an argument chooses, in bytes: a result has a limit, too.
pub const MAX_BYTES: usize = 16 << 20;

/// Characters of a line of base64, after RFC 2045.
const LINE: usize = 76;

macro_rules! function {
    ($name:literal, $arguments:literal, $function:expr) => {
        Scalar::new($name, $arguments, Stable, Innocuous, |a| a.apply($function))
    };
}

pub const SCALARS: &[Scalar] = &[
    function!("md5", 1, |value: Value| bytes(value).map(|bytes| hex(&Md5::digest(bytes)))),
    function!("ascii", 1, |text: String| text
        .chars()
        .next()
        .map_or(0, |first| i64::from(u32::from(first)))),
    function!("initcap", 1, initcap),
    function!("reverse", 1, |text: String| text.chars().rev().collect::<String>()),
    function!("translate", 3, translate),
    function!("split_part", 3, split_part),
    function!("repeat", 2, repeat),
    function!("lpad", 2, |text: String, length: i64| padded(&text, length, " ", true)),
    function!("lpad", 3, |text: String, length: i64, with: String| {
        padded(&text, length, &with, true)
    }),
    function!("rpad", 2, |text: String, length: i64| padded(&text, length, " ", false)),
    function!("rpad", 3, |text: String, length: i64, with: String| {
        padded(&text, length, &with, false)
    }),
    function!("starts_with", 2, |text: String, start: String| text.starts_with(&start)),
    function!("to_hex", 1, |number: i64| format!("{number:x}")),
    function!("pg_text_hex_of_int4", 1, |number: i64| format!("{:x}", number as i32)),
    function!("pg_text_chr", 1, chr),
    function!("encode", 2, |value: Value, format: String| {
        bytes(value).map(|bytes| encode(&bytes, &format)).transpose()
    }),
    function!("decode", 2, decode),
    function!("pg_uuid_of", 1, uuid),
    function!("pg_text_fitting", 3, fitting),
    function!("pg_text_overlay", 3, |text: String, with: String, from: i64| {
        overlay(&text, &with, from, with.chars().count() as i64)
    }),
    function!("pg_text_overlay", 4, |text: String, with: String, from: i64, length: i64| {
        overlay(&text, &with, from, length)
    }),
];

/// A value for a column of at most `most` characters; only spaces may be cut off. Other values do not change.
fn fitting(value: Value, most: i64, name: String) -> Result<Value> {
    let Value::Text(mut text) = value else { return Ok(value) };
    // Bytes at which a character begins.
    let mut starts = (0..text.len()).filter(|at| text[*at] & 0xc0 != 0x80);
    let end = usize::try_from(most).ok().and_then(|most| starts.nth(most));
    let Some(end) = end else { return Ok(Value::Text(text)) };
    if text[end..].iter().any(|byte| *byte != b' ') {
        return Err(format!("22001: value too long for type {name}({most})").into());
    }
    text.truncate(end);
    Ok(Value::Text(text))
}

/// A UUID as PostgreSQL reads it: in braces, and with hyphens behind any group of four digits.
fn uuid(text: String) -> Result<String> {
    let invalid = || {
        let shown: String = text.chars().take(100).collect();
        format!("22P02: invalid input syntax for type uuid: \"{shown}\"").into()
    };
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(&text);
    let mut digits = String::new();
    for letter in inner.chars() {
        match letter {
            '-' if digits.len().is_multiple_of(4) && !digits.is_empty() && digits.len() < 32 => {}
            letter if letter.is_ascii_hexdigit() => digits.push(letter.to_ascii_lowercase()),
            _ => return Err(invalid()),
        }
    }
    if digits.len() != 32 || inner.ends_with('-') {
        return Err(invalid());
    }
    let ends = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)];
    Ok(ends.map(|(begin, end)| &digits[begin..end]).join("-"))
}

/// Replace some letters, counted from 1, by another text.
fn overlay(text: &str, with: &str, from: i64, length: i64) -> Result<String> {
    let (from, end) = replaced(from, length)?;
    if text.len() + with.len() > MAX_BYTES {
        return Err(too_long());
    }
    let byte = |letters: usize| text.char_indices().nth(letters).map_or(text.len(), |(at, _)| at);
    Ok([&text[..byte(from)], with, &text[byte(end)..]].concat())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first letter of each word is a capital; a word is of letters and digits.
fn initcap(text: String) -> String {
    let mut is_inside = false;
    let letter = |letter: char| {
        let was_inside = std::mem::replace(&mut is_inside, letter.is_ascii_alphanumeric());
        if was_inside { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
    };
    text.chars().map(letter).collect()
}

/// Each letter of `from` becomes the one at the same position in `to`, or is removed if there is
/// none.
fn translate(text: String, from: String, to: String) -> String {
    let to: Vec<_> = to.chars().collect();
    let letter = |letter| match from.chars().position(|known| known == letter) {
        Some(at) => to.get(at).copied(),
        None => Some(letter),
    };
    text.chars().filter_map(letter).collect()
}

/// A part of a text, counted from 1; from the end if the index is negative.
fn split_part(text: String, between: String, number: i64) -> Result<String> {
    if number == 0 {
        return Err("22023: field position must not be zero".into());
    }
    let parts: Vec<&str> = match between.as_str() {
        "" => vec![&text],
        between => text.split(between).collect(),
    };
    let distance = usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
    let at = if number > 0 { Some(distance - 1) } else { parts.len().checked_sub(distance) };
    Ok(at.and_then(|at| parts.get(at)).copied().unwrap_or_default().to_owned())
}

fn repeat(text: String, count: i64) -> Result<String> {
    let count = usize::try_from(count.max(0)).unwrap_or(usize::MAX);
    match text.len().checked_mul(count) {
        Some(length) if length <= MAX_BYTES => Ok(text.repeat(count)),
        _ => Err(too_long()),
    }
}

pub fn too_long() -> sqlite_wasm_kit::Error {
    format!("54000: requested length too large: a text has at most {MAX_BYTES} bytes here").into()
}

/// As long as this, in characters: cut at its end, or filled.
fn padded(text: &str, length: i64, with: &str, is_left: bool) -> Result<String> {
    let length = usize::try_from(length.max(0)).unwrap_or(usize::MAX);
    let missing = length.saturating_sub(text.chars().count());
    if missing == 0 || with.is_empty() {
        return Ok(text.chars().take(length).collect());
    }
    if missing > MAX_BYTES / 4 {
        return Err(too_long());
    }
    let fill: String = with.chars().cycle().take(missing).collect();
    Ok(if is_left { fill + text } else { text.to_owned() + &fill })
}

fn chr(code: i64) -> Result<String> {
    match u32::try_from(code).ok().and_then(char::from_u32) {
        Some('\0') => Err("54000: null character not permitted".into()),
        Some(letter) => Ok(letter.into()),
        None if code < 0 => Err("22023: character number must be positive".into()),
        None => Err("54000: requested character too large or not valid for encoding".into()),
    }
}

fn encode(bytes: &[u8], format: &str) -> Result<String> {
    if bytes.len() > MAX_BYTES / 4 {
        return Err(too_long());
    }
    Ok(match format.to_ascii_lowercase().as_str() {
        "hex" => hex(bytes),
        "base64" => lines(&data_encoding::BASE64.encode(bytes)),
        "escape" => bytes.iter().map(|byte| escaped(*byte)).collect(),
        _ => return Err(unknown(format)),
    })
}

fn lines(text: &str) -> String {
    let line =
        |(at, letter): (usize, char)| [(at > 0 && at % LINE == 0).then_some('\n'), Some(letter)];
    text.chars().enumerate().flat_map(line).flatten().collect()
}

fn escaped(byte: u8) -> String {
    match byte {
        b'\\' => "\\\\".to_owned(),
        1..=127 => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

fn decode(text: String, format: String) -> Result<Value> {
    let is_space = |letter: &u8| letter.is_ascii_whitespace();
    let plain: Vec<u8> = text.bytes().filter(|letter| !is_space(letter)).collect();
    let bytes = match format.to_ascii_lowercase().as_str() {
        "hex" => data_encoding::HEXLOWER_PERMISSIVE.decode(&plain).ok(),
        "base64" => data_encoding::BASE64.decode(&plain).ok(),
        "escape" => unescaped(text.as_bytes()),
        _ => return Err(unknown(&format)),
    };
    let wrong = || format!("22023: invalid {} data", format.to_ascii_lowercase()).into();
    bytes.map(Value::Blob).ok_or_else(wrong)
}

fn unescaped(mut text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let [first, rest @ ..] = text {
        text = rest;
        match (first, rest) {
            (b'\\', [b'\\', rest @ ..]) => {
                bytes.push(b'\\');
                text = rest;
            }
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', rest @ ..]) => {
                bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                text = rest;
            }
            (b'\\', _) => return None,
            _ => bytes.push(*first),
        }
    }
    Some(bytes)
}

fn unknown(format: &str) -> sqlite_wasm_kit::Error {
    let shown: String = format.chars().take(64).collect();
    format!("22023: unrecognized encoding: \"{shown}\"").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_both_ends() {
        let part = |number| split_part("a,b,c".into(), ",".into(), number).unwrap_or_default();
        assert_eq!([1, 3, 4, -1, -3, -4].map(part), ["a", "c", "", "c", "a", ""]);
        assert!(split_part("a".into(), ",".into(), 0).is_err());
        assert_eq!(split_part("ab".into(), String::new(), 1).as_deref(), Ok("ab"));
        assert_eq!(split_part("ab".into(), String::new(), i64::MIN).as_deref(), Ok(""));
    }

    #[test]
    fn only_spaces_are_cut_of_what_is_stored() {
        let fit = |text: &str, most| fitting(Value::Text(text.into()), most, "character".into());
        assert_eq!(fit("äbc", 3), Ok(Value::Text("äbc".into())));
        assert_eq!(fit("äbc  ", 3), Ok(Value::Text("äbc".into())));
        assert_eq!(fit("", 1), Ok(Value::Text("".into())));
        assert!(fit("äbcd", 3).is_err());
        assert!(fit("äb  d", 3).is_err());
        assert_eq!(fitting(Value::Integer(12345), 3, String::new()), Ok(Value::Integer(12345)));
    }

    #[test]
    fn texts_are_filled_and_cut() {
        let pad = |length, with, is_left| padded("äb", length, with, is_left).unwrap();
        assert_eq!(pad(4, "xyz", true), "xyäb");
        assert_eq!(pad(4, "xyz", false), "äbxy");
        assert_eq!([pad(1, "x", true), pad(-1, "x", false), pad(9, "", true)], ["ä", "", "äb"]);
        assert!(padded("a", i64::MAX, "x", true).is_err());
        assert!(repeat("ab".into(), i64::MAX).is_err());
        assert_eq!(repeat("ab".into(), -1).as_deref(), Ok(""));
    }

    #[test]
    fn bytes_are_encoded_and_decoded() {
        let bytes: Vec<u8> = (0..=255).collect();
        for format in ["hex", "BASE64", "escape"] {
            let text = encode(&bytes, format).unwrap();
            assert_eq!(decode(text, format.into()), Ok(Value::Blob(bytes.clone())), "{format}");
        }
        for (text, format) in [("0", "hex"), ("a", "base64"), ("\\9", "escape"), ("", "rot13")] {
            assert!(decode(text.into(), format.into()).is_err(), "{format}");
        }
    }

    #[test]
    fn letters_change() {
        assert_eq!(initcap("hello wORLD-x1y äb".into()), "Hello World-X1y äB");
        assert_eq!(translate("abcd".into(), "abc".into(), "xy".into()), "xyd");
        assert!(chr(0).is_err() && chr(0xd800).is_err() && chr(-1).is_err());
        assert_eq!(chr(228).as_deref(), Ok("ä"));
    }
}
