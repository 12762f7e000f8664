//! The message about a commit: a JSON object.

use std::fmt::Write;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use sqlite_sandbox::hooks::{ChangedRows, Changes, Key};
use sqlite_sandbox::types::ValueRef;

/// Bytes of table names in a message at most; that of a commit with more says nothing about tables.
const MAX_NAMES: usize = 32 << 10;

/// Bytes of a row id in JSON at most, with what is around it.
const ROW_BYTES: usize = 24;

/// Bytes of a key at most, for each byte of its values and for the whole of it: in JSON a control character is six, and
/// what is around a value is less than that for each of the bytes that say its type and length.
const KEY_BYTE_BYTES: usize = 6;
const KEY_BYTES: usize = 64;

/// What a commit takes besides its names and rows.
const OWN_BYTES: usize = 256;

/// Integers that every reader of JSON keeps exactly; larger ones are texts.
const MAX_EXACT: u64 = 1 << 53;

/// A commit.
#[derive(Debug)]
pub struct Commit {
    pub number: u64,
    /// `None` if nothing is known about it.
    changes: Option<Changes>,
    size: usize,
    text: OnceLock<String>,
}

impl Commit {
    pub fn new(number: u64, changes: Option<Changes>) -> Self {
        let mut changes = changes.filter(|changes| !changes.is_partial);
        let names_of = |changes: &Changes| changes.tables.keys().map(|name| name.len() + 8).sum();
        let mut names: usize = changes.as_ref().map(names_of).unwrap_or_default();
        if names > MAX_NAMES {
            (changes, names) = (None, 0);
        }
        let rows: usize =
            changes.iter().flat_map(|changes| changes.tables.values()).map(rows_size).sum();
        // As a tree and as a text, where each byte of a name may be six.
        let size = OWN_BYTES + 8 * names + rows;
        Self { number, changes, size, text: OnceLock::new() }
    }

    /// The bytes that it takes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The whole object.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| self.written(true, true, false))
    }

    /// The object, shorter than `bytes`: without rows, or without tables, where it would be longer.
    pub fn shorter_than(&self, bytes: usize) -> String {
        if self.text().len() < bytes {
            return self.text().to_owned();
        }
        let without_rows = self.written(true, false, true);
        if without_rows.len() < bytes { without_rows } else { self.written(false, false, true) }
    }

    fn written(&self, with_tables: bool, with_rows: bool, is_cut: bool) -> String {
        let mut text = format!("{{\"commit\":{},\"tables\":", self.number);
        match self.changes.as_ref().filter(|_| with_tables) {
            None => text.push_str("null"),
            Some(changes) => {
                let mut before = '{';
                for (name, rows) in &changes.tables {
                    text.push(before);
                    put_text(&mut text, name);
                    text.push(':');
                    put_rows(&mut text, if with_rows { rows } else { &ChangedRows::Any });
                    before = ',';
                }
                text.push_str(if before == '{' { "{}" } else { "}" });
            }
        }
        if self.changes.as_ref().is_some_and(|changes| changes.schema) {
            text.push_str(",\"schema\":true");
        }
        text.push_str(if is_cut { ",\"cut\":true}" } else { "}" });
        text
    }
}

/// The bytes that rows take, as a tree and as a text.
fn rows_size(rows: &ChangedRows) -> usize {
    match rows {
        ChangedRows::Any => 0,
        ChangedRows::RowIds(rows) => 3 * ROW_BYTES * rows.len(),
        ChangedRows::Keys(keys) => keys.iter().map(key_size).sum(),
    }
}

fn key_size(key: &Key) -> usize {
    KEY_BYTES + (1 + KEY_BYTE_BYTES) * key.size()
}

fn put_rows(text: &mut String, rows: &ChangedRows) {
    match rows {
        ChangedRows::Any => text.push_str("null"),
        ChangedRows::RowIds(rows) => put_list(text, rows, |text, row| put_row_id(text, *row)),
        ChangedRows::Keys(keys) => {
            put_list(text, keys, |text, key| put_list(text, key.values(), put_value));
        }
    }
}

fn put_list<T>(text: &mut String, all: impl IntoIterator<Item = T>, put: impl Fn(&mut String, T)) {
    text.push('[');
    for (index, one) in all.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        put(text, one);
    }
    text.push(']');
}

fn put_row_id(text: &mut String, row: i64) {
    let quote = if is_exact(row) { "" } else { "\"" };
    let _ = write!(text, "{quote}{row}{quote}");
}

fn is_exact(integer: i64) -> bool {
    integer.unsigned_abs() <= MAX_EXACT
}

/// A value of a key: as JSON has it, and as an object of Hrana if JSON does not.
fn put_value(text: &mut String, value: ValueRef<'_>) {
    let _ = match value {
        ValueRef::Null => write!(text, "null"),
        ValueRef::Integer(integer) if is_exact(integer) => write!(text, "{integer}"),
        ValueRef::Integer(integer) => {
            write!(text, "{{\"type\":\"integer\",\"value\":\"{integer}\"}}")
        }
        ValueRef::Real(real) if real.is_infinite() => {
            let sign = if real < 0.0 { "-" } else { "" };
            write!(text, "{{\"type\":\"float\",\"value\":\"{sign}Infinity\"}}")
        }
        ValueRef::Real(real) => write!(text, "{}", serde_json::Value::from(real)),
        ValueRef::Text(bytes) => match str::from_utf8(bytes) {
            Ok(value) => return put_text(text, value),
            Err(_) => put_bytes(text, "text", bytes),
        },
        ValueRef::Blob(bytes) => put_bytes(text, "blob", bytes),
    };
}

fn put_bytes(text: &mut String, kind: &str, bytes: &[u8]) -> std::fmt::Result {
    write!(text, "{{\"type\":\"{kind}\",\"base64\":\"{}\"}}", STANDARD_NO_PAD.encode(bytes))
}

fn put_text(text: &mut String, value: &str) {
    let _ = write!(text, "{}", serde_json::Value::from(value));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes<const N: usize>(tables: [(&str, ChangedRows); N]) -> Changes {
        let mut all = Changes::default();
        for (name, rows) in tables {
            all.tables.insert(name.to_owned(), rows);
        }
        all
    }

    fn row_ids(rows: impl IntoIterator<Item = i64>) -> ChangedRows {
        ChangedRows::RowIds(rows.into_iter().collect())
    }

    fn keys<'a, const N: usize>(keys: impl IntoIterator<Item = [ValueRef<'a>; N]>) -> ChangedRows {
        ChangedRows::Keys(keys.into_iter().map(Key::new).collect())
    }

    #[test]
    fn a_commit_is_an_object() {
        let text = |changes| Commit::new(7, changes).text().to_owned();
        assert_eq!(text(None), r#"{"commit":7,"tables":null}"#);
        assert_eq!(text(Some(Changes::default())), r#"{"commit":7,"tables":{}}"#);
        let mut some = changes([("a\"\n", row_ids([-1, 5, i64::MAX])), ("b", ChangedRows::Any)]);
        some.schema = true;
        assert_eq!(
            text(Some(some.clone())),
            r#"{"commit":7,"tables":{"a\"\n":[-1,5,"9223372036854775807"],"b":null},"schema":true}"#
        );
        some.is_partial = true;
        assert_eq!(text(Some(some)), r#"{"commit":7,"tables":null}"#);
    }

    #[test]
    fn values_of_keys_are_those_of_json_or_objects() {
        let text = |value| {
            let text = Commit::new(7, Some(changes([("k", keys([[value]]))]))).text().to_owned();
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
            let value = text.strip_prefix(r#"{"commit":7,"tables":{"k":[["#).unwrap();
            value.strip_suffix("]]}}").unwrap().to_owned()
        };
        assert_eq!(text(ValueRef::Null), "null");
        assert_eq!(text(ValueRef::Integer(-(1 << 53))), "-9007199254740992");
        assert_eq!(
            text(ValueRef::Integer(i64::MIN)),
            r#"{"type":"integer","value":"-9223372036854775808"}"#
        );
        assert_eq!(text(ValueRef::Real(1.0)), "1.0");
        assert_eq!(text(ValueRef::Real(f64::INFINITY)), r#"{"type":"float","value":"Infinity"}"#);
        assert_eq!(
            text(ValueRef::Real(f64::NEG_INFINITY)),
            r#"{"type":"float","value":"-Infinity"}"#
        );
        assert_eq!(text(ValueRef::Text(b"5\"\0\n")), r#""5\"\u0000\n""#);
        assert_eq!(text(ValueRef::Text(b"\xffa")), r#"{"type":"text","base64":"/2E"}"#);
        assert_eq!(text(ValueRef::Blob(b"")), r#"{"type":"blob","base64":""}"#);
        let pair = [ValueRef::Integer(1), ValueRef::Text(b"a")];
        let commit = Commit::new(7, Some(changes([("k", keys([pair]))])));
        assert_eq!(commit.text(), r#"{"commit":7,"tables":{"k":[[1,"a"]]}}"#);
    }

    #[test]
    fn a_short_one_leaves_out_rows_and_then_tables() {
        let commit = Commit::new(1, Some(changes([("t", row_ids(0..100))])));
        assert_eq!(commit.shorter_than(8000), commit.text());
        let cut = r#"{"commit":1,"tables":{"t":null},"cut":true}"#;
        assert_eq!(commit.shorter_than(commit.text().len()), cut);
        assert_eq!(commit.shorter_than(cut.len() + 1), cut);
        let least = r#"{"commit":1,"tables":null,"cut":true}"#;
        assert_eq!(commit.shorter_than(cut.len()), least);
    }

    #[test]
    fn sizes_are_no_less_than_the_texts() {
        let name = "\u{1}".repeat(5000);
        let rows = row_ids((0..1000).map(|row| i64::MIN + row));
        let commit = Commit::new(1, Some(changes([(&name, rows)])));
        assert!(commit.size() >= commit.text().len() + name.len());
        let control = [1; 500];
        for value in [
            ValueRef::Null,
            ValueRef::Integer(i64::MIN),
            ValueRef::Real(f64::NEG_INFINITY),
            ValueRef::Real(-1.234_567_890_123_456_7e-300),
            ValueRef::Text(&control),
            ValueRef::Text(b""),
            ValueRef::Text(b"\xff"),
            ValueRef::Blob(b""),
            ValueRef::Blob(&control),
        ] {
            let key = [value; 3];
            let commit = Commit::new(1, Some(changes([("k", keys([key]))])));
            assert!(commit.size() >= OWN_BYTES + commit.text().len(), "{value:?}");
        }
        let names: String = "x".repeat(MAX_NAMES);
        let commit = Commit::new(1, Some(changes([(&names, ChangedRows::Any)])));
        assert_eq!(commit.text(), r#"{"commit":1,"tables":null}"#);
    }
}
