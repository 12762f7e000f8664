//! sha3query: SHA-3 hashes of query results, compatible with SQLite's shathree.
//!
//! - `sha3_query(SQL)`, `sha3_query(SQL, SIZE)`: the hash of the statements and of
//!   all rows that they return; SIZE as for `sha3`. The statements must only read
//!
//! It needs the grant `sql:ro`.

use sha3_hash::{Running, Size};
use sqlite_wasm_kit::Risk::DirectOnly;
use sqlite_wasm_kit::Stability::Volatile;
use sqlite_wasm_kit::{Need, Result, Scalar, Value, code, sql};

const SCALARS: &[Scalar] = &[
    Scalar::new("sha3_query", 1, Volatile, DirectOnly, |a| a.apply(sha3_query_256)),
    Scalar::new("sha3_query", 2, Volatile, DirectOnly, |a| a.apply(sha3_query)),
];

sqlite_wasm_kit::extension! {
    name: "sha3query",
    description: "SHA-3 hashes of query results",
    scalars: SCALARS,
    needs: &[Need::SqlReadOnly],
}

fn sha3_query_256(sql: String) -> Result<Vec<u8>> {
    hash_of_rows(Size::Bits256, &sql)
}

/// The size is checked first, so that a wrong one fails for NULL too.
fn sha3_query(sql: Option<String>, size: Value) -> Result<Option<Vec<u8>>> {
    let size = Size::from_bits(size.to_integer())
        .ok_or("sha3_query: size must be 224, 256, 384 or 512")?;
    sql.map(|sql| hash_of_rows(size, &sql)).transpose()
}

/// The hash of each statement's text and of its rows, one after the other.
fn hash_of_rows(size: Size, mut text: &str) -> Result<Vec<u8>> {
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
                row?.iter().for_each(|value| running.value(value));
            }
        }
        text = tail;
    }
    Ok(running.finish())
}
