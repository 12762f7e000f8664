//! The calls of SQLite's functions that Rust programs use. `components/database/c/calls.h` lists
//! all calls with their arguments and replies.

use alloc::vec;
use alloc::vec::Vec;

use crate::{Error, LIBRARY, Reader};

/// A function, by its position in `calls.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Function {
    /// Set the ids of the library's callback and of the connection.
    Connect = 0,
    /// `sqlite3_db_config`, of a switch.
    DbConfig = 17,
    /// `sqlite3_serialize`.
    Serialize = 29,
    /// `sqlite3_deserialize`.
    Deserialize = 30,
    /// Set or remove a [`Hook`].
    Hook = 39,
    /// `sqlite3_backup_init`.
    BackupInit = 45,
    /// `sqlite3_backup_step`.
    BackupStep = 46,
    /// `sqlite3_backup_finish`.
    BackupFinish = 47,
}

/// The events that call the program; the event of a hook is [`Hook::FIRST_EVENT`] more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Hook {
    Busy = 0,
    Commit = 2,
    Rollback = 3,
    Update = 4,
    Preupdate = 5,
    Wal = 6,
    Authorizer = 7,
    Trace = 8,
}

impl Hook {
    /// How many there are.
    pub const COUNT: usize = 11;
    /// The event of the first one.
    pub const FIRST_EVENT: u8 = 7;
}

/// The length of a text that is a null pointer.
const NO_TEXT: u32 = u32::MAX;

/// A call with its arguments.
#[derive(Clone, Debug)]
pub struct Call(Vec<u8>);

impl Call {
    /// A call without arguments.
    pub fn new(function: Function) -> Self {
        Self(vec![LIBRARY, function as u8])
    }

    /// With a byte.
    #[must_use]
    pub fn u8(mut self, byte: u8) -> Self {
        self.0.push(byte);
        self
    }

    /// With a number.
    #[must_use]
    pub fn u32(mut self, number: u32) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    /// With a large number.
    #[must_use]
    pub fn u64(mut self, number: u64) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    /// With a text or blob.
    #[must_use]
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        // Longer bytes would not fit into the component's memory.
        self = self.u32(u32::try_from(bytes.len()).unwrap_or(NO_TEXT));
        self.0.extend(bytes);
        self.u8(0)
    }

    /// With a null pointer for a text or blob.
    #[must_use]
    pub fn no_bytes(self) -> Self {
        self.u32(NO_TEXT)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
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
            _ => optional_bytes(&mut Reader(message))?,
        };
        Ok(Self { code, message, reply: Reader(reply) })
    }
}

/// Read a text or blob, or a null pointer.
///
/// # Errors
///
/// [`Error::Malformed`].
pub fn optional_bytes<'a>(from: &mut Reader<'a>) -> Result<Option<&'a [u8]>, Error> {
    let mut after = *from;
    if after.u32()? == NO_TEXT {
        *from = after;
        return Ok(None);
    }
    from.bytes().map(Some)
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    const HEADER: &str = include_str!("../../database/c/calls.h");

    /// The position of a name among those that begin with `X(` or are in a line of `enum`.
    fn place(name: &str) -> Option<usize> {
        let list = HEADER.split("#define FUNCTIONS(X)").nth(1)?.split("enum {").next()?;
        list.split("X(").skip(1).position(|entry| entry.starts_with(&format!("{name},")))
    }

    fn listed(first: &str, name: &str) -> Option<usize> {
        let list = HEADER.split(&format!("  {first}")).nth(1)?.split("};").next()?;
        let list = format!("{first}{list}");
        let is_name =
            |line: &&str| line.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_');
        let lines = list.lines().map(|line| line.trim().trim_end_matches(','));
        lines.filter(|line| !line.is_empty()).filter(is_name).position(|line| line == name)
    }

    #[test]
    fn numbers_are_those_of_the_header() {
        let functions = [
            ("CONNECT", Function::Connect),
            ("DB_CONFIG", Function::DbConfig),
            ("SERIALIZE", Function::Serialize),
            ("DESERIALIZE", Function::Deserialize),
            ("HOOK", Function::Hook),
            ("BACKUP_INIT", Function::BackupInit),
            ("BACKUP_STEP", Function::BackupStep),
            ("BACKUP_FINISH", Function::BackupFinish),
        ];
        for (name, function) in functions {
            assert_eq!(place(name), Some(function as usize), "{name}");
        }
        let hooks = [
            ("BUSY", Hook::Busy),
            ("COMMIT", Hook::Commit),
            ("ROLLBACK", Hook::Rollback),
            ("UPDATE", Hook::Update),
            ("PREUPDATE", Hook::Preupdate),
            ("WAL", Hook::Wal),
            ("TRACE", Hook::Trace),
        ];
        for (name, hook) in hooks {
            let number = hook as usize;
            assert_eq!(listed("HOOK_BUSY", &format!("HOOK_{name}")), Some(number), "{name}");
            let event = number + usize::from(Hook::FIRST_EVENT);
            assert_eq!(listed("EVENT_SCALAR", &format!("EVENT_{name}")), Some(event), "{name}");
        }
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
        assert_eq!(optional_bytes(&mut Reader(&[255; 4])), Ok(None));
    }
}
