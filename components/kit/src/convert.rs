//! Rust types as arguments and results.

use crate::{Error, Output, Result, Value};

/// A type to which an argument can be converted.
///
/// Numbers and texts are converted as in SQLite's functions: `'12'` is a valid integer, and 12 a
/// valid text.
pub trait FromValue: Sized {
    /// Whether NULL is an argument like any other.
    const TAKES_NULL: bool = false;

    /// Convert the value; the error says what the argument must be.
    fn from_value(value: Value) -> Result<Self, &'static str>;
}

/// A type that can be a result.
pub trait IntoOutput {
    /// Convert it to a result.
    fn into_output(self) -> Result<Output>;
}

macro_rules! arguments {
    ($($type:ty: $value:ident => $result:expr;)*) => {$(
        impl FromValue for $type {
            #[inline]
            fn from_value($value: Value) -> Result<Self, &'static str> {
                $result
            }
        }
    )*};
}

arguments! {
    i64: value => Ok(value.to_integer());
    i32: value => i32::try_from(value.to_integer()).map_err(|_| "an integer of 32 bits");
    u32: value => u32::try_from(value.to_integer()).map_err(|_| "0 or more, in 32 bits");
    f64: value => Ok(value.to_real());
    bool: value => Ok(value.to_real() != 0.0);
    Vec<u8>: value => Ok(value.into_bytes());
    String: value => String::from_utf8(value.into_bytes()).map_err(|_| "text in UTF-8");
}

impl FromValue for Value {
    const TAKES_NULL: bool = true;

    #[inline]
    fn from_value(value: Value) -> Result<Self, &'static str> {
        Ok(value)
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const TAKES_NULL: bool = true;

    #[inline]
    fn from_value(value: Value) -> Result<Self, &'static str> {
        match value {
            Value::Null => Ok(None),
            value => T::from_value(value).map(Some),
        }
    }
}

macro_rules! results {
    ($($type:ty: $result:ident => $value:expr;)*) => {$(
        impl IntoOutput for $type {
            #[inline]
            fn into_output(self) -> Result<Output> {
                let $result = self;
                Ok(Output { value: $value, subtype: 0 })
            }
        }
    )*};
}

results! {
    (): _nothing => Value::Null;
    i64: result => Value::Integer(result);
    i32: result => Value::Integer(result.into());
    u32: result => Value::Integer(result.into());
    bool: result => Value::Integer(result.into());
    f64: result => Value::Real(result);
    &str: result => Value::Text(result.into());
    String: result => Value::Text(result.into_bytes());
    Vec<u8>: result => Value::Blob(result);
    Value: result => result;
}

impl<const N: usize> IntoOutput for [u8; N] {
    #[inline]
    fn into_output(self) -> Result<Output> {
        Vec::from(self).into_output()
    }
}

impl IntoOutput for Output {
    #[inline]
    fn into_output(self) -> Result<Output> {
        Ok(self)
    }
}

impl<T: IntoOutput> IntoOutput for Option<T> {
    #[inline]
    fn into_output(self) -> Result<Output> {
        self.map_or_else(|| Ok(Output::default()), T::into_output)
    }
}

impl<T: IntoOutput, E: Into<Error>> IntoOutput for Result<T, E> {
    #[inline]
    fn into_output(self) -> Result<Output> {
        self.map_err(E::into)?.into_output()
    }
}
