//! Hrana over HTTP.

mod cursor;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request as HttpRequest, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response as HttpResponse};
use axum::routing::{get, post};

use super::encoding::Encoding;
use super::perform::Performer;
use super::request::{Pipeline, Request};
use super::response::{self, Response, StreamResult};
use super::streams::{Stream, Streams};
use super::websocket;
use crate::connections::Place;
use crate::databases::Wire;
use crate::http::{Listener, Refused, body};
use crate::large::Room;
use crate::server::Client;
use crate::session::connection::SessionConnection;
use crate::session::error::{Error, Failure};

/// Requests of a pipeline at most.
const MAX_REQUESTS: usize = 10_000;

/// The versions in paths, and their encodings.
const VERSIONS: [(&str, Encoding); 3] =
    [("v2", Encoding::Json), ("v3", Encoding::Json), ("v3-protobuf", Encoding::Protobuf)];

/// What handlers share.
#[derive(Clone)]
pub struct Shared {
    pub listener: Listener,
    pub streams: Arc<Streams>,
    /// What a browser gets.
    pub page: Option<fn(&HeaderMap) -> HttpResponse>,
}

/// The name of a database in a path; none at the top, where the only one is meant.
pub type Name = Option<Path<String>>;

/// The routes at the top, and below the name of a database.
pub fn routes(shared: Shared) -> Router {
    let mut router = Router::new()
        .route("/", get(websocket::upgrade))
        .route("/{database}", get(websocket::upgrade))
        .route("/{database}/", get(websocket::upgrade));
    for prefix in ["", "/{database}"] {
        for (version, encoding) in VERSIONS {
            let path = format!("{prefix}/{version}");
            let pipeline = move |state: State<Shared>, name: Name, sent: HttpRequest| {
                pipeline(state.0, name, sent, encoding)
            };
            let cursor = move |state: State<Shared>, name: Name, sent: HttpRequest| {
                cursor::reply(state.0, name, sent, encoding)
            };
            router = router
                .route(&path, get(|| async {}))
                .route(&format!("{path}/pipeline"), post(pipeline))
                .route(&format!("{path}/cursor"), post(cursor));
        }
    }
    router.with_state(shared)
}

async fn pipeline(
    shared: Shared,
    name: Name,
    sent: HttpRequest,
    encoding: Encoding,
) -> Result<HttpResponse, Refused> {
    let (head, sent) = sent.into_parts();
    let (pipeline, stream, _room) = shared
        .begin(&head, name, sent, |bytes| {
            let pipeline: Pipeline = encoding.pipeline_request(bytes)?;
            Ok((pipeline.baton.clone(), pipeline))
        })
        .await?;
    if pipeline.requests.len() > MAX_REQUESTS {
        return Err(Refused::bad("the pipeline has more than 10000 requests"));
    }
    let limit = shared.listener.server.limits.bytes;
    let mut performer = Performer::new(stream.texts.clone(), encoding, limit);
    let baton = pipeline.baton;
    let work = move |engine: &mut SessionConnection| {
        Ok(perform_all(&mut performer, engine, pipeline.requests))
    };
    let done = stream.session.run(work).await;
    let (results, is_open) = match (done, baton) {
        (Err(Error::Ended(why)), Some(baton)) => {
            shared.streams.has_ended(&baton, stream, why);
            return Err(Error::Ended(why).into());
        }
        (done, _) => done?,
    };
    let baton = if is_open { Some(shared.streams.keep(stream)?) } else { None };
    let reply = encoding.encoded(&response::Pipeline { baton, base_url: None, results });
    shared.listener.server.metrics.replied(reply.len());
    Ok(([(header::CONTENT_TYPE, encoding.content_type())], reply).into_response())
}

impl Shared {
    /// Decode a request, and find the stream of its baton, or start a new one.
    async fn begin<T>(
        &self,
        head: &Parts,
        name: Name,
        sent: Body,
        decode: impl FnOnce(&[u8]) -> Result<(Option<String>, T), String>,
    ) -> Result<(T, Stream, Room), Refused> {
        let server = &self.listener.server;
        let place = head.extensions.get::<Arc<Place>>().ok_or_else(Refused::full)?;
        let user = self.listener.known(place, &head.headers)?;
        let name = name.map(|Path(name)| name);
        let found = server.find(&user, name.as_deref());
        let (named, role) = found.ok_or_else(Refused::not_found)?;
        let (bytes, room) = body(sent, &server.large, &user.name).await?;
        let decoded = decode(&bytes);
        let (baton, decoded) =
            decoded.map_err(|error| Refused::bad(&format!("wrong request: {error}")))?;
        if let Some(baton) = baton {
            let stream = self.streams.take(&baton, &user.name, &named.name)?;
            return Ok((decoded, stream, room));
        }
        let database = named.name.clone();
        let is_owner = self.listener.is_owners();
        let client = Client { user: user.clone(), named, role, is_owner };
        let session = server.start(client, Wire::Hrana).await?;
        let user = user.name.clone();
        let stream = Stream { session, texts: Arc::default(), user, database };
        Ok((decoded, stream, room))
    }
}

/// Perform the requests of a pipeline up to `close`: the results, and whether the stream is open.
fn perform_all(
    performer: &mut Performer,
    engine: &mut SessionConnection,
    all: Vec<Request>,
) -> (Vec<StreamResult>, bool) {
    let mut results = Vec::new();
    let mut is_open = true;
    for request in all {
        let result = if is_open {
            performer.perform(engine, request)
        } else {
            Err(Failure { message: "the stream is closed".to_owned(), code: "STREAM_CLOSED" })
        };
        is_open &= !matches!(result, Ok(Response::Close(_)));
        results.push(result.into());
    }
    (results, is_open && !engine.is_gone())
}
