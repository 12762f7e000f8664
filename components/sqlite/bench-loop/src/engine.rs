//! The ways to SQLite. The directory `engine` has one player, which is compiled for each.

use std::error::Error;
use std::io::Read;

use crate::Mode;
use crate::tape::Tape;

// Linked for its VFS.
#[cfg(target_family = "wasm")]
use engine as _;

mod in_program;
// Both crates have the same words: that the player is one source is the point.
#[cfg(feature = "crate")]
#[allow(clippy::duplicate_mod)]
mod in_sandbox;

pub fn direct(database: &str, mode: Mode, tape: Tape<impl Read>) -> Result<String, Box<dyn Error>> {
    in_program::play::play(|| rusqlite::Connection::open(database), mode, tape)
}

#[cfg(feature = "crate")]
pub fn through_crate(
    component: &str,
    database: &str,
    mode: Mode,
    tape: Tape<impl Read>,
) -> Result<String, Box<dyn Error>> {
    let file = std::path::Path::new(database);
    let directory = file.parent().ok_or("the database has no directory")?;
    let builder = sqlite_sandbox::Database::builder().component(component);
    let loaded = builder.directory(directory, sqlite_sandbox::Access::ReadWrite).build()?;
    in_sandbox::play::play(|| loaded.open(file), mode, tape)
}

#[cfg(not(feature = "crate"))]
pub fn through_crate(
    _: &str,
    _: &str,
    _: Mode,
    _: Tape<impl Read>,
) -> Result<String, Box<dyn Error>> {
    Err("built without the feature `crate`".into())
}
