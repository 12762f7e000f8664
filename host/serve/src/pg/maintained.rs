//! What VACUUM, ANALYZE and REINDEX name: whether it is there, and of their kind.

use sql_tokens::quoted_text;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::{Kind, Maintained, Verb};

use super::converse::Conversation;
use super::failure::Result;
use super::objects::{Checked, SUCCESS, WARNING};

/// The schemas that there are.
const SCHEMAS: [&str; 3] = ["information_schema", "pg_catalog", "public"];

impl Conversation<'_> {
    /// Check what is maintained.
    ///
    /// # Errors
    ///
    /// 42P01, 42809, 42703, 42701, 3F000, and 0A000 for another database.
    pub fn check_maintained(&self, maintained: &Maintained) -> Result<Checked> {
        let mut checked = Checked::default();
        for (name, columns) in &maintained.names {
            match maintained.verb {
                Verb::Analyze => self.check_counted("analyze", name, columns, &mut checked)?,
                Verb::Vacuum => self.check_counted("vacuum", name, columns, &mut checked)?,
                Verb::ReindexTable => self.check_reindexed(name, &mut checked)?,
                Verb::ReindexIndex => match self.relation(name)? {
                    (Kind::Index, of_key) => checked.is_done = of_key,
                    _ => return Err(wrong(name, "an index").into()),
                },
                Verb::ReindexSchema if !SCHEMAS.contains(&name.as_str()) => {
                    let message = format!("schema \"{name}\" does not exist");
                    return Err(Error::new(sqlstate::INVALID_SCHEMA, message).into());
                }
                Verb::ReindexDatabase if *name != self.context.database => {
                    let message = "can only reindex the currently open database";
                    return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message).into());
                }
                Verb::ReindexSchema | Verb::ReindexDatabase => {}
            }
        }
        Ok(checked)
    }

    /// What a name is, and whether it is only the name of a key.
    fn relation(&self, name: &str) -> Result<(Kind, bool)> {
        if let Some(kind) = self.kind_of(name)? {
            return Ok((kind, false));
        }
        if self.key_of(name)?.is_some() {
            return Ok((Kind::Index, true));
        }
        let message = format!("relation \"{name}\" does not exist");
        Err(Error::new(sqlstate::UNDEFINED_TABLE, message).into())
    }

    /// A table whose rows are counted; others are left out.
    fn check_counted(
        &self,
        verb: &str,
        name: &str,
        columns: &[String],
        checked: &mut Checked,
    ) -> Result<()> {
        let is_catalogue = name.starts_with("pg_");
        if !is_catalogue && self.relation(name)?.0 != Kind::Table {
            let message = format!(
                "skipping \"{name}\" --- cannot {verb} non-tables or special system tables"
            );
            checked.notices.push(Error::new(WARNING, message));
            return Ok(());
        }
        let known = if columns.is_empty() { Vec::new() } else { self.table(name)? };
        for (at, column) in columns.iter().enumerate() {
            let (code, problem) = match () {
                () if !known.iter().any(|known| known.name == *column) => {
                    (sqlstate::UNDEFINED_COLUMN, "does not exist")
                }
                () if columns[..at].contains(column) => {
                    (sqlstate::DUPLICATE_COLUMN, "appears more than once")
                }
                () => continue,
            };
            let message = format!("column \"{column}\" of relation \"{name}\" {problem}");
            return Err(Error::new(code, message).into());
        }
        Ok(())
    }

    fn check_reindexed(&self, table: &str, checked: &mut Checked) -> Result<()> {
        if self.relation(table)?.0 != Kind::Table {
            return Err(wrong(table, "a table or materialized view").into());
        }
        let name = quoted_text(table);
        let sql = format!("SELECT 1 FROM pg_indexes WHERE tablename = {name} LIMIT 1");
        if self.engine.own_rows(&sql, |_| Ok(()))?.is_empty() {
            let message = format!("table \"{table}\" has no indexes to reindex");
            checked.notices.push(Error::new(SUCCESS, message));
        }
        Ok(())
    }
}

fn wrong(name: &str, wanted: &str) -> Error {
    Error::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not {wanted}"))
}
