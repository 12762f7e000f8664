//! Which directories a component may reach, and how its paths lead into them.
//!
//! Closed by default: without a grant there is no file. Paths are bytes. The
//! host resolves each of them itself, links included, to the handle of a
//! directory and one last name, and the innermost granted directory on the way
//! decides what is allowed. The text of a path is enough where one `openat2`
//! proves that the way has no links; all else is walked by handles ([`walk`]).

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
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, stat, statat};
use rustix::io::Errno;

pub use grant::Grant;
use identity::Identity;
pub use place::{Place, Refused};
use place::{is_link, open_plain};
pub use rules::Mask;
use rules::{Rules, Verdict};
use text::{below, is_clean};
use walk::{Unknown, Walk};

/// What a component may do in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Look and read.
    ReadOnly,
    /// Everything.
    ReadWrite,
}

impl Access {
    fn under(self, verdict: Verdict) -> Self {
        if verdict == Verdict::Free { self } else { Self::ReadOnly }
    }
}

/// What is meant where a path ends with a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastLink {
    /// What it leads to.
    Follow,
    /// The link itself.
    Keep,
}

/// All that a component may reach.
#[derive(Debug, Clone, Default)]
pub struct Grants {
    grants: Vec<Grant>,
    rules: Rules,
}

impl Grants {
    /// Add a directory. Where the component's names are the same, the grant
    /// that came first stays.
    pub fn add(&mut self, mut grant: Grant) {
        if self.grants.iter().any(|other| other.guest == grant.guest) {
            return;
        }
        grant.above = self.rules.tree.above(&grant.dir, grant.identity);
        self.grants.push(grant);
        // The longest name wins, so it is found first.
        self.grants.sort_by_key(|grant| std::cmp::Reverse(grant.guest.as_os_str().len()));
        self.settle();
    }

    /// Mask an absolute path, whether it exists or not: what is granted around
    /// it is not granted there, and no directory above it can be moved away.
    pub fn mask(&mut self, path: &Path, mask: Mask) {
        self.mask_all([(path, mask)]);
    }

    /// The same for several.
    pub fn mask_all<'a>(&mut self, masks: impl IntoIterator<Item = (&'a Path, Mask)>) {
        for (path, mask) in masks {
            let whole = mask != Mask::Extensions || !self.begins_below(path);
            self.rules.mask(path, if whole { mask.max(Mask::ReadOnly) } else { mask });
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

    /// Let the database `name` in the directory of `grant` be reached with its
    /// journals, whatever else is closed there.
    pub fn add_database(&mut self, grant: Grant, name: &OsStr) {
        self.allow_database(&grant, name);
        self.add(grant);
    }

    /// The same where the directory is granted already.
    pub fn allow_database(&mut self, grant: &Grant, name: &OsStr) {
        self.rules.allow_database(grant.identity, name.as_bytes());
    }

    /// The least of what grants allow that hold the directory of `grant`; none
    /// when none does.
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

    /// The directories, longest name first.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.grants.iter()
    }

    /// What each grant must know of the others and of the rules.
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

    /// What is granted for a directory, by whatever name it is reached.
    fn access_of(&self, directory: Identity) -> Option<Access> {
        let same = self.grants.iter().filter(|g| g.identity == directory && !g.only_databases);
        same.map(|grant| grant.access).min()
    }

    /// Where a path leads.
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

    /// Where a path leads by its text, the last name not followed. None where
    /// the text does not tell.
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
            // The entry may be a directory with other rights.
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

    /// An entry of the granted directory itself.
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

    /// The file beside `place` whose name goes on with `ending`.
    ///
    /// # Errors
    ///
    /// [`Refused`].
    pub fn beside(&self, place: &Place<'_>, ending: &str) -> Result<Place<'static>, Refused> {
        let mut name = place.name.to_vec();
        name.extend_from_slice(ending.as_bytes());
        self.under_rules(Place { name: Cow::Owned(name), ..place.clone() })
    }

    /// Where an open directory's path leads, without leaving the directory.
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

    /// Whether an entry may be moved, removed or replaced, where its place is
    /// writable: not what is masked, and no directory that holds something with
    /// less rights.
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

    /// What masks an open file, where names do not tell: a file with several.
    pub(crate) fn mask_of(&self, file: impl AsFd) -> Option<Mask> {
        if !self.rules.check_opened() {
            return None;
        }
        Identity::of(file).ok().and_then(|file| self.rules.of(file))
    }

    /// Whether [`Self::mask_of`] may find something.
    pub(crate) fn may_mask_opened(&self) -> bool {
        self.rules.check_opened()
    }

    /// Whether a status is that of something hidden.
    pub(crate) fn hides(&self, status: &Stat) -> bool {
        self.rules.concern_anything() && self.rules.of(Identity::from(status)) == Some(Mask::Hidden)
    }

    /// Whether a status is that of something masked.
    pub(crate) fn masks(&self, status: &Stat) -> bool {
        self.rules.of(Identity::from(status)).is_some()
    }

    /// Open a regular file for reading, links followed, as a component may.
    ///
    /// # Errors
    ///
    /// [`Refused`]; it tells nothing of what lies outside the grants.
    pub fn open_read(&self, path: &[u8]) -> Result<File, Refused> {
        let place = self.place(path, LastLink::Follow)?;
        // A pipe would wait for its other side.
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

    /// Whether a path, already resolved, lies inside the grants.
    pub fn is_granted(&self, path: &[u8]) -> bool {
        !matches!(self.place(path, LastLink::Keep), Err(Refused::NotGranted))
    }

    /// Resolve `.`, `..` and links; true when there was a link. Names that do
    /// not exist, or lie outside the grants, stay as they are.
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
