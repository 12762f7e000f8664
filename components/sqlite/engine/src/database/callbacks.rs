//! Callbacks of the program.

use std::cell::RefCell;

use crate::program_callbacks::{self, Outcome};
use crate::room::{self, NoMemory};

thread_local! {
    /// The mailbox of events.
    static EVENTS: RefCell<&'static mut [u8]> = const { RefCell::new(&mut []) };
}

/// Keep the host's mailbox of events.
pub fn set_events(mailbox: &'static mut [u8]) {
    EVENTS.set(mailbox);
}

/// Call the program with bytes that `wire::callbacks` describes, and read its reply, which is empty
/// after a failure.
///
/// # Errors
///
/// There is no memory for the reply.
pub fn call<T>(
    callback: u32,
    arguments: &[u8],
    read: impl FnOnce(&[u8]) -> T,
) -> Result<T, NoMemory> {
    let is_short = EVENTS.with_borrow_mut(|mailbox| {
        let start = mailbox.get_mut(..arguments.len());
        start.map(|start| start.copy_from_slice(arguments)).is_some()
    });
    let count = if is_short {
        program_callbacks::call_in_mailbox(callback, arguments.len() as u32)
    } else {
        program_callbacks::call(callback, arguments)
    };
    until_returned(count, read)
}

/// Perform the program's requests until its callback has returned.
fn until_returned<T>(mut count: u32, read: impl FnOnce(&[u8]) -> T) -> Result<T, NoMemory> {
    let long = loop {
        if EVENTS.with_borrow(|mailbox| count as usize <= mailbox.len()) {
            return Ok(EVENTS.with_borrow(|mailbox| read(&mailbox[..count as usize])));
        }
        let size = program_callbacks::measure_outcome();
        if let Err(error) = room::check(size.bytes as usize) {
            if !size.is_pending {
                return Err(error);
            }
            count = program_callbacks::resume(Err(&error.into()));
            continue;
        }
        match program_callbacks::last_outcome() {
            Outcome::Returned(reply) => break reply,
            Outcome::Pending(request) => {
                let reply = super::perform(request.connection, &request.operations, Vec::new());
                count = program_callbacks::resume(reply.as_deref());
            }
        }
    };
    Ok(read(&long))
}
