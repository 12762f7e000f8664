//! Values of SQLite, and SQLite's conversions between their classes.

use crate::number;

/// A value: one of SQLite's five storage classes.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// SQL NULL.
    #[default]
    Null,
    /// A 64-bit integer.
    Integer(i64),
    /// A 64-bit real. NaN becomes NULL in SQLite.
    Real(f64),
    /// Text, in the encoding that the function declared. SQLite's text can contain bytes that are
    /// not UTF-8, and NULs.
    Text(Vec<u8>),
    /// A blob.
    Blob(Vec<u8>),
}

impl Value {
    /// Text of a string.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into().into_bytes())
    }

    /// The same value, borrowing its bytes.
    pub(crate) fn borrowed(&self) -> wire::Value<&[u8]> {
        match self {
            Self::Null => wire::Value::Null,
            Self::Integer(integer) => wire::Value::Integer(*integer),
            Self::Real(real) => wire::Value::Real(*real),
            Self::Text(bytes) => wire::Value::Text(bytes),
            Self::Blob(bytes) => wire::Value::Blob(bytes),
        }
    }

    /// Whether this is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Text as a string: `None` for other classes, an error for bytes that are not UTF-8.
    pub fn as_str(&self) -> Option<Result<&str, std::str::Utf8Error>> {
        match self {
            Self::Text(bytes) => Some(std::str::from_utf8(bytes)),
            _ => None,
        }
    }

    /// The integer, also of a real with a whole value: JavaScript's clients send integers as reals.
    pub fn whole(&self) -> Option<i64> {
        /// The reals that are `i64`.
        const RANGE: std::ops::Range<f64> = i64::MIN as f64..i64::MAX as f64;
        match self {
            Self::Integer(number) => Some(*number),
            Self::Real(number) if number.fract() == 0.0 && RANGE.contains(number) => {
                Some(*number as i64)
            }
            _ => None,
        }
    }

    /// Like SQLite's `CAST(… AS INTEGER)`; 0 for NULL.
    pub fn to_integer(&self) -> i64 {
        match self {
            Self::Null => 0,
            Self::Integer(number) => *number,
            Self::Real(number) => *number as i64,
            Self::Text(bytes) | Self::Blob(bytes) => number::integer_prefix(bytes),
        }
    }

    /// Like SQLite's `CAST(… AS REAL)`; 0 for NULL.
    pub fn to_real(&self) -> f64 {
        match self {
            Self::Null => 0.0,
            Self::Integer(number) => *number as f64,
            Self::Real(number) => *number,
            Self::Text(bytes) | Self::Blob(bytes) => number::real_prefix(bytes),
        }
    }

    /// The bytes of a text or blob, the bytes of SQLite's text for an integer or real, and no bytes for
    /// NULL. Nothing is copied.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Null => Vec::new(),
            Self::Integer(number) => number.to_string().into_bytes(),
            Self::Real(number) => number::real_text(number).into_bytes(),
            Self::Text(bytes) | Self::Blob(bytes) => bytes,
        }
    }
}

/// A result, with its subtype.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// The result.
    pub value: Value,
    /// SQLite's subtype, 0 for none. Kept only for functions that declare `gives_subtypes`.
    pub subtype: u8,
}

impl From<Value> for Output {
    fn from(value: Value) -> Self {
        Self { value, subtype: 0 }
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

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn integers_are_cast_as_sqlite_casts() {
        assert_eq!(Value::text(" 12abc").to_integer(), 12);
        assert_eq!(Value::text("-9223372036854775809").to_integer(), i64::MIN);
        assert_eq!(Value::text("99999999999999999999").to_integer(), i64::MAX);
        assert_eq!(Value::Real(-1.9).to_integer(), -1);
        assert_eq!(Value::Real(1e300).to_integer(), i64::MAX);
        assert_eq!(Value::Blob(b"7".to_vec()).to_integer(), 7);
        assert_eq!(Value::Null.to_integer(), 0);
    }

    #[test]
    fn reals_are_cast_as_sqlite_casts() {
        assert_eq!(Value::text("1.5e2x").to_real(), 150.0);
        assert_eq!(Value::text("1e").to_real(), 1.0);
        assert_eq!(Value::text("-.5").to_real(), -0.5);
        assert_eq!(Value::text("inf").to_real(), 0.0);
    }

    #[test]
    fn text_that_is_no_utf8_is_an_error_and_not_a_panic() {
        assert!(Value::Text(vec![0xff]).as_str().unwrap().is_err());
        assert_eq!(Value::Integer(1).as_str(), None);
    }
}
