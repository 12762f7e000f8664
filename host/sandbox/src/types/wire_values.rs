//! This crate's values, which are rusqlite's words, to and from those of the wire.

use runtime::database::wire;

use super::{ToSql, ToSqlOutput, Value, ValueRef};
use crate::error::Result;

impl<'a> From<ValueRef<'a>> for wire::Value<&'a [u8]> {
    #[inline]
    fn from(value: ValueRef<'a>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(integer) => Self::Integer(integer),
            ValueRef::Real(real) => Self::Real(real),
            ValueRef::Text(text) => Self::Text(text),
            ValueRef::Blob(blob) => Self::Blob(blob),
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

impl From<wire::Value<Vec<u8>, String>> for Value {
    fn from(value: wire::Value<Vec<u8>, String>) -> Self {
        match value {
            wire::Value::Null => Self::Null,
            wire::Value::Integer(integer) => Self::Integer(integer),
            wire::Value::Real(real) => Self::Real(real),
            wire::Value::Text(text) => Self::Text(text),
            wire::Value::Blob(blob) => Self::Blob(blob),
        }
    }
}

impl ToSql for wire::Value<Vec<u8>, String> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(integer) => ValueRef::Integer(*integer),
            Self::Real(real) => ValueRef::Real(*real),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(blob) => ValueRef::Blob(blob),
        }))
    }
}
