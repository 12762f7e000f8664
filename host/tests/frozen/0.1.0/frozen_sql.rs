//! frozen_sql: an extension of the first version of the contract with SQL by the resources of `sql`,
//! as generated bindings have them; the kit uses `sql-work`. It is not built again; see lib.rs.
//!
//! - `frozen_rows(SQL, X)`: names and values of all rows of a statement, with X bound to ?1
//! - `frozen_blob(TABLE, COLUMN, ROWID, TEXT)`: writes TEXT at the beginning of a blob; what is there then

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Volatile;
use sqlite_wasm_kit::{Error, Need, Result, Scalar, Value};

use bindings::sqlite_wasm::extension::sql;

mod bindings {
    wit_bindgen::generate!({
        inline: "package sqlite-wasm:typed;
            world typed { import sqlite-wasm:extension/sql@0.1.0; }",
        path: "wit/extension",
        with: {
            "sqlite-wasm:extension/types@0.1.0/value": sqlite_wasm_kit::Value,
            "sqlite-wasm:extension/types@0.1.0/sql-error": sqlite_wasm_kit::Error,
        },
        generate_all,
    });
}

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
    let prepared = sql::prepare(&text)?;
    let statement = prepared.statement.ok_or_else(|| Error::from("frozen_rows: no statement"))?;
    statement.bind(1, &bound)?;
    let mut shown = statement.column_names();
    let mut is_last = false;
    while !is_last {
        let rows = statement.step(2)?;
        shown.extend(rows.values.iter().map(show));
        is_last = rows.is_last;
    }
    Ok(shown.join(","))
}

fn blob(table: String, column: String, row_id: i64, text: String) -> Result<String> {
    let blob = sql::open_blob("main", &table, &column, row_id, true)?;
    blob.write(0, text.as_bytes())?;
    let bytes = blob.read(0, blob.size())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
