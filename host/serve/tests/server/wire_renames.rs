//! RENAME over the Postgres wire: what definitions show follows, views keep the names of their columns, and constraints
//! theirs, as in PostgreSQL.

use std::path::Path;
use std::process::Command;

use super::support::Server;
use super::wire::Client;

const SCHEMA: &str = "
    CREATE TABLE t(id serial PRIMARY KEY, a text UNIQUE CHECK (a ILIKE '%a'), b timestamp DEFAULT now(),
        g text GENERATED ALWAYS AS (upper(a) || 'a') STORED, CHECK (a ~ '^[a-z]+$'), UNIQUE (id, a));
    CREATE TABLE child(t_id int REFERENCES t(id), a text);
    CREATE INDEX t_a ON t(lower(a)) WHERE a LIKE 'a%';
    CREATE VIEW v AS SELECT a, b, a LIKE 'a%' AS x FROM t;
    CREATE VIEW q AS WITH q AS (SELECT a, b::date AS d FROM t) SELECT * FROM q;
    CREATE VIEW both_a AS SELECT t.a AS one, child.a FROM t JOIN child ON child.t_id = t.id WHERE t.a LIKE 'a%';
    CREATE VIEW named(one, two) AS SELECT id, a FROM t;
    INSERT INTO t(a) VALUES ('aba')";

fn client() -> (Server, Client) {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let mut client = Client::new(&server);
    client.rows(SCHEMA);
    (server, client)
}

/// What the runner says of the database; the condition with `~` calls a function of `pgcatalog`.
fn said(server: &Server, sql: &str) -> String {
    let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/sqlite-wasm-run");
    let mut command = Command::new(&runner);
    let output = command.args(["--load", "pgcatalog"]).arg(server.database()).arg(sql).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", runner.display()));
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

const CHECKS: &str =
    "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype <> 'f' ORDER BY 1";
const VIEWS: &str = "SELECT viewname, definition FROM pg_views ORDER BY 1";

#[test]
fn definitions_follow_a_column() {
    let (server, mut client) = client();
    client.rows("ALTER TABLE t RENAME COLUMN a TO \"N n\"");
    assert_eq!(
        client.rows(CHECKS),
        "t_a_check|CHECK ((\"N n\" ILIKE '%a'))\n\
         t_a_check1|CHECK ((\"N n\" ~ '^[a-z]+$'))\n\
         t_a_key|UNIQUE (\"N n\")\n\
         t_id_a_key|UNIQUE (id, \"N n\")\n\
         t_pkey|PRIMARY KEY (id)"
    );
    assert_eq!(
        client.rows(VIEWS),
        "both_a|SELECT t.\"N n\" AS one, child.a FROM t JOIN child ON child.t_id = t.id WHERE t.\"N n\" LIKE 'a%'\n\
         named|SELECT id AS one, \"N n\" AS two FROM t\n\
         q|SELECT * FROM (WITH q AS (SELECT \"N n\", b::DATE AS d FROM t) SELECT * FROM q) AS \"named\" (\"a\", \"d\")\n\
         v|SELECT \"N n\" AS a, b, \"N n\" LIKE 'a%' AS x FROM t"
    );
    let index = "SELECT pg_get_indexdef('t_a'::regclass)";
    assert_eq!(
        client.rows(index),
        "CREATE INDEX t_a ON public.t USING btree (lower(\"N n\")) WHERE (\"N n\" LIKE 'a%')"
    );
    assert_eq!(client.rows("SELECT a, x FROM v; SELECT a FROM q"), "aba|t\naba");
    // Constraints act by the new name, and go by the old names.
    assert_eq!(client.error("INSERT INTO t(\"N n\") VALUES ('b')").0, "23514");
    client.rows("ALTER TABLE t DROP CONSTRAINT t_a_key, DROP CONSTRAINT t_a_check");
    assert_eq!(said(&server, "PRAGMA integrity_check"), "ok\n");
    // And back.
    client.rows("ALTER TABLE t RENAME \"N n\" TO a");
    assert!(client.rows(VIEWS).contains("v|SELECT a AS a, b, a LIKE 'a%' AS x FROM t"));
}

#[test]
fn definitions_follow_a_table_and_an_index() {
    let (server, mut client) = client();
    client.rows("ALTER TABLE t RENAME TO \"u v\"; ALTER INDEX t_a RENAME TO \"Index 1\"");
    let keys = "SELECT conname FROM pg_constraint WHERE conrelid = '\"u v\"'::regclass ORDER BY 1";
    assert_eq!(client.rows(keys), "t_a_check\nt_a_check1\nt_a_key\nt_id_a_key\nt_pkey");
    let views = client.rows(VIEWS);
    assert!(views.contains("v|SELECT a, b, a LIKE 'a%' AS x FROM \"u v\""), "{views}");
    let index = "SELECT pg_get_indexdef('\"Index 1\"'::regclass)";
    assert!(client.rows(index).starts_with("CREATE INDEX \"Index 1\" ON public.\"u v\" USING"));
    // The index of a constraint is renamed with it.
    client.rows("ALTER INDEX t_a_key RENAME TO u_key");
    assert!(client.rows(keys).contains("u_key"));
    for (sql, code) in [
        ("ALTER INDEX nosuch RENAME TO x", "42P01"),
        ("ALTER INDEX v RENAME TO x", "42809"),
        ("ALTER INDEX \"Index 1\" RENAME TO v", "42P07"),
        ("ALTER TABLE child RENAME COLUMN nosuch TO x", "42703"),
        ("ALTER TABLE child RENAME COLUMN a TO t_id", "42701"),
        ("ALTER TABLE child RENAME TO v", "42P07"),
    ] {
        assert_eq!(client.error(sql).0, code, "{sql}");
    }
    assert_eq!(
        said(
            &server,
            "PRAGMA integrity_check; SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        ),
        "ok\nIndex 1\n"
    );
}

#[test]
fn hostile_names_stay_names() {
    let (server, mut client) = client();
    let name = "*/ a\"); DROP TABLE child; --";
    let quoted = format!("\"{}\"", name.replace('"', "\"\""));
    client.rows(&format!("ALTER TABLE t RENAME COLUMN a TO {quoted}"));
    let shown = client.rows(CHECKS);
    assert!(shown.contains(&format!("CHECK (({quoted} ILIKE '%a'))")), "{shown}");
    assert!(client.rows(VIEWS).contains(&format!("v|SELECT {quoted} AS a, b, {quoted} LIKE")));
    client.rows(&format!("ALTER INDEX t_a RENAME TO {quoted}"));
    client.rows(&format!("ALTER TABLE t RENAME COLUMN {quoted} TO a"));
    assert!(client.rows(VIEWS).contains("v|SELECT a AS a, b, a LIKE"));
    assert_eq!(said(&server, "PRAGMA integrity_check; SELECT count(*) FROM child"), "ok\n0\n");
}
