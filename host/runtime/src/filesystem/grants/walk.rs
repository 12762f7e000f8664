//! Resolving a path name by name: each directory by its handle, links by our
//! own rules. [`Grants::place`](super::Grants) calls it.
//!
//! The walk is needed where the text of a path does not determine the grant:
//! for `..`, links, mount points, and in directories that contain entries with
//! different access.

use std::borrow::Cow;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, readlinkat, statat};
use rustix::io::Errno;

use super::Grants;
use super::access::{Access, LastLink};
use super::grant::Grant;
use super::identity::Identity;
use super::kernel::is_kernels;
use super::place::{Place, Refused};
use super::rules::{Mask, Verdict};
use super::text::MAX_LINKS;

/// How to treat names that cannot be looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// Refuse the path.
    Refuse,
    /// Keep them as they are written.
    Keep,
}

/// An open directory of the path.
#[derive(Debug, Clone)]
pub struct Frame {
    dir: Arc<OwnedFd>,
    identity: Identity,
    access: Access,
    /// Whether a mask makes it and all below it read-only.
    is_masked: bool,
    only_databases: bool,
}

/// A name of the walked path.
enum Node {
    /// A directory.
    Directory(Frame),
    /// The last name, and the access that its directory's rules allow.
    Last(Access),
    /// Outside the grants, missing, or hidden.
    Unknown,
}

/// A walk along a path.
pub struct Walk<'g> {
    grants: &'g Grants,
    /// The walked path in the component's names; empty for `/`.
    path: Vec<u8>,
    nodes: Vec<Node>,
    links: usize,
    unknown: Unknown,
    /// Whether the walk may not leave the directory it began in.
    is_confined: bool,
}

/// The position of a name in its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// Others follow.
    Inside,
    /// It is the last; follow a link.
    Last,
    /// It is the last; keep a link.
    Kept,
    /// It is the last, and must be a directory.
    Directory,
}

impl<'g> Walk<'g> {
    /// From the component's root.
    pub fn from_root(grants: &'g Grants, unknown: Unknown) -> Self {
        let root = grants.mounted(b"/");
        let node = root.and_then(|root| grants.frame(root)).map_or(Node::Unknown, Node::Directory);
        let (path, nodes) = (Vec::new(), vec![node]);
        Self { grants, path, nodes, links: 0, unknown, is_confined: false }
    }

    /// From an open directory, which the path may not leave.
    pub fn below(grants: &'g Grants, base: Frame) -> Self {
        let nodes = vec![Node::Directory(base)];
        let unknown = Unknown::Refuse;
        Self { grants, path: Vec::new(), nodes, links: 0, unknown, is_confined: true }
    }

    /// Walk along `path`.
    pub fn along(mut self, path: &[u8], last: LastLink) -> Result<Self, Refused> {
        let mut rest = names(path);
        let at_end = match last {
            // A path with a trailing slash names the directory behind a link.
            _ if names_directory(path) => Position::Directory,
            LastLink::Keep => Position::Kept,
            LastLink::Follow => Position::Last,
        };
        while let Some(name) = rest.pop() {
            let position = if rest.is_empty() { at_end } else { Position::Inside };
            if name == b".." {
                self.leave()?;
            } else if let Some(target) = self.enter(&name, position)? {
                self.follow(&target, &mut rest)?;
            }
        }
        Ok(self)
    }

    /// The path without `.`, `..` and links, and whether it had links.
    pub fn into_path(mut self) -> (Vec<u8>, bool) {
        if self.path.is_empty() {
            self.path.push(b'/');
        }
        (self.path, self.links > 0)
    }

    /// The resolved path at which the walk ended.
    pub fn into_place(mut self) -> Result<Place<'static>, Refused> {
        match self.nodes.pop() {
            Some(Node::Directory(Frame { only_databases: false, dir, access, .. })) => {
                Ok(Place::directory(dir, access))
            }
            Some(Node::Last(access)) => {
                let start = self.path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
                let name = Cow::Owned(self.path.split_off(start));
                let Some(Node::Directory(frame)) = self.nodes.pop() else {
                    return Err(Refused::NotGranted);
                };
                Ok(Place {
                    name,
                    access,
                    around: frame.access,
                    directory: Some(frame.identity),
                    only_databases: frame.only_databases,
                    dir: frame.dir,
                })
            }
            _ => Err(Refused::NotGranted),
        }
    }

    fn leave(&mut self) -> Result<(), Refused> {
        if self.nodes.len() > 1 {
            self.nodes.pop();
            let end = self.path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
            self.path.truncate(end);
        } else if self.is_confined {
            return Err(Refused::NotGranted);
        }
        Ok(())
    }

    /// Walk one name further. For a link to follow, returns its target.
    fn enter(&mut self, name: &[u8], position: Position) -> Result<Option<Vec<u8>>, Refused> {
        let before = self.path.len();
        self.path.push(b'/');
        self.path.extend_from_slice(name);
        let node = match (self.mount(), self.nodes.last()) {
            (Some(mount), _) => self.grants.frame(mount).map_or(Node::Unknown, Node::Directory),
            (None, Some(Node::Directory(frame))) => match self.grants.step(frame, name, position) {
                Ok(Step::To(node)) => node,
                Ok(Step::Link(target)) => {
                    self.path.truncate(before);
                    return Ok(Some(target));
                }
                Err(_) if self.unknown == Unknown::Keep => Node::Unknown,
                Err(refused) => return Err(refused),
            },
            _ => Node::Unknown,
        };
        self.nodes.push(node);
        Ok(None)
    }

    fn mount(&self) -> Option<&'g Grant> {
        if self.is_confined { None } else { self.grants.mounted(&self.path) }
    }

    fn follow(&mut self, target: &[u8], rest: &mut Vec<Vec<u8>>) -> Result<(), Refused> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(Refused::Links);
        }
        if target.starts_with(b"/") {
            if self.is_confined {
                return Err(Refused::NotGranted);
            }
            self.nodes.truncate(1);
            self.path.clear();
        }
        rest.extend(names(target));
        Ok(())
    }
}

enum Step {
    To(Node),
    Link(Vec<u8>),
}

impl Grants {
    /// The directory that a grant begins with.
    fn frame(&self, grant: &Grant) -> Option<Frame> {
        (grant.mask != Some(Mask::Hidden)).then(|| Frame {
            dir: grant.dir.clone(),
            identity: grant.identity,
            access: grant.effective_access(),
            is_masked: grant.mask.is_some(),
            only_databases: grant.only_databases,
        })
    }

    /// The first frame of a walk that stays below the open directory `dir`.
    pub fn base(&self, dir: Arc<OwnedFd>, opened: Access) -> Result<Frame, Refused> {
        let identity = Identity::of(&dir).map_err(Refused::System)?;
        no_kernel(&dir)?;
        let access = self.entry_access(identity, opened)?;
        let is_masked = access == Access::ReadOnly;
        Ok(Frame { dir, identity, access, is_masked, only_databases: false })
    }

    /// The access to an entry of a directory with the access `around`: a grant
    /// for the entry itself can only reduce it.
    fn entry_access(&self, entry: Identity, around: Access) -> Result<Access, Refused> {
        match self.rules.of(entry) {
            Some(Mask::Hidden) => Err(Refused::NotGranted),
            Some(_) => Ok(Access::ReadOnly),
            None => Ok(self.access_of(entry).map_or(around, |granted| granted.min(around))),
        }
    }

    fn step(&self, frame: &Frame, name: &[u8], position: Position) -> Result<Step, Refused> {
        let verdict = self.rules.of_name(frame.identity, name, frame.only_databases);
        let access = frame.access.under(verdict);
        match verdict {
            Verdict::Hidden => return Err(Refused::NotGranted),
            _ if position == Position::Kept => return self.last(frame, name, access),
            _ => {}
        }
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let entry = match openat(&frame.dir, name, flags, Mode::empty()) {
            Err(Errno::NOENT) if position != Position::Inside => {
                return Ok(Step::To(Node::Last(access)));
            }
            opened => opened.map_err(Refused::System)?,
        };
        let status = fstat(&entry).map_err(Refused::System)?;
        match FileType::from_raw_mode(status.st_mode) {
            FileType::Symlink => Ok(Step::Link(target(&entry)?)),
            FileType::Directory => self.directory(frame, entry, Identity::from(&status), verdict),
            _ if position == Position::Last => self.last(frame, name, access),
            _ => Err(Refused::System(Errno::NOTDIR)),
        }
    }

    fn last(&self, frame: &Frame, name: &[u8], access: Access) -> Result<Step, Refused> {
        let Ok(status) = statat(&frame.dir, name, AtFlags::SYMLINK_NOFOLLOW) else {
            return Ok(Step::To(Node::Last(access)));
        };
        let entry = Identity::from(&status);
        if !entry.shares_device(frame.identity) {
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let entry = openat(&frame.dir, name, flags, Mode::empty()).map_err(Refused::System)?;
            no_kernel(&entry)?;
        }
        Ok(Step::To(Node::Last(self.entry_access(entry, access)?)))
    }

    /// Enter a directory. The innermost granted directory decides the access,
    /// whatever name leads to it.
    fn directory(
        &self,
        frame: &Frame,
        entry: OwnedFd,
        identity: Identity,
        verdict: Verdict,
    ) -> Result<Step, Refused> {
        // A database is a file: whatever has its name, nothing below that is granted.
        if frame.only_databases {
            return Err(Refused::NotGranted);
        }
        if !identity.shares_device(frame.identity) {
            no_kernel(&entry)?;
        }
        let granted = self.access_of(identity).unwrap_or(frame.access);
        let masked = frame.is_masked || verdict == Verdict::ReadOnly;
        let masked = match self.rules.of(identity) {
            Some(Mask::Hidden) => return Err(Refused::NotGranted),
            Some(_) => true,
            None => masked,
        };
        let access = if masked { Access::ReadOnly } else { granted };
        Ok(Step::To(Node::Directory(Frame {
            dir: Arc::new(entry),
            identity,
            access,
            is_masked: masked,
            only_databases: false,
        })))
    }
}

/// Refuse mounted kernel file systems.
fn no_kernel(entry: &OwnedFd) -> Result<(), Refused> {
    if is_kernels(entry).map_err(Refused::System)? { Err(Refused::NotGranted) } else { Ok(()) }
}

fn target(link: impl AsFd) -> Result<Vec<u8>, Refused> {
    let target = readlinkat(link, "", Vec::new()).map_err(Refused::System)?;
    Ok(target.into_bytes())
}

/// The names of a path, last first, without `.`.
fn names(path: &[u8]) -> Vec<Vec<u8>> {
    let names = path.split(|byte| *byte == b'/').rev();
    names.filter(|name| !matches!(*name, b"" | b".")).map(<[u8]>::to_vec).collect()
}

/// Whether the text of a path requires a directory.
fn names_directory(path: &[u8]) -> bool {
    path.ends_with(b"/") || path.ends_with(b"/.") || path.ends_with(b"/..") || path == b"."
}
