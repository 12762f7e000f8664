//! The types that parameters of operations have.

use core::ffi::CStr;

use crate::bytes::NULL_POINTER;
use crate::{Error, Reader, Value, Writer, tag};

/// A type of parameters: its bytes, and its name in the documents.
pub trait Parameter<'a>: Sized {
    /// The name of the type.
    const TYPE: &'static str;

    /// Read it.
    ///
    /// # Errors
    ///
    /// The bytes are not one.
    fn read(from: &mut Reader<'a>) -> Result<Self, Error>;

    /// Write it.
    fn put(self, to: &mut Writer);
}

macro_rules! parameters {
    ($($type:ty = $name:literal, $read:expr, $put:expr;)*) => {
        $(impl<'a> Parameter<'a> for $type {
            const TYPE: &'static str = $name;

            #[inline]
            fn read(from: &mut Reader<'a>) -> Result<Self, Error> {
                $read(from)
            }

            #[inline]
            fn put(self, to: &mut Writer) {
                $put(to, self);
            }
        })*
    };
}

parameters! {
    u8 = "u8", Reader::u8, Writer::u8;
    bool = "u8", Reader::bool, |to: &mut Writer, flag: bool| to.u8(flag.into());
    u32 = "u32", Reader::u32, Writer::u32;
    i32 = "s32", read_i32, |to: &mut Writer, number: i32| to.u32(number.cast_unsigned());
    i64 = "s64", Reader::i64, Writer::i64;
    &'a str = "text", Reader::sql, |to: &mut Writer, text: &str| to.bytes(text.as_bytes());
    &'a [u8] = "blob", Reader::bytes, Writer::bytes;
    &'a CStr = "text", Reader::name, |to: &mut Writer, name: &CStr| to.bytes(name.to_bytes());
    Option<&'a CStr> = "text or none", Reader::optional_name, put_optional_name;
    Option<&'a [u8]> = "text or null", Reader::optional_bytes, Writer::optional_bytes;
    Text<'a> = "text or null", Text::read_any, Text::put_any;
    Value<&'a [u8]> = "value", Reader::value, Writer::value;
    Bound<'a> = "value", Bound::read_any, Bound::put_any;
    Locations<'a> = "as described", Locations::read_all, Locations::put_all;
    Database<'a> = "value", Database::read_any, Database::put_any;
    Rest<'a> = "as described", Rest::read_all, |to: &mut Writer, rest: Rest| to.0.extend_from_slice(rest.0);
}

fn read_i32(from: &mut Reader) -> Result<i32, Error> {
    from.u32().map(u32::cast_signed)
}

fn put_optional_name(to: &mut Writer, name: Option<&CStr>) {
    match name {
        None => to.null(),
        Some(name) => to.text(name.to_bytes()),
    }
}

/// The location of a blob: flags, row id, schema, table, column.
#[derive(Clone, Copy, Debug)]
pub struct BlobLocation<'a> {
    /// It is opened for writing too: flag 1.
    pub is_writable: bool,
    /// It is closed when the extension's call ends, unless it is kept: flag 2. Its handle stays in
    /// use until it is closed too, possibly in a later call.
    pub ends_with_call: bool,
    /// The row.
    pub row_id: i64,
    /// The database.
    pub schema: &'a CStr,
    /// The table.
    pub table: &'a CStr,
    /// The column.
    pub column: &'a CStr,
    /// These fields as they were received; see [`BlobLocation::set_row_id`].
    pub key: &'a [u8],
}

impl<'a> BlobLocation<'a> {
    /// Read it.
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, Error> {
        let start = reader.0;
        let (flags, row_id) = (reader.u8()?, reader.i64()?);
        let (is_writable, ends_with_call) = (flags & 1 != 0, flags & 2 != 0);
        let (schema, table, column) = (reader.name()?, reader.name()?, reader.name()?);
        let key = &start[..start.len() - reader.0.len()];
        Ok(Self { is_writable, ends_with_call, row_id, schema, table, column, key })
    }

    /// Change the row id in a [`BlobLocation::key`].
    pub fn set_row_id(key: &mut [u8], row_id: i64) {
        key[1..9].copy_from_slice(&row_id.to_le_bytes());
    }

    fn skip(reader: &mut Reader<'a>) -> Result<(), Error> {
        reader.take::<9>()?;
        (0..3).try_for_each(|_| reader.terminated().map(|_| ()))
    }
}

/// A count and as many locations of blobs, which [`BlobLocation::read`] reads one by one.
#[derive(Clone, Copy, Debug)]
pub struct Locations<'a> {
    /// How many there are.
    pub count: u32,
    /// All of them.
    pub all: Reader<'a>,
}

impl<'a> Locations<'a> {
    fn read_all(from: &mut Reader<'a>) -> Result<Self, Error> {
        let count = from.u32()?;
        let start = from.0;
        (0..count).try_for_each(|_| BlobLocation::skip(from))?;
        Ok(Self { count, all: Reader(&start[..start.len() - from.0.len()]) })
    }

    fn put_all(to: &mut Writer, locations: Self) {
        to.u32(locations.count);
        to.0.extend_from_slice(locations.all.0);
    }
}

/// A database of the connection.
#[derive(Clone, Copy, Debug)]
pub enum Database<'a> {
    /// Without a name SQLite means `main`, or all databases for the state of transactions.
    Named(Option<&'a CStr>),
    /// The position in `PRAGMA database_list`.
    At(i64),
}

impl<'a> Database<'a> {
    fn read_any(reader: &mut Reader<'a>) -> Result<Self, Error> {
        match reader.0.first() {
            Some(&tag::INTEGER) => {
                reader.u8()?;
                reader.i64().map(Self::At)
            }
            _ => reader.optional_name().map(Self::Named),
        }
    }

    fn put_any(to: &mut Writer, database: Self) {
        match database {
            Self::Named(name) => put_optional_name(to, name),
            Self::At(position) => to.integer(position),
        }
    }
}

/// A text for SQLite's functions, which may end at its first zero; `None` for a null pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a>(Option<&'a [u8]>);

impl<'a> Text<'a> {
    /// A text with its zero byte.
    pub fn new(text: &'a CStr) -> Self {
        Self(Some(text.to_bytes_with_nul()))
    }

    /// Its bytes, and the zero byte behind them.
    #[inline]
    pub fn terminated(self) -> Option<&'a [u8]> {
        self.0
    }

    /// Its bytes.
    pub fn bytes(self) -> Option<&'a [u8]> {
        self.0.map(|bytes| &bytes[..bytes.len() - 1])
    }

    /// Its bytes up to the first zero.
    pub fn c_str(self) -> Option<&'a CStr> {
        self.0.and_then(|bytes| CStr::from_bytes_until_nul(bytes).ok())
    }

    fn read_any(from: &mut Reader<'a>) -> Result<Self, Error> {
        let mut after = *from;
        if after.u32()? == NULL_POINTER {
            *from = after;
            return Ok(Self(None));
        }
        match from.terminated()? {
            bytes @ [.., 0] => Ok(Self(Some(bytes))),
            _ => Err(Error::Malformed),
        }
    }

    fn put_any(to: &mut Writer, text: Self) {
        to.optional_bytes(text.bytes());
    }
}

/// A value that a program binds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound<'a> {
    /// One that an extension can bind, too.
    Value(Value<&'a [u8]>),
    /// A blob of this many zeros.
    Zeros(u64),
    /// The id of a pointer.
    Pointer(u32),
}

impl<'a> Bound<'a> {
    #[inline]
    fn read_any(from: &mut Reader<'a>) -> Result<Self, Error> {
        match from.0.first() {
            Some(&tag::ZEROS) => {
                from.u8()?;
                from.i64().map(|count| Self::Zeros(count.cast_unsigned()))
            }
            Some(&tag::POINTER) => {
                from.u8()?;
                from.u32().map(Self::Pointer)
            }
            _ => from.value().map(Self::Value),
        }
    }

    fn put_any(to: &mut Writer, value: Self) {
        match value {
            Self::Value(value) => to.value(value),
            Self::Zeros(count) => {
                to.u8(tag::ZEROS);
                to.i64(count.cast_signed());
            }
            Self::Pointer(number) => {
                to.u8(tag::POINTER);
                to.u32(number);
            }
        }
    }
}

/// Parameters that depend on those before them, so that only the description of the operation says
/// what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest<'a>(pub &'a [u8]);

impl<'a> Rest<'a> {
    fn read_all(from: &mut Reader<'a>) -> Result<Self, Error> {
        let rest = core::mem::take(&mut from.0);
        Ok(Self(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'a, T: Parameter<'a>>(bytes: &'a [u8]) -> Result<T, Error> {
        T::read(&mut Reader(bytes))
    }

    fn written<'a, T: Parameter<'a>>(parameter: T) -> alloc::vec::Vec<u8> {
        let mut writer = Writer::default();
        parameter.put(&mut writer);
        writer.0
    }

    #[test]
    fn a_text_ends_with_a_zero_byte() {
        let text = written(Text::new(c"ab"));
        assert_eq!(read(&text), Ok(Text::new(c"ab")));
        assert_eq!(Text::new(c"ab").bytes(), Some(b"ab".as_slice()));
        assert_eq!(read::<Text>(&[2, 0, 0, 0, b'a', 0, 0]).map(Text::c_str), Ok(Some(c"a")));
        assert_eq!(read::<Text>(&[255; 4]).map(Text::c_str), Ok(None));
        assert_eq!(read::<Text>(&[1, 0, 0, 0, b'a', 1]), Err(Error::Malformed));
        assert_eq!(read::<Text>(&text[..6]), Err(Error::Malformed));
    }

    #[test]
    fn a_program_binds_more_than_values() {
        for value in [Bound::Value(Value::Text(b"a")), Bound::Zeros(1 << 40), Bound::Pointer(7)] {
            let bytes = written(value);
            assert_eq!(read(&bytes), Ok(value));
            assert_eq!(read::<Bound>(&bytes[..bytes.len() - 1]), Err(Error::Malformed));
        }
    }
}
