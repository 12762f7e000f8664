//! Replies to the calls of SQLite's functions, which begin with a head.

use crate::{Error, Reader};

/// What a call returned.
#[derive(Clone, Debug)]
pub struct Returned<'a> {
    /// The function's result.
    pub code: i32,
    /// The message of a failure.
    pub message: Option<&'a [u8]>,
    /// The results of the function.
    pub reply: Reader<'a>,
}

impl<'a> Returned<'a> {
    /// Bytes of `ReplyHead`: the code comes first.
    const HEAD_BYTES: usize = 40;
    /// The position of the flag for a message in the head.
    const MESSAGE_FLAG: usize = 13;

    /// Read a reply.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`].
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        let (rest, end) = bytes.split_last_chunk().ok_or(Error::Malformed)?;
        let end = u32::from_le_bytes(*end) as usize;
        let (reply, message) = rest.split_at_checked(end).ok_or(Error::Malformed)?;
        let (head, reply) = reply.split_at_checked(Self::HEAD_BYTES).ok_or(Error::Malformed)?;
        let code = Reader(head).u32()?.cast_signed();
        let message = match head[Self::MESSAGE_FLAG] {
            0 => None,
            _ => Reader(message).optional_bytes()?,
        };
        Ok(Self { code, message, reply: Reader(reply) })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn replies_are_read() {
        let mut bytes = vec![0; 40];
        bytes[0] = 19;
        bytes.extend(7_u32.to_le_bytes());
        let end = bytes.len() as u32;
        assert!(Returned::read(&bytes[..43]).is_err());
        let mut plain = bytes.clone();
        plain.extend(end.to_le_bytes());
        let returned = Returned::read(&plain).unwrap();
        assert_eq!((returned.code, returned.message), (19, None));
        assert_eq!(returned.reply.clone().u32(), Ok(7));
        bytes[13] = 1;
        bytes.extend(2_u32.to_le_bytes());
        bytes.extend(b"no\0");
        bytes.extend(end.to_le_bytes());
        assert_eq!(Returned::read(&bytes).unwrap().message, Some(&b"no"[..]));
        assert!(Returned::read(&[255; 50]).is_err());
        assert_eq!(Reader(&[255; 4]).optional_bytes(), Ok(None));
    }
}
