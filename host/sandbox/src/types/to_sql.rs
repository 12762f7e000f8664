//! The conversion of Rust types to values of SQLite.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use super::{Null, Value, ValueRef};
use crate::error::{Error, Result};

/// A value for SQLite.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ToSqlOutput<'a> {
    /// A borrowed value.
    Borrowed(ValueRef<'a>),
    /// An owned value.
    Owned(Value),
}

impl ToSqlOutput<'_> {
    pub(crate) fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Self::Borrowed(value) => *value,
            Self::Owned(value) => value.into(),
        }
    }
}

/// A type that can be converted to a value of SQLite.
pub trait ToSql {
    /// The value.
    ///
    /// # Errors
    ///
    /// [`Error::ToSqlConversionFailure`] if SQLite has no such value.
    fn to_sql(&self) -> Result<ToSqlOutput<'_>>;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl ToSql for $type {
            #[inline]
            fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
                let integer = i64::try_from(*self);
                let integer = integer.map_err(|error| Error::ToSqlConversionFailure(error.into()))?;
                Ok(ToSqlOutput::Owned(Value::Integer(integer)))
            }
        }
    )*};
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

macro_rules! to_sql {
    ($($type:ty: $self:ident => $value:expr;)*) => {$(
        impl ToSql for $type {
            #[inline]
            fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
                let $self = self;
                Ok($value)
            }
        }
    )*};
}

to_sql! {
    f64: it => ToSqlOutput::Owned(Value::Real(*it));
    f32: it => ToSqlOutput::Owned(Value::Real((*it).into()));
    bool: it => ToSqlOutput::Owned(Value::Integer((*it).into()));
    str: it => ToSqlOutput::Borrowed(ValueRef::Text(it.as_bytes()));
    String: it => ToSqlOutput::Borrowed(ValueRef::Text(it.as_bytes()));
    [u8]: it => ToSqlOutput::Borrowed(ValueRef::Blob(it));
    Vec<u8>: it => ToSqlOutput::Borrowed(ValueRef::Blob(it));
    Value: it => ToSqlOutput::Borrowed(it.into());
    ValueRef<'_>: it => ToSqlOutput::Borrowed(*it);
    Null: _it => ToSqlOutput::Owned(Value::Null);
    (): _it => ToSqlOutput::Owned(Value::Null);
}

impl<const N: usize> ToSql for [u8; N] {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        self[..].to_sql()
    }
}

impl<T: ToSql> ToSql for Option<T> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        self.as_ref().map_or(Ok(ToSqlOutput::Owned(Value::Null)), T::to_sql)
    }
}

impl<T: ToSql + ?Sized> ToSql for &T {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        (**self).to_sql()
    }
}

impl<T: ToSql + ?Sized> ToSql for Box<T> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        (**self).to_sql()
    }
}

impl<T: ToSql + ?Sized> ToSql for Rc<T> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        (**self).to_sql()
    }
}

impl<T: ToSql + ?Sized> ToSql for Arc<T> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        (**self).to_sql()
    }
}

impl<T: ToSql + ToOwned + ?Sized> ToSql for Cow<'_, T> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        (**self).to_sql()
    }
}

impl ToSql for ToSqlOutput<'_> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.as_ref()))
    }
}
