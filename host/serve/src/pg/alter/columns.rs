//! Columns: whether they may be NULL, their defaults, and whether they are numbered.

use sql_tokens::{quoted_name, quoted_text};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::table_text::{ColumnText, TableText};
use sqlite_wasm_postgres::translate::Numbering;
use sqlite_wasm_postgres::types::infer::Column;

use super::super::converse::Conversation;
use super::super::failure::Result;
use super::Altered;
use super::constraints::violated;
use super::identity::is_identity;

impl Conversation<'_> {
    pub(super) fn set_not_null(
        &mut self,
        table: &Altered,
        column: &str,
        is_set: bool,
    ) -> Result<()> {
        let sql = format!(
            "SELECT \"notnull\", pk FROM pragma_table_xinfo({}, 'main') WHERE lower(name) = lower({})",
            quoted_text(&table.name),
            quoted_text(column)
        );
        let row =
            |row: &sqlite_sandbox::Row<'_>| Ok((row.get::<_, bool>(0)?, row.get::<_, i64>(1)?));
        let (is_there, key) = self.engine.own_rows(&sql, row)?.pop().unwrap_or_default();
        if !is_set && self.numbering(table, column)?.is_identity() {
            return Err(is_identity(table, column).into());
        }
        if !is_set && key > 0 {
            let message = format!("column \"{column}\" is in a primary key");
            return Err(Error::new("42P16", message).into());
        }
        if is_there == is_set {
            return Ok(());
        }
        let verb = if is_set { "SET" } else { "DROP" };
        let sql = format!(
            "ALTER TABLE {} ALTER COLUMN {} {verb} NOT NULL",
            table.quoted,
            quoted_name(column)
        );
        self.run_step(&sql).map_err(|failure| {
            violated(failure, sqlstate::INTEGRITY_VIOLATION, || {
                let message = format!(
                    "column \"{column}\" of relation \"{}\" contains null values",
                    table.name
                );
                let error = Error::new(sqlstate::NOT_NULL_VIOLATION, message);
                error.of_constraint(&table.name, None, Some(column))
            })
        })
    }

    pub(super) fn set_default(
        &mut self,
        table: &Altered,
        column: &str,
        expression: Option<&str>,
    ) -> Result<()> {
        let known = self.column_of(table, column)?;
        if known.is_generated {
            let message =
                format!("column \"{column}\" of relation \"{}\" is a generated column", table.name);
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message).into());
        }
        match self.numbering(table, column)? {
            Numbering::Serial if expression.is_none() => {
                return self.renumber(table, column, Numbering::Plain);
            }
            numbering if numbering.is_identity() => {
                let error = is_identity(table, column);
                let hint = "Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.";
                let is_dropped = expression.is_none();
                return Err(if is_dropped { error.hint(hint) } else { error }.into());
            }
            _ if known.is_numbered() && expression.is_some() => {
                let what = "DEFAULT of a key that SQLite numbers";
                return Err(Error::unsupported(what).into());
            }
            _ => {}
        }
        if expression.is_none() && known.default.is_none() {
            return Ok(());
        }
        self.write_whole_rows(table, &known)?;
        self.rewrite(table, Some(column), |text| {
            Ok(text.with_default(place(text, column)?, expression))
        })
    }

    /// Write all rows of a table as they are. Those that are older than a column have its default from the text
    /// of the table, and would get another one with it.
    pub(super) fn write_whole_rows(&mut self, table: &Altered, known: &Column) -> Result<()> {
        // A column of the primary key is as old as the table.
        if known.is_key {
            return Ok(());
        }
        // Any column does, and one that no foreign key looks at is the cheapest.
        let name = quoted_text(&table.name);
        let sql = format!(
            "SELECT c.name FROM pragma_table_xinfo({name}, 'main') AS c WHERE c.hidden = 0 AND c.pk = 0 \
             ORDER BY EXISTS (SELECT 1 FROM pragma_foreign_key_list({name}) AS k \
             WHERE lower(k.\"from\") = lower(c.name)) \
             OR EXISTS (SELECT 1 FROM pragma_index_list({name}, 'main') AS l, pragma_index_xinfo(l.name, 'main') AS i \
             WHERE l.\"unique\" AND i.key AND lower(i.name) = lower(c.name)), \
             lower(c.name) <> lower({}) LIMIT 1",
            quoted_text(&known.name)
        );
        let found = self.engine.own_rows(&sql, |row| row.get::<_, String>(0))?.pop();
        let column = found.unwrap_or_else(|| known.name.clone());
        self.write_rows(table, &column, &quoted_name(&column))
    }

    /// Write a column of all rows; no trigger acts.
    pub(super) fn write_rows(&mut self, table: &Altered, column: &str, value: &str) -> Result<()> {
        let sql = format!("UPDATE {} SET {} = {value}", table.quoted, quoted_name(column));
        self.engine
            .without_triggers(|engine| engine.run(&sql, |_| Ok(()), |_| Ok(()), |_| Ok(())))?;
        Ok(())
    }

    pub(super) fn column_of(&self, table: &Altered, column: &str) -> Result<Column> {
        let columns = self.table(&table.name)?;
        let found = columns.into_iter().find(|known| known.name.eq_ignore_ascii_case(column));
        found.ok_or_else(|| {
            let message =
                format!("column \"{column}\" of relation \"{}\" does not exist", table.name);
            Error::new(sqlstate::UNDEFINED_COLUMN, message).into()
        })
    }
}

/// The position of a column in the text of its table.
pub fn place<'t>(text: &'t TableText<'_>, column: &str) -> Result<&'t ColumnText, Error> {
    text.column(column).ok_or_else(|| Error::unsupported("a change of this column"))
}
