//! Parameters of statements.

use crate::error::{Error, Result};
use crate::statement::Statement;
use crate::types::ToSql;

/// Parameters by position: `params![1, "two", None::<i64>]`.
///
/// ```
/// # use sqlite_sandbox::{Database, params};
/// # let database = Database::builder().component("../../target/release/database.cwasm").build()?;
/// let db = database.open_in_memory()?;
/// let sum: i64 = db.query_row("SELECT ?1 + ?2", params![40, 2], |row| row.get(0))?;
/// assert_eq!(sum, 42);
/// # Ok::<(), sqlite_sandbox::Error>(())
/// ```
#[macro_export]
macro_rules! params {
    () => { &[] as &[&dyn $crate::ToSql] };
    ($($value:expr),+ $(,)?) => { &[$(&$value as &dyn $crate::ToSql),+] as &[&dyn $crate::ToSql] };
}

/// Parameters by name: `named_params! { ":id": 1, ":name": "two" }`.
#[macro_export]
macro_rules! named_params {
    () => { &[] as &[(&str, &dyn $crate::ToSql)] };
    ($($name:literal : $value:expr),+ $(,)?) => {
        &[$(($name, &$value as &dyn $crate::ToSql)),+] as &[(&str, &dyn $crate::ToSql)]
    };
}

/// Values for all parameters of a statement: tuples, arrays, slices of `&dyn ToSql`, and pairs of
/// names and values.
pub trait Params: sealed::Sealed {
    #[doc(hidden)]
    fn bind_in(self, statement: &mut Statement<'_>) -> Result<()>;
}

mod sealed {
    pub trait Sealed {}
}

/// Bind by position, each parameter once.
fn positions<'a>(
    statement: &mut Statement<'_>,
    values: impl IntoIterator<Item = &'a dyn ToSql>,
) -> Result<()> {
    let needed = statement.parameter_count();
    let mut given = 0;
    for value in values {
        given += 1;
        if given <= needed {
            statement.raw_bind_parameter(given, value)?;
        }
    }
    if given == needed { Ok(()) } else { Err(Error::InvalidParameterCount(given, needed)) }
}

/// Bind by name; parameters that are not named keep their values.
fn names<'a>(
    statement: &mut Statement<'_>,
    values: impl IntoIterator<Item = (&'a str, &'a dyn ToSql)>,
) -> Result<()> {
    for (name, value) in values {
        let index = statement.parameter_index(name)?;
        let index = index.ok_or_else(|| Error::InvalidParameterName(name.to_owned()))?;
        statement.raw_bind_parameter(index, value)?;
    }
    Ok(())
}

impl sealed::Sealed for () {}
impl Params for () {
    fn bind_in(self, statement: &mut Statement<'_>) -> Result<()> {
        positions(statement, [])
    }
}

impl sealed::Sealed for &[&dyn ToSql] {}
impl Params for &[&dyn ToSql] {
    fn bind_in(self, statement: &mut Statement<'_>) -> Result<()> {
        positions(statement, self.iter().copied())
    }
}

impl sealed::Sealed for &[(&str, &dyn ToSql)] {}
impl Params for &[(&str, &dyn ToSql)] {
    fn bind_in(self, statement: &mut Statement<'_>) -> Result<()> {
        names(statement, self.iter().copied())
    }
}

impl sealed::Sealed for [&(dyn ToSql + Send + Sync); 0] {}
impl Params for [&(dyn ToSql + Send + Sync); 0] {
    fn bind_in(self, statement: &mut Statement<'_>) -> Result<()> {
        positions(statement, [])
    }
}

// Not for 0 elements: the type of the values would be unknown.
macro_rules! arrays {
    ($($count:literal)*) => {$(
        impl<T: ToSql> sealed::Sealed for [T; $count] {}
        impl<T: ToSql> Params for [T; $count] {
            fn bind_in(self, statement: &mut Statement<'_>) -> Result<()> {
                positions(statement, self.iter().map(|value| value as &dyn ToSql))
            }
        }
    )*};
}

arrays! { 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 }

impl<T: ToSql, const N: usize> sealed::Sealed for &[T; N] {}
impl<T: ToSql, const N: usize> Params for &[T; N] {
    fn bind_in(self, statement: &mut Statement<'_>) -> Result<()> {
        positions(statement, self.iter().map(|value| value as &dyn ToSql))
    }
}

impl<T: ToSql, const N: usize> sealed::Sealed for &[(&str, T); N] {}
impl<T: ToSql, const N: usize> Params for &[(&str, T); N] {
    fn bind_in(self, statement: &mut Statement<'_>) -> Result<()> {
        names(statement, self.iter().map(|(name, value)| (*name, value as &dyn ToSql)))
    }
}

/// The values of an iterator, by position; see [`params_from_iter`].
#[derive(Debug, Clone)]
pub struct ParamsFromIter<I>(I);

/// Parameters from an iterator.
pub fn params_from_iter<I>(values: I) -> ParamsFromIter<I>
where
    I: IntoIterator,
    I::Item: ToSql,
{
    ParamsFromIter(values)
}

impl<I: IntoIterator<Item: ToSql>> sealed::Sealed for ParamsFromIter<I> {}
impl<I: IntoIterator<Item: ToSql>> Params for ParamsFromIter<I> {
    fn bind_in(self, statement: &mut Statement<'_>) -> Result<()> {
        let values: Vec<_> = self.0.into_iter().collect();
        positions(statement, values.iter().map(|value| value as &dyn ToSql))
    }
}

macro_rules! tuples {
    ($(($($type:ident $index:tt),+);)*) => {$(
        impl<$($type: ToSql),+> sealed::Sealed for ($($type,)+) {}
        impl<$($type: ToSql),+> Params for ($($type,)+) {
            fn bind_in(self, statement: &mut Statement<'_>) -> Result<()> {
                positions(statement, [$(&self.$index as &dyn ToSql),+])
            }
        }
    )*};
}

tuples! {
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
}
