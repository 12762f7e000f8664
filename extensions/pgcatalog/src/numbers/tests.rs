//! The values are those of PostgreSQL 15.

use sqlite_wasm_kit::Value;

use super::{AGGREGATES, decimal};
use crate::functions::SCALARS;

fn value(text: &str) -> Value {
    match text.parse::<i64>() {
        Ok(number) => Value::Integer(number),
        Err(_) if text == "NULL" => Value::Null,
        Err(_) => Value::text(text),
    }
}

fn text(value: Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => format!("{number}r"),
        other => String::from_utf8_lossy(&other.into_bytes()).into_owned(),
    }
}

fn called(name: &str, arguments: Vec<Value>) -> String {
    let function = SCALARS.iter().find(|function| function.fits(name, arguments.len()));
    match function.unwrap_or_else(|| panic!("{name}")).call(arguments) {
        Ok(value) => text(value),
        Err(error) => error.message,
    }
}

pub fn check(calls: &[(&str, &[&str], &str)]) {
    for (name, arguments, expected) in calls {
        let found = called(name, arguments.iter().map(|text| value(text)).collect());
        assert_eq!(found, *expected, "{name}{arguments:?}");
    }
}

#[test]
fn decimals_have_the_digits_of_postgres() {
    check(&[
        ("pg_numeric_div", &["1.0", "3"], "0.33333333333333333333"),
        ("pg_numeric_div", &["10.0", "3"], "3.3333333333333333"),
        ("pg_numeric_div", &["1", "3"], "0.33333333333333333333"),
        ("pg_numeric_div", &["100", "7"], "14.2857142857142857"),
        ("pg_numeric_div", &["0.00001", "3"], "0.000003333333333333333333"),
        ("pg_numeric_div", &["12345678901234567890.0", "7"], "1763668414462081127.1"),
        ("pg_numeric_div", &["1", "3000000"], "0.000000333333333333333333"),
        ("pg_numeric_div", &["1", "0.0"], "22012: division by zero"),
        ("pg_numeric_mul", &["2.5", "2.50"], "6.250"),
        ("pg_numeric_mul", &["1.1", "1.1"], "1.21"),
        ("pg_numeric_add", &["0.1", "0.20"], "0.30"),
        ("pg_numeric_sub", &["1", "1.00"], "0.00"),
        ("pg_numeric_add", &["1", "NULL"], "NULL"),
        ("pg_numeric_add", &["Infinity", "-inf"], "NaN"),
        ("pg_numeric_mod", &["1.1", "0.3"], "0.2"),
        ("pg_numeric_mod", &["-7.5", "2"], "-1.5"),
        ("pg_numeric_quotient", &["7.5", "-2"], "-3"),
        ("pg_numeric_round", &["2.5"], "3"),
        ("pg_numeric_round", &["-2.5"], "-3"),
        ("pg_numeric_round", &["1234.567", "-2"], "1200"),
        ("pg_numeric_round", &["1.5", "3"], "1.500"),
        ("pg_numeric_trunc", &["-1234.567", "1"], "-1234.5"),
        ("pg_numeric_trunc", &["199.9", "-2"], "100"),
        ("pg_numeric_sqrt", &["2"], "1.414213562373095"),
        ("pg_numeric_sqrt", &["0.0001"], "0.01000000000000000"),
        ("pg_numeric_sqrt", &["12345678.9"], "3513.6418286444622"),
        ("pg_numeric_power", &["2.0", "3"], "8.0000000000000000"),
        ("pg_numeric_power", &["0.1", "3"], "0.0010000000000000"),
        ("pg_numeric_power", &["123.456", "2"], "15241.3839360000000000"),
        ("pg_numeric_power", &["2.0", "0"], "1.0000000000000000"),
        ("pg_numeric_factorial", &["5"], "120"),
        ("pg_numeric_gcd", &["12.5", "7.5"], "2.5"),
        ("pg_numeric_lcm", &["4.0", "6"], "12.0"),
        ("pg_numeric_ceil", &["-0.5"], "0"),
        ("pg_numeric_floor", &["-1.5"], "-2"),
        ("pg_numeric_sign", &["-2.5"], "-1"),
        ("pg_numeric_abs", &["-2.50"], "2.50"),
        ("pg_numeric_trim_scale", &["1.500"], "1.5"),
        ("pg_int4_scale", &["1.50"], "2"),
        ("pg_numeric_of", &["7", "2"], "7.00"),
        ("pg_numeric_fitted", &["99.996", "4", "2"], "22003: numeric field overflow"),
        ("pg_numeric_of", &["x"], "22P02: invalid input syntax for type numeric: \"x\""),
        (
            "pg_numeric_of",
            &["1e999999"],
            "22P02: invalid input syntax for type numeric: \"1e999999\"",
        ),
        ("pg_stored_numeric", &["1.10", "10", "2"], "1.1r"),
        ("pg_stored_numeric", &["1.005", "10", "2"], "1.01r"),
        ("pg_stored_numeric", &["12.00"], "12"),
        ("pg_stored_numeric", &["0.00"], "0"),
    ]);
    assert!(
        called("pg_stored_numeric", vec![value("1.234567890123456789")]).starts_with("0A000: ")
    );
    assert!(
        called("pg_stored_numeric", vec![value("123456789.12"), value("10"), value("2")])
            .starts_with("22003: ")
    );
}

#[test]
fn floats_and_integers_are_those_of_postgres() {
    let real = |name: &str, number: f64| called(name, vec![Value::Real(number)]);
    for (number, expected) in [
        (1e20, "100000000000000000000"),
        (0.1, "0.1"),
        (1.5e-7, "0.00000015"),
        (123456789012345678.0, "123456789012346000"),
    ] {
        assert_eq!(real("pg_numeric_of_float8", number), expected);
    }
    assert_eq!(real("pg_numeric_of_float4", f64::from(0.1f32)), "0.1");
    assert_eq!(
        [real("pg_int4_of", 2.5), real("pg_int4_of", 3e9)],
        ["2", "22003: integer out of range"]
    );
    for (number, expected) in [
        (1e15, "1e+15"),
        (1e-5, "1e-05"),
        (0.0001, "0.0001"),
        (f64::NEG_INFINITY, "-Infinity"),
        (-0.0, "-0"),
    ] {
        assert_eq!(real("pg_text_of_float8", number), expected);
    }
    check(&[
        ("pg_int4_of_numeric", &["-2.5"], "-3"),
        ("pg_int4_of", &["2.5"], "22P02: invalid input syntax for type integer: \"2.5\""),
        ("pg_int4_of", &["3000000000"], "22003: integer out of range"),
        ("pg_int2_of", &[" 7 "], "7"),
        ("pg_int4_add", &["2147483647", "1"], "22003: integer out of range"),
        ("pg_int8_mul", &["9223372036854775807", "2"], "22003: bigint out of range"),
        ("pg_int4_div", &["-7", "2"], "-3"),
        ("pg_int4_mod", &["-7", "2"], "-1"),
        ("pg_int4_div", &["1", "0"], "22012: division by zero"),
        ("pg_int2_neg", &["-32768"], "22003: smallint out of range"),
        ("pg_float8_of", &["1e400"], "22003: \"1e400\" is out of range for type double precision"),
        ("pg_float8_div", &["1", "0"], "22012: division by zero"),
        ("pg_float8_sqrt", &["-1"], "2201F: cannot take square root of a negative number"),
    ]);
    let [large, tiny] = [1e300, 1e-300].map(Value::Real);
    assert_eq!(
        called("pg_float8_mul", vec![large.clone(), large]),
        "22003: value out of range: overflow"
    );
    assert_eq!(
        called("pg_float8_mul", vec![tiny.clone(), tiny]),
        "22003: value out of range: underflow"
    );
}

#[test]
fn aggregates_are_those_of_postgres() {
    let aggregate = |name: &str, rows: &[Value]| {
        let signature = format!("name: \"{name}\"");
        let function =
            AGGREGATES.iter().find(|function| format!("{function:?}").contains(&signature));
        let rows = rows.iter().map(|value| vec![value.clone()]);
        text(function.unwrap_or_else(|| panic!("{name}")).compute(rows).unwrap())
    };
    let rows = [value("1.5"), value("2.25"), Value::Null, value("3")];
    for (name, expected) in [
        ("pg_numeric_avg", "2.2500000000000000"),
        ("pg_numeric_sum", "6.75"),
        ("pg_numeric_var_samp", "0.56250000000000000000"),
        ("pg_numeric_stddev_samp", "0.75000000000000000000"),
        ("pg_numeric_var_pop", "0.37500000000000000000"),
        ("pg_numeric_stddev_pop", "0.61237243569579452455"),
    ] {
        assert_eq!(aggregate(name, &rows), expected);
    }
    let rows = [1.1, 2.2, 4.7].map(Value::Real);
    for (name, expected) in [
        ("pg_float8_avg", "2.6666666666666665r"),
        ("pg_float8_sum", "8r"),
        ("pg_float8_var_samp", "3.4033333333333347r"),
        ("pg_float8_stddev_samp", "1.8448125469362286r"),
        ("pg_float8_stddev_pop", "1.5062831370260008r"),
    ] {
        assert_eq!(aggregate(name, &rows), expected);
    }
    assert_eq!(aggregate("pg_numeric_sum", &[]), "NULL");
    assert_eq!(aggregate("pg_numeric_avg", &[1, 2, 4].map(Value::Integer)), "2.3333333333333333");
}

#[test]
fn any_text_is_a_number_or_none() {
    assert!(decimal::compare_texts(b"1.0", b"1.00").is_eq());
    assert!(
        decimal::compare_texts(b"9", b"10").is_lt()
            && decimal::compare_texts(b"NaN", b"Infinity").is_gt()
    );
    arbtest::arbtest(|u| {
        let (one, other): (&str, &str) = (u.arbitrary()?, u.arbitrary()?);
        assert_eq!(
            decimal::compare_texts(one.as_bytes(), other.as_bytes()),
            decimal::compare_texts(other.as_bytes(), one.as_bytes()).reverse()
        );
        Ok(())
    });
}
