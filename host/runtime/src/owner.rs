//! Files and directories that belong to this user alone.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// This process's program, whatever its name leads to by now.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

/// The permission of everybody to write.
pub const EVERYBODY_WRITES: u32 = 0o002;

/// The permissions of other users to write.
pub const OTHERS_WRITE: u32 = 0o022;

/// All permissions of other users.
pub const OTHERS: u32 = 0o077;

/// Whether this user owns the file or directory, and its mode has none of the
/// permissions `others`.
pub fn is_private(metadata: &Metadata, others: u32) -> bool {
    metadata.uid() == nix::unistd::geteuid().as_raw() && metadata.mode() & others == 0
}
