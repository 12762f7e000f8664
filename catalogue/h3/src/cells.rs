//! Cells: what they are, their parents and children, and the way between them.

use crate::arguments::{Cell, Fineness, Given, Index, Kind, Length, Square, Unit};
use h3o::CellIndex;
use sqlite_wasm_kit::{Output, Result, Value};

pub fn to_text(value: Value) -> Option<Value> {
    Index::read(&value).map(|index| Kind::Text.write(index.bits))
}

/// `None` if the index does not fit in SQLite's signed 64-bit integers.
pub fn to_integer(value: Value) -> Option<i64> {
    Index::read(&value).and_then(|index| i64::try_from(index.bits).ok())
}

pub fn is_valid(value: Value) -> Option<bool> {
    (!value.is_null()).then(|| Cell::read(&value).0.is_some())
}

pub fn is_pentagon(cell: Cell) -> Result<Output> {
    cell.map(CellIndex::is_pentagon)
}

pub fn is_class_iii(cell: Cell) -> Result<Output> {
    cell.map(|cell| cell.resolution().is_class3())
}

pub fn resolution(cell: Cell) -> Result<Output> {
    cell.map(|cell| u32::from(u8::from(cell.resolution())))
}

pub fn base_cell(cell: Cell) -> Result<Output> {
    cell.map(|cell| u32::from(u8::from(cell.base_cell())))
}

pub fn count(resolution: Fineness) -> i64 {
    resolution.0.cell_count() as i64
}

pub fn average_area(resolution: Fineness, unit: Square) -> f64 {
    match unit.0 {
        Unit::Radians => resolution.0.area_rads2(),
        Unit::Kilometres => resolution.0.area_km2(),
        Unit::Metres => resolution.0.area_m2(),
    }
}

pub fn average_edge_length(resolution: Fineness, unit: Length) -> f64 {
    match unit.0 {
        Unit::Radians => resolution.0.edge_length_rads(),
        Unit::Kilometres => resolution.0.edge_length_km(),
        Unit::Metres => resolution.0.edge_length_m(),
    }
}

pub fn area(cell: Cell, unit: Square) -> Result<Output> {
    cell.map(|cell| match unit.0 {
        Unit::Radians => cell.area_rads2(),
        Unit::Kilometres => cell.area_km2(),
        Unit::Metres => cell.area_m2(),
    })
}

pub fn parent(cell: Cell, resolution: Fineness) -> Option<Value> {
    cell.find(|cell| cell.parent(resolution.0))
}

pub fn center_child(cell: Cell, resolution: Fineness) -> Option<Value> {
    cell.find(|cell| cell.center_child(resolution.0))
}

/// NULL if the resolution is coarser than the cell's.
pub fn children_size(cell: Cell, resolution: Fineness) -> Result<Output> {
    let finer = |cell: &CellIndex| cell.resolution() <= resolution.0;
    let cell = Given(cell.0.filter(|(cell, _)| finer(cell)));
    cell.map(|cell| cell.children_count(resolution.0) as i64)
}

pub fn child_position(cell: Cell, resolution: Fineness) -> Result<Output> {
    cell.map(|cell| Some(cell.child_position(resolution.0)? as i64))
}

pub fn child_at(position: i64, cell: Cell, resolution: Fineness) -> Option<Value> {
    let position = u64::try_from(position).ok()?;
    cell.find(|cell| cell.child_at(position, resolution.0))
}

/// `None` if the cells have different resolutions, or if a pentagon is in the way.
pub fn grid_distance(one: Cell, other: Cell) -> Option<i32> {
    let (one, other) = both(one, other)?;
    one.grid_distance(other).ok()
}

pub fn are_neighbors(one: Cell, other: Cell) -> Option<bool> {
    let (one, other) = both(one, other)?;
    // Cells of two resolutions are none.
    Some(one.is_neighbor_with(other).unwrap_or(false))
}

pub fn both(one: Cell, other: Cell) -> Option<(CellIndex, CellIndex)> {
    Some((one.0?.0, other.0?.0))
}
