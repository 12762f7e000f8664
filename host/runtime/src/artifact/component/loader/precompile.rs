//! Compiling a `.wasm` to the content of a `.cwasm`.

use std::path::Path;

use anyhow::{Result, ensure};

use super::Loader;
use crate::artifact::check_wasm;
use crate::artifact::compiler::Compiler;
use crate::artifact::component::LoadError;
use crate::artifact::engine::EngineKind;
use crate::artifact::seal::Seal;
use crate::artifact::sha256::sha256;
use crate::contract::composition::{Composition, Placement};
use crate::contract::script::Script;
use crate::contract::version::EXTENSION_EXPORT;
use crate::installation::key::Key;

impl Loader {
    /// Compile the `.wasm` file at `path`; the result has a seal.
    ///
    /// # Errors
    ///
    /// [`LoadError`], with the reason in its chain.
    pub fn precompile(&self, path: &Path) -> Result<Vec<u8>> {
        self.precompile_bytes(path, &self.bytes(path)?)
    }

    /// Compile these bytes of the file at `path`; the result has a seal.
    ///
    /// # Errors
    ///
    /// As [`Self::precompile`].
    pub fn precompile_bytes(&self, path: &Path, wasm: &[u8]) -> Result<Vec<u8>> {
        let compile = || {
            let _shown = (self.on_compile)(path);
            let kind = self.kind_of(wasm)?;
            precompile(&self.compiler, kind, wasm, self.key.as_deref())
        };
        compile().map_err(|error| error.context(LoadError(path.into())))
    }

    /// An extension is compiled for its own engine, whose code checks a
    /// deadline.
    fn kind_of(&self, wasm: &[u8]) -> Result<EngineKind> {
        let is_extension = Composition::of(wasm)?.is_none()
            && self.compiler.inspect(wasm)?.exports(EXTENSION_EXPORT);
        Ok(if is_extension { self.kind.of_extensions() } else { self.kind })
    }
}

/// Compile a component for the engine of this kind and seal the result with
/// `key`. Code without a key runs only with `--allow-native`.
///
/// # Errors
///
/// [`Unusable`], or the compiler's error.
pub(super) fn precompile(
    compiler: &Compiler,
    kind: EngineKind,
    wasm: &[u8],
    key: Option<&Key>,
) -> Result<Vec<u8>> {
    check_wasm(wasm)?;
    ensure!(
        Script::of(wasm)?.is_none(),
        "it is a script, whose engine is compiled already; load the `.wasm`"
    );
    let mut code = match Composition::of(wasm)? {
        Some(composition) => precompile_composed(compiler, kind, wasm, composition)?,
        None => compiler.compile(kind, wasm)?,
    };
    let seal = Seal::new(&code, wasm, key);
    code.extend_from_slice(seal.bytes());
    Ok(code)
}

/// Compile the component and the bundled extensions, and append their list.
fn precompile_composed(
    compiler: &Compiler,
    kind: EngineKind,
    wasm: &[u8],
    mut composition: Composition,
) -> Result<Vec<u8>> {
    let component = &wasm[..composition.component_bytes];
    let mut code = compiler.compile(kind, component)?;
    composition.component_bytes = code.len();
    for embedded in &mut composition.extensions {
        if let Placement::Bundled { range, .. } = &mut embedded.placement {
            let content = &wasm[range.clone()];
            // Computed here, since grants refer to it and the file could claim
            // any.
            embedded.sha256 = sha256(content);
            let start = code.len();
            code.extend(compiler.compile(kind.of_extensions(), content)?);
            *range = start..code.len();
        }
    }
    code.extend(composition.encode()?);
    Ok(code)
}
