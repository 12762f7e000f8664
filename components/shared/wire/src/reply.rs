//! The beginnings of replies to operations.

use crate::{Error, Reader, Writer};

/// A handle plus one; 0 for none.
fn put_handle(writer: &mut Writer, handle: Option<u32>) {
    writer.u32(handle.map_or(0, |handle| handle + 1));
}

fn read_handle(reader: &mut Reader) -> Result<Option<u32>, Error> {
    reader.u32().map(|number| number.checked_sub(1))
}

/// The reply to [`Opcode::Prepare`](crate::Opcode::Prepare). The names of the parameters and those
/// of the columns follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The statement; `None` for white space and comments.
    pub statement: Option<u32>,
    /// The length of the text that was used.
    pub used: u32,
    /// It writes nothing.
    pub is_read_only: bool,
}

impl Prepared {
    /// Write it.
    pub fn put(&self, writer: &mut Writer) {
        put_handle(writer, self.statement);
        writer.u32(self.used);
        writer.u8(self.is_read_only.into());
    }

    /// Read it.
    pub fn read(reader: &mut Reader) -> Result<Self, Error> {
        let (statement, used) = (read_handle(reader)?, reader.u32()?);
        Ok(Self { statement, used, is_read_only: reader.bool()? })
    }
}

/// The reply to [`Opcode::Step`](crate::Opcode::Step). The values of all rows follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The statement is done.
    pub is_last: bool,
    /// How many rows there are.
    pub count: u32,
    /// How many columns each row has.
    pub width: u32,
}

impl Rows {
    /// Write it.
    pub fn put(&self, writer: &mut Writer) {
        writer.u8(self.is_last.into());
        writer.u32(self.count);
        writer.u32(self.width);
    }

    /// Overwrite the one at this position of `reply`, where [`Rows::put`] has written one.
    pub fn put_at(&self, start: usize, reply: &mut Writer) {
        let mut bytes = [self.is_last.into(); 9];
        bytes[1..5].copy_from_slice(&self.count.to_le_bytes());
        bytes[5..].copy_from_slice(&self.width.to_le_bytes());
        if let Some(place) = reply.0[start..].first_chunk_mut() {
            *place = bytes;
        }
    }

    /// Read it.
    pub fn read(reader: &mut Reader) -> Result<Self, Error> {
        Ok(Self { is_last: reader.bool()?, count: reader.u32()?, width: reader.u32()? })
    }
}

/// The reply to [`Opcode::Run`](crate::Opcode::Run).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// It returned a row, and was then reset.
    pub has_row: bool,
    /// Rows that it changed (`sqlite3_changes`).
    pub changes: i64,
    /// The row id of the last insertion.
    pub last_insert_row_id: i64,
}

impl Ran {
    /// Write it.
    pub fn put(&self, writer: &mut Writer) {
        writer.u8(self.has_row.into());
        writer.i64(self.changes);
        writer.i64(self.last_insert_row_id);
    }

    /// Read it.
    pub fn read(reader: &mut Reader) -> Result<Self, Error> {
        let (has_row, changes) = (reader.bool()?, reader.i64()?);
        Ok(Self { has_row, changes, last_insert_row_id: reader.i64()? })
    }
}

/// The reply for each blob to [`Opcode::OpenBlobs`](crate::Opcode::OpenBlobs). The bytes of the
/// blob follow, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// The blob; none if it cannot be opened.
    pub blob: Option<u32>,
    /// Its size in bytes.
    pub size: u32,
}

impl Opened {
    /// Write it.
    pub fn put(&self, writer: &mut Writer) {
        put_handle(writer, self.blob);
        writer.u32(self.size);
    }

    /// Read it.
    pub fn read(reader: &mut Reader) -> Result<Self, Error> {
        Ok(Self { blob: read_handle(reader)?, size: reader.u32()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_as_they_were_written() {
        let prepared = Prepared { statement: Some(0), used: 8, is_read_only: true };
        let rows = Rows { is_last: true, count: 2, width: 3 };
        let opened = Opened { blob: None, size: 0 };
        let ran = Ran { has_row: true, changes: -1, last_insert_row_id: i64::MIN };
        let mut writer = Writer::default();
        Rows::default().put(&mut writer);
        prepared.put(&mut writer);
        opened.put(&mut writer);
        ran.put(&mut writer);
        rows.put_at(0, &mut writer);
        let mut reader = Reader(&writer.0);
        assert_eq!(Rows::read(&mut reader), Ok(rows));
        assert_eq!(Prepared::read(&mut reader), Ok(prepared));
        assert_eq!(Opened::read(&mut reader), Ok(opened));
        assert_eq!(Ran::read(&mut reader), Ok(ran));
        assert!(reader.is_empty());
    }
}
