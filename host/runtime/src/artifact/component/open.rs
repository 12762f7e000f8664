//! Opening regular files without waiting.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Result, anyhow};

use crate::artifact::Unusable;

/// Open the regular file at `path` for reading.
///
/// # Errors
///
/// When the file does not exist or is not a regular file.
pub fn open(path: &Path) -> Result<File> {
    // Opening a pipe without a writer would block.
    let without_waiting = nix::libc::O_NONBLOCK;
    let file =
        File::options().read(true).custom_flags(without_waiting).open(path).map_err(|error| {
            anyhow!("failed to open it: {error}; check its name and permissions")
        })?;
    if !file.metadata()?.is_file() {
        return Err(Unusable::NotAFile.into());
    }
    Ok(file)
}
