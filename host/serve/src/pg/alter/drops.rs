//! Columns that are dropped. PostgreSQL drops the constraints and indexes of the table that have the column, too;
//! SQLite drops no column that has some.

use sql_tokens::{quoted_name, quoted_text};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;

use super::super::converse::Conversation;
use super::super::failure::{Failure, Result};
use super::super::objects::SUCCESS;
use super::Altered;

impl Conversation<'_> {
    pub(super) fn drop_column(
        &mut self,
        table: &Altered,
        column: &str,
        cascades: bool,
    ) -> Result<()> {
        let drop = format!("ALTER TABLE {} DROP COLUMN {}", table.quoted, quoted_name(column));
        if table.is_temporary {
            return self.run_step(&drop);
        }
        if self.column_of(table, column)?.is_key {
            let hint = "make another table, and copy the rows";
            return Err(Error::unsupported("DROP COLUMN of a primary key").hint(hint).into());
        }
        // Those without names have others when one is gone.
        while let Some(constraint) = self.constraint_on(table, column)? {
            self.check_time()?;
            self.drop_constraint(table, &constraint, false)?;
            self.forget_schema();
        }
        for index in self.indexes_on(table, column)? {
            self.run_step(&format!("DROP INDEX main.{}", quoted_name(&index)))?;
        }
        self.run_step(&drop).map_err(|failure| needed(failure, table, column, cascades))
    }

    /// Drop the foreign keys of a table that refer to another one.
    pub fn drop_references(&mut self, child: &str, parent: &str) -> Result<()> {
        let name = child.to_owned();
        let table = Altered { name, quoted: quoted_name(child), is_temporary: false };
        let sql = format!(
            "SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = to_regclass({}) \
             AND confrelid = to_regclass({}) LIMIT 1",
            quoted_text(&table.quoted),
            quoted_text(&quoted_name(parent))
        );
        while let Some(name) = self.engine.own_rows(&sql, |row| row.get::<_, String>(0))?.pop() {
            self.check_time()?;
            self.drop_constraint(&table, &name, false)?;
            self.forget_schema();
            let message = format!("drop cascades to constraint {name} on table {child}");
            self.notice(&Error::new(SUCCESS, message));
        }
        Ok(())
    }

    /// The indexes that have a column as a part of their key. What computes something of it, or has a condition on
    /// it, is SQLite's to find: a name in a text may be that of a function.
    fn indexes_on(&self, table: &Altered, column: &str) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT DISTINCT l.name FROM pragma_index_list({}, 'main') AS l, \
             pragma_index_xinfo(l.name, 'main') AS i \
             WHERE l.origin = 'c' AND i.key AND lower(i.name) = lower({})",
            quoted_text(&table.name),
            quoted_text(column)
        );
        Ok(self.engine.own_rows(&sql, |row| row.get(0))?)
    }
}

/// SQLite says which object would not be understood any more.
fn needed(failure: Failure, table: &Altered, column: &str, cascades: bool) -> Failure {
    let Failure::Error(error) = failure else { return failure };
    if !error.message.starts_with("error in ") {
        return Failure::Error(error);
    }
    let hint = "drop what depends on the column first";
    let other = if cascades {
        Error::unsupported("DROP COLUMN … CASCADE of a column that other objects need")
    } else {
        let message = format!(
            "cannot drop column {column} of table {} because other objects depend on it",
            table.name
        );
        Error::new(sqlstate::DEPENDENT_OBJECTS, message)
    };
    Failure::Error(other.detail(error.message).hint(hint))
}
