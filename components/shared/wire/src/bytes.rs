//! Integers, texts and values in bytes. Integers are little-endian. A text or blob is its length
//! (u32), its bytes, and one zero byte. A value is its tag (u8) and its payload.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;

use crate::{Value, tag};

/// The length of a text or blob that is a null pointer.
pub(crate) const NULL_POINTER: u32 = u32::MAX;

/// Why bytes cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// They end too early, or have a tag or opcode that does not exist.
    Malformed,
    /// SQL that is not UTF-8.
    NotUtf8,
    /// A name with a zero byte.
    NulInName,
}

/// Bytes to be read from the front: those that are left.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next `N` bytes.
    #[inline]
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (first, rest) = self.0.split_first_chunk().ok_or(Error::Malformed)?;
        self.0 = rest;
        Ok(*first)
    }

    /// The next byte.
    #[inline]
    pub fn u8(&mut self) -> Result<u8, Error> {
        self.take().map(|[byte]| byte)
    }

    /// Whether the next byte is not 0.
    #[inline]
    pub fn bool(&mut self) -> Result<bool, Error> {
        self.u8().map(|byte| byte != 0)
    }

    /// A handle, parameter, offset, length, limit or count.
    #[inline]
    pub fn u32(&mut self) -> Result<u32, Error> {
        self.take().map(u32::from_le_bytes)
    }

    /// An integer or row id.
    #[inline]
    pub fn i64(&mut self) -> Result<i64, Error> {
        self.take().map(i64::from_le_bytes)
    }

    /// A text or blob, without its zero byte.
    #[inline]
    pub fn bytes(&mut self) -> Result<&'a [u8], Error> {
        self.terminated().map(|bytes| &bytes[..bytes.len() - 1])
    }

    /// A text or blob with its zero byte.
    #[inline]
    pub fn terminated(&mut self) -> Result<&'a [u8], Error> {
        let length = (self.u32()? as usize).checked_add(1).ok_or(Error::Malformed)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Error::Malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// The text of SQL.
    pub fn sql(&mut self) -> Result<&'a str, Error> {
        core::str::from_utf8(self.bytes()?).map_err(|_| Error::NotUtf8)
    }

    /// The name of a table, column or schema.
    pub fn name(&mut self) -> Result<&'a CStr, Error> {
        CStr::from_bytes_with_nul(self.terminated()?).map_err(|_| Error::NulInName)
    }

    /// A name that is sent as a value; `None` for NULL.
    pub fn optional_name(&mut self) -> Result<Option<&'a CStr>, Error> {
        match self.u8()? {
            tag::NULL => Ok(None),
            tag::TEXT => self.name().map(Some),
            _ => Err(Error::Malformed),
        }
    }

    /// A text or blob, or `None` for a null pointer.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`].
    pub fn optional_bytes(&mut self) -> Result<Option<&'a [u8]>, Error> {
        let mut after = *self;
        if after.u32()? == NULL_POINTER {
            *self = after;
            return Ok(None);
        }
        self.bytes().map(Some)
    }

    /// A count and as many names, which can then be read one by one.
    pub fn names(&mut self) -> Result<Names<'a>, Error> {
        let count = self.u32()?;
        let names = Names { count, rest: *self };
        for _ in 0..count {
            self.terminated()?;
        }
        Ok(names)
    }

    /// A value.
    #[inline]
    pub fn value(&mut self) -> Result<Value<&'a [u8]>, Error> {
        Ok(match self.u8()? {
            tag::NULL => Value::Null,
            tag::INTEGER => Value::Integer(self.i64()?),
            tag::REAL => Value::Real(f64::from_le_bytes(self.take()?)),
            tag::TEXT => Value::Text(self.bytes()?),
            tag::BLOB => Value::Blob(self.bytes()?),
            _ => return Err(Error::Malformed),
        })
    }
}

/// Names of parameters or columns.
#[derive(Clone, Debug)]
pub struct Names<'a> {
    count: u32,
    rest: Reader<'a>,
}

impl<'a> Iterator for Names<'a> {
    type Item = Cow<'a, str>;

    fn next(&mut self) -> Option<Self::Item> {
        self.count = self.count.checked_sub(1)?;
        self.rest.bytes().ok().map(String::from_utf8_lossy)
    }
}

/// Bytes that are written.
#[derive(Clone, Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// A writer with this capacity.
    pub fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// A byte.
    #[inline]
    pub fn u8(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// A handle, parameter, offset, length, limit or count.
    #[inline]
    pub fn u32(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// An integer or row id.
    #[inline]
    pub fn i64(&mut self, number: i64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// A text or blob. The lists of components have 32 bits for their lengths.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.u32(bytes.len() as u32);
        self.0.extend_from_slice(bytes);
        self.u8(0);
    }

    /// A text or blob, or a null pointer. One that is longer than any memory of a component becomes
    /// a null pointer.
    pub fn optional_bytes(&mut self, bytes: Option<&[u8]>) {
        let length = bytes.and_then(|bytes| u32::try_from(bytes.len()).ok());
        match (bytes, length) {
            (Some(bytes), Some(length)) if length != NULL_POINTER => self.bytes(bytes),
            _ => self.u32(NULL_POINTER),
        }
    }

    /// The value NULL.
    #[inline]
    pub fn null(&mut self) {
        self.u8(tag::NULL);
    }

    /// An integer as a value.
    #[inline]
    pub fn integer(&mut self, integer: i64) {
        self.tagged(tag::INTEGER, integer.to_le_bytes());
    }

    /// A tag and eight bytes, with one look at the room.
    #[inline]
    fn tagged(&mut self, tag: u8, number: [u8; 8]) {
        let mut bytes = [tag; 9];
        bytes[1..].copy_from_slice(&number);
        self.0.extend_from_slice(&bytes);
    }

    /// A real as a value.
    #[inline]
    pub fn real(&mut self, real: f64) {
        self.tagged(tag::REAL, real.to_le_bytes());
    }

    /// A text as a value.
    #[inline]
    pub fn text(&mut self, text: &[u8]) {
        self.u8(tag::TEXT);
        self.bytes(text);
    }

    /// A blob as a value.
    #[inline]
    pub fn blob(&mut self, blob: &[u8]) {
        self.u8(tag::BLOB);
        self.bytes(blob);
    }

    /// A value.
    #[inline]
    pub fn value(&mut self, value: Value<&[u8]>) {
        match value {
            Value::Null => self.null(),
            Value::Integer(integer) => self.integer(integer),
            Value::Real(real) => self.real(real),
            Value::Text(text) => self.text(text),
            Value::Blob(blob) => self.blob(blob),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_were_written() {
        let values = [
            Value::Null,
            Value::Integer(i64::MIN),
            Value::Real(-0.5),
            Value::Text(b"a\0b".as_slice()),
            Value::Blob([].as_slice()),
        ];
        let mut writer = Writer::default();
        values.iter().for_each(|value| writer.value(*value));
        let mut reader = Reader(&writer.0);
        for value in values {
            assert_eq!(reader.value(), Ok(value));
        }
        assert!(reader.is_empty());
        assert_eq!(reader.value(), Err(Error::Malformed));
    }

    #[test]
    fn a_value_that_is_cut_off_or_has_another_tag_is_malformed() {
        let mut writer = Writer::default();
        writer.text(b"text");
        for length in 0..writer.0.len() {
            assert_eq!(Reader(&writer.0[..length]).value(), Err(Error::Malformed));
        }
        assert_eq!(Reader(&[5]).value(), Err(Error::Malformed));
        assert_eq!(Reader(&[3, 255, 255, 255, 255]).value(), Err(Error::Malformed));
    }

    #[test]
    fn names_are_c_strings() {
        let mut writer = Writer::default();
        writer.text(b"main");
        writer.null();
        writer.bytes(b"a\0b");
        let mut reader = Reader(&writer.0);
        assert_eq!(reader.optional_name(), Ok(Some(c"main")));
        assert_eq!(reader.optional_name(), Ok(None));
        assert_eq!(reader.name(), Err(Error::NulInName));
    }
}
