//! Scans: of the nearest rows, or of all.

use sqlite_wasm_kit::sql::{self, Statement};
use sqlite_wasm_kit::table::{Row, Scan};
use sqlite_wasm_kit::{Cursor, Error, Result, Value, code};

use crate::plan::Wanted;
use crate::search::{Filter, Neighbour, Request};
use crate::storage::first;
use crate::table::AnnTable;
use crate::vector::bytes;

#[derive(Default)]
pub struct AnnCursor {
    found: std::vec::IntoIter<Neighbour>,
    /// Reads the columns other than the vector, by row id.
    columns: Option<Statement>,
    /// Of all rows, or those that fulfil a filter.
    rows: Option<Statement>,
    filter: Option<Filter>,
    is_search: bool,
    is_started: bool,
}

impl Cursor for AnnCursor {
    type Table = AnnTable;

    fn filter(&mut self, table: &mut AnnTable, scan: Scan) -> Result<()> {
        let is_search = scan.number == 1;
        let wanted = Wanted::of(scan)?;
        *self = Self { is_search, filter: wanted.filter.clone(), ..Self::default() };
        if !is_search {
            return table.index.borrow_mut().refresh().map(drop);
        }
        let missing = "ann: a search needs `k = …` or LIMIT";
        let k = wanted.k.ok_or_else(|| Error::new(code::ERROR, missing))?;
        let vector = table.vector(&wanted.vector.unwrap_or_default())?;
        let ef = wanted.ef.map(|ef| ef as usize);
        let Wanted { is_exact, filter, .. } = wanted;
        let request = Request { vector, k: k as usize, ef, is_exact, filter };
        self.found = table.index.borrow_mut().nearest(&request)?.into_iter();
        Ok(())
    }

    fn next(&mut self, table: &mut AnnTable, row: &mut Row<'_>) -> Result<Option<i64>> {
        if self.is_search { self.next_found(table, row) } else { self.next_row(table, row) }
    }
}

impl AnnCursor {
    fn next_found(&mut self, table: &AnnTable, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(Neighbour { distance, row_id, slot }) = self.found.next() else {
            return Ok(None);
        };
        row.set(table.layout.distance(), f64::from(distance));
        if row.wants(table.layout.vector) {
            row.set(table.layout.vector, vector(table, slot)?);
        }
        let wants = (0..table.layout.visible).filter(|it| *it != table.layout.vector);
        if wants.into_iter().any(|column| row.wants(column)) {
            let columns = self.columns(table)?;
            for (at, value) in
                first(columns, [Value::Integer(row_id)])?.into_iter().flatten().enumerate()
            {
                row.set(table.layout.column(at), value);
            }
        }
        Ok(Some(row_id))
    }

    /// The statement that reads the columns other than the vector.
    fn columns(&mut self, table: &AnnTable) -> Result<&mut Statement> {
        if self.columns.is_none() {
            let count = table.layout.visible - 1;
            let columns: Vec<String> = (0..count).map(|at| format!("c{at}")).collect();
            let rows = table.names.table("rows");
            let sql = format!("SELECT {} FROM {rows} WHERE id = ?", columns.join(", "));
            self.columns = Some(sql::prepare(&sql)?);
        }
        self.columns.as_mut().ok_or_else(|| "ann: no statement".into())
    }

    fn next_row(&mut self, table: &AnnTable, row: &mut Row<'_>) -> Result<Option<i64>> {
        if !std::mem::replace(&mut self.is_started, true) {
            self.start(table)?;
        }
        let Some(rows) = &mut self.rows else { return Ok(None) };
        let Some(mut values) = rows.next_row()? else { return Ok(None) };
        let row_id = values[0].to_integer();
        if row.wants(table.layout.vector) {
            let slot = u32::try_from(values[1].to_integer());
            let slot = slot.map_err(|_| Error::new(code::CORRUPT, "ann: a row has no node"))?;
            row.set(table.layout.vector, vector(table, slot)?);
        }
        for (at, value) in values.drain(2..).enumerate() {
            row.set(table.layout.column(at), value);
        }
        Ok(Some(row_id))
    }

    fn start(&mut self, table: &AnnTable) -> Result<()> {
        let rows = table.names.table("rows");
        let columns: String =
            (1..table.layout.visible).map(|at| format!(", c{}", at - 1)).collect();
        let mut sql = format!("SELECT id, slot{columns} FROM {rows} AS r");
        let mut values = Vec::new();
        if let Some(filter) = self.filter.take() {
            sql += &format!(" WHERE {}", filter.condition);
            values = filter.values;
        }
        let mut statement = sql::prepare(&sql)?;
        statement.start(values)?;
        self.rows = Some(statement);
        Ok(())
    }
}

/// A vector as SQL sees it: a blob of 32-bit reals.
fn vector(table: &AnnTable, slot: u32) -> Result<Vec<u8>> {
    let mut index = table.index.borrow_mut();
    let coder = index.graph.coder;
    Ok(bytes(&coder.load(&index.storage().vector(slot)?)))
}
