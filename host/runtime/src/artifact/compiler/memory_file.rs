//! Memory files (`memfd_create`) that are sealed against changes.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::Errno;

use crate::filesystem::temporary;

/// A new memory file, still open for writing.
///
/// # Errors
///
/// When the system has none.
pub fn create(name: &str) -> io::Result<File> {
    // The second wall allows only memory files that can never be executed.
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    match memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL) {
        Err(Errno::INVAL) => before_linux_6_3(name, flags),
        created => Ok(created?.into()),
    }
}

/// The same where the kernel does not know that flag: behind the second wall an unnamed file, in
/// a directory that nothing can be executed in.
fn before_linux_6_3(name: &str, flags: MemfdFlags) -> io::Result<File> {
    match memfd_create(name, flags) {
        Err(Errno::NOSYS) => temporary::file(),
        created => Ok(created?.into()),
    }
}

/// A sealed file with these parts in sequence.
///
/// # Errors
///
/// When memory runs out.
pub fn with(name: &str, parts: &[&[u8]]) -> io::Result<File> {
    let mut file = create(name)?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    // A file that could not be sealed is safe too: only this process and the
    // helper have it.
    seal(&file);
    file.rewind()?;
    Ok(file)
}

/// Seal and read a file that a process, now ended, has written.
///
/// # Errors
///
/// When it cannot be read.
pub fn into_bytes(mut file: File) -> io::Result<Vec<u8>> {
    seal(&file);
    file.rewind()?;
    let size = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    let mut content = Vec::with_capacity(size);
    file.read_to_end(&mut content)?;
    Ok(content)
}

/// Seal a file. The kernel refuses while it holds a page itself, for example
/// while it scans memory.
fn seal(file: &File) -> bool {
    let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
    fcntl_add_seals(file, seals).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn a_sealed_file_cannot_be_changed() {
        let mut file = create("test").unwrap();
        file.write_all(b"abc").unwrap();
        if seal(&file) {
            assert!(file.write_at(b"x", 0).is_err() && file.set_len(1).is_err());
        }
        assert_eq!(into_bytes(file).unwrap(), b"abc");
        assert_eq!(into_bytes(with("test", &[b"a", b"bc"]).unwrap()).unwrap(), b"abc");
        // Control: an unsealed file can be changed.
        assert!(create("test").unwrap().write_at(b"x", 0).is_ok());
    }
}
