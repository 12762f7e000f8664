//! The functions of `connections` in their lowered form, by hand: the generated bindings would copy
//! the reply, and the host would call back to free it.

use std::cell::{Cell, RefCell};
use std::mem;
use std::ptr::NonNull;
use std::slice;

use engine::database::{self, SqlError};

// Linked for its C code.
use libsqlite3_sys as _;

/// SQLite's version, which `compose` reads without running anything.
#[used]
#[unsafe(link_section = "sqlite-wasm:cli-version")]
static VERSION: [u8; libsqlite3_sys::SQLITE_VERSION.count_bytes()] = {
    let mut version = [0; libsqlite3_sys::SQLITE_VERSION.count_bytes()];
    version.copy_from_slice(libsqlite3_sys::SQLITE_VERSION.to_bytes());
    version
};

/// What `perform-in-mailbox` returns for a reply that is not there: more than any length.
const ELSEWHERE: u32 = u32::MAX;

/// Maximum size of the memory of a reply that is used again: few replies are longer.
const MAX_SPARE_BYTES: usize = 256 << 10;

/// `result<list<u8>, sql-error>` in memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Returned {
    is_error: u32,
    /// Address and length of the list; or the code of the error, and address and length of its
    /// message.
    words: [usize; 3],
}

/// The last reply, which the host reads when the call has returned.
struct Reply {
    returned: Returned,
    bytes: Vec<u8>,
}

thread_local! {
    static REPLY: RefCell<Reply> = const {
        let returned = Returned { is_error: 0, words: [0; 3] };
        RefCell::new(Reply { returned, bytes: Vec::new() })
    };
    /// Address and length of the mailbox.
    static MAILBOX: Cell<(NonNull<u8>, usize)> = const { Cell::new((NonNull::dangling(), 0)) };
}

/// Keep a reply until the next call.
fn keep(result: Result<Vec<u8>, SqlError>) -> *const Returned {
    REPLY.with_borrow_mut(|reply| {
        let (code, bytes) = match result {
            Ok(bytes) => (None, bytes),
            Err(error) => (Some(error.code), error.message.into_bytes()),
        };
        let (start, count) = (bytes.as_ptr().addr(), bytes.len());
        reply.returned = match code {
            None => Returned { is_error: 0, words: [start, count, 0] },
            Some(code) => Returned { is_error: 1, words: [code as usize, start, count] },
        };
        reply.bytes = bytes;
        // A component has one thread, so it stays where it is.
        &raw const reply.returned
    })
}

/// The memory of the last reply, for the next one; calls from a callback have memory of their own.
fn spare() -> Vec<u8> {
    let spare = REPLY.with_borrow_mut(|reply| mem::take(&mut reply.bytes));
    if spare.capacity() <= MAX_SPARE_BYTES { spare } else { Vec::new() }
}

#[cfg(feature = "planted-error")]
unsafe extern "C" {
    fn plant_errors();
}

/// Perform the operations of a request, and keep the reply.
fn reply(connection: u32, operations: &[u8]) -> *const Returned {
    #[cfg(feature = "planted-error")]
    // SAFETY: SQLite's list of automatic extensions gets one, once.
    unsafe {
        plant_errors();
    }
    keep(database::perform(connection, operations, spare()))
}

/// # Safety
///
/// The host has stored `count` bytes at `operations` by `cabi_realloc`.
#[unsafe(export_name = "sqlite-wasm:database/connections@0.1.0#perform")]
unsafe extern "C" fn perform(
    connection: u32,
    operations: *mut u8,
    count: usize,
) -> *const Returned {
    // SAFETY: the list is this function's, to be freed as generated bindings free it.
    let operations = unsafe { Vec::from_raw_parts(operations, count, count) };
    reply(connection, &operations)
}

/// # Safety
///
/// The host has stored as many bytes as it says at `operations` and `events` by `cabi_realloc`.
#[unsafe(export_name = "sqlite-wasm:database/connections@0.1.0#share-mailboxes")]
unsafe extern "C" fn share_mailboxes(
    operations: *mut u8,
    operations_count: usize,
    events: *mut u8,
    events_count: usize,
) {
    // SAFETY: the lists are this function's. They are never freed.
    let (operations, events) = unsafe {
        (
            Vec::from_raw_parts(operations, operations_count, operations_count).leak(),
            Vec::from_raw_parts(events, events_count, events_count).leak(),
        )
    };
    MAILBOX.set((NonNull::from(&mut *operations).cast(), operations.len()));
    database::set_events(events);
}

#[unsafe(export_name = "sqlite-wasm:database/connections@0.1.0#perform-in-mailbox")]
extern "C" fn perform_in_mailbox(connection: u32, count: u32) -> u32 {
    let (mailbox, room) = MAILBOX.get();
    let count = (count as usize).min(room);
    // SAFETY: the mailbox has `room` bytes, which the host has written before this call, and nothing
    // changes them until the reply is complete.
    let operations = unsafe { slice::from_raw_parts(mailbox.as_ptr(), count) };
    // SAFETY: the pointer is to the last reply, which nothing changes until the next call.
    let Returned { is_error, words: [start, count, _] } = unsafe { *reply(connection, operations) };
    if is_error != 0 || count > room {
        return ELSEWHERE;
    }
    // SAFETY: the reply has `count` bytes, and is not in the mailbox, of which nothing else knows.
    unsafe { mailbox.as_ptr().copy_from_nonoverlapping(start as *const u8, count) };
    count as u32
}

#[unsafe(export_name = "sqlite-wasm:database/connections@0.1.0#last-reply")]
extern "C" fn last_reply() -> *const Returned {
    REPLY.with_borrow(|reply| &raw const reply.returned)
}
