//! An open file and its operations.

use std::fs;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat};
use rustix::io::{Errno, pread, retry_on_intr};

use super::budget::{Budget, Share};
use super::locks::{Lock, Outcome};
use super::open::sync_directory;
use super::shm::Shm;
use crate::contract::bindings::sqlite_wasm::host::files::LockLevel;
use crate::filesystem::forks::Held;
use crate::filesystem::grants::Place;
use crate::filesystem::mapping::Mapping;
use crate::filesystem::temporary;

/// Fill `bytes` from `offset` on, less only at the end of the file; how many there were.
pub(super) fn read(file: &fs::File, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < bytes.len() {
        match pread(file, &mut bytes[done..], offset.saturating_add(done as u64)) {
            Ok(0) => break,
            Ok(count) => done += count,
            // A pipe has no offsets: reading returns what comes next, as soon as something has
            // come.
            Err(Errno::SPIPE) => return Ok(retry_on_intr(|| rustix::io::read(file, &mut *bytes))?),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(done)
}

/// A file that a component has open.
pub struct File {
    _held: Held,
    file: Arc<fs::File>,
    lock: Lock,
    /// Where it was opened; `None` for a temporary file.
    place: Option<Place<'static>>,
    /// The first sync must reach the directory too.
    directory_unsynced: bool,
    /// The shared memory of a database in WAL mode.
    pub(super) shm: Option<Shm>,
    /// What a temporary file has of the component's budget for such.
    share: Option<Share>,
    /// Where the file appears in the component's memory.
    pub(super) maps: Vec<Mapping>,
}

impl File {
    /// A file opened at `place`.
    pub(super) fn at(place: Place<'_>, file: std::fs::File, directory_unsynced: bool) -> Self {
        Self { place: Some(place.into_owned()), directory_unsynced, ..Self::of(file) }
    }

    /// A file without a name, in the directory for such.
    pub(super) fn temporary() -> io::Result<Self> {
        temporary::file().map(Self::of)
    }

    /// A file without a name in the directory at `place`.
    pub(super) fn temporary_in(place: Place<'_>) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = openat(&place.dir, &*place.name, flags, Mode::empty())?;
        temporary::file_in(directory.as_fd()).map(Self::of)
    }

    /// With its size counted.
    pub(super) fn within(mut self, budget: Option<&Budget>) -> Self {
        self.share = budget.map(Share::of);
        self
    }

    pub(super) fn of(file: std::fs::File) -> Self {
        Self {
            _held: Held::new(&file),
            file: Arc::new(file),
            lock: Lock::none(),
            place: None,
            directory_unsynced: false,
            shm: None,
            share: None,
            maps: Vec::new(),
        }
    }

    /// For a read that is done later.
    pub(super) fn shared(&self) -> Arc<fs::File> {
        self.file.clone()
    }

    pub(super) fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.reach(offset.saturating_add(data.len() as u64))?;
        match self.file.write_all_at(data, offset) {
            // A pipe has no offsets.
            Err(error) if error.kind() == io::ErrorKind::NotSeekable => {
                (&*self.file).write_all(data)
            }
            written => written,
        }
    }

    pub(super) fn truncate(&self, size: u64) -> io::Result<()> {
        self.reach(size)?;
        self.file.set_len(size)?;
        self.share.iter().for_each(|share| share.shrink(size));
        Ok(())
    }

    /// It is to have at least this size: refused where that is too much for a temporary file.
    fn reach(&self, size: u64) -> io::Result<()> {
        self.share.as_ref().map_or(Ok(()), |share| share.reach(size))
    }

    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()?;
        if self.directory_unsynced {
            if let Some(place) = &self.place {
                sync_directory(place)?;
            }
            self.directory_unsynced = false;
        }
        Ok(())
    }

    pub(super) fn size(&self) -> io::Result<u64> {
        let status = fstat(&self.file)?;
        if FileType::from_raw_mode(status.st_mode) == FileType::Fifo {
            return Err(Errno::SPIPE.into());
        }
        Ok(status.st_size.try_into().unwrap_or_default())
    }

    pub(super) fn reserve(&self, size: u64) -> io::Result<()> {
        self.reach(size)?;
        let size = i64::try_from(size).map_err(|_| io::ErrorKind::FileTooLarge)?;
        Ok(nix::fcntl::posix_fallocate(&self.file, 0, size)?)
    }

    pub(super) fn lock(&mut self, level: LockLevel) -> io::Result<Outcome> {
        // Another process can lose its POSIX lock by closing any handle of the file. It
        // still has the shared memory open then, so that counts as a lock too.
        let raised = level == LockLevel::Exclusive && self.lock.level() != level;
        if raised && self.shm.as_ref().is_some_and(Shm::is_shared) {
            return Ok(Outcome::Busy);
        }
        self.lock.raise(&self.file, level)
    }

    pub(super) fn unlock(&mut self, level: LockLevel) -> io::Result<()> {
        self.lock.lower(&self.file, level)
    }

    pub(super) fn lock_level(&self) -> LockLevel {
        self.lock.level()
    }

    pub(super) fn is_reserved(&self) -> io::Result<bool> {
        self.lock.is_reserved(&self.file)
    }

    /// The file itself, to be mapped.
    pub(super) fn as_file(&self) -> &std::fs::File {
        &self.file
    }

    /// Where it was opened; `None` for a temporary file.
    pub(super) fn place(&self) -> Option<&Place<'static>> {
        self.place.as_ref()
    }

    /// Whether the path that this file was opened by now leads to another file, or to none.
    pub(super) fn has_moved(&self) -> bool {
        let Some(place) = &self.place else {
            return false;
        };
        let same = || -> Result<bool, Errno> {
            let there = statat(&place.dir, &*place.name, AtFlags::SYMLINK_NOFOLLOW)?;
            let here = fstat(&self.file)?;
            Ok((there.st_dev, there.st_ino) == (here.st_dev, here.st_ino))
        };
        !same().unwrap_or(false)
    }
}
