//! Wakes a thread that waits for a client's bytes.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;

/// What wakes the thread of a session.
#[derive(Debug)]
pub struct Bell(OwnedFd);

impl Bell {
    /// # Errors
    ///
    /// Where there are too many open files.
    pub fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    pub fn ring(&self) {
        // It can only be full, and then it rings.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Wait until there is something to read: false where it rang before, or the time is over.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn wait(&self, source: &impl AsFd, until: Instant) -> io::Result<Woken> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let mut all = [PollFd::new(source, PollFlags::IN), PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut all, Some(&time(left))) {
                Err(Errno::INTR) => continue,
                done => done?,
            };
            let [has_bytes, rings] = all.map(|one| !one.revents().is_empty());
            if has_bytes {
                return Ok(Woken::ByBytes);
            }
            if rings {
                let _ = rustix::io::read(&self.0, &mut [0; 8]);
                return Ok(Woken::ByBell);
            }
            if left.is_zero() {
                return Ok(Woken::Late);
            }
        }
    }
}

/// What has ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    ByBytes,
    ByBell,
    Late,
}

fn time(left: Duration) -> Timespec {
    let seconds = i64::try_from(left.as_secs()).unwrap_or(i64::MAX);
    Timespec { tv_sec: seconds, tv_nsec: left.subsec_nanos().into() }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn bytes_come_before_the_bell_and_time_ends_the_wait() {
        let bell = Bell::new().unwrap();
        let (near, mut far) = UnixStream::pair().unwrap();
        let wait = |time| bell.wait(&near, Instant::now() + Duration::from_millis(time)).unwrap();
        assert_eq!(wait(5), Woken::Late);
        bell.ring();
        bell.ring();
        assert_eq!(wait(10_000), Woken::ByBell);
        assert_eq!(wait(0), Woken::Late);
        bell.ring();
        far.write_all(b"x").unwrap();
        assert_eq!(wait(10_000), Woken::ByBytes);
    }
}
