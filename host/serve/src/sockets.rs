//! TCP and Unix sockets behind one type.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use rustix::fs::Mode;
use sqlite_wasm_runtime::installation::owner::{is_trusted, replaceable_in};
use sqlite_wasm_runtime::words::escape::escaped;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

/// The umask for files that only the owner can use.
const OTHERS: Mode = Mode::from_raw_mode(0o177);

/// A socket that listens. It is bound before the second wall goes up, and registered with the
/// runtime after it.
#[derive(Debug)]
pub enum Bound {
    Tcp(std::net::TcpListener),
    Unix(std::os::unix::net::UnixListener),
}

/// A socket that accepts connections.
#[derive(Debug)]
pub enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// An accepted connection.
#[derive(Debug)]
pub enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// Listen at an address.
///
/// # Errors
///
/// Where it is in use, or not this machine's.
pub fn bind_tcp(address: SocketAddr) -> Result<(Bound, SocketAddr)> {
    let listener = std::net::TcpListener::bind(address);
    let listener = listener.with_context(|| format!("failed to listen at {address}"))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((Bound::Tcp(listener), address))
}

/// Listen at `name` in a directory; nobody but this user can connect. A socket that no server
/// listens at any more is replaced.
///
/// # Errors
///
/// If a server listens there, or if the directory is missing or others may write it: they could
/// replace the socket with their own.
pub fn bind_unix(directory: &Path, name: &str) -> Result<(Bound, PathBuf)> {
    let shown_path = directory.join(name);
    let shown = escaped(&shown_path);
    let opened = std::fs::File::open(directory).and_then(|opened| Ok((opened.metadata()?, opened)));
    let (found, opened) =
        opened.with_context(|| format!("failed to open `{}`", escaped(directory)))?;
    let is_safe = found.is_dir() && is_trusted(&found)?;
    ensure!(
        is_safe,
        "others own `{0}` or may write it, and could replace the socket; use a directory of your own, \
         with `chmod 700`",
        escaped(directory)
    );
    if let Some(above) = replaceable_in(&opened)? {
        bail!(
            "others own `{}` or may write it, and could replace the directory of the socket",
            escaped(&above)
        );
    }
    // The directory that was looked at, whatever its name leads to by now.
    let path = PathBuf::from(format!("/proc/self/fd/{}/{name}", opened.as_raw_fd()));
    if path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket()) {
        if std::os::unix::net::UnixStream::connect(&path).is_ok() {
            bail!("another server listens at `{shown}`");
        }
        std::fs::remove_file(&path)?;
    }
    // No thread runs yet that would create a file meanwhile.
    let before = rustix::process::umask(OTHERS);
    let listener = std::os::unix::net::UnixListener::bind(&path);
    rustix::process::umask(before);
    let listener = listener.with_context(|| format!("failed to listen at `{shown}`"))?;
    listener.set_nonblocking(true)?;
    Ok((Bound::Unix(listener), shown_path))
}

impl Bound {
    /// Register it with the runtime.
    ///
    /// # Errors
    ///
    /// When the system refuses it.
    pub fn listen(self) -> io::Result<Socket> {
        match self {
            Self::Tcp(listener) => TcpListener::from_std(listener).map(Socket::Tcp),
            Self::Unix(listener) => UnixListener::from_std(listener).map(Socket::Unix),
        }
    }
}

impl Socket {
    /// # Errors
    ///
    /// The system's, such as too many open files.
    pub async fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // Replies are written whole; waiting for more would delay them.
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
            Self::Unix(listener) => Ok(Stream::Unix(listener.accept().await?.0)),
        }
    }
}

/// An accepted connection that one thread reads and writes.
#[derive(Debug)]
pub enum Plain {
    Tcp(std::net::TcpStream),
    Unix(std::os::unix::net::UnixStream),
}

macro_rules! each {
    ($self:ident, $stream:ident => $call:expr) => {
        match $self {
            Self::Tcp($stream) => $call,
            Self::Unix($stream) => $call,
        }
    };
}

impl Stream {
    /// The client's address; none of a Unix socket.
    pub fn address(&self) -> Option<IpAddr> {
        match self {
            Self::Tcp(stream) => {
                let gone = IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED);
                Some(stream.peer_addr().map_or(gone, |address| address.ip()))
            }
            Self::Unix(_) => None,
        }
    }

    /// Take it from the runtime.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn into_plain(self) -> io::Result<Plain> {
        let plain = match self {
            Self::Tcp(stream) => Plain::Tcp(stream.into_std()?),
            Self::Unix(stream) => Plain::Unix(stream.into_std()?),
        };
        plain.blocking()?;
        Ok(plain)
    }
}

impl AsFd for Plain {
    fn as_fd(&self) -> BorrowedFd<'_> {
        each!(self, stream => stream.as_fd())
    }
}

impl Plain {
    /// Let the system look now and then whether the client is still there.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn keep_alive(&self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => Ok(rustix::net::sockopt::set_socket_keepalive(stream, true)?),
            Self::Unix(_) => Ok(()),
        }
    }

    fn blocking(&self) -> io::Result<()> {
        each!(self, stream => stream.set_nonblocking(false))
    }

    /// How long to wait for bytes of the client.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn read_timeout(&self, time: Duration) -> io::Result<()> {
        each!(self, stream => stream.set_read_timeout(Some(time)))
    }

    /// How long to wait while the client reads nothing.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn write_timeout(&self, time: Duration) -> io::Result<()> {
        each!(self, stream => stream.set_write_timeout(Some(time)))
    }

    /// End it in this direction.
    ///
    /// # Errors
    ///
    /// The system's, where it has ended.
    pub fn shut(&self, how: Shutdown) -> io::Result<()> {
        each!(self, stream => stream.shutdown(how))
    }

    /// The same connection again.
    ///
    /// # Errors
    ///
    /// Where there are too many open files.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Tcp(stream) => Self::Tcp(stream.try_clone()?),
            Self::Unix(stream) => Self::Unix(stream.try_clone()?),
        })
    }
}

impl Read for Plain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        each!(self, stream => stream.read(buffer))
    }
}

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        each!(self, stream => stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        each!(self, stream => stream.flush())
    }
}

macro_rules! either {
    ($self:ident, $stream:ident => $call:expr) => {
        match $self.get_mut() {
            Self::Tcp($stream) => $call,
            Self::Unix($stream) => $call,
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_read(context, buffer))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => Pin::new(stream).poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_shutdown(context))
    }
}
