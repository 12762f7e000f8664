//! Foreign keys that a table has or gets: the key that they refer to, and the rows.

use sql_tokens::{quoted_name, quoted_text};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;

use super::super::converse::Conversation;
use super::super::failure::Result;
use super::Altered;

impl Conversation<'_> {
    /// Check that the foreign key that was added refers to a key.
    pub(super) fn check_key_of_parent(&self, table: &Altered, parent: &str) -> Result<()> {
        // SQLite lists the last one first.
        if self.broken(&table.name, "k.id = 0")? {
            let message = format!(
                "there is no unique constraint matching given keys for referenced table \"{parent}\""
            );
            return Err(Error::new(sqlstate::INVALID_FOREIGN_KEY, message).into());
        }
        Ok(())
    }

    /// Check that the foreign keys that refer to a table still refer to keys, without the one that was dropped.
    pub(super) fn check_keys_of_children(
        &self,
        table: &Altered,
        dropped: &str,
        columns: &[String],
    ) -> Result<()> {
        for child in self.referring(&table.name)? {
            let condition = format!("lower(k.\"table\") = lower({})", quoted_text(&table.name));
            if self.broken(&child, &condition)? {
                let message = format!(
                    "cannot drop constraint {dropped} on table {} because other objects depend on it",
                    table.name
                );
                let detail = format!(
                    "a foreign key of table {child} depends on the key ({})",
                    columns.join(", ")
                );
                let hint = "Drop the foreign keys that depend on it first.";
                let error = Error::new(sqlstate::DEPENDENT_OBJECTS, message);
                return Err(error.detail(detail).hint(hint).into());
            }
        }
        Ok(())
    }

    /// Whether a foreign key of a table refers to columns that are no key.
    fn broken(&self, table: &str, condition: &str) -> Result<bool> {
        // As `sqlite3FkLocateIndex`: the primary key, or a unique index of all rows over these columns alone.
        let sql = format!(
            "SELECT 1 FROM pragma_foreign_key_list({}) AS k WHERE {condition} GROUP BY k.id HAVING NOT (\
             max(k.\"to\" IS NULL) OR \
             group_concat(lower(k.\"to\"), char(0) ORDER BY lower(k.\"to\")) IS \
             (SELECT group_concat(lower(c.name), char(0) ORDER BY lower(c.name)) \
             FROM pragma_table_info(k.\"table\") AS c WHERE c.pk) OR \
             group_concat(lower(k.\"to\"), char(0) ORDER BY lower(k.\"to\")) IN \
             (SELECT (SELECT group_concat(lower(i.name), char(0) ORDER BY lower(i.name)) \
             FROM pragma_index_info(l.name) AS i HAVING count(*) = count(i.name)) \
             FROM pragma_index_list(k.\"table\") AS l WHERE l.\"unique\" AND NOT l.partial))",
            quoted_text(table)
        );
        Ok(!self.engine.own_rows(&sql, |_| Ok(()))?.is_empty())
    }

    /// Check the rows of a table by the foreign key that was added.
    pub(super) fn check_references(
        &mut self,
        table: &Altered,
        name: &str,
        columns: &[String],
        parent: &str,
    ) -> Result<()> {
        let sql = format!(
            "SELECT rowid FROM pragma_foreign_key_check({}, 'main') WHERE fkid = 0 LIMIT 1",
            quoted_text(&table.name)
        );
        let found = self.engine.own_rows(&sql, |row| row.get::<_, Option<i64>>(0))?;
        let Some(row) = found.into_iter().next() else { return Ok(()) };
        let message = format!(
            "insert or update on table \"{}\" violates foreign key constraint \"{name}\"",
            table.name
        );
        let error = Error::new(sqlstate::FOREIGN_KEY_VIOLATION, message);
        let error = error.of_constraint(&table.name, Some(name), None);
        let values = row.and_then(|row| self.key_of_row(table, columns, row));
        Err(match values {
            Some(values) => error.detail(format!(
                "Key ({})=({values}) is not present in table \"{parent}\".",
                columns.join(", ")
            )),
            None => error,
        }
        .into())
    }

    /// The values of some columns of a row.
    fn key_of_row(&mut self, table: &Altered, columns: &[String], row: i64) -> Option<String> {
        let items: Vec<_> = columns.iter().map(|column| quoted_name(column)).collect();
        let sql = format!("SELECT {} FROM {} WHERE rowid = {row}", items.join(", "), table.quoted);
        let found: Option<Vec<_>> = self.texts(&sql, &[], &[]).ok()??.into_iter().collect();
        let texts = found?;
        let texts: Vec<_> = texts.iter().map(|text| String::from_utf8_lossy(text)).collect();
        Some(texts.join(", "))
    }
}
