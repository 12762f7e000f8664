//! Values that cross in registers (`types.inline-value`), alone or as the arguments of a call
//! (`types.inline-arguments`).

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
fn pack(bytes: &[u8], words: &mut [u64]) -> Option<usize> {
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
fn unpack(words: &[u64], length: u8) -> Vec<u8> {
    let length = usize::from(length);
    let mut bytes = Vec::with_capacity(InlineValue::MAX_BYTES);
    for word in words.iter().take(length.div_ceil(8)) {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// At most four arguments in plain integers: eight words together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlineArguments {
    /// For each argument, from the lowest 16 bits on: its tag, and the bytes of a text or
    /// blob. All bits are set behind the last one.
    pub heads: u64,
    /// One argument after the other: an integer or real takes one word, a text or blob as many as
    /// it needs, NULL none.
    pub words: [u64; 8],
}

/// Bits of a head.
const HEAD_BITS: usize = 16;

/// The tag of no argument.
const NO_TAG: u8 = 0xff;

impl InlineArguments {
    /// How many there are at most.
    pub const MAX_COUNT: usize = 4;

    /// The inline form of `values`; none if they are too many or too long.
    #[inline]
    pub fn new<'a>(values: impl ExactSizeIterator<Item = Value<&'a [u8]>>) -> Option<Self> {
        if values.len() > Self::MAX_COUNT {
            return None;
        }
        let (mut heads, mut words, mut used) = (0, [0; 8], 0);
        let mut shift = 0;
        for value in values {
            let free = words.get_mut(used..)?;
            let (tag, length, count) = match value {
                Value::Null => (tag::NULL, 0, 0),
                Value::Integer(integer) => {
                    *free.first_mut()? = integer.cast_unsigned();
                    (tag::INTEGER, 0, 1)
                }
                Value::Real(real) => {
                    *free.first_mut()? = real.to_bits();
                    (tag::REAL, 0, 1)
                }
                Value::Text(bytes) => (tag::TEXT, bytes.len(), pack(bytes, free)?),
                Value::Blob(bytes) => (tag::BLOB, bytes.len(), pack(bytes, free)?),
            };
            heads |= (u64::from(tag) | (length as u64) << 8) << shift;
            shift += HEAD_BITS;
            used += count;
        }
        Some(Self { heads: heads | u64::MAX.checked_shl(shift as u32).unwrap_or(0), words })
    }

    #[inline]
    fn heads(&self) -> impl Iterator<Item = [u8; 2]> {
        let heads = self.heads;
        (0..Self::MAX_COUNT).map(move |index| ((heads >> (index * HEAD_BITS)) as u16).to_le_bytes())
    }

    /// Whether these arguments are valid. The sender may be malicious.
    pub fn is_valid(&self) -> bool {
        let (mut words, mut is_over) = (0, false);
        for [tag, length] in self.heads() {
            words += match tag {
                tag::NULL => 0,
                tag::INTEGER | tag::REAL => 1,
                tag::TEXT | tag::BLOB => usize::from(length).div_ceil(8),
                NO_TAG => {
                    is_over = true;
                    continue;
                }
                _ => return false,
            };
            if is_over {
                return false;
            }
        }
        words <= self.words.len()
    }

    /// The argument, if there is just one.
    #[inline]
    pub fn only(&self) -> Option<Value<Vec<u8>>> {
        let [first @ .., _, _, _, _, _, _] = self.heads.to_le_bytes();
        let is_only = self.heads | ((1 << HEAD_BITS) - 1) == u64::MAX;
        if is_only { taken(first, &mut &self.words[..]) } else { None }
    }

    /// The arguments, up to one that is not valid.
    #[inline]
    pub fn values(&self) -> impl Iterator<Item = Value<Vec<u8>>> {
        let mut words = &self.words[..];
        self.heads().map_while(move |head| taken(head, &mut words))
    }
}

/// The argument with this head; its words are the first ones.
#[inline]
fn taken([tag, length]: [u8; 2], words: &mut &[u64]) -> Option<Value<Vec<u8>>> {
    let count = match tag {
        tag::INTEGER | tag::REAL => 1,
        tag::TEXT | tag::BLOB => usize::from(length).div_ceil(8),
        _ => 0,
    };
    let (own, rest) = words.split_at_checked(count)?;
    *words = rest;
    match (tag, own) {
        (tag::NULL, _) => Some(Value::Null),
        (tag::INTEGER, [word]) => Some(Value::Integer(word.cast_signed())),
        (tag::REAL, [word]) => Some(Value::Real(f64::from_bits(*word))),
        (tag::TEXT, own) => Some(Value::Text(unpack(own, length))),
        (tag::BLOB, own) => Some(Value::Blob(unpack(own, length))),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
