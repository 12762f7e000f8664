//! Functions and collations of the program, which SQL can call. They run outside the sandbox, in
//! the program, with arguments that SQL chooses.

mod groups;

use std::cmp::Ordering;
use std::ops::BitOr;
use std::sync::Arc;

use runtime::database::wire::{self, Function, FunctionKind, Operations, Reader};
use runtime::database::{Callback, Event};

use crate::callback::{Called, Outcome, callback};
use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::rows::{index_values, value_at};
use crate::types::{FromSql, FromSqlError, ToSql, ToSqlOutput, ValueRef};
use groups::Groups;

/// Limit on arguments of a call: SQLite's limit is 1000.
const MAX_ARGUMENTS: u32 = 1000;

/// Properties of a function, with SQLite's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FunctionFlags(u32);

impl FunctionFlags {
    /// Text is passed as UTF-8, as for all functions here.
    pub const SQLITE_UTF8: Self = Self(1);
    /// The same arguments give the same result within one statement.
    pub const SQLITE_DETERMINISTIC: Self = Self(0x800);
    /// Only the program's SQL can call it: triggers, views and schemas cannot.
    pub const SQLITE_DIRECTONLY: Self = Self(0x8_0000);
    /// Schemas that are not trusted may call it.
    pub const SQLITE_INNOCUOUS: Self = Self(0x20_0000);
}

impl BitOr for FunctionFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The arguments of a call.
#[derive(Debug)]
pub struct Context<'a> {
    bytes: &'a [u8],
    offsets: &'a [u32],
}

impl Context<'_> {
    /// How many arguments there are.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// The argument `index`, counted from 0.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidFunctionParameterType`] if it is not of the type, and
    /// [`Error::InvalidColumnIndex`] if there is none.
    pub fn get<T: FromSql>(&self, index: usize) -> Result<T> {
        let offset = self.offsets.get(index).ok_or(Error::InvalidColumnIndex(index))?;
        let value = value_at(self.bytes, *offset);
        T::column_result(value).map_err(|error| match error {
            FromSqlError::InvalidType => {
                Error::InvalidFunctionParameterType(index, value.data_type())
            }
            error => Error::from_sql(index, value.data_type(), error),
        })
    }

    /// The argument `index`, borrowed; NULL if there is none.
    pub fn get_raw(&self, index: usize) -> ValueRef<'_> {
        self.offsets.get(index).map_or(ValueRef::Null, |offset| value_at(self.bytes, *offset))
    }
}

/// An aggregate function with a state of type `A` and a result of type `T`.
pub trait Aggregate<A, T: ToSql> {
    /// The state before the first row of a group.
    ///
    /// # Errors
    ///
    /// The error of the SQL function, as below.
    fn init(&self, context: &mut Context<'_>) -> Result<A>;

    /// Add a row.
    ///
    /// # Errors
    ///
    /// The error of the SQL function.
    fn step(&self, context: &mut Context<'_>, state: &mut A) -> Result<()>;

    /// The result of a group; the state is none for a group without rows.
    ///
    /// # Errors
    ///
    /// The error of the SQL function.
    fn finalize(&self, context: &mut Context<'_>, state: Option<A>) -> Result<T>;
}

/// An aggregate that can also be used with OVER.
pub trait WindowAggregate<A, T: ToSql>: Aggregate<A, T> {
    /// The result for the rows in the window.
    ///
    /// # Errors
    ///
    /// The error of the SQL function.
    fn value(&self, state: Option<&mut A>) -> Result<T>;

    /// Remove a row from the window.
    ///
    /// # Errors
    ///
    /// The error of the SQL function.
    fn inverse(&self, context: &mut Context<'_>, state: &mut A) -> Result<()>;
}

fn outcome(result: Result<impl ToSql>) -> Outcome {
    let value = result.and_then(|value| match value.to_sql()? {
        ToSqlOutput::Owned(value) => Ok(value.into()),
        ToSqlOutput::Borrowed(value) => Ok(wire::Value::from(value).map(<[u8]>::to_vec)),
    });
    value.map_err(|error| error.for_sql())
}

/// Find the offsets of all arguments, which come from the sandbox.
fn index_all(bytes: &[u8], offsets: &mut Vec<u32>) -> Result<()> {
    let mut position = 0;
    offsets.clear();
    let mut one = Vec::new();
    for _ in 0..MAX_ARGUMENTS {
        if position == bytes.len() {
            return Ok(());
        }
        offsets.push(u32::try_from(position).map_err(|_| Error::MalformedReply)?);
        position = index_values(bytes, position, 1, &mut one).ok_or(Error::MalformedReply)?;
    }
    if position == bytes.len() { Ok(()) } else { Err(Error::MalformedReply) }
}

struct Scalar<F> {
    function: F,
    offsets: Vec<u32>,
}

impl<F, T> Called for Scalar<F>
where
    F: FnMut(&Context<'_>) -> Result<T> + Send,
    T: ToSql,
{
    fn call(&mut self, _: Event, bytes: &[u8]) -> Outcome {
        let indexed = index_all(bytes, &mut self.offsets);
        let call = |()| (self.function)(&Context { bytes, offsets: &self.offsets });
        outcome(indexed.and_then(call))
    }
}

struct Collation<F>(F);

impl<F: FnMut(&str, &str) -> Ordering + Send> Called for Collation<F> {
    fn call(&mut self, _: Event, bytes: &[u8]) -> Outcome {
        let mut reader = Reader(bytes);
        let mut text = || match reader.value() {
            Ok(wire::Value::Text(text)) => Ok(String::from_utf8_lossy(text)),
            _ => Err(Error::MalformedReply),
        };
        let order = text().and_then(|left| Ok((self.0)(&left, &text()?) as i64));
        outcome(order)
    }
}

/// A description for SQLite.
impl Connection {
    /// Register a function of the program, with 0 to 1000 arguments, or -1 if it is variadic. A
    /// panic in the function is an SQL error.
    ///
    /// ```
    /// # use sqlite_sandbox::{Database, functions::FunctionFlags};
    /// # let database = Database::builder().component("../../target/release/database.cwasm").build()?;
    /// let db = database.open_in_memory()?;
    /// db.create_scalar_function("twice", 1, FunctionFlags::SQLITE_DETERMINISTIC, |context| {
    ///     Ok(context.get::<String>(0)?.repeat(2))
    /// })?;
    /// let twice: String = db.query_row("SELECT twice('ab')", (), |row| row.get(0))?;
    /// assert_eq!(twice, "abab");
    /// # Ok::<(), sqlite_sandbox::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// SQLite's: `SQLITE_BUSY` while a function with this name runs, and `SQLITE_MISUSE` for
    /// another argument count.
    pub fn create_scalar_function<F, T>(
        &self,
        name: &str,
        arguments: i32,
        flags: FunctionFlags,
        function: F,
    ) -> Result<()>
    where
        F: FnMut(&Context<'_>) -> Result<T> + Send + 'static,
        T: ToSql + 'static,
    {
        let called = callback(Scalar { function, offsets: Vec::new() });
        self.register(name, arguments, FunctionKind::Scalar, flags, Some(called))
    }

    /// Register an aggregate function of the program.
    ///
    /// # Errors
    ///
    /// As [`Self::create_scalar_function`].
    pub fn create_aggregate_function<A, D, T>(
        &self,
        name: &str,
        arguments: i32,
        flags: FunctionFlags,
        function: D,
    ) -> Result<()>
    where
        A: Send + 'static,
        D: Aggregate<A, T> + Send + 'static,
        T: ToSql + 'static,
    {
        let called = callback(Groups::<D, A, T>::new(function));
        self.register(name, arguments, FunctionKind::Aggregate, flags, Some(called))
    }

    /// Register a window function of the program.
    ///
    /// # Errors
    ///
    /// As [`Self::create_scalar_function`].
    pub fn create_window_function<A, D, T>(
        &self,
        name: &str,
        arguments: i32,
        flags: FunctionFlags,
        function: D,
    ) -> Result<()>
    where
        A: Send + 'static,
        D: WindowAggregate<A, T> + Send + 'static,
        T: ToSql + 'static,
    {
        let called = callback(Groups::<D, A, T>::windows(function));
        self.register(name, arguments, FunctionKind::Window, flags, Some(called))
    }

    /// Remove the function with this name and argument count.
    ///
    /// # Errors
    ///
    /// As [`Self::create_scalar_function`].
    pub fn remove_function(&self, name: &str, arguments: i32) -> Result<()> {
        self.register(name, arguments, FunctionKind::Scalar, FunctionFlags::SQLITE_UTF8, None)
    }

    fn register(
        &self,
        name: &str,
        arguments: i32,
        kind: FunctionKind,
        FunctionFlags(flags): FunctionFlags,
        called: Option<Arc<dyn Callback>>,
    ) -> Result<()> {
        let function = Function { name: name.as_bytes(), arguments, kind, flags };
        self.session.register(called, |id| Operations::default().create_function(id, function))
    }

    /// Register a collation of the program. In text that is not UTF-8, U+FFFD replaces invalid
    /// bytes. The order must be total, or indexes become corrupt.
    ///
    /// # Errors
    ///
    /// As [`Self::create_scalar_function`].
    pub fn create_collation<F>(&self, name: &str, compare: F) -> Result<()>
    where
        F: FnMut(&str, &str) -> Ordering + Send + 'static,
    {
        self.set_collation(name, Some(callback(Collation(compare))))
    }

    /// Remove a collation.
    ///
    /// # Errors
    ///
    /// As [`Self::create_scalar_function`].
    pub fn remove_collation(&self, name: &str) -> Result<()> {
        self.set_collation(name, None)
    }

    fn set_collation(&self, name: &str, called: Option<Arc<dyn Callback>>) -> Result<()> {
        let name = name.as_bytes();
        self.session.register(called, |id| Operations::default().create_collation(id, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_are_not_values_are_refused() {
        let mut offsets = Vec::new();
        let mut writer = wire::Writer::default();
        (0..1000).for_each(|_| writer.null());
        assert!(index_all(&writer.0, &mut offsets).is_ok());
        writer.null();
        assert!(index_all(&writer.0, &mut offsets).is_err());
        assert!(index_all(&[9], &mut offsets).is_err());
        let mut scalar = Scalar { function: |_: &Context<'_>| Ok(1), offsets };
        assert!(scalar.call(Event::Scalar, &[3, 1]).is_err());
        assert!(Collation(|a: &str, b: &str| a.cmp(b)).call(Event::Compare, &[0]).is_err());
    }
}
