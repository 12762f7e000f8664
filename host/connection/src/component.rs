//! Where the sandboxed SQLite comes from.

use std::env;
use std::path::{Path, PathBuf};

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
            Self::Beside => load_beside(loader),
            Self::File(path) => {
                let chosen = for_loader(&path, loader);
                let program = loader.load_database(&chosen)?;
                // Connections with other limits run the other one.
                let files = [std::path::absolute(&path)?, std::path::absolute(&chosen)?];
                Ok((program, files.map(|file| (file, Mask::ReadOnly)).into()))
            }
            Self::Bytes(wasm) => {
                Ok((loader.load_database_bytes("database.wasm".as_ref(), wasm)?, Vec::new()))
            }
        }
    }
}

/// The file itself; where it has code that does not check the time, and the loader wants such
/// code, the `.wasm` beside it.
fn for_loader(path: &Path, loader: &Loader) -> PathBuf {
    let portable = path.with_extension("wasm");
    match loader.checks_time() && portable.is_file() {
        true => portable,
        false => path.to_owned(),
    }
}

/// Load the file in the program's directory, or above: cargo puts tests and examples one
/// directory below the programs. Compiled code that is for another processor gives way to the
/// other form.
fn load_beside(loader: &Loader) -> Result<(Program, Vec<(PathBuf, Mask)>)> {
    let program = env::current_exe().context("the program's own path is not known")?;
    let directories = program.ancestors().skip(1).take(2);
    let paths = directories.flat_map(|directory| NAMES.map(|name| directory.join(name)));
    let mut loaded = Err(anyhow!(
        "the program's directory has no `database.cwasm`; name it by `Builder::component`"
    ));
    for path in paths.filter(|path| path.is_file()) {
        loaded = Component::File(path).load(loader);
        if loaded.is_ok() {
            break;
        }
    }
    loaded
}
