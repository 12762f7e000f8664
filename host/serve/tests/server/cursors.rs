//! Cursors of SQL, and portals as cursors.

use super::support::Server;
use super::wire::{Client, bind, execute, parse, shown, sync, tags};

fn server() -> Server {
    Server::start(&["--pg", "127.0.0.1:0"])
}

#[test]
fn cursors_of_sql_are_fetched() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("BEGIN; DECLARE c CURSOR FOR SELECT g FROM generate_series(1, 5) AS g");
    assert_eq!(client.rows("FETCH 2 FROM c"), "1\n2");
    assert_eq!(client.rows("FETCH FORWARD ALL FROM c"), "3\n4\n5");
    assert_eq!(client.rows("FETCH ABSOLUTE 2 FROM c"), "2");
    assert!(shown(&client.query("MOVE 2 IN c")).contains("MOVE 2"));
    assert_eq!(client.rows("CLOSE c; COMMIT"), "");
    assert_eq!(client.error("FETCH c").0, "34000");
    assert_eq!(client.error("DECLARE c CURSOR FOR SELECT 1").0, "25P01");
    client.rows("DECLARE c CURSOR WITH HOLD FOR SELECT 1");
    assert_eq!(client.rows("FETCH c"), "1");
}

/// asyncpg's `forward` sends MOVE of a portal that it has bound.
#[test]
fn portals_are_fetched_by_sql() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("BEGIN");
    let query = "SELECT g FROM generate_series(1, 9) AS g";
    for format in [0, 1] {
        client.send(&[parse("", query, &[]), bind("p", "", &[], format), sync()].concat());
        assert_eq!(tags(&client.until_ready()), "12Z");
        assert!(shown(&client.query("MOVE FORWARD 2 \"p\"")).contains("MOVE 2"));
        client.send(&[execute("p", 1), sync()].concat());
        assert_eq!(tags(&client.until_ready()), "DsZ");
        assert!(shown(&client.query("MOVE RELATIVE 2 IN p")).contains("MOVE 1"));
        match format {
            0 => assert_eq!(client.rows("FETCH 2 FROM p"), "6\n7"),
            _ => {
                client.rows("SAVEPOINT s");
                assert_eq!(client.error("FETCH 2 FROM p").0, "0A000");
                client.rows("ROLLBACK TO s; MOVE 2 IN p");
            }
        }
        client.rows("SAVEPOINT s");
        assert_eq!(client.error("DECLARE p CURSOR FOR SELECT 1").0, "42P03");
        client.rows("ROLLBACK TO s");
        assert!(shown(&client.query("MOVE ALL IN p")).contains("MOVE 2"));
        client.rows("SAVEPOINT s");
        assert_eq!(client.error("FETCH BACKWARD 1 FROM p").0, "55000");
        client.rows("ROLLBACK TO s; CLOSE p");
        assert_eq!(client.error("MOVE 1 IN p").0, "34000");
        client.rows("ROLLBACK TO s");
    }
}
