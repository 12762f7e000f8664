//! The head of replies: the state of the connection after the operation.

use crate::{Error, Reader, Writer};

/// The head of a reply to a program, and the whole reply to [`Opcode::State`](crate::Opcode::State).
/// `components/shared/wire/c/head.h` declares it for C.
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
    /// Rows that the last statement changed (`sqlite3_changes64`).
    pub changes: i64,
    /// Rows that all statements changed (`sqlite3_total_changes64`).
    pub total_changes: i64,
    /// `sqlite3_last_insert_rowid`.
    pub last_insert_row_id: i64,
}

impl ReplyHead {
    /// Its length in bytes.
    pub const BYTES: usize = 40;

    fn bytes(&self) -> [u8; Self::BYTES] {
        let mut head = [0; Self::BYTES];
        for (bytes, number) in
            head.as_chunks_mut::<4>().0.iter_mut().zip([self.code, self.error, self.offset])
        {
            *bytes = number.to_le_bytes();
        }
        head[12..15].copy_from_slice(&[self.autocommit, self.has_message.into(), self.encoding]);
        let counters = [self.changes, self.total_changes, self.last_insert_row_id];
        for (bytes, number) in head[16..].as_chunks_mut::<8>().0.iter_mut().zip(counters) {
            *bytes = number.to_le_bytes();
        }
        head
    }

    /// Write it.
    pub fn put(&self, reply: &mut Writer) {
        reply.0.extend_from_slice(&self.bytes());
    }

    /// Write it over the first bytes of a reply.
    pub fn put_first(&self, reply: &mut Writer) {
        if let Some(first) = reply.0.first_chunk_mut() {
            *first = self.bytes();
        }
    }

    /// Read it.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if it is not whole.
    pub fn read(reader: &mut Reader) -> Result<Self, Error> {
        let mut number = || reader.u32().map(u32::cast_signed);
        let (code, error, offset) = (number()?, number()?, number()?);
        let (autocommit, has_message) = (reader.u8()?, reader.bool()?);
        let (encoding, _unused) = (reader.u8()?, reader.u8()?);
        let (changes, total_changes) = (reader.i64()?, reader.i64()?);
        let last_insert_row_id = reader.i64()?;
        Ok(Self {
            code,
            error,
            offset,
            autocommit,
            has_message,
            encoding,
            changes,
            total_changes,
            last_insert_row_id,
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    const HEAD: ReplyHead = ReplyHead {
        code: 1,
        error: 2,
        offset: -1,
        autocommit: 3,
        has_message: true,
        encoding: 4,
        changes: 5,
        total_changes: -1,
        last_insert_row_id: i64::MAX,
    };

    #[test]
    fn it_is_laid_out_as_in_c() {
        let mut reply = Writer(vec![9; 41]);
        HEAD.put_first(&mut reply);
        let numbers = [1, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255, 3, 1, 4, 0];
        let counters: vec::Vec<u8> =
            [5, -1, i64::MAX].iter().flat_map(|count: &i64| count.to_le_bytes()).collect();
        assert_eq!(reply.0, [&numbers[..], &counters, &[9]].concat());
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let mut reply = Writer::default();
        HEAD.put(&mut reply);
        assert_eq!(reply.0.len(), ReplyHead::BYTES);
        let mut reader = Reader(&reply.0);
        assert_eq!(ReplyHead::read(&mut reader), Ok(HEAD));
        assert!(reader.is_empty());
        for end in 0..ReplyHead::BYTES {
            assert!(ReplyHead::read(&mut Reader(&reply.0[..end])).is_err());
        }
    }
}
