//! Collations: one for the benchmark, and those that no built-in one could be
//! taken for.

use std::cmp::Ordering;

/// By the bytes, the greatest first.
pub fn backwards(left: &[u8], right: &[u8]) -> Ordering {
    right.cmp(left)
}

/// By the bytes.
pub fn bytes(left: &[u8], right: &[u8]) -> Ordering {
    left.cmp(right)
}

/// By the units of UTF-16.
pub fn little_endian(left: &[u8], right: &[u8]) -> Ordering {
    units(left, u16::from_le_bytes).cmp(units(right, u16::from_le_bytes))
}

/// By the units of UTF-16.
pub fn big_endian(left: &[u8], right: &[u8]) -> Ordering {
    units(left, u16::from_be_bytes).cmp(units(right, u16::from_be_bytes))
}

fn units(text: &[u8], unit: fn([u8; 2]) -> u16) -> impl Iterator<Item = u16> {
    text.as_chunks().0.iter().map(move |pair| unit(*pair))
}
