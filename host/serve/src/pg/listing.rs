//! The rows of `pg_cursors` and `pg_prepared_statements`: what a session has open and prepared. The catalogue's extension
//! requests them while a statement runs, so they are written before a statement that names one of the tables.

use std::time::{Instant, SystemTime};

use serde_json::{Value as Json, json};
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::values::timestamp_text;
use sqlite_wasm_postgres::{Error, Result};

use super::store::{Analysed, Portal, Statement, Store};

/// The tables, whose rows are arrays of JSON's objects.
pub const TABLES: [&str; 2] = ["pg_cursors", "pg_prepared_statements"];

/// How often a statement with parameters is planned for their values, before one plan is for all.
const CUSTOM_PLANS: u64 = 5;

/// Texts of both tables at most, in bytes: 64 portals of one statement would list it 64 times, and JSON has up to six times as
/// many. A driver's statements take a tenth of it.
const MAX_LISTED_BYTES: usize = 4 << 20;

/// Whether SQL may read one of the tables.
pub fn is_read_by(sql: &str) -> bool {
    let sql = sql.to_ascii_lowercase();
    TABLES.iter().any(|table| sql.contains(table))
}

impl Store {
    /// The rows of the tables, in their order.
    ///
    /// # Errors
    ///
    /// 54000 where their texts are too long.
    pub fn listed(&mut self) -> Result<[String; 2]> {
        let running = self.running.take();
        let prepared = self.statements.values().map(|statement| statement.text().len());
        let portals = self.portals.values().map(|portal| text(portal.prepared.as_deref()).len());
        let cursors = self.cursors.values().map(|cursor| cursor.text.len());
        if prepared.chain(portals).chain(cursors).sum::<usize>() > MAX_LISTED_BYTES {
            let message =
                "the texts of what this session has open and prepared are too long to list";
            return Err(
                Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message).hint("close some of it")
            );
        }
        let cursors = self.cursors.iter().map(|(name, cursor)| {
            let declared = cursor.declared;
            json!({
                "name": name, "statement": cursor.text, "creation_time": moment(cursor.begun),
                "is_holdable": declared.is_held, "is_binary": declared.is_binary,
                "is_scrollable": declared.is_scrollable,
            })
        });
        let portals = self.portals.iter().map(|(name, portal)| portal.listed(name));
        let statements = self.statements.iter().filter(|(name, _)| !name.is_empty());
        let statements = statements.map(|(name, statement)| statement.listed(name));
        Ok([rows(cursors.chain(portals).chain(running)), rows(statements)])
    }
}

impl Portal {
    /// Its row in `pg_cursors`.
    pub fn listed(&self, name: &str) -> Json {
        json!({
            "name": name, "statement": text(self.prepared.as_deref()), "creation_time": moment(self.begun),
            "is_holdable": false, "is_binary": false, "is_scrollable": false,
        })
    }
}

impl Statement {
    /// What has prepared it: the text of PREPARE, or its own.
    fn text(&self) -> &str {
        self.sql.as_deref().unwrap_or_else(|| text(self.prepared.as_deref()))
    }

    fn listed(&self, name: &str) -> Json {
        let types = self.prepared.as_ref().map(|one| &one.parameters[..]).unwrap_or_default();
        let types: Vec<_> = types.iter().map(|parameter| parameter.ty.name()).collect();
        let runs = self.runs.get();
        let custom = if types.is_empty() { 0 } else { runs.min(CUSTOM_PLANS) };
        json!({
            "name": name, "statement": self.text(),
            "prepare_time": moment(self.begun), "parameter_types": json!(types).to_string(),
            "from_sql": self.sql.is_some(), "generic_plans": runs - custom, "custom_plans": custom,
        })
    }
}

fn text(analysed: Option<&Analysed>) -> &str {
    analysed.map_or("", |one| &one.text)
}

fn rows(rows: impl Iterator<Item = Json>) -> String {
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_cached_key(|row| row["name"].as_str().map(str::to_owned));
    Json::Array(rows).to_string()
}

/// A time as it is stored.
fn moment(at: Instant) -> String {
    timestamp_text(SystemTime::now().checked_sub(at.elapsed()).unwrap_or(SystemTime::UNIX_EPOCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_is_limited() {
        let mut store = Store::default();
        let of = |length| Statement::of_sql(None, "\u{1}".repeat(length), Instant::now());
        store.statements.insert("a".to_owned(), of(MAX_LISTED_BYTES));
        let [cursors, statements] = store.listed().unwrap();
        assert_eq!(cursors, "[]");
        assert!(statements.len() > 6 * MAX_LISTED_BYTES);
        store.statements.insert("b".to_owned(), of(1));
        assert_eq!(store.listed().unwrap_err().code, "54000");
    }
}
