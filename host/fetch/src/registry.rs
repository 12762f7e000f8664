//! A registry of OCI, in the layout of the tools for components: `PATH/NAME:VERSION` has one layer,
//! the component. `PATH/index:latest` has two, whose titles are the names of the index and its
//! signature. As the index names files by their SHA-256, which is how a registry names them too, no
//! other manifest is read.

use std::cell::RefCell;
use std::collections::HashMap;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use sqlite_wasm_catalogue::index::{INDEX, SIGNATURE};
use sqlite_wasm_catalogue::location::Origin;
use sqlite_wasm_catalogue::names::check_sha256;
use sqlite_wasm_catalogue::request::Request;

use crate::client::{Client, Reply};

/// Longest manifest: two layers have a thousand bytes.
const MAX_MANIFEST_BYTES: u64 = 64 << 10;

/// Longest reply with a token.
const MAX_TOKEN_BYTES: u64 = 64 << 10;

/// The type of a manifest.
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// The annotation with the name of a layer's file.
const TITLE: &str = "org.opencontainers.image.title";

/// A path in a registry.
pub struct Registry {
    client: Client,
    origin: Origin,
    path: String,
    /// Proofs of the right to read, by repository: anybody gets them.
    tokens: RefCell<HashMap<String, String>>,
}

/// The manifest of a repository.
#[derive(Deserialize)]
struct Manifest {
    layers: Vec<Layer>,
}

#[derive(Deserialize)]
struct Layer {
    digest: String,
    #[serde(default)]
    annotations: HashMap<String, String>,
}

#[derive(Deserialize)]
struct Token {
    #[serde(alias = "access_token")]
    token: String,
}

impl Registry {
    /// The registry of `client`, at this path.
    pub fn new(client: Client, origin: Origin, path: String) -> Self {
        Self { client, origin, path, tokens: RefCell::default() }
    }

    /// The bytes of a request.
    pub fn get(&self, request: &Request) -> Result<Vec<u8>> {
        let (repository, sha256) = match request {
            Request::Index => ("index", self.layer(INDEX)?),
            Request::Signature => ("index", self.layer(SIGNATURE)?),
            Request::File { name, sha256, .. } => (name.as_str(), sha256.clone()),
        };
        let path = format!("blobs/sha256:{sha256}");
        self.content(repository, &path, request.max_bytes(), "*/*")
    }

    /// The SHA-256 of the index's file of this name.
    fn layer(&self, title: &str) -> Result<String> {
        let manifest = self.content("index", "manifests/latest", MAX_MANIFEST_BYTES, MANIFEST)?;
        let manifest: Manifest = serde_json::from_slice(&manifest)
            .ok()
            .context("the manifest of its index is malformed")?;
        let is_it = |layer: &&Layer| layer.annotations.get(TITLE).is_some_and(|it| it == title);
        let layer = manifest.layers.iter().find(is_it);
        let layer = layer.with_context(|| format!("its index has no layer `{title}`"))?;
        let sha256 = layer.digest.strip_prefix("sha256:").context("a layer has another hash")?;
        check_sha256(sha256)?;
        Ok(sha256.to_owned())
    }

    fn content(&self, name: &str, path: &str, max_bytes: u64, accept: &str) -> Result<Vec<u8>> {
        let repository = format!("{}/{name}", self.path);
        let url = format!("{}/v2/{repository}/{path}", self.origin);
        let token = self.tokens.borrow().get(&repository).cloned();
        let get =
            |token: Option<&str>| self.client.get_from_registry(&url, max_bytes, accept, token);
        let mut reply = get(token.as_deref())?;
        if reply.is_refused() {
            let token =
                self.token(&repository, &reply).with_context(|| format!("{url} needs a token"))?;
            reply = get(Some(&token))?;
            self.tokens.borrow_mut().insert(repository, token);
        }
        reply.content(&url)
    }

    /// A token for reading, which registries give to anybody.
    fn token(&self, repository: &str, refused: &Reply) -> Result<String> {
        let challenge = refused.challenge.as_deref().unwrap_or_default();
        let parameters = challenge.strip_prefix("Bearer ").context("it wants a password")?;
        let parameter = |name: &str| {
            let mut all = parameters.split(',').filter_map(|one| one.trim().split_once('='));
            all.find(|(key, _)| *key == name).map(|(_, value)| value.trim_matches('"'))
        };
        let (_, realm) = self.client.known(parameter("realm").unwrap_or_default())?;
        let service = parameter("service").unwrap_or_default();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".:-_".contains(&byte);
        ensure!(service.bytes().all(is_plain), "the name of its service is malformed");
        let url = format!("{realm}?service={service}&scope=repository:{repository}:pull");
        let reply = self.client.get(&url, MAX_TOKEN_BYTES)?.content(&realm)?;
        let token: Token = serde_json::from_slice(&reply).ok().context("its token is malformed")?;
        let is_token = |byte: u8| byte.is_ascii_graphic();
        ensure!(token.token.bytes().all(is_token), "its token is malformed");
        Ok(token.token)
    }
}
