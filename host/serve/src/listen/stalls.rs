//! Connections whose client does not read end: their replies would stay in memory.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long a client may read nothing of a reply.
const STALL_TIME: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 30_000 });

/// A stream of which writing fails when nothing can be written for some time.
pub struct Stalls<S> {
    stream: S,
    stall: Option<Pin<Box<Sleep>>>,
    time: Duration,
}

impl<S> Stalls<S> {
    pub fn new(stream: S) -> Self {
        Self { stream, stall: None, time: STALL_TIME }
    }

    /// The outcome of a write, and a failure where it has been pending for too long.
    fn limited<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stall = None;
            return written;
        }
        let time = self.time;
        let stall = self.stall.get_or_insert_with(|| Box::pin(sleep(time)));
        stall.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stalls<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stalls<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limited(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.limited(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.limited(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn a_client_that_does_not_read_is_dropped() {
        let (near, mut far) = duplex(8);
        let mut near = Stalls::new(near);
        near.write_all(b"12345678").await.unwrap();
        let error = near.write_all(b"9").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        far.read_exact(&mut [0; 8]).await.unwrap();
        near.write_all(b"9").await.unwrap();
    }
}
