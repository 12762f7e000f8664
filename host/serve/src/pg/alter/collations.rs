//! The collation that comes with a type: only that of bytes is there.

use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::table_text::TableText;
use sqlite_wasm_postgres::translate::check_collation;
use sqlite_wasm_postgres::types::Typed;

use super::super::converse::Conversation;
use super::super::failure::Result;
use super::Altered;
use super::columns::place;

/// The type that a column gets.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// As SQLite has it.
    pub declared: &'a str,
    /// As the client has written it.
    pub wanted: &'a str,
    /// The client's expression.
    pub using: Option<&'a str>,
    /// The collation, if the client names one.
    pub collation: Option<&'a str>,
}

impl Wanted<'_> {
    /// Check that a column of this type may have the collation.
    pub fn check_collation(&self, typed: Option<Typed>) -> Result<(), Error> {
        self.collation.map_or(Ok(()), |name| check_collation(name, typed))
    }
}

impl Conversation<'_> {
    pub(super) fn set_type(
        &mut self,
        table: &Altered,
        column: &str,
        wanted: &Wanted<'_>,
    ) -> Result<()> {
        self.set_type_only(table, column, wanted)?;
        match wanted.collation {
            Some(_) => self.compare_bytes(table, column),
            None => Ok(()),
        }
    }

    /// Compare a column by its bytes, as SQLite does without a collation.
    fn compare_bytes(&mut self, table: &Altered, column: &str) -> Result<()> {
        let sql = self.table_sql(table)?;
        let text = TableText::read(&sql)?;
        let collation = text.collation(place(&text, column)?);
        if collation.is_none_or(|name| name.eq_ignore_ascii_case("binary")) {
            return Ok(());
        }
        self.rewrite(table, Some(column), |text| Ok(text.without_collation(place(text, column)?)))?;
        self.check_integrity(table)
    }
}
