//! Polygons in GeoJSON, and the cells whose centres are in them.

use crate::tables::{MAX_CELLS, check_count};
use geo::{Coord, LineString, Polygon};
use h3o::geom::{ContainmentMode, TilerBuilder};
use h3o::{CellIndex, Resolution};
use serde_json::Value;
use sqlite_wasm_kit::Result;

/// A geometry `Polygon` or `MultiPolygon`, a feature that has one, or the coordinates of a polygon.
///
/// `serde_json` refuses what is nested more than 128 deep.
pub fn read(json: &str) -> Result<Vec<Polygon>> {
    let value: Value =
        serde_json::from_str(json).map_err(|error| format!("the polygon is not JSON: {error}"))?;
    let geometry = match value.get("geometry") {
        Some(geometry) if value["type"] == "Feature" => geometry,
        _ => &value,
    };
    let polygons = match (geometry, geometry["type"].as_str()) {
        (Value::Array(_), _) => polygon(geometry).map(|it| vec![it]),
        (_, Some("Polygon")) => polygon(&geometry["coordinates"]).map(|it| vec![it]),
        (_, Some("MultiPolygon")) => {
            let parts = geometry["coordinates"].as_array();
            parts.and_then(|parts| parts.iter().map(polygon).collect())
        }
        _ => None,
    };
    polygons.ok_or_else(|| {
        "the polygon must be a Polygon or MultiPolygon of GeoJSON, or a Feature of one".into()
    })
}

fn polygon(rings: &Value) -> Option<Polygon> {
    let mut rings = rings.as_array()?.iter().map(ring);
    let exterior = rings.next()??;
    Some(Polygon::new(exterior, rings.collect::<Option<_>>()?))
}

fn ring(points: &Value) -> Option<LineString> {
    points.as_array()?.iter().map(point).collect()
}

fn point(point: &Value) -> Option<Coord> {
    let point = point.as_array()?;
    Some(Coord { x: point.first()?.as_f64()?, y: point.get(1)?.as_f64()? })
}

/// An error for polygons of too many cells, before any is looked for: h3o's own estimate overflows in
/// 32 bits, and outlines that are as long as the globe take minutes.
fn check_size(polygons: &[Polygon], resolution: Resolution) -> Result<()> {
    let outline: f64 = polygons
        .iter()
        .flat_map(|polygon| std::iter::once(polygon.exterior()).chain(polygon.interiors()))
        .flat_map(LineString::lines)
        .map(|line| around(line.dx()).hypot(line.dy()).to_radians())
        .sum();
    let area: f64 = polygons.iter().map(|polygon| area(polygon.exterior())).sum();
    let count = outline / resolution.edge_length_rads() + area / resolution.area_rads2();
    // NaN and infinity are too many as well.
    check_count(if count.is_finite() { count as u64 } else { u64::MAX })
}

/// A difference of longitudes, the shorter way round the globe.
fn around(degrees: f64) -> f64 {
    if degrees.abs() > 180.0 { degrees - 360.0 * degrees.signum() } else { degrees }
}

/// On the sphere, in square radians; edges are straight on the map of equal areas.
fn area(ring: &LineString) -> f64 {
    let height = |point: Coord| point.y.to_radians().sin();
    let strip = |line: geo::Line| {
        around(line.dx()).to_radians() * (height(line.start) + height(line.end)) / 2.0
    };
    ring.lines().map(strip).sum::<f64>().abs()
}

/// The cells whose centres are in the polygons, each once, in their order.
pub fn cells(polygons: Vec<Polygon>, resolution: Resolution) -> Result<Vec<CellIndex>> {
    check_size(&polygons, resolution)?;
    let mut tiler =
        TilerBuilder::new(resolution).containment_mode(ContainmentMode::ContainsCentroid).build();
    tiler.add_batch(polygons).map_err(|error| error.to_string())?;
    let mut cells: Vec<CellIndex> = tiler.into_coverage().take(MAX_CELLS as usize + 1).collect();
    check_count(cells.len() as u64)?;
    cells.sort_unstable();
    cells.dedup();
    Ok(cells)
}
