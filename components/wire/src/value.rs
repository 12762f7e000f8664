//! Values of SQLite.

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

/// A value, whose text or blob is borrowed (`&[u8]`) or owned (`Vec<u8>`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<Bytes> {
    /// SQL NULL.
    Null,
    /// A 64-bit integer.
    Integer(i64),
    /// A 64-bit real.
    Real(f64),
    /// Text, in any bytes.
    Text(Bytes),
    /// A blob.
    Blob(Bytes),
}
