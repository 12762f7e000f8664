//! From a path to a component that can run: precompiled, or compiled once and
//! kept.

mod code;
mod loader;

use std::ops::Range;
use std::path::PathBuf;

use anyhow::Result;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::address_space::Reservation;
use crate::compose::{Composition, Embedded};
use crate::escape::escaped;

pub(crate) use code::Code;
pub use loader::Loader;
pub(crate) use loader::open;

/// The first interface that a command-line component exports, in any version.
pub(crate) const COMMAND_EXPORT: &str = "wasi:cli/run@";

/// The interface that every extension exports, in any version.
pub(crate) const EXTENSION_EXPORT: &str = "sqlite-wasm:extension/extension@";

/// A component of any kind, and the code that it was loaded from.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub component: Component,
    code: Code,
}

impl Loaded {
    /// The SHA-256 of the `.wasm` that it was compiled from, as `sha256sum`
    /// prints it.
    ///
    /// # Errors
    ///
    /// When its file cannot be read.
    pub fn sha256(&self) -> Result<String> {
        Ok(self.code.seal()?.source_sha256())
    }
}

/// A component whose code is ready.
pub struct Program {
    pub(crate) engine: Engine,
    pub(crate) component: Component,
    /// What it was composed with.
    pub(crate) composition: Option<Composition>,
    code: Code,
}

/// An extension that came with a program and runs beside it.
pub(crate) struct Beside {
    pub embedded: Embedded,
    code: Code,
    range: Range<usize>,
}

impl Beside {
    /// Its code, for the engine of extensions.
    pub fn component(&self, engine: &Engine) -> Result<Component> {
        self.code.part(engine, self.range.clone())
    }
}

impl Program {
    /// Whether it was composed with an extension of this name.
    pub fn embeds(&self, name: &str) -> bool {
        let composition = self.composition.iter();
        composition.flat_map(|all| &all.extensions).any(|embedded| embedded.name == name)
    }

    /// The memories that running it makes, those of the extensions that came
    /// with it included.
    pub fn memories(&self) -> usize {
        let own = self.component.resources_required().map_or(1, |needs| needs.num_memories);
        let beside =
            self.composition.as_ref().map_or(0, |composition| composition.bundled().count());
        own as usize + beside
    }

    /// What each of its memories reserves.
    pub(crate) fn reservation(&self) -> Reservation {
        Reservation::of(&self.engine)
    }

    /// The extensions that came with it and run beside it.
    pub(crate) fn beside(&self) -> Vec<Beside> {
        let Some(composition) = &self.composition else { return Vec::new() };
        let beside = composition.bundled().map(|(embedded, range)| Beside {
            embedded: embedded.clone(),
            code: self.code.clone(),
            range,
        });
        beside.collect()
    }
}

/// Why a component cannot be loaded; the reason is in the chain.
#[derive(Debug)]
pub struct LoadError(pub(crate) PathBuf);

impl LoadError {
    /// That of the file or extension `name`.
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
