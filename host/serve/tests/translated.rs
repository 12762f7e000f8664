//! Translated SQL on a real database: what it returns, and that SQLite can run it.

use std::path::PathBuf;
use std::sync::OnceLock;

use sqlite_sandbox::functions::{Context as FunctionContext, FunctionFlags};
use sqlite_sandbox::types::Value;
use sqlite_sandbox::{Connection, Database, params_from_iter};
use sqlite_wasm_postgres::translate::{Context, SESSION_FUNCTION, Statement, translate};
use sqlite_wasm_postgres::types::infer::{Column, Schema};
use sqlite_wasm_postgres::types::parameters::infer;

fn release() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/release")
}

fn connection() -> Connection {
    static DATABASE: OnceLock<Database> = OnceLock::new();
    let db = DATABASE.get_or_init(database).open_in_memory().expect("an empty database opens");
    for sql in sqlite_wasm_postgres::state::SETUP {
        db.execute_batch(sql).expect("a session is set up");
    }
    // The server's own: here nothing has a session.
    let nothing = |_: &FunctionContext<'_>| Ok(Value::Null);
    db.create_scalar_function(SESSION_FUNCTION, -1, FunctionFlags::SQLITE_UTF8, nothing)
        .expect("a function is registered");
    db
}

fn database() -> Database {
    let release = release();
    let builder = Database::builder()
        .component(release.join("database.cwasm"))
        .compiler(release.join("sqlite-wasm-compile"))
        .extension_directory(release.join("extensions"))
        .extension("pgcatalog")
        .extension("series")
        .extension_grant("pgcatalog=sql:ro");
    builder.build().expect("`make build` makes the components")
}

fn translated(sql: &str) -> Vec<Statement> {
    translate(sql, &Context::default()).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The tables of a connection.
struct Tables<'a>(&'a Connection);

impl Schema for Tables<'_> {
    fn columns(&self, table: &str) -> Option<Vec<Column>> {
        let sql = format!("PRAGMA table_xinfo(\"{}\")", table.replace('"', "\"\""));
        let mut statement = self.0.prepare(&sql).ok()?;
        let rows = statement.query_map((), |row| {
            let (name, declared) = (row.get(1)?, row.get::<_, String>(2)?);
            let is_generated = row.get::<_, i64>(6)? > 1;
            let default = row.get(4)?;
            let is_key = row.get::<_, i64>(5)? > 0;
            Ok(Column {
                name,
                declared,
                is_key,
                default,
                is_generated,
                is_identity: false,
                computed: None,
            })
        });
        let columns: Vec<_> = rows.ok()?.collect::<Result<_, _>>().ok()?;
        (!columns.is_empty()).then_some(columns)
    }
}

/// The rows of the last statement.
fn rows(db: &Connection, sql: &str, parameters: &[Value]) -> Vec<Vec<Value>> {
    let mut found = Vec::new();
    for mut statement in translated(sql) {
        infer(&mut statement, &[], &Tables(db), &Context::default())
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        for before in &statement.before {
            db.execute_batch(before).unwrap_or_else(|error| panic!("{before}: {error}"));
        }
        let failed = |error| format!("{sql}\n{}\n{error}", statement.sql);
        let mut prepared =
            db.prepare(&statement.sql).map_err(failed).unwrap_or_else(|e| panic!("{e}"));
        let columns = prepared.column_count();
        let parameters = params_from_iter(parameters.iter().take(prepared.parameter_count()));
        let read = prepared.query_map(parameters, |row| {
            (0..columns).map(|column| row.get::<_, Value>(column)).collect::<Result<Vec<_>, _>>()
        });
        let read = read.and_then(Iterator::collect).map_err(failed);
        found = read.unwrap_or_else(|e| panic!("{e}"));
    }
    found
}

/// The rows as `psql -tA` would print them.
fn text(db: &Connection, sql: &str) -> String {
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => format!("{bytes:?}"),
    };
    let row = |row: &Vec<Value>| row.iter().map(cell).collect::<Vec<_>>().join("|");
    rows(db, sql, &[]).iter().map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn expressions_have_the_values_of_postgres() {
    let db = connection();
    for (sql, expected) in [
        ("SELECT '2.5'::numeric::int, 7 / 2, 2.5::int, '12'::int + 1", "3|3|3|13"),
        ("SELECT E'a\\tb' || 'c\\n', $$x'y$$", "a\tbc\\n|x'y"),
        (
            "SELECT 'abc' LIKE 'A%', 'abc' ILIKE 'A%', 'a%c' LIKE 'a\\%c', 'abc' LIKE 'a\\%c'",
            "0|1|1|0",
        ),
        ("SELECT 'abc' ~ '^a.c$', 'ABC' ~* 'b', 'abc' !~ 'b'", "1|1|0"),
        ("SELECT 2 = ANY(ARRAY[1, 2]), 3 = ANY('{1,2}'::int[]), 3 <> ALL('{1,2}')", "1|0|1"),
        ("SELECT 5 > ANY(ARRAY[1, 9]), 5 > ALL(ARRAY[1, 9])", "1|0"),
        ("SELECT date '2024-01-31' + interval '1 month'", "2024-02-29 00:00:00"),
        ("SELECT timestamp '2024-01-31 10:00' - interval '1 day 2 hours'", "2024-01-30 08:00:00"),
        ("SELECT date_trunc('month', timestamp '2024-05-17 10:11:12')", "2024-05-01 00:00:00"),
        ("SELECT date_trunc('quarter', timestamp '2024-05-17 10:11:12')", "2024-04-01 00:00:00"),
        ("SELECT date_trunc('week', timestamp '2024-05-19 10:11:12')", "2024-05-13 00:00:00"),
        (
            "SELECT extract(year FROM date '2024-05-17'), extract(dow FROM date '2024-05-19')",
            "2024|0",
        ),
        (
            "SELECT extract(quarter FROM date '2024-05-17'), date_part('doy', date '2024-02-01')",
            "2|32",
        ),
        (
            "SELECT to_char(timestamp '2024-05-07 09:08:07', 'DD.MM.YYYY HH24:MI:SS')",
            "07.05.2024 09:08:07",
        ),
        (
            "SELECT left('abcde', 2), left('abcde', -2), right('abcde', 2), right('abcde', -2)",
            "ab|abc|de|cde",
        ),
        (
            "SELECT position('c' in 'abc'), substring('abcde' from 2 for 3), trim(both 'x' from 'xax')",
            "3|bcd|a",
        ),
        (
            "SELECT greatest(1, NULL, 3), least(NULL, 2), greatest(NULL, NULL) IS NULL, least(7)",
            "3|2|1|7",
        ),
        ("SELECT greatest(max(n), 2), least(min(n), 0) FROM (VALUES (1), (3)) AS v(n)", "3|0"),
        ("SELECT greatest(x.n, 1) FROM (VALUES (0), (2)) AS x(n)", "1\n2"),
        ("SELECT 6 # 3, 2 ^ 10, mod(7, 3), div(7, 2)", "5|1024|1|3"),
        ("SELECT a FROM (VALUES (2), (NULL), (1)) AS v(a) ORDER BY a", "1\n2\n"),
        ("SELECT a FROM (VALUES (2), (NULL), (1)) AS v(a) ORDER BY a DESC", "\n2\n1"),
        ("SELECT g FROM generate_series(1, 3) AS g", "1\n2\n3"),
        ("SELECT x FROM generate_series(1, 2) AS g(x)", "1\n2"),
        ("SELECT generate_series(2, 1, 2)", ""),
        ("SELECT generate_series(1, 0, 10)", ""),
        ("SELECT generate_series(3, 1, -1)", "3\n2\n1"),
        ("SELECT g FROM generate_series(1, 0, 10) AS g", ""),
        ("SELECT count(*) FROM generate_series(1, 9, 2)", "5"),
        ("SELECT ARRAY(SELECT g FROM generate_series(1, 2) g)", "[1,2]"),
        ("SELECT (ARRAY['a', 'b'])[2]", "b"),
        ("SELECT x || '!' FROM unnest(ARRAY['a', 'b']) AS x", "a!\nb!"),
        ("SELECT unnest FROM unnest('{1,2}'::int[])", "1\n2"),
        (
            "SELECT unnest(ARRAY[3, 4]) + 1 AS a, generate_subscripts('{a,b,c}'::text[], 1)",
            "4|1\n5|2\n|3",
        ),
        (
            "SELECT x.n, generate_series(1, x.n) FROM (VALUES (0), (2), (1)) AS x(n)",
            "2|1\n2|2\n1|1",
        ),
        ("SELECT (information_schema._pg_expandarray('{7,8}'::int[])).n", "1\n2"),
        (
            "SELECT array_agg(u ORDER BY u DESC) FROM (SELECT unnest('{1,2}'::int[]) AS u) AS x",
            "[2,1]",
        ),
        ("SELECT sum(unnest) FROM (SELECT unnest(ARRAY(SELECT generate_series(1, 3)))) AS x", "6"),
        ("SELECT json_array_elements_text('[\"a\", null]')", "a\n"),
        ("SELECT unnest(NULL::int[])", ""),
        (
            "SELECT 'a_b' LIKE lower('A/_') || '%' ESCAPE '/', 'axb' LIKE lower('A/_%') ESCAPE '/'",
            "1|0",
        ),
        ("SELECT 'yes'::boolean, true AND false, NOT 'f'::bool", "1|0|1"),
        ("SELECT current_user, current_schema()", "postgres|public"),
        ("SELECT '2024-01-01 12:00+02'::timestamptz", "2024-01-01 10:00:00"),
        (
            "SELECT count(*) FROM (SELECT random() AS r FROM generate_series(1, 50)) x WHERE r >= 0 AND r < 1",
            "50",
        ),
        ("SELECT now() > timestamp '2024-01-01', CURRENT_TIMESTAMP > '2024-1-1'", "1|1"),
        ("SELECT string_agg(a, ',') FROM (VALUES ('x'), ('y')) AS v(a)", "x,y"),
        ("SELECT array_to_string(ARRAY[1, 2], '-'), cardinality(ARRAY[1, 2])", "1-2|2"),
        ("SELECT 1 FETCH FIRST 1 ROWS ONLY", "1"),
        ("SELECT 1 LIMIT ALL", "1"),
        ("SELECT 1 LIMIT NULL OFFSET NULL", "1"),
        (
            "SELECT array_agg(x) IS NULL, jsonb_agg(x) IS NULL FROM (SELECT 1 AS x WHERE false) t",
            "1|1",
        ),
        ("SELECT true::text, 'x' || (1 = 2), concat(1 = 1), (NULL = 1)::text", "true|xfalse|t|"),
        (
            "SELECT substring('abcde' from -1 for 3), substr('abcde', 0), substr('abcde', 4, 9)",
            "a|abcde|de",
        ),
        (
            "SELECT substring('abcde' from n for n + 4), substring('abcde', 2, n + 3), \
             substring('abcde', n) FROM (VALUES (-1), (2)) AS v(n)",
            "a|bc|abcde\nbcde|bcde|bcde",
        ),
        (
            "SELECT format('%s %I %L%%', 'a', 'b c', 'd''e'), format('%2$s%1$L', NULL, 5)",
            "a \"b c\" 'd''e'%|5NULL",
        ),
        (
            "SELECT 7 / n, 7 % n, mod(7, n), 1.0 / n FROM (VALUES (2), (NULL)) AS v(n)",
            "3|1|1|0.50000000000000000000\n|||",
        ),
        ("SELECT a FROM (VALUES (1), (2), (3)) AS v(a) ORDER BY 1 OFFSET 2", "3"),
        ("(SELECT 1) UNION (SELECT 2) ORDER BY 1", "1\n2"),
    ] {
        assert_eq!(text(&db, sql), expected, "{sql}");
    }
}

#[test]
fn what_would_be_wrong_is_an_error() {
    let db = connection();
    for (sql, code) in [
        ("SELECT generate_series(1, 2, 0)", "22023"),
        ("SELECT * FROM generate_series(1, 2, 0)", "22023"),
        ("SELECT g FROM generate_series(1, 2, 0) AS g", "22023"),
        ("SELECT generate_series(1, 2, 0.5)", "0A000"),
        ("SELECT g FROM generate_series(1, 2, 0.5) AS g", "0A000"),
        ("SELECT generate_series(timestamp '2024-01-01', '2024-01-02', '1 day')", "0A000"),
        ("SELECT g FROM generate_series('2024-01-01'::date, '2024-01-02', '1 day') AS g", "0A000"),
        ("SELECT 1 / 0", "22012"),
        ("SELECT 1 % (n - 2) FROM (VALUES (2)) AS v(n)", "22012"),
        ("SELECT div(1, n) FROM (VALUES (0)) AS v(n)", "22012"),
        ("SELECT 1 / n FROM (VALUES (0.0)) AS v(n)", "22012"),
    ] {
        let error = db.execute_batch(&translated(sql)[0].sql).expect_err(sql);
        let sqlite_sandbox::Error::SqliteFailure(sqlite, Some(message)) = error else {
            panic!("{sql}: {error:?}");
        };
        let error = sqlite_wasm_postgres::Error::of_sqlite(sqlite.extended_code, &message);
        assert_eq!(error.code, code, "{sql}");
    }
}

#[test]
fn tables_are_made_filled_and_changed() {
    let db = connection();
    text(
        &db,
        "CREATE TABLE public.item (id BIGSERIAL PRIMARY KEY, name varchar(20) NOT NULL UNIQUE, \
         made timestamp with time zone DEFAULT now(), tags text[], info jsonb, \
         ok boolean DEFAULT true, price numeric(8,2) DEFAULT 1.5::numeric CHECK (price > 0)); \
         CREATE INDEX ON public.item USING btree (made DESC NULLS LAST)",
    );
    let insert = "INSERT INTO item (id, name) VALUES (DEFAULT, 'a'), (DEFAULT, 'b') RETURNING id";
    assert_eq!(text(&db, insert), "1\n2");
    let upsert = "INSERT INTO public.item (name, price) VALUES ('a', 2) \
                  ON CONFLICT (name) DO UPDATE SET price = EXCLUDED.price RETURNING id, price, ok";
    assert_eq!(text(&db, upsert), "1|2|1");
    assert_eq!(
        text(&db, "SELECT count(*) FROM item WHERE made > now() - interval '1 minute'"),
        "2"
    );
    let used = "DELETE FROM item USING (VALUES ('b')) AS v(n) WHERE item.name = v.n RETURNING name";
    assert_eq!(text(&db, used), "b");
    let copied = "INSERT INTO item(name) SELECT name FROM item ON CONFLICT DO NOTHING";
    text(&db, copied);
    assert_eq!(text(&db, "SELECT count(*) FROM public.item"), "1");
    text(
        &db,
        "ALTER TABLE item ADD COLUMN x int, ADD COLUMN y text; TRUNCATE TABLE item RESTART IDENTITY",
    );
    assert_eq!(text(&db, "SELECT count(*), count(y) FROM item"), "0|0");
    let count = "SELECT count(*) FROM generate_series(1, $1) AS g";
    assert_eq!(rows(&db, count, &[Value::Integer(7)])[0][0], Value::Integer(7));
    let many = [Value::Text("[1,2]".into())];
    assert_eq!(rows(&db, "SELECT 2 = ANY($1), $1 IS NULL", &many)[0][0], Value::Integer(1));
    text(
        &db,
        "CREATE OR REPLACE VIEW w AS SELECT id FROM item; CREATE OR REPLACE VIEW w AS SELECT name FROM item; DROP VIEW w; DROP TABLE item CASCADE",
    );
    assert_eq!(text(&db, "SELECT count(*) FROM pg_class"), "0");
}

const SCHEMA: &str = "
    CREATE TABLE author(id serial PRIMARY KEY, name text NOT NULL, born date);
    CREATE TABLE book(id integer PRIMARY KEY, author_id integer NOT NULL REFERENCES author(id) ON DELETE CASCADE,
        title varchar(40) NOT NULL DEFAULT 'x', price numeric(10,2), CHECK (price > 0));
    CREATE UNIQUE INDEX book_title ON book(title);
    CREATE VIEW v AS SELECT title FROM book;";

/// Queries that psql 15 sends for `\d`, `\dt`, `\d book`, `\di`, `\df`, `\l`, `\dn`, `\du`, `\dx`
/// and `\d+`; between them lines with `--`. `OID` is that of `book`.
const PSQL: &str = include_str!("psql.sql");

#[test]
fn what_psql_sends_is_answered() {
    let db = connection();
    text(&db, SCHEMA);
    let oid = text(&db, "SELECT 'book'::regclass::oid");
    for query in PSQL.split("\n--\n") {
        let query = query.replace("OID", &oid);
        text(&db, &query);
    }
}

#[test]
fn descriptions_are_those_of_postgres() {
    let db = connection();
    text(&db, SCHEMA);
    let tables = "SELECT c.relname, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'S' THEN 'sequence' END \
                  FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                  WHERE c.relkind IN ('r','p','v','m','S','f','') AND n.nspname !~ '^pg_toast' \
                  AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 1";
    assert_eq!(text(&db, tables), "author|table\nauthor_id_seq|sequence\nbook|table\nv|view");
    let columns = "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, \
                   (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d \
                    WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef) \
                   FROM pg_catalog.pg_attribute a WHERE a.attrelid = 'public.book'::regclass AND a.attnum > 0 \
                   ORDER BY a.attnum";
    let expected = "id|integer|1|\nauthor_id|integer|1|\ntitle|character varying(40)|1|'x'::character varying\nprice|numeric(10,2)|0|";
    assert_eq!(text(&db, columns), expected);
    let constraints = "SELECT conname, conrelid::regclass, pg_get_constraintdef(oid, true) \
                       FROM pg_constraint WHERE conrelid = 'book'::regclass ORDER BY 1";
    assert_eq!(
        text(&db, constraints),
        "book_author_id_fkey|book|FOREIGN KEY (author_id) REFERENCES author(id) ON DELETE CASCADE\n\
         book_pkey|book|PRIMARY KEY (id)\nbook_price_check|book|CHECK (price > 0)"
    );
    let usage = "SELECT k.column_name FROM information_schema.key_column_usage AS k \
                 JOIN information_schema.table_constraints t ON t.constraint_name = k.constraint_name \
                 WHERE t.constraint_type = 'PRIMARY KEY' AND tables IS NULL";
    let usage = usage.replace(" AND tables IS NULL", " AND t.table_name = 'book'");
    assert_eq!(text(&db, &usage), "id");
    let qualified = "SELECT tables.table_name FROM information_schema.tables ORDER BY 1 LIMIT 1";
    assert_eq!(text(&db, qualified), "author");
}
