//! The component in the library's directory, loaded once for the process.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, anyhow};
use runtime::artifact::compiler::HELPER;
use runtime::database::{Template, forgo_signals};
use runtime::filesystem::grants::Mask;
use runtime::installation::program_files::installed_in;
use runtime::limits::address_space::{Form, Reservation};
use runtime::sandbox::{Recipe, Source, Timing};

use crate::grants;
use crate::hidden;
use crate::settings;

/// What all connections of the process share.
pub struct Sandbox {
    pub template: Template,
    pub recipe: Recipe,
    /// The directories of the shipped extensions.
    pub shipped: Vec<PathBuf>,
}

/// The process's sandbox, for connections with or without a limit of time; a failure is tried again
/// by the next connection.
///
/// # Errors
///
/// When the component is missing or cannot be compiled.
pub fn sandbox(library: &CStr, is_timed: bool) -> Result<Arc<Sandbox>> {
    static SANDBOXES: Mutex<[Option<Arc<Sandbox>>; 2]> = Mutex::new([None, None]);
    let mut sandboxes = SANDBOXES.lock().map_err(|_| anyhow!("the sandbox failed before"))?;
    let sandbox = &mut sandboxes[usize::from(is_timed)];
    if let Some(sandbox) = sandbox {
        return Ok(sandbox.clone());
    }
    let loaded = Arc::new(load(Path::new(OsStr::from_bytes(library.to_bytes())), is_timed)?);
    Ok(sandbox.insert(loaded).clone())
}

fn load(library: &Path, is_timed: bool) -> Result<Sandbox> {
    // The file that the links in front of it lead to.
    let library = std::fs::canonicalize(library).context("the library's own path is not known")?;
    let directories = directories(&library)?;
    let reservation = Reservation::for_program(settings::without_signals()?);
    if reservation.form() != Form::Full {
        forgo_signals();
    }
    let mut recipe = Recipe::of_user();
    grants::of_environment(&mut recipe)?;
    // Never one in the directory of the program, which may be anybody's.
    let helper = directories.iter().map(|at| at.join(HELPER)).find(|path| path.is_file());
    let helper = helper.unwrap_or_else(|| library.with_file_name(HELPER));
    recipe.compiler = recipe.compiler.start_by(hidden::start).helper(helper);
    let timing = if is_timed { Timing::Checked } else { Timing::Unchecked };
    let source = Source::Installed(directories.to_vec());
    let program = recipe.load_database(source, reservation, timing)?;
    let program =
        program.ok_or_else(|| anyhow!("there is no database.wasm beside {}", library.display()))?;
    // Other connections, and the next process, may run any of them.
    let own = directories.iter().flat_map(|at| installed_in(at));
    recipe.masks.add(Mask::ReadOnly, own.chain([library]));
    let shipped = directories.iter().map(|at| at.join("extensions"));
    let shipped: Vec<_> = shipped.filter(|path| path.is_dir()).collect();
    recipe.search_extensions(shipped.clone());
    Ok(Sandbox { template: Template::new(program)?, recipe, shipped })
}

/// The directories of the components and the compile helper.
fn directories(library: &Path) -> Result<[PathBuf; 3]> {
    let own = library.parent().context("the library's own path is not known")?;
    Ok([own.join("sqlite-wasm"), own.to_owned(), own.parent().unwrap_or(own).to_owned()])
}
