//! The table of the features in a text.

use serde::Deserialize;
use serde_json::value::RawValue;
use sqlite_wasm_kit::table::{Check, Connection, IndexInfo, Operator, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Error, FromValue, Result, Table, Value, code};

use geo::{BoundingRect, Rect};

use crate::shape::Shape;

const SCHEMA: &str =
    "CREATE TABLE x(id, geometry TEXT, properties TEXT, min_x, max_x, min_y, max_y, json HIDDEN)";
const ID: u32 = 0;
const GEOMETRY: u32 = 1;
const PROPERTIES: u32 = 2;
/// The first of the four columns of bounds, in the order of an R-Tree.
const BOUNDS: u32 = 3;
const JSON: u32 = 7;

/// A feature, with its members as they are in the text.
#[derive(Deserialize)]
struct Feature {
    id: Option<Box<RawValue>>,
    geometry: Option<Box<RawValue>>,
    properties: Option<Box<RawValue>>,
}

/// What a text can be; a geometry is the whole text.
#[derive(Deserialize)]
struct Document {
    r#type: String,
    features: Option<Vec<Feature>>,
}

/// The table-valued function `geojson_features(JSON)`.
pub struct Features;

impl Table for Features {
    type Cursor = Rows;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Ok((Self, SCHEMA.into()))
    }

    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        let mut equal = info.constraints.iter().enumerate().filter(|(_, constraint)| {
            constraint.column == JSON as i32 && matches!(constraint.operator, Operator::Equal)
        });
        let Some((first, _)) = equal.clone().next() else {
            return Err("geojson_features: the argument is missing".into());
        };
        match equal.find(|(_, constraint)| constraint.usable) {
            // SQLite checks any other one.
            Some((usable, _)) if usable == first => plan.take(usable, Check::Omit),
            Some((usable, _)) => plan.take(usable, Check::Again),
            None => return Ok(Planned::No),
        };
        (plan.cost, plan.rows) = (1000.0, 1000);
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<Rows> {
        Ok(Rows { json: Value::Null, features: Vec::new().into_iter(), row_id: 0 })
    }
}

/// A scan.
pub struct Rows {
    json: Value,
    features: std::vec::IntoIter<Feature>,
    row_id: i64,
}

fn wrong(what: &str) -> Error {
    Error::new(code::ERROR, format!("geojson_features: {what}"))
}

fn read(json: &[u8]) -> Result<Vec<Feature>> {
    let parse = || -> serde_json::Result<Vec<Feature>> {
        let document: Document = serde_json::from_slice(json)?;
        Ok(match (document.r#type.as_str(), document.features) {
            ("FeatureCollection", features) => features.unwrap_or_default(),
            ("Feature", _) => vec![serde_json::from_slice(json)?],
            _ => {
                let geometry = Some(serde_json::from_slice(json)?);
                vec![Feature { id: None, geometry, properties: None }]
            }
        })
    };
    parse().map_err(|error| wrong(&format!("it is not GeoJSON: {error}")))
}

/// A member as SQL's JSON functions return it: texts and numbers as such, all else as JSON.
fn plain(member: &RawValue) -> Value {
    match serde_json::from_str(member.get()) {
        Ok(serde_json::Value::String(text)) => Value::text(text),
        Ok(serde_json::Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Value::Integer(integer),
            (None, Some(real)) => Value::Real(real),
            _ => Value::Null,
        },
        _ => Value::text(member.get()),
    }
}

fn bounds(feature: &Feature) -> Result<Option<Rect>> {
    let Some(geometry) = &feature.geometry else { return Ok(None) };
    let shape = Shape::from_value(Value::text(geometry.get()));
    let shape = shape.map_err(|_| wrong("the geometry of a feature is not GeoJSON"))?;
    Ok(shape.0.bounding_rect())
}

impl Cursor for Rows {
    type Table = Features;

    fn filter(&mut self, _: &mut Features, mut scan: Scan) -> Result<()> {
        (self.features, self.row_id) = (Vec::new().into_iter(), 0);
        if scan.has_null() {
            return Ok(());
        }
        self.json = scan.take(0);
        self.features = read(&self.json.clone().into_bytes())?.into_iter();
        Ok(())
    }

    fn next(&mut self, _: &mut Features, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(feature) = self.features.next() else {
            return Ok(None);
        };
        if let Some(id) = &feature.id {
            row.set(ID, plain(id));
        }
        for (column, member) in [(GEOMETRY, &feature.geometry), (PROPERTIES, &feature.properties)] {
            if let Some(member) = member {
                row.set(column, member.get());
            }
        }
        if (BOUNDS..JSON).any(|column| row.wants(column))
            && let Some(bounds) = bounds(&feature)?
        {
            let (min, max) = (bounds.min(), bounds.max());
            for (column, bound) in (BOUNDS..).zip([min.x, max.x, min.y, max.y]) {
                row.set(column, bound);
            }
        }
        if row.wants(JSON) {
            row.set(JSON, self.json.clone());
        }
        self.row_id += 1;
        Ok(Some(self.row_id))
    }
}
