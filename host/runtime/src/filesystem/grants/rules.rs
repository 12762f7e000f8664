//! Rules for entries of granted directories: masked entries, dotfiles of the
//! home directory, and directories of which only a database is granted.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, open, openat2, readlinkat,
    stat, statat,
};
use rustix::io::Errno;

use super::identity::{Identity, Tree};
use super::text::MAX_LINKS;

/// The access to a masked file or directory, whatever the grants around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mask {
    /// A directory of extensions. It is [`Mask::ReadOnly`], unless a grant
    /// begins in or below it, for example for a database in the same directory:
    /// then only files that look like extensions are read-only.
    Extensions,
    /// It can only be read.
    ReadOnly,
    /// It appears not to be granted.
    Hidden,
}

/// The rule for an entry of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The grant decides.
    Free,
    /// The entry cannot be replaced; the target of a link with this name has
    /// its own rules.
    Pinned,
    /// As [`Mask::ReadOnly`].
    ReadOnly,
    /// As [`Mask::Hidden`].
    Hidden,
}

impl From<Mask> for Verdict {
    fn from(mask: Mask) -> Self {
        match mask {
            Mask::Extensions => Self::Pinned,
            Mask::ReadOnly => Self::ReadOnly,
            Mask::Hidden => Self::Hidden,
        }
    }
}

/// The rules of one set of grants; see the module.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    pub tree: Tree,
    /// Masked files and directories that exist.
    entries: BTreeMap<Identity, Mask>,
    /// Masked entries by directory and name, so that none is created or
    /// replaced.
    names: Vec<(Identity, Vec<u8>, Verdict)>,
    /// The directories above masked entries or home directories.
    above: BTreeSet<Identity>,
    /// Home directories whose dotfiles are closed.
    dotless: Vec<Identity>,
    /// Directories in which only extensions are read-only.
    extensions: Vec<Identity>,
    /// Databases that are granted by name, each in its directory.
    databases: Vec<(Identity, Vec<u8>)>,
    /// Whether a masked file has another name.
    linked: bool,
}

/// The directory of the last masked path: most are in the same few.
#[derive(Default)]
pub struct Parent(Option<(PathBuf, OwnedFd, Identity)>);

impl Parent {
    /// The directory above `path`; none if it is missing or its path may contain links.
    fn of(&mut self, path: &Path) -> Option<(&OwnedFd, Identity)> {
        let path = path.parent()?;
        if self.0.as_ref().is_none_or(|(last, ..)| last != path) {
            let opened = openat2(CWD, path, DIRECTORY, Mode::empty(), ResolveFlags::NO_SYMLINKS);
            let opened = opened.and_then(|dir| Ok((path.to_owned(), Identity::of(&dir)?, dir)));
            self.0 = opened.ok().map(|(path, identity, dir)| (path, dir, identity));
        }
        self.0.as_ref().map(|(_, dir, identity)| (dir, *identity))
    }
}

impl Rules {
    /// Mask the absolute `path`, or its first missing directory. `parent` is that of the path that
    /// was masked before.
    pub fn mask(&mut self, path: &Path, mask: Mask, parent: &mut Parent) {
        if self.mask_plain(path, mask, parent).is_some() {
            return;
        }
        let mut target = self.mask_any(path, mask);
        for _ in 0..MAX_LINKS {
            let Some(path) = target else { break };
            target = self.mask_any(&path, mask);
        }
    }

    /// Mask a path without links, in a directory that exists. None if that is not enough.
    fn mask_plain(&mut self, path: &Path, mask: Mask, parent: &mut Parent) -> Option<()> {
        let name = path.file_name()?.as_bytes();
        let (dir, parent) = parent.of(path)?;
        match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(status) if mask == Mask::Extensions || is_symlink(&status) => return None,
            Ok(status) => self.add_entry(&status, mask),
            Err(Errno::NOENT) => {}
            Err(_) => return None,
        }
        self.add_name(parent, name, mask.into());
        self.add_above(dir, parent, true);
        Some(())
    }

    /// Mask a path with links, or with directories that are missing. If the first missing one is a
    /// link that leads nowhere, returns where: whoever creates that creates the entry.
    fn mask_any(&mut self, path: &Path, mask: Mask) -> Option<PathBuf> {
        let Deepest { directory, entry, missing, has_links } = deepest(path)?;
        let status = fstat(&entry).ok()?;
        let identity = Identity::from(&status);
        if has_links {
            self.pin_links(path);
        }
        if let Some(missing) = missing {
            self.add_name(identity, missing, mask.into());
            self.add_above(&entry, identity, true);
            let target = readlinkat(&entry, missing, Vec::new()).ok()?;
            let link = directory.join(OsStr::from_bytes(missing));
            let target = directory.join(OsStr::from_bytes(target.as_bytes()));
            return Some(target.iter().chain(path.strip_prefix(link).ok()?).collect());
        }
        if mask == Mask::Extensions {
            self.extensions.push(identity);
        } else {
            self.add_entry(&status, mask);
        }
        self.add_above(&entry, identity, mask == Mask::Extensions);
        self.add_parent(path, mask);
        None
    }

    fn add_entry(&mut self, status: &Stat, mask: Mask) {
        let identity = Identity::from(status);
        let strongest = self.entries.entry(identity).or_insert(mask);
        *strongest = mask.max(*strongest);
        let is_directory = FileType::from_raw_mode(status.st_mode).is_dir();
        self.linked |= !is_directory && status.st_nlink > 1 && !is_this_program(identity);
    }

    /// Mask the name too: a file that replaces a masked entry is masked as
    /// well.
    fn add_parent(&mut self, path: &Path, mask: Mask) {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return };
        let Ok(parent) = open_directory(parent) else { return };
        let Ok(identity) = Identity::of(&parent) else { return };
        self.add_name(identity, name.as_bytes(), mask.into());
        self.add_above(&parent, identity, true);
    }

    fn add_name(&mut self, parent: Identity, name: &[u8], verdict: Verdict) {
        self.names.push((parent, name.to_owned(), verdict));
    }

    fn add_above(&mut self, dir: &OwnedFd, identity: Identity, itself: bool) {
        // Those above it were added with it.
        if itself && !self.above.insert(identity) {
            return;
        }
        self.above.extend(self.tree.above(dir, identity));
    }

    /// Pin the links in the path of a masked entry: replacing one would lead
    /// the runner elsewhere.
    fn pin_links(&mut self, path: &Path) {
        let mut prefix = PathBuf::from("/");
        for name in path.components() {
            let Component::Normal(name) = name else { continue };
            let Ok(parent) = open_directory(&prefix) else { return };
            let Ok(identity) = Identity::of(&parent) else { return };
            let Ok(status) = statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW) else { return };
            if is_symlink(&status) {
                self.add_name(identity, name.as_bytes(), Verdict::Pinned);
                self.add_above(&parent, identity, true);
            }
            prefix.push(name);
        }
    }

    /// Close the entries of `home` that begin with a dot.
    pub fn hide_dotfiles(&mut self, home: &Path) {
        let Ok(dir) = open_directory(home) else { return };
        let Ok(identity) = Identity::of(&dir) else { return };
        if !self.dotless.contains(&identity) {
            self.dotless.push(identity);
            self.add_above(&dir, identity, false);
        }
    }

    /// Open the database `name` in a directory, with its journals.
    pub fn allow_database(&mut self, directory: Identity, name: &[u8]) {
        self.databases.push((directory, name.to_owned()));
    }

    /// Whether entries of this directory have rules.
    pub fn concern(&self, directory: Identity) -> bool {
        self.dotless.contains(&directory)
            || self.extensions.contains(&directory)
            || self.names.iter().any(|rule| rule.0 == directory)
    }

    /// Whether entries below this directory have rules.
    pub fn concern_below(&self, directory: Identity) -> bool {
        self.above.contains(&directory)
    }

    /// Whether any existing entry is masked.
    pub fn concern_anything(&self) -> bool {
        !self.entries.is_empty()
    }

    /// The rule for an entry by its name. With `only_databases` all other
    /// entries are closed.
    pub fn of_name(&self, directory: Identity, name: &[u8], only_databases: bool) -> Verdict {
        let masked = self.names.iter().filter(|rule| rule.0 == directory && rule.1 == name);
        let rank = |verdict: &Verdict| *verdict as u8;
        let mut verdict = masked.map(|rule| rule.2).max_by_key(rank).unwrap_or(Verdict::Free);
        if rank(&verdict) < rank(&Verdict::ReadOnly)
            && is_extension(name)
            && self.extensions.contains(&directory)
        {
            verdict = Verdict::ReadOnly;
        }
        let closed =
            only_databases || (name.starts_with(b".") && self.dotless.contains(&directory));
        if closed && !self.is_database(directory, name) { Verdict::Hidden } else { verdict }
    }

    /// The mask of a file or directory by its identity.
    pub fn of(&self, identity: Identity) -> Option<Mask> {
        self.entries.get(&identity).copied()
    }

    /// Whether a masked file can be opened by another name.
    pub fn check_opened(&self) -> bool {
        self.linked
    }

    fn is_database(&self, directory: Identity, name: &[u8]) -> bool {
        let mut databases = self.databases.iter().filter(|database| database.0 == directory);
        databases.any(|(_, database)| name.strip_prefix(&database[..]).is_some_and(is_side_file))
    }
}

/// Whether the runner could load the file as an extension, or read it as a list
/// of grants.
fn is_extension(name: &[u8]) -> bool {
    [&b".wasm"[..], b".cwasm", b".toml"].iter().any(|ending| name.ends_with(ending))
}

/// Whether a file whose name is the database's with this suffix belongs to the database.
fn is_side_file(ending: &[u8]) -> bool {
    match ending {
        b"" | b"-journal" | b"-wal" | b"-shm" => true,
        // A super-journal, as `sqlite3.c` names it.
        [b'-', b'm', b'j', digits @ ..] => {
            digits.len() == 9 && digits.iter().all(u8::is_ascii_hexdigit)
        }
        _ => false,
    }
}

/// Whether this is the running program, which the system protects from writes.
fn is_this_program(identity: Identity) -> bool {
    stat("/proc/self/exe").is_ok_and(|status| Identity::from(&status) == identity)
}

fn is_symlink(status: &Stat) -> bool {
    FileType::from_raw_mode(status.st_mode).is_symlink()
}

const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

fn open_directory(path: &Path) -> rustix::io::Result<OwnedFd> {
    open(path, DIRECTORY, Mode::empty())
}

/// The existing part of a path.
struct Deepest<'a> {
    directory: &'a Path,
    /// The entry itself, or its deepest existing directory.
    entry: OwnedFd,
    /// The next name, which does not exist.
    missing: Option<&'a [u8]>,
    /// Whether the path may contain links.
    has_links: bool,
}

fn deepest(path: &Path) -> Option<Deepest<'_>> {
    let (mut missing, mut has_links) = (None, false);
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    for prefix in path.ancestors() {
        let plain = openat2(CWD, prefix, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
        let entry = match plain {
            Ok(entry) => Ok(entry),
            Err(Errno::NOENT) => Err(Errno::NOENT),
            Err(_) => {
                has_links = true;
                open(prefix, flags, Mode::empty())
            }
        };
        match entry {
            Ok(entry) => return Some(Deepest { directory: prefix, entry, missing, has_links }),
            Err(_) => missing = prefix.file_name().map(OsStrExt::as_bytes),
        }
    }
    None
}
