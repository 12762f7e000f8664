//! Callbacks of the program.

use std::cell::Cell;

use wire::{InlineValue, Value, Writer};

use crate::host::dispatch::SqlError;
use crate::program_callbacks::{self, Event, Outcome};
use crate::sqlite::value::Arguments;

/// The program's number of a registered callback. It is released when SQLite drops it.
pub struct Callback(u32);

/// The result of a callback.
pub enum Returned {
    /// At most 64 bytes.
    Inline(InlineValue),
    /// A value in bytes.
    Long(Vec<u8>),
}

thread_local! {
    /// A buffer for arguments, reused by later calls.
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Maximum size of the buffer between calls, in bytes: few arguments are longer.
const MAX_ROOM_BYTES: usize = 64 << 10;

/// Perform the program's requests until its callback has returned.
fn until_returned(
    mut returned: Option<program_callbacks::InlineValue>,
) -> Result<Returned, SqlError> {
    loop {
        if let Some(value) = returned {
            let words: [u64; 8] = value.words.into();
            return Ok(Returned::Inline(InlineValue { head: value.head, words }));
        }
        match program_callbacks::last_outcome() {
            Outcome::Returned(result) => return result.map(Returned::Long),
            Outcome::Pending(request) => {
                let reply = super::perform(request.connection, &request.operations);
                returned = program_callbacks::resume(reply.as_deref());
            }
        }
    }
}

/// Call `libsqlite3.so.0` by its one callback, with bytes that the library defines.
///
/// # Errors
///
/// The error of the callback.
pub fn call_program(callback: u32, bytes: &[u8]) -> Result<Returned, SqlError> {
    until_returned(program_callbacks::call(callback, Event::Scalar, bytes))
}

impl Callback {
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// Call the program with the arguments that `put` writes.
    pub fn call(&self, event: Event, put: impl FnOnce(&mut Writer)) -> Result<Returned, SqlError> {
        let mut arguments = Writer(ROOM.take());
        arguments.0.clear();
        put(&mut arguments);
        let returned = program_callbacks::call(self.0, event, &arguments.0);
        if arguments.0.capacity() <= MAX_ROOM_BYTES {
            ROOM.set(arguments.0);
        }
        until_returned(returned)
    }

    /// The same for an integer result; none after a failure and for any other value.
    pub fn integer(&self, event: Event, put: impl FnOnce(&mut Writer)) -> Option<i64> {
        match self.call(event, put) {
            Ok(Returned::Inline(value)) => match value.value()? {
                Value::Integer(integer) => Some(integer),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Drop for Callback {
    fn drop(&mut self) {
        program_callbacks::release(self.0);
    }
}

/// Write the arguments of a function.
pub fn put_arguments(writer: &mut Writer, arguments: Arguments) {
    arguments.iter().for_each(|argument| writer.value(argument.content()));
}
