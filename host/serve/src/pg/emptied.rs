//! TRUNCATE and DROP TABLE. SQLite deletes the rows of the table first, so that the foreign keys of other tables act:
//! ON DELETE CASCADE would take their rows, too. DROP TABLE … CASCADE drops those foreign keys first, and TRUNCATE empties
//! the tables that refer to others before these.

use std::collections::HashSet;

use sql_tokens::{quoted_name, quoted_text};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::{Emptied, Statement};

use super::converse::Conversation;
use super::execute::only_reads;
use super::failure::Result;
use super::objects::SUCCESS;

impl Conversation<'_> {
    /// Check that no other table refers to one that is emptied or dropped; by CASCADE none does then, or it is empty.
    ///
    /// # Errors
    ///
    /// 0A000 for TRUNCATE, 2BP01 for DROP TABLE, and those of ALTER TABLE … DROP CONSTRAINT and of DELETE.
    pub fn check_emptied(&mut self, statement: &Statement) -> Result<()> {
        let Some(emptied) = Emptied::of(statement) else { return Ok(()) };
        for table in &emptied.tables {
            self.check_time()?;
            let mut others = self.referring_to(table)?;
            others.retain(|other| !emptied.has(other));
            if emptied.cascades {
                if self.is_read_only() && !others.is_empty() {
                    return Err(only_reads(&statement.command).into());
                }
                for other in others.into_iter().filter(|_| emptied.is_drop) {
                    self.drop_references(&other, table)?;
                }
            } else if let Some(other) = others.pop() {
                return Err(refused(table, &other, &emptied).into());
            }
        }
        if emptied.is_drop || self.is_read_only() {
            return Ok(());
        }
        self.empty_referring(&emptied)
    }

    /// Empty the tables of TRUNCATE and those that refer to them, each after all that refer to it.
    fn empty_referring(&mut self, emptied: &Emptied) -> Result<()> {
        let order = self.referring_first(&emptied.tables)?;
        if order.len() < 2 {
            return Ok(());
        }
        for table in order {
            self.check_time()?;
            self.check_unused("TRUNCATE", &table)?;
            if !emptied.has(&table) && self.is_temporary(&table)? {
                let what = format!("TRUNCATE of \"{table}\", which a temporary table hides");
                return Err(Error::unsupported(what).into());
            }
            let sql = format!("DELETE FROM {}", quoted_name(&table));
            self.engine.run(&sql, |_| Ok(()), |_| Ok(()), |_| Ok(()))?;
            if !emptied.has(&table) {
                let message = format!("truncate cascades to table \"{table}\"");
                self.notice(&Error::new(SUCCESS, message));
            }
        }
        Ok(())
    }

    /// The tables that refer to what a statement means by a name. A temporary table comes first, and is in no other's foreign key.
    fn referring_to(&self, table: &str) -> Result<Vec<String>> {
        if self.is_temporary(table)? { Ok(Vec::new()) } else { self.referring(table) }
    }

    fn is_temporary(&self, table: &str) -> Result<bool> {
        let sql = format!(
            "SELECT 1 FROM sqlite_temp_schema WHERE type = 'table' AND lower(name) = lower({})",
            quoted_text(table)
        );
        Ok(!self.engine.own_rows(&sql, |row| row.get::<_, i64>(0))?.is_empty())
    }

    /// These tables and all that refer to them, each behind those that refer to it (but in a circle).
    fn referring_first(&self, tables: &[String]) -> Result<Vec<String>> {
        let (mut order, mut seen) = (Vec::new(), HashSet::new());
        let mut left: Vec<_> = tables.iter().map(|table| (table.clone(), false)).collect();
        while let Some((table, has_all)) = left.pop() {
            if has_all {
                order.push(table);
            } else if seen.insert(table.to_ascii_lowercase()) {
                self.check_time()?;
                let others = self.referring_to(&table)?;
                left.push((table, true));
                left.extend(others.into_iter().map(|other| (other, false)));
            }
        }
        Ok(order)
    }
}

fn refused(table: &str, other: &str, emptied: &Emptied) -> Error {
    let detail = format!("Table \"{other}\" references \"{table}\".");
    if emptied.is_drop {
        let message = format!("cannot drop table {table} because other objects depend on it");
        let hint = "Use DROP ... CASCADE to drop the dependent objects too.";
        return Error::new(sqlstate::DEPENDENT_OBJECTS, message).detail(detail).hint(hint);
    }
    let message = "cannot truncate a table referenced in a foreign key constraint";
    let hint = format!("Truncate table \"{other}\" at the same time, or use TRUNCATE ... CASCADE.");
    Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message).detail(detail).hint(hint)
}
