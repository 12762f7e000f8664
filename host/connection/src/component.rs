//! The file of the sandboxed SQLite.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use runtime::component::{Loader, Program};
use runtime::grants::Mask;

/// The names for which it is searched: compiled, and to be compiled.
const NAMES: [&str; 2] = ["database.cwasm", "database.wasm"];

/// The source of the sandboxed SQLite.
pub enum Component {
    /// The directory of the program, or its parent.
    Beside,
    File(PathBuf),
    Bytes(&'static [u8]),
}

impl Component {
    /// Load it. Also returns its files, which no grant may let SQL write.
    ///
    /// # Errors
    ///
    /// When it is missing, or was not made by this user.
    pub fn load(self, loader: &Loader) -> Result<(Program, Vec<(PathBuf, Mask)>)> {
        let (program, path) = match self {
            Self::Beside => load_beside(loader)?,
            Self::File(path) => (loader.load_database(&path)?, path),
            Self::Bytes(wasm) => {
                let program = loader.load_database_bytes("database.wasm".as_ref(), wasm)?;
                return Ok((program, Vec::new()));
            }
        };
        // Connections with other limits run the other file.
        let files = [path.with_extension("wasm"), path.with_extension("cwasm"), path];
        let files = files.map(|file| Ok((std::path::absolute(file)?, Mask::ReadOnly)));
        Ok((program, files.into_iter().collect::<Result<_>>()?))
    }
}

/// Load the file in the program's directory, or above: cargo puts tests and examples one
/// directory below the programs.
fn load_beside(loader: &Loader) -> Result<(Program, PathBuf)> {
    let program = env::current_exe().context("the program's own path is not known")?;
    let directories = program.ancestors().skip(1).take(2);
    let paths = directories.flat_map(|directory| NAMES.map(|name| directory.join(name)));
    let loaded = loader.load_first_database(paths.filter(|path| path.is_file()))?;
    loaded.ok_or_else(|| {
        anyhow!("the program's directory has no `database.cwasm`; name it by `Builder::component`")
    })
}
