//! Operations that only a program outside the sandbox has: connections, and the functions and
//! collations that it registers on them.

use crate::{Error, Operations, Reader};

/// The bytes with which operations of a program begin; none is an [`Opcode`](crate::Opcode). A
/// request contains one of them and nothing else.
mod code {
    pub const FIRST: u8 = 128;
    pub const OPEN: u8 = FIRST;
    pub const CLOSE: u8 = 129;
    pub const CREATE_FUNCTION: u8 = 130;
    pub const CREATE_COLLATION: u8 = 131;
    pub const LOAD_EXTENSION: u8 = 132;
}

/// What a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FunctionKind {
    /// Called with the values of one row.
    Scalar = 0,
    /// Called with all rows of a group.
    Aggregate = 1,
    /// An aggregate from which rows can be removed again.
    Window = 2,
}

/// A function of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function<'a> {
    /// Its name in SQL.
    pub name: &'a [u8],
    /// How many arguments it takes, or -1 for any number.
    pub arguments: i32,
    /// Its kind.
    pub kind: FunctionKind,
    /// SQLite's flags, such as `SQLITE_DETERMINISTIC`.
    pub flags: u32,
}

/// An operation of a program. `callback` is an id that the program has chosen; without one, the
/// registered function or collation is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramOperation<'a> {
    /// Open a database with the flags of `sqlite3_open_v2`, and wait for locks up to this time:
    /// flags, milliseconds, path. Reply: u32, the connection.
    Open {
        /// SQLite's `SQLITE_OPEN_…`.
        flags: u32,
        /// How long a statement waits for a lock.
        busy_milliseconds: u32,
        /// The path of the database.
        path: &'a [u8],
    },
    /// Close the connection and everything that belongs to it.
    Close,
    /// Register or remove a function: callback, arguments, kind, flags, name.
    CreateFunction {
        /// The id of the callback.
        callback: Option<u32>,
        /// The function.
        function: Function<'a>,
    },
    /// Register or remove a collation: callback, name.
    CreateCollation {
        /// The id of the callback.
        callback: Option<u32>,
        /// Its name in SQL.
        name: &'a [u8],
    },
    /// Load an extension by its name or path, and register its functions: name.
    LoadExtension(&'a str),
}

impl FunctionKind {
    fn of(code: u8) -> Result<Self, Error> {
        let all = [Self::Scalar, Self::Aggregate, Self::Window];
        all.get(usize::from(code)).copied().ok_or(Error::Malformed)
    }
}

fn read_callback(from: &mut Reader) -> Result<Option<u32>, Error> {
    from.u32().map(|number| number.checked_sub(1))
}

fn read_i32(from: &mut Reader) -> Result<i32, Error> {
    from.u32().map(u32::cast_signed)
}

impl<'a> ProgramOperation<'a> {
    /// The operation of a request, if it is one of a program.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`], also if other bytes follow.
    pub fn read(request: &'a [u8]) -> Result<Option<Self>, Error> {
        let mut from = Reader(request);
        match from.u8() {
            Ok(code @ code::FIRST..) => {
                let operation = Self::read_parameters(code, &mut from)?;
                if from.is_empty() { Ok(Some(operation)) } else { Err(Error::Malformed) }
            }
            _ => Ok(None),
        }
    }

    fn read_parameters(code: u8, from: &mut Reader<'a>) -> Result<Self, Error> {
        Ok(match code {
            code::OPEN => Self::Open {
                flags: from.u32()?,
                busy_milliseconds: from.u32()?,
                path: from.bytes()?,
            },
            code::CLOSE => Self::Close,
            code::CREATE_FUNCTION => Self::CreateFunction {
                callback: read_callback(from)?,
                function: Function {
                    arguments: read_i32(from)?,
                    kind: FunctionKind::of(from.u8()?)?,
                    flags: from.u32()?,
                    name: from.bytes()?,
                },
            },
            code::CREATE_COLLATION => {
                Self::CreateCollation { callback: read_callback(from)?, name: from.bytes()? }
            }
            code::LOAD_EXTENSION => Self::LoadExtension(from.sql()?),
            _ => return Err(Error::Malformed),
        })
    }
}

impl From<ProgramOperation<'_>> for Operations {
    /// A request with this operation.
    fn from(operation: ProgramOperation<'_>) -> Self {
        let new = |code| Self::default().byte(code);
        let called =
            |code, callback: Option<u32>| new(code).u32(callback.map_or(0, |number| number + 1));
        match operation {
            ProgramOperation::Open { flags, busy_milliseconds, path } => {
                new(code::OPEN).u32(flags).u32(busy_milliseconds).bytes(path)
            }
            ProgramOperation::Close => new(code::CLOSE),
            ProgramOperation::CreateFunction { callback, function } => {
                called(code::CREATE_FUNCTION, callback)
                    .u32(function.arguments.cast_unsigned())
                    .byte(function.kind as u8)
                    .u32(function.flags)
                    .bytes(function.name)
            }
            ProgramOperation::CreateCollation { callback, name } => {
                called(code::CREATE_COLLATION, callback).bytes(name)
            }
            ProgramOperation::LoadExtension(name) => {
                new(code::LOAD_EXTENSION).bytes(name.as_bytes())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUNCTION: Function<'_> =
        Function { name: b"f", arguments: -1, kind: FunctionKind::Window, flags: 0x800 };

    const ALL: &[ProgramOperation<'_>] = &[
        ProgramOperation::Open { flags: 6, busy_milliseconds: 7, path: b"\xff" },
        ProgramOperation::Close,
        ProgramOperation::CreateFunction { callback: Some(0), function: FUNCTION },
        ProgramOperation::CreateCollation { callback: None, name: b"c" },
        ProgramOperation::LoadExtension("uuid"),
    ];

    #[test]
    fn operations_are_read_as_they_were_written() {
        for operation in ALL {
            let mut request = Operations::from(*operation).into_bytes();
            assert_eq!(ProgramOperation::read(&request), Ok(Some(*operation)));
            for end in 1..request.len() {
                assert_eq!(ProgramOperation::read(&request[..end]), Err(Error::Malformed));
            }
            request.push(0);
            assert_eq!(ProgramOperation::read(&request), Err(Error::Malformed));
        }
    }

    #[test]
    fn operations_of_extensions_are_none() {
        assert_eq!(ProgramOperation::read(&[]), Ok(None));
        for (_, opcode) in crate::Opcode::ALL {
            assert!((*opcode as u8) < code::FIRST);
            assert_eq!(ProgramOperation::read(&[*opcode as u8]), Ok(None));
        }
        assert_eq!(ProgramOperation::read(&[255]), Err(Error::Malformed));
    }
}
