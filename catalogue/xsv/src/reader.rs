//! Tables over what a statement names.

use crate::arguments::{Arguments, Format};
use crate::columns::{Column, declaration};
use crate::rows::Rows;
use crate::table::write;
use sqlite_wasm_kit::table::{Check, Connection, IndexInfo, Operator, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Result, Table, Value};

/// The hidden column.
const SOURCE: u32 = 0;

/// A table over any source, of a module with this delimiter; 0 for none.
pub struct Reader<const DELIMITER: u8> {
    format: Format,
    columns: Vec<Column>,
}

impl<const DELIMITER: u8> Table for Reader<DELIMITER> {
    type Cursor = ReaderCursor<DELIMITER>;

    fn connect(connection: Connection) -> Result<(Self, String)> {
        let Arguments { filename, format, columns } =
            Arguments::parse(&connection.arguments, DELIMITER)?;
        if filename.is_some() {
            return Err("a reader has no filename; it is the table's argument".into());
        }
        let declaration = declaration(Some("_source HIDDEN"), &columns)?;
        Ok((Self { format, columns }, declaration))
    }

    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        let sources = info.constraints.iter().enumerate().filter(|(_, constraint)| {
            constraint.column == SOURCE as i32 && matches!(constraint.operator, Operator::Equal)
        });
        let mut sources = sources.peekable();
        if sources.peek().is_none() {
            return Err("no source; say it, as in people('people.csv')".into());
        }
        match sources.find(|(_, constraint)| constraint.usable) {
            // SQLite compares a second one with the column, which has the first.
            Some((place, _)) => {
                plan.take(place, Check::Omit);
                Ok(Planned::Yes)
            }
            None => Ok(Planned::No),
        }
    }

    fn open(&mut self) -> Result<ReaderCursor<DELIMITER>> {
        Ok(ReaderCursor { rows: None, source: Value::Null, row_id: 0 })
    }
}

pub struct ReaderCursor<const DELIMITER: u8> {
    rows: Option<Rows>,
    source: Value,
    row_id: i64,
}

impl<const DELIMITER: u8> Cursor for ReaderCursor<DELIMITER> {
    type Table = Reader<DELIMITER>;

    fn filter(&mut self, table: &mut Reader<DELIMITER>, mut scan: Scan) -> Result<()> {
        (self.rows, self.row_id, self.source) = (None, 0, scan.take(0));
        if !self.source.is_null() {
            self.rows = Some(Rows::of_value(self.source.clone(), table.format)?);
        }
        Ok(())
    }

    fn next(&mut self, table: &mut Reader<DELIMITER>, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(record) = self.rows.as_mut().map_or(Ok(None), Rows::next)? else {
            return Ok(None);
        };
        if row.wants(SOURCE) {
            row.set(SOURCE, self.source.clone());
        }
        write(row, SOURCE + 1, record, &table.columns);
        self.row_id += 1;
        Ok(Some(self.row_id))
    }
}
