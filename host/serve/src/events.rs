//! The feed of changes over HTTP, as server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http_body::Frame;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::sleep;

use crate::connections::Place;
use crate::databases::Named;
use crate::feed::{News, Subscriber};
use crate::http::{Listener, Refused};
use crate::server::Server;
use crate::session::error::Error;

/// Time after which something is sent: so a client that is gone is noticed, and the way to one that is not stays open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Where a client was before its connection broke.
const LAST_EVENT: &str = "last-event-id";

/// The routes at the top, and below the name of a database.
pub fn routes(listener: Listener) -> Router {
    Router::new()
        .route("/v1/changes", get(changes))
        .route("/{database}/v1/changes", get(changes))
        .with_state(listener)
}

async fn changes(
    State(listener): State<Listener>,
    Extension(place): Extension<Arc<Place>>,
    name: Option<Path<String>>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let user = listener.known(&place, &headers)?;
    let server = listener.server;
    let name = name.map(|Path(name)| name);
    let (named, _role) = server.find(&user, name.as_deref()).ok_or_else(Refused::not_found)?;
    let subscription = server.subscriptions.take(&user.name).ok_or_else(|| {
        server.metrics.refused();
        Refused::full()
    })?;
    keep(&server, &named).await?;
    let mut subscriber = Subscriber::new(server.databases.feed(&named), &Handle::current());
    let wanted = headers.get(LAST_EVENT).and_then(|value| value.to_str().ok());
    let is_behind = wanted.is_some_and(|wanted| !subscriber.resume(wanted));
    let last = subscriber.last();
    let mut first = Vec::new();
    let kind = if is_behind { "reset" } else { "ready" };
    put_event(&mut first, kind, &subscriber.place(last), &format!("{{\"commit\":{last}}}"));
    let (sender, chunks) = channel(1);
    tokio::spawn(async move {
        let _subscription = subscription;
        let mut stopping = server.is_stopping();
        tokio::select! {
            () = tell(&mut subscriber, first.into(), &sender, &server, &named) => {}
            _ = stopping.wait_for(|is| *is) => {}
        }
    });
    let head = [(header::CONTENT_TYPE, "text/event-stream")];
    Ok((head, Body::new(Events(chunks))).into_response())
}

/// Keep the database open, so that its count of commits goes on.
async fn keep(server: &Arc<Server>, named: &Named) -> Result<(), Error> {
    let (server, named) = (server.clone(), named.clone());
    let kept = tokio::task::spawn_blocking(move || server.databases.keep(&named)).await;
    Ok(kept.map_err(|_| Error::Full)??)
}

/// Send events until the client is gone.
async fn tell(
    subscriber: &mut Subscriber,
    first: Bytes,
    sender: &Sender<Bytes>,
    server: &Arc<Server>,
    named: &Named,
) {
    let mut chunk = first;
    let mut kept = Instant::now();
    loop {
        if kept.elapsed() >= KEEP_ALIVE {
            if keep(server, named).await.is_err() {
                return;
            }
            kept = Instant::now();
        }
        server.metrics.replied(chunk.len());
        if sender.send(chunk).await.is_err() {
            return;
        }
        chunk = loop {
            if let Some(news) = subscriber.take() {
                break events(subscriber, &news).into();
            }
            tokio::select! {
                () = subscriber.wait() => {}
                () = sender.closed() => return,
                () = sleep(KEEP_ALIVE) => break Bytes::from_static(b":\n\n"),
            }
        };
    }
}

fn events(subscriber: &Subscriber, news: &News) -> Vec<u8> {
    let mut chunk = Vec::new();
    match news {
        News::Commits(commits) => {
            for commit in commits {
                let id = subscriber.place(commit.number);
                put_event(&mut chunk, "commit", &id, commit.text());
            }
        }
        News::Lost { since, last } => {
            let data = format!("{{\"commit\":{last},\"since\":{since}}}");
            put_event(&mut chunk, "reset", &subscriber.place(*last), &data);
        }
    }
    chunk
}

fn put_event(out: &mut Vec<u8>, kind: &str, id: &str, data: &str) {
    out.extend_from_slice(format!("event: {kind}\nid: {id}\ndata: {data}\n\n").as_bytes());
}

struct Events(Receiver<Bytes>);

impl http_body::Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))))
    }
}
