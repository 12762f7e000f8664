//! JSON. It is written by hand, since rows are written as they arrive.

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::de::DeserializeOwned;
use sqlite_wasm::Row;
use sqlite_wasm::types::ValueRef;

use super::Entry;
use crate::hrana::response::{Column, Description, Reply, Response, StepResult, StmtResult};
use crate::session::engine::Changes;
use crate::session::error::Failure;

/// JSON's name of an infinite number: too large for any reader's type, so that it reads infinity.
const INFINITY: &str = "1e999";

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// Write a text in quotes.
fn text(out: &mut Vec<u8>, text: &str) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(out, text);
}

fn optional_text(out: &mut Vec<u8>, value: Option<&str>) {
    match value {
        Some(value) => text(out, value),
        None => put(out, "null"),
    }
}

fn number(out: &mut Vec<u8>, number: impl std::fmt::Display) {
    let _ = write!(out, "{number}");
}

/// Write a list.
fn list<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut item: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for (index, value) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        item(out, value);
    }
    out.push(b']');
}

fn value(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => put(out, r#"{"type":"null"}"#),
        ValueRef::Integer(integer) => {
            put(out, r#"{"type":"integer","value":""#);
            number(out, integer);
            put(out, r#""}"#);
        }
        ValueRef::Real(real) => {
            put(out, r#"{"type":"float","value":"#);
            float(out, real);
            out.push(b'}');
        }
        ValueRef::Text(bytes) => {
            put(out, r#"{"type":"text","value":"#);
            text(out, &String::from_utf8_lossy(bytes));
            out.push(b'}');
        }
        ValueRef::Blob(bytes) => {
            put(out, r#"{"type":"blob","base64":""#);
            put(out, &STANDARD_NO_PAD.encode(bytes));
            put(out, r#""}"#);
        }
    }
}

fn float(out: &mut Vec<u8>, real: f64) {
    match real.is_finite() {
        true => _ = serde_json::to_writer(out, &real),
        false => put(out, if real < 0.0 { "-1e999" } else { INFINITY }),
    }
}

fn values(out: &mut Vec<u8>, row: &Row<'_>) {
    out.push(b'[');
    for (index, found) in super::values(row).enumerate() {
        if index > 0 {
            out.push(b',');
        }
        value(out, found);
    }
    out.push(b']');
}

/// Append a row to the rows of a result.
pub fn row(rows: &mut Vec<u8>, row: &Row<'_>) {
    if !rows.is_empty() {
        rows.push(b',');
    }
    values(rows, row);
}

fn columns(out: &mut Vec<u8>, columns: &[Column]) {
    put(out, r#""cols":"#);
    list(out, columns, |out, Column { name, declared }| {
        put(out, r#"{"name":"#);
        text(out, name);
        put(out, r#","decltype":"#);
        optional_text(out, declared.as_deref());
        out.push(b'}');
    });
}

fn changes(out: &mut Vec<u8>, changes: Changes) {
    put(out, r#""affected_row_count":"#);
    number(out, changes.rows);
    put(out, r#","last_insert_rowid":""#);
    number(out, changes.last_insert_rowid);
    put(out, r#"""#);
}

fn stmt_result(out: &mut Vec<u8>, result: &StmtResult) {
    out.push(b'{');
    columns(out, &result.columns);
    put(out, r#","rows":["#);
    out.extend_from_slice(&result.rows);
    put(out, "],");
    changes(out, result.changes);
    out.push(b'}');
}

fn batch(out: &mut Vec<u8>, steps: &[StepResult]) {
    put(out, r#"{"step_results":"#);
    list(out, steps, |out, step| match step {
        Some(Ok(result)) => stmt_result(out, result),
        _ => put(out, "null"),
    });
    put(out, r#","step_errors":"#);
    list(out, steps, |out, step| match step {
        Some(Err(failure)) => error(out, failure),
        _ => put(out, "null"),
    });
    out.push(b'}');
}

fn description(out: &mut Vec<u8>, described: &Description) {
    put(out, r#"{"params":"#);
    list(out, &described.parameters, |out, name| {
        put(out, r#"{"name":"#);
        optional_text(out, name.as_deref());
        out.push(b'}');
    });
    out.push(b',');
    columns(out, &described.columns);
    put(out, r#","is_explain":"#);
    number(out, described.is_explain);
    put(out, r#","is_readonly":"#);
    number(out, described.is_readonly);
    out.push(b'}');
}

fn response(out: &mut Vec<u8>, response: &Response) {
    put(out, r#"{"type":""#);
    match response {
        Response::Close => put(out, r#"close""#),
        Response::Execute(result) => {
            put(out, r#"execute","result":"#);
            stmt_result(out, result);
        }
        Response::Batch(steps) => {
            put(out, r#"batch","result":"#);
            batch(out, steps);
        }
        Response::Sequence => put(out, r#"sequence""#),
        Response::Describe(described) => {
            put(out, r#"describe","result":"#);
            description(out, described);
        }
        Response::StoreSql => put(out, r#"store_sql""#),
        Response::CloseSql => put(out, r#"close_sql""#),
        Response::GetAutocommit(is_autocommit) => {
            put(out, r#"get_autocommit","is_autocommit":"#);
            number(out, is_autocommit);
        }
    }
    out.push(b'}');
}

fn socket_response(out: &mut Vec<u8>, reply: &Reply) {
    let kind = match reply {
        Reply::Stream(stream) => return response(out, stream),
        Reply::OpenStream => "open_stream",
        Reply::CloseStream => "close_stream",
        Reply::OpenCursor => "open_cursor",
        Reply::CloseCursor => "close_cursor",
        Reply::FetchCursor(..) => "fetch_cursor",
    };
    put(out, r#"{"type":"#);
    text(out, kind);
    if let Reply::FetchCursor(group, is_done) = reply {
        put(out, r#","entries":"#);
        list(out, group.entries(), |out, entry| out.extend_from_slice(entry));
        put(out, r#","done":"#);
        number(out, is_done);
    }
    out.push(b'}');
}

/// The reply to a request over a WebSocket.
pub fn reply(request: i32, result: &Result<Reply, Failure>) -> Vec<u8> {
    let mut out = Vec::new();
    let kind = if result.is_ok() { "response_ok" } else { "response_error" };
    put(&mut out, r#"{"type":"#);
    text(&mut out, kind);
    put(&mut out, r#","request_id":"#);
    number(&mut out, request);
    match result {
        Ok(reply) => {
            put(&mut out, r#","response":"#);
            socket_response(&mut out, reply);
        }
        Err(failure) => {
            put(&mut out, r#","error":"#);
            error(&mut out, failure);
        }
    }
    out.push(b'}');
    out
}

/// The reply to `hello`.
pub fn hello(result: Result<(), &Failure>) -> Vec<u8> {
    let mut out = Vec::new();
    match result {
        Ok(()) => put(&mut out, r#"{"type":"hello_ok"}"#),
        Err(failure) => {
            put(&mut out, r#"{"type":"hello_error","error":"#);
            error(&mut out, failure);
            out.push(b'}');
        }
    }
    out
}

/// Decode what a client sent.
pub fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

fn error(out: &mut Vec<u8>, failure: &Failure) {
    put(out, r#"{"message":"#);
    text(out, &failure.message);
    put(out, r#","code":"#);
    text(out, failure.code);
    out.push(b'}');
}

fn baton_and_url(out: &mut Vec<u8>, baton: Option<&str>) {
    put(out, r#"{"baton":"#);
    optional_text(out, baton);
    put(out, r#","base_url":null"#);
}

/// The reply to a pipeline.
pub fn pipeline(baton: Option<&str>, results: &[Result<Response, Failure>]) -> Vec<u8> {
    let mut out = Vec::new();
    baton_and_url(&mut out, baton);
    put(&mut out, r#","results":"#);
    list(&mut out, results, |out, result| match result {
        Ok(ok) => {
            put(out, r#"{"type":"ok","response":"#);
            response(out, ok);
            out.push(b'}');
        }
        Err(failure) => {
            put(out, r#"{"type":"error","error":"#);
            error(out, failure);
            out.push(b'}');
        }
    });
    out.push(b'}');
    out
}

/// The first line of a cursor's reply.
pub fn cursor(baton: Option<&str>) -> Vec<u8> {
    let mut out = Vec::new();
    baton_and_url(&mut out, baton);
    put(&mut out, "}\n");
    out
}

/// Append an entry of a cursor's reply.
pub fn entry(out: &mut Vec<u8>, entry: &Entry) {
    match entry {
        Entry::StepBegin(step, result) => {
            put(out, r#"{"type":"step_begin","step":"#);
            number(out, step);
            out.push(b',');
            columns(out, &result.columns);
        }
        Entry::StepEnd(result) => {
            put(out, r#"{"type":"step_end","#);
            changes(out, result.changes);
        }
        Entry::StepError(step, failure) => {
            put(out, r#"{"type":"step_error","step":"#);
            number(out, step);
            put(out, r#","error":"#);
            error(out, failure);
        }
        Entry::Error(failure) => {
            put(out, r#"{"type":"error","error":"#);
            error(out, failure);
        }
    }
    out.push(b'}');
}

/// Append an entry as a line.
pub fn line(out: &mut Vec<u8>, entry: &[u8]) {
    out.extend_from_slice(entry);
    out.push(b'\n');
}

/// Append a row as an entry of a cursor's reply.
pub fn row_entry(out: &mut Vec<u8>, row: &Row<'_>) {
    put(out, r#"{"type":"row","row":"#);
    values(out, row);
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(of: ValueRef<'_>) -> String {
        let mut out = Vec::new();
        value(&mut out, of);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_json() {
        let least = r#"{"type":"integer","value":"-9223372036854775808"}"#;
        assert_eq!(encoded(ValueRef::Integer(i64::MIN)), least);
        assert_eq!(encoded(ValueRef::Real(1.0)), r#"{"type":"float","value":1.0}"#);
        assert_eq!(encoded(ValueRef::Real(f64::INFINITY)), r#"{"type":"float","value":1e999}"#);
        let text = encoded(ValueRef::Text(b"a\"\n\x01\xff"));
        assert_eq!(text, "{\"type\":\"text\",\"value\":\"a\\\"\\n\\u0001\u{fffd}\"}");
        assert_eq!(encoded(ValueRef::Blob(b"a")), r#"{"type":"blob","base64":"YQ"}"#);
    }

    #[test]
    fn replies_are_json() {
        let failure = Failure { message: "no \"x\"".to_owned(), code: "SQLITE_ERROR" };
        let described = Description {
            parameters: vec![None, Some(":a".to_owned())],
            columns: vec![Column { name: "é".to_owned(), declared: Some("DATE".to_owned()) }],
            is_explain: false,
            is_readonly: true,
        };
        let results = [
            Ok(Response::Execute(StmtResult::default())),
            Ok(Response::Batch(vec![
                None,
                Some(Err(failure.clone())),
                Some(Ok(StmtResult::default())),
            ])),
            Ok(Response::Describe(described)),
            Ok(Response::GetAutocommit(true)),
            Err(failure),
        ];
        let json: serde_json::Value =
            serde_json::from_slice(&pipeline(Some("b"), &results)).unwrap();
        assert_eq!(json["baton"], "b");
        assert_eq!(
            json["results"][1]["response"]["result"]["step_errors"][1]["code"],
            "SQLITE_ERROR"
        );
        assert_eq!(json["results"][2]["response"]["result"]["params"][1]["name"], ":a");
        assert_eq!(json["results"][2]["response"]["result"]["cols"][0]["decltype"], "DATE");
        assert_eq!(json["results"][3]["response"]["is_autocommit"], true);
        assert_eq!(json["results"][4]["error"]["message"], "no \"x\"");
    }
}
