//! Where the sandboxed SQLite comes from.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use runtime::component::{Loader, Program};
use runtime::grants::Mask;

/// The names under which it is looked for: compiled, and to be compiled.
const NAMES: [&str; 2] = ["database.cwasm", "database.wasm"];

/// Where the sandboxed SQLite comes from.
pub enum Component {
    /// The program's own directory, or the one above.
    Beside,
    File(PathBuf),
    Bytes(&'static [u8]),
}

impl Component {
    /// Load it. Also returns the file, which no grant may let SQL write.
    ///
    /// # Errors
    ///
    /// When it is missing, or not a database of this user.
    pub fn load(self, loader: &Loader) -> Result<(Program, Vec<(PathBuf, Mask)>)> {
        match self {
            Self::Beside => Self::File(beside()?).load(loader),
            Self::File(path) => {
                let program = loader.load_database(&path)?;
                // Connections with other limits run the other one.
                let files = [path.with_extension("wasm"), path.with_extension("cwasm"), path];
                let files = files.map(|file| Ok((std::path::absolute(file)?, Mask::ReadOnly)));
                Ok((program, files.into_iter().collect::<Result<_>>()?))
            }
            Self::Bytes(wasm) => {
                Ok((loader.load_database_bytes("database.wasm".as_ref(), wasm)?, Vec::new()))
            }
        }
    }
}

/// The file in the program's directory, or above: cargo puts tests and examples one directory
/// below the programs.
fn beside() -> Result<PathBuf> {
    let program = env::current_exe().context("the program's own path is not known")?;
    let directories = program.ancestors().skip(1).take(2);
    let mut paths = directories.flat_map(|directory| NAMES.map(|name| directory.join(name)));
    paths.find(|path| path.is_file()).ok_or_else(|| {
        anyhow!("the program's directory has no `database.cwasm`; name it by `Builder::component`")
    })
}
