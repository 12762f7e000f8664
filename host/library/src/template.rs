//! The component in the library's directory, loaded once for the process.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, anyhow};
use runtime::address_space::{Form, Reservation};
use runtime::cache::Directory as Cache;
use runtime::compiler::{Compiler, HELPER};
use runtime::component::Loader;
use runtime::database::{Template, forgo_signals};
use runtime::key::Key;
use runtime::program_files::installed_in;

use crate::hidden;
use crate::settings;

/// The component's names: compiled, and to be compiled. With a limit of time the compiled one only
/// says which other is run.
const COMPONENTS: [&str; 2] = ["database.cwasm", "database.wasm"];

/// The same for code whose traps need no signals.
const CHECKED_COMPONENTS: [&str; 2] = ["database-checked.cwasm", "database.wasm"];

/// What all connections of the process share.
pub struct Sandbox {
    pub template: Template,
    pub cache: Option<Cache>,
    pub compiler: Compiler,
    /// Files that no SQL may write.
    pub own: Vec<PathBuf>,
    pub extensions: Vec<PathBuf>,
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
    let names = match is_timed || reservation.form() == Form::Full {
        true => COMPONENTS,
        false => CHECKED_COMPONENTS,
    };
    if reservation.form() != Form::Full {
        forgo_signals();
    }
    let cache = Cache::by_xdg();
    let compiler = Compiler::default().start_by(hidden::start);
    let helper = directories.iter().map(|at| at.join(HELPER)).find(|path| path.is_file());
    // Never one beside the program, which may be anybody's.
    let compiler = compiler.helper(helper.unwrap_or_else(|| library.with_file_name(HELPER)));
    let key = Key::of_user().ok().map(Arc::new);
    let loader = match is_timed {
        true => Loader::timed(reservation, cache.clone(), key)?,
        false => Loader::reserving(reservation, cache.clone(), key)?,
    };
    let components = directories.iter().flat_map(|at| names.map(|name| at.join(name)));
    let components = components.filter(|path| path.is_file());
    let loaded = loader.compiler(compiler.clone()).load_first_database(components)?;
    let (program, _) =
        loaded.ok_or_else(|| anyhow!("there is no database.wasm beside {}", library.display()))?;
    let extensions = directories.iter().map(|at| at.join("extensions"));
    Ok(Sandbox {
        template: Template::new(program)?,
        cache,
        compiler,
        extensions: extensions.filter(|path| path.is_dir()).collect(),
        // Other connections, and the next process, may run any of them.
        own: directories.iter().flat_map(|at| installed_in(at)).chain([library]).collect(),
    })
}

/// The directories of the components and the compile helper.
fn directories(library: &Path) -> Result<[PathBuf; 3]> {
    let own = library.parent().context("the library's own path is not known")?;
    Ok([own.join("sqlite-wasm"), own.to_owned(), own.parent().unwrap_or(own).to_owned()])
}
