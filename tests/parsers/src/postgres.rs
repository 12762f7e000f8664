//! Bytes of clients of the Postgres wire.

use sql_tokens::{Dialect, Tokens};
use sqlite_wasm_postgres::Result;
use sqlite_wasm_postgres::copy::Reader;
use sqlite_wasm_postgres::frames::{self, Message};
use sqlite_wasm_postgres::translate::{Context, CopyFormat, CopyOptions, translate};
use sqlite_wasm_postgres::types::{Scalar, TEXT, Type, Typed};
use sqlite_wasm_postgres::values::Value;

/// A message by its type, the first byte.
pub fn frames(bytes: &[u8]) {
    let Some((tag, body)) = bytes.split_first() else { return };
    if let Ok(Message::Bind(bind)) = frames::read(*tag, body) {
        let values: usize = bind.values.iter().flatten().map(|value| value.len()).sum();
        assert!(values <= body.len(), "values of {values} bytes in {}", body.len());
    }
}

/// The data of COPY: a format and the size of pieces, then the data. It is the same rows in pieces of any size.
pub fn copy(bytes: &[u8]) {
    let [format, piece, data @ ..] = bytes else { return };
    let format = match format % 3 {
        0 => CopyFormat::Text,
        1 => CopyFormat::Csv,
        _ => CopyFormat::Binary,
    };
    let in_pieces = rows(format, data, usize::from(*piece).max(1));
    assert_eq!(in_pieces, rows(format, data, data.len().max(1)));
}

fn rows(format: CopyFormat, data: &[u8], piece: usize) -> Result<Vec<Vec<Value>>> {
    let number = Typed::plain(Type::One(Scalar::Int4));
    let columns = [("number", number), ("text", Typed::plain(TEXT))];
    let columns = columns.map(|(name, typed)| (name.to_owned(), typed)).to_vec();
    let mut reader = Reader::new(CopyOptions::of(format), "t", columns);
    let mut rows = Vec::new();
    let mut add = |row: &[Value]| {
        rows.push(row.to_vec());
        Ok(())
    };
    data.chunks(piece).try_for_each(|piece| reader.push(piece, &mut add))?;
    reader.finish(&mut add)?;
    Ok(rows)
}

/// Statements. The words of a text are parts of it, in their order.
pub fn sql(bytes: &[u8]) {
    let Ok(sql) = str::from_utf8(bytes) else { return };
    for dialect in [Dialect::Sqlite, Dialect::Postgres] {
        let mut tokens = Tokens::new(sql, dialect);
        let mut left = tokens.rest().len();
        while tokens.next_word().is_some() {
            let rest = tokens.rest();
            assert!(sql.ends_with(rest) && rest.len() < left, "no progress at {rest:?}");
            left = rest.len();
        }
    }
    let _ = translate(sql, &Context::default());
}
