//! Batches whose results are sent while they are computed, over HTTP and WebSocket.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, timeout_at};

use super::batch::{Outcome, runs};
use super::encoding::Encoding;
use super::group::Group;
use super::perform::{Performer, bind, columns};
use super::request::{Batch, Stmt};
use super::response::{CursorEntry, Entry, StepBegin, StepEnd, StepError};
use crate::large::Room;
use crate::session::Session;
use crate::session::connection::SessionConnection;
use crate::session::control::Control;
use crate::session::error::{Error, Failure, Result};

/// Groups that wait for the network.
const GROUPS: usize = 4;

/// Begin a batch; its entries arrive in groups. A client that reads slowly holds the locks of a
/// statement, so the whole batch takes at most `time`, and not longer than its transaction.
///
/// # Errors
///
/// If the session has ended.
pub async fn start(
    session: &Session,
    performer: Performer,
    (batch, room): (Batch, Room),
    time: Duration,
) -> Result<Receiver<Group>> {
    let (groups, received) = channel(GROUPS);
    let end = Instant::now() + time;
    let control = session.control().clone();
    let out = Out { group: Group::default(), groups, runtime: Handle::current(), control, end };
    let mut running = Running { performer, out };
    let perform = move |engine: &mut SessionConnection| {
        running.perform(engine, &batch);
        drop(room);
    };
    session.post(perform).await?;
    Ok(received)
}

/// The destination of entries.
struct Out {
    group: Group,
    groups: Sender<Group>,
    runtime: Handle,
    control: Arc<Control>,
    end: Instant,
}

impl Out {
    fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        self.group.add(write);
        if self.group.is_full() { self.send() } else { Ok(()) }
    }

    fn entry(&mut self, encoding: Encoding, entry: Entry) -> Result<()> {
        self.add(|bytes| encoding.write(bytes, &CursorEntry::from(entry)))
    }

    /// Send the waiting entries, and wait if the client is slow.
    fn send(&mut self) -> Result<()> {
        let group = std::mem::take(&mut self.group);
        let end = self.control.transaction_end().map(Instant::from_std);
        let end = end.map_or(self.end, |end| end.min(self.end));
        let sent = async { timeout_at(end, self.groups.send(group)).await };
        let sent = self.runtime.block_on(sent);
        match sent {
            Ok(Ok(())) => Ok(()),
            _ => Err(Error::Cancelled),
        }
    }
}

struct Running {
    performer: Performer,
    out: Out,
}

impl Running {
    /// Perform all steps. If the client has disconnected, failures are not reported.
    fn perform(&mut self, engine: &mut SessionConnection, batch: &Batch) {
        if let Err(error) = self.perform_steps(engine, batch) {
            let _ = self.entry(Entry::Error(Failure::from(&error).into()));
        }
        let _ = self.out.send();
    }

    fn perform_steps(&mut self, engine: &mut SessionConnection, batch: &Batch) -> Result<()> {
        let mut outcomes = Vec::new();
        for (index, step) in (0..).zip(&batch.steps) {
            let runs = runs(step.condition.as_ref(), &outcomes, engine)?;
            outcomes.push(if runs {
                self.step(engine, index, &step.stmt)?
            } else {
                Outcome::Skipped
            });
        }
        Ok(())
    }

    fn step(&mut self, engine: &mut SessionConnection, index: u32, stmt: &Stmt) -> Result<Outcome> {
        match self.execute(engine, index, stmt) {
            Ok(end) => {
                self.entry(Entry::StepEnd(end))?;
                Ok(Outcome::Ok)
            }
            Err(Error::Cancelled) => Err(Error::Cancelled),
            Err(error) => {
                let error = Failure::from(&error).into();
                self.entry(Entry::StepError(StepError { step: index, error }))?;
                Ok(Outcome::Failed)
            }
        }
    }

    fn execute(
        &mut self,
        engine: &mut SessionConnection,
        step: u32,
        stmt: &Stmt,
    ) -> Result<StepEnd> {
        let sql = self.performer.sql(stmt)?;
        let encoding = self.performer.encoding;
        let wants_rows = stmt.want_rows.unwrap_or(true);
        let out = std::cell::RefCell::new(&mut self.out);
        let mut changes = engine.run(
            &sql,
            |statement| bind(statement, stmt),
            |statement| {
                let begin = Entry::StepBegin(StepBegin { step, cols: columns(statement)? });
                out.borrow_mut().entry(encoding, begin)
            },
            |row| {
                if !wants_rows {
                    return Ok(());
                }
                out.borrow_mut().add(|bytes| encoding.row_entry(bytes, row))
            },
        )?;
        changes.last_insert_rowid = engine.last_insert_rowid()?;
        Ok(changes.into())
    }

    fn entry(&mut self, entry: Entry) -> Result<()> {
        self.out.entry(self.performer.encoding, entry)
    }
}
