//! frozen_sql: an extension of the first version of the contract with SQL by the kit, so by
//! `sql-work`. It is not built again; see lib.rs.
//!
//! - `frozen_rows(SQL, X)`: names and values of all rows of a statement, with X bound to ?1
//! - `frozen_blob(TABLE, COLUMN, ROWID, TEXT)`: writes TEXT at the beginning of a blob; what is there then

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Volatile;
use sqlite_wasm_kit::{Need, Result, Scalar, Value, sql};

sqlite_wasm_kit::extension! {
    name: "frozen_sql",
    description: "an extension of contract 0.1.0 that uses SQL",
    scalars: &[
        Scalar::new("frozen_rows", 2, Volatile, Innocuous, |a| a.apply(rows)),
        Scalar::new("frozen_blob", 4, Volatile, Innocuous, |a| a.apply(blob)),
    ],
    needs: &[Need::Sql],
}

fn show(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Integer(integer) => integer.to_string(),
        Value::Real(real) => format!("{real:?}"),
        Value::Text(bytes) | Value::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn rows(text: String, bound: Value) -> Result<String> {
    let mut statement = sql::prepare(&text)?;
    let mut shown = statement.column_names();
    for row in statement.query([bound])? {
        shown.extend(row?.iter().map(show));
    }
    Ok(shown.join(","))
}

fn blob(table: String, column: String, row_id: i64, text: String) -> Result<String> {
    let blob = sql::Blob::open("main", &table, &column, row_id, true)?;
    blob.write(0, text.as_bytes())?;
    let bytes = blob.read(0, blob.size())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
