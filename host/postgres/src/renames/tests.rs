use postgres_types::comments::{source, sourced};

use super::*;

fn shown(sql: &str, from: &str) -> String {
    let at = sql.find(from).unwrap_or_else(|| panic!("{sql}"));
    source(sql[at + from.len()..].trim_end_matches(')'))
}

/// What a view shows when its translation has changed.
fn view(written: &str, old: &str, new: &str) -> String {
    let text = format!("CREATE VIEW v AS {}", sourced(written, old));
    let renamed = format!("{}{new}", text.strip_suffix(old).unwrap());
    shown(&followed(&text, &renamed).unwrap(), " AS ")
}

#[test]
fn texts_of_the_client_follow() {
    let old = sourced("a ILIKE '%a' */", "a LIKE '%a'");
    let table = format!("CREATE TABLE t(a TEXT CHECK ({old}), b INT)");
    let renamed = table.replace("t(a", "t(\"b c\"").replace("/ a LIKE", "/ \"b c\" LIKE");
    let new = followed(&table, &renamed).unwrap();
    assert_eq!(shown(&new.replace("), b INT", ""), "CHECK ("), "\"b c\" ILIKE '%a' */");
    // Nothing is changed that belongs to another name, or does not belong to its text any more.
    assert_eq!(
        followed(&table, &table.replace("b INT", "c INT")).unwrap(),
        table.replace("b INT", "c INT")
    );
    let stale = table.replace("'%a')", "'%b')");
    let renamed = stale.replace("/ a LIKE", "/ c LIKE");
    assert_eq!(followed(&stale, &renamed).unwrap(), renamed);

    let index = |name: &str| {
        let element = sourced("upper(a) || 'a'", &format!("pg_upper({name}) || 'a'"));
        let condition = sourced("a ~ 'x'", &format!("pg_regex({name}, 'x')"));
        format!("CREATE INDEX i ON t (({element}) DESC, b) WHERE {condition}")
    };
    let renamed =
        index("a").replace("upper(a) || 'a')", "upper(z) || 'a')").replace("regex(a,", "regex(z,");
    let new = followed(&index("a"), &renamed).unwrap();
    assert!(new.contains("upper(z) || 'a' */") && new.contains("z ~ 'x' */"), "{new}");
}

#[test]
fn only_what_is_meant_is_renamed() {
    let written = "SELECT date, x::date, CAST(y AS date), date '2020-01-01', date(z) FROM t";
    let translated = "SELECT date, pg_date(x), CAST(y AS date), '2020-01-01', date(z) FROM t";
    assert_eq!(
        view(written, translated, &translated.replace("SELECT date", "SELECT d")),
        written.replace("SELECT date", "SELECT d")
    );
    // Two tables have the name, or it is an alias too.
    for (old, new) in [
        ("SELECT p.a, q.a FROM p, q", "SELECT p.a, q.z FROM p, q"),
        ("SELECT A AS a FROM t", "SELECT \"Z\" AS a FROM t"),
    ] {
        assert_eq!(view(old, old, new), new);
    }
    assert_eq!(
        view("SELECT * FROM t", "SELECT a, b FROM t", "SELECT z, b FROM t"),
        "SELECT * FROM t"
    );
    // An alias that the translation has not.
    assert_eq!(
        view("SELECT a AS a FROM t", "SELECT a FROM t", "SELECT z FROM t"),
        "SELECT z AS a FROM t"
    );
    let wrapped = |name: &str| {
        format!(
            "SELECT * FROM (WITH q AS MATERIALIZED (SELECT {name} FROM t) SELECT * FROM q) AS named (\"a\")"
        )
    };
    let query = |name: &str| format!("WITH q AS (SELECT {name} FROM t) SELECT * FROM q");
    assert_eq!(view(&wrapped("a"), &query("a"), &query("z")), wrapped("z"));
    let text = |query: &str| {
        let text = sourced("SELECT a, a, a", "SELECT p.a, q.a");
        format!("CREATE VIEW v AS {}{query}", text.strip_suffix("SELECT p.a, q.a").unwrap())
    };
    let ambiguous = followed(&text("SELECT p.a, q.a"), &text("SELECT p.a, q.z")).unwrap_err();
    assert_eq!(ambiguous.code, "0A000");
}

#[test]
fn columns_of_views_keep_their_names() {
    let named = |sql: &str, names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        with_columns(sql, &names).unwrap()
    };
    let new = named("CREATE VIEW v AS SELECT z, b FROM t", &["a", "b"]);
    assert!(new.starts_with("CREATE VIEW v(\"a\", \"b\") AS /* SQL "), "{new}");
    assert!(new.ends_with("*/ SELECT z, b FROM t"), "{new}");
    assert_eq!(shown(&new, ") AS "), "SELECT z AS a, b FROM t");
    let typed = format!(
        "CREATE VIEW \"v w\" AS /* types: \"x\" text */ {}",
        sourced("SELECT z, b::text AS x FROM t", "SELECT z, CAST(b AS text) AS x FROM t")
    );
    let new = named(&typed, &["A b", "x"]);
    assert!(
        new.starts_with("CREATE VIEW \"v w\"(\"A b\", \"x\") AS /* types: \"x\" text */ /* SQL "),
        "{new}"
    );
    assert_eq!(shown(&new, " text */"), "SELECT z AS \"A b\", b::TEXT AS x FROM t");
    // Where an alias could be read in another way.
    for query in [
        "WITH q AS (SELECT z FROM t) SELECT * FROM q",
        "SELECT z FROM t UNION SELECT b FROM t ORDER BY z",
    ] {
        let new = named(&format!("CREATE VIEW v AS {query}"), &["a"]);
        assert_eq!(shown(&new, ") AS "), format!("SELECT * FROM ({query}) AS \"named\" (\"a\")"));
    }
}

#[test]
fn an_index_gets_another_name() {
    let sql = "CREATE UNIQUE INDEX \"on\" /* CONSTRAINT */ ON t(n)";
    let expected = "CREATE UNIQUE INDEX \"a\"\"b\" /* CONSTRAINT */ ON t(n)";
    assert_eq!(index_named(sql, "a\"b").unwrap(), expected);
    assert_eq!(index_named("CREATE INDEX i ON t(n)", "j").unwrap(), "CREATE INDEX \"j\" ON t(n)");
    assert!(index_named("CREATE INDEX", "j").is_err());
}

#[test]
fn any_text_is_read() {
    arbtest::arbtest(|u| {
        let (one, two): (String, String) = (u.arbitrary()?, u.arbitrary()?);
        let _ = followed(&one, &two);
        let _ = followed(&format!("CREATE VIEW v AS {}", sourced(&one, &two)), &two);
        let _ = index_named(&one, &two);
        let _ = with_columns(&format!("CREATE VIEW {one}"), &[two]);
        Ok(())
    });
}
