//! Replies to the calls of SQLite's functions, which begin with a head.

use crate::{Error, Reader, ReplyHead};

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
    /// Read a reply.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`].
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        let (rest, end) = bytes.split_last_chunk().ok_or(Error::Malformed)?;
        let end = u32::from_le_bytes(*end) as usize;
        let (reply, message) = rest.split_at_checked(end).ok_or(Error::Malformed)?;
        let mut reply = Reader(reply);
        let head = ReplyHead::read(&mut reply)?;
        let message = if head.has_message { Reader(message).optional_bytes()? } else { None };
        Ok(Self { code: head.code, message, reply })
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
