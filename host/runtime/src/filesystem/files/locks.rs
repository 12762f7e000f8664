//! SQLite's locking protocol on the bytes of a file, as the native unix VFS
//! has it (`os_unix.c`, `unixLock`), so that other programs stand against us.
//!
//! The locks belong to the open file description (`F_OFD_SETLK`) and not to
//! the process: they conflict with the native VFS's process locks, and with
//! each other when one process opens a file twice, and closing one of the
//! two does not drop the locks of the other.

use std::fs::File;
use std::io;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc::{F_RDLCK, F_UNLCK, F_WRLCK, SEEK_SET, flock};

use crate::contract::bindings::sqlite_wasm::host::files::LockLevel;

/// SQLite's `PENDING_BYTE`: 1 GiB, where no page holds content.
const PENDING_BYTE: i64 = 0x4000_0000;
/// SQLite's `RESERVED_BYTE`.
const RESERVED_BYTE: i64 = PENDING_BYTE + 1;
/// SQLite's `SHARED_FIRST`.
const SHARED_FIRST: i64 = PENDING_BYTE + 2;
/// SQLite's `SHARED_SIZE`.
const SHARED_SIZE: i64 = 510;

/// The outcome of a request for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The lock is held.
    Held,
    /// Another connection holds a conflicting lock.
    Busy,
}

/// The lock that one open file holds.
#[derive(Debug)]
pub struct Lock {
    level: LockLevel,
}

impl Lock {
    /// Nothing is held.
    pub fn none() -> Self {
        Self { level: LockLevel::None }
    }

    /// The locks that are held.
    pub fn level(&self) -> LockLevel {
        self.level
    }

    /// Raise the lock on `file` to `wanted`.
    pub fn raise(&mut self, file: &File, wanted: LockLevel) -> io::Result<Outcome> {
        if rank(self.level) >= rank(wanted) {
            return Ok(Outcome::Held);
        }
        let outcome = match wanted {
            LockLevel::Shared => shared(file)?,
            LockLevel::Reserved => set(file, F_WRLCK, RESERVED_BYTE, 1)?,
            LockLevel::Pending => set(file, F_WRLCK, PENDING_BYTE, 1)?,
            LockLevel::Exclusive => self.exclusive(file)?,
            LockLevel::None => Outcome::Held,
        };
        if outcome == Outcome::Held {
            self.level = wanted;
        }
        Ok(outcome)
    }

    /// A reader's recovery goes from SHARED to EXCLUSIVE without PENDING; a
    /// writer takes PENDING first and keeps it when readers are still there.
    fn exclusive(&mut self, file: &File) -> io::Result<Outcome> {
        if self.level == LockLevel::Reserved {
            if set(file, F_WRLCK, PENDING_BYTE, 1)? == Outcome::Busy {
                return Ok(Outcome::Busy);
            }
            self.level = LockLevel::Pending;
        }
        set(file, F_WRLCK, SHARED_FIRST, SHARED_SIZE)
    }

    /// Lower the lock on `file` to `wanted`: SHARED or nothing.
    pub fn lower(&mut self, file: &File, wanted: LockLevel) -> io::Result<()> {
        if rank(self.level) <= rank(wanted) {
            return Ok(());
        }
        if rank(self.level) > rank(LockLevel::Shared) {
            if wanted == LockLevel::Shared {
                set(file, F_RDLCK, SHARED_FIRST, SHARED_SIZE)?;
            }
            // PENDING and RESERVED, which are neighbours.
            set(file, F_UNLCK, PENDING_BYTE, 2)?;
        }
        if wanted == LockLevel::None {
            // Length 0 is the whole file.
            set(file, F_UNLCK, 0, 0)?;
        }
        self.level = wanted;
        Ok(())
    }

    /// Whether anybody holds RESERVED or more.
    pub fn is_reserved(&self, file: &File) -> io::Result<bool> {
        if rank(self.level) > rank(LockLevel::Shared) {
            return Ok(true);
        }
        Ok(holder(file, F_WRLCK, RESERVED_BYTE, 1)? != F_UNLCK)
    }
}

/// PENDING is held for the moment, so that readers cannot starve a writer.
fn shared(file: &File) -> io::Result<Outcome> {
    if set(file, F_RDLCK, PENDING_BYTE, 1)? == Outcome::Busy {
        return Ok(Outcome::Busy);
    }
    let outcome = set(file, F_RDLCK, SHARED_FIRST, SHARED_SIZE);
    set(file, F_UNLCK, PENDING_BYTE, 1)?;
    outcome
}

/// The lock of another connection that conflicts with one of `kind` on this range:
/// `F_RDLCK`, `F_WRLCK`, or `F_UNLCK` for none.
pub(super) fn holder(file: &File, kind: i32, start: i64, length: i64) -> io::Result<i32> {
    let mut range = range(kind, start, length);
    fcntl(file, FcntlArg::F_OFD_GETLK(&mut range))?;
    Ok(range.l_type.into())
}

/// Set a lock of `kind` on a range: `F_RDLCK`, `F_WRLCK`, or `F_UNLCK` for none.
pub(super) fn set(file: &File, kind: i32, start: i64, length: i64) -> io::Result<Outcome> {
    match fcntl(file, FcntlArg::F_OFD_SETLK(&range(kind, start, length))) {
        Ok(_) => Ok(Outcome::Held),
        // The errors that `os_unix.c` treats as BUSY.
        Err(
            Errno::EACCES
            | Errno::EAGAIN
            | Errno::ETIMEDOUT
            | Errno::EBUSY
            | Errno::EINTR
            | Errno::ENOLCK,
        ) => Ok(Outcome::Busy),
        Err(error) => Err(error.into()),
    }
}

fn range(kind: i32, start: i64, length: i64) -> flock {
    // `l_pid` must be 0 for locks of an open file description.
    flock {
        l_type: kind as i16,
        l_whence: SEEK_SET as i16,
        l_start: start,
        l_len: length,
        l_pid: 0,
    }
}

fn rank(level: LockLevel) -> u8 {
    level as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twice() -> (tempfile::NamedTempFile, File) {
        let first = tempfile::NamedTempFile::new().unwrap();
        let second = File::options().read(true).write(true).open(first.path()).unwrap();
        (first, second)
    }

    #[test]
    fn readers_share_and_a_writer_waits_with_pending() {
        let (a, b) = twice();
        let (mut one, mut two) = (Lock::none(), Lock::none());
        assert_eq!(one.raise(a.as_file(), LockLevel::Shared).unwrap(), Outcome::Held);
        assert_eq!(two.raise(&b, LockLevel::Shared).unwrap(), Outcome::Held);
        assert_eq!(one.raise(a.as_file(), LockLevel::Reserved).unwrap(), Outcome::Held);
        assert!(two.is_reserved(&b).unwrap());
        assert_eq!(two.raise(&b, LockLevel::Reserved).unwrap(), Outcome::Busy);
        assert_eq!(one.raise(a.as_file(), LockLevel::Exclusive).unwrap(), Outcome::Busy);
        assert_eq!(one.level(), LockLevel::Pending);
        two.lower(&b, LockLevel::None).unwrap();
        // PENDING keeps new readers out.
        assert_eq!(two.raise(&b, LockLevel::Shared).unwrap(), Outcome::Busy);
        assert_eq!(one.raise(a.as_file(), LockLevel::Exclusive).unwrap(), Outcome::Held);
        one.lower(a.as_file(), LockLevel::Shared).unwrap();
        assert_eq!(two.raise(&b, LockLevel::Shared).unwrap(), Outcome::Held);
        assert!(!two.is_reserved(&b).unwrap());
    }

    #[test]
    fn closing_one_handle_keeps_the_locks_of_another() {
        let (a, b) = twice();
        let mut one = Lock::none();
        one.raise(a.as_file(), LockLevel::Shared).unwrap();
        one.raise(a.as_file(), LockLevel::Reserved).unwrap();
        drop(File::open(a.path()).unwrap());
        assert!(Lock::none().is_reserved(&b).unwrap());
    }
}
