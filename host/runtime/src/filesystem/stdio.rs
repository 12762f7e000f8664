//! Standard input and output of a component: unbuffered system calls on the
//! calling thread.
//!
//! The streams of `wasmtime-wasi` pass each read to another thread, which
//! doubles the time of a script on standard input. The component itself buffers
//! 64 KiB.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::{Bytes, BytesMut};
use rustix::termios::isatty;
use tokio::io::{AsyncRead, AsyncWrite};
use wasmtime_wasi::cli::{IsTerminal, StdinStream, StdoutStream};
use wasmtime_wasi::p2::{InputStream, OutputStream, Pollable, StreamError, StreamResult};

use crate::filesystem::mapping;
use crate::limits::stop::{DeadlineFlag, Stop};

/// Largest read or write: the size of the component's own buffer.
const PIECE_BYTES: usize = 64 << 10;

/// One direction of standard input or output.
pub struct Stream<T> {
    inner: Arc<Mutex<T>>,
    is_terminal: bool,
    /// Ends a program that uses the stream after its deadline.
    deadline_flag: DeadlineFlag,
}

impl<T> Clone for Stream<T> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            is_terminal: self.is_terminal,
            deadline_flag: self.deadline_flag.clone(),
        }
    }
}

impl<T> Stream<T> {
    /// A stream for `inner`. The component treats it as a terminal if
    /// `is_terminal`.
    pub fn new(inner: T, is_terminal: bool) -> Self {
        Self {
            inner: Arc::new(Mutex::new(inner)),
            is_terminal,
            deadline_flag: DeadlineFlag::default(),
        }
    }

    /// The same stream for a program with this deadline flag.
    pub fn until(&self, deadline_flag: DeadlineFlag) -> Self {
        Self { deadline_flag, ..self.clone() }
    }

    /// The stream itself. A lock poisoned by a panic is fine, since the stream
    /// has no state that could be inconsistent.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// An input stream.
pub type Input = Stream<Box<dyn Read + Send>>;
/// An output stream.
pub type Output = Stream<Box<dyn Write + Send>>;

impl Output {
    /// Write all of `data`.
    ///
    /// # Errors
    ///
    /// [`StreamError::Trap`] when the program must end: its reader went away,
    /// or its deadline has passed.
    pub fn put(&self, data: &[u8]) -> StreamResult<()> {
        self.deadline_flag.check().and_then(|()| mapping::check()).map_err(StreamError::Trap)?;
        self.lock().write_all(data).map_err(failed)
    }
}

/// Standard input, output and error.
#[derive(Clone)]
pub struct Stdio {
    /// Standard input.
    pub input: Input,
    /// Standard output.
    pub output: Output,
    /// Standard error.
    pub error: Output,
}

impl Stdio {
    /// The streams of this process.
    pub fn inherited() -> Self {
        use rustix::stdio::{stderr, stdin, stdout};
        Self {
            input: Stream::new(Box::new(Descriptor(stdin())), isatty(stdin())),
            output: Stream::new(Box::new(Descriptor(stdout())), isatty(stdout())),
            error: Stream::new(Box::new(Descriptor(stderr())), isatty(stderr())),
        }
    }
}

/// A descriptor of this process without a buffer.
struct Descriptor(rustix::fd::BorrowedFd<'static>);

impl Read for Descriptor {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(self.0, buffer)?)
    }
}

impl Write for Descriptor {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(self.0, data)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<T> IsTerminal for Stream<T> {
    fn is_terminal(&self) -> bool {
        self.is_terminal
    }
}

impl StdinStream for Input {
    fn async_stream(&self) -> Box<dyn AsyncRead + Send + Sync> {
        // Unused: WASI 0.2 calls `p2_stream`.
        Box::new(tokio::io::empty())
    }

    fn p2_stream(&self) -> Box<dyn InputStream> {
        Box::new(self.clone())
    }
}

impl StdoutStream for Output {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        // Unused, as above.
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[wasmtime_wasi::async_trait]
impl<T: Send + 'static> Pollable for Stream<T> {
    /// Reading and writing block instead.
    async fn ready(&mut self) {}
}

impl InputStream for Input {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        self.deadline_flag.check().and_then(|()| mapping::check()).map_err(StreamError::Trap)?;
        let mut buffer = BytesMut::zeroed(size.min(PIECE_BYTES));
        let count = loop {
            match self.lock().read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result.map_err(failed)?,
            }
        };
        if count == 0 && size > 0 {
            return Err(StreamError::Closed);
        }
        buffer.truncate(count);
        Ok(buffer.freeze())
    }
}

impl OutputStream for Output {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.put(&bytes)
    }

    fn flush(&mut self) -> StreamResult<()> {
        self.lock().flush().map_err(failed)
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(PIECE_BYTES)
    }
}

/// A reader that went away ends the program, as SIGPIPE does natively.
fn failed(error: io::Error) -> StreamError {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return StreamError::Trap(wasmtime::Error::new(Stop::BrokenPipe));
    }
    StreamError::LastOperationFailed(error.into())
}
