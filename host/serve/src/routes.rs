//! The handler of each path.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::events;
use crate::hrana;
use crate::hrana::http::Shared;
use crate::hrana::streams::Streams;
use crate::http::{Listener, Refused, guard};
use crate::page;
use crate::server::Server;

/// The name and version of this server for clients.
const VERSION: &str = concat!("sqlite-wasm-serve ", env!("CARGO_PKG_VERSION"));

/// All routes of a listener.
pub fn all(listener: Listener, streams: Arc<Streams>, has_page: bool) -> Router {
    let guarded = middleware::from_fn_with_state(listener.clone(), guard::check);
    let page = has_page.then_some(page::page as fn(&HeaderMap) -> Response);
    let events = events::routes(listener.clone());
    let shared = Shared { listener, streams, page };
    Router::new()
        .route("/health", get(|| async { "OK" }))
        .route("/version", get(|| async { VERSION }))
        .merge(hrana::http::routes(shared))
        .merge(events)
        .fallback(|| async { Refused::not_found() })
        .layer(guarded)
}

/// The counters, for another listener.
pub fn metrics(listener: Listener) -> Router {
    let guarded = middleware::from_fn_with_state(listener.clone(), guard::check);
    Router::new().route("/metrics", get(text)).with_state(listener.server).layer(guarded)
}

async fn text(State(server): State<Arc<Server>>) -> Response {
    const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, TYPE)], server.metrics.text()).into_response()
}
