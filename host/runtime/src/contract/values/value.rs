//! A value of SQLite. In memory it is 16 bytes, its tag in the first and its payload in
//! the last eight: the canonical ABI of `types.value`.

use wasmtime::component::{ComponentType, Lift, Lower};
use wire::tag;

use crate::contract::types::generated;

/// The position of the payload.
const PAYLOAD: usize = 8;

const _: () = assert!(<generated::Value as ComponentType>::SIZE32 == 16);

/// A value of SQLite; see `types.value`.
#[derive(Debug, Clone)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A 64-bit integer.
    Integer(i64),
    /// A 64-bit real.
    Real(f64),
    /// Text, in any bytes.
    Text(Vec<u8>),
    /// A blob.
    Blob(Vec<u8>),
}

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

impl Value {
    /// The same value, borrowing its bytes.
    pub(crate) fn as_wire(&self) -> wire::Value<&[u8]> {
        match self {
            Self::Null => wire::Value::Null,
            Self::Integer(integer) => wire::Value::Integer(*integer),
            Self::Real(real) => wire::Value::Real(*real),
            Self::Text(bytes) => wire::Value::Text(bytes),
            Self::Blob(bytes) => wire::Value::Blob(bytes),
        }
    }

    pub(super) fn borrowed(&self) -> Borrowed<'_> {
        match self {
            Self::Null => Borrowed::Null,
            Self::Integer(integer) => Borrowed::Integer(*integer),
            Self::Real(real) => Borrowed::Real(*real),
            Self::Text(bytes) => Borrowed::Text(bytes),
            Self::Blob(bytes) => Borrowed::Blob(bytes),
        }
    }

    /// A number or NULL as 16 bytes.
    #[inline]
    pub(super) fn bytes(&self) -> Option<[u8; 16]> {
        let (tag, payload) = match self {
            Self::Null => (tag::NULL, 0),
            Self::Integer(integer) => (tag::INTEGER, integer.cast_unsigned()),
            Self::Real(real) => (tag::REAL, real.to_bits()),
            Self::Text(_) | Self::Blob(_) => return None,
        };
        let mut bytes = [0; 16];
        bytes[0] = tag;
        bytes[PAYLOAD..].copy_from_slice(&payload.to_le_bytes());
        Some(bytes)
    }

    /// The number or NULL in 16 bytes.
    #[inline]
    pub(super) fn of_bytes(bytes: &[u8; 16]) -> Option<Self> {
        let payload = u64::from_le_bytes(*bytes.last_chunk()?);
        match bytes[0] {
            tag::NULL => Some(Self::Null),
            tag::INTEGER => Some(Self::Integer(payload.cast_signed())),
            tag::REAL => Some(Self::Real(f64::from_bits(payload))),
            _ => None,
        }
    }
}

impl From<generated::Value> for Value {
    fn from(value: generated::Value) -> Self {
        match value {
            generated::Value::Null => Self::Null,
            generated::Value::Integer(integer) => Self::Integer(integer),
            generated::Value::Real(real) => Self::Real(real),
            generated::Value::Text(bytes) => Self::Text(bytes),
            generated::Value::Blob(bytes) => Self::Blob(bytes),
        }
    }
}

impl<Bytes: Into<Vec<u8>>> From<wire::Value<Bytes>> for Value {
    fn from(value: wire::Value<Bytes>) -> Self {
        match value {
            wire::Value::Null => Self::Null,
            wire::Value::Integer(integer) => Self::Integer(integer),
            wire::Value::Real(real) => Self::Real(real),
            wire::Value::Text(bytes) => Self::Text(bytes.into()),
            wire::Value::Blob(bytes) => Self::Blob(bytes.into()),
        }
    }
}
