//! Requests of a program that names SQLite's objects by their addresses. Each reply has a head.

use std::ffi::c_int;

use wire::{Group, ObjectOperation, Opcode, Reader, ReplyHead, Sender, Writer, code};

use super::owner::{Failure, Program};
use super::{objects, only_programs};
use crate::room::{self, NoMemory};
use crate::sqlite::connection::Connection;

/// Perform the operations of a request, and write the reply of the last one. It is an error of the
/// reply if one of them fails; none without memory for a reply.
pub fn perform(db: &Connection, request: &[u8], reply: &mut Writer) -> Result<(), NoMemory> {
    let mut program = Program { db, bound: None };
    let (mut requested, mut is_short, mut code) = (Reader(request), false, code::OK);
    reply.0.clear();
    room::reserve(&mut reply.0, ReplyHead::BYTES)?;
    reply.0.resize(ReplyHead::BYTES, 0);
    while !requested.is_empty() {
        reply.0.truncate(ReplyHead::BYTES);
        match perform_one(&mut program, &mut requested, reply) {
            Ok(returned) => code = returned,
            Err(Failure::NoMemory) => is_short = true,
            Err(Failure::Malformed) => {
                code = code::MISUSE;
                break;
            }
        }
    }
    if is_short {
        code = code::NOMEM;
        reply.0.truncate(ReplyHead::BYTES);
    }
    end_reply(db, code, reply)
}

/// Write the head, the message of a failure, and where that begins.
fn end_reply(db: &Connection, code: c_int, reply: &mut Writer) -> Result<(), NoMemory> {
    let (head, end) = (db.reply_head(code), reply.0.len() as u32);
    head.put_first(reply);
    if head.has_message {
        room::put_text(reply, Some(db.error_message()))?;
    }
    room::reserve(&mut reply.0, size_of::<u32>())?;
    reply.u32(end);
    Ok(())
}

/// Perform the next operation. Returns its result code.
fn perform_one(
    program: &mut Program,
    requested: &mut Reader,
    reply: &mut Writer,
) -> Result<c_int, Failure> {
    let opcode = Opcode::from_sender(requested.u8()?, Sender::Program)?;
    match opcode.group() {
        Group::Objects => {
            objects::perform(program, ObjectOperation::read(opcode, requested)?, reply)
        }
        Group::Calls => only_programs::call(program.db, opcode, requested, reply),
        _ => Err(Failure::Malformed),
    }
}
