//! `sql` with its typed resources, as generated bindings have it: the kit uses `sql-work`.

use sqlite_wasm_kit::{Error, Result, Value};

mod bindings {
    #![allow(missing_docs)]
    wit_bindgen::generate!({
        inline: "package sqlite-wasm:typed;
            world typed { import sqlite-wasm:extension/sql@0.1.0; }",
        path: "../../../../wit/extension",
        with: {
            "sqlite-wasm:extension/types@0.1.0/value": sqlite_wasm_kit::Value,
            "sqlite-wasm:extension/types@0.1.0/sql-error": sqlite_wasm_kit::Error,
        },
        generate_all,
    });
}

use bindings::sqlite_wasm::extension::sql;

/// Rows of one request, so that a statement needs several.
const ROWS: u32 = 2;

fn show(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Integer(integer) => integer.to_string(),
        Value::Real(real) => format!("{real:?}"),
        Value::Text(bytes) | Value::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

pub fn rows(text: String, bound: Value) -> Result<String> {
    let mut shown = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let prepared = sql::prepare(&rest)?;
        rest = prepared.tail;
        let Some(statement) = prepared.statement else { continue };
        for parameter in 1..=statement.parameter_count() {
            shown.push(statement.parameter_name(parameter));
            let index = statement.parameter_index(&statement.parameter_name(parameter));
            statement.bind(index.max(parameter), &bound)?;
        }
        shown.extend(statement.column_names());
        shown.extend(statement.is_read_only().then(|| "reads".to_owned()));
        let mut is_last = false;
        while !is_last {
            let rows = statement.step(ROWS)?;
            shown.extend(rows.values.iter().map(show));
            is_last = rows.is_last;
        }
        statement.reset();
    }
    let ((last, all), row_id) = (sql::changes(), sql::last_insert_row_id());
    shown.push(format!("{last} {all} {row_id}"));
    Ok(shown.join(","))
}

pub fn blob(table: String, column: String, row_id: i64, text: String) -> Result<String> {
    let blob = sql::open_blob("main", &table, &column, row_id, true)?;
    let read = |blob: &sql::Blob| -> Result<String, Error> {
        let bytes = blob.read(0, blob.size())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let before = read(&blob)?;
    blob.write(0, text.as_bytes())?;
    let after = read(&blob)?;
    blob.reopen(row_id + 1)?;
    sql::execute(&format!("INSERT INTO {table}({column}) VALUES (x'')"))?;
    Ok([before, after, read(&blob)?].join(","))
}
