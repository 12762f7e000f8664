//! Memory files (`memfd_create`) that are sealed against changes.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use anyhow::{Context, Result};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::Errno;

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
    // The second wall allows only memory files that can never be executed.
    // Kernels before 6.3 do not know the flag.
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    match memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL) {
        Err(Errno::INVAL) => Ok(memfd_create(name, flags)?.into()),
        created => Ok(created?.into()),
    }
}

impl Sealed {
    /// A sealed file with these parts in sequence.
    ///
    /// # Errors
    ///
    /// When memory runs out.
    pub fn of(name: &str, parts: &[&[u8]]) -> io::Result<Self> {
        let mut file = create(name)?;
        parts.iter().try_for_each(|part| file.write_all(part))?;
        // A file that could not be sealed is safe too: only this process and
        // the helper have it.
        Self::open(file).map(|(file, _)| file)
    }

    /// Seal a file that a process, now ended, has written. If that fails,
    /// returns the content: the kernel refuses while it holds a page itself,
    /// for example while it scans memory.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn seal(file: File) -> Result<std::result::Result<Self, Vec<u8>>> {
        match Self::open(file).context("failed to take the compiler's result")? {
            (sealed, true) => Ok(Ok(sealed)),
            (open, false) => Ok(Err(open.read()?)),
        }
    }

    /// Rewind the file and try to seal it; returns whether that succeeded.
    fn open(mut file: File) -> io::Result<(Self, bool)> {
        let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
        let is_sealed = fcntl_add_seals(&file, seals).is_ok();
        file.rewind()?;
        let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        Ok((Self { file, length }, is_sealed))
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
        let mut file = create("test").unwrap();
        file.write_all(b"abc").unwrap();
        let sealed = match Sealed::seal(file).unwrap() {
            Ok(sealed) => sealed,
            // The kernel was busy with it; a copy is as good.
            Err(content) => return assert_eq!(content, b"abc"),
        };
        assert_eq!(sealed.len(), 3);
        let handle = sealed.handle().unwrap();
        assert!(handle.write_at(b"x", 0).is_err() && handle.set_len(1).is_err());
        assert_eq!(sealed.read().unwrap(), b"abc");
        // Control: before it is sealed it can be.
        assert!(create("test").unwrap().write_at(b"x", 0).is_ok());
    }
}
