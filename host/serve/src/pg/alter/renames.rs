//! RENAME of tables and columns. SQLite changes all definitions; what clients have written of them follows, the columns of
//! views keep their names, and so do constraints without a name, whose names were made of those of tables and columns.

use sql_tokens::{quoted_name, quoted_text};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::renames::{followed, index_named, with_columns};
use sqlite_wasm_postgres::table_text::TableText;
use sqlite_wasm_postgres::translate::Kind;

use super::super::converse::Conversation;
use super::super::failure::Result;
use super::Altered;
use super::constraints::Constraint;
use crate::session::connection::Entry;

/// A definition: its row in the schema, what it makes, its name, its text, and the columns of a view.
type Row = (i64, Kind, String, String, Vec<String>);

impl Conversation<'_> {
    /// Rename a table, or a column of it, by SQLite's statement.
    pub(super) fn rename(
        &mut self,
        table: &Altered,
        sql: &str,
        column: Option<&str>,
    ) -> Result<()> {
        if table.is_temporary {
            return self.run_step(sql);
        }
        self.name_constraints(table, column)?;
        let before = self.definitions()?;
        self.run_step(sql)?;
        self.forget_schema();
        let mut changed = Vec::new();
        for (row, kind, name, text, columns) in self.definitions()? {
            let Some((.., old, names)) = before.iter().find(|(old, ..)| *old == row) else {
                continue;
            };
            let mut new = followed(old, &text)?;
            if *names != columns {
                new = with_columns(&new, names)?;
            }
            if new != text {
                changed.push((kind, name, new));
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        let entries: Vec<_> = changed
            .iter()
            .map(|(kind, name, text)| Entry {
                kind: kind.word(),
                name,
                new_name: name,
                sql: Some(text),
            })
            .collect();
        self.engine.rewrite_schema(&entries)?;
        self.forget_schema();
        self.check_renamed(&before)
    }

    /// Rename an index, which SQLite does not; that of a constraint with the constraint.
    pub(super) fn rename_index(&mut self, name: &str, to: &str) -> Result<()> {
        if self.kind_in_use(to, None)?.is_some() {
            let message = format!("relation \"{to}\" already exists");
            return Err(Error::new(sqlstate::DUPLICATE_TABLE, message).into());
        }
        let lower = quoted_text(&name.to_ascii_lowercase());
        let sql = format!(
            "SELECT name, sql FROM main.sqlite_schema WHERE type = 'index' AND lower(name) = {lower} AND sql IS NOT NULL"
        );
        let row = |row: &sqlite_sandbox::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found: Option<(String, String)> = self.engine.own_rows(&sql, row)?.pop();
        if let Some((name, sql)) = found {
            let sql = Some(index_named(&sql, to)?);
            let entry = Entry { kind: "index", name: &name, new_name: to, sql: sql.as_deref() };
            self.engine.rewrite_schema(&[entry])?;
            self.forget_schema();
            // That SQLite reads it.
            let sql = format!("REINDEX main.{}", quoted_name(to));
            return Ok(self.engine.inspect(&sql, |_| Ok(()))?);
        }
        match (self.key_of(name)?, self.kind_of(name)?) {
            (Some(table), _) => {
                let quoted = quoted_name(&table);
                let table = Altered { name: table, quoted, is_temporary: false };
                self.rename_constraint(&table, name, to)
            }
            (None, Some(Kind::Index)) => {
                Err(Error::unsupported("ALTER INDEX of a temporary table").into())
            }
            (None, found) => Err(match found {
                Some(_) => {
                    Error::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not an index"))
                }
                None => Error::new(
                    sqlstate::UNDEFINED_TABLE,
                    format!("relation \"{name}\" does not exist"),
                ),
            }
            .into()),
        }
    }

    /// Check that each view has the columns that it had.
    fn check_renamed(&self, before: &[Row]) -> Result<()> {
        for (row, _, name, _, columns) in self.definitions()? {
            let is_same = |(old, .., names): &Row| *old == row && *names == columns;
            if !before.iter().any(is_same) {
                let message = format!("the definition of \"{name}\" would be another one");
                return Err(Error::new(sqlstate::INTERNAL_ERROR, message).into());
            }
        }
        Ok(())
    }

    /// The definitions that a RENAME may change besides their names: those of views, and those with texts of clients.
    fn definitions(&self) -> Result<Vec<Row>> {
        let sql = "SELECT rowid, type, name, sql, (SELECT json_group_array(c.name ORDER BY c.cid) \
             FROM pragma_table_info(s.name, 'main') AS c WHERE s.type = 'view') \
             FROM main.sqlite_schema AS s WHERE type = 'view' OR instr(sql, '/* SQL ') > 0";
        let found = self.engine.own_rows(sql, |row| {
            let Some(kind) = Kind::named(&row.get::<_, String>(1)?) else { return Ok(None) };
            let columns = serde_json::from_str(&row.get::<_, String>(4)?).unwrap_or_default();
            Ok(Some((row.get(0)?, kind, row.get(2)?, row.get(3)?, columns)))
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Write the names of constraints that have none in the text, and would get others with a new name of a column, or of the
    /// table.
    fn name_constraints(&mut self, table: &Altered, column: Option<&str>) -> Result<()> {
        let is_meant = |one: &Constraint| {
            let has = |column: &str| one.columns.iter().any(|own| own.eq_ignore_ascii_case(column));
            !one.is_index && column.is_none_or(has)
        };
        let all = self.constraints(table)?;
        self.rewrite(table, None, |text| {
            let mut sql = text.sql().to_owned();
            for constraint in all.iter().filter(|one| is_meant(one)) {
                let text = TableText::read(&sql)?;
                // One that cannot be distinguished from another remains without a name.
                let clause = constraint.clause(&text).ok().filter(|clause| clause.name.is_none());
                if let Some(clause) = clause {
                    sql = text.renamed(clause, &constraint.name);
                }
            }
            Ok(sql)
        })
    }
}
