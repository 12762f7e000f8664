//! Bounds, sizes and distances. On the plane in the units of the coordinates; geodesic ones in metres, on the
//! ellipsoid WGS84.

use geo::{
    Area, BoundingRect, Centroid, ConvexHull, Distance, Euclidean, Geodesic as OnEllipsoid,
    GeodesicArea, Geometry, HasDimensions, Length, LineString, Point, Polygon, Rect, Simplify,
};
use sqlite_wasm_kit::{Result, Value};

use crate::shape::{Shape, write};

/// `None` if the computation overflowed.
fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

fn bounds(shape: &Shape) -> Option<Rect> {
    shape.0.bounding_rect()
}

pub fn min_x(shape: Shape) -> Option<f64> {
    bounds(&shape).map(|bounds| bounds.min().x)
}

pub fn max_x(shape: Shape) -> Option<f64> {
    bounds(&shape).map(|bounds| bounds.max().x)
}

pub fn min_y(shape: Shape) -> Option<f64> {
    bounds(&shape).map(|bounds| bounds.min().y)
}

pub fn max_y(shape: Shape) -> Option<f64> {
    bounds(&shape).map(|bounds| bounds.max().y)
}

/// West, south, east, north, as the member `bbox` has them.
pub fn bounds_as_json(shape: Shape) -> Option<String> {
    let bounds = bounds(&shape)?;
    let (min, max) = (bounds.min(), bounds.max());
    Some(serde_json::json!([min.x, min.y, max.x, max.y]).to_string())
}

pub fn area(shape: Shape) -> Option<f64> {
    finite(shape.0.unsigned_area())
}

/// Of lines, and of the outlines of areas.
pub fn length(shape: Shape) -> Option<f64> {
    finite(total(&shape.0, &|line| Euclidean.length(line)))
}

pub fn geodesic_length(shape: Shape) -> Option<f64> {
    finite(total(&shape.0, &|line| OnEllipsoid.length(line)))
}

pub fn geodesic_area(shape: Shape) -> Option<f64> {
    // Of each ring alone, whose direction does not matter then.
    let ring =
        |ring: &LineString| Polygon::new(ring.clone(), Vec::new()).geodesic_area_signed().abs();
    finite(of_polygons(&shape.0, &|polygon| {
        ring(polygon.exterior()) - polygon.interiors().iter().map(ring).sum::<f64>()
    }))
}

/// The sum over all polygons.
fn of_polygons(geometry: &Geometry, size: &dyn Fn(&Polygon) -> f64) -> f64 {
    match geometry {
        Geometry::Polygon(polygon) => size(polygon),
        Geometry::MultiPolygon(all) => all.iter().map(size).sum(),
        Geometry::GeometryCollection(all) => all.iter().map(|one| of_polygons(one, size)).sum(),
        _ => 0.0,
    }
}

/// The sum over all lines and rings.
fn total(geometry: &Geometry, size: &dyn Fn(&LineString) -> f64) -> f64 {
    match geometry {
        Geometry::LineString(line) => size(line),
        Geometry::MultiLineString(all) => all.iter().map(size).sum(),
        Geometry::GeometryCollection(all) => all.iter().map(|one| total(one, size)).sum(),
        _ => of_polygons(geometry, &|polygon| {
            size(polygon.exterior()) + polygon.interiors().iter().map(size).sum::<f64>()
        }),
    }
}

/// None if one is empty.
pub fn distance(one: Shape, other: Shape) -> Option<f64> {
    let is_empty = one.0.is_empty() || other.0.is_empty();
    finite(Euclidean.distance(&one.0, &other.0)).filter(|_| !is_empty)
}

pub fn geodesic_distance(one: Shape, other: Shape) -> Result<Option<f64>> {
    let (Geometry::Point(one), Geometry::Point(other)) = (one.0, other.0) else {
        return Err("geojson_geodesic_distance: both arguments must be points".into());
    };
    Ok(finite(OnEllipsoid.distance(one, other)))
}

pub fn centroid(shape: Shape) -> Option<String> {
    let centroid = shape.0.centroid().filter(|it| it.x().is_finite() && it.y().is_finite())?;
    Some(write(&centroid.into()))
}

/// None of an empty geometry. Of points in a line it is a line, and of one a point.
pub fn convex_hull(shape: Shape) -> Option<String> {
    let hull = shape.0.convex_hull();
    let shown = match *hull.exterior().0 {
        [] => return None,
        [first] => Point(first).into(),
        [first, second, ..] if first == second => Point(first).into(),
        [first, second] | [first, second, _] => LineString(vec![first, second]).into(),
        _ => hull.into(),
    };
    Some(write(&shown))
}

/// Without the points of lines and outlines that are nearer to it than this.
pub fn simplify(shape: Shape, tolerance: Value) -> Result<String> {
    let tolerance = tolerance.to_real();
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        return Err("geojson_simplify: the tolerance must be 0 or more".into());
    }
    Ok(write(&simplified(shape.0, tolerance)))
}

fn simplified(geometry: Geometry, tolerance: f64) -> Geometry {
    match geometry {
        Geometry::LineString(line) => line.simplify(tolerance).into(),
        Geometry::MultiLineString(lines) => lines.simplify(tolerance).into(),
        Geometry::Polygon(polygon) => polygon.simplify(tolerance).into(),
        Geometry::MultiPolygon(polygons) => polygons.simplify(tolerance).into(),
        Geometry::GeometryCollection(all) => {
            let all = all.into_iter().map(|one| simplified(one, tolerance));
            Geometry::GeometryCollection(all.collect())
        }
        other => other,
    }
}
