//! The directories that a component may reach, and the resolution of its paths.
//!
//! Closed by default: without a grant a component reaches no file. Paths are
//! bytes. The host resolves each path itself, including links, to the handle of
//! a directory and one last name; the innermost granted directory of the path
//! decides its access. If one `openat2` proves that the path has no links, its
//! text decides; every other path is walked by handles ([`walk`]).

mod access;
mod grant;
mod identity;
mod kernel;
mod place;
mod rules;
#[cfg(test)]
mod tests;
mod text;
mod walk;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, stat, statat};
use rustix::io::Errno;

pub use access::{Access, LastLink};
pub use grant::Grant;
use identity::Identity;
pub use place::{Place, Refused};
use place::{is_link, open_plain};
pub use rules::Mask;
use rules::{Parent, Rules, Verdict};
pub use text::normal;
use text::{below, is_clean};
use walk::{Unknown, Walk};

use crate::words::escape::escaped;

/// All directories that a component may reach.
#[derive(Debug, Clone, Default)]
pub struct Grants {
    grants: Vec<Grant>,
    rules: Rules,
}

impl Grants {
    /// Add a directory. Of two grants with the same guest name the first one
    /// stays.
    pub fn add(&mut self, mut grant: Grant) {
        if self.grants.iter().any(|other| other.guest == grant.guest) {
            return;
        }
        grant.above = self.rules.tree.above(&grant.dir, grant.identity);
        self.grants.push(grant);
        // The longest name takes precedence, so it comes first.
        self.grants.sort_by_key(|grant| std::cmp::Reverse(grant.guest.as_os_str().len()));
        self.settle();
    }

    /// Add a directory that the user has named, by this name and by its real path.
    ///
    /// # Errors
    ///
    /// When it does not exist or belongs to the kernel.
    pub fn add_named(&mut self, path: &Path, access: Access) -> Result<()> {
        let real = fs::canonicalize(path)
            .with_context(|| format!("failed to grant `{}`", escaped(path)))?;
        self.add(Grant::open(&real, &std::path::absolute(path)?, access)?);
        self.add(Grant::open(&real, &real, access)?);
        Ok(())
    }

    /// Mask an absolute path, whether it exists or not: grants around it do not
    /// apply to it, and no directory above it can be moved away.
    pub fn mask(&mut self, path: &Path, mask: Mask) {
        self.mask_all([(path, mask)]);
    }

    /// Mask several paths.
    pub fn mask_all<'a>(&mut self, masks: impl IntoIterator<Item = (&'a Path, Mask)>) {
        let mut parent = Parent::default();
        for (path, mask) in masks {
            let whole = mask != Mask::Extensions || !self.begins_below(path);
            let mask = if whole { mask.max(Mask::ReadOnly) } else { mask };
            self.rules.mask(path, mask, &mut parent);
        }
        self.settle();
    }

    /// Whether a grant begins in this directory or below it.
    fn begins_below(&self, directory: &Path) -> bool {
        let Ok(status) = stat(directory) else { return false };
        let directory = Identity::from(&status);
        let mut grants = self.grants.iter();
        grants.any(|grant| grant.identity == directory || grant.above.contains(&directory))
    }

    /// Close the entries of the directory `home` that begin with a dot.
    pub fn hide_dotfiles(&mut self, home: &Path) {
        self.rules.hide_dotfiles(home);
        self.settle();
    }

    /// Add `grant`, and open the database `name` in its directory with its
    /// journals, even if other entries are closed.
    pub fn add_database(&mut self, grant: Grant, name: &OsStr) {
        self.allow_database(&grant, name);
        self.add(grant);
    }

    /// Open the database `name` in a directory that is granted already.
    pub fn allow_database(&mut self, grant: &Grant, name: &OsStr) {
        self.rules.allow_database(grant.identity, name.as_bytes());
    }

    /// The least access of the grants that contain the directory of `grant`;
    /// none if no grant does.
    pub fn around(&mut self, grant: &Grant) -> Option<Access> {
        if self.grants.is_empty() {
            return None;
        }
        let above = self.rules.tree.above(&grant.dir, grant.identity);
        let mut holders = self.grants.iter().filter(|other| !other.only_databases);
        let innermost = std::iter::once(&grant.identity).chain(&above).find_map(|directory| {
            holders.clone().filter(|other| other.identity == *directory).map(|g| g.access).min()
        });
        let by_name =
            holders.find(|other| below(grant.guest.as_os_str().as_bytes(), &other.guest).is_some());
        innermost.or(by_name.map(|other| other.access))
    }

    /// The grants, longest guest name first.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.grants.iter()
    }

    /// Update the facts about other grants and rules that each grant caches.
    fn settle(&mut self) {
        let others: Vec<_> = self.grants.iter().map(|g| (g.above.clone(), g.access)).collect();
        for grant in &mut self.grants {
            let itself = std::iter::once(&grant.identity);
            let masks = itself.chain(&grant.above).filter_map(|id| self.rules.of(*id));
            grant.mask = masks.max();
            let holds_less = |(above, access): &(Vec<Identity>, Access)| {
                *access < grant.access && above.contains(&grant.identity)
            };
            let is_root = grant.above.is_empty();
            grant.is_plain = !is_root
                && !self.rules.concern_below(grant.identity)
                && !others.iter().any(holds_less);
            grant.has_rules = grant.only_databases || self.rules.concern(grant.identity);
        }
    }

    fn mounted(&self, path: &[u8]) -> Option<&Grant> {
        let path = if path.is_empty() { b"/" } else { path };
        self.grants.iter().find(|grant| grant.guest.as_os_str().as_bytes() == path)
    }

    /// The access granted to a directory, whatever name leads to it.
    fn access_of(&self, directory: Identity) -> Option<Access> {
        let same = self.grants.iter().filter(|g| g.identity == directory && !g.only_databases);
        same.map(|grant| grant.access).min()
    }

    /// Resolve a path.
    ///
    /// # Errors
    ///
    /// [`Refused`].
    pub fn place<'a>(&self, path: &'a [u8], last: LastLink) -> Result<Place<'a>, Refused> {
        match self.plain_place(path)? {
            Some(place) if last == LastLink::Keep || !is_link(&place) => Ok(place),
            _ => Walk::from_root(self, Unknown::Refuse).along(path, last)?.into_place(),
        }
    }

    /// Resolve a path by its text, without following its last name. None if the
    /// text is not enough.
    pub fn plain_place<'a>(&self, path: &'a [u8]) -> Result<Option<Place<'a>>, Refused> {
        if !is_clean(path) {
            return Ok(None);
        }
        let found = self.grants.iter().find_map(|grant| Some((grant, below(path, &grant.guest)?)));
        let (grant, rest) = found.ok_or(Refused::NotGranted)?;
        if grant.mask == Some(Mask::Hidden) {
            return Err(Refused::NotGranted);
        }
        let Some(slash) = rest.iter().rposition(|byte| *byte == b'/') else {
            let place = self.in_grant(grant, rest)?;
            // The entry may be a directory with different access.
            return Ok((grant.is_plain || rest.is_empty()).then_some(place));
        };
        if !grant.is_plain || grant.only_databases {
            return Ok(None);
        }
        let first = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
        let access = self.in_grant(grant, first)?.access;
        match open_plain(&grant.dir, &rest[..slash]) {
            Ok(dir) => Ok(Some(Place {
                name: Cow::Borrowed(&rest[slash + 1..]),
                ..Place::directory(Arc::new(dir), access)
            })),
            Err(Errno::LOOP | Errno::XDEV | Errno::AGAIN | Errno::NOSYS | Errno::PERM) => Ok(None),
            Err(error) => Err(Refused::System(error)),
        }
    }

    /// Resolve an entry of the granted directory itself.
    fn in_grant<'a>(&self, grant: &Grant, name: &'a [u8]) -> Result<Place<'a>, Refused> {
        let around = grant.effective_access();
        if name.is_empty() {
            let whole = Place::directory(grant.dir.clone(), around);
            return if grant.only_databases { Err(Refused::NotGranted) } else { Ok(whole) };
        }
        let place = Place {
            dir: grant.dir.clone(),
            name: Cow::Borrowed(name),
            access: around,
            around,
            directory: grant.has_rules.then_some(grant.identity),
            only_databases: grant.only_databases,
        };
        self.under_rules(place)
    }

    fn under_rules<'a>(&self, place: Place<'a>) -> Result<Place<'a>, Refused> {
        let Some(directory) = place.directory else { return Ok(place) };
        match self.rules.of_name(directory, &place.name, place.only_databases) {
            Verdict::Hidden => Err(Refused::NotGranted),
            verdict => Ok(Place { access: place.around.under(verdict), ..place }),
        }
    }

    /// The file in the same directory whose name is that of `place` with the
    /// suffix `ending`.
    ///
    /// # Errors
    ///
    /// [`Refused`].
    pub fn beside(&self, place: &Place<'_>, ending: &str) -> Result<Place<'static>, Refused> {
        let mut name = place.name.to_vec();
        name.extend_from_slice(ending.as_bytes());
        self.under_rules(Place { name: Cow::Owned(name), ..place.clone() })
    }

    /// Resolve a path below an open directory, which it must not leave.
    ///
    /// # Errors
    ///
    /// [`Refused`].
    pub(crate) fn place_below(
        &self,
        dir: Arc<OwnedFd>,
        access: Access,
        path: &[u8],
        last: LastLink,
    ) -> Result<Place<'static>, Refused> {
        if path.starts_with(b"/") {
            return Err(Refused::NotGranted);
        }
        let base = self.base(dir, access)?;
        Walk::below(self, base).along(path, last)?.into_place()
    }

    /// Whether an entry with write access may be moved, removed or replaced.
    /// Masked entries may not, nor directories that contain an entry with less
    /// access.
    pub(crate) fn may_move(&self, place: &Place<'_>) -> bool {
        let Ok(status) = statat(&place.dir, &*place.name, AtFlags::SYMLINK_NOFOLLOW) else {
            return true;
        };
        let entry = Identity::from(&status);
        let is_held = |grant: &Grant| {
            grant.access == Access::ReadOnly
                && (grant.identity == entry || grant.above.contains(&entry))
        };
        let is_masked = self.rules.of(entry).is_some() || self.rules.concern_below(entry);
        !is_masked && !self.grants.iter().any(is_held)
    }

    /// The mask of an open file that has several names.
    pub(crate) fn mask_of(&self, file: impl AsFd) -> Option<Mask> {
        if !self.rules.check_opened() {
            return None;
        }
        Identity::of(file).ok().and_then(|file| self.rules.of(file))
    }

    /// Whether [`Self::mask_of`] can return a mask.
    pub(crate) fn may_mask_opened(&self) -> bool {
        self.rules.check_opened()
    }

    /// Whether the entry with this status is hidden.
    pub(crate) fn hides(&self, status: &Stat) -> bool {
        self.rules.concern_anything() && self.rules.of(Identity::from(status)) == Some(Mask::Hidden)
    }

    /// Whether the entry with this status is masked.
    pub(crate) fn masks(&self, status: &Stat) -> bool {
        self.rules.of(Identity::from(status)).is_some()
    }

    /// Open a regular file for reading with a component's rights, following
    /// links.
    ///
    /// # Errors
    ///
    /// [`Refused`], which reveals nothing about files outside the grants.
    pub fn open_read(&self, path: &[u8]) -> Result<File, Refused> {
        let place = self.place(path, LastLink::Follow)?;
        // Opening a pipe would wait for its other side.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file =
            openat(&place.dir, &*place.name, flags, Mode::empty()).map_err(Refused::System)?;
        let status = fstat(&file).map_err(Refused::System)?;
        if self.hides(&status) {
            return Err(Refused::NotGranted);
        }
        match FileType::from_raw_mode(status.st_mode) {
            FileType::RegularFile => Ok(file.into()),
            _ => Err(Refused::NotRegular),
        }
    }

    /// Whether a resolved path is inside the grants.
    pub fn is_granted(&self, path: &[u8]) -> bool {
        !matches!(self.place(path, LastLink::Keep), Err(Refused::NotGranted))
    }

    /// Resolve `.`, `..` and links to a path; true if it had a link. Names that
    /// do not exist or are outside the grants stay unchanged.
    ///
    /// # Errors
    ///
    /// [`Refused::Links`], or [`Refused::NotGranted`] for a path that is not
    /// absolute.
    pub fn resolve(&self, path: &[u8]) -> Result<(Vec<u8>, bool), Refused> {
        if !path.starts_with(b"/") {
            return Err(Refused::NotGranted);
        }
        match self.plain_place(path) {
            Ok(Some(place)) if !is_link(&place) => Ok((path.to_vec(), false)),
            Err(Refused::NotGranted) if is_clean(path) && !self.leads_in(path) => {
                Ok((path.to_vec(), false))
            }
            _ => {
                let walk = Walk::from_root(self, Unknown::Keep).along(path, LastLink::Follow)?;
                Ok(walk.into_path())
            }
        }
    }

    fn leads_in(&self, path: &[u8]) -> bool {
        self.grants.iter().any(|grant| below(path, &grant.guest).is_some())
    }
}
