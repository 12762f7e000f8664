use super::*;
use crate::translate::parse;

#[track_caller]
fn code(sql: &str) -> Option<&'static str> {
    let tree = parse(sql).unwrap().unwrap();
    check(&tree).err().map(|error| error.code)
}

#[test]
fn calls_stand_where_postgres_takes_them() {
    for sql in [
        "SELECT sum(sum(a)) OVER (), row_number() OVER (ORDER BY sum(a)) FROM t GROUP BY b",
        "SELECT a FROM t GROUP BY a HAVING sum(b) > 1 AND EXISTS (SELECT 1 FROM u WHERE u.a = sum(t.b))",
        "SELECT a FROM t ORDER BY row_number() OVER w LIMIT 1",
        "SELECT string_agg(DISTINCT t.a, ',' ORDER BY a DESC) FROM t",
        "SELECT CASE WHEN EXISTS (SELECT generate_series(1, 2)) THEN 1 END",
        "SELECT group_concat(DISTINCT a) FILTER (WHERE b) FROM t",
    ] {
        let sql = sql.replace("OVER w", "OVER (ORDER BY a)");
        assert_eq!(code(&sql), None, "{sql}");
    }
}

#[test]
fn calls_elsewhere_have_the_error_of_postgres() {
    for (sql, expected) in [
        ("SELECT a FROM t WHERE row_number() OVER () = 1", "42P20"),
        ("SELECT a FROM t GROUP BY row_number() OVER ()", "42P20"),
        ("SELECT a FROM t JOIN u ON row_number() OVER () = 1", "42P20"),
        ("UPDATE t SET a = row_number() OVER ()", "42P20"),
        ("SELECT sum(row_number() OVER ()) FROM t", "42803"),
        ("SELECT sum(a) FILTER (WHERE rank() OVER () > 1) FROM t", "42P20"),
        ("SELECT rank() OVER (ORDER BY rank() OVER ()) FROM t", "42P20"),
        ("SELECT a FROM t GROUP BY sum(a)", "42803"),
        ("VALUES (count(*))", "42803"),
        ("SELECT a FROM t LIMIT sum(1)", "42803"),
        ("SELECT coalesce(generate_series(1, 2), 0)", "0A000"),
        ("SELECT rank()", "42809"),
        ("SELECT rank(1) OVER ()", "42809"),
        ("SELECT percentile_cont(0.5)", "42809"),
        ("SELECT upper(DISTINCT a) FROM t", "42809"),
        ("SELECT upper(a) FILTER (WHERE true) FROM t", "42809"),
        ("SELECT count() FROM t", "42809"),
        ("SELECT coalesce()", "42601"),
        ("SELECT nullif(1)", "42601"),
        ("SELECT sum(DISTINCT a) OVER () FROM t", "0A000"),
        ("SELECT array_agg(DISTINCT a ORDER BY b) FROM t", "42P10"),
        ("SELECT a FROM t JOIN u USING (a, a)", "42701"),
    ] {
        assert_eq!(code(sql), Some(expected), "{sql}");
    }
}

#[test]
fn windows_are_those_of_the_query() {
    for (window, expected) in [
        ("OVER w FROM t WINDOW w AS (ORDER BY a)", None),
        ("OVER (w ROWS 1 PRECEDING) FROM t WINDOW w AS (ORDER BY a)", None),
        ("OVER (GROUPS 1 PRECEDING) FROM t", Some("42P20")),
        ("OVER nosuch FROM t", Some("42704")),
        ("OVER w FROM t WINDOW w AS (v), v AS ()", Some("42704")),
        ("OVER w FROM t WINDOW w AS (), w AS ()", Some("42P20")),
        ("OVER (w ORDER BY b) FROM t WINDOW w AS (ORDER BY a)", Some("42P20")),
        ("OVER (w PARTITION BY b) FROM t WINDOW w AS (ORDER BY a)", Some("42P20")),
        ("OVER (w) FROM t WINDOW w AS (ROWS 1 PRECEDING)", Some("42P20")),
        ("OVER (ROWS 1 FOLLOWING) FROM t", Some("42P20")),
        ("OVER (ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM t", Some("42P20")),
        ("OVER (ORDER BY a, b RANGE 1 PRECEDING) FROM t", Some("42P20")),
        ("OVER (ORDER BY a ROWS a PRECEDING) FROM t", Some("42P10")),
    ] {
        let sql = format!("SELECT sum(a) {window}");
        assert_eq!(code(&sql), expected, "{sql}");
    }
}
