//! Which folders a component may reach, and how its paths lead into them.
//!
//! Closed by default: without a grant there is no file. A path is resolved
//! name by name inside of the grants; what opens a file afterwards is a
//! capability library ([`cap_std`]), which refuses whatever still leads out.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use cap_std::ambient_authority;
use cap_std::fs::Dir;

/// Most symbolic links followed in one path; Linux itself has the same bound.
const MAX_LINKS: usize = 40;

/// What a component may do in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Look and read.
    ReadOnly,
    /// Everything.
    ReadWrite,
}

/// A folder that a component may reach.
#[derive(Debug, Clone)]
pub struct Grant {
    /// The folder of the host.
    pub host: PathBuf,
    /// Its name for the component: absolute, without `.` and `..`.
    pub guest: PathBuf,
    /// What is allowed in it.
    pub access: Access,
    dir: Arc<Dir>,
}

/// A place inside of a grant.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The folder that was granted.
    pub dir: &'a Arc<Dir>,
    /// The path below it; `.` for the folder itself.
    pub path: &'a Path,
    /// What is allowed there.
    pub access: Access,
}

/// A component's path with its links followed.
#[derive(Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Absolute, without `.`, `..` and links.
    pub path: PathBuf,
    /// At least one link was followed.
    pub had_link: bool,
}

/// A path with more than [`MAX_LINKS`] links, or one that is not absolute.
#[derive(Debug, PartialEq, Eq)]
pub struct Unresolvable;

impl Grant {
    /// Grant the folder `host` under the name `guest`.
    ///
    /// # Errors
    ///
    /// When there is no such folder, or `guest` is not absolute.
    pub fn open(host: &Path, guest: &Path, access: Access) -> Result<Self> {
        if !guest.is_absolute() {
            bail!("the name of a granted folder must be absolute: `{}`", guest.display());
        }
        let dir = Dir::open_ambient_dir(host, ambient_authority())
            .with_context(|| format!("failed to open the folder `{}`", host.display()))?;
        Ok(Self { host: host.into(), guest: normal(guest), access, dir: Arc::new(dir) })
    }

    /// The folder as it was opened.
    pub fn handle(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

/// All that a component may reach.
#[derive(Debug, Clone, Default)]
pub struct Grants(Vec<Grant>);

impl Grants {
    /// Add a folder. Where the component's names are the same, the grant that
    /// came first stays.
    pub fn add(&mut self, grant: Grant) {
        if !self.0.iter().any(|other| other.guest == grant.guest) {
            self.0.push(grant);
            // The longest name wins, so it is found first.
            self.0.sort_by_key(|grant| std::cmp::Reverse(grant.guest.as_os_str().len()));
        }
    }

    /// The folders, longest name first.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.0.iter()
    }

    /// Where an absolute path lies; none outside, and none for a path with
    /// `..` in it, which is to be resolved first.
    pub fn place<'a>(&'a self, path: &'a Path) -> Option<Place<'a>> {
        self.0.iter().find_map(|grant| {
            let path = below(path, &grant.guest).filter(|path| !leads_up(path))?;
            Some(Place { dir: &grant.dir, path, access: grant.access })
        })
    }

    /// What the host calls an absolute path; none outside of the grants.
    pub fn host_path(&self, path: &Path) -> Option<PathBuf> {
        let place = self.place(path)?;
        let grant = self.0.iter().find(|grant| Arc::ptr_eq(&grant.dir, place.dir))?;
        Some(grant.host.join(place.path))
    }

    /// The regular file at an absolute path, to be read.
    ///
    /// # Errors
    ///
    /// Why it cannot be; outside of the grants always the same.
    pub fn open_read(&self, path: &Path) -> Result<std::fs::File> {
        let outside = || anyhow::anyhow!("it lies outside of the granted directories");
        let resolved = self.resolve(path).map_err(|Unresolvable| outside())?;
        let place = self.place(&resolved.path).ok_or_else(outside)?;
        let file = place.dir.open(place.path)?.into_std();
        if !file.metadata()?.is_file() {
            bail!("it is not a file");
        }
        Ok(file)
    }

    /// Resolve `.`, `..` and links. Names that do not exist, or lie above the
    /// grants, stay as they are.
    ///
    /// # Errors
    ///
    /// [`Unresolvable`] when the links turn in a circle.
    pub fn resolve(&self, path: &Path) -> Result<Resolved, Unresolvable> {
        if !path.is_absolute() {
            return Err(Unresolvable);
        }
        let mut resolved = PathBuf::from("/");
        let mut links = 0;
        let mut rest = names(path);
        while let Some(name) = rest.pop() {
            if name == ".." {
                resolved.pop();
                continue;
            }
            resolved.push(name);
            let Some(target) = self.link_target(&resolved) else {
                continue;
            };
            links += 1;
            if links > MAX_LINKS {
                return Err(Unresolvable);
            }
            if target.is_absolute() {
                resolved = PathBuf::from("/");
            } else {
                resolved.pop();
            }
            rest.extend(names(&target));
        }
        Ok(Resolved { path: resolved, had_link: links > 0 })
    }

    fn link_target(&self, path: &Path) -> Option<PathBuf> {
        let place = self.place(path)?;
        place.dir.read_link_contents(place.path).ok()
    }
}

/// What of `path` lies below `folder`. Both are absolute and without `.` and
/// `..`, so that their bytes can be compared: SQLite asks for its journals
/// before each statement.
fn below<'a>(path: &'a Path, folder: &Path) -> Option<&'a Path> {
    let folder = folder.as_os_str().as_bytes();
    let folder = folder.strip_suffix(b"/").unwrap_or(folder);
    match path.as_os_str().as_bytes().strip_prefix(folder)? {
        [] | [b'/'] => Some(Path::new(".")),
        [b'/', below @ ..] => Some(Path::new(OsStr::from_bytes(below))),
        _ => None,
    }
}

/// Whether a path has `..` among its names. Two points beside each other are
/// rare, and cheaper to look for.
fn leads_up(path: &Path) -> bool {
    path.as_os_str().as_bytes().windows(2).any(|pair| pair == b"..")
        && path.components().any(|name| name == Component::ParentDir)
}

/// The names of a path, last first, without `.` and the root.
fn names(path: &Path) -> Vec<OsString> {
    let mut names: Vec<_> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        })
        .collect();
    names.reverse();
    names
}

/// An absolute path without `.` and `..`, by its names alone.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::from("/");
    for name in names(path).into_iter().rev() {
        if name == ".." {
            normal.pop();
        } else {
            normal.push(name);
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn granted(folder: &Path) -> Grants {
        let mut grants = Grants::default();
        grants.add(Grant::open(folder, folder, Access::ReadWrite).unwrap());
        grants
    }

    fn folder() -> tempfile::TempDir {
        tempfile::Builder::new().tempdir().unwrap()
    }

    #[test]
    fn parent_names_lead_out_of_the_grant() {
        let folder = folder();
        let grants = granted(folder.path());
        let outside = grants.resolve(&folder.path().join("a/../../etc/passwd")).unwrap();
        assert!(grants.place(&outside.path).is_none(), "{outside:?}");
    }

    #[test]
    fn a_path_that_was_not_resolved_has_no_place() {
        let folder = folder();
        let path = folder.path().join("..").join("etc");
        assert!(granted(folder.path()).place(&path).is_none());
    }

    #[test]
    fn links_are_followed_by_their_own_rules() {
        let folder = folder();
        symlink("real.db", folder.path().join("link.db")).unwrap();
        symlink("/etc/passwd", folder.path().join("out")).unwrap();
        let grants = granted(folder.path());
        let inside = grants.resolve(&folder.path().join("link.db")).unwrap();
        assert_eq!(inside, Resolved { path: folder.path().join("real.db"), had_link: true });
        let outside = grants.resolve(&folder.path().join("out")).unwrap();
        assert_eq!(outside.path, Path::new("/etc/passwd"));
        assert!(grants.place(&outside.path).is_none());
    }

    #[test]
    fn a_circle_of_links_is_refused() {
        let folder = folder();
        symlink("b", folder.path().join("a")).unwrap();
        symlink("a", folder.path().join("b")).unwrap();
        let resolved = granted(folder.path()).resolve(&folder.path().join("a"));
        assert_eq!(resolved, Err(Unresolvable));
    }

    #[test]
    fn the_longest_grant_decides() {
        let folder = folder();
        std::fs::create_dir(folder.path().join("inner")).unwrap();
        let mut grants = granted(folder.path());
        let inner = folder.path().join("inner");
        grants.add(Grant::open(&inner, &inner, Access::ReadOnly).unwrap());
        assert_eq!(grants.place(&inner.join("x")).unwrap().access, Access::ReadOnly);
        assert_eq!(grants.place(&folder.path().join("x")).unwrap().access, Access::ReadWrite);
    }
}
