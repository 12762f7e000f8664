//! The values are those of PostgreSQL 15.

use crate::numbers::check;

#[test]
fn json_is_that_of_postgres() {
    check(&[
        (
            "pg_jsonb_of",
            &["{\"bb\":1,\"a\": [1,2.0, 1e2],\"a\":\"x\\u00e9\"}"],
            "{\"a\": \"xé\", \"bb\": 1}",
        ),
        ("pg_jsonb_of", &["[1,2.0, 1e2, -0]"], "[1, 2.0, 100, 0]"),
        ("pg_json_of", &["{a:1}"], "22P02: invalid input syntax for type json"),
        ("pg_json_of", &["[01]"], "22P02: invalid input syntax for type json"),
        ("pg_jsonb_of", &["\"\\u0000\""], "22P05: unsupported Unicode escape sequence"),
        ("pg_json_get", &["{\"a\" : [1,  2]}", "a"], "[1,  2]"),
        ("pg_text_json_get", &["[\"\\u0000\"]", "0"], "22P05: unsupported Unicode escape sequence"),
        ("pg_text_json_get", &["[\"x\", null]", "-2"], "x"),
        ("pg_jsonb_path", &["{\"a\":[1,{\"b\":2}]}", "[\"a\",\"1\",\"b\"]"], "2"),
        ("pg_bool_jsonb_contains", &["{\"a\":[1,2]}", "{\"a\":[2]}"], "1"),
        ("pg_jsonb_concat", &["{\"a\":1}", "{\"b\":2}"], "{\"a\": 1, \"b\": 2}"),
        ("pg_jsonb_delete", &["[1,2]", "0"], "[2]"),
        (
            "pg_jsonb_set",
            &["{\"a\":{\"b\":1}}", "[\"a\",\"c\"]", "3"],
            "{\"a\": {\"b\": 1, \"c\": 3}}",
        ),
        ("pg_json_object", &["a", "1", "b", "\"x\""], "{\"a\" : 1, \"b\" : \"x\"}"),
        ("pg_json_value", &["[1,null]", "_int4"], "[1,null]"),
        ("pg_json_elements_text", &["[1,\"a\",null]"], "[\"1\",\"a\",null]"),
        ("pg_json_pairs", &["{\"a\":\"b\"}"], "[[\"a\",\"\\\"b\\\"\"]]"),
    ]);
}

#[test]
fn any_text_is_read() {
    arbtest::arbtest(|u| {
        let text: String = u.arbitrary()?;
        let _ = super::parse(&text, super::Mode::Json);
        super::compare_texts(text.as_bytes(), b"[]");
        Ok(())
    });
}
