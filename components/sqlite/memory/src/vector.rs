//! Sixteen bytes at a time.

#[cfg(target_family = "wasm")]
use std::arch::wasm32::{i8x16_bitmask, i8x16_eq, i8x16_splat, v128, v128_and, v128_or};

/// Sixteen bytes. Where the tests run, a loop over them.
#[cfg(target_family = "wasm")]
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Vector(v128);

#[cfg(target_family = "wasm")]
impl Vector {
    pub fn splat(byte: u8) -> Self {
        Self(i8x16_splat(byte.cast_signed()))
    }

    /// All bits of the bytes that are equal.
    pub fn equal(self, other: Self) -> Self {
        Self(i8x16_eq(self.0, other.0))
    }

    pub fn or(self, other: Self) -> Self {
        Self(v128_or(self.0, other.0))
    }

    pub fn and(self, other: Self) -> Self {
        Self(v128_and(self.0, other.0))
    }

    /// The highest bit of each byte, that of the first byte in the lowest bit.
    pub fn bits(self) -> u32 {
        u32::from(i8x16_bitmask(self.0))
    }
}

#[cfg(not(target_family = "wasm"))]
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Vector([u8; 16]);

#[cfg(not(target_family = "wasm"))]
impl Vector {
    pub fn splat(byte: u8) -> Self {
        Self([byte; 16])
    }

    pub fn equal(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| if self.0[at] == other.0[at] { 0xff } else { 0 }))
    }

    pub fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    pub fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    pub fn bits(self) -> u32 {
        self.0.iter().rev().fold(0, |bits, byte| bits << 1 | u32::from(byte >> 7))
    }
}
