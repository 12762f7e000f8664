//! `perform` and `perform-inline` in their lowered form, by hand: the generated bindings would
//! copy the reply, and the host would call back to free it.

use std::cell::RefCell;
use std::slice;

use engine::database::{self, SqlError};

use crate::library;

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

/// Bytes of operations in registers at most.
const MAX_INLINE_BYTES: usize = 96;

/// `result<list<u8>, sql-error>` in memory.
#[repr(C)]
#[derive(Default)]
pub struct Returned {
    is_error: u32,
    /// Address and length of the list; or the code of the error, and address and length of its
    /// message.
    words: [usize; 3],
}

/// The last reply, which the host reads when the call has returned.
#[derive(Default)]
struct Reply {
    returned: Returned,
    bytes: Vec<u8>,
}

thread_local! {
    static REPLY: RefCell<Box<Reply>> = RefCell::default();
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
        // The box stays where it is when the borrow ends.
        &raw const reply.returned
    })
}

/// Point to bytes that stay where they are until the next call.
fn point_to(bytes: *const u8, count: usize) -> *const Returned {
    REPLY.with_borrow_mut(|reply| {
        reply.returned = Returned { is_error: 0, words: [bytes.addr(), count, 0] };
        &raw const reply.returned
    })
}

/// Operations, or calls of `libsqlite3.so.0`, whose reply is not copied.
fn perform_any(connection: u32, operations: &[u8]) -> *const Returned {
    database::set_library(library::perform);
    let (Some((&wire::LIBRARY, calls)), Ok(db)) =
        (operations.split_first(), database::pointer(connection))
    else {
        return keep(database::perform(connection, operations));
    };
    match library::perform_in_place(db, calls) {
        Ok((bytes, count)) => point_to(bytes, count),
        Err(error) => keep(Err(error)),
    }
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
    perform_any(connection, operations)
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

#[unsafe(export_name = "sqlite-wasm:database/connections@0.1.0#perform-inline")]
extern "C" fn perform_inline(
    connection: u32,
    length: u32,
    word_0: u64,
    word_1: u64,
    word_2: u64,
    word_3: u64,
    word_4: u64,
    word_5: u64,
    word_6: u64,
    word_7: u64,
    word_8: u64,
    word_9: u64,
    word_10: u64,
    word_11: u64,
) -> *const Returned {
    let words = [
        word_0, word_1, word_2, word_3, word_4, word_5, word_6, word_7, word_8, word_9, word_10,
        word_11,
    ];
    let length = (length as usize).min(MAX_INLINE_BYTES);
    // SAFETY: `length` is at most the size of the words, which this processor stores in this order.
    let operations = unsafe { slice::from_raw_parts(words.as_ptr().cast::<u8>(), length) };
    reply(connection, operations)
}
