//! The limits of sessions of the Postgres wire.

use std::time::{Duration, Instant};

use super::support::{PATIENCE, Server};
use super::wire::{Client, bind, error, execute, message, packet, parse, rows, sync, tags, text};

fn server(arguments: &[&str]) -> Server {
    Server::start(&[&["--pg", "127.0.0.1:0"], arguments].concat())
}

#[test]
fn clients_may_limit_their_time_further() {
    const FOREVER: &str =
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c";
    let server = server(&["--statement-timeout", "20s", "--transaction-timeout", "15s"]);
    let mut client = Client::new(&server);
    assert_eq!(client.rows("SHOW statement_timeout"), "20s");
    assert_eq!(client.rows("SET statement_timeout = '1min'; SHOW statement_timeout"), "20s");
    assert_eq!(client.error("SET statement_timeout = 'soon'").0, "22023");
    client.rows("SET statement_timeout = 300");
    let start = Instant::now();
    let is_over = |client: &mut Client, sql: &str| {
        let (code, message) = client.error(sql);
        assert_eq!((code.as_str(), message.contains("timeout")), ("57014", true), "{message}");
        assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
    };
    is_over(&mut client, FOREVER);
    client.rows("RESET statement_timeout; CREATE TABLE t(a int)");
    client.rows("BEGIN; SET LOCAL statement_timeout = '200ms'");
    assert_eq!(client.rows("SELECT current_setting('statement_timeout')"), "200ms");
    is_over(&mut client, FOREVER);
    client.rows("ROLLBACK");
    assert_eq!(client.rows("SHOW statement_timeout"), "20s");
    let mut other = Client::new(&server);
    other.rows("BEGIN; INSERT INTO t VALUES (1)");
    client.rows("SET statement_timeout = 300");
    is_over(&mut client, "INSERT INTO t VALUES (2)");
    other.rows("COMMIT");
    client.rows("INSERT INTO t VALUES (2)");
    other.rows("SET idle_in_transaction_session_timeout = 200; BEGIN");
    assert_eq!(error(&[other.receive()]).unwrap().0, "25P03");
}

/// The half of a long message: others wait for its room.
fn half(client: &mut Client) {
    client.send(&message('Q', &vec![b' '; 1 << 20])[..100_000]);
}

#[test]
fn long_messages_without_room_are_errors() {
    let server = server(&[]);
    let long = format!("SELECT '{}'", "x".repeat(200_000));
    let prepared = [parse("", &long, &[]), bind("", "", &[], 0), execute("", 0), sync()].concat();
    let (mut simple, mut extended) = (Client::new(&server), Client::new(&server));
    let mut copying = Client::new(&server);
    copying.rows("CREATE TABLE t(a text)");
    let mut refused = || {
        let mut others: Vec<_> = (0..8).map(|_| Client::new(&server)).collect();
        others.iter_mut().for_each(half);
        std::thread::sleep(Duration::from_millis(300));
        simple.send(&[message('Q', &text(&long)), message('Q', &text("SELECT 2"))].concat());
        extended.send(&prepared);
        copying.send(&message('Q', &text("COPY t FROM STDIN")));
        copying.receive();
        copying.send(&[message('d', long.as_bytes()), message('c', b"")].concat());
        let all = [simple.until_ready(), extended.until_ready(), copying.until_ready()];
        assert_eq!(rows(&simple.until_ready()), "2");
        all.map(|all| error(&all).map(|(code, _)| code))
    };
    // On a busy machine the others' messages may come later than those that wait for room.
    let refusal = [(); 3].map(|()| Some("53200".to_owned()));
    assert!((0..5).any(|_| refused() == refusal));
    extended.send(&prepared);
    assert_eq!(tags(&extended.until_ready()), "12DCZ");
    assert!(copying.rows("SELECT count(*) FROM t").len() == 1);
}

#[test]
fn idle_clients_end() {
    let server = server(&["--idle-timeout", "4s", "--transaction-timeout", "2s"]);
    let address = server.postgres();
    let mut idle = Client::of(address);
    let mut open = Client::of(address);
    open.rows("BEGIN; CREATE TABLE t(a)");
    assert_eq!(error(&[open.receive()]).unwrap().0, "25P03");
    assert_eq!(error(&[idle.receive()]).unwrap().0, "57P05");
    assert!(idle.try_receive().is_err());
    assert_eq!(Client::of(address).error("SELECT a FROM t").0, "42P01");
}

#[test]
fn clients_beyond_the_limit_are_refused() {
    let server = server(&["--max-clients", "1"]);
    let address = server.postgres();
    let held = Client::of(address);
    let mut other = Client::begin(address, "local", "shop");
    assert_eq!(error(&[other.receive()]).unwrap().0, "53300");
    drop(held);
    Client::of(address);
}

#[test]
fn statements_end_at_their_limits_and_when_cancelled() {
    const FOREVER: &str =
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c";
    let server = server(&["--statement-timeout", "4s", "--max-rows", "10"]);
    let address = server.postgres();
    let mut client = Client::of(address);
    client.send(&message('Q', &text(FOREVER)));
    let mut wrong = client.key.clone();
    wrong[7] ^= 1;
    for key in [wrong, client.key.clone()] {
        std::thread::sleep(Duration::from_millis(200));
        let cancel = [80_877_102_u32.to_be_bytes().to_vec(), key].concat();
        Client::connect(address).send(&packet(&cancel));
    }
    let (code, message) = error(&client.until_ready()).unwrap();
    assert_eq!((code.as_str(), message.contains("user request")), ("57014", true), "{message}");
    let (code, message) = client.error(FOREVER);
    assert_eq!((code.as_str(), message.contains("timeout")), ("57014", true), "{message}");
    assert_eq!(client.error("SELECT g FROM generate_series(1, 20) AS g").0, "54000");
    assert_eq!(
        client.error("SELECT length(replace(hex(zeroblob(60000000)), '0', 'aaaa'))").0,
        "53200"
    );
    assert_eq!(client.rows("SELECT 1"), "1");
}
