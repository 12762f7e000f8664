//! Arguments that cross in registers; see `types.inline-arguments`.

use alloc::vec::Vec;

use crate::inline_value::{pack, unpack};
use crate::{Value, tag};

/// At most four arguments in plain integers: eight words together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlineArguments {
    /// For each argument, from the lowest 16 bits on: its tag, and the bytes of a text or
    /// blob. All bits are set behind the last one.
    pub heads: u64,
    /// One argument after the other: a number in one word, a text or blob in as many as it
    /// needs, NULL in none.
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
mod tests {
    use alloc::vec;

    use super::*;

    fn there_and_back(values: &[Value<&[u8]>]) -> Option<Vec<Value<Vec<u8>>>> {
        let inline = InlineArguments::new(values.iter().copied())?;
        assert!(inline.is_valid(), "{inline:?}");
        let all: Vec<_> = inline.values().collect();
        assert_eq!(inline.only(), all.first().cloned().filter(|_| all.len() == 1));
        Some(all)
    }

    #[test]
    fn arguments_stay_as_they_are_up_to_four_and_eight_words() {
        let text: Vec<u8> = (1..=64).collect();
        let numbers = [Value::Integer(i64::MIN), Value::Real(-0.5), Value::Null];
        assert_eq!(there_and_back(&[]), Some(vec![]));
        for length in 0..=40 {
            let (a, b) = (Value::Text(&text[..length]), Value::Blob(&text[..40 - length]));
            let values = [a, numbers[0], b, numbers[1]];
            let words = length.div_ceil(8) + (40 - length).div_ceil(8) + 2;
            let copies = values.map(|value| value.map(<[u8]>::to_vec)).to_vec();
            assert_eq!(there_and_back(&values), (words <= 8).then_some(copies));
        }
        assert!(
            there_and_back(&[Value::Null, Value::Null, Value::Null, Value::Text(&text)]).is_some()
        );
        assert!(there_and_back(&[Value::Integer(1), Value::Text(&text)]).is_none());
        assert!(there_and_back(&[Value::Null; 5]).is_none());
        assert!(there_and_back(&[Value::Blob(&[0; 65])]).is_none());
    }

    #[test]
    fn the_heads_have_tags_and_lengths() {
        let inline = InlineArguments::new([Value::Text(b"ab".as_slice()), Value::Null].into_iter());
        let inline = inline.expect("they are short");
        assert_eq!(inline.heads, 0xffff_ffff_0000_0203);
        assert_eq!(inline.words[0], 0x6261);
    }

    #[test]
    fn other_tags_lengths_and_gaps_are_not_arguments() {
        let arguments = |heads| InlineArguments { heads, words: [1; 8] };
        for (heads, count) in [
            (0xffff_ffff_ffff_0005, 0),
            (0xffff_ffff_ffff_00fe, 0),
            (0xffff_ffff_ffff_4103, 0),
            (0xffff_ffff_ff04_0001, 1),
            // Nine words together.
            (0xffff_ffff_0001_4004, 1),
            (0x2103_0903_0903_0903, 3),
            // An argument behind the last one.
            (0xffff_0001_ffff_0001, 1),
            (0x0000_ffff_ffff_ffff, 0),
        ] {
            assert!(!arguments(heads).is_valid(), "{heads:x}");
            assert_eq!(arguments(heads).values().count(), count, "{heads:x}");
        }
    }
}
