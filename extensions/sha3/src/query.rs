//! The hash of what statements answer, as shathree hashes it.

use sqlite_wasm_kit::{Result, code, sql};

use crate::hash::{Running, Size};

/// Each statement's text, and each of its rows, one after the other.
pub fn hash(size: Size, mut text: &str) -> Result<Vec<u8>> {
    let mut running = Running::new(size);
    while !text.is_empty() {
        let (statement, tail) = sql::prepare_first(text).map_err(|error| match error.code {
            code::AUTH => format!("non-query: [{text}]"),
            _ => format!("error SQL statement [{text}]: {error}"),
        })?;
        if let Some(mut statement) = statement {
            running.sized('S', &text.as_bytes()[..text.len() - tail.len()]);
            for row in statement.query([])? {
                running.update(b"R");
                row?.iter().for_each(|value| crate::encode(&mut running, value));
            }
        }
        text = tail;
    }
    Ok(running.finish())
}
