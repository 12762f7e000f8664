//! `sqlite-wasm:host/dispatch`: extensions, each in its own sandbox.
//!
//! ```
//! use sqlite_wasm_runtime::extensions::{ExtensionsCtx, ExtensionGrants};
//!
//! let mut grants = ExtensionGrants::default();
//! grants.add("define=sql")?;
//! let extensions = ExtensionsCtx::new(vec!["extensions".into()]).grants(grants);
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! An extension has nothing: no files, no network, no environment, no arguments, and no SQL; only
//! clocks and randomness. [`ExtensionGrants`] grant it more. What it prints goes to a bounded log.
//! One that traps yields an SQL error that names it; the next call gets a fresh instance, and
//! tables, cursors and computations of the broken one fail.

mod build;
pub(crate) mod catalog;
pub mod compose;
mod dispatch;
mod grants;
pub mod inspect;
mod load;
mod package;
mod registry;
mod sandbox;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::{HasData, Linker};
use wire::code;

use crate::artifact::cache::Directory;
use crate::artifact::compiler::Compiler;
use crate::artifact::component::{self, BundledExtension, Loader, Program};
use crate::contract::bindings::sqlite_wasm::host::dispatch::add_to_linker as add_dispatch;
use crate::contract::types::{self, SqlError};
use crate::filesystem::grants::Grants;
use crate::filesystem::masks::Masks;
use crate::installation::key::Key;
use crate::limits::address_space::Reservation;
use crate::wall::{Plan, Rights};
use registry::Registry;

pub use build::{Built, BuiltForm};
pub use catalog::search;
pub use grants::{
    Directory as GrantedDirectory, ExtensionGrants, Granted, Identity, Prompt, SqlAccess,
};
pub use load::{NotLoaded, Prepared};
pub(crate) use sandbox::message as trap_message;

/// Most extensions of one component, those of each connection counted. The
/// component chooses; each has memory.
const MAX_EXTENSIONS: usize = 256;

/// What an extension may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Linear memory at most, in bytes. sqlite-vec searches a hundred million
    /// bytes of vectors; ordinary functions need a million or two.
    pub memory_bytes: usize,
    /// Time for one call: long for a function, and short enough that a user waits.
    pub call_time: Duration,
    /// What one call returns at most, in bytes, all rows of a batch together.
    /// The extension chooses, and the host makes copies; SQLite's own values may
    /// be ten times as large, which hardly any are.
    pub value_bytes: usize,
    /// What it prints, in bytes; the rest is dropped. It is shown when the
    /// extension traps.
    pub log_bytes: usize,
}

impl Limits {
    /// The usual limits, but no more memory than the sandbox has that loads the extensions: its SQL
    /// chooses them.
    pub fn within(memory_bytes: usize) -> Self {
        let usual = Self::default();
        Self {
            memory_bytes: usual.memory_bytes.min(memory_bytes),
            value_bytes: usual.value_bytes.min(memory_bytes),
            ..usual
        }
    }
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

/// Reports to the user what SQLite has no way to show.
pub type Report = Box<dyn FnMut(&str) + Send>;

/// The extensions of a component.
pub struct ExtensionsCtx {
    directories: Vec<PathBuf>,
    limits: Limits,
    grants: ExtensionGrants,
    masks: Masks,
    cache: Option<Directory>,
    key: Option<Arc<Key>>,
    allowed: Vec<PathBuf>,
    /// Those that the command line names, ready to be started.
    prepared: Vec<(PathBuf, component::Loaded)>,
    compiler: Compiler,
    report: Option<Report>,
    /// Made by the first extension: start-up has none.
    loader: Option<Loader>,
    /// What the memory of a component reserves that came with extensions: their
    /// code has the same form.
    bundled_reservation: Option<Reservation>,
    registry: Registry,
    /// The extensions that are bundled with the component, until they are registered, and
    /// then their ids.
    bundled: Vec<BundledExtension>,
    embedded: Vec<u32>,
}

impl ExtensionsCtx {
    /// Found in `directories` by their names.
    pub fn new(directories: Vec<PathBuf>) -> Self {
        Self {
            directories,
            limits: Limits::default(),
            grants: ExtensionGrants::default(),
            masks: Masks::default(),
            cache: None,
            key: None,
            allowed: Vec::new(),
            prepared: Vec::new(),
            compiler: Compiler::default(),
            report: None,
            loader: None,
            bundled_reservation: None,
            registry: Registry::default(),
            bundled: Vec::new(),
            embedded: Vec::new(),
        }
    }

    /// With those that came with `program`, in the form that its own code has.
    pub fn embed(&mut self, program: &Program) {
        self.bundled = program.bundled_extensions();
        // One engine without signals is useless if others in the process use them.
        let is_alike = matches!(program.reservation(), Reservation::Unsignalled(_));
        self.bundled_reservation =
            (is_alike || !self.bundled.is_empty()).then(|| program.reservation());
    }

    /// Where they are found.
    fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// With other limits than the usual ones.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// With these grants.
    #[must_use]
    pub fn grants(mut self, grants: ExtensionGrants) -> Self {
        self.grants = grants;
        self
    }

    /// With files that no granted directory opens, besides those of the program.
    #[must_use]
    pub fn masks(mut self, masks: Masks) -> Self {
        self.masks = masks;
        self
    }

    /// With a report of each trap in a call whose
    /// failure SQLite does not show.
    #[must_use]
    pub fn report_with(mut self, report: Report) -> Self {
        self.report = Some(report);
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
        for granted in self.grants.directories() {
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

    /// With those that are compiled by `compiler`.
    #[must_use]
    pub fn compiler(mut self, compiler: Compiler) -> Self {
        self.compiler = compiler;
        self
    }

    /// Report to the user what SQLite does not show.
    fn report(&mut self, text: &str) {
        if let Some(report) = &mut self.report {
            report(text);
        }
    }
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
    crate::contract::bindings::sqlite_wasm::extension::table_types::add_to_linker::<
        T,
        HasExtensions,
    >(linker, view)?;
    add_dispatch::<T, HasExtensions>(linker, view)
}

fn error(message: String) -> SqlError {
    SqlError { code: code::ERROR, message }
}
