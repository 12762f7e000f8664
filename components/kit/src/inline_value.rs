//! Values that cross in registers; see `types.inline-value`.

use crate::wire::scalar::exports::sqlite_wasm::extension::unary;
use crate::{Output, Value};

pub use unary::InlineValue;

const NULL: u32 = 0;
const INTEGER: u32 = 1;
const REAL: u32 = 2;
const TEXT: u32 = 3;
const BLOB: u32 = 4;

/// Bytes of the longest text or blob.
const MAX_BYTES: usize = 64;

/// The value of an argument.
pub fn value(short: &InlineValue) -> Value {
    match short.head & 0xff {
        INTEGER => Value::Integer(short.words.0.cast_signed()),
        REAL => Value::Real(f64::from_bits(short.words.0)),
        TEXT => Value::Text(bytes(short)),
        BLOB => Value::Blob(bytes(short)),
        _ => Value::Null,
    }
}

fn bytes(short: &InlineValue) -> Vec<u8> {
    let count = (short.head >> 8 & 0xff) as usize;
    let (a, b, c, d, e, f, g, h) = short.words;
    let mut all = Vec::with_capacity(MAX_BYTES);
    // Word by word: a copy of 64 bytes is a call out of compiled code.
    for word in [a, b, c, d, e, f, g, h].into_iter().take(count.div_ceil(8)) {
        all.extend_from_slice(&word.to_le_bytes());
    }
    all.truncate(count);
    all
}

/// A result, if it is short.
pub fn of(output: &Output) -> Option<InlineValue> {
    let (class, count, words) = match &output.value {
        Value::Null => (NULL, 0, [0; 8]),
        Value::Integer(number) => (INTEGER, 0, number_word(number.cast_unsigned())),
        Value::Real(number) => (REAL, 0, number_word(number.to_bits())),
        Value::Text(bytes) => (TEXT, bytes.len(), words(bytes)?),
        Value::Blob(bytes) => (BLOB, bytes.len(), words(bytes)?),
    };
    let [a, b, c, d, e, f, g, h] = words;
    let head = class | (count as u32) << 8 | u32::from(output.subtype) << 16;
    Some(InlineValue { head, words: (a, b, c, d, e, f, g, h) })
}

fn number_word(word: u64) -> [u64; 8] {
    [word, 0, 0, 0, 0, 0, 0, 0]
}

fn words(bytes: &[u8]) -> Option<[u64; 8]> {
    if bytes.len() > MAX_BYTES {
        return None;
    }
    let mut words = [0; MAX_BYTES / 8];
    let (whole, rest) = bytes.as_chunks();
    for (word, bytes) in words.iter_mut().zip(whole) {
        *word = u64::from_le_bytes(*bytes);
    }
    if let Some(word) = words.get_mut(whole.len()) {
        *word = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, of, value};
    use crate::{Output, Value};

    fn there_and_back(value: Value) -> Option<Value> {
        of(&Output { value, subtype: 0 }).map(|short| super::value(&short))
    }

    #[test]
    fn short_values_stay_as_they_are() {
        for number in [0, 1, -1, i64::MIN, i64::MAX] {
            assert_eq!(there_and_back(Value::Integer(number)), Some(Value::Integer(number)));
        }
        for number in [0.0, -1.5, f64::INFINITY, f64::MIN_POSITIVE] {
            assert_eq!(there_and_back(Value::Real(number)), Some(Value::Real(number)));
        }
        assert_eq!(there_and_back(Value::Null), Some(Value::Null));
        for count in 0..=MAX_BYTES {
            let bytes: Vec<u8> = (1..=count as u8).collect();
            assert_eq!(
                there_and_back(Value::Text(bytes.clone())),
                Some(Value::Text(bytes.clone()))
            );
            assert_eq!(there_and_back(Value::Blob(bytes.clone())), Some(Value::Blob(bytes)));
        }
    }

    #[test]
    fn longer_ones_have_no_short_form() {
        assert_eq!(there_and_back(Value::Text(vec![b'a'; MAX_BYTES + 1])), None);
        assert_eq!(there_and_back(Value::Blob(vec![0; MAX_BYTES + 1])), None);
    }

    #[test]
    fn the_subtype_stands_in_the_head() {
        let short = of(&Output { value: Value::text("[]"), subtype: 74 }).expect("it is short");
        assert_eq!((short.head >> 16, value(&short)), (74, Value::text("[]")));
    }
}
