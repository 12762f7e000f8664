//! Sockets: access, time limits and encryption.

mod stalls;
mod tls;

use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::connections::Place;
use crate::pg::{self, WireListener};
use crate::server::Server;
use crate::sockets::{Socket, Stream};
use stalls::Stalls;
pub use tls::acceptor;

/// Time for the head of a request, and between two requests of a connection.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// Time for the handshake of TLS.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);

/// Bytes of the head of a request at most, and its headers.
const MAX_HEAD_BYTES: usize = 64 << 10;
const MAX_HEADERS: usize = 64;

/// Time for requests to end when the server ends.
const DRAIN_TIME: Duration = Duration::from_secs(10);

/// Pause after a failed accept: the system has no descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// The reply where there are too many connections.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n\
    Content-Length: 66\r\nConnection: close\r\n\r\n\
    {\"message\":\"the server has too many clients\",\"code\":\"SERVER_FULL\"}\n";

/// What a socket's connections get.
#[derive(Clone)]
pub enum Service {
    Http(Router, Option<TlsAcceptor>),
    Postgres(Box<WireListener>),
}

/// A socket that accepts connections.
pub struct Listening {
    socket: Socket,
    service: Service,
    server: Arc<Server>,
}

impl Listening {
    pub fn new(socket: Socket, service: Service, server: Arc<Server>) -> Self {
        Self { socket, service, server }
    }

    /// Accept connections until the server ends, and then wait for theirs.
    pub async fn serve(self) {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.socket.accept() => match accepted {
                    Ok(stream) => self.begin(stream, &mut connections),
                    Err(error) => {
                        tracing::warn!("failed to accept a connection: {error}");
                        tokio::time::sleep(PAUSE).await;
                    }
                },
                // Forget the ones that have ended.
                Some(_) = connections.join_next() => (),
                () = self.server.stopped() => break,
            }
        }
        // Those that take longer are dropped.
        let _ =
            timeout(DRAIN_TIME, async { while connections.join_next().await.is_some() {} }).await;
    }

    fn begin(&self, stream: Stream, connections: &mut JoinSet<()>) {
        let Some((place, ends)) = self.server.connections.begin(stream.address()) else {
            self.server.metrics.refused();
            connections.spawn(refuse(stream, matches!(self.service, Service::Http(..))));
            return;
        };
        let present = self.server.metrics.connection();
        let (service, server) = (self.service.clone(), self.server.clone());
        connections.spawn(async move {
            let _present = present;
            // A failed connection ends; nothing else is affected.
            tokio::select! {
                () = serve(service, stream, place, &server) => (),
                _ = ends => server.metrics.refused(),
            }
        });
    }
}

async fn serve(service: Service, stream: Stream, place: Arc<Place>, server: &Server) {
    match service {
        Service::Http(router, None) => {
            serve_http(Stalls::new(stream), router, place, server).await;
        }
        Service::Http(router, Some(tls)) => {
            if let Ok(Ok(stream)) = timeout(HANDSHAKE_TIME, tls.accept(stream)).await {
                serve_http(Stalls::new(stream), router, place, server).await;
            }
        }
        Service::Postgres(listener) => listener.serve(stream, &place).await,
    }
}

/// Report why the connection is refused. (A client with TLS cannot read the message, but fails,
/// too.)
async fn refuse(mut stream: Stream, is_http: bool) {
    let _ = if is_http {
        timeout(PAUSE, async { stream.write_all(FULL).await.unwrap_or(()) }).await
    } else {
        timeout(PAUSE, pg::refuse(stream)).await
    };
}

async fn serve_http<S>(stream: S, router: Router, place: Arc<Place>, server: &Server)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    builder.max_buf_size(MAX_HEAD_BYTES).max_headers(MAX_HEADERS);
    // Handlers say whose connection it is when they know it.
    let service = TowerToHyperService::new(router.layer(Extension(place)));
    let connection = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => (),
        () = server.stopped() => {
            connection.as_mut().graceful_shutdown();
            // The listener waits for it, and no longer than for all.
            let _ = connection.await;
        }
    }
}
