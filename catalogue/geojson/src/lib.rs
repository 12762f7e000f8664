//! geojson: geometries in GeoJSON, in addition to R-Tree and geopoly, by the crates geojson and geo.
//!
//! An argument is a geometry, a feature or a collection of features, as text of RFC 7946; only its
//! geometries matter, and of these longitude and latitude. A result that is a geometry is GeoJSON too.
//! NULL gives NULL, as does what does not exist: the bounds of an empty geometry, an area that
//! overflows. What is not GeoJSON is an error, except for `geojson_type`, whose result is NULL.
//!
//! `docs/catalogue/geojson.md` lists the functions.

mod convert;
mod features;
mod geopoly;
mod measures;
mod relations;
mod shape;

use features::Features;
use sqlite_wasm_kit::ModuleKind::EponymousOnly;
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Arguments, Module, Output, Result, Scalar};

/// A function whose results depend on its arguments alone.
const fn scalar(
    name: &'static str,
    arguments: i8,
    call: fn(Arguments<'_>) -> Result<Output>,
) -> Scalar {
    Scalar::new(name, arguments, Stable, Innocuous, call)
}

const SCALARS: &[Scalar] = &[
    scalar("geojson_type", 1, |a| a.apply(shape::kind)),
    scalar("geojson_geometry", 1, |a| a.apply(shape::geometry)),
    scalar("geojson_is_valid", 1, |a| a.apply(relations::is_valid)),
    scalar("geojson_bbox", 1, |a| a.apply(measures::bounds_as_json)),
    scalar("geojson_min_x", 1, |a| a.apply(measures::min_x)),
    scalar("geojson_max_x", 1, |a| a.apply(measures::max_x)),
    scalar("geojson_min_y", 1, |a| a.apply(measures::min_y)),
    scalar("geojson_max_y", 1, |a| a.apply(measures::max_y)),
    scalar("geojson_area", 1, |a| a.apply(measures::area)),
    scalar("geojson_length", 1, |a| a.apply(measures::length)),
    scalar("geojson_distance", 2, |a| a.apply(measures::distance)),
    scalar("geojson_geodesic_area", 1, |a| a.apply(measures::geodesic_area)),
    scalar("geojson_geodesic_length", 1, |a| a.apply(measures::geodesic_length)),
    scalar("geojson_geodesic_distance", 2, |a| a.apply(measures::geodesic_distance)),
    scalar("geojson_centroid", 1, |a| a.apply(measures::centroid)),
    scalar("geojson_convex_hull", 1, |a| a.apply(measures::convex_hull)),
    scalar("geojson_simplify", 2, |a| a.apply(measures::simplify)),
    scalar("geojson_relate", 2, |a| a.apply(relations::matrix)),
    scalar("geojson_intersects", 2, |a| a.apply(relations::intersects)),
    scalar("geojson_contains", 2, |a| a.apply(relations::contains)),
    scalar("geojson_within", 2, |a| a.apply(relations::within)),
    scalar("geojson_to_geopoly", 1, |a| a.apply(geopoly::from_geojson)),
    scalar("geojson_from_geopoly", 1, |a| a.apply(geopoly::to_geojson)),
];

const MODULES: &[Module] = &[Module::new::<Features>("geojson_features", EponymousOnly, Innocuous)];

sqlite_wasm_kit::extension! {
    name: "geojson",
    description: "geometries in GeoJSON",
    scalars: SCALARS,
    modules: MODULES,
}

#[cfg(test)]
mod tests;
