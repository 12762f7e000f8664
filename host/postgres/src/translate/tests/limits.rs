//! What is refused, and what takes little, whatever the text.

use super::*;

/// Why a statement cannot be run, where its types give it no other meaning.
pub fn refusal(sql: &str) -> Option<Error> {
    match translate(sql, &Context::default()) {
        Ok(all) => all.into_iter().find_map(|statement| statement.problem),
        Err(error) => Some(error),
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

#[test]
fn sets_stand_alone() {
    let code = |sql: &str| refusal(sql).map_or(Ok(()), |error| Err(error.code));
    for sql in [
        "SELECT unnest(a), row_number() OVER () FROM t",
        "SELECT unnest(a), sum(1) OVER () FROM t",
        "SELECT unnest(a), stddev(b) FROM t",
        "SELECT unnest(a), public.f(b) FROM t",
        "SELECT generate_series(1, generate_series(1, 2))",
    ] {
        assert_eq!(code(sql), Err("0A000"), "{sql}");
    }
    assert_eq!(code("SELECT unnest(a), upper(b), pg_catalog.format_type(1, 2) FROM t"), Ok(()));
    let sets = |count: usize| format!("SELECT 1{}", ", unnest(a)".repeat(count));
    assert_eq!((code(&sets(100)), code(&sets(101))), (Ok(()), Err("54000")));
}

#[test]
fn a_text_grows_little() {
    let context = Context { user: "u".repeat(2000), ..Context::default() };
    for part in [", user", ", (SELECT user)", "; SELECT user"] {
        let sql = format!("SELECT 1{}", part.repeat(20_000));
        let error = translate(&sql, &context).unwrap_err();
        assert_eq!(error.code, "54000", "{part}");
    }
    let sql = format!("SELECT 1{}", ", left(a, 1)".repeat(20_000));
    assert!(translate(&sql, &Context::default()).is_ok());
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

#[test]
fn any_text_is_translated_or_refused() {
    const WORDS: &[&str] = &[
        "SELECT",
        "FROM",
        "WHERE",
        "t",
        "a",
        "'x'",
        "E'\\n'",
        "$1",
        "::",
        "int",
        "(",
        ")",
        ",",
        "+",
        "LIKE",
        "ANY",
        "CAST",
        "AS",
        "INSERT INTO",
        "VALUES",
        "DEFAULT",
        "CREATE TABLE",
        "serial",
        "PRIMARY KEY",
        "interval",
        "now()",
        "DELETE",
        "USING",
        "ON CONFLICT",
        "DO NOTHING",
        "COPY",
        "STDIN",
        "SET",
        "ORDER BY",
        "[",
        "]",
        "ARRAY",
        "1",
        ";",
        "CASE",
        "WHEN",
        "END",
        "NOT",
        "\"q\"",
        "pg_catalog.",
        "numeric",
        "1e400",
        "date",
        "-",
        "extract",
        "year",
    ];
    arbtest::arbtest(|u| {
        let mut sql = String::new();
        for _ in 0..u.int_in_range(0..=24)? {
            sql.push_str(u.choose(WORDS)?);
            sql.push(' ');
        }
        if u.arbitrary()? {
            sql.push_str(u.arbitrary()?);
        }
        let _ = translate(&sql, &Context::default());
        Ok(())
    });
}

#[test]
fn sets_are_refused_where_they_would_be_counted() {
    for sql in [
        "SELECT count(*), unnest('{1}'::int[])",
        "SELECT unnest('{1}'::int[]) FROM t GROUP BY a",
        "SELECT *, unnest('{1}'::int[]) FROM t",
        "SELECT 1 WHERE unnest('{1}'::int[]) = 1",
    ] {
        assert_eq!(refusal(sql).unwrap().code, "0A000", "{sql}");
    }
    let mut nested = "ARRAY[1]".to_owned();
    for _ in 0..16 {
        nested = format!("ARRAY(SELECT unnest({nested}))");
    }
    let done = translate(&format!("SELECT unnest({nested})"), &Context::default());
    assert!(done.is_err() || done.is_ok_and(|all| all[0].sql.len() < 1 << 20));
}
