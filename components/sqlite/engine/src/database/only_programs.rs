//! The operations that only programs have, which C performs (`components/sqlite/engine/c`), and the events that
//! it reports.

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ffi::{c_int, c_void};
use std::mem::{self, ManuallyDrop};
use std::ptr::null_mut;
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_stmt, sqlite3_value};
use wire::{Opcode, Reader, Writer, tag};

use super::callbacks;
use super::owner::Failure;
use crate::operations::values;
use crate::sqlite::connection::Connection;
use crate::sqlite::statement::Statement;
use crate::sqlite::value::Value;

/// `In` of `components/shared/wire/c/bytes.h`.
#[repr(C)]
struct In {
    at: *const u8,
    end: *const u8,
    is_bad: bool,
}

/// `Out` of `components/shared/wire/c/bytes.h`: the memory of a `Vec`.
#[repr(C)]
struct Out {
    bytes: *mut u8,
    count: usize,
    room: usize,
    whole: usize,
    is_short: bool,
}

unsafe extern "C" {
    /// Perform an operation, and return its result code.
    fn interface_call(db: *mut sqlite3, opcode: u8, parameters: *mut In, reply: *mut Out) -> c_int;
    fn interface_bind_pointer(statement: *mut sqlite3_stmt, index: c_int, number: u32) -> c_int;
}

impl Out {
    fn new(writer: Writer) -> Self {
        let mut bytes = ManuallyDrop::new(writer.0);
        let (start, count, room) = (bytes.as_mut_ptr(), bytes.len(), bytes.capacity());
        Self { bytes: start, count, room, whole: 0, is_short: false }
    }

    /// # Safety
    ///
    /// The bytes are used no more through this.
    unsafe fn writer(&self) -> Writer {
        match self.room {
            0 => Writer::default(),
            // SAFETY: the memory is that of a vector, or of `engine_resize`, with that many bytes written.
            room => Writer(unsafe { Vec::from_raw_parts(self.bytes, self.count, room) }),
        }
    }
}

/// Perform an operation. Returns its result code.
///
/// # Errors
///
/// Its parameters cannot be read, or there is no memory for its reply.
pub fn call(
    db: &Connection,
    opcode: Opcode,
    parameters: &mut Reader,
    reply: &mut Writer,
) -> Result<c_int, Failure> {
    let bytes = parameters.0.as_ptr_range();
    let mut from = In { at: bytes.start, end: bytes.end, is_bad: false };
    let mut out = Out::new(mem::take(reply));
    // SAFETY: an open connection; the function stays within the parameters, and grows the reply by
    // `engine_resize`.
    let code = unsafe {
        let code = interface_call(db.as_ptr(), opcode as u8, &mut from, &mut out);
        *reply = out.writer();
        code
    };
    let read = from.at.addr() - bytes.start.addr();
    parameters.0 = parameters.0.get(read..).unwrap_or_default();
    match (from.is_bad, out.is_short) {
        (true, _) => Err(Failure::Malformed),
        (_, true) => Err(Failure::NoMemory),
        _ => Ok(code),
    }
}

/// Bind a pointer of the program. Returns the result code.
pub fn bind_pointer(statement: &mut Statement, index: c_int, number: u32) -> c_int {
    // SAFETY: the statement is not finalized.
    unsafe { interface_bind_pointer(statement.as_ptr(), index, number) }
}

/// Resize the memory of an `Out`, or free it if `room` is 0. Returns null then, and without memory.
///
/// # Safety
///
/// `bytes` has this `old` room.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_resize(bytes: *mut u8, old: usize, room: usize) -> *mut u8 {
    let layout = |room| Layout::array::<u8>(room);
    let (Ok(before), Ok(after)) = (layout(old), layout(room)) else { return null_mut() };
    // SAFETY: the layouts are those of vectors, not empty where they are used, and the old one is that of
    // the memory.
    unsafe {
        match (old, room) {
            (0, 0) => null_mut(),
            (0, _) => alloc(after),
            (_, 0) => {
                dealloc(bytes, before);
                null_mut()
            }
            _ => realloc(bytes, before, room),
        }
    }
}

/// Write a value with all that a program can read; a tag for none.
///
/// # Safety
///
/// SQLite protects the value, unless it is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn put_value(out: &mut Out, value: *mut sqlite3_value) {
    // SAFETY: the bytes come back at the end.
    let mut writer = unsafe { out.writer() };
    let is_written = if value.is_null() {
        writer.u8(tag::MISSING);
        Ok(())
    } else {
        // SAFETY: the caller's promise.
        values::put_whole(&mut writer, unsafe { Value::from_ptr(value) })
    };
    let is_short = out.is_short || is_written.is_err();
    *out = Out { whole: out.whole, is_short, ..Out::new(writer) };
}

/// Room for a short reply of the program, in bytes; `EventReply` in `c/interface.h` has as much.
const ROOM_BYTES: usize = 80;

/// Report an event to the program. Returns the length of its reply, which is in `room`, or in `owned`
/// for `sqlite3_free`; -1 without memory for it.
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
    owned: &mut *mut c_void,
) -> i32 {
    // SAFETY: as above.
    let arguments = unsafe { slice::from_raw_parts(bytes, count) };
    let keep = |reply: &[u8]| {
        let kept = if reply.len() <= ROOM_BYTES {
            room
        } else {
            // SAFETY: SQLite is initialized.
            *owned = unsafe { sqlite::sqlite3_malloc64(reply.len() as u64) };
            owned.cast()
        };
        if kept.is_null() {
            return -1;
        }
        // SAFETY: memory for as many bytes, which is not that of the reply.
        unsafe { kept.copy_from_nonoverlapping(reply.as_ptr(), reply.len()) };
        i32::try_from(reply.len()).unwrap_or(-1)
    };
    callbacks::call(callback, arguments, keep).unwrap_or(-1)
}
