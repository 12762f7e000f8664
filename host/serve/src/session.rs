//! Sessions: one sandboxed connection each, on its own thread.
//!
//! Requests reach the thread one by one, as closures. A session whose [`Session`] is dropped ends
//! within milliseconds: its statement is interrupted and its transaction rolled back.

mod changes;
pub mod connection;
pub mod control;
pub mod error;
mod log;
mod read_only;
mod slots;
mod way;
mod writers;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use access::policy::{Reading, Role};
use sqlite_sandbox::Connection;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot};

use crate::feed::Feed;
use crate::metrics::Metrics;
use connection::SessionConnection;
use control::{Control, Ended, Times};
use error::{Error, Result};
pub use log::Log;
pub use slots::{Slot, Slots};
pub use writers::Writers;

/// Stack of a session's thread, in bytes: SQLite has its own. Translating SQL of ordinary depth takes
/// less than a quarter. Only what is used takes memory.
const STACK_BYTES: usize = 4 << 20;

/// Requests that wait for the thread: a client waits for each reply before the next request.
const QUEUE: usize = 1;

type Job = Box<dyn FnOnce(&mut SessionConnection) + Send>;

/// The settings of a session, besides its connection.
#[derive(Clone)]
pub struct Rules {
    pub role: Role,
    pub times: Times,
    pub metrics: Arc<Metrics>,
}

/// A connection, and the line of its database's writers.
pub struct Opened {
    pub db: Connection,
    pub writers: Writers,
    /// Whether a query runs nothing else: no extension is loaded that could.
    pub has_plain_queries: bool,
    /// Whether its authorizer lets extensions only read.
    pub reading: Reading,
    /// Its feed of changes.
    pub feed: Arc<Feed>,
}

/// A session. Dropping it ends it.
#[derive(Debug)]
pub struct Session {
    jobs: SyncSender<Job>,
    /// Free slots in the queue of jobs.
    places: Arc<Semaphore>,
    control: Arc<Control>,
    thread: JoinHandle<()>,
}

impl Session {
    /// Start the thread, and open the connection there; `slot` is free again when the thread ends.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] where the system gives no thread.
    pub fn start(
        slot: Slot,
        rules: Rules,
        open: impl FnOnce() -> sqlite_sandbox::Result<Opened> + Send + 'static,
    ) -> Result<Self> {
        let runtime = Handle::current();
        let (jobs, queue) = sync_channel(QUEUE);
        let control = Arc::new(Control::new());
        let shared = control.clone();
        let thread = thread::Builder::new()
            .name("session".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let _slot = slot;
                let _open = rules.metrics.session();
                serve(&queue, &shared, &rules, runtime, open);
            })
            .map_err(|_| Error::Full)?;
        Ok(Self { jobs, places: Arc::new(Semaphore::new(QUEUE)), control, thread })
    }

    /// Run a closure on the session's thread, and return its result.
    ///
    /// # Errors
    ///
    /// Its own, and why the session is gone.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SessionConnection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, replied) = oneshot::channel();
        self.post(move |engine| {
            // If the client has disconnected, its reply is dropped.
            let _ = reply.send(work(engine));
        })
        .await?;
        replied.await.unwrap_or_else(|_| Err(self.control.why_gone()))
    }

    /// Run a closure on the session's thread, without waiting for it. A cursor that was closed may
    /// still be performed, so this waits for a slot in the queue.
    ///
    /// # Errors
    ///
    /// Why the session is gone.
    pub async fn post(
        &self,
        work: impl FnOnce(&mut SessionConnection) + Send + 'static,
    ) -> Result<()> {
        // It never closes. A session that ends drops its queue, and with it the slots.
        let place = self.places.clone().acquire_owned().await;
        let job = move |engine: &mut SessionConnection| {
            drop(place);
            work(engine);
        };
        self.jobs.try_send(Box::new(job)).map_err(|_| self.control.why_gone())
    }

    /// Controls the session from other threads.
    pub fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// Why it has ended on its own, if it has.
    pub fn ended(&self) -> Option<Ended> {
        self.control.ended()
    }

    /// Whether it has ended: on its own, or because its sandbox has trapped.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.control.cancel();
    }
}

fn serve(
    queue: &Receiver<Job>,
    control: &Arc<Control>,
    rules: &Rules,
    runtime: Handle,
    open: impl FnOnce() -> sqlite_sandbox::Result<Opened>,
) {
    let opened = open().map_err(Error::from);
    let opened = opened
        .and_then(|opened| SessionConnection::new(opened, rules.clone(), control.clone(), runtime));
    match opened {
        Ok(mut engine) => serve_requests(queue, control, &mut engine),
        Err(error) => control.fail(error),
    }
}

fn serve_requests(queue: &Receiver<Job>, control: &Control, engine: &mut SessionConnection) {
    while !control.is_cancelled() && !engine.is_gone() {
        let (patience, then) = engine.patience();
        match queue.recv_timeout(patience) {
            Ok(job) => job(engine),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                control.end(then);
                return;
            }
        }
    }
}
