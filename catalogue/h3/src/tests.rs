//! The extension as SQLite calls it; its values are compared with the C library's in `tests/parity`.

use crate::tables::{Children, Compacted, Disk, Filled, Found, List, Path, Uncompacted};
use crate::{SCALARS, coordinates};
use sqlite_wasm_kit::table::{
    Argument, Operator, Plan, Planned, Scan, constraint, index_info, scan,
};
use sqlite_wasm_kit::{Arguments, Result, Table, Value};

const CELL: i64 = 0x8a1fb46622dffff;

fn call(name: &str, arguments: Vec<Value>) -> Result<Value> {
    let scalar = SCALARS.iter().find(|scalar| scalar.fits(name, arguments.len()));
    scalar.expect("it is in the list").call(arguments)
}

fn rows<L: List>(arguments: Vec<Value>) -> Result<Vec<Vec<Value>>> {
    let (mut table, _) = Found::<L>::connect(sqlite_wasm_kit::table::Connection {
        mode: sqlite_wasm_kit::table::ConnectMode::Connect,
        schema: "main".into(),
        name: L::NAME.into(),
        arguments: Vec::new(),
    })?;
    let arguments = arguments.into_iter().map(Argument::One).collect();
    let request = Scan { number: 0, text: None, arguments };
    let rows = scan(&mut table, request, vec![0, 1])?;
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

fn refused<L: List>(arguments: Vec<Value>) -> String {
    rows::<L>(arguments).expect_err("it is refused").message
}

#[test]
fn a_result_is_of_the_kind_of_the_argument() {
    let parent = call("h3_cell_to_parent", vec![Value::Integer(CELL), Value::Integer(5)]);
    let text = call("h3_cell_to_parent", vec![Value::text("8a1fb46622dffff"), Value::Integer(5)]);
    let same = call("h3_h3_to_string", vec![parent.unwrap()]);
    assert_eq!(text, same);
    assert_eq!(text, Ok(Value::text("851fb467fffffff")));
}

#[test]
fn what_is_no_cell_gives_null() {
    for value in [
        Value::Null,
        Value::Integer(0),
        Value::Integer(-1),
        Value::Real(0.5),
        Value::text(""),
        Value::text("+8a1fb46622dffff"),
        Value::text("x"),
        Value::Text(vec![0xff]),
        Value::Blob(vec![0; 8]),
    ] {
        assert_eq!(call("h3_get_resolution", vec![value.clone()]), Ok(Value::Null));
        assert_eq!(rows::<Children>(vec![value, Value::Integer(3)]), Ok(vec![]));
    }
    let other =
        call("h3_grid_distance", vec![Value::Integer(CELL), Value::text("851fb467fffffff")]);
    assert_eq!(other, Ok(Value::Null));
}

#[test]
fn arguments_out_of_range_are_named() {
    let error = |name, arguments| call(name, arguments).expect_err("it is refused").message;
    assert_eq!(
        error("h3_cell_to_parent", vec![Value::Integer(CELL), Value::Integer(16)]),
        "h3_cell_to_parent: argument 2 must be a resolution, 0 to 15"
    );
    assert_eq!(
        error("h3_cell_area", vec![Value::Integer(CELL), Value::text("acre")]),
        "h3_cell_area: argument 2 must be `km^2`, `m^2` or `rads^2`"
    );
    let far = vec![Value::Real(f64::INFINITY), Value::Real(0.0), Value::Integer(1)];
    assert_eq!(
        error("h3_latlng_to_cell", far),
        "h3_latlng_to_cell: coordinates must be finite numbers"
    );
    let mut points = vec![Value::Real(0.0); 4];
    points.push(Value::text("km"));
    points[2] = Value::Real(f64::NEG_INFINITY);
    let points = Arguments::of(&mut points);
    assert!(coordinates::distance(points).is_err());
}

#[test]
fn disks_and_polygons_have_a_limit() {
    let disk = rows::<Disk>(vec![Value::Integer(CELL), Value::Integer(1)]).unwrap();
    assert_eq!(disk.len(), 7);
    assert_eq!(disk[0], [Value::Integer(CELL), Value::Integer(0)]);
    for k in [700, 14_000_000, i64::from(u32::MAX)] {
        let message = refused::<Disk>(vec![Value::Integer(CELL), Value::Integer(k)]);
        assert!(message.ends_with("cells; 1048576 are allowed"), "{message}");
    }
    assert!(rows::<Disk>(vec![Value::Integer(CELL), Value::Integer(-1)]).is_err());
    let world =
        r#"[[[-179, -80], [0, -80], [179, -80], [179, 80], [0, 80], [-179, 80], [-179, -80]]]"#;
    let thin = "[[[-179, 0], [0, 0.0000001], [179, 0], [-179, 0]]]";
    let far = "[[[1e308, 0], [0, 1e308], [-1e308, 0], [1e308, 0]]]";
    for polygon in [world, thin, far] {
        let message = refused::<Filled>(vec![Value::text(polygon), Value::Integer(15)]);
        assert!(message.ends_with("are allowed"), "{message}");
    }
    let across = "[[[179.9, -17], [-179.9, -17], [-179.9, -16.9], [179.9, -16.9], [179.9, -17]]]";
    let cells = rows::<Filled>(vec![Value::text(across), Value::Integer(9)]).unwrap();
    assert!((1500..3000).contains(&cells.len()), "{}", cells.len());
}

#[test]
fn children_are_computed_row_by_row() {
    // There are 4.7 × 10¹² of them.
    let world = Children::list(vec![Value::Integer(0x8001fffffffffff), Value::Integer(15)]);
    let world = world.unwrap().expect("it is a cell");
    assert_eq!(world.rows.take(3).count(), 3);
}

#[test]
fn lists_are_checked() {
    let refused = |json: &str| refused::<Compacted>(vec![Value::text(json)]);
    assert_eq!(refused("[1]"), "h3_compact_cells: element 0 is not a cell");
    assert_eq!(refused("[null]"), "h3_compact_cells: element 0 is not a cell");
    assert!(refused("{}").starts_with("h3_compact_cells: the array is not JSON"));
    assert!(refused(&format!("[{CELL}, {CELL}]")).starts_with("h3_compact_cells: "));
    assert!(refused(&"[".repeat(1_000_000)).starts_with("h3_compact_cells: the array"));
    assert_eq!(rows::<Compacted>(vec![Value::text("[]")]), Ok(vec![]));
    let coarse = vec![Value::text(format!("[{CELL}]")), Value::Integer(3)];
    assert!(rows::<Uncompacted>(coarse).is_err());
}

#[test]
fn polygons_are_checked() {
    let shapes = [
        "",
        "1",
        "null",
        "[]",
        "[[]]",
        "[[[1]]]",
        r#"[[["a", 1]]]"#,
        r#"{"type": "Point", "coordinates": [1, 2]}"#,
        r#"{"type": "Polygon"}"#,
        r#"{"type": "MultiPolygon", "coordinates": [1]}"#,
        r#"{"type": "Feature", "geometry": null}"#,
        "[[[1, 2]]]",
        "[[[0, 0], [1e300, 0], [0, 1e300], [0, 0]]]",
        "[[[0, 0], [1, 1]]]",
    ];
    for shape in shapes {
        let found = rows::<Filled>(vec![Value::text(shape), Value::Integer(3)]);
        let is_empty = found.as_ref().is_ok_and(Vec::is_empty);
        assert!(is_empty || found.is_err_and(|error| !error.message.contains('\n')), "{shape}");
    }
    let square = "[[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]]";
    let feature = format!(
        r#"{{"type": "Feature", "geometry": {{"type": "Polygon", "coordinates": {square}}}}}"#
    );
    let cells = |shape: &str| {
        let rows = rows::<Filled>(vec![Value::text(shape), Value::Integer(3)]).unwrap();
        rows.into_iter().map(|row| row[0].to_integer()).collect::<Vec<_>>()
    };
    assert!(cells(square).len() > 50);
    assert_eq!(cells(&feature), cells(square));
}

#[test]
fn a_missing_argument_is_named_and_an_unknown_one_makes_another_plan() {
    let (mut table, _) = Found::<Path>::connect(sqlite_wasm_kit::table::Connection {
        mode: sqlite_wasm_kit::table::ConnectMode::Connect,
        schema: "main".into(),
        name: "p".into(),
        arguments: Vec::new(),
    })
    .unwrap();
    let origin = constraint(1, Operator::Equal, None);
    let info = index_info(vec![origin.clone()], vec![]);
    let error = table.best_index(&info, &mut Plan::new(&info)).unwrap_err();
    assert_eq!(error.message, "h3_grid_path_cells: the argument `destination` is missing");
    let mut later = constraint(2, Operator::Equal, None);
    later.usable = false;
    let info = index_info(vec![origin, later], vec![]);
    assert_eq!(table.best_index(&info, &mut Plan::new(&info)), Ok(Planned::No));
}
