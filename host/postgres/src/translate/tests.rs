mod arrays;
mod channels;
mod limits;
use limits::refusal;

use super::*;

pub(super) fn all(sql: &str) -> Vec<Statement> {
    translate(sql, &Context::default()).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

pub(super) fn error(sql: &str) -> Error {
    translate(sql, &Context::default()).unwrap_err()
}

pub(super) fn one(sql: &str) -> Statement {
    let mut statements = all(sql);
    assert_eq!(statements.len(), 1, "{sql}");
    statements.remove(0)
}

/// Postgres' text, and SQLite's.
const REWRITES: &[(&str, &str)] = &[
    ("SELECT a::int FROM t", "SELECT pg_integer(a) FROM t"),
    ("SELECT '5'::int, '1.50'::numeric(5,1)", "SELECT 5, (1.5)"),
    ("SELECT $1::int + $2", "SELECT ?1 + ?2"),
    ("SELECT E'a\\nb\\'c'", "SELECT 'a\nb''c'"),
    ("SELECT $$it's$$", "SELECT 'it''s'"),
    ("SELECT '\\'::text || 'a''b'", "SELECT '\\' || 'a''b'"),
    ("SELECT * FROM public.t", "SELECT * FROM t AS t"),
    ("SELECT * FROM pg_catalog.pg_class c", "SELECT * FROM pg_class c"),
    (
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM information_schema_tables AS tables",
    ),
    ("SELECT pg_catalog.lower(a) FROM t", "SELECT lower(a) FROM t"),
    ("SELECT a FROM t WHERE a LIKE 'x%_*\\%'", "SELECT a FROM t WHERE (a GLOB 'x*?[*]%')"),
    ("SELECT a FROM t WHERE a NOT ILIKE $1", "SELECT a FROM t WHERE (a NOT LIKE ?1 ESCAPE '\\')"),
    ("SELECT a FROM t WHERE a LIKE $1", "SELECT a FROM t WHERE (a GLOB pg_like_glob(?1))"),
    (
        "SELECT a FROM t WHERE a = ANY($1)",
        "SELECT a FROM t WHERE (a IN (SELECT value FROM json_each(coalesce(?1, '[null]'))))",
    ),
    (
        "SELECT a FROM t WHERE a <> ALL($1)",
        "SELECT a FROM t WHERE (a NOT IN (SELECT value FROM json_each(coalesce(?1, '[null]'))))",
    ),
    (
        "SELECT a FROM t ORDER BY a, b DESC",
        "SELECT a FROM t ORDER BY a NULLS LAST, b DESC NULLS FIRST",
    ),
    ("SELECT a FROM t OFFSET 2", "SELECT a FROM t LIMIT -1 OFFSET 2"),
    ("SELECT a FROM t FETCH FIRST 3 ROWS ONLY", "SELECT a FROM t LIMIT 3"),
    ("SELECT a FROM t FOR UPDATE", "SELECT a FROM t"),
    (
        "CREATE TABLE t(id SERIAL PRIMARY KEY, a TEXT)",
        "CREATE TABLE t (id INTEGER /* SERIAL */ PRIMARY KEY, a TEXT)",
    ),
    (
        "CREATE TABLE t(id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY)",
        "CREATE TABLE t (id INTEGER /* BIGINT */ /* GENERATED ALWAYS AS IDENTITY */ PRIMARY KEY)",
    ),
    (
        "CREATE TABLE t(a TIMESTAMP WITH TIME ZONE DEFAULT now())",
        "CREATE TABLE t (a TIMESTAMPTZ DEFAULT (/* SQL ce920a0d: now() */ rtrim(rtrim(strftime('%Y-%m-%d %H:%M:%f', 'now'), '0'), '.')))",
    ),
    (
        "CREATE TABLE t(a varchar(3) PRIMARY KEY)",
        "CREATE TABLE t (a VARCHAR(3) PRIMARY KEY NOT NULL)",
    ),
    ("CREATE INDEX ON t USING btree (a)", "CREATE INDEX \"t_a_idx\" ON t(a)"),
    ("TRUNCATE t", "DELETE FROM \"t\""),
    (
        "INSERT INTO t SELECT * FROM u ON CONFLICT DO NOTHING",
        "INSERT INTO t SELECT * FROM u WHERE true ON CONFLICT DO NOTHING",
    ),
    (
        "DELETE FROM t USING u WHERE t.a = u.a",
        "DELETE FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t.a = u.a)",
    ),
    ("SELECT current_user, current_database()", "SELECT 'postgres', 'main'"),
    ("SELECT extract(year FROM a) FROM t", "SELECT CAST(strftime('%Y', a) AS INTEGER) FROM t"),
    ("SELECT date_trunc('month', a) FROM t", "SELECT strftime('%Y-%m-01 00:00:00', a) FROM t"),
    ("SELECT to_char(a, 'YYYY-MM-DD') FROM t", "SELECT strftime('%Y-%m-%d', a) FROM t"),
    (
        "SELECT a + interval '1 month -2 days' FROM t",
        "SELECT rtrim(rtrim(strftime('%Y-%m-%d %H:%M:%f', a, '+1 months', 'floor', '-2 days'), '0'), '.') FROM t",
    ),
    ("SELECT position('a' in b) FROM t", "SELECT instr(b, 'a') FROM t"),
    ("SELECT substring(a from 2 for 3) FROM t", "SELECT substr(a, 2, 3) FROM t"),
    ("SELECT a ~ '^b' FROM t", "SELECT pg_regex(a, '^b', '') FROM t"),
    (
        "SELECT c.relname OPERATOR(pg_catalog.~) '^(t)$' COLLATE pg_catalog.default FROM pg_class c",
        "SELECT pg_regex(c.relname, '^(t)$', '') FROM pg_class c",
    ),
    ("SELECT 't'::regclass", "SELECT coalesce(to_regclass('t'), pg_session('no_relation', 't'))"),
    (
        "SELECT c.oid::regclass::text FROM pg_class c",
        "SELECT CAST(pg_regclass_name(c.oid) AS TEXT) FROM pg_class c",
    ),
    (
        "SELECT ARRAY(SELECT a FROM t)",
        "SELECT (WITH pg_rows(x) AS (SELECT a FROM t) SELECT json_group_array(x) FROM pg_rows)",
    ),
    ("SELECT a[2] FROM t", "SELECT (pg_array_json(a) ->> ((2) - 1)) FROM t"),
    ("SELECT a[b] FROM t", "SELECT (pg_array_json(a) ->> nullif(max((b) - 1, -1), -1)) FROM t"),
    (
        "SELECT i.indkey[0] FROM pg_index i",
        "SELECT (pg_array_json(i.indkey) ->> nullif(max((0) - array_lower(i.indkey, 1), -1), -1)) FROM pg_index i",
    ),
    ("EXPLAIN ANALYZE SELECT 1", "EXPLAIN QUERY PLAN SELECT 1"),
    ("START TRANSACTION ISOLATION LEVEL SERIALIZABLE READ ONLY", "BEGIN"),
    ("ROLLBACK TO SAVEPOINT a", "ROLLBACK TO"),
    ("COPY t (a, b) FROM STDIN", "SELECT \"a\", \"b\" FROM t"),
    (
        "SELECT * FROM (VALUES (1, 2)) AS v(a, b)",
        "SELECT * FROM (SELECT * FROM (WITH v (a, b) AS (VALUES (1, 2)) SELECT * FROM v)) AS v",
    ),
    (
        "SELECT * FROM generate_series(1, 3) AS g",
        "SELECT * FROM (SELECT value AS g FROM generate_series(1, 3)) AS g",
    ),
    ("SELECT a FROM t LIMIT ALL", "SELECT a FROM t"),
    ("SELECT a FROM t LIMIT NULL", "SELECT a FROM t LIMIT pg_int8_limit(NULL)"),
    ("SELECT a FROM t LIMIT $1 OFFSET 2", "SELECT a FROM t LIMIT pg_int8_limit(?1) OFFSET 2"),
    ("SELECT array_agg(a) FROM t", "SELECT nullif(json_group_array(a), '[]') FROM t"),
    ("SELECT a / 2, a / b FROM t", "SELECT a / 2, a / iif(b, b, pg_divisor(b)) FROM t"),
    ("SELECT a % sum(b) FROM t", "SELECT a % pg_divisor(sum(b)) FROM t"),
    ("CREATE VIEW v AS SELECT a / b AS c FROM t", "CREATE VIEW v AS SELECT a / b AS c FROM t"),
    ("SELECT substring(a from -1 for 3)", "SELECT substr(a, 1, 1)"),
    ("ALTER TABLE ONLY t ADD COLUMN a int, ADD COLUMN b int", "ALTER TABLE t ADD COLUMN b INT"),
];

#[test]
fn statements_are_rewritten() {
    for (postgres, sqlite) in REWRITES {
        assert_eq!(one(postgres).sql, *sqlite, "{postgres}");
    }
}

/// Nothing to change, or nothing that the parser knows.
#[test]
fn other_text_stays_as_it_is() {
    for sql in [
        "SELECT  a,b  FROM t -- comment",
        "select a from t where b = 'it''s \\'",
        "INSERT INTO t(a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = excluded.a RETURNING a",
        "SELECT a FROM t WHERE b IS TRUE AND c = false",
        "PRAGMA table_info(t)",
        "INSERT OR REPLACE INTO t VALUES (1)",
        "CREATE VIRTUAL TABLE t USING fts5(a)",
        "SELECT a FROM t WHERE t MATCH 'x'",
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE t(a INTEGER PRIMARY KEY) STRICT",
        "SELECT a ->> 'b' FROM t",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM u; END",
    ] {
        let statement = one(sql);
        assert!(statement.is_untouched, "{sql}: {}", statement.sql);
        assert_eq!(statement.sql, sql);
    }
    assert_eq!(one("SELECT $2,  $1").sql, "SELECT ?2,  ?1");
    assert_eq!(one("PRAGMA x($1)").sql, "PRAGMA x(?1)");
}

#[test]
fn what_cannot_be_done_is_refused_by_its_name() {
    for (sql, name) in [
        ("SELECT DISTINCT ON (a) * FROM t", "DISTINCT ON"),
        ("SELECT format(a, 1) FROM t", "format"),
        ("SELECT format('%10s', 1)", "format with %10s"),
        ("SELECT format('%1$s%1$s', 1)", "format twice"),
        ("SELECT substring(a from '^b') FROM t", "substring with a pattern"),
        ("SELECT greatest(row_number() OVER (), 2) FROM t", "window function"),
        ("SELECT a FROM t, LATERAL (SELECT 1) x", "LATERAL"),
        ("CREATE SEQUENCE s", "CREATE SEQUENCE"),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE FUNCTION"),
        ("GRANT SELECT ON t TO u", "GRANT SELECT"),
        ("CREATE MATERIALIZED VIEW v AS SELECT 1", "MATERIALIZED VIEW"),
        ("SELECT a @> b FROM t", "@>"),
        ("WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x", "WITH"),
        ("SELECT a SIMILAR TO 'x' FROM t", "SIMILAR TO"),
        ("SELECT nextval('s')", "nextval"),
        ("CREATE TABLE t(a int, b serial)", "SERIAL"),
        ("CREATE TABLE t(a int UNIQUE INITIALLY DEFERRED)", "a deferrable UNIQUE"),
        ("CREATE TABLE t(a int, UNIQUE (a) DEFERRABLE)", "a deferrable UNIQUE"),
        ("CREATE TABLE t(a int PRIMARY KEY DEFERRABLE)", "a deferrable PRIMARY KEY"),
        ("CREATE TABLE t(a int, UNIQUE NULLS NOT DISTINCT (a))", "NULLS NOT DISTINCT"),
        ("SELECT now() AT TIME ZONE 'Europe/Berlin'", "AT TIME ZONE"),
        ("LOCK TABLE t", "LOCK TABLE"),
        ("SELECT interval '1 day'", "interval"),
        ("SELECT a FROM t WHERE a > interval '1 day'", "interval"),
        ("MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE", "MERGE INTO"),
        ("INSERT INTO t VALUES (1) ON CONFLICT ON CONSTRAINT c DO NOTHING", "ON CONSTRAINT"),
    ] {
        let error = refusal(sql).unwrap();
        assert_eq!(error.code, "0A000", "{sql}");
        assert!(error.message.contains(name), "{sql}: {}", error.message);
    }
    let code = |sql: &str| refusal(sql).unwrap().code;
    assert_eq!(code("SELECT * FROM other.t"), "3F000");
    assert_eq!(code("SELECT 'x'::int"), "22P02");
    assert_eq!(code("SELECT format('%s')"), "22023");
    assert_eq!(code("SELECT substring('abc', 1, -1)"), "22011");
    assert_eq!(code("COPY t TO '/etc/passwd'"), "42501");
    assert_eq!(code(&format!("SELECT {}1{}", "(".repeat(200), ")".repeat(200))), "54001");
}

#[test]
fn dropped_names_may_have_quotes() {
    for name in [r#""a"" b""#, r#""a\ b""#, r#""a' "" b""#] {
        assert_eq!(one(&format!("DROP VIEW {name}")).sql, format!("DROP VIEW {name}"));
        assert_eq!(one(&format!("TRUNCATE {name}")).sql, format!("DELETE FROM {name}"));
    }
}

#[test]
fn several_statements_are_apart() {
    let statements = all("BEGIN; INSERT INTO t VALUES ('a;b'); COMMIT;");
    let commands: Vec<_> = statements.iter().map(|statement| statement.command.as_str()).collect();
    assert_eq!(commands, ["BEGIN", "INSERT", "COMMIT"]);
    assert_eq!(statements[1].start, 7);
    let drop = one("DROP TABLE IF EXISTS a, public.b CASCADE");
    assert_eq!(
        (drop.before, drop.sql),
        (vec!["DROP TABLE IF EXISTS \"a\"".to_owned()], "DROP TABLE IF EXISTS \"b\"".to_owned())
    );
    assert_eq!(one("DROP VIEW pg_temp.\"V\"").sql, "DROP VIEW temp.\"V\"");
    let view = one("CREATE OR REPLACE VIEW v AS SELECT 1");
    assert_eq!(
        (view.before.len(), view.sql.as_str()),
        (1, "CREATE VIEW v AS SELECT 1 AS \"?column?\"")
    );
    assert!(all(" ; ").is_empty());
}

#[test]
fn the_session_is_not_sent_to_sqlite() {
    for (sql, action) in [
        (
            "SET client_encoding = 'UTF8'",
            Action::Set {
                name: "client_encoding".into(),
                value: Some("UTF8".into()),
                is_local: false,
            },
        ),
        (
            "SET extra_float_digits = 3",
            Action::Set {
                name: "extra_float_digits".into(),
                value: Some("3".into()),
                is_local: false,
            },
        ),
        (
            "SET LOCAL application_name TO x",
            Action::Set {
                name: "application_name".into(),
                value: Some("x".into()),
                is_local: true,
            },
        ),
        (
            "SET TIME ZONE 'UTC'",
            Action::Set { name: "timezone".into(), value: Some("UTC".into()), is_local: false },
        ),
        (
            "SET TIME ZONE 'Europe/Berlin'",
            Action::Set {
                name: "timezone".into(),
                value: Some("Europe/Berlin".into()),
                is_local: false,
            },
        ),
        (
            "SET TIME ZONE INTERVAL '+00:00' HOUR TO MINUTE",
            Action::Set {
                name: "timezone".into(),
                value: Some("<+00>-00".into()),
                is_local: false,
            },
        ),
        (
            "SET TIME ZONE LOCAL",
            Action::Set { name: "timezone".into(), value: None, is_local: false },
        ),
        (
            "SET search_path TO Foo, 'b C', \"D\"",
            Action::Set {
                name: "search_path".into(),
                value: Some("foo, \"b C\", \"D\"".into()),
                is_local: false,
            },
        ),
        (
            "SET SESSION statement_timeout = -1.5",
            Action::Set {
                name: "statement_timeout".into(),
                value: Some("-1.5".into()),
                is_local: false,
            },
        ),
        ("RESET my.name", Action::Set { name: "my.name".into(), value: None, is_local: false }),
        (
            "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY",
            Action::SetModes {
                modes: Modes { isolation: Some("read committed"), ..modes(Some(true), None) },
                is_session: true,
            },
        ),
        ("SHOW server_version", Action::Show("server_version".into())),
        ("SHOW TRANSACTION ISOLATION LEVEL", Action::Show("transaction_isolation".into())),
        ("DISCARD ALL", Action::Discard(Discarded::All)),
        ("DEALLOCATE ALL", Action::Deallocate(None)),
        ("DEALLOCATE \"_pg3_0\"", Action::Deallocate(Some("_pg3_0".into()))),
        ("BEGIN READ ONLY", Action::Begin(modes(Some(true), None))),
        ("BEGIN NOT DEFERRABLE READ WRITE", Action::Begin(modes(Some(false), Some(false)))),
        (
            "START TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE",
            Action::Begin(Modes {
                isolation: Some("serializable"),
                ..modes(Some(true), Some(true))
            }),
        ),
        ("ROLLBACK WORK AND CHAIN", Action::Rollback { chain: true }),
        ("COMMIT AND NO CHAIN", Action::Commit { chain: false }),
        ("ROLLBACK TO SAVEPOINT A", Action::RollbackTo("a".into())),
        ("RELEASE \"A\"", Action::Release("A".into())),
        ("LOCK TABLE t IN ACCESS SHARE MODE", Action::Nothing),
        ("RESET ALL", Action::ResetAll),
        ("END", Action::Commit { chain: false }),
    ] {
        assert_eq!(one(sql).action, action, "{sql}");
    }
}

#[test]
fn copies_have_their_options() {
    let copy = |sql: &str| match one(sql).action {
        Action::Copy(copy) => *copy,
        other => panic!("{other:?}"),
    };
    let csv = copy("COPY t FROM STDIN WITH (FORMAT csv, HEADER true, DELIMITER ';', NULL 'x')");
    assert_eq!(
        (csv.options.format, csv.options.delimiter, csv.options.has_header),
        (CopyFormat::Csv, b';', true)
    );
    assert_eq!((csv.is_in, csv.options.null.as_str()), (true, "x"));
    assert_eq!(copy("COPY t TO STDOUT CSV HEADER").options.format, CopyFormat::Csv);
    assert_eq!(
        copy("COPY (SELECT 1) TO STDOUT (FORMAT binary)").options.format,
        CopyFormat::Binary
    );
    assert_eq!(
        csv.insert(&["a".into(), "b".into()]),
        "INSERT INTO \"t\" (\"a\", \"b\") VALUES (?1, ?2)"
    );
}

fn modes(is_read_only: Option<bool>, is_deferrable: Option<bool>) -> Modes {
    Modes { isolation: None, is_read_only, is_deferrable }
}

#[test]
fn what_is_no_statement_of_the_session_is_an_error() {
    for sql in [
        "BEGIN READ",
        "BEGIN ISOLATION LEVEL",
        "BEGIN foo",
        "START",
        "COMMIT AND",
        "ROLLBACK TO",
        "SAVEPOINT",
        "SET",
        "SET a",
        "SET a = ",
        "SET a = 1 2",
        "SET TIME ZONE",
        "RESET",
        "SHOW a b",
        "DISCARD",
        "DISCARD foo",
        "DEALLOCATE",
    ] {
        assert_eq!(error(sql).code, "42601", "{sql}");
    }
    assert_eq!(error("SET jit = on, off").code, "22023");
}

#[test]
fn functions_of_the_session_are_called_when_the_statement_runs() {
    let sql = |sql: &str| one(sql).sql;
    assert_eq!(
        sql("SELECT pg_catalog.set_config('jit', $1, false) FROM t"),
        "SELECT pg_session('set_config', 'jit', ?1, false) FROM t"
    );
    assert_eq!(sql("SELECT pg_advisory_lock(1, 2)"), "SELECT pg_session('pg_advisory_lock', 1, 2)");
    assert_eq!(error("CREATE VIEW v AS SELECT current_setting('a.b')").code, "0A000");
}
