//! Operations, as the sender writes them.

use alloc::vec::Vec;
use core::ffi::CStr;

use crate::opcode::Opcode;
use crate::parameter::{Bound, Database, Locations, Parameter, Rest, Text};
use crate::table::table;
use crate::{Operation, Reader, Value, Writer};

/// Operations, one after the other; see [`Opcode`].
#[derive(Clone, Debug, Default)]
pub struct Operations(Writer, Last);

/// The last binding, which the next operation may continue: its end, its statement and its
/// parameter.
type Last = Option<(usize, u32, u32)>;

macro_rules! encoders {
    ($($group:ident {$(
        $(#[doc = $doc:literal])*
        $name:ident = $code:literal, $capability:ident,
        $encoder:ident($($parameter:ident: $type:ty),*) $(=> $reply:literal)?;
    )*})*) => {
        #[allow(clippy::extra_unused_lifetimes, clippy::needless_lifetimes, clippy::too_many_arguments,
            reason = "all rows of the table have the same form")]
        impl Operations {
            $($(
                $(#[doc = $doc])*
                #[inline]
                #[must_use]
                pub fn $encoder<'a>(mut self, $($parameter: $type),*) -> Self {
                    self.0.u8(Opcode::$name as u8);
                    $(Parameter::put($parameter, &mut self.0);)*
                    self
                }
            )*)*
        }
    };
}

table!(encoders);

impl Operations {
    /// Bind a parameter; in as few bytes as possible if the operation before has bound the one
    /// before it.
    #[must_use]
    pub fn bind(self, statement: u32, parameter: u32, value: Value<&[u8]>) -> Self {
        let follows = Some((self.len(), statement, parameter.wrapping_sub(1))) == self.1;
        let mut bound =
            if follows { self.bind_next(value) } else { self.bind_at(statement, parameter, value) };
        bound.1 = Some((bound.len(), statement, parameter));
        bound
    }

    /// Open the blob in a column (`schema`, `table`, `column`) of a row.
    #[must_use]
    pub fn open_blob(self, column: [&str; 3], row_id: i64, is_writable: bool) -> Self {
        let mut location = Writer::default();
        location.u8(is_writable.into());
        location.i64(row_id);
        column.iter().for_each(|name| location.bytes(name.as_bytes()));
        self.open_blobs(Locations { count: 1, all: Reader(&location.0) })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.0.is_empty()
    }

    /// Their bytes.
    pub fn len(&self) -> usize {
        self.0.0.len()
    }

    /// Whether all of them are possible in calls without SQL; see [`Operation::only_release`].
    pub fn only_release(&self) -> bool {
        Operation::only_release(Reader(&self.0.0))
    }

    /// Append other operations.
    pub fn append(&mut self, other: Self) {
        if self.is_empty() {
            *self = other
        } else {
            let start = self.len();
            self.0.0.extend_from_slice(&other.0.0);
            self.1 = other.1.map(|(end, statement, last)| (start + end, statement, last));
        }
    }

    /// Their bytes, to be read.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0.0
    }

    /// Remove all, and keep the memory.
    pub fn clear(&mut self) {
        self.0.0.clear();
        self.1 = None;
    }

    /// Their bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0.0
    }
}

/// Operations that an extension wrote.
impl From<Vec<u8>> for Operations {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Writer(bytes), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BlobLocation, Error, ProgramOperation, Sender};

    fn read(operations: Operations) -> alloc::string::String {
        let bytes = operations.into_bytes();
        let mut reader = Reader(&bytes);
        let mut read = alloc::string::String::new();
        while !reader.is_empty() {
            let operation =
                Operation::read(&mut reader, Sender::Extension).expect("it was written");
            read += &alloc::format!("{operation:?} ");
        }
        read
    }

    #[test]
    fn operations_are_read_as_they_were_written() {
        let none = Operations::default;
        let mut first = none().reset(1).close(2).bind(3, 4, Value::Text(b"a")).step(5, 6);
        first.append(none().prepare("x").execute("y").close_all());
        assert_eq!(
            read(first),
            "Reset { statement: 1 } Close { handle: 2 } Bind { statement: 3, parameter: 4, value: Text([97]) } \
             Step { statement: 5, limit: 6 } Prepare { sql: \"x\" } Execute { sql: \"y\" } CloseAll "
        );
        assert_eq!(
            read(none().write(1, 2, &[3]).reopen_blob(4, -5).read(6, 7, 8)),
            "Write { blob: 1, offset: 2, data: [3] } ReopenBlob { blob: 4, row_id: -5 } \
             Read { blob: 6, offset: 7, length: 8 } "
        );
        assert_eq!(read(none().state().close_all()), "State CloseAll ");
    }

    #[test]
    fn parameters_one_behind_the_other_are_bound_shortly() {
        let none = Operations::default;
        let value = Value::Integer(7);
        let mut all = none().bind(1, 1, value).bind(1, 2, value);
        all.append(none().bind(1, 3, value).bind(1, 4, value));
        all = all.bind(1, 5, value).bind(2, 6, value).run(2).bind(2, 7, value).bind(2, 9, value);
        let bound = |statement, parameter| {
            alloc::format!(
                "Bind {{ statement: {statement}, parameter: {parameter}, value: Integer(7) }} "
            )
        };
        let next = "BindNext { value: Integer(7) } ";
        let first = bound(1, 1) + next + &bound(1, 3) + next + next;
        assert_eq!(
            read(all),
            first + &bound(2, 6) + "Run { statement: 2 } " + &bound(2, 7) + &bound(2, 9)
        );
    }

    #[test]
    fn a_blob_is_opened_where_it_is_said_to_be() {
        let bytes = Operations::default().open_blob(["main", "t", "c"], 7, true).into_bytes();
        let operation = Operation::read(&mut Reader(&bytes), Sender::Extension);
        let Ok(Operation::OpenBlobs { locations: Locations { count: 1, mut all } }) = operation
        else {
            panic!("{operation:?}")
        };
        let location = BlobLocation::read(&mut all).expect("it was written");
        assert_eq!((location.is_writable, location.row_id), (true, 7));
        assert_eq!((location.schema, location.table), (c"main", c"t"));
        assert_eq!((location.column, location.key), (c"c", &bytes[5..]));
    }

    #[test]
    fn operations_that_only_release_are_known() {
        let none = Operations::default;
        assert!(none().only_release() && none().reset(1).close(2).close_all().only_release());
        assert!(!none().close(1).execute("x").only_release());
        assert!(!none().write(1, 2, &[3]).only_release());
        assert!(!Operations::from(alloc::vec![Opcode::Close as u8, 1]).only_release());
    }

    #[test]
    fn operations_that_are_cut_off_are_malformed() {
        let none = Operations::default;
        for operations in [
            none().write(1, 2, b"abc"),
            none().bind(1, 2, Value::Blob(b"abc")),
            none().open_blob(["a", "b", "c"], 1, false),
            Operations::from(alloc::vec![255]),
        ] {
            let bytes = operations.into_bytes();
            for length in 1..bytes.len() {
                let operation = Operation::read(&mut Reader(&bytes[..length]), Sender::Program);
                assert_eq!(operation.err(), Some(Error::Malformed));
            }
        }
        assert_eq!(
            Operation::read(&mut Reader(&[255]), Sender::Program).err(),
            Some(Error::Malformed)
        );
    }

    #[test]
    fn operations_of_programs_are_alone_in_their_request() {
        let none = Operations::default;
        for (operation, expected) in [
            (
                none().open_connection(6, 7, b"\xff"),
                "OpenConnection { flags: 6, busy_milliseconds: 7, path: [255] }",
            ),
            (none().close_connection(), "CloseConnection"),
            (none().load_extension("uuid"), "LoadExtension { name: \"uuid\" }"),
        ] {
            let mut request = operation.into_bytes();
            let read = ProgramOperation::read(&request).expect("it was written");
            assert_eq!(alloc::format!("{read:?}"), expected);
            for end in 0..request.len() {
                assert!(ProgramOperation::read(&request[..end]).is_err());
            }
            assert!(Operation::read(&mut Reader(&request), Sender::Extension).is_err());
            assert!(Operation::read(&mut Reader(&request), Sender::Program).is_err());
            request.push(0);
            assert!(ProgramOperation::read(&request).is_err());
        }
        assert!(ProgramOperation::read(&none().call_state().into_bytes()).is_err());
        assert!(ProgramOperation::read(&none().reset(1).into_bytes()).is_err());
    }

    #[test]
    fn a_null_pointer_is_no_empty_text() {
        let declare = |text| Operations::default().call_declare_vtab(text).into_bytes();
        assert_eq!(declare(None), [234, 255, 255, 255, 255]);
        assert_eq!(declare(Some(b"")), [234, 0, 0, 0, 0, 0]);
    }
}
