//! The wal-index of a database in WAL mode: shared memory that the host maps over memory of ours.

use wire::code;

use crate::ffi::libc::{ReservedMemory, UNIT_BYTES};
use crate::host::files::{ErrorCode, File};
use crate::host::shared_memory::{self, ShmState};
use crate::result_code::Code;

/// One connection's view of the wal-index.
pub struct WalIndex {
    file: File,
    state: ShmState,
    /// Where each unit of the file is mapped. The host unmaps them, by `shm-close` or `close`,
    /// before they are freed.
    units: Vec<ReservedMemory>,
}

/// A region of the wal-index, as xShmMap returns it.
pub struct Region {
    /// Where it is; null when it does not exist.
    pub address: *mut u8,
    /// It can only be read.
    pub read_only: bool,
}

impl WalIndex {
    /// The wal-index of the database `file`; `read_only` when it must not be written.
    pub fn open(file: File, read_only: bool) -> Result<Self, Code> {
        let state = opened(file, read_only)?;
        Ok(Self { file, state, units: Vec::new() })
    }

    /// The region at index `number`, of `bytes` bytes. With `extend` it is created if it does not
    /// exist.
    pub fn region(&mut self, number: usize, bytes: usize, extend: bool) -> Result<Region, Code> {
        if self.state == ShmState::Unattended {
            self.state = opened(self.file, true)?;
        }
        if self.state == ShmState::Unattended {
            return Err(Code(code::READONLY_CANTINIT));
        }
        let read_only = self.state == ShmState::ReadOnly;
        let (start, end) = (number * bytes, (number + 1) * bytes);
        let unit = start / UNIT_BYTES;
        if (end - 1) / UNIT_BYTES != unit {
            return Err(Code(code::IOERR_SHMMAP));
        }
        let exists = shared_memory::shm_reach(self.file, end as u64, extend)
            .map_err(|_| Code(code::IOERR_SHMSIZE))?;
        if !exists {
            return Ok(Region { address: std::ptr::null_mut(), read_only });
        }
        while self.units.len() <= unit {
            self.map_next()?;
        }
        Ok(Region { address: self.units[unit].at(start % UNIT_BYTES), read_only })
    }

    fn map_next(&mut self) -> Result<(), Code> {
        let memory = ReservedMemory::new(UNIT_BYTES).ok_or(Code(code::IOERR_NOMEM))?;
        let offset = self.units.len() * UNIT_BYTES;
        shared_memory::shm_map(self.file, offset as u64, memory.as_list())
            .map_err(|_| Code(code::IOERR_SHMMAP))?;
        self.units.push(memory);
        Ok(())
    }
}

/// Open it, or look again whether it can be used.
fn opened(file: File, read_only: bool) -> Result<ShmState, Code> {
    match shared_memory::shm_open(file, read_only) {
        Ok(ShmState::Busy) => Err(Code(code::BUSY)),
        Ok(state) => Ok(state),
        Err(ErrorCode::Io) => Err(Code(code::IOERR_SHMOPEN)),
        Err(_) => Err(Code(code::CANTOPEN)),
    }
}
