//! `sqlite-wasm:host/dispatch`: extensions, each in a sandbox of its own.
//!
//! ```
//! use sqlite_wasm_run::extensions::{ExtensionsCtx, Permits};
//!
//! let mut permits = Permits::default();
//! permits.add("define=sql")?;
//! let extensions = ExtensionsCtx::new(vec!["extensions".into()]).permits(permits);
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! An extension has nothing: no files, no network, no environment, no
//! arguments, and no SQL; only clocks and random numbers. [`Permits`] grant it
//! more. What it prints goes to a bounded log. One that traps yields an
//! SQL error that names it; the next call gets a fresh instance, and tables,
//! cursors and computations of the broken one fail.

#[macro_use]
mod call;
pub(crate) mod check;
mod contract;
mod dispatch;
mod exchange;
mod extension;
mod handles;
mod inline_value;
pub mod inspect;
mod instance;
mod permissions;
mod permits;
mod question;
mod record;
mod required;
mod sandbox;
pub mod search;
mod slot;
mod slots;
mod sql;
pub(crate) mod text;
pub mod types;
mod usage;
mod value;
pub(crate) mod version;
mod work;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::{HasData, Linker};

use crate::address_space::Reservation;
use crate::bindings::sqlite_wasm::host::dispatch::{Loaded, add_to_linker as add_dispatch};
use crate::cache::Directory;
use crate::compiler::{Compiler, Facts};
use crate::component::{self, Beside, LoadError, Loader, Program};
use crate::escape::escaped;
use crate::grants::Grants;
use crate::key::Key;
use crate::wall::{Plan, Rights};
use extension::Extension;
use instance::Sandboxed;
use search::Source;
use slot::{Slot, Waiting};
use slots::{Slots, missing};
use types::{Manifest, SqlError};

pub use permissions::{Directory as GrantedDirectory, Permissions, SqlAccess};
pub use permits::{Ask, Identity, Permits, sha256};
pub use required::NotLoaded;
pub(crate) use sandbox::story;

/// `SQLITE_ERROR`.
const SQLITE_ERROR: i32 = 1;

/// Most extensions of one component, those of each connection counted. The
/// component chooses; each has memory.
const MAX_EXTENSIONS: usize = 256;

/// What an extension may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Linear memory at most, in bytes. sqlite-vec searches a hundred million
    /// bytes of vectors; ordinary functions need a million or two.
    pub memory_bytes: usize,
    /// Time for one call: long for a function, and a person still waits.
    pub call_time: Duration,
    /// What one call gives back at most, in bytes, all rows of a batch together.
    /// The extension chooses, and the host makes copies; SQLite's own values may
    /// be ten times as large, which hardly any are.
    pub value_bytes: usize,
    /// What it prints, in bytes; the rest is dropped. It is shown when the
    /// extension traps.
    pub log_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 512 << 20,
            call_time: Duration::from_secs(10),
            value_bytes: 128 << 20,
            log_bytes: 64 << 10,
        }
    }
}

/// Tells the user what SQLite has no way to show.
pub type Tell = Box<dyn FnMut(&str) + Send>;

/// The extensions of a component.
pub struct ExtensionsCtx {
    directories: Vec<PathBuf>,
    limits: Limits,
    permits: Permits,
    cache: Option<Directory>,
    key: Option<Arc<Key>>,
    allowed: Vec<PathBuf>,
    /// Those that the command line names, ready to be started.
    prepared: Vec<(PathBuf, component::Loaded)>,
    compiler: Compiler,
    tell: Option<Tell>,
    /// Made by the first extension: start-up has none.
    loader: Option<Loader>,
    /// What the memory of a component reserves that came with extensions: their
    /// code has the same form.
    beside_of: Option<Reservation>,
    slots: Slots,
    /// Those that came with the component, until they are asked for, and then
    /// their numbers.
    beside: Vec<Beside>,
    embedded: Vec<u32>,
}

impl ExtensionsCtx {
    /// Found in `directories` by their names.
    pub fn new(directories: Vec<PathBuf>) -> Self {
        Self {
            directories,
            limits: Limits::default(),
            permits: Permits::default(),
            cache: None,
            key: None,
            allowed: Vec::new(),
            prepared: Vec::new(),
            compiler: Compiler::default(),
            tell: None,
            loader: None,
            beside_of: None,
            slots: Slots::default(),
            beside: Vec::new(),
            embedded: Vec::new(),
        }
    }

    /// With those that came with `program`, in the form that its own code has.
    pub fn embed(&mut self, program: &Program) {
        self.beside = program.beside();
        self.beside_of = (!self.beside.is_empty()).then(|| program.reservation());
    }

    /// With other limits than the usual ones.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// With what is granted to them.
    #[must_use]
    pub fn permits(mut self, permits: Permits) -> Self {
        self.permits = permits;
        self
    }

    /// With somebody to tell that an extension trapped in a call whose
    /// failure SQLite does not show.
    #[must_use]
    pub fn tell_by(mut self, tell: Tell) -> Self {
        self.tell = Some(tell);
        self
    }

    /// With compiled ones kept in `directory`.
    #[must_use]
    pub fn cache(mut self, directory: Option<Directory>) -> Self {
        self.cache = directory;
        self
    }

    /// Keep what extensions are loaded from and what they are granted reachable
    /// behind the second wall.
    pub fn plan(&self, plan: &mut Plan) {
        self.directories.iter().for_each(|directory| plan.path(directory, Rights::Read));
        for granted in self.permits.directories() {
            plan.path(&granted.host, granted.access.into());
        }
    }

    /// With native code taken that is sealed with `key`, or in the files
    /// `allowed`.
    #[must_use]
    pub fn native_code(mut self, key: Option<Arc<Key>>, allowed: &[PathBuf]) -> Self {
        self.key = key;
        self.allowed = allowed.to_vec();
        self
    }

    /// Compile and keep the extension `name` now, so that what the command line
    /// names is what is loaded later.
    ///
    /// # Errors
    ///
    /// When it is not found, or cannot be used.
    pub fn prepare(&mut self, name: &str) -> anyhow::Result<()> {
        let path = search::by_name(name, &self.directories)
            .map_err(|error| error.context(LoadError::of(name)))?;
        self.prepare_file(&path)
    }

    /// The same for the file `path`, which is then found by its name before all
    /// others.
    ///
    /// # Errors
    ///
    /// When it is not there, or cannot be used.
    pub fn prepare_file(&mut self, path: &Path) -> anyhow::Result<()> {
        let path = std::path::absolute(path)?;
        let loaded = self.loader()?.load_named(&path)?;
        let exports = version::exports(&loaded.component);
        version::check(&exports).map_err(|error| error.context(LoadError::of(&path)))?;
        self.prepared.push((path, loaded));
        Ok(())
    }

    /// With those that are compiled by `compiler`.
    #[must_use]
    pub fn compiler(mut self, compiler: Compiler) -> Self {
        self.compiler = compiler;
        self
    }

    fn load(&mut self, name: &str, grants: &Grants) -> anyhow::Result<Loaded> {
        let source = search::find(name, self.prepared(), &self.directories, grants)
            .map_err(|error| refused(name.as_ref(), error))?;
        let is_it = |(_, extension): &(u32, &Extension)| extension.path() == Some(source.path());
        let known = self.slots.extensions().find(is_it);
        if let Some((number, extension)) = known {
            return Ok(Loaded { extension: number, manifest: extension.manifest().clone() });
        }
        let extension = self.open(&source).map_err(|error| refused(name.as_ref(), error))?;
        let manifest = extension.manifest().clone();
        let extension = self.slots.add(Slot::Loaded(Box::new(extension)));
        Ok(Loaded { extension, manifest })
    }

    /// The extension of that number, started if it was not yet.
    fn get(&mut self, number: u32) -> Result<&mut Extension, SqlError> {
        if self.slots.waiting(number).is_some() {
            let extension = self.started(number)?;
            self.slots.start(number, extension);
        }
        self.slots.loaded(number)
    }

    fn prepared(&self) -> impl Iterator<Item = &Path> {
        self.prepared.iter().map(|(path, _)| path.as_path())
    }

    fn open(&mut self, source: &Source) -> anyhow::Result<Extension> {
        let prepared = self.prepared.iter().find(|(path, _)| path == source.path());
        let loaded = match (source, prepared) {
            (Source::Named(_), Some((_, prepared))) => prepared.clone(),
            (Source::Named(path), None) => self.loader()?.load_named(path)?,
            (Source::Chosen(path, file), _) => self.loader()?.load_chosen(path, file)?,
        };
        self.slots.check_room()?;
        Extension::load(&loaded, source, self.limits, &mut self.permits)
    }

    fn loader(&mut self) -> anyhow::Result<&Loader> {
        let loader = match self.loader.take() {
            Some(loader) => loader,
            None => self.new_loader()?,
        };
        Ok(self.loader.insert(loader))
    }

    fn new_loader(&self) -> anyhow::Result<Loader> {
        let max_memory_bytes = self.limits.memory_bytes;
        let reservation = match self.beside_of {
            Some(component) => component.for_extensions_of(max_memory_bytes),
            None => Reservation::for_extensions(max_memory_bytes),
        };
        let loader = Loader::for_extensions(reservation, self.cache.clone(), self.key.clone())?;
        Ok(loader.allow_native(&self.allowed).compiler(self.compiler))
    }

    /// The bytes of the file at `path`, and what they are; nothing of them runs.
    pub(crate) fn inspected(&mut self, path: &Path) -> anyhow::Result<(Vec<u8>, Facts)> {
        self.loader()?.inspect(path)
    }

    /// What the extension in these bytes of the file at `path` says that it is.
    /// It runs with its usual limits, and nothing is granted to it.
    pub(crate) fn describe(&mut self, path: &Path, wasm: &[u8]) -> anyhow::Result<Manifest> {
        let component = self.loader()?.load_bytes(path, wasm)?.component;
        let (_, manifest) = extension::described(&component, self.limits)?;
        Ok(manifest)
    }

    /// Take those that came with the component. One that cannot be used is left
    /// out, as one that the command line loads.
    fn load_embedded(&mut self) -> Vec<Loaded> {
        for beside in std::mem::take(&mut self.beside) {
            let name = beside.embedded.name.clone();
            let waiting =
                self.slots.check_room().and_then(|()| Waiting::new(beside, &mut self.permits));
            match waiting {
                Ok(waiting) => {
                    let number = self.slots.add(Slot::Waiting(waiting));
                    self.embedded.push(number);
                }
                Err(error) => {
                    let story = format!("{:#}", error.context(not_loaded(&name)));
                    if let Some(tell) = &mut self.tell {
                        tell(&story);
                    }
                }
            }
        }
        let loaded = |number: &u32| {
            let manifest = self.slots.get(*number)?.manifest()?.clone();
            Some(Loaded { extension: *number, manifest })
        };
        self.embedded.iter().filter_map(loaded).collect()
    }

    /// Start the extension that waits by that number.
    fn started(&mut self, number: u32) -> Result<Extension, SqlError> {
        let loader = match self.loader.take() {
            Some(loader) => Ok(loader),
            None => self.new_loader(),
        };
        let waiting = self.slots.waiting(number).ok_or_else(|| missing(number))?;
        let (beside, permissions) = match &waiting.source {
            slot::Source::Parent(parent) => {
                let parent = *parent;
                self.loader = loader.ok();
                return Ok(self.get(parent)?.for_connection(parent));
            }
            slot::Source::File(beside, permissions) => (beside, permissions),
        };
        let started = loader.and_then(|loader| {
            let component = beside.component(self.loader.insert(loader).engine())?;
            Extension::embedded(&component, &waiting.manifest, self.limits, permissions)
        });
        let name = &waiting.manifest.name;
        started.map_err(|cause| error(format!("{:#}", cause.context(not_loaded(name)))))
    }
}

/// The error of an extension that does not load. That of a file which cannot be
/// used names it already.
fn refused(name: &Path, error: anyhow::Error) -> anyhow::Error {
    match error.is::<LoadError>() {
        true => error,
        false => error.context(format!("failed to load the extension `{}`", escaped(name))),
    }
}

fn not_loaded(name: &str) -> String {
    format!("failed to load the embedded extension `{}`", escaped(name))
}

/// [`ExtensionsCtx`] on its way into a call.
pub struct ExtensionsView<'a> {
    /// The extensions.
    pub ctx: &'a mut ExtensionsCtx,
    /// The directories that a path may lead into.
    pub grants: &'a Grants,
}

struct HasExtensions;

impl HasData for HasExtensions {
    type Data<'a> = ExtensionsView<'a>;
}

/// Offer the interface to components.
///
/// # Errors
///
/// When the linker has it already.
pub fn add_to_linker<T: 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> ExtensionsView<'_>,
) -> wasmtime::Result<()> {
    types::add_to_linker::<T, HasExtensions>(linker, view)?;
    crate::bindings::sqlite_wasm::extension::table_types::add_to_linker::<T, HasExtensions>(
        linker, view,
    )?;
    add_dispatch::<T, HasExtensions>(linker, view)
}

fn error(message: String) -> SqlError {
    SqlError { code: SQLITE_ERROR, message }
}

impl ExtensionsView<'_> {
    fn loaded(&mut self, number: u32) -> Result<&mut Extension, SqlError> {
        self.ctx.get(number)
    }

    fn extension(&mut self, number: u32) -> Result<&mut Sandboxed, SqlError> {
        self.loaded(number).map(Extension::sandbox)
    }

    /// The answer of a call whose failure SQLite does not show: a trap is
    /// told all the same.
    fn unheard<T>(
        &mut self,
        extension: u32,
        call: impl FnOnce(&mut Self) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.extension(extension)?.take_trap();
        let answer = call(self);
        if let Some(story) = self.extension(extension)?.take_trap()
            && let Some(tell) = &mut self.ctx.tell
        {
            tell(&story);
        }
        answer
    }
}
