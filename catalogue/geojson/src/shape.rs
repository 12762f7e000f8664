//! Geometries, from GeoJSON and to it.

use format::GeoJson;
use geo::Geometry;
use sqlite_wasm_kit::{FromValue, Value};

use crate::convert::{collection, from_geo, to_geo};

/// A geometry of an argument; those of features are a collection.
pub struct Shape(pub Geometry);

impl FromValue for Shape {
    fn from_value(value: Value) -> Result<Self, &'static str> {
        read(&value.into_bytes()).map(|(geometry, _)| Self(geometry)).ok_or("GeoJSON")
    }
}

/// The geometry, and the member `type`. `serde_json` refuses nesting deeper than 128, and numbers
/// that are not finite.
fn read(json: &[u8]) -> Option<(Geometry, &'static str)> {
    // A feature without a geometry is empty.
    let of_feature = |feature: format::Feature| match feature.geometry {
        Some(geometry) => to_geo(geometry.value),
        None => collection(std::iter::empty()),
    };
    Some(match serde_json::from_slice(json).ok()? {
        GeoJson::Geometry(geometry) => {
            let kind = geometry.value.type_name();
            (to_geo(geometry.value)?, kind)
        }
        GeoJson::Feature(feature) => (of_feature(feature)?, "Feature"),
        GeoJson::FeatureCollection(all) => {
            (collection(all.features.into_iter().map(of_feature))?, "FeatureCollection")
        }
    })
}

/// The member `type`; `None` if the value is not GeoJSON.
pub fn kind(value: Value) -> Option<&'static str> {
    read(&value.into_bytes()).map(|(_, kind)| kind)
}

/// The geometry alone, in two dimensions.
pub fn geometry(shape: Shape) -> String {
    write(&shape.0)
}

/// As GeoJSON.
pub fn write(geometry: &Geometry) -> String {
    format::Geometry::new(from_geo(geometry)).to_string()
}
