//! TLS, with a certificate that signs itself.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rcgen::{CertifiedKey, KeyPair};
use tempfile::TempDir;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::roles::{PASSWORD, users_file};
use crate::support::{Server, directory, run_with_input};
use crate::wire::{Client, error, packet, start};

/// What a client of the Postgres wire sends for TLS.
const SSL_REQUEST: u32 = 80_877_103;

type Encrypted = StreamOwned<ClientConnection, TcpStream>;

/// A certificate, whose files are in a directory.
struct Certificate {
    made: CertifiedKey<KeyPair>,
    directory: TempDir,
    options: [String; 5],
}

impl Certificate {
    fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let directory = directory();
        let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
        let (file, key, database) = (path("cert.pem"), path("key.pem"), path("shop.db"));
        std::fs::write(&file, made.cert.pem()).unwrap();
        std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        let options = [database, "--tls-cert".to_owned(), file, "--tls-key".to_owned(), key];
        Self { made, directory, options }
    }

    /// A server with it, and a function that encrypts a client's connection.
    fn server(self, options: &[&str]) -> (Server, impl Fn(TcpStream) -> Encrypted) {
        let own: Vec<&str> = self.options.iter().map(String::as_str).collect();
        let server = Server::start_in(self.directory, &[&own, options].concat());
        let mut roots = RootCertStore::empty();
        roots.add(self.made.cert.der().clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let config = Arc::new(config);
        let encrypted = move |stream| {
            let name = "localhost".try_into().unwrap();
            StreamOwned::new(ClientConnection::new(config.clone(), name).unwrap(), stream)
        };
        (server, encrypted)
    }
}

/// A server with a certificate, and a function that connects clients of the Postgres wire.
pub fn serve(options: &[&str]) -> (Server, impl Fn(&Server) -> Client<Encrypted>) {
    let (server, encrypted) = Certificate::new().server(options);
    let client = move |server: &Server| {
        let mut client = Client { stream: encrypted(accepted(server)), key: Vec::new() };
        client.send(&start("local", "shop"));
        client.greeted();
        client
    };
    (server, client)
}

/// A connection whose request for TLS was accepted.
fn accepted(server: &Server) -> TcpStream {
    let mut plain = Client::connect(server.postgres());
    plain.send(&packet(&SSL_REQUEST.to_be_bytes()));
    let mut reply = [0];
    plain.stream.read_exact(&mut reply).unwrap();
    assert_eq!(&reply, b"S");
    plain.stream
}

#[test]
fn requests_are_encrypted() {
    let (server, encrypted) = Certificate::new().server(&[]);
    let body =
        r#"{"requests":[{"type":"execute","stmt":{"sql":"SELECT 40 + 2"}},{"type":"close"}]}"#;
    let length = body.len();
    let more = format!("Connection: close\r\nContent-Length: {length}\r\n");
    let request = server.head("/v3/pipeline", &more) + body;
    let mut stream = encrypted(server.connect());
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = String::new();
    // The server may end the connection without a farewell.
    let _ = stream.read_to_string(&mut reply);
    assert!(reply.contains(r#""value":"42""#), "{reply}");

    // Without encryption nothing is understood, and nothing said.
    assert!(!server.raw(request.as_bytes()).contains("HTTP/1.1 200"));
}

/// The SQLSTATE with which a client without encryption is refused.
fn refused(server: &Server) -> String {
    let mut client = Client::begin(server.postgres(), "alice", "shop");
    error(&[client.receive()]).unwrap().0
}

#[test]
fn the_postgres_wire_is_encrypted() {
    let certificate = Certificate::new();
    let secret = run_with_input(&["--new-password"], PASSWORD);
    let users = format!("[alice]\n{secret}databases = {{ shop = \"write\" }}\n");
    let users = users_file(&certificate.directory, &users);
    let options = ["--users", &users, "--pg", "0.0.0.0:0"];
    // For the counters; there is a certificate for all else.
    let insecure = [&options[..], &["--metrics", "0.0.0.0:0", "--insecure"]].concat();
    let (server, encrypted) = certificate.server(&insecure);
    assert_eq!(refused(&server), "28000");

    let mut client = Client { stream: encrypted(accepted(&server)), key: Vec::new() };
    client.send(&start("alice", "shop"));
    client.prove(PASSWORD);
    client.receive();
    client.greeted();
    client.rows("CREATE TABLE t(a text); INSERT INTO t VALUES ('xxx')");
    assert_eq!(client.rows("SELECT a FROM t"), "xxx");
    // Longer than a record of TLS.
    let long = client.rows("SELECT hex(zeroblob(200000))");
    assert_eq!(long.len(), 400_000);
    assert_eq!(client.error("SELECT nope").0, "42703");
}

/// On loopback a certificate does not keep out clients without encryption.
#[test]
fn the_postgres_wire_of_loopback_is_encrypted_on_request() {
    let (server, _) = Certificate::new().server(&["--pg", "127.0.0.1:0"]);
    assert_eq!(Client::new(&server).rows("SELECT 1"), "1");
}
