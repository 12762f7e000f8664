//! Files and directories that belong to this user alone, or to those who could
//! replace this program anyway.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;

/// This process's program, whatever its name leads to by now.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

/// The permission of the group to write.
const GROUP_WRITES: u32 = 0o020;

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

/// Whether nobody can write to the file or directory but users who could replace
/// this program: root, this user, and the program's owner and group. `pip`
/// leaves the group's permission to the umask, which lets a user's own group
/// write on Ubuntu. With an access control list its users count as the group,
/// since the owner has chosen them.
///
/// # Errors
///
/// The system's.
pub fn is_trusted(found: &Metadata) -> io::Result<bool> {
    let program = fs::metadata(THIS_PROGRAM)?;
    let owners = [0, program.uid(), nix::unistd::geteuid().as_raw()];
    let group_writes = |file: &Metadata| file.mode() & GROUP_WRITES != 0;
    let is_programs_group = group_writes(&program) && found.gid() == program.gid();
    Ok(owners.contains(&found.uid())
        && found.mode() & EVERYBODY_WRITES == 0
        && (is_programs_group || !group_writes(found)))
}
