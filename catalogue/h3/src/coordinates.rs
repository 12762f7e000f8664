//! From coordinates to cells, and back.

use crate::arguments::{Cell, Fineness, Kind, Length, Unit};
use h3o::{CellIndex, LatLng};
use sqlite_wasm_kit::{Arguments, Error, IntoOutput, Output, Result, Value, code};

/// A point in degrees; an error names the function.
fn point(function: &str, latitude: f64, longitude: f64) -> Result<LatLng> {
    LatLng::new(latitude, longitude).map_err(|_| {
        Error::new(code::MISMATCH, format!("{function}: coordinates must be finite numbers"))
    })
}

pub fn to_cell(latitude: f64, longitude: f64, resolution: Fineness) -> Result<Value> {
    let point = point("h3_latlng_to_cell", latitude, longitude)?;
    Ok(Kind::Integer.write(point.to_cell(resolution.0)))
}

pub fn to_cell_string(latitude: f64, longitude: f64, resolution: Fineness) -> Result<Value> {
    let point = point("h3_latlng_to_cell_string", latitude, longitude)?;
    Ok(Kind::Text.write(point.to_cell(resolution.0)))
}

pub fn latitude(cell: Cell) -> Result<Output> {
    cell.map(|cell| LatLng::from(cell).lat())
}

pub fn longitude(cell: Cell) -> Result<Output> {
    cell.map(|cell| LatLng::from(cell).lng())
}

/// The boundary's corners, each longitude and latitude, with the first one again at the end.
fn corners(cell: CellIndex, between: &str) -> Vec<String> {
    let boundary = cell.boundary();
    let closed = boundary.iter().chain(boundary.first());
    closed.map(|corner| format!("{}{between}{}", corner.lng(), corner.lat())).collect()
}

/// As geopoly takes it, and as a ring of GeoJSON.
pub fn boundary(cell: Cell) -> Result<Output> {
    cell.map(|cell| format!("[[{}]]", corners(cell, ",").join("],[")))
}

pub fn boundary_wkt(cell: Cell) -> Result<Output> {
    cell.map(|cell| format!("POLYGON (({}))", corners(cell, " ").join(", ")))
}

/// Of two points, on a sphere.
pub fn distance(mut arguments: Arguments<'_>) -> Result<Output> {
    let mut numbers = [0.0; 4];
    for (place, number) in numbers.iter_mut().enumerate() {
        match arguments.get(place)? {
            Some(given) => *number = given,
            None => return Ok(Output::default()),
        }
    }
    let Some(Length(unit)) = arguments.get(4)? else {
        return Ok(Output::default());
    };
    let one = point(arguments.function(), numbers[0], numbers[1])?;
    let other = point(arguments.function(), numbers[2], numbers[3])?;
    match unit {
        Unit::Radians => one.distance_rads(other),
        Unit::Kilometres => one.distance_km(other),
        Unit::Metres => one.distance_m(other),
    }
    .into_output()
}
