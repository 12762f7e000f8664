//! Functions and collations of the program, which SQL can call. They run outside the sandbox, in
//! the program, with arguments that SQL chooses.

mod groups;
mod registered;

use std::cmp::Ordering;
use std::ops::BitOr;

use runtime::database::wire::{Event, Kind, Operations, Reader, Writer, code, tag};

use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::rows::{end_of_value, value_at};
use crate::types::{FromSql, FromSqlError, ToSql, ValueRef};
use groups::Groups;
use registered::{Called, Compare, Object};

pub(crate) use registered::Registered;

/// Limit on arguments of a call: SQLite's limit is 1000.
const MAX_ARGUMENTS: u32 = 1000;

/// The bits of SQLite's encodings in a function's flags. The program receives UTF-8.
const ENCODINGS: u32 = 7;

/// SQLITE_UTF8.
const UTF8: u32 = 1;

/// Properties of a function, with SQLite's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FunctionFlags(u32);

impl FunctionFlags {
    /// Text is passed as UTF-8, as for all functions here.
    pub const SQLITE_UTF8: Self = Self(UTF8);
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
    /// [`Error::InvalidColumnIndex`] if it does not exist.
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

    /// The argument `index`, borrowed; NULL if it does not exist.
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

    /// The result of a group; `state` is `None` for a group without rows.
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

/// Write the value of a function.
fn put_value(reply: &mut Writer, value: &impl ToSql) -> Result<()> {
    reply.value(value.to_sql()?.as_ref().into());
    Ok(())
}

/// Find the offsets of all arguments in the bytes that are returned. A subtype is not read.
fn index_arguments<'a>(from: &mut Reader<'a>, offsets: &mut Vec<u32>) -> Result<&'a [u8]> {
    let count = from.u32()?;
    if count > MAX_ARGUMENTS {
        return Err(Error::MalformedReply);
    }
    let (bytes, mut position) = (from.0, 0);
    offsets.clear();
    for _ in 0..count {
        if bytes.get(position) == Some(&tag::SUBTYPE) {
            position += 2;
        }
        offsets.push(u32::try_from(position).map_err(|_| Error::MalformedReply)?);
        position = end_of_value(bytes, position).ok_or(Error::MalformedReply)?;
    }
    from.0 = &bytes[position..];
    Ok(bytes)
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
    fn call(&mut self, _: Event, from: &mut Reader, reply: &mut Writer) -> Result<()> {
        let bytes = index_arguments(from, &mut self.offsets)?;
        put_value(reply, &(self.function)(&Context { bytes, offsets: &self.offsets })?)
    }
}

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
        let called = Box::new(Scalar { function, offsets: Vec::new() });
        self.register(name, arguments, Kind::Scalar, flags, Some(called))
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
        let called = Box::new(Groups::<D, A, T>::new(function));
        self.register(name, arguments, Kind::Aggregate, flags, Some(called))
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
        let called = Box::new(Groups::<D, A, T>::windows(function));
        self.register(name, arguments, Kind::Window, flags, Some(called))
    }

    /// Remove the function with this name and argument count.
    ///
    /// # Errors
    ///
    /// As [`Self::create_scalar_function`].
    pub fn remove_function(&self, name: &str, arguments: i32) -> Result<()> {
        self.register(name, arguments, Kind::None, FunctionFlags::SQLITE_UTF8, None)
    }

    fn register(
        &self,
        name: &str,
        arguments: i32,
        kind: Kind,
        FunctionFlags(flags): FunctionFlags,
        called: Option<Box<dyn Called>>,
    ) -> Result<()> {
        let (name, flags) = (checked_name(name)?, flags & !ENCODINGS | UTF8);
        let registered = &self.client.events()?.registered;
        // SQLite reports when it needs it no longer, also if it refuses it.
        let id = called.map_or(0, |called| registered.add(Object::Function(called)));
        let create =
            Operations::default().call_create_function(name, arguments, flags, kind as u8, id);
        self.client.call(&create, |_| Ok(()))
    }

    /// Register a collation of the program. In text that is not UTF-8, U+FFFD replaces invalid
    /// bytes. The order must be total, or indexes become corrupt.
    ///
    /// # Errors
    ///
    /// As [`Self::create_scalar_function`].
    pub fn create_collation<F>(&self, name: &str, mut compare: F) -> Result<()>
    where
        F: FnMut(&str, &str) -> Ordering + Send + 'static,
    {
        let compare = move |left: &[u8], right: &[u8]| {
            compare(&String::from_utf8_lossy(left), &String::from_utf8_lossy(right))
        };
        self.set_collation(name, Some(Box::new(compare)))
    }

    /// Remove a collation.
    ///
    /// # Errors
    ///
    /// As [`Self::create_scalar_function`].
    pub fn remove_collation(&self, name: &str) -> Result<()> {
        self.set_collation(name, None)
    }

    fn set_collation(&self, name: &str, compare: Option<Box<Compare>>) -> Result<()> {
        let name = checked_name(name)?;
        let registered = &self.client.events()?.registered;
        let id = compare.map(|compare| registered.add(Object::Collation(compare)));
        let create =
            Operations::default().call_create_collation(name, UTF8, id.is_some(), id.unwrap_or(0));
        let created = self.client.call(&create, |_| Ok(()));
        // Unlike a function, SQLite does not drop a collation that it refuses.
        if let (Err(_), Some(id)) = (&created, id) {
            registered.remove(id);
        }
        created
    }
}

/// A name for SQLite, which ends at a zero byte.
fn checked_name(name: &str) -> Result<Option<&[u8]>> {
    if name.contains('\0') {
        return Err(Error::sqlite(code::ERROR, "a name has a NUL"));
    }
    Ok(Some(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_are_not_values_are_refused() {
        let mut offsets = Vec::new();
        let mut index = |bytes: &[u8]| {
            let mut from = Reader(bytes);
            let indexed = index_arguments(&mut from, &mut offsets).is_ok();
            (indexed, from.0.len())
        };
        let nulls = |count: u32| {
            let mut writer = Writer::default();
            writer.u32(count);
            (0..count).for_each(|_| writer.null());
            writer.u32(7);
            writer.0
        };
        assert_eq!(index(&nulls(1000)), (true, 4));
        assert!(!index(&nulls(1001)).0);
        assert!(!index(&[1, 0, 0, 0, 9]).0);
        assert!(!index(&[1, 0, 0, 0, tag::SUBTYPE]).0);
        assert_eq!(index(&[1, 0, 0, 0, tag::SUBTYPE, 74, tag::NULL]), (true, 0));
        let mut scalar = Scalar { function: |_: &Context<'_>| Ok(1), offsets };
        let mut reply = Writer::default();
        assert!(scalar.call(Event::Scalar, &mut Reader(&[3, 1]), &mut reply).is_err());
    }
}
