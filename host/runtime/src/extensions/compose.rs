//! Composing: the runner's request to the helper, with the contents of a composed file, and the
//! result.
//!
//! ```no_run
//! use sqlite_wasm_runtime::artifact::compiler::Compiler;
//! use sqlite_wasm_runtime::artifact::component::Loader;
//! use sqlite_wasm_runtime::extensions::compose::{Base, Extension, compose};
//! use sqlite_wasm_runtime::extensions::ExtensionsCtx;
//!
//! let directories = ["extensions".into()];
//! let mut extensions = ExtensionsCtx::new(Vec::new());
//! let series = Extension::find("series", &directories, &mut extensions)?;
//! let cli = Base::read("cli.wasm".as_ref(), &Loader::new(None)?)?;
//! let composed = compose(&Compiler::default(), &cli, &[series], &mut extensions)?;
//! std::fs::write("out.wasm", composed.wasm)?;
//! # Ok::<(), anyhow::Error>(())
//! ```

mod base;
mod extension;
mod request;

use anyhow::{Result, ensure};

pub use base::{Base, Parts};
pub use extension::Extension;
pub use request::{Request, compose, parse};

use crate::contract::composition::{Composition, Embedded, MAX_EMBEDDED};

/// A composed file.
pub struct Composed {
    /// Its content.
    pub wasm: Vec<u8>,
    /// What the file contains.
    pub composition: Composition,
    /// What the user should know, one line each.
    pub warnings: Vec<String>,
}

/// Refuse an extension that is embedded twice, and warn of names that are registered
/// twice, one line each.
///
/// # Errors
///
/// When an extension is embedded already.
pub fn check_names(before: &[Embedded], extensions: &[Extension]) -> Result<Vec<String>> {
    let mut known: Vec<(&str, Vec<String>)> =
        before.iter().map(|one| (one.name.as_str(), one.registers.clone())).collect();
    let mut warnings = Vec::new();
    for extension in extensions {
        let name = extension.name();
        let is_known = known.iter().any(|(other, _)| *other == name);
        ensure!(!is_known, "`{name}` is embedded already; name it once");
        let registers = extension.registers();
        for (other, theirs) in &known {
            let replaced = registers.iter().filter(|what| theirs.contains(what));
            warnings.extend(
                replaced.map(|what| format!("`{what}` of `{name}` replaces that of `{other}`")),
            );
        }
        known.push((name, registers));
    }
    ensure!(known.len() <= MAX_EMBEDDED, "a file has at most {MAX_EMBEDDED} extensions");
    Ok(warnings)
}
