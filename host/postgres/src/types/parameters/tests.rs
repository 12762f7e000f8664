use super::super::infer::{Column, Schema};
use super::*;
use crate::translate::{Context, translate};

struct Tables;

impl Schema for Tables {
    fn columns(&self, table: &str) -> Option<Vec<Column>> {
        let columns = [("id", "bigint"), ("name", "text"), ("made", "timestamptz")];
        let column = |(name, declared): (&str, &str)| Column {
            name: name.into(),
            declared: declared.into(),
        };
        (table == "t").then(|| columns.map(column).into())
    }
}

fn oids(sql: &str, given: &[u32]) -> Vec<u32> {
    let statement = translate(sql, &Context::default()).unwrap().remove(0);
    infer(&statement, given, &Tables).unwrap().into_iter().map(Type::oid).collect()
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
    let statement = translate(sql, &Context::default()).unwrap().remove(0);
    infer(&statement, &[], &Tables).err().map(|error| error.to_string())
}

#[test]
fn sums_of_dates_need_a_constant_interval() {
    for sql in [
        "SELECT made + 1 FROM t",
        "UPDATE t SET made = made + 1",
        "SELECT * FROM t WHERE id > (made - x.made) OR id = 2",
        "SELECT current_date - 7",
        "SELECT made - date '2024-01-01' FROM t",
        "SELECT made - '1 day'::interval * 2 FROM t",
        "DELETE FROM t WHERE made - 7 < $1",
    ] {
        assert!(problem(sql).is_some_and(|text| text.contains("is not supported")), "{sql}");
    }
    for sql in [
        "SELECT made + interval '1 day' FROM t",
        "SELECT interval '1 day' + made FROM t WHERE made > now() - interval '1 hour'",
        "SELECT id + 1, made > '2024-01-01' FROM t",
    ] {
        assert_eq!(problem(sql), None, "{sql}");
    }
}

#[test]
fn booleans_are_not_in_quotes() {
    for sql in ["SELECT * FROM t WHERE (id = 1) = 't'", "SELECT * FROM t WHERE id = 1 AND 'no'"] {
        assert!(problem(sql).is_some_and(|text| text.contains("as a boolean")), "{sql}");
    }
    assert_eq!(problem("SELECT * FROM t WHERE name = 't' AND (id = 1) = true"), None);
}
