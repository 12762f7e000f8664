use super::super::{Context, tests::one, translate};

fn inner(sql: &str) -> String {
    one(sql).sql
}

#[test]
fn the_first_row_of_each_key_is_that_with_the_number_one() {
    assert_eq!(
        inner("SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b DESC LIMIT 2"),
        "SELECT `pg_column0` AS `a`, `pg_column1` AS `b` FROM (SELECT *, row_number() OVER (PARTITION BY `pg_column0` \
         ORDER BY `pg_column0` NULLS LAST, `pg_column1` DESC NULLS FIRST) AS `pg_row` FROM (SELECT a AS `pg_column0`, \
         b AS `pg_column1` FROM t LIMIT -1 OFFSET 0) AS `pg_rows`) AS `pg_distinct` WHERE `pg_row` = 1 \
         ORDER BY `pg_distinct`.`pg_column0` NULLS LAST, `pg_distinct`.`pg_column1` DESC NULLS FIRST LIMIT 2"
    );
}

/// ORDER BY would take a column that is shown under the name of another one.
#[test]
fn names_of_the_query_do_not_hide_its_columns() {
    assert_eq!(
        inner(
            "SELECT DISTINCT ON (a) a AS pg_column1, b AS x, c AS \"X\", d AS n FROM t ORDER BY a, n"
        ),
        "SELECT `pg_column0` AS `pg_column1`, `pg_column1` AS `x`, `pg_column2` AS `X`, `n` AS `n` FROM (SELECT *, \
         row_number() OVER (PARTITION BY `pg_column0` ORDER BY `pg_column0` NULLS LAST, `n` NULLS LAST) AS `pg_row` \
         FROM (SELECT a AS `pg_column0`, b AS `pg_column1`, c AS `pg_column2`, d AS `n` FROM t LIMIT -1 OFFSET 0) AS `pg_rows`) \
         AS `pg_distinct` WHERE `pg_row` = 1 ORDER BY `pg_distinct`.`pg_column0` NULLS LAST, `pg_distinct`.`n` NULLS LAST"
    );
}

#[test]
fn keys_are_the_first_of_the_order() {
    let state = |sql: &str| translate(sql, &Context::default()).err().map(|error| error.code);
    for sql in [
        "SELECT DISTINCT ON (a, b) c FROM t ORDER BY b, a, c",
        "SELECT DISTINCT ON (a, b) c FROM t ORDER BY b",
        "SELECT DISTINCT ON (t.a) c FROM t ORDER BY a, c",
        "SELECT DISTINCT ON (x) a + 1 AS x FROM t ORDER BY 1, b",
        "SELECT DISTINCT ON ((x)) a + 1 AS x FROM t ORDER BY (1), b",
        "SELECT DISTINCT ON (2) a, b FROM t ORDER BY T.B, a",
        "SELECT DISTINCT ON (a) a, a FROM t ORDER BY a",
        "SELECT DISTINCT ON ((a)) a FROM t UNION ALL SELECT DISTINCT ON (b) b FROM t ORDER BY 1",
        "SELECT DISTINCT ON ((a - b) - c) 1 FROM t ORDER BY a - b - c, d",
        "SELECT DISTINCT ON (LOWER(a)) 1 FROM t ORDER BY lower(a), d",
        "SELECT DISTINCT ON (a::int) 1 FROM t ORDER BY CAST(a AS int), d",
        "(SELECT DISTINCT ON (a) a, b FROM t) ORDER BY a, b DESC, c",
        "SELECT DISTINCT ON (t.a) 1 FROM t, u ORDER BY a, u.b",
        "SELECT DISTINCT ON (x) a AS x, t.a AS x FROM t",
    ] {
        assert_eq!(state(sql), None, "{sql}");
    }
    for (sql, code) in [
        ("SELECT DISTINCT ON (a) a FROM t ORDER BY b", "42P10"),
        ("SELECT DISTINCT ON (a, b) a FROM t ORDER BY a, c", "42P10"),
        ("SELECT DISTINCT ON (a) a FROM t ORDER BY b, a", "42P10"),
        ("SELECT DISTINCT ON (t.a) 1 FROM t, u ORDER BY u.a", "42P10"),
        ("SELECT DISTINCT ON (a - (b - c)) 1 FROM t ORDER BY a - b - c, d", "42P10"),
        ("SELECT DISTINCT ON (t.a) 1 FROM t LEFT JOIN u USING (a) ORDER BY a, b", "42P10"),
        (
            "SELECT DISTINCT ON ((SELECT u.a FROM u, v)) 1 FROM t ORDER BY (SELECT a FROM u, v), b",
            "42P10",
        ),
        ("(SELECT DISTINCT ON (a) a, b FROM t) ORDER BY b", "42P10"),
        ("SELECT DISTINCT ON (u.a) 1 FROM (t LEFT JOIN u USING (a)) ORDER BY a, b", "42P10"),
        ("SELECT DISTINCT ON (o.a) 1 FROM t, u ORDER BY a, b", "42P10"),
        ("SELECT DISTINCT ON (99999999999) a FROM t", "42601"),
        ("SELECT DISTINCT ON (3) a FROM t", "42P10"),
        ("SELECT DISTINCT ON ('a') a FROM t", "42601"),
        ("SELECT DISTINCT ON (true) a FROM t", "42601"),
        ("SELECT DISTINCT ON (a) a FROM t ORDER BY a, -2.5", "42601"),
        ("SELECT DISTINCT ON (-1) a FROM t", "42P10"),
        ("SELECT DISTINCT ON (x) a AS x, b AS x FROM t", "42702"),
    ] {
        assert_eq!(state(sql), Some(code), "{sql}");
    }
}
