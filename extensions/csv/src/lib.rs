//! csv: virtual tables over CSV files, compatible with SQLite's csv.c.
//!
//! ```sql
//! CREATE VIRTUAL TABLE temp.t USING csv(filename='data/x.csv', header=yes);
//! ```
//!
//! - `filename=TEXT`: the file, in a granted directory (`--grant
//!   csv=dir:data:ro`), by its path or relative to the working directory
//! - `data=TEXT`: the content itself; use either this or `filename`
//! - `header=BOOLEAN`, `header`: the first row contains the column names; without
//!   it they are `c0`, `c1`, …
//! - `columns=N`: how many columns the table has; without it, as many as the first row
//! - `schema=TEXT`: a CREATE TABLE statement with the names and types of columns
//!
//! Every field is text, even an empty one. Missing fields of a row are NULL; extra fields are
//! ignored. Fields may be quoted as in RFC 4180, with commas, doubled quotes and line breaks; lines
//! end with LF, CR LF or CR; a UTF-8 byte order mark is skipped. The row id counts the rows from 1.
//! Empty lines are ignored, and an incomplete last line is a row; csv.c differs in both.
//!
//! Each scan opens the file and reads it row by row, so the next scan sees
//! changes, and large files need no memory.

mod parameters;
mod rows;

use parameters::{Parameters, Source};
use rows::Rows;
use sqlite_wasm_kit::Risk::DirectOnly;
use sqlite_wasm_kit::table::{Connection, IndexInfo, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Module, ModuleKind::Created, Need, Result, Table, Value};

/// A hostile schema could show files to users who may not see them, so only direct SQL may use it.
const MODULES: &[Module] = &[Module::new::<CsvTable>("csv", Created, DirectOnly)];

sqlite_wasm_kit::extension! {
    name: "csv",
    description: "virtual tables over CSV files, compatible with SQLite's csv.c",
    modules: MODULES,
    needs: &[Need::Directory("the CSV files that it reads")],
}

struct CsvTable {
    source: Source,
    has_header: bool,
    columns: usize,
}

impl Table for CsvTable {
    type Cursor = CsvCursor;

    fn connect(connection: Connection) -> Result<(Self, String)> {
        let parameters = Parameters::parse(&connection.arguments)?;
        let names = parameters.names()?;
        let declaration = parameters.schema.unwrap_or_else(|| parameters::declaration(&names));
        let (source, has_header) = (parameters.source, parameters.has_header);
        Ok((Self { source, has_header, columns: names.len() }, declaration))
    }

    fn best_index(&mut self, _: &IndexInfo, _: &mut Plan) -> Result<Planned> {
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<CsvCursor> {
        Ok(CsvCursor::default())
    }
}

#[derive(Default)]
struct CsvCursor {
    rows: Option<Rows>,
    row_id: i64,
}

impl Cursor for CsvCursor {
    type Table = CsvTable;

    fn filter(&mut self, table: &mut CsvTable, _: Scan) -> Result<()> {
        let mut rows = Rows::open(&table.source)?;
        if table.has_header {
            rows.next()?;
        }
        (self.rows, self.row_id) = (Some(rows), 0);
        Ok(())
    }

    fn next(&mut self, table: &mut CsvTable, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(fields) = self.rows.as_mut().map_or(Ok(None), Rows::next)? else {
            return Ok(None);
        };
        for (column, field) in (0..).zip(fields.iter().take(table.columns)) {
            if row.wants(column) {
                row.set(column, Value::Text(field.to_vec()));
            }
        }
        self.row_id += 1;
        Ok(Some(self.row_id))
    }
}

#[cfg(test)]
mod tests;
