//! Operations of `sql-work`, as an extension's side writes them.

use alloc::vec::Vec;

use crate::{Opcode, Operation, Reader, Value, Writer};

/// Operations, one after the other; see [`Opcode`].
#[derive(Clone, Debug, Default)]
pub struct Operations(Writer, Last);

/// The last binding, which the next operation may continue: its end, its statement and its
/// parameter.
type Last = Option<(usize, u32, u32)>;

impl Operations {
    /// Write into a blob.
    pub fn write(self, blob: u32, offset: u32, data: &[u8]) -> Self {
        self.on(Opcode::Write, blob).u32(offset).bytes(data)
    }

    /// Reset a statement.
    pub fn reset(self, statement: u32) -> Self {
        self.on(Opcode::Reset, statement)
    }

    /// Close a statement or blob.
    pub fn close(self, handle: u32) -> Self {
        self.on(Opcode::Close, handle)
    }

    /// Close all that the extension has.
    pub fn close_all(self) -> Self {
        self.code(Opcode::CloseAll)
    }

    /// Prepare the first statement of a text.
    pub fn prepare(self, text: &str) -> Self {
        self.code(Opcode::Prepare).bytes(text.as_bytes())
    }

    /// Run all statements of a text.
    pub fn execute(self, text: &str) -> Self {
        self.code(Opcode::Execute).bytes(text.as_bytes())
    }

    /// Bind a parameter.
    pub fn bind(self, statement: u32, parameter: u32, value: Value<&[u8]>) -> Self {
        let follows = Some((self.len(), statement, parameter.wrapping_sub(1))) == self.1;
        let mut bound = match follows {
            true => self.code(Opcode::BindNext),
            false => self.on(Opcode::Bind, statement).u32(parameter),
        };
        bound.0.value(value);
        bound.1 = Some((bound.len(), statement, parameter));
        bound
    }

    /// Read rows.
    pub fn step(self, statement: u32, limit: u32) -> Self {
        self.on(Opcode::Step, statement).u32(limit)
    }

    /// Run a statement for its changes.
    pub fn run(self, statement: u32) -> Self {
        self.on(Opcode::Run, statement)
    }

    /// The offset in the SQL that failed last.
    pub fn error_offset(self) -> Self {
        self.code(Opcode::ErrorOffset)
    }

    /// Whether a transaction is open.
    pub fn autocommit(self) -> Self {
        self.code(Opcode::Autocommit)
    }

    /// The text of a statement with its bound values.
    pub fn expand(self, statement: u32) -> Self {
        self.on(Opcode::Expand, statement)
    }

    /// Whether a statement is an EXPLAIN, and the declared types of its columns.
    pub fn describe(self, statement: u32) -> Self {
        self.on(Opcode::Describe, statement)
    }

    /// A database of the connection by its name.
    pub fn database(self, name: &str) -> Self {
        let mut described = self.code(Opcode::Database);
        described.0.text(name.as_bytes());
        described
    }

    /// Open the blob in a column (`schema`, `table`, `column`) of a row.
    pub fn open_blob(self, column: [&str; 3], row_id: i64, is_writable: bool) -> Self {
        let mut opened = self.on(Opcode::OpenBlobs, 1);
        opened.0.u8(is_writable.into());
        column.iter().fold(opened.i64(row_id), |opened, name| opened.bytes(name.as_bytes()))
    }

    /// Move a blob to another row.
    pub fn reopen_blob(self, blob: u32, row_id: i64) -> Self {
        self.on(Opcode::ReopenBlob, blob).i64(row_id)
    }

    /// Read a blob.
    pub fn read(self, blob: u32, offset: u32, length: u32) -> Self {
        self.on(Opcode::Read, blob).u32(offset).u32(length)
    }

    /// The row id of the last insertion.
    pub fn last_insert_row_id(self) -> Self {
        self.code(Opcode::LastInsertRowId)
    }

    /// Rows changed by the last statement, and by all.
    pub fn changes(self) -> Self {
        self.code(Opcode::Changes)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.0.is_empty()
    }

    /// Their bytes.
    pub fn len(&self) -> usize {
        self.0.0.len()
    }

    /// Whether all operations release something, which is allowed everywhere. An extension may have
    /// written any bytes.
    pub fn only_end(&self) -> bool {
        let mut operations = Reader(&self.0.0);
        while !operations.is_empty() {
            match Operation::read(&mut operations) {
                Ok(Operation::Reset(_) | Operation::Close(_) | Operation::CloseAll) => {}
                _ => return false,
            }
        }
        true
    }

    /// Append other operations.
    pub fn append(&mut self, other: Self) {
        match self.is_empty() {
            true => *self = other,
            false => {
                let start = self.len();
                self.0.0.extend_from_slice(&other.0.0);
                self.1 = other.1.map(|(end, statement, last)| (start + end, statement, last));
            }
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

    fn code(self, code: Opcode) -> Self {
        self.byte(code as u8)
    }

    fn on(self, code: Opcode, handle: u32) -> Self {
        self.code(code).u32(handle)
    }

    pub(crate) fn byte(mut self, byte: u8) -> Self {
        self.0.u8(byte);
        self
    }

    pub(crate) fn u32(mut self, number: u32) -> Self {
        self.0.u32(number);
        self
    }

    fn i64(mut self, number: i64) -> Self {
        self.0.i64(number);
        self
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.bytes(bytes);
        self
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
    use crate::{BlobLocation, Error};

    fn read(operations: Operations) -> alloc::string::String {
        let bytes = operations.into_bytes();
        let mut reader = Reader(&bytes);
        let mut read = alloc::string::String::new();
        while !reader.is_empty() {
            let operation = Operation::read(&mut reader).expect("it was written");
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
            "Reset(1) Close(2) Bind { statement: 3, parameter: 4, value: Text([97]) } \
             Step { statement: 5, limit: 6 } Prepare(\"x\") Execute(\"y\") CloseAll "
        );
        assert_eq!(
            read(none().write(1, 2, &[3]).reopen_blob(4, -5).read(6, 7, 8)),
            "Write { blob: 1, offset: 2, data: [3] } ReopenBlob { blob: 4, row_id: -5 } \
             Read { blob: 6, offset: 7, length: 8 } "
        );
        assert_eq!(read(none().last_insert_row_id().changes()), "LastInsertRowId Changes ");
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
        let next = "BindNext(Integer(7)) ";
        let first = bound(1, 1) + next + &bound(1, 3) + next + next;
        assert_eq!(read(all), first + &bound(2, 6) + "Run(2) " + &bound(2, 7) + &bound(2, 9));
    }

    #[test]
    fn a_blob_is_opened_where_it_is_said_to_be() {
        let bytes = Operations::default().open_blob(["main", "t", "c"], 7, true).into_bytes();
        let operation = Operation::read(&mut Reader(&bytes));
        let Ok(Operation::OpenBlobs { count: 1, mut locations }) = operation else {
            panic!("{operation:?}")
        };
        let location = BlobLocation::read(&mut locations).expect("it was written");
        assert_eq!((location.is_writable, location.row_id), (true, 7));
        assert_eq!((location.schema, location.table), (c"main", c"t"));
        assert_eq!((location.column, location.key), (c"c", &bytes[5..]));
    }

    #[test]
    fn what_ends_something_is_known() {
        let none = Operations::default;
        assert!(none().only_end() && none().reset(1).close(2).close_all().only_end());
        assert!(!none().close(1).execute("x").only_end());
        assert!(!none().write(1, 2, &[3]).only_end());
        assert!(!Operations::from(alloc::vec![Opcode::Close as u8, 1]).only_end());
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
                let operation = Operation::read(&mut Reader(&bytes[..length]));
                assert_eq!(operation.err(), Some(Error::Malformed));
            }
        }
        assert_eq!(Operation::read(&mut Reader(&[255])).err(), Some(Error::Malformed));
    }
}
