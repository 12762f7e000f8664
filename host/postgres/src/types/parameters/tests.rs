mod declared;
mod refusals;

use super::super::infer::{Column, Schema};
use super::*;
use crate::translate::{Context, translate};

struct Tables;

impl Schema for Tables {
    fn columns(&self, table: &str) -> Option<Vec<Column>> {
        let columns = match table {
            "t" => &[("id", "bigint"), ("name", "text"), ("made", "timestamptz")][..],
            "all_types" => &[
                ("i", "int"),
                ("n", "numeric"),
                ("d", "date"),
                ("ts", "timestamp"),
                ("ok", "boolean"),
                ("u", "uuid"),
                ("b", "bytea"),
                ("a", "int[]"),
                ("v", "varchar(3)"),
            ],
            _ => return None,
        };
        let column = |(name, declared): &(&str, &str)| Column {
            name: (*name).into(),
            declared: (*declared).into(),
            ..Column::default()
        };
        Some(columns.iter().map(column).collect())
    }
}

fn inferred(sql: &str, given: &[u32]) -> Result<(String, Vec<Parameter>)> {
    let context = Context::default();
    let mut statement = translate(sql, &context)?.remove(0);
    let parameters = infer(&mut statement, given, &Tables, &context)?;
    Ok((statement.sql, parameters))
}

fn oids(sql: &str, given: &[u32]) -> Vec<u32> {
    inferred(sql, given).unwrap().1.into_iter().map(|parameter| parameter.ty.oid()).collect()
}

#[test]
fn parameters_have_the_types_of_their_columns() {
    for (sql, expected) in [
        ("SELECT * FROM t WHERE id = $1 AND name = $2", vec![20, 25]),
        ("SELECT * FROM t AS x WHERE x.made > $1", vec![1184]),
        ("INSERT INTO t VALUES ($1, $2, $3)", vec![20, 25, 1184]),
        ("INSERT INTO t(made, id) VALUES ($1, $2), ($3, $4)", vec![1184, 20, 1184, 20]),
        ("UPDATE t SET made = $1 WHERE id = $2", vec![1184, 20]),
        ("DELETE FROM t WHERE made < $1", vec![1184]),
        ("SELECT $1::int + 1", vec![23]),
        ("SELECT * FROM t WHERE id = ANY($1)", vec![1016]),
        ("SELECT * FROM t WHERE id IN ($1, $2)", vec![20, 20]),
        ("SELECT * FROM t WHERE id BETWEEN $1 AND $2", vec![20, 20]),
        ("SELECT * FROM t LIMIT $1 OFFSET $2", vec![20, 20]),
        ("SELECT $1", vec![25]),
        (
            "SELECT * FROM t WHERE EXISTS (SELECT 1 FROM t AS u WHERE u.id = t.id AND u.id = $1)",
            vec![20],
        ),
        ("INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET made = $1", vec![1184]),
    ] {
        assert_eq!(oids(sql, &[]), expected, "{sql}");
    }
    assert_eq!(oids("SELECT * FROM t WHERE id = $1 AND name = $2", &[23, 0]), [23, 25]);
    assert_eq!(oids("PRAGMA x($2)", &[]), [25, 25]);
}

fn problem(sql: &str) -> Option<String> {
    inferred(sql, &[]).err().map(|error| format!("{} {}", error.code, error.message))
}

#[test]
fn sums_of_dates_are_planned_or_refused() {
    for (sql, code) in [
        ("SELECT made + 1 FROM t", "42883"),
        ("UPDATE t SET made = made + 1", "42883"),
        ("SELECT made * 2 FROM t", "42883"),
        ("CREATE VIEW v AS SELECT made - made AS x FROM t", "0A000"),
    ] {
        assert!(
            problem(sql).is_some_and(|text| text.starts_with(code)),
            "{sql}: {:?}",
            problem(sql)
        );
    }
    for (sql, part) in [
        ("SELECT current_date - 7", "pg_date_sub("),
        ("SELECT made - date '2024-01-01' FROM t", "pg_interval_moment_sub(made, "),
        ("SELECT made - '1 day'::interval * 2 FROM t", "pg_timestamptz_sub(made, pg_interval_mul("),
        ("SELECT made + '1 day' FROM t", "pg_timestamptz_add(made, pg_interval_of('1 day'))"),
    ] {
        let (found, _) = inferred(sql, &[]).unwrap();
        assert!(found.contains(part), "{sql}: {found}");
    }
    for sql in [
        "SELECT made + interval '1 day' FROM t",
        "SELECT interval '1 day' + made FROM t WHERE made > now() - interval '1 hour'",
        "SELECT id + 1, made > '2024-01-01' FROM t",
    ] {
        assert_eq!(problem(sql), None, "{sql}");
    }
}

/// A statement, and how SQLite gets it.
const TYPED: &[(&str, &str)] = &[
    ("SELECT 1 FROM all_types WHERE d < '2024-2-15'", "d < '2024-02-15'"),
    ("SELECT 1 FROM all_types x WHERE x.d IN ('2024-2-15', $1)", "x.d IN ('2024-02-15', ?1)"),
    ("SELECT 1 FROM all_types WHERE d BETWEEN '1/2/2024' AND '2024-03-01'", "'2024-01-02' AND"),
    ("SELECT 1 FROM all_types WHERE ts >= '2024-01-01T10:00'", "ts >= '2024-01-01 10:00:00'"),
    ("SELECT 1 FROM all_types WHERE (d, i) > ('2024-2-1', '5')", "(d, i) > ('2024-02-01', 5)"),
    (
        "SELECT 1 FROM all_types WHERE i + 1 = ' 7 '",
        "CASE WHEN typeof(i) = 'integer' AND i + 1 BETWEEN -2147483648 AND 2147483647 THEN i + 1 \
         ELSE pg_int4_add(i, 1) END = 7",
    ),
    ("SELECT (i + 1) * 2 FROM all_types", "ELSE pg_int4_add(i, 1) END"),
    ("SELECT sum(i) + 1 FROM all_types", "pg_int8_add("),
    ("SELECT 1 FROM all_types WHERE ok = 't' AND 'no'", "ok = 1 AND 0"),
    ("SELECT 1 FROM all_types WHERE NOT 'f'", "NOT 0"),
    ("SELECT 1 FROM all_types WHERE u = '{A0EEBC999C0B4EF8BB6D6BB9BD380A11}'", "'a0eebc99-9c0b-"),
    ("SELECT 1 FROM all_types WHERE b = '\\x00ff'", "b = x'00ff'"),
    ("SELECT 1 FROM all_types WHERE a = '{1, 2}'", "pg_array_of('{1, 2}', '_int4')"),
    ("SELECT 1 FROM all_types WHERE d = ANY('{2024-1-1}')", "pg_array_of('{2024-1-1}', '_date')"),
    (
        "SELECT 1 FROM all_types WHERE d = ANY(ARRAY['2024-1-1'])",
        "pg_array_made('2024-01-01', '_date')",
    ),
    ("SELECT coalesce(d, '2024-1-1') FROM all_types", "coalesce(d, '2024-01-01')"),
    ("SELECT CASE WHEN ok THEN d ELSE '2024-1-1' END FROM all_types", "ELSE '2024-01-01'"),
    ("SELECT CASE d WHEN '2024-1-1' THEN 'x' END FROM all_types", "WHEN '2024-01-01' THEN 'x'"),
    ("SELECT '5' = 5, 5 = E' 5'", "5 = 5, 5 = 5"),
    ("SELECT 1 FROM t UNION SELECT 2 FROM all_types WHERE d = '2024-1-1'", "d = '2024-01-01'"),
    (
        "WITH x AS (SELECT d AS e FROM all_types) SELECT 1 FROM x WHERE e = '2024-1-1'",
        "'2024-01-01'",
    ),
    ("SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM all_types WHERE d = '2024-1-1')", "'2024-01-01'"),
    ("INSERT INTO all_types(d, ok) VALUES ('Feb 3 2024', 'yes')", "('2024-02-03', 1)"),
    ("INSERT INTO all_types(d) SELECT '2024-1-1'", "SELECT '2024-01-01'"),
    ("INSERT INTO all_types(d) VALUES ('today')", "(date('now'))"),
    ("INSERT INTO all_types(v) VALUES ('abc   ')", "('abc')"),
    ("INSERT INTO all_types(d) VALUES (NULL) ON CONFLICT (d) DO UPDATE SET ok = 't'", "ok = 1"),
    (
        "UPDATE all_types SET d = '2024-1-1', (ts, ok) = ('2024-1-2', 'f')",
        "('2024-01-02 00:00:00', 0)",
    ),
    ("UPDATE t SET name = '5' FROM all_types WHERE d = '2024-1-1'", "d = '2024-01-01'"),
    ("DELETE FROM all_types WHERE d = '2024-1-1'", "d = '2024-01-01'"),
    (
        "CREATE TABLE x(d date DEFAULT '2024-1-1' CONSTRAINT c CHECK (d > '2023-1-1'))",
        "'2024-01-01' CONSTRAINT c CHECK (/* SQL eed81462: d > '2023-1-1' */ d > '2023-01-01')",
    ),
    (
        "CREATE TABLE x(ok boolean DEFAULT 't', i int DEFAULT '5', v text DEFAULT 't')",
        "DEFAULT true, i INT DEFAULT 5, v TEXT DEFAULT 't'",
    ),
    ("CREATE INDEX i ON all_types(d) WHERE d > '2024-1-1'", "'2024-01-01'"),
    ("COPY (SELECT 1 FROM all_types WHERE d = '2024-1-1') TO STDOUT", "d = '2024-01-01'"),
    ("DECLARE c CURSOR FOR SELECT 1 FROM all_types WHERE d = '2024-1-1'", "d = '2024-01-01'"),
    ("EXPLAIN SELECT 1 FROM all_types WHERE d = '2024-1-1'", "d = '2024-01-01'"),
    // Of different lengths.
    ("SELECT 1 FROM all_types WHERE d > ts", "pg_timestamp_of(d) > ts"),
    ("SELECT 1 FROM all_types WHERE ts = date '2024-1-1'", "ts = pg_timestamp_of('2024-01-01')"),
    ("INSERT INTO all_types(d, ts) VALUES (now(), current_date)", "(pg_date_of("),
    ("UPDATE all_types SET ts = d", "ts = pg_timestamp_of(d)"),
    // A boolean's text.
    ("SELECT true::text", "CAST(CASE (true) WHEN 1 THEN 'true' WHEN 0 THEN 'false' END AS TEXT)"),
    ("SELECT 'x' || (i = 1) FROM all_types", "'x' || CASE ((i = 1)) WHEN 1 THEN"),
];

#[test]
fn strings_become_values_of_their_types() {
    let mut others = Vec::new();
    for (sql, part) in TYPED {
        let (found, _) = inferred(sql, &[]).unwrap_or_else(|error| panic!("{sql}: {error}"));
        others.extend((!found.contains(part)).then(|| format!("{sql}: {found}")));
    }
    assert_eq!(others, Vec::<String>::new());
    // What SQLite has as it is, and what has no type.
    for sql in [
        "SELECT 1 FROM t WHERE name = '2024-1-1' AND made > '2024-01-01 00:00:00'",
        "SELECT 1 FROM all_types WHERE d = '2024-01-01' OR v = 'longer'",
        "SELECT 1 FROM unknown WHERE d = '2024-1-1' AND ok = 't'",
        "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM json_each('[]') WHERE id = 'x')",
        "SELECT '2024-1-1', coalesce('a', 'b')",
    ] {
        assert_eq!(inferred(sql, &[]).unwrap().0, sql);
    }
}

#[test]
fn strings_that_are_none_of_their_types_are_refused() {
    for (sql, expected) in [
        (
            "INSERT INTO all_types(d) VALUES ('garbage')",
            "22007 invalid input syntax for type date: \"garbage\"",
        ),
        (
            "SELECT 1 FROM all_types WHERE d < '2024-02-30'",
            "22008 date/time field value out of range: \"2024-02-30\"",
        ),
        (
            "SELECT 1 FROM all_types WHERE i = 'x'",
            "22P02 invalid input syntax for type integer: \"x\"",
        ),
        (
            "UPDATE all_types SET i = '3000000000'",
            "22003 value \"3000000000\" is out of range for type integer",
        ),
        (
            "SELECT 1 FROM all_types WHERE ok = 'maybe'",
            "22P02 invalid input syntax for type boolean: \"maybe\"",
        ),
        (
            "SELECT coalesce(u, 'x') FROM all_types",
            "22P02 invalid input syntax for type uuid: \"x\"",
        ),
        (
            "INSERT INTO all_types(v) VALUES ('abcd')",
            "22001 value too long for type character varying(3)",
        ),
        (
            "INSERT INTO all_types(ts) VALUES ('infinity')",
            "0A000 the timestamp without time zone 'infinity' here is not supported",
        ),
        ("CREATE TABLE x(d date DEFAULT 'x')", "22007 invalid input syntax for type date: \"x\""),
        ("CREATE TABLE x(d date DEFAULT 'today')", "0A000 DEFAULT 'today' is not supported"),
        ("SELECT ARRAY[[1]]", "0A000 arrays of more than one dimension is not supported"),
        ("SELECT '1e400'::float8", "22003 \"1e400\" is out of range for type double precision"),
        ("SELECT date 'garbage'", "22007 invalid input syntax for type date: \"garbage\""),
    ] {
        assert_eq!(problem(sql).as_deref(), Some(expected), "{sql}");
    }
}

#[test]
fn parameters_know_the_columns_that_they_are_stored_in() {
    let (_, parameters) = inferred("UPDATE all_types SET v = $1 WHERE v = $2", &[25]).unwrap();
    let value =
        |index: usize, text: &str| parameters[index].value(Some(text.as_bytes()), Format::Text);
    assert_eq!(parameters[0].ty, TEXT);
    assert_eq!(value(0, "abcd").unwrap_err().code, "22001");
    assert!(value(0, "abc").is_ok() && value(1, "abcd").is_ok());
}

#[test]
fn computed_columns_keep_their_names_and_types() {
    for (sql, part) in [
        (
            "CREATE VIEW v AS SELECT n * 2 AS m, n, d FROM all_types",
            "AS /* types: \"m\" numeric */ /* SQL 34bf8651: SELECT n \\a 2 AS m, n, d FROM all_types */ SELECT pg_numeric_mul(",
        ),
        (
            "CREATE VIEW v(x) AS SELECT count(*) FROM t",
            "(x) AS /* types: \"x\" bigint */ /* SQL d031bec5: SELECT count(\\a) AS x FROM t */ SELECT count(*)",
        ),
        ("CREATE VIEW v AS SELECT id FROM t", "CREATE VIEW v AS SELECT id FROM t"),
        (
            "CREATE VIEW v AS WITH x AS (SELECT n * 2 AS nn FROM all_types) SELECT nn FROM x",
            "SELECT pg_numeric_of(nn) COLLATE pg_numeric AS \"nn\" FROM x",
        ),
        (
            "SELECT n FROM (SELECT n FROM all_types UNION ALL SELECT 3.1) q ORDER BY n",
            "SELECT pg_numeric_of(n) COLLATE pg_numeric AS `n` FROM all_types UNION ALL",
        ),
        (
            "SELECT 2.5 IN (SELECT 2.50)",
            "'2.5' COLLATE pg_numeric IN (SELECT '2.50' COLLATE pg_numeric)",
        ),
        (
            "SELECT 2.5 IN (VALUES (2.50))",
            "'2.5' COLLATE pg_numeric IN (VALUES ('2.50' COLLATE pg_numeric))",
        ),
        (
            "SELECT count(DISTINCT n) FROM (VALUES (1.0), (1)) v(n)",
            "count(DISTINCT pg_numeric_of(n) COLLATE pg_numeric)",
        ),
        ("INSERT INTO all_types(d) SELECT ts FROM all_types", "SELECT pg_date_of(ts)"),
        (
            "INSERT INTO all_types(n) SELECT i FROM all_types UNION ALL SELECT 2.5",
            "pg_stored_numeric(",
        ),
        (
            "WITH q AS (SELECT 1 AS k) INSERT INTO t(id) SELECT k FROM q",
            "INSERT INTO t (id) WITH q AS",
        ),
        (
            "WITH q AS (SELECT 1 AS k) DELETE FROM t USING q WHERE k = id",
            "DELETE FROM t WHERE EXISTS",
        ),
    ] {
        let (found, _) = inferred(sql, &[]).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert!(found.contains(part), "{sql}: {found}");
    }
    for sql in [
        "WITH q AS (SELECT 'zz' AS k) INSERT INTO all_types(i) SELECT k FROM q",
        "INSERT INTO all_types(i) SELECT * FROM (SELECT 'zz' AS k) q",
        "INSERT INTO all_types(i) SELECT name FROM t UNION ALL SELECT name FROM t",
    ] {
        assert!(problem(sql).is_some_and(|text| text.starts_with("42804")), "{sql}");
    }
}

#[test]
fn a_query_makes_a_table_of_its_types() {
    let context = Context::default();
    let sql = "CREATE TEMP TABLE c AS SELECT n, n * 2 AS m, d, a, ok, v FROM all_types";
    let mut statement = translate(sql, &context).unwrap().remove(0);
    infer(&mut statement, &[], &Tables, &context).unwrap();
    assert_eq!(
        statement.before,
        [
            "CREATE TEMPORARY TABLE \"c\" (\"n\" NUMERIC, \"m\" NUMERIC, \"d\" DATE, \"a\" \"integer[]\" TEXT, \"ok\" BOOLEAN, \"v\" CHARACTER VARYING(3))"
        ]
    );
    assert!(statement.sql.starts_with("INSERT INTO `c` SELECT n, pg_stored_numeric("));
    assert_eq!(statement.command, "SELECT");
}

#[test]
fn a_view_has_its_types_in_a_comment() {
    use super::super::view::types;
    let sql = "CREATE VIEW v AS /* types: \"a\"\"b\" numeric; \"c; d\" timestamp with time zone */ SELECT 1";
    let expected = [("a\"b", "numeric"), ("c; d", "timestamp with time zone")];
    assert_eq!(types(sql), expected.map(|(name, ty)| (name.to_owned(), ty.to_owned())));
    assert_eq!(types("CREATE VIEW v AS SELECT 1 /* types */"), []);
    arbtest::arbtest(|u| {
        let rest: String = u.arbitrary()?;
        types(&format!("{}{rest}", super::super::view::BEGIN));
        Ok(())
    });
}

#[test]
fn definitions_keep_what_was_written() {
    use postgres_types::comments::sourced;
    for (sql, written, translated) in [
        ("CREATE TABLE x(a text CHECK (a LIKE '\\a%'))", "a LIKE '\\a%'", "(a GLOB 'a*')"),
        ("CREATE TABLE x(a text, CHECK (a ~ 'b'))", "a ~ 'b'", "pg_regex(a, 'b', '')"),
        ("CREATE INDEX i ON t(id) WHERE name LIKE 'a%'", "name LIKE 'a%'", "(name GLOB 'a*')"),
        (
            "CREATE VIEW v AS SELECT id FROM t WHERE name LIKE 'a'",
            "SELECT id FROM t WHERE name LIKE 'a'",
            "SELECT id FROM t WHERE (name GLOB 'a')",
        ),
    ] {
        let (found, _) = inferred(sql, &[]).unwrap();
        let expected = sourced(written, translated);
        assert!(found.contains(&expected), "{found}: {expected}");
    }
    for sql in [
        "CREATE TABLE x(a int DEFAULT 1 + 2, b timestamp DEFAULT CURRENT_TIMESTAMP, CHECK (a > 0))",
        "CREATE VIEW v AS select id  from t order by id",
        "CREATE INDEX i ON t(lower(name))",
    ] {
        assert!(!inferred(sql, &[]).unwrap().0.contains("/*"), "{sql}");
    }
}

#[test]
fn objects_are_found_by_computed_names() {
    let sql = "SELECT 5::oid UNION ALL SELECT 'pg_class'::regclass";
    let expected = "SELECT CAST(5 AS INTEGER) UNION ALL SELECT coalesce(to_regclass('pg_class'), pg_session('no_relation', 'pg_class'))";
    assert_eq!(inferred(sql, &[]).unwrap().0, expected);
    let sql = "SELECT count(*) FROM t WHERE id = ('\"' || name || '\"')::\"regtype\"";
    let found = inferred(sql, &[]).unwrap().0;
    assert!(found.contains("to_regtype("), "{found}");
}
