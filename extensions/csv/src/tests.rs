//! The table as SQLite uses it, over files and over given data.

use std::fs;
use std::path::PathBuf;

use sqlite_wasm_kit::table::{ConnectMode, Connection, Scan, scan};
use sqlite_wasm_kit::{Result, Table, Value};

use crate::CsvTable;
use crate::rows::MAX_ROW_BYTES;

fn connect(arguments: &[&str]) -> Result<(CsvTable, String)> {
    CsvTable::connect(Connection {
        mode: ConnectMode::Create,
        schema: "temp".into(),
        name: "t".into(),
        arguments: arguments.iter().map(|&argument| argument.into()).collect(),
    })
}

fn declared(arguments: &[&str]) -> String {
    connect(arguments).unwrap().1
}

fn refused(arguments: &[&str]) -> String {
    connect(arguments).err().expect("it is refused").message
}

/// All rows, with `NULL` and `|` between the columns.
fn rows(arguments: &[&str]) -> Result<Vec<String>> {
    let (mut table, _) = connect(arguments)?;
    let columns = (0..table.columns as u32).collect();
    let rows = scan(&mut table, Scan::default(), columns)?;
    Ok(rows.into_iter().map(|(row_id, row)| format!("{row_id}:{}", shown(row))).collect())
}

fn shown(row: Vec<Value>) -> String {
    let field = |value| match value {
        Value::Null => "NULL".to_owned(),
        value => String::from_utf8_lossy(&value.into_bytes()).into_owned(),
    };
    row.into_iter().map(field).collect::<Vec<_>>().join("|")
}

fn of_data(content: &str) -> Vec<String> {
    let data = format!("data='{}'", content.replace('\'', "''"));
    rows(&[&data]).unwrap()
}

/// A file of this test alone.
struct TestFile(PathBuf);

impl TestFile {
    fn new(name: &str, content: &[u8]) -> Self {
        let name = format!("csv-extension-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, content).unwrap();
        Self(path)
    }

    fn parameter(&self) -> String {
        format!("filename='{}'", self.0.display())
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn columns_are_named_by_place_header_or_schema() {
    let data = "data='a,\"b \"\"q\"\"\"\n1,2\n'";
    assert_eq!(declared(&[data]), r#"CREATE TABLE x("c0" TEXT,"c1" TEXT)"#);
    assert_eq!(declared(&[data, "header=YES"]), r#"CREATE TABLE x("a" TEXT,"b ""q""" TEXT)"#);
    assert_eq!(declared(&[data, "columns=1"]), r#"CREATE TABLE x("c0" TEXT)"#);
    let wide = r#"CREATE TABLE x("a" TEXT,"b ""q""" TEXT,"c3" TEXT)"#;
    assert_eq!(declared(&[data, "header", "columns = 3"]), wide);
    let schema = "schema='CREATE TABLE y(a INT, b DEFAULT ''x'')'";
    assert_eq!(declared(&[data, schema]), "CREATE TABLE y(a INT, b DEFAULT 'x')");
    assert_eq!(declared(&["data=''"]), r#"CREATE TABLE x("c0" TEXT)"#);
}

#[test]
fn parameters_that_are_wrong_are_named_as_in_csv_c() {
    let both = "must specify either filename= or data= but not both";
    assert_eq!(refused(&[]), both);
    assert_eq!(refused(&["data='1'", "filename=x"]), both);
    assert_eq!(refused(&["data='1'", "data='2'"]), "more than one 'data' parameter");
    assert_eq!(refused(&["header", "header=no"]), "more than one 'header' parameter");
    assert_eq!(refused(&["header=maybe"]), "bad parameter: 'header=maybe'");
    assert_eq!(refused(&["colour=red"]), "bad parameter: 'colour=red'");
    assert_eq!(refused(&["columns=0"]), "column= value must be positive");
    assert_eq!(refused(&["columns=-3"]), "column= value must be positive");
    assert!(refused(&["columns=99999999"]).contains("at most 2000"));
}

#[test]
fn fields_are_those_of_rfc_4180() {
    assert_eq!(of_data("1,\"a,b\"\r\n2,\"say \"\"x\"\"\"\r\n"), ["1:1|a,b", "2:2|say \"x\""]);
    assert_eq!(of_data("\"two\r\nlines\",2\n"), ["1:two\r\nlines|2"]);
    assert_eq!(of_data("\u{feff}1,2\n3,4"), ["1:1|2", "2:3|4"]);
    assert_eq!(of_data("\u{feff}\"1\",2\n"), ["1:1|2"]);
    assert_eq!(of_data("1,,''\n,2,\n"), ["1:1||''", "2:|2|"]);
}

#[test]
fn rows_may_be_short_and_long() {
    assert_eq!(of_data("1,2\n3\n4,5,6\n7"), ["1:1|2", "2:3|NULL", "3:4|5", "4:7|NULL"]);
    let columns = rows(&["data='1,2,3\n4\n'", "columns=2"]).unwrap();
    assert_eq!(columns, ["1:1|2", "2:4|NULL"]);
}

#[test]
fn the_header_is_no_row() {
    assert_eq!(rows(&["data='a,b\n1,2\n'", "header=on"]).unwrap(), ["1:1|2"]);
    let schema = "schema='CREATE TABLE x(p,q)'";
    assert_eq!(rows(&["data='a,b\n1,2\n'", "header=1", schema]).unwrap(), ["1:1|2"]);
    assert_eq!(rows(&["data='a,b\n'", "header=true"]).unwrap(), [""; 0]);
}

#[test]
fn a_file_is_read_anew_by_each_scan() {
    let file = TestFile::new("anew.csv", b"1\n2\n");
    let (mut table, _) = connect(&[&file.parameter()]).unwrap();
    let count = |table: &mut CsvTable| scan(table, Scan::default(), vec![0]).map(|rows| rows.len());
    assert_eq!(count(&mut table), Ok(2));
    fs::write(&file.0, "1\n2\n3\n").unwrap();
    assert_eq!(count(&mut table), Ok(3));
    fs::remove_file(&file.0).unwrap();
    let error = count(&mut table).unwrap_err();
    assert!(error.message.starts_with("cannot open '"), "{error}");
}

#[test]
fn directories_and_devices_are_no_files() {
    let directory = format!("filename='{}'", std::env::temp_dir().display());
    assert!(refused(&[&directory]).ends_with("it is a directory"));
    assert!(refused(&["filename='/dev/zero'"]).ends_with("it is no ordinary file"));
}

#[test]
fn bytes_that_are_no_text_are_kept_but_make_no_names() {
    let file = TestFile::new("garbage.csv", b"a\0b,\xff\xfe\n\"\x01,2\n");
    let (mut table, _) = connect(&[&file.parameter()]).unwrap();
    let rows = scan(&mut table, Scan::default(), vec![0, 1]).unwrap();
    let first = vec![Value::Text(b"a\0b".into()), Value::Text(b"\xff\xfe".into())];
    assert_eq!(rows[0].1, first);
    assert_eq!(rows[1].1, [Value::Text(b"\x01,2\n".into()), Value::Null]);
    let error = refused(&[&file.parameter(), "header=yes"]);
    assert!(error.ends_with("line 1: the header is no text in UTF-8"), "{error}");
}

#[test]
fn a_row_without_end_is_refused_with_its_line() {
    let mut content = b"1,2\n3,\"".to_vec();
    content.resize(100 << 20, b'x');
    let file = TestFile::new("long.csv", &content);
    let (mut table, _) = connect(&[&file.parameter()]).unwrap();
    let error = scan(&mut table, Scan::default(), vec![0]).unwrap_err();
    assert!(error.message.contains("line 2: "), "{error}");
    assert!(error.message.contains(&MAX_ROW_BYTES.to_string()), "{error}");
}

#[test]
fn too_many_columns_are_counted() {
    let data = format!("data='{}'", ",".repeat(2000));
    assert!(refused(&[&data]).ends_with("data: line 1: 2001 columns; 2000 are allowed"));
}
