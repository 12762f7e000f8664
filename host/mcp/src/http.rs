//! `--http`: the protocol over HTTP, on loopback, with a token.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use access::token::{TokenHash, hash, parse_hash};
use anyhow::{Context, Result, ensure};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use sqlite_wasm_runtime::installation::owner::read_trusted;
use sqlite_wasm_runtime::words::escape::escaped;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::server::{Server, Shared};
use crate::stdio::MAX_MESSAGE_BYTES;

/// The path of the protocol.
const PATH: &str = "/mcp";

/// Pages that may make requests, with a token as all others: those of this machine.
const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// Connections at a time; further ones wait in the system's queue.
const MAX_CONNECTIONS: usize = 64;

/// Time of a client to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// Largest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// Longest time of a connection: a client that reads slowly must make room for others.
const MAX_TIME: Duration = Duration::from_secs(300);

/// After a failure to accept, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Longest file of tokens, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

type Body = http_body_util::combinators::BoxBody<hyper::body::Bytes, Infallible>;
type Service = StreamableHttpService<Server, NeverSessionManager>;

/// The hashes of the tokens that clients may use.
pub struct Tokens(Vec<TokenHash>);

impl Tokens {
    /// Those of a file, one a line.
    ///
    /// # Errors
    ///
    /// If it is missing or malformed, or if others may change it.
    pub fn read(path: &Path) -> Result<Self> {
        let shown = escaped(path);
        let text = read_trusted(path, MAX_FILE_BYTES);
        let text = text.with_context(|| format!("failed to read the tokens of `{shown}`"))?;
        let lines =
            text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let hashes: Vec<TokenHash> =
            lines.map(parse_hash).collect::<Result<_>>().with_context(|| format!("`{shown}`"))?;
        ensure!(!hashes.is_empty(), "`{shown}` has no token");
        Ok(Self(hashes))
    }

    /// One token.
    pub fn of(token: &str) -> Self {
        Self(vec![hash(token)])
    }

    fn allow(&self, request: &Request<Incoming>) -> bool {
        let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = header
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        token.is_some_and(|(_, token)| self.0.contains(&hash(token.trim())))
    }
}

/// Listen at an address, before the second wall goes up.
///
/// # Errors
///
/// Where it is in use, or not this machine's.
pub fn bind(address: SocketAddr) -> Result<(StdListener, SocketAddr)> {
    let listener =
        StdListener::bind(address).with_context(|| format!("failed to listen at {address}"))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// The line that says how to connect.
pub fn greeting(address: SocketAddr, token: Option<&str>) -> String {
    let token = token.unwrap_or("(one of the file of tokens)");
    format!("listening at http://{address}{PATH}\nAuthorization: Bearer {token}")
}

/// Serve clients until the program is ended.
///
/// # Errors
///
/// When the system refuses the socket.
pub async fn serve(listener: StdListener, tokens: Tokens, shared: Arc<Shared>) -> Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        .with_allowed_origins(ORIGINS);
    let service = Service::new(move || Ok(Server::new(shared.clone())), Arc::default(), config);
    let tokens = Arc::new(tokens);
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return Ok(()) };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let (service, tokens) = (service.clone(), tokens.clone());
        tokio::spawn(async move {
            // A connection that fails ends; nothing else is affected.
            let _ = tokio::time::timeout(MAX_TIME, connection(stream, service, tokens)).await;
            drop(place);
        });
    }
}

async fn connection(stream: TcpStream, service: Service, tokens: Arc<Tokens>) {
    // Replies are small, and the client waits for them.
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MAX_HEAD_BYTES);
    let serve = service_fn(|request| answer(request, &service, &tokens));
    let _ = builder.serve_connection(TokioIo::new(stream), serve).await;
}

async fn answer(
    request: Request<Incoming>,
    service: &Service,
    tokens: &Tokens,
) -> Result<Response<Body>, Infallible> {
    if !tokens.allow(&request) {
        let mut response =
            plain(StatusCode::UNAUTHORIZED, "a token is needed: `Authorization: Bearer …`\n");
        response
            .headers_mut()
            .insert(WWW_AUTHENTICATE, hyper::header::HeaderValue::from_static("Bearer"));
        return Ok(response);
    }
    if request.uri().path() != PATH {
        return Ok(plain(StatusCode::NOT_FOUND, "the protocol is at /mcp\n"));
    }
    Ok(service.handle(request).await)
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::from(text).boxed());
    *response.status_mut() = status;
    response
}
