//! Where the runner keeps its own files, by the XDG base directory rules: a
//! variable that is not an absolute path counts as not set.
//!
//! No component may reach any of these directories, whatever is granted.

use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;

use nix::unistd::{Uid, User, geteuid, getuid};

/// The name of the runner's directory in each base directory.
const NAME: &str = "sqlite-wasm-run";

/// Compiled components and remembered hashes: `$XDG_CACHE_HOME` or `~/.cache`.
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

/// The key that seals native code: `$XDG_STATE_HOME`, or `~/.local/state` in
/// the home directory of the user database, so that a program that sets `$HOME`
/// still has the same key. For a user without one it is `$HOME`'s.
pub fn state() -> Option<PathBuf> {
    base("XDG_STATE_HOME", ".local/state", || {
        users_home(geteuid()).filter(|home| home.is_dir()).or_else(env::home_dir)
    })
}

/// The home directory as `sqlite3` finds it: by the user database, and by
/// `$HOME` for a user that it does not know.
pub fn home() -> Option<PathBuf> {
    users_home(getuid()).or_else(|| env::var_os("HOME").map(PathBuf::from))
}

/// By the user database, which is read once: it takes the C library a dozen
/// system calls, and a start asks four times.
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
    base.is_absolute().then(|| base.join(NAME))
}
