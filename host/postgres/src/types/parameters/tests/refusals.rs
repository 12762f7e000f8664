//! What PostgreSQL refuses for types and names, and what is written for SQLite where both differ.

use super::inferred;

fn code(sql: &str) -> Option<&'static str> {
    inferred(sql, &[]).err().map(|error| error.code)
}

#[test]
fn recursion_has_the_form_and_the_types_of_postgres() {
    for (body, expected) in [
        ("SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3", None),
        ("SELECT 1::bigint UNION ALL SELECT n + 1 FROM r WHERE n < 3", None),
        ("SELECT 1 UNION ALL SELECT n + 0.5 FROM r WHERE n < 3", Some("42804")),
        ("SELECT n FROM r", Some("42P19")),
        ("SELECT n FROM r UNION ALL SELECT 1", Some("42P19")),
        ("SELECT 1 EXCEPT SELECT n FROM r", Some("42P19")),
        ("SELECT 1 UNION ALL SELECT a.n FROM r a, r b", Some("42P19")),
        ("SELECT 1 UNION ALL SELECT max(n) FROM r", Some("42P19")),
        ("SELECT 1 UNION ALL SELECT (SELECT n FROM r)", Some("42P19")),
        ("SELECT 1 UNION ALL SELECT i FROM all_types LEFT JOIN r ON true", Some("42P19")),
        ("SELECT 1 UNION ALL SELECT n FROM r ORDER BY 1", Some("0A000")),
        ("SELECT 'a'::varchar(3) UNION ALL SELECT n || 'b' FROM r", Some("42804")),
        ("SELECT 'a'::varchar(3) UNION ALL SELECT 'b'::varchar(4) FROM r", Some("42804")),
        ("SELECT 'a'::varchar(3) UNION ALL SELECT coalesce(n, n) FROM r", None),
        ("SELECT 'a'::varchar UNION ALL SELECT 'b'::varchar(3) FROM r", None),
        ("SELECT 1.5::numeric(5, 2) UNION ALL SELECT n + 1 FROM r", Some("42804")),
        ("SELECT 1.5::numeric(5, 2) UNION ALL SELECT n FROM r", None),
        ("SELECT date '2020-01-01' UNION ALL SELECT n + interval '1 day' FROM r", Some("42804")),
        ("SELECT date '2020-01-01' UNION ALL SELECT n + 1 FROM r", None),
    ] {
        let sql = format!("WITH RECURSIVE r(n) AS ({body}) SELECT * FROM r");
        assert_eq!(code(&sql), expected, "{sql}");
    }
    for (sql, expected) in [
        ("WITH t AS (SELECT * FROM t) SELECT * FROM t", None),
        ("WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a", Some("42712")),
        ("WITH RECURSIVE t AS (SELECT * FROM t) SELECT * FROM t", Some("42P19")),
        ("WITH a AS (WITH a AS (SELECT 1) SELECT * FROM a) SELECT * FROM a", None),
    ] {
        assert_eq!(code(sql), expected, "{sql}");
    }
}

#[test]
fn sums_of_a_recursion_call_nothing() {
    let count = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9) SELECT n FROM r";
    let (sql, _) = inferred(count, &[]).unwrap();
    assert!(sql.contains("THEN r.n + 1") || sql.contains("THEN n + 1"), "{sql}");
    // The sum of a query that is not kept would be computed once for each time it is read.
    let nested = "SELECT n + 1 FROM (SELECT id + 1 AS n FROM t) q";
    let (sql, _) = inferred(nested, &[]).unwrap();
    assert!(sql.starts_with("SELECT pg_int8_add(n, 1)"), "{sql}");
}

#[test]
fn arguments_have_types_that_postgres_has_a_function_for() {
    for (expr, expected) in [
        ("string_agg(v, ',')", None),
        ("string_agg(i, ',')", Some("42883")),
        ("bool_and(ok)", None),
        ("bool_and(i)", Some("42883")),
        ("sum(NULL)", Some("42725")),
        ("count(*) FILTER (WHERE i)", Some("42804")),
        ("lag(v, 1, 5) OVER ()", Some("42883")),
        ("lag(i, 1, 1.5) OVER ()", None),
        ("lag(i, n) OVER ()", Some("42883")),
        ("ntile(0) OVER ()", Some("22014")),
        ("nth_value(i, 0) OVER ()", Some("22016")),
        ("unnest(a)", None),
        ("unnest(i)", Some("42883")),
        ("unnest('{1}')", Some("42725")),
        ("generate_series(i)", Some("42883")),
        ("generate_series(1, i)", None),
        ("NULL * NULL", Some("42725")),
        ("7 %-3", Some("42883")),
        ("i - -3", None),
        ("'x'::varchar(0)", Some("22023")),
        ("n::numeric(1001)", Some("22023")),
        ("'\\xzz'::bytea", Some("22023")),
        ("v LIKE 'a\\'", Some("22025")),
        ("sum(i) OVER (ORDER BY i ROWS NULL PRECEDING)", Some("22004")),
        ("sum(i) OVER (ORDER BY i ROWS 'x' PRECEDING)", Some("22P02")),
        ("sum(i) OVER (ORDER BY i ROWS (SELECT 1) PRECEDING)", Some("0A000")),
        ("(SELECT sum(all_types.i))", None),
        ("(SELECT sum(all_types.i) FROM t)", Some("0A000")),
        ("array[]", Some("42P18")),
        ("cardinality(array[])", Some("42P18")),
        ("1 = ANY (array[[], []])", Some("42P18")),
        ("array[]::int[]", None),
        ("array[[]]::int[]", None),
        ("cardinality(NULL)", Some("42804")),
        ("to_json('a')", Some("42804")),
        ("to_json($1)", None),
    ] {
        let sql = format!("SELECT {expr} FROM all_types");
        assert_eq!(code(&sql), expected, "{sql}");
    }
    assert_eq!(code("SELECT 1 FROM all_types x JOIN t ON x.i"), Some("42804"));
    assert_eq!(code("CREATE TABLE x(a char(0))"), Some("22023"));
    assert_eq!(code("VALUES (1), (true)"), Some("42804"));
}

#[test]
fn windows_are_written_as_sqlite_takes_them() {
    for (expr, part) in [
        ("sum(i) OVER (ORDER BY i ROWS 1 + 1 PRECEDING)", "ROWS 2 PRECEDING"),
        ("sum(i) OVER (ORDER BY i ROWS '3' PRECEDING)", "ROWS 3 PRECEDING"),
        ("sum(i) OVER (ORDER BY i ROWS 1.5 PRECEDING)", "ROWS 2 PRECEDING"),
        ("sum(i) OVER (ORDER BY i ROWS $1 PRECEDING)", "ROWS ?1 PRECEDING"),
        ("ntile($1) OVER ()", "iif(?1 IS NULL, NULL, ntile(coalesce(?1, 1)) OVER ())"),
        ("nth_value(i, NULL) OVER ()", "SELECT NULL FROM all_types"),
    ] {
        let (sql, _) = inferred(&format!("SELECT {expr} FROM all_types"), &[]).unwrap();
        assert!(sql.contains(part), "{expr}: {sql}");
    }
}

#[test]
fn a_name_of_the_result_is_none_of_its_query() {
    for (rest, expected) in [
        ("GROUP BY x HAVING x > 1", Some("42703")),
        ("GROUP BY v HAVING x > 'a' ORDER BY x", Some("42703")),
        ("WHERE x = 'a' ORDER BY x", Some("42703")),
        ("GROUP BY x || 'a'", Some("42703")),
        ("HAVING x = 'a'", Some("42703")),
        ("GROUP BY v HAVING (SELECT x FROM (SELECT 'a' AS x) q) = 'a'", None),
        ("GROUP BY x ORDER BY x", None),
        ("GROUP BY x HAVING count(*) > 1", None),
    ] {
        let sql = format!("SELECT v AS x FROM all_types {rest}");
        assert_eq!(code(&sql), expected, "{sql}");
    }
}

#[test]
fn what_has_another_text_where_it_is_equal_is_refused() {
    for (sql, expected) in [
        ("CREATE TABLE k(v interval UNIQUE)", Some("0A000")),
        ("CREATE TABLE k(v jsonb PRIMARY KEY)", Some("0A000")),
        ("CREATE TABLE k(a int, v jsonb, UNIQUE (a, v))", Some("0A000")),
        ("CREATE TABLE k(a numeric UNIQUE, v jsonb)", None),
        ("CREATE TABLE k(v timetz)", Some("0A000")),
        ("CREATE TABLE k(v time with time zone)", Some("0A000")),
        ("CREATE TABLE k(v varchar(3)[])", Some("0A000")),
        ("SELECT '{1.255}'::numeric(4,2)[]", Some("0A000")),
        ("SELECT '1.6 s'::interval(0)", Some("0A000")),
        ("SELECT '10:00:00.126'::time(2)", Some("0A000")),
        ("SELECT '10:00:00.12'::time(2)", None),
        ("SELECT array_agg(b) FROM all_types", Some("0A000")),
        ("SELECT jsonb_object('{a,b}', '{1,2}')", Some("0A000")),
        ("SELECT json_object('a', 1)", None),
        ("SELECT 'NaN'::float8", Some("0A000")),
        ("SELECT * FROM all_types a JOIN (SELECT 1.5 AS n) b USING (n)", Some("0A000")),
        (
            "SELECT * FROM all_types a JOIN (SELECT now()::timestamp AS d) b USING (d)",
            Some("0A000"),
        ),
        ("SELECT * FROM all_types a JOIN (SELECT 'x'::text AS i) b USING (i)", Some("42804")),
        ("SELECT * FROM all_types a JOIN (SELECT 1::bigint AS i) b USING (i)", None),
    ] {
        assert_eq!(code(sql), expected, "{sql}");
    }
}

#[test]
fn joins_and_comparisons_have_the_form_of_postgres() {
    for (sql, expected) in [
        ("SELECT 1 FROM t JOIN all_types", Some("42601")),
        ("SELECT 1 FROM t CROSS JOIN all_types", None),
        ("SELECT 1 FROM t FULL JOIN all_types ON id > i", Some("0A000")),
        ("SELECT 1 FROM t FULL JOIN all_types ON id = i AND i > 0", None),
        ("SELECT 1 < 2 = true", Some("42601")),
        ("SELECT (1 < 2) = true", None),
        ("SELECT $$a", Some("42601")),
        ("SELECT 1 /* a", Some("42601")),
        ("SELECT 1 /* a */", None),
        ("SELECT 'nope'::regtype", Some("42704")),
        ("SELECT 'int4[]'::regtype", None),
        ("SELECT 'nope'::regnamespace", Some("3F000")),
    ] {
        assert_eq!(code(sql), expected, "{sql}");
    }
}

#[test]
fn the_columns_that_a_join_merges_are_the_first() {
    let sql = "SELECT * FROM all_types a JOIN (SELECT true AS ok, 1 AS z) b USING (ok)";
    let (written, _) = inferred(sql, &[]).unwrap();
    assert!(written.starts_with("SELECT `ok`, `a`.`i`, `a`.`n`"), "{written}");
    // Where SQLite has the same order the text stays.
    let sql = "SELECT * FROM t JOIN (SELECT 1::bigint AS id) b USING (id)";
    let (written, _) = inferred(sql, &[]).unwrap();
    assert!(written.starts_with("SELECT * FROM t"), "{written}");
}

#[test]
fn a_parameter_has_a_type_or_is_a_column() {
    for (sql, expected) in [
        ("SELECT $1", None),
        ("SELECT $1 IS NULL", Some("42P18")),
        ("SELECT id FROM t WHERE $1 IS NULL OR id = $1", None),
        ("SELECT $2::int", Some("42P18")),
        ("SELECT array[$1, $2]", None),
        ("SELECT $1::int IS NULL", None),
    ] {
        assert_eq!(code(sql), expected, "{sql}");
    }
    let (written, _) = inferred("SELECT array[$1], $1::varchar(2), $1::int", &[]).unwrap();
    assert!(written.contains("pg_array_made(?1"), "{written}");
    assert!(written.contains("substr((?1), 1, 2)"), "{written}");
    assert!(written.contains("pg_int4_of((?1))"), "{written}");
}
