//! Loading: from the name of an extension to an instance that can be called.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;

use super::catalog::search::{self, Source};
use super::package::Package;
use super::registry::missing;
use super::sandbox::{self, Code, Described, Instance};
use super::{ExtensionsCtx, Limits, error};
use crate::artifact::compiler::Facts;
use crate::artifact::component::{self, LoadError, Loader};
use crate::contract::bindings::sqlite_wasm::host::dispatch::Loaded;
use crate::contract::types::{Manifest, SqlError};
use crate::contract::{check, version};
use crate::filesystem::grants::Grants;
use crate::limits::address_space::Reservation;
use crate::words::escape::escaped;

/// An extension that the command line names cannot be loaded; the chain has the reasons.
#[derive(Debug)]
pub struct NotLoaded;

impl fmt::Display for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`--load` failed; nothing was run")
    }
}

impl std::error::Error for NotLoaded {}

/// Extensions with their compiled code, by the paths of their files.
#[derive(Clone)]
pub struct Prepared(Vec<(PathBuf, component::Loaded)>);

impl ExtensionsCtx {
    /// Compile and keep the extension `name` now, so that exactly the file named on the command
    /// line is loaded later.
    ///
    /// # Errors
    ///
    /// When it is not found, or cannot be used.
    pub fn prepare(&mut self, name: &str) -> Result<()> {
        let path = search::by_name(name, &self.directories)
            .map_err(|error| error.context(LoadError::of(name)))?;
        self.prepare_file(&path)
    }

    /// The same for the file `path`, which a later search by name finds first.
    ///
    /// # Errors
    ///
    /// When it is missing, or cannot be used.
    pub fn prepare_file(&mut self, path: &Path) -> Result<()> {
        let path = std::path::absolute(path)?;
        let loaded = self.loader()?.load_named(&path)?;
        let exports = version::exports(&loaded.component);
        version::check(&exports).map_err(|error| error.context(LoadError::of(&path)))?;
        self.prepared.push((path, loaded));
        Ok(())
    }

    /// Compile the extension in these bytes of the file at `path` into the cache, so that loading it
    /// is quick. None of it runs.
    ///
    /// # Errors
    ///
    /// When it cannot be used.
    pub fn compile_ahead(&mut self, path: &Path, wasm: &[u8]) -> Result<()> {
        let loaded = self.loader()?.load_bytes(path, wasm)?;
        let exports = version::exports(&loaded.component);
        version::check(&exports).map_err(|error| error.context(LoadError::of(path)))
    }

    /// Those that were prepared: their code, for other connections. Whoever takes them finds them
    /// compiled, whatever becomes of the cache.
    pub fn into_prepared(self) -> Prepared {
        Prepared(self.prepared)
    }

    /// With extensions that were prepared before.
    #[must_use]
    pub fn with_prepared(mut self, prepared: &Prepared) -> Self {
        self.prepared = prepared.0.clone();
        self
    }

    /// Load the prepared extensions `names`. A later `.load` by the component finds them loaded.
    ///
    /// # Errors
    ///
    /// [`NotLoaded`], for the first that cannot be loaded.
    pub(crate) fn load_required<'a>(
        &mut self,
        names: impl IntoIterator<Item = &'a String>,
        grants: &Grants,
    ) -> Result<()> {
        for name in names {
            self.load(name, grants).map_err(|error| error.context(NotLoaded))?;
        }
        Ok(())
    }

    /// Load an extension that the component names, unless it is loaded already.
    pub(super) fn load(&mut self, name: &str, grants: &Grants) -> Result<Loaded> {
        let prepared = self.prepared.iter().map(|(path, _)| path.as_path());
        let source = search::find(name, prepared, &self.directories, grants)
            .map_err(|error| refused(name.as_ref(), error))?;
        let is_it = |(_, package): &(u32, &Package)| package.path() == Some(source.path());
        if let Some((extension, package)) = self.registry.roots().find(is_it) {
            return Ok(Loaded { extension, manifest: package.manifest.clone() });
        }
        let opened = self.open(&source).map_err(|error| refused(name.as_ref(), error))?;
        let manifest = opened.0.manifest.clone();
        let extension = self.registry.add(Instance::of(Arc::new(opened.0), opened.1));
        Ok(Loaded { extension, manifest })
    }

    fn open(&mut self, source: &Source) -> Result<(Package, Described)> {
        let prepared = self.prepared.iter().find(|(path, _)| path == source.path());
        let loaded = match (source, prepared) {
            (Source::Named(_), Some((_, prepared))) => prepared.clone(),
            (Source::Named(path), None) => self.loader()?.load_named(path)?,
            (Source::Chosen(path, file), _) => self.loader()?.load_chosen(path, file)?,
        };
        self.registry.check_room()?;
        let (code, described) = described(&loaded, &self.limits)?;
        let manifest = described.manifest.clone();
        let hash = || loaded.sha256();
        let granted = self.grants.for_needs(source.identity(), &manifest.needs, hash)?;
        let path = source.path().to_owned();
        let masks = self.masks.clone();
        Ok((Package::of_file(path, manifest, granted, masks, self.limits, code), described))
    }

    /// Register the extensions that are bundled with the component. Those that cannot be used are
    /// omitted, like those that the command line loads.
    pub(super) fn load_embedded(&mut self) -> Vec<Loaded> {
        for extension in std::mem::take(&mut self.bundled) {
            let name = extension.embedded.name.clone();
            let room = self.registry.check_room();
            let (masks, limits) = (self.masks.clone(), self.limits);
            let grants = &mut self.grants;
            match room.and_then(|()| Package::bundled(extension, masks, limits, grants)) {
                Ok(package) => {
                    let id = self.registry.add(Instance::new(Arc::new(package)));
                    self.embedded.push(id);
                }
                Err(error) => self.report(&format!("{:#}", error.context(not_loaded(&name)))),
            }
        }
        let loaded = |id: &u32| {
            let manifest = self.registry.package(*id)?.manifest.clone();
            Some(Loaded { extension: *id, manifest })
        };
        self.embedded.iter().filter_map(loaded).collect()
    }

    /// Load the code of a bundled extension.
    #[cold]
    pub(super) fn make_ready(&mut self, id: u32) -> Result<(), SqlError> {
        let package = self.registry.get(id).map(|instance| instance.package.clone());
        let package = package.ok_or_else(|| missing(id))?;
        let ready = self.loader().and_then(|loader| package.prepare(loader.engine()));
        let context = || not_loaded(&package.manifest.name);
        ready.map_err(|cause| error(format!("{:#}", cause.context(context()))))
    }

    pub(super) fn loader(&mut self) -> Result<&Loader> {
        let loader = match self.loader.take() {
            Some(loader) => loader,
            None => self.new_loader()?,
        };
        Ok(self.loader.insert(loader))
    }

    fn new_loader(&self) -> Result<Loader> {
        let max_memory_bytes = self.limits.memory_bytes;
        let reservation = match self.bundled_reservation {
            Some(component) => component.for_extensions_of(max_memory_bytes),
            None => Reservation::for_extensions(max_memory_bytes),
        };
        let loader = Loader::for_extensions(reservation, self.cache.clone(), self.key.clone())?;
        let loader = loader.allow_native(&self.allowed).engines_in(&self.directories);
        Ok(loader.compiler(self.compiler.clone()))
    }

    /// The bytes of the file at `path`, and facts about them; none of the file runs.
    pub(crate) fn inspected(&mut self, path: &Path) -> Result<(Vec<u8>, Facts)> {
        self.loader()?.inspect(path)
    }

    /// The manifest of the extension in these bytes of the file at `path`. The extension runs with
    /// its usual limits, and without grants.
    pub(crate) fn describe(&mut self, path: &Path, wasm: &[u8]) -> Result<Manifest> {
        let loaded = self.loader()?.load_bytes(path, wasm)?;
        let (_, described) = described(&loaded, &self.limits)?;
        Ok(described.manifest)
    }
}

/// The code of an extension, and the instance that returned its manifest.
fn described(loaded: &component::Loaded, limits: &Limits) -> Result<(Code, Described)> {
    let code = Code::new(&loaded.component, loaded.script.clone())?;
    let described = sandbox::describe(&code, limits)?;
    check::manifest(&described.manifest)?;
    let code = code.for_manifest(&loaded.component, &described.manifest)?;
    code.check_use(&described.manifest)?;
    Ok((code, described))
}

/// The error of an extension that does not load. The error of a file that cannot be used contains
/// the name already.
pub(super) fn refused(name: &Path, error: anyhow::Error) -> anyhow::Error {
    if error.is::<LoadError>() {
        error
    } else {
        error.context(format!("failed to load the extension `{}`", escaped(name)))
    }
}

fn not_loaded(name: &str) -> String {
    format!("failed to load the embedded extension `{}`", escaped(name))
}
