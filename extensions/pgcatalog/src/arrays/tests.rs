//! The values are those of PostgreSQL 15.

use sqlite_wasm_kit::Value;

use crate::numbers::check;

#[test]
fn arrays_are_those_of_postgres() {
    check(&[
        ("pg_array_of", &["{1, NULL,3}", "_int4"], "[1,null,3]"),
        ("pg_array_of", &["{1.50,2}", "_numeric"], "[\"1.50\",\"2\"]"),
        ("pg_array_of", &["{x}", "_int4"], "22P02: invalid input syntax for type integer: \"x\""),
        (
            "pg_array_of",
            &["{{1},{2}}", "_int4"],
            "0A000: arrays of more than one dimension are not supported",
        ),
        ("pg_array_of", &["{1,}", "_int4"], "22P02: malformed array literal: \"{1,}\""),
        ("pg_array_append", &["[1]", "2", "_int4"], "[1,2]"),
        ("pg_array_cat", &["[1]", "NULL", "_int4"], "[1]"),
        ("pg_array_slice", &["[1,2,3]", "2", "5", "_int4"], "[2,3]"),
        ("pg_array_get", &["[1,2,3]", "0", "int4"], "NULL"),
        ("pg_int4_array_position", &["[1,2,null]", "NULL", "int4"], "3"),
        ("pg_bool_array_contains", &["[1,2]", "[2,2]", "int4"], "1"),
        ("pg_bool_array_any", &["1", "=", "[2,null]", "int4"], "NULL"),
        ("pg_bool_array_any", &["abc", "~~", "[\"A%\",null]", "text"], "NULL"),
        ("pg_bool_array_any", &["abc", "~~*", "[null,\"A%\"]", "text"], "1"),
        ("pg_bool_array_all", &["abc", "!~~", "[\"x%\",null]", "text"], "NULL"),
        ("pg_bool_array_all", &["abc", "!~~", "[\"x%\",\"a_c\"]", "text"], "0"),
        ("pg_bool_array_all", &["a%", "~~", "[\"a\\\\%\",\"%\\\\%\"]", "text"], "1"),
        ("pg_bool_array_any", &["abc", "!~*", "[\"B\"]", "text"], "0"),
        (
            "pg_bool_array_any",
            &["abc", "~~", "[\"ab%\\\\\"]", "text"],
            "22025: LIKE pattern must not end with escape character",
        ),
        (
            "pg_text_of_array",
            &["[\"a b\",\"\",null,\"null\"]", "text"],
            "{\"a b\",\"\",NULL,\"null\"}",
        ),
        ("pg_text_array_join", &["[1,null,2]", ",", "int4"], "1,2"),
        ("pg_array_split", &["a,b,,c", ",", "", "_text"], "[\"a\",\"b\",null,\"c\"]"),
        ("pg_text_options", &["[\"a=b=c\",\"d\"]"], "[[\"a\",\"b=c\"],[\"d\",null]]"),
        ("pg_array_zip", &["[1,2]", "[\"a\"]"], "[[1,\"a\"],[2,null]]"),
    ]);
}

#[test]
fn any_array_is_read() {
    arbtest::arbtest(|u| {
        let text: String = u.arbitrary()?;
        let _ = super::elements::literal(&text);
        let _ = super::elements::elements(&text);
        let _ = Value::text(text);
        Ok(())
    });
}
