//! `query`, `explain` and `sample`.

use serde_json::{Value as Json, json};
use sql_tokens::{Dialect, Tokens, from_first_word, quoted_name};

use super::Arguments;
use crate::calls::{Call, Failure};
use crate::catalog::Table;
use crate::values::Parameters;

/// Rows of a sample, where nothing is said.
const SAMPLE: u32 = 5;

pub fn query_arguments() -> (Json, &'static [&'static str]) {
    let arguments = json!({
        "sql": { "type": "string", "description": "One statement, with ? or :name for values" },
        "parameters": parameters(),
        "limit": { "type": "integer", "minimum": 1, "description": "Rows at most" },
        "saved": { "type": "string", "description": "The name of a saved query, instead of `sql`" },
    });
    (arguments, &[])
}

pub fn explain_arguments() -> (Json, &'static [&'static str]) {
    let sql = json!({ "type": "string", "description": "One statement" });
    (json!({ "sql": sql, "parameters": parameters() }), &["sql"])
}

pub fn sample_arguments() -> (Json, &'static [&'static str]) {
    let arguments = json!({
        "table": { "type": "string", "description": "The table or view" },
        "rows": { "type": "integer", "minimum": 1, "description": "Rows; 5 if it is missing" },
    });
    (arguments, &["table"])
}

/// What describes parameters.
pub fn parameters() -> Json {
    // Some clients know no list of types.
    json!({
        "anyOf": [{ "type": "array" }, { "type": "object" }],
        "description": "Values for ? in their order, or by name"
    })
}

pub fn query(call: &mut Call<'_>, arguments: &Arguments<'_>) -> Result<Json, Failure> {
    let sql = match (arguments.text("sql")?, arguments.text("saved")?) {
        (Some(sql), None) => sql,
        (None, Some(name)) => saved(call, arguments, name)?,
        _ => return Err(Failure::argument("one of the arguments `sql` and `saved` is needed")),
    };
    let parameters = Parameters::of(arguments.get("parameters")).map_err(Failure::argument)?;
    Ok(call.run(sql, &parameters, arguments.count("limit")?)?.into_json())
}

fn saved<'a>(call: &Call<'_>, arguments: &Arguments<'a>, name: &str) -> Result<&'a str, Failure> {
    let saved = arguments.saved.get(name).ok_or_else(|| {
        let names: Vec<&str> = arguments.saved.keys().map(String::as_str).collect();
        Failure::argument(format!("no saved query `{name}`; there are: {}", names.join(", ")))
    })?;
    match saved.database.as_deref() {
        Some(database) if database != call.name() => Err(Failure::argument(format!(
            "the saved query `{name}` is one of the database `{database}`"
        ))),
        _ => Ok(&saved.sql),
    }
}

pub fn explain(call: &mut Call<'_>, arguments: &Arguments<'_>) -> Result<Json, Failure> {
    let sql = from_first_word(arguments.needed("sql")?);
    let first = Tokens::new(sql, Dialect::Sqlite).next();
    let plan = if first.is_some_and(|word| word.is("EXPLAIN")) {
        sql.to_owned()
    } else {
        format!("EXPLAIN QUERY PLAN {sql}")
    };
    let parameters = Parameters::of(arguments.get("parameters")).map_err(Failure::argument)?;
    let rows = call.run(&plan, &parameters, None)?;
    let lines: Vec<&str> = rows.texts(3).collect();
    Ok(json!({ "plan": lines }))
}

pub fn sample(call: &mut Call<'_>, arguments: &Arguments<'_>) -> Result<Json, Failure> {
    let catalog = call.catalog().clone();
    let table = visible(catalog.table(arguments.needed("table")?), arguments.needed("table")?)?;
    let columns: Vec<String> = table
        .visible()
        .filter(|column| !column.is_implicit)
        .map(|column| quoted_name(&column.name))
        .collect();
    let rows = arguments.count("rows")?.unwrap_or(SAMPLE);
    let sql = format!(
        "SELECT {} FROM main.{} LIMIT {rows}",
        columns.join(", "),
        quoted_name(&table.name)
    );
    Ok(call.run(&sql, &Parameters::None, None)?.into_json())
}

/// A table that agents see.
///
/// # Errors
///
/// If they do not, or it does not exist.
pub fn visible<'a>(table: Option<&'a Table>, name: &str) -> Result<&'a Table, Failure> {
    match table {
        Some(table) if !table.is_hidden => Ok(table),
        Some(table) => Err(Failure {
            code: "NOT_PERMITTED",
            message: format!("not permitted: {}", table.name),
        }),
        None => Err(Failure::argument(format!("no table `{name}`; the tool `schema` lists them"))),
    }
}
