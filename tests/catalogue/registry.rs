//! Sources in a registry of OCI.

use std::fs;
use std::path::Path;

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::publisher::Publisher;
use crate::server::{Reply, Server};

const INSTALL: [&str; 3] = ["install", "--yes", "shout"];

fn digest(content: &[u8]) -> String {
    let digits: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

/// The manifest that `oras push` makes of the index and its signature.
fn manifest(source: &Path) -> Vec<u8> {
    let layer = |name: &str| {
        let content = fs::read(source.join(name)).expect("it is there");
        json!({
            "mediaType": "application/octet-stream",
            "digest": digest(&content),
            "size": content.len(),
            "annotations": { "org.opencontainers.image.title": name },
        })
    };
    let layers = [layer("index.json"), layer("index.json.minisig")];
    json!({ "schemaVersion": 2, "layers": layers }).to_string().into_bytes()
}

/// What a registry replies, whose repositories are `team/NAME`.
fn registry(source: &Path, path: &str) -> Reply {
    if path == "/v2/team/index/manifests/latest" {
        return Reply::Content(manifest(source));
    }
    let blob = |repository: &str| {
        path.strip_prefix(&format!("/v2/team/{repository}/blobs/")).map(str::to_owned)
    };
    let files =
        fs::read_dir(source).expect("it is there").map(|entry| entry.expect("an entry").path());
    for file in files {
        let content = fs::read(&file).expect("it is there");
        let is_wasm = file.extension().is_some_and(|ending| ending == "wasm");
        if blob(if is_wasm { "shout" } else { "index" })
            .is_some_and(|blob| blob == digest(&content))
        {
            return Reply::Content(content);
        }
    }
    Reply::Raw(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec())
}

fn user_of(publisher: &Publisher, server: &Server) -> crate::publisher::User {
    let url = format!("oci://127.0.0.1:{}/team", server.port);
    publisher.user_named(&format!("user{}", server.port), &url, &[])
}

#[test]
fn a_user_installs_from_a_registry() {
    let publisher = Publisher::of_shout("registry");
    let source = publisher.source();
    let server = Server::start(move |path, _| registry(&source, path));
    let user = user_of(&publisher, &server);
    user.installs("shout").exits_with(0).keeps_quiet();
    user.sql(".load shout\nSELECT shout();").prints("shout 1.0.0\n");
    publisher.publish("shout", "1.1.0", "");
    user.extension(&["update"]).exits_with(0).keeps_quiet();
    user.sql(".load shout\nSELECT shout();").prints("shout 1.1.0\n");
}

#[test]
fn a_registry_may_want_a_token_that_everybody_gets() {
    let publisher = Publisher::of_shout("token");
    let source = publisher.source();
    let challenged = |realm: String| {
        let source = source.clone();
        Server::start(move |path, request| {
            if let Some(scope) =
                path.strip_prefix("/token?service=registry.test&scope=repository:team/")
            {
                let name = scope.trim_end_matches(":pull");
                return Reply::Content(
                    json!({ "token": format!("for-{name}") }).to_string().into_bytes(),
                );
            }
            let name = path.split('/').nth(3).unwrap_or_default();
            if request.to_lowercase().contains(&format!("authorization: bearer for-{name}\r\n")) {
                return registry(&source, path);
            }
            Reply::Raw(
                format!(
                    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"{realm}\",service=\"registry.test\"\r\n\
                     Content-Length: 0\r\nConnection: close\r\n\r\n"
                )
                .into_bytes(),
            )
        })
    };
    user_of(&publisher, &challenged("/token".to_owned()))
        .installs("shout")
        .exits_with(0)
        .keeps_quiet();
    for realm in ["https://example.org/token", "http://127.0.0.1:1/token", ""] {
        let user = user_of(&publisher, &challenged(realm.to_owned()));
        user.is_refused(&INSTALL, "not at a host of the source");
    }
}

/// A part of the path of a request, the reply to it, and what the user reads.
type Lie = (&'static str, fn() -> Vec<u8>, &'static str);

#[test]
fn a_registry_that_lies_is_refused() {
    let publisher = Publisher::of_shout("lies");
    let source = publisher.source();
    let lies: [Lie; 6] = [
        ("manifests/", || b"{}".to_vec(), "the manifest of its index is malformed"),
        ("manifests/", || b"{\"layers\":[]}".to_vec(), "no layer `index.json`"),
        (
            "manifests/",
            || {
                let title = json!({ "org.opencontainers.image.title": "index.json" });
                let layer = json!({ "digest": "sha256:../../../etc", "annotations": title });
                json!({ "layers": [layer] }).to_string().into_bytes()
            },
            "a SHA-256 has",
        ),
        ("manifests/", || vec![b' '; 1 << 20], "longer than"),
        ("index/blobs/", || b"{}".to_vec(), "the signature of its index"),
        ("shout/blobs/", || b"other".to_vec(), "SHA-256 differs"),
    ];
    for (part, reply, why) in lies {
        let source = source.clone();
        let server = Server::start(move |path, _| {
            if path.contains(part) { Reply::Content(reply()) } else { registry(&source, path) }
        });
        user_of(&publisher, &server).is_refused(&INSTALL, why);
    }
}
