//! csv: tables over CSV files, as SQLite's csv.c has them.
//!
//! ```sql
//! CREATE VIRTUAL TABLE temp.t USING csv(filename='data/x.csv', header=yes);
//! ```
//!
//! - `filename=TEXT`: the file, in a directory that was granted (`--grant
//!   csv=dir:data:ro`), by its path or relative to the working directory
//! - `data=TEXT`: the content itself; either this or `filename`
//! - `header=BOOLEAN`, `header`: the first row has the columns' names; without
//!   it they are `c0`, `c1`, …
//! - `columns=N`: that many columns; without it, as many as the first row has
//! - `schema=TEXT`: a CREATE TABLE statement with the columns' names and types
//!
//! Every field is text, an empty one too. What a row lacks is NULL, and what it
//! has beyond the columns is left out. Fields may be quoted as RFC 4180 has it,
//! with commas, doubled quotes and line breaks inside; lines end with LF, CR LF
//! or CR; a UTF-8 byte order mark is skipped. The row id is the number of the
//! row, from 1. Empty lines are no rows, and a short row at the end is one; in
//! both csv.c differs.
//!
//! The file is opened for each scan and read row by row: a change is seen by
//! the next scan, and a large file needs no memory.

mod parameters;
mod rows;

use parameters::{Parameters, Source};
use rows::Rows;
use sqlite_wasm_kit::Risk::DirectOnly;
use sqlite_wasm_kit::table::{Connection, Plan, Planned, Question, Row, Scan};
use sqlite_wasm_kit::{Cursor, Module, ModuleKind::Created, Need, Result, Table, Value};

/// A hostile schema could show files to who may not see them: only direct.
const MODULES: &[Module] = &[Module::new::<CsvTable>("csv", Created, DirectOnly)];

sqlite_wasm_kit::extension! {
    name: "csv",
    description: "tables over CSV files, as SQLite's csv.c has them",
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

    fn best_index(&mut self, _: &Question, _: &mut Plan) -> Result<Planned> {
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
