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
//! more. What it prints goes to a bounded log. One that breaks down yields an
//! SQL error that names it; the next call gets a fresh instance, and tables,
//! cursors and computations of the broken one fail.

mod check;
mod contract;
mod dispatch;
mod exchange;
mod extension;
mod handles;
pub mod inspect;
mod instance;
mod permissions;
mod permits;
mod regular_files;
mod sandbox;
pub mod search;
mod sql;
pub(crate) mod text;
pub mod types;
mod usage;
mod value;
mod version;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use wasmtime::component::{Component, HasData, Linker};

use crate::bindings::sqlite_wasm::host::dispatch::{
    ExtensionUsage, Loaded, add_to_linker as add_dispatch,
};
use crate::cache::Folder;
use crate::component::{Beside, Loader};
use crate::compose::Embedded;
use crate::grants::Grants;
use extension::{Extension, Origin};
use instance::Sandboxed;
use types::{Manifest, SqlError};

pub use permissions::{Folder as GrantedFolder, Permissions, SqlAccess};
pub use permits::{Ask, Permits, sha256};
pub(crate) use sandbox::{refuse_sql, story};

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
    /// extension breaks down.
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

/// Tells the person what SQLite has no way to show.
pub type Tell = Box<dyn FnMut(&str) + Send>;

/// The extensions of a component.
pub struct ExtensionsCtx {
    folders: Vec<PathBuf>,
    limits: Limits,
    permits: Permits,
    cache: Option<Folder>,
    tell: Option<Tell>,
    /// Made by the first extension: start-up has none.
    loader: Option<Loader>,
    /// By their numbers; none for one whose connection was closed.
    loaded: Vec<Option<Extension>>,
    /// Those that came with the component, until they are asked for, and then
    /// their numbers.
    beside: Vec<Beside>,
    embedded: Vec<u32>,
}

impl ExtensionsCtx {
    /// Found in `folders` by their names.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self {
            folders,
            limits: Limits::default(),
            permits: Permits::default(),
            cache: None,
            tell: None,
            loader: None,
            loaded: Vec::new(),
            beside: Vec::new(),
            embedded: Vec::new(),
        }
    }

    /// With those that came with the component.
    pub(crate) fn embed(&mut self, beside: Vec<Beside>) {
        self.beside = beside;
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

    /// With somebody to tell that an extension broke down in a call whose
    /// failure SQLite does not show.
    #[must_use]
    pub fn tell_by(mut self, tell: Tell) -> Self {
        self.tell = Some(tell);
        self
    }

    /// With compiled ones kept in `folder`.
    #[must_use]
    pub fn cache(mut self, folder: Option<Folder>) -> Self {
        self.cache = folder;
        self
    }

    fn load(&mut self, name: &str, grants: &Grants) -> anyhow::Result<Loaded> {
        let path = search::find(name, &self.folders, grants)?;
        let is_it = |(_, extension): &(u32, &Extension)| extension.path() == Some(&path);
        let known = self.extensions().find(is_it);
        if let Some((number, extension)) = known {
            return Ok(Loaded { extension: number, manifest: extension.manifest().clone() });
        }
        let extension =
            self.open(&path).with_context(|| format!("failed to load the extension `{name}`"))?;
        let manifest = extension.manifest().clone();
        Ok(Loaded { extension: self.add(extension), manifest })
    }

    /// All that are there, with their numbers.
    fn extensions(&self) -> impl Iterator<Item = (u32, &Extension)> {
        (0..).zip(&self.loaded).filter_map(|(number, slot)| Some((number, slot.as_ref()?)))
    }

    fn get(&mut self, number: u32) -> Option<&mut Extension> {
        self.loaded.get_mut(number as usize)?.as_mut()
    }

    /// Its number.
    fn add(&mut self, extension: Extension) -> u32 {
        self.loaded.push(Some(extension));
        self.loaded.len() as u32 - 1
    }

    /// The number by which a connection calls an extension.
    fn attach(&mut self, number: u32) -> Result<u32, SqlError> {
        let extension = self.get(number).ok_or_else(|| unknown(number))?;
        if !extension.is_per_connection() {
            return Ok(number);
        }
        self.check_room().map_err(|full| error(full.to_string()))?;
        let extension = self.get(number).ok_or_else(|| unknown(number))?;
        let connections = extension.for_connection(number);
        Ok(self.add(connections))
    }

    /// A connection does not call it any more.
    fn detach(&mut self, number: u32) {
        let Some(parent) = self.get(number).and_then(|extension| extension.parent()) else {
            return;
        };
        let ended = self.loaded[number as usize].take();
        if let (Some(parent), Some(ended)) = (self.get(parent), ended) {
            parent.take_usage(&ended);
        }
    }

    /// What each has done and used.
    fn statistics(&self) -> Vec<ExtensionUsage> {
        let of = |parent| {
            self.extensions()
                .filter(move |(_, extension)| extension.parent() == Some(parent))
                .map(|(_, extension)| extension)
        };
        self.extensions()
            .filter(|(_, extension)| extension.parent().is_none())
            .map(|(number, extension)| extension.statistics(of(number)))
            .collect()
    }

    fn check_room(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.extensions().count() < MAX_EXTENSIONS,
            "{MAX_EXTENSIONS} extensions are loaded already"
        );
        Ok(())
    }

    fn open(&mut self, path: &Path) -> anyhow::Result<Extension> {
        let component = self.component(path)?;
        self.start(&component, &Origin::File(path))
    }

    fn start(&mut self, component: &Component, origin: &Origin) -> anyhow::Result<Extension> {
        self.check_room()?;
        Extension::load(component, origin, self.limits, &mut self.permits)
    }

    fn component(&mut self, path: &Path) -> anyhow::Result<Component> {
        self.loader()?.load_component(path)
    }

    fn loader(&mut self) -> anyhow::Result<&Loader> {
        let loader = match self.loader.take() {
            Some(loader) => loader,
            None => loader(self.cache.clone())?,
        };
        Ok(self.loader.insert(loader))
    }

    /// What the extension at `path` says that it is.
    pub(crate) fn describe(&mut self, path: &Path) -> anyhow::Result<Manifest> {
        let component = self.component(path)?;
        let (_, manifest) = extension::described(&component, self.limits)?;
        Ok(manifest)
    }

    /// Load those that came with the component. One that cannot be used is left
    /// out, as one that the command line loads.
    fn load_embedded(&mut self) -> Vec<Loaded> {
        for beside in std::mem::take(&mut self.beside) {
            match self.open_embedded(&beside) {
                Ok(extension) => {
                    let number = self.add(extension);
                    self.embedded.push(number);
                }
                Err(error) => {
                    let name = &beside.embedded.name;
                    let story =
                        format!("failed to load the embedded extension `{name}`: {error:#}");
                    if let Some(tell) = &mut self.tell {
                        tell(&story);
                    }
                }
            }
        }
        self.extensions()
            .filter(|(number, _)| self.embedded.contains(number))
            .map(|(number, one)| Loaded { extension: number, manifest: one.manifest().clone() })
            .collect()
    }

    fn open_embedded(&mut self, beside: &Beside) -> anyhow::Result<Extension> {
        let engine = self.loader()?.engine();
        let component = match beside.is_native {
            true => crate::native_code::load_part(engine, &beside.content)?,
            false => Component::new(engine, &beside.content)?,
        };
        let Embedded { file, sha256, .. } = &beside.embedded;
        self.start(&component, &Origin::Embedded { name: file, sha256 })
    }
}

fn loader(cache: Option<Folder>) -> anyhow::Result<Loader> {
    let engine = crate::engine::extension_engine()?;
    sandbox::tick(&engine);
    Ok(Loader::for_engine(engine, cache))
}

/// [`ExtensionsCtx`] on its way into a call.
pub struct ExtensionsView<'a> {
    /// The extensions.
    pub ctx: &'a mut ExtensionsCtx,
    /// The folders that a path may lead into.
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

fn unknown(number: u32) -> SqlError {
    error(format!("there is no extension number {number}"))
}

fn error(message: String) -> SqlError {
    SqlError { code: SQLITE_ERROR, message }
}

impl ExtensionsView<'_> {
    fn loaded(&mut self, number: u32) -> Result<&mut Extension, SqlError> {
        self.ctx.get(number).ok_or_else(|| unknown(number))
    }

    fn extension(&mut self, number: u32) -> Result<&mut Sandboxed, SqlError> {
        self.loaded(number).map(Extension::sandbox)
    }

    /// The answer of a call whose failure SQLite does not show: a breakdown is
    /// told all the same.
    fn unheard<T>(
        &mut self,
        extension: u32,
        call: impl FnOnce(&mut Self) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.extension(extension)?.take_breakdown();
        let answer = call(self);
        if let Some(story) = self.extension(extension)?.take_breakdown()
            && let Some(tell) = &mut self.ctx.tell
        {
            tell(&story);
        }
        answer
    }
}
