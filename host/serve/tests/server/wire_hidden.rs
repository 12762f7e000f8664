//! A temporary table that hides a permanent one: a name with a schema never means the other.

use super::support::Server;
use super::wire::{Client, bind, error, execute, parse, sync};

fn client() -> (Server, Client) {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(a int); INSERT INTO t VALUES (1); CREATE TABLE \"T t\"(a int)");
    (server, client)
}

#[test]
fn a_permanent_table_that_is_hidden_is_refused() {
    let (_server, mut client) = client();
    client.rows("PREPARE kept AS SELECT a FROM public.t");
    assert_eq!(client.rows("SELECT a FROM public.t; EXECUTE kept"), "1\n1");
    client.rows("CREATE TEMP TABLE t(a int); INSERT INTO t VALUES (2); CREATE TEMP VIEW \"t T\" AS SELECT 1 AS a");
    for sql in [
        "SELECT a FROM public.t",
        "SELECT a FROM PUBLIC . \"t\" AS x",
        "SELECT public.t.a FROM t",
        "SELECT * FROM \"T t\" WHERE a IN (SELECT a FROM \"public\".t)",
        "WITH w AS (SELECT * FROM public.t) SELECT * FROM w",
        "INSERT INTO public.t VALUES (3) RETURNING a",
        "UPDATE public.t SET a = 3",
        "DELETE FROM ONLY public.t",
        "TRUNCATE public.t",
        "DROP TABLE public.t",
        "DROP TABLE IF EXISTS \"T t\", public.t",
        "ALTER TABLE public.t ADD COLUMN b int",
        "ALTER TABLE public.t RENAME TO u",
        "COPY public.t TO STDOUT",
        "COPY (SELECT * FROM public.t) TO STDOUT",
        "CREATE INDEX i ON public.t(a)",
        "CREATE VIEW v AS SELECT a FROM public.t",
        "CREATE TABLE u AS SELECT a FROM public.t",
        "COMMENT ON TABLE public.t IS 'x'",
        "EXPLAIN SELECT * FROM public.t",
        "DECLARE c CURSOR WITH HOLD FOR SELECT a FROM public.t",
        "SELECT a FROM main.t",
        "SELECT * FROM public.\"T t\"",
        "EXECUTE kept",
    ] {
        let (code, message) = client.error(sql);
        assert!(
            code == "0A000" && message.contains("which a temporary table hides"),
            "{sql}: {message}"
        );
    }
    let sql =
        [parse("", "SELECT a FROM public.t WHERE a = $1", &[23]), bind("", "", &[Some("1")], 0)];
    client.send(&[sql.concat(), execute("", 0), sync()].concat());
    assert_eq!(error(&client.until_ready()).unwrap().0, "0A000");
    assert_eq!(
        client.rows("SELECT a FROM t; SELECT a FROM pg_temp.t; SELECT x.a FROM pg_temp.t x"),
        "2\n2\n2"
    );
    client.rows("DROP TABLE pg_temp.t");
    assert_eq!(client.rows("SELECT a FROM public.t; EXECUTE kept"), "1\n1");
}

#[test]
fn the_schema_of_the_session_is_that_of_temporary_tables() {
    let (server, mut client) = client();
    for sql in [
        "SELECT * FROM pg_temp.t",
        "DELETE FROM pg_temp.t",
        "DROP TABLE pg_temp.t",
        "INSERT INTO pg_temp.t VALUES (1)",
        "DROP TABLE temp.t",
        "TRUNCATE pg_temp.t",
        "ALTER TABLE pg_temp.t ADD COLUMN b int",
        "COPY pg_temp.t FROM STDIN",
        "CREATE INDEX i ON pg_temp.t(a)",
    ] {
        assert_eq!(client.error(sql).0, "42P01", "{sql}");
    }
    client
        .rows("CREATE TABLE pg_temp.n(a int, b numeric(5,2)); INSERT INTO pg_temp.n VALUES (1, 2)");
    assert_eq!(client.rows("SELECT n.a, pg_temp.n.b FROM pg_temp.n"), "1|2.00");
    client.rows("UPDATE pg_temp.n SET a = 5; DELETE FROM pg_temp.n WHERE a = 4");
    assert_eq!(client.rows("SELECT a FROM n"), "5");
    let mut other = Client::new(&server);
    assert_eq!(other.error("SELECT * FROM n").0, "42P01");
}

#[test]
fn if_exists_skips_a_missing_temporary_table_and_leaves_the_permanent_one() {
    let (_server, mut client) = client();
    client.rows("DROP TABLE IF EXISTS pg_temp.other; DROP VIEW IF EXISTS temp.other");
    client.rows("ALTER TABLE IF EXISTS pg_temp.other ADD COLUMN b int");
    client.rows("ALTER TABLE IF EXISTS pg_temp.other RENAME TO another");
    for sql in [
        "DROP TABLE IF EXISTS pg_temp.t",
        "DROP TABLE IF EXISTS other, temp.t",
        "ALTER TABLE IF EXISTS pg_temp.t ADD COLUMN b int",
    ] {
        assert_eq!(client.error(sql).0, "42P01", "{sql}");
    }
    client.rows("CREATE TEMP TABLE t(a int); DROP TABLE IF EXISTS pg_temp.t");
    assert_eq!(client.rows("SELECT count(*) FROM public.t"), "1");
}
