//! Reading a schema from a database.

use std::collections::{HashMap, HashSet};

use sqlite_sandbox::{Connection, Result};

use super::{Catalog, Column, Kind, Table};
use crate::lists::Lists;

/// Tables of a schema that are looked at; the memory of a sandbox ends before it.
const TABLES: &str = "SELECT l.name, l.type, coalesce(s.sql, '') FROM pragma_table_list AS l
    LEFT JOIN main.sqlite_schema AS s ON s.name = l.name AND s.type IN ('table', 'view') WHERE l.schema = 'main'";

const COLUMNS: &str =
    "SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?1, 'main')";

const TRIGGERS: &str =
    "SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND sql IS NOT NULL";

const INDEXES: &str =
    "SELECT lower(tbl_name), sql FROM main.sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";

/// How `table_xinfo` marks a column of a virtual table that `*` leaves out, and generated ones.
const IMPLICIT: i64 = 1;
const GENERATED: [i64; 2] = [2, 3];

impl Catalog {
    /// Read the schema, with what the lists hide.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn read(db: &Connection, lists: &Lists) -> Result<Self> {
        let version = version(db)?;
        let mut indexes = indexes(db)?;
        let mut statement = db.prepare(TABLES)?;
        let rows = statement
            .query_map((), |row| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get(2)?)))?;
        let rows: Vec<(String, String, String)> = rows.collect::<Result<_>>()?;
        let mut tables = Vec::with_capacity(rows.len());
        for (name, kind, sql) in rows {
            // A view or module that is broken has no columns, and fails where it is used.
            let columns = columns(db, &name)
                .or_else(|error| if db.is_gone() { Err(error) } else { Ok(Vec::new()) })?;
            let indexes = indexes.remove(&name.to_ascii_lowercase()).unwrap_or_default();
            let (kind, owner) = (kind_of(&kind), None);
            let (is_hidden, is_refused, is_frozen) = (false, false, false);
            tables.push(Table {
                name,
                kind,
                sql,
                columns,
                is_hidden,
                is_refused,
                is_frozen,
                owner,
                indexes,
            });
        }
        Ok(Self::new(version, tables, triggers(db)?, modules(db)?, lists))
    }
}

/// The counter that SQLite increments with each change of the schema.
///
/// # Errors
///
/// SQLite's.
pub fn version(db: &Connection) -> Result<i64> {
    db.prepare_cached("PRAGMA main.schema_version")?.query_row((), |row| row.get(0))
}

fn kind_of(kind: &str) -> Kind {
    match kind {
        "view" => Kind::View,
        "virtual" => Kind::Virtual,
        "shadow" => Kind::Shadow,
        _ => Kind::Table,
    }
}

fn columns(db: &Connection, table: &str) -> Result<Vec<Column>> {
    let mut statement = db.prepare_cached(COLUMNS)?;
    let columns = statement.query_map([table], |row| {
        let hidden: i64 = row.get(4)?;
        Ok(Column {
            name: row.get(0)?,
            declared: row.get(1)?,
            is_not_null: row.get(2)?,
            is_key: row.get::<_, i64>(3)? > 0,
            is_generated: GENERATED.contains(&hidden),
            is_implicit: hidden == IMPLICIT,
            is_hidden: false,
        })
    })?;
    columns.collect()
}

fn triggers(db: &Connection) -> Result<Vec<(String, String)>> {
    let mut statement = db.prepare(TRIGGERS)?;
    let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

fn indexes(db: &Connection) -> Result<HashMap<String, Vec<String>>> {
    let mut statement = db.prepare(INDEXES)?;
    let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut all: HashMap<String, Vec<String>> = HashMap::new();
    for row in rows {
        let (table, sql) = row?;
        all.entry(table).or_default().push(sql);
    }
    Ok(all)
}

fn modules(db: &Connection) -> Result<HashSet<String>> {
    let mut statement = db.prepare("SELECT lower(name) FROM pragma_module_list")?;
    let names = statement.query_map((), |row| row.get(0))?;
    names.collect()
}
