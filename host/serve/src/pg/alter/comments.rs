//! Comments on a table and on its columns: SQLite can keep them only in the text of the table.

use sqlite_wasm_postgres::table_text::TableText;

use super::super::converse::Conversation;
use super::super::failure::Result;
use super::Altered;
use super::columns::place;

impl Conversation<'_> {
    pub(super) fn set_comment(
        &mut self,
        table: &Altered,
        column: Option<&str>,
        comment: Option<&str>,
    ) -> Result<()> {
        self.rewrite(table, None, |text: &TableText<'_>| {
            let column = column.map(|column| place(text, column)).transpose()?;
            Ok(text.with_comment(column, comment))
        })
    }
}
