//! The grants that nobody typed: of a database, of the files around it, and of the working
//! directory.

use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::filesystem::grants::{Access, Grant, Grants, normal};
use crate::installation::user_directories::Homes;
use crate::words::escape::escaped;

/// Limit on links followed to a database; Linux has the same.
const MAX_LINKS: usize = 40;

/// How a database is granted. Its journals (`-journal`, `-wal`, `-shm`, super-journals) always come
/// with it, and a file that is missing is granted like one that exists.
#[derive(Debug, Clone, Copy)]
pub struct DatabaseGrant {
    /// The access, unless a directory that the user has named contains the database: then that
    /// directory's, so that `:ro` protects everything below it.
    pub access: Access,
    /// The treatment of symbolic links.
    pub links: Links,
    /// The treatment of other files.
    pub neighbours: Neighbours,
}

/// Symbolic links in the path of a database. Whoever made one chose where it leads, so the other
/// files there are never granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Each name on the way is granted, for a caller that passes the path to SQLite as it is: the
    /// shell and programs in C expect SQLite to see the link, as it does natively.
    Named,
    /// Only the real path is granted, for a caller that opens what [`DefaultGrants::database`]
    /// returns: with the name of a link SQL could also write journals in the directory of the link.
    Resolved,
}

/// The other files in the directory of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbours {
    /// They are granted, as the shell and programs in C attach and read them natively; but not in
    /// the root directory or below a dotfile of a home directory, which hold more than databases.
    Granted,
    /// They are closed: the program grants directories by the crate's interface.
    Closed,
}

/// Dotfiles of the home directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dotfiles {
    /// Open in a home directory that the user has named, or in a directory around it: that was
    /// typed for this run.
    OpenIfNamed,
    /// Closed in any case: a variable of the environment names directories for all programs that
    /// inherit it.
    Closed,
}

/// Grants of directories that the user has named, to which default grants are added. They leave out
/// the root directory, the kernel's directories and the targets of links other than the database
/// itself.
pub struct DefaultGrants {
    grants: Grants,
    named: Grants,
    homes: OnceCell<Homes>,
}

impl DefaultGrants {
    /// Add to the grants `named`, which take precedence.
    pub fn new(named: Grants) -> Self {
        Self { grants: named.clone(), named, homes: OnceCell::new() }
    }

    /// Grant a directory, unless it is the root, belongs to the kernel, or is a dotfile of a home
    /// directory or below one. Returns whether it is granted.
    ///
    /// # Errors
    ///
    /// When the directory cannot be opened.
    pub fn directory(&mut self, path: &Path) -> Result<bool> {
        self.directory_as(path, path)
    }

    /// The same for the directory `real` by the name `path`.
    fn directory_as(&mut self, path: &Path, real: &Path) -> Result<bool> {
        if Grant::is_kernels(real) {
            return Ok(false);
        }
        let mut grant = Grant::open(real, path, Access::ReadWrite)?;
        let named = self.named.around(&grant);
        if named.is_none() && (real.parent().is_none() || self.is_behind_dot(real)) {
            return Ok(false);
        }
        grant.access = named.unwrap_or(Access::ReadWrite);
        self.grants.add(grant);
        Ok(true)
    }

    /// Grant the database at `path`. Returns its path without links.
    ///
    /// # Errors
    ///
    /// When `path` is not that of a file, or its directory cannot be opened or granted. What was
    /// granted before the failure stays.
    pub fn database(&mut self, path: &Path, how: DatabaseGrant) -> Result<PathBuf> {
        let mut path = std::path::absolute(path)?;
        let mut is_linked = false;
        for _ in 0..MAX_LINKS {
            let step = Step::of(&path)?;
            is_linked |= step.target.is_some() || step.real != normal(step.directory);
            if how.links == Links::Named || step.target.is_none() {
                self.step(&step, is_linked, how)?;
            }
            match step.target {
                Some(target) => path = step.directory.join(target),
                None => return Ok(step.real.join(step.name)),
            }
        }
        bail!("the path of the database `{}` has too many links", escaped(&path))
    }

    /// Grant the database by one of its names.
    fn step(&mut self, step: &Step<'_>, is_linked: bool, how: DatabaseGrant) -> Result<()> {
        let Step { directory, name, real, .. } = step;
        let is_open = how.neighbours == Neighbours::Granted
            && !is_linked
            && self.directory_as(directory, real)?;
        if is_open {
            if name.as_bytes().starts_with(b".") {
                let grant = Grant::open(real, directory, how.access)?;
                self.grants.allow_database(&grant, name);
            }
            return Ok(());
        }
        if how.links == Links::Named {
            self.database_alone(directory, step, how.access)?;
        }
        self.database_alone(real, step, how.access)
    }

    /// Grant the database without other files, by the name `path` of its directory.
    fn database_alone(&mut self, path: &Path, step: &Step<'_>, access: Access) -> Result<()> {
        let grant = Grant::open(&step.real, path, access)?;
        // A grant of the database alone would hide the grant of the directory.
        let is_open = self.named.around(&grant).is_some()
            || (self.grants.around(&grant).is_some() && !self.is_behind_dot(&step.real));
        if is_open {
            self.grants.allow_database(&grant, step.name);
            return Ok(());
        }
        self.grants.add_database(grant.only_databases(), step.name);
        Ok(())
    }

    fn is_behind_dot(&self, real: &Path) -> bool {
        self.homes.get_or_init(Homes::of_user).is_behind_dot(real)
    }

    /// All grants. Databases that were granted by name stay open where dotfiles are closed.
    pub fn finish(self, dotfiles: Dotfiles) -> Grants {
        let Self { mut grants, mut named, homes } = self;
        let mut is_named = |home: &Path| match Grant::open(home, home, Access::ReadOnly) {
            Ok(grant) => named.around(&grant).is_some(),
            // What cannot be opened cannot be reached either.
            Err(_) => true,
        };
        for home in homes.into_inner().unwrap_or_else(Homes::of_user).iter() {
            if dotfiles == Dotfiles::Closed || !is_named(home) {
                grants.hide_dotfiles(home);
            }
        }
        grants
    }

    /// All grants, for a caller without [`Neighbours::Granted`]: it has granted no dotfile.
    pub fn into_grants(self) -> Grants {
        self.grants
    }
}

/// One name of a database: its own, or that of a link to it.
struct Step<'a> {
    directory: &'a Path,
    name: &'a OsStr,
    /// The directory without links.
    real: PathBuf,
    /// The target of the link.
    target: Option<OsString>,
}

impl<'a> Step<'a> {
    fn of(path: &'a Path) -> Result<Self> {
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
            bail!("`{}` is not the path of a file", escaped(path));
        };
        let real = fs::canonicalize(directory)
            .with_context(|| format!("failed to open the directory of `{}`", escaped(path)))?;
        let target = fs::read_link(path).ok().map(PathBuf::into_os_string);
        Ok(Self { directory, name, real, target })
    }
}
