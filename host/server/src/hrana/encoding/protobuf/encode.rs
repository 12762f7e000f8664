//! Replies.

use sqlite_wasm::Row;
use sqlite_wasm::types::ValueRef;

use crate::hrana::encoding::{Entry, values};
use crate::hrana::response::{Column, Description, Reply, Response, StepResult, StmtResult};
use crate::session::engine::Changes;
use crate::session::error::Failure;

/// Wire types.
const NUMBER: u64 = 0;
const EIGHT: u64 = 1;
const BYTES: u64 = 2;

type Out = Vec<u8>;

fn varint(out: &mut Out, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn number(out: &mut Out, field: u64, value: u64) {
    varint(out, field << 3 | NUMBER);
    varint(out, value);
}

fn sint64(out: &mut Out, field: u64, value: i64) {
    number(out, field, (value << 1 ^ value >> 63) as u64);
}

fn bytes(out: &mut Out, field: u64, bytes: &[u8]) {
    varint(out, field << 3 | BYTES);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Write a message within a message.
fn message(out: &mut Out, field: u64, write: impl FnOnce(&mut Out)) {
    let mut inner = Out::new();
    write(&mut inner);
    bytes(out, field, &inner);
}

fn value(out: &mut Out, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => bytes(out, 1, &[]),
        ValueRef::Integer(integer) => sint64(out, 2, integer),
        ValueRef::Real(real) => {
            varint(out, 3 << 3 | EIGHT);
            out.extend_from_slice(&real.to_le_bytes());
        }
        ValueRef::Text(text) => bytes(out, 4, String::from_utf8_lossy(text).as_bytes()),
        ValueRef::Blob(blob) => bytes(out, 5, blob),
    }
}

fn row_values(out: &mut Out, row: &Row<'_>) {
    values(row).for_each(|found| message(out, 1, |out| value(out, found)));
}

/// Append a row to the rows of a result.
pub fn row(rows: &mut Out, row: &Row<'_>) {
    message(rows, 2, |out| row_values(out, row));
}

/// Append a row as an entry of a cursor's reply.
pub fn row_entry(out: &mut Out, row: &Row<'_>) {
    message(out, 4, |out| row_values(out, row));
}

fn columns(out: &mut Out, field: u64, columns: &[Column]) {
    for Column { name, declared } in columns {
        message(out, field, |out| {
            bytes(out, 1, name.as_bytes());
            declared.iter().for_each(|declared| bytes(out, 2, declared.as_bytes()));
        });
    }
}

fn changes(out: &mut Out, field: u64, changes: Changes) {
    number(out, field, changes.rows);
    sint64(out, field + 1, changes.last_insert_rowid);
}

fn stmt_result(out: &mut Out, result: &StmtResult) {
    columns(out, 1, &result.columns);
    out.extend_from_slice(&result.rows);
    changes(out, 3, result.changes);
}

fn batch(out: &mut Out, steps: &[StepResult]) {
    for (index, step) in (0..).zip(steps) {
        let Some(step) = step else { continue };
        let field = if step.is_ok() { 1 } else { 2 };
        message(out, field, |out| {
            number(out, 1, index);
            message(out, 2, |out| match step {
                Ok(result) => stmt_result(out, result),
                Err(failure) => error(out, failure),
            });
        });
    }
}

fn description(out: &mut Out, described: &Description) {
    for name in &described.parameters {
        message(out, 1, |out| {
            if let Some(name) = name {
                bytes(out, 1, name.as_bytes());
            }
        });
    }
    columns(out, 2, &described.columns);
    number(out, 3, described.is_explain.into());
    number(out, 4, described.is_readonly.into());
}

fn error(out: &mut Out, failure: &Failure) {
    bytes(out, 1, failure.message.as_bytes());
    bytes(out, 2, failure.code.as_bytes());
}

/// The content of a response, without its kind.
fn response(out: &mut Out, response: &Response) {
    match response {
        Response::Execute(result) => message(out, 1, |out| stmt_result(out, result)),
        Response::Batch(steps) => message(out, 1, |out| batch(out, steps)),
        Response::Describe(described) => message(out, 1, |out| description(out, described)),
        Response::GetAutocommit(is_autocommit) => number(out, 1, (*is_autocommit).into()),
        Response::Close | Response::Sequence | Response::StoreSql | Response::CloseSql => (),
    }
}

/// The field of a response over HTTP.
fn field(response: &Response) -> u64 {
    match response {
        Response::Close => 1,
        Response::Execute(_) => 2,
        Response::Batch(_) => 3,
        Response::Sequence => 4,
        Response::Describe(_) => 5,
        Response::StoreSql => 6,
        Response::CloseSql => 7,
        Response::GetAutocommit(_) => 8,
    }
}

/// The field of a response over a WebSocket.
fn socket_field(reply: &Reply) -> u64 {
    match reply {
        Reply::OpenStream => 2,
        Reply::CloseStream | Reply::Stream(Response::Close) => 3,
        Reply::Stream(Response::Execute(_)) => 4,
        Reply::Stream(Response::Batch(_)) => 5,
        Reply::OpenCursor => 6,
        Reply::CloseCursor => 7,
        Reply::FetchCursor(..) => 8,
        Reply::Stream(Response::Sequence) => 9,
        Reply::Stream(Response::Describe(_)) => 10,
        Reply::Stream(Response::StoreSql) => 11,
        Reply::Stream(Response::CloseSql) => 12,
        Reply::Stream(Response::GetAutocommit(_)) => 13,
    }
}

/// The reply to a pipeline.
pub fn pipeline(baton: Option<&str>, results: &[Result<Response, Failure>]) -> Out {
    let mut out = cursor_body(baton);
    for result in results {
        message(&mut out, 3, |out| match result {
            Ok(ok) => message(out, 1, |out| message(out, field(ok), |out| response(out, ok))),
            Err(failure) => message(out, 2, |out| error(out, failure)),
        });
    }
    out
}

fn cursor_body(baton: Option<&str>) -> Out {
    let mut out = Out::new();
    if let Some(baton) = baton {
        bytes(&mut out, 1, baton.as_bytes());
    }
    out
}

/// The beginning of a cursor's reply.
pub fn cursor(baton: Option<&str>) -> Out {
    let mut out = Out::new();
    framed(&mut out, &cursor_body(baton));
    out
}

/// Append a message with its length.
pub fn framed(out: &mut Out, message: &[u8]) {
    varint(out, message.len() as u64);
    out.extend_from_slice(message);
}

/// Append an entry of a cursor's reply.
pub fn entry(out: &mut Out, entry: &Entry) {
    match entry {
        Entry::StepBegin(step, result) => message(out, 1, |out| {
            number(out, 1, (*step).into());
            columns(out, 2, &result.columns);
        }),
        Entry::StepEnd(result) => message(out, 2, |out| changes(out, 1, result.changes)),
        Entry::StepError(step, failure) => message(out, 3, |out| {
            number(out, 1, (*step).into());
            message(out, 2, |out| error(out, failure));
        }),
        Entry::Error(failure) => message(out, 5, |out| error(out, failure)),
    }
}

/// The reply to a request over a WebSocket.
pub fn reply(request: i32, result: &Result<Reply, Failure>) -> Out {
    let mut out = Out::new();
    let kind = if result.is_ok() { 3 } else { 4 };
    message(&mut out, kind, |out| {
        number(out, 1, i64::from(request) as u64);
        match result {
            Ok(reply) => message(out, socket_field(reply), |out| socket_response(out, reply)),
            Err(failure) => message(out, 2, |out| error(out, failure)),
        }
    });
    out
}

fn socket_response(out: &mut Out, reply: &Reply) {
    match reply {
        Reply::Stream(stream) => response(out, stream),
        Reply::FetchCursor(group, is_done) => {
            group.entries().for_each(|entry| bytes(out, 1, entry));
            number(out, 2, (*is_done).into());
        }
        Reply::OpenStream | Reply::CloseStream | Reply::OpenCursor | Reply::CloseCursor => (),
    }
}

/// The reply to `hello`.
pub fn hello(result: Result<(), &Failure>) -> Out {
    let mut out = Out::new();
    match result {
        Ok(()) => bytes(&mut out, 1, &[]),
        Err(failure) => message(&mut out, 2, |out| message(out, 1, |out| error(out, failure))),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_short_as_possible() {
        let mut out = Out::new();
        number(&mut out, 1, 300);
        sint64(&mut out, 2, -1);
        sint64(&mut out, 2, i64::MIN);
        assert_eq!(out[..5], [0x08, 0xac, 0x02, 0x10, 0x01]);
        assert_eq!(out[6..], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    }

    #[test]
    fn a_pipeline_is_written() {
        let failure = Failure { message: "m".to_owned(), code: "c" };
        let results = [Ok(Response::GetAutocommit(true)), Err(failure)];
        let expected = [
            0x0a, 1, b'b', 0x1a, 6, 0x0a, 4, 0x42, 2, 0x08, 1, 0x1a, 8, 0x12, 6, 0x0a, 1, b'm',
            0x12, 1, b'c',
        ];
        assert_eq!(pipeline(Some("b"), &results), expected);
    }
}
