//! Values of SQLite: its five storage classes.

macro_rules! tags {
    ($($(#[doc = $doc:literal])* $name:ident = $number:literal;)*) => {
        /// The tag of a value. The first ones are the cases of `types.value`; in memory, the
        /// canonical ABI has the case in the first of 16 bytes and the payload in the last eight.
        /// The others are only in the calls of SQLite's functions.
        pub mod tag {
            $($(#[doc = $doc])* pub const $name: u8 = $number;)*

            /// All of them, with their names and the lines of their descriptions.
            pub const ALL: &[(&str, u8, &[&str])] =
                &[$((stringify!($name), $name, &[$($doc),*])),*];
        }
    };
}

tags! {
    /// SQL NULL.
    NULL = 0;
    /// A 64-bit integer.
    INTEGER = 1;
    /// A 64-bit real.
    REAL = 2;
    /// Text.
    TEXT = 3;
    /// A blob.
    BLOB = 4;
    /// A blob of zeros: its length (u64).
    ZEROS = 5;
    /// A pointer of the program: its id (u32).
    POINTER = 6;
    /// A subtype (u8), and the value.
    SUBTYPE = 7;
    /// A column that UPDATE does not change, or a missing value.
    MISSING = 8;
    /// All values of an IN, for xFilter: their length in bytes (u32), and the values.
    LIST = 9;
}

/// A value, whose text or blob is borrowed (`&[u8]`) or owned (`Vec<u8>`). Its tags are
/// those of [`tag`], and with bytes that are laid out as a list it is laid out as the
/// variant `types.value`. Text that is known to be UTF-8 can have a separate type.
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
