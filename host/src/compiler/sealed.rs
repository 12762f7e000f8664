//! Memory with a descriptor, which nobody can change any more.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, RawFd};

use anyhow::{Context, Result};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

/// A memory file that is sealed.
#[derive(Debug)]
pub struct Sealed {
    file: File,
    length: usize,
}

/// A new memory file, still open for writing.
///
/// # Errors
///
/// When the system has none.
pub fn create(name: &str) -> io::Result<File> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    Ok(memfd_create(name, flags)?.into())
}

impl Sealed {
    /// These parts, one behind the other.
    ///
    /// # Errors
    ///
    /// When there is no memory.
    pub fn of(name: &str, parts: &[&[u8]]) -> io::Result<Self> {
        let mut file = create(name)?;
        parts.iter().try_for_each(|part| file.write_all(part))?;
        Self::seal(file)
    }

    /// Seal what another process has written.
    ///
    /// # Errors
    ///
    /// When somebody could still write it.
    pub fn seal(mut file: File) -> io::Result<Self> {
        fcntl_add_seals(
            &file,
            SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL,
        )?;
        file.rewind()?;
        let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        Ok(Self { file, length })
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Another handle of the same file, for the standard input of a process.
    ///
    /// # Errors
    ///
    /// When there is no descriptor left.
    pub fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// A copy of its content.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn read(mut self) -> Result<Vec<u8>> {
        let mut content = Vec::with_capacity(self.length);
        self.file.read_to_end(&mut content).context("failed to read the compiler's result")?;
        Ok(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn what_is_sealed_cannot_be_changed() {
        let sealed = Sealed::of("test", &[b"ab", b"c"]).unwrap();
        assert_eq!(sealed.len(), 3);
        let handle = sealed.handle().unwrap();
        assert!(handle.write_at(b"x", 0).is_err() && handle.set_len(1).is_err());
        assert_eq!(sealed.read().unwrap(), b"abc");
        // Control: before it is sealed it can be.
        assert!(create("test").unwrap().write_at(b"x", 0).is_ok());
    }
}
