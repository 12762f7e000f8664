//! This crate's values, which are rusqlite's words, to and from those of the wire.

use runtime::database::wire;

use super::{Value, ValueRef};

impl<'a> ValueRef<'a> {
    pub(crate) fn to_wire(self) -> wire::Value<&'a [u8]> {
        match self {
            Self::Null => wire::Value::Null,
            Self::Integer(integer) => wire::Value::Integer(integer),
            Self::Real(real) => wire::Value::Real(real),
            Self::Text(text) => wire::Value::Text(text),
            Self::Blob(blob) => wire::Value::Blob(blob),
        }
    }
}

impl<'a> From<wire::Value<&'a [u8]>> for ValueRef<'a> {
    #[inline]
    fn from(value: wire::Value<&'a [u8]>) -> Self {
        match value {
            wire::Value::Null => Self::Null,
            wire::Value::Integer(integer) => Self::Integer(integer),
            wire::Value::Real(real) => Self::Real(real),
            wire::Value::Text(text) => Self::Text(text),
            wire::Value::Blob(blob) => Self::Blob(blob),
        }
    }
}

impl From<Value> for wire::Value<Vec<u8>> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Integer(integer) => Self::Integer(integer),
            Value::Real(real) => Self::Real(real),
            Value::Text(text) => Self::Text(text.into_bytes()),
            Value::Blob(blob) => Self::Blob(blob),
        }
    }
}
