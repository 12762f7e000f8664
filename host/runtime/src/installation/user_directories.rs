//! The runner's own directories by the XDG base directory specification, where
//! a relative path in a variable is ignored, and the user's home directories.
//!
//! No component can reach the runner's directories, whatever is granted.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs};

use nix::unistd::{Uid, User, geteuid, getuid};

/// The name of the runner's directory in each base directory.
const NAME: &str = "sqlite-wasm-run";

/// Compiled components and cached hashes: `$XDG_CACHE_HOME` or `~/.cache`.
pub fn cache() -> Option<PathBuf> {
    base("XDG_CACHE_HOME", ".cache", env::home_dir)
}

/// Extensions that the user has installed: `$XDG_DATA_HOME` or `~/.local/share`.
pub fn data() -> Option<PathBuf> {
    base("XDG_DATA_HOME", ".local/share", env::home_dir)
}

/// Settings: `$XDG_CONFIG_HOME` or `~/.config`.
pub fn config() -> Option<PathBuf> {
    base("XDG_CONFIG_HOME", ".config", env::home_dir)
}

/// The key that signs native code: `$XDG_STATE_HOME`, or `~/.local/state` in
/// the home directory of the user database, so that the key stays the same when
/// a program changes `$HOME`. `$HOME` is used if the database has no home
/// directory.
pub fn state() -> Option<PathBuf> {
    base("XDG_STATE_HOME", ".local/state", || {
        users_home(geteuid()).filter(|home| home.is_dir()).or_else(env::home_dir)
    })
}

/// The home directory as `sqlite3` finds it: from the user database, or from
/// `$HOME` for an unknown user.
pub fn home() -> Option<PathBuf> {
    users_home(getuid()).or_else(|| env::var_os("HOME").map(PathBuf::from))
}

/// The user's home directories, from `$HOME` and from the user database. Their
/// dotfiles are secrets and settings.
#[derive(Debug)]
pub struct Homes(Vec<PathBuf>);

impl Homes {
    /// The existing home directories, without the root directory.
    pub fn of_user() -> Self {
        let mut homes: Vec<_> = [env::home_dir(), home()].into_iter().flatten().collect();
        homes.dedup();
        let homes = homes.iter().filter_map(|home| fs::canonicalize(home).ok());
        Self(homes.filter(|home| home.parent().is_some()).collect())
    }

    /// The directories, as paths without links.
    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }

    /// Whether a directory, as a path without links, is a dotfile of a home
    /// directory or below one.
    pub fn is_behind_dot(&self, directory: &Path) -> bool {
        self.iter().any(|home| {
            let below = directory.strip_prefix(home).ok();
            let first = below.and_then(|below| below.iter().next());
            first.is_some_and(|first| first.as_bytes().starts_with(b"."))
        })
    }
}

/// The home directory in the user database. It is cached: a lookup takes a
/// dozen system calls, and a start needs it four times.
fn users_home(user: Uid) -> Option<PathBuf> {
    static KNOWN: OnceLock<(Uid, Option<PathBuf>)> = OnceLock::new();
    let look_up = || User::from_uid(user).ok().flatten().map(|user| user.dir);
    match KNOWN.get_or_init(|| (user, look_up())) {
        (known, home) if *known == user => home.clone(),
        _ => look_up(),
    }
}

fn base(
    variable: &str,
    below_home: &str,
    home: impl FnOnce() -> Option<PathBuf>,
) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = named.or_else(|| home().map(|home| home.join(below_home)))?;
    (base.is_absolute() && !is_anothers(&base, geteuid())).then(|| base.join(NAME))
}

/// Whether root was given the directory of another user, as `sudo` may leave it in `$HOME`: what root
/// made there would not be the other's, and what is there root does not trust.
fn is_anothers(base: &Path, user: Uid) -> bool {
    let is_anothers = |path: &Path| Some(fs::metadata(path).ok()?.uid() != user.as_raw());
    user.is_root() && base.ancestors().find_map(is_anothers).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_uses_no_directories_of_others() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().join("missing/.cache");
        assert!(!is_anothers(&base, geteuid()));
        let owner = fs::metadata(directory.path()).unwrap().uid();
        assert_eq!(is_anothers(&base, Uid::from_raw(0)), owner != 0);
        // Of some user who is not root, on every machine.
        assert!(!is_anothers(Path::new("/"), Uid::from_raw(0)));
        if geteuid().is_root() {
            nix::unistd::chown(directory.path(), Some(Uid::from_raw(65534)), None).unwrap();
            assert!(is_anothers(&base, geteuid()));
        }
    }

    #[test]
    fn only_dotfiles_are_behind_a_dot() {
        let homes = Homes(vec!["/home/a".into()]);
        for path in ["/home/a/.ssh", "/home/a/.config/b/c"] {
            assert!(homes.is_behind_dot(Path::new(path)), "{path}");
        }
        for path in ["/home/a", "/home/a/b/.git", "/home/b/.ssh", "/home/a.b", "/.x"] {
            assert!(!homes.is_behind_dot(Path::new(path)), "{path}");
        }
    }
}
