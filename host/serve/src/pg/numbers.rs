//! The keys that SQLite assigns to rows, for `lastval` and `currval`, and their sequences.

use sql_tokens::quoted_text;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::{Insertion, SequenceType, Statement};

use super::converse::Conversation;
use super::execute::only_reads;
use super::failure::Result;
use super::objects::SUCCESS;
use super::tables::MAX_KEPT;

impl Conversation<'_> {
    /// Keep the key that an insertion got, for `lastval` and `currval`.
    pub fn note_number(&mut self, statement: &Statement) -> Result<()> {
        let Some(insertion) = Insertion::of(statement) else { return Ok(()) };
        let Some(table) = insertion.table() else { return Ok(()) };
        let Some((column, place)) = self.numbered_column(&table)? else { return Ok(()) };
        if !insertion.gives(&column, place) {
            let number = self.engine.last_insert_rowid()?;
            self.session.state().inserted(format!("{table}_{column}_seq"), number);
        }
        Ok(())
    }

    /// `ALTER SEQUENCE … AS`, where a sequence has the type of its column.
    pub fn alter_sequence(&mut self, ty: &SequenceType) -> Result<()> {
        if self.is_read_only() {
            return Err(only_reads("ALTER SEQUENCE").into());
        }
        let sql = format!(
            "SELECT CASE s.seqtypid WHEN 21 THEN 2 WHEN 23 THEN 4 ELSE 8 END \
             FROM pg_class c LEFT JOIN pg_sequence s ON s.seqrelid = c.oid WHERE c.relkind = 'S' AND c.relname = {}",
            quoted_text(&ty.name)
        );
        let message = format!("relation \"{}\" does not exist", ty.name);
        match self.engine.own_rows(&sql, |row| row.get::<_, u8>(0))?.pop() {
            Some(own) if own > ty.bytes => {
                let hint = "change the type of its column";
                Err(Error::unsupported("ALTER SEQUENCE … AS a smaller type").hint(hint).into())
            }
            Some(_) => Ok(()),
            None if ty.if_exists => {
                self.notice(&Error::new(SUCCESS, format!("{message}, skipping")));
                Ok(())
            }
            None => Err(Error::new(sqlstate::UNDEFINED_TABLE, message).into()),
        }
    }

    /// The column of a table whose values SQLite assigns, and its position, from 0.
    fn numbered_column(&mut self, table: &str) -> Result<Option<(String, usize)>> {
        if let Some(known) = self.analyses.numbered.get(table) {
            return Ok(known.clone());
        }
        let quoted = quoted_text(table);
        let sql = format!(
            "SELECT max(name), max(cid) FROM pragma_table_info({quoted}) WHERE pk \
             GROUP BY '' HAVING count(*) = 1 AND max(type) LIKE 'integer'"
        );
        let row =
            |row: &sqlite_sandbox::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, u32>(1)?));
        let found = self.engine.own_rows(&sql, row)?.pop();
        let found = found.map(|(name, place)| (name, place as usize));
        if self.analyses.numbered.len() >= MAX_KEPT {
            self.analyses.numbered.clear();
        }
        self.analyses.numbered.insert(table.to_owned(), found.clone());
        Ok(found)
    }
}
