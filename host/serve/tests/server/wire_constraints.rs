//! SET CONSTRAINTS over the Postgres wire: what is deferred is checked when the client says so, with the errors that
//! PostgreSQL has.

use super::support::Server;
use super::wire::{Client, Message, bind, error, execute, parse, shown, sync};

const SCHEMA: &str = "
    CREATE TABLE p(id int PRIMARY KEY);
    CREATE TABLE c(id int PRIMARY KEY, p int, q int CONSTRAINT \"C q\" REFERENCES p DEFERRABLE INITIALLY DEFERRED,
        r int CONSTRAINT c_r REFERENCES p, CONSTRAINT c_p FOREIGN KEY (p) REFERENCES p DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE tree(id int PRIMARY KEY, up int REFERENCES tree DEFERRABLE INITIALLY DEFERRED);
    INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES (1, 1, 2, 1)";

fn client() -> (Server, Client) {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let mut client = Client::new(&server);
    client.rows(SCHEMA);
    (server, client)
}

fn code(all: &[Message]) -> String {
    error(all).map(|found| found.0).unwrap_or_default()
}

const INSERTED: &str = "insert or update on table \"c\" violates foreign key constraint \"c_p\"";
const DELETED: &str =
    "update or delete on table \"p\" violates foreign key constraint \"c_p\" on table \"c\"";

#[test]
fn what_is_deferred_is_checked_at_once() {
    let (_server, mut client) = client();
    for (names, is_violated) in [
        ("ALL", true),
        ("c_p", true),
        ("\"C q\", public.c_p", true),
        ("C_P", true),
        ("\"C q\"", false),
        ("c_r", false),
    ] {
        client.rows("BEGIN; INSERT INTO c VALUES (2, 7)");
        let all = client.query(&format!("SET CONSTRAINTS {names} IMMEDIATE"));
        if is_violated {
            let found = error(&all).unwrap();
            assert_eq!(found, ("23503".into(), INSERTED.into()), "{names}");
            let text = shown(&all);
            assert!(text.contains("Key (p)=(7) is not present in table \"p\"."), "{text}");
            assert_eq!(client.error("SELECT 1").0, "25P02", "{names}");
        } else {
            assert!(shown(&all).contains("SET CONSTRAINTS"), "{}", shown(&all));
            assert_eq!(client.error("COMMIT"), ("23503".into(), INSERTED.into()));
        }
        client.query("ROLLBACK");
        assert_eq!(client.rows("SELECT count(*) FROM c"), "1");
    }
}

#[test]
fn later_statements_are_checked_one_by_one() {
    let (_server, mut client) = client();
    let mut fails = |before: &str, sql: &str, message: &str| {
        client.rows(&format!("BEGIN; {before}; SET CONSTRAINTS ALL IMMEDIATE"));
        assert_eq!(client.error(sql), ("23503".into(), message.into()), "{sql}");
        client.rows("ROLLBACK");
    };
    fails("SELECT 1", "INSERT INTO c VALUES (2, 7)", INSERTED);
    fails("SELECT 1", "INSERT INTO c VALUES (2, 7) RETURNING id", INSERTED);
    fails("INSERT INTO p VALUES (7)", "UPDATE c SET p = 8", INSERTED);
    fails(
        "UPDATE c SET p = NULL, q = 1, r = 2",
        "UPDATE p SET id = 9 WHERE id = 1",
        &DELETED.replace("c_p", "C q"),
    );
    fails("UPDATE c SET q = NULL, r = 2", "DELETE FROM p WHERE id = 1", DELETED);
    fails(
        "SELECT 1",
        "INSERT INTO tree VALUES (1, 2)",
        "insert or update on table \"tree\" violates foreign key constraint \"tree_up_fkey\"",
    );
    // What one statement makes whole is not a violation.
    client.rows("BEGIN; SET CONSTRAINTS ALL IMMEDIATE; INSERT INTO tree VALUES (1, 2), (2, 1); UPDATE tree SET up = id; COMMIT");
    assert_eq!(client.rows("SELECT id, up FROM tree ORDER BY id"), "1|1\n2|2");
    // Only until the end of the transaction.
    client.rows("BEGIN; INSERT INTO c VALUES (3, 5); INSERT INTO p VALUES (5); COMMIT");
    client.rows("BEGIN; SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS c_p DEFERRED; INSERT INTO c VALUES (4, 6); INSERT INTO p VALUES (6); COMMIT");
}

#[test]
fn prepared_statements_copies_and_savepoints_are_checked() {
    let (_server, mut client) = client();
    client.rows("PREPARE add AS INSERT INTO c VALUES ($1, $2)");
    client.rows("BEGIN; SET CONSTRAINTS c_p IMMEDIATE; SAVEPOINT a");
    assert_eq!(client.error("EXECUTE add(2, 7)"), ("23503".into(), INSERTED.into()));
    client.rows("ROLLBACK TO a; SET CONSTRAINTS ALL DEFERRED; EXECUTE add(2, 7)");
    assert_eq!(client.rows("SELECT count(*) FROM c"), "2");
    client.rows("ROLLBACK TO a");
    let bound = [
        parse("", "INSERT INTO c VALUES ($1, $2)", &[23, 23]),
        bind("", "", &[Some("2"), Some("7")], 0),
    ];
    client.send(&[bound.concat(), execute("", 0), sync()].concat());
    assert_eq!(code(&client.until_ready()), "23503");
    client.rows("ROLLBACK TO a; RELEASE a; SET CONSTRAINTS c_p DEFERRED; EXECUTE add(2, 7); INSERT INTO p VALUES (7); COMMIT");
    client.rows("BEGIN; SET CONSTRAINTS ALL IMMEDIATE");
    let error = client.error("TRUNCATE p");
    assert_eq!(error.0, "0A000", "{error:?}");
    client.rows("ROLLBACK");
}

#[test]
fn names_are_those_of_constraints_that_can_be_deferred() {
    let (_server, mut client) = client();
    for (sql, code, message) in [
        ("SET CONSTRAINTS nope IMMEDIATE", "42704", "constraint \"nope\" does not exist"),
        ("SET CONSTRAINTS c_p, Nope DEFERRED", "42704", "constraint \"nope\" does not exist"),
        ("SET CONSTRAINTS c_r DEFERRED", "42809", "constraint \"c_r\" is not deferrable"),
        ("SET CONSTRAINTS c_pkey DEFERRED", "42809", "constraint \"c_pkey\" is not deferrable"),
        ("SET CONSTRAINTS other.c_p DEFERRED", "3F000", "schema \"other\" does not exist"),
    ] {
        client.rows("BEGIN");
        assert_eq!(client.error(sql), (code.into(), message.into()), "{sql}");
        client.rows("ROLLBACK");
    }
    for sql in ["SET CONSTRAINTS", "SET CONSTRAINTS ALL", "SET CONSTRAINTS c_p IMMEDIATE now"] {
        assert_eq!(client.error(sql).0, "42601", "{sql}");
    }
    let all = shown(&client.query("SET CONSTRAINTS ALL IMMEDIATE"));
    assert!(all.contains("SET CONSTRAINTS can only be used in transaction blocks"), "{all}");
    // Without a transaction it has no effect on the next one.
    client.rows("BEGIN; INSERT INTO c VALUES (2, 7); INSERT INTO p VALUES (7); COMMIT");
}
