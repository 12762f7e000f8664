//! The Postgres wire: parameters whose types the client declares, and prepared statements after the schema has changed.

use super::support::Server;
use super::wire::{Client, bind, error, execute, parse, rows, sync};

const INT4: u32 = 23;
const TEXT: u32 = 25;

#[test]
fn declared_types_reach_every_query_of_a_statement() {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let mut client = Client::new(&server);
    let mut run = |sql: &str, types: &[u32], values: &[Option<&str>]| {
        let sent = [parse("", sql, types), bind("", "", values, 0), execute("", 0), sync()];
        client.send(&sent.concat());
        let all = client.until_ready();
        error(&all).map_or_else(|| rows(&all), |(code, _)| code)
    };
    let numbers = [Some("10"), Some("9")];
    for (sql, types, values, expected) in [
        ("SELECT ARRAY[$1, $2]", [INT4, INT4], numbers, "{10,9}"),
        ("SELECT sum(x) FROM (VALUES ($1), ($2)) v(x)", [INT4, INT4], numbers, "19"),
        ("SELECT max(x) FROM (VALUES ($1), ($2)) v(x)", [TEXT, TEXT], numbers, "9"),
        ("SELECT $1 || $2", [TEXT, 16], [Some("a"), Some("t")], "atrue"),
        ("SELECT $1 || $2", [TEXT, 17], [Some("a"), Some("\\x01")], "a\\x01"),
        ("SELECT $1 < $2", [TEXT, INT4], numbers, "42883"),
        (
            "SELECT $1, $2",
            [3802, INT4],
            [Some("{\"b\":1,\"a\":2}"), None],
            "{\"a\": 2, \"b\": 1}|NULL",
        ),
        ("SELECT $1 IS NULL, $2", [3802, INT4], [Some("{bad"), None], "22P02"),
    ] {
        assert_eq!(run(sql, &types, &values), expected, "{sql}");
    }
}

#[test]
fn a_prepared_insert_has_the_columns_of_its_table_now() {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE s(a int)");
    client.rows("PREPARE i AS INSERT INTO s VALUES (2)");
    client.rows("EXECUTE i");
    client.rows("ALTER TABLE s ADD COLUMN b int DEFAULT 7");
    client.rows("EXECUTE i");
    client.rows("EXECUTE i");
    assert_eq!(client.rows("SELECT * FROM s"), "2|7\n2|7\n2|7");
}

/// What a cast does depends on the type of its column.
#[test]
fn a_prepared_query_reads_its_columns_by_their_types_now() {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE s(a numeric); INSERT INTO s VALUES (2.5)");
    client.rows("PREPARE q AS SELECT a::text FROM s; PREPARE d AS DELETE FROM s WHERE a::text = '2024-02-29'");
    assert_eq!(client.rows("EXECUTE q"), "2.5");
    client.rows("DROP TABLE s; CREATE TABLE s(a date); INSERT INTO s VALUES ('2024-02-29')");
    assert_eq!(client.rows("EXECUTE q"), "2024-02-29");
    client.rows("EXECUTE d");
    assert_eq!(client.rows("SELECT count(*) FROM s"), "0");
}
