//! Values, and their conversion to Rust types.

mod to_sql;
mod wire_values;

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use crate::error::BoxedError;

pub use to_sql::{ToSql, ToSqlOutput};

/// The class of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// NULL
    Null,
    /// A 64-bit integer.
    Integer,
    /// A 64-bit real.
    Real,
    /// Text.
    Text,
    /// Bytes.
    Blob,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "Null",
            Self::Integer => "Integer",
            Self::Real => "Real",
            Self::Text => "Text",
            Self::Blob => "Blob",
        })
    }
}

/// NULL, as a parameter.
#[derive(Debug, Clone, Copy)]
pub struct Null;

/// A value that owns its bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// NULL
    Null,
    /// An integer.
    Integer(i64),
    /// A real.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

/// A value that borrows its bytes. Text can have any bytes: SQLite does not check it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueRef<'a> {
    /// NULL
    Null,
    /// An integer.
    Integer(i64),
    /// A real.
    Real(f64),
    /// Text.
    Text(&'a [u8]),
    /// Bytes.
    Blob(&'a [u8]),
}

impl<'a> ValueRef<'a> {
    /// Its class.
    pub fn data_type(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Integer(_) => Type::Integer,
            Self::Real(_) => Type::Real,
            Self::Text(_) => Type::Text,
            Self::Blob(_) => Type::Blob,
        }
    }

    /// The integer.
    ///
    /// # Errors
    ///
    /// [`FromSqlError::InvalidType`] for other classes, as for the functions below.
    pub fn as_i64(&self) -> FromSqlResult<i64> {
        match self {
            Self::Integer(integer) => Ok(*integer),
            _ => Err(FromSqlError::InvalidType),
        }
    }

    /// The real, or an integer converted to one.
    ///
    /// # Errors
    ///
    /// [`FromSqlError::InvalidType`].
    pub fn as_f64(&self) -> FromSqlResult<f64> {
        match self {
            Self::Real(real) => Ok(*real),
            Self::Integer(integer) => Ok(*integer as f64),
            _ => Err(FromSqlError::InvalidType),
        }
    }

    /// The text.
    ///
    /// # Errors
    ///
    /// [`FromSqlError::InvalidType`], and [`FromSqlError::Other`] if it is not UTF-8.
    pub fn as_str(&self) -> FromSqlResult<&'a str> {
        match self {
            Self::Text(text) => str::from_utf8(text).map_err(FromSqlError::other),
            _ => Err(FromSqlError::InvalidType),
        }
    }

    /// The bytes of a blob.
    ///
    /// # Errors
    ///
    /// [`FromSqlError::InvalidType`].
    pub fn as_blob(&self) -> FromSqlResult<&'a [u8]> {
        match self {
            Self::Blob(bytes) => Ok(bytes),
            _ => Err(FromSqlError::InvalidType),
        }
    }

    /// The bytes of a text or blob.
    ///
    /// # Errors
    ///
    /// [`FromSqlError::InvalidType`].
    pub fn as_bytes(&self) -> FromSqlResult<&'a [u8]> {
        match self {
            Self::Text(bytes) | Self::Blob(bytes) => Ok(bytes),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Integer(integer) => Self::Integer(*integer),
            Value::Real(real) => Self::Real(*real),
            Value::Text(text) => Self::Text(text.as_bytes()),
            Value::Blob(blob) => Self::Blob(blob),
        }
    }
}

/// In text that is not UTF-8, U+FFFD replaces invalid bytes.
impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(integer) => Self::Integer(integer),
            ValueRef::Real(real) => Self::Real(real),
            ValueRef::Text(text) => Self::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(blob) => Self::Blob(blob.to_vec()),
        }
    }
}

/// Why a value cannot be converted to a type.
#[derive(Debug)]
#[non_exhaustive]
pub enum FromSqlError {
    /// It has another class.
    InvalidType,
    /// The integer is out of range.
    OutOfRange(i64),
    /// The size of a blob is not that of the type.
    InvalidBlobSize {
        /// The size of the type, in bytes.
        expected_size: usize,
        /// The size of the blob, in bytes.
        blob_size: usize,
    },
    /// Another reason.
    Other(BoxedError),
}

impl FromSqlError {
    /// Another reason.
    pub fn other(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Other(Box::new(error))
    }
}

impl fmt::Display for FromSqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidType => f.write_str("it has another class"),
            Self::OutOfRange(number) => write!(f, "{number} is out of range"),
            Self::InvalidBlobSize { expected_size, blob_size } => {
                write!(f, "the blob has {blob_size} bytes, and {expected_size} are expected")
            }
            Self::Other(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FromSqlError {}

/// A converted value, or why it cannot be converted.
pub type FromSqlResult<T> = std::result::Result<T, FromSqlError>;

/// A type to which values of SQLite can be converted.
pub trait FromSql: Sized {
    /// Convert the value to this type.
    ///
    /// # Errors
    ///
    /// When the value cannot be converted.
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self>;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl FromSql for $type {
            #[inline]
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                let integer = value.as_i64()?;
                integer.try_into().map_err(|_| FromSqlError::OutOfRange(integer))
            }
        }
    )*};
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

impl FromSql for f64 {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_f64()
    }
}

impl FromSql for f32 {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_f64().map(|real| real as f32)
    }
}

impl FromSql for bool {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(|integer| integer != 0)
    }
}

impl FromSql for String {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl FromSql for Box<str> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str().map(Into::into)
    }
}

impl FromSql for Rc<str> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str().map(Into::into)
    }
}

impl FromSql for Arc<str> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str().map(Into::into)
    }
}

impl FromSql for Vec<u8> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_blob().map(<[u8]>::to_vec)
    }
}

impl<const N: usize> FromSql for [u8; N] {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let bytes = value.as_blob()?;
        bytes
            .try_into()
            .map_err(|_| FromSqlError::InvalidBlobSize { expected_size: N, blob_size: bytes.len() })
    }
}

impl<T: FromSql> FromSql for Option<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Null => Ok(None),
            value => T::column_result(value).map(Some),
        }
    }
}

impl FromSql for Value {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(value.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round<T: ToSql + FromSql>(value: &T) -> FromSqlResult<T> {
        T::column_result(value.to_sql().unwrap().as_ref())
    }

    #[test]
    fn values_are_read_as_they_are_written() {
        assert_eq!(round(&-5_i8).unwrap(), -5);
        assert_eq!(round(&1.5_f32).unwrap(), 1.5);
        assert!(round(&true).unwrap());
        assert_eq!(round(&Some("x".to_owned())).unwrap().as_deref(), Some("x"));
        assert_eq!(round(&None::<i64>).unwrap(), None);
        assert_eq!(round(&[1_u8, 2]).unwrap(), [1, 2]);
    }

    #[test]
    fn what_is_out_of_range_is_an_error() {
        assert!(matches!(
            u8::column_result(ValueRef::Integer(256)),
            Err(FromSqlError::OutOfRange(256))
        ));
        assert!(u64::MAX.to_sql().is_err());
        assert!(String::column_result(ValueRef::Text(b"\xff")).is_err());
        assert!(<[u8; 3]>::column_result(ValueRef::Blob(b"ab")).is_err());
        assert!(f64::column_result(ValueRef::Text(b"1")).is_err());
    }
}
