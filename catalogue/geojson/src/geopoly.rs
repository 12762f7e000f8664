//! Polygons of geopoly, which are one ring, as the JSON array that its functions take and
//! `geopoly_json` returns.

use geo::{Coord, Geometry, LineString, Polygon};
use sqlite_wasm_kit::{FromValue, Result, Value};

use crate::convert::positions;
use crate::shape::{Shape, write};

/// The ring of a geopoly.
pub struct Ring(LineString);

impl FromValue for Ring {
    fn from_value(value: Value) -> Result<Self, &'static str> {
        let points: Option<Vec<[f64; 2]>> = serde_json::from_slice(&value.into_bytes()).ok();
        let points = points.filter(|points| points.len() >= 4).ok_or("a JSON array of points")?;
        Ok(Self(points.into_iter().map(|[x, y]| Coord { x, y }).collect()))
    }
}

/// As a polygon.
pub fn to_geojson(ring: Ring) -> String {
    write(&Polygon::new(ring.0, Vec::new()).into())
}

/// The outline of a polygon; geopoly has no holes, and one polygon.
pub fn from_geojson(shape: Shape) -> Result<String> {
    let Geometry::Polygon(polygon) = &shape.0 else {
        return Err("geojson_to_geopoly: it is not one polygon".into());
    };
    if !polygon.interiors().is_empty() {
        return Err("geojson_to_geopoly: geopoly has no holes".into());
    }
    let ring = positions(polygon.exterior());
    Ok(serde_json::to_string(&ring).map_err(|error| error.to_string())?)
}
