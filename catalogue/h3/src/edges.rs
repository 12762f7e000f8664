//! Directed edges between two cells, and the vertices of cells.

use crate::arguments::{Cell, Edge, Length, Unit, Vertex};
use crate::cells::both;
use h3o::LatLng;
use sqlite_wasm_kit::{Output, Result, Value};

/// `None` if the cells are not neighbours.
pub fn between(origin: Cell, destination: Cell) -> Option<Value> {
    let (_, destination) = both(origin, destination)?;
    origin.find(|origin| origin.edge(destination))
}

pub fn is_valid(value: Value) -> Option<bool> {
    (!value.is_null()).then(|| Edge::read(&value).0.is_some())
}

pub fn origin(edge: Edge) -> Option<Value> {
    edge.find(|edge| Some(edge.origin()))
}

pub fn destination(edge: Edge) -> Option<Value> {
    edge.find(|edge| Some(edge.destination()))
}

pub fn length(edge: Edge, unit: Length) -> Result<Output> {
    edge.map(|edge| match unit.0 {
        Unit::Radians => edge.length_rads(),
        Unit::Kilometres => edge.length_km(),
        Unit::Metres => edge.length_m(),
    })
}

pub fn is_valid_vertex(value: Value) -> Option<bool> {
    (!value.is_null()).then(|| Vertex::read(&value).0.is_some())
}

pub fn vertex_latitude(vertex: Vertex) -> Result<Output> {
    vertex.map(|vertex| LatLng::from(vertex).lat())
}

pub fn vertex_longitude(vertex: Vertex) -> Result<Output> {
    vertex.map(|vertex| LatLng::from(vertex).lng())
}
