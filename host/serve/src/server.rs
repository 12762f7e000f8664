//! What all listeners and clients share.

use std::sync::Arc;
use std::time::Duration;

use access::policy::Role;
use tokio::sync::{Semaphore, watch};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::auth::{Auth, User};
use crate::config::Limits;
use crate::connections::Connections;
use crate::databases::{Databases, Named, Wire};
use crate::feed::Subscriptions;
use crate::large::Large;
use crate::metrics::Metrics;
use crate::session::control::Times;
use crate::session::error::Result;
use crate::session::{Rules, Session, Slots};

/// Connections for each session that there may be: a browser opens several.
pub const CONNECTIONS_PER_SESSION: usize = 4;

/// Connections that are opened at a time. That is work for a processor, and an extension has a limit
/// of time to begin, which many at once would exceed together.
const OPENING: usize = 8;

/// Time to say goodbye over WebSockets.
const FAREWELL: Duration = Duration::from_secs(2);

/// Time for sessions to close their connections: they are interrupted, and roll back what is open.
const CLOSING: Duration = Duration::from_secs(10);

/// Interval at which unused databases are looked for.
const SWEEP: Duration = Duration::from_secs(1);

/// A client that may have a session.
#[derive(Debug, Clone)]
pub struct Client {
    pub user: Arc<User>,
    pub named: Named,
    pub role: Role,
    /// Whether it came by a Unix socket, which is the owner's.
    pub is_owner: bool,
}

/// What all listeners and clients share.
pub struct Server {
    pub auth: Auth,
    pub databases: Databases,
    pub limits: Limits,
    pub metrics: Arc<Metrics>,
    pub large: Large,
    slots: Slots,
    opening: Arc<Semaphore>,
    pub connections: Arc<Connections>,
    pub subscriptions: Subscriptions,
    /// Whether the server is about to end.
    stopping: watch::Sender<bool>,
}

impl Server {
    pub fn new(auth: Auth, databases: Databases, limits: Limits) -> Arc<Self> {
        let has_users = auth.local().is_none();
        let slots = Slots::new(limits.clients, has_users, databases.has_many());
        Arc::new(Self {
            auth,
            databases,
            limits,
            metrics: Arc::new(Metrics::new()),
            large: Large::new(has_users),
            slots,
            opening: Arc::new(Semaphore::new(OPENING)),
            connections: Connections::new(limits.clients * CONNECTIONS_PER_SESSION, has_users),
            subscriptions: Subscriptions::new(has_users),
            stopping: watch::Sender::new(false),
        })
    }

    /// The database with this name, and the user's role in it: nobody learns the names of the
    /// databases that he may not read.
    pub fn find(&self, user: &User, name: Option<&str>) -> Option<(Named, Role)> {
        let named = self.databases.find(name)?;
        let role = self.auth.role(user, &named.name)?;
        Some((named, role))
    }

    /// Start a session.
    ///
    /// # Errors
    ///
    /// When the server cannot hold another one.
    pub async fn start(self: &Arc<Self>, client: Client, wire: Wire) -> Result<Session> {
        let Client { user, named, role, is_owner } = client;
        // What takes long to open takes long for its own clients only.
        let first = self.databases.opening(&named).acquire_owned().await.ok();
        let slot = self.slots.take(&user.name, &named.name, is_owner).await;
        let slot = slot.inspect_err(|_| self.metrics.refused())?;
        let Limits { statement, transaction, idle, slow, .. } = self.limits;
        let times = Times { statement, transaction, idle, slow };
        let rules = Rules { role, times, metrics: self.metrics.clone() };
        let server = self.clone();
        // It never closes before the server.
        let opening = self.opening.clone().acquire_owned().await.ok();
        Session::start(slot, rules, move || {
            let _held = (first, opening);
            server.databases.connect(&named, role, wire)
        })
    }

    /// Wait until the server is about to end.
    pub async fn stopped(&self) {
        // It never closes before the server.
        let _ = self.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }

    /// Whether the server is about to end.
    pub fn is_stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Accept no more requests.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Wait until all connections have ended, also WebSockets, which no listener knows.
    pub async fn drained(&self) {
        // Those that take longer are dropped.
        let _ = timeout(FAREWELL, self.connections.all_ended()).await;
    }

    /// Wait until all sessions have closed their connections, and close the databases: the last
    /// connection to each one copies its log into it, and removes it.
    pub async fn close(self: Arc<Self>) {
        if timeout(CLOSING, self.slots.all_free()).await.is_err() {
            tracing::warn!("some sessions are still closing");
        }
        let _ = tokio::task::spawn_blocking(move || self.databases.close()).await;
    }

    /// Close the databases that are not used, until the server ends.
    pub async fn sweep(self: Arc<Self>) {
        let mut ticks = interval(SWEEP);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let server = self.clone();
            // Closing copies a log into its database.
            let _ = tokio::task::spawn_blocking(move || server.databases.sweep()).await;
        }
    }
}
