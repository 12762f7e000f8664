use super::*;
use crate::types::TEXT;

fn typed(name: &str) -> Typed {
    Typed::declared(name).unwrap()
}

fn text(value: &Value, name: &str) -> Result<String> {
    let mut out = Vec::new();
    encode(value.borrowed(), typed(name), Format::Text, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

fn from_text(text: &str, name: &str) -> Result<Value> {
    decode(Some(text.as_bytes()), typed(name).ty, Format::Text)
}

fn t(text: &str) -> Value {
    Value::Text(text.into())
}

#[test]
fn values_have_the_text_of_postgres() {
    for (value, name, expected) in [
        (Value::Integer(1), "boolean", "t"),
        (t("false"), "boolean", "f"),
        (Value::Integer(-5), "int", "-5"),
        (Value::Real(5.0), "bigint", "5"),
        (Value::Real(0.1), "float8", "0.1"),
        (Value::Real(1e21), "float8", "1e+21"),
        (Value::Real(1e-7), "float8", "1e-07"),
        (Value::Real(100000.0), "float8", "100000"),
        (Value::Real(1e15), "float8", "1e+15"),
        (Value::Real(f64::NEG_INFINITY), "float8", "-Infinity"),
        (Value::Real(0.1), "real", "0.1"),
        (Value::Real(1.5), "numeric(10,2)", "1.50"),
        (Value::Real(2.675), "numeric(10,2)", "2.68"),
        (Value::Integer(3), "numeric(10,2)", "3.00"),
        (Value::Real(-0.001), "numeric(10,2)", "0.00"),
        (Value::Real(999.999), "numeric(10,1)", "1000.0"),
        (Value::Real(1e20), "numeric", "100000000000000000000"),
        (t("123456789012345678901234567890.5"), "numeric", "123456789012345678901234567890.5"),
        (Value::Blob(vec![0, 255]), "bytea", "\\x00ff"),
        (t("2026-01-31"), "date", "2026-01-31"),
        (t("2026-01-31 10:11:12"), "date", "2026-01-31"),
        (t("2026-01-31T10:11:12.500"), "timestamp", "2026-01-31 10:11:12.5"),
        (t("2026-01-31 10:11:12"), "timestamptz", "2026-01-31 10:11:12+00"),
        (t("2026-01-31 10:11:12+02:00"), "timestamptz", "2026-01-31 08:11:12+00"),
        (Value::Integer(0), "timestamptz", "1970-01-01 00:00:00+00"),
        (Value::Real(2440587.5), "timestamp", "1970-01-01 00:00:00"),
        (t("23:59"), "time", "23:59:00"),
        (t("A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"), "uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        (t("[1,null,3]"), "int[]", "{1,NULL,3}"),
        (t(r#"["a b","","null","x"]"#), "text[]", r#"{"a b","","null",x}"#),
        (Value::Integer(7), "text", "7"),
        (t("a\0b"), "text", "a\u{fffd}b"),
    ] {
        assert_eq!(text(&value, name).unwrap(), expected, "{value:?} as {name}");
    }
}

#[test]
fn a_value_of_another_type_is_an_error() {
    for (value, name, state) in [
        (t("x"), "int", "22P02"),
        (Value::Integer(1 << 40), "int", "22003"),
        (Value::Integer(40_000), "smallint", "22003"),
        (Value::Real(0.5), "int", "22P02"),
        (Value::Integer(2), "boolean", "22P02"),
        (t("yesterday"), "date", "22P02"),
        (t("2026-02-30"), "date", "22P02"),
        (Value::Blob(vec![1]), "uuid", "22P02"),
        (t("1e9999999"), "numeric", "22P02"),
        (t("{1"), "int[]", "22P02"),
        (Value::Integer(i64::MAX), "timestamp", "22P02"),
    ] {
        assert_eq!(text(&value, name).unwrap_err().code, state, "{value:?} as {name}");
    }
    let error = in_result(out_of_range(Scalar::Int4, 1_i64 << 40), 3, "a");
    assert!(error.message.ends_with("in row 3, column \"a\"") && error.hint.is_some());
}

#[test]
fn parameters_become_what_is_stored() {
    for (given, name, expected) in [
        ("on", "boolean", Value::Integer(1)),
        (" 12 ", "int", Value::Integer(12)),
        ("1.50", "numeric", Value::Real(1.5)),
        ("12345678901234567890.5", "numeric", t("12345678901234567890.5")),
        ("\\x00Ff", "bytea", Value::Blob(vec![0, 255])),
        ("a\\\\b\\001", "bytea", Value::Blob(b"a\\b\x01".to_vec())),
        ("2026-01-31T10:11:12.5Z", "timestamptz", t("2026-01-31 10:11:12.5")),
        ("2026-01-31 +00", "date", t("2026-01-31")),
        ("2026-01-31 00:11:12-0230", "timestamptz", t("2026-01-31 02:41:12")),
        ("2026-01-31 10:11:12.123456789", "timestamp", t("2026-01-31 10:11:12.123457")),
        ("2026-1-31", "date", t("2026-01-31")),
        ("20260131", "date", t("2026-01-31")),
        ("1/31/2026", "date", t("2026-01-31")),
        ("Feb 3 2024", "date", t("2024-02-03")),
        ("3-Feb-2024", "date", t("2024-02-03")),
        ("October 3, 2024 9:08", "timestamp", t("2024-10-03 09:08:00")),
        ("2026-01-31T10:11", "timestamp", t("2026-01-31 10:11:00")),
        ("-Infinity", "float8", Value::Real(f64::NEG_INFINITY)),
        ("0e-400", "float8", Value::Real(0.0)),
        ("{A0EEBC999C0B4EF8BB6D6BB9BD380A11}", "uuid", t("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")),
        ("{1,NULL, 3}", "int[]", t("[1,null,3]")),
        (r#"{"a\"b",c d,""}"#, "text[]", t(r#"["a\"b","c d",""]"#)),
        ("{}", "int[]", t("[]")),
    ] {
        assert_eq!(from_text(given, name).unwrap(), expected, "{given} as {name}");
    }
    for (given, name, state) in [
        ("maybe", "boolean", "22P02"),
        ("99999999999", "int", "22003"),
        ("99999999999999999999", "bigint", "22003"),
        ("\\xabc", "bytea", "22023"),
        ("\\xzz", "bytea", "22023"),
        ("\\9", "bytea", "22P02"),
        ("2026-13-01", "date", "22008"),
        ("2026-02-29", "date", "22008"),
        ("25:00", "time", "22008"),
        ("garbage", "date", "22007"),
        ("2026-01-31x", "date", "22007"),
        ("26-01-31", "date", "22008"),
        ("10:00", "timestamp", "22007"),
        ("infinity", "timestamptz", "0A000"),
        ("today", "date", "0A000"),
        ("1e400", "float8", "22003"),
        ("1e-400", "float8", "22003"),
        ("1e39", "real", "22003"),
        ("{{1},{2}}", "int[]", "22P02"),
        ("a\0", "text", "22021"),
    ] {
        assert_eq!(from_text(given, name).unwrap_err().code, state, "{given} as {name}");
    }
}

#[test]
fn the_binary_format_leads_back_to_the_same_value() {
    for (value, name) in [
        (Value::Integer(1), "boolean"),
        (Value::Integer(-2), "smallint"),
        (Value::Integer(-2), "int"),
        (Value::Integer(i64::MIN), "bigint"),
        (Value::Real(0.5), "real"),
        (Value::Real(0.1), "float8"),
        (Value::Real(-12345.678), "numeric"),
        (Value::Integer(10_000), "numeric"),
        (Value::Integer(0), "numeric"),
        (Value::Real(0.0001), "numeric"),
        (t("123456789012345678901234567890.5"), "numeric"),
        (t("NaN"), "numeric"),
        (Value::Blob(vec![1, 2]), "bytea"),
        (t("1999-12-31"), "date"),
        (t("0001-01-01"), "date"),
        (t("9999-12-31 23:59:59.999999"), "timestamp"),
        (t("1999-12-31 23:59:59.5"), "timestamptz"),
        (t("10:00:00.25"), "time"),
        (t("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), "uuid"),
        (t("{\"a\":1}"), "jsonb"),
        (t("[1,null,-3]"), "int[]"),
        (t("[\"a\",null]"), "text[]"),
        (t("[]"), "bigint[]"),
    ] {
        let mut out = Vec::new();
        encode(value.borrowed(), typed(name), Format::Binary, &mut out).unwrap();
        assert_eq!(decode(Some(&out), typed(name).ty, Format::Binary).unwrap(), value, "{name}");
    }
    let mut numeric = Vec::new();
    encode(ValueRef::Real(12345.678), typed("numeric"), Format::Binary, &mut numeric).unwrap();
    assert_eq!(numeric, [0, 3, 0, 1, 0, 0, 0, 3, 0, 1, 0x09, 0x29, 0x1a, 0x7c]);
    let code =
        |bytes: &[u8]| decode(Some(bytes), typed("int").ty, Format::Binary).unwrap_err().code;
    assert_eq!((code(&[1, 2]), code(&[0; 5])), ("08P01", "22P03"));
}

#[test]
fn any_bytes_are_decoded_or_refused() {
    const TYPES: &[&str] = &[
        "boolean",
        "int",
        "bigint",
        "real",
        "float8",
        "numeric",
        "bytea",
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "uuid",
        "json",
        "jsonb",
        "text",
        "int[]",
        "text[]",
        "numeric[]",
        "interval",
    ];
    arbtest::arbtest(|u| {
        let typed = typed(u.choose(TYPES)?);
        let format = if u.arbitrary()? { Format::Text } else { Format::Binary };
        let bytes: Vec<u8> = u.arbitrary()?;
        if let Ok(value) = decode(Some(&bytes), typed.ty, format) {
            for format in [Format::Text, Format::Binary] {
                let mut out = Vec::new();
                let _ = encode(value.borrowed(), typed, format, &mut out);
                assert!(out.len() <= 64 * bytes.len() + 8192);
            }
        }
        let mut out = Vec::new();
        let _ = encode(ValueRef::Text(&bytes), typed, format, &mut out);
        Ok(())
    });
    assert_eq!(decode(None, TEXT, Format::Text).unwrap(), Value::Null);
}

#[test]
fn arrays_have_a_bounded_number_of_elements() {
    let many = format!("{{{}1}}", "1,".repeat(1 << 18));
    assert!(from_text(&many, "int[]").unwrap_err().to_string().contains("more than 262144"));
    let json = t(&format!("[{}1]", "1,".repeat(1 << 18)));
    assert!(text(&json, "int[]").is_err());
    assert!(text(&t(&format!("[{}1]", "1,".repeat(1000))), "int[]").is_ok());
}

#[test]
fn elements_of_arrays_may_have_escaped_pairs() {
    for (json, expected) in [
        (r#"["\ud83d\ude00"]"#, "{\u{1f600}}"),
        (r#"["\ud83d"]"#, "{\u{fffd}}"),
        (r#"["\ud83d\u0041"]"#, "{\u{fffd}A}"),
        (r#"["\ude00x"]"#, "{\u{fffd}x}"),
    ] {
        assert_eq!(text(&t(json), "text[]").unwrap(), expected, "{json}");
    }
    for malformed in ["{1,}", "{,1}", "{1", "[1,2"] {
        assert!(text(&t(malformed), "int[]").is_err(), "{malformed}");
    }
    assert_eq!(text(&t("[]"), "int[]").unwrap(), "{}");
}

#[test]
fn a_stored_text_is_not_longer_than_its_column() {
    let stored = |text: &str, ty: &str| fitting(t(text), Typed::declared(ty).unwrap());
    for (text, ty, expected) in [
        ("abc", "varchar(3)", "abc"),
        ("äbc   ", "varchar(3)", "äbc"),
        ("abcd", "varchar", "abcd"),
        ("abcd", "text", "abcd"),
    ] {
        assert_eq!(stored(text, ty).unwrap(), t(expected), "{text} in {ty}");
    }
    let error = stored("abcd", "varchar(3)").unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        ("22001", "value too long for type character varying(3)")
    );
}
