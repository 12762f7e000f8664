//! How deep and how large a statement may be. The stack that one takes depends on how the code is compiled: these run as the
//! server is built, `tooling/host server` does it.

use sqlite_wasm_postgres::error::Result;
use sqlite_wasm_postgres::translate::{Context, DEEPEST, SHALLOW, Statement, nesting, translate};
use sqlite_wasm_postgres::types::infer::{Column, Schema, outputs};
use sqlite_wasm_postgres::types::origins::origins;
use sqlite_wasm_postgres::types::parameters::infer;
use sqlite_wasm_postgres::types::{Scalar, Type};

fn one(sql: &str) -> Statement {
    translate(sql, &Context::default()).unwrap().remove(0)
}

/// The beginnings, links and ends of statements that grow to the left.
const CHAINS: &[(&str, &str, &str)] = &[
    ("select '{}'::int", "[]", ""),
    ("create table zz(a int", "[]", ")"),
    ("select 1", " xor 1", ""),
    ("select 1", "\u{a0}xor\u{a0}1", ""),
    ("select 1", " operator(pg_catalog.+) 1", ""),
    ("select 1", " overlaps 1", ""),
    ("select 'a'", " rlike 'a'", ""),
    ("select 'a'", " similar to 'a'", ""),
    ("select 'a'", " collate \"C\"", ""),
    ("select a", " at time zone 'utc'", ""),
    ("select 1", "::int", ""),
    ("select a", " is null", ""),
    ("select a", " isnull", ""),
    ("select a", " is distinct from a", ""),
    ("select a", " between 1 and 2", ""),
    ("select a", "[1]", ""),
    ("select (a)", ".b", ""),
    ("select a", "->'b'", ""),
    ("select a", " in (1, 2)", ""),
    ("select a", " = any(array[1, 2])", ""),
    ("select 1, 2", " union select 1, 2", ""),
    ("select 1, 2", " except all select 1, 2", ""),
    ("values (1), (2)", " intersect values (1), (2)", ""),
    ("select * from t", " join t on true", ""),
    ("select * from t", " pivot(sum(a) for b in (1, 2))", ""),
    ("select case", " when 1 then 2", " end"),
    ("select ", "not ", "1"),
    ("select ", "- ", "1"),
    ("select ", "case when 1 then ", "1"),
    ("select ", "(", "1"),
    ("select ", "f(1, ", "1"),
    ("select ", "interval ", "'1'"),
    ("select 1::", "setof ", "int"),
    ("select 1::", "table(a ", "int"),
    ("select * from ", "(", "t"),
    ("", "explain ", "select 1"),
    ("", "with a as (", "select 1"),
    // What hides the rest from another reader of tokens.
    ("select $a\u{a0}as\u{a0}b$, 1", " xor 1", ""),
];

struct NoTables;

impl Schema for NoTables {
    fn columns(&self, _: &str) -> Option<Vec<Column>> {
        None
    }
}

/// All that is done for a statement.
fn typed(sql: &str) -> Result<()> {
    for mut statement in translate(sql, &Context::default())? {
        let copy = statement.clone();
        infer(&mut statement, &[], &NoTables, &Context::default())?;
        outputs(&copy, &[("a", None)], &NoTables).unwrap();
        origins(&statement, 1, &NoTables).unwrap();
    }
    Ok(())
}

#[test]
fn a_deep_statement_has_types() {
    let sql = format!("SELECT {}1::numeric/3", "0+".repeat(900));
    let mut statement = translate(&sql, &Context::default()).unwrap().remove(0);
    infer(&mut statement, &[], &NoTables, &Context::default()).unwrap();
    assert!(statement.sql.contains("pg_numeric_add(pg_int4_add("), "{}", statement.sql);
    let typed = outputs(&statement, &[("a", None)], &NoTables).unwrap()[0].typed;
    assert_eq!(typed.ty, Type::One(Scalar::Numeric));
}

fn with_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work);
        thread.unwrap().join().unwrap()
    })
}

#[test]
fn long_chains_are_translated_or_refused() {
    for (start, link, end) in CHAINS {
        let sql = format!("{start}{}{end}", link.repeat((1 << 20) / link.len()));
        with_stack(1 << 20, || drop(typed(&sql)));
    }
}

#[test]
fn chains_at_the_limits_fit_the_stacks() {
    for (start, link, end) in CHAINS {
        let of = |room: usize| {
            let sql = |count: usize| format!("{start}{}{end}", link.repeat(count));
            let nested = |count| nesting(&sql(count)).expect("it has tokens");
            let step = nested(11).saturating_sub(nested(1)).div_ceil(10).max(1);
            sql(room.saturating_sub(20) / step)
        };
        with_stack(1 << 20, || drop(typed(&of(SHALLOW))));
        with_stack(1 << 20, || drop(typed(&of(DEEPEST))));
    }
}

#[test]
fn deep_statements_do_not_overflow_the_stack() {
    let sum = format!("SELECT 1{}", "+1".repeat(999));
    assert_eq!(one(&sum).sql, sum);
    let casts = format!("SELECT a{}", "::int".repeat(200));
    assert!(one(&casts).sql.len() < 4000);
    let lefts = format!("SELECT {}a{}", "left(".repeat(20), ", $1)".repeat(20));
    assert!(one(&lefts).sql.len() < 4000);
    let union = format!("SELECT 1{}", " UNION SELECT 1".repeat(499));
    assert_eq!(one(&union).sql, union);
}

/// The parser tries some constructs in more than one way; that must not double with each level.
#[test]
fn nested_statements_take_little_time() {
    for (open, inner, close) in [
        ("(", "1", ")"),
        ("f(", "1", ")"),
        ("(SELECT ", "1", ")"),
        ("CASE WHEN ", "1", " THEN 1 END"),
        ("ARRAY[", "1", "]"),
        ("CAST(", "1", " AS int)"),
        ("interval ", "'1 day'", ""),
        ("(1, ", "1", ")"),
        ("a IN (", "1", ")"),
        ("EXISTS (SELECT ", "1", ")"),
        ("NOT ", "1", ""),
        ("- ", "1", ""),
        ("* FROM (", "t", ")"),
        ("* FROM (SELECT * FROM ", "t", ") AS x"),
        ("* FROM t JOIN (", "t", ")"),
        ("1 UNION (SELECT ", "1", ")"),
        ("a[", "1", "]"),
        ("date_trunc('quarter', ", "a", ")"),
        ("left(", "a", ", 1)"),
        ("extract(year FROM ", "a", ")"),
        ("substring(", "a", " from 1)"),
    ] {
        for depth in [20, 48] {
            let begun = std::time::Instant::now();
            let sql = format!("SELECT {}{inner}{}", open.repeat(depth), close.repeat(depth));
            let _ = translate(&sql, &Context::default());
            assert!(begun.elapsed().as_secs() < 5, "{sql} takes {:?}", begun.elapsed());
        }
    }
}
