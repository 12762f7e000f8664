//! Rows, read one after the other, with a limit on the memory that a file can take.

use std::fs::{self, File};
use std::io::{self, Read};
use std::rc::Rc;

use rfc4180::{ByteRecord, Reader, ReaderBuilder};
use sqlite_wasm_kit::{Error, Result, code};

use crate::parameters::Source;

/// Maximum size of a row in bytes, plus or minus a buffer.
///
/// A quote that is never closed makes the rest of a file one field. Several copies of a row exist
/// on its way to SQLite; by default the extension's memory is eight times this limit.
pub const MAX_ROW_BYTES: usize = 64 << 20;

/// Bytes of one read: a read from the sandbox is many times slower than one outside.
const BUFFER_BYTES: usize = 256 << 10;

/// The rows of a source.
pub struct Rows {
    reader: Reader<Bounded>,
    record: ByteRecord,
    /// For errors.
    name: String,
}

impl Rows {
    pub fn open(source: &Source) -> Result<Self> {
        let (content, name): (Box<dyn Read>, _) = match source {
            Source::File(name) => (Box::new(file(name)?), name.clone()),
            Source::Data(data) => (Box::new(io::Cursor::new(Text(data.clone()))), "data".into()),
        };
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(BUFFER_BYTES)
            .from_reader(Bounded { content, left: 0 });
        Ok(Self { reader, record: ByteRecord::new(), name })
    }

    /// The next row; none after the last.
    #[inline]
    pub fn next(&mut self) -> Result<Option<&ByteRecord>> {
        self.reader.get_mut().left = MAX_ROW_BYTES;
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => Ok(Some(&self.record)),
            Ok(false) => Ok(None),
            Err(error) => Err(Error::new(code::IOERR, self.error(&error.to_string()).message)),
        }
    }

    /// An error with the line at which the row begins.
    pub fn error(&self, what: &str) -> Error {
        let position = self.record.position().unwrap_or(self.reader.position());
        format!("{}: line {}: {what}", self.name, position.line()).into()
    }
}

/// The content of `data=`.
struct Text(Rc<str>);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Check the file before opening it: opening a pipe waits for a writer.
fn file(name: &str) -> Result<File> {
    let refused = |why: &str| Error::from(format!("cannot open '{name}' for reading: {why}"));
    let kind = fs::metadata(name).map_err(|error| refused(&why(&error)))?.file_type();
    if kind.is_dir() {
        return Err(refused("it is a directory"));
    }
    if !kind.is_file() {
        return Err(refused("it is no ordinary file"));
    }
    File::open(name).map_err(|error| refused(&why(&error)))
}

/// In a sandbox, a directory that was not granted does not exist.
fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file in a granted directory".into(),
        io::ErrorKind::PermissionDenied => {
            "it may not be read, or leads out of its directory".into()
        }
        _ => error.to_string(),
    }
}

/// A reader that returns this many bytes and then fails.
struct Bounded {
    content: Box<dyn Read>,
    left: usize,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            let why = format!("a row is longer than {MAX_ROW_BYTES} bytes; is a quote not closed?");
            return Err(io::Error::other(why));
        }
        let room = buffer.len().min(self.left);
        let count = self.content.read(&mut buffer[..room])?;
        self.left -= count;
        Ok(count)
    }
}
