//! From an accepted connection to a conversation.

use std::net::Shutdown;
use std::sync::Arc;
use std::time::Duration;

use access::policy::Role;
use sqlite_wasm_postgres::Error;
use tokio::io::AsyncWriteExt;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::StreamOwned;
use tokio_rustls::server::TlsStream;

use super::advisory::Locks;
use super::cancel::Keys;
use super::converse::{Conversation, Greeting};
use super::failure::{Failure, shutdown};
use super::out::{Out, Severity};
use super::startup::{self, First, Io, Start};
use super::stream::{Rooms, Stream, Waiting};
use super::transport::Transport;
use crate::auth::{User, scram};
use crate::connections::Place;
use crate::databases::{Named, Wire};
use crate::server::{Client, Server};
use crate::session::Session;
use crate::session::connection::SessionConnection;
use crate::sockets::Stream as Socket;

/// Time for encryption and authentication.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);

/// How long the answer to a wrong password takes.
const REFUSAL_TIME: Duration = Duration::from_secs(1);

/// Time for statements to end when the server ends.
const DRAIN_TIME: Duration = Duration::from_secs(8);

/// First messages before the one with the user's name: two kinds of encryption.
const MAX_FIRST_MESSAGES: usize = 3;

/// What a listener needs to serve the Postgres wire.
#[derive(Clone)]
pub struct WireListener {
    pub server: Arc<Server>,
    pub keys: Arc<Keys>,
    /// The advisory locks of all sessions.
    pub locks: Arc<Locks>,
    pub tls: Option<TlsAcceptor>,
    /// Only encrypted connections.
    pub needs_tls: bool,
    /// The key for unknown users.
    pub nobody: [u8; 32],
}

/// A connection before its session.
enum Early {
    Plain(Socket),
    Tls(Box<TlsStream<Socket>>),
}

impl Early {
    fn io(&mut self) -> &mut dyn Io {
        match self {
            Self::Plain(socket) => socket,
            Self::Tls(tls) => tls,
        }
    }

    fn into_transport(self) -> std::io::Result<Transport> {
        Ok(match self {
            Self::Plain(socket) => Transport::Plain(socket.into_plain()?),
            Self::Tls(tls) => {
                let (socket, connection) = tls.into_inner();
                Transport::Tls(Box::new(StreamOwned::new(connection, socket.into_plain()?)))
            }
        })
    }
}

/// A client that may have a session.
struct Admitted {
    start: Start,
    client: Client,
}

fn full() -> Error {
    Error::new("53300", "sorry, too many clients already")
}

/// Say that there are too many clients.
pub async fn refuse(mut stream: Socket) {
    let mut out = Out::default();
    out.report(Severity::Fatal, &full());
    let _ = stream.write_all(&out.0).await;
}

impl WireListener {
    /// # Errors
    ///
    /// When the system has no random numbers.
    pub fn new(
        server: Arc<Server>,
        tls: Option<TlsAcceptor>,
        needs_tls: bool,
    ) -> anyhow::Result<Self> {
        let (keys, locks, nobody) = (Arc::default(), Arc::default(), scram::key_of_nobody()?);
        Ok(Self { server, keys, locks, tls, needs_tls, nobody })
    }

    /// Serve a connection to its end.
    pub async fn serve(self, socket: Socket, place: &Place) {
        let greeted = timeout(HANDSHAKE_TIME, self.greet(Early::Plain(socket), place)).await;
        let Ok(Some((mut early, admitted))) = greeted else { return };
        let Admitted { start, client } = admitted;
        let begun = match self.server.start(client.clone(), Wire::Postgres).await {
            // Opening may fail only now.
            Ok(session) => session.run(|_| Ok(())).await.map(|()| session),
            Err(error) => Err(error),
        };
        match begun {
            Ok(session) => self.converse(early, start, client, session).await,
            Err(error) => {
                if let Failure::Fatal(error) | Failure::Error(error) = error.into() {
                    fatal(early.io(), &error).await;
                }
            }
        }
    }

    async fn converse(&self, early: Early, start: Start, client: Client, session: Session) {
        let Ok(key) = self.keys.add(session.control().clone()) else { return };
        let Ok(transport) = early.into_transport() else { return };
        let Ok(socket) = transport.plain().try_clone() else { return };
        let greeting = Greeting {
            user: start.user,
            database: client.named.name,
            settings: start.settings,
            process: key.process,
            secret: key.secret,
        };
        let transaction = self.server.limits.transaction;
        let waiting = Waiting { control: session.control().clone(), transaction };
        let metrics = self.server.metrics.clone();
        let Ok(stream) = Stream::new(transport, waiting, self.rooms(client.user), metrics) else {
            return;
        };
        let max_waiting = self.server.limits.bytes;
        let locks = self.locks.clone();
        let (ending, mut ended) = oneshot::channel::<()>();
        let converse = move |engine: &mut SessionConnection| {
            if let Ok(conversation) =
                Conversation::new(engine, stream, greeting, locks, max_waiting)
            {
                conversation.run();
            }
            drop(ending);
        };
        if session.post(converse).await.is_err() {
            return;
        }
        tokio::select! {
            _ = &mut ended => (),
            () = self.server.stopped() => {
                // The thread reads the end, and takes its leave.
                session.control().leave();
                let _ = socket.shut(Shutdown::Read);
                let _ = timeout(DRAIN_TIME, ended).await;
            }
        }
    }

    fn rooms(&self, user: Arc<User>) -> Rooms {
        let (server, runtime) = (self.server.clone(), Handle::current());
        Box::new(move |length| runtime.block_on(server.large.room(Some(length), &user.name)).ok())
    }

    /// Authenticate the client; none if it has disconnected or was refused.
    async fn greet(&self, mut early: Early, place: &Place) -> Option<(Early, Admitted)> {
        for _ in 0..MAX_FIRST_MESSAGES {
            match startup::first(early.io()).await {
                Ok(Some(First::Ssl)) => early = self.encrypted(early).await?,
                Ok(Some(First::Gss)) => early.io().write_all(b"N").await.ok()?,
                Ok(Some(First::Cancel(process, secret))) => {
                    self.keys.cancel(process, secret);
                    return None;
                }
                Ok(Some(First::Start(start))) => {
                    return match self.admit(&mut early, start, place).await {
                        Ok(admitted) => Some((early, admitted)),
                        Err(error) => {
                            fatal(early.io(), &error?).await;
                            None
                        }
                    };
                }
                Ok(None) => return None,
                Err(error) => {
                    fatal(early.io(), &error).await;
                    return None;
                }
            }
        }
        None
    }

    async fn encrypted(&self, early: Early) -> Option<Early> {
        match (early, &self.tls) {
            (Early::Plain(mut socket), Some(tls)) => {
                socket.write_all(b"S").await.ok()?;
                tls.accept(socket).await.ok().map(|stream| Early::Tls(Box::new(stream)))
            }
            (mut early, _) => {
                early.io().write_all(b"N").await.ok()?;
                Some(early)
            }
        }
    }

    /// Whether the client may have a session; no error where it is gone.
    async fn admit(
        &self,
        early: &mut Early,
        start: Start,
        place: &Place,
    ) -> Result<Admitted, Option<Error>> {
        if *self.server.is_stopping().borrow() {
            return Err(Some(shutdown()));
        }
        if self.needs_tls && matches!(early, Early::Plain(_)) {
            return Err(Some(Error::new(
                "28000",
                "this server accepts encrypted connections only",
            )));
        }
        if start.is_later || !start.unknown.is_empty() {
            negotiate(early.io(), &start.unknown).await?;
        }
        let user = self.authenticated(early.io(), &start.user).await?;
        let (named, role) = self.database(&user, &start).ok_or_else(|| {
            let name = start.database.as_ref().unwrap_or(&start.user);
            Error::new("3D000", format!("database \"{name}\" does not exist"))
        })?;
        if !place.is_of(&user.name) {
            return Err(Some(full()));
        }
        let is_owner = place.address.is_none();
        Ok(Admitted { start, client: Client { user, named, role, is_owner } })
    }

    async fn authenticated(&self, io: &mut dyn Io, name: &str) -> Result<Arc<User>, Option<Error>> {
        if let Some(local) = self.server.auth.local() {
            return Ok(local.clone());
        }
        let known = self.server.auth.password(name);
        let secret = known.map(|(secret, _)| secret);
        let done = startup::authenticate(io, name, secret, &self.nobody).await;
        if let Err(error) = done {
            self.server.metrics.refused();
            if error.is_some() {
                tracing::warn!(user = ?name, "a password was refused");
                // A client that guesses passwords waits, and occupies one of the connections
                // meanwhile.
                tokio::time::sleep(REFUSAL_TIME).await;
            }
            return Err(error);
        }
        let unknown = || Error::new("28P01", "password authentication failed");
        known.map(|(_, user)| user.clone()).ok_or_else(|| Some(unknown()))
    }

    /// The database that the client names; that without a name, or with the user's, is the only
    /// one.
    fn database(&self, user: &User, start: &Start) -> Option<(Named, Role)> {
        let named = start.database.as_deref();
        let found = named.and_then(|name| self.server.find(user, Some(name)));
        let is_default = named.is_none_or(|name| name == start.user);
        found.or_else(|| self.server.find(user, None).filter(|_| is_default))
    }
}

/// Say which protocol this server knows.
async fn negotiate(io: &mut dyn Io, unknown: &[String]) -> Result<(), Option<Error>> {
    let mut out = Out::default();
    out.message(b'v', |out| {
        // The latest version, as PostgreSQL's own server says it: 3.0.
        out.extend((3_u32 << 16).to_be_bytes());
        out.extend((unknown.len() as u32).to_be_bytes());
        for name in unknown {
            out.extend_from_slice(name.as_bytes());
            out.push(0);
        }
    });
    startup::send(io, &mut out).await.map_err(|_| None)
}

async fn fatal(io: &mut dyn Io, error: &Error) {
    let mut out = Out::default();
    out.report(Severity::Fatal, error);
    let _ = startup::send(io, &mut out).await;
    let _ = io.shutdown().await;
}
