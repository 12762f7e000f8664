//! Values of SQLite: its five storage classes.

/// The tag of a value: its case in `types.value`. In memory, the canonical ABI has it in
/// the first of 16 bytes and the payload in the last eight.
pub mod tag {
    /// SQL NULL.
    pub const NULL: u8 = 0;
    /// A 64-bit integer.
    pub const INTEGER: u8 = 1;
    /// A 64-bit real.
    pub const REAL: u8 = 2;
    /// Text.
    pub const TEXT: u8 = 3;
    /// A blob.
    pub const BLOB: u8 = 4;
}

/// A value, whose text or blob is borrowed (`&[u8]`) or owned (`Vec<u8>`). Its tags are
/// those of [`tag`], and with bytes that are laid out as a list it is laid out as the
/// variant `types.value`. Text that is known to be UTF-8 can have a type of its own.
#[repr(C, u8)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<Bytes, Text = Bytes> {
    /// SQL NULL.
    Null,
    /// A 64-bit integer.
    Integer(i64),
    /// A 64-bit real.
    Real(f64),
    /// Text, in any bytes.
    Text(Text),
    /// A blob.
    Blob(Bytes),
}

impl<Bytes> Value<Bytes> {
    /// The same value with other bytes.
    #[inline]
    pub fn map<Other>(self, bytes: impl FnOnce(Bytes) -> Other) -> Value<Other> {
        match self {
            Self::Null => Value::Null,
            Self::Integer(integer) => Value::Integer(integer),
            Self::Real(real) => Value::Real(real),
            Self::Text(text) => Value::Text(bytes(text)),
            Self::Blob(blob) => Value::Blob(bytes(blob)),
        }
    }
}

impl<Bytes: AsRef<[u8]>, Text: AsRef<[u8]>> Value<Bytes, Text> {
    /// The same value, borrowing its bytes.
    #[inline]
    pub fn borrowed(&self) -> Value<&[u8]> {
        match self {
            Self::Null => Value::Null,
            Self::Integer(integer) => Value::Integer(*integer),
            Self::Real(real) => Value::Real(*real),
            Self::Text(text) => Value::Text(text.as_ref()),
            Self::Blob(blob) => Value::Blob(blob.as_ref()),
        }
    }
}
