use super::*;
use crate::translate::{Context, translate};

/// `t(id integer, name varchar(9), price numeric(10,2), made timestamptz, flag boolean, big bigint)`.
pub struct Tables;

impl Schema for Tables {
    fn columns(&self, table: &str) -> Option<Vec<Column>> {
        let columns: &[(&str, &str)] = match table {
            "t" => &[
                ("id", "integer"),
                ("name", "varchar(9)"),
                ("price", "numeric(10,2)"),
                ("made", "timestamptz"),
                ("flag", "boolean"),
                ("big", "bigint"),
            ],
            "u" => &[("id", "bigint"), ("day", "date")],
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

fn types(sql: &str, count: usize) -> Vec<(String, u32)> {
    let statement = translate(sql, &Context::default()).unwrap().remove(0);
    let prepared = vec![("?", None); count];
    let outputs = outputs(&statement, &prepared, &Tables).unwrap();
    outputs.into_iter().map(|output| (output.name, output.typed.ty.oid())).collect()
}

#[test]
fn expressions_have_the_types_of_postgres() {
    for (expression, oid, name) in [
        ("1", 23, "?column?"),
        ("3000000000", 20, "?column?"),
        ("1.5", 1700, "?column?"),
        ("'x'", 25, "?column?"),
        ("true", 16, "?column?"),
        ("id + 1", 23, "?column?"),
        ("id + big", 20, "?column?"),
        ("price * 2", 1700, "?column?"),
        ("id > 3 AND flag", 16, "?column?"),
        ("name || 'x'", 25, "?column?"),
        ("count(*)", 20, "count"),
        ("sum(id)", 20, "sum"),
        ("sum(price)", 1700, "sum"),
        ("avg(id)", 1700, "avg"),
        ("max(made)", 1184, "max"),
        ("coalesce(big, 0)", 20, "coalesce"),
        ("now()", 1184, "now"),
        ("CURRENT_DATE", 1082, "current_date"),
        ("id::bigint", 20, "id"),
        ("'2026-01-01'::date", 1082, "date"),
        ("date '2026-01-01' + interval '1 day'", 1114, "?column?"),
        ("CASE WHEN flag THEN id ELSE big END", 20, "big"),
        ("EXISTS (SELECT 1)", 16, "exists"),
        ("length(name)", 23, "length"),
        ("ARRAY[1, 2]", 1007, "array"),
        ("row_number() OVER (ORDER BY id)", 20, "row_number"),
        ("t.name", 1043, "name"),
        ("price AS Cost", 1700, "cost"),
        ("-id", 23, "?column?"),
        ("random()", 701, "random"),
        ("nosuch(id)", 25, "nosuch"),
    ] {
        let sql = format!("SELECT {expression} FROM t");
        assert_eq!(types(&sql, 1), [(name.to_owned(), oid)], "{expression}");
    }
}

#[test]
fn columns_of_subqueries_joins_and_returning_are_found() {
    for (sql, count, oids) in [
        ("SELECT x.n FROM (SELECT count(*) AS n FROM t) x", 1, vec![20]),
        ("WITH w(a) AS (SELECT day FROM u) SELECT max(a) FROM w", 1, vec![1082]),
        ("SELECT max(u.day), max(t.id) FROM t JOIN u ON t.id = u.id", 2, vec![1082, 23]),
        ("INSERT INTO t(id) VALUES (1) RETURNING id + 1", 1, vec![23]),
        ("UPDATE t SET id = 1 RETURNING max(big, 1)", 1, vec![20]),
        ("DELETE FROM u RETURNING day", 1, vec![1082]),
        ("SELECT *, 1.5 FROM u", 3, vec![20, 1082, 1700]),
        ("SELECT 1 UNION SELECT 2", 1, vec![23]),
        (
            "SELECT g, s.x FROM generate_series(1, $1) AS g, generate_series(1, 2) AS s(x)",
            2,
            vec![23, 23],
        ),
        ("VALUES (1, 'a')", 2, vec![23, 25]),
        ("SELECT *, * FROM u", 4, vec![20, 1082, 20, 1082]),
        ("SELECT *, * FROM json_each('[]')", 4, vec![25, 25, 25, 25]),
        (
            "SELECT x.* FROM (SELECT NOT flag, price * 2, ARRAY[id] FROM t) x",
            3,
            vec![16, 1700, 1007],
        ),
        (
            "WITH c AS (SELECT flag, price * 2 AS p FROM t) SELECT c.*, p FROM c",
            3,
            vec![16, 1700, 1700],
        ),
        (
            "SELECT v.*, g.* FROM (VALUES (1, true), (2.5, false)) v, unnest(ARRAY[1.5]) g",
            3,
            vec![1700, 16, 1700],
        ),
        (
            "SELECT * FROM u JOIN (SELECT id, true AS yes FROM t) q USING (id)",
            3,
            vec![20, 1082, 16],
        ),
        ("SELECT * FROM u NATURAL JOIN (SELECT 1 AS id, true AS yes) q", 3, vec![20, 1082, 16]),
        ("SELECT x FROM (SELECT 7 AS x UNION ALL SELECT 2.5) q", 1, vec![1700]),
        ("SELECT * FROM (SELECT NULL AS x UNION ALL SELECT day FROM u) q", 1, vec![1082]),
        ("SELECT NULL UNION ALL SELECT day FROM u", 1, vec![1082]),
        (
            "WITH RECURSIVE q(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM q) SELECT sum(x) FROM q",
            1,
            vec![20],
        ),
        ("SELECT (SELECT t.price + u.id FROM u) FROM t", 1, vec![1700]),
        ("SELECT (SELECT max(e) FROM unnest(t.made) e) FROM t", 1, vec![25]),
        (
            "WITH q AS (SELECT 1 AS k) UPDATE t SET id = k FROM q RETURNING price / 3, flag",
            2,
            vec![1700, 16],
        ),
        ("WITH q AS (SELECT 1 AS k) INSERT INTO t(id) SELECT k FROM q RETURNING flag", 1, vec![16]),
        ("SELECT nullif(1, 2.0), max(name), |/ 16.0 FROM t", 3, vec![1700, 25, 701]),
    ] {
        let found: Vec<_> = types(sql, count).into_iter().map(|(_, oid)| oid).collect();
        assert_eq!(found, oids, "{sql}");
    }
}

#[test]
fn what_sqlite_declares_comes_first() {
    let statement = translate("SELECT * FROM t", &Context::default()).unwrap().remove(0);
    let outputs =
        outputs(&statement, &[("id", Some("BIGINT")), ("Odd", Some("geometry"))], &Tables).unwrap();
    assert_eq!((outputs[0].typed.ty.oid(), outputs[1].typed.ty.oid()), (20, 25));
    assert_eq!(outputs[1].name, "Odd");
}
