//! Tables over one file.

use crate::arguments::{Arguments, Format};
use crate::columns::{Affinity, Column, declaration, declaration_of_names};
use crate::rows::Rows;
use rfc4180::StringRecord;
use sqlite_wasm_kit::table::{Connection, IndexInfo, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Result, Table};

/// A table over a file, of a module with this delimiter; 0 for none.
pub struct File<const DELIMITER: u8> {
    filename: String,
    format: Format,
    columns: Vec<Column>,
}

impl<const DELIMITER: u8> Table for File<DELIMITER> {
    type Cursor = FileCursor<DELIMITER>;

    fn connect(connection: Connection) -> Result<(Self, String)> {
        let Arguments { filename, format, columns } =
            Arguments::parse(&connection.arguments, DELIMITER)?;
        let filename = filename.ok_or("no filename; say it, as in filename='people.csv'")?;
        let declaration = if columns.is_empty() {
            names(&filename, format)?
        } else {
            declaration(None, &columns)?
        };
        Ok((Self { filename, format, columns }, declaration))
    }

    fn best_index(&mut self, _: &IndexInfo, _: &mut Plan) -> Result<Planned> {
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<FileCursor<DELIMITER>> {
        Ok(FileCursor { rows: None, row_id: 0 })
    }
}

/// The columns that the first row names or counts.
fn names(filename: &str, format: Format) -> Result<String> {
    let mut rows = Rows::of_file(filename, format)?;
    let first = rows.first()?;
    if first.is_empty() {
        return Err(format!("{filename:?} is empty; say its columns, as in id integer").into());
    }
    if format.has_header {
        if first.iter().any(|name| name.contains('\0')) {
            return Err(format!("the header of {filename:?} has a NUL").into());
        }
        let names: Vec<_> = first.iter().map(str::to_owned).collect();
        return declaration_of_names(names.into_iter());
    }
    let numbers: Vec<_> = (1..=first.len()).map(|number| format!("c{number}")).collect();
    declaration_of_names(numbers.into_iter())
}

pub struct FileCursor<const DELIMITER: u8> {
    rows: Option<Rows>,
    row_id: i64,
}

impl<const DELIMITER: u8> Cursor for FileCursor<DELIMITER> {
    type Table = File<DELIMITER>;

    fn filter(&mut self, table: &mut File<DELIMITER>, _: Scan) -> Result<()> {
        (self.rows, self.row_id) = (Some(Rows::of_file(&table.filename, table.format)?), 0);
        Ok(())
    }

    fn next(&mut self, table: &mut File<DELIMITER>, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(record) = self.rows.as_mut().map_or(Ok(None), Rows::next)? else {
            return Ok(None);
        };
        write(row, 0, record, &table.columns);
        self.row_id += 1;
        Ok(Some(self.row_id))
    }
}

/// Write the fields of a record into the columns from `first` on.
pub fn write(row: &mut Row<'_>, first: u32, record: &StringRecord, columns: &[Column]) {
    for (place, field) in record.iter().enumerate() {
        let column = first + place as u32;
        if row.wants(column) {
            let affinity = columns.get(place).map_or(Affinity::Text, |column| column.affinity);
            row.set(column, affinity.value(field));
        }
    }
}
