//! The connection of a client, read and written by the thread of its session.
//!
//! A thread that waits in `read` is woken by the client's bytes themselves; each hand-over from
//! one thread to another would cost about as much as a short statement.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::out::Out;
use super::transport::Transport;
use crate::feed::Woken;
use crate::feed::channels::Mailbox;
use crate::large::Room;
use crate::metrics::Metrics;
use crate::session::control::Control;

/// Bytes of a message at most; values are no longer than a reply by default.
pub const MAX_MESSAGE: usize = 16 << 20;

/// Bytes that are read at a time, and that stay allocated.
const CHUNK: usize = 32 << 10;

/// Bytes of a reply that are sent before its end.
const FULL: usize = 64 << 10;

/// How long a client may read nothing of a reply. In all, a statement waits as long for its
/// reader and a second for each [`MIN_RATE`] bytes: meanwhile it keeps its locks.
const STALL_TIME: Duration = Duration::from_secs(30);

/// How long one call of the system waits for the reader; then the limits are looked at.
const WRITE_TIME: Duration = Duration::from_millis(250);

/// How long a client has to read why its connection ends.
const FAREWELL_TIME: Duration = Duration::from_secs(1);

/// Bytes that a client reads in a second at least.
const MIN_RATE: u64 = 64 << 10;

/// How long the rest of a long message may take, for which others wait.
const LONG_TIME: Duration = Duration::from_secs(10);

/// The same of a row of COPY, which is as long as four messages.
const ROW_TIME: Duration = Duration::from_secs(40);

/// Bytes of an unfinished row of COPY that need no room: each connection has this many for a message.
const SMALL_ROW: usize = 64 << 10;

/// Why no next message follows.
#[derive(Debug, PartialEq, Eq)]
pub enum Gone {
    /// The client, or a broken connection.
    Closed,
    /// It took too long.
    Late,
    /// A message is too long.
    TooLong,
    /// Too many others send long messages: this one, with its type, was not kept. The connection
    /// goes on.
    Busy(u8),
    /// The client has sent nothing, and there is something to tell it. The connection goes on.
    Called,
}

/// Room for a message of this length, where there is some in time.
pub type Rooms = Box<dyn Fn(usize) -> Option<Room> + Send>;

/// What bounds the waits for a client that does not read.
pub struct Waiting {
    /// Its session.
    pub control: Arc<Control>,
    /// The time of a transaction, also of one that is a single statement.
    pub transaction: Duration,
}

/// A client's connection.
pub struct Stream {
    transport: Transport,
    /// What has been read, and where the next message begins.
    input: Vec<u8>,
    start: usize,
    end: usize,
    /// How long the socket waits now.
    wait: Option<Duration>,
    pub out: Out,
    /// What was sent since the last message of the client, and how long that took.
    sent: u64,
    sending: Duration,
    /// When all sending ends: the connection does.
    farewell: Option<Instant>,
    limits: Waiting,
    rooms: Rooms,
    metrics: Arc<Metrics>,
    /// For the message that was read last.
    room: Option<Room>,
    /// For what is kept of a row over several messages, and when that ends.
    row: Option<(Room, Instant)>,
    /// What may call the thread away from waiting for the next message.
    mailbox: Option<Arc<Mailbox>>,
}

impl Stream {
    /// # Errors
    ///
    /// The system's.
    pub fn new(
        transport: Transport,
        limits: Waiting,
        rooms: Rooms,
        metrics: Arc<Metrics>,
    ) -> io::Result<Self> {
        transport.plain().write_timeout(WRITE_TIME)?;
        transport.plain().keep_alive()?;
        let input = vec![0; CHUNK];
        let out = Out::default();
        let (sent, sending) = (0, Duration::ZERO);
        Ok(Self {
            transport,
            input,
            start: 0,
            end: 0,
            wait: None,
            out,
            sent,
            sending,
            farewell: None,
            limits,
            rooms,
            metrics,
            room: None,
            row: None,
            mailbox: None,
        })
    }

    /// Room for `bytes` bytes of a row that are kept while more of it is read; a small row needs none.
    ///
    /// # Errors
    ///
    /// [`Gone::Busy`] if none is left.
    pub fn hold_row(&mut self, bytes: usize) -> Result<(), Gone> {
        if bytes <= SMALL_ROW {
            self.row = None;
        } else if self.row.is_none() {
            let own = self.room.take().filter(Room::is_large);
            let room = own.or_else(|| (self.rooms)(bytes)).ok_or(Gone::Busy(b'd'))?;
            self.row = Some((room, Instant::now() + ROW_TIME));
        }
        Ok(())
    }

    /// Let a mailbox call the thread away from waiting for the next message.
    pub fn hear(&mut self, mailbox: Option<Arc<Mailbox>>) {
        self.mailbox = mailbox;
    }

    /// Wait for the client's bytes where it has begun no message, or for the mailbox.
    fn wait_for_call(&mut self, late: Instant) -> Result<(), Gone> {
        let Some(mailbox) = self.mailbox.as_ref().filter(|_| self.start == self.end) else {
            return Ok(());
        };
        if self.transport.has_read().map_err(|_| Gone::Closed)? {
            return Ok(());
        }
        match mailbox.bell.wait(self.transport.plain(), late) {
            Ok(Woken::ByBytes) => Ok(()),
            Ok(Woken::ByBell) => Err(Gone::Called),
            Ok(Woken::Late) => Err(Gone::Late),
            Err(_) => Err(Gone::Closed),
        }
    }

    /// The type and length of the next message, where that has arrived.
    fn head(&self) -> Option<(u8, u32)> {
        let head: &[u8; 5] = self.input[self.start..self.end].first_chunk()?;
        Some((head[0], u32::from_be_bytes([head[1], head[2], head[3], head[4]])))
    }

    /// The next message's type, if all of it has arrived.
    pub fn next_tag(&self) -> Option<u8> {
        let (tag, length) = self.head()?;
        (self.end - self.start > length as usize).then_some(tag)
    }

    /// Read the next message: its type, and its bytes into `body`. What waits to be sent is sent
    /// before this waits.
    pub fn read(&mut self, body: &mut Vec<u8>, patience: Duration) -> Result<u8, Gone> {
        let mut late = None;
        self.room = None;
        body.clear();
        body.shrink_to(CHUNK);
        self.shrink();
        loop {
            let length = match self.head() {
                None => 5,
                Some((_, length)) if !(4..=MAX_MESSAGE as u32).contains(&length) => {
                    return Err(Gone::TooLong);
                }
                Some((_, length)) => length as usize + 1,
            };
            if self.next_tag().is_some() {
                (self.sent, self.sending) = (0, Duration::ZERO);
                return Ok(self.take(body, length));
            }
            if late.is_none() {
                self.send().map_err(|_| Gone::Closed)?;
            }
            let row = self.row.as_ref().map(|(_, end)| *end);
            let end = late.get_or_insert_with(|| {
                let end = Instant::now() + patience;
                row.map_or(end, |row| row.min(end))
            });
            // Only what comes takes room, and not for long.
            let has_room = self.room.is_some() || row.is_some();
            if length > CHUNK && self.end - self.start >= CHUNK && !has_room {
                self.room = (self.rooms)(length);
                *end = (*end).min(Instant::now() + LONG_TIME);
                if self.room.is_none() {
                    let end = *end;
                    return Err(self.skip(length, end));
                }
            }
            let end = *end;
            self.fill(length, end)?;
        }
    }

    /// Read a message of this length to its end without keeping it.
    fn skip(&mut self, length: usize, late: Instant) -> Gone {
        let tag = self.input[self.start];
        let mut left = length - (self.end - self.start);
        while left > 0 {
            (self.start, self.end) = (0, 0);
            if let Err(gone) = self.fill(CHUNK, late) {
                return gone;
            }
            self.start = left.min(self.end);
            left -= self.start;
        }
        (self.sent, self.sending) = (0, Duration::ZERO);
        Gone::Busy(tag)
    }

    fn take(&mut self, body: &mut Vec<u8>, length: usize) -> u8 {
        let tag = self.input[self.start];
        body.extend_from_slice(&self.input[self.start + 5..self.start + length]);
        self.start += length;
        tag
    }

    /// Give the memory of a long message back.
    fn shrink(&mut self) {
        let rest = self.end - self.start;
        if rest == 0 || (self.input.len() > CHUNK && rest <= CHUNK) {
            self.input.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, rest);
            self.input.truncate(CHUNK);
            self.input.shrink_to(CHUNK);
        }
    }

    /// Read more of a message of this length. Memory grows with what arrives.
    fn fill(&mut self, length: usize, late: Instant) -> Result<(), Gone> {
        if self.start > 0 && self.end == self.input.len() {
            self.input.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == self.input.len() {
            let size = (self.input.len() * 2).min(length.max(CHUNK) + CHUNK);
            self.input.resize(size, 0);
        }
        self.wait_for_call(late)?;
        loop {
            let left = late.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Gone::Late);
            }
            self.wait_for(left).map_err(|_| Gone::Closed)?;
            match self.transport.read(&mut self.input[self.end..]) {
                Ok(0) => return Err(Gone::Closed),
                Ok(count) => {
                    self.end += count;
                    return Ok(());
                }
                Err(error) if is_early(&error) => {}
                Err(_) => return Err(Gone::Closed),
            }
        }
    }

    /// Let the socket wait no longer than this. It may wake up earlier, so that a time that
    /// passes needs no call of the system for each message.
    fn wait_for(&mut self, left: Duration) -> io::Result<()> {
        if self.wait.is_some_and(|wait| wait <= left && wait >= left / 8) {
            return Ok(());
        }
        let wait = (left / 2).max(Duration::from_millis(1));
        self.wait = Some(wait);
        self.transport.plain().read_timeout(wait)
    }

    /// Send what waits, if it is much.
    ///
    /// # Errors
    ///
    /// Where the client is gone, or does not read.
    pub fn send_if_full(&mut self) -> io::Result<()> {
        if self.out.0.len() >= FULL { self.send() } else { Ok(()) }
    }

    /// Send what waits.
    ///
    /// # Errors
    ///
    /// As [`Self::send_if_full`].
    pub fn send(&mut self) -> io::Result<()> {
        let mut out = std::mem::take(&mut self.out.0);
        if out.is_empty() {
            return Ok(());
        }
        self.metrics.replied(out.len());
        let mut rest = &out[..];
        while !rest.is_empty() {
            let count = self.transmit(|transport| transport.write(rest))?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.sent += count as u64;
            rest = &rest[count..];
            if !rest.is_empty() {
                self.check_pace()?;
            }
        }
        self.transmit(Transport::flush)?;
        out.clear();
        out.shrink_to(FULL);
        self.out.0 = out;
        Ok(())
    }

    /// Try again while the client reads nothing and may still begin to.
    fn transmit<T>(&mut self, work: impl Fn(&mut Transport) -> io::Result<T>) -> io::Result<T> {
        loop {
            let begun = Instant::now();
            let done = work(&mut self.transport);
            self.sending += begun.elapsed();
            match done {
                Err(error) if is_early(&error) => self.check_pace()?,
                done => return done,
            }
        }
    }

    /// Whether the client reads fast enough for the locks that its session has.
    fn check_pace(&self) -> io::Result<()> {
        let mut most = STALL_TIME + Duration::from_secs(self.sent / MIN_RATE);
        if self.limits.control.is_writing() {
            most = most.min(self.limits.transaction);
        }
        let is_over = match self.farewell {
            Some(end) => Instant::now() >= end,
            None => self.sending > most || self.limits.control.must_end(),
        };
        if is_over { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }

    /// Send what waits, if that takes no long time, and close.
    pub fn close(mut self) {
        self.farewell = Some(Instant::now() + FAREWELL_TIME);
        let _ = self.send();
        self.transport.close();
    }
}

/// Whether reading goes on: nothing has arrived yet.
fn is_early(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(error.kind(), Kind::WouldBlock | Kind::TimedOut | Kind::Interrupted)
}
