//! The word ARRAY.

use super::one;

#[test]
fn array_behind_a_type_is_the_type_with_brackets() {
    for (words, brackets) in [
        ("CREATE TABLE t(a text ARRAY)", "CREATE TABLE t(a text[])"),
        (
            "CREATE TABLE t(a text array NOT NULL, b int)",
            "CREATE TABLE t(a text[] NOT NULL, b int)",
        ),
        ("CREATE TABLE t(a varchar(3) ARRAY)", "CREATE TABLE t(a varchar(3)[])"),
        ("CREATE TABLE t(a timestamp with time zone array)", "CREATE TABLE t(a timestamptz[])"),
        (
            "CREATE TABLE t(a int ARRAY[4] DEFAULT ARRAY[1])",
            "CREATE TABLE t(a int[4] DEFAULT ARRAY[1])",
        ),
        ("SELECT CAST('{1}' AS integer ARRAY)", "SELECT CAST('{1}' AS integer[])"),
    ] {
        assert_eq!(one(words).sql, one(brackets).sql, "{words}");
    }
}

#[test]
fn array_elsewhere_is_a_value_or_a_name() {
    let list = one("SELECT ARRAY[1]").sql;
    assert_eq!(one("SELECT array[1]").sql, list);
    assert_eq!(one("SELECT 1 AS array").sql, "SELECT 1 AS array");
    assert!(one("SELECT CASE WHEN true THEN ARRAY[1] ELSE ARRAY[2] END").sql.contains("json"));
}
