//! The Postgres wire while the schema changes.

use super::support::Server;
use super::wire::{Client, bind, error, execute, message, parse, sync, tags};

#[test]
fn types_are_those_of_the_table_as_it_is_now() {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let (mut client, mut other) = (Client::new(&server), Client::new(&server));
    let (select, moment) = ("SELECT d FROM t", "2012-10-15 12:57:18.000396");
    let make = |ty: &str, value: &str| {
        let create = format!("CREATE TABLE t(d {ty}); INSERT INTO t VALUES ('{value}')");
        format!("DROP TABLE IF EXISTS t; {create}")
    };
    client.rows(&make("date", "2012-10-15"));
    assert_eq!(client.rows(select), "2012-10-15");
    client.rows("BEGIN");
    client.rows(&make("timestamp", moment));
    assert_eq!(client.rows(select), moment);
    client.rows("ROLLBACK");
    assert_eq!(client.rows(select), "2012-10-15");
    client.rows("BEGIN; SAVEPOINT s");
    client.rows(&make("timestamp", moment));
    assert_eq!(client.rows(select), moment);
    client.rows("ROLLBACK TO s");
    assert_eq!(client.rows(select), "2012-10-15");
    client.rows("COMMIT");
    let run = [bind("", "p", &[], 1), execute("", 0), sync()].concat();
    client.send(&[parse("p", select, &[]), sync(), run.clone()].concat());
    client.until_ready();
    assert_eq!(tags(&client.until_ready()), "2DCZ");
    client.rows(&make("date", "2012-10-16"));
    client.send(&run);
    assert_eq!(tags(&client.until_ready()), "2DCZ");
    other.rows(&make("timestamp", moment));
    assert_eq!(client.rows(select), moment);
    // Its rows were described as dates.
    for messages in [run, [message('D', b"Sp\0"), sync()].concat()] {
        client.send(&messages);
        assert_eq!(error(&client.until_ready()).unwrap().0, "0A000");
    }
}
