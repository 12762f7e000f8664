//! Files and directories that belong to this user alone, or to those who could
//! replace this program anyway.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail, ensure};

use crate::words::escape::escaped;

/// This process's program, whatever its name leads to by now.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

/// The permission of the group to write.
const GROUP_WRITES: u32 = 0o020;

/// The permission of everybody to write.
pub const EVERYBODY_WRITES: u32 = 0o002;

/// The permissions of other users to write.
pub const OTHERS_WRITE: u32 = 0o022;

/// In a directory with it, only its owner and that of an entry can rename or remove the entry.
const STICKY: u32 = 0o1000;

/// All permissions of other users.
pub const OTHERS: u32 = 0o077;

/// How long a pipe, such as a shell's `<(…)`, may take to deliver a file of the operator.
const PIPE_TIME: Duration = Duration::from_secs(10);

/// How long to wait for more of a pipe at a time.
const PIPE_PAUSE: Duration = Duration::from_millis(5);

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
    Ok(has_trusted_owner(found)? && has_trusted_writers(found)?)
}

fn has_trusted_owner(found: &Metadata) -> io::Result<bool> {
    let program = fs::metadata(THIS_PROGRAM)?;
    let owners = [0, program.uid(), nix::unistd::geteuid().as_raw()];
    Ok(owners.contains(&found.uid()))
}

fn has_trusted_writers(found: &Metadata) -> io::Result<bool> {
    let program = fs::metadata(THIS_PROGRAM)?;
    let group_writes = |file: &Metadata| file.mode() & GROUP_WRITES != 0;
    let is_programs_group = group_writes(&program) && found.gid() == program.gid();
    Ok(found.mode() & EVERYBODY_WRITES == 0 && (is_programs_group || !group_writes(found)))
}

/// A directory above the opened file or directory in which others can replace an entry; `None` if
/// there is no such directory. In a sticky one, such as `/tmp`, they cannot. The owner of a
/// directory above this program could replace the program, too. An open file without a path, such
/// as a pipe of the shell, is in no directory.
///
/// # Errors
///
/// The system's.
pub fn replaceable_in(opened: &impl AsRawFd) -> io::Result<Option<PathBuf>> {
    let path = fs::read_link(format!("/proc/self/fd/{}", opened.as_raw_fd()))?;
    if !path.is_absolute() {
        return Ok(None);
    }
    let program = fs::read_link(THIS_PROGRAM)?;
    let owners: Vec<_> =
        program.ancestors().filter_map(|above| Some(above.metadata().ok()?.uid())).collect();
    for above in path.ancestors().skip(1) {
        let found = above.symlink_metadata()?;
        let has_owner = owners.contains(&found.uid()) || has_trusted_owner(&found)?;
        let is_sticky = found.mode() & STICKY != 0;
        if !has_owner || !(is_sticky || has_trusted_writers(&found)?) {
            return Ok(Some(above.to_owned()));
        }
    }
    Ok(None)
}

/// The text of a file that decides who may do what: of users, grants or keys. Who could change it is
/// decided on the opened file; a named pipe that nobody writes to does not block.
///
/// # Errors
///
/// Where somebody else owns the file or may write it, where it is longer than `most` bytes, and
/// where it cannot be read.
pub fn read_trusted(path: &Path, most: u64) -> Result<String> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits();
    let file = OpenOptions::new().read(true).custom_flags(nonblocking as i32).open(path)?;
    let found = file.metadata()?;
    let is_pipe = found.file_type().is_fifo();
    ensure!(found.is_file() || is_pipe, "it is not a file");
    ensure!(
        is_trusted(&found)?,
        "others own it or may write it; `chown` it to yourself and `chmod 600` it"
    );
    if let Some(above) = replaceable_in(&file)? {
        bail!("others own `{}` or may write it, and could replace the file", escaped(&above));
    }
    let mut bytes = Vec::new();
    if is_pipe {
        read_pipe(file.take(most + 1), &mut bytes)?;
    } else {
        file.take(most + 1).read_to_end(&mut bytes)?;
    }
    ensure!(bytes.len() as u64 <= most, "it is longer than {most} bytes");
    Ok(String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))?)
}

/// What is wrong with such a text, in one line; the library's own message shows the position in several.
pub fn wrong_toml(text: &str, error: &toml::de::Error) -> anyhow::Error {
    let before = error.span().and_then(|place| text.get(..place.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    // It quotes names from the file.
    let message = error.message().replace('\n', ", ");
    let parts: Vec<_> = message.split('`').map(|part| escaped(part).to_string()).collect();
    anyhow!("line {line}: {}", parts.join("`"))
}

fn read_pipe(mut pipe: io::Take<File>, bytes: &mut Vec<u8>) -> Result<()> {
    let end = Instant::now() + PIPE_TIME;
    loop {
        match pipe.read_to_end(bytes) {
            Ok(_) if bytes.is_empty() => bail!("nobody writes to this pipe"),
            Ok(_) => return Ok(()),
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error.into()),
            Err(_) if Instant::now() >= end => bail!("the pipe did not end within {PIPE_TIME:?}"),
            Err(_) => sleep(PIPE_PAUSE),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_others_may_change_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("users");
        fs::write(&path, "text").unwrap();
        let read = |mode| {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            read_trusted(&path, 4)
        };
        assert_eq!(read(0o600).unwrap(), "text");
        assert_eq!(read(0o644).unwrap(), "text");
        assert!(read(0o666).unwrap_err().to_string().contains("others"));
        fs::write(&path, "longer").unwrap();
        assert!(read_trusted(&path, 4).is_err());
        assert!(read_trusted(directory.path(), 4).is_err());
    }

    #[test]
    fn what_others_may_replace_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let (public, inner) = (directory.path().join("public"), directory.path().join("public/in"));
        fs::create_dir_all(&inner).unwrap();
        let path = inner.join("users");
        fs::write(&path, "text").unwrap();
        for (mode, is_read) in [(0o755, true), (0o777, false), (0o1777, true), (0o775, false)] {
            fs::set_permissions(&public, fs::Permissions::from_mode(mode)).unwrap();
            let read = read_trusted(&path, 4).map_err(|error| error.to_string());
            assert_eq!(read.is_ok(), is_read, "{mode:o} {read:?}");
            assert!(read.map_or_else(|error| error.contains("public` or may write it"), |_| true));
        }
        // What counts is where the file is, and not the name under which it was opened.
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        fs::set_permissions(&public, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(read_trusted(&link, 4).is_err());
    }

    #[test]
    fn a_pipe_without_a_writer_does_not_block() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        let mode = nix::sys::stat::Mode::from_bits_truncate(0o600);
        nix::unistd::mkfifo(&path, mode).unwrap();
        let error = read_trusted(&path, 4).unwrap_err().to_string();
        assert_eq!(error, "nobody writes to this pipe");
        let reader = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let mut writer = OpenOptions::new().write(true).open(&path).unwrap();
        io::Write::write_all(&mut writer, b"text").unwrap();
        let late = std::thread::spawn(move || {
            sleep(PIPE_PAUSE * 4);
            drop((writer, reader));
        });
        assert_eq!(read_trusted(&path, 4).unwrap(), "text");
        late.join().unwrap();
    }
}
