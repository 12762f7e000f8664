//! `eval`: runs the statements of a text; the result is a text.

use sql_tokens::{Dialect, Tokens};
use sqlite_wasm_kit::{Error, Result, Value, code, sql};

use crate::definitions::Definitions;
use crate::expand::expand;

/// Longest result: several copies exist on its way to SQLite; by default the extension's memory is
/// eight times this limit.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// Statements in which calls are replaced. Statements that store SQL, such as CREATE VIEW, are left
/// unchanged.
const EXPANDED: &[&str] =
    &["SELECT", "VALUES", "WITH", "INSERT", "REPLACE", "UPDATE", "DELETE", "EXPLAIN"];

/// Run all statements; none if they return no rows.
pub fn eval(all: &Definitions, mut text: &str, separator: &str) -> Result<Option<Value>> {
    let mut answer = None;
    while !text.is_empty() {
        let (statement, tail) = sql::prepare_first(text)?;
        // SQLite reads no further than to a NUL.
        let is_end = tail.len() == text.len();
        if let Some(mut statement) = statement {
            let this = &text[..text.len() - tail.len()];
            if let Some(expanded) = expanded(all, this)? {
                statement = sql::prepare(&expanded)?;
            }
            for row in statement.query([])? {
                add(answer.get_or_insert_default(), row?, separator)?;
            }
        }
        text = if is_end { "" } else { tail };
    }
    Ok(answer.map(Value::Text))
}

/// A statement without calls of defined functions, if it has any.
fn expanded(all: &Definitions, sql: &str) -> Result<Option<String>> {
    let first = Tokens::new(sql, Dialect::Sqlite).next_word();
    let is_expanded = first.is_some_and(|first| EXPANDED.iter().any(|keyword| first.is(keyword)));
    if !is_expanded {
        return Ok(None);
    }
    let expanded = expand(sql, &|name, count| all.find(name, count))?;
    Ok(expanded.contains("define_1").then_some(expanded))
}

/// Add a row's values; nothing precedes the first value that is not empty.
fn add(answer: &mut Vec<u8>, row: Vec<Value>, separator: &str) -> Result<()> {
    for value in row {
        if !answer.is_empty() {
            answer.extend_from_slice(separator.as_bytes());
        }
        answer.extend(value.into_bytes());
    }
    if answer.len() > MAX_ANSWER_BYTES {
        let message = format!("eval: the answer is longer than {MAX_ANSWER_BYTES} bytes");
        return Err(Error::new(code::TOOBIG, message));
    }
    Ok(())
}
