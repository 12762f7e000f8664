//! TLS, with a certificate that signs itself.

use std::io::{Read, Write};
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::support::{Server, directory};

#[test]
fn requests_are_encrypted() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let directory = directory();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (certificate, key, database) = (path("cert.pem"), path("key.pem"), path("shop.db"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let options = [&database, "--tls-cert", &certificate, "--tls-key", &key];
    let server = Server::start_in(directory, &options);

    let body =
        r#"{"requests":[{"type":"execute","stmt":{"sql":"SELECT 40 + 2"}},{"type":"close"}]}"#;
    let length = body.len();
    let more = format!("Connection: close\r\nContent-Length: {length}\r\n");
    let request = server.head("/v3/pipeline", &more) + body;
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, server.connect());
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = String::new();
    // The server may end the connection without a farewell.
    let _ = stream.read_to_string(&mut reply);
    assert!(reply.contains(r#""value":"42""#), "{reply}");

    // Without encryption nothing is understood, and nothing said.
    assert!(!server.raw(request.as_bytes()).contains("HTTP/1.1 200"));
}
