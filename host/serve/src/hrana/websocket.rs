//! Hrana over WebSocket: streams of one client, side by side.

mod changes;
mod end;
mod gone;
mod stream;
mod write;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message as Frame, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use futures_util::StreamExt;
use futures_util::stream::SplitStream;
use tokio::sync::mpsc::error::SendError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::encoding::Encoding;
use super::http::{Name, Shared};
use super::message::{Message, SocketRequest, Target, Work};
use super::reply::{Reply, SocketMessage};
use super::response::Empty;
use super::texts::Texts;
use crate::auth::User;
use crate::connections::{Begun, Place};
use crate::http::{Listener, Refused};
use crate::large::Room;
use crate::server;
use crate::session::error::{Error, Failure};
use changes::Changes;
use end::{AWAY, End, NORMAL, OVERLOADED, PROTOCOL_ERROR, TOO_LONG, UNSUPPORTED, is_too_long};
use gone::Gone;
use stream::{Context, Stream};
use write::write;

/// The subprotocol that is not JSON.
const PROTOBUF: &str = "hrana3-protobuf";

/// The subprotocols, the best first.
const PROTOCOLS: [&str; 4] = [PROTOBUF, "hrana3", "hrana2", "hrana1"];

/// Replies that wait for the network.
const REPLIES: usize = 16;

/// Streams of a connection at most; each takes a session.
const MAX_STREAMS: usize = 64;

/// Cursors of a connection at most.
const MAX_CURSORS: usize = 256;

/// Longest message, in bytes: as long as a body over HTTP.
const MAX_MESSAGE_BYTES: usize = crate::http::MAX_BODY_BYTES;

/// Time for the first message, which has the token.
const HELLO_TIME: Duration = Duration::from_secs(10);

/// Where replies go.
type Out = mpsc::Sender<Frame>;

/// Accept a WebSocket; a browser gets the page.
pub async fn upgrade(
    State(shared): State<Shared>,
    name: Name,
    headers: HeaderMap,
    Extension(place): Extension<Arc<Place>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Refused> {
    let Ok(upgrade) = upgrade else {
        return shared.page.map(|page| page(&headers)).ok_or_else(Refused::not_found);
    };
    let listener = shared.listener;
    // The connection of HTTP ends here, and its slot is free.
    let place = place.upgraded().ok_or_else(Refused::full)?;
    let name = name.map(|Path(name)| name);
    let upgrade = upgrade.protocols(PROTOCOLS);
    let is_protobuf = upgrade.selected_protocol().is_some_and(|chosen| chosen == PROTOBUF);
    let encoding = if is_protobuf { Encoding::Protobuf } else { Encoding::Json };
    let upgrade = upgrade.max_message_size(MAX_MESSAGE_BYTES).max_frame_size(MAX_MESSAGE_BYTES);
    Ok(upgrade.on_upgrade(move |socket| serve(socket, listener, headers, name, encoding, place)))
}

async fn serve(
    socket: WebSocket,
    listener: Listener,
    headers: HeaderMap,
    name: Option<String>,
    encoding: Encoding,
    (place, ends): Begun,
) {
    let _held = listener.server.metrics.connection();
    let (sink, source) = socket.split();
    let (out, replies) = mpsc::channel(REPLIES);
    let (close, closing) = oneshot::channel();
    let writer = tokio::spawn(write(sink, replies, closing));
    let server = listener.server.clone();
    let client = Client {
        listener,
        headers,
        name,
        encoding,
        out,
        texts: Arc::default(),
        context: None,
        place,
        ends,
        streams: HashMap::new(),
        gone: Gone::default(),
        has_missed: false,
        has_missed_twice: false,
        closing: Vec::new(),
        cursors: HashMap::new(),
        changes: None,
    };
    let end = tokio::select! {
        end = client.read(source) => end,
        () = server.stopped() => End(AWAY, "the server ends"),
    };
    // The writer may have ended before.
    let _ = close.send(end);
    let _ = writer.await;
}

/// A client's connection.
struct Client {
    listener: Listener,
    headers: HeaderMap,
    name: Option<String>,
    encoding: Encoding,
    out: Out,
    texts: Arc<Mutex<Texts>>,
    /// What its streams need; none before `hello`.
    context: Option<(Arc<User>, Context)>,
    place: Arc<Place>,
    /// Ends where a stranger must go.
    ends: oneshot::Receiver<()>,
    streams: HashMap<i32, Stream>,
    gone: Gone,
    /// Whether the client knows that its last stream has ended, and whether it went on regardless.
    has_missed: bool,
    has_missed_twice: bool,
    /// Streams that end when they have performed what was sent.
    closing: Vec<oneshot::Sender<()>>,
    /// The stream of each cursor.
    cursors: HashMap<i32, i32>,
    /// Reports changes to it, if it is subscribed.
    changes: Option<Changes>,
}

impl Client {
    /// The user's name; all strangers have one share.
    fn user(&self) -> &str {
        self.context.as_ref().map_or("", |(user, _)| &user.name)
    }

    /// Read messages until the client or an error ends the connection.
    async fn read(mut self, mut source: SplitStream<WebSocket>) -> End {
        loop {
            let bytes = match self.next(&mut source).await {
                Ok(Some(bytes)) => bytes,
                Ok(None) => continue,
                Err(end) => return end,
            };
            let Ok(room) = self.listener.server.large.room(Some(bytes.len()), self.user()).await
            else {
                return End(OVERLOADED, "the server has too many large requests");
            };
            let message = match self.encoding.message(&bytes) {
                Ok(message) => message,
                Err(_) => return End(PROTOCOL_ERROR, "a message cannot be understood"),
            };
            if let Err(end) = self.handle(message, room).await {
                return end;
            }
        }
    }

    /// The next message, if a frame has one.
    async fn next(&mut self, source: &mut SplitStream<WebSocket>) -> Result<Option<Vec<u8>>, End> {
        let limits = &self.listener.server.limits;
        let patience = match self.context {
            None => HELLO_TIME,
            // It may only listen.
            Some(_) if self.is_subscribed() => Duration::MAX,
            // It may wait for a reply meanwhile.
            Some(_) => limits.idle + limits.statement,
        };
        let is_stranger = self.context.is_none();
        let next = tokio::select! {
            next = timeout(patience, source.next()) => next,
            _ = &mut self.ends, if is_stranger => {
                return Err(End(OVERLOADED, "the server has too many clients"));
            }
        };
        match next {
            Err(_) => Err(End(NORMAL, "no request came for some time")),
            Ok(None | Some(Ok(Frame::Close(_)))) => Err(End(NORMAL, "")),
            Ok(Some(Err(error))) if is_too_long(&error) => {
                Err(End(TOO_LONG, "a message has at most 8 MiB"))
            }
            Ok(Some(Err(_))) => Err(End(PROTOCOL_ERROR, "a frame is broken")),
            Ok(Some(Ok(Frame::Ping(_) | Frame::Pong(_)))) => Ok(None),
            Ok(Some(Ok(frame))) => match self.encoding.content(frame) {
                Some(bytes) => Ok(Some(bytes)),
                None => Err(End(UNSUPPORTED, "the frame is of the wrong type")),
            },
        }
    }

    async fn handle(&mut self, message: Message, room: Room) -> Result<(), End> {
        match message {
            Message::Hello { jwt } => self.hello(jwt).await,
            Message::Request { request_id, request } => match &self.context {
                None => Err(End(PROTOCOL_ERROR, "the first message must be hello")),
                Some((_, context)) => {
                    let context = context.clone();
                    self.request(context, (request_id, room), request).await
                }
            },
        }
    }

    /// Find out who it is. It may be said again, by the same user.
    async fn hello(&mut self, jwt: Option<String>) -> Result<(), End> {
        let found = self.authenticate(jwt.as_deref());
        let denied =
            Failure { message: "the token is missing or wrong".to_owned(), code: "AUTH_FAILED" };
        let result = if found { Ok(()) } else { Err(denied) };
        let sent = self.send(&SocketMessage::hello(result)).await;
        if found && sent.is_ok() {
            Ok(())
        } else {
            Err(End(NORMAL, "the token is missing or wrong"))
        }
    }

    async fn send(&self, message: &SocketMessage) -> Result<(), SendError<Frame>> {
        self.out.send(self.encoding.frame(self.encoding.encoded(message))).await
    }

    fn authenticate(&mut self, jwt: Option<&str>) -> bool {
        let user = match jwt {
            Some(token) => self.listener.token_user(Some(token)),
            None => self.listener.user(&self.headers),
        };
        let Ok(user) = user else { return false };
        if let Some((known, _)) = &self.context {
            return *known == user;
        }
        let shared = self.listener.server.clone();
        let Some((named, role)) = shared.find(&user, self.name.as_deref()) else { return false };
        let (texts, out) = (self.texts.clone(), self.out.clone());
        if !self.place.is_of(&user.name) {
            return false;
        }
        let is_owner = self.listener.is_owners();
        let client = server::Client { user: user.clone(), named, role, is_owner };
        let context = Context { server: shared, client, texts, encoding: self.encoding, out };
        self.context = Some((user, context));
        true
    }

    async fn request(
        &mut self,
        context: Context,
        (id, room): (i32, Room),
        request: SocketRequest,
    ) -> Result<(), End> {
        let done = match request.target() {
            Target::Open(stream) => self.open(context, id, stream),
            Target::Close(stream) => self.close((id, room), stream).await,
            Target::Stream(stream, work) => self.pass((id, room), stream, work).await,
            Target::Cursor(cursor, work) => self.pass_cursor((id, room), cursor, work).await,
            Target::StoreSql(sql, text) => {
                self.texts().store(sql, text).map(|()| Some(Reply::StoreSql(Empty {})))
            }
            Target::CloseSql(sql) => {
                self.texts().close(sql);
                Ok(Some(Reply::CloseSql(Empty {})))
            }
            Target::Subscribe(from) => self.subscribe(context, id, from).await,
            Target::Unsubscribe => {
                if let Some(changes) = self.changes.take() {
                    changes.end().await;
                }
                Ok(Some(Reply::UnsubscribeChanges(Empty {})))
            }
        };
        let reply = match done {
            Ok(None) => return Ok(()),
            Ok(Some(reply)) => Ok(reply),
            Err(error) => Err(Failure::from(&error)),
        };
        let sent = self.send(&SocketMessage::reply(id, reply)).await;
        sent.map_err(|_| End(NORMAL, ""))?;
        if self.has_missed_twice { Err(End(NORMAL, "the stream has ended")) } else { Ok(()) }
    }

    fn texts(&self) -> std::sync::MutexGuard<'_, Texts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Open a stream, which replies itself.
    fn open(&mut self, context: Context, id: i32, stream: i32) -> Result<Option<Reply>, Error> {
        if self.streams.len() + self.closing.len() >= MAX_STREAMS {
            return Err(Error::Full);
        }
        match self.streams.entry(stream) {
            Entry::Occupied(_) => Err(Error::Order("the stream is open already")),
            Entry::Vacant(entry) => {
                entry.insert(Stream::open(context, id));
                self.gone.forget(stream);
                self.has_missed = false;
                Ok(None)
            }
        }
    }

    /// Close a stream when it has performed what was sent before.
    async fn close(
        &mut self,
        (id, room): (i32, Room),
        stream: i32,
    ) -> Result<Option<Reply>, Error> {
        self.cursors.retain(|_, of| *of != stream);
        self.closing.retain(|alive| !alive.is_closed());
        self.gone.forget(stream);
        let Some(Stream { queue, alive, .. }) = self.streams.remove(&stream) else {
            return Ok(Some(Reply::CloseStream(Empty {})));
        };
        self.closing.push(alive);
        match queue.send((id, Work::Close, room)).await {
            Ok(()) => Ok(None),
            Err(_) => Ok(Some(Reply::CloseStream(Empty {}))),
        }
    }

    /// Pass a request on to its stream, which replies.
    async fn pass(
        &mut self,
        (id, room): (i32, Room),
        stream: i32,
        work: Work,
    ) -> Result<Option<Reply>, Error> {
        let Some(found) = self.streams.get(&stream) else { return Err(self.missed(stream)) };
        if let Work::OpenCursor(cursor, _) = &work {
            if self.cursors.contains_key(cursor) || self.cursors.len() >= MAX_CURSORS {
                return Err(Error::Order("the cursor is open already, or too many are"));
            }
            self.cursors.insert(*cursor, stream);
        }
        if found.queue.send((id, work, room)).await.is_err() {
            self.cursors.retain(|_, of| *of != stream);
            let why = self.streams.remove(&stream).and_then(|stream| stream.ended());
            self.has_missed = self.streams.is_empty();
            return Err(self.gone.note(stream, why));
        }
        Ok(None)
    }

    /// A request for a stream that is not open. A client that sends another one although it knows that its
    /// only stream has ended will never open a stream, but a connection.
    fn missed(&mut self, stream: i32) -> Error {
        self.has_missed_twice = self.has_missed && self.streams.is_empty();
        self.gone.why(stream).unwrap_or(Error::Order("the stream is not open"))
    }

    async fn pass_cursor(
        &mut self,
        numbered: (i32, Room),
        cursor: i32,
        work: Work,
    ) -> Result<Option<Reply>, Error> {
        let Some(stream) = self.cursors.get(&cursor).copied() else {
            return match work {
                Work::CloseCursor(_) => Ok(Some(Reply::CloseCursor(Empty {}))),
                _ => Err(Error::Order("the cursor is not open")),
            };
        };
        if matches!(work, Work::CloseCursor(_)) {
            self.cursors.remove(&cursor);
        }
        self.pass(numbered, stream, work).await
    }
}
