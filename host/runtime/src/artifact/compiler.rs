//! Compiling, inspecting and composing untrusted components.
//!
//! A separate program does all three, the *helper* `sqlite-wasm-compile`, with limits
//! of memory and processor time and no grants. It reads the `.wasm` from one descriptor
//! and writes its result to another; it gets no path and no environment. A component
//! that makes the compiler loop, fill the memory or crash ends only the helper.
//!
//! ```no_run
//! use sqlite_wasm_runtime::limits::address_space::Form;
//! use sqlite_wasm_runtime::artifact::compiler::Compiler;
//! use sqlite_wasm_runtime::artifact::engine::EngineKind;
//!
//! let wasm = std::fs::read("cli.wasm")?;
//! let code = Compiler::default().compile(EngineKind::Command(Form::Full), &wasm)?;
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod compose;
mod facts;
mod limits;
mod memory_file;
mod spawn;

use std::path::PathBuf;

use anyhow::Result;

use crate::artifact;
use crate::artifact::engine::EngineKind;
use crate::installation::program_files;
use crate::limits::address_space::Form;

pub use crate::installation::program_files::HELPER;
pub use facts::{
    CustomSection, Facts, MANIFEST_SECTION, MAX_MANIFEST_BYTES, MAX_NAME_BYTES, MAX_NAMES,
};
pub use limits::{Budget, Limits};
pub use spawn::{Failed, Helper, NO_MEMORY, REFUSED, Start, Started, Task, request, start_child};

/// The version of the helper that a program needs: its code must load, and its tasks must be
/// those of this library.
pub const VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), "+wasmtime-", env!("WASMTIME_VERSION"));

/// Compiles, inspects and composes, by the helper within a budget.
#[derive(Debug, Clone)]
pub struct Compiler {
    helper: Option<PathBuf>,
    budget: Budget,
    start: Start,
    by_cranelift: bool,
}

impl Default for Compiler {
    fn default() -> Self {
        Self::new(Budget::default())
    }
}

impl Compiler {
    /// The helper that is installed with this process's program, within `budget`.
    pub fn new(budget: Budget) -> Self {
        Self { helper: None, budget, start: start_child, by_cranelift: false }
    }

    /// With the helper at another path.
    #[must_use]
    pub fn helper(mut self, path: PathBuf) -> Self {
        // It is started in another directory.
        self.helper = Some(std::path::absolute(&path).unwrap_or(path));
        self
    }

    /// Compile all by Cranelift, also what the helper has LLVM's code of.
    #[must_use]
    pub fn by_cranelift(mut self) -> Self {
        self.by_cranelift = true;
        self
    }

    /// With another way to start the helper.
    #[must_use]
    pub fn start_by(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// Compile a component for the engine of this kind. The code has no seal.
    ///
    /// # Errors
    ///
    /// [`artifact::Unusable`], the compiler's error, or [`Failed`].
    pub fn compile(&self, kind: EngineKind, wasm: &[u8]) -> Result<Vec<u8>> {
        artifact::check_wasm(wasm)?;
        let task = match kind {
            // What is precompiled is of this kind.
            EngineKind::Command(Form::Full) if self.by_cranelift => Task::CompileByCranelift,
            _ => Task::Compile(kind),
        };
        self.run(task, &[wasm])
    }

    /// Describe a component without running it.
    ///
    /// # Errors
    ///
    /// [`artifact::Unusable`], the validator's error, or [`Failed`].
    pub fn inspect(&self, wasm: &[u8]) -> Result<Facts> {
        artifact::check_wasm(wasm)?;
        Facts::decode(&self.run(Task::Inspect, &[wasm])?)
    }

    /// The component of a core module that a linker wrote, with the types of its interfaces.
    ///
    /// # Errors
    ///
    /// When it is not such a module, or [`Failed`].
    pub fn encode(&self, module: &[u8]) -> Result<Vec<u8>> {
        self.run(Task::Encode, &[module])
    }

    /// The largest accepted `.wasm`, in bytes.
    pub fn max_wasm_bytes(&self) -> u64 {
        self.budget.max_wasm_bytes()
    }

    /// The path of the helper.
    ///
    /// # Errors
    ///
    /// When the system does not say where this process's program is.
    pub fn program(&self) -> Result<PathBuf> {
        self.helper.clone().map_or_else(|| program_files::path(HELPER), Ok)
    }

    /// The result of `task` on the concatenated `parts`.
    pub(crate) fn run(&self, task: Task, parts: &[&[u8]]) -> Result<Vec<u8>> {
        spawn::run(self.start, &self.program()?, task, &self.budget, parts)
    }
}
