//! `execute`.

use serde_json::{Map, Value as Json, json};

use super::Arguments;
use super::query::parameters;
use crate::calls::{Call, Failure};
use crate::values::Parameters;

/// Statements of a call: each has a reply.
const MAX_STATEMENTS: usize = 100;

pub fn arguments() -> (Json, &'static [&'static str]) {
    let statement = json!({
        "type": "object",
        "properties": { "sql": { "type": "string" }, "parameters": parameters() },
        "required": ["sql"],
        "additionalProperties": false,
    });
    let statements =
        json!({ "type": "array", "items": statement, "minItems": 1, "maxItems": MAX_STATEMENTS });
    (json!({ "statements": statements }), &["statements"])
}

pub fn execute(call: &mut Call<'_>, arguments: &Arguments<'_>) -> Result<Json, Failure> {
    let statements = arguments.get("statements").and_then(Json::as_array);
    let statements = statements
        .ok_or_else(|| Failure::argument("`statements` is an array of objects with `sql`"))?;
    if !(1..=MAX_STATEMENTS).contains(&statements.len()) {
        return Err(Failure::argument(format!(
            "`statements` has 1 to {MAX_STATEMENTS} statements"
        )));
    }
    let mut results = Vec::with_capacity(statements.len());
    for (number, statement) in (1..).zip(statements) {
        let done = run(call, statement.as_object());
        let done = done.map_err(|failure| Failure {
            message: format!(
                "statement {number} of {}, all of which are undone: {}",
                statements.len(),
                failure.message
            ),
            ..failure
        });
        results.push(done?);
    }
    Ok(json!({ "results": results }))
}

fn run(call: &mut Call<'_>, statement: Option<&Map<String, Json>>) -> Result<Json, Failure> {
    let sql = statement.and_then(|statement| statement.get("sql")).and_then(Json::as_str);
    let (Some(statement), Some(sql)) = (statement, sql) else {
        return Err(Failure::argument("it is not an object with `sql`"));
    };
    let parameters = Parameters::of(statement.get("parameters")).map_err(Failure::argument)?;
    Ok(call.run(sql, &parameters, None)?.into_json())
}
