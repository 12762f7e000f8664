//! `search`: by words in tables of FTS, by vectors in those of `vec0` and `ann`.

use serde_json::{Value as Json, json};
use sql_tokens::{Token, quoted_name};
use sqlite_sandbox::types::Value;

use super::Arguments;
use super::query::visible;
use crate::calls::{Call, Failure};
use crate::catalog::{Kind, Table, module};
use crate::values::Parameters;

/// Rows of a search, where nothing is said.
const FOUND: u32 = 10;

/// Words of a search: each is a condition.
const MAX_WORDS: usize = 64;

/// How a table is searched.
pub enum Search {
    Fts5,
    Fts4,
    /// By the vectors of this column.
    Vector(String),
}

impl Search {
    /// What the schema calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fts5 | Self::Fts4 => "words",
            Self::Vector(_) => "vector",
        }
    }
}

/// How a table is searched, if it can be.
pub fn kind(table: &Table) -> Option<Search> {
    if table.kind != Kind::Virtual {
        return None;
    }
    let (module, arguments) = module(&table.sql)?;
    match module.as_str() {
        "fts5" => Some(Search::Fts5),
        "fts3" | "fts4" => Some(Search::Fts4),
        "vec0" | "ann" => {
            arguments.iter().find_map(|argument| vector(argument)).map(Search::Vector)
        }
        _ => None,
    }
}

/// The name of a column of vectors: `embedding float[4]`, where SQLite takes `[4]` for a name.
fn vector(argument: &[Token<'_>]) -> Option<String> {
    let [name, _, dimensions, ..] = argument else { return None };
    dimensions.text.starts_with('[').then(|| name.unquoted().into_owned())
}

pub fn arguments() -> (Json, &'static [&'static str]) {
    let arguments = json!({
        "table": { "type": "string", "description": "The table, which `schema` marks with `search`" },
        "words": { "type": "string", "description": "Words that a row must have, all of them" },
        "vector": { "type": "array", "items": { "type": "number" }, "description": "Find its nearest neighbours" },
        "limit": { "type": "integer", "minimum": 1, "description": "Rows; 10 if it is missing" },
    });
    (arguments, &["table"])
}

pub fn search(call: &mut Call<'_>, arguments: &Arguments<'_>) -> Result<Json, Failure> {
    let catalog = call.catalog().clone();
    let name = arguments.needed("table")?;
    let table = visible(catalog.table(name), name)?;
    let limit = arguments.count("limit")?.unwrap_or(FOUND);
    let search = kind(table).ok_or_else(|| {
        let others = catalog.visible().filter(|table| kind(table).is_some());
        let names: Vec<&str> = others.map(|table| table.name.as_str()).collect();
        Failure::argument(format!(
            "the table `{name}` has no index for a search; these have one: {}",
            names.join(", ")
        ))
    })?;
    let (own, columns) = (quoted_name(&table.name), columns(table));
    let words = || words(arguments.needed("words")?);
    let (sql, value) = match search {
        Search::Fts5 => (
            format!(
                "SELECT rowid, {columns} FROM main.{own} WHERE {own} MATCH ?1 ORDER BY rank LIMIT {limit}"
            ),
            words()?,
        ),
        Search::Fts4 => (
            format!("SELECT rowid, {columns} FROM main.{own} WHERE {own} MATCH ?1 LIMIT {limit}"),
            words()?,
        ),
        Search::Vector(column) => {
            let vector = arguments.get("vector").filter(|vector| vector.is_array());
            let vector =
                vector.ok_or_else(|| Failure::argument("the argument `vector` is missing"))?;
            let column = quoted_name(&column);
            (
                format!(
                    "SELECT rowid, distance FROM main.{own} WHERE {column} MATCH ?1 AND k = {limit} ORDER BY distance"
                ),
                vector.to_string(),
            )
        }
    };
    Ok(call.run(&sql, &Parameters::Positions(vec![Value::Text(value)]), Some(limit))?.into_json())
}

fn columns(table: &Table) -> String {
    let columns = table.visible().filter(|column| !column.is_implicit);
    let names: Vec<String> = columns.map(|column| quoted_name(&column.name)).collect();
    names.join(", ")
}

/// Each word in quotes, so that none is an operator of the index.
fn words(text: &str) -> Result<String, Failure> {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.replace('"', " "))
        .map(|word| format!("\"{}\"", word.trim()))
        .collect();
    match words.len() {
        1..=MAX_WORDS => Ok(words.join(" ")),
        _ => Err(Failure::argument(format!("`words` has 1 to {MAX_WORDS} words"))),
    }
}
