//! The feed of changes as events: over HTTP, and for the WebSocket.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Extension, Path, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::stream::unfold;
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::connections::Place;
use crate::databases::Named;
use crate::feed::{News, Subscriber, Subscription};
use crate::http::{Listener, Refused};
use crate::server::Server;
use crate::session::error::Error;

/// Time after which something is sent: so a client that is gone is noticed, and the connection of one that is not stays open.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);

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
    let wanted = headers.get(LAST_EVENT).and_then(|value| value.to_str().ok());
    let events = Events::open(&server, &named, subscription, wanted).await?;
    let stream = unfold(events, |mut events| async move {
        let Told { kind, id, data } = events.next().await?;
        let event = Event::default().event(kind).id(id).data(data);
        Some((Ok::<_, Infallible>(event), events))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}

/// Keep the database open, so that its count of commits goes on.
async fn keep(server: &Arc<Server>, named: &Named) -> Result<(), Error> {
    let (server, named) = (server.clone(), named.clone());
    let kept = tokio::task::spawn_blocking(move || server.databases.keep(&named)).await;
    Ok(kept.map_err(|_| Error::Full)??)
}

/// An event.
#[derive(Debug)]
pub struct Told {
    /// `ready`, `commit` or `reset`; over the WebSocket also `end`.
    pub kind: &'static str,
    /// The position from which a client may go on.
    pub id: String,
    /// A JSON object.
    pub data: String,
}

/// The events for a client, until it is gone.
pub struct Events {
    /// Those that are not sent yet: what a subscriber takes at a time.
    pending: VecDeque<Told>,
    subscriber: Subscriber,
    server: Arc<Server>,
    named: Named,
    /// When the database was last kept open.
    kept: Instant,
    _subscription: Subscription,
}

impl Events {
    /// Those of a database, after a position if one is given.
    ///
    /// # Errors
    ///
    /// Where the database cannot be opened.
    pub async fn open(
        server: &Arc<Server>,
        named: &Named,
        subscription: Subscription,
        after: Option<&str>,
    ) -> Result<Self, Error> {
        keep(server, named).await?;
        let mut subscriber = Subscriber::new(server.databases.feed(named), &Handle::current());
        let is_behind = after.is_some_and(|after| !subscriber.resume(after));
        let last = subscriber.last();
        let mut events = Self {
            pending: VecDeque::new(),
            subscriber,
            server: server.clone(),
            named: named.clone(),
            kept: Instant::now(),
            _subscription: subscription,
        };
        let kind = if is_behind { "reset" } else { "ready" };
        events.put(kind, last, format!("{{\"commit\":{last}}}"));
        Ok(events)
    }

    /// The next one; `None` when the server stops. Nothing is lost where this is not waited for.
    pub async fn next(&mut self) -> Option<Told> {
        let mut stopping = self.server.is_stopping();
        loop {
            if let Some(event) = self.pending.pop_front() {
                return Some(event);
            }
            if self.kept.elapsed() >= KEEP_ALIVE {
                keep(&self.server, &self.named).await.ok()?;
                self.kept = Instant::now();
            }
            if let Some(news) = self.subscriber.take() {
                self.add(&news);
                continue;
            }
            tokio::select! {
                () = self.subscriber.wait() => {}
                () = sleep(KEEP_ALIVE) => {}
                _ = stopping.wait_for(|is| *is) => return None,
            }
        }
    }

    fn add(&mut self, news: &News) {
        match news {
            News::Commits(commits) => {
                for commit in commits {
                    self.put("commit", commit.number, commit.text().to_owned());
                }
            }
            News::Lost { since, last } => {
                self.put("reset", *last, format!("{{\"commit\":{last},\"since\":{since}}}"));
            }
        }
    }

    fn put(&mut self, kind: &'static str, commit: u64, data: String) {
        self.server.metrics.replied(data.len());
        self.pending.push_back(Told { kind, id: self.subscriber.place(commit), data });
    }
}
