//! ALTER TABLE over the Postgres wire: no row is lost, each error has PostgreSQL's SQLSTATE and undoes the statement,
//! and native SQLite finds nothing wrong with the file. Generated migrations are compared with PostgreSQL in
//! `tests/clients/migrations`.

use std::path::Path;
use std::process::Command;

use super::roles::{PASSWORD, tenants_with};
use super::support::Server;
use super::wire::{Client, shown};

/// A parent with children of each kind, and all that may belong to a table.
const SCHEMA: &str = "
    CREATE TABLE p(id serial PRIMARY KEY, n int, t varchar(5) DEFAULT 'd', g int GENERATED ALWAYS AS (n * 2) STORED,
        CONSTRAINT p_self FOREIGN KEY (n) REFERENCES p(id));
    CREATE TABLE c(p_id int REFERENCES p(id) ON DELETE CASCADE ON UPDATE CASCADE, a int, b int);
    CREATE INDEX p_part ON p(n) WHERE n > 1; CREATE INDEX p_expr ON p(lower(t));
    CREATE VIEW v AS SELECT id, t FROM p;
    CREATE TABLE log(what text);
    INSERT INTO p(n, t) VALUES (NULL, 'one'), (1, 'two'), (2, 'Three');
    INSERT INTO c VALUES (1, 1, 5), (2, 2, 5), (2, 3, 6)";

const TRIGGERS: &str = "
    CREATE TRIGGER p_update AFTER UPDATE ON p BEGIN INSERT INTO log VALUES ('updated'); END;
    CREATE TRIGGER c_delete AFTER DELETE ON c BEGIN INSERT INTO log VALUES ('deleted'); END;
    CREATE VIRTUAL TABLE f USING fts5(x)";

const ROWS: &str =
    "SELECT id, n, t, g FROM p ORDER BY id; SELECT * FROM c ORDER BY a; SELECT count(*) FROM log";

fn server() -> Server {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let mut client = Client::new(&server);
    client.rows(SCHEMA);
    // Statements that only SQLite reads.
    for sql in TRIGGERS.split("; \n").flat_map(|part| part.split(";\n")) {
        client.rows(sql.trim().trim_end_matches(';'));
    }
    client.rows("INSERT INTO f VALUES ('hello world')");
    server
}

/// What native SQLite says of the file.
pub fn native(server: &Server, sql: &str) -> String {
    let shell = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/native-reference/sqlite3");
    let output = Command::new(&shell).arg(server.database()).arg(sql).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", shell.display()));
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

fn check(server: &Server) {
    let sql = "PRAGMA integrity_check; PRAGMA foreign_key_check; INSERT INTO f(f) VALUES('integrity-check');
               SELECT count(*) FROM f WHERE f MATCH 'hello'";
    assert_eq!(native(server, sql), "ok\n1\n");
}

fn names(client: &mut Client, table: &str) -> String {
    client.rows(&format!(
        "SELECT conname, contype, pg_get_constraintdef(oid) FROM pg_constraint \
         WHERE conrelid = '{table}'::regclass ORDER BY conname"
    ))
}

#[test]
fn rows_stay_through_each_change() {
    let server = server();
    let mut client = Client::new(&server);
    let before = client.rows(ROWS);
    for sql in [
        "ALTER TABLE p ADD CONSTRAINT p_check CHECK (n IS NULL OR n > 0)",
        "ALTER TABLE p ADD CONSTRAINT p_unique UNIQUE (t)",
        "ALTER TABLE c ADD CONSTRAINT c_t FOREIGN KEY (a) REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED",
        "ALTER TABLE c ALTER COLUMN a SET NOT NULL, ALTER COLUMN b SET DEFAULT 7",
        "ALTER TABLE p ALTER COLUMN t TYPE varchar(50), ALTER COLUMN t SET DEFAULT 'x', ALTER t SET NOT NULL",
        "ALTER TABLE p ALTER COLUMN t TYPE text",
        "ALTER TABLE c ALTER COLUMN b TYPE bigint",
        "ALTER TABLE c ALTER COLUMN a DROP NOT NULL, ALTER COLUMN b DROP DEFAULT",
        "ALTER TABLE p ALTER COLUMN id TYPE bigint",
        "ALTER TABLE p RENAME CONSTRAINT p_check TO \"p checked\"",
        "ALTER TABLE p RENAME CONSTRAINT p_self TO own",
        "ALTER TABLE p RENAME CONSTRAINT p_unique TO u",
        "ALTER TABLE p VALIDATE CONSTRAINT own",
        "ALTER TABLE p DROP CONSTRAINT u, DROP CONSTRAINT \"p checked\", DROP CONSTRAINT own",
        "ALTER TABLE c DROP CONSTRAINT c_t, DROP CONSTRAINT IF EXISTS nosuch, DROP CONSTRAINT c_p_id_fkey",
        "ALTER TABLE c ADD CONSTRAINT again FOREIGN KEY (p_id) REFERENCES p ON DELETE CASCADE",
        "ALTER TABLE IF EXISTS nosuch ADD CONSTRAINT u UNIQUE (a)",
    ] {
        client.rows(sql);
        assert_eq!(client.rows(ROWS), before, "{sql}");
        check(&server);
    }
    assert_eq!(names(&mut client, "p"), "p_pkey|p|PRIMARY KEY (id)");
    assert_eq!(
        names(&mut client, "c"),
        "again|f|FOREIGN KEY (p_id) REFERENCES p(id) ON DELETE CASCADE"
    );
    let types = "SELECT format_type(atttypid, atttypmod), attnotnull FROM pg_attribute \
                 WHERE attrelid = 'p'::regclass AND attnum > 0 ORDER BY attnum";
    assert_eq!(client.rows(types), "bigint|t\ninteger|f\ntext|t\ninteger|f");
    // The key is one still, and acts on its children; triggers do what they did.
    client.rows("DELETE FROM p WHERE id = 2");
    assert_eq!(client.rows("SELECT a FROM c; SELECT * FROM log"), "1\ndeleted\ndeleted");
    check(&server);
}

#[test]
fn values_are_converted_in_place() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE w(id int PRIMARY KEY, a text UNIQUE DEFAULT '7', b text, c numeric(5,1)); CREATE INDEX w_b ON w(b)");
    client.rows("INSERT INTO w VALUES (1, '1', '2026-01-31', 1.5), (2, '20', '2026-02-01', 2.5)");
    assert_eq!(client.error("ALTER TABLE w ALTER COLUMN a TYPE int").0, "42804");
    // USING is for the rows: the default is text still.
    assert_eq!(client.error("ALTER TABLE w ALTER COLUMN a TYPE int USING a::int + 1").0, "42804");
    client.rows("ALTER TABLE w ALTER a DROP DEFAULT, ALTER COLUMN a TYPE int USING a::int + 1");
    client.rows("ALTER TABLE w ALTER COLUMN a SET DEFAULT 7");
    client.rows("ALTER TABLE w ALTER COLUMN b TYPE date USING b::date, ALTER COLUMN c TYPE text");
    assert_eq!(
        client.rows("SELECT a, a + 1, b, b + 1, c FROM w ORDER BY a"),
        "2|3|2026-01-31|2026-02-01|1.5\n21|22|2026-02-01|2026-02-02|2.5"
    );
    client.rows("INSERT INTO w(id) VALUES (3)");
    assert_eq!(client.rows("SELECT a FROM w WHERE a = 7"), "7");
    assert_eq!(client.error("INSERT INTO w(id, a) VALUES (4, 2)").0, "23505");
    for (sql, code) in [
        ("ALTER TABLE w ALTER COLUMN a TYPE smallint USING a * 100000", "22003"),
        ("ALTER TABLE w ALTER COLUMN c TYPE varchar(2)", "22001"),
        ("ALTER TABLE w ALTER COLUMN c TYPE int USING 'x' || c", "42804"),
        ("ALTER TABLE w ALTER COLUMN c TYPE int USING ('x' || c)::int", "22P02"),
        ("ALTER TABLE p ALTER COLUMN id TYPE text", "0A000"),
        ("ALTER TABLE p ALTER COLUMN n TYPE text", "0A000"),
        ("ALTER TABLE p ALTER COLUMN g TYPE bigint", "0A000"),
        ("ALTER TABLE p ALTER COLUMN t TYPE char(9)", "0A000"),
        ("ALTER TABLE w ALTER COLUMN a TYPE boolean USING a = 1", "42804"),
        ("ALTER TABLE w ALTER COLUMN nosuch TYPE int", "42703"),
    ] {
        let before = client.rows("SELECT * FROM w ORDER BY id");
        assert_eq!(client.error(sql).0, code, "{sql}");
        assert_eq!(client.rows("SELECT * FROM w ORDER BY id"), before, "{sql}");
    }
    // No trigger has seen it.
    assert_eq!(
        client.rows(
            "DROP INDEX p_expr; ALTER TABLE p ALTER COLUMN t TYPE char(9); SELECT count(*) FROM log"
        ),
        "0"
    );
    check(&server);
}

#[test]
fn older_rows_keep_the_default_that_they_got() {
    let server = server();
    let mut client = Client::new(&server);
    client
        .rows("ALTER TABLE c ADD COLUMN d int NOT NULL DEFAULT 5; ALTER TABLE c ADD COLUMN e text");
    client.rows(
        "ALTER TABLE c ALTER COLUMN d DROP DEFAULT; ALTER TABLE c ALTER COLUMN e SET DEFAULT 'new'",
    );
    assert_eq!(client.rows("SELECT d, e FROM c"), "5|NULL\n5|NULL\n5|NULL");
    assert_eq!(client.error("INSERT INTO c(p_id, a) VALUES (1, 9)").0, "23502");
    client.rows("INSERT INTO c(p_id, a, d) VALUES (1, 9, 1)");
    assert_eq!(client.rows("SELECT d, e FROM c WHERE a = 9"), "1|new");
    check(&server);
}

#[test]
fn rows_that_violate_a_constraint_refuse_it() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("INSERT INTO c VALUES (1, NULL, 5), (1, 9, -1)");
    let before = client.rows("SELECT * FROM sqlite_schema");
    for (sql, code, message) in [
        (
            "ALTER TABLE c ADD CONSTRAINT k CHECK (b > 0)",
            "23514",
            "check constraint \"k\" of relation \"c\" is violated by some row",
        ),
        (
            "ALTER TABLE c ADD CONSTRAINT k UNIQUE (b)",
            "23505",
            "could not create unique index \"k\"",
        ),
        (
            "ALTER TABLE c ALTER COLUMN a SET NOT NULL",
            "23502",
            "column \"a\" of relation \"c\" contains null values",
        ),
        (
            "ALTER TABLE c ADD CONSTRAINT k FOREIGN KEY (b) REFERENCES p(id)",
            "23503",
            "insert or update on table \"c\" violates foreign key constraint \"k\"",
        ),
        (
            "ALTER TABLE c ADD FOREIGN KEY (b) REFERENCES p(n)",
            "42830",
            "there is no unique constraint matching given keys for referenced table \"p\"",
        ),
        (
            "ALTER TABLE c ADD CONSTRAINT k FOREIGN KEY (b) REFERENCES nosuch(n)",
            "42P01",
            "relation \"nosuch\" does not exist",
        ),
        (
            "ALTER TABLE p ADD CONSTRAINT p_self CHECK (true)",
            "42710",
            "constraint \"p_self\" for relation \"p\" already exists",
        ),
        (
            "ALTER TABLE p ADD CONSTRAINT p_part UNIQUE (t)",
            "42P07",
            "relation \"p_part\" already exists",
        ),
        (
            "ALTER TABLE p DROP CONSTRAINT nosuch",
            "42704",
            "constraint \"nosuch\" of relation \"p\" does not exist",
        ),
        (
            "ALTER TABLE p RENAME CONSTRAINT nosuch TO x",
            "42704",
            "constraint \"nosuch\" of relation \"p\" does not exist",
        ),
        (
            "ALTER TABLE p ALTER COLUMN id DROP NOT NULL",
            "42P16",
            "column \"id\" is in a primary key",
        ),
        (
            "ALTER TABLE p ALTER COLUMN g SET DEFAULT 1",
            "42601",
            "column \"g\" of relation \"p\" is a generated column",
        ),
        (
            "ALTER TABLE nosuch ADD CONSTRAINT k UNIQUE (a)",
            "42P01",
            "relation \"nosuch\" does not exist",
        ),
        (
            "ALTER TABLE v ADD CONSTRAINT k UNIQUE (t)",
            "42809",
            "ALTER action ADD CONSTRAINT cannot be performed on relation \"v\"",
        ),
        (
            "ALTER TABLE p DROP CONSTRAINT p_pkey",
            "0A000",
            "DROP CONSTRAINT of a primary key is not supported",
        ),
    ] {
        assert_eq!(client.error(sql), (code.to_owned(), message.to_owned()), "{sql}");
        assert_eq!(client.rows("SELECT * FROM sqlite_schema"), before, "{sql}");
        // Nor does any of several changes remain.
        let several = sql.replacen(" ADD ", " ADD CONSTRAINT first CHECK (1 = 1), ADD ", 1);
        assert_eq!(client.error(&several).0, code, "{several}");
        assert_eq!(client.rows("SELECT * FROM sqlite_schema"), before, "{several}");
    }
    let key = shown(&client.query("ALTER TABLE c ADD FOREIGN KEY (b) REFERENCES p(id)"));
    assert!(key.contains("DKey (b)=(5) is not present in table \"p\"."), "{key}");
    client
        .rows("ALTER TABLE p ADD CONSTRAINT u UNIQUE (t); CREATE TABLE d(t text REFERENCES p(t))");
    assert_eq!(client.error("ALTER TABLE p DROP CONSTRAINT u").0, "2BP01");
    assert_eq!(client.error("DROP INDEX u").0, "2BP01");
    assert_eq!(
        client.error("INSERT INTO p(t) VALUES ('one')").1,
        "duplicate key value violates unique constraint \"u\""
    );
    check(&server);
}

#[test]
fn what_is_rolled_back_leaves_nothing() {
    let server = server();
    let mut client = Client::new(&server);
    let mut other = Client::new(&server);
    let state =
        "SELECT type, name, sql FROM sqlite_schema ORDER BY name; SELECT * FROM c ORDER BY a";
    let before = client.rows(state);
    let all = "ALTER TABLE c ALTER COLUMN b SET DEFAULT 1, ADD CONSTRAINT k UNIQUE (a), ALTER COLUMN b TYPE text; \
               ALTER TABLE c ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p(id)";
    client.rows(&format!("BEGIN; INSERT INTO f VALUES ('hello again'); {all}; INSERT INTO c(p_id) VALUES (1); ROLLBACK"));
    assert_eq!(client.rows(state), before);
    client.rows(&format!(
        "BEGIN; SAVEPOINT s; {all}; ROLLBACK TO s; ALTER TABLE c ADD CHECK (a > 0); ROLLBACK"
    ));
    assert_eq!(client.rows(state), before);
    assert_eq!(client.error(&format!("BEGIN; {all}; SELECT 1 / 0")).0, "22012");
    client.rows("ROLLBACK");
    assert_eq!(client.rows(state), before);
    // Another session sees none of it before the commit, and all of it after that.
    client.rows(&format!("BEGIN; {all}"));
    assert_eq!(other.rows(state), before);
    client.rows("COMMIT");
    assert_ne!(other.rows(state), before);
    assert_eq!(other.error("INSERT INTO c VALUES (1, 1, 1)").0, "23505");
    check(&server);
}

#[test]
fn a_schema_that_is_undone_is_not_mistaken_for_another() {
    let server = server();
    let mut client = Client::new(&server);
    let mut other = Client::new(&server);
    // Both have the same schema version.
    client.rows("BEGIN; ALTER TABLE c ALTER COLUMN b SET DEFAULT 1; ROLLBACK");
    other.rows("ALTER TABLE c ALTER COLUMN b SET DEFAULT 2");
    client.rows("INSERT INTO c(p_id, a) VALUES (1, 77)");
    assert_eq!(client.rows("SELECT b FROM c WHERE a = 77"), "2");
}

#[test]
fn hostile_text_stays_a_constraint() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE \"t'; DROP TABLE c; --\"(\"a)\" int, b text /* ), x */ DEFAULT ')' -- , (\n, \"CHECK\" int)");
    let table = "\"t'; DROP TABLE c; --\"";
    client.rows(&format!("INSERT INTO {table} VALUES (1, 'x', 2)"));
    for sql in [
        "ADD CONSTRAINT \"k) STRICT; DROP TABLE c; --\" CHECK (b <> '); DROP TABLE c; --')",
        "ADD CONSTRAINT \"u /* \" UNIQUE (\"a)\")",
        "ADD CONSTRAINT \"f, g int\" FOREIGN KEY (\"a)\") REFERENCES p(id)",
        "ALTER COLUMN \"a)\" SET DEFAULT (1) /* , */",
        "ALTER COLUMN b SET DEFAULT '''); DROP TABLE c; --'",
        "ALTER COLUMN \"CHECK\" SET NOT NULL",
        "ALTER COLUMN \"CHECK\" TYPE bigint",
        "RENAME CONSTRAINT \"k) STRICT; DROP TABLE c; --\" TO \"x CHECK (\"",
        "DROP CONSTRAINT \"f, g int\"",
        "DROP CONSTRAINT \"u /* \"",
    ] {
        client.rows(&format!("ALTER TABLE {table} {sql}"));
        assert_eq!(client.rows(&format!("SELECT * FROM {table}")), "1|x|2", "{sql}");
        check(&server);
    }
    client.rows(&format!("INSERT INTO {table}(\"CHECK\") VALUES (3)"));
    assert_eq!(
        client.rows(&format!("SELECT * FROM {table} WHERE \"CHECK\" = 3")),
        "1|'); DROP TABLE c; --|3"
    );
    assert_eq!(client.rows("SELECT count(*) FROM c"), "3");
    // Functions of SQLite's own, and what a definition may not have.
    for (sql, code) in [
        ("ALTER TABLE c ADD CHECK (sqlite_rename_test('main', a, 0, 0, 0, 0, 0) IS NULL)", "42883"),
        ("ALTER TABLE c ADD CHECK (a IN (SELECT 1))", "0A000"),
        ("ALTER TABLE c ALTER COLUMN a SET DEFAULT (SELECT 1)", "0A000"),
        ("ALTER TABLE c ALTER COLUMN a SET DEFAULT b", "0A000"),
        ("ALTER TABLE sqlite_schema ADD CHECK (true)", "42P01"),
        ("ALTER TABLE sqlite_sequence ALTER COLUMN name SET DEFAULT 'x'", "42P01"),
        ("ALTER TABLE pg_class ADD CHECK (true)", "42P01"),
        ("ALTER TABLE f ALTER COLUMN x SET DEFAULT 'x'", "0A000"),
        ("ALTER TABLE f_data ALTER COLUMN block SET DEFAULT 'x'", ""),
    ] {
        let all = client.query(sql);
        let found = super::wire::error(&all).map(|(code, _)| code).unwrap_or_default();
        assert!(code.is_empty() || found == code, "{sql}: {}", shown(&all));
        check(&server);
    }
    // A client may not use what lets the server do it.
    for sql in [
        "PRAGMA writable_schema = 1",
        "PRAGMA schema_version = 1",
        "UPDATE sqlite_schema SET sql = ''",
    ] {
        assert!(super::wire::error(&client.query(sql)).is_some(), "{sql}");
    }
}

#[test]
fn only_writers_alter_tables() {
    let all = tenants_with(&["--pg", "127.0.0.1:0"]);
    assert_eq!(all.code(&all.owner, "a", "CREATE TABLE t(x int, y text DEFAULT 'd')"), "ok");
    let begin = |user: &str| {
        let mut client = Client::begin(all.server.postgres(), user, "a");
        client.prove(PASSWORD);
        client.receive();
        client.greeted();
        client
    };
    let (mut reader, mut writer) = (begin("reader"), begin("writer"));
    let before = reader.rows("SELECT sql FROM sqlite_schema");
    for change in [
        "ADD CONSTRAINT k CHECK (x > 0)",
        "ADD CONSTRAINT k UNIQUE (x)",
        "ADD CONSTRAINT k FOREIGN KEY (x) REFERENCES t(x)",
        "ALTER COLUMN x SET DEFAULT 1",
        "ALTER COLUMN x DROP DEFAULT",
        "ALTER COLUMN y DROP DEFAULT",
        "ALTER COLUMN x SET NOT NULL",
        "ALTER COLUMN x TYPE bigint",
        "ALTER COLUMN x TYPE text",
    ] {
        let sql = format!("ALTER TABLE t {change}");
        assert_eq!(reader.error(&sql).0, "25006", "{sql}");
        assert_eq!(writer.error(&format!("BEGIN READ ONLY; {sql}")).0, "25006", "{sql}");
        writer.rows("ROLLBACK");
        assert_eq!(reader.rows("SELECT sql FROM sqlite_schema"), before, "{sql}");
    }
    writer.rows("ALTER TABLE t ALTER COLUMN x SET DEFAULT 1");
    assert_ne!(reader.rows("SELECT sql FROM sqlite_schema"), before);
}
