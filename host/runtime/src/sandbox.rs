//! One recipe for the sandbox of a database: the component's file, the loader for its kind, masks,
//! grants, extensions, and what stays reachable behind the second wall.
//!
//! The runner, the crate `sqlite-sandbox`, `libsqlite3.so.0` and the server differ only in the values of
//! a [`Recipe`] and in the options of a [`DatabaseGrant`].
//!
//! ```
//! use sqlite_wasm_runtime::filesystem::grants::Access;
//! use sqlite_wasm_runtime::sandbox::{DatabaseGrant, Links, Neighbours, Recipe};
//!
//! let recipe = Recipe::of_user();
//! let how = DatabaseGrant {
//!     access: Access::ReadOnly,
//!     links: Links::Resolved,
//!     neighbours: Neighbours::Closed,
//! };
//! let mut grants = recipe.default_grants();
//! let path = grants.database("x.db".as_ref(), how)?;
//! let grants = grants.into_grants();
//! # Ok::<(), anyhow::Error>(())
//! ```

mod database;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;

use crate::artifact::cache::Directory;
use crate::artifact::compiler::Compiler;
use crate::artifact::component::{Loader, Program};
use crate::extensions::ExtensionsCtx;
use crate::filesystem::grants::{Access, Grants, Mask};
use crate::installation::key::Key;
use crate::installation::program_files;
use crate::limits::address_space::{Form, Reservation};
use crate::wall::{Plan, Rights};

pub use crate::filesystem::masks::Masks;
pub use database::{DatabaseGrant, DefaultGrants, Dotfiles, Links, Neighbours};

/// The standard input of the compile helper.
const NOTHING: &str = "/dev/null";

/// The names of a database's component: compiled, and to be compiled. With a limit of time the
/// compiled one only says which other is run.
const COMPONENTS: [&str; 2] = ["database.cwasm", "database.wasm"];

/// The same for code whose traps need no signals.
const CHECKED_COMPONENTS: [&str; 2] = ["database-checked.cwasm", "database.wasm"];

/// The source of a database's component.
#[derive(Debug, Clone)]
pub enum Source {
    /// The first file in these directories that can be used.
    Installed(Vec<PathBuf>),
    /// This file.
    File(PathBuf),
    /// The bytes of a `.wasm`.
    Bytes(&'static [u8]),
}

impl Source {
    /// The files that are installed with this process's program.
    ///
    /// # Errors
    ///
    /// When the system does not say where the program is.
    pub fn of_program() -> Result<Self> {
        let path = program_files::path(COMPONENTS[0])?;
        Ok(Self::Installed(path.parent().map(Path::to_owned).into_iter().collect()))
    }
}

/// The checks in the code of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// None: a statement is ended between two steps of SQLite's program.
    Unchecked,
    /// The code checks the time in each loop, so that one long step can be ended too.
    Checked,
}

/// What sandboxes are made of.
#[derive(Clone)]
pub struct Recipe {
    /// The directory for compiled code, if any.
    pub cache: Option<Directory>,
    /// The key that signs compiled code. It is read once, since the program may restrict itself
    /// afterwards.
    pub key: Option<Arc<Key>>,
    /// Compiles components and extensions.
    pub compiler: Compiler,
    /// Files whose native code runs without a signature.
    pub allowed: Vec<PathBuf>,
    /// The directories that the user has named.
    pub grants: Grants,
    /// The files that no grant opens.
    pub masks: Masks,
    extensions: Vec<PathBuf>,
}

impl Recipe {
    /// With this user's cache and key, and without grants.
    pub fn of_user() -> Self {
        Self {
            cache: Directory::by_xdg(),
            key: Key::of_user().ok().map(Arc::new),
            compiler: Compiler::default(),
            allowed: Vec::new(),
            grants: Grants::default(),
            masks: Masks::default(),
            extensions: Vec::new(),
        }
    }

    /// Without a cache: nothing is looked up or stored.
    #[must_use]
    pub fn without_cache(mut self) -> Self {
        self.cache = None;
        self
    }

    /// Search extensions in these directories, where SQL must not put any.
    pub fn search_extensions(&mut self, directories: Vec<PathBuf>) {
        self.masks.add(Mask::Extensions, &directories);
        self.extensions = directories;
    }

    /// Grant a directory that the user has named, by this name and by its real path.
    ///
    /// # Errors
    ///
    /// When it does not exist or belongs to the kernel.
    pub fn grant(&mut self, path: &Path, access: Access) -> Result<()> {
        self.grants.add_named(path, access)
    }

    /// The grants, to which those of a database can be added.
    pub fn default_grants(&self) -> DefaultGrants {
        DefaultGrants::new(self.grants.clone())
    }

    /// The loader for components with this reservation.
    ///
    /// # Errors
    ///
    /// When this processor or system lacks what the engine needs.
    pub fn loader(&self, reservation: Reservation, timing: Timing) -> Result<Loader> {
        let (cache, key) = (self.cache.clone(), self.key.clone());
        let loader = match timing {
            Timing::Unchecked => Loader::reserving(reservation, cache, key)?,
            Timing::Checked => Loader::timed(reservation, cache, key)?,
        };
        Ok(loader.allow_native(&self.allowed).compiler(self.compiler.clone()))
    }

    /// Load a database's component, and mask its files: the next sandbox runs them. `None` if no file
    /// is installed.
    ///
    /// # Errors
    ///
    /// When it cannot be used, or was not made by this user.
    pub fn load_database(
        &mut self,
        source: Source,
        reservation: Reservation,
        timing: Timing,
    ) -> Result<Option<Program>> {
        let loader = self.loader(reservation, timing)?;
        let (program, path) = match source {
            Source::Bytes(wasm) => {
                (loader.load_database_bytes(COMPONENTS[1].as_ref(), wasm)?, None)
            }
            Source::File(path) => (loader.load_database(&path)?, Some(path)),
            Source::Installed(directories) => {
                let names = if timing == Timing::Checked || reservation.form() == Form::Full {
                    COMPONENTS
                } else {
                    CHECKED_COMPONENTS
                };
                let paths = directories.iter().flat_map(|at| names.map(|name| at.join(name)));
                let found = loader.load_first_database(paths.filter(|path| path.is_file()))?;
                let Some((program, path)) = found else { return Ok(None) };
                (program, Some(path))
            }
        };
        // Sandboxes with other limits run the other file.
        let files = path.iter().flat_map(|path| {
            [path.clone(), path.with_extension("wasm"), path.with_extension("cwasm")]
        });
        self.masks.add(Mask::ReadOnly, files.chain([self.compiler.program()?]));
        Ok(Some(program))
    }

    /// The extensions that a sandbox may load, without capabilities.
    pub fn extensions(&self) -> ExtensionsCtx {
        ExtensionsCtx::new(self.extensions.clone())
            .native_code(self.key.clone(), &self.allowed)
            .compiler(self.compiler.clone())
            .cache(self.cache.clone())
    }

    /// Keep what the sandboxes need besides their grants reachable behind the second wall.
    pub fn plan(&self, extensions: &ExtensionsCtx, plan: &mut Plan<'_>) {
        extensions.plan(plan);
        if let Some(cache) = &self.cache {
            plan.path(cache.root(), Rights::Read);
        }
        plan.time_zone();
        plan.helper();
        plan.path(NOTHING, Rights::Terminal);
    }
}

/// Keep the granted directories reachable behind the second wall.
pub fn plan_grants<'a>(grants: &'a Grants, plan: &mut Plan<'a>) {
    for grant in grants.iter() {
        // A grant of a database alone includes its directory, where SQLite creates its journals.
        let rights = if grant.is_whole() { grant.access.into() } else { Rights::Files };
        plan.handle(grant.handle(), rights);
    }
}
