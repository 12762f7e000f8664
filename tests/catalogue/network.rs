//! Sources on a server, and what a server tries.

use std::fs;
use std::path::Path;

use crate::publisher::Publisher;
use crate::server::{Reply, Server};

const INSTALL: [&str; 3] = ["install", "--yes", "shout"];

/// The reply of an honest server for a path below `/catalogue/`.
fn honest(source: &Path, path: &str) -> Reply {
    let name = path.strip_prefix("/catalogue/").unwrap_or("missing");
    match fs::read(source.join(name)) {
        Ok(content) => Reply::Content(content),
        Err(_) => Reply::Raw(
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec(),
        ),
    }
}

/// A server of the author's directory, which replies otherwise where `other` says so.
fn server(
    publisher: &Publisher,
    other: impl Fn(&str) -> Option<Reply> + Send + Sync + 'static,
) -> Server {
    let source = publisher.source();
    Server::start(move |path, _| other(path).unwrap_or_else(|| honest(&source, path)))
}

#[test]
fn a_user_installs_from_a_server() {
    let publisher = Publisher::of_shout("server");
    let server = server(&publisher, |_| None);
    let user = publisher.user_named("remote", &server.url("catalogue"), &[]);
    user.installs("shout").exits_with(0).keeps_quiet();
    user.sql(".load shout\nSELECT shout();").prints("shout 1.0.0\n");
    let paths = ["index.json", "index.json.minisig", "shout-1.0.0.wasm"];
    assert_eq!(server.seen(), paths.map(|name| format!("/catalogue/{name}")));
    publisher.publish("shout", "1.1.0", "");
    user.extension(&["update"]).exits_with(0);
    fs::remove_file(publisher.file("index.json")).expect("it is there");
    user.is_refused(&["update"], "index.json: the server replies 404");
}

#[test]
fn redirects_stay_at_the_hosts_of_the_source() {
    let publisher = Publisher::of_shout("redirects");
    let elsewhere = server(&publisher, |_| None);
    let [other, port] = [elsewhere.url("catalogue/shout-1.0.0.wasm"), elsewhere.port.to_string()];
    let refused = [
        other.clone(),
        format!("https://127.0.0.1:{port}/catalogue/shout-1.0.0.wasm"),
        format!("//127.0.0.1:{port}/catalogue/shout-1.0.0.wasm"),
        "http://example.org/shout-1.0.0.wasm".to_owned(),
        "file:///etc/passwd".to_owned(),
        "ftp://127.0.0.1/x".to_owned(),
        "javascript:x".to_owned(),
        String::new(),
    ];
    for url in refused {
        let leads = url.clone();
        let server = server(&publisher, move |path| {
            path.ends_with(".wasm").then(|| Reply::Redirect(leads.clone()))
        });
        let name = format!("user{}", server.port);
        let user = publisher.user_named(&name, &server.url("catalogue"), &[]);
        user.is_refused(&INSTALL, "not at a host of the source");
    }
    assert_eq!(elsewhere.seen(), [""; 0]);
    // At the same host, and at one that the user allows.
    for url in ["/catalogue/shout-1.0.0.wasm".to_owned(), other] {
        let server = server(&publisher, move |path| {
            path.ends_with("/moved/shout-1.0.0.wasm").then(|| Reply::Redirect(url.clone())).or_else(
                || {
                    let path = path.strip_prefix("/moved/")?;
                    Some(Reply::Redirect(format!("/catalogue/{path}")))
                },
            )
        });
        let name = format!("user{}", server.port);
        let allowed = ["--redirect", &format!("127.0.0.1:{port}")];
        let user = publisher.user_named(&name, &server.url("moved"), &allowed);
        user.installs("shout").exits_with(0).keeps_quiet();
    }
}

#[test]
fn loops_and_endless_replies_end() {
    let publisher = Publisher::of_shout("endless");
    let reply = |number: usize| -> (Reply, &'static str) {
        match number {
            0 => (Reply::Redirect("/catalogue/shout-1.0.0.wasm".to_owned()), "redirects in a row"),
            1 => (Reply::Endless("HTTP/1.1 200 OK\r\n\r\n"), "longer than"),
            2 => (
                Reply::Endless("HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n"),
                "longer than",
            ),
            3 => (
                Reply::Endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n"),
                "longer than",
            ),
            4 => (Reply::Endless("HTTP/1.1 200 OK\r\nX: "), "failed to fetch"),
            5 => (
                Reply::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort".to_vec()),
                "failed to fetch",
            ),
            6 => (Reply::Raw(Vec::new()), "failed to fetch"),
            7 => (Reply::Raw(b"\0\x01\x02nonsense\r\n\r\n".to_vec()), "failed to fetch"),
            _ => (Reply::Content(b"other".to_vec()), "SHA-256 differs"),
        }
    };
    for number in 0..=8 {
        for name in ["index.json", "shout-1.0.0.wasm"] {
            let server =
                server(&publisher, move |path| path.ends_with(name).then(|| reply(number).0));
            let user = publisher.user_named(
                &format!("user{}", server.port),
                &server.url("catalogue"),
                &[],
            );
            let why = match (name, number) {
                // Where it leads to is the file of an extension: it is not the index.
                ("index.json", 0 | 8) => "the signature of its index is not by the key",
                _ => reply(number).1,
            };
            user.is_refused(&INSTALL, why);
        }
    }
}

#[test]
fn servers_that_cannot_be_reached_are_named() {
    let publisher = Publisher::of_shout("nobody");
    // The port of a server that has gone.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|it| it.local_addr())
        .expect("a port")
        .port();
    let user = publisher.user_named("remote", &format!("http://127.0.0.1:{port}/x"), &[]);
    user.is_refused(&INSTALL, "source `here`: failed to fetch");
    let user = publisher.user_named("unknown", "https://nobody.invalid/x", &[]);
    user.is_refused(&INSTALL, "failed to find the host nobody.invalid");
    for url in [
        "http://example.org/",
        "https://a:b@example.org/",
        "ftp://127.0.0.1/",
        "https://example.org/../x",
    ] {
        user.is_refused(&["source", "add", "wrong", url, "--key", &publisher.key()], "error: ");
    }
}
