//! Legal but hostile clients are bounded, and others go on.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{PATIENCE, Server, directory, error, execute, rows, run, run_runner};

const ENDLESS: &str = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c)";

#[test]
fn a_runaway_query_ends_while_others_go_on() {
    let server = Server::start(&["--statement-timeout", "2s"]);
    std::thread::scope(|scope| {
        let runaway = scope.spawn(|| server.error(&format!("{ENDLESS} SELECT sum(i) FROM c")));
        let start = Instant::now();
        let mut others = 0;
        while !runaway.is_finished() {
            assert_eq!(server.query("SELECT 1"), [["1"]]);
            others += 1;
        }
        let (code, message) = runaway.join().unwrap();
        assert_eq!(code, "LIMIT_REACHED", "{message}");
        assert!(start.elapsed() < PATIENCE && others > 10, "{others}");
    });
}

#[test]
fn memory_rows_and_bytes_are_limited() {
    let server =
        Server::start(&["--client-memory", "32M", "--max-rows", "1000", "--max-bytes", "1M"]);
    let rows = format!("{ENDLESS} SELECT i FROM c LIMIT 2000");
    let bytes = format!("{ENDLESS} SELECT zeroblob(10000) FROM c LIMIT 500");
    for (sql, codes) in [
        (
            "SELECT length(randomblob(100000000))",
            &["SQLITE_NOMEM", "LIMIT_REACHED", "SQLITE_TOOBIG"][..],
        ),
        (&format!("{ENDLESS} SELECT group_concat(i) FROM c"), &["SQLITE_NOMEM", "LIMIT_REACHED"]),
        (&format!("{ENDLESS} SELECT i FROM c ORDER BY i DESC"), &["SQLITE_NOMEM", "LIMIT_REACHED"]),
        (&rows, &["LIMIT_REACHED"]),
        (&bytes, &["LIMIT_REACHED", "RESPONSE_TOO_LARGE"]),
    ] {
        let (code, message) = server.error(sql);
        assert!(codes.contains(&code.as_str()), "{sql}: {code} {message}");
    }
    // The reply as a whole is limited, too.
    let half = execute("SELECT zeroblob(300000)");
    let results = server.pipeline(vec![half.clone(), half.clone(), half]);
    assert_eq!(results[0]["type"], "ok");
    assert_eq!(error(&results[2]).0, "RESPONSE_TOO_LARGE");
    assert!(server.memory() < 400 << 20, "{}", server.memory());
    assert_eq!(server.query("SELECT 1"), [["1"]]);
}

fn begin(server: &Server, sql: &str) -> Value {
    let (status, reply) = server
        .post("/v3/pipeline", &json!({"requests": [execute("BEGIN IMMEDIATE"), execute(sql)]}));
    assert_eq!(status, 200, "{reply}");
    assert_eq!(reply["results"][1]["type"], "ok", "{reply}");
    reply["baton"].clone()
}

#[test]
fn an_idle_transaction_is_rolled_back() {
    let server = Server::start(&["--transaction-timeout", "1s"]);
    server.query("CREATE TABLE t(x)");
    let baton = begin(&server, "INSERT INTO t VALUES(1)");
    let start = Instant::now();
    // A writer waits for the lock, and gets it.
    server.query("INSERT INTO t VALUES(2)");
    assert!(start.elapsed() < Duration::from_secs(4));
    assert_eq!(server.query("SELECT x FROM t"), [["2"]]);
    let (status, reply) = server.post("/v3/pipeline", &json!({"baton": baton, "requests": []}));
    assert_eq!(status, 400, "{reply}");
}

#[test]
fn a_busy_transaction_is_rolled_back() {
    let server = Server::start(&["--transaction-timeout", "1s", "--statement-timeout", "30s"]);
    server.query("CREATE TABLE t(x)");
    let baton = begin(&server, "INSERT INTO t VALUES(1)");
    let long = execute(&format!("{ENDLESS} SELECT sum(i) FROM c"));
    let start = Instant::now();
    let body = json!({"baton": baton, "requests": [long, execute("COMMIT")]});
    let (_, reply) = server.post("/v3/pipeline", &body);
    assert!(start.elapsed() < Duration::from_secs(5));
    for result in reply["results"].as_array().unwrap() {
        assert_eq!(error(result).0, "TRANSACTION_TIMEOUT", "{reply}");
    }
    server.query("INSERT INTO t VALUES(2)");
    assert_eq!(server.query("SELECT x FROM t"), [["2"]]);
}

#[test]
fn an_idle_stream_is_closed() {
    let server = Server::start(&["--idle-timeout", "500ms", "--max-clients", "1"]);
    let (_, reply) = server.post("/v3/pipeline", &json!({"requests": [execute("SELECT 1")]}));
    assert!(reply["baton"].is_string());
    // Its slot is free again.
    assert_eq!(server.query("SELECT 1"), [["1"]]);
    let (status, _) =
        server.post("/v3/pipeline", &json!({"baton": reply["baton"], "requests": []}));
    assert_eq!(status, 400);
}

#[test]
fn a_full_server_says_so() {
    let server = Server::start(&["--max-clients", "1"]);
    let (_, first) = server.post("/v3/pipeline", &json!({"requests": []}));
    let (status, reply) = server.post("/v3/pipeline", &json!({"requests": []}));
    assert_eq!((status, reply["code"].as_str()), (503, Some("SERVER_FULL")));
    let close = json!({"baton": first["baton"], "requests": [{"type": "close"}]});
    assert_eq!(server.post("/v3/pipeline", &close).0, 200);
    assert_eq!(server.query("SELECT 1"), [["1"]]);
}

#[test]
fn the_disk_is_limited() {
    let server = Server::start(&["--max-db-size", "1M"]);
    server.query("CREATE TABLE t(x)");
    let fill = format!("INSERT INTO t {ENDLESS} SELECT zeroblob(10000) FROM c LIMIT 1000");
    assert_eq!(server.error(&fill).0, "SQLITE_FULL");
    assert!(server.database().metadata().unwrap().len() <= 1 << 20);
    for sql in [
        "PRAGMA max_page_count = 1000000",
        "PRAGMA page_size = 65536",
        "PRAGMA temp_store = FILE",
        "PRAGMA locking_mode = EXCLUSIVE",
    ] {
        assert_eq!(server.error(sql).0, "SQLITE_AUTH", "{sql}");
    }
    assert_eq!(server.query("SELECT count(*) FROM t"), [["0"]]);
}

/// The limit is in bytes, whatever the size of the pages of an existing file is.
#[test]
fn the_disk_is_limited_with_pages_of_any_size() {
    for bytes in [512_u32, 4096, 65536] {
        let directory = directory();
        let file = directory.path().join("shop.db");
        let file = file.to_str().unwrap().to_owned();
        let (_, is_ok) = run_runner(&[
            "--dir",
            directory.path().to_str().unwrap(),
            &file,
            &format!("PRAGMA page_size = {bytes}; CREATE TABLE t(x)"),
        ]);
        assert!(is_ok);
        let server = Server::start_in(directory, &[&file, "--max-db-size", "1M"]);
        assert_eq!(server.query("PRAGMA page_size"), [[bytes.to_string()]]);
        server.query("INSERT INTO t VALUES(zeroblob(500000))");
        assert_eq!(server.error("INSERT INTO t VALUES(zeroblob(600000))").0, "SQLITE_FULL");
        // Other pages, and so a larger file, by way of VACUUM.
        for sql in ["PRAGMA page_size = 65536", "PRAGMA main.page_size(65536)"] {
            assert_eq!(server.error(sql).0, "SQLITE_AUTH");
        }
        server.query("VACUUM");
        assert_eq!(server.query("PRAGMA page_size"), [[bytes.to_string()]]);
        assert!(server.database().metadata().unwrap().len() <= 1 << 20);
    }
}

/// A server that only reads creates no file, and leaves its journal as it is.
#[test]
fn a_read_only_server_changes_no_file() {
    let directory = directory();
    let file = directory.path().join("shop.db");
    let path = file.to_str().unwrap().to_owned();
    let (_, message, is_ok) = run(&[&path, "--read-only", "--http", "127.0.0.1:0"]);
    assert!(!is_ok && message.contains("shop.db"), "{message}");
    assert!(!file.exists());
    let sql = "CREATE TABLE t(x); INSERT INTO t VALUES(7)";
    assert!(run_runner(&["--dir", directory.path().to_str().unwrap(), &path, sql]).1);
    let before = std::fs::read(&file).unwrap();
    let options = [&path, "--read-only", "--pg", "127.0.0.1:0"];
    let mut server = Server::start_in(directory, &options);
    assert_eq!(server.query("SELECT x FROM t"), [["7"]]);
    let mut client = crate::wire::Client::new(&server);
    assert_eq!(client.rows("SELECT x FROM t"), "7");
    assert_eq!(client.error("INSERT INTO t VALUES (8)").0, "25006");
    assert_eq!(server.error("INSERT INTO t VALUES(8)").0, "SQLITE_READONLY");
    server.signal("-TERM");
    assert!(server.wait());
    assert_eq!(std::fs::read(server.database()).unwrap(), before);
}

/// Sorts and temporary tables may be larger than the memory, up to their limit.
#[test]
fn temporary_files_are_limited() {
    let server = Server::start(&[
        "--pg",
        "127.0.0.1:0",
        "--max-temp",
        "24M",
        "--client-memory",
        "24M",
        "--statement-timeout",
        "30s",
    ]);
    let sort = |rows: u32| {
        let sorted = format!("{ENDLESS} SELECT i, zeroblob(200) AS b FROM c LIMIT {rows}");
        format!(
            "SELECT count(*) FROM (SELECT * FROM ({sorted}) ORDER BY b, -i LIMIT 100000000 OFFSET 1)"
        )
    };
    let mut stream = server.stream();
    let mut run = |sql: &str| stream.run(&[execute(sql)]).remove(0);
    // Twice: the files of the first one are gone.
    for _ in 0..2 {
        assert_eq!(rows(&run(&sort(40_000))), [["39999"]]);
        let (code, message) = error(&run(&sort(1_000_000)));
        assert_eq!(code, "LIMIT_REACHED", "{message}");
        assert!(message.contains("25165824 bytes of temporary files"), "{message}");
    }
    run("CREATE TEMP TABLE large(b)");
    let fill = format!("INSERT INTO large {ENDLESS} SELECT zeroblob(10000) FROM c LIMIT 10000");
    assert_eq!(error(&run(&fill)).0, "LIMIT_REACHED");
    assert_eq!(rows(&run("SELECT count(*) FROM large")), [["0"]]);
    let mut client = crate::wire::Client::new(&server);
    assert_eq!(client.error(&sort(1_000_000)).0, "53400");
    assert_eq!(client.rows("SELECT 1"), "1");
    // Without the option nothing of it is in files, and the limit of memory holds.
    let without = Server::start(&["--client-memory", "24M"]);
    let (code, message) = without.error(&sort(1_000_000));
    assert!(message.contains("memory"), "{code} {message}");
}

#[test]
fn files_beside_the_database_are_out_of_reach() {
    let server = Server::start(&[]);
    let other = server.directory.path().join("other.db");
    std::fs::write(&other, "").unwrap();
    let other = other.display();
    for sql in [
        format!("ATTACH '{other}' AS o"),
        format!("ATTACH 'file:{other}?mode=rw' AS o"),
        format!("VACUUM INTO '{other}'"),
        "ATTACH '/etc/passwd' AS o".to_owned(),
        "SELECT load_extension('x')".to_owned(),
        "SELECT readfile('/etc/passwd')".to_owned(),
        "SELECT writefile('x', 'y')".to_owned(),
    ] {
        let (code, message) = server.error(&sql);
        assert!(
            ["SQLITE_CANTOPEN", "SQLITE_ERROR", "SQLITE_AUTH"].contains(&code.as_str()),
            "{sql}: {code} {message}"
        );
    }
    assert_eq!(server.directory.path().join("other.db").metadata().unwrap().len(), 0);
}

/// A client that reads nothing of its cursor holds no lock for longer than a transaction may.
#[test]
fn a_cursor_that_is_not_read_ends() {
    let server = Server::start(&["--transaction-timeout", "1s", "--max-clients", "2"]);
    let sql = format!("{ENDLESS} SELECT zeroblob(1000) FROM c LIMIT 10000");
    let body = json!({"baton": null, "batch": {"steps": [{"stmt": {"sql": sql}}]}}).to_string();
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut stream = server.connect();
        let head = server.head("/v3/cursor", &format!("Content-Length: {}\r\n", body.len()));
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        streams.push(stream);
    }
    std::thread::sleep(Duration::from_secs(2));
    let memory = server.memory();
    assert!(memory < 400 << 20, "{memory}");
    drop(streams);
}

/// Each of many writers gets its turn, and none fails for want of it.
#[test]
fn many_clients_write_without_loss() {
    let server = Server::start(&["--fast-commits"]);
    server.query("CREATE TABLE t(client INTEGER, n INTEGER)");
    server.query("CREATE TABLE sum(n INTEGER)");
    server.query("INSERT INTO sum VALUES(0)");
    const CLIENTS: usize = 40;
    const EACH: usize = 20;
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let server = &server;
            scope.spawn(move || {
                for n in 0..EACH {
                    let insert = format!("INSERT INTO t VALUES({client}, {n})");
                    let results = server.pipeline(vec![
                        execute("BEGIN IMMEDIATE"),
                        execute("UPDATE sum SET n = n + 1"),
                        execute(&insert),
                        execute("COMMIT"),
                    ]);
                    assert!(results.iter().all(|result| result["type"] == "ok"), "{results:?}");
                }
            });
        }
    });
    let total = (CLIENTS * EACH).to_string();
    let sql = "SELECT count(*), count(DISTINCT client * 1000 + n), (SELECT n FROM sum) FROM t";
    assert_eq!(rows(&server.pipeline(vec![execute(sql)])[0]), [[total.as_str(); 3]]);
}

/// Without checkpoints the WAL has all commits; with them it begins again after a thousand pages.
#[test]
fn checkpoints_can_be_left_to_another_program() {
    for (options, has_all) in [(&["--no-checkpoints"][..], true), (&[][..], false)] {
        let server = Server::start(&[&["--fast-commits"], options].concat());
        let mut stream = server.stream();
        stream.run(&[execute("CREATE TABLE t(content)")]);
        const COMMITS: u64 = 12;
        const BYTES: u64 = 1 << 20;
        for _ in 0..COMMITS {
            stream.run(&[execute(&format!("INSERT INTO t VALUES(zeroblob({BYTES}))"))]);
        }
        let wal = server.database().with_extension("db-wal").metadata().unwrap().len();
        assert_eq!(wal > COMMITS * BYTES, has_all, "{wal}");
    }
}

fn wire_replies_are_counted(mut server: Server, bytes: impl Fn(&str) -> u64) {
    let url = server.printed("counters at ");
    let mut client = crate::wire::Client::new(&server);
    client.rows("SELECT hex(zeroblob(20000))");
    let text = ureq::get(&url).call().unwrap().body_mut().read_to_string().unwrap();
    assert!(bytes(&text) >= 40_000, "{text}");
}

#[test]
fn what_happens_is_counted() {
    let mut server = Server::start(&["--metrics", "127.0.0.1:0", "--max-clients", "1"]);
    let url = server.printed("counters at ");
    let (_, open) = server.post("/v3/pipeline", &json!({"requests": [execute("SELECT 1")]}));
    server.post_as("wrong", "/v3/pipeline", &json!({}));
    let text = ureq::get(&url).call().unwrap().body_mut().read_to_string().unwrap();
    for line in
        ["sessions 1", "refused_total 1", "statement_seconds_count 1", "failed_statements_total 0"]
    {
        assert!(text.contains(&format!("\nsqlite_wasm_{line}\n")), "{line}: {text}");
    }
    let bytes = |text: &str| -> u64 {
        let (_, rest) = text.split_once("\nsqlite_wasm_reply_bytes_total ").unwrap();
        rest.lines().next().unwrap().parse().unwrap()
    };
    // A cursor's reply, and one of the Postgres wire.
    let before = bytes(&text);
    let step = json!({"stmt": {"sql": "SELECT zeroblob(30000)"}});
    let cursor = json!({"baton": open["baton"], "batch": {"steps": [step]}}).to_string();
    assert_eq!(server.post_text(&server.token, "/v3/cursor", &cursor).0, 200);
    let read = || ureq::get(&url).call().unwrap().body_mut().read_to_string().unwrap();
    let after_cursor = bytes(&read());
    assert!(after_cursor >= before + 40_000, "{before} {after_cursor}");
    let second = Server::start(&["--metrics", "127.0.0.1:0", "--pg", "127.0.0.1:0"]);
    wire_replies_are_counted(second, bytes);
    assert!(!text.contains(&server.token) && open["baton"].is_string());
    // A page that the server's name was given to reads nothing.
    let refused = ureq::get(&url).header("Host", "evil.example").call();
    assert!(matches!(refused, Err(ureq::Error::StatusCode(403))), "{refused:?}");
}

#[test]
fn a_file_has_the_same_options() {
    let directory = directory();
    let file = directory.path().join("serve.toml");
    let database = directory.path().join("shop.db");
    let text = format!(
        "databases = ['{}']\nmax-rows = 3\nread-only = true\nclient-memory = '32M'\nlog-format = 'json'",
        database.display()
    );
    std::fs::write(&file, text).unwrap();
    std::fs::write(&database, "").unwrap();
    let file = file.to_str().unwrap().to_owned();
    let server = Server::start_in(directory, &["--config", &file, "--max-rows", "4"]);
    assert_eq!(server.query("VALUES(1),(2),(3),(4)").len(), 4);
    assert_eq!(server.error("VALUES(1),(2),(3),(4),(5)").0, "LIMIT_REACHED");
    assert_eq!(server.error("CREATE TABLE t(x)").0, "SQLITE_READONLY");
}
