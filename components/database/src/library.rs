//! The calls of `libsqlite3.so.0`, which the C code in `c` performs on SQLite's own objects.

use std::ffi::c_void;
use std::slice;

use engine::database::{self, Returned, SqlError};
use libsqlite3_sys as sqlite;
use wire::{InlineValue, Reader, Value, code, tag};

/// Room for a short reply of the program, in bytes; `EventReply` in `c/interface.h` has as much.
const ROOM_BYTES: usize = 80;

const _: () = assert!(ROOM_BYTES >= InlineValue::MAX_BYTES);

unsafe extern "C" {
    fn interface_perform(
        db: *mut sqlite::sqlite3,
        bytes: *const u8,
        count: usize,
        reply_count: *mut usize,
    ) -> *const u8;
}

/// Perform calls. Returns the position of the reply, valid until the next calls, and its length.
///
/// # Errors
///
/// SQLITE_NOMEM if there is no memory for the reply. All other errors are in the reply.
pub fn perform_in_place(
    db: *mut sqlite::sqlite3,
    calls: &[u8],
) -> Result<(*const u8, usize), SqlError> {
    let mut count = 0;
    // SAFETY: an open connection, bytes, and a variable. The library's handles are as trusted as
    // this component's own: both are inside the sandbox.
    let reply = unsafe { interface_perform(db, calls.as_ptr(), calls.len(), &mut count) };
    if reply.is_null() {
        return Err(SqlError { code: code::NOMEM, message: String::new() });
    }
    Ok((reply, count))
}

/// Perform calls, and copy the reply.
///
/// # Errors
///
/// As [`perform_in_place`].
pub fn perform(db: *mut sqlite::sqlite3, calls: &[u8]) -> Result<Vec<u8>, SqlError> {
    let (reply, count) = perform_in_place(db, calls)?;
    // SAFETY: `interface_perform` returned a reply of `count` bytes, and nothing was called since.
    Ok(unsafe { slice::from_raw_parts(reply, count) }.to_vec())
}

/// Call the program. Returns the length of its reply, which is in `room` or in `owned`; -1 after a
/// failure.
///
/// # Safety
///
/// `bytes` has `count` bytes, and `room` has [`ROOM_BYTES`].
#[unsafe(no_mangle)]
unsafe extern "C" fn interface_call_program(
    callback: u32,
    bytes: *const u8,
    count: usize,
    room: *mut u8,
    owned: *mut *mut c_void,
) -> i32 {
    // SAFETY: as above.
    let arguments = unsafe { slice::from_raw_parts(bytes, count) };
    match database::call_program(callback, arguments) {
        Ok(Returned::Inline(value)) => {
            let head = value.head();
            if head.tag != tag::BLOB || !head.is_valid() {
                return -1;
            }
            // SAFETY: the words are shorter than the room. This processor stores them in their
            // order.
            unsafe {
                let words = value.words.as_ptr().cast();
                room.copy_from_nonoverlapping(words, InlineValue::MAX_BYTES);
            }
            head.length.into()
        }
        Ok(Returned::Long(bytes)) => match Reader(&bytes).value() {
            // SAFETY: memory for as many bytes, unless it is null.
            Ok(Value::Blob(reply)) => unsafe {
                let copy = sqlite::sqlite3_malloc64(reply.len() as u64);
                if copy.is_null() {
                    return -1;
                }
                copy.cast::<u8>().copy_from_nonoverlapping(reply.as_ptr(), reply.len());
                *owned = copy;
                reply.len() as i32
            },
            _ => -1,
        },
        Err(_) => -1,
    }
}
