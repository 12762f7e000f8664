//! From a path to a component that can run: precompiled, or compiled once and
//! kept.

use std::any::Any;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::address_space::Reservation;
use crate::artifact;
use crate::cache::{self, Folder};
use crate::compose::{Composition, Embedded};
use crate::content::ContentHashes;
use crate::engine::{command_engine, extension_engine};
use crate::extensions::sha256;

/// Largest `.wasm` that is compiled, in bytes; SQLite's shell has 2.5 million.
const MAX_WASM_BYTES: u64 = 1 << 30;

/// The first interface that a command-line component exports, in any version.
pub(crate) const COMMAND_EXPORT: &str = "wasi:cli/run@";

/// The interface that every extension exports, in any version.
pub(crate) const EXTENSION_EXPORT: &str = "sqlite-wasm:extension/extension@";

/// What is done when a component is about to be compiled; its result is
/// dropped when that is over.
type OnCompile = dyn Fn(&Path) -> Box<dyn Any> + Send;

/// Loads components for one engine.
pub struct Loader {
    engine: Engine,
    cache: Option<Folder>,
    hashes: ContentHashes,
    on_compile: Box<OnCompile>,
}

/// A component whose code is ready.
pub struct Program {
    pub(crate) engine: Engine,
    pub(crate) component: Component,
    /// What it was composed with.
    pub(crate) composition: Option<Composition>,
    origin: Origin,
}

/// Where a component's code came from.
enum Origin {
    /// A precompiled file, which may be one of the cache.
    Native(Arc<File>),
    /// Compiled just now.
    Wasm(Vec<u8>),
}

impl Origin {
    fn composition(&self) -> Result<Option<Composition>> {
        match self {
            Self::Native(file) => artifact::composition(file),
            Self::Wasm(wasm) => Composition::of(wasm),
        }
    }
}

/// An extension that came with a program and runs beside it.
pub(crate) struct Beside {
    pub embedded: Embedded,
    content: Content,
}

/// An extension's code.
enum Content {
    /// For the engine of extensions, at this place in the program's file.
    Native(Arc<File>, Range<usize>),
    /// Its `.wasm`.
    Wasm(Vec<u8>),
}

impl Beside {
    /// Its code, for the engine of extensions.
    pub fn component(&self, engine: &Engine) -> Result<Component> {
        match &self.content {
            Content::Wasm(wasm) => Ok(Component::new(engine, wasm)?),
            Content::Native(file, range) => {
                let mut code = vec![0; range.len()];
                file.read_exact_at(&mut code, range.start as u64)?;
                Ok(crate::native_code::load_part(engine, &code)?)
            }
        }
    }
}

impl Program {
    /// The memories that running it makes, those of the extensions that came
    /// with it included.
    pub fn memories(&self) -> usize {
        let own = self.component.resources_required().map_or(1, |needs| needs.num_memories);
        let beside =
            self.composition.as_ref().map_or(0, |composition| composition.beside().count());
        own as usize + beside
    }

    /// What each of its memories reserves.
    pub(crate) fn reservation(&self) -> Reservation {
        Reservation::of(&self.engine)
    }

    /// The extensions that came with it and run beside it.
    pub(crate) fn beside(&self) -> Vec<Beside> {
        let Some(composition) = &self.composition else { return Vec::new() };
        let beside = composition.beside().map(|(embedded, range)| {
            let mut embedded = embedded.clone();
            let content = match &self.origin {
                Origin::Native(file) => Content::Native(file.clone(), range),
                Origin::Wasm(wasm) => {
                    let content = wasm[range].to_vec();
                    // Grants go by it: what the file says would be a claim.
                    embedded.sha256 = sha256(&content);
                    Content::Wasm(content)
                }
            };
            Beside { embedded, content }
        });
        beside.collect()
    }
}

/// Why a component cannot be loaded; the whole story is in the chain.
#[derive(Debug)]
pub struct LoadError(PathBuf);

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "failed to load `{}`", self.0.display())
    }
}

impl std::error::Error for LoadError {}

impl Loader {
    /// With compiled components kept in `cache`, or nowhere.
    ///
    /// # Errors
    ///
    /// When this processor or system lacks what the engine needs.
    pub fn new(cache: Option<Folder>) -> Result<Self> {
        Self::reserving(Reservation::Full, cache)
    }

    /// The same, for components whose memory reserves so much.
    ///
    /// # Errors
    ///
    /// When this processor or system lacks what the engine needs.
    pub fn reserving(reservation: Reservation, cache: Option<Folder>) -> Result<Self> {
        Ok(Self::for_engine(command_engine(reservation)?, cache))
    }

    /// For components that run on `engine`.
    pub(crate) fn for_engine(engine: Engine, cache: Option<Folder>) -> Self {
        Self {
            engine,
            hashes: ContentHashes::new(cache.clone()),
            cache,
            on_compile: Box::new(|_| Box::new(())),
        }
    }

    /// The engine that components are loaded for.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Load a component of any kind.
    pub(crate) fn load_component(&self, path: &Path) -> Result<Component> {
        let loaded = self.component(path).map_err(|error| error.context(LoadError(path.into())));
        loaded.map(|(component, _)| component)
    }

    /// Call `show` when a component is about to be compiled, and drop what it
    /// gives when that is done.
    pub fn on_compile(mut self, show: impl Fn(&Path) -> Box<dyn Any> + Send + 'static) -> Self {
        self.on_compile = Box::new(show);
        self
    }

    /// Load the `.wasm` or `.cwasm` file at `path`.
    ///
    /// # Errors
    ///
    /// [`LoadError`], with the reason and the way out in its chain.
    pub fn load(&self, path: &Path) -> Result<Program> {
        self.component(path)
            .and_then(|(component, origin)| self.program(component, origin))
            .map_err(|error| error.context(LoadError(path.into())))
    }

    /// Compile the `.wasm` file at `path` and seal the result.
    ///
    /// # Errors
    ///
    /// [`LoadError`], with the reason in its chain.
    pub fn precompile(&self, path: &Path) -> Result<Vec<u8>> {
        let compile = || {
            let wasm = read(&mut open(path)?)?;
            let _shown = (self.on_compile)(path);
            artifact::precompile(&self.engine_for(&wasm)?, &wasm)
        };
        compile().map_err(|error| error.context(LoadError(path.into())))
    }

    /// An extension is compiled for its own engine, whose code looks at a clock.
    fn engine_for(&self, wasm: &[u8]) -> Result<Engine> {
        if Composition::of(wasm)?.is_some() {
            return Ok(self.engine.clone());
        }
        // Compiling a program twice, only to know what it is, would take long.
        let mut places = wasm.windows(EXTENSION_EXPORT.len());
        if !places.any(|place| place == EXTENSION_EXPORT.as_bytes()) {
            return Ok(self.engine.clone());
        }
        artifact::check_wasm(wasm)?;
        let component =
            Component::new(&self.engine, wasm).map_err(|error| artifact::invalid(&error))?;
        let ty = component.component_type();
        match ty.exports(&self.engine).any(|(name, _)| name.starts_with(EXTENSION_EXPORT)) {
            true => extension_engine(Reservation::of(&self.engine)),
            false => Ok(self.engine.clone()),
        }
    }

    fn component(&self, path: &Path) -> Result<(Component, Origin)> {
        let mut file = open(path)?;
        if path.extension().is_some_and(|extension| extension == "cwasm") {
            let component = artifact::load(&self.engine, &file, &self.hashes)?;
            return Ok((component, Origin::Native(file.into())));
        }
        let Some(cache) = &self.cache else {
            return self.compile(path, read(&mut file)?);
        };
        let content = self.hashes.of(&file, file.metadata()?.len())?;
        let Some(artifact) = cache.artifact(&self.engine, &content) else {
            return self.compile(path, read(&mut file)?);
        };
        if let Some(cached) = self.cached(&artifact) {
            return Ok(cached);
        }
        let _shown = (self.on_compile)(path);
        cache.write(&artifact, &artifact::precompile(&self.engine, &read(&mut file)?)?);
        match self.cached(&artifact) {
            Some(cached) => Ok(cached),
            // The folder cannot be written.
            None => self.compile(path, read(&mut open(path)?)?),
        }
    }

    /// A cached artifact that is stale or broken counts as none, and is made
    /// again.
    fn cached(&self, artifact: &Path) -> Option<(Component, Origin)> {
        let file = cache::open(artifact)?;
        let component = artifact::load(&self.engine, &file, &self.hashes).ok()?;
        Some((component, Origin::Native(file.into())))
    }

    fn compile(&self, path: &Path, wasm: Vec<u8>) -> Result<(Component, Origin)> {
        artifact::check_wasm(&wasm)?;
        let _shown = (self.on_compile)(path);
        let component =
            Component::new(&self.engine, &wasm).map_err(|error| artifact::invalid(&error))?;
        Ok((component, Origin::Wasm(wasm)))
    }

    fn program(&self, component: Component, origin: Origin) -> Result<Program> {
        let ty = component.component_type();
        let runs = ty.exports(&self.engine).any(|(name, _)| name.starts_with(COMMAND_EXPORT));
        if !runs {
            return Err(anyhow!(
                "it is a component of another kind, which does not export `wasi:cli/run`; \
                 only command-line components are run"
            ));
        }
        let composition = origin.composition()?;
        Ok(Program { engine: self.engine.clone(), component, composition, origin })
    }
}

fn open(path: &Path) -> Result<File> {
    // A pipe that nobody writes would be waited for.
    let without_waiting = nix::libc::O_NONBLOCK;
    let file =
        File::options().read(true).custom_flags(without_waiting).open(path).map_err(|error| {
            anyhow!("failed to open it: {error}; check its name and permissions")
        })?;
    if !file.metadata()?.is_file() {
        return Err(artifact::Unusable::NotAFile.into());
    }
    Ok(file)
}

fn read(file: &mut File) -> Result<Vec<u8>> {
    let mut wasm = Vec::new();
    file.take(MAX_WASM_BYTES).read_to_end(&mut wasm).context("failed to read it")?;
    Ok(wasm)
}
