//! Loading components from files. Each check applies to the very bytes that are
//! used afterwards. The loader reads a `.wasm` once, and hashes, compiles and
//! caches those bytes. It accepts native code by its seal, and maps only files
//! that no component can change.

mod native;
mod precompile;

use std::any::Any;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use blake3::Hash;
use precompile::precompile;
use wasmtime::Engine;

use super::code::Code;
use super::{LoadError, Loaded, Program, open};
use crate::artifact;
use crate::artifact::cache::{self, Directory};
use crate::artifact::compiler::{Compiler, Facts};
use crate::artifact::engine::EngineKind;
use crate::artifact::file_hashes::{FileState, HashKind, Records};
use crate::artifact::sha256::sha256;
use crate::contract::script::Script;
use crate::installation::key::Key;
use crate::limits::address_space::Reservation;
use crate::words::escape::escaped;

/// Called when a compilation starts; its result is dropped when the compilation
/// ends.
type OnCompile = dyn Fn(&Path) -> Box<dyn Any> + Send;

/// Loads components for one engine.
pub struct Loader {
    engine: Engine,
    kind: EngineKind,
    compiler: Compiler,
    cache: Option<Directory>,
    key: Option<Arc<Key>>,
    allowed: Vec<PathBuf>,
    /// Where the engines of scripts are.
    directories: Vec<PathBuf>,
    records: Records,
    on_compile: Box<OnCompile>,
}

impl Loader {
    /// A loader with this cache for compiled components, if any, and the user's
    /// key, if it can be read.
    ///
    /// # Errors
    ///
    /// When this processor or system lacks what the engine needs.
    pub fn new(cache: Option<Directory>) -> Result<Self> {
        Self::reserving(Reservation::Full, cache, Key::of_user().ok().map(Arc::new))
    }

    /// A loader for components with this reservation, with this key.
    ///
    /// # Errors
    ///
    /// When this processor or system lacks what the engine needs.
    pub fn reserving(
        reservation: Reservation,
        cache: Option<Directory>,
        key: Option<Arc<Key>>,
    ) -> Result<Self> {
        Self::of_kind(EngineKind::Command(reservation.form()), reservation, cache, key)
    }

    /// A loader for databases with a limit of time (see [`EngineKind::Timed`]), with this key.
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    pub fn timed(
        reservation: Reservation,
        cache: Option<Directory>,
        key: Option<Arc<Key>>,
    ) -> Result<Self> {
        Self::of_kind(EngineKind::Timed(reservation.form()), reservation, cache, key)
    }

    /// A loader for extensions with this reservation; without `key` it uses the
    /// user's.
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    pub(crate) fn for_extensions(
        reservation: Reservation,
        cache: Option<Directory>,
        key: Option<Arc<Key>>,
    ) -> Result<Self> {
        let key = key.or_else(|| Key::of_user().ok().map(Arc::new));
        Self::of_kind(EngineKind::Extension(reservation.form()), reservation, cache, key)
    }

    fn of_kind(
        kind: EngineKind,
        reservation: Reservation,
        cache: Option<Directory>,
        key: Option<Arc<Key>>,
    ) -> Result<Self> {
        Ok(Self {
            engine: kind.engine(reservation)?,
            kind,
            compiler: Compiler::default(),
            records: Records::new(cache.clone(), key.clone()),
            cache,
            key,
            allowed: Vec::new(),
            directories: Vec::new(),
            on_compile: Box::new(|_| Box::new(())),
        })
    }

    /// Compile components with `compiler`.
    #[must_use]
    pub fn compiler(mut self, compiler: Compiler) -> Self {
        self.compiler = compiler;
        self
    }

    /// The engine that runs the loaded components.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The user's key; none if it cannot be read or created.
    pub fn key(&self) -> Option<&Arc<Key>> {
        self.key.as_ref()
    }

    /// Accept native code from these files without a signature: the user has
    /// named them on the command line.
    #[must_use]
    pub fn allow_native(mut self, files: &[PathBuf]) -> Self {
        self.allowed = files.to_vec();
        self
    }

    /// Run scripts by the engines in these extension directories.
    #[must_use]
    pub(crate) fn engines_in(mut self, directories: &[PathBuf]) -> Self {
        self.directories = directories.to_vec();
        self
    }

    /// Call `show` when a compilation starts, and drop its result when the
    /// compilation ends.
    #[must_use]
    pub fn on_compile(mut self, show: impl Fn(&Path) -> Box<dyn Any> + Send + 'static) -> Self {
        self.on_compile = Box::new(show);
        self
    }

    /// Load the program in the `.wasm` or `.cwasm` file at `path`, a path that
    /// the user has given.
    ///
    /// # Errors
    ///
    /// [`LoadError`], with the reason and a remedy in its chain.
    pub fn load(&self, path: &Path) -> Result<Program> {
        let load = || Program::command(self.kind, &self.engine, self.open_named(path)?);
        load().map_err(|error| error.context(LoadError(path.into())))
    }

    /// Load the database without a shell in the `.wasm` or `.cwasm` file at
    /// `path`, a path that the user has given. Code in a `.cwasm` does not check
    /// the time; a loader of code that does takes the `.wasm` that it was
    /// compiled from, in the same directory.
    ///
    /// # Errors
    ///
    /// [`LoadError`], with the reason and a remedy in its chain.
    pub fn load_database(&self, path: &Path) -> Result<Program> {
        let open = if self.kind.checks_time() { Self::open_timed } else { Self::open_named };
        let load = || Program::database(self.kind, &self.engine, open(self, path)?);
        load().map_err(|error| error.context(LoadError(path.into())))
    }

    /// The same for the first of these files that can be used, with its path:
    /// compiled code may be for another processor. None without a file.
    ///
    /// # Errors
    ///
    /// That of the last file, if none can be used.
    pub fn load_first_database(
        &self,
        paths: impl IntoIterator<Item = PathBuf>,
    ) -> Result<Option<(Program, PathBuf)>> {
        let mut failure = Ok(None);
        for path in paths {
            match self.load_database(&path) {
                Ok(program) => return Ok(Some((program, path))),
                Err(error) => failure = Err(error),
            }
        }
        failure
    }

    /// Load a database from the bytes of a `.wasm` that the program has in itself;
    /// `name` is for messages.
    ///
    /// # Errors
    ///
    /// As [`Self::load_database`].
    pub fn load_database_bytes(&self, name: &Path, wasm: &[u8]) -> Result<Program> {
        let load = || Program::database(self.kind, &self.engine, self.load_bytes(name, wasm)?);
        load().map_err(|error| error.context(LoadError(name.into())))
    }

    /// Load a component of any kind from a path that the user has given.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub(crate) fn load_named(&self, path: &Path) -> Result<Loaded> {
        self.open_named(path).map_err(|error| error.context(LoadError(path.into())))
    }

    /// Load a component of any kind from `file`, which SQL or a component has
    /// named as `path`. Native code is refused.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub(crate) fn load_chosen(&self, path: &Path, file: &File) -> Result<Loaded> {
        self.portable(path, file).map_err(|error| error.context(LoadError(path.into())))
    }

    /// Load a component of any kind from these bytes of the file at `path`.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub(crate) fn load_bytes(&self, path: &Path, wasm: &[u8]) -> Result<Loaded> {
        let load = || {
            artifact::check_wasm(wasm)?;
            let id = blake3::hash(wasm);
            self.cached_code(&id).map_or_else(|| self.compiled(path, wasm, &id), Ok)
        };
        load().map_err(|error| error.context(LoadError(path.into())))
    }

    /// Read and inspect the `.wasm` file at `path` without running it.
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
        let wasm = open(path).and_then(|file| self.read(&file));
        wasm.map_err(|error| error.context(LoadError(path.into())))
    }

    /// The component of the core module in the file at `path`.
    pub(crate) fn encode(&self, path: &Path, module: &[u8]) -> Result<Vec<u8>> {
        self.compiler.encode(module).map_err(|error| error.context(LoadError(path.into())))
    }

    /// The facts about these bytes of the file at `path`.
    pub(crate) fn facts(&self, path: &Path, wasm: &[u8]) -> Result<Facts> {
        self.compiler.inspect(wasm).map_err(|error| error.context(LoadError(path.into())))
    }

    fn open_named(&self, path: &Path) -> Result<Loaded> {
        let file = open(path)?;
        if is_native(path) { self.native(path, &file) } else { self.portable(path, &file) }
    }

    fn open_timed(&self, path: &Path) -> Result<Loaded> {
        let file = open(path)?;
        if is_native(path) { self.source_of(path, &file) } else { self.portable(path, &file) }
    }

    /// The component of a `.wasm`, from the cache if it was compiled before.
    fn portable(&self, path: &Path, file: &File) -> Result<Loaded> {
        let state = FileState::of(file)?;
        let known = self.records.get(&state, HashKind::Content);
        if let Some(compiled) = known.and_then(|id| self.cached_code(&id)) {
            return Ok(compiled);
        }
        let wasm = self.read(file)?;
        artifact::check_wasm(&wasm)?;
        let id = blake3::hash(&wasm);
        self.records.put(&state, HashKind::Content, &id);
        if known != Some(id)
            && let Some(compiled) = self.cached_code(&id)
        {
            return Ok(compiled);
        }
        self.compiled(path, &wasm, &id)
    }

    /// Code that is not in the cache: that of a script is its engine's.
    fn compiled(&self, path: &Path, wasm: &[u8], id: &Hash) -> Result<Loaded> {
        let Some(script) = Script::of(wasm)? else { return self.compile(path, wasm, id) };
        let (engine, file_sha256) = (script.engine_file(&self.directories)?, sha256(wasm));
        let of_engine = || format!("its engine `{}` cannot be used", escaped(&engine));
        let wasm = open(&engine).and_then(|file| self.read(&file)).with_context(of_engine)?;
        ensure!(Script::of(&wasm)?.is_none(), "{}: it is a script itself", of_engine());
        let id = blake3::hash(&wasm);
        let cached = self.cached_code(&id).map_or_else(|| self.compile(&engine, &wasm, &id), Ok);
        Ok(Loaded {
            script: Some(Arc::new(script)),
            script_sha256: Some(file_sha256),
            ..cached.with_context(of_engine)?
        })
    }

    fn compile(&self, path: &Path, wasm: &[u8], id: &Hash) -> Result<Loaded> {
        let code = {
            let _shown = (self.on_compile)(path);
            Arc::new(precompile(&self.compiler, self.kind, wasm, self.key.as_deref())?)
        };
        let loaded = self.load_code(Code::Bytes(code.clone()))?;
        // Code that does not load, by a helper of another version, is not kept.
        if let Some(cache) = self.cache.as_ref().filter(|_| self.key.is_some())
            && let Some(path) = cache.compiled(self.kind, id)
        {
            cache.write(&path, &code);
        }
        Ok(loaded)
    }

    fn read(&self, file: &File) -> Result<Vec<u8>> {
        let max_bytes = self.compiler.max_wasm_bytes();
        // At once: a vector that grows would take three times as much.
        let mut wasm = Vec::with_capacity(file.metadata()?.len().min(max_bytes + 1) as usize);
        file.take(max_bytes + 1).read_to_end(&mut wasm).context("failed to read it")?;
        ensure!(
            wasm.len() as u64 <= max_bytes,
            "it is larger than {max_bytes} bytes, too large to compile within the memory limit; \
             raise `--max-memory` or build it smaller"
        );
        Ok(wasm)
    }

    fn cached_code(&self, id: &Hash) -> Option<Loaded> {
        let path = self.cache.as_ref()?.compiled(self.kind, id)?;
        self.cached(&path, id, |_, source| source == *id)
    }

    /// Native code from the cache for the content `id`. Stale, damaged or
    /// foreign code counts as missing, and is compiled again.
    fn cached(
        &self,
        path: &Path,
        id: &Hash,
        is_of: impl FnOnce(&[u8], Hash) -> bool,
    ) -> Option<Loaded> {
        let file = cache::open(path)?;
        let state = FileState::of(&file).ok()?;
        if self.records.get(&state, HashKind::Artifact) == Some(*id)
            && let Ok(mapped) = self.load_code(Code::File(Arc::new(file.try_clone().ok()?)))
        {
            return Some(mapped);
        }
        // Reached also if the cache is on a file system mounted `noexec`.
        let content = Code::read(&file).ok()?;
        let seal = artifact::verified_seal(&content).ok()?;
        if !seal.is_by(self.key.as_ref()?) || !is_of(&content, seal.source()) {
            return None;
        }
        self.records.put(&state, HashKind::Artifact, id);
        self.load_code(Code::Bytes(content.into())).ok()
    }

    fn load_code(&self, code: Code) -> Result<Loaded> {
        Ok(Loaded {
            component: code.component(&self.engine)?,
            code,
            script: None,
            script_sha256: None,
        })
    }
}

/// Whether the name promises native code.
pub fn is_native(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "cwasm")
}
