//! Opening files whose names come from anywhere.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Result, anyhow};

use crate::artifact::Unusable;

/// Open a file that may be anything.
///
/// # Errors
///
/// When it is not there, or not a plain file.
pub(crate) fn open(path: &Path) -> Result<File> {
    // A pipe that nobody writes would be waited for.
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
