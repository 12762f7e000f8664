//! Functions of `bytea`.

use md5::Digest;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Error, Result, Scalar, Value};

use crate::texts::{MAX_BYTES, too_long};

macro_rules! function {
    ($name:literal, $arguments:literal, $function:expr) => {
        Scalar::new($name, $arguments, Stable, Innocuous, |a| a.apply($function))
    };
}

macro_rules! digest {
    ($name:literal, $digest:ty) => {
        function!($name, 1, |value: Value| {
            bytes(value).map(|bytes| Value::Blob(<$digest>::digest(bytes).to_vec()))
        })
    };
}

pub const SCALARS: &[Scalar] = &[
    digest!("pg_bytea_sha224", Sha224),
    digest!("pg_bytea_sha256", Sha256),
    digest!("pg_bytea_sha384", Sha384),
    digest!("pg_bytea_sha512", Sha512),
    function!("pg_bytea_cat", 2, |left: Value, right: Value| {
        bytes(left).zip(bytes(right)).map(|(left, right)| Value::Blob([left, right].concat()))
    }),
    function!("pg_bytea_substr", 2, |value: Value, from: i64| part(value, from, None)),
    function!("pg_bytea_substr", 3, |value: Value, from: i64, length: i64| {
        part(value, from, Some(length))
    }),
    function!("pg_bytea_overlay", 3, |value: Value, with: Value, from: i64| {
        let length = bytes(with.clone()).map_or(0, |with| with.len() as i64);
        overlaid(value, with, from, length)
    }),
    function!("pg_bytea_overlay", 4, overlaid),
    function!("pg_int4_get_byte", 2, |value: Value, at: i64| {
        let Some(bytes) = bytes(value) else { return Ok(None) };
        place(&bytes, at).map(|at| Some(i64::from(bytes[at])))
    }),
    function!("pg_bytea_set_byte", 3, |value: Value, at: i64, byte: i64| {
        let Some(mut bytes) = bytes(value) else { return Ok(None) };
        let at = place(&bytes, at)?;
        bytes[at] = byte as u8;
        Ok::<_, Error>(Some(Value::Blob(bytes)))
    }),
    function!("pg_bytea_convert_to", 2, |text: String, encoding: String| {
        of_utf8(&encoding).map(|()| Value::Blob(text.into_bytes()))
    }),
    function!("pg_text_convert_from", 2, |value: Value, encoding: String| {
        of_utf8(&encoding)?;
        let wrong = |_| Error::from("22021: invalid byte sequence for encoding \"UTF8\"");
        bytes(value).map(|bytes| String::from_utf8(bytes).map_err(wrong)).transpose()
    }),
    function!("pg_int4_bit_length", 1, |value: Value| {
        bytes(value).map(|bytes| bytes.len() as i64 * 8)
    }),
];

/// Those of a text or blob; none of NULL.
pub fn bytes(value: Value) -> Option<Vec<u8>> {
    if value == Value::Null { None } else { Some(value.into_bytes()) }
}

fn place(bytes: &[u8], at: i64) -> Result<usize> {
    let found = usize::try_from(at).ok().filter(|at| *at < bytes.len());
    found.ok_or_else(|| {
        let last = bytes.len() as i64 - 1;
        format!("2202E: index {at} out of valid range, 0..{last}").into()
    })
}

fn of_utf8(encoding: &str) -> Result<()> {
    let name: String = encoding.chars().filter(|letter| letter.is_alphanumeric()).collect();
    match name.to_ascii_lowercase().as_str() {
        "utf8" | "unicode" => Ok(()),
        _ => Err("0A000: encodings other than UTF8 are not supported".into()),
    }
}

fn part(value: Value, from: i64, length: Option<i64>) -> Result<Option<Value>> {
    let Some(bytes) = bytes(value) else { return Ok(None) };
    if length.is_some_and(i64::is_negative) {
        return Err("22011: negative substring length not allowed".into());
    }
    let end = length.map_or(i64::MAX, |length| from.saturating_add(length));
    let (begin, end) = (before(from, bytes.len()), before(end, bytes.len()));
    Ok(Some(Value::Blob(bytes[begin..end.max(begin)].to_vec())))
}

/// How many of all bytes come before a position, which is counted from 1.
fn before(place: i64, all: usize) -> usize {
    usize::try_from(place.max(1) - 1).unwrap_or(usize::MAX).min(all)
}

/// What lies before and up to the end of a part that is replaced, which is counted from 1.
pub fn replaced(from: i64, length: i64) -> Result<(usize, usize)> {
    let too_far = || Error::from("22003: integer out of range");
    if from <= 0 {
        return Err("22011: negative substring length not allowed".into());
    }
    let end = i32::try_from(from)
        .ok()
        .and_then(|from| from.checked_add(i32::try_from(length).ok()?))
        .ok_or_else(too_far)?;
    Ok((before(from, usize::MAX), before(end.into(), usize::MAX)))
}

/// Replace some bytes by others.
fn overlay(all: &[u8], with: &[u8], from: i64, length: i64) -> Result<Vec<u8>> {
    let (from, end) = replaced(from, length)?;
    if all.len() + with.len() > MAX_BYTES {
        return Err(too_long());
    }
    Ok([&all[..from.min(all.len())], with, &all[end.min(all.len())..]].concat())
}

fn overlaid(value: Value, with: Value, from: i64, length: i64) -> Result<Option<Value>> {
    let Some((all, with)) = bytes(value).zip(bytes(with)) else { return Ok(None) };
    overlay(&all, &with, from, length).map(|bytes| Some(Value::Blob(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_overlaid() {
        let over = |from, length| overlay(b"abcdef", b"XY", from, length).unwrap();
        assert_eq!(over(2, 2), b"aXYdef");
        assert_eq!(over(2, 0), b"aXYbcdef");
        assert_eq!(over(3, -1), b"abXYbcdef");
        assert_eq!(over(9, 1), b"abcdefXY");
        assert!(overlay(b"a", b"b", 0, 1).is_err() && overlay(b"a", b"b", 1, i64::MAX).is_err());
    }

    #[test]
    fn a_part_of_bytes() {
        let part = |from, length| part(Value::Blob(b"abc".to_vec()), from, length);
        for (from, length, wanted) in
            [(2, None, "bc"), (-1, Some(3), "a"), (2, Some(0), ""), (9, None, "")]
        {
            assert_eq!(part(from, length), Ok(Some(Value::Blob(wanted.into()))), "{from}");
        }
        assert!(part(1, Some(-1)).is_err() && part(i64::MAX, Some(i64::MAX)).is_ok());
    }
}
