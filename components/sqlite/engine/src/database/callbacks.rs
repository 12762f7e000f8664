//! Callbacks of the program.

use std::cell::{Cell, RefCell};

use wire::{InlineValue, Value, Writer};

use crate::host::dispatch::SqlError;
use crate::program_callbacks::{self, Event, Outcome};
use crate::room::{self, NoMemory};
use crate::sqlite::value::Arguments;

/// The program's id of a registered callback. It is released when SQLite drops it.
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
    /// The mailbox of events.
    static EVENTS: RefCell<&'static mut [u8]> = const { RefCell::new(&mut []) };
}

/// Maximum size of the buffer between calls, in bytes: few arguments are longer.
const MAX_ROOM_BYTES: usize = 64 << 10;

/// Keep the host's mailbox of events.
pub fn set_events(mailbox: &'static mut [u8]) {
    EVENTS.set(mailbox);
}

/// Call the program. Returns its result if that is short.
fn call(callback: u32, event: Event, arguments: &[u8]) -> Option<InlineValue> {
    let is_short = EVENTS.with_borrow_mut(|mailbox| {
        let place = mailbox.get_mut(..arguments.len());
        place.map(|place| place.copy_from_slice(arguments)).is_some()
    });
    if !is_short {
        return program_callbacks::call(callback, event, arguments).map(inline);
    }
    if !program_callbacks::call_in_mailbox(callback, event, arguments.len() as u32) {
        return None;
    }
    EVENTS.with_borrow(|mailbox| mailbox.first_chunk().map(InlineValue::from_memory))
}

fn inline(value: program_callbacks::InlineValue) -> InlineValue {
    InlineValue { head: value.head, words: value.words.into() }
}

/// Perform the program's requests until its callback has returned.
fn until_returned(mut returned: Option<InlineValue>) -> Result<Returned, SqlError> {
    loop {
        if let Some(value) = returned {
            return Ok(Returned::Inline(value));
        }
        let size = program_callbacks::measure_outcome();
        if let Err(error) = room::check(size.bytes as usize) {
            if !size.is_pending {
                return Err(error.into());
            }
            returned = program_callbacks::resume(Err(&error.into())).map(inline);
            continue;
        }
        match program_callbacks::last_outcome() {
            Outcome::Returned(result) => return result.map(Returned::Long),
            Outcome::Pending(request) => {
                let reply = super::perform(request.connection, &request.operations, Vec::new());
                returned = program_callbacks::resume(reply.as_deref()).map(inline);
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
    until_returned(call(callback, Event::Scalar, bytes))
}

impl Callback {
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// Call the program with the arguments that `put` writes.
    pub fn call(
        &self,
        event: Event,
        put: impl FnOnce(&mut Writer) -> Result<(), NoMemory>,
    ) -> Result<Returned, SqlError> {
        let mut arguments = Writer(ROOM.take());
        arguments.0.clear();
        put(&mut arguments)?;
        let returned = call(self.0, event, &arguments.0);
        if arguments.0.capacity() <= MAX_ROOM_BYTES {
            ROOM.set(arguments.0);
        }
        until_returned(returned)
    }

    /// The same for an integer result; none after a failure and for any other value.
    pub fn integer(
        &self,
        event: Event,
        put: impl FnOnce(&mut Writer) -> Result<(), NoMemory>,
    ) -> Option<i64> {
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
pub fn put_arguments(writer: &mut Writer, arguments: Arguments) -> Result<(), NoMemory> {
    arguments.iter().try_for_each(|argument| room::put(writer, argument.content()))
}
