//! What carries the bytes of a client's connection: its socket, or TLS over it.

use std::io::{self, Read, Write};
use std::net::Shutdown;

use tokio_rustls::rustls::{ServerConnection, StreamOwned};

use crate::sockets::Plain;

/// What carries the bytes.
pub enum Transport {
    Plain(Plain),
    Tls(Box<StreamOwned<ServerConnection, Plain>>),
}

impl Transport {
    /// The socket.
    pub fn plain(&self) -> &Plain {
        match self {
            Self::Plain(plain) => plain,
            Self::Tls(tls) => &tls.sock,
        }
    }

    /// Whether bytes of the client wait here, and no longer in the socket.
    ///
    /// # Errors
    ///
    /// Where they are not TLS.
    pub fn has_read(&mut self) -> io::Result<bool> {
        match self {
            Self::Plain(_) => Ok(false),
            Self::Tls(tls) => {
                let state = tls.conn.process_new_packets().map_err(io::Error::other)?;
                Ok(state.plaintext_bytes_to_read() > 0)
            }
        }
    }

    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(plain) => plain.read(buffer),
            Self::Tls(tls) => tls.read(buffer),
        }
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(plain) => plain.write(bytes),
            Self::Tls(tls) => {
                send_encrypted(tls)?;
                tls.conn.writer().write(bytes)
            }
        }
    }

    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Tls(tls) => send_encrypted(tls),
        }
    }

    /// End the connection.
    pub fn close(&mut self) {
        if let Self::Tls(tls) = self {
            tls.conn.send_close_notify();
            let _ = send_encrypted(tls);
        }
        let _ = self.plain().shut(Shutdown::Both);
    }
}

/// Send what is encrypted. (The library's own stream would also read where that blocks, and wait for the
/// client.)
fn send_encrypted(tls: &mut StreamOwned<ServerConnection, Plain>) -> io::Result<()> {
    while tls.conn.wants_write() {
        if tls.conn.write_tls(&mut tls.sock)? == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
    }
    Ok(())
}
