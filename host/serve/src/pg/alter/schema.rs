//! The text of a table, changed in the schema.

use sql_tokens::quoted_text;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::table_text::TableText;

use super::super::converse::Conversation;
use super::super::failure::Result;
use super::Altered;

/// A column as SQLite has it: its name, its position in the primary key, whether it is hidden; and what of it
/// may change: type, default, whether it may be NULL.
type Column = ((String, i64, i64), (String, Option<String>, i64));

/// What SQLite reads from the text of a table: its columns, and what its indexes are, in an order of theirs.
#[derive(Debug, PartialEq)]
pub struct Shape {
    columns: Vec<Column>,
    indexes: Vec<String>,
}

/// What an index is, besides its name, of a row of `pragma_index_list`.
pub const INDEX: &str = "format('%s %d %d %s', l.origin, l.\"unique\", l.partial, \
     (SELECT group_concat(format('%d %s %d %d', x.cid, x.coll, x.\"desc\", x.key)) \
     FROM pragma_index_xinfo(l.name, 'main') AS x))";

impl Shape {
    /// The same without an index that is this one.
    pub fn without_index(mut self, index: &str) -> Self {
        if let Some(at) = self.indexes.iter().position(|known| known == index) {
            self.indexes.remove(at);
        }
        self
    }

    /// The same without what changes of a column.
    fn without(mut self, changed: Option<&str>) -> Self {
        for ((name, ..), rest) in &mut self.columns {
            if changed.is_some_and(|changed| name.eq_ignore_ascii_case(changed)) {
                *rest = Default::default();
            }
        }
        self
    }
}

impl Conversation<'_> {
    /// Change the text of a table; of its columns no more than the type and the default of `changed`.
    pub(super) fn rewrite(
        &mut self,
        table: &Altered,
        changed: Option<&str>,
        change: impl FnOnce(&TableText<'_>) -> Result<String, Error>,
    ) -> Result<()> {
        let sql = self.table_sql(table)?;
        let text = TableText::read(&sql)?;
        let new = change(&text)?;
        if new == sql {
            return Ok(());
        }
        let before = self.shape(table)?;
        self.check_text(table, &TableText::read(&new)?)?;
        self.engine.rewrite_schema(&[table.entry(&new)])?;
        self.forget_schema();
        self.check_shape(table, before.without(changed), changed)
    }

    /// Check that SQLite reads from the text of a table what it shall.
    pub(super) fn check_shape(
        &self,
        table: &Altered,
        wanted: Shape,
        changed: Option<&str>,
    ) -> Result<()> {
        if wanted == self.shape(table)?.without(changed) {
            return Ok(());
        }
        let message = format!("the definition of \"{}\" would be another one", table.name);
        Err(Error::new(sqlstate::INTERNAL_ERROR, message).into())
    }

    /// Let SQLite take the text of a table as a statement of the client: what it refuses in CREATE TABLE, it
    /// takes from a schema that it reads, or calls that damaged.
    pub(super) fn check_text(&mut self, table: &Altered, text: &TableText<'_>) -> Result<()> {
        // DROP TABLE would look for the tables that it refers to, which `temp` has not.
        self.run_step("SAVEPOINT check_text")?;
        self.run_step(&text.as_temporary(&table.quoted))?;
        self.run_step("ROLLBACK TO check_text")?;
        self.run_step("RELEASE check_text")
    }

    /// The text of a table in the schema.
    pub(super) fn table_sql(&self, table: &Altered) -> Result<String> {
        let sql = format!(
            "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = {}",
            quoted_text(&table.name)
        );
        let found = self.engine.own_rows(&sql, |row| row.get::<_, String>(0))?.pop();
        Ok(found.unwrap_or_default())
    }

    pub(super) fn shape(&self, table: &Altered) -> Result<Shape> {
        let name = quoted_text(&table.name);
        let sql = format!(
            "SELECT name, pk, hidden, type, dflt_value, \"notnull\" FROM pragma_table_xinfo({name}, 'main')"
        );
        let columns = self.engine.own_rows(&sql, |row| {
            let fixed = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok((fixed, (row.get(3)?, row.get(4)?, row.get(5)?)))
        })?;
        let sql = format!("SELECT {INDEX} FROM pragma_index_list({name}, 'main') AS l ORDER BY 1");
        let indexes = self.engine.own_rows(&sql, |row| row.get(0))?;
        Ok(Shape { columns, indexes })
    }
}
