//! The file of the sandboxed SQLite.

use std::env;
use std::path::{Path, PathBuf};

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
        match self {
            Self::Beside => Self::File(beside()?).load(loader),
            Self::File(path) => {
                let chosen = for_loader(&path, loader);
                let program = loader.load_database(&chosen)?;
                // Connections with other limits run the other file.
                let files = [std::path::absolute(&path)?, std::path::absolute(&chosen)?];
                Ok((program, files.map(|file| (file, Mask::ReadOnly)).into()))
            }
            Self::Bytes(wasm) => {
                Ok((loader.load_database_bytes("database.wasm".as_ref(), wasm)?, Vec::new()))
            }
        }
    }
}

/// The file itself. If its code does not check the time, and the loader needs code that does, the
/// `.wasm` in the same directory.
fn for_loader(path: &Path, loader: &Loader) -> PathBuf {
    let portable = path.with_extension("wasm");
    match loader.checks_time() && portable.is_file() {
        true => portable,
        false => path.to_owned(),
    }
}

/// The file in the program's directory or its parent: cargo puts tests and examples one directory
/// below the programs.
fn beside() -> Result<PathBuf> {
    let program = env::current_exe().context("the program's own path is not known")?;
    let directories = program.ancestors().skip(1).take(2);
    let mut paths = directories.flat_map(|directory| NAMES.map(|name| directory.join(name)));
    paths.find(|path| path.is_file()).ok_or_else(|| {
        anyhow!("the program's directory has no `database.cwasm`; name it by `Builder::component`")
    })
}
