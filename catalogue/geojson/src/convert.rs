//! Geometries of the crate geojson and of the crate geo.

use format::{GeometryValue, Position};
use geo::{
    Coord, Geometry, GeometryCollection, HasDimensions, LineString, MultiLineString, MultiPoint,
    MultiPolygon, Point, Polygon,
};

/// Beyond it the products of coordinates overflow, and geo panics.
const MAX_COORDINATE: f64 = 1e150;

/// The geometry in two dimensions, without empty parts. `None` for lines of one position, and for rings
/// that are not closed or have fewer than four, which RFC 7946 does not allow.
pub fn to_geo(value: GeometryValue) -> Option<Geometry> {
    use GeometryValue as From;
    Some(match value {
        From::Point { coordinates } => Point(coord(&coordinates)?).into(),
        From::MultiPoint { coordinates } => {
            let points = coordinates.iter().map(|one| coord(one).map(Point));
            MultiPoint(points.collect::<Option<_>>()?).into()
        }
        From::LineString { coordinates } => line(&coordinates)?.into(),
        From::MultiLineString { coordinates } => {
            MultiLineString(all(&coordinates, |one| line(one))?).into()
        }
        From::Polygon { coordinates } => polygon(&coordinates)?.into(),
        From::MultiPolygon { coordinates } => {
            MultiPolygon(all(&coordinates, |one| polygon(one))?).into()
        }
        From::GeometryCollection { geometries } => {
            collection(geometries.into_iter().map(|one| to_geo(one.value)))?
        }
    })
}

/// Those that are not empty.
pub fn collection(all: impl Iterator<Item = Option<Geometry>>) -> Option<Geometry> {
    let all = all.filter(|one| one.as_ref().is_none_or(|one| !one.is_empty()));
    all.collect::<Option<_>>().map(|all| Geometry::GeometryCollection(GeometryCollection(all)))
}

fn all<From, To: HasDimensions>(
    parts: &[From],
    convert: impl Fn(&From) -> Option<To>,
) -> Option<Vec<To>> {
    let parts = parts.iter().map(convert);
    parts.filter(|one| one.as_ref().is_none_or(|one| !one.is_empty())).collect()
}

/// The format refuses positions of fewer than two coordinates.
fn coord(position: &Position) -> Option<Coord> {
    let (x, y) = (position[0], position[1]);
    (x.abs() <= MAX_COORDINATE && y.abs() <= MAX_COORDINATE).then_some(Coord { x, y })
}

fn line(positions: &[Position]) -> Option<LineString> {
    if positions.len() == 1 {
        return None;
    }
    positions.iter().map(coord).collect()
}

fn ring(positions: &[Position]) -> Option<LineString> {
    let ring: LineString = positions.iter().map(coord).collect::<Option<_>>()?;
    (ring.0.is_empty() || ring.0.len() >= 4 && ring.is_closed()).then_some(ring)
}

/// Without any ring it is empty.
fn polygon(rings: &[Vec<Position>]) -> Option<Polygon> {
    let mut rings = all(rings, |one| ring(one))?.into_iter();
    Some(Polygon::new(rings.next().unwrap_or_else(|| LineString(Vec::new())), rings.collect()))
}

/// As a value of the format.
pub fn from_geo(geometry: &Geometry) -> GeometryValue {
    use GeometryValue as To;
    match geometry {
        Geometry::Point(point) => To::Point { coordinates: position(point.0) },
        Geometry::Line(line) => {
            To::LineString { coordinates: vec![position(line.start), position(line.end)] }
        }
        Geometry::MultiPoint(points) => {
            To::MultiPoint { coordinates: points.iter().map(|point| position(point.0)).collect() }
        }
        Geometry::LineString(line) => To::LineString { coordinates: positions(line) },
        Geometry::MultiLineString(lines) => {
            To::MultiLineString { coordinates: lines.iter().map(positions).collect() }
        }
        Geometry::Polygon(polygon) => To::Polygon { coordinates: rings(polygon) },
        Geometry::MultiPolygon(polygons) => {
            To::MultiPolygon { coordinates: polygons.iter().map(rings).collect() }
        }
        Geometry::GeometryCollection(all) => {
            let all = all.iter().map(|one| format::Geometry::new(from_geo(one)));
            To::GeometryCollection { geometries: all.collect() }
        }
        Geometry::Rect(rect) => To::Polygon { coordinates: rings(&rect.to_polygon()) },
        Geometry::Triangle(triangle) => To::Polygon { coordinates: rings(&triangle.to_polygon()) },
    }
}

fn position(coord: Coord) -> Position {
    [coord.x, coord.y].into()
}

pub fn positions(line: &LineString) -> Vec<Position> {
    line.coords().copied().map(position).collect()
}

fn rings(polygon: &Polygon) -> Vec<Vec<Position>> {
    if polygon.exterior().0.is_empty() {
        return Vec::new();
    }
    std::iter::once(polygon.exterior()).chain(polygon.interiors()).map(positions).collect()
}
