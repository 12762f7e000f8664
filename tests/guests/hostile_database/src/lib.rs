//! A component that replaces `database.wasm` and sends replies which SQLite never sends. The path
//! of the opened database selects the attack: a seed for random replies, or the name of an attack.
#![cfg(target_family = "wasm")]

use std::cell::{Cell, RefCell};

use wire::{Event, Group, Opcode, ProgramOperation, Sender, Writer};

use bindings::exports::sqlite_wasm::database::connections::{Guest, SqlError};
use bindings::sqlite_wasm::database::callbacks;
use bindings::sqlite_wasm::host::process;

#[allow(missing_docs)]
mod bindings {
    wit_bindgen::generate!({
        world: "sqlite-wasm:database/database",
        path: ["../../../wit/extension", "../../../wit/host", "../../../wit/database"],
        generate_all,
    });
}

struct Hostile;

bindings::export!(Hostile with_types_in bindings);

thread_local! {
    static RANDOM: Cell<u64> = const { Cell::new(1) };
    static ATTACK: RefCell<String> = const { RefCell::new(String::new()) };
    static MAILBOX: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static EVENTS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static LAST: Cell<Option<Result<Vec<u8>, SqlError>>> = const { Cell::new(None) };
}

fn random() -> u64 {
    let mut state = RANDOM.get();
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    RANDOM.set(state);
    state
}

/// Bytes that are often nearly a reply: small integers, tags, lengths.
fn bytes() -> Vec<u8> {
    let count = random() % 80;
    let byte = |_| match random() % 8 {
        0..=3 => 0,
        4 => (random() % 6) as u8,
        5 => 1,
        6 => 255,
        _ => random() as u8,
    };
    (0..count).map(byte).collect()
}

fn reply() -> Result<Vec<u8>, SqlError> {
    match ATTACK.with_borrow(Clone::clone).as_str() {
        "trap" => panic!("as a test"),
        "long" => return Ok(vec![1; 40 << 20]),
        "memory" => loop {
            std::mem::forget(std::hint::black_box(vec![1_u8; 1 << 20]));
        },
        // It continues after the end of its time was reported.
        "late" => loop {
            process::poll_interruption();
        },
        "print" => (0..10_000).for_each(|_| eprintln!("{}", "x".repeat(1000))),
        "resume" => _ = callbacks::resume(Ok(&bytes())),
        "outcome" => _ = callbacks::last_outcome(),
        "callbacks" => (0..200).for_each(|_| call_back()),
        "arguments" => _ = callbacks::call_in_mailbox(0, u32::MAX),
        _ => {}
    }
    if random().is_multiple_of(4) {
        let message = String::from_utf8_lossy(&bytes()).into_owned();
        return Err(SqlError { code: random() as i32, message });
    }
    Ok(bytes())
}

fn call_back() {
    // Mostly the callback that there is, and an event and an object that there may be.
    let callback = u32::from(random().is_multiple_of(8));
    let mut event = Writer::default();
    event.u8((random() % Event::ALL.len() as u64) as u8);
    event.u32(0);
    event.u32((random() % 8) as u32);
    let mut bytes = [event.0, bytes()].concat();
    if random().is_multiple_of(8) {
        bytes.truncate((random() % 10) as usize);
    }
    let is_in_mailbox = random().is_multiple_of(2);
    let count = if is_in_mailbox {
        EVENTS.with_borrow_mut(|events| events[..bytes.len()].copy_from_slice(&bytes));
        callbacks::call_in_mailbox(callback, bytes.len() as u32)
    } else {
        callbacks::call(callback, &bytes)
    };
    if EVENTS.with_borrow(|events| count as usize > events.len()) {
        let _ = callbacks::last_outcome();
    }
}

/// Only the operations that the tests need succeed as they should.
fn perform(operations: &[u8]) -> Result<Vec<u8>, SqlError> {
    match ProgramOperation::read(operations) {
        Ok(ProgramOperation::OpenConnection { path, .. }) => {
            let path = String::from_utf8_lossy(path).into_owned();
            RANDOM.set(path.parse::<u64>().unwrap_or(7).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
            ATTACK.set(path);
            Ok(vec![255; 4])
        }
        Ok(ProgramOperation::CloseConnection {}) => Ok(Vec::new()),
        // Hooks and functions: the head of a reply, an address, and where that ends.
        _ if is_calls(operations) => {
            let mut reply = vec![0; 44];
            reply.extend(44_u32.to_le_bytes());
            Ok(reply)
        }
        _ => reply(),
    }
}

impl Guest for Hostile {
    fn perform(_: u32, operations: Vec<u8>) -> Result<Vec<u8>, SqlError> {
        perform(&operations)
    }

    fn share_mailboxes(operations: Vec<u8>, events: Vec<u8>) {
        MAILBOX.set(operations);
        EVENTS.set(events);
    }

    /// Lengths that are wrong, or too large, and replies that are not where they should be.
    fn perform_in_mailbox(_: u32, count: u32) -> u32 {
        let operations = MAILBOX.with_borrow(|mailbox| mailbox[..count as usize].to_vec());
        let reply = perform(&operations);
        let count = match &reply {
            Ok(bytes) => MAILBOX.with_borrow_mut(|mailbox| match mailbox.get_mut(..bytes.len()) {
                Some(place) => {
                    place.copy_from_slice(bytes);
                    bytes.len() as u32
                }
                None => u32::MAX,
            }),
            Err(_) => u32::MAX,
        };
        LAST.set(Some(reply));
        match random() % 20 {
            0 if !is_expected(&operations) => random() as u32,
            1 if !is_expected(&operations) => (random() % 5000) as u32,
            _ => count,
        }
    }

    fn last_reply() -> Result<Vec<u8>, SqlError> {
        LAST.take().unwrap_or_else(|| Ok(bytes()))
    }
}

/// Whether the tests need it to succeed.
fn is_expected(operations: &[u8]) -> bool {
    ProgramOperation::read(operations).is_ok() || is_calls(operations)
}

/// Whether they are calls of SQLite's functions.
fn is_calls(operations: &[u8]) -> bool {
    let first = operations.first().map(|code| Opcode::from_sender(*code, Sender::Program));
    matches!(first, Some(Ok(opcode)) if opcode.group() == Group::Calls)
}
