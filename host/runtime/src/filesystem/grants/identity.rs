//! The identity of a file or directory: its device and inode.

use std::collections::BTreeMap;
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, Stat, fstat, statat};
use rustix::io::Result;

/// Largest depth of directories. Linux accepts no path that could be deeper.
const MAX_DEPTH: usize = 2048;

/// A file or directory of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// The identity of an open file.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn of(file: impl AsFd) -> Result<Self> {
        Ok(Self::from(&fstat(file)?))
    }

    /// Whether both are on the same file system.
    pub fn shares_device(self, other: Self) -> bool {
        self.device == other.device
    }
}

impl From<&Stat> for Identity {
    fn from(status: &Stat) -> Self {
        Self { device: status.st_dev, inode: status.st_ino }
    }
}

/// Directories and their parents, each read once: most grants and masks are
/// below the same few directories.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    parents: BTreeMap<Identity, Identity>,
}

impl Tree {
    /// The directories above `dir`, the nearest first. Stops at a directory
    /// whose parent this user cannot read, since no path leads through it.
    pub fn above(&mut self, dir: impl AsFd, identity: Identity) -> Vec<Identity> {
        let mut above = Vec::new();
        let mut child = identity;
        let mut way = String::from("..");
        while above.len() < MAX_DEPTH {
            let Some(parent) = self.parent(&dir, child, &way) else { break };
            // The root is its own parent.
            if parent == child {
                break;
            }
            above.push(parent);
            child = parent;
            way.push_str("/..");
        }
        above
    }

    fn parent(&mut self, dir: impl AsFd, child: Identity, way: &str) -> Option<Identity> {
        if let Some(parent) = self.parents.get(&child) {
            return Some(*parent);
        }
        let parent = Identity::from(&statat(dir, way, AtFlags::empty()).ok()?);
        self.parents.insert(child, parent);
        Some(parent)
    }
}
