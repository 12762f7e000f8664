//! The rows that a statement would write: the one that violates a constraint, for the detail of 23502 and 23514, and
//! keys that it has twice.

use std::time::Instant;

use sql_tokens::{quoted_name, quoted_text};
use sqlite_sandbox::types::Value;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::{Target, changes_twice, failing_row};

use super::converse::Conversation;
use super::failure::Result;
use super::store::Analysed;

/// Bytes of a value that the detail has, as in PostgreSQL.
const SHOWN: usize = 64;

impl Conversation<'_> {
    /// An error of a row with its values, where they can be known.
    pub fn of_row(
        &mut self,
        error: Error,
        table: &str,
        analysed: &Analysed,
        values: &[Value],
    ) -> Error {
        let detail = self.failing_row(&error, table, analysed, values);
        Error { detail, ..error }
    }

    fn failing_row(
        &mut self,
        error: &Error,
        table: &str,
        analysed: &Analysed,
        values: &[Value],
    ) -> Option<String> {
        // What takes long has had its time.
        if self.session.state().end.is_some_and(|end| Instant::now() >= end) {
            return None;
        }
        let violated = error.violated.as_deref()?;
        let condition = match (&violated.column, &violated.constraint) {
            (Some(column), _) => format!("{} IS NOT NULL", quoted_name(column)),
            (None, Some(name)) => self.condition(table, name)?,
            (None, None) => return None,
        };
        let name = quoted_text(&table.to_ascii_lowercase());
        let sql =
            format!("SELECT sql FROM sqlite_schema WHERE type = 'table' AND lower(name) = {name}");
        let definition: String = self.engine.own_rows(&sql, |row| row.get(0)).ok()?.pop()?;
        let columns = self.table(table).ok()?;
        let sql = failing_row(&analysed.statement, &definition, &columns, &condition)?;
        let given: Vec<_> = analysed.parameters.iter().map(|one| one.ty.oid()).collect();
        let texts = self.texts(&sql, &given, values).ok()??;
        let texts: Vec<_> = texts.iter().map(|text| shown(text.as_deref())).collect();
        Some(format!("Failing row contains ({}).", texts.join(", ")))
    }

    /// The condition of a CHECK.
    fn condition(&self, table: &str, name: &str) -> Option<String> {
        let sql = format!(
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c' \
             AND conname = {} AND conrelid = to_regclass({})",
            quoted_text(name),
            quoted_text(&quoted_name(table))
        );
        let text: String = self.engine.own_rows(&sql, |row| row.get(0)).ok()?.pop()?;
        Some(text.strip_prefix("CHECK ")?.to_owned())
    }

    /// Check that `ON CONFLICT DO UPDATE` changes no row twice, which SQLite does.
    ///
    /// # Errors
    ///
    /// 21000.
    pub fn check_once(&mut self, analysed: &Analysed, values: &[Value]) -> Result<()> {
        let statement = &analysed.statement;
        if !statement.updates_on_conflict() {
            return Ok(());
        }
        let Some(target) = Target::of(statement) else { return Ok(()) };
        let Ok(columns) = self.table(&target.table) else { return Ok(()) };
        let Some(sql) = changes_twice(statement, &columns) else { return Ok(()) };
        let given: Vec<_> = analysed.parameters.iter().map(|one| one.ty.oid()).collect();
        // What cannot be found out is as SQLite does it.
        if self.texts(&sql, &given, values).is_ok_and(|row| row.is_some()) {
            let message = "ON CONFLICT DO UPDATE command cannot affect row a second time";
            let hint = "Ensure that no rows proposed for insertion within the same command \
                        have duplicate constrained values.";
            return Err(Error::new(sqlstate::CARDINALITY_VIOLATION, message).hint(hint).into());
        }
        Ok(())
    }
}

fn shown(value: Option<&[u8]>) -> String {
    let Some(bytes) = value else { return "null".to_owned() };
    let text = String::from_utf8_lossy(bytes);
    if text.len() <= SHOWN {
        return text.into_owned();
    }
    let end = (0..=SHOWN).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}...", &text[..end])
}
