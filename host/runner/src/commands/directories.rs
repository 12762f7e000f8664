//! The directories that a run is granted: those of `--dir`, and by default the
//! working directory, the database and the database's directory, as far as
//! granting them is harmless.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sqlite_wasm_runtime::escape::escaped;
use sqlite_wasm_runtime::grants::{Access, Grant, Grants, normal};
use sqlite_wasm_runtime::shell_arguments::database;
use sqlite_wasm_runtime::user_directories::Homes;

/// Largest number of links followed to a database, which is also Linux's.
const MAX_LINKS: usize = 40;

/// A directory as the command line grants it.
#[derive(Debug, Clone)]
pub struct DirectoryOption {
    pub host: PathBuf,
    pub guest: Option<PathBuf>,
    pub access: Access,
}

/// Read `HOST[::GUEST][:ro|:rw]`.
pub fn parse_directory(text: OsString) -> Result<DirectoryOption> {
    let whole = text.as_bytes();
    let (path, access) = match (whole.strip_suffix(b":ro"), whole.strip_suffix(b":rw")) {
        (Some(path), _) => (path, Access::ReadOnly),
        (_, Some(path)) => (path, Access::ReadWrite),
        _ => (whole, Access::ReadWrite),
    };
    if path.len() < whole.len() && Path::new(&text).is_dir() {
        let name = escaped(&text);
        bail!("a directory `{name}` exists: write `{name}:rw` or `{name}:ro` to grant it");
    }
    let separator = path.windows(2).position(|pair| pair == b"::");
    let (host, guest) = match separator {
        Some(at) => (&path[..at], Some(path_of(&path[at + 2..]))),
        None => (path, None),
    };
    if host.is_empty() {
        bail!("the directory is missing");
    }
    Ok(DirectoryOption { host: path_of(host), guest, access })
}

fn path_of(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}

/// All that a run with the shell's arguments `shell` can reach.
pub fn grants(
    named: &[DirectoryOption],
    no_default_dirs: bool,
    shell: &[OsString],
) -> Result<Grants> {
    let mut grants = Grants::default();
    for directory in named {
        add_named(&mut grants, directory)?;
    }
    if !no_default_dirs {
        Implicit::new(&mut grants).add(shell)?;
    }
    Ok(grants)
}

fn add_named(grants: &mut Grants, directory: &DirectoryOption) -> Result<()> {
    let host = fs::canonicalize(&directory.host)
        .with_context(|| format!("failed to grant `{}`", escaped(&directory.host)))?;
    match &directory.guest {
        Some(guest) => grants.add(Grant::open(&host, guest, directory.access)?),
        None => {
            let name = std::path::absolute(&directory.host)?;
            grants.add(Grant::open(&host, &name, directory.access)?);
            grants.add(Grant::open(&host, &host, directory.access)?);
        }
    }
    Ok(())
}

/// The default grants. They leave out the root directory, targets of links
/// other than the database itself, and dotfiles of the home directory. Options
/// of `--dir` take precedence over them.
struct Implicit<'a> {
    grants: &'a mut Grants,
    /// The grants of `--dir`.
    named: Grants,
    homes: Homes,
}

impl<'a> Implicit<'a> {
    fn new(grants: &'a mut Grants) -> Self {
        let named = grants.clone();
        Self { grants, named, homes: Homes::of_user() }
    }

    fn add(mut self, shell: &[OsString]) -> Result<()> {
        if let Ok(directory) = env::current_dir() {
            self.directory(&directory, &directory)?;
        }
        if let Some(database) = database(shell).and_then(|path| std::path::absolute(path).ok()) {
            self.database(&database)?;
        }
        self.hide_dotfiles();
        Ok(())
    }

    /// Grant the directory `real` by the name `path`, unless it is the root,
    /// belongs to the kernel, or is a dotfile of the home directory or below
    /// one.
    fn directory(&mut self, path: &Path, real: &Path) -> Result<bool> {
        if Grant::is_kernels(real) {
            return Ok(false);
        }
        let mut grant = Grant::open(real, path, Access::ReadWrite)?;
        let typed = self.named.around(&grant);
        if typed.is_none() && (real.parent().is_none() || self.homes.is_behind_dot(real)) {
            return Ok(false);
        }
        grant.access = typed.unwrap_or(Access::ReadWrite);
        self.grants.add(grant);
        Ok(true)
    }

    /// Grant the database with its journals, by its name and, if that is a
    /// link, by its target's name; and its directory if the path has no link.
    fn database(&mut self, path: &Path) -> Result<()> {
        let mut path = path.to_owned();
        let mut linked = false;
        for _ in 0..MAX_LINKS {
            let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { break };
            let Ok(real) = fs::canonicalize(directory) else { break };
            if !real.is_dir() {
                break;
            }
            let target = fs::read_link(&path).ok();
            linked |= target.is_some() || real != normal(directory);
            if !linked && self.directory(directory, &real)? {
                if name.as_bytes().starts_with(b".") {
                    self.grants
                        .allow_database(&Grant::open(&real, directory, Access::ReadWrite)?, name);
                }
            } else {
                self.database_alone(directory, &real, name)?;
                self.database_alone(&real, &real, name)?;
            }
            let Some(target) = target else { break };
            path = directory.join(target);
        }
        Ok(())
    }

    fn database_alone(&mut self, path: &Path, real: &Path, name: &OsStr) -> Result<()> {
        if Grant::is_kernels(real) {
            return Ok(());
        }
        let mut grant = Grant::open(real, path, Access::ReadWrite)?;
        let typed = self.named.around(&grant);
        // A grant of the database alone would hide the grant of the directory.
        let behind_dot = typed.is_none() && self.homes.is_behind_dot(real);
        if self.grants.around(&grant).is_some() && !behind_dot {
            self.grants.allow_database(&grant, name);
            return Ok(());
        }
        grant.access = typed.unwrap_or(Access::ReadWrite);
        self.grants.add_database(grant.only_databases(), name);
        Ok(())
    }

    /// Close the dotfiles of the home directories; databases that the command
    /// line names stay open.
    fn hide_dotfiles(self) {
        let Self { grants, mut named, homes } = self;
        for home in homes.iter() {
            let typed = Grant::open(home, home, Access::ReadOnly).map(|home| named.around(&home));
            if matches!(typed, Ok(None)) {
                grants.hide_dotfiles(home);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<DirectoryOption> {
        parse_directory(text.into())
    }

    #[test]
    fn directories_have_names_and_access() {
        let directory = parsed("/a::/b:ro").unwrap();
        assert_eq!(directory.host, Path::new("/a"));
        assert_eq!(directory.guest.as_deref(), Some(Path::new("/b")));
        assert_eq!(directory.access, Access::ReadOnly);
        assert_eq!(parsed("/a:rw").unwrap().access, Access::ReadWrite);
        assert_eq!(parsed("/a:ro:rw").unwrap().host, Path::new("/a:ro"));
        assert!(parsed("").is_err() && parsed(":ro").is_err());
    }

    #[test]
    fn a_directory_whose_name_ends_like_an_option_is_not_guessed() {
        let directory = tempfile::tempdir().unwrap();
        let name = directory.path().join("x:ro");
        fs::create_dir(&name).unwrap();
        let text = name.to_str().unwrap();
        assert!(parsed(text).unwrap_err().to_string().contains(":rw"));
        assert_eq!(parsed(&format!("{text}:ro")).unwrap().access, Access::ReadOnly);
        assert_eq!(parsed(&format!("{text}:rw")).unwrap().host, name);
    }
}
