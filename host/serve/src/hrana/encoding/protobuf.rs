//! Protocol Buffers, by `prost`. Rows are encoded as they arrive.

mod message;
mod requests;

use prost::{DecodeError, Message};
use sqlite_sandbox::Row;
use sqlite_sandbox::types::ValueRef;

use crate::hrana::message::Message as SocketMessage;
use crate::hrana::request::{self, Value};
use crate::hrana::response::{Column, Empty, Failed, StepResult};
use crate::session::connection::Changes;

/// Decode the body of a pipeline.
pub fn pipeline(bytes: &[u8]) -> Result<request::Pipeline, String> {
    Ok(decoded::<requests::Pipeline>(bytes)?.try_into()?)
}

/// Decode the body of a cursor.
pub fn cursor(bytes: &[u8]) -> Result<request::Cursor, String> {
    Ok(decoded::<requests::Cursor>(bytes)?.try_into()?)
}

/// Decode a message of a WebSocket.
pub fn message(bytes: &[u8]) -> Result<SocketMessage, String> {
    Ok(decoded::<message::ClientMessage>(bytes)?.try_into()?)
}

fn decoded<T: Message + Default>(bytes: &[u8]) -> Result<T, String> {
    T::decode(bytes).map_err(|error| reason(&error).to_owned())
}

/// Why a message cannot be read, without the names of our types. The error has no kind, but a text.
fn reason(error: &DecodeError) -> &'static str {
    let text = error.to_string();
    if text.ends_with("recursion limit reached") {
        "the conditions are nested too deeply"
    } else if text.ends_with("data is not UTF-8 encoded") {
        "a text is not UTF-8"
    } else {
        "the message is broken"
    }
}

/// Append a message.
pub fn write(out: &mut Vec<u8>, message: &impl Message) {
    // Writing to memory does not fail.
    let _ = message.encode(out);
}

#[derive(PartialEq, Message)]
struct ValueMessage {
    #[prost(oneof = "Value", tags = "1, 2, 3, 4, 5")]
    value: Option<Value>,
}

impl From<ValueRef<'_>> for ValueMessage {
    fn from(value: ValueRef<'_>) -> Self {
        let value = match value {
            ValueRef::Null => Value::Null(Empty {}),
            ValueRef::Integer(integer) => Value::Integer(integer),
            ValueRef::Real(real) => Value::Float(real),
            ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(blob) => Value::Blob(blob.to_vec()),
        };
        Self { value: Some(value) }
    }
}

#[derive(PartialEq, Message)]
struct RowMessage {
    #[prost(message, repeated, tag = "1")]
    values: Vec<ValueMessage>,
}

impl From<&Row<'_>> for RowMessage {
    fn from(row: &Row<'_>) -> Self {
        Self { values: super::values(row).map(Into::into).collect() }
    }
}

/// A part of the result of a statement: parts that follow each other are one message.
#[derive(PartialEq, Message)]
struct ResultPart {
    #[prost(message, repeated, tag = "1")]
    cols: Vec<Column>,
    #[prost(message, optional, tag = "2")]
    row: Option<RowMessage>,
    #[prost(uint64, optional, tag = "3")]
    affected_row_count: Option<u64>,
    #[prost(sint64, optional, tag = "4")]
    last_insert_rowid: Option<i64>,
}

/// Begin the result of a statement.
pub fn begin(out: &mut Vec<u8>, cols: Vec<Column>) {
    write(out, &ResultPart { cols, ..ResultPart::default() });
}

/// Append a row to the result of a statement.
pub fn row(out: &mut Vec<u8>, row: &Row<'_>) {
    write(out, &ResultPart { row: Some(row.into()), ..ResultPart::default() });
}

/// End the result of a statement.
pub fn end(out: &mut Vec<u8>, changes: Changes) {
    let affected_row_count = Some(changes.rows);
    let last_insert_rowid = Some(changes.last_insert_rowid);
    write(out, &ResultPart { affected_row_count, last_insert_rowid, ..ResultPart::default() });
}

/// A part of the result of a batch, likewise.
#[derive(PartialEq, Message)]
struct BatchPart {
    #[prost(message, optional, tag = "1")]
    result: Option<StepDone>,
    #[prost(message, optional, tag = "2")]
    error: Option<StepFailed>,
}

#[derive(PartialEq, Message)]
struct StepDone {
    #[prost(uint32, required, tag = "1")]
    step: u32,
    #[prost(bytes = "vec", required, tag = "2")]
    result: Vec<u8>,
}

#[derive(PartialEq, Message)]
struct StepFailed {
    #[prost(uint32, required, tag = "1")]
    step: u32,
    #[prost(message, required, tag = "2")]
    error: Failed,
}

/// The result of a batch.
pub fn batch(steps: Vec<StepResult>) -> Vec<u8> {
    let mut out = Vec::new();
    for (step, done) in (0..).zip(steps) {
        let part = match done {
            None => continue,
            Some(Ok(result)) => BatchPart { result: Some(StepDone { step, result }), error: None },
            Some(Err(failure)) => {
                BatchPart { result: None, error: Some(StepFailed { step, error: failure.into() }) }
            }
        };
        write(&mut out, &part);
    }
    out
}

/// An entry of a cursor's reply with a row.
#[derive(PartialEq, Message)]
struct RowEntry {
    #[prost(message, required, tag = "4")]
    row: RowMessage,
}

/// Append a row as an entry of a cursor's reply.
pub fn row_entry(out: &mut Vec<u8>, row: &Row<'_>) {
    write(out, &RowEntry { row: row.into() });
}

/// Append a message with its length.
pub fn framed(out: &mut Vec<u8>, message: &[u8]) {
    let _ = prost::encode_length_delimiter(message.len(), out);
    out.extend_from_slice(message);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hrana::response::{Autocommit, Pipeline, Response};
    use crate::session::error::Failure;

    #[test]
    fn numbers_are_as_short_as_possible() {
        let mut out = Vec::new();
        end(&mut out, Changes { rows: 300, last_insert_rowid: -1 });
        end(&mut out, Changes { rows: 0, last_insert_rowid: i64::MIN });
        assert_eq!(out[..7], [0x18, 0xac, 0x02, 0x20, 0x01, 0x18, 0x00]);
        assert_eq!(out[7..], [0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    }

    #[test]
    fn a_pipeline_is_written() {
        let failure = Failure { message: "m".to_owned(), code: "c" };
        let autocommit = Response::GetAutocommit(Autocommit { is_autocommit: true });
        let results = vec![Ok(autocommit).into(), Err(failure).into()];
        let mut out = Vec::new();
        write(&mut out, &Pipeline { baton: Some("b".to_owned()), base_url: None, results });
        let expected = [
            0x0a, 1, b'b', 0x1a, 6, 0x0a, 4, 0x42, 2, 0x08, 1, 0x1a, 8, 0x12, 6, 0x0a, 1, b'm',
            0x12, 1, b'c',
        ];
        assert_eq!(out, expected);
    }

    #[test]
    fn a_batch_is_written_in_the_order_of_its_steps() {
        let failure = Failure { message: "m".to_owned(), code: "c" };
        let steps = vec![Some(Ok(b"x".to_vec())), Some(Err(failure)), None, Some(Ok(Vec::new()))];
        let expected = [
            0x0a, 5, 0x08, 0, 0x12, 1, b'x', 0x12, 10, 0x08, 1, 0x12, 6, 0x0a, 1, b'm', 0x12, 1,
            b'c', 0x0a, 4, 0x08, 3, 0x12, 0,
        ];
        assert_eq!(batch(steps), expected);
    }

    /// A message within a message, in field `field`.
    fn within(field: u8, bytes: &[u8]) -> Vec<u8> {
        let mut outer = vec![field << 3 | 2];
        framed(&mut outer, bytes);
        outer
    }

    #[test]
    fn why_a_message_is_refused() {
        let mut condition = vec![0x32, 0];
        for _ in 0..300 {
            condition = within(3, &condition);
        }
        let step = [within(1, &condition), within(2, &[])].concat();
        let deep = within(2, &within(1, &step));
        for (bytes, expected) in [
            (deep.as_slice(), "the conditions are nested too deeply"),
            (&[0x0a, 1, 0xff], "a text is not UTF-8"),
            (&[0x0a, 2, b'b'], "the message is broken"),
            (&[0x08, 1], "the message is broken"),
            (&[0xff; 11], "the message is broken"),
            (&within(2, &within(1, &[])), "the message has no statement"),
        ] {
            assert_eq!(cursor(bytes).unwrap_err(), expected);
        }
    }
}
