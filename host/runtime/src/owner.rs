//! Files and directories that belong to this user alone.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// The permissions of other users to write.
pub const OTHERS_WRITE: u32 = 0o022;

/// All permissions of other users.
pub const OTHERS: u32 = 0o077;

/// Whether this user owns the file or directory, and its mode has none of the
/// permissions `others`.
pub fn is_private(metadata: &Metadata, others: u32) -> bool {
    metadata.uid() == nix::unistd::geteuid().as_raw() && metadata.mode() & others == 0
}
