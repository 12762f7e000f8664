//! A stream of a WebSocket: a task that performs its requests in order.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use tokio::sync::mpsc::{self, Receiver};
use tokio::sync::oneshot;

use super::Out;
use crate::databases::Wire;
use crate::hrana::cursor;
use crate::hrana::encoding::Encoding;
use crate::hrana::group::Group;
use crate::hrana::message::Work;
use crate::hrana::perform::Performer;
use crate::hrana::reply::{Fetched, Reply, SocketMessage};
use crate::hrana::request::Batch;
use crate::hrana::response::Empty;
use crate::hrana::texts::Texts;
use crate::large::Room;
use crate::server::{Client, Server};
use crate::session::Session;
use crate::session::control::Ended;
use crate::session::error::{Error, Failure, Result};

/// Requests that wait for a stream; then the connection is not read any further.
const QUEUE: usize = 16;

/// What a stream needs.
#[derive(Clone)]
pub struct Context {
    pub server: Arc<Server>,
    pub client: Client,
    pub texts: Arc<Mutex<Texts>>,
    pub encoding: Encoding,
    pub out: Out,
}

/// A request with its id and the room that it takes.
pub type Numbered = (i32, Work, Room);

/// A stream, seen from the connection. Dropping it closes it.
pub struct Stream {
    pub queue: mpsc::Sender<Numbered>,
    /// Dropping this ends what runs.
    pub alive: oneshot::Sender<()>,
    /// Why it has ended on its own.
    ended: Arc<OnceLock<Ended>>,
}

impl Stream {
    /// Open a stream, by a request with this id.
    pub fn open(context: Context, request: i32) -> Self {
        let (queue, requests) = mpsc::channel(QUEUE);
        let (alive, closed) = oneshot::channel();
        let ended = Arc::new(OnceLock::new());
        let why = ended.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = serve(context, request, requests, &why) => (),
                _ = closed => (),
            }
        });
        Self { queue, alive, ended }
    }

    /// Why it has ended on its own, if it has.
    pub fn ended(&self) -> Option<Ended> {
        self.ended.get().copied()
    }
}

async fn serve(
    context: Context,
    request: i32,
    mut requests: Receiver<Numbered>,
    ended: &OnceLock<Ended>,
) {
    let started = context.server.start(context.client.clone(), Wire::Hrana).await;
    let opened = match &started {
        Ok(_) => Ok(Reply::OpenStream(Empty {})),
        Err(error) => Err(Failure::from(error)),
    };
    let mut is_sent = context.reply(request, opened).await;
    let mut running = Running { session: started.ok(), cursors: HashMap::new() };
    while is_sent && let Some((request, work, room)) = requests.recv().await {
        if matches!(work, Work::Close) {
            drop(running);
            context.reply(request, Ok(Reply::CloseStream(Empty {}))).await;
            return;
        }
        let done = running.perform(&context, work, room).await;
        let why = match &done {
            Err(Error::Ended(why)) => Some(*why),
            _ => None,
        };
        // Before the reply, after which the client may send the next request.
        if let Some(why) = why {
            // It is set once.
            let _ = ended.set(why);
        }
        let reply = done.map_err(|error| Failure::from(&error));
        is_sent = context.reply(request, reply).await && why.is_none();
    }
}

impl Context {
    /// Send a reply: whether the connection is there.
    pub async fn reply(&self, request: i32, reply: Result<Reply, Failure>) -> bool {
        let bytes = self.encoding.encoded(&SocketMessage::reply(request, reply));
        self.server.metrics.replied(bytes.len());
        self.out.send(self.encoding.frame(bytes)).await.is_ok()
    }

    fn performer(&self, limit: u64) -> Performer {
        Performer::new(self.texts.clone(), self.encoding, limit)
    }
}

/// A cursor: what has not been fetched of the last group, and the next ones.
struct Cursor {
    group: Group,
    groups: Receiver<Group>,
}

struct Running {
    /// `None` if it could not be opened.
    session: Option<Session>,
    cursors: HashMap<i32, Option<Cursor>>,
}

impl Running {
    async fn perform(&mut self, context: &Context, work: Work, room: Room) -> Result<Reply> {
        match work {
            Work::Perform(request) => {
                let mut performer = context.performer(context.server.limits.bytes);
                let work = move |engine: &mut _| Ok(performer.perform(engine, request));
                let response = self.session()?.run(work).await?;
                response.map(Reply::from).map_err(Error::Performed)
            }
            Work::OpenCursor(id, batch) => self.open_cursor(context, id, (batch, room)).await,
            Work::FetchCursor(id, count) => self.fetch(id, count).await,
            Work::CloseCursor(id) => {
                self.cursors.remove(&id);
                Ok(Reply::CloseCursor(Empty {}))
            }
            Work::Close => Ok(Reply::CloseStream(Empty {})),
        }
    }

    /// The session, where no cursor uses it.
    fn session(&self) -> Result<&Session> {
        if !self.cursors.is_empty() {
            return Err(Error::Order("the stream has an open cursor; close that first"));
        }
        self.session.as_ref().ok_or(Error::Order("the stream could not be opened"))
    }

    async fn open_cursor(
        &mut self,
        context: &Context,
        id: i32,
        batch: (Batch, Room),
    ) -> Result<Reply> {
        let performer = context.performer(u64::MAX);
        let time = context.server.limits.transaction;
        let started = match self.session() {
            Ok(session) => cursor::start(session, performer, batch, time).await,
            Err(error) => Err(error),
        };
        let (cursor, reply) = match started {
            Ok(groups) => {
                (Some(Cursor { group: Group::default(), groups }), Ok(Reply::OpenCursor(Empty {})))
            }
            Err(error) => (None, Err(error)),
        };
        self.cursors.insert(id, cursor);
        reply
    }

    async fn fetch(&mut self, id: i32, count: u32) -> Result<Reply> {
        let cursor = self.cursors.get_mut(&id).and_then(Option::as_mut);
        let cursor = cursor.ok_or(Error::Order("the cursor is not open"))?;
        if cursor.group.len() == 0 {
            match cursor.groups.recv().await {
                Some(group) => cursor.group = group,
                None => {
                    return Ok(Reply::FetchCursor(Fetched { entries: Vec::new(), done: true }));
                }
            }
        }
        let rest = cursor.group.split_off(count as usize);
        let entries = std::mem::replace(&mut cursor.group, rest).into_entries();
        Ok(Reply::FetchCursor(Fetched { entries, done: false }))
    }
}
