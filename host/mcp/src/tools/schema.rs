//! `schema`.

use serde_json::{Value as Json, json};

use super::query::visible;
use super::{Arguments, search};
use crate::calls::{Call, Failure};
use crate::catalog::{Catalog, Column, Kind, Table};

pub fn arguments() -> (Json, &'static [&'static str]) {
    (json!({ "table": { "type": "string", "description": "Only this table or view" } }), &[])
}

pub fn run(call: &mut Call<'_>, arguments: &Arguments<'_>) -> Result<Json, Failure> {
    let catalog = call.catalog();
    match arguments.text("table")? {
        Some(name) => Ok(table(catalog, visible(catalog.table(name), name)?)),
        None => Ok(schema(catalog)),
    }
}

/// All that agents see of a schema.
pub fn schema(catalog: &Catalog) -> Json {
    let is_own = |table: &&Table| !table.name.to_ascii_lowercase().starts_with("sqlite_");
    let tables: Vec<Json> =
        catalog.visible().filter(is_own).map(|found| table(catalog, found)).collect();
    json!({ "tables": tables })
}

fn table(catalog: &Catalog, table: &Table) -> Json {
    let columns: Vec<Json> =
        table.visible().filter(|column| !column.is_implicit).map(column).collect();
    let mut json = json!({ "name": table.name, "columns": columns });
    match table.kind {
        Kind::View => json["kind"] = "view".into(),
        Kind::Virtual => json["kind"] = "virtual table".into(),
        Kind::Table | Kind::Shadow => {}
    }
    if let Some(search) = search::kind(table) {
        json["search"] = search.name().into();
    }
    // Constraints and defaults may have values of what is hidden.
    if !catalog.has_lists() {
        json["sql"] = table.sql.as_str().into();
    }
    json
}

fn column(column: &Column) -> Json {
    let mut json = json!({ "name": column.name });
    if !column.declared.is_empty() {
        json["type"] = column.declared.as_str().into();
    }
    for (word, is_so) in [
        ("key", column.is_key),
        ("not_null", column.is_not_null),
        ("generated", column.is_generated),
    ] {
        if is_so {
            json[word] = true.into();
        }
    }
    json
}
