//! Components by their files. Everything that is decided is decided on the
//! bytes that are then used: a `.wasm` is read once, and hashed, compiled and
//! kept as it was read; native code is accepted by its seal and mapped only
//! from the cache, where no component can change it meanwhile.

use std::any::Any;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use blake3::Hash;
use wasmparser::{Parser, Payload};
use wasmtime::Engine;

use super::code::Code;
use super::{COMMAND_EXPORT, EXTENSION_EXPORT, LoadError, Loaded, Program};
use crate::address_space::Reservation;
use crate::artifact::{self, Unusable};
use crate::cache::{self, Folder};
use crate::compose::Composition;
use crate::content::{Fact, Records, State};
use crate::engine::{command_engine, extension_engine};
use crate::key::Key;

/// Largest `.wasm` that is compiled, in bytes; SQLite's shell has 2.5 million.
const MAX_WASM_BYTES: u64 = 1 << 30;

/// What is done when a component is about to be compiled; its result is
/// dropped when that is over.
type OnCompile = dyn Fn(&Path) -> Box<dyn Any> + Send;

/// Loads components for one engine.
pub struct Loader {
    engine: Engine,
    cache: Option<Folder>,
    key: Option<Arc<Key>>,
    allowed: Vec<PathBuf>,
    records: Records,
    on_compile: Box<OnCompile>,
}

impl Loader {
    /// With compiled components kept in `cache`, or nowhere, and the user's
    /// key, where there is one.
    ///
    /// # Errors
    ///
    /// When this processor or system lacks what the engine needs.
    pub fn new(cache: Option<Folder>) -> Result<Self> {
        Self::reserving(Reservation::Full, cache, Key::of_user().ok().map(Arc::new))
    }

    /// The same, for components whose memory reserves so much, with this key.
    ///
    /// # Errors
    ///
    /// When this processor or system lacks what the engine needs.
    pub fn reserving(
        reservation: Reservation,
        cache: Option<Folder>,
        key: Option<Arc<Key>>,
    ) -> Result<Self> {
        Ok(Self::for_engine(command_engine(reservation)?, cache, key))
    }

    /// For components that run on `engine`.
    pub(crate) fn for_engine(engine: Engine, cache: Option<Folder>, key: Option<Arc<Key>>) -> Self {
        Self {
            engine,
            records: Records::new(cache.clone(), key.clone()),
            cache,
            key,
            allowed: Vec::new(),
            on_compile: Box::new(|_| Box::new(())),
        }
    }

    /// The engine that components are loaded for.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Take native code from these files whoever has made it: the user has
    /// named them on the command line.
    #[must_use]
    pub fn allow_native(mut self, files: &[PathBuf]) -> Self {
        self.allowed = files.to_vec();
        self
    }

    /// Call `show` when a component is about to be compiled, and drop what it
    /// gives when that is done.
    #[must_use]
    pub fn on_compile(mut self, show: impl Fn(&Path) -> Box<dyn Any> + Send + 'static) -> Self {
        self.on_compile = Box::new(show);
        self
    }

    /// Load the program in the `.wasm` or `.cwasm` file at `path`, which the
    /// user has named.
    ///
    /// # Errors
    ///
    /// [`LoadError`], with the reason and the way out in its chain.
    pub fn load(&self, path: &Path) -> Result<Program> {
        let load = || Program::new(&self.engine, self.open_named(path)?);
        load().map_err(|error| error.context(LoadError(path.into())))
    }

    /// Load a component of any kind, from a file that the user has named.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub(crate) fn load_named(&self, path: &Path) -> Result<Loaded> {
        self.open_named(path).map_err(|error| error.context(LoadError(path.into())))
    }

    /// Load a component of any kind from `file`, which SQL or a component has
    /// chosen by the name `path`: never native code.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub(crate) fn load_chosen(&self, path: &Path, file: &File) -> Result<Loaded> {
        self.portable(path, file).map_err(|error| error.context(LoadError(path.into())))
    }

    /// Compile the `.wasm` file at `path` and seal the result.
    ///
    /// # Errors
    ///
    /// [`LoadError`], with the reason in its chain.
    pub fn precompile(&self, path: &Path) -> Result<Vec<u8>> {
        let compile = || {
            let wasm = read(&open(path)?)?;
            let _shown = (self.on_compile)(path);
            artifact::precompile(&self.engine_for(&wasm)?, &wasm, self.key.as_deref())
        };
        compile().map_err(|error| error.context(LoadError(path.into())))
    }

    /// An extension is compiled for its own engine, whose code looks at a clock.
    fn engine_for(&self, wasm: &[u8]) -> Result<Engine> {
        artifact::check_wasm(wasm)?;
        match Composition::of(wasm)?.is_none() && exports(wasm, EXTENSION_EXPORT) {
            true => extension_engine(Reservation::of(&self.engine)),
            false => Ok(self.engine.clone()),
        }
    }

    fn open_named(&self, path: &Path) -> Result<Loaded> {
        let file = open(path)?;
        match path.extension().is_some_and(|ending| ending == "cwasm") {
            true => self.native(path, &file),
            false => self.portable(path, &file),
        }
    }

    /// Native code that is accepted: root's, sealed with the user's key, or
    /// named by the user to be trusted.
    fn native(&self, path: &Path, file: &File) -> Result<Loaded> {
        let state = State::of(file)?;
        if artifact::is_of_system(file) {
            return self.system(file, &state);
        }
        if let Some(copy) = self.records.get(&state, Fact::Content).and_then(|id| self.copy(&id)) {
            return Ok(copy);
        }
        let content = Code::read(file)?;
        let seal = artifact::whole(&content)?;
        if self.key.as_ref().is_some_and(|key| seal.is_by(key)) {
            self.keep_copy(&state, &content);
        } else if !self.is_allowed(path, file) {
            bail!(Unusable::Foreign);
        }
        self.loaded(Code::Bytes(content.into()))
    }

    /// Root's file is mapped as it is, once it was found to be whole.
    fn system(&self, file: &File, state: &State) -> Result<Loaded> {
        let seal = artifact::seal_of(file)?;
        let id = blake3::hash(seal.bytes());
        if self.records.get(state, Fact::Artifact) != Some(id) {
            artifact::whole(&Code::read(file)?)?;
            self.records.put(state, Fact::Artifact, &id);
        }
        self.loaded(Code::File(Arc::new(file.try_clone()?)))
    }

    /// By device and inode, so that another name of the file is as good.
    fn is_allowed(&self, path: &Path, file: &File) -> bool {
        let Ok(opened) = file.metadata() else { return false };
        self.allowed.iter().any(|allowed| {
            allowed == path
                || std::fs::metadata(allowed).is_ok_and(|allowed| {
                    (allowed.dev(), allowed.ino()) == (opened.dev(), opened.ino())
                })
        })
    }

    fn copy(&self, id: &Hash) -> Option<Loaded> {
        let path = self.cache.as_ref()?.copied(id)?;
        self.cached(&path, id, |content, _| blake3::hash(content) == *id)
    }

    fn keep_copy(&self, state: &State, content: &[u8]) {
        let id = blake3::hash(content);
        self.records.put(state, Fact::Content, &id);
        if let Some(cache) = &self.cache
            && let Some(path) = cache.copied(&id)
        {
            cache.write(&path, content);
        }
    }

    /// The component in a `.wasm`, from the cache where it was compiled before.
    fn portable(&self, path: &Path, file: &File) -> Result<Loaded> {
        let state = State::of(file)?;
        let known = self.records.get(&state, Fact::Content);
        if let Some(compiled) = known.and_then(|id| self.compiled(&id)) {
            return Ok(compiled);
        }
        let wasm = read(file)?;
        artifact::check_wasm(&wasm)?;
        let id = blake3::hash(&wasm);
        self.records.put(&state, Fact::Content, &id);
        if known != Some(id)
            && let Some(compiled) = self.compiled(&id)
        {
            return Ok(compiled);
        }
        let code = {
            let _shown = (self.on_compile)(path);
            artifact::precompile(&self.engine, &wasm, self.key.as_deref())?
        };
        if let Some(cache) = self.cache.as_ref().filter(|_| self.key.is_some())
            && let Some(path) = cache.compiled(&self.engine, &id)
        {
            cache.write(&path, &code);
        }
        self.loaded(Code::Bytes(code.into()))
    }

    fn compiled(&self, id: &Hash) -> Option<Loaded> {
        let path = self.cache.as_ref()?.compiled(&self.engine, id)?;
        self.cached(&path, id, |_, source| source == *id)
    }

    /// Native code of the cache, where it is of the content `id`; one that is
    /// stale, broken or not ours counts as none, and is made again.
    fn cached(
        &self,
        path: &Path,
        id: &Hash,
        is_of: impl FnOnce(&[u8], Hash) -> bool,
    ) -> Option<Loaded> {
        let file = cache::open(path)?;
        let state = State::of(&file).ok()?;
        if self.records.get(&state, Fact::Artifact) == Some(*id)
            && let Ok(mapped) = self.loaded(Code::File(Arc::new(file.try_clone().ok()?)))
        {
            return Some(mapped);
        }
        // Also where the cache lies on a file system that runs no code.
        let content = Code::read(&file).ok()?;
        let seal = artifact::whole(&content).ok()?;
        if !seal.is_by(self.key.as_ref()?) || !is_of(&content, seal.source()) {
            return None;
        }
        self.records.put(&state, Fact::Artifact, id);
        self.loaded(Code::Bytes(content.into())).ok()
    }

    fn loaded(&self, code: Code) -> Result<Loaded> {
        Ok(Loaded { component: code.component(&self.engine)?, code })
    }
}

impl Program {
    fn new(engine: &Engine, Loaded { component, code }: Loaded) -> Result<Self> {
        let ty = component.component_type();
        if !ty.exports(engine).any(|(name, _)| name.starts_with(COMMAND_EXPORT)) {
            return Err(anyhow!(
                "it is a component of another kind, which does not export `wasi:cli/run`; \
                 only command-line components are run"
            ));
        }
        let composition = code.composition()?;
        Ok(Self { engine: engine.clone(), component, composition, code })
    }
}

/// Whether the component itself exports something whose name begins so.
fn exports(wasm: &[u8], beginning: &str) -> bool {
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload {
            Ok(Payload::Version { .. }) => depth += 1,
            Ok(Payload::End(_)) => depth = depth.saturating_sub(1),
            Ok(Payload::ComponentExportSection(exports)) if depth == 1 => {
                let mut exports = exports.into_iter().flatten();
                if exports.any(|export| export.name.name.starts_with(beginning)) {
                    return true;
                }
            }
            Ok(_) => {}
            // The compiler says what is wrong.
            Err(_) => return false,
        }
    }
    false
}

fn open(path: &Path) -> Result<File> {
    // A pipe that nobody writes would be waited for.
    let without_waiting = nix::libc::O_NONBLOCK;
    let file =
        File::options().read(true).custom_flags(without_waiting).open(path).map_err(|error| {
            anyhow!("failed to open it: {error}; check its name and permissions")
        })?;
    if !file.metadata()?.is_file() {
        return Err(Unusable::NotAFile.into());
    }
    Ok(file)
}

fn read(file: &File) -> Result<Vec<u8>> {
    let mut wasm = Vec::new();
    file.take(MAX_WASM_BYTES).read_to_end(&mut wasm).context("failed to read it")?;
    Ok(wasm)
}
