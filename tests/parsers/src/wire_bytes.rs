//! Bytes between extensions, programs and the engine.

use wire::{
    ObjectOperation, Opcode, Opened, Operation, Prepared, ProgramOperation, Ran, Reader, ReplyHead,
    Returned, Rows, Sender, Writer,
};

/// Requests of both senders.
pub fn operations(bytes: &[u8]) {
    for sender in [Sender::Extension, Sender::Program] {
        let mut from = Reader(bytes);
        while !from.is_empty() && Operation::read(&mut from, sender).is_ok() {}
    }
    let _ = Operation::only_release(Reader(bytes));
    let _ = ProgramOperation::read(bytes);
    let mut from = Reader(bytes);
    while let Ok(code) = from.u8() {
        let Some(opcode) = Opcode::of(code) else { break };
        if ObjectOperation::read(opcode, &mut from).is_err() {
            break;
        }
    }
    let _ = wire::room::asked(bytes);
}

/// Replies of the engine, as its clients read them; values are written as they were read.
pub fn replies(bytes: &[u8]) {
    let mut from = Reader(bytes);
    let _ = ReplyHead::read(&mut from);
    let _ = Returned::read(from.0);
    let _ = Prepared::read(&mut Reader(from.0));
    let _ = Ran::read(&mut Reader(from.0));
    let _ = Opened::read(&mut Reader(from.0));
    let _ = from.names().map(|names| names.count());
    if Rows::read(&mut from).is_err() {
        return;
    }
    while let Ok(value) = from.value() {
        let mut written = Writer::default();
        written.value(value);
        let again = Reader(&written.0).value().expect("a value that was just written");
        // Not by `==`, since NaN does not equal itself.
        assert_eq!(format!("{value:?}"), format!("{again:?}"));
    }
}

/// Tokens of a text whose length is in the first two bytes: each is inside the text, and not before the last one.
pub fn tokens(bytes: &[u8]) {
    let Some((length, tokens)) = bytes.split_first_chunk() else { return };
    let length = usize::from(u16::from_le_bytes(*length));
    let mut start = 0;
    for token in wire::tokens(tokens, length) {
        let Ok(token) = token else { return };
        let (first, end) = (token.start as usize, token.end as usize);
        assert!(
            start <= first && first <= end && end <= length,
            "{first}..{end} of {length}, after {start}"
        );
        start = first;
    }
}
