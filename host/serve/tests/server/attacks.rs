//! Hostile pages, frames and clients.

use std::io::Write;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Server, execute, read_all};

const BODY: &str = r#"{"baton":null,"requests":[{"type":"close"}]}"#;

fn status(reply: &str) -> &str {
    reply.split(' ').nth(1).unwrap_or(reply)
}

#[test]
fn a_token_is_needed() {
    let server = Server::start(&[]);
    let body = json!({"requests": [execute("SELECT 1")]});
    for token in ["", "wrong", &server.token[1..], &format!("{}x", server.token)] {
        let (status, reply) = server.post_as(token, "/v3/pipeline", &body);
        assert_eq!((status, reply["code"].as_str()), (401, Some("AUTH_FAILED")), "{token}");
    }
    assert_eq!(server.post_as(&server.token, "/v3/pipeline", &body).0, 200);
}

#[test]
fn other_pages_are_refused() {
    let server = Server::start(&[]);
    let host = server.address;
    let request = |headers: &str| {
        let length = BODY.len();
        let head = format!(
            "POST /v3/pipeline HTTP/1.1\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
             Content-Length: {length}\r\n{headers}\r\n",
            server.token
        );
        server.raw(format!("{head}{BODY}").as_bytes())
    };
    let json = "Content-Type: application/json\r\n";
    for (headers, expected) in [
        (format!("Host: {host}\r\n{json}"), "200"),
        (format!("Host: {host}\r\n"), "200"),
        (format!("Host: {host}\r\nOrigin: http://{host}\r\n{json}"), "200"),
        (format!("Host: {host}\r\nOrigin: http://evil.example\r\n{json}"), "403"),
        (format!("Host: {host}\r\nOrigin: null\r\n{json}"), "403"),
        (format!("Host: {host}\r\nOrigin: http://{host}\r\nOrigin: http://x\r\n{json}"), "403"),
        (format!("Host: evil.example\r\n{json}"), "403"),
        (format!("Host: evil.example\r\nOrigin: http://evil.example\r\n{json}"), "403"),
        (format!("Host: {host}\r\nHost: evil.example\r\n{json}"), "403"),
        (json.to_owned(), "403"),
        (format!("Host: {host}\r\nContent-Type: text/plain\r\n"), "415"),
        (format!("Host: {host}\r\nContent-Type: Text/Plain; charset=utf-8\r\n"), "415"),
        (format!("Host: {host}\r\nContent-Type: application/x-www-form-urlencoded\r\n"), "415"),
        (format!("Host: {host}\r\nContent-Type: multipart/form-data; boundary=x\r\n"), "415"),
    ] {
        let reply = request(&headers);
        assert_eq!(status(&reply), expected, "{headers}\n{reply}");
        assert!(!reply.to_ascii_lowercase().contains("access-control-allow"), "{reply}");
    }
    let preflight = format!(
        "OPTIONS /v3/pipeline HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.example\r\n\
         Access-Control-Request-Method: POST\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(status(&server.raw(preflight.as_bytes())), "403");
}

#[test]
fn malformed_requests_are_answered() {
    let server = Server::start(&[]);
    let long = "x".repeat(100_000);
    let deep = format!("{}1", "[".repeat(100_000));
    let conditions = format!(
        r#"{{"requests":[{{"type":"batch","batch":{{"steps":[{{"stmt":{{"sql":"SELECT 1"}},"condition":{}"#,
        r#"{"type":"not","cond":"#.repeat(10_000)
    );
    for body in [
        "",
        "{",
        "[]",
        "null",
        "\0",
        r#"{"requests":{}}"#,
        r#"{"requests":[{"type":"x"}]}"#,
        r#"{"requests":[{"type":"execute"}]}"#,
        &long,
        &deep,
        &conditions,
    ] {
        let (status, reply) = server.post_text(&server.token, "/v3/pipeline", body);
        let begin: String = body.chars().take(40).collect();
        assert!(status == 400 && reply.contains("BAD_REQUEST"), "{begin}: {status} {reply}");
    }
    let many = json!({"requests": vec![json!({"type": "close"}); 10_001]});
    assert_eq!(server.post("/v3/pipeline", &many).0, 400);
    assert_eq!(server.query("SELECT 1"), [["1"]]);
}

#[test]
fn garbage_does_not_end_the_server() {
    let server = Server::start(&[]);
    let long_head =
        format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "y".repeat(200_000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(1000));
    let both = server.head("/v3/pipeline", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n");
    let chunk =
        server.head("/v3/pipeline", "Transfer-Encoding: chunked\r\n") + "ffffffffffffffffff\r\n";
    let length = server.head("/v3/pipeline", "Content-Length: 99999999999999999999999\r\n");
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc".to_vec(),
        vec![0; 4096],
        vec![0xff; 100_000],
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        long_head.into_bytes(),
        many.into_bytes(),
        both.into_bytes(),
        chunk.into_bytes(),
        length.into_bytes(),
    ] {
        let mut stream = server.connect();
        // The server may close before it has read all.
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let reply = read_all(&mut stream);
        assert!(!reply.starts_with("HTTP/1.1 200"), "{reply}");
    }
    assert_eq!(server.query("SELECT 1"), [["1"]]);
}

#[test]
fn long_bodies_are_refused() {
    let server = Server::start(&[]);
    let head = server.head("/v3/pipeline", "Content-Length: 9000000\r\n");
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    let _ = stream.write_all(&vec![b' '; 9_000_000]);
    let reply = read_all(&mut stream);
    assert!(reply.is_empty() || status(&reply) == "413", "{reply}");
    assert_eq!(server.query("SELECT 1"), [["1"]]);
}

/// A client that goes away ends its statement: one session is enough for the next one.
#[test]
fn a_client_that_leaves_ends_its_statement() {
    let server = Server::start(&["--max-clients", "1", "--statement-timeout", "60s"]);
    let endless =
        "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c) SELECT sum(i) FROM c";
    let body = json!({"requests": [execute(endless)]}).to_string();
    for half in [false, true] {
        let mut stream = server.connect();
        let head = server.head("/v3/pipeline", &format!("Content-Length: {}\r\n", body.len()));
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(300));
        if half {
            stream.shutdown(Shutdown::Write).unwrap()
        } else {
            drop(stream)
        }
        let start = Instant::now();
        assert_eq!(server.query("SELECT 1"), [["1"]]);
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn slow_heads_and_bodies_do_not_block_others() {
    let server = Server::start(&["--max-clients", "2"]);
    let begin = |bytes: &[u8]| {
        let mut stream = server.connect();
        stream.write_all(bytes).unwrap();
        stream
    };
    // Who does not say who he is loses his connection to those who do.
    let strangers: Vec<_> = (0..20).map(|_| begin(b"POST /v3/pipeline HTT")).collect();
    assert_eq!(server.query("SELECT 1"), [["1"]]);
    std::thread::sleep(Duration::from_millis(500));
    let head = server.head("/v3/pipeline", "Content-Length: 100\r\n");
    let mut slow: Vec<_> = (0..8).map(|_| begin(head.as_bytes())).collect();
    std::thread::sleep(Duration::from_millis(500));
    // All connections are taken: the next one is refused, with the reason.
    let reply = read_all(&mut server.connect());
    assert!(reply.contains("503") && reply.contains("SERVER_FULL"), "{reply}");
    slow.pop();
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(server.query("SELECT 1"), [["1"]]);
    drop(strangers);
}

#[test]
fn the_page_may_only_call_this_server() {
    let get = |server: &Server, path: &str| {
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
        server.raw(head.as_bytes())
    };
    let server = Server::start(&[]);
    for path in ["/", "/shop", "/shop/"] {
        let reply = get(&server, path);
        assert_eq!(status(&reply), "200");
        for header in [
            "default-src 'none'",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "nosniff",
            "text/html",
        ] {
            assert!(reply.contains(header), "{header}: {reply}");
        }
        // Whoever may only load it gets nothing that is secret.
        assert!(!reply.contains(&server.token) && !reply.contains("unsafe-inline"));
    }
    assert_eq!(status(&get(&Server::start(&["--no-ui"]), "/")), "404");
}

#[test]
fn the_second_wall_is_up() {
    let state = |server: &Server, name: &str| {
        let line = server.state(name);
        line.unwrap_or_else(|| panic!("no {name}"))
    };
    let server = Server::start(&[]);
    assert_eq!(server.query("SELECT 1"), [["1"]]);
    assert_eq!(
        (state(&server, "Seccomp"), state(&server, "NoNewPrivs")),
        ("2".to_owned(), "1".to_owned())
    );
    let without = Server::start(&["--no-second-wall"]);
    assert_eq!(state(&without, "Seccomp"), "0");
}
