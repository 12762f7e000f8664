//! Two clients of the Postgres wire that want the same rows.

use super::support::Server;
use super::wire::Client;

#[test]
fn a_transaction_that_read_before_another_wrote_fails() {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let (mut one, mut other) = (Client::new(&server), Client::new(&server));
    one.rows("CREATE TABLE t(a int); INSERT INTO t VALUES (1)");
    one.rows("BEGIN");
    assert_eq!(one.rows("SELECT a FROM t"), "1");
    other.rows("UPDATE t SET a = a + 1");
    // What it read is old by now.
    let (code, message) = one.error("UPDATE t SET a = a + 10");
    assert_eq!(code, "40001", "{message}");
    assert_eq!(one.error("SELECT 1").0, "25P02");
    one.rows("ROLLBACK");
    // Another attempt succeeds.
    one.rows("BEGIN");
    assert_eq!(one.rows("SELECT a FROM t"), "2");
    one.rows("UPDATE t SET a = a + 10; COMMIT");
    assert_eq!(other.rows("SELECT a FROM t"), "12");
}
