//! GET requests whose replies are bounded, and which stay at the hosts of the source.

use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use sqlite_wasm_catalogue::location::Origin;
use ureq::Agent;
use ureq::Body;
use ureq::http::header::{ACCEPT, AUTHORIZATION, HeaderName, LOCATION, WWW_AUTHENTICATE};
use ureq::http::{Response, StatusCode};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::DefaultConnector;

use crate::hosts::Hosts;

/// Most redirects in a row: registries use one, servers with two names another.
const MAX_REDIRECTS: usize = 4;

/// Time to connect.
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// Time without any byte.
const SILENCE: Duration = Duration::from_secs(20);

/// Time for a whole reply: the largest file at two million bits a second.
const REPLY_TIME: Duration = Duration::from_secs(10 * 60);

/// A client for the hosts of one source.
pub struct Client {
    agent: Agent,
    hosts: Hosts,
}

/// A reply of a server.
pub struct Reply {
    status: StatusCode,
    /// What it wants to see first.
    pub challenge: Option<String>,
    body: Vec<u8>,
}

impl Client {
    /// A client that trusts these certificates, or the public ones.
    pub fn new(hosts: Hosts, certificates: Option<&[u8]>) -> Result<Self> {
        let roots = match certificates {
            Some(pem) => RootCerts::new_with_certs(&parse_certificates(pem)?),
            None => RootCerts::WebPki,
        };
        let config = Agent::config_builder()
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .proxy(None)
            .user_agent(concat!("sqlite-wasm-fetch/", env!("CARGO_PKG_VERSION")))
            .tls_config(TlsConfig::builder().root_certs(roots).build())
            .timeout_connect(Some(CONNECT_TIME))
            .timeout_per_read(Some(SILENCE))
            .timeout_per_call(Some(REPLY_TIME))
            .build();
        let agent = Agent::with_parts(config, DefaultConnector::default(), hosts.clone());
        Ok(Self { agent, hosts })
    }

    /// The reply for a URL, at most `max_bytes` long.
    pub fn get(&self, url: &str, max_bytes: u64) -> Result<Reply> {
        self.get_with(url, max_bytes, &[])
    }

    /// The same for a registry: with what it may reply and a proof of the right to read.
    pub fn get_from_registry(
        &self,
        url: &str,
        max_bytes: u64,
        accept: &str,
        token: Option<&str>,
    ) -> Result<Reply> {
        let proof = token.map(|token| (AUTHORIZATION, format!("Bearer {token}")));
        let headers: Vec<_> = [(ACCEPT, accept.to_owned())].into_iter().chain(proof).collect();
        self.get_with(url, max_bytes, &headers)
    }

    /// Follow redirects to the hosts of the source. Another host gets no proof.
    fn get_with(
        &self,
        url: &str,
        max_bytes: u64,
        headers: &[(HeaderName, String)],
    ) -> Result<Reply> {
        let (first, mut url) = self.known(url)?;
        let mut origin = first.clone();
        for _ in 0..=MAX_REDIRECTS {
            let mut request = self.agent.get(&url);
            for (name, value) in headers {
                if *name != AUTHORIZATION || origin == first {
                    request = request.header(name, value);
                }
            }
            let response =
                request.call().map_err(|error| anyhow!("failed to fetch {url}: {error}"))?;
            if !response.status().is_redirection() {
                let failed = format!("failed to fetch {url}");
                return Reply::read(response, max_bytes).context(failed);
            }
            let location = header(&response, LOCATION).unwrap_or_default();
            let next = self.hosts.absolute(&location, Some(&origin));
            (origin, url) = next.with_context(|| foreign(&url, &location))?;
        }
        bail!("{url}: more than {MAX_REDIRECTS} redirects in a row")
    }

    /// The host of a URL, which must be one of the source, and the URL.
    pub fn known(&self, url: &str) -> Result<(Origin, String)> {
        self.hosts.absolute(url, None).with_context(|| foreign("it", url))
    }
}

fn foreign(from: &str, url: &str) -> String {
    let url = url.escape_debug();
    format!(
        "{from} leads to `{url}`, which is not at a host of the source; `--redirect HOST` of \
         `extension source add` allows one"
    )
}

impl Reply {
    fn read(mut response: Response<Body>, max_bytes: u64) -> Result<Self> {
        let challenge = header(&response, WWW_AUTHENTICATE);
        let status = response.status();
        // A page that explains an error is not read.
        let body = match status {
            StatusCode::OK => {
                let body = response.body_mut();
                let length = body.content_length().unwrap_or_default();
                ensure!(length <= max_bytes, "it is longer than {max_bytes} bytes");
                let read = body.with_config().limit(max_bytes + 1).read_to_vec();
                let body = read.map_err(|error| match error {
                    ureq::Error::BodyExceedsLimit(_) => {
                        anyhow!("it is longer than {max_bytes} bytes")
                    }
                    error => error.into(),
                })?;
                ensure!(body.len() as u64 <= max_bytes, "it is longer than {max_bytes} bytes");
                body
            }
            _ => Vec::new(),
        };
        Ok(Self { status, challenge, body })
    }

    /// Whether the server wants a proof first.
    pub fn is_refused(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED
    }

    /// The content, if there is one.
    pub fn content(self, url: &str) -> Result<Vec<u8>> {
        ensure!(self.status == StatusCode::OK, "{url}: the server replies {}", self.status);
        Ok(self.body)
    }
}

fn header(response: &Response<Body>, name: HeaderName) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

fn parse_certificates(pem: &[u8]) -> Result<Vec<Certificate<'static>>> {
    let mut certificates = Vec::new();
    for item in parse_pem(pem) {
        match item.map_err(|_| anyhow!("its certificates are malformed"))? {
            PemItem::Certificate(certificate) => certificates.push(certificate),
            _ => bail!("its certificates have something else among them"),
        }
    }
    ensure!(!certificates.is_empty(), "its file of certificates has none");
    Ok(certificates)
}
