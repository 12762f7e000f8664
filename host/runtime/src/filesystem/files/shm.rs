//! The shared memory of a database in WAL mode: the file `-shm` next to it, with
//! the lock bytes and the rules of the native unix VFS (`os_unix.c`,
//! `unixOpenSharedMemory`, `unixLockSharedMemory`, `unixShmMap`, `unixShmLockKind`).
//!
//! Each connection opens the file separately. The locks belong to the open file description, so two
//! connections of one process exclude each other as two processes do, and no locks need be counted
//! here.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use nix::libc::{F_RDLCK, F_UNLCK, F_WRLCK};

use super::locks::{Outcome, holder, set};
use super::open::{open_shared_memory, remove};
use crate::contract::bindings::sqlite_wasm::host::files::ErrorCode;
use crate::contract::bindings::sqlite_wasm::host::shared_memory::{ShmLockKind, ShmState};
use crate::filesystem::forks::Held;
use crate::filesystem::grants::{Access, Grants, Place};
use crate::filesystem::mapping::Mapping;

/// SQLite's `UNIX_SHM_BASE`: the first byte for locks, behind the wal-index's
/// header.
const LOCKS_START: u32 = 120;
/// SQLite's `SQLITE_SHM_NLOCK`.
const LOCK_COUNT: u32 = 8;
/// SQLite's `UNIX_SHM_DMS`, the dead man's switch: every connection that has the
/// file open holds it, so that the first one knows that it is the first.
const ATTENDED: i64 = (LOCKS_START + LOCK_COUNT) as i64;

/// The size to which the first connection truncates the file: less than a header, and not 0, so
/// that a user sees that SQLite did it.
const CUT_BYTES: u64 = 3;

/// A byte is written for each of these when the file grows, so that the disk
/// is found full now and not when the memory is touched.
const STEP_BYTES: u64 = 4096;

/// Longest wal-index, in bytes: for a WAL of half a terabyte. The component
/// chooses the size, and the host writes to each page of it in one call.
const MAX_BYTES: u64 = 1 << 30;

/// One connection's view of the shared memory.
pub struct Shm {
    _held: Held,
    file: File,
    place: Place<'static>,
    read_only: bool,
    attended: bool,
    maps: Vec<Mapping>,
}

impl Shm {
    /// Open the shared memory of the database at `place`. None if another connection is creating it
    /// at this moment.
    pub fn open(
        grants: &Grants,
        database: &Place<'_>,
        read_only: bool,
    ) -> Result<Option<Self>, ErrorCode> {
        let place = grants.beside(database, "-shm")?;
        let (file, read_only) = open_shared_memory(grants, &place, read_only)?;
        let _held = Held::new(&file);
        let mut shm = Self { _held, file, place, read_only, attended: false, maps: Vec::new() };
        let outcome = shm.attend().map_err(|_| ErrorCode::Io)?;
        Ok((outcome == Outcome::Held).then_some(shm))
    }

    /// Remove the file, where it may be written.
    pub fn remove(&self) {
        if !self.read_only && self.place.access == Access::ReadWrite {
            // A file that stays does no harm: the next connection empties it.
            let _ = remove(&self.place);
        }
    }

    /// The access to it.
    pub fn state(&self) -> ShmState {
        match (self.read_only, self.attended) {
            (false, _) => ShmState::Writable,
            (true, true) => ShmState::ReadOnly,
            (true, false) => ShmState::Unattended,
        }
    }

    /// Whether it can be written.
    pub fn is_writable(&self) -> bool {
        !self.read_only
    }

    /// Hold the dead man's switch. The first one to do so empties the file: it
    /// may be from before a crash of the machine. A connection that can only
    /// read must leave it, and may not trust it then.
    pub fn attend(&mut self) -> io::Result<Outcome> {
        if self.attended {
            return Ok(Outcome::Held);
        }
        match holder(&self.file, F_WRLCK, ATTENDED, 1)? {
            F_UNLCK if self.read_only => return Ok(Outcome::Held),
            F_UNLCK => {
                if set(&self.file, F_WRLCK, ATTENDED, 1)? == Outcome::Busy {
                    return Ok(Outcome::Busy);
                }
                self.file.set_len(CUT_BYTES)?;
            }
            F_WRLCK => return Ok(Outcome::Busy),
            _ => {}
        }
        let outcome = set(&self.file, F_RDLCK, ATTENDED, 1)?;
        self.attended = outcome == Outcome::Held;
        Ok(outcome)
    }

    /// Whether the file has `bytes`; with `extend` it is made to.
    pub fn reach(&self, bytes: u64, extend: bool) -> io::Result<bool> {
        let size = self.file.metadata()?.len();
        if size >= bytes || !extend {
            return Ok(size >= bytes);
        }
        if bytes > MAX_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        for step in size / STEP_BYTES..bytes.div_ceil(STEP_BYTES) {
            self.file.write_all_at(&[0], step * STEP_BYTES + STEP_BYTES - 1)?;
        }
        Ok(true)
    }

    /// The file, to be mapped.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Keep a mapping until the memory is closed.
    pub fn keep(&mut self, mapping: Mapping) {
        self.maps.push(mapping);
    }

    /// The mappings.
    pub fn maps(&self) -> &[Mapping] {
        &self.maps
    }

    /// Take or release `count` locks, beginning with the one at index `first`.
    pub fn lock(&self, first: u32, count: u32, how: ShmLockKind) -> Result<Outcome, ErrorCode> {
        let in_range = first < LOCK_COUNT && (1..=LOCK_COUNT - first).contains(&count);
        if !in_range || (how == ShmLockKind::Shared && count != 1) {
            return Err(ErrorCode::Invalid);
        }
        let kind = match how {
            ShmLockKind::Shared => F_RDLCK,
            ShmLockKind::Exclusive => F_WRLCK,
            ShmLockKind::None => F_UNLCK,
        };
        // As in `os_unix.c`, a lock that cannot be had is one that somebody has.
        let outcome = set(&self.file, kind, (LOCKS_START + first).into(), count.into());
        Ok(outcome.unwrap_or(Outcome::Busy))
    }

    /// Whether some other connection reads from the WAL.
    pub fn has_reader(&self) -> io::Result<bool> {
        // Locks 3 to 7 are the readers'.
        let found = holder(&self.file, F_WRLCK, i64::from(LOCKS_START) + 3, 5)?;
        Ok(found != F_UNLCK)
    }

    /// Whether some other connection has it open.
    pub fn is_shared(&self) -> bool {
        holder(&self.file, F_WRLCK, ATTENDED, 1).is_ok_and(|found| found != F_UNLCK)
    }

    /// The mappings, to be released.
    pub fn into_maps(self) -> Vec<Mapping> {
        self.maps
    }
}
