//! Loading components that can run: precompiled, or compiled once and cached.

mod code;
mod loader;
mod open;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::artifact;
use crate::artifact::engine::EngineKind;
use crate::contract::composition::{Composition, Embedded};
use crate::contract::script::Script;
use crate::contract::version::{COMMAND_EXPORT, DATABASE_EXPORT};
use crate::limits::address_space::Reservation;
use crate::words::escape::escaped;

pub(crate) use code::Code;
pub use loader::Loader;
pub(crate) use loader::is_native;
pub use open::open;

/// A component of any kind, with the code that it was loaded from.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub component: Component,
    code: Code,
    /// What it runs, if it is an engine.
    pub script: Option<Arc<Script>>,
    /// The SHA-256 of the script's file.
    script_sha256: Option<String>,
}

impl Loaded {
    /// Whether it exports an interface, given up to its version.
    fn exports(&self, engine: &Engine, interface: &str) -> bool {
        let ty = self.component.component_type();
        ty.exports(engine).any(|(name, _)| name.starts_with(interface))
    }

    /// The SHA-256 of the `.wasm` that it was compiled from, or of the script's file, as
    /// `sha256sum` prints it.
    ///
    /// # Errors
    ///
    /// When its file cannot be read.
    pub fn sha256(&self) -> Result<String> {
        match &self.script_sha256 {
            Some(sha256) => Ok(sha256.clone()),
            None => Ok(self.code.seal()?.source_sha256()),
        }
    }
}

/// A command-line component or a database, ready to run.
pub struct Program {
    pub(crate) engine: Engine,
    pub(crate) component: Component,
    /// Its code checks a deadline.
    pub(crate) checks_time: bool,
    /// Its embedded extensions, if it was composed.
    pub(crate) composition: Option<Composition>,
    code: Code,
}

/// A bundled extension of a composed program, which runs in its own store.
pub(crate) struct BundledExtension {
    pub embedded: Embedded,
    code: Code,
    range: Range<usize>,
}

impl BundledExtension {
    /// The extension's code, for the engine of extensions.
    pub fn component(&self, engine: &Engine) -> Result<Component> {
        self.code.part(engine, self.range.clone())
    }
}

impl Program {
    fn command(kind: EngineKind, engine: &Engine, loaded: Loaded) -> Result<Self> {
        if !loaded.exports(engine, COMMAND_EXPORT) {
            return Err(anyhow!(
                "it does not export `wasi:cli/run`; \
                 only command-line components can run"
            ));
        }
        Self::new(kind, engine, loaded)
    }

    fn database(kind: EngineKind, engine: &Engine, loaded: Loaded) -> Result<Self> {
        if !loaded.exports(engine, DATABASE_EXPORT) {
            return Err(anyhow!(
                "it does not export `sqlite-wasm:database/connections`; use `database.wasm`, or \
                 what `compose --cli database.wasm` made"
            ));
        }
        Self::new(kind, engine, loaded)
    }

    fn new(kind: EngineKind, engine: &Engine, loaded: Loaded) -> Result<Self> {
        let Loaded { component, code, .. } = loaded;
        let composition = code.composition()?;
        let checks_time = kind.checks_time();
        Ok(Self { engine: engine.clone(), component, checks_time, composition, code })
    }

    /// Whether it has an embedded extension of this name.
    pub fn embeds(&self, name: &str) -> bool {
        let composition = self.composition.iter();
        composition.flat_map(|all| &all.extensions).any(|embedded| embedded.name == name)
    }

    /// Who made the code of the program itself: LLVM, as the helper has it for the shell and the
    /// database, or Cranelift.
    ///
    /// # Errors
    ///
    /// When there is not enough memory for a copy of the code.
    pub fn compiler(&self) -> Result<&'static str> {
        let is_by_llvm = artifact::is_by_llvm(&self.component.serialize()?);
        Ok(if is_by_llvm { "LLVM" } else { "Cranelift" })
    }

    /// How many memories the program has when it runs, including those of its bundled extensions.
    pub fn memories(&self) -> usize {
        let own = self.component.resources_required().map_or(1, |needs| needs.num_memories);
        let bundled =
            self.composition.as_ref().map_or(0, |composition| composition.bundled().count());
        own as usize + bundled
    }

    /// The reservation of each of its memories.
    pub(crate) fn reservation(&self) -> Reservation {
        Reservation::of(&self.engine)
    }

    /// Its bundled extensions.
    pub(crate) fn bundled_extensions(&self) -> Vec<BundledExtension> {
        let Some(composition) = &self.composition else { return Vec::new() };
        let bundled = composition.bundled().map(|(embedded, range)| BundledExtension {
            embedded: embedded.clone(),
            code: self.code.clone(),
            range,
        });
        bundled.collect()
    }
}

/// A component could not be loaded. The chain of errors has the reason.
#[derive(Debug)]
pub struct LoadError(pub(crate) PathBuf);

impl LoadError {
    /// The error for the file or extension `name`.
    pub(crate) fn of(name: impl Into<PathBuf>) -> Self {
        Self(name.into())
    }
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "failed to load `{}`", escaped(&self.0))
    }
}

impl std::error::Error for LoadError {}
