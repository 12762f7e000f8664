//! Compiling, inspecting and composing components that nobody vouches for.
//!
//! The program does all three in a process of its own, the *helper*: this same
//! program, started by `/proc/self/exe` with [`helper::WORD`], with limits of
//! memory and processor time and nothing granted. It gets the `.wasm` and gives
//! its result by descriptor; no path and no environment goes along. A component
//! that makes the compiler loop, fill the memory or fail ends the helper and
//! nothing else.
//!
//! ```
//! use sqlite_wasm_run::address_space::Form;
//! use sqlite_wasm_run::compiler::{Compiler, EngineKind};
//!
//! // The library's default: on the spot and without limits.
//! let code = Compiler::default().compile(EngineKind::Command(Form::Full), b"\0asm\x0d\0\x01\0")?;
//! assert!(code.len() > 0);
//! # Ok::<(), anyhow::Error>(())
//! ```

mod facts;
pub mod helper;
mod limits;
mod sealed;
mod spawn;

use anyhow::Result;
use wasmtime::Engine;

use crate::address_space::Form;
use crate::artifact;
use crate::compose::{self, Base, Extension};
use crate::engine::{command_engine, extension_engine};

pub use facts::{CustomSection, Facts, MANIFEST_SECTION};
pub use limits::Budget;
pub use spawn::Failed;

use sealed::Sealed;
use spawn::Task;

/// Which engine runs the code: all settings that the code depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineKind {
    /// [`command_engine`].
    Command(Form),
    /// [`extension_engine`].
    Extension(Form),
}

impl EngineKind {
    /// The engine.
    ///
    /// # Errors
    ///
    /// When this processor or system lacks what it needs.
    pub fn engine(self) -> Result<Engine> {
        match self {
            Self::Command(form) => command_engine(form.reservation()),
            Self::Extension(form) => extension_engine(form.reservation()),
        }
    }

    /// That of extensions which come with a program of this kind.
    pub fn of_extensions(self) -> Self {
        match self {
            Self::Command(form) | Self::Extension(form) => Self::Extension(form),
        }
    }
}

/// Compiles, inspects and composes.
#[derive(Debug, Clone, Copy, Default)]
pub enum Compiler {
    /// On the spot, without limits: for programs that use this library on
    /// components of their own.
    #[default]
    InProcess,
    /// In a process of its own within this budget. Only for the program
    /// `sqlite-wasm-run`: the process is started from its own file.
    Helper(Budget),
}

/// Native code of a component, without a seal.
#[derive(Debug)]
pub struct Code(Content);

/// A result.
#[derive(Debug)]
enum Content {
    /// In this process's own memory.
    Bytes(Vec<u8>),
    /// In memory that nobody can change any more.
    Sealed(Sealed),
}

impl Content {
    fn into_bytes(self) -> Result<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Sealed(sealed) => sealed.read(),
        }
    }
}

impl Code {
    /// Its length in bytes.
    pub fn len(&self) -> usize {
        match &self.0 {
            Content::Bytes(bytes) => bytes.len(),
            Content::Sealed(sealed) => sealed.len(),
        }
    }

    /// Whether there is none, which no compiler gives.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code as bytes.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn into_bytes(self) -> Result<Vec<u8>> {
        self.0.into_bytes()
    }
}

impl Compiler {
    /// Compile a component for the engine of this kind.
    ///
    /// # Errors
    ///
    /// [`artifact::Unusable`], what the compiler says, or [`Failed`].
    pub fn compile(&self, kind: EngineKind, wasm: &[u8]) -> Result<Code> {
        artifact::check_wasm(wasm)?;
        match self {
            Self::InProcess => {
                let code = kind.engine()?.precompile_component(wasm);
                Ok(Code(Content::Bytes(code.map_err(|error| artifact::invalid(&error))?)))
            }
            Self::Helper(budget) => spawn::run(Task::Compile(kind), budget, &[wasm]).map(Code),
        }
    }

    /// What can be said of a component without running it.
    ///
    /// # Errors
    ///
    /// [`artifact::Unusable`], why it is no valid component, or [`Failed`].
    pub fn inspect(&self, wasm: &[u8]) -> Result<Facts> {
        artifact::check_wasm(wasm)?;
        match self {
            Self::InProcess => Facts::of(wasm),
            Self::Helper(budget) => {
                Facts::decode(&spawn::run(Task::Inspect, budget, &[wasm])?.into_bytes()?)
            }
        }
    }

    /// Put `extensions` into `base`.
    ///
    /// # Errors
    ///
    /// As for [`compose::compose`], and [`Failed`].
    pub fn compose(&self, base: &Base, extensions: &[Extension]) -> Result<compose::Composed> {
        let Self::Helper(budget) = self else { return compose::compose(base, extensions) };
        let warnings = compose::warnings(base, extensions)?;
        let (header, parts) = compose::request(base, extensions)?;
        let parts: Vec<&[u8]> = std::iter::once(&header[..]).chain(parts).collect();
        let wasm = spawn::run(Task::Compose, budget, &parts)?.into_bytes()?;
        compose::composed(wasm, warnings)
    }

    /// The largest `.wasm` that is taken, in bytes.
    pub fn max_wasm_bytes(&self) -> u64 {
        match self {
            Self::InProcess => limits::MAX_WASM_BYTES,
            Self::Helper(budget) => budget.max_wasm_bytes(),
        }
    }
}
