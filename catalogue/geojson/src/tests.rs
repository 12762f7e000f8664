//! The extension as SQLite calls it; its values are compared with GEOS's in `tests/parity`.

use super::*;
use sqlite_wasm_kit::table::{
    Argument, Connection, Operator, Plan, Planned, constraint, index_info,
};
use sqlite_wasm_kit::table::{ConnectMode, Scan, scan};
use sqlite_wasm_kit::{Table, Value};

const SQUARE: &str = r#"{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]]]}"#;
const DONUT: &str = r#"{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[2,1],[2,2],[1,2],[1,1]]]}"#;

fn call(name: &str, arguments: &[&str]) -> Result<Value> {
    let scalar = SCALARS.iter().find(|scalar| scalar.fits(name, arguments.len()));
    let arguments = arguments.iter().map(|text| Value::text(*text)).collect();
    scalar.expect("it is in the list").call(arguments)
}

fn connection() -> Connection {
    Connection {
        mode: ConnectMode::Connect,
        schema: "main".into(),
        name: "geojson_features".into(),
        arguments: Vec::new(),
    }
}

fn features(json: &str) -> Result<Vec<Vec<Value>>> {
    let (mut table, _) = Features::connect(connection())?;
    let arguments = vec![Argument::One(Value::text(json))];
    let rows = scan(&mut table, Scan { number: 0, text: None, arguments }, (0..7).collect())?;
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

#[test]
fn sizes_are_those_of_the_plane() {
    assert_eq!(call("geojson_area", &[SQUARE]), Ok(Value::Real(16.0)));
    assert_eq!(call("geojson_area", &[DONUT]), Ok(Value::Real(15.0)));
    assert_eq!(call("geojson_length", &[DONUT]), Ok(Value::Real(20.0)));
    assert_eq!(call("geojson_bbox", &[SQUARE]), Ok(Value::text("[0.0,0.0,4.0,4.0]")));
    let point = r#"{"type":"Point","coordinates":[7,8,9]}"#;
    assert_eq!(call("geojson_distance", &[SQUARE, point]), Ok(Value::Real(5.0)));
    let centroid = r#"{"type":"Point","coordinates":[2.0,2.0]}"#;
    assert_eq!(call("geojson_centroid", &[SQUARE]), Ok(Value::text(centroid)));
    assert_eq!(call("geojson_contains", &[SQUARE, centroid]), Ok(Value::Integer(1)));
    assert_eq!(call("geojson_relate", &[DONUT, SQUARE]), Ok(Value::text("2FF11F2F2")));
}

#[test]
fn the_direction_of_a_ring_does_not_matter() {
    let other = r#"{"type":"Polygon","coordinates":[[[0,0],[0,4],[4,4],[4,0],[0,0]]]}"#;
    for name in ["geojson_area", "geojson_geodesic_area"] {
        let (one, other) = (call(name, &[SQUARE]).unwrap(), call(name, &[other]).unwrap());
        assert!((one.to_real() / other.to_real() - 1.0).abs() < 1e-12, "{name}");
    }
}

#[test]
fn features_count_as_their_geometries() {
    let feature = format!(r#"{{"type":"Feature","properties":null,"geometry":{SQUARE}}}"#);
    let none = r#"{"type":"Feature","properties":{},"geometry":null}"#;
    let all = format!(r#"{{"type":"FeatureCollection","features":[{feature},{none},{feature}]}}"#);
    assert_eq!(call("geojson_area", &[&all]), Ok(Value::Real(32.0)));
    assert_eq!(call("geojson_type", &[&all]), Ok(Value::text("FeatureCollection")));
    for name in ["geojson_bbox", "geojson_min_x", "geojson_centroid", "geojson_convex_hull"] {
        assert_eq!(call(name, &[none]), Ok(Value::Null), "{name}");
    }
    for name in ["geojson_distance", "geojson_relate", "geojson_intersects"] {
        assert_eq!(call(name, &[none, SQUARE]), Ok(Value::Null), "{name}");
    }
}

#[test]
fn hulls_may_be_lines_and_points() {
    for (points, hull) in [
        ("[[1,1],[1,1]]", r#"{"type":"Point","coordinates":[1.0,1.0]}"#),
        ("[[0,0],[2,2],[1,1]]", r#"{"type":"LineString","coordinates":[[0.0,0.0],[2.0,2.0]]}"#),
    ] {
        let points = format!(r#"{{"type":"MultiPoint","coordinates":{points}}}"#);
        let found = call("geojson_convex_hull", &[&points]).unwrap();
        let found = call("geojson_length", &[&String::from_utf8(found.into_bytes()).unwrap()]);
        assert_eq!(found, call("geojson_length", &[hull]), "{points}");
    }
}

#[test]
fn what_is_not_geojson_is_refused() {
    let nested = format!(
        r#"{}{SQUARE}{}"#,
        r#"{"type":"GeometryCollection","geometries":["#.repeat(10_000),
        "]}".repeat(10_000)
    );
    for json in [
        "",
        "1",
        "null",
        "[]",
        "{}",
        r#"{"type":"Point"}"#,
        r#"{"type":"Point","coordinates":[]}"#,
        r#"{"type":"Point","coordinates":[1]}"#,
        r#"{"type":"Point","coordinates":["1","2"]}"#,
        r#"{"type":"Point","coordinates":[1e999,2]}"#,
        r#"{"type":"Point","coordinates":[1,-2e150]}"#,
        r#"{"type":"Polygon","coordinates":[[1,2]]}"#,
        r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,0]]]}"#,
        r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}"#,
        r#"{"type":"LineString","coordinates":[[1,1]]}"#,
        r#"{"type":"Feature","geometry":1,"properties":null}"#,
        r#"{"type":"FeatureCollection","features":[1]}"#,
        r#"{"type":"Other","coordinates":[1,2]}"#,
        &nested,
    ] {
        assert_eq!(call("geojson_type", &[json]), Ok(Value::Null), "{json:.80}");
        let error = call("geojson_area", &[json]).unwrap_err().message;
        assert!(error.contains("must be GeoJSON"), "{json:.80}: {error}");
    }
}

/// No function fails otherwise than by an error, whatever the coordinates are.
#[test]
fn odd_geometries_end_no_function() {
    let shapes = [
        r#"{"type":"Polygon","coordinates":[]}"#,
        r#"{"type":"Polygon","coordinates":[[]]}"#,
        r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,1],[0,0]]]}"#,
        r#"{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#,
        r#"{"type":"Polygon","coordinates":[[],[[0,0],[1,0],[1,1],[0,0]]]}"#,
        r#"{"type":"Polygon","coordinates":[[[0,0],[1e150,0],[1e150,1e150],[-1e150,1e150],[0,0]]]}"#,
        r#"{"type":"Polygon","coordinates":[[[0,0],[1e-320,0],[1e-320,1e-320],[0,0]]]}"#,
        r#"{"type":"MultiPolygon","coordinates":[[[[0,0],[4,0],[4,4],[0,0]]],[[[1,1],[9,1],[9,9],[1,1]]]]}"#,
        r#"{"type":"MultiPolygon","coordinates":[]}"#,
        r#"{"type":"LineString","coordinates":[]}"#,
        r#"{"type":"LineString","coordinates":[[1,1],[1,1]]}"#,
        r#"{"type":"LineString","coordinates":[[-1e150,0],[1e150,1e150],[1e150,-1e150]]}"#,
        r#"{"type":"MultiLineString","coordinates":[[[0,0],[2,2]],[[0,2],[2,0]],[]]}"#,
        r#"{"type":"MultiPoint","coordinates":[]}"#,
        r#"{"type":"MultiPoint","coordinates":[[1,1],[1,1]]}"#,
        r#"{"type":"Point","coordinates":[1e150,-1e150]}"#,
        r#"{"type":"Point","coordinates":[720,95]}"#,
        r#"{"type":"GeometryCollection","geometries":[]}"#,
        SQUARE,
        DONUT,
    ];
    let collection =
        format!(r#"{{"type":"GeometryCollection","geometries":[{}]}}"#, shapes.join(","));
    for shape in shapes.iter().copied().chain([collection.as_str()]) {
        for scalar in SCALARS {
            let _ = scalar.call(vec![Value::text(shape)]);
        }
        for other in shapes {
            for scalar in SCALARS {
                let _ = scalar.call(vec![Value::text(shape), Value::text(other)]);
                let _ = scalar.call(vec![Value::text(shape), Value::Real(0.5)]);
            }
        }
    }
}

#[test]
fn geopolys_are_rings() {
    let ring = "[[0.0,0.0],[4.0,0.0],[4.0,4.0],[0.0,4.0],[0.0,0.0]]";
    assert_eq!(call("geojson_to_geopoly", &[SQUARE]), Ok(Value::text(ring)));
    let polygon = format!(r#"{{"type":"Polygon","coordinates":[{ring}]}}"#);
    assert_eq!(call("geojson_from_geopoly", &[ring]), Ok(Value::text(polygon)));
    assert!(call("geojson_to_geopoly", &[DONUT]).is_err());
    for wrong in ["", "[]", "[[1,2]]", "[[1,2,3],[1,2,3],[1,2,3],[1,2,3]]", r#"{"a":1}"#] {
        assert!(call("geojson_from_geopoly", &[wrong]).is_err(), "{wrong}");
    }
}

#[test]
fn features_are_rows() {
    let json = r#"{"type":"FeatureCollection","features":[
        {"type":"Feature","id":7,"geometry":{"type":"LineString","coordinates":[[3,4],[1,2]]},"properties":{"b":1, "a":12345678901234567890}},
        {"type":"Feature","id":"x","geometry":null,"properties":null}]}"#;
    let rows = features(json).unwrap();
    let bounds = [1.0, 3.0, 2.0, 4.0].map(Value::Real);
    assert_eq!(rows[0][0], Value::Integer(7));
    assert_eq!(rows[0][2], Value::text(r#"{"b":1, "a":12345678901234567890}"#));
    assert_eq!(rows[0][3..], bounds);
    assert_eq!(rows[1], [&[Value::text("x")][..], &vec![Value::Null; 6]].concat());
    assert_eq!(features(SQUARE).unwrap()[0][1], Value::text(SQUARE));
    assert_eq!(features(r#"{"type":"FeatureCollection"}"#).unwrap(), Vec::<Vec<Value>>::new());
    for wrong in ["", "1", r#"{"type":"FeatureCollection","features":1}"#, r#"{"type":"Point"}"#] {
        let error = features(wrong).unwrap_err().message;
        assert!(
            error.starts_with("geojson_features: ") && !error.contains('\n'),
            "{wrong}: {error}"
        );
    }
}

#[test]
fn the_argument_is_needed() {
    let (mut table, _) = Features::connect(connection()).unwrap();
    let info = index_info(vec![], vec![]);
    let error = table.best_index(&info, &mut Plan::new(&info)).unwrap_err();
    assert_eq!(error.message, "geojson_features: the argument is missing");
    let mut later = constraint(7, Operator::Equal, None);
    later.usable = false;
    let info = index_info(vec![later], vec![]);
    assert_eq!(table.best_index(&info, &mut Plan::new(&info)), Ok(Planned::No));
}
