//! Values that cross in registers; see `types.inline-value`.

use alloc::vec::Vec;

use crate::{Value, tag};

/// A value of at most 64 bytes in plain integers.
///
/// In memory it is laid out as the canonical ABI wants the record.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlineValue {
    /// From the lowest byte on: tag, length, subtype, 0.
    pub head: u32,
    /// An integer or real in the first word, or the bytes of a text or blob.
    pub words: [u64; 8],
}

/// The parts of the head of an [`InlineValue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// See [`tag`].
    pub tag: u8,
    /// Bytes of a text or blob.
    pub length: u8,
    /// The subtype of a result.
    pub subtype: u8,
}

impl Head {
    /// The parts in the lowest bytes of a head, which are its first ones in memory.
    #[inline]
    pub const fn of([tag, length, subtype, _]: [u8; 4]) -> Self {
        Self { tag, length, subtype }
    }

    /// Whether this value is valid. The sender may be malicious.
    #[inline]
    pub const fn is_valid(&self) -> bool {
        match self.tag {
            tag::NULL..=tag::REAL => true,
            tag::TEXT | tag::BLOB => self.length as usize <= InlineValue::MAX_BYTES,
            _ => false,
        }
    }
}

impl InlineValue {
    /// The length of the longest text or blob.
    pub const MAX_BYTES: usize = 64;

    /// Its bytes in memory.
    pub const SIZE: usize = 72;

    /// NULL.
    pub const NULL: Self = Self { head: tag::NULL as u32, words: [0; 8] };

    /// The inline form of a value; none if the value is too long.
    #[inline]
    pub fn new(value: Value<&[u8]>, subtype: u8) -> Option<Self> {
        let mut inline = Self::NULL;
        inline.set(value, subtype).then_some(inline)
    }

    /// Store the inline form of a value here. Returns whether the value is short enough.
    #[inline]
    pub fn set(&mut self, value: Value<&[u8]>, subtype: u8) -> bool {
        self.words = [0; 8];
        let (tag, length) = match value {
            Value::Null => (tag::NULL, 0),
            Value::Integer(integer) => {
                self.words = first_word(integer.cast_unsigned());
                (tag::INTEGER, 0)
            }
            Value::Real(real) => {
                self.words = first_word(real.to_bits());
                (tag::REAL, 0)
            }
            Value::Text(bytes) => (tag::TEXT, bytes.len()),
            Value::Blob(bytes) => (tag::BLOB, bytes.len()),
        };
        self.head = u32::from_le_bytes([tag, length as u8, subtype, 0]);
        match value {
            Value::Text(bytes) | Value::Blob(bytes) => pack(bytes, &mut self.words).is_some(),
            _ => true,
        }
    }

    /// The parts of the head.
    #[inline]
    pub const fn head(&self) -> Head {
        Head::of(self.head.to_le_bytes())
    }

    /// The value; none if the head is not valid.
    #[inline]
    pub fn value(&self) -> Option<Value<Vec<u8>>> {
        let head = self.head();
        let word = self.words[0];
        head.is_valid().then(|| match head.tag {
            tag::INTEGER => Value::Integer(word.cast_signed()),
            tag::REAL => Value::Real(f64::from_bits(word)),
            tag::TEXT => Value::Text(self.bytes(head.length)),
            tag::BLOB => Value::Blob(self.bytes(head.length)),
            _ => Value::Null,
        })
    }

    #[inline]
    fn bytes(&self, length: u8) -> Vec<u8> {
        unpack(&self.words, length)
    }

    /// The record in memory.
    #[inline]
    pub fn to_memory(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..4].copy_from_slice(&self.head.to_le_bytes());
        let (places, _) = bytes[WORDS..].as_chunks_mut();
        for (place, word) in places.iter_mut().zip(self.words) {
            *place = word.to_le_bytes();
        }
        bytes
    }

    /// Read the record from memory.
    #[inline]
    pub fn from_memory(bytes: &[u8; Self::SIZE]) -> Self {
        let (words, _) = bytes[WORDS..].as_chunks();
        let [a, b, c, d, ..] = *bytes;
        Self {
            head: u32::from_le_bytes([a, b, c, d]),
            words: core::array::from_fn(|index| u64::from_le_bytes(words[index])),
        }
    }
}

/// Where the words begin in memory, behind the head.
const WORDS: usize = 8;

const _: () = assert!(size_of::<InlineValue>() == InlineValue::SIZE);

#[inline]
fn first_word(word: u64) -> [u64; 8] {
    [word, 0, 0, 0, 0, 0, 0, 0]
}

/// Put bytes into `words`, beginning with the lowest byte of the first word. Returns how many words
/// they need; none if there are fewer. The C library's `memcpy` would be a call out of compiled
/// code, which costs more.
#[inline]
pub(crate) fn pack(bytes: &[u8], words: &mut [u64]) -> Option<usize> {
    let count = bytes.len().div_ceil(8);
    let words = words.get_mut(..count)?;
    let (whole, rest) = bytes.as_chunks();
    for (word, bytes) in words.iter_mut().zip(whole) {
        *word = u64::from_le_bytes(*bytes);
    }
    if let Some(word) = words.get_mut(whole.len()) {
        *word = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    Some(count)
}

/// The first `length` bytes of `words`, word by word: copying up to 64 bytes with `memcpy` would be
/// a call out of compiled code.
#[inline]
pub(crate) fn unpack(words: &[u64], length: u8) -> Vec<u8> {
    let length = usize::from(length);
    let mut bytes = Vec::with_capacity(InlineValue::MAX_BYTES);
    for word in words.iter().take(length.div_ceil(8)) {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(value: Value<&[u8]>) -> Option<Value<Vec<u8>>> {
        let inline = InlineValue::new(value, 0)?;
        assert_eq!(InlineValue::from_memory(&inline.to_memory()), inline);
        inline.value()
    }

    #[test]
    fn numbers_stay_as_they_are() {
        for integer in [0, 1, -1, i64::MIN, i64::MAX] {
            assert_eq!(there_and_back(Value::Integer(integer)), Some(Value::Integer(integer)));
        }
        for real in [0.0, -1.5, f64::INFINITY, f64::MIN_POSITIVE] {
            assert_eq!(there_and_back(Value::Real(real)), Some(Value::Real(real)));
        }
        assert_eq!(there_and_back(Value::Null), Some(Value::Null));
    }

    #[test]
    fn bytes_stay_as_they_are_up_to_64() {
        let all: Vec<u8> = (1..=64).collect();
        for count in 0..=InlineValue::MAX_BYTES {
            let bytes = &all[..count];
            assert_eq!(there_and_back(Value::Text(bytes)), Some(Value::Text(bytes.to_vec())));
            assert_eq!(there_and_back(Value::Blob(bytes)), Some(Value::Blob(bytes.to_vec())));
        }
        let long = [b'a'; InlineValue::MAX_BYTES + 1];
        assert_eq!(InlineValue::new(Value::Text(&long), 0), None);
        assert_eq!(InlineValue::new(Value::Blob(&long), 0), None);
    }

    #[test]
    fn the_head_has_tag_length_and_subtype() {
        let inline = InlineValue::new(Value::Text(b"[]"), 74).expect("it is short");
        assert_eq!(inline.head, 74 << 16 | 2 << 8 | 3);
        assert_eq!(inline.head(), Head { tag: tag::TEXT, length: 2, subtype: 74 });
    }

    #[test]
    fn another_tag_or_length_is_not_a_value() {
        for head in [5, 65 << 8 | 3, 255 << 8 | 4] {
            assert_eq!(InlineValue { head, words: [0; 8] }.value(), None);
        }
    }
}
