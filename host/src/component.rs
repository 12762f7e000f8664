//! From a path to a component that can run: precompiled, or compiled once and
//! kept.

use std::any::Any;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::artifact;
use crate::cache::{self, Folder};
use crate::compiler::{Compiler, EngineKind, Facts};
use crate::compose::{Composition, Embedded};
use crate::content::ContentHashes;
use crate::engine::command_engine;
use crate::escape::escaped;
use crate::extensions::sha256;

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
    kind: EngineKind,
    compiler: Compiler,
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
    pub fn component(&self, engine: &Engine, compiler: &Compiler) -> Result<Component> {
        match &self.content {
            Content::Wasm(wasm) => compiler.component(engine, EngineKind::Extension, wasm),
            Content::Native(file, range) => {
                let mut code = vec![0; range.len()];
                file.read_exact_at(&mut code, range.start as u64)?;
                Ok(crate::native_code::load_part(engine, &code)?)
            }
        }
    }
}

impl Program {
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
pub struct LoadError(pub(crate) PathBuf);

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "failed to load `{}`", escaped(&self.0))
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
        Ok(Self::for_engine(command_engine()?, EngineKind::Command, cache))
    }

    /// For components that run on `engine`, which is of this kind.
    pub(crate) fn for_engine(engine: Engine, kind: EngineKind, cache: Option<Folder>) -> Self {
        Self {
            engine,
            kind,
            compiler: Compiler::default(),
            hashes: ContentHashes::new(cache.clone()),
            cache,
            on_compile: Box::new(|_| Box::new(())),
        }
    }

    /// With components compiled by `compiler`.
    #[must_use]
    pub fn compiler(mut self, compiler: Compiler) -> Self {
        self.compiler = compiler;
        self
    }

    /// The code of an extension that came with a component.
    pub(crate) fn beside(&self, beside: &Beside) -> Result<Component> {
        beside.component(&self.engine, &self.compiler)
    }

    /// The bytes of the `.wasm` file at `path`, and what they are; nothing of
    /// them runs.
    ///
    /// # Errors
    ///
    /// [`LoadError`], with the reason in its chain.
    pub fn inspect(&self, path: &Path) -> Result<(Vec<u8>, Facts)> {
        let wasm = self.bytes(path)?;
        let facts = self.facts(path, &wasm)?;
        Ok((wasm, facts))
    }

    /// The bytes of the `.wasm` file at `path`.
    pub(crate) fn bytes(&self, path: &Path) -> Result<Vec<u8>> {
        let wasm = open(path).and_then(|mut file| self.read(&mut file));
        wasm.map_err(|error| error.context(LoadError(path.into())))
    }

    /// What these bytes of the file at `path` are.
    pub(crate) fn facts(&self, path: &Path, wasm: &[u8]) -> Result<Facts> {
        self.compiler.inspect(wasm).map_err(|error| error.context(LoadError(path.into())))
    }

    /// The component that these bytes of the file at `path` are, kept in the
    /// cache as one that is loaded.
    pub(crate) fn component_of(&self, path: &Path, wasm: &[u8]) -> Result<Component> {
        let kept = self.cache.as_ref().and_then(|cache| {
            artifact::check_wasm(wasm).ok()?;
            Some((cache, cache.artifact(&self.engine, &blake3::hash(wasm))?))
        });
        let Some((cache, artifact)) = kept else {
            return self.compiled(path, wasm);
        };
        if let Some((component, _)) = self.cached(&artifact) {
            return Ok(component);
        }
        let _shown = (self.on_compile)(path);
        let code = artifact::precompile(&self.compiler, self.kind, wasm);
        cache.write(&artifact, &code.map_err(|error| error.context(LoadError(path.into())))?);
        match self.cached(&artifact) {
            Some((component, _)) => Ok(component),
            None => self.compiled(path, wasm),
        }
    }

    fn compiled(&self, path: &Path, wasm: &[u8]) -> Result<Component> {
        let _shown = (self.on_compile)(path);
        let component = self.compiler.component(&self.engine, self.kind, wasm);
        component.map_err(|error| error.context(LoadError(path.into())))
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
            let wasm = self.read(&mut open(path)?)?;
            let _shown = (self.on_compile)(path);
            artifact::precompile(&self.compiler, self.kind_of(&wasm)?, &wasm)
        };
        compile().map_err(|error| error.context(LoadError(path.into())))
    }

    /// An extension is compiled for its own engine, whose code looks at a clock.
    fn kind_of(&self, wasm: &[u8]) -> Result<EngineKind> {
        if Composition::of(wasm)?.is_some() {
            return Ok(self.kind);
        }
        match self.compiler.inspect(wasm)?.exports(EXTENSION_EXPORT) {
            true => Ok(EngineKind::Extension),
            false => Ok(self.kind),
        }
    }

    fn component(&self, path: &Path) -> Result<(Component, Origin)> {
        let mut file = open(path)?;
        if path.extension().is_some_and(|extension| extension == "cwasm") {
            let component = artifact::load(&self.engine, &file, &self.hashes)?;
            return Ok((component, Origin::Native(file.into())));
        }
        let Some(cache) = &self.cache else {
            return self.compile(path, self.read(&mut file)?);
        };
        let content = self.hashes.of(&file, file.metadata()?.len())?;
        let Some(artifact) = cache.artifact(&self.engine, &content) else {
            return self.compile(path, self.read(&mut file)?);
        };
        if let Some(cached) = self.cached(&artifact) {
            return Ok(cached);
        }
        let _shown = (self.on_compile)(path);
        let wasm = self.read(&mut file)?;
        cache.write(&artifact, &artifact::precompile(&self.compiler, self.kind, &wasm)?);
        match self.cached(&artifact) {
            Some(cached) => Ok(cached),
            // The folder cannot be written.
            None => self.compile(path, wasm),
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
        let _shown = (self.on_compile)(path);
        // What stands behind the component was checked to be none of it.
        let end = Composition::of(&wasm)?.map_or(wasm.len(), |composed| composed.component_bytes);
        let component = self.compiler.component(&self.engine, self.kind, &wasm[..end])?;
        Ok((component, Origin::Wasm(wasm)))
    }

    fn read(&self, file: &mut File) -> Result<Vec<u8>> {
        let most = self.compiler.max_wasm_bytes();
        let mut wasm = Vec::new();
        file.take(most + 1).read_to_end(&mut wasm).context("failed to read it")?;
        ensure!(
            wasm.len() as u64 <= most,
            "it is larger than {most} bytes, and there is no memory to compile more; \
             raise `--max-memory` or build it smaller"
        );
        Ok(wasm)
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

/// Open a file that may be anything.
pub(crate) fn open(path: &Path) -> Result<File> {
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
