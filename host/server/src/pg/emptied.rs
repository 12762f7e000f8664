//! TRUNCATE and DROP TABLE. SQLite deletes the rows of the table first, so that the foreign keys of other tables act:
//! ON DELETE CASCADE would take their rows, too.

use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::{Emptied, Statement};

use super::converse::Conversation;
use super::failure::Result;

impl Conversation<'_> {
    /// Check that no other table refers to one that is emptied or dropped.
    ///
    /// # Errors
    ///
    /// 0A000 for TRUNCATE and for CASCADE, 2BP01 for DROP TABLE.
    pub fn check_emptied(&self, statement: &Statement) -> Result<()> {
        let Some(emptied) = Emptied::of(statement) else { return Ok(()) };
        for table in &emptied.tables {
            if let Some(other) = self.referring(table, &emptied.tables)? {
                return Err(refused(table, &other, &emptied).into());
            }
        }
        Ok(())
    }

    /// Another table that has a foreign key to this one.
    fn referring(&self, table: &str, besides: &[String]) -> Result<Option<String>> {
        let sql = format!(
            "SELECT DISTINCT m.name FROM sqlite_schema m, pragma_foreign_key_list(m.name) f \
             WHERE m.type = 'table' AND lower(f.\"table\") = lower('{}')",
            table.replace('\'', "''")
        );
        let mut found = self.engine.own_rows(&sql, |row| row.get::<_, String>(0))?;
        found.retain(|other| !besides.iter().any(|one| one.eq_ignore_ascii_case(other)));
        Ok(found.pop())
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
