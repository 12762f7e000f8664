//! TRUNCATE and DROP TABLE. SQLite deletes the rows of the table first, so that the foreign keys of other tables act:
//! ON DELETE CASCADE would take their rows, too. DROP TABLE … CASCADE drops those foreign keys first.

use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::{Emptied, Statement};

use super::converse::Conversation;
use super::execute::only_reads;
use super::failure::Result;

impl Conversation<'_> {
    /// Check that no other table refers to one that is emptied or dropped; for DROP TABLE … CASCADE none does then.
    ///
    /// # Errors
    ///
    /// 0A000 for TRUNCATE, 2BP01 for DROP TABLE, and those of ALTER TABLE … DROP CONSTRAINT.
    pub fn check_emptied(&mut self, statement: &Statement) -> Result<()> {
        let Some(emptied) = Emptied::of(statement) else { return Ok(()) };
        for table in &emptied.tables {
            let mut others = self.referring(table)?;
            others
                .retain(|other| !emptied.tables.iter().any(|one| one.eq_ignore_ascii_case(other)));
            if emptied.is_drop && emptied.cascades {
                if self.is_read_only() && !others.is_empty() {
                    return Err(only_reads(&statement.command).into());
                }
                for other in others {
                    self.drop_references(&other, table)?;
                }
            } else if let Some(other) = others.pop() {
                return Err(refused(table, &other, &emptied).into());
            }
        }
        Ok(())
    }
}

fn refused(table: &str, other: &str, emptied: &Emptied) -> Error {
    let detail = format!("Table \"{other}\" references \"{table}\".");
    let verb = if emptied.is_drop { "DROP TABLE" } else { "TRUNCATE" };
    match (emptied.cascades, emptied.is_drop) {
        (true, _) => Error::unsupported(format_args!("{verb} … CASCADE of a referenced table"))
            .detail(detail)
            .hint(format!("first {} \"{other}\"", verb.to_ascii_lowercase())),
        (false, false) => {
            let message = "cannot truncate a table referenced in a foreign key constraint";
            Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message)
                .detail(detail)
                .hint(format!("truncate table \"{other}\" at the same time, or use DELETE"))
        }
        (false, true) => {
            let message = format!("cannot drop table {table} because other objects depend on it");
            Error::new(sqlstate::DEPENDENT_OBJECTS, message)
                .detail(detail)
                .hint(format!("first drop table \"{other}\""))
        }
    }
}
