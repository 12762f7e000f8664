//! One granted directory.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use rustix::fs::{Mode, OFlags, open};

use super::access::Access;
use super::identity::Identity;
use super::kernel::is_kernels;
use super::rules::Mask;
use super::text::normal;
use crate::words::escape::escaped;

/// A directory that a component may reach.
#[derive(Debug, Clone)]
pub struct Grant {
    /// The directory of the host.
    pub host: PathBuf,
    /// Its name for the component: absolute, without `.` and `..`.
    pub guest: PathBuf,
    /// The access to it.
    pub access: Access,
    /// Only databases that are granted by name are accessible.
    pub(super) only_databases: bool,
    pub(super) dir: Arc<OwnedFd>,
    pub(super) identity: Identity,
    /// The directories above, the nearest first.
    pub(super) above: Vec<Identity>,
    /// The mask of the directory or of a directory above it.
    pub(super) mask: Option<Mask>,
    /// No entry below has different access, so the text of a path is enough.
    pub(super) is_plain: bool,
    /// Its own entries have rules.
    pub(super) has_rules: bool,
}

impl Grant {
    /// Grant the directory `host` under the name `guest`.
    ///
    /// # Errors
    ///
    /// When the directory does not exist or belongs to the kernel, or when
    /// `guest` is not absolute.
    pub fn open(host: &Path, guest: &Path, access: Access) -> Result<Self> {
        if !guest.is_absolute() {
            bail!("the name of a granted directory must be absolute: `{}`", escaped(guest));
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened =
            open(host, flags, Mode::empty()).and_then(|dir| Ok((Identity::of(&dir)?, dir)));
        let (identity, dir) =
            opened.with_context(|| format!("failed to open the directory `{}`", escaped(host)))?;
        if is_kernels(&dir)? {
            bail!(
                "failed to grant `{}`: it belongs to the kernel and holds no data; grant a directory of \
                 your files",
                escaped(host)
            );
        }
        Ok(Self {
            host: host.into(),
            guest: normal(guest),
            access,
            only_databases: false,
            dir: Arc::new(dir),
            identity,
            above: Vec::new(),
            mask: None,
            is_plain: true,
            has_rules: false,
        })
    }

    /// Whether the directory `host` is on a kernel file system such as `/proc`,
    /// and so cannot be granted.
    pub fn is_kernels(host: &Path) -> bool {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        open(host, flags, Mode::empty()).and_then(is_kernels).unwrap_or(false)
    }

    /// Grant only the databases of [`Grants::add_database`].
    #[must_use]
    pub fn only_databases(mut self) -> Self {
        self.only_databases = true;
        self
    }

    /// Whether the directory is granted, and not only databases in it.
    pub fn is_whole(&self) -> bool {
        !self.only_databases
    }

    /// The directory as it was opened.
    pub fn handle(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }

    /// The handle of the directory, for WASI's preopened directories.
    pub(crate) fn dir(&self) -> &Arc<OwnedFd> {
        &self.dir
    }

    /// The access including masks; none if the directory is hidden or not
    /// granted as a whole.
    pub(crate) fn as_directory(&self) -> Option<Access> {
        let is_open = self.mask != Some(Mask::Hidden) && !self.only_databases;
        is_open.then(|| self.effective_access())
    }

    pub(super) fn effective_access(&self) -> Access {
        if self.mask.is_some() { Access::ReadOnly } else { self.access }
    }
}
