//! JSON. Rows are written by hand, as they arrive; the rest by `serde`.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Serializer;
use serde_json::ser::Formatter;
use sqlite_sandbox::Row;
use sqlite_sandbox::types::ValueRef;

use crate::hrana::response::{Column, Encoded, Failed, StepResult};
use crate::session::connection::Changes;

/// JSON's text for infinity: too large for any reader's type, so that it reads infinity.
const INFINITY: &str = "1e999";

/// Writes bytes as they are: in replies they are JSON.
struct Splicing;

impl Formatter for Splicing {
    fn write_byte_array<W: ?Sized + Write>(&mut self, to: &mut W, json: &[u8]) -> io::Result<()> {
        to.write_all(json)
    }
}

/// Append a message.
pub fn write(out: &mut Vec<u8>, message: &impl Serialize) {
    // Writing to memory does not fail.
    let _ = message.serialize(&mut Serializer::with_formatter(out, Splicing));
}

/// Decode what a client sent.
pub fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

fn value(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => put(out, r#"{"type":"null"}"#),
        ValueRef::Integer(integer) => {
            put(out, r#"{"type":"integer","value":""#);
            _ = write!(out, "{integer}");
            put(out, r#""}"#);
        }
        ValueRef::Real(real) => {
            put(out, r#"{"type":"float","value":"#);
            float(out, real);
            out.push(b'}');
        }
        ValueRef::Text(bytes) => {
            put(out, r#"{"type":"text","value":"#);
            _ = serde_json::to_writer(&mut *out, &*String::from_utf8_lossy(bytes));
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
    if real.is_finite() {
        _ = serde_json::to_writer(out, &real);
    } else {
        put(out, if real < 0.0 { "-1e999" } else { INFINITY });
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

/// Begin the result of a statement.
pub fn begin(out: &mut Vec<u8>, columns: &[Column]) {
    put(out, r#"{"cols":"#);
    write(out, &columns);
    put(out, r#","rows":["#);
}

/// Append a row to the result of a statement.
pub fn row(out: &mut Vec<u8>, row: &Row<'_>) {
    if !out.ends_with(b"[") {
        out.push(b',');
    }
    values(out, row);
}

/// End the result of a statement.
pub fn end(out: &mut Vec<u8>, changes: Changes) {
    let Changes { rows, last_insert_rowid } = changes;
    _ = write!(out, r#"],"affected_row_count":{rows},"last_insert_rowid":"{last_insert_rowid}"}}"#);
}

#[derive(Default, Serialize)]
struct BatchResult<'a> {
    step_results: Vec<Option<Encoded<'a>>>,
    step_errors: Vec<Option<Failed>>,
}

/// The result of a batch.
pub fn batch(steps: &[StepResult]) -> Vec<u8> {
    let mut batch = BatchResult::default();
    for step in steps {
        let (result, error) = match step {
            None => (None, None),
            Some(Ok(result)) => (Some(Encoded(result)), None),
            Some(Err(failure)) => (None, Some(failure.clone().into())),
        };
        batch.step_results.push(result);
        batch.step_errors.push(error);
    }
    let length = batch.step_results.iter().flatten().map(|Encoded(result)| result.len()).sum();
    let mut out = Vec::with_capacity(length);
    write(&mut out, &batch);
    out
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
    use crate::hrana::response::{
        Autocommit, Described, Description, Done, Empty, Parameter, Pipeline, Response,
    };
    use crate::session::error::Failure;

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
        let mut result = Vec::new();
        begin(&mut result, &[]);
        end(&mut result, Changes::default());
        let name = Some(":a".to_owned());
        let described = Description {
            params: vec![Parameter { name: None }, Parameter { name }],
            cols: vec![Column { name: "é".to_owned(), decltype: Some("DATE".to_owned()) }],
            is_explain: false,
            is_readonly: true,
        };
        let steps = vec![None, Some(Err(failure.clone())), Some(Ok(result.clone()))];
        let results = [
            Ok(Response::Execute(Done { result })),
            Ok(Response::Batch(Done { result: batch(&steps) })),
            Ok(Response::Describe(Described { result: described })),
            Ok(Response::GetAutocommit(Autocommit { is_autocommit: true })),
            Ok(Response::Close(Empty {})),
            Err(failure),
        ];
        let results = results.into_iter().map(Into::into).collect();
        let mut out = Vec::new();
        write(&mut out, &Pipeline { baton: Some("b".to_owned()), base_url: None, results });
        let empty = r#"{"cols":[],"rows":[],"affected_row_count":0,"last_insert_rowid":"0"}"#;
        let error = r#"{"message":"no \"x\"","code":"SQLITE_ERROR"}"#;
        let expected = [
            r#"{"baton":"b","base_url":null,"results":[{"type":"ok","response":{"type":"execute","result":"#,
            empty,
            r#"}},{"type":"ok","response":{"type":"batch","result":{"step_results":[null,null,"#,
            empty,
            r#"],"step_errors":[null,"#,
            error,
            r#",null]}}},{"type":"ok","response":{"type":"describe","result":{"params":[{"name":null},"#,
            r#"{"name":":a"}],"cols":[{"name":"é","decltype":"DATE"}],"is_explain":false,"is_readonly":true}}},"#,
            r#"{"type":"ok","response":{"type":"get_autocommit","is_autocommit":true}},"#,
            r#"{"type":"ok","response":{"type":"close"}},{"type":"error","error":"#,
            error,
            "}]}",
        ];
        assert_eq!(String::from_utf8(out).unwrap(), expected.concat());
    }
}
