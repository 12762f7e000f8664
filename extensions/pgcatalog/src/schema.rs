//! The tables, columns, indexes and keys of the database, as SQLite reports them.

mod constraint_names;

use postgres_types::view;
use sql_tokens::quoted_text;
use sqlite_wasm_kit::{Result, Value, sql};

use crate::clauses;
use crate::comments::{self, Numbering};
use crate::definitions::quote_ident;
use crate::sql_text::{self, source};

/// A table or a view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relation {
    pub name: String,
    pub is_view: bool,
    /// Its CREATE statement.
    pub sql: String,
    pub columns: Vec<Column>,
    pub indexes: Vec<Index>,
    pub foreign_keys: Vec<ForeignKey>,
    pub checks: Vec<Check>,
    pub triggers: Vec<(String, String)>,
    pub comment: Option<String>,
    /// How many are older.
    pub place: usize,
}

impl Relation {
    /// The name of the sequence that PostgreSQL has for a key that SQLite numbers, and the column.
    pub fn sequence(&self) -> Option<(String, usize)> {
        let column = self.columns.iter().position(|column| column.numbering.is_some())?;
        Some((sequence_name(&self.name, &self.columns[column].name), column))
    }
}

/// Names have at most 63 bytes: of the longer part the end is left out.
fn sequence_name(table: &str, column: &str) -> String {
    const LENGTH: usize = 63 - "__seq".len();
    let (mut table, mut column) = (table.to_owned(), column.to_owned());
    while table.len() + column.len() > LENGTH {
        let longer = if table.len() > column.len() { &mut table } else { &mut column };
        longer.pop();
    }
    format!("{table}_{column}_seq")
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    pub name: String,
    pub declared: String,
    pub is_not_null: bool,
    pub default: Option<String>,
    /// Its position in the primary key, from 1; 0 if it is not part of the key.
    pub key: i64,
    pub is_generated: bool,
    /// What a generated column computes.
    pub expression: Option<String>,
    pub numbering: Option<Numbering>,
    pub comment: Option<String>,
}

/// An index, or the key by the row id, which needs none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    /// Empty for that of a constraint until it gets one.
    pub name: String,
    pub is_unique: bool,
    pub is_primary: bool,
    /// Made by a constraint.
    pub is_constraint: bool,
    /// Column indexes from 0, `None` for an expression; and whether the order is descending.
    pub columns: Vec<(Option<usize>, bool)>,
    /// Of each column; empty for the row id.
    pub collations: Vec<String>,
    /// Its CREATE statement, where it has one.
    pub sql: String,
}

/// A foreign key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForeignKey {
    pub table: String,
    /// Empty until it gets one.
    pub name: String,
    pub from: Vec<String>,
    /// Empty for the primary key of the other table.
    pub to: Vec<String>,
    pub on_update: String,
    pub on_delete: String,
    /// Whether it is DEFERRABLE, and whether INITIALLY DEFERRED.
    pub deferral: (bool, bool),
}

/// A CHECK.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Check {
    pub name: String,
    pub expression: String,
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
        Value::Integer(number) => number.to_string(),
        _ => String::new(),
    }
}

pub fn query(sql: &str, parameter: Option<&str>) -> Result<Vec<Vec<Value>>> {
    let mut statement = sql::prepare(sql)?;
    statement.query(parameter.map(Value::text))?.collect()
}

/// What changes when a schema does.
pub fn version() -> Result<i64> {
    let rows = query("PRAGMA main.schema_version", None)?;
    Ok(rows.first().and_then(|row| row.first()).map_or(0, Value::to_integer))
}

/// The name of the database: its file's.
pub fn database() -> Result<String> {
    let rows = query("PRAGMA database_list", None)?;
    let file = rows.iter().find(|row| row.get(1).is_some_and(|name| text(name) == "main"));
    let file = file.and_then(|row| row.get(2)).map(text).unwrap_or_default();
    let name = file.rsplit('/').next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    Ok(if stem.is_empty() { "main" } else { stem }.to_owned())
}

/// All tables and views, by their names.
pub fn relations() -> Result<Vec<Relation>> {
    // As they were made, which is how their constraints get their names.
    let rows = query(
        "SELECT type, name, tbl_name, sql FROM main.sqlite_schema \
         WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
        None,
    )?;
    let mut relations = Vec::new();
    for row in rows.iter().filter(|row| matches!(text(&row[0]).as_str(), "table" | "view")) {
        // What cannot be read, such as a view of a table that is gone, has no columns.
        relations.push(relation(row).unwrap_or_else(|_| Relation {
            name: text(&row[1]),
            is_view: text(&row[0]) == "view",
            ..Relation::default()
        }));
    }
    for row in rows.iter().filter(|row| text(&row[0]) == "trigger") {
        let of = relations.iter_mut().find(|relation| relation.name == text(&row[2]));
        of.into_iter().for_each(|relation| relation.triggers.push((text(&row[1]), text(&row[3]))));
    }
    constraint_names::complete(&mut relations);
    relations.iter_mut().enumerate().for_each(|(place, relation)| relation.place = place);
    relations.sort_by(|one, other| one.name.cmp(&other.name));
    relations
        .iter_mut()
        .for_each(|relation| relation.triggers.sort_by(|one, other| one.0.cmp(&other.0)));
    Ok(relations)
}

fn relation(row: &[Value]) -> Result<Relation> {
    let name = text(&row[1]);
    let columns = query(
        "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?1, 'main')",
        Some(&name),
    )?;
    let mut columns: Vec<Column> = columns
        .iter()
        .filter(|row| row[5].to_integer() != 1)
        .map(|row| Column {
            name: text(&row[0]),
            declared: text(&row[1]),
            is_not_null: row[2].to_integer() != 0,
            default: (!row[3].is_null()).then(|| source(&text(&row[3]))),
            key: row[4].to_integer(),
            is_generated: row[5].to_integer() > 1,
            ..Column::default()
        })
        .collect();
    if let [key] = &mut columns.iter_mut().filter(|one| one.key > 0).collect::<Vec<_>>()[..]
        && key.declared.eq_ignore_ascii_case("integer")
        && let Some(width) = sql_text::key_width(&text(&row[3]))
    {
        key.declared = width.to_owned();
    }
    let mut relation = Relation {
        is_view: text(&row[0]) == "view",
        sql: text(&row[3]),
        columns,
        name,
        ..Relation::default()
    };
    if relation.is_view {
        for (name, declared) in view::types(&relation.sql) {
            let column = relation.columns.iter_mut().find(|column| column.name == name);
            if let Some(column) = column {
                column.declared = declared;
            }
        }
    } else {
        relation.indexes = indexes(&relation)?;
        relation.foreign_keys = foreign_keys(&relation.name)?;
        constraint_names::declared(&mut relation);
        relation.checks = sql_text::checks(&relation);
        described(&mut relation);
    }
    Ok(relation)
}

/// What comments say of a table, and what its generated columns compute.
fn described(relation: &mut Relation) {
    let found = comments::of(&relation.sql);
    relation.comment = found.table;
    for (name, comment) in found.columns {
        let column = relation.columns.iter_mut().find(|column| column.name == name);
        column.into_iter().for_each(|column| column.comment = Some(comment.clone()));
    }
    for (name, expression) in clauses::generated(&relation.sql) {
        let column = relation.columns.iter_mut().find(|one| one.name == name && one.is_generated);
        column.into_iter().for_each(|column| column.expression = Some(expression.clone()));
    }
    let Some((name, numbering)) = found.numbering else { return };
    let table = relation.name.clone();
    let key = relation.columns.iter_mut().find(|column| column.name == name && column.key > 0);
    let Some(key) = key else { return };
    key.numbering = Some(numbering);
    if numbering == Numbering::Serial {
        let sequence = quoted_text(&quote_ident(&sequence_name(&table, &key.name)));
        key.default = Some(format!("nextval({sequence}::regclass)"));
    }
}

/// Indexes of constraints are in the order of their declarations, which SQLite counts in the names
/// of automatic indexes.
fn indexes(relation: &Relation) -> Result<Vec<Index>> {
    let rows = query(
        "SELECT l.name, l.\"unique\", l.origin, s.sql FROM pragma_index_list(?1, 'main') l \
         LEFT JOIN main.sqlite_schema s ON s.type = 'index' AND s.name = l.name \
         ORDER BY iif(l.origin = 'c', l.name, 'sqlite_'), length(l.name), l.name",
        Some(&relation.name),
    )?;
    let mut indexes = Vec::new();
    for row in &rows {
        let columns = query(
            "SELECT cid, \"desc\", coll FROM pragma_index_xinfo(?1, 'main') WHERE key ORDER BY seqno",
            Some(&text(&row[0])),
        )?;
        let collations = columns.iter().map(|row| text(&row[2])).collect();
        let columns = columns
            .iter()
            .map(|row| (usize::try_from(row[0].to_integer()).ok(), row[1].to_integer() != 0))
            .collect();
        let origin = text(&row[2]);
        let is_declared = origin != "c";
        let sql = text(&row[3]);
        let is_constraint = is_declared || sql_text::stands_for_constraint(&sql);
        indexes.push(Index {
            // SQLite's own name for the index of a constraint does not count.
            name: if is_declared { String::new() } else { text(&row[0]) },
            is_unique: row[1].to_integer() != 0,
            is_primary: origin == "pk",
            is_constraint,
            columns,
            collations,
            sql,
        });
    }
    let key = key_columns(relation);
    if !key.is_empty() && !indexes.iter().any(|index| index.is_primary) {
        let name = String::new();
        let columns = key.into_iter().map(|column| (Some(column), false)).collect();
        let (is_unique, is_primary, is_constraint) = (true, true, true);
        indexes.push(Index {
            name,
            is_unique,
            is_primary,
            is_constraint,
            columns,
            collations: Vec::new(),
            sql: String::new(),
        });
    }
    Ok(indexes)
}

/// The columns of the primary key, in their order.
pub fn key_columns(relation: &Relation) -> Vec<usize> {
    let mut key: Vec<_> = relation
        .columns
        .iter()
        .enumerate()
        .filter(|(_, column)| column.key > 0)
        .map(|(index, _)| index)
        .collect();
    key.sort_by_key(|index| relation.columns[*index].key);
    key
}

fn foreign_keys(table: &str) -> Result<Vec<ForeignKey>> {
    let rows = query(
        "SELECT id, \"table\", \"from\", \"to\", on_update, on_delete \
         FROM pragma_foreign_key_list(?1, 'main') ORDER BY id, seq",
        Some(table),
    )?;
    let mut keys: Vec<(i64, ForeignKey)> = Vec::new();
    for row in &rows {
        let id = row[0].to_integer();
        if keys.last().is_none_or(|(last, _)| *last != id) {
            let key = ForeignKey {
                table: text(&row[1]),
                on_update: text(&row[4]),
                on_delete: text(&row[5]),
                ..ForeignKey::default()
            };
            keys.push((id, key));
        }
        if let Some((_, key)) = keys.last_mut() {
            key.from.push(text(&row[2]));
            if !row[3].is_null() {
                key.to.push(text(&row[3]));
            }
        }
    }
    Ok(keys.into_iter().map(|(_, key)| key).collect())
}
