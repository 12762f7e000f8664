//! Compiling, inspecting and composing untrusted components.
//!
//! The program does all three in a separate process, the *helper*: the same
//! program, started from `/proc/self/exe` with [`WORD`], with limits of
//! memory and processor time and no grants. It reads the `.wasm` from one
//! descriptor and writes its result to another; it gets no path and no
//! environment. A component that makes the compiler loop, fill the memory or
//! crash ends only the helper.
//!
//! ```
//! use sqlite_wasm_run::address_space::Form;
//! use sqlite_wasm_run::compiler::{Compiler, EngineKind};
//!
//! // The library's default: on the spot and without limits.
//! let code = Compiler::default().compile(EngineKind::Command(Form::Full), b"\0asm\x0d\0\x01\0")?;
//! assert!(!code.is_empty());
//! # Ok::<(), anyhow::Error>(())
//! ```

mod facts;
pub(crate) mod limits;
mod memory_file;
pub(crate) mod spawn;

use anyhow::Result;
use wasmtime::Engine;

use crate::address_space::Form;
use crate::artifact;
use crate::engine::{command_engine, extension_engine};

pub use facts::{CustomSection, Facts, MANIFEST_SECTION};
pub use limits::Budget;
pub use spawn::Failed;

use spawn::Task;
pub use spawn::WORD;

/// The engine that runs the code, with all settings that the code depends on.
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

    /// The kind for the bundled extensions of a program of this kind.
    pub fn of_extensions(self) -> Self {
        match self {
            Self::Command(form) | Self::Extension(form) => Self::Extension(form),
        }
    }
}

/// Compiles, inspects and composes.
#[derive(Debug, Clone, Copy, Default)]
pub enum Compiler {
    /// In this process, without limits: for programs that use this library on
    /// trusted components.
    #[default]
    InProcess,
    /// In the helper process, within this budget. Only for the program
    /// `sqlite-wasm-run`, which starts the helper from its own file.
    Helper(Budget),
}

impl Compiler {
    /// Compile a component for the engine of this kind. The code has no seal.
    ///
    /// # Errors
    ///
    /// [`artifact::Unusable`], the compiler's error, or [`Failed`].
    pub fn compile(&self, kind: EngineKind, wasm: &[u8]) -> Result<Vec<u8>> {
        artifact::check_wasm(wasm)?;
        match self {
            Self::InProcess => {
                let code = kind.engine()?.precompile_component(wasm);
                code.map_err(|error| artifact::invalid(&error))
            }
            Self::Helper(budget) => spawn::run(Task::Compile(kind), budget, &[wasm]),
        }
    }

    /// Describe a component without running it.
    ///
    /// # Errors
    ///
    /// [`artifact::Unusable`], the validator's error, or [`Failed`].
    pub fn inspect(&self, wasm: &[u8]) -> Result<Facts> {
        artifact::check_wasm(wasm)?;
        match self {
            Self::InProcess => Facts::of(wasm),
            Self::Helper(budget) => Facts::decode(&spawn::run(Task::Inspect, budget, &[wasm])?),
        }
    }

    /// The largest accepted `.wasm`, in bytes.
    pub fn max_wasm_bytes(&self) -> u64 {
        match self {
            Self::InProcess => limits::MAX_WASM_BYTES,
            Self::Helper(budget) => budget.max_wasm_bytes(),
        }
    }
}
