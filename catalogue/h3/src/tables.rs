//! Tables of cells, edges or vertices, by arguments.

use crate::arguments::{Cell, Fineness, Given, Kind};
use crate::cells::both;
use crate::polygon;
use h3o::CellIndex;
use sqlite_wasm_kit::table::{Check, Connection, IndexInfo, Operator, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Error, FromValue, Result, Table, Value, code};
use std::marker::PhantomData;

/// Limit on cells of one list: of those that are compacted, which are in memory at once, and of a
/// disk or a polygon, whose cells h3o collects. With what h3o keeps in addition they take a tenth of
/// the memory that an extension has by default.
pub const MAX_CELLS: u64 = 1 << 20;

/// What one row has: an index, and its distance where the table has one.
pub type Entry = (u64, Option<u32>);

/// The rows of a scan, in the kind of its argument.
pub struct Entries {
    pub kind: Kind,
    pub rows: Box<dyn Iterator<Item = Entry>>,
}

impl Entries {
    /// Indexes without distances.
    pub fn new<I: Into<u64>>(kind: Kind, rows: impl Iterator<Item = I> + 'static) -> Option<Self> {
        Some(Self { kind, rows: Box::new(rows.map(|index| (index.into(), None))) })
    }
}

/// A table's name, its columns, and its rows.
pub trait List: 'static {
    const NAME: &'static str;
    /// The visible columns.
    const COLUMNS: &'static str = "cell";
    /// The hidden ones, all of which must be given.
    const ARGUMENTS: &'static [&'static str];

    /// The rows; `None` if an argument is not a cell.
    fn list(arguments: Vec<Value>) -> Result<Option<Entries>>;
}

/// The table of a list.
pub struct Found<L>(PhantomData<L>);

impl<L: List> Found<L> {
    fn first_argument() -> u32 {
        L::COLUMNS.split(',').count() as u32
    }
}

impl<L: List> Table for Found<L> {
    type Cursor = Rows<L>;

    fn connect(_: Connection) -> Result<(Self, String)> {
        let hidden: String = L::ARGUMENTS.iter().map(|name| format!(", {name} HIDDEN")).collect();
        Ok((Self(PhantomData), format!("CREATE TABLE x({}{hidden})", L::COLUMNS)))
    }

    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        for (place, name) in L::ARGUMENTS.iter().enumerate() {
            let column = Self::first_argument() as i32 + place as i32;
            let mut equal = info.constraints.iter().enumerate().filter(|(_, constraint)| {
                constraint.column == column && matches!(constraint.operator, Operator::Equal)
            });
            let Some((first, _)) = equal.clone().next() else {
                return Err(format!("{}: the argument `{name}` is missing", L::NAME).into());
            };
            match equal.find(|(_, constraint)| constraint.usable) {
                // SQLite checks any other one.
                Some((usable, _)) if usable == first => plan.take(usable, Check::Omit),
                Some((usable, _)) => plan.take(usable, Check::Again),
                None => return Ok(Planned::No),
            };
        }
        (plan.cost, plan.rows) = (100.0, 100);
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<Rows<L>> {
        Ok(Rows { entries: None, row_id: 0, arguments: Vec::new(), list: PhantomData })
    }
}

/// A scan.
pub struct Rows<L> {
    entries: Option<Entries>,
    row_id: i64,
    arguments: Vec<Value>,
    list: PhantomData<L>,
}

impl<L: List> Cursor for Rows<L> {
    type Table = Found<L>;

    fn filter(&mut self, _: &mut Found<L>, mut scan: Scan) -> Result<()> {
        (self.entries, self.row_id) = (None, 0);
        if scan.has_null() {
            return Ok(());
        }
        self.arguments = (0..L::ARGUMENTS.len()).map(|place| scan.take(place)).collect();
        self.entries = L::list(self.arguments.clone())
            .map_err(|error| Error::new(error.code, format!("{}: {}", L::NAME, error.message)))?;
        Ok(())
    }

    fn next(&mut self, _: &mut Found<L>, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(entries) = &mut self.entries else {
            return Ok(None);
        };
        let Some((index, distance)) = entries.rows.next() else {
            return Ok(None);
        };
        row.set(0, entries.kind.write(index));
        if let Some(distance) = distance {
            row.set(1, distance);
        }
        for (column, argument) in (Found::<L>::first_argument()..).zip(&self.arguments) {
            if row.wants(column) {
                row.set(column, argument.clone());
            }
        }
        self.row_id += 1;
        Ok(Some(self.row_id))
    }
}

fn argument<T: FromValue>(arguments: &mut [Value], place: usize) -> Result<T> {
    let value = arguments.get_mut(place).map(std::mem::take).unwrap_or_default();
    T::from_value(value).map_err(|wanted| {
        Error::new(code::MISMATCH, format!("argument {} must be {wanted}", place + 1))
    })
}

/// An error for more cells than are allowed.
pub fn check_count(count: u64) -> Result<()> {
    if count > MAX_CELLS {
        let message = format!("up to {count} cells; {MAX_CELLS} are allowed");
        return Err(Error::new(code::TOOBIG, message));
    }
    Ok(())
}

pub struct Disk;

impl List for Disk {
    const NAME: &'static str = "h3_grid_disk";
    const COLUMNS: &'static str = "cell, distance";
    const ARGUMENTS: &'static [&'static str] = &["origin", "k"];

    fn list(mut arguments: Vec<Value>) -> Result<Option<Entries>> {
        let Given(cell) = argument::<Cell>(&mut arguments, 0)?;
        let k: u32 = argument(&mut arguments, 1)?;
        // The count of all cells of the finest grid; beyond it the formula overflows.
        check_count(if k > 13_780_510 { u64::MAX } else { h3o::max_grid_disk_size(k) })?;
        Ok(cell.map(|(cell, kind)| {
            let cells: Vec<(CellIndex, u32)> = cell.grid_disk_distances(k);
            let rows = cells.into_iter().map(|(cell, distance)| (cell.into(), Some(distance)));
            Entries { kind, rows: Box::new(rows) }
        }))
    }
}

pub struct Path;

impl List for Path {
    const NAME: &'static str = "h3_grid_path_cells";
    const ARGUMENTS: &'static [&'static str] = &["origin", "destination"];

    fn list(mut arguments: Vec<Value>) -> Result<Option<Entries>> {
        let origin: Cell = argument(&mut arguments, 0)?;
        let destination: Cell = argument(&mut arguments, 1)?;
        let Some(((from, to), (_, kind))) = both(origin, destination).zip(origin.0) else {
            return Ok(None);
        };
        let size = from.grid_path_cells_size(to).unwrap_or(0);
        check_count(u64::try_from(size).unwrap_or(0))?;
        // As for the distance, h3o finds no path across some pentagons.
        let cells = from.grid_path_cells(to).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        Ok(cells.ok().and_then(|cells| Entries::new(kind, cells.into_iter())))
    }
}

pub struct Children;

impl List for Children {
    const NAME: &'static str = "h3_cell_to_children";
    const ARGUMENTS: &'static [&'static str] = &["parent", "resolution"];

    fn list(mut arguments: Vec<Value>) -> Result<Option<Entries>> {
        let Given(cell) = argument::<Cell>(&mut arguments, 0)?;
        let Fineness(resolution) = argument(&mut arguments, 1)?;
        Ok(cell.and_then(|(cell, kind)| Entries::new(kind, cell.children(resolution))))
    }
}

/// Cells of a JSON array, all of them valid, and the kind of the first.
fn cells(json: &str) -> Result<(Vec<CellIndex>, Kind)> {
    let values: Vec<serde_json::Value> =
        serde_json::from_str(json).map_err(|error| format!("the array is not JSON: {error}"))?;
    check_count(values.len() as u64)?;
    let mut kind = Kind::Integer;
    let mut cells = Vec::new();
    for (place, value) in values.into_iter().enumerate() {
        let given = match &value {
            serde_json::Value::String(text) => Cell::read(&Value::text(text.as_str())),
            value => value.as_i64().map_or(Given(None), |it| Cell::read(&Value::Integer(it))),
        };
        let (cell, its) = given.0.ok_or_else(|| format!("element {place} is not a cell"))?;
        kind = if place == 0 { its } else { kind };
        cells.push(cell);
    }
    Ok((cells, kind))
}

pub struct Compacted;

impl List for Compacted {
    const NAME: &'static str = "h3_compact_cells";
    const ARGUMENTS: &'static [&'static str] = &["cells"];

    fn list(mut arguments: Vec<Value>) -> Result<Option<Entries>> {
        let json: String = argument(&mut arguments, 0)?;
        let (mut cells, kind) = cells(&json)?;
        CellIndex::compact(&mut cells).map_err(|error| error.to_string())?;
        Ok(Entries::new(kind, cells.into_iter()))
    }
}

pub struct Uncompacted;

impl List for Uncompacted {
    const NAME: &'static str = "h3_uncompact_cells";
    const ARGUMENTS: &'static [&'static str] = &["cells", "resolution"];

    fn list(mut arguments: Vec<Value>) -> Result<Option<Entries>> {
        let json: String = argument(&mut arguments, 0)?;
        let Fineness(resolution) = argument(&mut arguments, 1)?;
        let (cells, kind) = cells(&json)?;
        if cells.iter().any(|cell| cell.resolution() > resolution) {
            return Err("a cell is finer than the resolution".into());
        }
        Ok(Entries::new(kind, CellIndex::uncompact(cells, resolution)))
    }
}

pub struct Filled;

impl List for Filled {
    const NAME: &'static str = "h3_polygon_to_cells";
    const ARGUMENTS: &'static [&'static str] = &["polygon", "resolution"];

    fn list(mut arguments: Vec<Value>) -> Result<Option<Entries>> {
        let json: String = argument(&mut arguments, 0)?;
        let Fineness(resolution) = argument(&mut arguments, 1)?;
        let cells = polygon::cells(polygon::read(&json)?, resolution)?;
        Ok(Entries::new(Kind::Integer, cells.into_iter()))
    }
}

pub struct Vertexes;

impl List for Vertexes {
    const NAME: &'static str = "h3_cell_to_vertexes";
    const COLUMNS: &'static str = "vertex";
    const ARGUMENTS: &'static [&'static str] = &["cell"];

    fn list(mut arguments: Vec<Value>) -> Result<Option<Entries>> {
        let Given(cell) = argument::<Cell>(&mut arguments, 0)?;
        Ok(cell.and_then(|(cell, kind)| Entries::new(kind, cell.vertexes())))
    }
}

pub struct Edges;

impl List for Edges {
    const NAME: &'static str = "h3_origin_to_directed_edges";
    const COLUMNS: &'static str = "edge";
    const ARGUMENTS: &'static [&'static str] = &["origin"];

    fn list(mut arguments: Vec<Value>) -> Result<Option<Entries>> {
        let Given(cell) = argument::<Cell>(&mut arguments, 0)?;
        Ok(cell.and_then(|(cell, kind)| Entries::new(kind, cell.edges())))
    }
}
