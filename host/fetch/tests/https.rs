//! The program against a server with a certificate; all other replies are tried by the tests of the
//! catalogue, through the runner.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A server with a certificate for `name`, which replies the path: its port, and the certificate as PEM.
fn server(name: &str) -> (u16, String) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let (config, listener) = (Arc::new(config), TcpListener::bind("127.0.0.1:0").unwrap());
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let connection = ServerConnection::new(config.clone()).unwrap();
            // A client that refuses the certificate goes away.
            let _ = reply(StreamOwned::new(connection, stream));
        }
    });
    (port, made.cert.pem())
}

fn reply(stream: StreamOwned<ServerConnection, std::net::TcpStream>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut request = String::new();
    while !request.ends_with("\r\n\r\n") {
        if stream.read_line(&mut request)? == 0 {
            return Ok(());
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default();
    let length = path.len();
    let stream = stream.get_mut();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{path}"
    )?;
    stream.conn.send_close_notify();
    stream.flush()
}

/// What the program replies for the index.
fn fetched(port: u16, certificates: Option<&Path>) -> String {
    let mut command = Command::new(std::env::var("CARGO_BIN_EXE_sqlite-wasm-fetch").unwrap());
    command.arg(format!("https://localhost:{port}/catalogue"));
    certificates.iter().for_each(|path| {
        command.arg("--certificates").arg(path);
    });
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // It may have ended with an error.
    let _ = child.stdin.take().unwrap().write_all(b"index\n");
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn certificates_are_checked() {
    let directory = tempfile::tempdir().unwrap();
    let ((port, pem), (other_port, other_pem)) = (server("localhost"), server("example.org"));
    let path = directory.path().join("certificates.pem");
    fs::write(&path, format!("{pem}{other_pem}")).unwrap();
    assert_eq!(fetched(port, Some(&path)), "ok 21\n/catalogue/index.json");
    // By nobody who is trusted, and for another name.
    for reply in [fetched(port, None), fetched(other_port, Some(&path))] {
        assert!(reply.starts_with("error ") && reply.contains("certificate"), "{reply}");
        assert_eq!(reply.lines().count(), 1, "{reply}");
    }
    fs::write(&path, "text").unwrap();
    let reply = fetched(port, Some(&path));
    assert!(reply.contains("its file of certificates has none"), "{reply}");
    assert!(fetched(port, Some("missing".as_ref())).contains("failed to read `missing`"));
}
