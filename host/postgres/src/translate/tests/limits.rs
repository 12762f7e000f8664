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
