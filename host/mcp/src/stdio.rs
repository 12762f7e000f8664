//! Standard input and output, as far as a message may go.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use sqlite_wasm_runtime::words::complaint::complain;
use tokio::io::{AsyncRead, ReadBuf};

/// Largest message, in bytes: it is kept as a whole, and decoded to several times as much.
pub const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// A reader of lines that fails where one is too long.
pub struct Bounded<R> {
    inner: R,
    /// Bytes since the end of the last line.
    used: usize,
}

impl<R> Bounded<R> {
    /// Read from `inner`.
    pub fn new(inner: R) -> Self {
        Self { inner, used: 0 }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        let read = &buf.filled()[before..];
        self.used = match read.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => read.len() - end - 1,
            None => self.used + read.len(),
        };
        if self.used > MAX_MESSAGE_BYTES {
            complain(format!(
                "sqlite-wasm-mcp: a message is longer than {MAX_MESSAGE_BYTES} bytes"
            ));
        }
        if self.used > MAX_MESSAGE_BYTES {
            Poll::Ready(Err(io::Error::other(format!(
                "a message is longer than {MAX_MESSAGE_BYTES} bytes"
            ))))
        } else {
            polled
        }
    }
}
