//! Replies to the calls of SQLite's functions, which begin with a head.

use crate::{Error, Reader, Writer};

/// The head, which `components/wire/c/calls.h` declares for C.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplyHead {
    /// The result of the last function.
    pub code: i32,
    /// `sqlite3_extended_errcode`.
    pub error: i32,
    /// `sqlite3_error_offset`.
    pub offset: i32,
    /// `sqlite3_get_autocommit`.
    pub autocommit: u8,
    /// The message of the error ends the reply.
    pub has_message: bool,
    /// Of the databases, such as `SQLITE_UTF8`.
    pub encoding: u8,
    /// `sqlite3_changes64`, `sqlite3_total_changes64` and `sqlite3_last_insert_rowid`.
    pub counters: [i64; 3],
}

impl ReplyHead {
    /// Its length in bytes.
    pub const BYTES: usize = 40;

    /// Write it to the beginning of a reply.
    pub fn put_first(&self, reply: &mut Writer) {
        let mut head = [0; Self::BYTES];
        for (place, number) in
            head.as_chunks_mut::<4>().0.iter_mut().zip([self.code, self.error, self.offset])
        {
            place.copy_from_slice(&number.to_le_bytes());
        }
        head[12] = self.autocommit;
        head[Returned::MESSAGE_FLAG] = self.has_message.into();
        head[14] = self.encoding;
        for (place, number) in head[16..].as_chunks_mut::<8>().0.iter_mut().zip(self.counters) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        if let Some(first) = reply.0.first_chunk_mut() {
            *first = head;
        }
    }
}

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
        let (head, reply) = reply.split_at_checked(ReplyHead::BYTES).ok_or(Error::Malformed)?;
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
    fn a_head_is_laid_out_as_in_c() {
        let counters = [5, -1, i64::MAX];
        let head = ReplyHead {
            code: 1,
            error: 2,
            offset: -1,
            autocommit: 3,
            encoding: 4,
            counters,
            ..ReplyHead::default()
        };
        let mut reply = Writer(vec![9; 41]);
        head.put_first(&mut reply);
        let numbers = [1, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255, 3, 0, 4, 0];
        let counters: vec::Vec<u8> =
            counters.iter().flat_map(|count| count.to_le_bytes()).collect();
        assert_eq!(reply.0, [&numbers[..], &counters, &[9]].concat());
    }

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
