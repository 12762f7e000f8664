//! Messages of clients. Each is decoded from its own bytes, which can be malformed.

use crate::error::sqlstate::PROTOCOL_VIOLATION;
use crate::{Error, Result};

/// The kinds of objects that Describe and Close name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A prepared statement.
    Statement,
    /// A statement with its values.
    Portal,
}

/// A message after the start-up.
#[derive(Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// Statements of the simple protocol.
    Query(&'a str),
    /// Prepare a statement.
    Parse {
        /// Its name; empty for the unnamed one.
        name: &'a str,
        /// Its text.
        sql: &'a str,
        /// The types of parameters as OIDs, 0 for open ones.
        types: Vec<u32>,
    },
    /// Make a portal.
    Bind(Bind<'a>),
    /// Report the columns of an object, by its name.
    Describe(Target, &'a str),
    /// Run a portal.
    Execute {
        /// Its name; empty for the unnamed one.
        portal: &'a str,
        /// Rows at most; 0 for all.
        rows: u32,
    },
    /// Close an object, by its name.
    Close(Target, &'a str),
    /// The end of a sequence, which errors skip to.
    Sync,
    /// Send what is ready.
    Flush,
    /// The end of the session.
    Terminate,
    /// A part of the data of COPY.
    CopyData(&'a [u8]),
    /// The end of the data of COPY.
    CopyDone,
    /// The end of COPY by the client, with its reason.
    CopyFail(&'a str),
}

/// Values for a prepared statement.
#[derive(Debug, PartialEq, Eq)]
pub struct Bind<'a> {
    /// The name of the new portal.
    pub portal: &'a str,
    /// The name of the statement.
    pub statement: &'a str,
    /// Empty if all are text, else one for all, or one each.
    pub formats: Vec<i16>,
    /// In the formats; `None` for NULL.
    pub values: Vec<Option<&'a [u8]>>,
    /// The formats of the rows' columns, by the same rule as those of the values.
    pub results: Vec<i16>,
}

/// Read a message by its type and its bytes.
///
/// # Errors
///
/// 08P01 where it is malformed.
pub fn read(tag: u8, body: &[u8]) -> Result<Message<'_>> {
    let mut bytes = Bytes(body);
    let message = match tag {
        b'Q' => Message::Query(bytes.text()?),
        b'P' => Message::Parse {
            name: bytes.text()?,
            sql: bytes.text()?,
            types: bytes.list(|bytes| bytes.u32())?,
        },
        b'B' => Message::Bind(Bind {
            portal: bytes.text()?,
            statement: bytes.text()?,
            formats: bytes.list(Bytes::i16)?,
            values: bytes.list(Bytes::value)?,
            results: bytes.list(Bytes::i16)?,
        }),
        b'D' => Message::Describe(bytes.target("DESCRIBE")?, bytes.text()?),
        b'E' => Message::Execute { portal: bytes.text()?, rows: bytes.rows()? },
        b'C' => Message::Close(bytes.target("CLOSE")?, bytes.text()?),
        b'S' => Message::Sync,
        b'H' => Message::Flush,
        b'X' => Message::Terminate,
        b'd' => Message::CopyData(std::mem::take(&mut bytes.0)),
        b'c' => Message::CopyDone,
        b'f' => Message::CopyFail(bytes.text()?),
        _ => return Err(violation(format!("invalid frontend message type {tag}"))),
    };
    if bytes.0.is_empty() { Ok(message) } else { Err(violation("invalid message format")) }
}

/// A message that the protocol does not have.
pub fn violation(message: impl Into<String>) -> Error {
    Error::new(PROTOCOL_VIOLATION, message)
}

/// Bytes that are left of a message.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(short)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Text up to a zero byte.
    ///
    /// # Errors
    ///
    /// 08P01 without one, 22021 where it is not UTF-8.
    pub fn text(&mut self) -> Result<&'a str> {
        let end = self.0.iter().position(|byte| *byte == 0).ok_or_else(short)?;
        let text = self.take(end)?;
        self.0 = &self.0[1..];
        std::str::from_utf8(text)
            .map_err(|_| Error::new("22021", "invalid byte sequence for encoding \"UTF8\""))
    }

    fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// A 32-bit integer.
    ///
    /// # Errors
    ///
    /// 08P01 if the message is too short.
    pub fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// A list after its length. Memory is allocated for items that have arrived, not for the
    /// announced length.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = self.u16()?;
        let mut list = Vec::with_capacity(usize::from(count).min(self.0.len()));
        for _ in 0..count {
            list.push(item(self)?);
        }
        Ok(list)
    }

    fn i16(&mut self) -> Result<i16> {
        self.array().map(i16::from_be_bytes)
    }

    fn value(&mut self) -> Result<Option<&'a [u8]>> {
        match self.u32()? {
            u32::MAX => Ok(None),
            length => self.take(length as usize).map(Some),
        }
    }

    fn target(&mut self, message: &str) -> Result<Target> {
        match self.array()? {
            [b'S'] => Ok(Target::Statement),
            [b'P'] => Ok(Target::Portal),
            [other] => Err(violation(format!("invalid {message} message subtype {other}"))),
        }
    }

    /// Negative ones mean all, as Postgres has it.
    fn rows(&mut self) -> Result<u32> {
        Ok(u32::try_from(self.u32()? as i32).unwrap_or(0))
    }
}

fn short() -> Error {
    violation("insufficient data left in message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        assert_eq!(read(b'Q', b"SELECT 1\0").unwrap(), Message::Query("SELECT 1"));
        let parse = Message::Parse { name: "a", sql: "b", types: vec![23] };
        assert_eq!(read(b'P', b"a\0b\0\0\x01\0\0\0\x17").unwrap(), parse);
        let bind = Bind {
            portal: "",
            statement: "s",
            formats: vec![1],
            values: vec![None, Some(b"x")],
            results: vec![],
        };
        let bytes = b"\0s\0\0\x01\0\x01\0\x02\xff\xff\xff\xff\0\0\0\x01x\0\0";
        assert_eq!(read(b'B', bytes).unwrap(), Message::Bind(bind));
        let execute = Message::Execute { portal: "p", rows: 0 };
        assert_eq!(read(b'E', b"p\0\xff\xff\xff\xff").unwrap(), execute);
        assert_eq!(read(b'C', b"Px\0").unwrap(), Message::Close(Target::Portal, "x"));
    }

    #[test]
    fn what_is_malformed_is_refused() {
        for (tag, body) in [
            (b'Q', &b"SELECT"[..]),
            (b'Q', b"a\0b"),
            (b'Q', b"\xff\0"),
            (b'?', b""),
            (b'D', b"Xa\0"),
            (b'B', b"\0\0\0\0\0\x01\x7f\xff\xff\xff\0\0"),
            (b'P', b"\0\0\xff\xff"),
        ] {
            assert!(read(tag, body).is_err(), "{}", tag as char);
        }
    }

    #[test]
    fn any_bytes_are_read() {
        arbtest::arbtest(|u| {
            let tag = *u.choose(b"QPBDECSHXdcf?")?;
            let _ = read(tag, u.bytes(u.len())?);
            Ok(())
        });
    }
}
