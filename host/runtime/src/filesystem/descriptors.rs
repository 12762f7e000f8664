//! Descriptors of files that are written.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// The smallest descriptor of such a file: SQLite's `SQLITE_MINIMUM_FILE_DESCRIPTOR`. A process
/// whose standard streams are closed gets descriptors 0 to 2 for other files, and what it prints
/// would overwrite them.
const FIRST: RawFd = 3;

/// The same file with a descriptor that belongs to no standard stream.
///
/// # Errors
///
/// When the process has no descriptor left.
pub fn above_streams(opened: OwnedFd) -> rustix::io::Result<OwnedFd> {
    match opened.as_raw_fd() {
        FIRST.. => Ok(opened),
        _ => rustix::io::fcntl_dupfd_cloexec(&opened, FIRST),
    }
}
