//! The file of the sandboxed SQLite.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use runtime::component::{Loader, Program};
use runtime::grants::Mask;
use runtime::program_files;

/// The names for which it is searched: compiled, and to be compiled.
const NAMES: [&str; 2] = ["database.cwasm", "database.wasm"];

/// The source of the sandboxed SQLite.
pub enum Component {
    /// With the program's files.
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

/// Load the file that is installed with the program.
fn load_beside(loader: &Loader) -> Result<(Program, PathBuf)> {
    let [compiled, portable] = NAMES.map(program_files::path);
    let paths = [compiled?, portable?].into_iter().filter(|path| path.is_file());
    loader.load_first_database(paths)?.ok_or_else(|| {
        anyhow!("the program's directory has no `database.cwasm`; name it by `Builder::component`")
    })
}
