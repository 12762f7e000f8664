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
        if !emptied.is_drop {
            return self.empty_referring(&emptied, &statement.command);
        }
        for table in &emptied.tables {
            self.check_time()?;
            let mut others = self.referring_to(table)?;
            others.retain(|other| !emptied.has(other));
            if !emptied.cascades {
                let Some(other) = others.pop() else { continue };
                return Err(refused(table, &other, &emptied).into());
            }
            if self.is_read_only() && !others.is_empty() {
                return Err(only_reads(&statement.command).into());
            }
            for other in others {
                self.drop_references(&other, table)?;
            }
        }
        Ok(())
    }

    /// Empty the tables of TRUNCATE and those that refer to them, each after all that refer to it. One without such tables is
    /// left to the statement.
    fn empty_referring(&mut self, emptied: &Emptied, command: &str) -> Result<()> {
        let order = self.referring_first(emptied)?;
        if order.len() < 2 {
            return Ok(());
        }
        if self.is_read_only() {
            return Err(only_reads(command).into());
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

    /// The tables of TRUNCATE and all that refer to them, each after those that refer to it (but in a circle).
    ///
    /// # Errors
    ///
    /// 0A000 where another table refers to one of them, without CASCADE.
    fn referring_first(&self, emptied: &Emptied) -> Result<Vec<String>> {
        let (mut order, mut seen) = (Vec::new(), HashSet::new());
        let named = emptied.tables.iter();
        let mut left: Vec<_> = named.map(|table| (table.clone(), false)).collect();
        while let Some((table, has_all)) = left.pop() {
            if has_all {
                order.push(table);
            } else if seen.insert(table.to_ascii_lowercase()) {
                self.check_time()?;
                let others = self.referring_to(&table)?;
                if !emptied.cascades
                    && let Some(other) = others.iter().find(|other| !emptied.has(other))
                {
                    return Err(refused(&table, other, emptied).into());
                }
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
