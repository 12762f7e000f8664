//! Arguments, values and what is refused; `tests/parity` compares with sqlite-xsv.

use crate::arguments::Arguments;
use crate::columns::{Affinity, Column, MAX_COLUMNS};
use crate::reader::Reader;
use crate::rows::MAX_ROW_BYTES;
use sqlite_wasm_kit::table::{
    Argument, ConnectMode, Connection, Operator, Plan, Planned, Scan, constraint, index_info, scan,
};
use sqlite_wasm_kit::{Result, Table, Value};

fn connection(arguments: &[&str]) -> Connection {
    Connection {
        mode: ConnectMode::Create,
        schema: "temp".into(),
        name: "t".into(),
        arguments: arguments.iter().map(|&argument| argument.into()).collect(),
    }
}

/// The rows that a reader with these arguments finds in a blob, without the source.
fn read(arguments: &[&str], content: impl Into<Vec<u8>>) -> Result<Vec<Vec<Value>>> {
    let (mut table, declaration) = Reader::<b','>::connect(connection(arguments))?;
    let columns = declaration.matches(',').count() as u32;
    let source = Argument::One(Value::Blob(content.into()));
    let request = Scan { number: 0, text: None, arguments: vec![source] };
    let rows = scan(&mut table, request, (1..=columns).collect())?;
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

fn refused(arguments: &[&str], content: impl Into<Vec<u8>>) -> String {
    read(arguments, content).expect_err("it is refused").message
}

#[test]
fn types_make_numbers_of_fields() {
    let rows =
        read(&["id integer", "size real", "name"], "a,b,c\n1,1.5,x\n-7,nan,\"a \"\"b\"\"\"\n");
    let expected = vec![
        vec![Value::Integer(1), Value::Real(1.5), Value::text("x")],
        vec![Value::Integer(-7), Value::text("nan"), Value::text("a \"b\"")],
    ];
    assert_eq!(rows, Ok(expected));
    for (declared, field, value) in [
        ("x BIGINT", "9223372036854775808", Value::text("9223372036854775808")),
        ("x decimal(5, 2)", "12", Value::Integer(12)),
        ("x decimal", "1e3", Value::Real(1000.0)),
        ("x double", "inf", Value::text("inf")),
        ("x blob", "1", Value::text("1")),
        ("x", "1", Value::text("1")),
    ] {
        assert_eq!(Column::parse(declared).unwrap().affinity.value(field), value, "{declared}");
    }
    assert_eq!(Affinity::Real.value(""), Value::text(""));
}

#[test]
fn options_change_what_is_read() {
    let rows = read(&["delimiter='|'", "quote=\"'\"", "header=no", "a", "b int"], "x|'1|2'\ny|3\n");
    let expected =
        vec![vec![Value::text("x"), Value::text("1|2")], vec![Value::text("y"), Value::Integer(3)]];
    assert_eq!(rows, Ok(expected));
    let rows = read(&["delimiter=\"\\t\"", "header = 'off'", "'the name' text"], "a\tb\n");
    assert_eq!(rows, Ok(vec![vec![Value::text("a")]]));
    assert_eq!(read(&["a"], ""), Ok(vec![]));
}

#[test]
fn arguments_that_say_nothing_are_refused() {
    let parse = |arguments: &[&str]| {
        let arguments: Vec<_> = arguments.iter().map(|&it| it.to_owned()).collect();
        Arguments::parse(&arguments, 0).expect_err("it is refused").message
    };
    assert_eq!(parse(&["a"]), "no delimiter; say it, as in delimiter='|'");
    assert_eq!(parse(&["delimiter=','", "delimiter=','"]), "the option delimiter is given twice");
    assert_eq!(parse(&["delimiter=,"]), "the value of delimiter must be in quotes");
    for wrong in ["delimiter=''", "delimiter='ab'", "delimiter='é'", "quote='\\x'"] {
        assert!(parse(&[wrong]).ends_with("must be one letter of ASCII"), "{wrong}");
    }
    assert_eq!(parse(&["delimiter='\"'"]), "delimiter and quote are the same");
    assert_eq!(parse(&["header=maybe"]), "the value of header must be yes or no");
    assert!(parse(&["limit=1"]).starts_with("no option \"limit\""));
    for column in ["", "a int); DROP TABLE t; --", "a int, b", "'a\0b' int", "'a", "a \"int\""] {
        assert!(
            parse(&["delimiter=','", column]).ends_with("is neither an option nor a column"),
            "{column}"
        );
    }
}

#[test]
fn names_are_quoted_in_the_declaration() {
    let (_, declaration) =
        Reader::<b','>::connect(connection(&["\"a\"\"b\" int", "'c d'"])).unwrap();
    assert_eq!(declaration, "CREATE TABLE x(_source HIDDEN,\"a\"\"b\" int,\"c d\" )");
}

#[test]
fn content_that_is_no_table_is_refused() {
    assert!(refused(&["header=no", "a"], "1,2\n3\n").contains("found record with 1 fields"));
    assert!(refused(&["a"], b"a\n\xff\n".to_vec()).contains("UTF-8"));
    let columns: Vec<_> = (0..=MAX_COLUMNS).map(|number| format!("c{number}")).collect();
    let columns: Vec<_> = columns.iter().map(String::as_str).collect();
    assert_eq!(refused(&columns, ""), "2001 columns; 2000 are allowed");
    let endless = [b"a\n\"".to_vec(), vec![b'x'; MAX_ROW_BYTES + (1 << 20)]].concat();
    assert!(refused(&["a"], endless).contains("a row is larger than 67108864 bytes"));
}

#[test]
fn a_source_must_be_given_and_can_be_given_later() {
    let (mut table, _) = Reader::<b','>::connect(connection(&["a"])).unwrap();
    let info = index_info(vec![], vec![]);
    let error = table.best_index(&info, &mut Plan::new(&info)).unwrap_err();
    assert!(error.message.starts_with("no source"));
    let mut later = constraint(0, Operator::Equal, None);
    later.usable = false;
    let info = index_info(vec![later], vec![]);
    assert_eq!(table.best_index(&info, &mut Plan::new(&info)), Ok(Planned::No));
    for source in [Value::Integer(1), Value::Text(vec![0xff]), Value::text("/nowhere/x.csv")] {
        let request = Scan { number: 0, text: None, arguments: vec![Argument::One(source)] };
        assert!(
            scan(&mut table, request, vec![1]).is_err_and(|error| !error.message.contains('\n'))
        );
    }
    let request = Scan { number: 0, text: None, arguments: vec![Argument::One(Value::Null)] };
    assert_eq!(scan(&mut table, request, vec![1]), Ok(vec![]));
}
