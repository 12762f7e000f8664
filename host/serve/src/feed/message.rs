//! The message about a commit: a JSON object.

use std::fmt::Write;
use std::sync::OnceLock;

use sqlite_sandbox::hooks::Changes;

/// Bytes of table names in a message at most; that of a commit with more says nothing about tables.
const MAX_NAMES: usize = 32 << 10;

/// Bytes of a row id in JSON at most, with what is around it.
const ROW_BYTES: usize = 24;

/// What a commit takes besides its names and rows.
const OWN_BYTES: usize = 256;

/// Integers that every reader of JSON keeps exactly; larger ones are texts.
const MAX_EXACT: u64 = 1 << 53;

/// A commit.
#[derive(Debug)]
pub struct Commit {
    pub number: u64,
    /// None where nothing is known of it.
    changes: Option<Changes>,
    size: usize,
    text: OnceLock<String>,
}

impl Commit {
    pub fn new(number: u64, changes: Option<Changes>) -> Self {
        let mut changes = changes.filter(|changes| !changes.is_partial);
        let sizes = |changes: &Changes| {
            let names: usize = changes.tables.keys().map(|name| name.len() + 8).sum();
            let rows: usize = changes.tables.values().flatten().map(|rows| rows.len()).sum();
            (names, rows)
        };
        let (mut names, mut rows) = changes.as_ref().map(sizes).unwrap_or_default();
        if names > MAX_NAMES {
            (changes, names, rows) = (None, 0, 0);
        }
        // As a tree and as a text, where each byte of a name may be six.
        let size = OWN_BYTES + 8 * names + 3 * ROW_BYTES * rows;
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
                    let _ = write!(text, "{before}{}:", serde_json::Value::from(name.as_str()));
                    put_rows(&mut text, rows.iter().flatten(), rows.is_some() && with_rows);
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

fn put_rows<'a>(text: &mut String, rows: impl Iterator<Item = &'a i64>, is_known: bool) {
    if !is_known {
        return text.push_str("null");
    }
    text.push('[');
    for (index, row) in rows.enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let quote = if row.unsigned_abs() > MAX_EXACT { "\"" } else { "" };
        let _ = write!(text, "{comma}{quote}{row}{quote}");
    }
    text.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes<const N: usize>(tables: [(&str, Option<Vec<i64>>); N]) -> Changes {
        let mut all = Changes::default();
        for (name, rows) in tables {
            all.tables.insert(name.to_owned(), rows.map(|rows| rows.into_iter().collect()));
        }
        all
    }

    #[test]
    fn a_commit_is_an_object() {
        let text = |changes| Commit::new(7, changes).text().to_owned();
        assert_eq!(text(None), r#"{"commit":7,"tables":null}"#);
        assert_eq!(text(Some(Changes::default())), r#"{"commit":7,"tables":{}}"#);
        let mut some = changes([("a\"\n", Some(vec![-1, 5, i64::MAX])), ("b", None)]);
        some.schema = true;
        assert_eq!(
            text(Some(some.clone())),
            r#"{"commit":7,"tables":{"a\"\n":[-1,5,"9223372036854775807"],"b":null},"schema":true}"#
        );
        some.is_partial = true;
        assert_eq!(text(Some(some)), r#"{"commit":7,"tables":null}"#);
    }

    #[test]
    fn a_short_one_leaves_out_rows_and_then_tables() {
        let commit = Commit::new(1, Some(changes([("t", Some((0..100).collect()))])));
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
        let commit = Commit::new(1, Some(changes([(&name, Some(vec![i64::MIN; 1000]))])));
        assert!(commit.size() >= commit.text().len() + name.len());
        let names: String = "x".repeat(MAX_NAMES);
        let commit = Commit::new(1, Some(changes([(&names, None)])));
        assert_eq!(commit.text(), r#"{"commit":1,"tables":null}"#);
    }
}
