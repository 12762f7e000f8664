//! Identity columns: a key that SQLite assigns, and what the comment of its type says of it.

use sql_tokens::quoted_name;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::table_text::TableText;
use sqlite_wasm_postgres::translate::{Identity, Numbering, numbered};
use sqlite_wasm_postgres::types::Scalar;

use super::super::converse::Conversation;
use super::super::failure::Result;
use super::super::objects::SUCCESS;
use super::Altered;
use super::columns::place;

impl Conversation<'_> {
    pub(super) fn set_identity(
        &mut self,
        table: &Altered,
        column: &str,
        change: Identity,
    ) -> Result<()> {
        let old = self.numbering(table, column)?;
        match change {
            Identity::Add { is_always } => {
                self.check_unnumbered(table, column, old)?;
                self.renumber(table, column, of_mode(is_always))
            }
            Identity::Drop { if_exists: true } if !old.is_identity() => {
                let message = format!("{}, skipping", is_not_identity(table, column));
                self.notice(&Error::new(SUCCESS, message));
                Ok(())
            }
            _ if !old.is_identity() => {
                let message = is_not_identity(table, column);
                Err(Error::new(sqlstate::OBJECT_NOT_READY, message).into())
            }
            Identity::Drop { .. } => self.renumber(table, column, Numbering::Plain),
            Identity::Set { is_always, restart } => {
                if let Some(number) = restart {
                    self.check_next(table, column, number)?;
                }
                match is_always.map(of_mode).filter(|new| *new != old) {
                    Some(new) => self.renumber(table, column, new),
                    None => Ok(()),
                }
            }
        }
    }

    /// How a column is numbered.
    pub(super) fn numbering(&self, table: &Altered, column: &str) -> Result<Numbering> {
        if !self.column_of(table, column)?.is_numbered() {
            return Ok(Numbering::Plain);
        }
        let sql = self.table_sql(table)?;
        let text = TableText::read(&sql)?;
        Ok(Numbering::of(text.declared(place(&text, column)?)))
    }

    /// Declare a key with another `numbering`.
    pub(super) fn renumber(
        &mut self,
        table: &Altered,
        column: &str,
        numbering: Numbering,
    ) -> Result<()> {
        let known = self.column_of(table, column)?;
        let data_type = known.typed().map_or(Scalar::Int4, |typed| typed.ty.scalar());
        self.rewrite(table, None, |text| {
            Ok(text.with_type(place(text, column)?, &numbered(data_type.name(), numbering)))
        })
    }

    /// Check that a key may become an identity column.
    fn check_unnumbered(&self, table: &Altered, column: &str, old: Numbering) -> Result<()> {
        if !self.column_of(table, column)?.is_numbered() {
            return Err(Error::unsupported("IDENTITY that is not the primary key").into());
        }
        let what = match old {
            Numbering::Plain => return Ok(()),
            Numbering::Serial => "already has a default value",
            Numbering::ByDefault | Numbering::Always => "is already an identity column",
        };
        let message = format!("column \"{column}\" of relation \"{}\" {what}", table.name);
        Err(Error::new(sqlstate::OBJECT_NOT_READY, message).into())
    }

    /// Check that SQLite's next value is this one: it is the one after the largest value.
    fn check_next(&self, table: &Altered, column: &str, wanted: i64) -> Result<()> {
        let (name, key) = (&table.quoted, quoted_name(column));
        let sql = format!("SELECT coalesce(max({key}), 0) FROM main.{name}");
        let last = self.engine.own_rows(&sql, |row| row.get::<_, i64>(0))?.pop();
        let remembers = self.table_sql(table)?.to_ascii_lowercase().contains("autoincrement");
        if !remembers && last == Some(wanted - 1) {
            return Ok(());
        }
        let hint = "the next number is that behind the largest one of the column";
        Err(Error::unsupported(format_args!("RESTART with {wanted}")).hint(hint).into())
    }
}

fn of_mode(is_always: bool) -> Numbering {
    if is_always { Numbering::Always } else { Numbering::ByDefault }
}

fn is_not_identity(table: &Altered, column: &str) -> String {
    format!("column \"{column}\" of relation \"{}\" is not an identity column", table.name)
}

/// The error of what an identity column cannot do.
pub fn is_identity(table: &Altered, column: &str) -> Error {
    let message =
        format!("column \"{column}\" of relation \"{}\" is an identity column", table.name);
    Error::new(sqlstate::SYNTAX_ERROR, message)
}
