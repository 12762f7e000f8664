//! Rows, read one after the other, with a limit on the memory that a file can take.

use crate::arguments::Format;
use flate2::read::MultiGzDecoder;
use rfc4180::{Reader, ReaderBuilder, StringRecord};
use sqlite_wasm_kit::{Error, Result, Value, code};
use std::fs::File;
use std::io::{self, Cursor, Read};

/// Maximum size of a row in bytes, plus or minus a buffer, also of one that was packed.
///
/// A quote that is never closed makes the rest of a file one field. Several copies of a row exist
/// on its way to SQLite; by default the extension's memory is eight times this limit.
pub const MAX_ROW_BYTES: usize = 64 << 20;

/// Bytes of one read: a read from the sandbox is many times slower than one outside.
const BUFFER_BYTES: usize = 256 << 10;

/// The rows of a source.
pub struct Rows {
    reader: Reader<Bounded>,
    record: StringRecord,
    /// For errors.
    name: String,
}

impl Rows {
    pub fn of_file(name: &str, format: Format) -> Result<Self> {
        let file = File::open(name).map_err(|error| {
            Error::new(code::CANTOPEN, format!("cannot open {name:?}: {error}"))
        })?;
        let content: Box<dyn Read> = if name.ends_with(".gz") {
            Box::new(MultiGzDecoder::new(file))
        } else {
            Box::new(file)
        };
        Ok(Self::new(content, name.to_owned(), format))
    }

    /// Of a blob, which is the content, or of a file whose name it is.
    pub fn of_value(source: Value, format: Format) -> Result<Self> {
        match source {
            Value::Blob(content) => {
                Ok(Self::new(Box::new(Cursor::new(content)), "the blob".into(), format))
            }
            source => match source.as_str() {
                Some(Ok(name)) => Self::of_file(name, format),
                _ => Err("the source must be the name of a file, or a blob".into()),
            },
        }
    }

    fn new(content: Box<dyn Read>, name: String, format: Format) -> Self {
        let reader = ReaderBuilder::new()
            .has_headers(format.has_header)
            .delimiter(format.delimiter)
            .quote(format.quote)
            .buffer_capacity(BUFFER_BYTES)
            .from_reader(Bounded { content, left: MAX_ROW_BYTES });
        Self { reader, record: StringRecord::new(), name }
    }

    /// The first row, which is also the next one if there is no header.
    pub fn first(&mut self) -> Result<&StringRecord> {
        match self.reader.headers() {
            Ok(record) => Ok(record),
            Err(error) => Err(failed(&self.name, &error)),
        }
    }

    /// The next row; none after the last.
    pub fn next(&mut self) -> Result<Option<&StringRecord>> {
        self.reader.get_mut().left = MAX_ROW_BYTES;
        match self.reader.read_record(&mut self.record) {
            Ok(true) => Ok(Some(&self.record)),
            Ok(false) => Ok(None),
            Err(error) => Err(failed(&self.name, &error)),
        }
    }
}

fn failed(name: &str, error: &rfc4180::Error) -> Error {
    Error::new(code::IOERR, format!("cannot read {name:?}: {error}"))
}

/// A source that fails when a row is too large.
struct Bounded {
    content: Box<dyn Read>,
    left: usize,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.content.read(buffer)?;
        self.left = self.left.checked_sub(count).ok_or_else(|| {
            io::Error::other(format!("a row is larger than {MAX_ROW_BYTES} bytes"))
        })?;
        Ok(count)
    }
}
