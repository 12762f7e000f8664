//! A value of SQLite. In memory it is 16 bytes, its tag in the first and its payload in
//! the last eight: the canonical ABI of `types.value`.

use wasmtime::component::{ComponentType, Lift, Lower};
use wire::tag;

use crate::contract::types::generated;

/// The position of the payload.
const PAYLOAD: usize = 8;

const _: () = assert!(<generated::Value as ComponentType>::SIZE32 == 16);

/// A value of SQLite; see `types.value`. A type of this crate, since it has wasmtime's traits.
#[derive(Debug, Clone)]
pub struct Value(pub wire::Value<Vec<u8>>);

/// A result, with its subtype; see `types.output`.
#[derive(Debug, Clone, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Output {
    /// The result.
    #[component(name = "value")]
    pub value: Value,
    /// 0 for none.
    #[component(name = "subtype")]
    pub subtype: u8,
}

/// A value as wasmtime lowers it.
#[doc(hidden)]
#[derive(ComponentType, Lower)]
#[component(variant)]
pub enum Borrowed<'a> {
    #[component(name = "null")]
    Null,
    #[component(name = "integer")]
    Integer(i64),
    #[component(name = "real")]
    Real(f64),
    #[component(name = "text")]
    Text(&'a [u8]),
    #[component(name = "blob")]
    Blob(&'a [u8]),
}

impl<'a> From<wire::Value<&'a [u8]>> for Borrowed<'a> {
    #[inline]
    fn from(value: wire::Value<&'a [u8]>) -> Self {
        match value {
            wire::Value::Null => Self::Null,
            wire::Value::Integer(integer) => Self::Integer(integer),
            wire::Value::Real(real) => Self::Real(real),
            wire::Value::Text(bytes) => Self::Text(bytes),
            wire::Value::Blob(bytes) => Self::Blob(bytes),
        }
    }
}

impl Value {
    pub(super) fn borrowed(&self) -> Borrowed<'_> {
        self.0.borrowed().into()
    }

    /// An integer, a real or NULL as 16 bytes.
    #[inline]
    pub(super) fn bytes(&self) -> Option<[u8; 16]> {
        let (tag, payload) = match self.0 {
            wire::Value::Null => (tag::NULL, 0),
            wire::Value::Integer(integer) => (tag::INTEGER, integer.cast_unsigned()),
            wire::Value::Real(real) => (tag::REAL, real.to_bits()),
            wire::Value::Text(_) | wire::Value::Blob(_) => return None,
        };
        let mut bytes = [0; 16];
        bytes[0] = tag;
        bytes[PAYLOAD..].copy_from_slice(&payload.to_le_bytes());
        Some(bytes)
    }

    /// The integer, real or NULL in 16 bytes.
    #[inline]
    pub(super) fn of_bytes(bytes: &[u8; 16]) -> Option<Self> {
        let payload = u64::from_le_bytes(*bytes.last_chunk()?);
        Some(Self(match bytes[0] {
            tag::NULL => wire::Value::Null,
            tag::INTEGER => wire::Value::Integer(payload.cast_signed()),
            tag::REAL => wire::Value::Real(f64::from_bits(payload)),
            _ => return None,
        }))
    }
}

impl From<generated::Value> for Value {
    fn from(value: generated::Value) -> Self {
        Self(match value {
            generated::Value::Null => wire::Value::Null,
            generated::Value::Integer(integer) => wire::Value::Integer(integer),
            generated::Value::Real(real) => wire::Value::Real(real),
            generated::Value::Text(bytes) => wire::Value::Text(bytes),
            generated::Value::Blob(bytes) => wire::Value::Blob(bytes),
        })
    }
}
