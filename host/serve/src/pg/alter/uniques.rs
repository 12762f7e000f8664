//! UNIQUE constraints. One that is added is an index. One of CREATE TABLE is an index, too, which no statement drops: it
//! becomes one of CREATE INDEX first, with the same pages.

use sql_tokens::{quoted_name, quoted_text};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::table_text::{Clause, ClauseKind, TableText};
use sqlite_wasm_postgres::translate::Name;

use super::super::converse::Conversation;
use super::super::failure::Result;
use super::Altered;
use super::constraints::{Constraint, is_same, violated};
use super::schema::INDEX;
use crate::session::connection::Entry;

/// What the text of an index has that stands for a UNIQUE constraint; `extensions/pgcatalog` knows it.
const MARK: &str = "/* CONSTRAINT */";

/// What SQLite's names of the indexes of constraints begin with; a number follows, by their order.
const AUTOMATIC: &str = "sqlite_autoindex_";

/// The index of a constraint of CREATE TABLE.
struct Declared {
    name: String,
    number: u64,
    /// As in the shape of the table.
    described: String,
    /// The columns, as CREATE INDEX has them.
    columns: String,
    /// Their names.
    names: Vec<String>,
}

impl Conversation<'_> {
    pub(super) fn add_unique(
        &mut self,
        table: &Altered,
        name: Name,
        columns: &[String],
    ) -> Result<()> {
        let is_taken =
            |name: &String| -> Result<bool> { Ok(self.kind_in_use(name, None)?.is_some()) };
        let name = match self.free_name(table, name.clone())? {
            given if !is_taken(&given)? => given,
            given if matches!(name, Name::Given(_)) => {
                let message = format!("relation \"{given}\" already exists");
                return Err(Error::new(sqlstate::DUPLICATE_TABLE, message).into());
            }
            base => {
                let mut number = 1;
                while is_taken(&format!("{base}{number}"))? {
                    self.check_time()?;
                    number += 1;
                }
                format!("{base}{number}")
            }
        };
        self.run_step(&unique_index(table, &name, columns)).map_err(|failure| {
            violated(failure, sqlstate::UNIQUE_VIOLATION, || {
                let message = format!("could not create unique index \"{name}\"");
                let error = Error::new(sqlstate::UNIQUE_VIOLATION, message);
                error.of_constraint(&table.name, Some(&name), None)
            })
        })
    }

    /// Drop a UNIQUE constraint that CREATE TABLE has made.
    pub(super) fn drop_declared_unique(
        &mut self,
        table: &Altered,
        found: &Constraint,
    ) -> Result<()> {
        let sql = self.table_sql(table)?;
        let text = TableText::read(&sql)?;
        let clause = found.clause(&text)?;
        if text.all().filter(|(column, one)| is_key(*column, one, &found.columns)).count() > 1 {
            // The index is that of the other one, too.
            return self.rewrite(table, None, |text| Ok(text.without(found.clause(text)?)));
        }
        let new = text.without(clause);
        self.check_text(table, &TableText::read(&new)?)?;
        let all = self.declared_indexes(table)?;
        let names = || found.columns.iter().map(String::as_str);
        let mut fits =
            all.iter().filter(|one| is_same(one.names.iter().map(String::as_str), names()));
        let (Some(index), None) = (fits.next(), fits.next()) else {
            let hint = "make another table, and copy the rows";
            let what = "DROP CONSTRAINT beside another one of the same columns";
            return Err(Error::unsupported(what).hint(hint).into());
        };
        let wanted = self.shape(table)?.without_index(&index.described);
        self.release_index(table, &new, index, &all)?;
        self.check_shape(table, wanted, None)?;
        self.check_integrity(table)
    }

    /// Make an index one of CREATE INDEX, which is dropped, and renumber those behind it.
    fn release_index(
        &mut self,
        table: &Altered,
        new: &str,
        index: &Declared,
        all: &[Declared],
    ) -> Result<()> {
        let released = format!("released {}", index.name);
        let quoted = quoted_name(&released);
        let sql = format!("CREATE UNIQUE INDEX {quoted} ON {} ({})", table.quoted, index.columns);
        let later = all.iter().filter(|one| one.number > index.number);
        let later: Vec<_> = later
            .map(|one| (one, format!("{AUTOMATIC}{}_{}", table.name, one.number - 1)))
            .collect();
        let mut entries = vec![
            table.entry(new),
            Entry { kind: "index", name: &index.name, new_name: &released, sql: Some(&sql) },
        ];
        entries.extend(later.iter().map(|(one, new_name)| Entry {
            kind: "index",
            name: &one.name,
            new_name,
            sql: None,
        }));
        self.engine.rewrite_schema(&entries)?;
        self.forget_schema();
        self.run_step(&format!("DROP INDEX main.{quoted}"))?;
        self.forget_statistics(table)
    }

    /// Statistics are kept by the names of indexes.
    fn forget_statistics(&mut self, table: &Altered) -> Result<()> {
        let there = "SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_stat1'";
        if self.engine.own_rows(there, |_| Ok(()))?.is_empty() {
            return Ok(());
        }
        let table = quoted_text(&table.name);
        self.run_step(&format!("DELETE FROM main.sqlite_stat1 WHERE tbl = {table}"))
    }

    /// The indexes of a table's constraints that are in the schema, by their numbers.
    fn declared_indexes(&self, table: &Altered) -> Result<Vec<Declared>> {
        let prefix = format!("{AUTOMATIC}{}_", table.name);
        let sql = format!(
            "SELECT l.name, {INDEX}, \
             (SELECT group_concat(format('\"%w\" COLLATE \"%w\"%s', i.name, i.coll, iif(i.\"desc\", ' DESC', '')), ', ' ORDER BY i.seqno) \
             FROM pragma_index_xinfo(l.name, 'main') AS i WHERE i.key), \
             (SELECT json_group_array(i.name ORDER BY i.seqno) FROM pragma_index_xinfo(l.name, 'main') AS i WHERE i.key) \
             FROM pragma_index_list({0}, 'main') AS l JOIN main.sqlite_schema AS s \
             ON s.type = 'index' AND s.name = l.name AND s.tbl_name = {0} AND s.sql IS NULL WHERE l.origin <> 'c'",
            quoted_text(&table.name)
        );
        let found = self.engine.own_rows(&sql, |row| {
            let name: String = row.get(0)?;
            let number = name.strip_prefix(&prefix).and_then(|number| number.parse().ok());
            let names: String = row.get(3)?;
            let names = serde_json::from_str(&names).unwrap_or_default();
            let (described, columns) = (row.get(1)?, row.get(2)?);
            Ok(number.map(|number| Declared { name, number, described, columns, names }))
        })?;
        let mut found: Vec<_> = found.into_iter().flatten().collect();
        found.sort_by_key(|one| one.number);
        Ok(found)
    }
}

/// Whether a clause is a key with these columns.
fn is_key(column: Option<&str>, clause: &Clause, columns: &[String]) -> bool {
    let own: Vec<_> = match column {
        Some(column) => vec![column],
        None => clause.columns.iter().map(String::as_str).collect(),
    };
    matches!(clause.kind, ClauseKind::Unique | ClauseKind::PrimaryKey)
        && is_same(own.into_iter(), columns.iter().map(String::as_str))
}

/// The statement that makes the index of a constraint.
pub fn unique_index(table: &Altered, name: &str, columns: &[String]) -> String {
    let columns: Vec<_> = columns.iter().map(|column| quoted_name(column)).collect();
    format!(
        "CREATE UNIQUE INDEX main.{} {MARK} ON {} ({})",
        quoted_name(name),
        table.quoted,
        columns.join(", ")
    )
}
