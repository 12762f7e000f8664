//! Compiling a component to native code.

mod forward;
mod native;
mod processor;

use anyhow::{Result, ensure};
use sqlite_wasm_runtime::artifact;
use sqlite_wasm_runtime::artifact::engine::EngineKind;
use sqlite_wasm_runtime::artifact::trace::LLVM_NAME;
use sqlite_wasm_runtime::limits::address_space::Form;
use wasmtime::{Config, Engine, OptLevel};

/// Compile a component for the engine of this kind, with LLVM's code where this program has it. The
/// code has no seal.
///
/// # Errors
///
/// When it is not a component, or the compiler refuses it.
pub fn compile(kind: EngineKind, wasm: &[u8]) -> Result<Vec<u8>> {
    check(wasm)?;
    native::compile(kind, wasm).map_or_else(|| by_cranelift(kind, wasm), Ok)
}

/// The same without LLVM's code.
///
/// # Errors
///
/// As [`compile`].
pub fn by_cranelift(kind: EngineKind, wasm: &[u8]) -> Result<Vec<u8>> {
    check(wasm)?;
    let mut config = config(kind);
    // With little address space, each compiling thread would reserve its own heap.
    config.parallel_compilation(kind.form() == Form::Full);
    let engine = Engine::new(&config)?;
    // Errors in a component are reported for the component itself, below.
    let forwarding = forward::forwarding(wasm).ok().flatten();
    let code = forwarding
        .and_then(|wasm| engine.precompile_component(&wasm).ok())
        .map_or_else(|| engine.precompile_component(wasm), Ok);
    code.map_err(|error| artifact::invalid(&error.root_cause().to_string()))
}

/// Check that it is a component, without the name of the function with LLVM's code: frames of that are shown by other
/// names, and belong to no extension.
fn check(wasm: &[u8]) -> Result<()> {
    artifact::check_wasm(wasm)?;
    let name = LLVM_NAME.as_bytes();
    let has_it = wasm.windows(name.len()).any(|bytes| bytes == name);
    ensure!(
        !has_it,
        "it contains the name `{LLVM_NAME}`, which is that of this program's own code; rename it"
    );
    Ok(())
}

fn config(kind: EngineKind) -> Config {
    let mut config = kind.config(kind.form().reservation());
    config.cranelift_opt_level(OptLevel::Speed);
    processor::limit(&mut config);
    config
}
