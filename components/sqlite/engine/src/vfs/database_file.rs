//! One open file: SQLite's operations on it, with SQLite's result codes.

use std::ffi::c_int;

use libsqlite3_sys as sqlite;
use wire::code;

use crate::ffi::imports::read_into;
use crate::host::files::{self, LockLevel};
use crate::host::shared_memory::{self, ShmLockKind};
use crate::result_code::{Code, io_code};
use crate::vfs::mapped::Mapped;
use crate::vfs::wal_index::{Region, WalIndex};
use crate::vfs::wal_note::WalNote;

/// The host's handle for a file, which closes the file when it is dropped.
struct Descriptor(files::File);

impl Drop for Descriptor {
    fn drop(&mut self) {
        files::close(self.0);
    }
}

/// A file that SQLite has open.
pub struct DatabaseFile {
    // Closed before the memory below is freed, which it may be mapped to.
    file: Descriptor,
    /// The wal-index, once WAL mode is used.
    wal_index: Option<WalIndex>,
    /// `readonly_shm=1` in the name: the wal-index is not written.
    readonly_shm: bool,
    /// Where the file is mapped to.
    mapped: Mapped,
    /// `SQLITE_FCNTL_CHUNK_SIZE`: the file grows in steps of this many bytes; 0 for no steps.
    chunk_bytes: u64,
    /// `SQLITE_FCNTL_POWERSAFE_OVERWRITE`: writing a range does not harm the neighbouring bytes when
    /// power fails.
    powersafe_overwrite: bool,
    /// `SQLITE_FCNTL_PERSIST_WAL`: the WAL stays when the last connection ends.
    persist_wal: bool,
    /// False for temporary files and journals, which no other connection uses.
    lockable: bool,
    /// It can be mapped, and have a wal-index.
    shares_memory: bool,
    /// For a database that cannot.
    wal_note: Option<WalNote>,
}

/// What a read found.
pub enum Read {
    /// The buffer is full.
    Whole,
    /// The file ended; the rest of the buffer is zero.
    Short,
}

impl DatabaseFile {
    /// Take a file that was just opened. `lockable` is true for databases.
    pub fn new(file: files::File, lockable: bool) -> Self {
        Self {
            file: Descriptor(file),
            wal_index: None,
            readonly_shm: false,
            mapped: Mapped::default(),
            chunk_bytes: 0,
            powersafe_overwrite: true,
            persist_wal: false,
            lockable,
            shares_memory: false,
            wal_note: None,
        }
    }

    /// With parameters of the name: `psow` and `readonly_shm`.
    pub fn with_parameters(mut self, powersafe_overwrite: bool, readonly_shm: bool) -> Self {
        self.powersafe_overwrite = powersafe_overwrite;
        self.readonly_shm = readonly_shm;
        self
    }

    /// Where the host can map files into our memory.
    pub fn sharing_memory(mut self) -> Self {
        self.shares_memory = true;
        self
    }

    /// Where the host cannot: the database is at `path`.
    pub fn without_shared_memory(mut self, path: &[u8]) -> Self {
        self.wal_note = Some(WalNote::new(path));
        self
    }

    /// `SQLITE_FCNTL_PRAGMA`: SQLite is about to run one.
    pub fn note_pragma(&mut self, name: &str, value: &str) {
        if let Some(note) = &mut self.wal_note {
            note.pragma(name, value);
        }
    }

    /// Whether it can be mapped, and have a wal-index.
    pub fn shares_memory(&self) -> bool {
        self.shares_memory
    }

    /// Fill `buffer` from `offset` on.
    pub fn read(&mut self, buffer: &mut [u8], offset: u64) -> Result<Read, Code> {
        let count =
            read_into(self.file.0, offset, buffer).map_err(|e| io_code(e, code::IOERR_READ))?;
        if count == buffer.len() {
            if let (0, Some(note)) = (offset, &mut self.wal_note) {
                note.header(buffer);
            }
            return Ok(Read::Whole);
        }
        buffer[count..].fill(0);
        Ok(Read::Short)
    }

    /// Write all of `data` at `offset`.
    pub fn write(&self, data: &[u8], offset: u64) -> Result<(), Code> {
        files::write(self.file.0, offset, data).map_err(|e| io_code(e, code::IOERR_WRITE))
    }

    /// Set the size, rounded up to whole chunks.
    pub fn truncate(&mut self, size: u64) -> Result<(), Code> {
        let size = self.whole_chunks(size);
        files::truncate(self.file.0, size).map_err(|e| io_code(e, code::IOERR_TRUNCATE))?;
        self.mapped.cut(size);
        Ok(())
    }

    /// Return when the content is on the device.
    ///
    /// SQLite's flags make no difference, as in the native unix VFS, which calls `fdatasync` for
    /// each of them.
    pub fn sync(&self) -> Result<(), Code> {
        files::sync(self.file.0).map_err(|e| io_code(e, code::IOERR_FSYNC))
    }

    /// The size in bytes.
    pub fn size(&self) -> Result<u64, Code> {
        files::size(self.file.0).map_err(|e| io_code(e, code::IOERR_FSTAT))
    }

    /// Raise the lock to one of SQLite's `SQLITE_LOCK_*` levels.
    pub fn lock(&self, level: c_int) -> Result<(), Code> {
        if !self.lockable {
            return Ok(());
        }
        match files::lock(self.file.0, lock_level(level)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Code(code::BUSY)),
            Err(e) => Err(io_code(e, code::IOERR_LOCK)),
        }
    }

    /// Lower the lock.
    pub fn unlock(&self, level: c_int) -> Result<(), Code> {
        if !self.lockable {
            return Ok(());
        }
        files::unlock(self.file.0, lock_level(level)).map_err(|e| io_code(e, code::IOERR_UNLOCK))
    }

    /// Whether some connection holds RESERVED or more.
    pub fn is_reserved(&self) -> Result<bool, Code> {
        if !self.lockable {
            return Ok(false);
        }
        files::is_reserved(self.file.0).map_err(|e| io_code(e, code::IOERR_CHECKRESERVEDLOCK))
    }

    /// The lock that the file holds, as `SQLITE_LOCK_*`.
    pub fn lock_state(&self) -> c_int {
        files::lock_state(self.file.0) as c_int
    }

    /// Whether the file's name no longer leads to it.
    pub fn has_moved(&self) -> bool {
        self.lockable && files::has_moved(self.file.0)
    }

    /// `SQLITE_FCNTL_CHUNK_SIZE`.
    pub fn set_chunk(&mut self, bytes: c_int) {
        self.chunk_bytes = bytes.max(0) as u64;
    }

    /// `SQLITE_FCNTL_SIZE_HINT`: the file will soon have `size` bytes.
    pub fn hint_size(&mut self, size: u64) -> Result<(), Code> {
        if self.chunk_bytes > 0 && self.size()? < size {
            files::reserve(self.file.0, self.whole_chunks(size))
                .map_err(|e| io_code(e, code::IOERR_WRITE))?;
        }
        if self.mapped.reaches(size) {
            return Ok(());
        }
        if self.chunk_bytes == 0 {
            files::truncate(self.file.0, size).map_err(|e| io_code(e, code::IOERR_TRUNCATE))?;
        }
        self.mapped.map(self.file.0, size);
        Ok(())
    }

    /// Read or set `SQLITE_FCNTL_POWERSAFE_OVERWRITE`.
    pub fn powersafe_overwrite(&mut self, value: &mut c_int) {
        read_or_set(&mut self.powersafe_overwrite, value);
    }

    /// Read or set `SQLITE_FCNTL_PERSIST_WAL`.
    pub fn persist_wal(&mut self, value: &mut c_int) {
        read_or_set(&mut self.persist_wal, value);
    }

    /// The wal-index's region `region`, of `bytes` bytes, and whether it can only be read. No
    /// region when it does not exist and is not to be made.
    pub fn shm_map(&mut self, region: usize, bytes: usize, extend: bool) -> Result<Region, Code> {
        let index = match &mut self.wal_index {
            Some(index) => index,
            none => none.insert(WalIndex::open(self.file.0, self.readonly_shm)?),
        };
        index.region(region, bytes, extend)
    }

    /// Take or release locks of the wal-index.
    pub fn shm_lock(&self, first: u32, count: u32, how: ShmLockKind) -> Result<(), Code> {
        match shared_memory::shm_lock(self.file.0, first, count, how) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Code(code::BUSY)),
            Err(_) => Err(Code(code::IOERR_SHMLOCK)),
        }
    }

    /// End the use of the wal-index; `delete` when no other connection uses it.
    pub fn shm_unmap(&mut self, delete: bool) {
        if self.wal_index.is_some() {
            shared_memory::shm_close(self.file.0, delete);
            self.wal_index = None;
        }
    }

    /// `SQLITE_FCNTL_EXTERNAL_READER`: whether others read from the WAL.
    pub fn has_reader(&self) -> Result<bool, Code> {
        if self.wal_index.is_none() {
            return Ok(false);
        }
        shared_memory::shm_has_reader(self.file.0).map_err(|e| io_code(e, code::IOERR_LOCK))
    }

    /// Where `bytes` bytes from `offset` on are mapped; null where they are not. What is there is
    /// used until [`Self::unfetch`].
    pub fn fetch(&mut self, offset: u64, bytes: usize) -> Result<*mut u8, Code> {
        if self.mapped.needs_map() {
            let size = self.size()?;
            self.mapped.map(self.file.0, size);
        }
        Ok(self.mapped.fetch(offset, bytes))
    }

    /// End a use that [`Self::fetch`] began.
    pub fn unfetch(&mut self) {
        self.mapped.unfetch();
    }

    /// The file may have changed its size.
    pub fn forget_map(&mut self) {
        self.mapped.forget();
    }

    /// `SQLITE_FCNTL_MMAP_SIZE`: set how much may be mapped, unless it is negative; what was set
    /// before.
    pub fn limit_map(&mut self, bytes: i64) -> i64 {
        self.mapped.limit(self.file.0, bytes)
    }

    /// `SQLITE_IOCAP_*` flags, the same as the native unix VFS's.
    pub fn device_characteristics(&self) -> c_int {
        let powersafe =
            if self.powersafe_overwrite { sqlite::SQLITE_IOCAP_POWERSAFE_OVERWRITE } else { 0 };
        powersafe | SQLITE_IOCAP_SUBPAGE_READ
    }

    fn whole_chunks(&self, size: u64) -> u64 {
        match self.chunk_bytes {
            0 => size,
            chunk => size.div_ceil(chunk) * chunk,
        }
    }
}

/// A flag in a file control: 0 and 1 set it, -1 reads it.
fn read_or_set(flag: &mut bool, value: &mut c_int) {
    match *value {
        0 => *flag = false,
        1.. => *flag = true,
        _ => *value = c_int::from(*flag),
    }
}

/// Part of a page may be read; sqlite3.h since 3.48.
const SQLITE_IOCAP_SUBPAGE_READ: c_int = 0x8000;

fn lock_level(level: c_int) -> LockLevel {
    match level {
        sqlite::SQLITE_LOCK_NONE => LockLevel::None,
        sqlite::SQLITE_LOCK_SHARED => LockLevel::Shared,
        sqlite::SQLITE_LOCK_RESERVED => LockLevel::Reserved,
        sqlite::SQLITE_LOCK_PENDING => LockLevel::Pending,
        _ => LockLevel::Exclusive,
    }
}
