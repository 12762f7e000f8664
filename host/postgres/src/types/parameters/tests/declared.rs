//! Parameters that the client declares with a type, and strings together with values of a type.

use super::inferred;

const BOOL: u32 = 16;
const INT4: u32 = 23;
const TEXT: u32 = 25;
const JSONB: u32 = 3802;

fn code(sql: &str, given: &[u32]) -> Option<&'static str> {
    inferred(sql, given).err().map(|error| error.code)
}

fn sql(text: &str, given: &[u32]) -> String {
    inferred(text, given).unwrap().0
}

#[test]
fn a_declared_parameter_has_its_type_in_every_query() {
    assert!(sql("SELECT ARRAY[$1, $2]", &[INT4, INT4]).contains("'_int4'"));
    for text in [
        "SELECT sum(x) FROM (VALUES ($1), ($2)) v(x)",
        "SELECT x + 1 FROM (SELECT $1 AS x) q WHERE $2 > 0",
        "WITH v AS (SELECT $1 AS x UNION ALL SELECT $2) SELECT max(x) + 1 FROM v",
    ] {
        assert_eq!(code(text, &[INT4, INT4]), None, "{text}");
        assert_eq!(code(text, &[TEXT, TEXT]), Some("42883"), "{text}");
    }
}

#[test]
fn operators_refuse_declared_types_that_they_do_not_take() {
    for (text, given, expected) in [
        ("SELECT $1 = $2", [INT4, TEXT], Some("42883")),
        ("SELECT $1 = $2", [INT4, INT4], None),
        ("SELECT $1 = $2", [INT4, 0], None),
        ("SELECT $1 IN ($2, 1)", [INT4, TEXT], Some("42883")),
        ("SELECT $1 LIKE $2", [INT4, TEXT], Some("42883")),
        ("SELECT $1 / $2", [INT4, TEXT], Some("42883")),
        ("SELECT $1 + $2", [INT4, BOOL], Some("42883")),
        ("SELECT $1 UNION SELECT $2", [INT4, TEXT], Some("42804")),
        ("INSERT INTO t(id, name) VALUES ($2, $1)", [TEXT, TEXT], Some("42804")),
        ("INSERT INTO t(id, name) VALUES ($1, $2)", [INT4, TEXT], None),
    ] {
        assert_eq!(code(text, &given), expected, "{text} {given:?}");
    }
    assert!(sql("SELECT $1 || $2", &[TEXT, BOOL]).contains("'true'"));
    assert!(sql("SELECT $1", &[JSONB]).contains("pg_jsonb_of("));
    assert_eq!(code("SELECT $1", &[1042]), Some("0A000"));
}

#[test]
fn a_string_has_the_type_of_what_stands_beside_it() {
    for (text, expected) in [
        ("SELECT coalesce(1.5, 'abc')", Some("22P02")),
        ("SELECT coalesce('{}'::jsonb, 'abc')", Some("22P02")),
        ("SELECT CASE WHEN true THEN ARRAY[1] ELSE 'x' END", Some("22P02")),
        ("SELECT interval '1 day' UNION ALL SELECT 'abc'", Some("22007")),
        ("SELECT '{}'::jsonb UNION ALL SELECT '{bad'", Some("22P02")),
        ("SELECT '1' UNION SELECT 1", None),
        ("SELECT '1' UNION SELECT '2' UNION SELECT 3", Some("42804")),
        ("SELECT 3 UNION SELECT '2' UNION SELECT '1'", None),
        ("VALUES (2), ('x')", Some("22P02")),
    ] {
        assert_eq!(code(text, &[]), expected, "{text}");
    }
    assert!(sql("VALUES ('{}'::jsonb), ('{\"b\":1}')", &[]).matches("pg_jsonb_of").count() == 2);
    assert!(
        sql("SELECT CASE WHEN true THEN '{\"a\":1}' ELSE '[]'::jsonb END", &[])
            .contains("THEN pg_jsonb_of(")
    );
    assert_eq!(super::oids("VALUES (1), ($1)", &[]), [INT4]);
}

#[test]
fn texts_and_json_have_no_operators_with_strings() {
    for text in [
        "SELECT '5'::text + '1'",
        "SELECT v - '1' FROM all_types",
        "SELECT 7 ~ '7'",
        "SELECT n ~ '1' FROM all_types",
        "SELECT i LIKE NULL FROM all_types",
        "SELECT v LIKE b FROM all_types",
        "SELECT '{}'::json = '{}'",
        "SELECT '{}'::json IN ('{}')",
        "SELECT nullif('1'::json, '1')",
        "SELECT greatest('1'::json, '2')",
        "SELECT 5::oid + 1",
        "SELECT 1::oid = 'a'::name",
        "SELECT sum(5::oid)",
    ] {
        assert_eq!(code(text, &[]), Some("42883"), "{text}");
    }
    for text in ["SELECT i + '1' FROM all_types", "SELECT v ~ '1' FROM all_types"] {
        assert_eq!(code(text, &[]), None, "{text}");
    }
}
